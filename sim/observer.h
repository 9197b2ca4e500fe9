/* SPDX-License-Identifier: MIT */
/*
 * Observers of a world. There may be any number of them; each receives the kinds of events for
 * which it has a function. Waveforms, logs and profiles of sim/observe/ are built on this; programs
 * may use it, too.
 *
 * Observers are passive: nothing that an observer may do changes the simulation, and a run with
 * observers is the same to the tick as one without. Without observers each event costs at most a
 * test of a number.
 *
 * Order: boards run ahead of each other by up to the lookahead of the wire, and a frame is reported
 * when its last byte has been sent, so the times of successive calls may go back a little. Events
 * from one source (a signal, a core, an engine, a program) are in order. `ticks` are those of
 * sim/time.h.
 */
#ifndef SIM_OBSERVER_H
#define SIM_OBSERVER_H

#include "sim/tigon.h"

/* A transfer of a DMA engine that has ended. */
struct tigon_transfer {
    const struct tigon_board *board;
    bool write; /* board to host */
    int ring;   /* 0 high, 1 low priority; -1 started by hand */
    uint64_t host_address;
    uint32_t local_address;
    uint32_t length;    /* bytes */
    uint32_t attention; /* bits of the state word that stopped it; 0: completed */
    bool stopped;       /* aborted by a reset or by hand before its end */
    uint64_t started;   /* ticks; descriptor fetch included */
    uint64_t ended;
};

/* The fate of a frame that reached the end of a wire. */
enum tigon_arrival_fate {
    TIGON_ARRIVAL_KEPT,    /* in the receive ring */
    TIGON_ARRIVAL_DROPPED, /* refused by the MAC; tigon_board_statistics counts the reasons */
    TIGON_ARRIVAL_CUT      /* no signal when it arrived */
};

struct tigon_arrival {
    const struct tigon_board *board;
    const struct tigon_wire *wire;
    unsigned from_side;
    uint64_t index; /* of the frame, as in struct tigon_frame_view; UINT64_MAX: injected */
    bool again;     /* the second copy of a duplicated frame */
    bool bad_crc;
    const uint8_t *bytes; /* as received, valid during the call */
    size_t length;        /* without CRC */
    enum tigon_arrival_fate fate;
    uint64_t ticks;
};

/* State of a host's program between two moments at which it runs (running takes no time). */
enum tigon_program_state {
    TIGON_PROGRAM_READY, /* just added */
    TIGON_PROGRAM_BUSY,  /* spends time, or accesses registers */
    TIGON_PROGRAM_ASLEEP,
    TIGON_PROGRAM_INTERRUPT,    /* waits for an interrupt */
    TIGON_PROGRAM_POLLS_MEMORY, /* waits for a DMA write */
    TIGON_PROGRAM_POLLS_BOARD,  /* polls a register */
    TIGON_PROGRAM_FINISHED
};
const char *tigon_program_state_name(enum tigon_program_state state);

struct tigon_observer {
    void *context; /* passed to each function; identifies the observer */
    /* Any of these may be NULL. */
    void (*signal)(void *context, const struct tigon_board *board, enum tigon_signal signal,
                   uint32_t value, uint64_t ticks);
    /* Called for every wire; the times are those of the frame's beginning. */
    void (*frame)(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate);
    void (*arrival)(void *context, const struct tigon_arrival *arrival);
    void (*transfer)(void *context, const struct tigon_transfer *transfer);
    /* The program `index` of the board's host enters a state. `name` is valid during the call. */
    void (*program)(void *context, const struct tigon_board *board, size_t index, const char *name,
                    enum tigon_program_state state, uint64_t ticks);
    /* What a program of the board's host polls may have changed: it sees that when it reads next.
     * Only with knob host_poll_watchpoint. */
    void (*polled)(void *context, const struct tigon_board *board, uint64_t ticks);
    /* As tigon_world_set_log_hook. */
    void (*message)(void *context, const struct tigon_board *board, const char *message,
                    uint64_t ticks);
    /* A fault was injected (sim/fault.h). A frame may meet several; all are reported before the
     * frame's fate. */
    void (*fault)(void *context, const struct tigon_fault_event *event);
    /* Registers of the board may have changed: a core or the host wrote one, or a device changed
     * something visible to others. For samplers. */
    void (*changed)(void *context, struct tigon_board *board, uint64_t ticks);
};

/* Adds an observer, after the existing ones. The structure is copied. Returns 0 or -ENOMEM. Must
 * not be called from an observer's function. */
int tigon_world_attach(struct tigon_world *world, const struct tigon_observer *observer);

/* Removes the observers with this context; it is no error if there are none. Must not be called
 * from an observer's function. */
void tigon_world_detach(struct tigon_world *world, const void *context);

#endif
