/* SPDX-License-Identifier: MIT */
/*
 * Two nodes on the native port exchange messages: all sizes and descriptor formats, over a wire
 * that loses, repeats and reorders frames, with devices and notices as late as port.h allows. All
 * host memory is compared, not only that of the messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/native_port/host.h"

#define WIRE_FRAMES 64u
#define PIECES      409u
#define SENDS_AT    HOST_LOW             /* memory that sends read: the first half of a window */
#define RECEIVES_AT (HOST_LOW + 0x8000u) /* and that receives write */
#define PAGES_AT    (HOST_ACROSS + 0x9000u)

struct wire {
    uint8_t frames[WIRE_FRAMES][NATIVE_FRAME_BYTES];
    uint32_t bytes[WIRE_FRAMES];
    uint32_t count;
};

struct pair {
    struct host hosts[2];
    struct wire wires[2]; /* to each node */
    uint32_t chance;
    unsigned lost, repeated; /* of 100 frames */
    unsigned tagged;         /* of 100 frames, with a VLAN tag */
    bool reordered, late;
};

static struct pair pair;

static uint32_t chance(void) {
    pair.chance = pair.chance * 1664525u + 1013904223u;
    return pair.chance >> 8;
}

/* As a switch forwards it: with a tag of IEEE 802.1Q behind the addresses. */
static void put_tag(uint8_t *frame, uint32_t bytes) {
    static const uint8_t tag[4] = {0x81, 0x00, 0xA0, 0x05};
    memmove(frame + 16, frame + 12, bytes - 12);
    memcpy(frame + 12, tag, sizeof tag);
}

static void wire_put(void *owner, const uint8_t *frame, uint32_t bytes) {
    struct wire *wire = owner;
    bool tagged = pair.tagged != 0 && chance() % 100 < pair.tagged;
    unsigned copies = chance() % 100 < pair.lost ? 0 : chance() % 100 < pair.repeated ? 2 : 1;
    for (; copies != 0 && wire->count < WIRE_FRAMES; copies--) {
        memcpy(wire->frames[wire->count], frame, bytes);
        if (tagged)
            put_tag(wire->frames[wire->count], bytes);
        wire->bytes[wire->count++] = bytes + (tagged ? 4 : 0);
    }
}

/* Into the destination node; a frame without a free buffer waits. */
static bool wire_take(unsigned to) {
    struct wire *wire = &pair.wires[to];
    uint32_t place = pair.reordered ? chance() % (wire->count < 6 ? wire->count : 6) : 0;
    if (!pair.hosts[to].node->nic->arrive(wire->frames[place], wire->bytes[place]))
        return false;
    wire->count--;
    memmove(&wire->frames[place], &wire->frames[place + 1],
            (wire->count - place) * sizeof wire->frames[0]);
    memmove(&wire->bytes[place], &wire->bytes[place + 1],
            (wire->count - place) * sizeof wire->bytes[0]);
    return true;
}

/* One event of a node, any that waits or the most urgent one; false if none waits. */
static bool step(unsigned node) {
    struct host *host = &pair.hosts[node];
    uint32_t waiting = host->node->nic->waiting();
    uint32_t event;
    if (waiting == 0)
        return false;
    event = (uint32_t)__builtin_ctz(waiting);
    if (pair.late)
        do
            event = chance() % NATIVE_EVENTS;
        while ((waiting >> event & 1) == 0);
    return host_deliver(host, (enum native_event)event);
}

static bool anything(void) {
    unsigned first = pair.late ? chance() % 2 : 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned node = (first + i) % 2;
        bool wire = pair.late ? chance() % 2 : i >= 2;
        if (wire && pair.wires[node].count != 0 && wire_take(node))
            return true;
        if (!wire && step(node))
            return true;
    }
    return pair.late &&
           (pair.wires[0].count != 0 || pair.wires[1].count != 0 ||
            pair.hosts[0].node->nic->waiting() != 0 || pair.hosts[1].node->nic->waiting() != 0);
}

/* Until both nodes and the wire are at rest; time passes, to the next alarm, only when no event is
 * left. */
static void run(void) {
    for (unsigned count = 0; count < 2000000; count++) {
        const struct native_nic *left = pair.hosts[0].node->nic, *right = pair.hosts[1].node->nic;
        uint32_t deadlines[2], now = left->clock(), next = now + 0x7FFFFFFFu;
        bool alarms[2];
        if (anything())
            continue;
        alarms[0] = left->alarm(&deadlines[0]);
        alarms[1] = right->alarm(&deadlines[1]);
        if (!alarms[0] && !alarms[1]) {
            oracle_table(&pair.hosts[0].oracle);
            oracle_table(&pair.hosts[1].oracle);
            return;
        }
        for (unsigned i = 0; i < 2; i++)
            if (alarms[i] && (int32_t)(deadlines[i] - next) < 0)
                next = (int32_t)(deadlines[i] - now) < 0 ? now : deadlines[i];
        left->set_clock(next);
        right->set_clock(next);
    }
    fail_msg("the nodes do not come to rest");
}

