/* SPDX-License-Identifier: MIT */
/* Posting and completion: descriptors by programmed I/O, hand-over by mailbox (EF25, EF29, EF30).
 *
 * Order of hand-over, which the firmware relies on: the descriptors, then their number in the
 * posting ring, then the running count in the mailbox. The board looks at neither ring nor
 * descriptor before the mailbox tells it to, and register writes arrive in order, so no state of a
 * descriptor half written can be seen. */
#include "host/emp/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
    MAILBOX_ADDRESS =
        BOARD_MAILBOXES + 4 + 8 * EMP_POSTING_MAILBOX, /* low word: writing it raises the event */
    HEALTH_POLLS = 1024,  /* of the board between two looks at the firmware's state */
    HEALTH_LOOKS = 16384, /* at the host's own memory: a millisecond, too */
    WAITING_LOOKS = 1024, /* while requests wait that the driver may have time for by now */
};

/* Between two questions whether the board reaches host memory, which take the bus from data. */
#define ASK_NS UINT64_C(100000000)

static bool is_taken(const struct libemp_board *board, size_t index) {
    return board->taken[index / 64] >> (index % 64) & 1;
}

static void take(struct libemp_board *board, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        board->taken[i / 64] |= UINT64_C(1) << (i % 64);
    board->free -= (uint32_t)count;
}

static void give_back(struct libemp_board *board, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        board->taken[i / 64] &= ~(UINT64_C(1) << (i % 64));
    board->free += (uint32_t)count;
}

/* The lowest run of free descriptors: low numbers keep a lightly used board within one window. */
static size_t find_free(const struct libemp_board *board, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
        if (i % 64 == 0 && board->taken[i / 64] == UINT64_MAX) {
            length = 0;
            i += 63;
            continue;
        }
        length = is_taken(board, i) ? 0 : length + 1;
        if (length == count)
            return i + 1 - count;
    }
    return EMP_DESCRIPTOR_LIMIT;
}

void libemp_reset_requests(struct libemp_board *board) {
    board->posted = 0;
    board->holding = false;
    board->held_count = 0;
    board->outstanding = 0;
    board->free = EMP_DESCRIPTOR_LIMIT;
    memset(board->taken, 0, sizeof board->taken);
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
        if (board->slots[i].run)
            board->slots[i].generation++;
        board->slots[i].run = 0;
    }
    libemp_claims_reset(board);
    libemp_end_longs(board);
}

static uint32_t descriptor_address(const struct libemp_board *board, size_t index) {
    return board->descriptors + (uint32_t)index * EMP_DESCRIPTOR_BYTES;
}

/* Allocated and pinned once per descriptor, not once per message. */
static uint32_t *indirect_page(struct libemp_board *board, struct libemp_slot *slot) {
    if (slot->indirect)
        return slot->indirect;
    uint32_t *page = board_allocate(board->hardware, EMP_PAGE_BYTES);
    if (page && board_pin_allocated(board->hardware, page, &slot->indirect_bus)) {
        board_free(board->hardware, page, EMP_PAGE_BYTES);
        page = NULL;
    }
    slot->indirect = page;
    return page;
}

static void remember_memory(struct libemp_slot *slot, const struct libemp_piece *pieces,
                            size_t count) {
    slot->memory = NULL;
    slot->several = false;
    for (size_t i = 0; i < count; i++) {
        if (!pieces[i].memory) /* empty */
            continue;
        if (slot->memory && slot->memory != pieces[i].memory)
            slot->several = true;
        slot->memory = pieces[i].memory;
    }
}

/* The ring has room for every entry that can wait there as long as nobody cancels a request twice:
 * spec/emp/host.hsm. */
static void enter_ring(struct libemp_board *board, uint32_t entry) {
    const uint32_t place = board->posted % EMP_POSTING_RING_ENTRIES;
    board_set_word(board->hardware, board->posting_ring + 4 * place, entry);
    board->posted++;
    board_set_word(board->hardware, MAILBOX_ADDRESS, board->posted);
}

