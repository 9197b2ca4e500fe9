/* SPDX-License-Identifier: MIT */
/* Shared by the files of the debugger; not for others. */
#ifndef SIM_DEBUG_DEBUGGER_PRIVATE_H
#define SIM_DEBUG_DEBUGGER_PRIVATE_H

#include <stddef.h>
#include <sys/types.h>

#include "sim/core/cpu.h"
#include "sim/debug/debugger.h"
#include "sim/debug/packet.h"
#include "sim/world/world.h"

#define DEBUG_BREAKPOINTS  64u
#define DEBUG_WATCH_BYTES  128u /* longest range of one watchpoint */
#define DEBUG_SNAPSHOTS    96u
#define DEBUG_OPEN_FILES   128u
#define DEBUG_POLL_CALLS   16384u /* instructions between two checks of the connection */
#define DEBUG_POLL_TURNS   256u   /* turns of the world between two checks */
#define DEBUG_PACKET_BYTES 16384u

/* Signal numbers of the protocol, which are GDB's own. */
enum {
    DEBUG_SIGNAL_NONE = 0,
    DEBUG_SIGNAL_INTERRUPT = 2,
    DEBUG_SIGNAL_ILLEGAL = 4,
    DEBUG_SIGNAL_TRAP = 5,
    DEBUG_SIGNAL_ABORT = 6,
    DEBUG_SIGNAL_BUS = 10,
    DEBUG_SIGNAL_SEGMENT = 11
};

/* Numbers of the packets Z0 to Z4. */
enum debug_break_kind {
    DEBUG_BREAK_SOFTWARE,
    DEBUG_BREAK_HARDWARE,
    DEBUG_WATCH_WRITE,
    DEBUG_WATCH_READ,
    DEBUG_WATCH_ACCESS
};

struct debug_breakpoint {
    bool used;
    /* GDB removes its breakpoints to step one thread alone over one of them, and inserts others
     * where that thread will stop. The other threads must handle both: they stop at removed
     * breakpoints until the next real resume, and ignore fresh ones. */
    bool fresh; /* put in since the last real resume */
    bool removed;
    uint8_t kind; /* enum debug_break_kind */
    uint32_t address;
    uint32_t length;
};

/* Why the world is stopped. */
struct debug_stop {
    int signal;
    int thread;       /* index */
    int kind;         /* enum debug_break_kind of the hit, else -1 */
    uint32_t address; /* of the data watched */
    bool history_begins;
    bool restored; /* the answer to `monitor restore`, no stop */
};

/*
 * A position is the number of instructions shown to the debugger so far, of all its threads. The
 * world alone determines these instructions and their order, so a position is a moment, the same in
 * each re-run.
 */
enum debug_mode {
    DEBUG_RUN,
    DEBUG_SCAN, /* forward from a snapshot, to find the last hit before `limit` */
    DEBUG_SEEK  /* forward from a snapshot to `target` */
};

struct debug_travel {
    uint8_t mode;         /* enum debug_mode; DEBUG_RUN: stop at the snapshot itself */
    bool step;            /* backwards by one instruction of `thread`, else to the last hit */
    int thread;           /* index */
    uint64_t instruction; /* step: of that thread, where it starts from */
    uint64_t limit;       /* breakpoints below, watchpoints up to this position */
    uint64_t target;
    bool found;
    struct debug_stop stop; /* the stop to report on arrival */
};

struct debug_slot {
    pid_t pid; /* 0: free */
    unsigned number;
    uint64_t position;
    uint64_t ns;
    bool inside; /* taken while an instruction was shown, else between two */
    bool kept;   /* not to be thinned out */
    int wake;    /* eventfd, in all processes the same */
};

/* State that must survive going back, in memory that all processes share. */
struct debug_session {
    struct debug_breakpoint breakpoints[DEBUG_BREAKPOINTS];
    bool no_acknowledge;
    bool stop_reasons;  /* the debugger supports swbreak and hwbreak */
    int general_thread; /* of Hg and Hc; index */
    int resume_thread;
    bool stop_at_end;
    struct debug_slot slots[DEBUG_SNAPSHOTS];
    unsigned next_number;
    struct debug_travel travel;
    uint64_t frontier; /* how far output was printed */
    pid_t supervisor;
    int supervisor_pipe; /* read end: hung up when the supervisor has ended */
    pid_t live; /* the process that the session depends on: the live one, or a snapshot that is to
                   continue */
};

