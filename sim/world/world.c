/* SPDX-License-Identifier: MIT */
/*
 * The world: creation, the main loop, reports.
 *
 * The loop alternates between running cores and firing the earliest event; hosts are events too.
 * Cores run up to the cycle of the next event, and boards with busy cores keep within the wire's
 * lookahead of each other: no act of one board reaches another sooner than that. An event that a
 * core schedules on the way ends its run in time (came_earlier). So every access happens in an
 * order that depends on virtual time alone.
 */
#include "sim/world/world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/faults/fault_set.h"
#include "sim/base/frame.h"
#include "sim/pc/host_cpu.h"
#include "sim/base/random.h"
#include "sim/network/switch.h"
#include "sim/network/wire.h"
#include "sim/world/turns.h"

/* A world without events still comes up for air this often, to notice tigon_world_stop. */
#define LONGEST_RUN_CYCLES 880000u

struct call {
    struct tigon_event event;
    struct tigon_world *world;
    void (*function)(void *context);
    void *context;
    struct call *next;
};

struct tigon_world {
    struct tigon_knobs knobs;
    uint64_t seed;
    struct tigon_services services;
    struct tigon_board **boards;
    size_t board_count;
    struct tigon_wire **wires;
    size_t wire_count;
    struct tigon_switch **switches;
    size_t switch_count;
    struct tigon_fault_set *faults;
    uint64_t lookahead;          /* cycles, over all wires */
    struct tigon_board *running; /* its cores run now; meanwhile came_earlier() may be called */
    struct tigon_turns turns;
    /* Ticks of the first turn, or fires_until if that is less: events up to then come one after the
     * other. 0: turns are not known, or there is something to look at. */
    uint64_t cores_due;
    uint64_t fires_until; /* ticks; of the run, but 0 while `attention` */
    uint64_t reached;     /* by run_cores(), ticks */
    bool programs_done;   /* there were some, and all have finished */
    bool stop;
    bool run_on;
    uint64_t last;           /* tick at which events fire in this run */
    bool attention;          /* dirty flag: one of these, or the guard, has changed */
    struct call *calls;      /* every one ever made */
    struct call *free_calls; /* linked by `context` */
    const struct tigon_world_guard *guard;
    struct tigon_board *faulted;
    unsigned faulted_core;
    char report[8192];
};

/* ------------------------------------------------------------------------------------------------
 * Making */

static void came_earlier(void *context, uint64_t ticks) {
    struct tigon_world *world = context;
    struct tigon_board *board = world->running;
    if (board->accessing_core >= 0)
        tigon_cpu_limit(&board->cpu[board->accessing_core], tigon_cycle_at_or_after(ticks));
}

static void set_attention(struct tigon_world *world) {
    world->attention =
        world->stop || world->guard != NULL || (world->programs_done && !world->run_on);
    world->fires_until = world->attention ? 0 : world->last;
    if (world->attention)
        world->cores_due = 0;
}

static void due_changed(void *context) {
    struct tigon_board *board = context;
    tigon_turns_mark(&board->world->turns, board->index);
    board->world->cores_due = 0;
}

static void programs_changed(struct tigon_world *world) {
    world->programs_done = world->services.programs == world->services.programs_finished;
    set_attention(world);
}

static bool knobs_possible(const struct tigon_knobs *knobs) {
    const uint64_t line = knobs->core.instruction_line_bytes;
    return (knobs->sram_bytes == 524288 || knobs->sram_bytes == 1048576 ||
            knobs->sram_bytes == 2097152) &&
           knobs->bus_kind <= TIGON_BUS_32_33 && knobs->host_memory_bytes >= 65536 &&
           knobs->host_stack_bytes >= 16384 && knobs->host_slice_ns > 0 && line >= 32 &&
           line <= 256 && (line & (line - 1)) == 0;
}