static void hand_over(struct libemp_board *board, size_t index, const uint32_t *words) {
    const struct libemp_slot *slot = &board->slots[index];
    board_set_words(board->hardware, descriptor_address(board, index), words, slot->words);
    enter_ring(board, (uint32_t)index);
}

void libemp_hold_receives(struct libemp_board *board) {
    board->holding = true;
}

void libemp_release_receives(struct libemp_board *board) {
    if (board_check_process(board->hardware))
        return;
    board->holding = false;
    if (board->session)
        session_flush(board);
    if (board->held_count == 0)
        return;
    board_run_ahead(board->hardware);
    for (size_t i = 0; i < board->held_count; i++)
        hand_over(board, board->held[i].index, board->held[i].words);
    board->held_count = 0;
    board_catch_up(board->hardware);
}

/* Keeps a receive back while receives are held; a send goes at once. */
static void hand_over_in_turn(struct libemp_board *board, size_t index, const uint32_t *words) {
    if (board->holding && board->slots[index].posted.receive) {
        struct libemp_held *held = &board->held[board->held_count++];
        held->index = (uint32_t)index;
        memcpy(held->words, words, sizeof held->words);
        if (board->held_count < HELD_LIMIT)
            return;
        libemp_release_receives(board);
        board->holding = true;
    } else {
        hand_over(board, index, words);
    }
}

/* The descriptor has the program's bytes of this moment. */
static void encode_bytes(const struct libemp_header *header, const struct libemp_piece *pieces,
                         size_t count, uint32_t *words) {
#if EMP_INLINE_LIMIT
    uint8_t bytes[EMP_INLINE_LIMIT];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].length == 0) /* it may have no memory */
            continue;
        memcpy(bytes + used, pieces[i].memory->address + pieces[i].offset, pieces[i].length);
        used += pieces[i].length;
    }
    libemp_encode_inline(header, bytes, words);
#else
    (void)header, (void)pieces, (void)count, (void)words; /* no message fits */
#endif
}

static int post_pieces(struct libemp_board *board, struct libemp_header header,
                       const struct libemp_piece *pieces, size_t count, libemp_request *request) {
    uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS];
    uint32_t *indirect = NULL;

    libemp_take_ends(board);
    board_spend_ns(board->hardware, board->costs.call_ns);
    const int cut = libemp_cut(board, pieces, count, board->fragments, &header.length);
    if (cut < 0)
        return cut;

    const bool inlined = libemp_fits_inline(&header);
    const size_t fragments = inlined ? 0 : (size_t)cut;
    const size_t run = libemp_run_length(fragments);
    const size_t index = find_free(board, run);
    if (index == EMP_DESCRIPTOR_LIMIT)
        return libemp_fail(board, -EAGAIN, "no %zu adjacent descriptors are free", run);
    struct libemp_slot *slot = &board->slots[index];
    if (fragments > CHAIN_FRAGMENTS) {
        indirect = indirect_page(board, slot);
        if (!indirect) { /* memory has gone with the board, or is short */
            const int stopped = libemp_check_firmware(board);
            return stopped
                       ? stopped
                       : libemp_fail(board, -ENOMEM, "no page for the addresses of a long message");
        }
        board_spend_ns(board->hardware, fragments * board->costs.entry_ns);
    }
    if (board->costs.translate_posts && !inlined)
        board_spend_ns(board->hardware,
                       board->costs.translate_call_ns + fragments * board->costs.translate_page_ns);
    board_spend_ns(board->hardware, run * board->costs.descriptor_ns);
    if (indirect) /* which the board might read */
        board_catch_up(board->hardware);

    if (inlined)
        encode_bytes(&header, pieces, count, words);
    else
        libemp_encode(&header, board->fragments, fragments, indirect, slot->indirect_bus, words);

    take(board, index, run);
    slot->run = (uint8_t)run;
    slot->words = (uint8_t)libemp_run_words(&header, run);
    slot->wildcards = libemp_has_wildcards(&header);
    slot->posted = (struct libemp_posted){.receive = header.direction == EMP_DIRECTION_RECEIVE,
                                          .peek = header.peek,
                                          .peer = header.peer,
                                          .tag = header.tag,
                                          .ignored = header.ignored,
                                          .length = header.length,
                                          .word = words[EMP_DESCRIPTOR_OWNER_WORD]};
    if (board->completions)
        board->completions[index] = slot->posted.word;
    remember_memory(slot, pieces, count);
    board->outstanding++;
    board->statistics.posts++;
    *request = (uint32_t)slot->generation << GENERATION_SHIFT | (uint32_t)index;
    hand_over_in_turn(board, index, words);
    return 0;
}