/* ------------------------------------------------------------------------------ Messages */

struct area {
    struct host_piece pieces[PIECES];
    struct host_request request;
};

/* Memory for `length` bytes from `base` on, in one piece or in many of different sizes with gaps
 * between them. */
static void area_make(struct area *area, uint32_t direction, uint32_t format, uint32_t length,
                      uint64_t base, uint64_t page) {
    uint32_t most = format == EMP_FORMAT_SHORT ? 1 : format == EMP_FORMAT_CHAIN ? 7 : 23;
    uint32_t left = length, count = 0;
    while (left != 0 || count == 0) {
        uint32_t bytes = count + 1 == most ? left : chance() % (2 * left / most + 2);
        if (bytes > left)
            bytes = left;
        area->pieces[count++] = (struct host_piece){base, bytes};
        base += bytes + (format == EMP_FORMAT_SHORT ? 0 : chance() % 9);
        left -= bytes;
    }
    if (format == EMP_FORMAT_CHAIN)
        while (count < 2 || count % 2 == 0)
            area->pieces[count++] = (struct host_piece){base, 0};
    area->request = (struct host_request){.direction = direction,
                                          .format = format,
                                          .length = length,
                                          .pieces = area->pieces,
                                          .count = count,
                                          .page = page};
}

static void area_copy(const struct area *area, uint8_t *message, uint32_t bytes, bool out,
                      uint8_t *low, uint8_t *across) {
    for (uint32_t i = 0; i < area->request.count && bytes != 0; i++) {
        uint64_t address = area->pieces[i].address;
        uint32_t part = area->pieces[i].bytes < bytes ? area->pieces[i].bytes : bytes;
        uint8_t *place =
            address >= HOST_ACROSS ? across + (address - HOST_ACROSS) : low + (address - HOST_LOW);
        if (out)
            memcpy(place, message, part);
        else
            memcpy(message, place, part);
        message += part;
        bytes -= part;
    }
}

/* One message between two posted descriptors; `room` bytes can be received. */
static void exchange(unsigned from, uint32_t send_format, uint32_t receive_format, uint32_t length,
                     uint32_t room, uint64_t send_base, uint64_t receive_base) {
    static uint8_t message[HOST_WINDOW_BYTES], expected[HOST_WINDOWS][HOST_WINDOW_BYTES];
    static struct area send, receive;
    struct host *sender = &pair.hosts[from], *receiver = &pair.hosts[1 - from];
    uint32_t sent, received, taken = length < room ? length : room;
    for (uint32_t i = 0; i < length; i++)
        message[i] = (uint8_t)chance();
    area_make(&send, EMP_DIRECTION_SEND, send_format, length, send_base, PAGES_AT);
    area_make(&receive, EMP_DIRECTION_RECEIVE, receive_format, room, receive_base, PAGES_AT);
    send.request.bytes = message;
    send.request.peer = receiver->number;
    receive.request.peer = sender->number;
    send.request.tag = receive.request.tag = length & 0xFF;
    if (send_format <= EMP_FORMAT_INDIRECT)
        area_copy(&send, message, length, true, sender->memory[0], sender->memory[1]);
    host_fill(receiver, 10, &receive.request);
    host_enter(receiver, 10);
    memcpy(expected, receiver->memory, sizeof expected);
    area_copy(&receive, message, taken, true, expected[0], expected[1]);
    host_fill(sender, 20, &send.request);
    host_enter(sender, 20);
    run();
    assert_int_equal(host_result(sender, 20, &sent), EMP_RESULT_OK);
    assert_int_equal(host_result(receiver, 10, &received),
                     length <= room ? EMP_RESULT_OK : EMP_RESULT_TRUNCATED);
    assert_int_equal(received, length);
    assert_memory_equal(receiver->memory, expected, sizeof expected);
}

static int begin(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        (void)host_memory(&pair.hosts[i], HOST_LOW, 1); /* written directly */
        (void)host_memory(&pair.hosts[i], HOST_ACROSS, 1);
        host_restart(&pair.hosts[i]);
        assert_true(node_as_saved(pair.hosts[i].node, pair.hosts[i].fresh));
        pair.wires[i].count = 0;
    }
    pair.chance = 1;
    pair.lost = pair.repeated = pair.tagged = 0;
    pair.reordered = pair.late = false;
    return 0;
}

