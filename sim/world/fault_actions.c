/* SPDX-License-Identifier: MIT */
/*
 * Adding faults to a world, their times, and their effects on boards and fibres.
 *
 * A fault in time alternates between two events of its own, beginning and end; where occurrences
 * overlap they are one longer occurrence.
 */
#include "sim/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/services.h"
#include "sim/chip/board.h"
#include "sim/faults/fault_set.h"
#include "sim/faults/fault_words.h"
#include "sim/network/wire.h"
#include "sim/world/world.h"

/* -------------------------------------------------------------------------------------------------
 * Faults in time */

static void flip(struct tigon_installed_fault *installed, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    struct tigon_board *board = fault->board;
    uint32_t address = fault->address;
    uint32_t bit = fault->bit;
    uint8_t byte;
    char what[64];
    if (fault->kind == TIGON_FAULT_FLIP_ANY) {
        /* Not the draw that set the time of the occurrence. */
        struct tigon_random random = tigon_fault_random(installed, ~installed->occurrences);
        const uint64_t range = (uint64_t)fault->address_last - fault->address + 1;
        address += (uint32_t)tigon_random_below(&random, range);
        bit = (uint32_t)tigon_random_below(&random, 8);
    }
    board->now = ticks;
    tigon_board_peek(board, address, &byte, 1);
    byte ^= (uint8_t)(1u << bit);
    tigon_board_poke(board, address, &byte, 1);
    (void)snprintf(what, sizeof what, "SRAM %06X: bit %u became %u", address, bit,
                   (unsigned)byte >> bit & 1u);
    tigon_fault_hit(installed, ticks, UINT64_MAX, what);
}

static void pause(struct tigon_installed_fault *installed, uint64_t ticks) {
    /* IEEE 802.3 annex 31B; the sender's address belongs to no station. */
    uint8_t frame[TIGON_FRAME_MINIMUM] = {0x01, 0x80, 0xC2, 0, 0,    0x01, 0x02, 0,
                                          0,    0,    0,    0, 0x88, 0x08, 0,    1};
    const struct tigon_fault *fault = &installed->fault;
    const uint64_t quanta =
        (fault->delay_ticks + TIGON_PAUSE_QUANTUM_TICKS - 1) / TIGON_PAUSE_QUANTUM_TICKS;
    char what[64];
    frame[16] = (uint8_t)(quanta >> 8);
    frame[17] = (uint8_t)quanta;
    tigon_wire_inject(fault->wire, fault->from_side, frame, sizeof frame, false);
    (void)snprintf(what, sizeof what, "PAUSE for %u quanta", (unsigned)quanta);
    tigon_fault_hit(installed, ticks, UINT64_MAX, what);
}

/* Several faults may hide a bit. */
static void show_events(struct tigon_board *board, uint64_t ticks) {
    uint32_t hidden[2] = {0, 0};
    for (const struct tigon_installed_fault *at = board->faults; at; at = at->next)
        if (at->fault.kind == TIGON_FAULT_HIDE_EVENT && at->on)
            hidden[at->fault.part] |= 1u << at->fault.bit;
    board->now = ticks;
    tigon_events_hide(board, hidden);
}

static void hide_event(struct tigon_installed_fault *installed, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    char what[64];
    show_events(fault->board, ticks);
    (void)snprintf(what, sizeof what, "event %u of core %c hidden", fault->bit,
                   fault->part ? 'B' : 'A');
    tigon_fault_hit(installed, ticks, UINT64_MAX, what);
}

static void jump_timer(struct tigon_installed_fault *installed, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    struct tigon_board *board = fault->board;
    const uint32_t by = (uint32_t)(fault->delay_ticks / TIGON_TICKS_PER_US);
    char what[64];
    board->now = ticks;
    const uint32_t value = tigon_timer_read(board, TIGON_TIMER);
    const uint32_t then = fault->back ? value - by : value + by;
    tigon_register_write(board, TIGON_TIMER, then);
    (void)snprintf(what, sizeof what, "timer %u us became %u us", value, then);
    tigon_fault_hit(installed, ticks, UINT64_MAX, what);
}

/* Reports the hit with the program counters of the cores, for a fault of the whole board. */
static void tell_cores(struct tigon_installed_fault *installed, uint64_t ticks, const char *what) {
    const struct tigon_cpu *cpu = installed->fault.board->cpu;
    char text[96];
    (void)snprintf(text, sizeof text, "%s, core A at %08X, B at %08X", what, cpu[0].pc, cpu[1].pc);
    tigon_fault_hit(installed, ticks, UINT64_MAX, text);
}

static void begin(struct tigon_installed_fault *installed, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    switch (fault->kind) {
    case TIGON_FAULT_UNPLUG:
        tigon_wire_unplug(fault->wire, fault->from_side, true);
        tigon_fault_hit(installed, ticks, UINT64_MAX, "unplugged");
        break;
    case TIGON_FAULT_PAUSE:
        pause(installed, ticks);
        break;
    case TIGON_FAULT_HIDE_EVENT:
        hide_event(installed, ticks);
        break;
    case TIGON_FAULT_FLIP:
    case TIGON_FAULT_FLIP_ANY:
        flip(installed, ticks);
        break;
    case TIGON_FAULT_JUMP_TIMER:
        jump_timer(installed, ticks);
        break;
    case TIGON_FAULT_RESET:
        tell_cores(installed, ticks, "reset");
        tigon_board_reset(fault->board);
        break;
    case TIGON_FAULT_KILL:
        tell_cores(installed, ticks, "killed");
        tigon_board_kill(fault->board);
        break;
    case TIGON_FAULT_STOP_CORE:
        tell_cores(installed, ticks, fault->part ? "core B stopped" : "core A stopped");
        tigon_board_stop_core(fault->board, fault->part);
        break;
    case TIGON_FAULT_CRASH_HOST:
        tigon_host_crash(tigon_board_host(fault->board));
        tigon_fault_hit(installed, ticks, UINT64_MAX, "host crashed");
        break;
    default: /* acts on frames and transfers */
        break;
    }
}

