/* SPDX-License-Identifier: MIT */
/* MAC, both halves (tigon2.md 6), on two connected boards. */
#include "tests/sim_devices/bench.h"

#include "sim/chip/mac_buffer.h"

struct seen {
    unsigned count;
    uint64_t ticks[600];
    uint8_t first[600]; /* byte 14 of each frame */
    size_t length[600];
};

static void watch(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct seen *seen = context;
    (void)fate;
    if (seen->count < 600) {
        seen->ticks[seen->count] = frame->time_ticks;
        seen->first[seen->count] = frame->bytes[14];
        seen->length[seen->count] = frame->length;
    }
    seen->count++;
}

static struct bench *two_boards(struct seen *seen, const char *knob) {
    struct bench *bench = bench_make(2, (const char *const[]){knob, NULL});
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    memset(seen, 0, sizeof *seen);
    tigon_wire_set_tap(bench->wire, watch, seen);
    return bench;
}

static uint8_t *host_bytes(struct bench *bench, uint64_t address) {
    return tigon_host_pointer(tigon_board_host(bench->board), address);
}

/* The CRC of every length up to a frame and at every alignment, bit by bit */
static void test_crc(void **state) {
    (void)state;
    uint8_t bytes[1600];
    uint32_t random = 1, value = 0xFFFFFFFFu;
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(random >> 24);
    }
    for (size_t length = 0; length < 1550; length++) {
        uint8_t moved[1600];
        const size_t start = length % 17;
        memcpy(moved + start, bytes, length);
        assert_int_equal(tigon_frame_crc(moved + start, length), ~value);
        value ^= bytes[length];
        for (unsigned bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
    }
    assert_int_equal(tigon_frame_crc((const uint8_t *)"123456789", 9), 0xCBF43926u);
}

/* The fast path for addresses in buffers gives the same result as the general rule, for any
 * contents of the registers */
static void test_buffer_addresses(void **state) {
    (void)state;
    static const uint32_t near[] = {0,           8,           T_BASE,     R_BASE,
                                    R_BASE - 8u, R_END,       R_END - 8u, R_END + 8u,
                                    0x7FFFF8u,   0xFFFFFFF8u, R_BASE + 8u};
    const size_t count = sizeof near / sizeof near[0];
    struct bench *bench = bench_make(1, NULL);
    uint32_t random = 1;
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t values[5];
        for (unsigned k = 0; k < 5; k++) {
            random = random * 1664525u + 1013904223u;
            values[k] = near[(random >> 8) % count] + (random >> 30) * (random >> 12 & 0x3FFu);
        }
        TIGON_WORD(bench->board, TIGON_TRANSMIT_BUFFER_BASE) = values[0];
        TIGON_WORD(bench->board, TIGON_RECEIVE_BUFFER_BASE) = values[1];
        assert_int_equal(tigon_local_end(bench->board, values[2], values[3] & 0xFFFFu),
                         tigon_local_end_of_any(bench->board, values[2], values[3] & 0xFFFFu));
        const uint32_t size = tigon_transmit_buffer_size(bench->board);
        if (tigon_in_ring(values[0], size, values[2]) && tigon_in_ring(values[0], size, values[3]))
            assert_int_equal(tigon_ring_distance(size, values[2], values[3]),
                             tigon_ring_distance_of_any(size, values[2], values[3]));
    }
    bench_destroy(bench);
}

/* tigon2.md 15 item 8: posted before its data; leaves only when the bit-17 read is done; received
 * intact */