/* The same over a driver that posts: one slot stands for the request. */
static int post_over_session(struct libemp_board *board, struct libemp_header header,
                             const struct libemp_piece *pieces, size_t count,
                             libemp_request *request) {
    const bool receive = header.direction == EMP_DIRECTION_RECEIVE;
    const int cut = libemp_cut(board, pieces, count, board->fragments, &header.length);
    if (cut < 0)
        return cut;
    const size_t index = find_free(board, 1);
    if (index == EMP_DESCRIPTOR_LIMIT)
        return libemp_fail(board, -EAGAIN, "no request is free");
    struct libemp_slot *slot = &board->slots[index];
    slot->wildcards = libemp_has_wildcards(&header);
    slot->posted = (struct libemp_posted){.receive = receive,
                                          .peek = header.peek,
                                          .peer = header.peer,
                                          .tag = header.tag,
                                          .ignored = header.ignored,
                                          .length = header.length};
    const int error = session_post(board, index, &header, pieces, count, receive && board->holding);
    if (error)
        return error;
    take(board, index, 1);
    slot->run = 1;
    remember_memory(slot, pieces, count);
    board->outstanding++;
    board->statistics.posts++;
    *request = (uint32_t)slot->generation << GENERATION_SHIFT | (uint32_t)index;
    return 0;
}

static int check_matching(struct libemp_board *board, const struct libemp_header *header) {
    const bool any =
        header->direction == EMP_DIRECTION_RECEIVE && header->peer == LIBEMP_ANY_SOURCE;
    if (!any && (header->peer >= libemp_board_node_limit(board) || header->peer == board->node))
        return libemp_fail(board, -EINVAL, "node %u is not a peer of node %u", header->peer,
                           board->node);
    if (EMP_TAG_BITS < 64 && libemp_has_wildcards(header))
        return libemp_fail(board, -EOPNOTSUPP,
                           "the profile of this library has neither wildcards nor peeks");
    const unsigned bits = libemp_board_tag_bits(board);
    if (bits < 64 && (header->tag | header->ignored) >> bits % 64 != 0)
        return libemp_fail(board, -EINVAL,
                           "tag 0x%" PRIX64 ", or bits ignored 0x%" PRIX64 ": more than %u bits",
                           header->tag, header->ignored, bits);
    return 0;
}

static int post(struct libemp_board *board, struct libemp_header header,
                const struct libemp_piece *pieces, size_t count, libemp_request *request) {
    if (!request)
        return libemp_fail(board, -EINVAL, "no place for the request");
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    int error = check_matching(board, &header);
    if (error)
        return error;
    if (board->session) {
        error = post_over_session(board, header, pieces, count, request);
    } else {
        board_run_ahead(board->hardware);
        error = post_pieces(board, header, pieces, count, request);
        board_catch_up(board->hardware);
    }
    if (!error && header.peek)
        libemp_claims_peek(board, *request, &header);
    else if (!error && header.direction == EMP_DIRECTION_RECEIVE)
        libemp_claims_receive(board, &header);
    return error;
}

