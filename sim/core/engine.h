/* SPDX-License-Identifier: MIT */
/*
 * An engine executes text of a core's scratchpad faster than the interpreter of cpu_loop.h: for
 * example as instructions of the host's processor (sim/native/native.h). The makefile chooses the
 * engine; without one the interpreter executes everything.
 *
 * Contract: a core behaves as in cpu_loop.h, in every cycle and every count, and stops at the same
 * place. An engine leaves some work to the interpreter: text that may not fit below the limit of a
 * run, text in SRAM, observed cores, single steps, rare cases. Accesses outside the scratchpad call
 * the functions of cpu_private.h. The costs of the core (cpu->timing) do not change while it has an
 * engine.
 *
 * Not thread-safe, like the whole world.
 */
#ifndef TIGON_SIM_ENGINE_H
#define TIGON_SIM_ENGINE_H

#include "sim/core/cpu.h"

struct tigon_native; /* the engine's state of a core; cpu->native */

enum tigon_engine_end {
    TIGON_ENGINE_AT,         /* continue at pc: the engine cannot */
    TIGON_ENGINE_NEAR_LIMIT, /* continue at pc with the interpreter: the limit is too near */
    TIGON_ENGINE_STOP        /* the run ends; `*stop` has the reason */
};

struct tigon_engine {
    /* NULL: not possible on this host. The core must be initialised, and outlive the engine. */
    struct tigon_native *(*create)(struct tigon_cpu *cpu);
    void (*destroy)(struct tigon_native *native);

    /* Shares another core's translation from now on. False if the two translations cannot be the
     * same. The first core must not be executing. */
    bool (*share)(struct tigon_native *native, const struct tigon_native *with);

    /* Whether execute() can begin at `pc`, a word of the scratchpad. Translates that word if it has
     * been executed often enough. */
    bool (*ready)(struct tigon_native *native, uint32_t pc);

    /* Executes from cpu->pc as far as possible. The text there must be ready, with npc = pc + 4 and
     * no load pending. All fields of the core are up to date before and after. */
    enum tigon_engine_end (*execute)(struct tigon_native *native, enum tigon_cpu_stop *stop);

    /* For tigon_cpu_run_pair(): the same from the current state of `*cpu`; false if that is not
     * possible. When the core must wait for its peer, and the engine can execute that too, it
     * switches to the peer, and back, up to `horizon_of_both`. `*cpu` becomes the core that ran
     * last: it may have more to do in its piece, the other has not. */
    bool (*piece)(struct tigon_cpu **cpu, uint64_t horizon_of_both, enum tigon_engine_end *end,
                  enum tigon_cpu_stop *stop);

    /* tigon_cpu_run_pair() for a core whose peer is not due, and for both cores. The fast path:
     * most cores continue at the access before which they waited for the last event. In all other
     * cases these functions call tigon_cpu_run_both(). */
    uint64_t (*alone)(struct tigon_cpu *cpu, uint64_t horizon);
    uint64_t (*pair)(struct tigon_cpu *a, struct tigon_cpu *b, uint64_t horizon);

    /* Another part may have changed registers, pc or cycle: the engine discards its saved entry
     * point. */
    void (*moved)(struct tigon_native *native);

    /* The peer is about to enter a loop that may use the bus (poll_loop.h). Accesses of this core
     * must take that into account until the loop is over, which they detect. */
    void (*peer_loops)(struct tigon_native *native);

    /* Whether the engine has changed the scratchpad since the last call: cpu->effects counts none
     * of its stores. */
    bool (*changed)(struct tigon_native *native);

    /* How often text is executed before it is translated; 1 translates at once. For tests. */
    void (*set_patience)(struct tigon_native *native, uint8_t times);
};

/* The makefile's choice (SIM_ENGINE), or NULL. */
extern const struct tigon_engine *const tigon_engine;

#endif
