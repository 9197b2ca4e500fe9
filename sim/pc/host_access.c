/* SPDX-License-Identifier: MIT */
/* How a host's program reaches its board: writes that are posted, reads, and polling. */
#include "sim/pc/host_cpu.h"
#include "sim/pc/host_program.h"

#define POLL_TURNS 65536u /* of one tigon_host_poll32 */

static inline __attribute__((always_inline)) void
write_words(struct tigon_host *host, uint32_t offset, const uint32_t *words, size_t count) {
    struct program *program = tigon_program_ahead(host, "tigon_host_write");
    const uint64_t cost = host->write_ticks + (count - 1) * host->word_ticks;
    const bool ahead = tigon_program_goes_ahead(program, cost, count);
    const uint64_t start = reserve(host, cost);
    /* Which of two things of one tick comes first shows nowhere when one is a write of SRAM or of
     * the window base, unless a device is at that very word at that tick. */
    const bool marked = ahead && !tigon_window_plain(offset, count);
    tigon_posted_add(&host->posted, marked ? start : 0, start + host->arrival_ticks,
                     host->word_ticks, offset, words, count);
    if (ahead)
        tigon_program_note_step(program, start, cost, offset, count);
    else
        tigon_program_block_until(program, start + cost);
}

void tigon_host_write_block(struct tigon_host *host, uint32_t offset, const uint32_t *words,
                            size_t count) {
    if (count != 0)
        write_words(host, offset, words, count);
}

void tigon_host_write32(struct tigon_host *host, uint32_t offset, uint32_t value) {
    write_words(host, offset, &value, 1);
}

static uint64_t period_of(const struct polling *polling) {
    return polling->spend + polling->half + polling->rest;
}

/* Samples from the next one up to, but not at, `ticks`. */
static uint64_t samples_before(const struct polling *polling, uint64_t ticks) {
    const uint64_t period = period_of(polling);
    return ticks > polling->sample ? (ticks - polling->sample + period - 1) / period : 0;
}

void tigon_host_stop_watching(struct tigon_host *host, uint64_t ticks) {
    struct polling *polling = &host->poller->polling;
    const uint64_t passed = samples_before(polling, ticks);
    tigon_memory_watch(&host->board->memory, TIGON_WATCH_NOTHING);
    polling->slot_taken = tigon_bus_host_end(&host->board->bus, ticks);
    host->board->statistics.host_register_reads += passed;
    polling->turns += passed;
    polling->sample += passed * period_of(polling);
    polling->begin = polling->sample - polling->half - polling->spend;
    polling->watching = false;
}

/* Something may have changed that samples from `ticks` on can see. Until the first of them the bus
 * goes on as before: it knows of that sample whether or not there is a watchpoint. */
static void changed(struct tigon_host *host, uint64_t ticks) {
    struct tigon_board *board = host->board;
    struct polling *polling = host->poller ? &host->poller->polling : NULL;
    if (!polling || !polling->watching || polling->changed || !board->knobs.host_poll_watchpoint)
        return;
    polling->changed = true;
    tigon_memory_watch(&board->memory, TIGON_WATCH_NOTHING);
    tigon_observers_polled(board->observers, board, ticks);
    tigon_schedule_at(board->schedule, &host->poller->sample,
                      polling->sample + samples_before(polling, ticks) * period_of(polling));
}

/* A sample comes before what a core does at its tick, and after what devices do. */
void tigon_host_window_changed(struct tigon_host *host) {
    if (host->board->accessing_core >= 0)
        changed(host, host->board->now + 1);
    else
        changed(host, host->board->now > now(host) ? host->board->now : now(host));
}

static void word_written(void *context, int core, uint64_t cycle) {
    struct tigon_host *host = context;
    if (core < 0) {
        tigon_host_window_changed(host);
        return;
    }
    host->board->accessing_core = core; /* so that an earlier event stops it in time */
    changed(host, tigon_ticks_from_cycles(cycle) + 1);
    host->board->accessing_core = -1;
}

/* The last sample before the program is to have an answer in any case. */
static uint64_t last_sample(const struct polling *polling) {
    return polling->sample + (polling->limit - polling->turns - 1) * period_of(polling);
}

/* Nothing new: the samples that follow only matter once something is written. The bus knows of all
 * of them. Without the knob each is an event of its own (still_unchanged). */
