/* SPDX-License-Identifier: MIT */
/*
 * One core of the chip: executes pre-decoded instructions and counts cycles.
 *
 * A core is driven by its caller in pieces: tigon_cpu_run() executes until a horizon. What a core
 * shares with others (SRAM, I-line fills, chip registers) is touched only at cycles below the
 * horizon; private work (ALU, scratchpad, I-line hits) may run ahead of it by a bounded number of
 * cycles. A caller that always runs the core with the lower cycle (A on a tie), with the horizon
 *
 *     core A:  min(next device event, cycle of B + 1)
 *     core B:  min(next device event, cycle of A)
 *
 * therefore has every shared access in global cycle order, and the result does not depend on the
 * run-ahead bound. tigon_cpu_run_pair() does that for two cores. A device event at cycle t comes
 * before core accesses at cycle t.
 *
 * A register callback may schedule something earlier than the horizon the core was given, or start
 * the other core: it then calls tigon_cpu_limit() on the core that is running (starting or waking
 * a paired core does so by itself).
 *
 * A core that waits in a loop without effect is parked: tigon_cpu_run() returns TIGON_CPU_PARKED at
 * once until it is woken. Cycle and instruction counts are the same as if it had gone on. Loops
 * that read event words only are woken by tigon_cpu_wake() (poll.c); others may also read other
 * registers, SRAM and the timer, and are woken by tigon_cpu_before_change() too, and when the timer
 * comes to a value that matters to them (poll_loop.h).
 *
 * Single host thread per board; no allocation after initialisation.
 */
#ifndef TIGON_SIM_CPU_H
#define TIGON_SIM_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/bus.h"
#include "sim/core/isa.h"
#include "sim/core/memory.h"
#include "sim/time.h"
#include "sim/timing.h"

/* Bits of HW[140] / HW[240] (tigon2.md 3.7). */
#define TIGON_CPU_STATE_RESET             (1u << 0)
#define TIGON_CPU_STATE_SINGLE_STEP       (1u << 1)
#define TIGON_CPU_STATE_NULL_PAGE         (1u << 2)
#define TIGON_CPU_STATE_ROM_FAILED        (1u << 4)
#define TIGON_CPU_STATE_HALTED            (1u << 16)
#define TIGON_CPU_STATE_BREAKPOINT        (1u << 17)
#define TIGON_CPU_STATE_HALT_EXECUTED     (1u << 18)
#define TIGON_CPU_STATE_BAD_INSTRUCTION   (1u << 19)
#define TIGON_CPU_STATE_NULL_DATA         (1u << 20)
#define TIGON_CPU_STATE_NULL_FETCH        (1u << 21)
#define TIGON_CPU_STATE_BAD_DATA_ADDRESS  (1u << 22)
#define TIGON_CPU_STATE_BAD_FETCH_ADDRESS (1u << 23)
#define TIGON_CPU_STATE_MISALIGNED        (1u << 24)
#define TIGON_CPU_STATE_FAULTS            0x01F80000u /* bits 19 to 24 */
#define TIGON_CPU_STATE_STOPPED           0x01FF0000u /* any of these: the core does not run */

#define TIGON_INSTRUCTION_LINE_WORDS_MAX 64u
#define TIGON_POLL_OTHERS                16u /* more register reads in a loop: no parking */
#define TIGON_CPU_RUN_AHEAD_DEFAULT      256u

/* A register that reads as (*word + *base + constant) & mask, always, and nothing else comes of
 * reading it: storage, or what is kept in words. */
struct tigon_register_view {
    const uint32_t *word; /* NULL: no such register */
    const uint32_t *base;
    uint32_t constant, mask;
};

/* What a core sees of the chip registers, 0xC0000000-0xC00003FF (32-bit accesses only). `offset`
 * is a multiple of 4 below 0x400, `cycle` the core cycle of the access. Callbacks may call any
 * tigon_cpu_* function except run and step; both accesses are made at most once per executed
 * instruction, but a pollable register may be read once more when the core parks. */
