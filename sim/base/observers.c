/* SPDX-License-Identifier: MIT */
/* The list of observers of a world, and notifying them. */
#include "sim/base/observers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void note_wishes(struct tigon_observers *observers) {
    observers->wants_changed = false;
    observers->wants_signals = observers->signal_hook != NULL;
    for (size_t i = 0; i < observers->count; i++) {
        observers->wants_changed |= observers->items[i].changed != NULL;
        observers->wants_signals |= observers->items[i].signal != NULL;
    }
}

int tigon_observers_add(struct tigon_observers *observers, const struct tigon_observer *observer) {
    struct tigon_observer *items =
        realloc(observers->items, (observers->count + 1) * sizeof *items);
    if (!items)
        return -ENOMEM;
    items[observers->count++] = *observer;
    observers->items = items;
    note_wishes(observers);
    return 0;
}

void tigon_observers_remove(struct tigon_observers *observers, const void *context) {
    size_t kept = 0;
    for (size_t i = 0; i < observers->count; i++)
        if (observers->items[i].context != context)
            observers->items[kept++] = observers->items[i];
    observers->count = kept;
    note_wishes(observers);
}

void tigon_observers_set_signal_hook(struct tigon_observers *observers, tigon_signal_hook hook,
                                     void *context) {
    observers->signal_hook = hook;
    observers->signal_context = context;
    note_wishes(observers);
}

void tigon_observers_free(struct tigon_observers *observers) {
    free(observers->items);
    memset(observers, 0, sizeof *observers);
}

/* Calls member `function` of all that have it. */
#define TELL(observers, function, ...)                                                             \
    for (size_t i = 0; i < (observers)->count; i++)                                                \
        if ((observers)->items[i].function)                                                        \
    (observers)->items[i].function((observers)->items[i].context, __VA_ARGS__)

void tigon_observers_signal(const struct tigon_observers *observers,
                            const struct tigon_board *board, enum tigon_signal signal,
                            uint32_t value, uint64_t ticks) {
    if (observers->signal_hook)
        observers->signal_hook(observers->signal_context, board, signal, value, ticks);
    TELL(observers, signal, board, signal, value, ticks);
}

void tigon_observers_frame(const struct tigon_observers *observers,
                           const struct tigon_frame_view *frame, enum tigon_fate fate) {
    TELL(observers, frame, frame, fate);
}

void tigon_observers_arrival(const struct tigon_observers *observers,
                             const struct tigon_arrival *arrival) {
    TELL(observers, arrival, arrival);
}

void tigon_observers_transfer(const struct tigon_observers *observers,
                              const struct tigon_transfer *transfer) {
    TELL(observers, transfer, transfer);
}

void tigon_observers_program(const struct tigon_observers *observers,
                             const struct tigon_board *board, size_t index, const char *name,
                             enum tigon_program_state state, uint64_t ticks) {
    TELL(observers, program, board, index, name, state, ticks);
}

void tigon_observers_polled(const struct tigon_observers *observers,
                            const struct tigon_board *board, uint64_t ticks) {
    TELL(observers, polled, board, ticks);
}

void tigon_observers_message(const struct tigon_observers *observers,
                             const struct tigon_board *board, const char *message, uint64_t ticks) {
    if (observers->log_hook)
        observers->log_hook(observers->log_context, board, message);
    TELL(observers, message, board, message, ticks);
}

void tigon_observers_fault(const struct tigon_observers *observers,
                           const struct tigon_fault_event *event) {
    TELL(observers, fault, event);
}

void tigon_observers_changed(const struct tigon_observers *observers, struct tigon_board *board,
                             uint64_t ticks) {
    TELL(observers, changed, board, ticks);
}

const char *tigon_program_state_name(enum tigon_program_state state) {
    static const char *const names[] = {"ready",          "busy",
                                        "asleep",         "waiting for an interrupt",
                                        "polling memory", "polling the board",
                                        "finished"};
    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "?";
}

const char *tigon_fate_name(enum tigon_fate fate) {
    switch (fate) {
    case TIGON_FATE_DELIVER:
        return "delivered";
    case TIGON_FATE_LOSE:
        return "lost";
    case TIGON_FATE_DUPLICATE:
        return "delivered twice";
    case TIGON_FATE_DELAY:
        return "held back";
    case TIGON_FATE_CORRUPT_VISIBLE:
        return "damaged, CRC error";
    case TIGON_FATE_CORRUPT_SILENT:
        return "damaged before its CRC was made";
    case TIGON_FATE_CUT:
        return "lost, wire cut";
    case TIGON_FATE_REORDER:
        return "held back behind later frames";
    case TIGON_FATE_TRUNCATE:
        return "truncated";
    case TIGON_FATE_LENGTHEN:
        return "lengthened";
    }
    return "?";
}
