/*
 * Faults: what goes wrong on wires and inside boards, when, and to which frame.
 *
 * sim/tigon.h includes this header; programs need not name it. A fault is said in one of three
 * ways, by chance, by time or by an exact number, as a structure or as a line of text:
 *
 *     left->right: lose 1%                           chance, by the world's seed
 *     left<->right: lose at 3ms for 2ms              time: a black hole, the link stays up
 *     left->right: lose frame 17                     the 18th frame of that direction (from 0)
 *
 * Both forms do the same. The text form, one fault per line, `#` begins a comment:
 *
 *     WHERE: WHAT [CHANCE] [NUMBER] [TIME]
 *
 *     WHERE    left->right, left<->right, right     names of boards and switches, `*` for any
 *     CHANCE   1%, 0.01                             of each frame or transfer; without it: each
 *     NUMBER   frame 17, frames 17-20               running number in its direction, from 0;
 *              transfer 3, transfers 3-9            of the DMA engine, from 0
 *     TIME     at 3ms [for 2ms]                     s, ms, us, ns or cycles (88 MHz), since the
 *              at 3ms until 5ms                     world was created
 *              [at 3ms] every 10ms [for 1ms]        `about every` draws each interval from 0 to
 *              [at 3ms] about every 10ms [for 1ms]  twice as much
 *              ... every 10ms [for 1ms] until 1s    no new beginning from then on
 *
 * in any order behind WHAT.
 *
 * On one direction of a wire WHAT is
 *
 *     lose                                  silently: with a time and no chance, a black hole
 *     lose in bursts enter 0.1% leave 20% [losing 90%]
 *                                           two states (Gilbert-Elliott): chances per frame to
 *                                           enter and leave the bad one, and of a loss in it
 *     duplicate                             the copy follows right behind
 *     delay by 50us                         held for up to that long with a chance, else exactly
 *     reorder by 8                          at most so many later frames arrive before it; one
 *                                           that none follows arrives after 1 ms
 *     corrupt                               a bit flips on the fibre: the receiver sees a CRC error
 *     corrupt silently                      a bit flips before the CRC is made
 *     truncate [to 40]                      the rest is missing, and so the CRC is wrong
 *     lengthen [to 9000]                    more bytes follow, and so the CRC is wrong
 *     pause by 100us                        a PAUSE frame of nobody's, holding the receiver back
 *     unplug                                no signal in this direction: the link goes down
 *
 * and on a board
 *
 *     fail dma read|write [with 0x02000000] ends with these attention bits (tigon2.md 5.2)
 *     hang dma read|write                   never ends: busy until the engine or board is reset
 *     hide event 15 of core A               the bit of its event word reads 0, whatever it means
 *     flip a bit [in 0x4000-0x7FFF]         of SRAM, drawn by the world's seed
 *     flip bit 5 of 0x1234                  of the byte at that SRAM address
 *     jump timer [back] by 3ms              HW[054], whole us (tigon2.md 4)
 *     reset                                 tigon_board_reset
 *     kill                                  tigon_board_kill
 *     stop core A|B                         tigon_board_stop_core
 *     crash host                            tigon_host_crash
 *
 * Those from the flips on, and `pause`, happen at a time, so they need one. Everything random about
 * occurrence n of a fault depends on the world's seed, the fault's number in the world and n alone,
 * so adding a fault behind others changes nothing of what those do to which frame.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_world;
struct tigon_board;
struct tigon_wire;

enum tigon_fault_kind {
    /* To frames of one direction of a wire */
    TIGON_FAULT_LOSE,
    TIGON_FAULT_LOSE_IN_BURSTS,
    TIGON_FAULT_DUPLICATE,
    TIGON_FAULT_DELAY,
    TIGON_FAULT_REORDER,
    TIGON_FAULT_CORRUPT,
    TIGON_FAULT_CORRUPT_SILENTLY,
    TIGON_FAULT_TRUNCATE,
    TIGON_FAULT_LENGTHEN,
    /* To one direction of a wire */
    TIGON_FAULT_PAUSE,
    TIGON_FAULT_UNPLUG,
    /* To transfers of a DMA engine */
    TIGON_FAULT_FAIL_DMA,
    TIGON_FAULT_HANG_DMA,
    /* To a board */
    TIGON_FAULT_HIDE_EVENT,
    TIGON_FAULT_FLIP_ANY,
    TIGON_FAULT_FLIP,
    TIGON_FAULT_JUMP_TIMER,
    TIGON_FAULT_RESET,
    TIGON_FAULT_KILL,
    TIGON_FAULT_STOP_CORE,
    TIGON_FAULT_CRASH_HOST,
    TIGON_FAULT_KINDS
};

