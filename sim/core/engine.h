/* SPDX-License-Identifier: MIT */
/*
 * An engine runs text of a core's scratchpad faster than the interpreter of cpu_loop.h: for example
 * as instructions of the host's processor (sim/native/native.h). The makefile chooses it; without
 * one the interpreter does everything.
 *
 * Contract: what a core does is the same as in cpu_loop.h, in every cycle and every count, also
 * where it stops. An engine leaves to the interpreter what it does not do: what may not fit below
 * the limit of a run, text in SRAM, observed cores, single steps, what is rare. Accesses outside
 * the scratchpad call the functions of cpu_private.h. The costs of the core (cpu->timing) do not
 * change while it has an engine.
 *
 * Functions of a program's only thread, as the whole world.
 */
#ifndef TIGON_SIM_ENGINE_H
#define TIGON_SIM_ENGINE_H

#include "sim/core/cpu.h"

struct tigon_native; /* what an engine keeps of a core; cpu->native */

enum tigon_engine_end {
    TIGON_ENGINE_AT,         /* go on at pc: the engine cannot */
    TIGON_ENGINE_NEAR_LIMIT, /* go on at pc with the interpreter: the limit is too near */
    TIGON_ENGINE_STOP        /* the run ends, and `*stop` says why */
};

struct tigon_engine {
    /* NULL: not possible on this host. The core must be initialised, and outlive it. */
    struct tigon_native *(*create)(struct tigon_cpu *cpu);
    void (*destroy)(struct tigon_native *native);

    /* Uses another core's translation from now on. False if that cannot be the same. The first must
     * not be executing. */
    bool (*share)(struct tigon_native *native, const struct tigon_native *with);

    /* Whether execute() can begin at `pc`, a word of the scratchpad; translates it when that is
     * due. */
    bool (*ready)(struct tigon_native *native, uint32_t pc);

    /* Executes from cpu->pc, which is ready, with npc = pc + 4 and no load pending, as far as it
     * can. All fields of the core are up to date before and after. */
    enum tigon_engine_end (*execute)(struct tigon_native *native, enum tigon_cpu_stop *stop);

    /* For tigon_cpu_run_pair(): the same from wherever `*cpu` stands; false if it cannot. When the
     * core must wait for its peer, and the engine can execute that too, the peer goes on, and so to
     * and fro up to `horizon_of_both`. `*cpu` becomes the one that went last: it may have more to
     * do in its piece, the other one has not. */
    bool (*piece)(struct tigon_cpu **cpu, uint64_t horizon_of_both, enum tigon_engine_end *end,
                  enum tigon_cpu_stop *stop);

    /* tigon_cpu_run_pair() of a core whose peer is not due, and of both cores. They are the fast
     * path of a core that goes on where it waited for the last event, as most turns of most cores
     * do; all others call tigon_cpu_run_both(). */
    uint64_t (*alone)(struct tigon_cpu *cpu, uint64_t horizon);
    uint64_t (*pair)(struct tigon_cpu *a, struct tigon_cpu *b, uint64_t horizon);

    /* Registers, pc or cycle may have changed by other means than this engine: what it remembers of
     * where the core stands is void. */
    void (*moved)(struct tigon_native *native);

    /* The peer is going to be in a loop that may use the bus (poll_loop.h): accesses of this core
     * must take that into account until it is over, which they notice. */
    void (*peer_loops)(struct tigon_native *native);

    /* Whether the engine has changed the scratchpad since the last call: cpu->effects counts none
     * of its stores. */
    bool (*changed)(struct tigon_native *native);

    /* How often text is met before it is translated; 1 translates at once. For tests. */
    void (*set_patience)(struct tigon_native *native, uint8_t times);
};

/* The makefile's choice (SIM_ENGINE), or NULL. */
extern const struct tigon_engine *const tigon_engine;

#endif