/* Kinds of which one beginning is enough until the end. */
static bool lasts(enum tigon_fault_kind kind) {
    return kind == TIGON_FAULT_UNPLUG || kind == TIGON_FAULT_HIDE_EVENT;
}

static void finish(struct tigon_installed_fault *installed, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    const char *what;
    if (fault->kind == TIGON_FAULT_UNPLUG) {
        tigon_wire_unplug(fault->wire, fault->from_side, false);
        what = "plugged in again";
    } else if (fault->kind == TIGON_FAULT_HIDE_EVENT) {
        show_events(fault->board, ticks);
        what = "event hidden no longer";
    } else {
        return;
    }
    tigon_fault_tell(installed->set, &(struct tigon_fault_event){.fault = fault,
                                                                 .ticks = ticks,
                                                                 .wire = fault->wire,
                                                                 .from_side = fault->from_side,
                                                                 .board = fault->board,
                                                                 .number = UINT64_MAX,
                                                                 .what = what});
}

static uint64_t next_begin(struct tigon_installed_fault *installed, uint64_t ticks) {
    const struct tigon_fault *fault = &installed->fault;
    uint64_t interval = fault->every;
    if (!interval)
        return TIGON_NEVER;
    if (fault->about) {
        struct tigon_random random = tigon_fault_random(installed, installed->occurrences);
        interval = 1 + tigon_random_below(&random, 2 * interval);
    }
    const uint64_t next = tigon_add_ticks(ticks, interval);
    return next < fault->until ? next : TIGON_NEVER;
}

static void schedule(struct tigon_installed_fault *installed) {
    const uint64_t next = installed->begin < installed->end ? installed->begin : installed->end;
    if (next != TIGON_NEVER)
        tigon_schedule_at(&installed->set->services->schedule, &installed->event, next);
}

static void turn(void *context, uint64_t ticks) {
    struct tigon_installed_fault *installed = context;
    if (ticks >= installed->begin) {
        const bool already = installed->on;
        installed->on = true;
        installed->end = tigon_add_ticks(ticks, installed->fault.duration);
        installed->occurrences++;
        installed->begin = next_begin(installed, ticks);
        if (!already || !lasts(installed->fault.kind))
            begin(installed, ticks);
    } else {
        installed->on = false;
        installed->end = TIGON_NEVER;
        finish(installed, ticks);
    }
    schedule(installed);
}

/* -------------------------------------------------------------------------------------------------
 * Adding */

int tigon_world_add_fault(struct tigon_world *world, const struct tigon_fault *fault) {
    struct tigon_fault_set *set = tigon_world_faults(world);
    if (!tigon_fault_possible(fault))
        return -EINVAL;
    if (set->count == set->capacity) {
        const size_t capacity = set->capacity ? set->capacity * 2 : 16;
        struct tigon_installed_fault **faults =
            realloc(set->faults, capacity * sizeof(struct tigon_installed_fault *));
        if (!faults)
            return -ENOMEM;
        set->faults = faults;
        set->capacity = capacity;
    }
    struct tigon_installed_fault *installed = calloc(1, sizeof *installed);
    if (!installed)
        return -ENOMEM;
    installed->fault = *fault;
    installed->set = set;
    installed->number = set->count;
    if (fault->kind == TIGON_FAULT_FLIP_ANY) { /* the rest of the 8 MB would only be aliases */
        const uint32_t last = fault->board->memory.sram_mask;
        if (installed->fault.address_last > last)
            installed->fault.address_last = last > fault->address ? last : fault->address;
    }
    set->faults[set->count++] = installed;
    struct tigon_installed_fault **place = tigon_fault_of_wire(fault->kind)
                                               ? tigon_wire_installed(fault->wire, fault->from_side)
                                               : &fault->board->faults;
    while (*place)
        place = &(*place)->next;
    *place = installed;

    tigon_event_initialise(&installed->event, turn, installed);
    installed->begin = installed->end = TIGON_NEVER;
    installed->on = !fault->timed;
    if (fault->timed) {
        const uint64_t now = tigon_world_now_ticks(world);
        installed->begin = fault->at > now ? fault->at : now;
        if (fault->about)
            installed->begin = next_begin(installed, installed->begin);
        if (installed->begin >= fault->until)
            installed->begin = TIGON_NEVER;
        schedule(installed);
    } else if (lasts(fault->kind)) {
        begin(installed, tigon_world_now_ticks(world));
    }
    return 0;
}

size_t tigon_world_fault_count(const struct tigon_world *world) {
    return tigon_world_faults(world)->count;
}

const struct tigon_fault *tigon_world_fault(const struct tigon_world *world, size_t number,
                                            uint64_t *hits) {
    const struct tigon_fault_set *set = tigon_world_faults(world);
    if (number >= set->count)
        return NULL;
    if (hits)
        *hits = set->faults[number]->hits;
    return &set->faults[number]->fault;
}
