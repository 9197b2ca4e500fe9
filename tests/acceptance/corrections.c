/* SPDX-License-Identifier: MIT */
/*
 * tigon2.md 16, row by row: properties of the chip that other firmware needs, shown by host
 * accesses alone. No firmware runs: both cores stay halted after reset.
 */
#include "tests/acceptance/acceptance.h"

#include <string.h>

#define TRANSMIT_BASE 0x180000u /* as good as any: multiples of 4 kB */
#define RECEIVE_BASE  0x1C0000u
#define RECEIVE_END   0x200000u
#define READ_STATE    0x0B0u
#define WRITE_STATE   0x0A0u

#define SERDES_NORMAL   0x00C801FEu
#define ATTENTIONS      0xF7000000u
#define SYNC            (1u << 18)
#define CONFIGURATION   (1u << 19)
#define LINK_ATTENTIONS 0x03000000u
#define SETTLE_NS       5000u /* signal and words reach the other side */

/* Two connected boards: the program of board 0 is the test, that of board 1 sets up the other end
 * of the wire and returns. */
struct bench {
    struct test *test;
    void (*body)(struct bench *bench, struct tigon_host *host);
    uint32_t peer_transmit; /* HW[200] there; 0xE2: idle, 0xE0: configuration words */
    bool dark;              /* no signal from there */
};

static void put(struct tigon_host *host, uint32_t offset, uint32_t value) {
    tigon_host_write32(host, offset, value);
}

static uint32_t get(struct tigon_host *host, uint32_t offset) {
    return tigon_host_read32(host, offset);
}

static void settle(struct tigon_host *host) {
    tigon_host_sleep_ns(host, SETTLE_NS);
}

