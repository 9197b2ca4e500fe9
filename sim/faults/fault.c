/*
 * The faults of a world: adding them, their times, and what they do to boards. What they do to
 * frames is in wire_chance.c, their text form in fault_text.c.
 *
 * A fault in time alternates between two events of its own, beginning and end; where occurrences
 * overlap they are one longer occurrence.
 */
#include "sim/faults/fault_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/faults/fault_words.h"
#include "sim/network/frame.h"
#include "sim/network/wire.h"
#include "sim/world/world.h"

#define STREAM_OF_FAULTS (UINT64_C(1) << 32) /* those below belong to wires */
#define SHOWN_LIMIT      12u                 /* faults of a report */

struct tigon_fault_set {
    struct tigon_world *world;
    uint64_t seed;
    struct tigon_installed_fault **faults;
    size_t count;
    size_t capacity;
};

struct tigon_fault_set *tigon_fault_set_create(struct tigon_world *world, uint64_t seed) {
    struct tigon_fault_set *set = calloc(1, sizeof *set);
    if (set) {
        set->world = world;
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
    tigon_observers_fault(tigon_world_observers(set->world), event);
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

static struct tigon_random random_of(const struct tigon_installed_fault *installed,
                                     uint64_t number) {
    return tigon_random_for(installed->set->seed, STREAM_OF_FAULTS | installed->number, number);
}

bool tigon_fault_meets(const struct tigon_installed_fault *installed, uint64_t number,
                       struct tigon_random *random) {
    const struct tigon_fault *fault = &installed->fault;
    *random = random_of(installed, number);
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
        struct tigon_random random = random_of(installed, ~installed->occurrences);
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
    /* IEEE 802.3 annex 31B; the sender's address is nobody's. */
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

/* Where the cores are, for what happens to the whole board. */
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
        struct tigon_random random = random_of(installed, installed->occurrences);
        interval = 1 + tigon_random_below(&random, 2 * interval);
    }
    const uint64_t next = tigon_add_ticks(ticks, interval);
    return next < fault->until ? next : TIGON_NEVER;
}

static void schedule(struct tigon_installed_fault *installed) {
    const uint64_t next = installed->begin < installed->end ? installed->begin : installed->end;
    if (next != TIGON_NEVER)
        tigon_schedule_at(tigon_world_schedule(installed->set->world), &installed->event, next);
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

static bool possible(const struct tigon_fault *fault) {
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

int tigon_world_add_fault(struct tigon_world *world, const struct tigon_fault *fault) {
    struct tigon_fault_set *set = tigon_world_faults(world);
    if (!possible(fault))
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