static void test_one_frame(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=0");
    struct tigon_board *board = bench->board, *peer = bench->peer;
    uint32_t address, status;
    make_frame(peer, host_bytes(bench, 4097), 1001, 1);

    tigon_board_poke32(board, T_BASE - 0x2800, T_BASE);
    tigon_board_poke32(board, T_BASE - 0x2800 + 4, 1001);
    set_reg(board, 0x0F0, T_BASE - 0x2800 + 8);
    pass_ns(bench, 50000);
    assert_int_equal(seen.count, 0);
    queue_dma(board, TIGON_DMA_READ, 4097, T_BASE, 601, READ_BYTES);
    queue_dma(board, TIGON_DMA_READ, 4097 + 601, T_BASE + 601, 400, READ_LAST);
    const uint64_t start = tigon_world_now_ns(bench->world);
    while (reg(board, 0x0D4) == T_BASE)
        pass_ns(bench, 1);
    const uint64_t data = tigon_world_now_ns(bench->world) - start;
    assert_int_equal(seen.count, 0);
    pass_ns(bench, 20000);
    assert_int_equal(seen.count, 1);
    assert_in_range(seen.ticks[0] / 11 - start, data + 95, data + 97); /* knob transmit_start_ns */
    assert_int_equal(reg(board, 0x0F4), T_BASE - 0x2800 + 8);
    assert_int_equal(reg(board, 0x0D4), T_BASE + 1001);
    assert_int_equal(reg(board, 0x0D8), T_BASE + 1008);

    assert_int_equal(reg(peer, 0x060), 1u << 6);
    received(peer, 0, &address, &status);
    assert_int_equal(address, R_BASE);
    assert_int_equal(status, 1005);
    uint8_t bytes[1005];
    tigon_board_peek(peer, address, bytes, sizeof bytes);
    assert_memory_equal(bytes, host_bytes(bench, 4097), 1001);
    assert_int_equal(tigon_frame_crc(bytes, 1005) ^ 0xFFFFFFFF,
                     0xDEBB20E3); /* residue of a good CRC */
    assert_int_equal(reg(peer, 0x0E0), T_BASE - 0x2000 + 8);
    assert_int_equal(reg(peer, 0x0C4), R_BASE + 1024); /* multiples of 32 */
    set_reg(peer, 0x0E4, T_BASE - 0x2000 + 8);
    assert_int_equal(reg(peer, 0x060), 1u << 6); /* the reference counts */
    set_reg(peer, 0x0E8, T_BASE - 0x2000 + 8);
    assert_int_equal(reg(peer, 0x060), 0);
    bench_destroy(bench);
}

/* targets.md 3.4: with cut-through the slope is the slower of DMA and wire, and the peer gets the
 * same bytes */
static void test_cut_through(void **state) {
    (void)state;
    uint64_t took[2][2];
    static const uint32_t lengths[2] = {60, 1514};
    for (unsigned early = 0; early < 2; early++)
        for (unsigned i = 0; i < 2; i++) {
            struct seen seen;
            struct bench *bench =
                two_boards(&seen, early ? "transmit_cut_through=1" : "transmit_cut_through=0");
            uint32_t local = T_BASE;
            make_frame(bench->peer, host_bytes(bench, 4096), lengths[i], 1);
            const uint64_t start = tigon_world_now_ns(bench->world);
            send_from_host(bench->board, 4096, &local, lengths[i]);
            while (reg(bench->peer, 0x060) == 0)
                pass_ns(bench, 1);
            took[early][i] = tigon_world_now_ns(bench->world) - start;
            uint8_t bytes[1514];
            tigon_board_peek(bench->peer, R_BASE, bytes, lengths[i]);
            assert_memory_equal(bytes, host_bytes(bench, 4096), lengths[i]);
            struct tigon_statistics statistics;
            tigon_board_statistics(bench->board, &statistics);
            assert_int_equal(statistics.transmit_cut_through, early);
            bench_destroy(bench);
        }
    const uint64_t bytes = lengths[1] - lengths[0];
    assert_in_range((took[1][1] - took[1][0]) * 1000 / bytes, 7950,
                    8050); /* ps per byte: the wire alone */
    assert_in_range((took[0][1] - took[0][0]) * 1000 / bytes, 11000,
                    11300); /* wire and 320 MB/s in turn */
}

/* The same on a bus slower than the wire: starts late enough never to run dry, also while the other
 * engine works */
