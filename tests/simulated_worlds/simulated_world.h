/* SPDX-License-Identifier: MIT */
/*
 * A world of simulated boards, each in a host of its own that runs the program of the plan over
 * libemp: two on one wire, or any number on a tree of switches.
 */
#ifndef TESTS_SIMULATED_WORLDS_SIMULATED_WORLD_H
#define TESTS_SIMULATED_WORLDS_SIMULATED_WORLD_H

#include "host/emp/libemp.h"
#include "sim/tigon.h"
#include "tests/campaign_worlds/world.h"

/* A request that was handed to libemp. */
struct posting {
    libemp_request request;
    bool has_ended;
    struct host_end end;
    uint64_t looks_needed; /* of the host of the source; 0: not known yet */
};

struct station {
    struct simulated_world *world;
    struct host *host;
    struct tigon_board *hardware;
    struct tigon_host *machine;
    struct libemp_board *board;
    struct libemp_memory *memory; /* all of the host's */
    struct posting posting[2 * WORLD_REQUESTS];
    uint32_t rows_seen; /* records of the trace ring */
    uint64_t looks;     /* at all its requests, ended */
    bool restarting;    /* its time has come */
    bool greeted;
    bool over; /* its program has ended: it has seen all */
};

struct simulated_world {
    struct hosts *hosts;
    struct tigon_world *simulation;
    struct board_image *image;
    struct station station[WORLD_NODES];
    uint32_t ready, restarts_pending, greeted, done; /* stations */
    bool greets; /* the last messages, after restarts, are due */
    /* The phase of faults comes in slices of fault_us, each with other places and times, until
     * enough messages are posted. */
    uint64_t faults_end_ns;                 /* of the slice */
    uint32_t fault_slices, places, moments; /* so far */
};

struct station *station_of(const struct host *host);

/* Boards, switches and wires. 0 or a negative errno value. */
int network_make(struct simulated_world *world);
/* A slice of faults begins now. 0 or a negative errno value; then hosts_fail has been called. */
int network_add_faults(struct simulated_world *world);

/* Marks the rows that the board has taken since the last call, or its start, in world_rows: of a
 * board that has taken more since than its ring has room for, the last ones. None where the image
 * has no ring. */
void rows_note(struct station *station);

/* Fills the memory of a host's receives with what boards must leave alone. */
void requests_guard(struct station *station);
/* The board has stopped: what it wrote is looked at, and no request is left. */
void requests_forget(struct station *station);
/* Whether nothing was written after the last receives had ended; if not, hosts_fail was called. */
bool requests_untouched(struct station *station);

#endif