struct tigon_world *tigon_world_create(const struct tigon_knobs *knobs, uint64_t seed) {
    struct tigon_world *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    if (knobs)
        world->knobs = *knobs;
    else
        tigon_knobs_defaults(&world->knobs);
    if (!knobs_possible(&world->knobs)) {
        free(world);
        errno = EINVAL;
        return NULL;
    }
    world->faults = tigon_fault_set_create(&world->services, seed);
    if (!world->faults) {
        free(world);
        return NULL;
    }
    world->seed = seed;
    world->lookahead = UINT64_MAX;
    world->services.world = world;
    world->services.programs_changed = programs_changed;
    tigon_schedule_initialise(&world->services.schedule);
    world->services.schedule.earlier_context = world;
    return world;
}

void tigon_world_destroy(struct tigon_world *world) {
    if (!world)
        return;
    tigon_schedule_free(
        &world->services.schedule); /* first: the events live in what is freed next */
    for (size_t i = 0; i < world->board_count; i++) {
        tigon_host_destroy(tigon_board_host(world->boards[i]));
        tigon_board_destroy(world->boards[i]);
        free(world->boards[i]);
    }
    for (size_t i = 0; i < world->wire_count; i++)
        tigon_wire_destroy(world->wires[i]);
    for (size_t i = 0; i < world->switch_count; i++)
        tigon_switch_destroy(world->switches[i]);
    tigon_fault_set_destroy(world->faults);
    while (world->calls) {
        struct call *next = world->calls->next;
        free(world->calls);
        world->calls = next;
    }
    tigon_frame_pool_free(&world->services.frames);
    tigon_observers_free(&world->services.observers);
    tigon_turns_free(&world->turns);
    free(world->boards);
    free(world->wires);
    free(world->switches);
    free(world);
}

/* Boards of a world often run the same image. */
static void share_native(const struct tigon_world *world, struct tigon_board *board) {
    if (!board->knobs.shared_translation)
        return;
    for (unsigned core = 0; core < 2; core++)
        for (size_t i = 0; i < world->board_count; i++)
            if (tigon_cpu_share_native(&board->cpu[core], &world->boards[i]->cpu[core]))
                break;
}

struct tigon_board *tigon_world_add_board_with(struct tigon_world *world,
                                               const struct tigon_knobs *knobs) {
    if (!knobs_possible(knobs)) {
        errno = EINVAL;
        return NULL;
    }
    struct tigon_board **boards =
        realloc(world->boards, (world->board_count + 1) * sizeof(struct tigon_board *));
    if (!boards)
        return NULL;
    world->boards = boards;
    struct tigon_board *board = calloc(1, sizeof *board);
    if (!board)
        return NULL;
    const int error = tigon_board_initialise(board, &world->services, world->board_count, knobs);
    if (error) {
        free(board);
        errno = -error;
        return NULL;
    }
    if (!tigon_host_create(&world->services, board, knobs) ||
        tigon_turns_add(&world->turns, board)) {
        tigon_host_destroy(tigon_board_host(board));
        tigon_board_destroy(board);
        free(board);
        errno = ENOMEM;
        return NULL;
    }
    share_native(world, board);
    world->boards[world->board_count++] = board;
    for (unsigned core = 0; core < 2; core++) {
        board->cpu[core].due_changed = due_changed;
        board->cpu[core].due_context = board;
    }
    return board;
}

struct tigon_board *tigon_world_add_board(struct tigon_world *world) {
    return tigon_world_add_board_with(world, &world->knobs);
}

struct tigon_switch *tigon_world_add_switch(struct tigon_world *world, unsigned ports) {
    if (ports == 0 || ports > TIGON_SWITCH_PORTS_MAX) {
        errno = EINVAL;
        return NULL;
    }
    struct tigon_switch **switches =
        realloc(world->switches, (world->switch_count + 1) * sizeof(struct tigon_switch *));
    if (!switches)
        return NULL;
    world->switches = switches;
    struct tigon_switch *box =
        tigon_switch_create(&world->services, world->switch_count, ports, &world->knobs);
    if (box)
        world->switches[world->switch_count++] = box;
    return box;
}

