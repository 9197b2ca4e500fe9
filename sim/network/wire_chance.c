/* SPDX-License-Identifier: MIT */
/*
 * Chance for frame n of a direction comes from a generator seeded with (seed, wire and direction,
 * n), or for a fault of sim/fault.h with (seed, fault, n), and every draw is made whether it is
 * used or not, so one fault never shifts another.
 */
#include "sim/network/wire_chance.h"

#include <assert.h>
#include <stdio.h>

#include "sim/base/frame.h"
#include "sim/time.h"

#define DRAWN_BYTES      1518u  /* bytes added at most if the fault has no length */
#define LENGTHENED_BYTES 65535u /* for a filter that requests it */
static_assert(LENGTHENED_BYTES <= TIGON_FRAME_CAPACITY, "it fits a frame");

bool tigon_chance_exists(const struct tigon_faults *faults) {
    /* A burst takes frames, and the delay and the damage happen, only with one of these. */
    return faults->loss > 0 || faults->duplicate > 0 || faults->delay > 0 ||
           faults->corrupt_visible > 0 || faults->corrupt_silent > 0;
}

struct tigon_chance tigon_chance_draw(const struct tigon_faults *faults, uint64_t seed,
                                      uint64_t stream, uint64_t index, uint32_t *burst_left) {
    struct tigon_random random = tigon_random_for(seed, stream, index);
    struct tigon_chance chance = {0};
    chance.lose = tigon_random_chance(&random, faults->loss);
    const bool burst = tigon_random_chance(&random, faults->burst);
    chance.duplicate = tigon_random_chance(&random, faults->duplicate);
    chance.delay = tigon_random_chance(&random, faults->delay);
    chance.delay_ticks = tigon_ticks_from_ns(tigon_random_below(&random, faults->delay_ns + 1));
    chance.visible = tigon_random_chance(&random, faults->corrupt_visible);
    chance.silent = tigon_random_chance(&random, faults->corrupt_silent);
    chance.where = tigon_random_next(&random);
    if (*burst_left) {
        --*burst_left;
        chance.lose = true;
    } else if (chance.lose && burst) {
        *burst_left = faults->burst_frames;
    }
    if (!chance.delay)
        chance.delay_ticks = 0;
    chance.simple = tigon_chance_fate(&chance) != TIGON_FATE_DELIVER;
    return chance;
}

void tigon_chance_obey(struct tigon_chance *chance, enum tigon_fate wish,
                       const struct tigon_faults *faults) {
    const bool delay = wish == TIGON_FATE_DELAY;
    *chance = (struct tigon_chance){
        .lose = wish == TIGON_FATE_LOSE || wish == TIGON_FATE_CUT,
        .duplicate = wish == TIGON_FATE_DUPLICATE,
        .delay = delay,
        .delay_ticks = delay ? tigon_ticks_from_ns(faults->delay_ns) : 0,
        .visible = wish == TIGON_FATE_CORRUPT_VISIBLE,
        .silent = wish == TIGON_FATE_CORRUPT_SILENT,
        .truncate = wish == TIGON_FATE_TRUNCATE,
        .lengthen = wish == TIGON_FATE_LENGTHEN,
        .length = wish == TIGON_FATE_LENGTHEN ? LENGTHENED_BYTES : TIGON_FRAME_CRC_BYTES,
        .displacement = wish == TIGON_FATE_REORDER,
        .simple = true,
        .where = chance->where,
    };
}

/* Gilbert-Elliott: first the state, then the frame. */
static bool lost_in_burst(struct tigon_installed_fault *installed, uint64_t index) {
    const struct tigon_fault *fault = &installed->fault;
    struct tigon_random random;
    if (!tigon_fault_meets(installed, index, &random))
        return false;
    const bool change = tigon_random_chance(&random, installed->bad ? fault->leave : fault->enter);
    if (change)
        installed->bad = !installed->bad;
    return tigon_random_chance(&random, fault->losing) && installed->bad;
}

