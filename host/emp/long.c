/* SPDX-License-Identifier: MIT */
/* Messages longer than one descriptor can describe: several messages of EMP, one after the other.
 *
 * Each is a segment of the whole, with a header before its data. Two are posted at a time, so that
 * the wire carries one while the program learns of the end of the other. The header lies in memory
 * of the library, the data in the program's: a board gathers and scatters both without a copy.
 *
 * A cancelled transfer must leave no segment behind that one board sends again and again and the
 * other one refuses, because later messages of the pair wait behind it. So a cancelled receiver
 * takes what the sender has begun, without its data, and a cancelled sender ends with a message
 * that says so. What the other end does not take in time ends when the sender gives up its node. */
#include "host/emp/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEGMENT_BYTES = 1 << 20, /* of data; the last segment has less */
    SEGMENTS_POSTED = 2,
    /* A header, all in network byte order: MAGIC, the segment's place, bytes of the whole. */
    HEADER_BYTES = 16,
    MAGIC = 0x4C4F4E47,
    MAGIC_CANCELLED = 0x4C4F4E43 /* in place of a segment: the sender sends no more */
};
/* A cancelled receive takes what still comes, until nothing has come for so long; a sender that
 * waits longer for its receiver gives the node up. */
#define DISCARD_NS   UINT64_C(100000000)
#define PATIENCE_NS  UINT64_C(200000000)
#define LENGTH_LIMIT (UINT64_C(1) << 40)

/* Data that begin anywhere touch one page more, and the header another one. */
_Static_assert(SEGMENT_BYTES / EMP_PAGE_BYTES + 2 <= EMP_INDIRECT_ENTRIES, "a segment fits");
_Static_assert(SEGMENT_BYTES + HEADER_BYTES <= EMP_MESSAGE_LIMIT, "a segment fits");

struct libemp_long {
    struct libemp_long *next; /* of the board; kept for later ones when it has ended */
    struct libemp_board *board;
    libemp_transfer number; /* by which the program knows it */
    bool unfinished;
    bool receive;
    bool cancelled;
    uint16_t peer;
    uint64_t tag;
    struct libemp_piece place; /* of the data; of a receive as much as there is room for */
    uint64_t length;           /* of the whole; a receive learns it from the first segment */
    bool length_known;
    uint64_t posted, ended; /* requests, one for a segment */
    uint64_t done;          /* segments that have crossed; those of cancelled requests have not */
    bool announced;         /* the last request tells the receiver of the cancellation */
    bool discards;          /* cancelled, and takes what still comes, but for its data */
    bool discarded;         /* posted a request for that */
    bool gave_up;           /* the node, as libemp_give_up does */
    uint64_t deadline_ns;   /* when it has been cancelled: of discarding or patience */
    int error;              /* the first; no more segments are posted then */
    uint8_t *headers;       /* a page, with room for one of each segment that is posted */
    struct libemp_memory *header_memory;
    libemp_request requests[SEGMENTS_POSTED];
};

static uint64_t segments(const struct libemp_long *transfer) {
    if (!transfer->length_known || transfer->length == 0)
        return 1;
    return (transfer->length - 1) / SEGMENT_BYTES + 1;
}

/* Of `bytes` those that belong to this segment. */
static uint64_t share(uint64_t bytes, uint64_t segment) {
    const uint64_t before = segment * SEGMENT_BYTES;
    const uint64_t rest = bytes > before ? bytes - before : 0;
    return rest < SEGMENT_BYTES ? rest : SEGMENT_BYTES;
}

static uint8_t *header_of(const struct libemp_long *transfer, uint64_t request) {
    return transfer->headers + request % SEGMENTS_POSTED * HEADER_BYTES;
}

static void put_header(uint8_t *header, uint32_t magic, uint64_t segment, uint64_t length) {
    const uint64_t halves[] = {(uint64_t)magic << 32 | segment, length};
    for (unsigned i = 0; i < HEADER_BYTES; i++)
        header[i] = (uint8_t)(halves[i / 8] >> (56 - 8 * (i % 8)));
}

static uint64_t get_half(const uint8_t *header, unsigned half) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value = value << 8 | header[8 * half + i];
    return value;
}

/* ---------------------------------------------------------------------------------- Segments */

