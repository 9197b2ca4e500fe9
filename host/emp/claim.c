/* SPDX-License-Identifier: MIT */
/*
 * Claims of messages that a peek has met.
 *
 * A message that is claimed is received by an ordinary receive that names its source and its whole
 * tag. That this receive gets just this message follows from two rules of the protocol: of the
 * messages of one source a receive takes the earliest that it accepts (property in_order), and a
 * message takes the receive that was posted first of those that accept it (matched_as_posted).
 *
 * When the peek ended, no receive that was posted before it accepted the message, and the message
 * was the next one of its source. So what could be first is a receive that was posted after the
 * peek. The library posts all receives of its board: it marks a peek as overtaken by each that may
 * accept a message of this peek, and then claims nothing. What is posted after the claim comes
 * second.
 */
#include "host/emp/internal.h"

#include <errno.h>

static bool is_claimable(const struct libemp_board *board, size_t index) {
    return board->claimable[index / 64] >> (index % 64) & 1;
}

static void set_claimable(struct libemp_board *board, size_t index, bool claimable) {
    const uint64_t bit = UINT64_C(1) << (index % 64);
    if (claimable == is_claimable(board, index))
        return;
    board->claimable[index / 64] ^= bit;
    if (claimable)
        board->claimable_count++;
    else
        board->claimable_count--;
}

/* Is there a message that both accept? */
static bool overlap(const struct libemp_claim *claim, const struct libemp_header *receive) {
    return (claim->peer == LIBEMP_ANY_SOURCE || receive->peer == LIBEMP_ANY_SOURCE ||
            claim->peer == receive->peer) &&
           ((claim->tag ^ receive->tag) & ~(claim->ignored | receive->ignored)) == 0;
}

void libemp_claims_peek(struct libemp_board *board, libemp_request peek,
                        const struct libemp_header *header) {
    const size_t index = libemp_request_index(peek);
    board->claims[index] = (struct libemp_claim){.request = peek,
                                                 .state = CLAIM_WAITS,
                                                 .peer = header->peer,
                                                 .tag = header->tag,
                                                 .ignored = header->ignored};
    set_claimable(board, index, true);
}

void libemp_claims_receive(struct libemp_board *board, const struct libemp_header *header) {
    for (size_t i = 0; board->claimable_count != 0 && i < EMP_DESCRIPTOR_LIMIT; i++) {
        if (i % 64 == 0 && board->claimable[i / 64] == 0) {
            i += 63;
            continue;
        }
        if (is_claimable(board, i) && overlap(&board->claims[i], header)) {
            board->claims[i].state = CLAIM_OVERTAKEN;
            set_claimable(board, i, false);
        }
    }
}

void libemp_claims_told(struct libemp_board *board, size_t index,
                        const struct libemp_completion *message) {
    struct libemp_claim *claim = &board->claims[index];
    if (claim->state != CLAIM_WAITS)
        return;
    claim->state = CLAIM_TOLD;
    claim->peer = message->peer;
    claim->tag = message->tag;
    claim->ignored = 0;
}

void libemp_claims_ended(struct libemp_board *board, size_t index) {
    if (board->claims[index].state != CLAIM_WAITS)
        return;
    board->claims[index].state = CLAIM_NONE;
    set_claimable(board, index, false);
}

void libemp_claims_reset(struct libemp_board *board) {
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
        board->claims[i].state = CLAIM_NONE;
        set_claimable(board, i, false);
    }
}

int libemp_post_claim(struct libemp_board *board, libemp_request peek,
                      const struct libemp_piece *pieces, size_t count, libemp_request *request) {
    if (EMP_TAG_BITS < 64)
        return libemp_fail(board, -EOPNOTSUPP, "the profile of this library has no peeks");
    const size_t index = libemp_request_index(peek);
    if (!request)
        return libemp_fail(board, -EINVAL, "no place for the request");
    if (libemp_is_posted(board, peek))
        return libemp_fail(board, -EINVAL, "request 0x%08X has not ended", peek);
    if (index >= EMP_DESCRIPTOR_LIMIT || board->claims[index].request != peek ||
        board->claims[index].state == CLAIM_NONE)
        return libemp_fail(board, -EINVAL, "request 0x%08X is no peek that has met a message",
                           peek);
    struct libemp_claim *claim = &board->claims[index];
    if (claim->state == CLAIM_OVERTAKEN)
        return libemp_fail(board, -ENOMSG,
                           "a receive posted after peek 0x%08X may take the message", peek);
    /* It overtakes its own claim, and those of other peeks that have met the same message. */
    const int error = libemp_post_receive(board, claim->peer, claim->tag, pieces, count, request);
    if (!error)
        claim->state = CLAIM_NONE;
    return error;
}
