/*
 * Hosts: memory, one CPU in virtual time, and programs as coroutines.
 *
 * A program runs on its own stack and gives control back only inside the functions of
 * tigon.h, so the world needs no locks and every interleaving is decided by virtual time. The host
 * CPU is a reservation: a piece of work takes it from the tick at which it is free, in the order of
 * asking.
 */
#include "sim/host_cpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/abort.h"
#include "sim/board.h"
#include "sim/coroutine.h"
#include "sim/host_memory.h"
#include "sim/world.h"

#define POLL_TURNS 65536u /* of one tigon_host_poll32 */

/*
 * A program in tigon_host_poll32. Its reads ("samples") are one period apart. While they are going
 * to find nothing new they are not simulated: the word is watched, the bus is told when the reads
 * come, and the next event is the first sample after a write near the word, or the last one asked
 * for. What was passed over is made up for when that comes or when another program of the host
 * wants the CPU (step_by_step). The fields describe the next sample.
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
    bool watching;
    bool single;    /* this turn is the last, whatever it finds */
    bool read_left; /* the program is to do the read of this turn itself */
};

struct program {
    struct tigon_host *host;
    struct tigon_event resume;
    struct tigon_event sample; /* a register read reaches the board */
    uint32_t read_offset;
    uint32_t read_value;
    uint64_t read_end;
    struct polling polling;
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

struct posted_write {
    uint64_t ticks;
    uint32_t offset;
    uint32_t value;
};

struct tigon_host {
    struct tigon_world *world;
    struct tigon_board *board;
    struct tigon_knobs knobs;
    uint64_t write_ticks, word_ticks, arrival_ticks; /* knobs of posted writes */
    struct tigon_host_pages pages;
    bool crashed;
    uint64_t written;

    struct program **programs;
    size_t program_count;
    size_t live;
    struct program *current;
    struct program *poller; /* in tigon_host_poll32, which then has the CPU */
    uint64_t cpu_free;      /* tick */

