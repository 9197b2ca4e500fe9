/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes EMP's glue on the native port. The input is a program: it writes descriptors, the posting
 * ring, peers, parameters, pages and other host memory, also while the board owns them; lets frames
 * arrive, good ones, forged ones and those the node itself sent; and delivers events in any order.
 * Sanitizers, run-time checks of generated code, the port and the oracle judge what the board does.
 *
 * One node is enough: frames that it sent to a peer come back as that peer's, so that it talks to
 * mirror images of itself, as far into the protocol as it gets.
 *
 * libFuzzer calls this, or replay.c with the inputs of files.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/native_port/host.h"

#define OWN_NUMBER  1u
#define FRAMES_KEPT 16u
#define STEPS       200u  /* of a program */
#define EVENTS      1000u /* delivered to the board */

/* Bytes of a frame. */
#define AT_KIND    14
#define AT_SENDER  15
#define AT_CONTACT 16
#define AT_LENGTH  18
#define AT_MESSAGE 20
#define AT_FRAME   24
#define AT_SIZE    27
#define AT_TOTAL   28
#define AT_FRAMES  32
#if EMP_TAG_BITS == 64
#define AT_TAG 42 /* its lowest half word */
#else
#define AT_TAG 34
#endif

struct program {
    const uint8_t *bytes;
    size_t left;
};

static struct host host;
static struct {
    uint8_t bytes[FRAMES_KEPT][NATIVE_FRAME_BYTES];
    uint32_t length[FRAMES_KEPT];
    uint32_t sent, mirrored;
    uint16_t contact[EMP_NODE_LIMIT]; /* offered to each peer */
} wire;
static uint32_t events; /* that may still be delivered */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static uint32_t byte(struct program *program) {
    if (program->left == 0)
        return 0;
    program->left--;
    return *program->bytes++;
}

static uint32_t half(struct program *program) {
    uint32_t high = byte(program);
    return high << 8 | byte(program);
}

static uint32_t word(struct program *program) {
    uint32_t high = half(program);
    return high << 16 | half(program);
}

/* -------------------------------------------------------------------------------------- Events */

static void run(uint32_t late, uint32_t limit) {
    if (limit > events)
        limit = events;
    events -= host_run(&host, late, limit);
}

static void deliver(uint32_t event) {
    if (events == 0)
        return;
    events--;
    (void)host_deliver(&host, (enum native_event)(event % NATIVE_EVENTS));
}

static void pass(uint32_t microseconds) {
    host.node->nic->set_clock(host.node->nic->clock() + microseconds);
}

/* -------------------------------------------------------------------------------------- Frames */

static uint32_t get_half(const uint8_t *frame, unsigned at) {
    return (uint32_t)frame[at] << 8 | frame[at + 1];
}

static void put_half(uint8_t *frame, unsigned at, uint32_t value) {
    frame[at] = (uint8_t)(value >> 8);
    frame[at + 1] = (uint8_t)value;
}

static void put_word(uint8_t *frame, unsigned at, uint32_t value) {
    put_half(frame, at, value >> 16);
    put_half(frame, at + 2, value);
}

static void sent(void *owner, const uint8_t *frame, uint32_t bytes) {
    uint32_t place = wire.sent++ % FRAMES_KEPT;
    (void)owner;
    memcpy(wire.bytes[place], frame, bytes);
    wire.length[place] = bytes;
    if (frame[AT_KIND] >> 4 == EMP_FRAME_KIND_NACK &&
        get_half(frame, AT_LENGTH) == EMP_REFUSAL_OTHER_CONTACT) {
        uint8_t base[6];
        node_address(base, 0);
        wire.contact[(frame[5] - base[5]) % EMP_NODE_LIMIT] = (uint16_t)get_half(frame, AT_FRAME);
    }
}

/* By this program. A place that it has not filled still holds a frame of an earlier one: an
 * acknowledgement there would be a forged one that the oracle does not know of. */
static bool was_sent(uint32_t number) {
    return number < wire.sent;
}

/* As the peer to which this frame went would send it. */
static uint32_t mirror(uint8_t *to, uint32_t number) {
    uint32_t place = number % FRAMES_KEPT;
    uint8_t base[6];
    node_address(base, 0);
    memcpy(to, wire.bytes[place], wire.length[place]);
    memcpy(to + 6, wire.bytes[place], 6);
    node_address(to, OWN_NUMBER);
    to[AT_SENDER] = (uint8_t)(to[11] - base[5]);
    return wire.length[place];
}

