/* SPDX-License-Identifier: MIT */
/* Messages whose every frame can be told from every other by its bytes, and which of them host
 * memory holds: what an application can know about placement and order. */
#ifndef HOST_REPLAY_LETTERS_H
#define HOST_REPLAY_LETTERS_H

#include "host/emp/libemp.h"

#include <stdio.h>

enum { LETTER_LIMIT = 64, LETTER_FRAMES = 32, LETTER_BYTES_LIMIT = 65536 };

struct letter {
    uint8_t *area;
    struct libemp_memory *memory;
    libemp_request request;
    uint32_t bytes;
    bool posted; /* and not finished yet */
};

/* What one host has posted, in order. */
struct letters {
    unsigned side;
    size_t sends;
    size_t receives;
    struct letter send[LETTER_LIMIT];
    struct letter receive[LETTER_LIMIT];
    /* By receive and send of the other side: bit n stands for frame n of that message in its place,
     * as last told. */
    uint32_t held[LETTER_LIMIT][LETTER_LIMIT];
    uint32_t torn[LETTER_LIMIT]; /* by receive: places with bytes of no message */
};

/* Allocates, fills and posts. 0 or a negative errno value; libemp_message says more, unless it is
 * -E2BIG: more messages than LETTER_LIMIT or frames than LETTER_FRAMES. */
int letters_post(struct letters *letters, struct libemp_board *board, bool send, uint16_t peer,
                 uint16_t tag, uint32_t bytes);

/* Asks for a receive back, by its number in order of posting. -ENOENT when there is no such
 * receive, else as libemp_cancel. */
int letters_cancel(struct letters *letters, struct libemp_board *board, uint64_t number);

/* Prints "memory SIDE RECEIVE SEND FRAMES" and "torn SIDE RECEIVE FRAMES" for what has changed
 * since it was told last; FRAMES is a set of bits. */
void letters_tell_memory(struct letters *letters, const struct letters *from, FILE *stream);

/* Looks at each posted request once and prints "done SIDE send|receive NUMBER RESULT LENGTH" for
 * those that have finished. Takes host time. */
void letters_tell_finished(struct letters *letters, struct libemp_board *board, FILE *stream);

/* Requests that have not finished. */
size_t letters_posted(const struct letters *letters);

/* After a start of the board, which forgets every request. */
void letters_forget(struct letters *letters);

#endif