static void meet(struct tigon_chance *chance, struct tigon_installed_fault *installed,
                 uint64_t index, uint32_t length, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    struct tigon_random random;
    char what[64];
    const char *said = what;
    if (fault->kind == TIGON_FAULT_LOSE_IN_BURSTS) {
        if (!lost_in_burst(installed, index))
            return;
    } else if (!tigon_fault_meets(installed, index, &random)) {
        return;
    }
    switch (fault->kind) {
    case TIGON_FAULT_LOSE:
    case TIGON_FAULT_LOSE_IN_BURSTS:
        chance->lose = true;
        said = tigon_fate_name(TIGON_FATE_LOSE);
        break;
    case TIGON_FAULT_DUPLICATE:
        chance->duplicate = true;
        said = tigon_fate_name(TIGON_FATE_DUPLICATE);
        break;
    case TIGON_FAULT_DELAY: {
        const uint64_t delay = fault->chance < 1
                                   ? tigon_random_below(&random, fault->delay_ticks + 1)
                                   : fault->delay_ticks;
        chance->delay = true;
        chance->delay_ticks = tigon_add_ticks(chance->delay_ticks, delay);
        (void)snprintf(what, sizeof what, "held back for %llu ns",
                       (unsigned long long)tigon_ns_from_ticks(delay));
        break;
    }
    case TIGON_FAULT_REORDER:
        chance->displacement = fault->displacement;
        if (fault->chance < 1)
            chance->displacement = 1 + (uint32_t)tigon_random_below(&random, fault->displacement);
        (void)snprintf(what, sizeof what, "held back behind %u later frames", chance->displacement);
        break;
    case TIGON_FAULT_CORRUPT:
        chance->visible = true;
        chance->where = tigon_random_next(&random);
        said = tigon_fate_name(TIGON_FATE_CORRUPT_VISIBLE);
        break;
    case TIGON_FAULT_CORRUPT_SILENTLY:
        chance->silent = true;
        chance->where = tigon_random_next(&random);
        said = tigon_fate_name(TIGON_FATE_CORRUPT_SILENT);
        break;
    case TIGON_FAULT_TRUNCATE:
        chance->length =
            fault->length ? fault->length : 1 + (uint32_t)tigon_random_below(&random, length - 1);
        if (chance->length >= length)
            return;
        chance->truncate = true;
        chance->lengthen = false;
        (void)snprintf(what, sizeof what, "truncated to %u bytes", chance->length);
        break;
    case TIGON_FAULT_LENGTHEN:
        if (chance->truncate)
            return;
        chance->length = fault->length
                             ? fault->length
                             : length + 1 + (uint32_t)tigon_random_below(&random, DRAWN_BYTES);
        if (chance->length > TIGON_FRAME_CAPACITY)
            chance->length = TIGON_FRAME_CAPACITY;
        if (chance->length <= length)
            return;
        chance->lengthen = true;
        chance->where = tigon_random_next(&random);
        (void)snprintf(what, sizeof what, "lengthened to %u bytes", chance->length);
        break;
    default: /* TIGON_FAULT_UNPLUG and _PAUSE are no matter of single frames */
        return;
    }
    tigon_fault_hit(installed, ticks, index, said);
}

void tigon_chance_add_faults(struct tigon_chance *chance, struct tigon_installed_fault *first,
                             uint64_t index, uint32_t length, uint64_t ticks) {
    for (; first; first = first->next)
        meet(chance, first, index, length, ticks);
}

enum tigon_fate tigon_chance_fate(const struct tigon_chance *chance) {
    return chance->lose           ? TIGON_FATE_LOSE
           : chance->truncate     ? TIGON_FATE_TRUNCATE
           : chance->lengthen     ? TIGON_FATE_LENGTHEN
           : chance->visible      ? TIGON_FATE_CORRUPT_VISIBLE
           : chance->silent       ? TIGON_FATE_CORRUPT_SILENT
           : chance->duplicate    ? TIGON_FATE_DUPLICATE
           : chance->displacement ? TIGON_FATE_REORDER
           : chance->delay        ? TIGON_FATE_DELAY
                                  : TIGON_FATE_DELIVER;
}

static void flip_bit(struct tigon_frame *frame, uint64_t where, uint32_t length) {
    const uint64_t bit = where % ((uint64_t)length * 8u);
    frame->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

void tigon_chance_damage(const struct tigon_chance *chance, struct tigon_frame *frame) {
    const uint32_t data = frame->length - TIGON_FRAME_CRC_BYTES;
    if (chance->silent) {
        flip_bit(frame, chance->where, data);
        if (!chance->visible)
            tigon_frame_finish(frame, data, frame->bad_crc);
    }
    if (chance->truncate && chance->length < frame->length) {
        frame->length = chance->length;
        frame->bad_crc = true;
    } else if (chance->lengthen && chance->length > frame->length) {
        struct tigon_random random = {chance->where};
        while (frame->length < chance->length)
            frame->bytes[frame->length++] = (uint8_t)tigon_random_next(&random);
        frame->bad_crc = true;
    }
    if (chance->visible) {
        flip_bit(frame, chance->where >> 8, frame->length);
        frame->bad_crc = true;
    }
}