    struct posted_write *posted; /* ring buffer, oldest at posted_first */
    size_t posted_first;
    size_t posted_count;
    size_t posted_capacity; /* a power of two, or 0 */
    uint64_t last_arrival;
    struct tigon_event arrival;
};

static uint64_t now(const struct tigon_host *host) {
    return tigon_world_now_ticks(host->world);
}

/* -------------------------------------------------------------------------------------------
 * Programs */

/* Gives control back to the world; returns when the program's event fires. */
static void switch_to_world(struct program *program, bool for_good) {
    tigon_coroutine_leave(program->coroutine, for_good);
}

static void show(struct program *program, enum tigon_program_state state) {
    const struct tigon_host *host = program->host;
    if (program->shown == state && state != TIGON_PROGRAM_READY)
        return;
    program->shown = state;
    tigon_observers_program(host->board->observers, host->board, program->index, program->name,
                            state, now(host));
}

static void program_main(void *argument) {
    struct program *program = argument;
    struct tigon_host *host = program->host;
    program->result = program->function(host, program->argument);
    if (!host->crashed) {
        program->finished = true;
        show(program, TIGON_PROGRAM_FINISHED);
        host->live--;
        tigon_world_program_finished(host->world);
    }
    switch_to_world(program, true);
}

static void resume(void *context, uint64_t ticks) {
    struct program *program = context;
    (void)ticks;
    program->host->current = program;
    tigon_coroutine_enter(program->coroutine);
    program->host->current = NULL;
}

/* The running program, for functions that only make sense inside one. */
static struct program *running(struct tigon_host *host, const char *what) {
    if (!host->current)
        tigon_abort("%s called outside a program of its host", what);
    while (host->crashed) /* by what this program has just done; it ends here */
        switch_to_world(host->current, false);
    return host->current;
}

static void schedule(struct program *program, uint64_t ticks) {
    if (program->host->crashed)
        return;
    tigon_schedule_at(program->host->board->schedule, &program->resume, ticks);
}

static void block(struct program *program, enum tigon_program_state waiting) {
    program->waiting = waiting;
    show(program, waiting);
    switch_to_world(program, false);
    program->waiting = TIGON_PROGRAM_READY;
}

static void block_until(struct program *program, uint64_t ticks) {
    schedule(program, ticks);
    block(program, TIGON_PROGRAM_BUSY);
}

/* Reserves the CPU for `ticks`; returns when the work begins. */
static uint64_t reserve(struct tigon_host *host, uint64_t ticks) {
    const uint64_t start = host->cpu_free > now(host) ? host->cpu_free : now(host);
    host->cpu_free = tigon_add_ticks(start, ticks);
    return start;
}

static void use_cpu(struct program *program, uint64_t ticks) {
    struct tigon_host *host = program->host;
    const uint64_t slice = tigon_ticks_from_ns(host->knobs.host_slice_ns);
    while (ticks) {
        const uint64_t piece = host->live > 1 && ticks > slice ? slice : ticks;
        reserve(host, piece);
        block_until(program, host->cpu_free);
        ticks -= piece;
    }
}

static void take_sample(void *context, uint64_t ticks);
static void stop_watching(struct tigon_host *host, uint64_t ticks);
static void step_by_step(struct tigon_host *host);

int tigon_host_start(struct tigon_host *host, const char *name, tigon_program function,
                     void *argument) {
    if (host->crashed)
        return -EHOSTDOWN;
    struct program *program = calloc(1, sizeof *program);
    struct program **programs =
        realloc(host->programs, (host->program_count + 1) * sizeof(struct program *));
    if (!program || !programs)
        tigon_abort("out of memory for program %s", name);
    host->programs = programs;
    host->programs[host->program_count] = program;
    program->host = host;
    program->index = host->program_count;
    program->function = function;
    program->argument = argument;
    snprintf(program->name, sizeof program->name, "%s", name);
    program->coroutine =
        tigon_coroutine_create(host->knobs.host_stack_bytes, program_main, program);
    if (!program->coroutine)
        tigon_abort("no stack for program %s: %s", name, strerror(errno));
    tigon_event_initialise(&program->resume, resume, program);
    tigon_event_initialise(&program->sample, take_sample, program);
    step_by_step(host);
    schedule(program, now(host));
    show(program, TIGON_PROGRAM_READY);
    host->live++;
    tigon_world_program_started(host->world);
    return (int)host->program_count++;
}

void tigon_host_crash(struct tigon_host *host) {
    if (host->crashed)
        return;
    if (host->poller && host->poller->polling.watching)
        stop_watching(host, now(host));
    host->poller = NULL;
    for (size_t i = 0; i < host->program_count; i++) {
        struct program *program = host->programs[i];
        if (program->finished)
            continue;
        tigon_schedule_cancel(host->board->schedule, &program->resume);
        tigon_schedule_cancel(host->board->schedule, &program->sample);
        show(program, TIGON_PROGRAM_FINISHED);
        tigon_world_program_finished(host->world);
    }
    host->live = 0;
    host->crashed = true;
}

bool tigon_host_crashed(const struct tigon_host *host) {
    return host->crashed;
}

bool tigon_host_finished(const struct tigon_host *host, int index, int *result) {
    if (index < 0 || (size_t)index >= host->program_count || !host->programs[index]->finished)
        return false;
    if (result)
        *result = host->programs[index]->result;
    return true;
}

/* ------------------------------------------------------------------------------------- Register
 * access */

/* Index of the write `after` the oldest one. */
static size_t place_of(const struct tigon_host *host, size_t after) {
    return (host->posted_first + after) & (host->posted_capacity - 1);
}

static void arrive(void *context, uint64_t ticks) {
    struct tigon_host *host = context;
    const struct posted_write write = host->posted[host->posted_first];
    host->posted_first = place_of(host, 1);
    host->posted_count--;
    if (host->posted_count)
        tigon_schedule_at(host->board->schedule, &host->arrival,
                          host->posted[host->posted_first].ticks);
    host->board->now = ticks;
    tigon_window_host_write(host->board, write.offset, write.value);
}

static __attribute__((noinline)) void grow_posted(struct tigon_host *host) {
    const size_t capacity = host->posted_capacity ? host->posted_capacity * 2 : 64;
    struct posted_write *larger = malloc(capacity * sizeof *larger);
    if (!larger)
        tigon_abort("out of memory for posted writes");
    for (size_t i = 0; i < host->posted_count; i++)
        larger[i] = host->posted[place_of(host, i)];
    free(host->posted);
    host->posted = larger;
    host->posted_first = 0;
    host->posted_capacity = capacity;
}

static void post(struct tigon_host *host, uint64_t ticks, uint32_t offset, uint32_t value) {
    if (host->posted_count == host->posted_capacity)
        grow_posted(host);
    if (ticks < host->last_arrival)
        ticks = host->last_arrival; /* a bus keeps posted writes in order */
    host->last_arrival = ticks;
    host->posted[place_of(host, host->posted_count)] = (struct posted_write){ticks, offset, value};
    if (host->posted_count++ == 0)
        tigon_schedule_at(host->board->schedule, &host->arrival, ticks);
}

void tigon_host_write_block(struct tigon_host *host, uint32_t offset, const uint32_t *words,
                            size_t count) {
    struct program *program = running(host, "tigon_host_write");
    if (count == 0)
        return;
    const uint64_t cost = host->write_ticks + (count - 1) * host->word_ticks;
    const uint64_t start = reserve(host, cost);
    uint64_t arrival = start + host->arrival_ticks;
    for (size_t i = 0; i < count; i++, offset += 4, arrival += host->word_ticks)
        post(host, arrival, offset, words[i]);
    block_until(program, start + cost);
}

void tigon_host_write32(struct tigon_host *host, uint32_t offset, uint32_t value) {
    tigon_host_write_block(host, offset, &value, 1);
}

/* Samples from the next one up to, but not at, `ticks`. */
static uint64_t samples_before(const struct polling *polling, uint64_t ticks) {
    const uint64_t period = polling->spend + polling->half + polling->rest;
    return ticks > polling->sample ? (ticks - polling->sample + period - 1) / period : 0;
}

/* The samples before `ticks` found nothing; the one after them is for the program again. */
static void stop_watching(struct tigon_host *host, uint64_t ticks) {
    struct polling *polling = &host->poller->polling;
    const uint64_t passed = samples_before(polling, ticks);
    tigon_memory_watch(&host->board->memory, TIGON_WATCH_NOTHING);
    tigon_bus_host_end(&host->board->bus, ticks);
    host->board->statistics.host_register_reads += passed;
    polling->turns += passed;
    polling->sample += passed * (polling->spend + polling->half + polling->rest);
    polling->begin = polling->sample - polling->half - polling->spend;
    polling->watching = false;
}

/* Something may have changed that samples from `ticks` on can see. */
static void changed(struct tigon_host *host, uint64_t ticks) {
    if (!host || !host->poller || !host->poller->polling.watching)
        return;
    stop_watching(host, ticks);
    tigon_schedule_at(host->board->schedule, &host->poller->sample, host->poller->polling.sample);
}

/* A sample comes before what a core does at its tick, and after what devices do. */
void tigon_host_look_again(struct tigon_host *host) {
    if (host && host->board->accessing_core >= 0)
        changed(host, host->board->now + 1);
    else if (host)
        changed(host, host->board->now > now(host) ? host->board->now : now(host));
}

static void word_written(void *context, int core, uint64_t cycle) {
    struct tigon_host *host = context;
    if (core < 0) {
        tigon_host_look_again(host);
        return;
    }
    host->board->accessing_core = core; /* so that an earlier event stops it in time */
    changed(host, tigon_ticks_from_cycles(cycle) + 1);
    host->board->accessing_core = -1;
}

/* The word is unchanged: the samples from the next one on only matter once something is written. */
static void start_watching(struct program *program, uint32_t address) {
    struct tigon_board *board = program->host->board;
    struct polling *polling = &program->polling;
    const uint64_t period = polling->spend + polling->half + polling->rest;
    tigon_memory_watch(&board->memory, (address & board->memory.sram_mask) / TIGON_DECODE_GRANULE);
    board->memory.watcher = word_written;
    board->memory.watcher_context = program->host;
    tigon_bus_host_begin(&board->bus, polling->sample, period);
    polling->watching = true;
    tigon_schedule_at(board->schedule, &program->sample,
                      polling->sample + (polling->limit - polling->turns - 1) * period);
}

/* Whether what the word holds now, before the first sample, is nothing new. Writes on their way
 * might move the window. */
static bool finds_nothing(const struct tigon_host *host, struct polling *polling,
                          uint32_t *address) {
    return host->posted_count == 0 && polling->limit > 1 &&
           tigon_window_peek(host->board, polling->offset, address, &polling->value) &&
           (polling->value & polling->mask) == polling->unchanged;
}

static void poll_sample(struct program *program, uint64_t ticks) {
    struct tigon_host *host = program->host;
    struct polling *polling = &program->polling;
    uint32_t address;
    if (polling->watching)
        stop_watching(host, ticks);
    host->board->now = ticks;
    polling->value = tigon_window_host_read(host->board, polling->offset);
    polling->turns++;
    polling->begin = ticks + polling->rest;
    polling->sample = polling->begin + polling->spend + polling->half;
    if (!polling->single && polling->turns < polling->limit &&
        (polling->value & polling->mask) == polling->unchanged &&
        tigon_window_sram(host->board, polling->offset, &address)) {
        start_watching(program, address);
        return;
    }
    host->poller = NULL;
    if (host->cpu_free < polling->begin)
        host->cpu_free = polling->begin;
    schedule(program, polling->begin);
}

/* Another program of this host starts. */
static void step_by_step(struct tigon_host *host) {
    struct program *program = host->poller;
    if (!program)
        return;
    struct polling *polling = &program->polling;
    if (polling->watching)
        stop_watching(host, now(host));
    if (now(host) < polling->begin) { /* the turn before this one is not over */
        host->cpu_free = polling->begin;
    } else if (now(host) < polling->begin + polling->spend) {
        host->cpu_free = polling->begin + polling->spend;
        polling->read_left = true;
    } else {
        host->cpu_free = polling->sample + polling->rest;
        polling->single = true;
        tigon_schedule_at(host->board->schedule, &program->sample, polling->sample);
        return;
    }
    host->poller = NULL;
    tigon_schedule_cancel(host->board->schedule, &program->sample);
    schedule(program, host->cpu_free);
}

uint64_t tigon_host_reads_passed(const struct tigon_host *host, uint64_t ticks) {
    return host->poller && host->poller->polling.watching
               ? samples_before(&host->poller->polling, ticks + 1)
               : 0;
}

/* The program sleeps through this; switching to it twice per read would show in runs that poll. */
static void take_sample(void *context, uint64_t ticks) {
    struct program *program = context;
    struct tigon_board *board = program->host->board;
    if (program == program->host->poller) {
        poll_sample(program, ticks);
        return;
    }
    board->now = ticks;
    program->read_value = tigon_window_host_read(board, program->read_offset);
    schedule(program, program->read_end);
}

uint32_t tigon_host_read32(struct tigon_host *host, uint32_t offset) {
    struct program *program = running(host, "tigon_host_read32");
    const uint64_t cost = tigon_ticks_from_ns(host->knobs.host_read_ns);
    const uint64_t start = reserve(host, cost);
    /* The board is asked half-way, but not before every earlier write has arrived: reads push
     * writes ahead. */
    uint64_t sample = start + cost / 2;
    if (host->posted_count && sample <= host->last_arrival)
        sample = host->last_arrival + 1;
    const uint64_t end = sample + (cost - cost / 2);
    if (host->cpu_free < end)
        host->cpu_free = end;
    program->read_offset = offset;
    program->read_end = end;
    tigon_schedule_at(host->board->schedule, &program->sample, sample);
    block(program, TIGON_PROGRAM_BUSY);
    return program->read_value;
}

uint32_t tigon_host_poll32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                           uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                           uint64_t *turns) {
    struct program *program = running(host, "tigon_host_poll32");
    const uint64_t read = tigon_ticks_from_ns(host->knobs.host_read_ns);
    const uint64_t spend = tigon_ticks_from_ns(spend_ns);
    const uint64_t until = tigon_ticks_from_ns(until_ns);
    uint32_t address;
    if (host->live > 1 || host->cpu_free > now(host) || spend + read == 0 || *turns <= 1) {
        use_cpu(program, spend);
        *turns = 1;
        return tigon_host_read32(host, offset);
    }
    struct polling *polling = &program->polling;
    *polling = (struct polling){.offset = offset,
                                .mask = mask,
                                .unchanged = unchanged,
                                .spend = spend,
                                .half = read / 2,
                                .rest = read - read / 2,
                                .begin = now(host),
                                .limit = *turns < POLL_TURNS ? *turns : POLL_TURNS};
    polling->sample = polling->begin + spend + polling->half;
    /* As in tigon_host_read32. Writes arrive before the first sample, so later ones need not wait.
     */
    if (host->posted_count && polling->sample <= host->last_arrival)
        polling->sample = host->last_arrival + 1;
    const uint64_t first_end = polling->sample + polling->rest;
    if (until <= first_end)
        polling->limit = 1;
    else if ((until - first_end - 1) / (spend + read) + 2 < polling->limit)
        polling->limit = (until - first_end - 1) / (spend + read) + 2;
    host->poller = program;
    if (finds_nothing(host, polling, &address))
        start_watching(program, address);
    else
        tigon_schedule_at(host->board->schedule, &program->sample, polling->sample);
    block(program, TIGON_PROGRAM_POLLS_BOARD);
    if (polling->read_left) {
        polling->value = tigon_host_read32(host, offset);
        polling->turns++;
    }
    *turns = polling->turns;
    return polling->value;
}

