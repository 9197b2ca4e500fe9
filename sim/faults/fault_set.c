/* SPDX-License-Identifier: MIT */
/*
 * The faults of a world: their list, chance, effects on DMA, and the report. Effects on frames are
 * in wire_chance.c, on boards in sim/world/fault_actions.c, the text form in fault_text.c.
 */
#include "sim/faults/fault_set.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/base/services.h"
#include "sim/faults/fault_words.h"

#define STREAM_OF_FAULTS (UINT64_C(1) << 32) /* those below belong to wires */
#define SHOWN_LIMIT      12u                 /* faults of a report */

struct tigon_fault_set *tigon_fault_set_create(struct tigon_services *services, uint64_t seed) {
    struct tigon_fault_set *set = calloc(1, sizeof *set);
    if (set) {
        set->services = services;
        set->seed = seed;
    }
    return set;
}

void tigon_fault_set_destroy(struct tigon_fault_set *set) {
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        free(set->faults[i]);
    free(set->faults);
    free(set);
}

void tigon_fault_tell(struct tigon_fault_set *set, const struct tigon_fault_event *event) {
    tigon_observers_fault(&set->services->observers, event);
}

void tigon_fault_hit(struct tigon_installed_fault *installed, uint64_t ticks, uint64_t number,
                     const char *what) {
    const struct tigon_fault *fault = &installed->fault;
    installed->hits++;
    installed->last_hit = ticks;
    tigon_fault_tell(installed->set, &(struct tigon_fault_event){.fault = fault,
                                                                 .ticks = ticks,
                                                                 .wire = fault->wire,
                                                                 .from_side = fault->from_side,
                                                                 .board = fault->board,
                                                                 .number = number,
                                                                 .what = what});
}

struct tigon_random tigon_fault_random(const struct tigon_installed_fault *installed,
                                       uint64_t number) {
    return tigon_random_for(installed->set->seed, STREAM_OF_FAULTS | installed->number, number);
}

bool tigon_fault_meets(const struct tigon_installed_fault *installed, uint64_t number,
                       struct tigon_random *random) {
    const struct tigon_fault *fault = &installed->fault;
    *random = tigon_fault_random(installed, number);
    return tigon_random_chance(random, fault->chance) && installed->on && number >= fault->first &&
           number <= fault->last;
}

struct tigon_dma_fate tigon_faults_of_dma(struct tigon_installed_fault *first, unsigned engine,
                                          uint64_t number, uint64_t ticks) {
    struct tigon_dma_fate fate = {0, false};
    char what[64];
    for (struct tigon_installed_fault *installed = first; installed; installed = installed->next) {
        const struct tigon_fault *fault = &installed->fault;
        const char *name = engine ? "write" : "read";
        struct tigon_random random;
        if ((fault->kind != TIGON_FAULT_FAIL_DMA && fault->kind != TIGON_FAULT_HANG_DMA) ||
            fault->part != engine || !tigon_fault_meets(installed, number, &random))
            continue;
        if (fault->kind == TIGON_FAULT_HANG_DMA) {
            fate.hang = true;
            (void)snprintf(what, sizeof what, "DMA %s hangs", name);
        } else {
            fate.attention |= fault->attention;
            (void)snprintf(what, sizeof what, "DMA %s fails with attention %08X", name,
                           fault->attention);
        }
        tigon_fault_hit(installed, ticks, number, what);
    }
    return fate;
}

/* -------------------------------------------------------------------------------------------------
 * Which are possible */

void tigon_fault_defaults(struct tigon_fault *fault, enum tigon_fault_kind kind) {
    *fault = (struct tigon_fault){.kind = kind,
                                  .chance = 1,
                                  .last = UINT64_MAX,
                                  .duration = TIGON_NEVER,
                                  .until = TIGON_NEVER,
                                  .losing = 1,
                                  .displacement = 1,
                                  .attention = TIGON_DMA_MASTER_ABORT,
                                  .address_last = UINT32_MAX};
}

static bool probability(double value) {
    return value >= 0 && value <= 1; /* false for what is no number */
}

bool tigon_fault_possible(const struct tigon_fault *fault) {
    if ((unsigned)fault->kind >= TIGON_FAULT_KINDS || !probability(fault->chance) ||
        !probability(fault->enter) || !probability(fault->leave) || !probability(fault->losing) ||
        fault->first > fault->last)
        return false;
    if (tigon_fault_of_wire(fault->kind) ? !fault->wire || fault->from_side > 1 : !fault->board)
        return false;
    if ((fault->kind >= TIGON_FAULT_FLIP_ANY || fault->kind == TIGON_FAULT_PAUSE) && !fault->timed)
        return false;
    if (fault->timed && fault->every > UINT64_MAX / 4)
        return false;
    switch (fault->kind) {
    case TIGON_FAULT_REORDER:
        return fault->displacement > 0;
    case TIGON_FAULT_FAIL_DMA:
        return (fault->attention & TIGON_DMA_ATTENTIONS) &&
               !(fault->attention & ~TIGON_DMA_ATTENTIONS) && fault->part < 2;
    case TIGON_FAULT_HANG_DMA:
    case TIGON_FAULT_STOP_CORE:
        return fault->part < 2;
    case TIGON_FAULT_PAUSE:
        return fault->delay_ticks <= TIGON_PAUSE_LONGEST_TICKS;
    case TIGON_FAULT_LENGTHEN:
        return fault->length <= 65535;
    case TIGON_FAULT_HIDE_EVENT:
        return fault->part < 2 && fault->bit < 32;
    case TIGON_FAULT_JUMP_TIMER:
        return fault->delay_ticks >= TIGON_TICKS_PER_US &&
               fault->delay_ticks <= TIGON_TIMER_JUMP_LONGEST_TICKS;
    case TIGON_FAULT_FLIP:
        return fault->bit < 8;
    case TIGON_FAULT_FLIP_ANY:
        return fault->address <= fault->address_last;
    default:
        return true;
    }
}

int tigon_fault_set_describe(const struct tigon_fault_set *set, char *text, size_t bytes) {
    int total = 0;
    size_t left_out = 0;
    size_t shown = 0;
    if (bytes)
        text[0] = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct tigon_installed_fault *installed = set->faults[i];
        const size_t used = (size_t)total < bytes ? (size_t)total : bytes;
        char line[256];
        if (!installed->hits)
            continue;
        if (shown++ == SHOWN_LIMIT) {
            left_out++;
            shown--;
            continue;
        }
        (void)tigon_fault_print(&installed->fault, line, sizeof line);
        total +=
            snprintf(text + used, bytes - used, "fault %zu (%s): %llu times, last at %llu ns\n", i,
                     line, (unsigned long long)installed->hits,
                     (unsigned long long)tigon_ns_from_ticks(installed->last_hit));
    }
    if (left_out) {
        const size_t used = (size_t)total < bytes ? (size_t)total : bytes;
        total += snprintf(text + used, bytes - used, "and %zu faults more\n", left_out);
    }
    return total;
}