static int start(void **state) {
    static const struct node *const nodes[2] = {&node_left, &node_right};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct host *host = &pair.hosts[i];
        host->node = nodes[i];
        host->number = i + 1;
        host->frame = wire_put;
        host->frame_owner = &pair.wires[1 - i];
        host_start(host, 0x0100u + i, malloc(node_bytes(nodes[i])));
    }
    return 0;
}

static int stop(void **state) {
    (void)state;
    free(pair.hosts[0].fresh);
    free(pair.hosts[1].fresh);
    return 0;
}

static const uint32_t formats[] = {EMP_FORMAT_SHORT, EMP_FORMAT_CHAIN, EMP_FORMAT_INDIRECT};
/* Around 0, the shortest frame, and the ends of the first frames (1478, 2964 bytes). */
static const uint32_t sizes[] = {0,    1,    2,    3,    4,    23,   24,   25,   63,    1477,
                                 1478, 1479, 2963, 2964, 2965, 4449, 4450, 8192, 20001, 32000};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void exchanges__every_size_and_format(void **state) {
    (void)state;
    for (unsigned size = 0; size < COUNT(sizes); size++)
        for (unsigned combination = 0; combination < 9; combination++)
            exchange(combination % 2, formats[combination % 3], formats[combination / 3],
                     sizes[size], sizes[size], SENDS_AT + size % 4, RECEIVES_AT + size % 3);
}

static void exchanges__longer_than_receive(void **state) {
    (void)state;
    for (unsigned size = 1; size < COUNT(sizes); size++)
        for (unsigned combination = 0; combination < 9; combination++)
            exchange(combination % 2, formats[combination % 3], formats[combination / 3],
                     sizes[size], chance() % sizes[size], SENDS_AT, RECEIVES_AT);
}

/* Where the upper half of the address changes within a message. */
static void exchanges__across_4_gb(void **state) {
    (void)state;
    for (unsigned combination = 0; combination < 9; combination++)
        for (uint32_t before = 0; before < 3000; before += 217)
            exchange(combination % 2, formats[combination % 3], formats[combination / 3], 3000,
                     3000, HOST_ACROSS + 0x8000u - before, HOST_ACROSS + 0x8000u - before);
}

static void exchanges__bad_wire_and_late_devices(void **state) {
    (void)state;
    pair.lost = 10;
    pair.repeated = 10;
    pair.reordered = pair.late = true;
    for (unsigned turn = 0; turn < 400; turn++)
        exchange(chance() % 2, formats[chance() % 3], formats[chance() % 3],
                 sizes[chance() % COUNT(sizes)], sizes[chance() % COUNT(sizes)], SENDS_AT,
                 RECEIVES_AT);
}

#if EMP_INLINE_LIMIT
/* The oracle lets the board read none of the sender's memory. */
static void exchanges__bytes_in_the_descriptor(void **state) {
    (void)state;
    for (uint32_t length = 0; length <= EMP_INLINE_LIMIT; length++)
        for (unsigned format = 0; format < COUNT(formats); format++)
            exchange(length % 2, EMP_FORMAT_INLINE, formats[format], length, length, SENDS_AT,
                     RECEIVES_AT + length % 3);
    pair.lost = pair.repeated = 20;
    pair.reordered = pair.late = true;
    for (unsigned turn = 0; turn < 400; turn++)
        exchange(chance() % 2, chance() % 4 == 0 ? EMP_FORMAT_SHORT : EMP_FORMAT_INLINE,
                 formats[chance() % 3], chance() % (EMP_INLINE_LIMIT + 1),
                 chance() % (EMP_INLINE_LIMIT + 1), SENDS_AT, RECEIVES_AT);
}

static void refused__bytes_that_no_descriptor_holds(void **state) {
    static const uint8_t bytes[EMP_INLINE_LIMIT + 1];
    const struct host_request requests[] = {
        {.direction = EMP_DIRECTION_SEND, .length = EMP_INLINE_LIMIT + 1},
        {.direction = EMP_DIRECTION_SEND, .length = EMP_MESSAGE_LIMIT + 1},
        {.direction = EMP_DIRECTION_RECEIVE, .length = 4},
        {.direction = EMP_DIRECTION_RECEIVE, .length = 0},
    };
    struct host *host = &pair.hosts[0];
    uint32_t length;
    (void)state;
    for (unsigned i = 0; i < COUNT(requests); i++) {
        struct host_request request = requests[i];
        request.format = EMP_FORMAT_INLINE;
        request.peer = 2;
        request.bytes = request.length <= sizeof bytes ? bytes : NULL;
        host_fill(host, i, &request);
        host_enter(host, i);
        run();
        assert_int_equal(host_result(host, i, &length), EMP_RESULT_BAD);
        assert_int_equal(length, 0);
    }
}