/* -------------------------------------------------------------------------------------------------
 * Time */

void tigon_host_spend_ns(struct tigon_host *host, uint64_t ns) {
    use_cpu(running(host, "tigon_host_spend_ns"), tigon_ticks_from_ns(ns));
}

void tigon_host_sleep_ns(struct tigon_host *host, uint64_t ns) {
    struct program *program = running(host, "tigon_host_sleep_ns");
    schedule(program, tigon_add_ticks(now(host), tigon_ticks_from_ns(ns)));
    block(program, TIGON_PROGRAM_ASLEEP);
}

void tigon_host_yield(struct tigon_host *host) {
    struct program *program = running(host, "tigon_host_yield");
    schedule(program, now(host));
    block(program, TIGON_PROGRAM_ASLEEP);
}

uint64_t tigon_host_now_ns(const struct tigon_host *host) {
    return tigon_ns_from_ticks(now(host));
}

uint64_t tigon_host_now_ps(const struct tigon_host *host) {
    return tigon_ps_from_ticks(now(host));
}

/* Blocks until woken or until `timeout_ns` passed; true if woken. */
static bool wait_for(struct program *program, enum tigon_program_state waiting,
                     uint64_t timeout_ns) {
    const uint64_t end = tigon_add_ticks(now(program->host), tigon_ticks_from_ns(timeout_ns));
    program->woken = false;
    if (end != TIGON_NEVER)
        schedule(program, end);
    block(program, waiting);
    return program->woken;
}

