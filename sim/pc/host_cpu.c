/* SPDX-License-Identifier: MIT */
/*
 * Hosts: memory, one CPU in virtual time, and programs as coroutines.
 *
 * A program runs on its own stack and gives control back only inside the functions of
 * tigon.h, so the world needs no locks and every interleaving is decided by virtual time. The host
 * CPU is a reservation: a piece of work takes it from the tick at which it is free, in the order of
 * asking.
 */
#include "sim/pc/host_cpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/abort.h"
#include "sim/base/coroutine.h"
#include "sim/pc/host_program.h"

/* -------------------------------------------------------------------------------------------
 * Programs */

void tigon_program_show(struct program *program, enum tigon_program_state state) {
    const struct tigon_host *host = program->host;
    program->shown = state;
    tigon_observers_program(host->board->observers, host->board, program->index, program->name,
                            state, now(host));
}

static void catch_up(struct program *program);

static void count_finished(struct tigon_host *host) {
    host->services->programs_finished++;
    host->services->programs_changed(host->services->world);
}

static void program_main(void *argument) {
    struct program *program = argument;
    struct tigon_host *host = program->host;
    program->result = program->function(host, program->argument);
    catch_up(program);
    host->ahead = NULL;
    if (!host->crashed) {
        program->finished = true;
        tigon_program_tell(program, TIGON_PROGRAM_FINISHED);
        host->live--;
        count_finished(host);
    }
    tigon_program_switch_to_world(program, true);
}

static void resume(void *context, uint64_t ticks) {
    struct program *program = context;
    if (__builtin_expect(ticks < program->resume_ticks, 0)) { /* a mark */
        tigon_schedule_at(program->host->board->schedule, &program->resume, program->resume_ticks);
        return;
    }
    program->host->current = program;
    tigon_coroutine_enter(program->coroutine);
    program->host->current = NULL;
}

struct program *tigon_program_not_now(struct tigon_host *host, const char *what) {
    if (!host->current)
        tigon_abort("%s called outside a program of its host", what);
    while (host->crashed) /* by the last action of this program; it ends here */
        tigon_program_switch_to_world(host->current, false);
    return host->current;
}

struct program *tigon_program_running(struct tigon_host *host, const char *what) {
    struct program *program = tigon_program_ahead(host, what);
    catch_up(program);
    return program;
}

/* Ends a wait at `ticks`; the event that does is scheduled at `mark`. */
static void schedule_marked(struct program *program, uint64_t mark, uint64_t ticks) {
    if (program->host->crashed)
        return;
    program->resume_ticks = ticks;
    tigon_schedule_at(program->host->board->schedule, &program->resume,
                      mark > now(program->host) ? mark : ticks);
}

void tigon_program_schedule(struct program *program, uint64_t ticks) {
    schedule_marked(program, 0, ticks);
}

/* The condition that the program waits for may become true. */
static void show_wait(void *context, uint64_t ticks) {
    struct program *program = context;
    (void)ticks;
    tigon_program_tell(program, program->waiting);
}

void tigon_program_waits_from(struct program *program, enum tigon_program_state waiting,
                              uint64_t ticks) {
    program->waiting = waiting;
    if (program->host->board->observers->count != 0)
        tigon_schedule_at(program->host->board->schedule, &program->shows, ticks);
    else
        program->shown = waiting;
}

void tigon_program_block_until(struct program *program, uint64_t ticks) {
    tigon_program_schedule(program, ticks);
    tigon_program_block(program, TIGON_PROGRAM_BUSY);
}

bool tigon_program_makes_room(struct program *program, uint64_t ticks, size_t words) {
    catch_up(program);
    return ticks <= LONGEST_STEP && words <= WORDS_AHEAD && program->host->ahead == program;
}

