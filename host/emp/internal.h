/* SPDX-License-Identifier: MIT */
/* Declarations that the files of libemp share. Programs include only libemp.h; unit tests may also
 * include this header. */
#ifndef HOST_EMP_INTERNAL_H
#define HOST_EMP_INTERNAL_H

#include "host/board/access.h"
#include "host/emp/descriptor.h"
#include "host/emp/libemp.h"
#include "host/emp/session.h"

enum {
    HELD_LIMIT = 16,      /* receives */
    GENERATION_SHIFT = 16 /* in a request's number: below is the descriptor at which it begins */
};
#define GIVE_UP_NS UINT64_C(1000000) /* between two entries of libemp_give_up */
_Static_assert(DESCRIPTOR_ANY_SOURCE == LIBEMP_ANY_SOURCE, "one number for every source");
_Static_assert(EMP_CONTINUATION_BYTES <= EMP_DESCRIPTOR_BYTES, "both fit a table entry");
_Static_assert(EMP_DESCRIPTOR_LIMIT <= 65536, "descriptor numbers fit a request");
_Static_assert(EMP_POSTING_RING_ENTRIES > 3 * EMP_DESCRIPTOR_LIMIT, "the ring cannot overflow");
_Static_assert((EMP_POSTING_RING_ENTRIES & (EMP_POSTING_RING_ENTRIES - 1)) == 0, "masked below");
_Static_assert(EMP_PAGE_BYTES == BOARD_PAGE_BYTES, "pages of descriptors and of backends");

/* One read returns a whole completion, so all its fields are of the same moment. */
_Static_assert(EMP_DESCRIPTOR_RESULT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_TOTAL_LENGTH_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_DIRECTION_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_FORMAT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_CONTINUATIONS_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_RESERVED_WORD == EMP_DESCRIPTOR_OWNER_WORD,
               "a completion is one word");
_Static_assert(EMP_MESSAGE_LIMIT <= EMP_DESCRIPTOR_TOTAL_LENGTH_MASK, "which holds every length");

struct libemp_memory {
    struct libemp_board *board;
    struct libemp_memory *next;
    struct libemp_memory **link; /* the pointer to this one */
    uint8_t *address;
    size_t length;
    size_t in_page; /* offset of the first byte within its page */
    size_t pages;
    uint32_t pin;    /* of the backend; the driver's handle */
    uint64_t page[]; /* bus addresses of the pages' starts; 0 where the driver posts */
};

/* The host's state of one descriptor. */
struct libemp_slot {
    uint16_t generation; /* counts requests, so that the number of a finished one is recognised */
    uint8_t run;         /* descriptors of the request that starts here, 0 if none does */
    uint8_t words;       /* of its descriptors that the board reads */
    bool several;        /* the pieces belong to more than one registration */
    bool wildcards;      /* or a peek: the board names the message */
    struct libemp_posted posted;
    struct libemp_memory *memory;
    uint32_t *indirect; /* page of addresses, kept for the next long message */
    uint64_t indirect_bus;
};

/* A receive that is posted, but of which the board does not know yet. */
struct libemp_held {
    uint32_t index;
    uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS];
};

/* A peek, and whether its message can be claimed; see claim.c. */
enum libemp_claim_state {
    CLAIM_NONE,
    CLAIM_WAITS,    /* the peek is posted */
    CLAIM_TOLD,     /* it has ended: source and tag are those of its message */
    CLAIM_OVERTAKEN /* by a receive that may take the message */
};

struct libemp_claim {
    libemp_request request;
    enum libemp_claim_state state;
    uint16_t peer;
    uint64_t tag, ignored;
};

struct libemp_board {
    struct board *hardware;
    struct libemp_session *session; /* NULL: the library posts itself */
    struct libemp_costs costs;
    bool ends_in_memory; /* as in the options */

    bool running; /* it is EMP firmware, and the addresses below are valid */
    uint32_t node;
    uint32_t descriptors;
    uint32_t posting_ring;
    uint32_t peers;
    uint32_t parameters;
    uint32_t counters;
    /* A word for each descriptor, which the board writes as it ends; NULL: none. */
    volatile uint32_t *completions;
    uint64_t completions_bus;
    bool ends_taken; /* the board writes ends to this handle's place, if it has one */
    uint32_t looks;  /* at them in libemp_test, without success */