/* Set what matters for the kind after tigon_fault_defaults, which sets "each, always". */
struct tigon_fault {
    enum tigon_fault_kind kind;

    /* Where: a direction of a wire, or a board */
    struct tigon_wire *wire;
    unsigned from_side;
    struct tigon_board *board;
    unsigned part; /* DMA: 0 read, 1 write engine; core, its event word: 0 A, 1 B */

    /* Which frames or transfers: those in range that chance picks, while the fault is on */
    double chance;
    uint64_t first; /* running numbers, both included */
    uint64_t last;

    /* When, in ticks (sim/time.h). A fault without `timed` is always on. */
    bool timed;
    uint64_t at;       /* first beginning; with `about` it comes an interval later */
    uint64_t duration; /* of each occurrence; TIGON_NEVER: for good */
    uint64_t every;    /* from one beginning to the next; 0: once */
    bool about;        /* each of these is drawn from 0 to twice `every` */
    uint64_t until;    /* no beginning at or after this tick */

    /* How */
    double enter; /* LOSE_IN_BURSTS, chances per frame */
    double leave;
    double losing;
    uint64_t delay_ticks;  /* DELAY; PAUSE, rounded up to quanta; JUMP_TIMER, whole us */
    bool back;             /* JUMP_TIMER: into the past */
    uint32_t displacement; /* REORDER, at least 1 */
    uint32_t length;       /* TRUNCATE, LENGTHEN: bytes of the frame then, CRC included; 0 draws
                              1 to all but one, 1 to 1518 more */
    uint32_t attention;    /* FAIL_DMA */
    uint32_t address;      /* FLIP; first of FLIP_ANY */
    uint32_t address_last; /* of FLIP_ANY */
    uint32_t bit;          /* of FLIP, HIDE_EVENT; 0 is the least significant */
};

void tigon_fault_defaults(struct tigon_fault *fault, enum tigon_fault_kind kind);

/* Adds a copy. 0, -EINVAL when something in it is impossible, -ENOMEM. Faults stay for the life of
 * the world. `at` in the past means now. */
int tigon_world_add_fault(struct tigon_world *world, const struct tigon_fault *fault);

/* Adds the faults of a text; boards, switches and wires must be there. Returns how many lines said
 * one, or -EINVAL and then adds none: `message` gets one line "source:line:column: ..." for each
 * mistake, as many as fit. A file that cannot be read gives its -errno. */
int tigon_world_add_faults(struct tigon_world *world, const char *text, const char *source,
                           char *message, size_t message_bytes);
int tigon_world_read_faults(struct tigon_world *world, const char *path, char *message,
                            size_t message_bytes);

/* The line that says this fault; reading it gives the same fault. Returns what snprintf would. */
int tigon_fault_print(const struct tigon_fault *fault, char *text, size_t bytes);

size_t tigon_world_fault_count(const struct tigon_world *world);
/* Fault `number`, in the order of adding; NULL beyond the last. `hits` (may be NULL) is how often
 * it did something. */
const struct tigon_fault *tigon_world_fault(const struct tigon_world *world, size_t number,
                                            uint64_t *hits);

/* Something went wrong because it was told to; observers (sim/observer.h) are told of each. */
struct tigon_fault_event {
    const struct tigon_fault *fault; /* NULL: struct tigon_faults or the filter of the wire */
    uint64_t ticks;
    const struct tigon_wire *wire; /* of a wire: with from_side, and the frame's number */
    unsigned from_side;
    const struct tigon_board *board; /* of a board: with the transfer's number */
    uint64_t number;                 /* UINT64_MAX: neither frame nor transfer */
    const char *what;                /* "lost", "DMA read failed with attention 02000000" */
};

/* "left->right frame 17: lost". Returns what snprintf would. */
int tigon_fault_event_text(const struct tigon_fault_event *event, char *text, size_t bytes);

#endif
