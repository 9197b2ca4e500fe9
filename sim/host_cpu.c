/*
 * Hosts: memory, one CPU in virtual time, and programs as coroutines.
 *
 * A program runs on its own stack and gives control back only inside the functions of
 * tigon.h, so the world needs no locks and every interleaving is decided by virtual time. The host
 * CPU is a reservation: a piece of work takes it from the tick at which it is free, in the order of
 * asking.
 */
#undef _FORTIFY_SOURCE /* its longjmp takes a jump between stacks for an error */
#include "sim/host_cpu.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/abort.h"
#include "sim/board.h"
#include "sim/world.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef HAVE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define PAGE_BYTES 4096u

enum waiting { WAITING_NOT, WAITING_TIME, WAITING_INTERRUPT, WAITING_MEMORY };

static const char *const waiting_names[] = {"ready", "waiting for time", "waiting for an interrupt",
                                            "polling memory"};

struct program {
    struct tigon_host *host;
    struct tigon_event resume;
    struct tigon_event sample; /* a register read reaches the board */
    uint32_t read_offset;
    uint32_t read_value;
    uint64_t read_end;
    char name[48];
    tigon_program function;
    void *argument;
    int result;
    bool finished;
    enum waiting waiting;
    bool woken;          /* by what it waited for, not by its timeout */
    uint64_t poll_first; /* bus address range polled */
    uint64_t poll_last;
    uint64_t poll_start; /* ticks */
    uint64_t poll_interval;
    ucontext_t context; /* where it begins; with the sanitizer, where it goes on */
    jmp_buf jump;       /* where it goes on */
    bool entered;
    void *stack; /* lowest address of the mapping, a guard page */
    size_t stack_bytes;
    void *fake_stack; /* of the sanitizer */
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
    uint8_t *memory;
    size_t memory_bytes;
    size_t next_page;    /* of contiguous allocation */
    size_t scattered;    /* pages given out of the upper half */
    size_t scatter_step; /* coprime to the number of pages there */
    uint64_t written;

    struct program **programs;
    size_t program_count;
    size_t live;
    struct program *current;
    uint64_t cpu_free; /* tick */

    struct posted_write *posted; /* ring buffer, oldest at posted_first */
    size_t posted_first;
    size_t posted_count;
    size_t posted_capacity;
    uint64_t last_arrival;
    struct tigon_event arrival;

    ucontext_t caller; /* the world's stack while a program runs */
    jmp_buf caller_jump;
    void *caller_fake_stack;
    const void *caller_stack;
    size_t caller_stack_bytes;
};

static uint64_t now(const struct tigon_host *host) {
    return tigon_world_now_ticks(host->world);
}

/* -------------------------------------------------------------------------------------------
 * Coroutines */

/*
 * Switching is swapcontext where the sanitizer watches stacks. Elsewhere ucontext only makes the
 * stack and enters it; after that _setjmp and _longjmp go between the stacks, because swapcontext
 * costs a system call each time to keep a signal mask that never changes, which was half the time
 * of a run with a polling host.
 */
#ifdef HAVE_ADDRESS_SANITIZER
static void switch_to_program(struct tigon_host *host, struct program *program) {
    host->current = program;
    __sanitizer_start_switch_fiber(&host->caller_fake_stack, (char *)program->stack + PAGE_BYTES,
                                   program->stack_bytes);
    swapcontext(&host->caller, &program->context);
    __sanitizer_finish_switch_fiber(host->caller_fake_stack, NULL, NULL);
    host->current = NULL;
}

/* Gives control back to the world; returns when the program's event fires. */
static void switch_to_world(struct program *program, bool for_good) {
    struct tigon_host *host = program->host;
    /* No place to save to tells the sanitizer to free what it keeps for a stack that ends here. */
    __sanitizer_start_switch_fiber(for_good ? NULL : &program->fake_stack, host->caller_stack,
                                   host->caller_stack_bytes);
    swapcontext(&program->context, &host->caller);
    __sanitizer_finish_switch_fiber(program->fake_stack, &host->caller_stack,
                                    &host->caller_stack_bytes);
}
#else
static void switch_to_program(struct tigon_host *host, struct program *program) {
    host->current = program;
    if (_setjmp(host->caller_jump) == 0) {
        if (program->entered)
            _longjmp(program->jump, 1);
        program->entered = true;
        setcontext(&program->context);
    }
    host->current = NULL;
}