/* Somebody else may want the CPU from now on. */
static void fall_back(struct tigon_host *host) {
    struct program *program = host->ahead;
    if (!program)
        return;
    if (host->current == program) /* the program itself, so no other program runs before that */
        catch_up(program);
    struct ahead *ahead = &program->ahead;
    host->ahead = NULL;
    while (ahead->kept != 0 && ahead->steps[ahead->kept - 1].begin >= now(host)) {
        const struct step *step = &ahead->steps[--ahead->kept];
        ahead->words -= step->words;
        if (step->words)
            tigon_posted_take_back(&host->posted, ahead->values + ahead->words, step->words);
        host->cpu_free = step->begin;
    }
    if (ahead->kept == ahead->count)
        return;
    tigon_schedule_cancel(host->board->schedule, &program->sample);
    tigon_program_schedule(program, host->cpu_free);
}

bool tigon_program_make_up(struct program *program) {
    struct ahead *ahead = &program->ahead;
    const unsigned count = ahead->count, kept = ahead->kept;
    const uint32_t *values = ahead->values + ahead->words;
    ahead->count = ahead->kept = 0;
    ahead->words = 0;
    for (unsigned i = kept; i < count; i++) {
        const struct step *step = &ahead->steps[i];
        if (step->words)
            tigon_host_write_block(program->host, step->offset, values, step->words);
        else
            tigon_program_use_cpu(program, step->ticks);
        values += step->words;
    }
    return kept != count;
}

static void catch_up(struct program *program) {
    const struct ahead *ahead = &program->ahead;
    if (ahead->count == 0)
        return;
    schedule_marked(program, ahead->steps[ahead->count - 1].begin, program->host->cpu_free);
    tigon_program_block(program, TIGON_PROGRAM_BUSY);
    (void)tigon_program_make_up(program);
}

void tigon_program_use_cpu(struct program *program, uint64_t ticks) {
    struct tigon_host *host = program->host;
    if (ticks && tigon_program_goes_ahead(program, ticks, 0)) {
        tigon_program_note_step(program, reserve(host, ticks), ticks, 0, 0);
        return;
    }
    const uint64_t slice = tigon_ticks_from_ns(host->knobs.host_slice_ns);
    while (ticks) {
        const uint64_t piece = host->live > 1 && ticks > slice ? slice : ticks;
        reserve(host, piece);
        tigon_program_block_until(program, host->cpu_free);
        ticks -= piece;
    }
}

int tigon_host_start(struct tigon_host *host, const char *name, tigon_program function,
                     void *argument) {
    if (host->crashed)
        return -EHOSTDOWN;
    fall_back(host);
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
    tigon_event_initialise(&program->sample, tigon_program_sample, program);
    tigon_event_initialise(&program->shows, show_wait, program);
    tigon_host_step_by_step(host);
    tigon_program_schedule(program, now(host));
    tigon_program_tell(program, TIGON_PROGRAM_READY);
    host->live++;
    host->services->programs++;
    host->services->programs_changed(host->services->world);
    return (int)host->program_count++;
}