bool tigon_host_wait_interrupt(struct tigon_host *host, uint64_t timeout_ns) {
    struct program *program = running(host, "tigon_host_wait_interrupt");
    if (!tigon_host_interrupt_line(host->board) &&
        !wait_for(program, TIGON_PROGRAM_INTERRUPT, timeout_ns))
        return false;
    use_cpu(program, tigon_ticks_from_ns(host->knobs.host_interrupt_ns));
    return true;
}

void tigon_host_interrupted(struct tigon_host *host, uint64_t ticks) {
    for (size_t i = 0; host && i < host->program_count; i++) {
        struct program *program = host->programs[i];
        if (program->finished || program->waiting != TIGON_PROGRAM_INTERRUPT || program->woken)
            continue;
        program->woken = true;
        schedule(program, ticks);
    }
}

uint64_t tigon_host_write_count(const struct tigon_host *host) {
    return host->written;
}

bool tigon_host_poll(struct tigon_host *host, const void *memory, size_t length, uint64_t seen,
                     uint64_t interval_ns, uint64_t timeout_ns) {
    struct program *program = running(host, "tigon_host_poll");
    if (interval_ns == 0)
        interval_ns = 1;
    if (host->written == seen) {
        program->poll_first = tigon_host_bus_address(host, memory);
        program->poll_last = program->poll_first + (length ? length - 1 : 0);
        program->poll_start = now(host);
        program->poll_interval = tigon_ticks_from_ns(interval_ns);
        return wait_for(program, TIGON_PROGRAM_POLLS_MEMORY, timeout_ns);
    }
    use_cpu(program, tigon_ticks_from_ns(interval_ns)); /* the turn that finds it */
    return true;
}