static void arrive(const uint8_t *frame, uint32_t bytes) {
    (void)host.node->nic->arrive(frame, bytes);
}

static void mirror_one(uint32_t number) {
    uint8_t frame[NATIVE_FRAME_BYTES];
    if (was_sent(number))
        arrive(frame, mirror(frame, number));
}

/* A whole conversation with itself, as far as the events last. */
static void converse(uint32_t turns) {
    for (uint32_t turn = 0; turn < turns && events != 0; turn++) {
        uint32_t deadline;
        run(0, 40);
        if (wire.sent - wire.mirrored > FRAMES_KEPT)
            wire.mirrored = wire.sent - FRAMES_KEPT;
        if (wire.mirrored != wire.sent)
            mirror_one(wire.mirrored++);
        else if (host.node->nic->alarm(&deadline))
            host.node->nic->set_clock(deadline);
        else
            return;
    }
}

/* One the node sent, with changes; often an answer to it. */
static void mirror_changed(struct program *program) {
    uint8_t frame[NATIVE_FRAME_BYTES];
    uint32_t how = byte(program), number = wire.sent - 1 - how % 8, bytes;
    if (!was_sent(number))
        return;
    bytes = mirror(frame, number);
    if (how & 0x10) {
        frame[AT_KIND] = (uint8_t)((EMP_FRAME_KIND_ACK << 4) | (frame[AT_KIND] & 0xF));
        put_half(frame, AT_LENGTH, 0);
    } else if (how & 0x20) {
        frame[AT_KIND] = (uint8_t)((EMP_FRAME_KIND_NACK << 4) | (frame[AT_KIND] & 0xF));
        put_half(frame, AT_LENGTH, 1 + byte(program) % 4);
    }
    for (uint32_t change = how >> 6; change != 0; change--) {
        uint32_t at = AT_KIND + byte(program) % 22;
        frame[at] = (uint8_t)byte(program);
    }
    host.oracle.forged = true;
    arrive(frame, bytes);
}

/* A header that makes sense, and what is changed of it. */
static void forge(struct program *program) {
    uint8_t frame[NATIVE_FRAME_BYTES] = {0};
    uint32_t how = byte(program), sender = byte(program), kind = 1 + how % 4;
    uint32_t number = byte(program), total = half(program) % 6000, length, count = 1;
    uint32_t header = kind == EMP_FRAME_KIND_HEADER ? 28 + EMP_MESSAGE_HEADER_BYTES : 28, bytes;
    sender = sender < 0xF0 ? sender % 4 : sender;
    if (total > EMP_FIRST_FRAME_PAYLOAD)
        count += (total - EMP_FIRST_FRAME_PAYLOAD + 1485) / 1486;
    if (kind == EMP_FRAME_KIND_HEADER)
        length = total < EMP_FIRST_FRAME_PAYLOAD ? total : EMP_FIRST_FRAME_PAYLOAD;
    else if (kind == EMP_FRAME_KIND_DATA)
        length = total % 1487;
    else
        length = kind == EMP_FRAME_KIND_NACK ? 1 + total % 3 : 0;
    node_address(frame, OWN_NUMBER);
    node_address(frame + 6, sender);
    put_half(frame, 12, EMP_ETHERTYPE);
    frame[AT_SENDER] = (uint8_t)sender;
    put_half(frame, AT_CONTACT, how & 0x40 ? number : wire.contact[sender % EMP_NODE_LIMIT]);
    put_half(frame, AT_LENGTH, length);
    put_word(frame, AT_MESSAGE, 0x00A00000u + (number & 3));
    if (kind == EMP_FRAME_KIND_HEADER) {
        put_word(frame, AT_TOTAL, total);
        put_half(frame, AT_FRAMES, count);
        put_half(frame, AT_TAG, number >> 2 & 3);
        frame[AT_SIZE] = (uint8_t)(count < 3 ? count : 3);
    } else {
        uint32_t place = number >> 2;
        put_half(frame, AT_FRAME, place);
        put_half(frame, AT_SIZE - 1, place / 3 << 4 | 3);
        frame[AT_KIND] = (uint8_t)(place % 3);
    }
    frame[AT_KIND] = (uint8_t)(frame[AT_KIND] | kind << 4);
    for (uint32_t change = how >> 4 & 3; change != 0; change--) {
        uint32_t at = AT_KIND + byte(program) % 22;
        frame[at] = (uint8_t)byte(program);
    }
    bytes = header + (kind <= EMP_FRAME_KIND_DATA ? length : 0);
    if (how & 0x80)
        bytes -= byte(program) % (bytes - 27);
    host.oracle.forged = true;
    arrive(frame, bytes < NATIVE_FRAME_MINIMUM ? NATIVE_FRAME_MINIMUM : bytes);
}