/* Reset, buffers, address, SERDES: a board that could carry frames. */
static void set_up(struct tigon_host *host, uint32_t transmit) {
    uint8_t mac[6];
    put(host, 0x040, 0x08000008);
    put(host, 0x040, 0x22000022);
    put(host, 0x140, 1u << 16);
    put(host, 0x240, 1u << 16);
    put(host, 0x0D0, TRANSMIT_BASE);
    put(host, 0x0C0, RECEIVE_BASE);
    put(host, 0x0C4, RECEIVE_BASE);
    put(host, 0x0C8, RECEIVE_BASE);
    tigon_board_mac_address(tigon_host_board(host), mac);
    put(host, 0x208, (uint32_t)mac[0] << 8 | mac[1]);
    put(host, 0x20C,
        (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
    put(host, 0x238, SERDES_NORMAL);
    put(host, 0x200, transmit);
    put(host, 0x220, ATTENTIONS | 0x802);
}

static int peer_program(struct tigon_host *host, void *context) {
    const struct bench *bench = context;
    set_up(host, bench->peer_transmit);
    if (bench->dark)
        put(host, 0x238, 0);
    return 0;
}

static int test_program(struct tigon_host *host, void *context) {
    struct bench *bench = context;
    set_up(host, 0xE2);
    settle(host);
    bench->body(bench, host);
    return 0;
}

static void run(struct bench bench, const char *const *knobs) {
    world_make(bench.test, 2, knobs);
    (void)tigon_host_start(host_of(bench.test, 1), "peer", peer_program, &bench);
    (void)tigon_host_start(host_of(bench.test, 0), "test", test_program, &bench);
    world_run(bench.test, 10000);
}

/* A frame that arrives at this board. */
static void arrive(const struct bench *bench, struct tigon_host *host, const uint8_t *to,
                   uint32_t length) {
    uint8_t frame[2048] = {0};
    memcpy(frame, to, 6);
    frame[6] = 0x02;
    tigon_wire_inject(bench->test->wire, 1, frame, length, false);
    tigon_host_sleep_ns(host, 20000);
}

/* ---------------------------------------------------------------------------------------- 16.1 */

static void ask_for_signal(struct bench *bench, struct tigon_host *host) {
    put(host, 0x220, ATTENTIONS | 0x802);
    check(bench->test, "bits 25:24 once cleared", get(host, 0x220) & LINK_ATTENTIONS, 0);
    put(host, 0x220, 0x800);
    const uint32_t state = get(host, 0x220);
    note(bench->test, "signal %s: sync %s, bits 25:24 %s", bench->dark ? "off" : "on",
         state & SYNC ? "1" : "0", state & LINK_ATTENTIONS ? "not both 0" : "both 0");
    put(host, 0x220, ATTENTIONS | 0x800);
    put(host, 0x220, 0x800);
    check(bench->test, "bits 25:24 when bit 1 was clear before", get(host, 0x220) & LINK_ATTENTIONS,
          0);
}

static void test_signal(struct test *test) {
    run((struct bench){test, ask_for_signal, 0xE2, false}, NULL);
    run((struct bench){test, ask_for_signal, 0xE2, true}, NULL);
}

/* ---------------------------------------------------------------------------------------- 16.2 */

static void look_at_words(struct bench *bench, struct tigon_host *host) {
    struct tigon_board *peer = board_of(bench->test, 1);
    static const uint32_t words[] = {0, 0xA040, 0x2000, 0};
    for (unsigned i = 0; i < 8; i++) {
        const bool idle = i & 1u;
        put(host, 0x204, words[i / 2]);
        put(host, 0x200, idle ? 0xE2 : 0xE0);
        settle(host);
        note(bench->test, "HW[204] 0x%04X, HW[200] bit 1 %u: at the peer bit 19 %u, HW[224] 0x%04X",
             (unsigned)words[i / 2], idle,
             (tigon_board_peek_register(peer, 0x220) & CONFIGURATION) != 0,
             (unsigned)tigon_board_peek_register(peer, 0x224));
    }
    /* A word changes while idle is sent: the signal on the wire does not. */
    put(host, 0x204, 0x1234);
    tigon_host_sleep_ns(host, 100000000);
    check(bench->test, "bit 19 at the peer 100 ms later",
          tigon_board_peek_register(peer, 0x220) & CONFIGURATION, 0);
    /* Acknowledged words continue until firmware ends them. */
    put(host, 0x204, 0x2040);
    put(host, 0x200, 0xE0);
    tigon_host_sleep_ns(host, 100000000);
    check(bench->test, "bit 19 of acknowledged words 100 ms later",
          tigon_board_peek_register(peer, 0x220) & CONFIGURATION, CONFIGURATION);
}

static void test_words(struct test *test) {
    run((struct bench){test, look_at_words, 0xE2, false}, NULL);
}

/* ---------------------------------------------------------------------------------------- 16.3 */

/* Registers, event bit and slots of the four rings. */
static const struct {
    const char *name;
    uint32_t producer, bit, slots;
} rings[] = {
    {"read, high", 0x100, 15, 64},
    {"write, high", 0x120, 14, 64},
    {"read, low", 0x110, 13, 32},
    {"write, low", 0x130, 12, 32},
};

static void point(struct tigon_host *host, unsigned ring, uint32_t producer, uint32_t consumer,
                  uint32_t reference) {
    put(host, rings[ring].producer, producer * 32u);
    put(host, rings[ring].producer + 4u, consumer * 32u);
    put(host, rings[ring].producer + 8u, reference * 32u);
}

static void compare_events(struct bench *bench, struct tigon_host *host) {
    put(host, 0x11C, 0); /* nothing is fetched */
    for (unsigned ring = 0; ring < 4; ring++) {
        const uint32_t slots = rings[ring].slots;
        const uint32_t places[] = {0, 1, 2, 3, slots / 2, slots - 2, slots - 1};
        const unsigned count = sizeof places / sizeof *places;
        unsigned shown = 0;
        point(host, ring, 2, 0, 1);
        note(bench->test, "%s: producer 2, consumer 0, reference 1: bit %u is %u", rings[ring].name,
             (unsigned)rings[ring].bit, get(host, 0x060) >> rings[ring].bit & 1u);
        for (unsigned i = 0; i < count * count * count; i++) {
            const uint32_t producer = places[i % count], consumer = places[i / count % count],
                           reference = places[i / count / count];
            const uint32_t done = (consumer - reference) % slots;
            const uint32_t wanted = done >= 1 && done <= (producer - reference) % slots;
            point(host, ring, producer, consumer, reference);
            shown += wanted;
            if ((get(host, 0x060) >> rings[ring].bit & 1u) != wanted)
                note(bench->test, "WRONG %s: producer %u, consumer %u, reference %u: bit is %u",
                     rings[ring].name, (unsigned)producer, (unsigned)consumer, (unsigned)reference,
                     (unsigned)!wanted);
        }
        note(bench->test, "%s: bit shown by %u of %u positions", rings[ring].name, shown,
             count * count * count);
        point(host, ring, 0, 0, 0);
    }
}

static void test_events(struct test *test) {
    run((struct bench){test, compare_events, 0xE2, false},
        (const char *const[]){"host_read_ns=0", "host_write_ns=0", "host_write_arrival_ns=0",
                              NULL});
}

/* ---------------------------------------------------------------------------------------- 16.4 */

static uint32_t place_of_frame(struct tigon_host *host, unsigned slot) {
    return sram_read(host, TRANSMIT_BASE - 0x2000u + 8u * slot);
}

static void fill_buffer(struct bench *bench, struct tigon_host *host) {
    uint8_t mac[6];
    tigon_board_mac_address(tigon_host_board(host), mac);
    /* Where starts were multiples of 8, the second frame would begin 16 bytes before the end. */
    put(host, 0x0C4, RECEIVE_END - 96);
    put(host, 0x0C8, RECEIVE_END - 96);
    arrive(bench, host, mac, 76);
    arrive(bench, host, mac, 76);
    note(bench->test, "frames of 80 bytes with CRC begin at 0x%06X and 0x%06X",
         (unsigned)place_of_frame(host, 0), (unsigned)place_of_frame(host, 1));
    unsigned slot = 2;
    for (uint32_t length = 60; length < 200; length++, slot++) {
        put(host, 0x0C8, get(host, 0x0C4));
        arrive(bench, host, mac, length);
        check(bench->test, "start of a frame, modulo 32", place_of_frame(host, slot) % 32, 0);
    }
    check(bench->test, "frames in the ring", (get(host, 0x0E0) & ~7u) - (TRANSMIT_BASE - 0x2000u),
          8u * slot);
}

static void test_starts(struct test *test) {
    run((struct bench){test, fill_buffer, 0xE2, false}, NULL);
}

/* ---------------------------------------------------------------------------------------- 16.5 */

static void join(struct bench *bench, struct tigon_host *host) {
    static const uint8_t group[6] = {0x01, 0x00, 0x5E, 0x01, 0x02, 0x03};
    for (unsigned word = 0; word < 4; word++) {
        for (unsigned i = 0; i < 4; i++)
            put(host, 0x228u + 4u * i, i == word ? 0x80u : 0);
        const uint32_t before = get(host, 0x0E0);
        arrive(bench, host, group, 60);
        note(bench->test, "bit 7 of HW[%03X]: a frame to 01:00:5e:01:02:03 is %s",
             0x228u + 4u * word, get(host, 0x0E0) != before ? "kept" : "not kept");
    }
}

static void test_hash(struct test *test) {
    run((struct bench){test, join, 0xE2, false}, NULL);
}

/* ---------------------------------------------------------------------------------------- 16.6 */

/* One transfer by hand. Its sum continues that of the one before, unless it starts from zero. */
static void transfer(struct tigon_host *host, bool write, uint64_t bus, uint32_t local,
                     uint32_t length, bool anew) {
    const uint32_t state = write ? WRITE_STATE : READ_STATE;
    put(host, write ? 0x080 : 0x090, (uint32_t)(bus >> 32));
    put(host, write ? 0x084 : 0x094, (uint32_t)bus);
    put(host, state + 4u, local);
    put(host, write ? 0x0AC : 0x09C, length);
    put(host, state, 1u << 2 | 1u << 9 | (anew ? 1u << 10 : 0));
    while (get(host, state) & 1u << 2)
        tigon_host_sleep_ns(host, 1000);
}

static uint32_t sum_of(struct tigon_host *host, bool write, uint64_t bus, uint32_t local,
                       const uint32_t *pieces, unsigned count) {
    uint32_t at = 0;
    for (unsigned i = 0; i < count; at += pieces[i++])
        transfer(host, write, bus + at, local + at, pieces[i], i == 0);
    return get(host, (write ? WRITE_STATE : READ_STATE) + 8u) & 0xFFFFu;
}

static void sum_pieces(struct bench *bench, struct tigon_host *host) {
    enum { BYTES = 24 };
    uint64_t bus;
    uint8_t *memory = tigon_host_allocate(host, BYTES, &bus);
    uint32_t wanted = 0;
    for (unsigned i = 0; i < BYTES; i++)
        memory[i] = (uint8_t)(0xF1u + 37u * i);
    for (unsigned i = 0; i < BYTES; i += 2)
        wanted += (uint32_t)memory[i] << 8 | memory[i + 1];
    wanted = (wanted & 0xFFFFu) + (wanted >> 16);
    put(host, 0x11C, 0);
    for (unsigned write = 0; write < 2; write++) {
        note(bench->test, "%s: the same 8 bytes as 8, 4 + 4 and 3 + 5: 0x%04X, 0x%04X, 0x%04X",
             write ? "write" : "read",
             (unsigned)sum_of(host, write, bus, 0x10000, (const uint32_t[]){8}, 1),
             (unsigned)sum_of(host, write, bus, 0x10000, (const uint32_t[]){4, 4}, 2),
             (unsigned)sum_of(host, write, bus, 0x10000, (const uint32_t[]){3, 5}, 2));
        for (uint32_t first = 1; first < BYTES - 1; first++)
            for (uint32_t second = 1; second < BYTES - first; second++)
                check(bench->test, "sum of three pieces",
                      sum_of(host, write, bus, 0x10000,
                             (const uint32_t[]){first, second, BYTES - first - second}, 3),
                      wanted);
    }
}

static void test_sums(struct test *test) {
    run((struct bench){test, sum_pieces, 0xE2, false}, NULL);
}

/* ---------------------------------------------------------------------------------------- 16.7 */

static void try_pins(struct bench *bench, struct tigon_host *host) {
    for (uint32_t pins = 0; pins < 16; pins++) {
        put(host, 0x204, 0x0040);
        put(host, 0x200, 0xE0);
        put(host, 0x044, 0x280u | pins << 12);
        settle(host);
        const uint32_t word = get(host, 0x224);
        note(bench->test, "pins 0x%X: %s", (unsigned)pins,
             word == 0x0040            ? "loopback"
             : get(host, 0x220) & SYNC ? "link"
                                       : "no signal");
    }
}

static int external_peer(struct tigon_host *host, void *context) {
    (void)context;
    set_up(host, 0xE2);
    put(host, 0x044, 0xB280);
    return 0;
}

static void test_pins(struct test *test) {
    struct bench bench = {.test = test, .body = try_pins};
    world_make(test, 2, (const char *const[]){"transceiver=external", NULL});
    (void)tigon_host_start(host_of(test, 1), "peer", external_peer, NULL);
    (void)tigon_host_start(host_of(test, 0), "test", test_program, &bench);
    world_run(test, 1000);
}

/* ---------------------------------------------------------------------------------------- 16.8 */

static void mii_bit(struct tigon_host *host, bool enable, bool data) {
    const uint32_t lines = 0x280u | (enable ? 1u << 17 : 0) | (data ? 1u << 18 : 0);
    put(host, 0x044, lines);
    put(host, 0x044, lines | 1u << 16);
}

/* A register of the PHY at address 1, by IEEE 802.3 clause 22. */
static uint32_t mii_read(struct tigon_host *host, uint32_t index) {
    const uint32_t header = 6u << 10 | 1u << 5 | index; /* start, read */
    uint32_t value = 0;
    for (unsigned i = 0; i < 32; i++)
        mii_bit(host, true, true);
    for (int bit = 13; bit >= 0; bit--)
        mii_bit(host, true, header >> bit & 1u);
    for (unsigned i = 0; i < 18; i++) {
        mii_bit(host, false, false);
        value = value << 1 | (get(host, 0x044) >> 19 & 1u);
    }
    return value >> 1 & 0xFFFFu;
}

static void try_copper(struct bench *bench, struct tigon_host *host) {
    static const uint32_t steps[] = {0xE00, 0xE01, 1, 0xE00, 1};
    uint8_t mac[6];
    tigon_board_mac_address(tigon_host_board(host), mac);
    put(host, 0x044, 0x280);
    const uint32_t identifier = mii_read(host, 2) << 16 | mii_read(host, 3);
    note(bench->test, "PHY 0x%07Xx, link %u, register 25 says %s", (unsigned)(identifier >> 4),
         (mii_read(host, 1), mii_read(host, 1)) >> 2 & 1u,
         (mii_read(host, 25) >> 8 & 7u) == 7u ? "1000 Mb/s, full duplex" : "something else");
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        put(host, 0x238, steps[i]);
        settle(host);
        const uint32_t before = get(host, 0x0E0);
        arrive(bench, host, mac, 60);
        note(bench->test, "HW[238] 0x%03X: sync %u, a frame is %s", (unsigned)steps[i],
             (get(host, 0x220) & SYNC) != 0, get(host, 0x0E0) != before ? "kept" : "not kept");
    }
}

static void test_copper(struct test *test) {
    run((struct bench){test, try_copper, 0xE2, false},
        (const char *const[]){"transceiver=copper", NULL});
}

/* ---------------------------------------------------------------------------------------- 16.9 */

/* The ring of 512 is never emptied. */
static void fill_ring(struct bench *bench, struct tigon_host *host) {
    uint8_t mac[6];
    uint8_t frame[60] = {0};
    struct tigon_wire_statistics before, after;
    tigon_board_mac_address(tigon_host_board(host), mac);
    memcpy(frame, mac, 6);
    put(host, 0x200, 0x1E2); /* sends PAUSE */
    for (unsigned i = 0; i < 600; i++) {
        tigon_wire_statistics(bench->test->wire, 0, &before);
        tigon_wire_inject(bench->test->wire, 1, frame, sizeof frame, false);
        tigon_host_sleep_ns(host, 5000);
        tigon_wire_statistics(bench->test->wire, 0, &after);
        if (after.frames != before.frames) {
            note(bench->test, "PAUSE after %u frames", i + 1);
            put(host, 0x0E8, get(host, 0x0E0)); /* all taken at once */
            put(host, 0x0C8, get(host, 0x0C4));
            tigon_host_sleep_ns(host, 5000);
            tigon_wire_statistics(bench->test->wire, 0, &after);
            note(bench->test, "frames sent since: %u",
                 (unsigned)(after.frames - before.frames - 1));
            return;
        }
    }
    note(bench->test, "no PAUSE after 600 frames, %u dropped",
         (unsigned)tigon_board_peek32(tigon_host_board(host), 0x80u + 4u * 27u));
}

static void test_pause(struct test *test) {
    run((struct bench){test, fill_ring, 0xE2, false}, NULL);
    run((struct bench){test, fill_ring, 0xE2, false},
        (const char *const[]){"pause_by_descriptors=1", NULL});
}

const struct acceptance correction_tests[] = {
    {"16.1", "bit 1 of HW[220] asks for a signal", "signal", test_signal},
    {"16.2", "configuration words while bit 1 of HW[200] is clear", "words", test_words},
    {"16.3", "DMA ring events with the reference ahead of the consumer", "reference", test_events},
    {"16.4", "frames in the receive buffer begin at multiples of 32", "starts", test_starts},
    {"16.5", "the bit of a group in the multicast hash", "hash", test_hash},
    {"16.6", "the sum of pieces of any length", "sums", test_sums},
    {"16.7", "pins of an external SERDES", "pins", test_pins},
    {"16.8", "copper: steps of HW[238], the PHY's names", "copper", test_copper},
    {"16.9", "PAUSE when receive descriptors run out, by a knob", "pause_ring", test_pause},
    {NULL, NULL, NULL, NULL},
};