struct tigon_cpu_port {
    void *context;
    uint32_t (*register_read)(void *context, unsigned core, uint32_t offset, uint64_t cycle);
    void (*register_write)(void *context, unsigned core, uint32_t offset, uint32_t value,
                           uint64_t cycle);
    /* True if reading this register has no effect and its value changes only together with a
     * call of tigon_cpu_wake() for this core: an event word, yes; the free-running timer, no.
     * Asked once, at the beginning. NULL: no register is pollable and the core never parks. */
    bool (*register_pollable)(void *context, unsigned core, uint32_t offset);
    /* The same for registers whose changes come only with a call of tigon_cpu_before_change().
     * NULL: none. */
    bool (*register_steady)(void *context, unsigned core, uint32_t offset);
    /* Offset of the free-running timer, 0 for none: reading has no effect, and it grows by one
     * in each cycle that is a multiple of TIGON_CYCLES_PER_US. Writing it disturbs. */
    uint32_t timer;
    /* How cores read this register without register_read, if they can: where in `*view`, to begin
     * with *base and constant 0 and all bits in mask, `word` is set. Asked once, at the beginning.
     * NULL: they read none so. */
    void (*register_view)(void *context, unsigned core, uint32_t offset,
                          struct tigon_register_view *view);
    /* The same for the timer: it holds what is to be added to the microseconds since cycle 0. */
    const uint32_t *timer_offset;
    /* Where such an access leaves its tick. Must be there if one of these two is. */
    uint64_t *access_ticks;
};

enum tigon_cpu_stop {
    TIGON_CPU_HORIZON,    /* the next thing to do is at or after the horizon */
    TIGON_CPU_HALTED,     /* halt request, HALT instruction, reset, single step done */
    TIGON_CPU_FAULTED,    /* one of TIGON_CPU_STATE_FAULTS is set */
    TIGON_CPU_PARKED,     /* polling without effect; call tigon_cpu_wake() */
    TIGON_CPU_BREAKPOINT, /* the observer asked to stop; the core is not halted */
    TIGON_CPU_STEPPED     /* tigon_cpu_step() did its instruction */
};

struct tigon_cpu_statistics {
    uint64_t instructions;    /* executed; a nullified slot is not counted */
    uint64_t load_use_stalls; /* cycles */
    uint64_t bus_stalls;      /* cycles waited for SRAM slots and the write buffer */
    uint64_t instruction_line_misses;
    uint64_t sram_loads;
    uint64_t sram_stores;
    uint64_t register_reads;
    uint64_t register_writes;
};

/* Called once for each instruction, before it, with the state of the core up to date. Returning
 * true stops the core there with TIGON_CPU_BREAKPOINT; the next run executes that instruction
 * without asking again. A debugger that must not stop in a delay slot returns false while npc != pc
 * + 4. It may also change cpu->gpr, pc and npc: the core goes on with them; and add to cpu->cycle:
 * it stalls for so long. NULL costs nothing. */
typedef bool (*tigon_cpu_observer)(void *context, unsigned core, uint32_t pc, uint64_t cycle);

/* Called when the core begins to poll without effect, and when that ends. */
typedef void (*tigon_cpu_park_hook)(void *context, unsigned core, bool parked, uint64_t cycle);

#define TIGON_CPU_OBSERVERS 6u /* of one core, beside that of tigon_cpu_set_observer */

/* A poll loop that may be one: see poll.c. Private to the core. */
struct tigon_cpu_poll {
    unsigned stage;     /* 1: a poll was seen; 2: and remembered, with what registers held */
    uint32_t pc;        /* address of the polling load */
    uint32_t parked_pc; /* the same of the loop parked last */
    uint32_t offset;    /* register it reads */
    uint32_t value;
    bool replaying;  /* executing up to a wake cycle */
    uint32_t others; /* polls from other loads since */
    uint32_t other_values[TIGON_POLL_OTHERS];
    uint64_t effects; /* counts of them at that poll */
    uint64_t cycle;
    uint64_t period;
    uint32_t npc;
    uint32_t gpr[32];
    uint64_t instructions, load_use_stalls, register_reads; /* counts at that poll */
    struct tigon_cpu_statistics per_period;
};

/* A loop found by poll_loop.c. Private to the core. */
#define TIGON_LOOP_REGISTERS 12u

enum tigon_loop_stage {
    TIGON_LOOP_NONE,
    TIGON_LOOP_WATCHED, /* proven; its first turn is executed */
    TIGON_LOOP_PARKED
};

struct tigon_loop_start {
    uint64_t cycle;
    struct tigon_cpu_statistics statistics;
    uint64_t write_buffer, core_free; /* cycles until they are free */
    uint32_t load_register;
    bool line_valid;
    uint32_t line_offset;
    uint64_t beats, bus_stalls;
};

