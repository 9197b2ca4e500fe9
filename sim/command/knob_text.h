/* SPDX-License-Identifier: MIT */
/* Knobs given as text, with sentences for people when they are wrong. */
#ifndef SIM_COMMAND_KNOB_TEXT_H
#define SIM_COMMAND_KNOB_TEXT_H

#include "sim/knobs.h"

enum { KNOB_PROBLEM_BYTES = 256 };

/* Sets one knob. 0, or the errno of tigon_knobs_set with a sentence in `problem`. */
int knob_set(struct tigon_knobs *knobs, const char *name, const char *value,
             char problem[KNOB_PROBLEM_BYTES]);

/* The same from "name=value". */
int knob_assign(struct tigon_knobs *knobs, const char *assignment,
                char problem[KNOB_PROBLEM_BYTES]);

#endif
