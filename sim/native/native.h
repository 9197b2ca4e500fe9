/*
 * Text of a scratchpad as instructions of the host's processor: an optional accelerator of the
 * interpreter loop, for x86-64 hosts.
 *
 * What a core does is the same as in cpu_loop.h, in every cycle and every count, also where it
 * stops: a block that may not fit below the limit of the run is left to the interpreter. Accesses
 * outside the scratchpad are calls of the same functions as there. Text in SRAM, observed cores,
 * single steps and what is rare stay with the interpreter too.
 *
 * A block is a piece of text as it is most likely executed, over branches. It is translated when
 * the interpreter has come to its beginning often enough, and forgotten when one of its words is
 * written. The costs of the core (cpu->timing) are part of the translation and must not change.
 */
#ifndef TIGON_SIM_NATIVE_H
#define TIGON_SIM_NATIVE_H

#include "sim/core/cpu.h"

enum tigon_native_end {
    TIGON_NATIVE_AT,         /* go on at pc: it is not translated */
    TIGON_NATIVE_NEAR_LIMIT, /* go on at pc without translated text: the limit is too near */
    TIGON_NATIVE_STOP        /* the run ends: tigon_native_why() */
};

/* NULL: not possible on this host. The core must be initialised, and outlive it. */
struct tigon_native *tigon_native_create(struct tigon_cpu *cpu);
void tigon_native_destroy(struct tigon_native *native);

/* Share translated text with another core: native_text.h. False if theirs cannot be the same. The
 * first must not be in translated text. */
bool tigon_native_share(struct tigon_native *native, const struct tigon_native *with);

/* Whether there is translated text at `pc`, a word of the scratchpad; translates it when it is time
 * to. */
bool tigon_native_ready(struct tigon_native *native, uint32_t pc);

/* Execute from cpu->pc, which is ready, with npc = pc + 4 and no load pending, as far as translated
 * text goes. All fields of the core are up to date before and after. */
enum tigon_native_end tigon_native_execute(struct tigon_native *native);

/* For tigon_cpu_run_pair(): the same from wherever `*cpu` stands, if there is translated text or it
 * is time to translate; false if not. When the core must wait for its peer, which is neither
 * stopped nor parked, and is in translated text too, that goes on, and so to and fro up to
 * `horizon_of_both`. `*cpu` is the one that went last: it may have more to do in its piece, the
 * other one has not. */
bool tigon_native_piece(struct tigon_cpu **cpu, uint64_t horizon_of_both,
                        enum tigon_native_end *end);

/* tigon_cpu_run_pair() of a core whose peer is not due: when it goes on where it stood aside for
 * the last event, in translated text up to the horizon, without detour, as most turns of most cores
 * do; all others by tigon_cpu_run_both(). */
uint64_t tigon_native_alone(struct tigon_cpu *cpu, uint64_t horizon);

/* The same when both cores, A and B, are due. */
uint64_t tigon_native_pair(struct tigon_cpu *a, struct tigon_cpu *b, uint64_t horizon);

/* Registers, pc or cycle may have changed by other means than text, or the interpreter is going to
 * run the core or has: what translated text knows of where the core stands is forgotten. */
void tigon_native_registers_written(struct tigon_native *native);

/* The peer is going to be in a loop that may use the bus (poll_loop.h): accesses of this core must
 * look at that. They find out themselves when it is over. */
void tigon_native_look_at_peer(struct tigon_native *native);

/* Why: after TIGON_NATIVE_STOP. */
enum tigon_cpu_stop tigon_native_why(const struct tigon_native *native);

/* How often text is met before it is translated; 1 translates at once. For tests. */
void tigon_native_set_patience(struct tigon_native *native, uint8_t times);

#endif