/* The host may harm its own message alone: what it is when the words are changed meanwhile. */
static void changed__bytes_after_the_post(void **state) {
    static const uint8_t bytes[EMP_INLINE_LIMIT] = {1};
    static struct area area;
    struct host *host = &pair.hosts[0], *other = &pair.hosts[1];
    struct host_request send = {.direction = EMP_DIRECTION_SEND,
                                .format = EMP_FORMAT_INLINE,
                                .peer = 2,
                                .length = EMP_INLINE_LIMIT,
                                .bytes = bytes};
    uint32_t length;
    (void)state;
    host_fill(host, 0, &send);
    host_enter(host, 0);
    while (host_run(host, 0, 100) != 0)
        ;
    pair.wires[1].count = 0; /* lost: it is sent again */
    for (uint32_t word = 0; word < ORACLE_WORDS; word++)
        host_write_word(host, word,
                        word == EMP_DESCRIPTOR_OWNER_WORD ? host->descriptors[word] ^ 0xFFFFFF8Cu
                                                          : 0x7E7E7E7Eu);
    area_make(&area, EMP_DIRECTION_RECEIVE, EMP_FORMAT_SHORT, 200, RECEIVES_AT, 0);
    area.request.peer = 1;
    host_fill(other, 0, &area.request);
    host_enter(other, 0);
    run();
    assert_int_equal(host_result(other, 0, &length), EMP_RESULT_OK);
    assert_int_equal(length, EMP_INLINE_LIMIT);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(other->memory[0][RECEIVES_AT - HOST_LOW + i],
                         i < EMP_INLINE_LIMIT ? 0x7E : 0);
    exchange(0, EMP_FORMAT_SHORT, EMP_FORMAT_CHAIN, 500, 500, SENDS_AT, RECEIVES_AT);
}
#endif

#if EMP_TAKES_TAGGED
static void exchanges__frames_with_a_vlan_tag(void **state) {
    (void)state;
    pair.tagged = 100;
    for (unsigned size = 0; size < COUNT(sizes); size++)
        for (unsigned combination = 0; combination < 9; combination++)
            exchange(combination % 2, formats[combination % 3], formats[combination / 3],
                     sizes[size], sizes[size], SENDS_AT + size % 4, RECEIVES_AT + size % 3);
    assert_int_equal(pair.hosts[0].counters[HOST_FOREIGN], 0);
    pair.tagged = 50;
    exchanges__bad_wire_and_late_devices(state);
}

/* The first tag is taken off, and then the frame is of another type. */
static void ignored__frames_with_two_vlan_tags(void **state) {
    struct host *host = &pair.hosts[0];
    const struct native_nic *nic = host->node->nic;
    uint8_t frame[64] = {0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0x88, 0xB5, EMP_FRAME_KIND_ACK << 4,
                         2};
    volatile uint32_t *control = nic->control();
    (void)state;
    frame[0] = (uint8_t)(control[EMP_CONTROL_MAC_HIGH_WORD] >> 8);
    frame[1] = (uint8_t)control[EMP_CONTROL_MAC_HIGH_WORD];
    for (unsigned byte = 0; byte < 4; byte++)
        frame[2 + byte] = (uint8_t)(control[EMP_CONTROL_MAC_LOW_WORD] >> (24 - 8 * byte));
    put_tag(frame, 56);
    put_tag(frame, 60);
    assert_true(nic->arrive(frame, 64));
    run();
    assert_int_equal(host->counters[HOST_FOREIGN], 1);
}
#endif

/* More sends than records, in both directions at once, and pages that lose their buffers. */
static void exchanges__many_at_once(void **state) {
    enum { MESSAGES = 40, BYTES = 400 };
    static struct area areas[2][2 * MESSAGES];
    (void)state;
    pair.lost = pair.repeated = 5;
    pair.reordered = pair.late = true;
    for (unsigned from = 0; from < 2; from++)
        for (unsigned i = 0; i < 2 * MESSAGES; i++) {
            struct host *host = &pair.hosts[from];
            struct area *area = &areas[from][i];
            bool send = i >= MESSAGES;
            /* The pages of both directions share their place: they are alike, but for addresses. */
            area_make(area, send ? EMP_DIRECTION_SEND : EMP_DIRECTION_RECEIVE, formats[i % 2 * 2],
                      BYTES, (send ? SENDS_AT : RECEIVES_AT) + i % MESSAGES * 700,
                      HOST_ACROSS + (i % 2 ? i / 2 % 14 : 0) * EMP_PAGE_BYTES);
            area->request.peer = pair.hosts[1 - from].number;
            area->request.tag = 7;
            if (area->request.format == EMP_FORMAT_INDIRECT && i / 2 >= 14)
                area->request.format = EMP_FORMAT_SHORT, area->request.count = 1,
                area->pieces[0].bytes = BYTES;
            for (unsigned byte = 0; send && byte < BYTES; byte++)
                *host_memory(host, SENDS_AT + i % MESSAGES * 700 + byte, 1) = (uint8_t)(i + from);
            host_fill(host, 5 * i, &area->request);
            host_enter(host, 5 * i);
        }
    run();
    for (unsigned from = 0; from < 2; from++)
        for (unsigned i = 0; i < 2 * MESSAGES; i++) {
            uint32_t length;
            assert_int_equal(host_result(&pair.hosts[from], 5 * i, &length), EMP_RESULT_OK);
            assert_int_equal(length, BYTES);
        }
}

