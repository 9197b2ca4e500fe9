/* SPDX-License-Identifier: MIT */
/* The observers and hooks of a world, and the functions that notify them. The part for programs is
 * in sim/observer.h and sim/tigon.h. */
#ifndef SIM_OBSERVERS_H
#define SIM_OBSERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/observer.h"
#include "sim/tigon.h"

struct tigon_observers {
    struct tigon_observer *items;
    size_t count;
    /* One of them has that function. */
    bool wants_changed;
    bool wants_signals; /* or there is the hook */
    tigon_signal_hook signal_hook;
    void *signal_context;
    tigon_log_hook log_hook;
    void *log_context;
};

/* Adds a copy of the observer behind the others. 0 or -ENOMEM. */
int tigon_observers_add(struct tigon_observers *observers, const struct tigon_observer *observer);
/* Removes those with this context. */
void tigon_observers_remove(struct tigon_observers *observers, const void *context);
void tigon_observers_free(struct tigon_observers *observers);
void tigon_observers_set_signal_hook(struct tigon_observers *observers, tigon_signal_hook hook,
                                     void *context);

/* Notify all observers that have the function, and the hook; struct tigon_observer documents the
 * arguments. */
void tigon_observers_signal(const struct tigon_observers *observers,
                            const struct tigon_board *board, enum tigon_signal signal,
                            uint32_t value, uint64_t ticks);
void tigon_observers_frame(const struct tigon_observers *observers,
                           const struct tigon_frame_view *frame, enum tigon_fate fate);
void tigon_observers_arrival(const struct tigon_observers *observers,
                             const struct tigon_arrival *arrival);
void tigon_observers_transfer(const struct tigon_observers *observers,
                              const struct tigon_transfer *transfer);
void tigon_observers_program(const struct tigon_observers *observers,
                             const struct tigon_board *board, size_t index, const char *name,
                             enum tigon_program_state state, uint64_t ticks);
void tigon_observers_polled(const struct tigon_observers *observers,
                            const struct tigon_board *board, uint64_t ticks);
void tigon_observers_message(const struct tigon_observers *observers,
                             const struct tigon_board *board, const char *message, uint64_t ticks);
void tigon_observers_fault(const struct tigon_observers *observers,
                           const struct tigon_fault_event *event);
void tigon_observers_changed(const struct tigon_observers *observers, struct tigon_board *board,
                             uint64_t ticks);

#endif