/* Of a cancelled receive the header alone finds room. */
static int post_segment(struct libemp_long *transfer) {
    const uint64_t segment = transfer->posted;
    uint8_t *header = header_of(transfer, segment);
    transfer->announced = transfer->cancelled && !transfer->receive;
    transfer->discarded = transfer->cancelled && transfer->receive;
    const uint64_t here = transfer->cancelled ? 0 : share(transfer->place.length, segment);
    const struct libemp_piece pieces[] = {
        {transfer->header_memory, (size_t)(header - transfer->headers), HEADER_BYTES},
        {transfer->place.memory, transfer->place.offset + (here ? segment * SEGMENT_BYTES : 0),
         here}};
    libemp_request *request = &transfer->requests[transfer->posted % SEGMENTS_POSTED];
    if (transfer->receive)
        return libemp_post_receive(transfer->board, transfer->peer, transfer->tag, pieces, 2,
                                   request);
    if (transfer->cancelled)
        put_header(header, MAGIC_CANCELLED, transfer->done, transfer->length);
    else
        put_header(header, MAGIC, segment, transfer->length);
    return libemp_post_send(transfer->board, transfer->peer, transfer->tag, pieces, 2, request);
}

/* Ends of cancelled segments are reported like others. The last one is cancelled first, so that
 * none goes in front of an earlier one. A send that the profile cannot cancel goes on to its end.
 */
static void cancel_segments(struct libemp_long *transfer) {
    for (uint64_t request = transfer->posted; request > transfer->ended; request--) {
        const int ignored =
            libemp_cancel(transfer->board, transfer->requests[(request - 1) % SEGMENTS_POSTED]);
        (void)ignored;
    }
}

static void fail(struct libemp_long *transfer, int error) {
    if (transfer->error)
        return;
    transfer->error = error;
    cancel_segments(transfer);
}

/* Is there something to post? A sender whose segments have ended tells of its cancellation, if the
 * receiver has met the message. A cancelled receiver that has met it takes what the sender has
 * begun. */
static bool has_more(const struct libemp_long *transfer) {
    const uint64_t under_way = transfer->posted - transfer->ended;
    if (transfer->error || under_way >= SEGMENTS_POSTED)
        return false;
    if (!transfer->cancelled)
        return transfer->posted < segments(transfer);
    if (transfer->done == 0 || transfer->done + under_way >= segments(transfer))
        return false;
    return transfer->receive ? transfer->discards
                             : under_way == 0 && !transfer->announced && !transfer->gave_up;
}

/* -EAGAIN: a segment waits for a descriptor. */
static int post_segments(struct libemp_long *transfer) {
    while (has_more(transfer)) {
        const int error = post_segment(transfer);
        if (error == -EAGAIN)
            return error;
        if (error)
            fail(transfer, error);
        else
            transfer->posted++;
    }
    return 0;
}

static bool is_cancellation(const struct libemp_long *transfer, int error, uint32_t bytes) {
    return error == 0 && bytes == HEADER_BYTES &&
           get_half(header_of(transfer, transfer->ended), 0) >> 32 == MAGIC_CANCELLED;
}

/* Is a message that has come the segment that this receive waits for? */
static bool is_expected(struct libemp_long *transfer, int error, uint32_t bytes) {
    const uint64_t segment = transfer->done;
    const uint8_t *header = header_of(transfer, transfer->ended);
    const uint64_t length = get_half(header, 1);
    if (bytes < HEADER_BYTES || get_half(header, 0) != ((uint64_t)MAGIC << 32 | segment) ||
        length > LENGTH_LIMIT || (transfer->length_known && length != transfer->length))
        return false;
    transfer->length = length;
    transfer->length_known = true;
    const uint64_t here = share(length, segment);
    return bytes == HEADER_BYTES + here &&
           (transfer->cancelled ||
            (error == 0) == (here <= share(transfer->place.length, segment)));
}

static void set_deadline(struct libemp_long *transfer) {
    transfer->deadline_ns =
        board_now_ns(transfer->board->hardware) + (transfer->receive ? DISCARD_NS : PATIENCE_NS);
}

/* The oldest posted segment has ended with `error`. */
static void end_segment(struct libemp_long *transfer, int error, uint32_t bytes) {
    const bool received = transfer->receive && (error == 0 || error == -EMSGSIZE);
    const bool announcement = transfer->announced && transfer->ended + 1 == transfer->posted;
    if (received && is_cancellation(transfer, error, bytes))
        error = -ECANCELED;
    else if (received && !is_expected(transfer, error, bytes))
        error = libemp_fail(transfer->board, -EPROTO,
                            "a message of %" PRIu32 " bytes is not segment %" PRIu64
                            " of the long message from node %u",
                            bytes, transfer->done, transfer->peer);
    else if (received)
        error = 0;
    transfer->ended++;
    if (error == 0 && !announcement)
        transfer->done++;
    if (error && (received || !transfer->cancelled || (error != -ECANCELED && !transfer->gave_up)))
        fail(transfer, error);
    if (transfer->cancelled && error == 0)
        set_deadline(transfer);
}