static void test_no_underrun(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "bus_kind=32/33");
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < 20; i++) {
        make_frame(bench->peer, host_bytes(bench, 4096), 1514, i);
        send_from_host(bench->board, 4096, &local, 1514);
        pass_ns(bench, 300ull * i);
        for (unsigned k = 0; k < 3; k++)
            queue_dma(bench->board, TIGON_DMA_WRITE, 65536, 0x8000, 777, WRITE_WORDS);
        pass_ns(bench, 60000);
        uint32_t address, status;
        received(bench->peer, i, &address, &status);
        assert_int_equal(status, 1518);
        uint8_t bytes[1514];
        tigon_board_peek(bench->peer, address, bytes, sizeof bytes);
        assert_memory_equal(bytes, host_bytes(bench, 4096), sizeof bytes);
        set_reg(bench->board, 0x128, reg(bench->board, 0x124));
        set_reg(bench->board, 0x108, reg(bench->board, 0x104));
    }
    assert_int_equal(reg(bench->board, 0x060), 0);
    struct tigon_statistics statistics;
    tigon_board_statistics(bench->board, &statistics);
    assert_int_equal(statistics.transmit_cut_through, 20);
    bench_destroy(bench);
}

/* Small frames queued at once: each waits for its own read, though the wire is faster than one read
 * after the other */
static void test_no_underrun_queued(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < 60; i++) {
        make_frame(bench->peer, host_bytes(bench, 4096 + 128 * i), 60 + i, i);
        send_from_host(bench->board, 4096 + 128 * i, &local, 60 + i);
    }
    pass_ns(bench, 200000);
    for (unsigned i = 0; i < 60; i++) {
        uint32_t address, status;
        uint8_t bytes[128];
        received(bench->peer, i, &address, &status);
        assert_int_equal(status, 64 + i);
        tigon_board_peek(bench->peer, address, bytes, 60 + i);
        assert_memory_equal(bytes, host_bytes(bench, 4096 + 128 * i), 60 + i);
    }
    bench_destroy(bench);
}

/* A read that fails under a frame already begun: bad CRC, underrun counted, attention
 * (tigon2.md 6.3, 6.4) */
static void test_underrun(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    uint32_t local = T_BASE;
    set_reg(bench->peer, 0x220, 0x80A); /* promiscuous: outgoing frames have no address yet */
    make_frame(bench->peer, host_bytes(bench, 4096), 1514, 1);
    send_from_host(bench->board, 4096, &local, 1514);
    pass_ns(bench, 2000); /* data and frame are under way */
    set_reg(bench->board, 0x0B0, 1);
    pass_ns(bench, 20000);
    assert_int_equal(tigon_board_peek32(bench->board, 0x080 + 4 * 19), 1);
    assert_true(reg(bench->board, 0x060) & 1u << 26);
    set_reg(bench->board, 0x200, 0x3F000022);
    assert_false(reg(bench->board, 0x060) & 1u << 26);
    uint32_t address, status;
    received(bench->peer, 0, &address, &status);
    assert_true(status & 1u << 16);
    bench_destroy(bench);
}

/* tigon2.md 6.1, 12.3: ring order, back to back at exactly 8 ns per byte with preamble and gap */
static void test_back_to_back(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    uint32_t local = T_BASE;
    static const uint32_t lengths[8] = {1514, 1514, 60, 1514, 14, 1514, 1001, 1514};
    for (unsigned i = 0; i < 8; i++) {
        make_frame(bench->peer, host_bytes(bench, 4096 + 2048 * i), lengths[i], i);
        host_bytes(bench, 4096 + 2048 * i)[14] = (uint8_t)i;
        send_from_host(bench->board, 4096 + 2048 * i, &local, lengths[i]);
    }
    pass_ns(bench, 100000);
    assert_int_equal(seen.count, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(seen.length[i], lengths[i] < 60 ? 60 : lengths[i]); /* padded */
        if (i != 4) /* that one ends before the byte */
            assert_int_equal(seen.first[i], i);
    }
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(seen.ticks[i] - seen.ticks[i - 1], (seen.length[i - 1] + 4 + 20) * 88);
    struct tigon_statistics statistics;
    tigon_board_statistics(bench->peer, &statistics);
    assert_int_equal(statistics.receive_frames, 8);
    assert_int_equal(tigon_board_peek32(bench->peer, 0x080 + 4 * 31), 8); /* kept unicast */
    bench_destroy(bench);
}

/* tigon2.md 15 items 8 and 9: both buffers and both rings wrap several times without loss or
 * damage */