static void start_watching(struct program *program, uint32_t address) {
    struct tigon_board *board = program->host->board;
    struct polling *polling = &program->polling;
    if (board->knobs.host_poll_watchpoint) {
        tigon_memory_watch(&board->memory,
                           (address & board->memory.sram_mask) / TIGON_DECODE_GRANULE);
        board->memory.watcher = word_written;
        board->memory.watcher_context = program->host;
    }
    tigon_bus_host_begin(&board->bus, polling->sample, period_of(polling));
    polling->watching = true;
    polling->changed = false;
    tigon_schedule_at(board->schedule, &program->sample,
                      board->knobs.host_poll_watchpoint ? last_sample(polling) : polling->sample);
}

/* Without a watchpoint: whether a sample has nothing new, and another follows. */
static bool still_unchanged(struct program *program, uint64_t ticks) {
    struct tigon_board *board = program->host->board;
    const struct polling *polling = &program->polling;
    uint32_t address;
    if (board->knobs.host_poll_watchpoint || ticks >= last_sample(polling) ||
        !tigon_window_sram(board, polling->offset, &address) ||
        (tigon_memory_read32(&board->memory, address) & polling->mask) != polling->unchanged)
        return false;
    tigon_schedule_at(board->schedule, &program->sample, ticks + period_of(polling));
    return true;
}

static void poll_sample(struct program *program, uint64_t ticks) {
    struct tigon_host *host = program->host;
    struct polling *polling = &program->polling;
    uint32_t address;
    if (polling->watching) {
        if (still_unchanged(program, ticks))
            return;
        tigon_host_stop_watching(host, ticks);
    }
    host->board->now = ticks;
    polling->value = polling->slot_taken ? tigon_window_host_look(host->board, polling->offset)
                                         : tigon_window_host_read(host->board, polling->offset);
    polling->slot_taken = false;
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
    tigon_program_schedule(program, polling->begin);
}

void tigon_host_step_by_step(struct tigon_host *host) {
    struct program *program = host->poller;
    if (!program)
        return;
    struct polling *polling = &program->polling;
    if (polling->watching)
        tigon_host_stop_watching(host, now(host));
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
    tigon_schedule_cancel(host->board->schedule, &program->shows);
    tigon_program_schedule(program, host->cpu_free);
}

uint64_t tigon_host_reads_passed(const struct tigon_host *host, uint64_t ticks) {
    return host->poller && host->poller->polling.watching
               ? samples_before(&host->poller->polling, ticks + 1)
               : 0;
}

/* Whether the program can poll without being woken: what others of the host want comes in between.
 */
static bool may_poll(const struct tigon_host *host, uint64_t spend, uint64_t turns) {
    return host->live == 1 && host->cpu_free <= now(host) && spend + host->read_ticks != 0 &&
           turns > 1;
}

/* Begins, at `begin`, the turns that are described in program->polling. */
static void begin_polling(struct program *program, uint64_t begin) {
    struct tigon_host *host = program->host;
    struct polling *polling = &program->polling;
    const uint64_t read = host->read_ticks, until = polling->until;
    polling->half = read / 2;
    polling->rest = read - read / 2;
    polling->begin = begin;
    polling->sample = polling->begin + polling->spend + polling->half;
    /* As in tigon_host_read32. Writes arrive before the first sample, so later ones need not wait.
     */
    if (host->posted.count && polling->sample <= host->posted.last)
        polling->sample = host->posted.last + 1;
    const uint64_t first_end = polling->sample + polling->rest;
    if (polling->limit > POLL_TURNS)
        polling->limit = POLL_TURNS;
    if (until <= first_end)
        polling->limit = 1;
    else if ((until - first_end - 1) / (polling->spend + read) + 2 < polling->limit)
        polling->limit = (until - first_end - 1) / (polling->spend + read) + 2;
    host->poller = program;
    tigon_schedule_at(host->board->schedule, &program->sample, polling->sample);
}

/* Whether the program, when its read is over, would find nothing new and poll, and may. Nobody else
 * can come to want the CPU until then without tigon_host_step_by_step(). */
static bool polls_on(const struct program *program) {
    const struct polling *polling = &program->polling;
    return program->awaits && program->host->live == 1 && polling->limit > 1 &&
           polling->until > program->read_end &&
           (program->read_value & polling->mask) == polling->unchanged;
}

