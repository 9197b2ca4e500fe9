/* SPDX-License-Identifier: MIT */
/* Names that all files of observers share. */
#ifndef SIM_OBSERVE_DESCRIBE_H
#define SIM_OBSERVE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/observer.h"

const char *tigon_describe_arrival(enum tigon_arrival_fate fate); /* never NULL */

/* Ticks from the first byte of the preamble to the last of the CRC, for a frame without CRC. */
uint64_t tigon_describe_frame_ticks(size_t length);

/* No frame is reported later than this many ticks after it began. */
uint64_t tigon_describe_frame_horizon(void);

/* Whether `name` fits one of the patterns of a list like "left.*,*.event_a" (fnmatch). With `asked`
 * (may be NULL) only patterns count that contain it. */
bool tigon_describe_matches(const char *patterns, const char *name, const char *asked);

/* `text` as a string of JSON, with its quotes. */
void tigon_describe_json(FILE *stream, const char *text);

#endif