/* The state of a watchpoint for one thread. */
struct debug_watch {
    bool valid;                       /* the range is in memory or registers */
    uint8_t place;                    /* enum tigon_place */
    uint32_t offset;                  /* in that place */
    uint8_t saved[DEBUG_WATCH_BYTES]; /* of SRAM: with the board's first thread */
};

struct debug_thread {
    struct tigon_debugger *debugger;
    struct tigon_board *board;
    struct tigon_cpu *cpu;
    unsigned core;
    int index;
    uint32_t before;      /* address of the instruction shown before this one */
    uint32_t seen_state;  /* HW[140] bits at the last check */
    bool pending;         /* scan: has made a watched access, to be reported after it */
    struct debug_stop at; /* that report */
};

struct debug_file {
    int descriptor;
    off_t offset;
    bool writable;
};

struct tigon_debugger {
    struct tigon_world *world;
    struct tigon_debugger_options options;
    struct tigon_world_guard guard;
    struct debug_session *session;
    struct debug_thread *threads;
    size_t thread_count;
    int listener; /* -1: none */
    struct packet_stream stream;
    char *unlink_path;

    bool attached;
    bool observing; /* the cores show their instructions; longer than attached by one turn */
    bool waited;    /* the first attachment is over */
    bool unsnapshotted_change; /* the user changed something since the last snapshot */
    uint64_t position;
    struct debug_thread *inside; /* the core whose instruction is being shown, or NULL */
    struct debug_stop stop;

    uint8_t mode;         /* enum debug_mode */
    int step_thread;      /* -1: no step */
    int alone;            /* thread that GDB runs alone, assuming that the others are stopped; -1 */
    uint64_t deferred_at; /* position at which another thread's stop was reported late */
    uint64_t step_instruction;
    uint32_t step_first, step_end; /* stay while pc is in [first, end) */
    unsigned calls_to_poll;
    unsigned turns_to_poll;
    uint64_t next_snapshot_cycle;
    bool copied; /* a snapshot made by a command has woken here: back to the world */

    uint8_t filter[8192]; /* bit per word address modulo 65536 words: a breakpoint may be there */
    bool any_watch;
    struct debug_watch *watches; /* by breakpoint, then thread */

    const struct debug_slot *own; /* the snapshot made last; in a copy, the one it is of */
    struct debug_file files[DEBUG_OPEN_FILES]; /* at the last snapshot */
    size_t file_count;
    int muted[3]; /* the real standard output and error while they are closed, else -1 */
    char packet[DEBUG_PACKET_BYTES + 1];
};

/* debugger.c */

/* Serves the debugger until it resumes the world; may not return (history). */
void debug_stop_here(struct tigon_debugger *debugger, const struct debug_stop *stop);
void debug_let_go(struct tigon_debugger *debugger); /* detach */
/* While travelling, output that was printed before is not printed again. */
void debug_mute(struct tigon_debugger *debugger);

/* breaks.c */

/* Adds or removes the breakpoint or watchpoint of a Z or z packet. 0, -ENOSPC, -EINVAL. */
int debug_breaks_insert(struct tigon_debugger *debugger, int kind, uint32_t address,
                        uint32_t length);
void debug_breaks_remove(struct tigon_debugger *debugger, int kind, uint32_t address,
                         uint32_t length);
void debug_breaks_clear(struct tigon_debugger *debugger);
/* Before the world continues, perhaps with one thread alone. */
void debug_breaks_prepare(struct tigon_debugger *debugger);
bool debug_breaks_at(const struct tigon_debugger *debugger, const struct debug_thread *thread,
                     uint32_t pc);
/* The instruction at pc is about to be executed by `thread`. True: stop, for the reason given. When
 * scanning, an access is reported when the thread comes to the instruction after it. */
