/* SPDX-License-Identifier: MIT */
/*
 * The debugger of a running world: GDB over the remote serial protocol, with the cores of the
 * boards as threads, and a history for reverse execution.
 *
 *     struct tigon_debugger_options options;
 *     tigon_debugger_options_defaults(&options);
 *     options.address = "1234";                       // gdb: target remote :1234
 *     tigon_debugger_open(&debugger, world, &options); // before anything of the world runs
 *     ... tigon_world_run(world, ...) ...
 *     tigon_debugger_close(debugger, exit_status);
 *
 * A debugged world runs exactly as without a debugger, to the cycle. Breakpoints change no code:
 * they are compared with the program counter at each instruction. A stopped world waits inside the
 * instruction at which it stopped, so it simply continues from there. Only the user's writes to
 * registers or memory change the run.
 *
 * History. Every snapshot_ns of simulated time the process forks, and the child sleeps: it is a
 * snapshot, with all host programs and their stacks. Going back wakes a copy of the last snapshot
 * before the wanted moment, which runs forward to it; the live process ends. A process
 * that owns no simulation, the one that called tigon_debugger_open, waits for the last of them and
 * ends with its status. So tigon_debugger_open returns in a child process; call it when no thread
 * runs and no other process depends on the process's number. Effects outside the process:
 *  - open files are cut to the length they had at the snapshot and written again;
 *  - what was printed to standard output and error is not printed a second time;
 *  - other processes connected to the world do not go back: use snapshot_limit = 0 with them.
 *
 * While no debugger is attached, the world runs at full speed.
 */
#ifndef SIM_DEBUG_DEBUGGER_H
#define SIM_DEBUG_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/tigon.h"

struct tigon_debugger;
struct tigon_reporter; /* sim/debug/report.h */

#define TIGON_DEBUGGER_ALL_BOARDS (-1)

struct tigon_debugger_options {
    /* "PORT" or "HOST:PORT" (TCP; without a host only this machine can connect), or a path with a
     * slash for a Unix socket. NULL: `connection` is used. */
    const char *address;
    int connection;       /* a connected stream socket, closed with the debugger; else -1 */
    int board;            /* the board whose cores are the threads, or TIGON_DEBUGGER_ALL_BOARDS */
    bool wait;            /* waits for the first debugger before the world runs */
    bool stop_at_end;     /* all programs finished: stop once more before the end */
    uint64_t from_ns;     /* with wait: runs alone to this time, and only then waits */
    uint64_t snapshot_ns; /* distance of snapshots in simulated time, at least 1 us */
    unsigned snapshot_limit; /* how many are kept, old ones less densely; 0: no history */
    const struct tigon_reporter *reporter; /* for `monitor report`, or NULL */
    /* Called with the address to connect to, or NULL. */
    void (*listening)(void *context, const char *address);
    void *context;
};

/* Waits, all boards, snapshots every millisecond, at most 32. No address. */
void tigon_debugger_options_defaults(struct tigon_debugger_options *options);

/* Opens the socket; debuggers are served from inside tigon_world_run. Everything must be in place:
 * boards added after this are no threads. One debugger per world. Returns 0 or -errno: -EINVAL for
 * an impossible address or board. */
int tigon_debugger_open(struct tigon_debugger **debugger, struct tigon_world *world,
                        const struct tigon_debugger_options *options);

/* Tells an attached debugger that the program has ended with `exit_status`, drops the history and
 * lets go of the world, which must still exist. NULL is allowed. */
void tigon_debugger_close(struct tigon_debugger *debugger, int exit_status);

/* A debugger is connected. */
bool tigon_debugger_attached(const struct tigon_debugger *debugger);

#endif
