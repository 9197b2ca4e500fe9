/* SPDX-License-Identifier: MIT */
#include "tests/attack/honest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 9000, AREA = 12288, BEFORE = 61, GUARD = 0xEE, TAG = 1, NAP_NS = 2000 };

/* For one message without an attack: some hundred of the shortest time-outs. */
#define PATIENCE_NS UINT64_C(400000000)
#define LINK_NS     UINT64_C(2000000000)

static size_t length_of(uint64_t message) {
    static const size_t lengths[] = {4, 1484, 0, LONGEST, 64, 2950, 1, 4096, 1485, 6000};
    return lengths[message % (sizeof lengths / sizeof *lengths)];
}

static uint8_t content(const struct honest *honest, unsigned sender, uint64_t message,
                       size_t offset) {
    const uint32_t mixed = (uint32_t)offset * 0x9E3779B1U + (uint32_t)message * 7919U +
                           honest->life * 31337U + sender * 104729U;
    return (uint8_t)(mixed ^ mixed >> 13);
}

#define complain(honest, ...)                                                                      \
    ((honest)->wrong ? (void)0                                                                     \
                     : (void)((honest)->wrong = true,                                              \
                              snprintf((honest)->words, sizeof(honest)->words, __VA_ARGS__)))

int honest_open(struct honest *honest, struct pair_side *side) {
    for (unsigned receive = 0; receive < 2; receive++)
        for (size_t i = 0; i < HONEST_AHEAD; i++) {
            struct honest_slot *slot = &honest->slot[side->index][receive][i];
            slot->area = libemp_allocate(side->board, AREA);
            const int error = slot->area
                                  ? libemp_register(side->board, slot->area, AREA, &slot->memory)
                                  : -ENOMEM;
            if (error)
                return pair_fail(side, error, NULL);
        }
    oracle_grant_scratch(honest->oracle, side->index);
    return 0;
}

static size_t grant_of(size_t slot, bool receive) {
    return ORACLE_FIRST_GRANT + slot + (receive ? HONEST_AHEAD : 0);
}

/* False when the board has no room. */
static bool post(struct honest *honest, struct pair_side *side, uint64_t message, bool receive) {
    const size_t number = message % HONEST_AHEAD;
    struct honest_slot *slot = &honest->slot[side->index][receive][number];
    const size_t bytes = receive ? LONGEST : length_of(message);
    const struct libemp_piece piece = {slot->memory, BEFORE, bytes};
    memset(slot->area, GUARD, AREA);
    for (size_t i = 0; i < bytes && !receive; i++)
        slot->area[BEFORE + i] = content(honest, side->index, message, i);
    oracle_grant(honest->oracle, side->index, grant_of(number, receive), receive,
                 slot->area + BEFORE, bytes);
    const int error = (receive ? libemp_post_receive : libemp_post_send)(
        side->board, side->peer, TAG, &piece, 1, &slot->request);
    if (error)
        complain(honest, "node %u, post: %.150s", side->index, libemp_message(side->board));
    return !error;
}

static void check(struct honest *honest, const struct pair_side *side, uint64_t message,
                  const struct honest_slot *slot, size_t length) {
    if (length != length_of(message)) {
        complain(honest, "node %u: message %" PRIu64 " came as one of %zu bytes", side->index,
                 message, length);
        return;
    }
    for (size_t i = 0; i < AREA; i++) {
        const bool inside = i >= BEFORE && i - BEFORE < length;
        if (slot->area[i] !=
            (inside ? content(honest, side->peer, message, i - BEFORE) : (uint8_t)GUARD)) {
            complain(honest, "node %u: message %" PRIu64 " differs at byte %zd of %zu", side->index,
                     message, (ssize_t)i - BEFORE, length);
            return;
        }
    }
}

