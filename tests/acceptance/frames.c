/* SPDX-License-Identifier: MIT */
/* tigon2.md 15 items 8 and 9, 6, 7: MAC and link. */
#include "tests/acceptance/acceptance.h"

#include "sim/base/frame.h"

#include <string.h>

#define AREA  65536u
#define STEP  2048u
#define PHASE 0x3F000u

struct mac {
    struct test *test;
    uint8_t *source, *destination;
};

/* The output of board 0; a frame is compared with the host memory it came from. */
static void tap(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    const struct mac *mac = context;
    (void)fate;
    if (frame->from_side != 0)
        return;
    if (frame->bytes[12] == 0x88 && frame->bytes[13] == 0x08) {
        note(mac->test, "wire: PAUSE for %u quanta", frame->bytes[16] << 8 | frame->bytes[17]);
        return;
    }
    const uint8_t *from = mac->source + (frame->index % (AREA / STEP)) * STEP;
    size_t same = 0;
    while (same < frame->length && frame->bytes[same] == from[same])
        same++;
    note(mac->test, "wire: frame %llu, %zu bytes, the first %zu as in host memory",
         (unsigned long long)frame->index, frame->length, same);
}

static void prepare(struct mac *mac, struct tigon_host *host, const char *image) {
    uint64_t source, destination;
    uint8_t address[6];
    load(host, image);
    mac->source = tigon_host_allocate(host, AREA, &source);
    mac->destination = tigon_host_allocate(host, AREA, &destination);
    if (!mac->source || !mac->destination)
        broken("no host memory");
    for (uint32_t i = 0; i < AREA; i++)
        mac->source[i] = (uint8_t)(i * 11u + (i >> 9) + 2u);
    tigon_board_mac_address(tigon_host_board(host), address);
    argument(host, 0, (uint32_t)source);
    argument(host, 1, (uint32_t)destination);
    argument(host, 6, (uint32_t)address[0] << 8 | address[1]);
    argument(host, 7,
             (uint32_t)address[2] << 24 | (uint32_t)address[3] << 16 | (uint32_t)address[4] << 8 |
                 address[5]);
}

/* The other board has a SERDES that sends idle, and a MAC that drops every frame. */
static int host_of_peer(struct tigon_host *host, void *context) {
    (void)context;
    tigon_host_write32(host, 0x040, 0x08000008);
    tigon_host_write32(host, 0x040, 0x22000022);
    tigon_host_write32(host, 0x238, 0x00C801FE);
    tigon_host_write32(host, 0x200, 0xE2); /* idle, not configuration words */
    (void)tigon_host_read32(host, 0x040);  /* the writes have arrived */
    return 0;
}

static int host_of_transmit(struct tigon_host *host, void *context) {
    struct mac *mac = context;
    prepare(mac, host, "transmit");
    tigon_wire_set_tap(mac->test->wire, tap, mac);
    start(host);
    wait_stopped(host, 0x140);
    print_log(mac->test, host);
    return 0;
}

static void transmit_world(struct test *test, const char *knob) {
    struct mac mac = {.test = test};
    note(test, "%s", knob);
    world_make(test, 2, (const char *const[]){knob, NULL});
    (void)tigon_host_start(host_of(test, 0), "host", host_of_transmit, &mac);
    (void)tigon_host_start(host_of(test, 1), "peer", host_of_peer, NULL);
    world_run(test, 200);
    struct tigon_statistics statistics;
    tigon_board_statistics(board_of(test, 0), &statistics);
    note(test, "begun before the last DMA was through: %s",
         statistics.transmit_cut_through ? "some" : "none");
    world_end(test);
}

static void test_transmit(struct test *test) {
    transmit_world(test, "transmit_cut_through=0");
    transmit_world(test, "transmit_cut_through=1");
}

static void make(uint8_t *frame, const uint8_t destination[6], uint32_t length) {
    for (uint32_t i = 0; i < length; i++)
        frame[i] = (uint8_t)(i * 3u + length);
    memcpy(frame, destination, 6);
    frame[12] = 0x88;
    frame[13] = 0xB5;
}

static void put(struct mac *mac, const uint8_t destination[6], uint32_t length, bool bad_crc) {
    uint8_t frame[1600];
    make(frame, destination, length);
    tigon_wire_inject(mac->test->wire, 1, frame, length, bad_crc);
}

/* Frames one after the other, as a sender would space them. */
static void put_many(struct mac *mac, struct tigon_host *host, const uint8_t destination[6],
                     uint32_t first, uint32_t step, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        put(mac, destination, first + step * i, false);
        tigon_host_sleep_ns(host, 20000);
    }
}

