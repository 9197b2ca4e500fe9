/* SPDX-License-Identifier: MIT */
/*
 * Which host memory a board may touch: that named by descriptors that its host handed over and it
 * has not given back; and what it may write into its host's table: one completion for each posting
 * taken. Anything else ends the process with a message.
 *
 * A host may break the rules and change what the board owns: words of a descriptor, of those that
 * continue it, or a page of addresses. The board may then use the old words or the new ones, and
 * may stop with a fault (docs/security.md). Only what the host named at some time is ever touched.
 */
#ifndef TESTS_NATIVE_PORT_ORACLE_H
#define TESTS_NATIVE_PORT_ORACLE_H

#include "emp_layout.h"
#include "fw-runtime/port/native/native.h"

#define ORACLE_WORDS       (EMP_DESCRIPTOR_BYTES / 4u)
#define ORACLE_TABLE_WORDS (EMP_DESCRIPTOR_LIMIT * ORACLE_WORDS)
#define ORACLE_OWNED       64u
#define ORACLE_FORMER      1024u

#define ORACLE_FORMER_PLACES 4096u
#define ORACLE_PAGES         16u

/* A descriptor handed over: its words then, and of those that may continue it. */
struct oracle_owned {
    uint16_t descriptor;
    uint16_t taken;    /* ring entries that the board took and has not completed */
    bool posted;       /* the host has given it to the board, which has not given it back */
    bool changed;      /* words were changed meanwhile: `former` holds all that was named */
    uint16_t entry[2]; /* of its page: where the piece was that a transfer used last */
    uint32_t words[4][ORACLE_WORDS];
};

/* A run of memory that was named where the rules were broken. */
struct oracle_former {
    uint64_t address;
    uint32_t bytes;
    uint16_t place; /* in former_at */
};

struct oracle {
    volatile const uint32_t *table;
    /* Host memory for the oracle: a page of addresses, where it lies or copied to `copy`. NULL
     * where all of it is zero. */
    const uint8_t *(*peek)(const void *owner, uint64_t address, uint8_t *copy, uint32_t bytes);
    const void *owner;

    uint32_t seen[ORACLE_TABLE_WORDS]; /* the table after the last event */
    struct oracle_owned owned[ORACLE_OWNED];
    uint32_t owned_count;
    uint8_t owned_at[EMP_DESCRIPTOR_LIMIT]; /* of each descriptor: a number in `owned`, from 1 */
    struct oracle_former former[ORACLE_FORMER];
    uint32_t former_count;
    uint16_t former_at[ORACLE_FORMER_PLACES]; /* found by address: a number in `former`, from 1 */
    struct {
        uint64_t address;
        bool valid;        /* memory is as it was then */
    } pages[ORACLE_PAGES]; /* of addresses, all of whose entries are among `former` */
    uint32_t pages_remembered;
    bool anything; /* the board may touch any memory; see oracle_taken, or no room to remember more
                    */
    bool forged;   /* frames came that no node sent: sends may end early (docs/security.md) */
    bool broken;   /* the host has changed what the board owned: it may stop */
    uint32_t late_reads;
    uint32_t completions;
};

void oracle_start(struct oracle *oracle);

/* The host is about to write a word of its table, and has. */
void oracle_before_word(struct oracle *oracle, uint32_t word, uint32_t value);
void oracle_after_word(struct oracle *oracle, uint32_t word);

/* Host memory is about to change, by host or board, and has. */
void oracle_before_memory(struct oracle *oracle, uint64_t address, uint32_t bytes);
void oracle_after_memory(struct oracle *oracle, uint64_t address, uint32_t bytes);

/* The board touches memory: when the transfer is queued, and again when it is done. */
void oracle_transfer(struct oracle *oracle, enum native_transfer transfer, uint64_t address,
                     uint32_t bytes, bool done);

/* After each event: the board took `entries` of its ring (`ignored` of them counted as such), and
 * may have completed descriptors. */
void oracle_taken(struct oracle *oracle, uint32_t entry);
void oracle_completions(struct oracle *oracle);
/* Now and then: the whole table. */
void oracle_table(struct oracle *oracle);

/* The board stopped. */
void oracle_stopped(const struct oracle *oracle, uint32_t code);

_Noreturn void oracle_finding(const char *what, uint32_t first, uint64_t second);

#endif
