/* SPDX-License-Identifier: MIT */
/* Messages both ways at once between two boards that run the real firmware, every byte compared.
 *
 * Each direction has a plan. Content is a function of direction, message and offset; messages are
 * gathered from and scattered to pieces of odd lengths in odd places; bytes around the pieces of a
 * receive must keep their guard value. */
#ifndef TESTS_END_TO_END_EXCHANGE_H
#define TESTS_END_TO_END_EXCHANGE_H

#include "host/demo/pair.h"
#include "host/demo/traffic.h"

enum { EXCHANGE_AHEAD_LIMIT = 128 };

struct message {
    size_t bytes;
    size_t capacity; /* of the posted receive */
    uint16_t tag;
};

struct plan {
    struct message (*message)(size_t index); /* pure */
    size_t count;
    size_t sends_ahead; /* posted and not finished at most */
    size_t receives_ahead;
    size_t pieces;                /* most pieces of a message on either side; 1: contiguous */
    uint64_t first_receive_after; /* ns after the link came up */
    uint64_t first_send_after;
};

struct exchange {
    struct plan plan[2]; /* by sending side */
    uint32_t seed;       /* of the pieces */
    struct traffic traffic;
    uint64_t truncated[2]; /* receives that ended so, by receiving side */
    uint32_t counter[2][64];
    void (*opened)(struct pair *pair);       /* called before anything runs; may be NULL */
    void (*halfway)(struct pair_side *side); /* called on each side amid its sends; may be NULL */
};

/* A plan's message: sizes around every border there is, capacities that sometimes exceed them. */
struct message exchange_any_size(size_t index);

/* Runs the exchange in a fresh world and checks everything that must hold at the end: all bytes,
 * all descriptors back, nothing on the wire any more. Fails the cmocka test otherwise. */
void exchange_run(struct exchange *exchange, const struct pair_options *options);

/* The same, but gives the result back: 0, -EBADMSG when a check failed. */
int exchange_try(struct exchange *exchange, const struct pair_options *options);

/* Value of a board's counter at the end, by side and name. */
uint32_t exchange_counter(const struct exchange *exchange, unsigned side, const char *name);

/* Runs a program on each side of a fresh world that loses so many of its frames; fails the cmocka
 * test unless both return 0. */
void exchange_programs(pair_program left, pair_program right, void *argument, uint64_t seed,
                       double loss);

/* Options with the named faults, the same both ways. */
void exchange_options(struct pair_options *options, uint64_t seed, double loss, double duplicate,
                      double delay);

#endif