/* ------------------------------------------------------------------------------ Nonsense */

static void refused__bad_descriptors(void **state) {
    struct host *host = &pair.hosts[0];
    const struct host_piece piece = {SENDS_AT, 100};
    const struct host_request good = {.direction = EMP_DIRECTION_RECEIVE,
                                      .format = EMP_FORMAT_SHORT,
                                      .peer = 2,
                                      .length = 100,
                                      .pieces = &piece,
                                      .count = 1,
                                      .page = PAGES_AT};
    struct host_request bad[7];
    uint32_t length;
    (void)state;
    for (unsigned i = 0; i < COUNT(bad); i++)
        bad[i] = good;
    bad[0].length = 101;                 /* more than its piece */
    bad[1].format = 3;                   /* none */
    bad[2].peer = EMP_NODE_LIMIT;        /* no node */
    bad[3].format = EMP_FORMAT_INDIRECT; /* no entries */
    bad[3].count = 0;
    bad[4].format = EMP_FORMAT_INDIRECT; /* a page across a 4 GB line */
    bad[4].page = HOST_ACROSS + 0x8000u - 4;
    bad[5].format = EMP_FORMAT_INDIRECT; /* entries too short for it */
    bad[5].length = 101;
    bad[6].format = EMP_FORMAT_CHAIN; /* a chain too short for it */
    bad[6].length = 101;
    for (unsigned i = 0; i < COUNT(bad); i++) {
        host_fill(host, i, &bad[i]);
        host_enter(host, i);
        run();
        assert_int_equal(host_result(host, i, &length), EMP_RESULT_BAD);
    }
    /* A chain that leaves the table, and invalid numbers. */
    bad[6].length = 100;
    host_fill(host, EMP_DESCRIPTOR_LIMIT - 1, &bad[6]);
    uint32_t last = (EMP_DESCRIPTOR_LIMIT - 1) * ORACLE_WORDS + EMP_DESCRIPTOR_OWNER_WORD;
    host_write_word(host, last, host->descriptors[last] | 1u << EMP_DESCRIPTOR_CONTINUATIONS_SHIFT);
    host_enter(host, EMP_DESCRIPTOR_LIMIT - 1);
    host_enter(host, EMP_DESCRIPTOR_LIMIT);
    host_enter(host, 0xFFFFu);
    host_enter(host, EMP_CANCEL_REQUEST | EMP_DESCRIPTOR_LIMIT);
    run();
    assert_int_equal(host_result(host, EMP_DESCRIPTOR_LIMIT - 1, &length), EMP_RESULT_BAD);
    assert_int_equal(host->counters[HOST_IGNORED], 3);
    exchange(0, EMP_FORMAT_SHORT, EMP_FORMAT_CHAIN, 500, 500, SENDS_AT, RECEIVES_AT);
}

static void ignored__descriptor_entered_twice(void **state) {
    struct host *host = &pair.hosts[0];
    struct area area;
    uint32_t length;
    (void)state;
    area_make(&area, EMP_DIRECTION_RECEIVE, EMP_FORMAT_CHAIN, 300, RECEIVES_AT, 0);
    area.request.peer = 2;
    host_fill(host, 3, &area.request);
    host_enter(host, 3);
    host_enter(host, 3);
    run();
    assert_int_equal(host->counters[HOST_IGNORED], 1);
    host_enter(host, EMP_CANCEL_REQUEST | 3);
    run();
    assert_int_equal(host_result(host, 3, &length), EMP_RESULT_CANCELLED);
}

static void cancelled__only_what_no_message_met(void **state) {
    struct host *host = &pair.hosts[0];
    struct area area;
    uint32_t length;
    (void)state;
    for (unsigned format = 0; format < 3; format++) {
        area_make(&area, EMP_DIRECTION_RECEIVE, formats[format], 300, RECEIVES_AT, PAGES_AT);
        area.request.peer = 2;
        area.request.tag = 9;
        host_fill(host, 30, &area.request);
        host_enter(host, 30);
        host_enter(host, EMP_CANCEL_REQUEST | 30);
        run();
        assert_int_equal(host_result(host, 30, &length), EMP_RESULT_CANCELLED);
        assert_int_equal(length, 0);
        exchange(1, EMP_FORMAT_SHORT, EMP_FORMAT_SHORT, 9, 9, SENDS_AT, RECEIVES_AT);
        host_enter(host, EMP_CANCEL_REQUEST | 10); /* ended */
        run();
        assert_int_equal(host_result(host, 10, &length), EMP_RESULT_OK);
    }
}