static void await_phase(struct tigon_host *host, uint32_t phase) {
    while (sram_read(host, PHASE) < phase)
        tigon_host_sleep_ns(host, 2000);
}

static int host_of_receive(struct tigon_host *host, void *context) {
    static const uint8_t other[6] = {0x02, 0x99, 0, 0, 0, 1},
                         all[6] = {255, 255, 255, 255, 255, 255};
    static const uint8_t group[6] = {0x03, 0x11, 0x22, 0x33, 0x44, 0x55};
    static const uint8_t pause[18] = {0x01, 0x80, 0xC2, 0,    0,    1,    2, 0x99, 0,
                                      0,    0,    1,    0x88, 0x08, 0x00, 1, 0,    195};
    struct mac *mac = context;
    uint8_t own[6], frame[60] = {0};
    prepare(mac, host, "receive");
    tigon_board_mac_address(tigon_host_board(host), own);
    tigon_wire_set_tap(mac->test->wire, tap, mac);
    start(host);
    await_phase(host, 1);
    put_many(mac, host, own, 1000, 33, 10);
    await_phase(host, 2);
    put(mac, own, 200, true);
    put(mac, own, 50, false);
    await_phase(host, 3);
    put_many(mac, host, own, 1000, 0, 12);
    await_phase(host, 4);
    put_many(mac, host, other, 100, 0, 1);
    put_many(mac, host, group, 100, 0, 1);
    put_many(mac, host, own, 101, 0, 1);
    put_many(mac, host, all, 102, 0, 1);
    await_phase(host, 5);
    put_many(mac, host, group, 103, 0, 1);
    await_phase(host, 6);
    put_many(mac, host, other, 104, 0, 1);
    await_phase(host, 7);
    memcpy(frame, pause, sizeof pause);
    tigon_host_sleep_ns(host, 20000);
    tigon_wire_inject(mac->test->wire, 1, frame, sizeof frame, false);
    await_phase(host, 9);
    put_many(mac, host, own, 105, 0, 1);
    wait_stopped(host, 0x140);
    for (uint32_t i = 0; i < 10; i++) { /* the frames of phase 1, as they came over to us */
        uint8_t wanted[1600];
        make(wanted, own, 1000 + 33 * i);
        check(mac->test, "difference of a frame in host memory from what was sent",
              (uint64_t)memcmp(wanted, mac->destination + STEP * i, 1000 + 33 * i), 0);
    }
    print_log(mac->test, host);
    return 0;
}

static void receive_world(struct test *test, const char *const *knobs) {
    struct mac mac = {.test = test};
    world_make(test, 2, knobs);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_receive, &mac);
    (void)tigon_host_start(host_of(test, 1), "peer", host_of_peer, NULL);
    world_run(test, 200);
    struct tigon_statistics statistics;
    tigon_board_statistics(board_of(test, 0), &statistics);
    note(test, "board: %llu frames in the ring, %llu cut, %llu without buffer",
         (unsigned long long)statistics.receive_frames,
         (unsigned long long)statistics.receive_truncated,
         (unsigned long long)statistics.dropped_no_buffer);
    world_end(test);
}

static void test_receive(struct test *test) {
    receive_world(test, NULL);
}

static void test_truncation(struct test *test) {
    receive_world(test, (const char *const[]){"receive_truncates=1", NULL});
}

static int host_of_link(struct tigon_host *host, void *context) {
    (void)context;
    load(host, "link");
    start(host);
    wait_stopped(host, 0x140);
    return 0;
}

static int host_of_print(struct tigon_host *host, void *context) {
    print_log(context, host);
    return 0;
}

static void test_link(struct test *test) {
    world_make(test, 2, NULL);
    for (unsigned i = 0; i < 2; i++)
        (void)tigon_host_start(host_of(test, i), "host", host_of_link, NULL);
    world_run(test, 200);
    for (unsigned i = 0; i < 2; i++) {
        note(test, "board %u", i);
        (void)tigon_host_start(host_of(test, i), "print", host_of_print, test);
        world_run(test, 100);
    }
}

const struct acceptance mac_tests[] = {
    {"15.8", "transmit: posted before its data, leaves after bit 17, wraps at R", "transmit",
     test_transmit},
    {"15.9", "receive: wrap, CRC error, full buffer, release by bit 19, filters, PAUSE", "receive",
     test_receive},
    {"6.2", "receive: a frame that does not fit is cut, with the knob", "truncation",
     test_truncation},
    {"7", "link: loopback echo, negotiation of two boards by configuration words", "link",
     test_link},
    {NULL, NULL, NULL, NULL},
};
