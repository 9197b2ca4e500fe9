/* SPDX-License-Identifier: MIT */
/*
 * The interpreter loop of a core: private work, in pre-decoded form. What reaches outside is in
 * cpu_access.c, starting and stopping in cpu_control.c, parking in poll.c.
 *
 * Each instruction goes through three steps: look it up (a miss is an I-line fill or a fault),
 * charge a load-use interlock, execute. An instruction that must wait for the horizon is taken
 * back whole and starts anew in the next run, with its interlock already charged.
 *
 * The loop itself is cpu_loop.h, compiled once for each way of running. Every instruction ends with
 * the look-up of the next one and a jump of its own to it, which the host's processor predicts far
 * better than one jump that all share. An engine (engine.h), if there is one, executes text in
 * a scratchpad, and the loop does the rest.
 */
#include "sim/core/cpu_private.h"
#include "sim/core/engine.h"
#include "sim/core/poll_loop.h"

/* Values of MODE. */
#define PLAIN    0 /* nobody looks on */
#define OBSERVED 1
#define STEP     2 /* one instruction with its delay slot, whatever the horizon */
#define WATCHED  3 /* by poll_loop.c */

static inline uint32_t rotate_right(uint32_t value, unsigned amount) {
    return value >> amount | value << (32u - amount);
}

static inline uint32_t sign16(uint32_t value) {
    return (uint32_t)(int32_t)(int16_t)(uint16_t)value;
}

static inline uint32_t sign8(uint32_t value) {
    return (uint32_t)(int32_t)(int8_t)(uint8_t)value;
}

/* C leaves >> of negative numbers to the compiler; both of ours shift in the sign. */
static inline uint32_t shift_right_arithmetic(uint32_t value, uint32_t amount) {
    return (uint32_t)((int32_t)value >> (amount & 31u));
}

/* PRI: index of the most significant set bit plus one, 0 for none (tigon2.md 1.3). */
static inline uint32_t priority_encode(uint32_t bits) {
    return bits == 0 ? 0u : 32u - (uint32_t)__builtin_clz(bits);
}

static bool reads(const struct tigon_instruction *in, uint32_t number) {
    return in->source == number || in->second == number;
}

#define LOAD8(bytes)         (*(bytes))
#define STORE8(bytes, value) (*(bytes) = (value))
#define NO_EXTENSION(value)  (value)

/* GCC would make one jump of all those of the loop again. */
#ifdef __clang__
#define SEPARATE_JUMPS
#else
#define SEPARATE_JUMPS __attribute__((optimize("no-gcse", "no-crossjumping")))
#endif

#define MODE    PLAIN
#define EXECUTE execute_plain
#include "sim/core/cpu_loop.h"

#define MODE    OBSERVED
#define EXECUTE execute_observed
#include "sim/core/cpu_loop.h"

#define MODE    STEP
#define EXECUTE execute_step
#include "sim/core/cpu_loop.h"

#define MODE    WATCHED
#define EXECUTE execute_watched
#include "sim/core/cpu_loop.h"

static enum tigon_cpu_stop execute_until(struct tigon_cpu *cpu, uint64_t horizon,
                                         enum tigon_cpu_stop (*loop)(struct tigon_cpu *)) {
    if (tigon_cpu_stopped(cpu))
        return tigon_cpu_why_stopped(cpu);
    if (cpu->parked)
        return TIGON_CPU_PARKED;
    tigon_cpu_registers_written(cpu); /* by an observer, perhaps */
    cpu->horizon = horizon;
    cpu->event_limit = UINT64_MAX;
    cpu->lowest_bound = UINT64_MAX;
    cpu->running = true;
    enum tigon_cpu_stop stop = loop(cpu);
    cpu->running = false;
    return stop;
}

/* execute_until() with execute_plain of a core that is neither stopped nor parked. Most pieces
 * begin and end in translated text, without the loop. There both cores go on by turns up to
 * `horizon_of_both`, if it is beyond `horizon`; `*cpu` becomes the last of them. */