void tigon_host_memory_written(struct tigon_host *host, uint64_t bus_address, size_t length,
                               uint64_t ticks) {
    if (length == 0)
        return;
    host->written++;
    for (size_t i = 0; i < host->program_count; i++) {
        struct program *program = host->programs[i];
        if (program->finished || program->waiting != TIGON_PROGRAM_POLLS_MEMORY || program->woken)
            continue;
        if (bus_address > program->poll_last || bus_address + (length - 1) < program->poll_first)
            continue;
        /* The first turn of the loop at or after now; later if somebody else has the CPU then. */
        const uint64_t passed = ticks - program->poll_start;
        const uint64_t turns = (passed + program->poll_interval - 1) / program->poll_interval;
        uint64_t turn = program->poll_start + (turns ? turns : 1) * program->poll_interval;
        if (turn < host->cpu_free)
            turn = host->cpu_free;
        program->woken = true;
        schedule(program, turn);
    }
}

/* -----------------------------------------------------------------------------------------------
 * Small services */

struct tigon_board *tigon_host_board(const struct tigon_host *host) {
    return host->board;
}

struct tigon_world *tigon_host_world(const struct tigon_host *host) {
    return host->world;
}

struct tigon_host_pages *tigon_host_pages(struct tigon_host *host) {
    return &host->pages;
}

