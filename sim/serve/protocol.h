/* SPDX-License-Identifier: MIT */
/*
 * The protocol by which other programs attach to a simulated board; docs/board-scenarios.md,
 * "Attaching other programs", is its manual.
 *
 * A connection is a Unix stream socket. Either side sends messages: a header of 32 bytes and a
 * payload. Every number is little-endian. A payload is a row of 64-bit words, whatever they mean,
 * but for TIGON_SERVE_WRITE_BLOCK (words of 32 bits follow the two of 64) and texts (bytes).
 * Requests are answered in their order, each by one reply with the request's type and sequence
 * number; those marked "posted" have no reply. A reply with a status other than 0 carries a
 * sentence for people as its payload.
 */
#ifndef SIM_SERVE_PROTOCOL_H
#define SIM_SERVE_PROTOCOL_H

#include <endian.h>
#include <stdint.h>

#define TIGON_SERVE_MAGIC   UINT64_C(0x3244524142474954) /* the bytes "TIGBARD2" */
#define TIGON_SERVE_VERSION 1u                           /* the newest there is, and the oldest */

enum {
    TIGON_SERVE_BAR_BYTES = 0x4000, /* BAR0 */
    TIGON_SERVE_CONFIGURATION_BYTES = 256,
    TIGON_SERVE_BLOCK_WORDS = 4096, /* of one WRITE_BLOCK */
    TIGON_SERVE_PAGES_LIMIT = 2048, /* of one ALLOCATE_PAGES */
    TIGON_SERVE_ROW_WORDS = 2048,   /* of one READ_ROW */
    TIGON_SERVE_NAME_WORDS = 4,     /* 32 bytes, padded with zeros */
    TIGON_SERVE_TEXT_BYTES = 240,   /* of a refusal */
    /* No message is longer, header included; a sender that exceeds this is disconnected. */
    TIGON_SERVE_MESSAGE_BYTES = 32 + 16 + 4 * TIGON_SERVE_BLOCK_WORDS
};

struct tigon_serve_header {
    uint32_t length; /* of the whole message, this header included */
    uint16_t type;
    uint16_t reserved; /* 0 */
    uint32_t sequence; /* chosen by the client, repeated by the reply */
    int32_t status;    /* of a reply: 0 or a negative errno value of Linux; 0 in requests */
    uint64_t now_ps;   /* virtual time of the reply or event, picoseconds; 0 in requests */
    uint64_t writes;   /* DMA writes of the board into host memory so far; 0 in requests */
};
_Static_assert(sizeof(struct tigon_serve_header) == 32, "no padding");

/* Requests: arguments -> answer, in words of the payload. Times are nanoseconds. */
enum tigon_serve_type {
    /* magic, oldest version, newest version, features wanted -> magic, version, features, enum
     * tigon_serve_mode, board index, number of boards, bytes of host memory, bus address of its
     * first byte, level of the interrupt line, name (4 words). Two descriptors come with the reply:
     * host memory to map, and an eventfd written to whenever the interrupt line rises. Must be the
     * first request, and only that. */
    TIGON_SERVE_HELLO = 1,
    /* index -> MAC address (first byte in bits 47:40), name (4 words). -ENOENT beyond the last. */
    TIGON_SERVE_BOARD = 2,
    /* offset, width in bytes (1, 2, 4) -> value. Costs a register read. */
    TIGON_SERVE_CONFIGURATION_READ = 3,
    /* offset, width, value -> nothing */
    TIGON_SERVE_CONFIGURATION_WRITE = 4,
    /* offset, width (1, 2, 4, 8) -> value */
    TIGON_SERVE_READ = 5,
    /* offset, width, value. Posted. */
    TIGON_SERVE_WRITE = 6,
    /* offset, count, then count words of 32 bits. Posted. One write-combined burst. */
    TIGON_SERVE_WRITE_BLOCK = 7,
    /* offset, mask, unchanged, spend, until, turns -> value, turns: tigon_host_poll32 */
    TIGON_SERVE_POLL = 8,
    /* nothing -> nothing: the header has the time; all earlier posted requests have been done */
    TIGON_SERVE_SYNCHRONISE = 9,
    /* duration -> nothing: occupies the host's CPU */
    TIGON_SERVE_SPEND = 10,
    /* duration -> nothing: lets time pass */
    TIGON_SERVE_SLEEP = 11,
    /* timeout -> 1 when the interrupt line is up, 0 when it stayed down */
    TIGON_SERVE_WAIT_INTERRUPT = 12,
    /* bus address, length, seen (of `writes`), interval, timeout -> 1 or 0: tigon_host_poll */
    TIGON_SERVE_POLL_MEMORY = 13,
    /* bytes -> bus address of zeroed whole pages, contiguous. -ENOMEM */
    TIGON_SERVE_ALLOCATE = 14,
    /* bytes -> bus address of each page, scattered as an operating system would. -ENOMEM */
    TIGON_SERVE_ALLOCATE_PAGES = 15,
    /* nothing -> nothing: the reset line of the slot */
    TIGON_SERVE_RESET = 16,
    /* bus address, bytes -> nothing: gives back pages that this client has allocated. -EINVAL if it
     * has not allocated all of them. With feature TIGON_SERVE_FREES, as the next one. */
    TIGON_SERVE_FREE_PAGES = 17,
    /* sum of enum tigon_serve_owner, two bus addresses -> nothing: gives back all pages of these
     * owners but the two that have the addresses. The client must know that the board reaches none
     * of the pages any more. */
    TIGON_SERVE_GIVE_BACK = 18,
    /* offset, step, count -> values of count words, step bytes apart (both multiples of 4), one
     * register read after the other. With feature TIGON_SERVE_ROWS. */
    TIGON_SERVE_READ_ROW = 19,
    TIGON_SERVE_TYPES,

    /* From the server, unasked, sequence 0, with feature TIGON_SERVE_EVENTS: level of the interrupt
     * line, which has changed. */
    TIGON_SERVE_INTERRUPT = 256
};

/* Features. The reply omits bits that a side does not support. */
#define TIGON_SERVE_EVENTS UINT64_C(1)
#define TIGON_SERVE_FREES  UINT64_C(2)
#define TIGON_SERVE_ROWS   UINT64_C(4)

/* Of pages that are allocated. */
enum tigon_serve_owner {
    TIGON_SERVE_MINE = 1, /* this client */
    TIGON_SERVE_LEFT = 2  /* a client before it, which has not given them back */
};

enum tigon_serve_mode {
    TIGON_SERVE_LOCK_STEP, /* time passes only while a client waits for a reply, or writes */
    TIGON_SERVE_FREE       /* time follows the clock of the server's machine */
};

#endif
