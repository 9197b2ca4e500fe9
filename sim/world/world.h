/* The world for the devices; what programs use of it is in sim/tigon.h. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/observer.h"
#include "sim/tigon.h"

struct tigon_frame_pool;
struct tigon_fault_set;
struct tigon_schedule;

#define TIGON_NAME_BYTES 32u /* of a board or switch, with its end */

struct tigon_frame_pool *tigon_world_frames(struct tigon_world *world);

/* For a debugger, which may block in these functions: nothing moves meanwhile. */
struct tigon_world_guard {
    /* Before the first step of a run and then about once for each event; cores are between two
     * instructions. Cheap, please. */
    void (*turn)(void *context);
    /* A run is over; its result is on the way to whoever asked for it. */
    void (*ended)(void *context, enum tigon_end end);
    void *context;
};

/* `guard` is not copied and must outlive its use; NULL removes it. */
void tigon_world_set_guard(struct tigon_world *world, const struct tigon_world_guard *guard);

/* The core on which the last run ended with a fault, or NULL. */
const struct tigon_board *tigon_world_faulted(const struct tigon_world *world, unsigned *core);
/* How far the last run came: as tigon_world_now_ticks(), or to the fault that ended it, which may
 * lie beyond the last event. */
uint64_t tigon_world_reached_ticks(const struct tigon_world *world);

/* Where tigon_world_now_ticks() stands, for those who ask often. */
const uint64_t *tigon_world_clock(const struct tigon_world *world);

struct tigon_schedule *tigon_world_schedule(struct tigon_world *world);
struct tigon_fault_set *tigon_world_faults(const struct tigon_world *world);

/* 0 when a board or switch may be named so, or the error of tigon_board_set_name. */
int tigon_world_check_name(const struct tigon_world *world, const char *name);

void tigon_world_program_started(struct tigon_world *world);
void tigon_world_program_finished(struct tigon_world *world);

/* Who listens: sim/observer.h. */
struct tigon_observers {
    struct tigon_observer *items;
    size_t count;
    /* One of them has that function. */
    bool wants_changed;
    bool wants_signals; /* also for the hook of tigon_world_set_signal_hook */
    bool hooked;        /* there is one */
};

struct tigon_observers *tigon_world_observers(struct tigon_world *world);
void tigon_observers_free(struct tigon_observers *observers);
void tigon_observers_hooked(struct tigon_observers *observers, bool hooked);

/* Tell all observers; see struct tigon_observer for the arguments. */
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
void tigon_observers_message(const struct tigon_observers *observers,
                             const struct tigon_board *board, const char *message, uint64_t ticks);
void tigon_observers_fault(const struct tigon_observers *observers,
                           const struct tigon_fault_event *event);
void tigon_observers_changed(const struct tigon_observers *observers, struct tigon_board *board,
                             uint64_t ticks);

/* The hooks of programs and the observers; they do nothing when there are none. */
void tigon_world_signal(struct tigon_world *world, const struct tigon_board *board,
                        enum tigon_signal signal, uint32_t value, uint64_t ticks);
void tigon_world_log(struct tigon_world *world, const struct tigon_board *board,
                     const char *message, uint64_t ticks);

#endif