/* Gives control back to the world; returns when the program's event fires. */
static void switch_to_world(struct program *program, bool for_good) {
    (void)for_good;
    if (_setjmp(program->jump) == 0)
        _longjmp(program->host->caller_jump, 1);
}
#endif

static void program_main(unsigned high, unsigned low) {
    struct program *program = (struct program *)((uintptr_t)high << 32 | (uintptr_t)low);
    struct tigon_host *host = program->host;
#ifdef HAVE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(NULL, &host->caller_stack, &host->caller_stack_bytes);
#endif
    program->result = program->function(host, program->argument);
    program->finished = true;
    host->live--;
    tigon_world_program_finished(host->world);
    switch_to_world(program, true);
}

static void resume(void *context, uint64_t ticks) {
    struct program *program = context;
    (void)ticks;
    switch_to_program(program->host, program);
}

/* The running program, for functions that only make sense inside one. */
static struct program *running(struct tigon_host *host, const char *what) {
    if (!host->current)
        tigon_abort("%s called outside a program of its host", what);
    return host->current;
}

static void schedule(struct program *program, uint64_t ticks) {
    tigon_schedule_at(program->host->board->schedule, &program->resume, ticks);
}

static void block(struct program *program, enum waiting waiting) {
    program->waiting = waiting;
    switch_to_world(program, false);
    program->waiting = WAITING_NOT;
}

