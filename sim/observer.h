/*
 * Listening to a world: any number of observers, each told of the kinds of happenings it has a
 * function for. Waveforms, logs and profiles of sim/observe/ are built on this; programs may be
 * too.
 *
 * An observer only looks: nothing it may do changes the simulation, and a run with observers is the
 * same to the tick as one without. Without observers nothing here costs more than a test of a
 * number.
 *
 * Order: boards run ahead of each other by up to the lookahead of the wire, and a frame is told of
 * when its last byte is out, so times of successive calls go back a little. What comes from one
 * source (a signal, a core, an engine, a program) is in order. `ticks` are those of sim/time.h.
 */
#ifndef SIM_OBSERVER_H
#define SIM_OBSERVER_H

#include "sim/cpu.h"
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
    bool stopped;       /* taken back by a reset or by hand, before its end */
    uint64_t started;   /* ticks; descriptor fetch included */
    uint64_t ended;
};

/* What became of a frame that reached the end of a wire. */
enum tigon_arrival_fate {
    TIGON_ARRIVAL_KEPT,    /* in the receive ring */
    TIGON_ARRIVAL_DROPPED, /* refused by the MAC; tigon_board_statistics counts why */
    TIGON_ARRIVAL_CUT      /* no signal when it came */
};

struct tigon_arrival {
    const struct tigon_board *board;
    const struct tigon_wire *wire;
    unsigned from_side;
    uint64_t index; /* of the frame, as in struct tigon_frame_view; UINT64_MAX: injected */
    bool again;     /* the second of a duplicated frame */
    bool bad_crc;
    const uint8_t *bytes; /* as received, valid during the call */
    size_t length;        /* without CRC */
    enum tigon_arrival_fate fate;
    uint64_t ticks;
};

/* What a program of a host does between two moments at which it runs (running takes no time). */
enum tigon_program_state {
    TIGON_PROGRAM_READY, /* as it is when added */
    TIGON_PROGRAM_BUSY,  /* spends time, or accesses registers */
    TIGON_PROGRAM_ASLEEP,
    TIGON_PROGRAM_INTERRUPT,    /* waits for one */
    TIGON_PROGRAM_POLLS_MEMORY, /* waits for a DMA write */
    TIGON_PROGRAM_POLLS_BOARD,  /* reads a register over and over */
    TIGON_PROGRAM_FINISHED
};
const char *tigon_program_state_name(enum tigon_program_state state);

struct tigon_observer {
    void *context; /* given to each function; tells observers apart */
    /* Any of these may be NULL. */
    void (*signal)(void *context, const struct tigon_board *board, enum tigon_signal signal,
                   uint32_t value, uint64_t ticks);
    /* Of every wire; times are when the frame began. */
    void (*frame)(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate);
    void (*arrival)(void *context, const struct tigon_arrival *arrival);
    void (*transfer)(void *context, const struct tigon_transfer *transfer);
    /* The program `index` of the board's host enters a state. `name` is valid during the call. */
    void (*program)(void *context, const struct tigon_board *board, size_t index, const char *name,
                    enum tigon_program_state state, uint64_t ticks);
    /* As tigon_world_set_log_hook. */
    void (*message)(void *context, const struct tigon_board *board, const char *message,
                    uint64_t ticks);
    /* A fault was injected (sim/fault.h). A frame may meet several, told before its fate is. */
    void (*fault)(void *context, const struct tigon_fault_event *event);
    /* Registers of the board may have changed: a core or the host wrote one, or a device did
     * something others can see. For samplers. */
    void (*changed)(void *context, struct tigon_board *board, uint64_t ticks);
};

/* Adds an observer, after those there are. The structure is copied. Returns 0 or -ENOMEM. Not to be
 * called from an observer's function. */
int tigon_world_attach(struct tigon_world *world, const struct tigon_observer *observer);

/* Removes the observers with this context; none is no error. Not to be called from an observer's
 * function. */
void tigon_world_detach(struct tigon_world *world, const void *context);

#endif
