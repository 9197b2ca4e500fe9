/* What the files of a host share: its programs. Private to host_cpu.c and host_access.c. */
#ifndef SIM_HOST_PROGRAM_H
#define SIM_HOST_PROGRAM_H

#include "sim/board.h"
#include "sim/coroutine.h"
#include "sim/host_memory.h"
#include "sim/host_posted.h"
#include "sim/world.h"

/* Of a program that runs ahead, between two times that it lets time pass. */
#define STEPS_AHEAD 16u
#define WORDS_AHEAD 64u

/* The longest such a program is ahead by one step, in ticks. */
#define LONGEST_STEP TIGON_TICKS_PER_SECOND

/*
 * A program in tigon_host_poll32. Its reads ("samples") are one period apart. After one that found
 * nothing new the next ones are not simulated: the word is watched, the bus is told when the reads
 * come, and the next event is the first sample after a write near the word, or the last one asked
 * for. What was passed over is made up for when that comes or when another program of the host
 * wants the CPU (tigon_host_step_by_step). The fields describe the next sample.
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
    uint64_t sample; /* its tick */
    uint64_t turns;  /* made before this one */
    uint64_t limit;  /* of turns */
    uint64_t until;  /* tick from which on no more turns begin */
    bool watching;
    bool single;    /* this turn is the last, whatever it finds */
    bool read_left; /* the program is to do the read of this turn itself */
};

/* A piece of work: a write of `words`, time spent, or, without ticks, a read. */
struct step {
    uint64_t begin; /* tick */
    uint64_t ticks;
    uint32_t offset;
    uint32_t words;
};

/*
 * What a program that runs ahead (tigon_host_run_ahead) has done since it last let time pass. The
 * CPU is reserved for all of it, and the writes are on their way. If the host crashes or somebody
 * else comes to want the CPU before a step begins, that and those after it are taken back
 * (fall_back); the program does them anew when it goes on (tigon_program_make_up).
 *
 * Of two events of the same tick that which was scheduled first comes first, so what lets the
 * program go on is scheduled when the last step begins (mark). A read needs no such care: it
 * changes nothing, and sees what others than cores did at its tick or not only if that is to its
 * very word.
 */
struct ahead {
    struct step steps[STEPS_AHEAD];
    unsigned count;
    unsigned kept;                /* not taken back */
    uint32_t words;               /* of those */
    uint32_t values[WORDS_AHEAD]; /* of the words taken back, each where it is among all words */
};

struct program {
    struct tigon_host *host;
    struct tigon_event resume;
    uint64_t resume_ticks;     /* the event comes then, but for a mark before it */
    struct tigon_event sample; /* a register read reaches the board */
    uint32_t read_offset;
    uint32_t read_value;
    uint64_t read_end;
    bool awaits; /* in tigon_host_await32: after the read it polls if that finds nothing new */
    struct tigon_event shows; /* what it waits for, to observers */
    struct polling polling;
    struct ahead ahead;
    char name[48];
    size_t index;                   /* of the host's programs */
    enum tigon_program_state shown; /* to observers */
    tigon_program function;
    void *argument;
    int result;
    bool finished;
    enum tigon_program_state waiting; /* TIGON_PROGRAM_READY: not */
    bool woken;                       /* by what it waited for, not by its timeout */
    uint64_t poll_first;              /* bus address range polled */
    uint64_t poll_last;
    uint64_t poll_start; /* ticks */
    uint64_t poll_interval;
    struct tigon_coroutine *coroutine;
};

struct tigon_host {
    struct tigon_world *world;
    const uint64_t *clock; /* the world's */
    struct tigon_board *board;
    struct tigon_knobs knobs;
    uint64_t write_ticks, word_ticks, arrival_ticks, read_ticks; /* knobs of register accesses */
    struct tigon_host_pages pages;
    bool crashed;
    uint64_t written;

    struct program **programs;
    size_t program_count;
    size_t live;
    struct program *current;
    struct program *poller; /* in tigon_host_poll32, which then has the CPU */
    struct program *ahead;  /* may run ahead, and is the only one */
    uint64_t cpu_free;      /* tick */
    struct tigon_posted posted;
};

static inline uint64_t now(const struct tigon_host *host) {
    return *host->clock;
}

/* Reserves the CPU for `ticks`; returns when the work begins. */
static inline uint64_t reserve(struct tigon_host *host, uint64_t ticks) {
    const uint64_t start = host->cpu_free > now(host) ? host->cpu_free : now(host);
    host->cpu_free = tigon_add_ticks(start, ticks);
    return start;
}

/* ------------------------------------------------------------------------------------------------
 * host_cpu.c */

/* For when there is no running program, which is the end, or its host has crashed. */
__attribute__((cold)) struct program *tigon_program_not_now(struct tigon_host *host,
                                                            const char *what);

/* The running program, for functions that only make sense inside one. It may be ahead of time. */
static inline struct program *tigon_program_ahead(struct tigon_host *host, const char *what) {
    return host->current && !host->crashed ? host->current : tigon_program_not_now(host, what);
}

/* The same, when it is not. */
struct program *tigon_program_running(struct tigon_host *host, const char *what);

/* Ends at `ticks` what the program is going to wait for. */
void tigon_program_schedule(struct program *program, uint64_t ticks);

/* A program that is blocked waits for something else from `ticks` on. */
void tigon_program_waits_from(struct program *program, enum tigon_program_state waiting,
                              uint64_t ticks);

/* What it does, to observers. */
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

/* The program lets time pass, and then may do a step and go on if that is true. */
bool tigon_program_makes_room(struct program *program, uint64_t ticks, size_t words);

/* Whether the program may do a step and go on. Lets time pass if there is no room for another. */
static inline bool tigon_program_goes_ahead(struct program *program, uint64_t ticks, size_t words) {
    const struct ahead *ahead = &program->ahead;
    if (program->host->ahead != program)
        return false;
    return (ticks <= LONGEST_STEP && ahead->count < STEPS_AHEAD &&
            words <= WORDS_AHEAD - ahead->words) ||
           tigon_program_makes_room(program, ticks, words);
}

/* The program has reserved the CPU for a step from `begin` on, and goes on. */
static inline void tigon_program_note_step(struct program *program, uint64_t begin, uint64_t ticks,
                                           uint32_t offset, size_t words) {
    struct ahead *ahead = &program->ahead;
    ahead->steps[ahead->count] = (struct step){begin, ticks, offset, (uint32_t)words};
    ahead->kept = ++ahead->count;
    ahead->words += (uint32_t)words;
}

/* Time has passed up to the end, or up to the first step that was taken back. False if none was. */
bool tigon_program_make_up(struct program *program);

/* ------------------------------------------------------------------------------------------------
 * host_access.c */

/* The function of program.sample. */
void tigon_program_sample(void *context, uint64_t ticks);

/* The samples before `ticks` found nothing; the one after them is for the program again. */
void tigon_host_stop_watching(struct tigon_host *host, uint64_t ticks);

/* Another program of this host starts. */
void tigon_host_step_by_step(struct tigon_host *host);

#endif
