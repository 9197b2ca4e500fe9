/* SPDX-License-Identifier: MIT */
/* The programs of a host: declarations that host_cpu.c and host_access.c share, and private to
 * them. */
#ifndef SIM_HOST_PROGRAM_H
#define SIM_HOST_PROGRAM_H

#include "sim/chip/board.h"
#include "sim/base/coroutine.h"
#include "sim/pc/host_memory.h"
#include "sim/pc/host_posted.h"

/* What a program that runs ahead may do at most before it has to let time pass. */
#define STEPS_AHEAD 16u
#define WORDS_AHEAD 64u

/* The longest step of such a program, in ticks. */
#define LONGEST_STEP TIGON_TICKS_PER_SECOND

/*
 * A program in tigon_host_poll32. Its reads ("samples") are one period apart. After a sample that
 * found nothing new the following ones are not simulated: a watchpoint is set on the word, the bus
 * model receives the times of the reads, and the next event is the first sample after a write near
 * the word, or the last sample requested. The skipped samples are accounted for at that event, or
 * when another program of the host wants the CPU (tigon_host_step_by_step). The fields describe the
 * next sample.
 */
struct polling {
    uint32_t offset;
    uint32_t mask;
    uint32_t unchanged;
    uint32_t value;  /* of the last sample */
    uint64_t spend;  /* ticks, at the beginning of a turn */
    uint64_t half;   /* ticks, from the beginning of the read to the sample */
    uint64_t rest;   /* ticks, from the sample to the end of the turn */
    uint64_t begin;  /* of the turn */
    uint64_t sample; /* tick of the sample */
    uint64_t turns;  /* made before this one */
    uint64_t limit;  /* of turns */
    uint64_t until;  /* tick from which on no more turns begin */
    bool watching;
    bool changed;    /* while watching: the next sample may see something new */
    bool slot_taken; /* the bus has the slot of the next sample already */
    bool single;     /* this turn is the last, whatever it finds */
    bool read_left;  /* the program must do the read of this turn itself */
};

/* A piece of work: a write of `words`, time spent, or, if `ticks` is 0, a read. */
struct step {
    uint64_t begin; /* tick */
    uint64_t ticks;
    uint32_t offset;
    uint32_t words;
};

/*
 * The steps that a program that runs ahead (tigon_host_run_ahead) has done since it last let time
 * pass. The CPU is reserved for all of them, and the writes are in flight. If the host crashes, or
 * another program comes to want the CPU before a step begins, this step and those after it are
 * taken back (fall_back). The program repeats them when it continues (tigon_program_make_up).
 *
 * Of two events of the same tick the one scheduled first comes first. Therefore the event that
 * resumes the program is scheduled when the last step begins (mark). A read needs no such care: it
 * changes nothing, and its order with respect to an access by something other than a core at the
 * same tick matters only if that access is to the same word.
 */
struct ahead {
    struct step steps[STEPS_AHEAD];
    unsigned count;
    unsigned kept;                /* steps not taken back */
    uint32_t words;               /* written by the kept steps */
    uint32_t values[WORDS_AHEAD]; /* of the words taken back, each at its index among all words */
};

struct program {
    struct tigon_host *host;
    struct tigon_event resume;
    uint64_t resume_ticks;     /* tick of that event, apart from a mark before it */
    struct tigon_event sample; /* a register read reaches the board */
    uint32_t read_offset;
    uint32_t read_value;
    uint64_t read_end;
    bool awaits;              /* in tigon_host_await32: it polls if the read finds nothing new */
    struct tigon_event shows; /* reports to observers what it waits for */
    struct polling polling;
    struct ahead ahead;
    char name[48];
    size_t index;                   /* among the host's programs */
    enum tigon_program_state shown; /* last state reported to observers */
    tigon_program function;
    void *argument;
    int result;
    bool finished;
    enum tigon_program_state waiting; /* TIGON_PROGRAM_READY: does not wait */
    bool woken;                       /* by the event it waited for, not by its timeout */
    uint64_t poll_first;              /* bus address range polled */
    uint64_t poll_last;
    uint64_t poll_start; /* ticks */
    uint64_t poll_interval;
    struct tigon_coroutine *coroutine;
};

struct tigon_host {
    struct tigon_services *services;
    const uint64_t *clock; /* of the services */
    struct tigon_board *board;
    struct tigon_knobs knobs;
    uint64_t write_ticks, word_ticks, arrival_ticks, read_ticks; /* knobs for register accesses */
    struct tigon_host_pages pages;
    bool crashed;
    uint64_t written;

