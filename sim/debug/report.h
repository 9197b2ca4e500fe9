/* SPDX-License-Identifier: MIT */
/*
 * The state of a world: for people after a crash, and for programs.
 *
 * A report is a cJSON object, and its text is printed from that, so both forms have the same:
 *   reason, time_ns, boards [ name, mac_address, cores [ ... ], events, dma, transmit, receive,
 *   link, stopped, transitions, programs ], frames.
 * It depends on the world alone: the same run gives the same text.
 */
#ifndef SIM_DEBUG_REPORT_H
#define SIM_DEBUG_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "sim/tigon.h"

struct tigon_reporter;

#define TIGON_REPORT_FRAMES      8u  /* last ones of all wires */
#define TIGON_REPORT_TRANSITIONS 16u /* last ones of each board */

/* Observes the world's frames from now on; all other state is read when a report is made. Boards
 * must have been added. 0 or -ENOMEM. */
int tigon_reporter_create(struct tigon_reporter **reporter, struct tigon_world *world);
void tigon_reporter_free(struct tigon_reporter *reporter); /* before the world; NULL is allowed */

/* Symbols and lines of a board's firmware. 0 or -errno, -ENOEXEC unless it is a MIPS ELF file. */
int tigon_reporter_set_image(struct tigon_reporter *reporter, size_t board, const char *path);
/* The board's name in reports; without, its number. Copied, and cut if long. */
void tigon_reporter_set_name(struct tigon_reporter *reporter, size_t board, const char *name);
/* That name, or "board 0". */
const char *tigon_reporter_name(const struct tigon_reporter *reporter, size_t board);
/* Names of the transitions in the trace ring of fw-runtime/trace.h on a board; may return NULL for
 * unknown ones. Without, they are numbers. */
void tigon_reporter_set_transition_names(struct tigon_reporter *reporter,
                                         const char *(*name)(size_t board, uint32_t transition));

/* The reason why the firmware of a board has stopped itself, as reported to its host: writes a
 * text, or returns false if it has not stopped. Without this function, reports have no reason. */
void tigon_reporter_set_stop(struct tigon_reporter *reporter,
                             bool (*explain)(struct tigon_board *board, char *text, size_t bytes));

/* The present report; the caller frees it with cJSON_Delete. */
cJSON *tigon_reporter_report(const struct tigon_reporter *reporter, const char *reason);
void tigon_report_print(const cJSON *report, FILE *out);

#endif