static void noise(struct program *program) {
    uint8_t frame[NATIVE_FRAME_BYTES] = {0};
    uint32_t how = byte(program), count = byte(program) % 64;
    for (uint32_t i = 0; i < count; i++)
        frame[i] = (uint8_t)byte(program);
    if (how & 1)
        memset(frame, 0xFF, 6);
    else if (how & 2)
        node_address(frame, OWN_NUMBER);
    if (how & 4)
        put_half(frame, 12, EMP_ETHERTYPE);
    host.oracle.forged = true;
    arrive(frame, NATIVE_FRAME_MINIMUM + (how >> 3) * 40);
}

/* --------------------------------------------------------------------------------- The host */

static uint32_t descriptor(struct program *program) {
    uint32_t value = byte(program);
    return value < 0xE0 ? value % 24 : EMP_DESCRIPTOR_LIMIT - 32 + value % 32;
}

static uint64_t address(struct program *program) {
    uint32_t value = half(program);
    return value & 1 ? HOST_ACROSS + (value & 0xFFFE) : HOST_LOW + value;
}

static uint32_t length(struct program *program) {
    uint32_t value = byte(program);
    if (value < 0x60)
        return value;
    if (value < 0xC0)
        return EMP_FIRST_FRAME_PAYLOAD + 743 * (value & 7) + (value >> 3 & 3) - 1;
    return half(program);
}

static void post(struct program *program) {
    struct host_piece pieces[EMP_INDIRECT_ENTRIES];
    uint32_t how = byte(program), number = descriptor(program), who = byte(program);
    uint32_t total = length(program), left = total, value = byte(program);
    struct host_request request = {.direction = how & 1,
                                   .format = how >> 1 & 3,
                                   .peer = who < 0xF8 ? who % 4 : who,
                                   .tag = who >> 2 & 3,
                                   .length = total,
                                   .pieces = pieces,
                                   .count = 1};
#if EMP_TAG_BITS == 64
    if ((who & 0x30) == 0x30) {
        request.wildcards = 1 + value % 7;
        request.ignored = value >> 2 & 3;
    }
#endif
    if (request.format == EMP_FORMAT_CHAIN)
        request.count = 3 + 2 * (value % 3);
    else if (request.format == EMP_FORMAT_INDIRECT)
        request.count = value < 0xF8 ? 1 + value % 24 : EMP_INDIRECT_ENTRIES - value % 8;
    for (uint32_t i = 0; i < request.count; i++) {
        uint32_t part = total / request.count + value % 7;
        if (i + 1 == request.count || part > left)
            part = left;
        if (i < 8)
            pieces[i].address = address(program);
        else
            pieces[i].address = pieces[i % 8].address + i;
        pieces[i].bytes = part & 0xFFFF;
        left -= part;
    }
    if (request.format == EMP_FORMAT_INDIRECT)
        request.page = how & 8 ? address(program) : HOST_LOW + 0x1000u * (number % 16);
    if (how & 0x10 && request.count != 0)
        pieces[value % request.count].bytes = half(program);
    host_fill(&host, number, &request);
    if ((how & 0xE0) != 0xE0)
        host_enter(&host, number);
}

/* More receives with pages of addresses than the board has buffers for. */
static void post_many(struct program *program) {
    uint32_t how = byte(program), count = byte(program) % 24, value = byte(program);
    for (uint32_t number = 0; number < count; number++) {
        uint32_t total = value % 64 + 40 * (number % 3);
        const struct host_piece pieces[2] = {{HOST_LOW + 0x40u * number, total - total / 2},
                                             {HOST_ACROSS + 0x40u * number, total / 2}};
        const struct host_request request = {.direction = EMP_DIRECTION_RECEIVE,
                                             .format = EMP_FORMAT_INDIRECT,
                                             .peer = how & 3,
                                             .tag = how >> 2 & 3,
                                             .length = total,
                                             .pieces = pieces,
                                             .count = 2,
                                             .page = HOST_ACROSS + 0x1000u * (number % 15)};
        host_fill(&host, number, &request);
        host_enter(&host, number);
        run(0, how >> 4);
    }
}