    struct program **programs;
    size_t program_count;
    size_t live;
    struct program *current;
    struct program *poller; /* is in tigon_host_poll32 and occupies the CPU */
    struct program *ahead;  /* may run ahead; there is no other program then */
    uint64_t cpu_free;      /* tick from which on the CPU is free */
    struct tigon_posted posted;
};

static inline uint64_t now(const struct tigon_host *host) {
    return *host->clock;
}

/* Reserves the CPU for `ticks`; returns the tick at which the work begins. */
static inline uint64_t reserve(struct tigon_host *host, uint64_t ticks) {
    const uint64_t start = host->cpu_free > now(host) ? host->cpu_free : now(host);
    host->cpu_free = tigon_add_ticks(start, ticks);
    return start;
}

/* ------------------------------------------------------------------------------------------------
 * host_cpu.c */

/* The error path of the two functions below: aborts if no program is running, and ends the program
 * if its host has crashed. */
__attribute__((cold)) struct program *tigon_program_not_now(struct tigon_host *host,
                                                            const char *what);

/* Returns the running program, for functions that only make sense inside one. The program may be
 * ahead of time. */
static inline struct program *tigon_program_ahead(struct tigon_host *host, const char *what) {
    return host->current && !host->crashed ? host->current : tigon_program_not_now(host, what);
}

/* The same, after the program has caught up with virtual time. */
struct program *tigon_program_running(struct tigon_host *host, const char *what);

/* Schedules the end of the program's next wait at `ticks`. */
void tigon_program_schedule(struct program *program, uint64_t ticks);

/* Makes a blocked program wait for something else from `ticks` on. */
void tigon_program_waits_from(struct program *program, enum tigon_program_state waiting,
                              uint64_t ticks);

/* Reports the program's state to observers; tigon_program_tell only if it has changed or is
 * TIGON_PROGRAM_READY. */
void tigon_program_show(struct program *program, enum tigon_program_state state);
static inline void tigon_program_tell(struct program *program, enum tigon_program_state state) {
    if (program->shown != state || state == TIGON_PROGRAM_READY)
        tigon_program_show(program, state);
}

/* Gives control back to the world; returns when the program's event fires. */
static inline void tigon_program_switch_to_world(struct program *program, bool for_good) {
    tigon_coroutine_leave(program->coroutine, for_good);
}

/* The same for a program that waits for something. */
static inline void tigon_program_block(struct program *program, enum tigon_program_state waiting) {
    program->waiting = waiting;
    tigon_program_tell(program, waiting);
    tigon_program_switch_to_world(program, false);
    program->waiting = TIGON_PROGRAM_READY;
}
void tigon_program_block_until(struct program *program, uint64_t ticks);

void tigon_program_use_cpu(struct program *program, uint64_t ticks);

/* Lets time pass; returns whether the program may then do a step and continue at once. */
bool tigon_program_makes_room(struct program *program, uint64_t ticks, size_t words);

/* Returns whether the program may do a step and continue at once. Lets time pass if there is no
 * room for another step. */
static inline bool tigon_program_goes_ahead(struct program *program, uint64_t ticks, size_t words) {
    const struct ahead *ahead = &program->ahead;
    if (program->host->ahead != program)
        return false;
    return (ticks <= LONGEST_STEP && ahead->count < STEPS_AHEAD &&
            words <= WORDS_AHEAD - ahead->words) ||
           tigon_program_makes_room(program, ticks, words);
}

/* Records a step for which the program has reserved the CPU from `begin` on, so that the program
 * can continue. */
static inline void tigon_program_note_step(struct program *program, uint64_t begin, uint64_t ticks,
                                           uint32_t offset, size_t words) {
    struct ahead *ahead = &program->ahead;
    ahead->steps[ahead->count] = (struct step){begin, ticks, offset, (uint32_t)words};
    ahead->kept = ++ahead->count;
    ahead->words += (uint32_t)words;
}

/* To be called when time has passed up to the end of all steps, or up to the first step that was
 * taken back. Repeats the steps that were taken back; false if there were none. */
bool tigon_program_make_up(struct program *program);

/* ------------------------------------------------------------------------------------------------
 * host_access.c */

/* Handler of the event program.sample. */
void tigon_program_sample(void *context, uint64_t ticks);

/* As window_changed and reads_passed of struct tigon_host_side. */
void tigon_host_window_changed(struct tigon_host *host);
uint64_t tigon_host_reads_passed(const struct tigon_host *host, uint64_t ticks);

/* Removes the watchpoint. The samples before `ticks` found nothing new; from the next one on they
 * are simulated again. */
void tigon_host_stop_watching(struct tigon_host *host, uint64_t ticks);

/* To be called when another program of this host starts: ends the fast path of a program that
 * polls. */
void tigon_host_step_by_step(struct tigon_host *host);

#endif