static struct tigon_wire *connect_ends(struct tigon_world *world, struct tigon_wire_end left,
                                       struct tigon_wire_end right) {
    const struct tigon_wire_end ends[2] = {left, right};
    struct tigon_wire **wires =
        realloc(world->wires, (world->wire_count + 1) * sizeof(struct tigon_wire *));
    if (!wires)
        return NULL;
    world->wires = wires;
    struct tigon_wire *wire = tigon_wire_create(&world->services, (unsigned)world->wire_count,
                                                world->seed, &world->knobs, left, right);
    if (!wire)
        return NULL;
    world->wires[world->wire_count++] = wire;
    const uint64_t lookahead = tigon_wire_lookahead(wire) / TIGON_TICKS_PER_CYCLE;
    if (lookahead < world->lookahead)
        world->lookahead = lookahead;
    for (unsigned side = 0; side < 2; side++) {
        struct tigon_board *board = ends[side].board;
        if (!board) {
            tigon_switch_plug(ends[side].box, ends[side].port, wire, side, world->services.now);
            continue;
        }
        tigon_link_plug(board, wire, side);
    }
    return wire;
}

static void *refuse(int error) {
    errno = error;
    return NULL;
}

struct tigon_wire *tigon_world_connect(struct tigon_world *world, struct tigon_board *left,
                                       struct tigon_board *right) {
    if (left == right || left->wire || right->wire)
        return refuse(EBUSY);
    return connect_ends(world, tigon_link_end(left), tigon_link_end(right));
}

struct tigon_wire *tigon_world_connect_port(struct tigon_world *world, struct tigon_board *board,
                                            struct tigon_switch *box, unsigned port) {
    if (port >= tigon_switch_ports(box))
        return refuse(EINVAL);
    if (board->wire || !tigon_switch_port_free(box, port))
        return refuse(EBUSY);
    return connect_ends(world, tigon_link_end(board), tigon_switch_end(box, port));
}

/* Whether frames find a way from one switch to another. There are no circles, so it is enough not
 * to go back over the wire one came by. */
static bool leads_to(const struct tigon_world *world, const struct tigon_switch *from,
                     const struct tigon_switch *to, const struct tigon_wire *came_by) {
    if (from == to)
        return true;
    for (size_t i = 0; i < world->wire_count; i++) {
        const struct tigon_wire *wire = world->wires[i];
        for (unsigned side = 0; side < 2 && wire != came_by; side++) {
            const struct tigon_switch *next = tigon_wire_switch(wire, 1 - side, NULL);
            if (next && tigon_wire_switch(wire, side, NULL) == from &&
                leads_to(world, next, to, wire))
                return true;
        }
    }
    return false;
}

struct tigon_wire *tigon_world_connect_switches(struct tigon_world *world, struct tigon_switch *box,
                                                unsigned port, struct tigon_switch *other,
                                                unsigned other_port) {
    if (port >= tigon_switch_ports(box) || other_port >= tigon_switch_ports(other))
        return refuse(EINVAL);
    if (!tigon_switch_port_free(box, port) || !tigon_switch_port_free(other, other_port))
        return refuse(EBUSY);
    if (leads_to(world, box, other, NULL))
        return refuse(ELOOP);
    return connect_ends(world, tigon_switch_end(box, port), tigon_switch_end(other, other_port));
}

/* -----------------------------------------------------------------------------------------------
 * Running */

static bool fault_of(struct tigon_world *world, struct tigon_board *board) {
    world->faulted = board;
    world->faulted_core = (board->cpu[0].state & TIGON_CPU_STATE_FAULTS) == 0;
    return board->knobs.stop_on_fault;
}

/* A core of the board has another state than it had, or one with a fault. True when that ends the
 * run. */
static __attribute__((noinline)) bool other_states(struct tigon_world *world,
                                                   struct tigon_board *board, uint64_t reached) {
    const uint32_t a = board->cpu[0].state, b = board->cpu[1].state;
    tigon_core_account(board, reached);
    if (((a | b) & TIGON_CPU_STATE_FAULTS) != 0)
        return fault_of(world, board);
    board->core_control.known_state[0] = a;
    board->core_control.known_state[1] = b;
    return false;
}