/* The program sleeps through this; switching to it twice per read would show in runs that poll. */
void tigon_program_sample(void *context, uint64_t ticks) {
    struct program *program = context;
    struct tigon_board *board = program->host->board;
    if (program == program->host->poller) {
        poll_sample(program, ticks);
        return;
    }
    board->now = ticks;
    program->read_value = tigon_window_host_read(board, program->read_offset);
    if (polls_on(program)) {
        begin_polling(program, program->read_end);
        tigon_program_waits_from(program, TIGON_PROGRAM_POLLS_BOARD, program->read_end);
    } else {
        tigon_program_schedule(program, program->read_end);
    }
}

/* Where programs wait most: in line, so that there are few functions to return from after it. */
static inline __attribute__((always_inline)) uint32_t read32(struct tigon_host *host,
                                                             uint32_t offset) {
    struct program *program = tigon_program_ahead(host, "tigon_host_read32");
    const uint64_t cost = host->read_ticks;
    const bool ahead = tigon_program_goes_ahead(program, cost, 0);
    const uint64_t start = reserve(host, cost);
    if (ahead)
        tigon_program_note_step(program, start, 0, 0, 0);
    /* The board is asked half-way, but not before every earlier write has arrived: reads push
     * writes ahead. */
    uint64_t sample = start + cost / 2;
    if (host->posted.count && sample <= host->posted.last)
        sample = host->posted.last + 1;
    const uint64_t end = sample + (cost - cost / 2);
    if (host->cpu_free < end)
        host->cpu_free = end;
    program->read_offset = offset;
    program->read_end = end;
    tigon_schedule_at(host->board->schedule, &program->sample, sample);
    tigon_program_block(program, TIGON_PROGRAM_BUSY);
    if (ahead && tigon_program_make_up(program))
        return tigon_host_read32(host, offset); /* it was taken back, too */
    return program->read_value;
}

uint32_t tigon_host_read32(struct tigon_host *host, uint32_t offset) {
    return read32(host, offset);
}

/* Of a program that has polled. */
static uint32_t polled(struct program *program, uint64_t *turns) {
    struct polling *polling = &program->polling;
    if (polling->read_left) {
        polling->value = tigon_host_read32(program->host, polling->offset);
        polling->turns++;
    }
    *turns = polling->turns;
    return polling->value;
}

/* What is not set here begin_polling() sets. One by one: clearing it as a whole takes longer. */
static inline void set_polling(struct polling *polling, uint32_t offset, uint32_t mask,
                               uint32_t unchanged, uint64_t spend, uint64_t until, uint64_t limit) {
    polling->offset = offset;
    polling->mask = mask;
    polling->unchanged = unchanged;
    polling->value = 0;
    polling->spend = spend;
    polling->until = until;
    polling->limit = limit;
    polling->turns = 0;
    polling->watching = polling->slot_taken = polling->single = polling->read_left = false;
}

uint32_t tigon_host_poll32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                           uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                           uint64_t *turns) {
    struct program *program = tigon_program_running(host, "tigon_host_poll32");
    const uint64_t spend = tigon_ticks_from_ns(spend_ns);
    if (!may_poll(host, spend, *turns)) {
        tigon_program_use_cpu(program, spend);
        *turns = 1;
        return tigon_host_read32(host, offset);
    }
    set_polling(&program->polling, offset, mask, unchanged, spend, tigon_ticks_from_ns(until_ns),
                *turns);
    begin_polling(program, now(host));
    tigon_program_block(program, TIGON_PROGRAM_POLLS_BOARD);
    return polled(program, turns);
}

uint32_t tigon_host_await32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                            uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                            uint64_t *turns) {
    struct program *program = tigon_program_ahead(host, "tigon_host_await32");
    set_polling(&program->polling, offset, mask, unchanged, tigon_ticks_from_ns(spend_ns),
                tigon_ticks_from_ns(until_ns), *turns - 1);
    program->awaits = true;
    uint32_t value = read32(host, offset);
    program->awaits = false;
    *turns = 0;
    if (program->polling.turns != 0 || program->polling.read_left)
        value = polled(program, turns);
    ++*turns; /* of the read */
    return value;
}