int libemp_post_send(struct libemp_board *board, uint16_t peer, uint64_t tag,
                     const struct libemp_piece *pieces, size_t count, libemp_request *request) {
    const struct libemp_header header = {.direction = EMP_DIRECTION_SEND, .peer = peer, .tag = tag};
    return post(board, header, pieces, count, request);
}

int libemp_post_receive(struct libemp_board *board, uint16_t peer, uint64_t tag,
                        const struct libemp_piece *pieces, size_t count, libemp_request *request) {
    const struct libemp_header header = {
        .direction = EMP_DIRECTION_RECEIVE, .peer = peer, .tag = tag};
    if (peer == LIBEMP_ANY_SOURCE)
        return libemp_fail(board, -EINVAL, "any source: libemp_post_receive_matching");
    return post(board, header, pieces, count, request);
}

int libemp_post_receive_matching(struct libemp_board *board, uint16_t peer, uint64_t tag,
                                 uint64_t ignored, const struct libemp_piece *pieces, size_t count,
                                 libemp_request *request) {
    const struct libemp_header header = {
        .direction = EMP_DIRECTION_RECEIVE, .peer = peer, .tag = tag, .ignored = ignored};
    return post(board, header, pieces, count, request);
}

int libemp_post_peek(struct libemp_board *board, uint16_t peer, uint64_t tag, uint64_t ignored,
                     libemp_request *request) {
    const struct libemp_header header = {.direction = EMP_DIRECTION_RECEIVE,
                                         .peer = peer,
                                         .tag = tag,
                                         .ignored = ignored,
                                         .peek = true};
    return post(board, header, NULL, 0, request);
}

static struct libemp_slot *find_slot(struct libemp_board *board, libemp_request request) {
    const size_t index = libemp_request_index(request);
    if (index >= EMP_DESCRIPTOR_LIMIT)
        return NULL;
    struct libemp_slot *slot = &board->slots[index];
    return slot->run && slot->generation == request >> GENERATION_SHIFT ? slot : NULL;
}

int libemp_cancel(struct libemp_board *board, libemp_request request) {
    struct libemp_slot *slot = find_slot(board, request);
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    if (!slot)
        return libemp_fail(board, -EINVAL, "no request 0x%08X is posted", request);
    if (!slot->posted.receive && !EMP_CANCELS_SENDS)
        return libemp_fail(board, -EOPNOTSUPP,
                           "request 0x%08X is a send; the profile of this library cancels none",
                           request);
    libemp_release_receives(board);
    if (board->session) {
        const int error =
            slot->posted.cancelled ? 0 : session_cancel(board, (size_t)(slot - board->slots));
        slot->posted.cancelled = slot->posted.cancelled || !error;
        return error;
    }
    board_run_ahead(board->hardware);
    board_spend_ns(board->hardware, board->costs.call_ns);
    if (!slot->posted.cancelled)
        enter_ring(board, EMP_CANCEL_REQUEST | (uint32_t)(slot - board->slots));
    slot->posted.cancelled = true;
    board_catch_up(board->hardware);
    return 0;
}

/* Entries of this kind are beyond what the ring has room for at any time, so they are few. */
int libemp_give_up(struct libemp_board *board, libemp_request request) {
    if (EMP_LEAVE_REQUEST == 0 || board->session)
        return libemp_fail(board, -EOPNOTSUPP, "%s gives up a node by request",
                           board->session ? "the driver: no program"
                                          : "the profile of this library: no board");
    const int error = libemp_cancel(board, request);
    const uint64_t now = error ? 0 : board_now_ns(board->hardware);
    if (error || now - board->gave_up_ns < GIVE_UP_NS)
        return error;
    board->gave_up_ns = now;
    enter_ring(board,
               EMP_CANCEL_REQUEST | EMP_LEAVE_REQUEST | (uint32_t)libemp_request_index(request));
    return 0;
}