    uint32_t posted;      /* running count, low word of the posting mailbox */
    uint64_t gave_up_ns;  /* when libemp_give_up last made an entry */
    uint64_t asked_ns;    /* when a wait last asked whether the board reaches host memory */
    uint32_t outstanding; /* requests not yet finished */
    uint32_t free;
    uint64_t taken[(EMP_DESCRIPTOR_LIMIT + 63) / 64];
    struct libemp_slot slots[EMP_DESCRIPTOR_LIMIT];
    struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES];

    struct libemp_claim claims[EMP_DESCRIPTOR_LIMIT]; /* of the last peek with each descriptor */
    uint64_t claimable[(EMP_DESCRIPTOR_LIMIT + 63) / 64]; /* those that a receive may overtake */
    uint32_t claimable_count;

    bool holding;
    size_t held_count;
    struct libemp_held held[HELD_LIMIT]; /* in the order in which they were posted */

    struct libemp_memory *memories;
    struct libemp_long *longs; /* long messages: unfinished, and kept for later ones */
    libemp_transfer long_count;
    struct libemp_statistics statistics;
    int event; /* libemp_event_descriptor's; -1 until it is needed */
    int event_timer;
};

/* Stores the sentence that libemp_message returns; the value is `error`. */
#define libemp_fail(board, ...) board_fail((board)->hardware, __VA_ARGS__)

/* memory.c: divides pieces at page boundaries. Returns the number of fragments, -EINVAL for a piece
 * outside its memory or of another board, -E2BIG for too many fragments or bytes. */
int libemp_cut(struct libemp_board *board, const struct libemp_piece *pieces, size_t count,
               struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES], uint32_t *length);
void libemp_forget_memories(struct libemp_board *board);

/* long.c: ends all long messages, because their requests are gone; whether an unfinished one uses
 * this memory; frees them, whose memory has been forgotten before. */
void libemp_end_longs(struct libemp_board *board);
bool libemp_longs_use(const struct libemp_board *board, const struct libemp_memory *memory);
void libemp_forget_longs(struct libemp_board *board);

/* adopt.c: the handle that posts learns of ends; one that only looks at the board leaves them to
 * the handle that posted before. */
void libemp_take_ends(struct libemp_board *board);

/* left.c, for boards whose host memory outlives programs: this one has nothing posted, and its
 * memory is given back, if the board does not reach it, or has been `stopped`; it has attached, and
 * so is what killed ones have left. */
void libemp_give_back_own(struct libemp_board *board, bool stopped);
void libemp_give_back_left(struct libemp_board *board);

/* event.c: closes the descriptor, if there is one. */
void libemp_close_event(struct libemp_board *board);

/* claim.c: a peek is posted; a receive is, and may overtake peeks; a peek has met a message; a
 * request ends; all have gone. */
void libemp_claims_peek(struct libemp_board *board, libemp_request peek,
                        const struct libemp_header *header);
void libemp_claims_receive(struct libemp_board *board, const struct libemp_header *header);
void libemp_claims_told(struct libemp_board *board, size_t index,
                        const struct libemp_completion *message);
void libemp_claims_ended(struct libemp_board *board, size_t index);
void libemp_claims_reset(struct libemp_board *board);

/* The descriptor at which a request begins. A number that is no request may give one beyond all. */
static inline size_t libemp_request_index(libemp_request request) {
    return request & ((1U << GENERATION_SHIFT) - 1);
}

/* post.c: resets all requests and descriptors to their state after a start. */
void libemp_reset_requests(struct libemp_board *board);
/* Whether the request is known and has not been reported as finished. */
bool libemp_is_posted(struct libemp_board *board, libemp_request request);
/* 0 if requests can be posted: else -EACCES in a child of the process that opened the board, or
 * -ENODEV if no firmware runs. */
int libemp_check_usable(struct libemp_board *board);
/* -EIO with the reason if the firmware has stopped or the board has gone. */
int libemp_check_firmware(struct libemp_board *board);

#endif