bool debug_breaks_hit(struct tigon_debugger *debugger, struct debug_thread *thread, uint32_t pc,
                      struct debug_stop *stop);

/* Whether anybody could want to stop at this instruction: a quick look. */
bool debug_breaks_interesting(const struct tigon_debugger *debugger, uint32_t pc);
bool debug_is_branch(const struct tigon_cpu *cpu, uint32_t pc);

/* The access of the instruction at `pc` to memory or registers, given the registers now; for a
 * branch that of its delay slot. False: none. */
bool debug_access_of(const struct tigon_cpu *cpu, uint32_t pc, uint32_t *address, uint32_t *bytes,
                     bool *store);

/* history.c */

int debug_history_open(struct tigon_debugger *debugger);
void debug_history_close(struct tigon_debugger *debugger);
bool debug_history_exists(const struct tigon_debugger *debugger);
/* Makes a snapshot of the present moment. Returns its number, 0 when there is none (no history, no
 * process), and in a copy woken later -1: session->travel then has the target. */
int debug_history_take(struct tigon_debugger *debugger, bool kept);
/* After a forgotten debugger: the history is over. */
void debug_history_forget(struct tigon_debugger *debugger);
/* The last snapshot from which position `limit` (exclusive) can be reached, and the one by number;
 * NULL: none. */
struct debug_slot *debug_history_before(struct tigon_debugger *debugger, uint64_t limit);
struct debug_slot *debug_history_first(struct tigon_debugger *debugger);
struct debug_slot *debug_history_numbered(struct tigon_debugger *debugger, unsigned number);
/* Continues in a copy of the snapshot, with the target session->travel. Returns only on failure. */
void debug_history_wake(struct tigon_debugger *debugger, struct debug_slot *slot);
/* Drops the snapshots after the present moment. */
void debug_history_cut(struct tigon_debugger *debugger);

/* travel.c */

/* debug_history_take, and the actions of a copy that wakes there (-1, when it runs on from there).
 */
int debug_travel_snapshot(struct tigon_debugger *debugger, bool kept);
/* Goes back; returns only when there is no history. */
void debug_travel_back(struct tigon_debugger *debugger, bool step, int thread);
void debug_travel_restore(struct tigon_debugger *debugger, struct debug_slot *slot);
/* While travelling: an instruction is shown, or the world has come to its end. */
void debug_travel_observe(struct tigon_debugger *debugger, struct debug_thread *thread,
                          uint32_t pc);
void debug_travel_ended(struct tigon_debugger *debugger);

/* gdb.c */

void debug_gdb_send_stop(struct tigon_debugger *debugger);
/* Until the debugger resumes the world (true) or is gone (false). */
bool debug_gdb_serve(struct tigon_debugger *debugger);

/* target.c: the protocol's view of registers and memory. */

enum { DEBUG_REGISTERS = 75, DEBUG_REGISTER_SP = 29, DEBUG_REGISTER_PC = 37 };
/* Hexadecimal text of a register; x for unknown contents. Returns the characters, 0 for no such
 * register. `text` has room for 17. */
size_t debug_register_read(const struct debug_thread *thread, unsigned number, char *text);
unsigned debug_register_digits(unsigned number); /* 0: no such register */
bool debug_register_write(struct debug_thread *thread, unsigned number, uint64_t value);
/* Memory or chip registers of the thread; bytes done. */
size_t debug_memory_read(const struct debug_thread *thread, uint32_t address, uint8_t *bytes,
                         size_t length);
size_t debug_memory_write(struct debug_thread *thread, uint32_t address, const uint8_t *bytes,
                          size_t length);
/* Documents of qXfer, made anew; to be freed. NULL: no such document. */
char *debug_document(const struct tigon_debugger *debugger, const char *object, const char *annex);
void debug_thread_name(const struct debug_thread *thread, char *text, size_t size);

/* monitor.c: `monitor` commands. Text for the user, to be freed. */
char *debug_monitor(struct tigon_debugger *debugger, const char *command);

#endif