#if EMP_POSTS_AMONG_FRAMES
/* While frames keep the board busy, deferred work has no turn. A frame is no posting: behind the
 * last one no more are taken. */
static void taken__one_posting_with_each_frame(void **state) {
    enum { RECEIVES = 5 };
    struct host *host = &pair.hosts[0];
    const struct native_nic *nic = host->node->nic;
    struct area area;
    uint8_t frame[NATIVE_FRAME_MINIMUM] = {0};
    uint32_t before, length;
    (void)state;
    run(); /* the link is up */
    for (unsigned byte = 0; byte < 6; byte++)
        frame[byte] = 0xFF; /* to all stations, and not EMP's */
    area_make(&area, EMP_DIRECTION_RECEIVE, EMP_FORMAT_SHORT, 300, RECEIVES_AT, 0);
    area.request.peer = pair.hosts[1].number;
    before = host->node->taken();
    for (unsigned i = 0; i < RECEIVES; i++) {
        host_fill(host, i, &area.request);
        host_enter(host, i);
    }
    assert_true(host_deliver(host, NATIVE_DOORBELL));
    assert_int_equal(host->node->taken() - before, 1);
    for (unsigned i = 1; i < RECEIVES + 2; i++) {
        assert_true(nic->arrive(frame, sizeof frame));
        assert_true(host_deliver(host, NATIVE_FRAME));
        assert_int_equal(host->node->taken() - before, i < RECEIVES ? i + 1 : RECEIVES);
    }
    for (unsigned i = 0; i < RECEIVES; i++)
        host_enter(host, EMP_CANCEL_REQUEST | i);
    run();
    for (unsigned i = 0; i < RECEIVES; i++)
        assert_int_equal(host_result(host, i, &length), EMP_RESULT_CANCELLED);
}
#endif

#if EMP_CANCELS_SENDS
/* Two messages begin, 14 wait in records, the others in the glue. Those cancelled are the first, a
 * middle one and the last that wait in either place; those begun go on. */
static void cancelled__sends_that_have_not_begun(void **state) {
    enum { SENDS = 24, BYTES = 100, RECEIVES = 100 };
    static const unsigned cancels[] = {0, 1, 2, 9, 15, 16, 19, 23};
    struct host *host = &pair.hosts[0], *other = &pair.hosts[1];
    static struct area areas[2 * SENDS];
    unsigned received = 0;
    uint32_t length;
    (void)state;
    for (unsigned i = 0; i < SENDS; i++) {
        area_make(&areas[i], EMP_DIRECTION_SEND, formats[i % 2 * 2], BYTES + i, SENDS_AT + i * 200,
                  HOST_ACROSS + i / 2 % 12 * EMP_PAGE_BYTES);
        areas[i].request.peer = other->number;
        areas[i].request.tag = 7;
        host_fill(host, 5 * i, &areas[i].request);
        host_enter(host, 5 * i);
    }
    for (unsigned i = 0; i < COUNT(cancels); i++)
        host_enter(host, EMP_CANCEL_REQUEST | 5 * cancels[i]);
    (void)host_run(host, 0, 2000);
    for (unsigned i = 0; i < COUNT(cancels); i++)
        assert_int_equal(host_result(host, 5 * cancels[i], &length),
                         cancels[i] < 2 ? EMP_RESULT_PENDING : EMP_RESULT_CANCELLED);
    for (unsigned i = 0; i < SENDS; i++) {
        area_make(&areas[SENDS + i], EMP_DIRECTION_RECEIVE, EMP_FORMAT_SHORT, 200,
                  RECEIVES_AT + i * 200, 0);
        areas[SENDS + i].request.peer = host->number;
        areas[SENDS + i].request.tag = 7;
        host_fill(other, RECEIVES + i, &areas[SENDS + i].request);
        host_enter(other, RECEIVES + i);
    }
    run();
    for (unsigned i = 0; i < SENDS; i++) {
        if (host_result(host, 5 * i, &length) == EMP_RESULT_CANCELLED)
            continue;
        assert_int_equal(host_result(host, 5 * i, &length), EMP_RESULT_OK);
        assert_int_equal(host_result(other, RECEIVES + received++, &length), EMP_RESULT_OK);
        assert_int_equal(length, BYTES + i);
    }
    assert_int_equal(received, SENDS - COUNT(cancels) + 2);
    assert_int_equal(host_result(other, RECEIVES + received, &length), EMP_RESULT_PENDING);
}