static void block_until(struct program *program, uint64_t ticks) {
    schedule(program, ticks);
    block(program, WAITING_TIME);
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

int tigon_host_start(struct tigon_host *host, const char *name, tigon_program function,
                     void *argument) {
    struct program *program = calloc(1, sizeof *program);
    struct program **programs =
        realloc(host->programs, (host->program_count + 1) * sizeof(struct program *));
    if (!program || !programs)
        tigon_abort("out of memory for program %s", name);
    host->programs = programs;
    host->programs[host->program_count] = program;
    program->host = host;
    program->function = function;
    program->argument = argument;
    snprintf(program->name, sizeof program->name, "%s", name);
    program->stack_bytes =
        (host->knobs.host_stack_bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    program->stack = mmap(NULL, program->stack_bytes + PAGE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (program->stack == MAP_FAILED || mprotect(program->stack, PAGE_BYTES, PROT_NONE) != 0)
        tigon_abort("no stack for program %s: %s", name, strerror(errno));
    getcontext(&program->context);
    program->context.uc_stack.ss_sp = (char *)program->stack + PAGE_BYTES;
    program->context.uc_stack.ss_size = program->stack_bytes;
    program->context.uc_link = NULL;
    const uintptr_t self = (uintptr_t)program;
    makecontext(&program->context, (void (*)(void))program_main, 2, (unsigned)(self >> 32),
                (unsigned)(self & 0xFFFFFFFFu));
    tigon_event_initialise(&program->resume, resume, program);
    tigon_event_initialise(&program->sample, take_sample, program);
    schedule(program, now(host));
    host->live++;
    tigon_world_program_started(host->world);
    return (int)host->program_count++;
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

static void arrive(void *context, uint64_t ticks) {
    struct tigon_host *host = context;
    const struct posted_write write = host->posted[host->posted_first];
    host->posted_first = (host->posted_first + 1) % host->posted_capacity;
    host->posted_count--;
    if (host->posted_count)
        tigon_schedule_at(host->board->schedule, &host->arrival,
                          host->posted[host->posted_first].ticks);
    host->board->now = ticks;
    tigon_window_host_write(host->board, write.offset, write.value);
}

static void post(struct tigon_host *host, uint64_t ticks, uint32_t offset, uint32_t value) {
    if (host->posted_count == host->posted_capacity) {
        const size_t capacity = host->posted_capacity ? host->posted_capacity * 2 : 64;
        struct posted_write *larger = malloc(capacity * sizeof *larger);
        if (!larger)
            tigon_abort("out of memory for posted writes");
        for (size_t i = 0; i < host->posted_count; i++)
            larger[i] = host->posted[(host->posted_first + i) % host->posted_capacity];
        free(host->posted);
        host->posted = larger;
        host->posted_first = 0;
        host->posted_capacity = capacity;
    }
    if (ticks < host->last_arrival)
        ticks = host->last_arrival; /* a bus keeps posted writes in order */
    host->last_arrival = ticks;
    host->posted[(host->posted_first + host->posted_count) % host->posted_capacity] =
        (struct posted_write){ticks, offset, value};
    if (host->posted_count++ == 0)
        tigon_schedule_at(host->board->schedule, &host->arrival, ticks);
}

void tigon_host_write_block(struct tigon_host *host, uint32_t offset, const uint32_t *words,
                            size_t count) {
    struct program *program = running(host, "tigon_host_write");
    const uint64_t word_ticks = tigon_ticks_from_ns(host->knobs.host_burst_word_ns);
    const uint64_t arrival = tigon_ticks_from_ns(host->knobs.host_write_arrival_ns);
    if (count == 0)
        return;
    const uint64_t cost = tigon_ticks_from_ns(host->knobs.host_write_ns) + (count - 1) * word_ticks;
    const uint64_t start = reserve(host, cost);
    for (size_t i = 0; i < count; i++)
        post(host, start + arrival + i * word_ticks, offset + 4u * (uint32_t)i, words[i]);
    block_until(program, start + cost);
}

void tigon_host_write32(struct tigon_host *host, uint32_t offset, uint32_t value) {
    tigon_host_write_block(host, offset, &value, 1);
}

/* The program sleeps through this; switching to it twice per read would show in runs that poll. */
static void take_sample(void *context, uint64_t ticks) {
    struct program *program = context;
    struct tigon_board *board = program->host->board;
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
    block(program, WAITING_TIME);
    return program->read_value;
}

/* -------------------------------------------------------------------------------------------------
 * Time */

void tigon_host_spend_ns(struct tigon_host *host, uint64_t ns) {
    use_cpu(running(host, "tigon_host_spend_ns"), tigon_ticks_from_ns(ns));
}

void tigon_host_sleep_ns(struct tigon_host *host, uint64_t ns) {
    struct program *program = running(host, "tigon_host_sleep_ns");
    block_until(program, tigon_add_ticks(now(host), tigon_ticks_from_ns(ns)));
}

void tigon_host_yield(struct tigon_host *host) {
    block_until(running(host, "tigon_host_yield"), now(host));
}

uint64_t tigon_host_now_ns(const struct tigon_host *host) {
    return tigon_ns_from_ticks(now(host));
}

uint64_t tigon_host_now_ps(const struct tigon_host *host) {
    return tigon_ps_from_ticks(now(host));
}

/* Blocks until woken or until `timeout_ns` passed; true if woken. */
static bool wait_for(struct program *program, enum waiting waiting, uint64_t timeout_ns) {
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
        !wait_for(program, WAITING_INTERRUPT, timeout_ns))
        return false;
    use_cpu(program, tigon_ticks_from_ns(host->knobs.host_interrupt_ns));
    return true;
}

void tigon_host_interrupted(struct tigon_host *host, uint64_t ticks) {
    for (size_t i = 0; host && i < host->program_count; i++) {
        struct program *program = host->programs[i];
        if (program->finished || program->waiting != WAITING_INTERRUPT || program->woken)
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
        return wait_for(program, WAITING_MEMORY, timeout_ns);
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
        if (program->finished || program->waiting != WAITING_MEMORY || program->woken)
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
 * Memory */

struct tigon_board *tigon_host_board(const struct tigon_host *host) {
    return host->board;
}

struct tigon_world *tigon_host_world(const struct tigon_host *host) {
    return host->world;
}

uint8_t *tigon_host_memory(struct tigon_host *host) {
    return host->memory;
}

size_t tigon_host_memory_size(const struct tigon_host *host) {
    return host->memory_bytes;
}

uint64_t tigon_host_bus_address(const struct tigon_host *host, const void *pointer) {
    const uintptr_t offset = (uintptr_t)pointer - (uintptr_t)host->memory;
    if (offset > host->memory_bytes)
        tigon_abort("address outside host memory");
    return host->knobs.host_memory_base + offset;
}

void *tigon_host_pointer(struct tigon_host *host, uint64_t bus_address) {
    if (bus_address < host->knobs.host_memory_base ||
        bus_address - host->knobs.host_memory_base >= host->memory_bytes)
        return NULL;
    return host->memory + (bus_address - host->knobs.host_memory_base);
}

static size_t page_count(const struct tigon_host *host) {
    return host->memory_bytes / PAGE_BYTES;
}

/* Scattered pages come from the upper half, contiguous ones from what is left. */
static size_t scatter_start(const struct tigon_host *host) {
    return host->knobs.host_scatter ? page_count(host) / 2 : page_count(host);
}

void *tigon_host_allocate(struct tigon_host *host, size_t bytes, uint64_t *bus_address) {
    const size_t pages = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    if (pages > scatter_start(host) - host->next_page)
        return NULL;
    uint8_t *memory = host->memory + host->next_page * PAGE_BYTES;
    host->next_page += pages;
    if (bus_address)
        *bus_address = tigon_host_bus_address(host, memory);
    return memory;
}

int tigon_host_allocate_pages(struct tigon_host *host, size_t bytes, uint64_t *pages) {
    const size_t wanted = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    const size_t start = scatter_start(host);
    const size_t available = page_count(host) - start;
    if (!host->knobs.host_scatter) {
        uint64_t first = 0;
        if (!tigon_host_allocate(host, bytes, &first))
            return -ENOMEM;
        for (size_t i = 0; i < wanted; i++)
            pages[i] = first + i * PAGE_BYTES;
        return 0;
    }
    if (wanted > available - host->scattered)
        return -ENOMEM;
    for (size_t i = 0; i < wanted; i++) {
        const size_t page = start + host->scattered++ * host->scatter_step % available;
        pages[i] = host->knobs.host_memory_base + page * PAGE_BYTES;
    }
    return 0;
}

/* A step near the golden section of `count` and coprime to it visits every page once, neighbours
 * far apart. */
static size_t choose_step(size_t count) {
    size_t step = count * 618 / 1000 | 1;
    for (;; step++) {
        size_t a = count, b = step;
        while (b) {
            const size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a <= 1)
            return step;
    }
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
    host->memory_bytes = knobs->host_memory_bytes & ~(uint64_t)(PAGE_BYTES - 1);
    host->memory = mmap(NULL, host->memory_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host->memory == MAP_FAILED) {
        free(host);
        return NULL;
    }
    host->next_page = 1; /* bus address 0 is too good an invalid address to give away */
    host->scatter_step = choose_step(page_count(host) - scatter_start(host));
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
#ifdef HAVE_ADDRESS_SANITIZER
        /* The stack may be left in the middle of functions whose frames are marked. */
        __asan_unpoison_memory_region((char *)program->stack + PAGE_BYTES, program->stack_bytes);
#endif
        munmap(program->stack, program->stack_bytes + PAGE_BYTES);
        free(program);
    }
    tigon_schedule_cancel(host->board->schedule, &host->arrival);
    free(host->programs);
    free(host->posted);
    munmap(host->memory, host->memory_bytes);
    free(host);
}

int tigon_host_describe(const struct tigon_host *host, char *text, size_t size) {
    int total = 0;
    for (size_t i = 0; i < host->program_count; i++) {
        const struct program *program = host->programs[i];
        if (program->finished)
            continue;
        const size_t used = (size_t)total < size ? (size_t)total : size;
        total += snprintf(text + used, size - used, "host %zu: program \"%s\" is %s\n",
                          tigon_board_index(host->board), program->name,
                          waiting_names[program->waiting]);
    }
    return total;
}
