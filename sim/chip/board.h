/* SPDX-License-Identifier: MIT */
/*
 * One board: memory, bus, cores and devices, and what ties them together.
 *
 * Devices are structures inside struct tigon_board, one .c/.h pair each. Their state words live in
 * board->registers; what else they keep is in their structure. A device acts at board->now, which
 * is the tick of the event or access being served, and calls tigon_board_changed() after anything
 * that another party could see: that derives the event words again and wakes polling cores. Devices
 * reach each other only by the functions in their headers.
 *
 * The embedding program uses sim/tigon.h; this header is for the devices.
 */
#ifndef SIM_BOARD_H
#define SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/bus.h"
#include "sim/chip/core_control.h"
#include "sim/core/cpu.h"
#include "sim/chip/dma.h"
#include "sim/chip/events.h"
#include "sim/chip/host_bus.h"
#include "sim/chip/host_control.h"
#include "sim/chip/host_window.h"
#include "sim/chip/link.h"
#include "sim/chip/local_control.h"
#include "sim/chip/mac_receive.h"
#include "sim/chip/mac_statistics.h"
#include "sim/chip/mac_transmit.h"
#include "sim/core/memory.h"
#include "sim/chip/pci_configuration.h"
#include "sim/chip/registers.h"
#include "sim/base/schedule.h"
#include "sim/chip/semaphore.h"
#include "sim/tigon.h"
#include "sim/time.h"
#include "sim/chip/timer.h"
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

    struct tigon_host_control host_control;
    struct tigon_local_control local_control;
    struct tigon_semaphore semaphore;
    struct tigon_timer timer;
    struct tigon_events events;
    struct tigon_pci pci;
    struct tigon_dma dma;
    struct tigon_transmit transmit;
    struct tigon_receive receive;
    struct tigon_link link;
    struct tigon_core_control core_control;

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

/* Something visible changed at board->now: see above. */
void tigon_board_changed(struct tigon_board *board);

/* The same for what the event words have nothing to do with, as most pointers of rings. */
void tigon_board_touched(struct tigon_board *board);

/* First cycle in which a core sees what happens at board->now. In equal cycles A goes first, so it
 * sees what B did a cycle later. */
uint64_t tigon_board_seen_by(const struct tigon_board *board, unsigned core);

void tigon_board_disturb_cores(struct tigon_board *board);

/* Whether a core waits in a loop, or may be about to, so that it is to be told. */
static inline bool tigon_board_disturbable(const struct tigon_board *board) {
    return ((unsigned)board->cpu[0].loop.stage | (unsigned)board->cpu[1].loop.stage) !=
           TIGON_LOOP_NONE;
}

/* Something that cores may wait for in loops changes at board->now, or will in a moment: register
 * writes, SRAM and bus call this by themselves. */
static inline void tigon_board_disturb(struct tigon_board *board) {
    if (__builtin_expect(tigon_board_disturbable(board), 0))
        tigon_board_disturb_cores(board);
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

/* What firmware hardly means, and the chip does all the same. */
enum tigon_oddity {
    TIGON_ODD_DMA_EMPTY,
    TIGON_ODD_DMA_LOCAL,
    TIGON_ODD_FRAME_SHORT,
    TIGON_ODD_FRAME_ADDRESS,
    TIGON_ODD_FRAME_LONG
};
/* True once a board for each oddity: who asks then logs it. */
bool tigon_board_odd(struct tigon_board *board, enum tigon_oddity oddity);

/* Counts an access to an offset that nobody owns and reports the first of each (tigon2.md 14 row
 * 20). */
void tigon_board_unknown(struct tigon_board *board, uint32_t offset, bool write);

void tigon_board_log(struct tigon_board *board, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* First core cycle that sees what happens at board->now. */
static inline uint64_t tigon_board_cycle(const struct tigon_board *board) {
    return tigon_cycle_at_or_after(board->now);
}

/* `event` at `ticks`, but never before now. */
void tigon_board_schedule(struct tigon_board *board, struct tigon_event *event, uint64_t ticks);

#endif