/* Runs one board's cores towards `horizon`. True when a fault ends the run. */
static inline bool run_board(struct tigon_world *world, struct tigon_board *board,
                             uint64_t horizon) {
    const uint32_t *known = board->core_control.known_state;
    world->running = board;
    world->services.schedule.earlier = came_earlier;
    const uint64_t reached = tigon_cpu_run_pair(&board->cpu[0], &board->cpu[1], horizon);
    world->services.schedule.earlier = NULL;
    return __builtin_expect(board->cpu[0].state != known[0] || board->cpu[1].state != known[1],
                            0) &&
           other_states(world, board, reached);
}

/* The limit of the first board: it stays so close to the others that their effects reach it in
 * time. */
static inline uint64_t horizon_of(const struct tigon_world *world, uint64_t bound_cycle) {
    const struct tigon_turns *turns = &world->turns;
    const uint64_t longest = turns->first_cycle + LONGEST_RUN_CYCLES;
    const uint64_t others =
        turns->second_cycle < turns->third_cycle ? turns->second_cycle : turns->third_cycle;
    uint64_t horizon;
    if (__builtin_add_overflow(others, world->lookahead, &horizon) || horizon > bound_cycle)
        horizon = bound_cycle;
    return horizon < longest ? horizon : longest;
}

/* Runs all cores up to tick `bound`, at which the next event comes or which is before it, or less
 * far when they schedule one before that: up to world->reached. True when a fault ends the run. */
static inline bool run_cores(struct tigon_world *world, uint64_t bound) {
    struct tigon_turns *const turns = &world->turns;
    uint64_t bound_cycle = bound == TIGON_NEVER ? UINT64_MAX : tigon_cycle_at_or_after(bound);
    if (world->cores_due == 0)
        tigon_turns_take(turns);
    while (turns->first_cycle < bound_cycle) {
        world->cores_due = 1; /* 0 again when an observer starts a core, or stops the run */
        if (run_board(world, turns->first, horizon_of(world, bound_cycle))) {
            world->cores_due = 0;
            return true;
        }
        if (tigon_schedule_next(&world->services.schedule) < bound) {
            bound = tigon_schedule_next(&world->services.schedule);
            bound_cycle = tigon_cycle_at_or_after(bound);
        }
        if (__builtin_expect(world->cores_due == 0, 0)) {
            tigon_turns_take(turns);
            if (world->stop)
                break;
        } else if (!tigon_turns_next(turns)) {
            tigon_turns_take(turns);
        }
    }
    const uint64_t due_ticks = tigon_ticks_from_cycles(turns->first_cycle);
    world->cores_due = due_ticks < world->fires_until ? due_ticks : world->fires_until;
    world->reached = bound;
    return false;
}

static bool any_runnable(const struct tigon_world *world) {
    for (size_t i = 0; i < world->board_count; i++)
        if (tigon_turns_due(world->boards[i]) != UINT64_MAX)
            return true;
    return false;
}

/* No event can happen any more, or none before `limit`. */
static enum tigon_end idle_until(struct tigon_world *world, uint64_t limit) {
    if (tigon_world_asleep(world) &&
        (world->services.programs != world->services.programs_finished || limit == TIGON_NEVER))
        return TIGON_END_ASLEEP;
    if (world->services.now < limit)
        world->services.now = limit;
    return TIGON_END_TIME_LIMIT;
}

static enum tigon_end run_until(struct tigon_world *world, uint64_t limit) {
    const uint64_t last =
        limit == TIGON_NEVER ? TIGON_NEVER - 1u : limit; /* at which events fire */
    world->stop = false;
    world->cores_due = 0;
    tigon_turns_mark_all(&world->turns);
    world->last = last;
    set_attention(world);
    for (;;) {
        uint64_t next = tigon_schedule_next(&world->services.schedule);
        while (next - 1u < world->cores_due) { /* that of tick 0 goes the other way */
            world->services.now = next;
            tigon_schedule_fire(&world->services.schedule);
            next = tigon_schedule_next(&world->services.schedule);
        }
        if (__builtin_expect(world->attention, 0)) {
            if (world->stop)
                return TIGON_END_STOPPED;
            if (world->guard)
                world->guard->turn(world->guard->context);
            if (world->programs_done && !world->run_on)
                return TIGON_END_FINISHED;
            if (world->stop && !tigon_world_asleep(world))
                return TIGON_END_STOPPED;
            next = tigon_schedule_next(&world->services.schedule);
        }
        if (__builtin_expect(next == TIGON_NEVER, 0) && !any_runnable(world))
            return idle_until(world, limit);
        /* Also when no core is due, only that is not known: then it finds out. */
        if (run_cores(world, next > last ? limit : next))
            return TIGON_END_FAULT;
        if (__builtin_expect(world->stop, 0))
            return TIGON_END_STOPPED;
        next = tigon_schedule_next(&world->services.schedule);
        if (__builtin_expect(next > last, 0) && world->reached >= last) {
            if (limit == TIGON_NEVER || (tigon_world_asleep(world) && world->services.programs))
                continue; /* also when the last core went to sleep on the way */
            return idle_until(world, limit);
        }
        if (next > world->reached) /* a core took back the event that bounded them */
            continue;
        world->services.now = next;
        tigon_schedule_fire(&world->services.schedule);
    }
}

