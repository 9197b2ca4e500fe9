/* SPDX-License-Identifier: MIT */
/*
 * One board: memory, bus, cores and devices, and their connections.
 *
 * Devices (device.h) have one .c/.h pair each. Their state words are in board->registers; their
 * other state is their member of struct tigon_board. A device acts at board->now, the tick of the
 * event or access being served. Devices reach each other only by the functions in their headers.
 *
 * Two notifications report a change of state that another part could observe:
 *
 * - tigon_board_before_change() is due before a word changes that a core may poll in a loop. Writes
 *   of registers, SRAM and the bus call it by themselves; a device calls it before it changes a
 *   word outside a register write.
 * - tigon_board_changed() is due after every change. It derives the event words again and wakes the
 *   cores that wait for them.
 *
 * The embedding program uses sim/tigon.h; this header is for the devices.
 */
#ifndef SIM_BOARD_H
#define SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/bus.h"
#include "sim/core/cpu.h"
#include "sim/chip/mac_statistics.h"
#include "sim/core/memory.h"
#include "sim/chip/devices.h"
#include "sim/chip/registers.h"
#include "sim/base/schedule.h"
#include "sim/tigon.h"
#include "sim/time.h"
#include "sim/base/services.h"
#include "sim/chip/host_side.h"

struct tigon_board {
    struct tigon_world *world; /* this and the next four are those of the services */
    const uint64_t *clock;
    struct tigon_schedule *schedule;
    struct tigon_frame_pool *frames;
    struct tigon_observers *observers;
    struct tigon_host_side host_side; /* zeros: plugged into nothing */
    struct tigon_wire *wire;          /* NULL: nothing plugged in */
    unsigned side;                    /* ours, of the wire */
    size_t index;
    char name[TIGON_NAME_BYTES];
    bool dead; /* no power any more */
    struct tigon_installed_fault *faults;
    struct tigon_knobs knobs;
    uint8_t mac_address[6];

    uint64_t now;       /* ticks */
    int accessing_core; /* TIGON_CORE_A or _B during a register callback of that core, else -1 */

    uint32_t registers[TIGON_REGISTER_BYTES / 4];
    struct tigon_memory memory;
    struct tigon_bus bus;
    struct tigon_cpu cpu[2];

    /* The state of each device (devices.h). */
#define TIGON_DEVICE_STATE(name) struct tigon_##name name;
#define TIGON_NO_STATE(name)
    TIGON_DEVICES(TIGON_DEVICE_STATE, TIGON_NO_STATE)
#undef TIGON_DEVICE_STATE
#undef TIGON_NO_STATE

    struct tigon_statistics
        statistics;        /* counters the devices keep; the rest is filled in on demand */
    uint64_t messages;     /* logged */
    uint32_t odd_reported; /* bit per enum tigon_oddity: logged */
    uint64_t unknown_reported[2][16]; /* bit per word offset below 0x1000, read and write: logged
                                         already */
    uint32_t signals[TIGON_SIGNAL_COUNT];
};

/* A stored register word, for devices. */
#define TIGON_WORD(board, offset) ((board)->registers[(offset) / 4u])

/* Makes a board in its power-on state. `knobs` is copied. Returns 0 or -errno. */
int tigon_board_initialise(struct tigon_board *board, struct tigon_services *services, size_t index,
                           const struct tigon_knobs *knobs);
void tigon_board_destroy(struct tigon_board *board);

/* State that other parts can observe changed at board->now: see above. */
void tigon_board_changed(struct tigon_board *board);

/* First cycle in which a core sees the events of board->now. In equal cycles A runs first, so it
 * sees the effects of B a cycle later. */
uint64_t tigon_board_seen_by(const struct tigon_board *board, unsigned core);

/* Brings cores that wait in a loop to where they would be without parking. */
void tigon_board_leave_loops(struct tigon_board *board);

/* Whether a core waits in a loop, or may be about to, so that changes must be reported to it. */
static inline bool tigon_board_loop_may_read(const struct tigon_board *board) {
    return ((unsigned)board->cpu[0].loop.stage | (unsigned)board->cpu[1].loop.stage) !=
           TIGON_LOOP_NONE;
}

/* A word that cores may poll in loops is about to change at board->now: see above. */
static inline void tigon_board_before_change(struct tigon_board *board) {
    if (__builtin_expect(tigon_board_loop_may_read(board), 0))
        tigon_board_leave_loops(board);
}

/* Bit per core. */
static inline unsigned tigon_board_cores_running(const struct tigon_board *board) {
    return (unsigned)!tigon_cpu_stopped(&board->cpu[0]) |
           (unsigned)!tigon_cpu_stopped(&board->cpu[1]) << 1;
}

/* See struct tigon_host_side. */
static inline void tigon_board_window_changed(struct tigon_board *board) {
    if (board->host_side.window_changed)
        board->host_side.window_changed(board->host_side.host);
}

/* Notifies the observers of a new value. */
void tigon_board_tell_signal(const struct tigon_board *board, enum tigon_signal signal,
                             uint64_t ticks);

/* A signal has this value since `ticks`, which need not be board->now: a core runs ahead. */
static inline void tigon_board_signal_at(struct tigon_board *board, enum tigon_signal signal,
                                         uint32_t value, uint64_t ticks) {
    if (board->signals[signal] == value)
        return;
    board->signals[signal] = value;
    if (__builtin_expect(board->observers->wants_signals, 0))
        tigon_board_tell_signal(board, signal, ticks);
}

/* The same since board->now. */
static inline void tigon_board_signal(struct tigon_board *board, enum tigon_signal signal,
                                      uint32_t value) {
    tigon_board_signal_at(board, signal, value, board->now);
}

/* Actions that firmware probably does not intend, and the chip performs all the same. */
enum tigon_oddity {
    TIGON_ODD_DMA_EMPTY,
    TIGON_ODD_DMA_LOCAL,
    TIGON_ODD_FRAME_SHORT,
    TIGON_ODD_FRAME_ADDRESS,
    TIGON_ODD_FRAME_LONG
};
/* True once per board and oddity: the caller then logs it. */
bool tigon_board_odd(struct tigon_board *board, enum tigon_oddity oddity);

/* Counts an access to an offset without a register and reports the first of each (tigon2.md 14 row
 * 20). */
void tigon_board_unknown(struct tigon_board *board, uint32_t offset, bool write);

void tigon_board_log(struct tigon_board *board, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* First core cycle that sees the events of board->now. */
static inline uint64_t tigon_board_cycle(const struct tigon_board *board) {
    return tigon_cycle_at_or_after(board->now);
}

/* `event` at `ticks`, but never before now. */
void tigon_board_schedule(struct tigon_board *board, struct tigon_event *event, uint64_t ticks);

#endif
