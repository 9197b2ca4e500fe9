/* SPDX-License-Identifier: MIT */
/* Messages longer than one descriptor can describe: several messages of EMP, one after the other.
 *
 * Each is a segment of the whole, with a header before its data. Two are posted at a time, so that
 * the wire carries one while the program learns of the end of the other. The header lies in memory
 * of the library, the data in the program's: a board gathers and scatters both without a copy.
 *
 * A segment that the sender's board has begun to send ends only when a receive takes it, and no
 * later message of the same source is received before. So a cancelled receive takes the rest of the
 * message without its data, and a cancelled send cuts the message short: of the segments that are
 * left it sends the next ones, empty and marked as such. They are as many as the receiver may have
 * posted receives for, so no receive is left over for the next message. */
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
    MAGIC = 0x4C4F4E47
};
#define LENGTH_LIMIT (UINT64_C(1) << 40)
#define CUT_SHORT    (UINT64_C(1) << 63) /* with the bytes of the whole: the sender has cancelled */
#define PATIENCE_NS  UINT64_C(5000000000) /* of a cancelled transfer, with the other end */

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
    bool alone; /* cancelled, and no longer waits for the other end */
    uint16_t peer;
    uint64_t tag;
    struct libemp_piece place; /* of the data; of a receive as much as there is room for */
    uint64_t length;           /* of the whole; a receive learns it from the first segment */
    bool length_known;
    uint64_t posted, ended; /* segments, the first of them */
    uint64_t carried;       /* of these, segments that the receiver has */
    uint64_t cut;           /* where the sender has cut the message short; 0: nowhere */
    uint64_t moved_ns;      /* when it was cancelled, or a segment ended after that */
    int error;              /* the first; no more segments are posted then */
    uint8_t *headers;       /* a page, with room for one of each segment that is posted */
    struct libemp_memory *header_memory;
    libemp_request requests[SEGMENTS_POSTED];
};

static uint64_t segments(const struct libemp_long *transfer) {
    if (!transfer->length_known || transfer->length == 0)
        return 1;
    const uint64_t whole = (transfer->length - 1) / SEGMENT_BYTES + 1;
    const uint64_t cut = transfer->cut + SEGMENTS_POSTED;
    return transfer->cut && cut < whole ? cut : whole;
}

/* Of `bytes` those that belong to this segment. */
static uint64_t share(uint64_t bytes, uint64_t segment) {
    const uint64_t before = segment * SEGMENT_BYTES;
    const uint64_t rest = bytes > before ? bytes - before : 0;
    return rest < SEGMENT_BYTES ? rest : SEGMENT_BYTES;
}

static uint8_t *header_of(const struct libemp_long *transfer, uint64_t segment) {
    return transfer->headers + segment % SEGMENTS_POSTED * HEADER_BYTES;
}

