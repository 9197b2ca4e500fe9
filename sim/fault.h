/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: faults on wires and inside boards, their times, and the frames they hit.
 *
 * sim/tigon.h includes this header; programs need not include it. A fault is selected by chance, by
 * time or by an exact number, and is given as a structure or as a line of text:
 *
 *     left->right: lose 1%                           chance, by the world's seed
 *     left<->right: lose at 3ms for 2ms              time: a black hole, the link stays up
 *     left->right: lose frame 17                     the 18th frame of that direction (from 0)
 *
 * Both forms are equivalent. The text form has one fault per line; `#` begins a comment:
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
 *              ... every 10ms [for 1ms] until 1s    no new occurrence begins from then on
 *
 * in any order behind WHAT.
 *
 * On one direction of a wire WHAT is
 *
 *     lose                                  silently: with a time and no chance, a black hole
 *     lose in bursts enter 0.1% leave 20% [losing 90%]
 *                                           two states (Gilbert-Elliott): chances per frame to
 *                                           enter and leave the bad one, and of a loss in it
 *     duplicate                             the copy follows directly behind the frame
 *     delay by 50us                         with a chance for up to this time, else exactly
 *     reorder by 8                          at most this many later frames arrive before it; if
 *                                           no frame follows, it arrives after 1 ms
 *     corrupt                               a bit flips on the fibre: the receiver sees a CRC error
 *     corrupt silently                      a bit flips before the CRC is computed
 *     truncate [to 40]                      the rest is missing, so the CRC is wrong
 *     lengthen [to 9000]                    more bytes follow, so the CRC is wrong
 *     pause by 100us                        an injected PAUSE frame stops the receiver's sending
 *     unplug                                no signal in this direction: the link goes down
 *
 * and on a board
 *
 *     fail dma read|write [with 0x02000000] ends with these attention bits (tigon2.md 5.2)
 *     hang dma read|write                   never ends: busy until the engine or board is reset
 *     hide event 15 of core A               the bit of its event word reads 0; its cause remains
 *     flip a bit [in 0x4000-0x7FFF]         of SRAM, drawn by the world's seed
 *     flip bit 5 of 0x1234                  of the byte at that SRAM address
 *     jump timer [back] by 3ms              HW[054], whole us (tigon2.md 4)
 *     reset                                 tigon_board_reset
 *     kill                                  tigon_board_kill
 *     stop core A|B                         tigon_board_stop_core
 *     crash host                            tigon_host_crash
 *
 * The faults from the flips on, and `pause`, happen at a time, so they need one. All random choices
 * for occurrence n of a fault depend only on the world's seed, the fault's number in the world and
 * n. So adding a fault behind others does not change the effects of the others on any frame.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_world;
struct tigon_board;
struct tigon_wire;

/* Attention bits of a DMA state word (tigon2.md 5.2). */
#define TIGON_DMA_MASTER_ABORT     (1u << 25)
#define TIGON_DMA_ADDRESS_OVERFLOW (1u << 27)
#define TIGON_DMA_ATTENTIONS       0xEF000000u

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

/* Call tigon_fault_defaults, which sets "each, always"; then set the members that the kind uses. */
struct tigon_fault {
    enum tigon_fault_kind kind;

    /* Where: a direction of a wire, or a board */
    struct tigon_wire *wire;
    unsigned from_side;
    struct tigon_board *board;
    unsigned part; /* DMA: 0 read, 1 write engine; core, its event word: 0 A, 1 B */

    /* Which frames or transfers: those in range that chance picks while the fault is active */
    double chance;
    uint64_t first; /* running numbers, both included */
    uint64_t last;

    /* When, in ticks (sim/time.h). A fault without `timed` is always active. */
    bool timed;
    uint64_t at;       /* first beginning; with `about` it comes an interval later */
    uint64_t duration; /* of each occurrence; TIGON_NEVER: permanent */
    uint64_t every;    /* interval from one beginning to the next; 0: once */
    bool about;        /* each interval is drawn from 0 to twice `every` */
    uint64_t until;    /* no beginning at or after this tick */

    /* How */
    double enter; /* LOSE_IN_BURSTS, chances per frame */
    double leave;
    double losing;
    uint64_t delay_ticks;  /* DELAY; PAUSE, rounded up to quanta; JUMP_TIMER, whole us */
    bool back;             /* JUMP_TIMER: into the past */
    uint32_t displacement; /* REORDER, at least 1 */
    uint32_t length;       /* TRUNCATE, LENGTHEN: resulting bytes of the frame, CRC included; 0
                              draws 1 to all but one, or 1 to 1518 more */
    uint32_t attention;    /* FAIL_DMA */
    uint32_t address;      /* FLIP; first of FLIP_ANY */
    uint32_t address_last; /* of FLIP_ANY */
    uint32_t bit;          /* of FLIP, HIDE_EVENT; 0 is the least significant */
};

void tigon_fault_defaults(struct tigon_fault *fault, enum tigon_fault_kind kind);

/* Adds a copy. Returns 0, -EINVAL if a value in it is impossible, or -ENOMEM. Faults stay for the
 * life of the world. `at` in the past means now. */
int tigon_world_add_fault(struct tigon_world *world, const struct tigon_fault *fault);

/* Adds the faults of a text; boards, switches and wires must exist. Returns the number of lines
 * with a fault, or -EINVAL and then adds none: `message` gets one line "source:line:column: ..."
 * for each error, as many as fit. If a file cannot be read, returns the -errno. */
int tigon_world_add_faults(struct tigon_world *world, const char *text, const char *source,
                           char *message, size_t message_bytes);
int tigon_world_read_faults(struct tigon_world *world, const char *path, char *message,
                            size_t message_bytes);

/* The text form of this fault; reading it gives the same fault. Returns the value of snprintf. */
int tigon_fault_print(const struct tigon_fault *fault, char *text, size_t bytes);

size_t tigon_world_fault_count(const struct tigon_world *world);
/* Fault `number`, in the order of adding; NULL beyond the last. `hits` (may be NULL) receives the
 * number of times it had an effect. */
const struct tigon_fault *tigon_world_fault(const struct tigon_world *world, size_t number,
                                            uint64_t *hits);

/* One hit of a fault; observers (sim/observer.h) receive each. */
struct tigon_fault_event {
    const struct tigon_fault *fault; /* NULL: struct tigon_faults or the filter of the wire */
    uint64_t ticks;
    const struct tigon_wire *wire; /* of a wire: with from_side, and the frame's number */
    unsigned from_side;
    const struct tigon_board *board; /* of a board: with the transfer's number */
    uint64_t number;                 /* UINT64_MAX: neither frame nor transfer */
    const char *what;                /* "lost", "DMA read failed with attention 02000000" */
};

/* "left->right frame 17: lost". Returns the value of snprintf. */
int tigon_fault_event_text(const struct tigon_fault_event *event, char *text, size_t bytes);

#endif