struct tigon_cpu_loop {
    enum tigon_loop_stage stage;
    uint64_t look_at; /* cycle from which on to look for a loop again */
    uint64_t interval;
    uint64_t register_writes; /* of the core, at the last look */
    uint32_t head;            /* address at which turns begin */
    unsigned turns;
    bool uses_bus;
    bool reads_timer;
    uint64_t wake_at; /* cycle up to which the way through the loop stays the same */
    uint64_t timer_cycle;
    uint32_t timer_value; /* at that cycle */
    unsigned register_count;
    struct {
        uint32_t offset, value;
    } registers[TIGON_LOOP_REGISTERS]; /* read in each turn */
    struct tigon_loop_start start;
    uint64_t beats, bus_stalls; /* of a turn */
    uint64_t counted;           /* turns that tigon_cpu_catch_up() has counted */
};

struct tigon_cpu {
    /* Architectural state. While tigon_cpu_run() is in a register callback, gpr, pc (the next
     * instruction), npc, cycle and statistics.instructions are up to date. */
    uint32_t gpr[33]; /* [32]: TIGON_REGISTER_DISCARD */
    uint32_t pc;
    uint32_t npc;   /* the one after pc: differs from pc + 4 when pc is a delay slot */
    uint32_t state; /* HW[140] bits; use the functions below to change it */
    uint64_t cycle; /* of the next instruction to issue */
    struct tigon_cpu_statistics statistics;

    /* Wiring. */
    unsigned core;
    struct tigon_memory *memory;
    struct tigon_bus *bus;
    struct tigon_timing timing;
    struct tigon_cpu_port port;
    struct tigon_cpu *peer;
    tigon_cpu_observer observer; /* what the loop calls */
    void *observer_context;
    struct {
        tigon_cpu_observer function; /* NULL: free; [0] is that of tigon_cpu_set_observer */
        void *context;
    } observers[1 + TIGON_CPU_OBSERVERS];
    tigon_cpu_park_hook park_hook;
    void *park_context;
    uint32_t run_ahead;
    /* Called when tigon_cpu_due() may have changed, unless tigon_cpu_run() did it. May be NULL. */
    void (*due_changed)(void *context);
    void *due_context;
    bool parking_off;
    struct tigon_native *native; /* NULL: the interpreter does everything */

    /* Private. */
    bool running; /* inside tigon_cpu_run() */
    bool parked;
    bool shown; /* the observer has seen the instruction at pc */
    uint64_t horizon;
    uint64_t event_limit;       /* lowest tigon_cpu_limit() of this run */
    uint64_t lowest_bound;      /* lowest horizon anybody asked for in it, also beyond its own */
    uint64_t effects;           /* counts what makes a loop more than a poll loop, beside
                                   accesses to SRAM and stores of translated text */
    uint64_t write_buffer_free; /* cycle */
    uint32_t load_register;     /* target of a scratchpad load just issued, else 0 */
    bool line_valid;
    uint32_t line_offset; /* SRAM offset of the line held */
    struct tigon_cpu_poll poll;
    struct tigon_cpu_loop loop;
    struct tigon_instruction line[TIGON_INSTRUCTION_LINE_WORDS_MAX];
    /* Of this core, in cpu->memory. */
    uint8_t *scratchpad;
    struct tigon_instruction *scratchpad_decoded;
    uint32_t scratchpad_size;
    bool pollable[TIGON_REGISTERS_SIZE / 4u]; /* what port.register_pollable says */
    struct tigon_register_view register_view[TIGON_REGISTERS_SIZE / 4u]; /* the same */
    uint32_t timer_number; /* of the register, if it is read by port.timer_offset */
};

/* Prepare a core in its reset state (halted: tigon2.md 14 item 22). `memory` and `bus` must
 * outlive it; `timing` and `port` are copied. `core` is TIGON_CORE_A or _B. */
void tigon_cpu_initialise(struct tigon_cpu *cpu, unsigned core, struct tigon_memory *memory,
                          struct tigon_bus *bus, const struct tigon_timing *timing,
                          const struct tigon_cpu_port *port);

/* Tell the two cores of a board of each other, so that starting or waking one inside a callback
 * of the other bounds the other's horizon. */
