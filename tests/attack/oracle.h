/* SPDX-License-Identifier: MIT */
/* Oracles: what must hold whatever an attacker does.
 *
 * Stray transfers: every transfer between board and host memory lies inside a grant, which is what
 * is posted at that moment, or the scratch bytes, and none is longer than a page: the board has no
 * buffer for more. Reads that were queued before the end of their
 * send was told are counted apart: they are of a frame sent again, and nobody takes what they read.
 * Panic: the firmware is ready, without a fault, its processor runs. Addresses: nothing is sent to
 * the address 00:00:00:00:00:00. */
#ifndef TESTS_ATTACK_ORACLE_H
#define TESTS_ATTACK_ORACLE_H

#include "emp/emp_layout.h"
#include "sim/observer.h"
#include "sim/tigon.h"

#include <stddef.h>

/* Of each of the two boards. Programs number their own from ORACLE_FIRST_GRANT. */
enum { ORACLE_BOARDS = 2, ORACLE_FIRST_GRANT = 2, ORACLE_GRANTS = 800, ORACLE_WORDS = 160 };

enum oracle_panic { ORACLE_READY, ORACLE_STOPPED /* itself, with a fault */, ORACLE_HALTED };

/* Host memory that a board may reach. */
struct oracle_grant {
    uint64_t bus;
    uint64_t bytes;
    uint64_t ended; /* tick from which on it is no longer posted, else UINT64_MAX */
    bool write;     /* by the board */
};

struct oracle {
    struct tigon_board *board[ORACLE_BOARDS];
    struct oracle_grant grant[ORACLE_BOARDS][ORACLE_GRANTS];
    struct oracle_grant former[ORACLE_BOARDS][ORACLE_GRANTS]; /* what each replaced */
    uint64_t transfers;
    uint64_t stray;
    uint64_t late;      /* reads of a send that had just ended */
    uint64_t to_nobody; /* frames to the zero address */
    uint64_t sent[ORACLE_BOARDS];
    uint64_t accepted;        /* hostile frames that a MAC put into its receive ring */
    uint8_t *hostile;         /* which frames are, by hash */
    char words[ORACLE_WORDS]; /* about the first stray transfer */
    void (*heard)(void *context, unsigned board, const uint8_t *bytes, size_t length);
    void *heard_context;
};

/* Watches the first two boards of the world. Returns 0 or -ENOMEM. */
int oracle_open(struct oracle *oracle, struct tigon_world *world);
void oracle_close(struct oracle *oracle);

void oracle_grant(struct oracle *oracle, unsigned board, size_t number, bool write,
                  const void *memory, size_t bytes);
/* The same by an address of the bus, whether there is memory or not. */
void oracle_grant_bus(struct oracle *oracle, unsigned board, size_t number, bool write,
                      uint64_t bus, size_t bytes);
/* The request has ended. */
void oracle_end_grant(struct oracle *oracle, unsigned board, size_t number);
/* The scratch bytes that the control block names; after each start of the firmware. */
void oracle_grant_scratch(struct oracle *oracle, unsigned board);
void oracle_revoke(struct oracle *oracle, unsigned board);

/* A frame is about to be put on the wire by the attacker. */
void oracle_mark(struct oracle *oracle, const uint8_t *bytes, size_t length);

enum oracle_panic oracle_panic(const struct oracle *oracle, unsigned board, uint32_t *fault);

/* Word `index` of the board's counters, of the specification and of the runtime. */
uint32_t oracle_counter(const struct oracle *oracle, unsigned board, size_t index);
uint32_t oracle_runtime_counter(const struct oracle *oracle, unsigned board, size_t index);

#endif
