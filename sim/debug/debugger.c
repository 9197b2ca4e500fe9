/* SPDX-License-Identifier: MIT */
/* The debugger's side of the world: observers, stops, connections. */
#include "sim/debug/debugger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/chip/board.h"
#include "sim/debug/debugger_private.h"
#include "sim/debug/listen.h"
#include "sim/time.h"

void tigon_debugger_options_defaults(struct tigon_debugger_options *options) {
    *options = (struct tigon_debugger_options){.connection = -1,
                                               .board = TIGON_DEBUGGER_ALL_BOARDS,
                                               .wait = true,
                                               .snapshot_ns = 1000000,
                                               .snapshot_limit = 32};
}

/* --- output while travelling */

void debug_mute(struct tigon_debugger *debugger) {
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (debugger->muted[descriptor] >= 0)
            continue;
        const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        debugger->muted[descriptor] = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        if (nothing >= 0 && debugger->muted[descriptor] >= 0)
            (void)dup2(nothing, descriptor);
        if (nothing >= 0)
            (void)close(nothing);
    }
}

static void unmute(struct tigon_debugger *debugger) {
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (debugger->muted[descriptor] < 0)
            continue;
        (void)fflush(NULL);
        (void)dup2(debugger->muted[descriptor], descriptor);
        (void)close(debugger->muted[descriptor]);
        debugger->muted[descriptor] = -1;
    }
}

static void unmute_at_frontier(struct tigon_debugger *debugger) {
    if (debugger->muted[STDOUT_FILENO] >= 0 && debugger->mode == DEBUG_RUN &&
        debugger->position >= debugger->session->frontier)
        unmute(debugger);
}

/* --- stopping */

void debug_let_go(struct tigon_debugger *debugger) {
    debugger->attached = false; /* the cores notice at the next turn of the world */
    debugger->mode = DEBUG_RUN;
    debugger->step_thread = debugger->alone = -1;
    debug_breaks_clear(debugger);
    debug_history_forget(debugger);
    packet_close(&debugger->stream);
    unmute(debugger);
}

/* False: gone, or a copy that has been somewhere else meanwhile. */
static bool talk(struct tigon_debugger *debugger) {
    if (!debug_gdb_serve(debugger)) {
        debug_let_go(debugger);
        return false;
    }
    if (!debugger->unsnapshotted_change)
        return true;
    debugger->session->frontier = debugger->position;  /* output from here on was never printed */
    return debug_travel_snapshot(debugger, true) >= 0; /* or a re-run would lose the change */
}

static bool stop_once(struct tigon_debugger *debugger, const struct debug_stop *stop) {
    debugger->stop = *stop;
    debugger->mode = DEBUG_RUN;
    debugger->step_thread = debugger->alone = -1;
    debugger->session->general_thread = debugger->session->resume_thread = stop->thread;
    if (debugger->position > debugger->session->frontier)
        debugger->session->frontier = debugger->position;
    (void)fflush(NULL);
    debug_gdb_send_stop(debugger);
    return talk(debugger);
}

/* While GDB steps one thread alone it cannot handle the stop of another. So its step ends here, if
 * necessary without an instruction, and the other's stop is reported as soon as GDB resumes all
 * threads. */
void debug_stop_here(struct tigon_debugger *debugger, const struct debug_stop *stop) {
    const struct debug_stop wanted = *stop; /* may be debugger->stop */
    const struct debug_thread *thread = &debugger->threads[wanted.thread];
    while (debugger->alone >= 0 && debugger->alone != wanted.thread) {
        const struct debug_stop step = {
            .signal = DEBUG_SIGNAL_TRAP, .thread = debugger->alone, .kind = -1};
        if (debugger->deferred_at == debugger->position)
            return; /* or the step would never get anywhere */
        debugger->deferred_at = debugger->position;
        if (!stop_once(debugger, &step))
            return;
        if ((wanted.kind == DEBUG_BREAK_SOFTWARE || wanted.kind == DEBUG_BREAK_HARDWARE) &&
            !debug_breaks_at(debugger, thread, thread->cpu->pc))
            return;
    }
    (void)stop_once(debugger, &wanted);
}

static void stop_for(struct tigon_debugger *debugger, int thread, int signal) {
    const struct debug_stop stop = {.signal = signal, .thread = thread, .kind = -1};
    debug_stop_here(debugger, &stop);
}