enum tigon_end tigon_world_run(struct tigon_world *world, uint64_t limit_ns) {
    const enum tigon_end end = run_until(world, tigon_ticks_from_ns(limit_ns));
    if (world->guard)
        world->guard->ended(world->guard->context, end);
    return end;
}

void tigon_world_set_run_on(struct tigon_world *world, bool run_on) {
    world->run_on = run_on;
    set_attention(world);
}

bool tigon_world_asleep(const struct tigon_world *world) {
    return tigon_schedule_next(&world->services.schedule) == TIGON_NEVER && !any_runnable(world);
}

void tigon_world_stop(struct tigon_world *world) {
    world->stop = true;
    set_attention(world);
}

void tigon_world_set_guard(struct tigon_world *world, const struct tigon_world_guard *guard) {
    world->guard = guard;
    set_attention(world);
}

const struct tigon_board *tigon_world_faulted(const struct tigon_world *world, unsigned *core) {
    *core = world->faulted_core;
    return world->faulted;
}

uint64_t tigon_world_reached_ticks(const struct tigon_world *world) {
    const uint64_t fault =
        world->faulted ? tigon_ticks_from_cycles(world->faulted->cpu[world->faulted_core].cycle)
                       : 0;
    return fault > world->services.now ? fault : world->services.now;
}

static void make_call(void *context, uint64_t ticks) {
    struct call *call = context;
    void (*function)(void *) = call->function;
    void *argument = call->context;
    (void)ticks;
    call->context = call->world->free_calls;
    call->world->free_calls = call;
    function(argument);
}

void tigon_world_call_at(struct tigon_world *world, uint64_t at_ns, void (*function)(void *context),
                         void *context) {
    struct call *call = world->free_calls;
    if (call) {
        world->free_calls = call->context;
    } else {
        call = calloc(1, sizeof *call);
        if (!call)
            abort();
        call->next = world->calls;
        world->calls = call;
    }
    call->world = world;
    call->function = function;
    call->context = context;
    tigon_event_initialise(&call->event, make_call, call);
    const uint64_t ticks = tigon_ticks_from_ns(at_ns);
    tigon_schedule_at(&world->services.schedule, &call->event,
                      ticks < world->services.now ? world->services.now : ticks);
}

/* --------------------------------------------------------------------------------------- Small
 * services */

uint64_t tigon_world_now_ticks(const struct tigon_world *world) {
    return world->services.now;
}

uint64_t tigon_world_now_ns(const struct tigon_world *world) {
    return tigon_ns_from_ticks(world->services.now);
}

size_t tigon_world_board_count(const struct tigon_world *world) {
    return world->board_count;
}

struct tigon_board *tigon_world_board(const struct tigon_world *world, size_t index) {
    return index < world->board_count ? world->boards[index] : NULL;
}

size_t tigon_world_wire_count(const struct tigon_world *world) {
    return world->wire_count;
}

struct tigon_wire *tigon_world_wire(const struct tigon_world *world, size_t index) {
    return index < world->wire_count ? world->wires[index] : NULL;
}

size_t tigon_world_switch_count(const struct tigon_world *world) {
    return world->switch_count;
}

struct tigon_switch *tigon_world_switch(const struct tigon_world *world, size_t index) {
    return index < world->switch_count ? world->switches[index] : NULL;
}