/* The same frame again and again, while none leaves: answers find no room. */
static void flood(struct program *program) {
    uint32_t number = byte(program), count = byte(program) % 32;
    for (; count != 0; count--) {
        mirror_one(wire.sent - 1 - number % 8);
        run(1u << NATIVE_SEND, 4);
    }
}

static void write_memory(struct program *program) {
    uint64_t place = address(program);
    uint32_t words[4], count = 1 + byte(program) % 4;
    for (uint32_t i = 0; i < count; i++)
        words[i] = byte(program) & 1 ? word(program) : (uint32_t)address(program);
    host_write_memory(&host, place, words, 4 * count);
}

static void write_peer(struct program *program) {
    uint32_t place = byte(program);
    host.peers[place % (2 * EMP_NODE_LIMIT)] =
        place & 0x80 ? word(program) & (place & 1 ? 0xFFFFFFFF : 0xFFFF) : 0;
    if (place & 0x40)
        host.peers[(place ^ 1) % (2 * EMP_NODE_LIMIT)] = 0;
}

static void write_parameter(struct program *program) {
    uint32_t place = byte(program) % EMP_PARAMETER_COUNT;
    host.parameters[place] = byte(program) & 1 ? word(program) : byte(program);
}

static void write_ring(struct program *program) {
    uint32_t place = host.posted + byte(program) - 0x80u;
    host.ring[place % EMP_POSTING_RING_ENTRIES] =
        byte(program) & 1 ? word(program) : descriptor(program);
}

static void ring_doorbell(struct program *program) {
    uint32_t value = byte(program);
    uint32_t box = value < 0xF0 ? EMP_POSTING_MAILBOX : value % 32;
    host.node->nic->ring(box, value & 1 ? half(program) : host.posted + value / 2 % 8);
}

static void write_descriptor(struct program *program) {
    uint32_t place = descriptor(program) * ORACLE_WORDS + byte(program) % ORACLE_WORDS;
    uint32_t how = byte(program), old = host.descriptors[place];
    host_write_word(&host, place, how & 1 ? word(program) : old ^ 1u << (how >> 1 & 31));
}

static void step(struct program *program) {
    static const uint32_t moments[] = {1, 50, 1000, 1001, 4000, 11000};
    uint32_t operation = byte(program), value;
    switch (operation % 22) {
    case 0:
    case 1:
        post(program);
        break;
    case 2:
        write_descriptor(program);
        break;
    case 3:
        write_ring(program);
        break;
    case 4:
        ring_doorbell(program);
        break;
    case 5:
        host_enter(&host, (operation & 0x40 ? 0 : EMP_CANCEL_REQUEST) | descriptor(program));
        break;
    case 6:
        deliver(byte(program));
        break;
    case 7:
        value = byte(program);
        run(half(program), value % 64);
        break;
    case 8:
        run(0, 200);
        break;
    case 9:
        value = byte(program);
        pass(value < 0xF0 ? moments[value % (sizeof moments / sizeof moments[0])] : word(program));
        break;
    case 10:
        noise(program);
        break;
    case 11:
    case 12:
        forge(program);
        break;
    case 13:
        mirror_one(wire.sent - 1 - byte(program) % 8);
        break;
    case 14:
        mirror_changed(program);
        break;
    case 15:
        write_memory(program);
        break;
    case 16:
        write_parameter(program);
        break;
    case 17:
        value = byte(program);
        if (value < 8)
            (void)host_link(&host, value & 3, half(program));
        else if (value < 32)
            write_peer(program);
        else
            (void)host_deliver(&host, NATIVE_ALARM);
        break;
    case 18:
        post_many(program);
        break;
    case 19:
        flood(program);
        break;
    default:
        converse(byte(program) % 40);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct program program = {bytes, count};
    if (host.node == NULL) {
        host.node = &node_left;
        host.number = OWN_NUMBER;
        host.frame = sent;
        host_start(&host, 0x00A0u, malloc(node_bytes(&node_left)));
    } else {
        host_restart(&host);
    }
    memset(wire.contact, 0, sizeof wire.contact);
    wire.sent = wire.mirrored = 0;
    events = EVENTS;
    for (uint32_t i = 0; i < STEPS && program.left != 0 && host.node->nic->stopped() == 0; i++)
        step(&program);
    run(0, EVENTS);
    oracle_table(&host.oracle);
    return 0;
}