const struct tigon_host_pages *tigon_host_pages_seen(const struct tigon_host *host) {
    return &host->pages;
}

/* ---------------------------------------------------------------------------------------- Life and
 * death */

struct tigon_host *tigon_host_create(struct tigon_world *world, struct tigon_board *board,
                                     const struct tigon_knobs *knobs) {
    struct tigon_host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->world = world;
    host->board = board;
    host->knobs = *knobs;
    host->write_ticks = tigon_ticks_from_ns(knobs->host_write_ns);
    host->word_ticks = tigon_ticks_from_ns(knobs->host_burst_word_ns);
    host->arrival_ticks = tigon_ticks_from_ns(knobs->host_write_arrival_ns);
    if (tigon_host_pages_initialise(&host->pages, knobs)) {
        free(host);
        return NULL;
    }
    tigon_event_initialise(&host->arrival, arrive, host);
    return host;
}

void tigon_host_destroy(struct tigon_host *host) {
    if (!host)
        return;
    for (size_t i = 0; i < host->program_count; i++) {
        struct program *program = host->programs[i];
        tigon_schedule_cancel(host->board->schedule, &program->resume);
        tigon_schedule_cancel(host->board->schedule, &program->sample);
        tigon_coroutine_destroy(program->coroutine);
        free(program);
    }
    tigon_schedule_cancel(host->board->schedule, &host->arrival);
    free(host->programs);
    free(host->posted);
    tigon_host_pages_free(&host->pages);
    free(host);
}

/* What it waits for: which memory or register, or until when. */
static void describe_wait(const struct program *program, char *text, size_t size) {
    const unsigned long long until = tigon_ns_from_ticks(program->resume.ticks);
    text[0] = 0;
    if (program->waiting == TIGON_PROGRAM_POLLS_MEMORY)
        (void)snprintf(text, size, " %llX-%llX since %llu ns",
                       (unsigned long long)program->poll_first,
                       (unsigned long long)program->poll_last,
                       (unsigned long long)tigon_ns_from_ticks(program->poll_start));
    else if (program->waiting == TIGON_PROGRAM_POLLS_BOARD)
        (void)snprintf(text, size, " at %03X", program->polling.offset);
    if (tigon_event_pending(&program->resume)) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, size - used, " until %llu ns", until);
    }
}

int tigon_host_describe(const struct tigon_host *host, char *text, size_t size) {
    const char *verb = host->crashed ? "was" : "is";
    int total = 0;
    if (host->crashed)
        total = snprintf(text, size, "host %zu: crashed\n", tigon_board_index(host->board));
    for (size_t i = 0; i < host->program_count; i++) {
        const struct program *program = host->programs[i];
        char wait[128];
        if (program->finished)
            continue;
        const size_t used = (size_t)total < size ? (size_t)total : size;
        describe_wait(program, wait, sizeof wait);
        total += snprintf(text + used, size - used, "host %zu: program \"%s\" %s %s%s\n",
                          tigon_board_index(host->board), program->name, verb,
                          tigon_program_state_name(program->waiting), wait);
    }
    return total;
}