struct tigon_fault_set *tigon_world_faults(const struct tigon_world *world) {
    return world->faults;
}

struct tigon_services *tigon_world_services(struct tigon_world *world) {
    return &world->services;
}

/* ----------------------------------------------------------------------------------------------
 * Reports */

const char *tigon_end_name(enum tigon_end end) {
    static const char *const names[] = {"all programs finished", "time limit",
                                        "everything is asleep", "core fault", "stopped"};
    return (unsigned)end < sizeof names / sizeof *names ? names[end] : "?";
}

struct text {
    char *at;
    size_t left;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...) {
    va_list arguments;
    int wanted;
    va_start(arguments, format);
    wanted = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    const size_t used = wanted < 0                    ? 0
                        : (size_t)wanted < text->left ? (size_t)wanted
                                                      : text->left - 1;
    text->at += used;
    text->left -= used;
}

static void add_core(struct text *text, const struct tigon_board *board, unsigned core,
                     bool registers) {
    const struct tigon_cpu *cpu = &board->cpu[core];
    add(text, "board %zu core %c: pc %08X, HW[%03X] = %08X%s", board->index, 'A' + (int)core,
        cpu->pc, TIGON_CPU_STATE + 0x100u * core, cpu->state,
        cpu->parked ? ", polling events" : "");
    uint32_t state = cpu->state;
    for (const char *flag; (flag = tigon_cpu_state_flag(&state)) != NULL;)
        add(text, ", %s", flag);
    add(text, ", cycle %llu, %llu instructions\n", (unsigned long long)cpu->cycle,
        (unsigned long long)cpu->statistics.instructions);
    char why[TIGON_FAULT_TEXT_BYTES];
    tigon_cpu_explain_fault(cpu, why);
    if (why[0])
        add(text, "  %s\n", why);
    for (unsigned i = 0; registers && i < 32; i++)
        add(text, "  %-4s %08X%s", tigon_cpu_register_name(i), cpu->gpr[i], i % 4 == 3 ? "\n" : "");
    if (registers) {
        uint32_t words[8];
        for (unsigned i = 0; i < 8; i++) {
            uint8_t bytes[4] = {0};
            tigon_memory_debug_read(&board->memory, core, cpu->pc - 16u + 4u * i, bytes, 4);
            words[i] = tigon_load_be32(bytes);
        }
        add(text, "  code from pc-16:");
        for (unsigned i = 0; i < 8; i++)
            add(text, "%s%08X", i == 4 ? " *" : " ", words[i]);
        add(text, "\n");
    }
}

const char *tigon_world_report(struct tigon_world *world) {
    struct text text = {world->report, sizeof world->report};
    world->report[0] = 0;
    add(&text, "at %llu ns:\n",
        (unsigned long long)tigon_ns_from_ticks(tigon_world_reached_ticks(world)));
    if (world->faulted)
        add_core(&text, world->faulted, world->faulted_core, true);
    for (size_t i = 0; i < world->board_count; i++) {
        const struct tigon_board *board = world->boards[i];
        const unsigned shown = world->faulted && board == world->faulted ? world->faulted_core : 2;
        for (unsigned core = 0; core < 2; core++)
            if (core != shown)
                add_core(&text, board, core, false);
        add(&text, "board %zu: events A %08X B %08X, DMA read %s, write %s, receive state %08X\n",
            i, board->events.level[0], board->events.level[1],
            board->dma.engine[TIGON_DMA_READ].phase == TIGON_DMA_IDLE ? "idle" : "busy",
            board->dma.engine[TIGON_DMA_WRITE].phase == TIGON_DMA_IDLE ? "idle" : "busy",
            TIGON_WORD(board, TIGON_RECEIVE_STATE) | tigon_link_status(board));
        if (board->dead)
            add(&text, "board %zu: without power\n", i);
        char programs[1024];
        if (tigon_host_describe(tigon_board_host(board), programs, sizeof programs) > 0)
            add(&text, "%s", programs);
    }
    (void)tigon_fault_set_describe(world->faults, text.at, text.left);
    return world->report;
}