static void test_wraps(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    struct tigon_board *board = bench->board, *peer = bench->peer;
    uint8_t *const landing = tigon_host_pointer(tigon_board_host(peer), 8192);
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < 1200; i++) {
        const uint32_t length = 60 + i * 37 % 1455;
        uint32_t address, status;
        make_frame(peer, host_bytes(bench, 4096), length, i);
        send_from_host(board, 4096, &local, length);
        pass_ns(bench, 20000);
        assert_int_equal(reg(peer, 0x0E0), T_BASE - 0x2000 + 8 * ((i + 1) % 512));
        received(peer, i, &address, &status);
        assert_int_equal(status, length + 4);
        assert_int_equal(address & 31, 0);
        assert_in_range(address, R_BASE, R_END - 32);
        queue_dma(peer, TIGON_DMA_WRITE, 8192, address, length, WRITE_FRAME);
        pass_ns(bench, 8000);
        assert_memory_equal(landing, host_bytes(bench, 4096), length);
        set_reg(peer, 0x0E4, T_BASE - 0x2000 + 8 * ((i + 1) % 512));
        set_reg(peer, 0x0E8, T_BASE - 0x2000 + 8 * ((i + 1) % 512));
        set_reg(peer, 0x128, reg(peer, 0x124));
        set_reg(board, 0x108, reg(board, 0x104));
        /* Bit 19 freed all of it but the CRC and the rounding. */
        const uint32_t left =
            (reg(peer, 0x0C4) + (R_END - R_BASE) - reg(peer, 0x0C8)) % (R_END - R_BASE);
        assert_in_range(left, 0, 32);
    }
    assert_int_equal(reg(peer, 0x060), 0);
    bench_destroy(bench);
}

/* tigon2.md 6.1: 255 frames fill the transmit ring */
static void test_transmit_ring_full(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_full_by_reference=0");
    for (unsigned i = 0; i < 255; i++) {
        const uint32_t slot = reg(bench->board, 0x0FC);
        assert_int_equal(slot, T_BASE - 0x2800 + 8 * i);
        tigon_board_poke32(bench->board, slot, T_BASE + 64 * i);
        tigon_board_poke32(bench->board, slot + 4, 60);
        set_reg(bench->board, 0x0F0, slot + 8);
    }
    assert_int_equal(reg(bench->board, 0x0FC), 0);
    set_reg(bench->board, 0x0D4, T_BASE + 64 * 254 + 60);
    pass_ns(bench, 200000);
    assert_int_equal(seen.count, 255);
    assert_int_equal(reg(bench->board, 0x0FC), T_BASE - 0x2800 + 8 * 255);
    assert_int_equal(reg(bench->board, 0x0D8), T_BASE + 64 * 255);
    bench_destroy(bench);
}

/* tigon2.md 6.4: enable and stop */
static void test_transmit_gates(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    uint32_t local = T_BASE;
    set_reg(bench->board, 0x200, 0x26);
    make_frame(bench->peer, host_bytes(bench, 4096), 100, 1);
    send_from_host(bench->board, 4096, &local, 100);
    pass_ns(bench, 50000);
    assert_int_equal(seen.count, 0);
    set_reg(bench->board, 0x200, 0x22);
    pass_ns(bench, 50000);
    assert_int_equal(seen.count, 1);
    set_reg(bench->board, 0x200, 0x20);
    send_from_host(bench->board, 4096, &local, 100);
    pass_ns(bench, 50000);
    assert_int_equal(seen.count, 1);
    set_reg(bench->board, 0x200, 0x22);
    pass_ns(bench, 50000);
    assert_int_equal(seen.count, 2);
    bench_destroy(bench);
}