static int outcome(struct libemp_board *board, size_t index, uint32_t result) {
    const int error = libemp_result_error((enum emp_result)result);
    switch (error) {
    case 0:
        return 0;
    case -EMSGSIZE:
        return libemp_fail(board, error, "the message was longer than its receive");
    case -ECONNRESET:
        return libemp_fail(board, error, "a node restarted before the message was done");
    case -EHOSTUNREACH:
        return libemp_fail(board, error, "the other node was silent for too long");
    case -ECANCELED:
        return libemp_fail(board, error, "the request was cancelled in time");
    default:
        return libemp_fail(board, error, "the board refused descriptor %zu%s, result %u", index,
                           result == EMP_RESULT_TOO_LONG ? " as too long" : "", result);
    }
}

/* `word` is no state of this descriptor. The request stays posted: nobody knows what the board, if
 * there is one, may still write to its memory. */
static int fail_foreign(struct libemp_board *board, size_t index, uint32_t word) {
    if (word == UINT32_MAX) /* what reads of a board give that is no longer there */
        return libemp_fail(board, -EIO, "the board does not answer any more");
    return libemp_fail(board, -EIO,
                       "descriptor %zu reads 0x%08" PRIX32
                       ", not what was posted nor an end of it: the board was reset or lost its "
                       "memory",
                       index, word);
}

/* Reads which message a finished receive with wildcards, or a peek, has met. The board wrote it
 * before the word with the owner. False if the receive would not have accepted such a message. */
static bool read_source(struct libemp_board *board, const struct libemp_slot *slot,
                        struct libemp_completion *found) {
    static const uint32_t last = EMP_DESCRIPTOR_TAG_WORD;
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    const uint32_t address = descriptor_address(board, (size_t)(slot - board->slots));
    if (board->session)
        return session_source(board, (size_t)(slot - board->slots), found);
    board_run_ahead(board->hardware);
    for (uint32_t i = EMP_DESCRIPTOR_PEER_WORD; i <= last; i++)
        words[i] = board_get_word(board->hardware, address + 4 * i);
    board_catch_up(board->hardware);
    found->peer = (uint16_t)emp_descriptor_get_peer(words);
    found->tag = libemp_decode_tag(words);
    return libemp_accepts(&slot->posted, found->peer, found->tag);
}

static void forget(struct libemp_board *board, struct libemp_slot *slot) {
    const size_t index = (size_t)(slot - board->slots);
    if (board->session)
        session_finish(board, index);
    libemp_claims_ended(board, index);
    give_back(board, index, slot->run);
    slot->run = 0;
    slot->generation++;
    board->outstanding--;
}

/* A request in whose descriptor `word`, the one with the owner, was read. */
static int look(struct libemp_board *board, struct libemp_slot *slot, uint32_t word,
                struct libemp_completion *completion) {
    const uint32_t words[DESCRIPTOR_WORDS] = {[EMP_DESCRIPTOR_OWNER_WORD] = word};
    const size_t index = (size_t)(slot - board->slots);
    if (word == slot->posted.word) {
        board->statistics.polls++;
        return -EAGAIN;
    }
    const uint32_t result = emp_descriptor_get_result(words);
    struct libemp_completion found = {.peer = slot->posted.peer, .tag = slot->posted.tag};
    found.length =
        slot->posted.receive ? emp_descriptor_get_total_length(words) : slot->posted.length;
    if (!libemp_is_completion(&slot->posted, word))
        return fail_foreign(board, index, word);
    if (slot->wildcards &&
        (result == EMP_RESULT_OK || result == EMP_RESULT_TRUNCATED ||
         result == EMP_RESULT_PEEKED) &&
        !read_source(board, slot, &found))
        return fail_foreign(board, index, word);
    if (result == EMP_RESULT_PEEKED)
        libemp_claims_told(board, index, &found);
    if (completion)
        *completion = found;
    forget(board, slot);
    return outcome(board, index, result);
}

static uint32_t owner_address(const struct libemp_board *board, const struct libemp_slot *slot) {
    return descriptor_address(board, (size_t)(slot - board->slots)) + 4 * EMP_DESCRIPTOR_OWNER_WORD;
}