static inline enum tigon_cpu_stop execute_piece(struct tigon_cpu **cpu, uint64_t horizon,
                                                uint64_t horizon_of_both) {
    enum tigon_engine_end end;
    enum tigon_cpu_stop stop;
    (*cpu)->horizon = horizon;
    (*cpu)->event_limit = UINT64_MAX;
    (*cpu)->lowest_bound = UINT64_MAX;
    (*cpu)->running = true;
    if (!((*cpu)->native && (*cpu)->pc - TIGON_SCRATCHPAD < (*cpu)->scratchpad_size &&
          (*cpu)->cycle < tigon_cpu_run_ahead_limit(*cpu, (*cpu)->run_ahead) &&
          tigon_engine->piece(cpu, horizon_of_both, &end, &stop) && end == TIGON_ENGINE_STOP))
        stop = execute_plain(*cpu);
    (*cpu)->running = false;
    return stop;
}

void tigon_cpu_interpret(struct tigon_cpu *cpu) {
    cpu->running = true;
    (void)execute_plain(cpu);
    cpu->running = false;
}

/* Cycle up to which nothing but instructions is to be done; 0 if something is now. */
static inline uint64_t plain_until(const struct tigon_cpu *cpu) {
    if (cpu->parking_off)
        return UINT64_MAX;
    return cpu->loop.stage == TIGON_LOOP_NONE && cpu->cycle < cpu->loop.look_at ? cpu->loop.look_at
                                                                                : 0;
}

/* tigon_cpu_run() of a core that is neither stopped nor parked, and then perhaps of both by turns
 * up to `horizon`. */
static inline enum tigon_cpu_stop run_in_pair(struct tigon_cpu *cpu, uint64_t until, bool alone,
                                              uint64_t horizon) {
    const struct tigon_cpu *peer = cpu->peer;
    const uint64_t plain = plain_until(cpu);
    if (plain < until || cpu->observer || (cpu->state & TIGON_CPU_STATE_SINGLE_STEP) != 0)
        return tigon_cpu_run(cpu, until);
    uint64_t both = 0;
    if (!alone && peer && !peer->observer) {
        both = plain_until(peer);
        both = both < plain ? both : plain;
        both = both < horizon ? both : horizon;
    }
    return execute_piece(&cpu, until, both);
}

enum tigon_cpu_stop tigon_cpu_run(struct tigon_cpu *cpu, uint64_t horizon) {
    if ((cpu->state & TIGON_CPU_STATE_SINGLE_STEP) != 0) {
        enum tigon_cpu_stop stop = execute_until(cpu, horizon, execute_step);
        if (stop != TIGON_CPU_STEPPED)
            return stop;
        cpu->state |= TIGON_CPU_STATE_HALTED;
        return TIGON_CPU_HALTED;
    }
    if (cpu->observer) {
        if (!cpu->parked)
            tigon_loop_forget(cpu);
        return execute_until(cpu, horizon, execute_observed);
    }
    if (tigon_cpu_stopped(cpu))
        return tigon_cpu_why_stopped(cpu);
    if (cpu->parked)
        return TIGON_CPU_PARKED;
    if (cpu->parking_off || (cpu->loop.stage == TIGON_LOOP_NONE && horizon <= cpu->loop.look_at &&
                             cpu->cycle < cpu->loop.look_at))
        return execute_piece(&cpu, horizon, 0);
    /* A callback's tigon_cpu_limit() may lie behind the piece in which it is made. */
    uint64_t event_limit = UINT64_MAX;
    for (;;) {
        struct tigon_cpu_loop *loop = &cpu->loop;
        if (loop->stage != TIGON_LOOP_NONE || cpu->cycle >= loop->look_at)
            tigon_loop_look(cpu);
        const bool watched = loop->stage == TIGON_LOOP_WATCHED;
        const uint64_t look_at =
            watched ? loop->start.cycle + TIGON_LOOP_WATCH_AT_MOST : loop->look_at;
        const uint64_t until = look_at < horizon ? look_at : horizon;
        enum tigon_cpu_stop stop =
            watched ? execute_until(cpu, until, execute_watched) : execute_piece(&cpu, until, 0);
        if (cpu->event_limit < event_limit)
            event_limit = cpu->event_limit;
        cpu->event_limit = event_limit;
        if (event_limit < horizon)
            horizon = event_limit;
        /* A horizon that came nearer meanwhile, even to beyond this piece, is for the caller. */
        if (stop != TIGON_CPU_HORIZON || until >= horizon || cpu->horizon != until ||
            cpu->lowest_bound < horizon)
            return stop;
    }
}