/* The debugger sent a byte while the world runs, to stop it, or has disconnected. */
static void look_at_connection(struct tigon_debugger *debugger, int thread) {
    size_t length;
    switch (packet_receive(&debugger->stream, false, debugger->packet, sizeof debugger->packet,
                           &length)) {
    case PACKET_INTERRUPT:
        stop_for(debugger, thread, DEBUG_SIGNAL_INTERRUPT);
        break;
    case PACKET_CLOSED:
        debug_let_go(debugger);
        break;
    case PACKET_ARRIVED: /* no packet is allowed while the world runs; GDB will repeat it */
    case PACKET_NOTHING:
        break;
    }
}

static uint64_t snapshot_cycles(const struct tigon_debugger *debugger) {
    return debugger->options.snapshot_ns * TIGON_TICKS_PER_NS / TIGON_TICKS_PER_CYCLE;
}

static bool step_is_done(const struct tigon_debugger *debugger, const struct debug_thread *thread,
                         uint32_t pc) {
    return debugger->step_thread == thread->index &&
           thread->cpu->statistics.instructions > debugger->step_instruction &&
           (pc < debugger->step_first || pc >= debugger->step_end);
}

static void look_at_instruction(struct tigon_debugger *debugger, struct debug_thread *thread,
                                uint32_t pc, uint64_t cycle) {
    struct debug_stop stop;
    unmute_at_frontier(debugger);
    if (cycle >= debugger->next_snapshot_cycle) {
        debugger->next_snapshot_cycle = cycle + snapshot_cycles(debugger);
        if (debug_travel_snapshot(debugger, false) < 0)
            return; /* a copy, which has found out about this instruction by itself */
    }
    if (debug_breaks_hit(debugger, thread, pc, &stop)) {
        debug_stop_here(debugger, &stop);
    } else if (step_is_done(debugger, thread, pc)) {
        stop_for(debugger, thread->index, DEBUG_SIGNAL_TRAP);
    } else if (--debugger->calls_to_poll == 0) {
        debugger->calls_to_poll = DEBUG_POLL_CALLS;
        look_at_connection(debugger, thread->index);
    }
}

/* A delay slot belongs to its branch: no thread stops there. After a branch that is not taken it is
 * like any other instruction, but GDB steps over both at once. */
static bool in_delay_slot(const struct tigon_debugger *debugger, struct debug_thread *thread,
                          uint32_t pc) {
    const uint32_t before = thread->before;
    thread->before = pc;
    if (thread->cpu->npc != pc + 4u)
        return true;
    const bool matters = debugger->mode != DEBUG_RUN || debugger->step_thread == thread->index ||
                         debug_breaks_interesting(debugger, pc);
    return matters && before == pc - 4u && debug_is_branch(thread->cpu, before);
}

/* Before each instruction of each core. */
static bool observe(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct debug_thread *thread = context;
    struct tigon_debugger *debugger = thread->debugger;
    (void)core;
    if (!debugger->attached)
        return false;
    debugger->position++;
    if (in_delay_slot(debugger, thread, pc))
        return false;
    debugger->inside = thread;
    if (debugger->mode != DEBUG_RUN)
        debug_travel_observe(debugger, thread, pc);
    else
        look_at_instruction(debugger, thread, pc, cycle);
    debugger->inside = NULL;
    return false;
}

/* --- attaching */

static uint64_t now_cycle(const struct tigon_debugger *debugger) {
    return tigon_cycle_at_or_after(tigon_world_now_ticks(debugger->world));
}

static void show_cores(struct tigon_debugger *debugger, bool show) {
    for (size_t i = 0; i < debugger->thread_count; i++) {
        struct debug_thread *thread = &debugger->threads[i];
        if (show)
            (void)tigon_cpu_add_observer(thread->cpu, observe, thread);
        else
            tigon_cpu_remove_observer(thread->cpu, observe, thread);
        tigon_cpu_set_parking(thread->cpu, !show, now_cycle(debugger));
        thread->seen_state = thread->cpu->state;
    }
    debugger->observing = show;
}

static int first_awake(const struct tigon_debugger *debugger) {
    for (size_t i = 0; i < debugger->thread_count; i++)
        if (!tigon_cpu_stopped(debugger->threads[i].cpu))
            return (int)i;
    return 0;
}