/* Until a peek or receive ends: a message without a receive is sent for ever. */
static void run_until_ended(const struct host *host, uint32_t descriptor) {
    const struct native_nic *left = pair.hosts[0].node->nic, *right = pair.hosts[1].node->nic;
    uint32_t length;
    for (unsigned i = 0; i < 100000; i++) {
        if (host_result(host, descriptor, &length) != EMP_RESULT_PENDING)
            return;
        if (!anything()) {
            left->set_clock(left->clock() + 50);
            right->set_clock(right->clock() + 50);
        }
    }
    fail_msg("descriptor %u does not end", descriptor);
}

static void post_one(struct host *host, uint32_t descriptor, uint32_t direction, uint64_t tag,
                     uint32_t bytes, uint32_t wildcards) {
    struct area area;
    area_make(&area, direction, EMP_FORMAT_SHORT, bytes,
              direction == EMP_DIRECTION_SEND ? SENDS_AT : RECEIVES_AT, 0);
    area.request.peer = host == &pair.hosts[0] ? pair.hosts[1].number : pair.hosts[0].number;
    area.request.tag = tag;
    area.request.wildcards = wildcards;
    if (wildcards & EMP_WILDCARD_TAG)
        area.request.ignored = UINT64_MAX;
    host_fill(host, descriptor, &area.request);
    host_enter(host, descriptor);
}

/* Peeks end in order of posting, each at another try of the sender, with the first message only. */
static void peeked__the_message_without_a_receive(void **state) {
    static const uint64_t tag = 0x1234567890ABCDEFu;
    static const uint32_t any = EMP_PEEK_ONLY | EMP_WILDCARD_SOURCE | EMP_WILDCARD_TAG;
    struct host *host = &pair.hosts[1];
    const volatile uint32_t *words = &host->descriptors[11 * ORACLE_WORDS];
    uint32_t length;
    (void)state;
    post_one(host, 10, EMP_DIRECTION_RECEIVE, 5, 0, EMP_PEEK_ONLY); /* for another tag */
    post_one(host, 11, EMP_DIRECTION_RECEIVE, 0, 0, any);
    post_one(host, 12, EMP_DIRECTION_RECEIVE, tag, 0, EMP_PEEK_ONLY);
    post_one(host, 13, EMP_DIRECTION_RECEIVE, tag, 0, EMP_PEEK_ONLY);
    post_one(&pair.hosts[0], 0, EMP_DIRECTION_SEND, tag, 3000, 0);
    post_one(&pair.hosts[0], 1, EMP_DIRECTION_SEND, 5, 100, 0);
    run_until_ended(host, 11);
    assert_int_equal(host_result(host, 11, &length), EMP_RESULT_PEEKED);
    assert_int_equal(length, 3000);
    assert_int_equal(words[EMP_DESCRIPTOR_PEER_WORD] >> EMP_DESCRIPTOR_PEER_SHIFT,
                     pair.hosts[0].number);
    assert_int_equal(words[EMP_DESCRIPTOR_TAG_HIGH_WORD], tag >> 32);
    assert_int_equal(words[EMP_DESCRIPTOR_TAG_WORD], (uint32_t)tag);
    assert_int_equal(host_result(host, 12, &length), EMP_RESULT_PENDING);
    run_until_ended(host, 12);
    assert_int_equal(host_result(host, 12, &length), EMP_RESULT_PEEKED);
    assert_int_equal(host_result(host, 13, &length), EMP_RESULT_PENDING);
    host_enter(host, EMP_CANCEL_REQUEST | 13);
    run_until_ended(host, 13);
    assert_int_equal(host_result(host, 13, &length), EMP_RESULT_CANCELLED);
    assert_int_equal(host_result(host, 10, &length), EMP_RESULT_PENDING);

    post_one(host, 20, EMP_DIRECTION_RECEIVE, tag, 3000, 0); /* exactly this one */
    run_until_ended(host, 20);
    assert_int_equal(host_result(host, 20, &length), EMP_RESULT_OK);
    assert_int_equal(length, 3000);
    run_until_ended(host, 10);
    assert_int_equal(host_result(host, 10, &length), EMP_RESULT_PEEKED);
    assert_int_equal(length, 100);
    post_one(host, 21, EMP_DIRECTION_RECEIVE, 5, 100, 0);
    run();
    assert_int_equal(host_result(host, 21, &length), EMP_RESULT_OK);
}
#endif

/* A receive that is entered twice makes its list circular. The cancel names another descriptor,
 * which is in no list. */