static int look_over_session(struct libemp_board *board, struct libemp_slot *slot,
                             struct libemp_completion *completion) {
    const size_t index = (size_t)(slot - board->slots);
    const int failure = session_failure(board, index);
    if (failure)
        forget(board, slot);
    if (failure == -ECANCELED)
        return libemp_fail(board, failure, "the request was cancelled in time");
    if (failure == -ECONNRESET)
        return libemp_fail(board, failure, "the board was started as another node");
    if (failure)
        return libemp_fail(board, -EBADRQC, "the driver refused the request: %s",
                           strerror(-failure));
    return look(board, slot, session_word(board, index), completion);
}

/* For ends in the host's memory. A board that was reset writes none, so every 1024th look without
 * success reads the descriptor, too. */
static int look_at_own_memory(struct libemp_board *board, struct libemp_slot *slot,
                              struct libemp_completion *completion) {
    const size_t index = (size_t)(slot - board->slots);
    const int error = look(board, slot, board->completions[index], completion);
    if (error != -EAGAIN || ++board->looks % HEALTH_POLLS != 0)
        return error;
    const uint32_t word = board_get_word(board->hardware, owner_address(board, slot));
    return word == slot->posted.word || libemp_is_completion(&slot->posted, word)
               ? error
               : fail_foreign(board, index, word);
}

int libemp_test(struct libemp_board *board, libemp_request request,
                struct libemp_completion *completion) {
    struct libemp_slot *slot = find_slot(board, request);
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    if (!slot)
        return libemp_fail(board, -EINVAL, "no request 0x%08X is posted", request);
    libemp_release_receives(board);
    if (board->session)
        return look_over_session(board, slot, completion);
    if (board->completions) {
        board_spend_ns(board->hardware, board->costs.test_ns);
        return look_at_own_memory(board, slot, completion);
    }
    board_run_ahead(board->hardware);
    board_spend_ns(board->hardware, board->costs.test_ns);
    const uint32_t word = board_get_word(board->hardware, owner_address(board, slot));
    board_catch_up(board->hardware);
    return look(board, slot, word, completion);
}

/* The same where the board writes ends to the host's memory. */
static int watch_own_memory(struct libemp_board *board, struct libemp_slot *slot, uint64_t until_ns,
                            struct libemp_completion *completion, uint64_t *turns) {
    const volatile uint32_t *end = &board->completions[slot - board->slots];
    const uint64_t turn_ns = board->costs.test_ns ? board->costs.test_ns : 1;
    libemp_release_receives(board);
    const uint64_t start = board_now_ns(board->hardware);
    const uint64_t enough =
        turn_ns < (UINT64_MAX - start) / *turns ? start + *turns * turn_ns : UINT64_MAX;
    const uint32_t word = board_watch_memory(board->hardware, end, slot->posted.word, turn_ns,
                                             enough < until_ns ? enough : until_ns);
    *turns = (board_now_ns(board->hardware) - start) / turn_ns;
    board->statistics.polls += *turns;
    return look(board, slot, word, completion);
}

/* The same over a driver that posts. What it has no room for waits for another request to end, or
 * for its share of the card's time, not for this word. */
static int watch_session(struct libemp_board *board, struct libemp_slot *slot, uint64_t until_ns,
                         struct libemp_completion *completion, uint64_t *turns) {
    const size_t index = (size_t)(slot - board->slots);
    libemp_release_receives(board);
    const volatile uint32_t *end = session_end(board, index);
    if (session_is_waiting(board) && *turns > WAITING_LOOKS)
        *turns = WAITING_LOOKS;
    uint64_t left = *turns;
    if (end) {
        while (*end == slot->posted.word && --left && board_now_ns(board->hardware) < until_ns)
            ;
    } else if (session_failure(board, index) == 0) {
        board_sleep_ns(board->hardware, SESSION_NAP_NS);
        left = 0;
    }
    *turns -= left;
    board->statistics.polls += *turns;
    return look_over_session(board, slot, completion);
}

