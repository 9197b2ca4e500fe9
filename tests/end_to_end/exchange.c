/* SPDX-License-Identifier: MIT */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 0xEE, PIECES_LIMIT = 24, GAP_LIMIT = 300, PAGE = 4096, QUIET_NS = 20000000 };

#define LIMIT_NS UINT64_C(120000000000)

/* One message under way: its memory, where its pieces lie, its request. */
struct slot {
    uint8_t *area;
    struct libemp_memory *memory;
    libemp_request request;
    bool busy;
    size_t index;
    size_t pieces;
    struct libemp_piece piece[PIECES_LIMIT];
};

struct stream {
    const struct plan *plan;
    unsigned sender; /* side that sends this stream */
    size_t area_bytes;
    size_t posted;
    size_t finished;
    size_t ahead;
    struct slot slot[EXCHANGE_AHEAD_LIMIT];
};

/* Keeps the first complaint of a side; the program ends at its next look at it. (Leaving a program
 * by cmocka's long jump would drop its stack in mid-air.) */
#define complain(side, ...)                                                                        \
    ((side)->message[0] ? (void)0                                                                  \
                        : (void)snprintf((side)->message, sizeof(side)->message, __VA_ARGS__))
#define require(side, condition)                                                                   \
    ((condition) ? (void)0 : complain(side, "line %d: %s", __LINE__, #condition))

static uint32_t mix(uint32_t value) {
    value = (value ^ value >> 16) * 0x7FEB352DU;
    value = (value ^ value >> 15) * 0x846CA68BU;
    return value ^ value >> 16;
}

static uint8_t content(unsigned sender, size_t message, size_t offset) {
    return (uint8_t)mix((uint32_t)offset * 4 + (uint32_t)message * 0x10001U + sender);
}

/* Cuts `bytes` into up to `limit` pieces and lays them out backwards with gaps between. */
static void lay_out(struct slot *slot, uint32_t seed, size_t bytes, size_t limit) {
    size_t length[PIECES_LIMIT];
    size_t rest = bytes;
    size_t at;
    slot->pieces = limit > 1 ? 1 + mix(seed) % limit : 1;
    for (size_t i = 0; i < slot->pieces; i++) {
        const size_t share = rest / (slot->pieces - i);
        length[i] = i + 1 == slot->pieces ? rest : mix(seed + (uint32_t)i + 1) % (2 * share + 1);
        if (length[i] > rest)
            length[i] = rest;
        rest -= length[i];
    }
    at = limit > 1 ? mix(seed + 100) % GAP_LIMIT : 0;
    for (size_t i = slot->pieces; i-- > 0;) {
        slot->piece[i] = (struct libemp_piece){slot->memory, at, length[i]};
        at += length[i] + (limit > 1 ? mix(seed + 200 + (uint32_t)i) % GAP_LIMIT : 0);
    }
}

static void fill(const struct slot *slot, uint8_t *area, unsigned sender, size_t bytes) {
    size_t offset = 0;
    for (size_t i = 0; i < slot->pieces; i++)
        for (size_t b = 0; b < slot->piece[i].length && offset < bytes; b++)
            area[slot->piece[i].offset + b] = content(sender, slot->index, offset++);
}

static void open_stream(struct pair_side *side, struct stream *stream, const struct plan *plan,
                        unsigned sender) {
    const bool sending = side->index == sender;
    size_t most = 0;
    memset(stream, 0, sizeof *stream);
    stream->plan = plan;
    stream->sender = sender;
    stream->ahead = sending ? plan->sends_ahead : plan->receives_ahead;
    require(side, stream->ahead <= EXCHANGE_AHEAD_LIMIT && plan->pieces <= PIECES_LIMIT);
    for (size_t i = 0; i < plan->count; i++) {
        const struct message message = plan->message(i);
        const size_t bytes = sending ? message.bytes : message.capacity;
        most = bytes > most ? bytes : most;
    }
    stream->area_bytes = most + PAGE + (plan->pieces > 1 ? plan->pieces * GAP_LIMIT : 0);
    for (size_t i = 0; i < stream->ahead && i < plan->count; i++) {
        struct slot *slot = &stream->slot[i];
        slot->area = libemp_allocate(side->board, stream->area_bytes);
        require(side, slot->area != NULL);
        require(side,
                libemp_register(side->board, slot->area, stream->area_bytes, &slot->memory) == 0);
    }
}

/* Returns whether something was posted. */
static bool post_next(struct pair_side *side, const struct exchange *exchange,
                      struct stream *stream) {
    const bool sending = side->index == stream->sender;
    const size_t index = stream->posted;
    if (index == stream->plan->count)
        return false;
    struct slot *slot = &stream->slot[index % stream->ahead];
    if (slot->busy || !slot->area)
        return false;
    const struct message message = stream->plan->message(index);
    slot->index = index;
    lay_out(slot, exchange->seed * 7919 + (uint32_t)index * 2 + sending,
            sending ? message.bytes : message.capacity, stream->plan->pieces);
    memset(slot->area, GUARD, stream->area_bytes);
    if (sending)
        fill(slot, slot->area, stream->sender, message.bytes);
    const int error = (sending ? libemp_post_send : libemp_post_receive)(
        side->board, side->peer, message.tag, slot->piece, slot->pieces, &slot->request);
    if (error == -EAGAIN)
        return false;
    if (error) {
        complain(side, "post %zu: %s", index, libemp_message(side->board));
        return false;
    }
    slot->busy = true;
    stream->posted++;
    return true;
}

static void check_received(struct exchange *exchange, struct pair_side *side,
                           const struct stream *stream, const struct slot *slot, int error,
                           size_t length) {
    const struct message message = stream->plan->message(slot->index);
    const bool truncated = message.bytes > message.capacity;
    const size_t there = truncated ? message.capacity : message.bytes;
    uint8_t *expected = malloc(stream->area_bytes);
    if (!expected)
        return complain(side, "no memory");
    memset(expected, GUARD, stream->area_bytes);
    fill(slot, expected, stream->sender, there);
    if (error != (truncated ? -EMSGSIZE : 0) || length != message.bytes)
        complain(side, "receive %zu ended with %d, length %zu, of %zu into %zu", slot->index, error,
                 length, message.bytes, message.capacity);
    for (size_t i = 0; i < stream->area_bytes; i++)
        if (expected[i] != slot->area[i])
            complain(side, "message %zu: byte %zu of the area is 0x%02X, not 0x%02X", slot->index,
                     i, slot->area[i], expected[i]);
    exchange->truncated[side->index] += truncated;
    free(expected);
}

/* Looks at every request of the stream once; they may finish in any order. */
static void look(struct pair_side *side, struct exchange *exchange, struct stream *stream) {
    const bool sending = side->index == stream->sender;
    for (size_t i = 0; i < stream->ahead; i++) {
        struct slot *slot = &stream->slot[i];
        struct libemp_completion completion = {0};
        if (!slot->busy)
            continue;
        const int error = libemp_test(side->board, slot->request, &completion);
        if (error == -EAGAIN)
            continue;
        slot->busy = false;
        stream->finished++;
        if (sending && error)
            complain(side, "send %zu: %s", slot->index, libemp_message(side->board));
        if (!sending)
            check_received(exchange, side, stream, slot, error, completion.length);
    }
}

static void collect(struct pair_side *side, struct exchange *exchange) {
    require(side, libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    for (size_t i = 0; i < libemp_counter_count(); i++)
        require(side, libemp_counter(side->board, i, &exchange->counter[side->index][i]) == 0);
}

static int program(struct pair_side *side, void *argument) {
    struct exchange *exchange = argument;
    struct stream out;
    struct stream in;
    bool halfway = false;
    open_stream(side, &out, &exchange->plan[side->index], side->index);
    open_stream(side, &in, &exchange->plan[side->peer], side->peer);
    const uint64_t send_from = side->link_ns + out.plan->first_send_after;
    const uint64_t receive_from = side->link_ns + in.plan->first_receive_after;
    while (!side->message[0] && (out.finished < out.plan->count || in.finished < in.plan->count)) {
        if (tigon_host_now_ns(side->host) >= send_from)
            while (post_next(side, exchange, &out))
                ;
        if (tigon_host_now_ns(side->host) >= receive_from)
            while (post_next(side, exchange, &in))
                ;
        look(side, exchange, &out);
        look(side, exchange, &in);
        if (!halfway && exchange->halfway && out.finished >= out.plan->count / 2) {
            halfway = true;
            exchange->halfway(side);
        }
        tigon_host_sleep_ns(side->host, 1000);
    }
    if (!side->message[0])
        collect(side, exchange);
    return side->message[0] ? -EBADMSG : 0;
}

/* What is left on the wire when both programs are done: nothing, however long one looks. */
struct quiet {
    struct exchange *exchange;
    unsigned done;
    uint64_t frames;
};

static struct quiet quiet;

static int program_and_quiet(struct pair_side *side, void *argument) {
    const int error = program(side, argument);
    if (error)
        return error;
    quiet.done++;
    while (quiet.done < 2)
        tigon_host_sleep_ns(side->host, QUIET_NS / 10);
    tigon_host_sleep_ns(side->host, QUIET_NS); /* what was delayed comes */
    const uint64_t before = quiet.exchange->traffic.frames;
    tigon_host_sleep_ns(side->host, QUIET_NS);
    if (quiet.exchange->traffic.frames != before)
        complain(side, "%" PRIu64 " frames after the end", quiet.exchange->traffic.frames - before);
    if (board_link(libemp_hardware(side->board)) != 1)
        complain(side, "the link went down");
    return side->message[0] ? -EBADMSG : 0;
}

/* Around every border there is: frames, pages, descriptor formats. */
static const size_t sizes[] = {0,    1,    4,    24,   25,    1463,  1464,  1465, 1478,
                               1500, 2950, 2951, 4095, 4096,  4097,  4400,  4500, 8191,
                               8193, 100,  7,    0,    28671, 28672, 28673, 64,   65536};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct message exchange_any_size(size_t index) {
    const size_t bytes = sizes[(index * 5 + index / SIZES) % SIZES];
    return (struct message){bytes, bytes + index % 3 * 11, (uint16_t)(index % 4)};
}

static int run(struct exchange *exchange, const struct pair_options *options, FILE *complaints) {
    struct pair pair;
    memset(&quiet, 0, sizeof quiet);
    quiet.exchange = exchange;
    int error = pair_open(&pair, options);
    if (!error) {
        traffic_watch(&exchange->traffic, pair.wire);
        if (exchange->opened)
            exchange->opened(&pair);
        error = pair_run(&pair, program_and_quiet, exchange, program_and_quiet, exchange, LIMIT_NS);
    }
    if (error && complaints)
        pair_complain(&pair, complaints);
    pair_close(&pair);
    return error;
}

int exchange_try(struct exchange *exchange, const struct pair_options *options) {
    return run(exchange, options, NULL);
}

void exchange_run(struct exchange *exchange, const struct pair_options *options) {
    const int error = run(exchange, options, stderr);
    if (error)
        fail_msg("seed %" PRIu64 ": %s", options->seed, strerror(-error));
}

uint32_t exchange_counter(const struct exchange *exchange, unsigned side, const char *name) {
    const int index = libemp_find_counter(name);
    if (index < 0)
        fail_msg("no counter %s", name);
    return exchange->counter[side][index];
}

void exchange_options(struct pair_options *options, uint64_t seed, double loss, double duplicate,
                      double delay) {
    pair_options_defaults(options);
    options->seed = seed;
    options->knobs.wire_loss = loss;
    options->knobs.wire_duplicate = duplicate;
    options->knobs.wire_delay = delay;
}

void exchange_programs(pair_program left, pair_program right, void *argument, uint64_t seed,
                       double loss) {
    struct pair_options options;
    struct pair pair;
    exchange_options(&options, seed, loss, 0, 0);
    int error = pair_open(&pair, &options);
    if (!error)
        error = pair_run(&pair, left, argument, right, argument, LIMIT_NS);
    if (error)
        pair_complain(&pair, stderr);
    pair_close(&pair);
    assert_int_equal(error, 0);
}