static void attach(struct tigon_debugger *debugger, int connection) {
    struct debug_session *session = debugger->session;
    packet_open(&debugger->stream, connection);
    session->no_acknowledge = session->stop_reasons = false;
    session->general_thread = session->resume_thread = first_awake(debugger);
    session->frontier = debugger->position;
    debugger->attached = debugger->waited = true;
    debugger->mode = DEBUG_RUN;
    debugger->calls_to_poll = DEBUG_POLL_CALLS;
    debugger->turns_to_poll = DEBUG_POLL_TURNS;
    debugger->next_snapshot_cycle = now_cycle(debugger) + snapshot_cycles(debugger);
    debugger->stop = (struct debug_stop){
        .signal = DEBUG_SIGNAL_TRAP, .thread = session->general_thread, .kind = -1};
    show_cores(debugger, true);
    debug_breaks_clear(debugger);
    if (debug_travel_snapshot(debugger, true) >= 0)
        (void)talk(debugger);
}

static void look_for_debugger(struct tigon_debugger *debugger) {
    if (debugger->options.connection >= 0 && !debugger->waited)
        attach(debugger, debugger->options.connection);
    if (debugger->listener < 0 || debugger->attached)
        return;
    const bool wait = debugger->options.wait && !debugger->waited;
    if (wait && tigon_world_now_ns(debugger->world) < debugger->options.from_ns)
        return;
    if (!wait && --debugger->turns_to_poll > 0)
        return;
    debugger->turns_to_poll = DEBUG_POLL_TURNS;
    const int connection = debug_listen_accept(debugger->listener, wait);
    if (connection >= 0)
        attach(debugger, connection);
}

static int signal_of_fault(uint32_t state) {
    if (state & TIGON_CPU_STATE_BAD_INSTRUCTION)
        return DEBUG_SIGNAL_ILLEGAL;
    if (state & TIGON_CPU_STATE_MISALIGNED)
        return DEBUG_SIGNAL_BUS;
    return DEBUG_SIGNAL_SEGMENT;
}

/* Cores stop without the debugger: HALT, or a fault in a world that continues. */
static void look_at_cores(struct tigon_debugger *debugger) {
    const uint32_t interesting = TIGON_CPU_STATE_HALT_EXECUTED | TIGON_CPU_STATE_FAULTS;
    for (size_t i = 0; i < debugger->thread_count; i++) {
        struct debug_thread *thread = &debugger->threads[i];
        const uint32_t before = thread->seen_state, now = thread->cpu->state;
        thread->seen_state = now;
        if (debugger->mode != DEBUG_RUN || (before & TIGON_CPU_STATE_STOPPED) != 0 ||
            (now & interesting) == 0)
            continue;
        if ((now & TIGON_CPU_STATE_FAULTS) == 0)
            stop_for(debugger, thread->index, DEBUG_SIGNAL_ABORT);
        else if (!thread->board->knobs.stop_on_fault) /* else the run ends with it: see below */
            stop_for(debugger, thread->index, signal_of_fault(now));
    }
}

static void turn(void *context) {
    struct tigon_debugger *debugger = context;
    if (debugger->observing && !debugger->attached)
        show_cores(debugger, false);
    if (!debugger->attached) {
        look_for_debugger(debugger);
        return;
    }
    look_at_cores(debugger);
    if (debugger->attached && debugger->mode == DEBUG_RUN && --debugger->turns_to_poll == 0) {
        debugger->turns_to_poll = DEBUG_POLL_TURNS;
        look_at_connection(debugger, first_awake(debugger));
    }
}

static void ended(void *context, enum tigon_end end) {
    struct tigon_debugger *debugger = context;
    unsigned core = 0;
    if (!debugger->attached)
        return;
    look_at_cores(debugger); /* with the last core the world may come to its end at once */
    if (!debugger->attached || end == TIGON_END_TIME_LIMIT || end == TIGON_END_STOPPED)
        return; /* the caller requested this end */
    if (debugger->mode != DEBUG_RUN) {
        debug_travel_ended(debugger);
        return;
    }
    unmute(debugger);
    const struct tigon_board *faulted = tigon_world_faulted(debugger->world, &core);
    if (end == TIGON_END_FAULT && faulted) {
        for (size_t i = 0; i < debugger->thread_count; i++)
            if (debugger->threads[i].board == faulted && debugger->threads[i].core == core)
                stop_for(debugger, (int)i, signal_of_fault(debugger->threads[i].cpu->state));
    } else if (end == TIGON_END_ASLEEP) {
        stop_for(debugger, first_awake(debugger), DEBUG_SIGNAL_ABORT);
    } else if (end == TIGON_END_FINISHED && debugger->session->stop_at_end) {
        stop_for(debugger, first_awake(debugger), DEBUG_SIGNAL_NONE);
    }
}