void tigon_cpu_pair(struct tigon_cpu *a, struct tigon_cpu *b);

/* How far, in cycles, private work may run ahead of a horizon. 0: strict. */
void tigon_cpu_set_run_ahead(struct tigon_cpu *cpu, uint32_t cycles);

/* The one observer that this function sets, replaces and (NULL) removes. */
void tigon_cpu_set_observer(struct tigon_cpu *cpu, tigon_cpu_observer observer, void *context);

/* Further observers, each known by function and context. All are called for an instruction, also
 * when one of them wants to stop there. False: there are TIGON_CPU_OBSERVERS already. */
bool tigon_cpu_add_observer(struct tigon_cpu *cpu, tigon_cpu_observer observer, void *context);
void tigon_cpu_remove_observer(struct tigon_cpu *cpu, tigon_cpu_observer observer, void *context);

void tigon_cpu_set_park_hook(struct tigon_cpu *cpu, tigon_cpu_park_hook hook, void *context);

/* Execute until the next instruction cannot be done below `horizon`, or the core stops. After
 * TIGON_CPU_HORIZON cpu->cycle >= horizon. */
enum tigon_cpu_stop tigon_cpu_run(struct tigon_cpu *cpu, uint64_t horizon);

/* Run both cores in global order until `horizon`. Returns when neither can do anything before it
 * (at the horizon, halted, faulted or parked), or at the first observer stop. A callback that
 * brings an event forward must call tigon_cpu_limit(); the function then returns at that cycle.
 * Returns the horizon that was reached. */
uint64_t tigon_cpu_run_pair(struct tigon_cpu *a, struct tigon_cpu *b, uint64_t horizon);

/* Execute one instruction, with its delay slot if it is a branch, ignoring any horizon. A halted
 * or faulted core does nothing and says so; a parked one is woken at its own poll first. */
enum tigon_cpu_stop tigon_cpu_step(struct tigon_cpu *cpu);

/* For callbacks: the core that is running must not make shared accesses at or after `cycle`
 * before its caller has looked again. Never raises a horizon. */
void tigon_cpu_limit(struct tigon_cpu *cpu, uint64_t cycle);

/* A pollable register of this core has changed so that a read at `cycle` or later sees it. A parked
 * core goes on from where polling would have brought it. Must be called for every such change,
 * parked or not, and when someone else writes scratchpad words its poll loop may read. For a change
 * made by the other core's access at cycle c: c when A made it, c + 1 when B made it (A goes first
 * in equal cycles). */
void tigon_cpu_wake(struct tigon_cpu *cpu, uint64_t cycle);

/* tigon_cpu_wake() of a core that is in no loop, for which the cycle does not matter. False, and
 * tigon_cpu_wake() must follow, if it may be in one. */
static inline bool tigon_cpu_wake_awake(struct tigon_cpu *cpu) {
    cpu->poll.stage = 0;
    return !cpu->parked && cpu->loop.stage == TIGON_LOOP_NONE;
}

/* A word other than an event word is about to change at `cycle`: a register, a word of SRAM or of
 * this core's scratchpad; or the SRAM bus is about to be used, as by a stream that begins. Memory
 * and bus must not have changed yet; a register may have. `cycle` as for tigon_cpu_wake(). Costs
 * nothing for a core that is not parked in, or watched for, a loop that reads such things. The
 * other core reports its own accesses. */
void tigon_cpu_before_change(struct tigon_cpu *cpu, uint64_t cycle);

/* A register access at `cycle` is going to look at this core's registers or scratchpad, or to
 * change a word there: bring the core to where it would be without parking, private work that runs
 * ahead included. */
void tigon_cpu_settle(struct tigon_cpu *cpu, uint64_t cycle);

/* Cycle at which the core wants to run again: its own, that of its timer while it is parked,
 * UINT64_MAX if only others can bring it to. */
static inline uint64_t tigon_cpu_due(const struct tigon_cpu *cpu) {
    if ((cpu->state & TIGON_CPU_STATE_STOPPED) != 0)
        return UINT64_MAX;
    if (!cpu->parked)
        return cpu->cycle;
    return cpu->loop.stage == TIGON_LOOP_PARKED ? cpu->loop.wake_at : UINT64_MAX;
}

/* Bring the counts of a parked core up to its last poll not after `cycle`; it stays parked. No
 * effect on a core that is not parked. */