/* Tests a request up to `*turns` times; `*turns` is then how often. `again`: it is posted and has
 * been tested. */
static int test_repeatedly(struct libemp_board *board, libemp_request request, bool again,
                           uint64_t until_ns, struct libemp_completion *completion,
                           uint64_t *turns) {
    struct libemp_slot *slot = find_slot(board, request);
    if (!slot) {
        *turns = 1;
        return libemp_test(board, request, completion);
    }
    if (board->session)
        return watch_session(board, slot, until_ns, completion, turns);
    if (board->completions)
        return watch_own_memory(board, slot, until_ns, completion, turns);
    if (!again) {
        libemp_release_receives(board);
        board_run_ahead(board->hardware);
        board_spend_ns(board->hardware, board->costs.test_ns);
    }
    const uint32_t word =
        board_watch_word(board->hardware, owner_address(board, slot), slot->posted.word, again,
                         board->costs.test_ns, until_ns, turns);
    if (!again)
        board_catch_up(board->hardware);
    board->statistics.polls += *turns - 1;
    return look(board, slot, word, completion);
}

int libemp_check_firmware(struct libemp_board *board) {
    if (board_control_word(board->hardware, BOARD_CONTROL_STATE_WORD) == BOARD_CONTROL_STATE_READY)
        return 0;
    const uint32_t fault = board_control_word(board->hardware, BOARD_CONTROL_FAULT_WORD);
    if (fault == UINT32_MAX)
        return libemp_fail(board, -EIO, "the board does not answer any more");
    return board_fail_fault(board->hardware, "the firmware has stopped", fault);
}

/* What a wait that has taken long asks. */
static int check_progress(struct libemp_board *board, uint64_t now_ns) {
    const int stopped = libemp_check_firmware(board);
    if (stopped || now_ns - board->asked_ns < ASK_NS)
        return stopped;
    board->asked_ns = now_ns;
    return board_check_transfers(board->hardware);
}

bool libemp_is_posted(struct libemp_board *board, libemp_request request) {
    return find_slot(board, request) != NULL;
}

int libemp_wait(struct libemp_board *board, libemp_request request, uint64_t timeout_ns,
                struct libemp_completion *completion) {
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    const uint64_t start = board_now_ns(board->hardware);
    const uint64_t end = timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns;
    const uint64_t health = board->completions || board->session ? HEALTH_LOOKS : HEALTH_POLLS;
    uint64_t polls = health;
    int error = test_repeatedly(board, request, false, end, completion, &polls);
    while (error == -EAGAIN) {
        const uint64_t now = board_now_ns(board->hardware);
        const bool late = now - start >= timeout_ns;
        if (late || polls % health == 0) {
            const int stopped = check_progress(board, now);
            if (stopped)
                return stopped;
        }
        if (late)
            return libemp_fail(board, -ETIMEDOUT, "request 0x%08X has not finished", request);
        uint64_t turns = health - polls % health;
        error = test_repeatedly(board, request, true, end, completion, &turns);
        polls += turns;
    }
    return error;
}

size_t libemp_message_limit(void) {
    return EMP_MESSAGE_LIMIT;
}

unsigned libemp_tag_bits(void) {
    return EMP_TAG_BITS;
}

size_t libemp_node_limit(void) {
    return EMP_NODE_LIMIT;
}

unsigned libemp_board_tag_bits(const struct libemp_board *board) {
    const unsigned most = board->session ? session_tag_bits(board) : EMP_TAG_BITS;
    return most < EMP_TAG_BITS ? most : EMP_TAG_BITS;
}

size_t libemp_board_node_limit(const struct libemp_board *board) {
    return board->session ? EMP_BOARD_LIMIT : EMP_NODE_LIMIT;
}

size_t libemp_descriptors_free(const struct libemp_board *board) {
    return board->free;
}

size_t libemp_descriptor_limit(void) {
    return EMP_DESCRIPTOR_LIMIT;
}