/* The other end has not done its part of a cancellation in time. */
static void end_patience(struct libemp_long *transfer) {
    transfer->discards = false;
    if (transfer->receive) {
        cancel_segments(transfer);
        transfer->deadline_ns = UINT64_MAX; /* what has met a message ends as that does */
        return;
    }
    const libemp_request oldest = transfer->requests[transfer->ended % SEGMENTS_POSTED];
    if (libemp_give_up(transfer->board, oldest) == 0)
        transfer->gave_up = true;
    transfer->deadline_ns = board_now_ns(transfer->board->hardware) + GIVE_UP_NS;
}

/* No segment is posted: what became of the message. */
static int outcome(struct libemp_long *transfer, uint64_t *length) {
    const bool whole =
        transfer->length_known && transfer->done == segments(transfer) && !transfer->discarded;
    int error = transfer->error;
    if (error && error != -ECANCELED)
        error = libemp_fail(transfer->board, error, "segment %" PRIu64 " of a long message: %s",
                            transfer->done, strerror(-error));
    else if (error || !whole)
        error = libemp_fail(transfer->board, -ECANCELED, "the long message was cancelled");
    if (!error && transfer->receive && transfer->length > transfer->place.length)
        error = libemp_fail(transfer->board, -EMSGSIZE, "the message was longer than its receive");
    if (length)
        *length = transfer->length;
    transfer->unfinished = false;
    return error;
}

static uint64_t rest_ns(struct libemp_board *board, uint64_t until_ns) {
    const uint64_t now_ns = board_now_ns(board->hardware);
    return until_ns > now_ns ? until_ns - now_ns : 0;
}

/* Goes on until the message has ended, or a segment has not: at `*until_ns`, or NULL: now. */
static int progress(struct libemp_long *transfer, const uint64_t *until_ns, uint64_t *length) {
    struct libemp_board *board = transfer->board;
    for (;;) {
        struct libemp_completion completion = {0};
        const int waits = post_segments(transfer);
        const bool late = rest_ns(board, transfer->deadline_ns) == 0;
        if (transfer->ended == transfer->posted && waits && !(late && transfer->discards))
            return waits;
        if (transfer->ended == transfer->posted)
            return outcome(transfer, length);
        const libemp_request oldest = transfer->requests[transfer->ended % SEGMENTS_POSTED];
        const bool patient = until_ns && *until_ns <= transfer->deadline_ns;
        const uint64_t next_ns = patient ? *until_ns : transfer->deadline_ns;
        const int error = until_ns
                              ? libemp_wait(board, oldest, rest_ns(board, next_ns), &completion)
                              : libemp_test(board, oldest, &completion);
        if (!libemp_is_posted(board, oldest)) {
            end_segment(transfer, error, completion.length);
            continue;
        }
        if (rest_ns(board, transfer->deadline_ns) == 0)
            end_patience(transfer);
        if (patient || error != -ETIMEDOUT)
            return error;
    }
}

/* ----------------------------------------------------------------------------------- Transfers */

/* NULL, with a sentence: it has ended, or never was one. */
static struct libemp_long *find(struct libemp_board *board, libemp_transfer number) {
    for (struct libemp_long *transfer = board->longs; transfer; transfer = transfer->next)
        if (transfer->unfinished && transfer->number == number)
            return transfer;
    (void)libemp_fail(board, -EINVAL, "no such long message, or it has ended before");
    return NULL;
}

static struct libemp_long *find_ended(struct libemp_board *board) {
    for (struct libemp_long *old = board->longs; old; old = old->next)
        if (!old->unfinished)
            return old;
    return NULL;
}

/* One that has ended, or a new one: its headers stay registered until the board is closed. */
static struct libemp_long *take_transfer(struct libemp_board *board) {
    struct libemp_long *transfer = find_ended(board);
    if (transfer)
        return transfer;
    transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return NULL;
    transfer->board = board;
    transfer->headers = libemp_allocate(board, EMP_PAGE_BYTES);
    if (!transfer->headers ||
        libemp_register(board, transfer->headers, SEGMENTS_POSTED * HEADER_BYTES,
                        &transfer->header_memory)) {
        libemp_free(board, transfer->headers, EMP_PAGE_BYTES);
        free(transfer);
        return NULL;
    }
    transfer->next = board->longs;
    board->longs = transfer;
    return transfer;
}