/* --- life */

static int make_threads(struct tigon_debugger *debugger) {
    const size_t boards = tigon_world_board_count(debugger->world);
    const int wanted = debugger->options.board;
    if (boards == 0 || wanted >= (int)boards)
        return -EINVAL;
    debugger->threads = calloc(boards * 2, sizeof *debugger->threads);
    if (!debugger->threads)
        return -ENOMEM;
    for (size_t i = 0; i < boards; i++)
        for (unsigned core = 0; core < 2 && (wanted < 0 || wanted == (int)i); core++) {
            struct debug_thread *thread = &debugger->threads[debugger->thread_count];
            thread->debugger = debugger;
            thread->board = tigon_world_board(debugger->world, i);
            thread->cpu = tigon_board_cpu(thread->board, core);
            thread->core = core;
            thread->index = (int)debugger->thread_count++;
        }
    if (debugger->thread_count == 0)
        return -EINVAL;
    debugger->watches =
        calloc(DEBUG_BREAKPOINTS * debugger->thread_count, sizeof *debugger->watches);
    return debugger->watches ? 0 : -ENOMEM;
}

static void discard(struct tigon_debugger *debugger) {
    if (debugger->listener >= 0)
        (void)close(debugger->listener);
    if (debugger->unlink_path)
        (void)unlink(debugger->unlink_path);
    free(debugger->unlink_path);
    free(debugger->threads);
    free(debugger->watches);
    free(debugger);
}

static int open_socket(struct tigon_debugger *debugger) {
    char address[256];
    if (!debugger->options.address)
        return 0;
    debugger->listener = debug_listen_open(debugger->options.address, address, sizeof address);
    if (debugger->listener < 0)
        return debugger->listener;
    if (strchr(address, '/'))
        debugger->unlink_path = strdup(address);
    if (debugger->options.listening)
        debugger->options.listening(debugger->options.context, address);
    return 0;
}

int tigon_debugger_open(struct tigon_debugger **result, struct tigon_world *world,
                        const struct tigon_debugger_options *options) {
    struct tigon_debugger *debugger = calloc(1, sizeof *debugger);
    if (!debugger)
        return -ENOMEM;
    debugger->world = world;
    debugger->options = *options;
    debugger->listener = debugger->stream.descriptor = -1;
    debugger->step_thread = debugger->alone = -1;
    debugger->muted[0] = debugger->muted[1] = debugger->muted[2] = -1;
    if (debugger->options.snapshot_ns < 1000)
        debugger->options.snapshot_ns = 1000;
    if (debugger->options.snapshot_limit > DEBUG_SNAPSHOTS * 2 / 3)
        debugger->options.snapshot_limit = DEBUG_SNAPSHOTS * 2 / 3;
    int error = make_threads(debugger);
    if (!error)
        error = open_socket(debugger);
    if (!error)
        error = debug_history_open(debugger);
    if (error) {
        discard(debugger);
        return error;
    }
    debugger->session->stop_at_end = options->stop_at_end;
    debugger->turns_to_poll = DEBUG_POLL_TURNS;
    debugger->guard = (struct tigon_world_guard){.turn = turn, .ended = ended, .context = debugger};
    tigon_world_set_guard(world, &debugger->guard);
    *result = debugger;
    return 0;
}

void tigon_debugger_close(struct tigon_debugger *debugger, int exit_status) {
    char text[8];
    if (!debugger)
        return;
    if (debugger->attached && debugger->mode != DEBUG_RUN)
        debug_travel_ended(debugger);
    if (debugger->attached) {
        (void)snprintf(text, sizeof text, "W%02x", (unsigned)exit_status & 0xFFu);
        (void)packet_send(&debugger->stream, text, strlen(text));
        debug_let_go(debugger);
    }
    if (debugger->observing)
        show_cores(debugger, false);
    tigon_world_set_guard(debugger->world, NULL);
    debug_history_close(debugger);
    discard(debugger);
}

bool tigon_debugger_attached(const struct tigon_debugger *debugger) {
    return debugger->attached;
}
