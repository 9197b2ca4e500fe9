/* SPDX-License-Identifier: MIT */
/*
 * The events of a run, as text for people or as JSON lines for programs, in the order of time.
 *
 *     time in us   board   kind  what
 *     35041.364    board0  dma   read 1500 bytes from host 0x11000 to 0x180000, high ring, 12.6 us
 *     35054.000    board0  send  frame 0 to board1, 1514 bytes, type 88b5
 *
 * A line of JSON has "ps" (time in picoseconds), "board", "kind", "text".
 */
#ifndef SIM_OBSERVE_EVENT_LOG_H
#define SIM_OBSERVE_EVENT_LOG_H

#include "sim/observe/execution.h"
#include "sim/observe/transitions.h"

struct tigon_event_log;

enum tigon_log_kind {
    TIGON_LOG_SIGNAL,     /* every change of every signal */
    TIGON_LOG_DMA,        /* transfers, when they end */
    TIGON_LOG_SEND,       /* frames put on a wire, and their fates */
    TIGON_LOG_RECEIVE,    /* frames that come to a board */
    TIGON_LOG_PROGRAM,    /* waits of the hosts' programs */
    TIGON_LOG_MESSAGE,    /* odd behaviour (tigon_world_set_log_hook) */
    TIGON_LOG_TRANSITION, /* of the protocol; needs executions */
    TIGON_LOG_FAULT,      /* hits of faults (sim/fault.h) */
    TIGON_LOG_KIND_COUNT
};
const char *tigon_log_kind_name(enum tigon_log_kind kind);

#define TIGON_LOG_USUAL                                                                            \
    (1u << TIGON_LOG_DMA | 1u << TIGON_LOG_SEND | 1u << TIGON_LOG_RECEIVE |                        \
     1u << TIGON_LOG_MESSAGE | 1u << TIGON_LOG_FAULT)

/* "dma,send", "all": bits by kind. False for other words; `*text` then points to the unknown word,
 * and `*unknown` is its length. */
bool tigon_log_parse_kinds(const char **text, size_t *unknown, unsigned *kinds);

struct tigon_log_options {
    FILE *stream; /* not closed */
    bool json;
    unsigned kinds; /* bits */
    /* By board index; entries and the whole may be NULL. */
    struct tigon_execution *const *executions;
    tigon_transition_name transition_name; /* may be NULL */
};

/* Records from now on. 0 or -ENOMEM. */
int tigon_event_log_start(struct tigon_event_log **log, struct tigon_world *world,
                          const struct tigon_log_options *options);

/* Writes the remaining entries, frees everything; after tigon_execution_end. 0 or -errno. NULL is
 * allowed. */
int tigon_event_log_end(struct tigon_event_log *log);

#endif