/* tigon2.md 6.1: bit 30 inserts a tag */
static void test_vlan(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    uint8_t frame[100], bytes[104];
    make_frame(bench->peer, frame, sizeof frame, 1);
    tigon_board_poke(bench->board, T_BASE, frame, sizeof frame);
    set_reg(bench->board, 0x214, 0x8100241F);
    tigon_board_poke32(bench->board, T_BASE - 0x2800, T_BASE | 1u << 30);
    tigon_board_poke32(bench->board, T_BASE - 0x2800 + 4, 0x0ABC0000 | 100);
    set_reg(bench->board, 0x0F0, T_BASE - 0x2800 + 8);
    set_reg(bench->board, 0x0D4, T_BASE + 100);
    pass_ns(bench, 10000);
    tigon_board_peek(bench->peer, R_BASE, bytes, sizeof bytes);
    assert_memory_equal(bytes, frame, 12);
    assert_memory_equal(bytes + 12, "\x81\x00\x0A\xBC", 4);
    assert_memory_equal(bytes + 16, frame + 12, 88);
    bench_destroy(bench);
}

/* tigon2.md 6.3: filters, and the statistics block at SRAM 0x080 */
static void test_filter(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    struct tigon_board *peer = bench->peer;
    static const uint8_t group[6] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0x05};
    uint8_t frame[60];
    make_frame(peer, frame, sizeof frame, 1);
    frame[5] ^= 1; /* somebody else */
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(reg(peer, 0x060), 0);
    assert_int_equal(tigon_board_peek32(peer, 0x080 + 4 * 24), 1);
    memcpy(frame, group, sizeof group); /* multicast, hash empty */
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(reg(peer, 0x060), 0);
    assert_int_equal(tigon_board_peek32(peer, 0x080 + 4 * 25), 1);
    const uint32_t index = ~tigon_frame_crc(frame, 6) & 0x7F;
    set_reg(peer, 0x228 + 4 * (3 - (index >> 5)), 1u << (index & 31));
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(tigon_board_peek32(peer, 0x080 + 4 * 30), 1);
    memset(frame, 0xFF, 6);
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(tigon_board_peek32(peer, 0x080 + 4 * 29), 1);
    make_frame(peer, frame, sizeof frame, 1);
    frame[5] ^= 1;
    set_reg(peer, 0x220, 0x80A); /* promiscuous */
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(reg(peer, 0x0E0), T_BASE - 0x2000 + 3 * 8);
    set_reg(peer, 0x220, 0x800); /* disabled */
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(reg(peer, 0x0E0), T_BASE - 0x2000 + 3 * 8);
    bench_destroy(bench);
}

/* tigon2.md 15 item 9 and 6.2: CRC error and short frame in the status */
static void test_bad_frames(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    uint8_t frame[1514];
    uint32_t address, status;
    make_frame(bench->peer, frame, sizeof frame, 1);
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, true);
    pass_ns(bench, 20000);
    received(bench->peer, 0, &address, &status);
    assert_int_equal(status, 1518 | 1u << 16);
    assert_int_equal(tigon_board_peek32(bench->peer, 0x080 + 4 * 18), 1);
    tigon_wire_inject(bench->wire, 0, frame, 40, false);
    pass_ns(bench, 20000);
    received(bench->peer, 1, &address, &status);
    assert_int_equal(status, 44 | 1u << 22);
    tigon_wire_inject(bench->wire, 0, frame, 3, false); /* not even an address */
    pass_ns(bench, 20000);
    bench_destroy(bench);
}

/* tigon2.md 15 item 9: full buffer drops, counts, raises bit 30 and event 25; bit 19 makes room
 * again */
static void test_buffer_full(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    struct tigon_board *peer = bench->peer;
    uint8_t frame[1514];
    make_frame(peer, frame, sizeof frame, 1);
    set_reg(peer, 0x0C0, R_END - 0x2000);
    set_reg(peer, 0x0C4, R_END - 0x2000);
    set_reg(peer, 0x0C8, R_END - 0x2000);
    for (unsigned i = 0; i < 6; i++) {
        tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
        pass_ns(bench, 20000);
    }
    /* 8192 bytes hold five frames of 1536. */
    assert_int_equal(reg(peer, 0x0E0), T_BASE - 0x2000 + 5 * 8);
    assert_int_equal(reg(peer, 0x060), 1u << 25 | 1u << 6);
    assert_true(reg(peer, 0x220) & 1u << 30);
    assert_int_equal(tigon_board_peek32(peer, 0x080 + 4 * 27), 1);
    set_reg(peer, 0x220, 0x40000802);
    assert_int_equal(reg(peer, 0x060), 1u << 6);
    queue_dma(peer, TIGON_DMA_WRITE, 8192, R_END - 0x2000, 1514, WRITE_FRAME);
    pass_ns(bench, 10000);
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 20000);
    assert_int_equal(reg(peer, 0x0E0), T_BASE - 0x2000 + 6 * 8);
    uint8_t bytes[1514];
    const uint32_t start = R_END - 0x2000 + 5 * 1536;
    tigon_board_peek(peer, start, bytes, R_END - start);
    tigon_board_peek(peer, R_END - 0x2000, bytes + (R_END - start), sizeof bytes - (R_END - start));
    assert_memory_equal(bytes, frame, sizeof frame);
    bench_destroy(bench);
}