static void cancelled__nothing_that_the_host_did_not_name(void **state) {
    struct host *host = &pair.hosts[0];
    struct area area;
    uint32_t length;
    (void)state;
    area_make(&area, EMP_DIRECTION_RECEIVE, EMP_FORMAT_SHORT, 300, RECEIVES_AT, 0);
    area.request.peer = 0; /* of a descriptor that was never posted, too */
    host_fill(host, 5, &area.request);
    host_enter(host, 5);
    host_enter(host, 5);
    host_enter(host, EMP_CANCEL_REQUEST | 6);
    run();
    assert_int_equal(host_result(host, 5, &length), EMP_RESULT_PENDING);
    assert_int_equal(host->descriptors[6 * ORACLE_WORDS + EMP_DESCRIPTOR_OWNER_WORD], 0);
}

/* Only 16 bits of the first word count. Frames would go to address 0. */
static void sent__nothing_to_a_peer_without_address(void **state) {
    struct host *host = &pair.hosts[0];
    struct area area;
    uint32_t number = pair.hosts[1].number, high = host->peers[2 * number],
             low = host->peers[2 * number + 1];
    (void)state;
    run(); /* the link is up */
    host->peers[2 * number] = 0xFFFF0000u;
    host->peers[2 * number + 1] = 0;
    area_make(&area, EMP_DIRECTION_SEND, EMP_FORMAT_SHORT, 300, SENDS_AT, 0);
    area.request.peer = number;
    host_fill(host, 0, &area.request);
    host_enter(host, 0);
    while (step(0))
        assert_int_equal(pair.wires[1].count, 0);
    host->peers[2 * number] = high;
    host->peers[2 * number + 1] = low;
    host_restart(host);
}

/* A page of addresses that shrinks while the board owns it, before it is fetched a second time. */
static void stopped__page_changed(void **state) {
    enum { RECEIVES = 20 };
    static struct area areas[RECEIVES], send;
    struct host *host = &pair.hosts[0], *other = &pair.hosts[1];
    (void)state;
    for (unsigned i = 0; i < RECEIVES; i++) {
        area_make(&areas[i], EMP_DIRECTION_RECEIVE, EMP_FORMAT_INDIRECT, 300, RECEIVES_AT,
                  PAGES_AT);
        areas[i].request.peer = 2;
        areas[i].request.tag = i;
        host_fill(host, i, &areas[i].request);
        host_enter(host, i);
        run();
    }
    host_write_word(host, EMP_DESCRIPTOR_LENGTH_WORD, 0);
    area_make(&send, EMP_DIRECTION_SEND, EMP_FORMAT_SHORT, 300, SENDS_AT, 0);
    send.request.peer = 1;
    host_fill(other, 0, &send.request);
    host_enter(other, 0);
    for (unsigned i = 0; i < 2000 && host->node->nic->stopped() == 0; i++)
        (void)anything();
    assert_int_equal(host->node->nic->stopped(), 0x202);
    assert_int_equal(host->node->nic->control()[EMP_CONTROL_FAULT_WORD], 0x202);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(exchanges__every_size_and_format, begin),
        cmocka_unit_test_setup(exchanges__longer_than_receive, begin),
        cmocka_unit_test_setup(exchanges__across_4_gb, begin),
        cmocka_unit_test_setup(exchanges__bad_wire_and_late_devices, begin),
#if EMP_INLINE_LIMIT
        cmocka_unit_test_setup(exchanges__bytes_in_the_descriptor, begin),
        cmocka_unit_test_setup(refused__bytes_that_no_descriptor_holds, begin),
        cmocka_unit_test_setup(changed__bytes_after_the_post, begin),
#endif
#if EMP_TAKES_TAGGED
        cmocka_unit_test_setup(exchanges__frames_with_a_vlan_tag, begin),
        cmocka_unit_test_setup(ignored__frames_with_two_vlan_tags, begin),
#endif
        cmocka_unit_test_setup(exchanges__many_at_once, begin),
        cmocka_unit_test_setup(refused__bad_descriptors, begin),
        cmocka_unit_test_setup(ignored__descriptor_entered_twice, begin),
        cmocka_unit_test_setup(cancelled__only_what_no_message_met, begin),
#if EMP_POSTS_AMONG_FRAMES
        cmocka_unit_test_setup(taken__one_posting_with_each_frame, begin),
#endif
#if EMP_CANCELS_SENDS
        cmocka_unit_test_setup(cancelled__sends_that_have_not_begun, begin),
        cmocka_unit_test_setup(peeked__the_message_without_a_receive, begin),
#endif
        cmocka_unit_test_setup(cancelled__nothing_that_the_host_did_not_name, begin),
        cmocka_unit_test_setup(sent__nothing_to_a_peer_without_address, begin),
        cmocka_unit_test_setup(stopped__page_changed, begin),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
