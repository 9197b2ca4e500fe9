/* SPDX-License-Identifier: MIT */
/* Two simulated boards, "left" and "right", back to back or through a switch, each in a host of its
 * own that loads the firmware through its window, brings the link up and then runs a program over
 * libemp. Also the tests' way to get there.
 */
#ifndef HOST_DEMO_PAIR_H
#define HOST_DEMO_PAIR_H

#include "host/emp/libemp.h"

#include "sim/tigon.h"

struct recorder;

struct pair;
struct pair_side;

/* A host's program. What it returns is pair_run's result when it is negative. It must not close
 * the board; its peer stays alive until both programs have returned, because a board may still owe
 * the other an acknowledgement when its own program has got all it waits for. */
typedef int (*pair_program)(struct pair_side *side, void *argument);

struct pair_side {
    struct pair *pair;
    unsigned index; /* of board and node */
    uint16_t peer;  /* node number of the other */
    struct libemp_board *board;
    struct tigon_host *host;
    struct tigon_board *hardware;
    pair_program program;
    void *argument;
    bool returned;
    int result;
    uint64_t ready_ns; /* when image and firmware were up, and when the link was */
    uint64_t link_ns;
    struct board_status status; /* after the link came up */
    char message[256];          /* what failed, empty if nothing did */
};

struct pair_options {
    const char *image;
    struct tigon_knobs knobs;
    struct libemp_costs costs;
    bool ends_in_memory; /* as in struct libemp_options */
    uint64_t seed;
    const char
        *faults; /* text of sim/fault.h, for the boards "left", "right", the switch "switch" */
    const char *faults_file; /* the same in a file; NULL is none */
    bool through_switch;
    /* Records both boards: TRACE.0.trace and TRACE.1.trace. NULL does not, unless EMP_TRACES says
     * so; "" never does, for a world whose clocks do not only go forward. */
    const char *trace;
    void (*progress)(const struct pair_side *side, const char *step, size_t done, size_t total);
};

struct pair {
    struct tigon_world *world;
    struct tigon_wire *wire; /* between the boards, or from the left one to the switch */
    struct board_image *image;
    struct pair_options options;
    struct pair_side side[2];
    struct recorder *recorder[2];
    enum tigon_end end;
};

#define PAIR_IMAGE "build/firmware/emp_a.elf"

/* Tests record their worlds when EMP_TRACES names a directory, and run the image EMP_IMAGE names.
 */
void pair_options_defaults(struct pair_options *options);

/* Makes the world; nothing runs yet, so that faults, filters and taps can be set. Returns 0 or a
 * negative errno value. Close with pair_close, also after a failure. */
int pair_open(struct pair *pair, const struct pair_options *options);
void pair_close(struct pair *pair);

/* Starts both boards and runs one program on each side until both have returned, at most
 * `limit_ns` of virtual time. 0 or the first failure; the sides' messages say what it was. */
int pair_run(struct pair *pair, pair_program left, void *left_argument, pair_program right,
             void *right_argument, uint64_t limit_ns);

/* Fails a program: keeps the sentence (or libemp's, when `what` is NULL) and gives `error` back. */
int pair_fail(struct pair_side *side, int error, const char *what);

/* Whether the other side has failed, so that waiting for it is in vain. */
bool pair_peer_failed(const struct pair_side *side);

/* Both sides' complaints and the simulator's, for people; nothing when all went well. */
void pair_complain(const struct pair *pair, FILE *stream);

#endif
