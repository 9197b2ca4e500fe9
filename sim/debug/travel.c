/* SPDX-License-Identifier: MIT */
/*
 * Going back: to the last hit, by one instruction, to a snapshot.
 *
 * Each stretch between two snapshots is run again from its beginning, the latest first, to find the
 * last position that qualifies; then once more, to stop there. Every step of this is a new process
 * (history.c), so a function that goes anywhere does not return.
 */
#include "sim/debug/debugger_private.h"

static struct debug_travel *travel_of(struct tigon_debugger *debugger) {
    return &debugger->session->travel;
}

static void arrive(struct tigon_debugger *debugger) {
    const struct debug_stop stop = travel_of(debugger)->stop;
    debugger->mode = DEBUG_RUN;
    debug_history_cut(debugger);
    debug_stop_here(debugger, &stop);
}

/* The stretch has been seen to its end. */
static void finish(struct tigon_debugger *debugger) {
    struct debug_travel *travel = travel_of(debugger);
    struct debug_slot *slot = NULL;
    if (travel->found) {
        travel->mode = DEBUG_SEEK;
        slot = debug_history_before(debugger, travel->target + 1);
    } else {
        const struct debug_slot *own = debugger->own;
        travel->limit = own->position + (own->inside ? 0 : 1);
        slot = debug_history_before(debugger, travel->limit);
        if (!slot) {
            travel->mode = DEBUG_RUN;
            travel->stop = (struct debug_stop){.signal = DEBUG_SIGNAL_TRAP,
                                               .thread = travel->thread,
                                               .kind = -1,
                                               .history_begins = true};
            slot = debug_history_first(debugger);
        }
    }
    if (slot)
        debug_history_wake(debugger, slot);
    arrive(debugger); /* somebody has ended the snapshots: better here than nowhere */
}

static void found(struct tigon_debugger *debugger, const struct debug_stop *stop) {
    struct debug_travel *travel = travel_of(debugger);
    travel->found = true;
    travel->target = debugger->position;
    travel->stop = *stop;
}

static void consider(struct tigon_debugger *debugger, struct debug_thread *thread, uint32_t pc) {
    const struct debug_travel *travel = travel_of(debugger);
    const bool before = debugger->position < travel->limit;
    struct debug_stop stop = {.signal = DEBUG_SIGNAL_TRAP, .thread = thread->index, .kind = -1};
    if (travel->step) {
        if (before && thread->index == travel->thread &&
            thread->cpu->statistics.instructions < travel->instruction)
            found(debugger, &stop);
    } else if (debug_breaks_hit(debugger, thread, pc, &stop) &&
               (before ||
                (debugger->position == travel->limit && stop.kind >= DEBUG_WATCH_WRITE))) {
        found(debugger, &stop);
    }
}

void debug_travel_observe(struct tigon_debugger *debugger, struct debug_thread *thread,
                          uint32_t pc) {
    const struct debug_travel *travel = travel_of(debugger);
    if (debugger->mode == DEBUG_SEEK) {
        if (debugger->position >= travel->target)
            arrive(debugger);
        return;
    }
    consider(debugger, thread, pc);
    if (debugger->position >= travel->limit)
        finish(debugger);
}

void debug_travel_ended(struct tigon_debugger *debugger) {
    if (debugger->mode == DEBUG_SCAN)
        finish(debugger);
    else
        arrive(debugger);
}

static void woken(struct tigon_debugger *debugger) {
    const struct debug_travel *travel = travel_of(debugger);
    debugger->mode = travel->mode;
    debugger->step_thread = debugger->alone = -1;
    debugger->stream.no_acknowledge = debugger->session->no_acknowledge;
    debugger->stream.begin = debugger->stream.end = 0;
    debug_mute(debugger);
    debug_breaks_prepare(debugger);
    if (travel->mode == DEBUG_RUN)
        arrive(debugger);
    else if (debugger->inside)
        debug_travel_observe(debugger, debugger->inside, debugger->inside->cpu->pc);
}

int debug_travel_snapshot(struct tigon_debugger *debugger, bool kept) {
    const int number = debug_history_take(debugger, kept);
    if (number < 0)
        woken(debugger);
    return number;
}

void debug_travel_back(struct tigon_debugger *debugger, bool step, int thread) {
    struct debug_travel *travel = travel_of(debugger);
    const uint64_t limit = debugger->position + (debugger->inside ? 0 : 1);
    struct debug_slot *slot = debug_history_before(debugger, limit);
    *travel =
        (struct debug_travel){.mode = DEBUG_SCAN,
                              .step = step,
                              .thread = thread,
                              .instruction = debugger->threads[thread].cpu->statistics.instructions,
                              .limit = limit};
    if (slot)
        debug_history_wake(debugger, slot);
}

void debug_travel_restore(struct tigon_debugger *debugger, struct debug_slot *slot) {
    *travel_of(debugger) =
        (struct debug_travel){.mode = DEBUG_RUN,
                              .stop = {.signal = DEBUG_SIGNAL_TRAP,
                                       .thread = debugger->session->general_thread,
                                       .kind = -1,
                                       .restored = true}};
    debug_history_wake(debugger, slot);
}