/* tigon2.md 14 row 14: no descriptor slot */
static void test_receive_ring_full(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    struct tigon_board *peer = bench->peer;
    uint8_t frame[60];
    make_frame(peer, frame, sizeof frame, 1);
    for (unsigned i = 0; i < 512; i++) {
        tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
        pass_ns(bench, 1000);
    }
    pass_ns(bench, 5000);
    struct tigon_statistics statistics;
    tigon_board_statistics(peer, &statistics);
    assert_int_equal(statistics.receive_frames, 511);
    assert_int_equal(statistics.dropped_no_descriptor, 1);
    assert_true(reg(peer, 0x220) & 1u << 30);
    bench_destroy(bench);
}

/* tigon2.md 7: PAUSE obeyed by HW[220] bit 16, sent by HW[200] bit 8 below an eighth, ended above a
 * quarter */
static void test_pause(void **state) {
    (void)state;
    struct seen seen;
    struct bench *bench = two_boards(&seen, "transmit_cut_through=1");
    struct tigon_board *board = bench->board, *peer = bench->peer;
    uint8_t frame[1514];
    make_frame(peer, frame, sizeof frame, 1);
    memcpy(host_bytes(bench, 4096), frame, sizeof frame);
    set_reg(board, 0x220, 0x10802);
    set_reg(peer, 0x200, 0x122);
    set_reg(peer, 0x0C0, R_END - 0x4000);
    set_reg(peer, 0x0C4, R_END - 0x4000);
    set_reg(peer, 0x0C8, R_END - 0x4000);
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < 20; i++)
        send_from_host(board, 4096, &local, 1514);
    pass_ns(bench, 1000000);
    /* 16 kB hold ten frames; the tenth leaves less than an eighth free. The frame that the sender
     * had begun before the PAUSE reached it still comes, finds no room, and is the last. */
    struct tigon_statistics statistics;
    tigon_board_statistics(peer, &statistics);
    assert_int_equal(statistics.receive_frames, 10);
    assert_in_range(statistics.dropped_no_buffer, 1, 2);
    const uint64_t sent = 10 + statistics.dropped_no_buffer;
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.transmit_frames, sent);
    assert_int_equal(statistics.dropped_pause, 1);
    set_reg(peer, 0x0C8, reg(peer, 0x0C4)); /* all free again: PAUSE of length 0 */
    pass_ns(bench, 50000);
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.dropped_pause, 2);
    assert_true(statistics.transmit_frames > sent);
    bench_destroy(bench);
}

int mac_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc),
        cmocka_unit_test(test_buffer_addresses),
        cmocka_unit_test(test_one_frame),
        cmocka_unit_test(test_cut_through),
        cmocka_unit_test(test_no_underrun),
        cmocka_unit_test(test_no_underrun_queued),
        cmocka_unit_test(test_underrun),
        cmocka_unit_test(test_back_to_back),
        cmocka_unit_test(test_wraps),
        cmocka_unit_test(test_transmit_ring_full),
        cmocka_unit_test(test_transmit_gates),
        cmocka_unit_test(test_vlan),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_bad_frames),
        cmocka_unit_test(test_buffer_full),
        cmocka_unit_test(test_receive_ring_full),
        cmocka_unit_test(test_pause),
    };
    return cmocka_run_group_tests_name("mac", tests, NULL, NULL);
}