void libemp_end_longs(struct libemp_board *board) {
    for (struct libemp_long *transfer = board->longs; transfer; transfer = transfer->next)
        transfer->unfinished = false;
}

bool libemp_longs_use(const struct libemp_board *board, const struct libemp_memory *memory) {
    for (const struct libemp_long *transfer = board->longs; transfer; transfer = transfer->next)
        if (transfer->unfinished && transfer->place.memory == memory)
            return true;
    return false;
}

void libemp_forget_longs(struct libemp_board *board) {
    struct libemp_long *next;
    for (struct libemp_long *transfer = board->longs; transfer; transfer = next) {
        next = transfer->next;
        libemp_free(board, transfer->headers, EMP_PAGE_BYTES);
        free(transfer);
    }
    board->longs = NULL;
}

/* As a post checks its pieces; later segments cannot fail for what is checked here. */
static int check_place(struct libemp_board *board, const struct libemp_piece *place) {
    if (place->length && (!place->memory || place->memory->board != board))
        return libemp_fail(board, -EINVAL, "the place is not memory of this board");
    if (place->length && (place->offset > place->memory->length ||
                          place->length > place->memory->length - place->offset))
        return libemp_fail(board, -EINVAL, "the place reaches beyond its memory");
    return place->length <= LENGTH_LIMIT ? 0
                                         : libemp_fail(board, -EMSGSIZE, "longer than 2^40 bytes");
}

static int begin(struct libemp_board *board, bool receive, uint16_t peer, uint64_t tag,
                 const struct libemp_piece *place, libemp_transfer *transfer) {
    static const struct libemp_piece nothing;
    if (!transfer)
        return libemp_fail(board, -EINVAL, "no place for the transfer");
    if (!place)
        place = &nothing;
    int error = check_place(board, place);
    if (error)
        return error;
    for (const struct libemp_long *other = board->longs; other; other = other->next)
        if (other->unfinished && other->receive == receive && other->peer == peer &&
            other->tag == tag)
            return libemp_fail(board, -EBUSY, "a long message with node %u and this tag is posted",
                               peer);
    struct libemp_long *new = take_transfer(board);
    if (!new)
        return libemp_fail(board, -ENOMEM, "no memory for a long message");
    new->receive = receive;
    new->cancelled = false;
    new->peer = peer;
    new->tag = tag;
    new->place = *place;
    if (place->length == 0)
        new->place = (struct libemp_piece){new->header_memory, 0, 0};
    new->length = receive ? 0 : place->length;
    new->length_known = !receive;
    new->posted = new->ended = new->done = 0;
    new->announced = new->discards = new->discarded = new->gave_up = false;
    new->deadline_ns = UINT64_MAX;
    new->error = 0;
    error = post_segments(new);
    if (new->posted == 0)
        return error ? error : new->error;
    new->unfinished = true;
    new->number = ++board->long_count;
    *transfer = new->number;
    return 0;
}

int libemp_send_long(struct libemp_board *board, uint16_t peer, uint64_t tag,
                     const struct libemp_piece *place, libemp_transfer *transfer) {
    return begin(board, false, peer, tag, place, transfer);
}

int libemp_receive_long(struct libemp_board *board, uint16_t peer, uint64_t tag,
                        const struct libemp_piece *place, libemp_transfer *transfer) {
    return begin(board, true, peer, tag, place, transfer);
}

int libemp_test_long(struct libemp_board *board, libemp_transfer number, uint64_t *length) {
    struct libemp_long *transfer = find(board, number);
    return transfer ? progress(transfer, NULL, length) : -EINVAL;
}

int libemp_wait_long(struct libemp_board *board, libemp_transfer number, uint64_t timeout_ns,
                     uint64_t *length) {
    const uint64_t now_ns = board_now_ns(board->hardware);
    const uint64_t until_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
    struct libemp_long *transfer = find(board, number);
    return transfer ? progress(transfer, &until_ns, length) : -EINVAL;
}

int libemp_cancel_long(struct libemp_board *board, libemp_transfer number) {
    struct libemp_long *transfer = find(board, number);
    if (!transfer)
        return -EINVAL;
    if (!transfer->receive && !EMP_CANCELS_SENDS)
        return libemp_fail(board, -EOPNOTSUPP, "the profile of this library cancels no sends");
    if (!transfer->cancelled) {
        transfer->cancelled = true;
        transfer->discards = transfer->receive;
        set_deadline(transfer);
        cancel_segments(transfer);
    }
    return 0;
}