uint64_t tigon_cpu_run_both(struct tigon_cpu *either, uint64_t horizon) {
    struct tigon_cpu *a = either->core == TIGON_CORE_A ? either : either->peer;
    struct tigon_cpu *b = a->peer;
    a->event_limit = UINT64_MAX;
    b->event_limit = UINT64_MAX;
    for (;;) {
        const uint64_t due_a = tigon_cpu_due(a), due_b = tigon_cpu_due(b);
        const bool a_is_next = due_a <= due_b;
        struct tigon_cpu *next = a_is_next ? a : b;
        if ((a_is_next ? due_a : due_b) >= horizon)
            return horizon;
        if (next->parked) { /* until its timer */
            tigon_cpu_wake(next, a_is_next ? due_a : due_b);
            continue;
        }
        /* As bound_by() of cpu_control.c says; one that is never due bounds nobody. */
        const bool alone = (a_is_next ? due_b : due_a) == UINT64_MAX;
        uint64_t until = a_is_next ? due_b + !alone : due_a;
        if (until > horizon)
            until = horizon;
        if (run_in_pair(next, until, alone, horizon) == TIGON_CPU_BREAKPOINT)
            return next->cycle < horizon ? next->cycle : horizon;
        if (a->event_limit < horizon)
            horizon = a->event_limit;
        if (b->event_limit < horizon)
            horizon = b->event_limit;
    }
}

/* Only others can bring it to go on. */
static inline bool waits_for_others(const struct tigon_cpu *cpu) {
    return tigon_cpu_stopped(cpu) || (cpu->parked && cpu->loop.stage != TIGON_LOOP_PARKED);
}

uint64_t tigon_cpu_run_pair(struct tigon_cpu *a, struct tigon_cpu *b, uint64_t horizon) {
    if (!a->native && !b->native)
        return tigon_cpu_run_both(a, horizon);
    if (waits_for_others(b))
        return tigon_engine->alone(a, horizon);
    if (waits_for_others(a))
        return tigon_engine->alone(b, horizon);
    return tigon_engine->pair(a, b, horizon);
}

void tigon_cpu_run_strictly(struct tigon_cpu *cpu, uint64_t horizon) {
    uint32_t run_ahead = cpu->run_ahead;
    cpu->run_ahead = 0;
    (void)execute_until(cpu, horizon, execute_plain);
    cpu->run_ahead = run_ahead;
}

void tigon_cpu_settle(struct tigon_cpu *cpu, uint64_t cycle) {
    if (cpu->running || tigon_cpu_stopped(cpu) || (cpu->state & TIGON_CPU_STATE_SINGLE_STEP) != 0)
        return;
    tigon_cpu_wake(cpu, cycle);
    if (execute_until(cpu, cycle, cpu->observer ? execute_observed : execute_plain) ==
        TIGON_CPU_BREAKPOINT)
        cpu->shown = false; /* whoever runs the core must hear of it */
    tigon_cpu_due_changed(cpu);
}

void tigon_cpu_show(const struct tigon_cpu *cpu, uint64_t cycle, struct tigon_cpu *shown,
                    struct tigon_bus *bus) {
    *shown = *cpu;
    if (!cpu->parked)
        return;
    /* What a parked core stores is there already, and registers give it the values it has seen: so
     * the copy has an effect on nothing but itself and the bus. */
    *bus = *cpu->bus;
    bus->before_change = NULL;
    shown->bus = bus;
    shown->peer = NULL;
    shown->native = NULL;
    shown->observer = NULL;
    shown->park_hook = NULL;
    shown->due_changed = NULL;
    tigon_cpu_settle(shown, cycle);
}

enum tigon_cpu_stop tigon_cpu_step(struct tigon_cpu *cpu) {
    if (cpu->parked)
        tigon_cpu_wake(cpu, cpu->cycle);
    return execute_until(cpu, UINT64_MAX, execute_step);
}