/* Has the oldest posted one finished? */
static bool look(struct honest *honest, struct pair_side *side, uint64_t message, bool receive) {
    const size_t number = message % HONEST_AHEAD;
    struct honest_slot *slot = &honest->slot[side->index][receive][number];
    struct libemp_completion completion = {0};
    const int error = libemp_test(side->board, slot->request, &completion);
    if (error == -EAGAIN)
        return false;
    if (error) {
        complain(honest, "node %u, %s %" PRIu64 ": %.140s", side->index,
                 receive ? "receive" : "send", message, libemp_message(side->board));
        return false;
    }
    oracle_end_grant(honest->oracle, side->index, grant_of(number, receive));
    if (receive)
        check(honest, side, message, slot, completion.length);
    return true;
}

bool honest_exchange(struct honest *honest, struct pair_side *side) {
    __typeof__(&honest->stream[0]) out = &honest->stream[side->index];
    __typeof__(&honest->stream[0]) in = &honest->stream[side->peer];
    const bool limited = honest->limit[0] != UINT64_MAX;
    const uint64_t patience =
        limited || !honest->stuck_after_ns ? PATIENCE_NS : honest->stuck_after_ns;
    uint64_t progress = out->finished + in->received;
    uint64_t last_ns = tigon_host_now_ns(side->host);
    while (!honest->wrong) {
        const bool over = honest->over;
        if (progress != out->finished + in->received ||
            (!limited && !honest->stuck_after_ns && !over)) {
            progress = out->finished + in->received;
            last_ns = tigon_host_now_ns(side->host);
        }
        const uint64_t last = over ? out->wanted : honest->limit[side->index];
        while (!over && in->wanted < honest->limit[side->peer] &&
               in->wanted - in->received < HONEST_AHEAD && post(honest, side, in->wanted, true))
            in->wanted++;
        while (out->sent < last && out->sent - out->finished < HONEST_AHEAD &&
               post(honest, side, out->sent, false))
            out->sent++;
        while (in->received < in->wanted && look(honest, side, in->received, true))
            in->received++;
        while (out->finished < out->sent && look(honest, side, out->finished, false))
            out->finished++;
        if (in->received == in->wanted && out->finished == out->sent && out->sent == last &&
            (over || in->wanted == honest->limit[side->peer]))
            break;
        if (tigon_host_now_ns(side->host) > last_ns + patience)
            complain(honest,
                     "node %u: %" PRIu64 " of %" PRIu64 " messages received, %" PRIu64
                     " of %" PRIu64 " sends finished, and nothing goes on",
                     side->index, in->received, in->wanted, out->finished, out->sent);
        tigon_host_sleep_ns(side->host, NAP_NS);
    }
    return !honest->wrong;
}

void honest_meet(struct honest *honest, const struct pair_side *side) {
    honest->arrived[side->index]++;
    while (honest->arrived[side->peer] < honest->arrived[side->index])
        tigon_host_sleep_ns(side->host, NAP_NS);
}

bool honest_more(struct honest *honest, struct pair_side *side, uint64_t messages) {
    honest_meet(honest, side);
    honest->over = false;
    for (unsigned sender = 0; sender < 2; sender++)
        honest->limit[sender] = honest->stream[sender].sent + messages;
    honest_meet(honest, side); /* before anybody counts on */
    return honest_exchange(honest, side);
}

int honest_restart(struct honest *honest, struct pair_side *side) {
    const struct board_start_options start = {.node = (uint16_t)side->index};
    uint8_t address[6];
    honest_meet(honest, side);
    int error = libemp_stop(side->board);
    honest_meet(honest, side);
    if (!error)
        error = libemp_start(side->board, side->pair->image, &start);
    if (!error) {
        oracle_revoke(honest->oracle, side->index);
        oracle_grant_scratch(honest->oracle, side->index);
        tigon_board_mac_address(side->pair->side[side->peer].hardware, address);
        error = libemp_set_peer(side->board, side->peer, address);
    }
    if (!error)
        error = board_wait_link(libemp_hardware(side->board), LINK_NS);
    if (error)
        return pair_fail(side, error, NULL);
    honest_meet(honest, side);
    honest->life++;
    honest->wrong = false;
    honest->words[0] = 0;
    memset(honest->stream, 0, sizeof honest->stream);
    honest_meet(honest, side);
    return 0;
}