static void put_header(uint8_t *header, uint64_t segment, uint64_t length) {
    const uint64_t halves[] = {(uint64_t)MAGIC << 32 | segment, length};
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

static int post_segment(struct libemp_long *transfer) {
    const uint64_t segment = transfer->posted;
    uint8_t *header = header_of(transfer, segment);
    const bool empty = !transfer->receive && transfer->cut;
    const uint64_t here = empty ? 0 : share(transfer->place.length, segment);
    const struct libemp_piece pieces[] = {
        {transfer->header_memory, (size_t)(header - transfer->headers), HEADER_BYTES},
        {transfer->place.memory, transfer->place.offset + (here ? segment * SEGMENT_BYTES : 0),
         here}};
    libemp_request *request = &transfer->requests[segment % SEGMENTS_POSTED];
    if (transfer->receive)
        return libemp_post_receive(transfer->board, transfer->peer, transfer->tag, pieces, 2,
                                   request);
    put_header(header, segment, transfer->length | (empty ? CUT_SHORT : 0));
    return libemp_post_send(transfer->board, transfer->peer, transfer->tag, pieces, 2, request);
}

/* Ends of cancelled segments are reported like others. A send that the profile cannot cancel goes
 * on to its end. The last one first: a segment is neither sent nor received without the one before.
 */
static void cancel_segments(struct libemp_long *transfer) {
    for (uint64_t segment = transfer->posted; segment-- > transfer->ended;) {
        const int ignored =
            libemp_cancel(transfer->board, transfer->requests[segment % SEGMENTS_POSTED]);
        (void)ignored;
    }
}

static void fail(struct libemp_long *transfer, int error) {
    if (transfer->error)
        return;
    transfer->error = error;
    cancel_segments(transfer);
}

/* A cancelled send does not go on before its segments have ended, a cancelled receive not unless it
 * has met the message. */
static bool goes_on(const struct libemp_long *transfer) {
    if (transfer->error || transfer->alone)
        return false;
    return !transfer->cancelled || (transfer->receive ? transfer->length_known : transfer->cut);
}

/* -EAGAIN: a segment waits for a descriptor. */
static int post_segments(struct libemp_long *transfer) {
    if (!transfer->receive && transfer->cancelled && !transfer->cut && !transfer->error &&
        transfer->ended == transfer->posted && transfer->carried < segments(transfer))
        transfer->cut = transfer->posted = transfer->ended = transfer->carried;
    while (goes_on(transfer) && transfer->posted < segments(transfer) &&
           transfer->posted - transfer->ended < SEGMENTS_POSTED) {
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

/* Is a message that has come the segment that this receive waits for? */
static bool is_expected(struct libemp_long *transfer, int error, uint32_t bytes) {
    const uint64_t segment = transfer->ended;
    const uint8_t *header = header_of(transfer, segment);
    const bool empty = get_half(header, 1) & CUT_SHORT;
    const uint64_t length = get_half(header, 1) & ~CUT_SHORT;
    if (bytes < HEADER_BYTES || get_half(header, 0) != ((uint64_t)MAGIC << 32 | segment) ||
        length > LENGTH_LIMIT || (transfer->length_known && length != transfer->length) ||
        (empty ? segment == 0 : transfer->cut != 0))
        return false;
    transfer->length = length;
    transfer->length_known = true;
    if (empty && !transfer->cut)
        transfer->cut = segment;
    const uint64_t here = empty ? 0 : share(length, segment);
    return bytes == HEADER_BYTES + here &&
           (error == 0) == (here <= share(transfer->place.length, segment));
}

/* The oldest posted segment has ended with `error`. */
static void end_segment(struct libemp_long *transfer, int error, uint32_t bytes) {
    const bool received = transfer->receive && (error == 0 || error == -EMSGSIZE);
    if (received && !is_expected(transfer, error, bytes))
        error = libemp_fail(transfer->board, -EBADE,
                            "a message of %" PRIu32 " bytes is not segment %" PRIu64
                            " of the long message from node %u",
                            bytes, transfer->ended, transfer->peer);
    else if (received)
        error = 0;
    transfer->ended++;
    transfer->carried += !error;
    if (transfer->cancelled)
        transfer->moved_ns = board_now_ns(transfer->board->hardware);
    if (error && !(error == -ECANCELED && transfer->cancelled))
        fail(transfer, error);
}

/* No segment is posted: what became of the message. */
static int outcome(struct libemp_long *transfer, uint64_t *length) {
    const bool whole = transfer->length_known && transfer->carried == segments(transfer);
    const bool cuts = transfer->receive && transfer->length > transfer->place.length;
    int error = transfer->error;
    if (transfer->cancelled ? error != -EBADE && (!whole || transfer->cut || cuts)
                            : !error && transfer->cut)
        error = libemp_fail(transfer->board, -ECANCELED, "the long message was cancelled%s",
                            transfer->cancelled ? "" : " by its sender");
    else if (error)
        error = libemp_fail(transfer->board, error, "segment %" PRIu64 " of a long message: %s",
                            transfer->ended - 1, strerror(-error));
    else if (cuts)
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

/* A cancelled transfer, of which no segment has ended for long, ends without the other end. The
 * board gives up a node between two transmissions only, so this is repeated. */
static void lose_patience(struct libemp_long *transfer, libemp_request oldest) {
    if (!transfer->cancelled || transfer->alone ||
        board_now_ns(transfer->board->hardware) - transfer->moved_ns < PATIENCE_NS)
        return;
    if (transfer->receive)
        cancel_segments(transfer);
    transfer->alone = transfer->receive || libemp_give_up(transfer->board, oldest) == -EOPNOTSUPP;
}

/* Until then the oldest segment can be waited for. */
static uint64_t next_look_ns(const struct libemp_long *transfer, uint64_t until_ns) {
    if (!transfer->cancelled || transfer->alone)
        return until_ns;
    const uint64_t now_ns = board_now_ns(transfer->board->hardware);
    const uint64_t patient_ns = transfer->moved_ns + PATIENCE_NS;
    const uint64_t look_ns = now_ns < patient_ns ? patient_ns : now_ns + GIVE_UP_NS;
    return look_ns < until_ns ? look_ns : until_ns;
}

/* Goes on until the message has ended, or a segment has not: at `*until_ns`, or NULL: now. */
static int progress(struct libemp_long *transfer, const uint64_t *until_ns, uint64_t *length) {
    struct libemp_board *board = transfer->board;
    for (;;) {
        struct libemp_completion completion = {0};
        const int waits = post_segments(transfer);
        if (transfer->ended == transfer->posted)
            return waits ? waits : outcome(transfer, length);
        const libemp_request oldest = transfer->requests[transfer->ended % SEGMENTS_POSTED];
        lose_patience(transfer, oldest);
        const uint64_t look_ns = until_ns ? next_look_ns(transfer, *until_ns) : 0;
        const int error = until_ns
                              ? libemp_wait(board, oldest, rest_ns(board, look_ns), &completion)
                              : libemp_test(board, oldest, &completion);
        if (!libemp_is_posted(board, oldest))
            end_segment(transfer, error, completion.length);
        else if (error != -ETIMEDOUT || !until_ns || rest_ns(board, *until_ns) == 0)
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
        if (!board_keeps_memory(board->hardware))
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
    return place->length <= LENGTH_LIMIT ? 0 : libemp_fail(board, -E2BIG, "longer than 2^40 bytes");
}

static int begin(struct libemp_board *board, bool receive, uint16_t peer, uint64_t tag,
                 const struct libemp_piece *place, libemp_transfer *transfer) {
    static const struct libemp_piece nothing;
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
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
    new->cancelled = new->alone = false;
    new->peer = peer;
    new->tag = tag;
    new->place = *place;
    if (place->length == 0)
        new->place = (struct libemp_piece){new->header_memory, 0, 0};
    new->length = receive ? 0 : place->length;
    new->length_known = !receive;
    new->posted = new->ended = new->carried = new->cut = 0;
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
    if (transfer->cancelled)
        return 0;
    transfer->cancelled = true;
    transfer->moved_ns = board_now_ns(board->hardware);
    const uint64_t room = transfer->posted * SEGMENT_BYTES; /* of what is posted */
    if (transfer->receive && transfer->place.length > room)
        transfer->place.length = (size_t)room;
    if (!transfer->receive || !transfer->length_known)
        cancel_segments(transfer);
    return 0;
}
