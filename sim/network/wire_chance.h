/* SPDX-License-Identifier: MIT */
/* The fate of a frame on a wire, drawn before the wire applies it: simple faults by the knobs, the
 * verdict of a filter, and the faults of sim/fault.h. */
#ifndef SIM_WIRE_CHANCE_H
#define SIM_WIRE_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/faults/fault_set.h"
#include "sim/tigon.h"

struct tigon_frame;

struct tigon_chance {
    bool lose;
    bool duplicate;
    bool delay;
    bool visible;  /* corrupted on the fibre */
    bool silent;   /* corrupted before its CRC was made */
    bool truncate; /* to `length` */
    bool lengthen; /* the same */
    bool simple;   /* chance was that of struct tigon_faults or of a filter */
    uint64_t delay_ticks;
    uint32_t displacement; /* hold until so many later frames have arrived; 0: do not */
    uint32_t length;
    uint64_t where; /* which bit suffers */
};

/* Whether a draw from these can come to anything. */
bool tigon_chance_exists(const struct tigon_faults *faults);

/* Draws from the simple faults. `burst_left` is the direction's: frames still to be taken by a
 * burst. */
struct tigon_chance tigon_chance_draw(const struct tigon_faults *faults, uint64_t seed,
                                      uint64_t stream, uint64_t index, uint32_t *burst_left);

/* A filter's wish replaces chance altogether. */
void tigon_chance_obey(struct tigon_chance *chance, enum tigon_fate wish,
                       const struct tigon_faults *faults);

/* Adds the effects of a direction's faults on this frame of `length` bytes, CRC included, and
 * reports each hit. */
void tigon_chance_add_faults(struct tigon_chance *chance, struct tigon_installed_fault *first,
                             uint64_t index, uint32_t length, uint64_t ticks);

/* The worst that happens to the frame. */
enum tigon_fate tigon_chance_fate(const struct tigon_chance *chance);

/* Damages and shortens the frame as chance has it. */
void tigon_chance_damage(const struct tigon_chance *chance, struct tigon_frame *frame);

#endif