void tigon_host_crash(struct tigon_host *host) {
    if (host->crashed)
        return;
    fall_back(host);
    if (host->poller && host->poller->polling.watching)
        tigon_host_stop_watching(host, now(host));
    host->poller = NULL;
    for (size_t i = 0; i < host->program_count; i++) {
        struct program *program = host->programs[i];
        if (program->finished)
            continue;
        tigon_schedule_cancel(host->board->schedule, &program->resume);
        tigon_schedule_cancel(host->board->schedule, &program->sample);
        tigon_schedule_cancel(host->board->schedule, &program->shows);
        tigon_program_tell(program, TIGON_PROGRAM_FINISHED);
        count_finished(host);
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

/* -------------------------------------------------------------------------------------------------
 * Time */

void tigon_host_spend_ns(struct tigon_host *host, uint64_t ns) {
    tigon_program_use_cpu(tigon_program_ahead(host, "tigon_host_spend_ns"),
                          tigon_ticks_from_ns(ns));
}

void tigon_host_sleep_ns(struct tigon_host *host, uint64_t ns) {
    struct program *program = tigon_program_running(host, "tigon_host_sleep_ns");
    tigon_program_schedule(program, tigon_add_ticks(now(host), tigon_ticks_from_ns(ns)));
    tigon_program_block(program, TIGON_PROGRAM_ASLEEP);
}

void tigon_host_yield(struct tigon_host *host) {
    struct program *program = tigon_program_running(host, "tigon_host_yield");
    tigon_program_schedule(program, now(host));
    tigon_program_block(program, TIGON_PROGRAM_ASLEEP);
}

void tigon_host_run_ahead(struct tigon_host *host) {
    struct program *program = tigon_program_running(host, "tigon_host_run_ahead");
    /* Only if every write arrives, and every read ends, later than it begins. */
    if (host->board->knobs.host_run_ahead && host->live == 1 && host->arrival_ticks != 0 &&
        host->read_ticks > 1)
        host->ahead = program;
}

void tigon_host_catch_up(struct tigon_host *host) {
    (void)tigon_program_running(host, "tigon_host_catch_up");
    host->ahead = NULL;
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
        tigon_program_schedule(program, end);
    tigon_program_block(program, waiting);
    return program->woken;
}

bool tigon_host_wait_interrupt(struct tigon_host *host, uint64_t timeout_ns) {
    struct program *program = tigon_program_running(host, "tigon_host_wait_interrupt");
    if (!tigon_host_interrupt_line(host->board) &&
        !wait_for(program, TIGON_PROGRAM_INTERRUPT, timeout_ns))
        return false;
    tigon_program_use_cpu(program, tigon_ticks_from_ns(host->knobs.host_interrupt_ns));
    return true;
}

static void interrupted(struct tigon_host *host, uint64_t ticks) {
    for (size_t i = 0; i < host->program_count; i++) {
        struct program *program = host->programs[i];
        if (program->finished || program->waiting != TIGON_PROGRAM_INTERRUPT || program->woken)
            continue;
        program->woken = true;
        tigon_program_schedule(program, ticks);
    }
}

uint64_t tigon_host_write_count(const struct tigon_host *host) {
    return host->written;
}

bool tigon_host_poll(struct tigon_host *host, const void *memory, size_t length, uint64_t seen,
                     uint64_t interval_ns, uint64_t timeout_ns) {
    struct program *program = tigon_program_running(host, "tigon_host_poll");
    if (interval_ns == 0)
        interval_ns = 1;
    if (host->written == seen) {
        program->poll_first = tigon_host_bus_address(host, memory);
        program->poll_last = program->poll_first + (length ? length - 1 : 0);
        program->poll_start = now(host);
        program->poll_interval = tigon_ticks_from_ns(interval_ns);
        return wait_for(program, TIGON_PROGRAM_POLLS_MEMORY, timeout_ns);
    }
    tigon_program_use_cpu(program, tigon_ticks_from_ns(interval_ns)); /* the turn that finds it */
    return true;
}

static void memory_written(struct tigon_host *host, uint64_t bus_address, size_t length,
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
        tigon_program_schedule(program, turn);
    }
}

/* -----------------------------------------------------------------------------------------------
 * Small services */

struct tigon_board *tigon_host_board(const struct tigon_host *host) {
    return host->board;
}

struct tigon_world *tigon_host_world(const struct tigon_host *host) {
    return host->services->world;
}

struct tigon_host_pages *tigon_host_pages(struct tigon_host *host) {
    return &host->pages;
}

const struct tigon_host_pages *tigon_host_pages_seen(const struct tigon_host *host) {
    return &host->pages;
}

/* ---------------------------------------------------------------------------------------- Life and
 * death */

struct tigon_host *tigon_host_create(struct tigon_services *services, struct tigon_board *board,
                                     const struct tigon_knobs *knobs) {
    struct tigon_host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->services = services;
    host->clock = &services->now;
    host->board = board;
    host->knobs = *knobs;
    host->write_ticks = tigon_ticks_from_ns(knobs->host_write_ns);
    host->word_ticks = tigon_ticks_from_ns(knobs->host_burst_word_ns);
    host->arrival_ticks = tigon_ticks_from_ns(knobs->host_write_arrival_ns);
    host->read_ticks = tigon_ticks_from_ns(knobs->host_read_ns);
    if (tigon_host_pages_initialise(&host->pages, knobs)) {
        free(host);
        return NULL;
    }
    tigon_posted_initialise(&host->posted, board);
    board->host_side = (struct tigon_host_side){.host = host,
                                                .memory = host->pages.memory,
                                                .interrupted = interrupted,
                                                .memory_written = memory_written,
                                                .window_changed = tigon_host_window_changed,
                                                .reads_passed = tigon_host_reads_passed};
    return host;
}

void tigon_host_destroy(struct tigon_host *host) {
    if (!host)
        return;
    for (size_t i = 0; i < host->program_count; i++) {
        struct program *program = host->programs[i];
        tigon_schedule_cancel(host->board->schedule, &program->resume);
        tigon_schedule_cancel(host->board->schedule, &program->sample);
        tigon_schedule_cancel(host->board->schedule, &program->shows);
        tigon_coroutine_destroy(program->coroutine);
        free(program);
    }
    tigon_posted_free(&host->posted);
    free(host->programs);
    tigon_host_pages_free(&host->pages);
    free(host);
}

/* The condition that a program waits for, and the tick of its end, never if unknown. */
struct wait {
    enum tigon_program_state state;
    uint64_t end;
};

static struct wait wait_of(const struct program *program) {
    const struct ahead *ahead = &program->ahead;
    const struct polling *polling = &program->polling;
    for (unsigned i = 0; i < ahead->kept; i++) { /* runs ahead: the step that is under way */
        const struct step *step = &ahead->steps[i];
        if (step->ticks != 0 && step->begin + step->ticks > now(program->host))
            return (struct wait){TIGON_PROGRAM_BUSY, step->begin + step->ticks};
    }
    if (program == program->host->poller && now(program->host) < polling->begin &&
        polling->turns == 0) /* reads before it polls */
        return (struct wait){TIGON_PROGRAM_BUSY, polling->begin};
    return (struct wait){program->waiting, tigon_event_pending(&program->resume)
                                               ? program->resume_ticks
                                               : TIGON_NEVER};
}

static void describe_wait(const struct program *program, char *text, size_t size) {
    const struct wait wait = wait_of(program);
    size_t used = (size_t)snprintf(text, size, "%s", tigon_program_state_name(wait.state));
    if (wait.state == TIGON_PROGRAM_POLLS_MEMORY)
        used += (size_t)snprintf(text + used, size - used, " %llX-%llX since %llu ns",
                                 (unsigned long long)program->poll_first,
                                 (unsigned long long)program->poll_last,
                                 (unsigned long long)tigon_ns_from_ticks(program->poll_start));
    else if (wait.state == TIGON_PROGRAM_POLLS_BOARD)
        used += (size_t)snprintf(text + used, size - used, " at %03X", program->polling.offset);
    if (wait.end != TIGON_NEVER)
        (void)snprintf(text + used, size - used, " until %llu ns",
                       (unsigned long long)tigon_ns_from_ticks(wait.end));
}

int tigon_host_describe(const struct tigon_host *host, char *text, size_t size) {
    const char *verb = host->crashed ? "was" : "is";
    int total = 0;
    if (host->crashed)
        total = snprintf(text, size, "host %zu: crashed\n", tigon_board_index(host->board));
    for (size_t i = 0; i < host->program_count; i++) {
        const struct program *program = host->programs[i];
        char wait[160];
        if (program->finished)
            continue;
        const size_t used = (size_t)total < size ? (size_t)total : size;
        describe_wait(program, wait, sizeof wait);
        total += snprintf(text + used, size - used, "host %zu: program \"%s\" %s %s\n",
                          tigon_board_index(host->board), program->name, verb, wait);
    }
    return total;
}