void tigon_cpu_catch_up(struct tigon_cpu *cpu, uint64_t cycle);

/* Where a parked core would be at `cycle` without parking, in `*shown`, for looking only; `*bus` is
 * room for the slots that it would have taken. The core itself stays parked. Of one that is not
 * parked it is a copy. */
void tigon_cpu_show(const struct tigon_cpu *cpu, uint64_t cycle, struct tigon_cpu *shown,
                    struct tigon_bus *bus);

/* Whether the core may park at all. Without, a polling core executes every turn of its loop, in
 * the same cycles, so that an observer sees them; one that is parked goes on at `cycle`. */
void tigon_cpu_set_parking(struct tigon_cpu *cpu, bool on, uint64_t cycle);

/* Whether text in the scratchpad is translated into instructions of this host's processor
 * (engine.h), which changes no result, only the speed. Allocates; to be turned off before the core
 * is given up. True if it is on now: not every host can. The timing must not change while it is. */
bool tigon_cpu_set_native(struct tigon_cpu *cpu, bool on);

/* What both translate from now on is translated once if they hold the same text; neither need know
 * of the other for anything else. They must be used by one thread. False if they cannot: no
 * translated text, another kind of core, other costs. */
bool tigon_cpu_share_native(struct tigon_cpu *cpu, const struct tigon_cpu *with);

/* Stop a core by request at `cycle` (HW[140] bit 16). A core that ran ahead has done up to its
 * run-ahead bound of private work more. */
void tigon_cpu_halt(struct tigon_cpu *cpu, uint64_t cycle);

/* Let a stopped core run from `pc`, not before `cycle`; clears its status bits and drops its
 * I-line. Returns false, and does nothing, if the core is running. */
bool tigon_cpu_start(struct tigon_cpu *cpu, uint32_t pc, uint64_t cycle);

/* Put the core in its reset state, halted. */
void tigon_cpu_reset(struct tigon_cpu *cpu);

/* Must be called after cpu->gpr, pc or cycle has been changed from outside, but not by an observer
 * that is just being called. */
void tigon_cpu_registers_written(struct tigon_cpu *cpu);

/* HW[140] / HW[240] as register accesses, for the register file of the board. Writing bit 0 resets;
 * bit 16 halts, its absence (re)starts a stopped core at cpu->pc and clears bits 17 to 24; bit 1
 * together with a start executes one instruction and halts again; bits 2 and 4 are stored. */
uint32_t tigon_cpu_state_read(const struct tigon_cpu *cpu);
void tigon_cpu_state_write(struct tigon_cpu *cpu, uint32_t value, uint64_t cycle);

/* HW[144] / HW[244]: the write is ignored unless the core is stopped (tigon2.md 14 item 19). */
void tigon_cpu_set_pc(struct tigon_cpu *cpu, uint32_t pc);

/* Someone other than this core changed memory at CPU addresses address .. address + length - 1.
 * Decoded copies in memory are dropped by memory.h itself; this also drops the I-line. Needed only
 * when the core must see new text in the very line it is executing from: without it the line is
 * kept until the next miss or start, as a cache without snooping would; the core's own stores are
 * always seen. If the core may be parked in that text, call tigon_cpu_wake() first. */
void tigon_cpu_invalidate(struct tigon_cpu *cpu, uint32_t address, uint32_t length);

/* Why a faulted core stopped, as a sentence for people: the instruction, the address, what is
 * missing on this chip and what to use instead. Empty if the core has no fault. */
#define TIGON_FAULT_TEXT_BYTES 256u
void tigon_cpu_explain_fault(const struct tigon_cpu *cpu, char text[TIGON_FAULT_TEXT_BYTES]);
const char *tigon_cpu_register_name(unsigned number); /* "zero" to "ra" */

/* The first flag of a state word for people, which is taken out of it; NULL when none is left. */
const char *tigon_cpu_state_flag(uint32_t *state);

static inline bool tigon_cpu_stopped(const struct tigon_cpu *cpu) {
    return (cpu->state & TIGON_CPU_STATE_STOPPED) != 0;
}

/* Will the core do anything by itself? The scheduler leaves the others out of its minimum. */
static inline bool tigon_cpu_runnable(const struct tigon_cpu *cpu) {
    return tigon_cpu_due(cpu) != UINT64_MAX;
}

#endif
