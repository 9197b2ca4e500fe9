/* SPDX-License-Identifier: MIT */
/* DMA engines and assist (tigon2.md 5). */
#include "tests/sim_devices/bench.h"

static uint8_t *host_bytes(struct bench *bench, uint64_t address) {
    return tigon_host_pointer(tigon_board_host(bench->board), address);
}

static void by_hand(struct bench *bench, unsigned engine, uint64_t host, uint32_t local,
                    uint32_t length, uint32_t state) {
    struct tigon_board *board = bench->board;
    const bool read = engine == TIGON_DMA_READ;
    const uint32_t word = read ? 0x0B0 : 0x0A0;
    set_reg(board, read ? 0x090 : 0x080, (uint32_t)(host >> 32));
    set_reg(board, read ? 0x094 : 0x084, (uint32_t)host);
    set_reg(board, read ? 0x0B4 : 0x0A4, local);
    set_reg(board, read ? 0x09C : 0x0AC, length);
    set_reg(board, word, state);
    assert_true(reg(board, word) & 4u);
    for (unsigned i = 0; i < 1000 && (reg(board, word) & 4u); i++)
        pass_ns(bench, 100);
    assert_false(reg(board, word) & 4u);
}

/* tigon2.md 15 item 5, 5.2 bit 1: byte order is kept, or word values are; any alignment, any length
 */
static void test_by_hand(void **state) {
    (void)state;
    struct bench *bench =
        bench_make(1, (const char *const[]){"host_memory_base=0x123456789000", NULL});
    const uint64_t base = 0x123456789000u;
    for (uint32_t host_offset = 0; host_offset < 4; host_offset++)
        for (uint32_t local_offset = 0; local_offset < 4; local_offset++)
            for (uint32_t length = 0; length <= 21; length++) {
                uint8_t *host = host_bytes(bench, base + 4096);
                uint8_t sram[64], expected[64];
                pattern(host, 64, length);
                memset(sram, 0xEE, sizeof sram);
                tigon_board_poke(bench->board, 0x8000, sram, sizeof sram);
                by_hand(bench, TIGON_DMA_READ, base + 4096 + host_offset, 0x8008 + local_offset,
                        length, READ_BYTES);
                memset(expected, 0xEE, sizeof expected);
                memcpy(expected + 8 + local_offset, host + host_offset, length);
                tigon_board_peek(bench->board, 0x8000, sram, sizeof sram);
                assert_memory_equal(sram, expected, sizeof sram);
                assert_int_equal(reg(bench->board, 0x0B4), 0x8008 + local_offset + length);
                /* Back again with the words reversed: only the stated bytes may change. */
                memset(host, 0xDD, 64);
                by_hand(bench, TIGON_DMA_WRITE, base + 4096 + host_offset, 0x8008 + local_offset,
                        length, WRITE_WORDS);
                for (uint32_t i = 0; i < 64; i++) {
                    const uint32_t k = i - host_offset;
                    if (i < host_offset || k >= length) {
                        assert_int_equal(host[i], 0xDD);
                        continue;
                    }
                    const uint32_t group = k & ~3u;
                    const uint32_t size = length - group < 4 ? length - group : 4;
                    assert_int_equal(host[i],
                                     sram[8 + local_offset + group + size - 1 - (k - group)]);
                }
            }
    bench_destroy(bench);
}

/* tigon2.md 5.2: with bit 1 an int in host memory is the same int to the CPU */
static void test_word_values(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    const uint32_t value = 0x11223344;
    memcpy(host_bytes(bench, 4096), &value, 4);
    by_hand(bench, TIGON_DMA_READ, 4096, 0x8000, 4, READ_WORDS);
    assert_int_equal(tigon_board_peek32(bench->board, 0x8000), 0x11223344);
    by_hand(bench, TIGON_DMA_READ, 4096, 0x8000, 4, READ_BYTES);
    assert_int_equal(tigon_board_peek32(bench->board, 0x8000), 0x44332211);
    bench_destroy(bench);
}

/* tigon2.md 15 item 6: 63 descriptors fill the ring, next reads 0, level until the reference
 * catches up */
static void test_ring_full(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    for (unsigned engine = 0; engine < 2; engine++) {
        const uint32_t ring = engine == TIGON_DMA_READ ? 0x100 : 0x120;
        const uint32_t start = engine == TIGON_DMA_READ ? READ_RING : WRITE_RING;
        const uint32_t event = engine == TIGON_DMA_READ ? 1u << 15 : 1u << 14;
        const uint32_t not_empty = engine == TIGON_DMA_READ ? 1u << 15 : 1u << 11;
        bring_up(board);
        set_reg(board, 0x11C, 0);
        assert_int_equal(reg(board, ring), start);
        for (unsigned i = 0; i < 63; i++) {
            assert_int_equal(reg(board, ring + 12), start + 32 * i);
            queue_dma(board, engine, 4096 + 64 * i, 0x8000 + 64 * i, 64,
                      engine ? WRITE_WORDS : READ_WORDS);
        }
        assert_int_equal(reg(board, ring + 12), 0);
        assert_int_equal(reg(board, 0x11C), not_empty);
        pass_ns(bench, 10000);
        assert_int_equal(reg(board, 0x060) & event, 0); /* assist is off */
        set_reg(board, 0x11C, 1);
        pass_ns(bench, 1500);
        assert_int_equal(reg(board, 0x060) & event, event);
        assert_int_equal(reg(board, ring + 12), 0); /* consumed is not yet free */
        pass_ns(bench, 100000);
        assert_int_equal(reg(board, ring + 4), start + 63 * 32);
        assert_int_equal(reg(board, 0x11C), 1);
        assert_int_equal(reg(board, 0x060) & event, event);
        assert_int_equal(reg(board, 0x070) & event, event);
        set_reg(board, ring + 8, start + 62 * 32);
        assert_int_equal(reg(board, 0x060) & event, event);
        set_reg(board, ring + 8, start + 63 * 32);
        assert_int_equal(reg(board, 0x060) & event, 0);
        queue_dma(board, engine, 4096, 0x8000, 64, engine ? WRITE_WORDS : READ_WORDS);
        assert_int_equal(reg(board, ring), start); /* wrapped */
        pass_ns(bench, 5000);
        assert_int_equal(reg(board, ring + 4), start);
    }
    struct tigon_statistics statistics;
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.dma_read.transfers, 64);
    assert_int_equal(statistics.dma_write.bytes, 64 * 64);
    bench_destroy(bench);
}

/* tigon2.md 14 row 10: low rings at T-0x3000 and T-0x2C00, 32 entries, only while the high ring is
 * empty */
static void test_low_ring(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    set_reg(board, 0x11C, 0);
    assert_int_equal(reg(board, 0x110), T_BASE - 0x3000);
    assert_int_equal(reg(board, 0x130), T_BASE - 0x2C00);
    pattern(host_bytes(bench, 4096), 32, 3);
    pattern(host_bytes(bench, 8192), 32, 9);
    const uint32_t low[8] = {0, 8192, 0x9000, 32, READ_BYTES, 0, 0, 0};
    for (unsigned i = 0; i < 8; i++)
        tigon_board_poke32(board, T_BASE - 0x3000 + 4 * i, low[i]);
    set_reg(board, 0x110, T_BASE - 0x3000 + 32);
    queue_dma(board, TIGON_DMA_READ, 4096, 0x9000, 32, READ_BYTES);
    assert_int_equal(reg(board, 0x11C), 1u << 14 | 1u << 15);
    set_reg(board, 0x11C, 1);
    pass_ns(bench, 1500);
    assert_int_equal(reg(board, 0x060), 1u << 15);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x060), 1u << 15 | 1u << 13);
    uint8_t bytes[32];
    tigon_board_peek(board, 0x9000, bytes, 32);
    assert_memory_equal(bytes, host_bytes(bench, 8192), 32); /* the low one came last */
    set_reg(board, 0x118, T_BASE - 0x3000 + 32);
    assert_int_equal(reg(board, 0x060), 1u << 15);
    bench_destroy(bench);
}

/* tigon2.md 15 item 7: assist off, software loads the engines and moves the consumers */
static void test_software_assist(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    set_reg(board, 0x11C, 0);
    pattern(host_bytes(bench, 4096), 256, 5);
    for (unsigned i = 0; i < 4; i++)
        queue_dma(board, TIGON_DMA_READ, 4096 + 64 * i, T_BASE + 64 * i, 64,
                  i == 3 ? READ_LAST : READ_BYTES);
    while (reg(board, 0x11C) & 1u << 15) {
        const uint32_t slot = reg(board, 0x104);
        assert_false(reg(board, 0x11C) & 1u << 12);
        set_reg(board, 0x090, tigon_board_peek32(board, slot));
        set_reg(board, 0x094, tigon_board_peek32(board, slot + 4));
        set_reg(board, 0x0B4, tigon_board_peek32(board, slot + 8));
        set_reg(board, 0x09C, tigon_board_peek32(board, slot + 12));
        set_reg(board, 0x0B0, tigon_board_peek32(board, slot + 16));
        assert_true(reg(board, 0x11C) & 1u << 12);
        while (reg(board, 0x11C) & 1u << 12)
            pass_ns(bench, 100);
        if (tigon_board_peek32(board, slot + 16) & 1u << 17)
            set_reg(board, 0x0D4, reg(board, 0x0B4));
        set_reg(board, 0x104, slot + 32);
        assert_true(reg(board, 0x060) & 1u << 15);
    }
    uint8_t bytes[256];
    tigon_board_peek(board, T_BASE, bytes, sizeof bytes);
    assert_memory_equal(bytes, host_bytes(bench, 4096), sizeof bytes);
    assert_int_equal(reg(board, 0x0D4), T_BASE + 256);
    set_reg(board, 0x108, reg(board, 0x104));
    assert_int_equal(reg(board, 0x060), 0);
    bench_destroy(bench);
}

/* tigon2.md 5.3: transfers continue at the start of the buffer whose end they pass */
static void test_buffer_wrap(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    uint8_t bytes[128];
    bring_up(board);
    pattern(host_bytes(bench, 4096), 100, 1);
    queue_dma(board, TIGON_DMA_READ, 4096, R_BASE - 40, 100, READ_LAST);
    pass_ns(bench, 3000);
    tigon_board_peek(board, R_BASE - 40, bytes, 40);
    tigon_board_peek(board, T_BASE, bytes + 40, 60);
    assert_memory_equal(bytes, host_bytes(bench, 4096), 100);
    assert_int_equal(reg(board, 0x0B4), T_BASE + 60);
    assert_int_equal(reg(board, 0x0D4), T_BASE + 60);
    queue_dma(board, TIGON_DMA_READ, 4096, R_BASE - 100, 100, READ_LAST);
    pass_ns(bench, 3000);
    assert_int_equal(reg(board, 0x0D4), T_BASE); /* exactly the end is the start */

    pattern(bytes, 80, 77);
    tigon_board_poke(board, R_END - 16, bytes, 16);
    tigon_board_poke(board, R_BASE, bytes + 16, 64);
    queue_dma(board, TIGON_DMA_WRITE, 8192, R_END - 16, 77, WRITE_FRAME);
    pass_ns(bench, 3000);
    assert_memory_equal(host_bytes(bench, 8192), bytes, 77);
    /* tigon2.md 15 item 9, 14 row 8: bit 19 frees up to the end, rounded up to 8 */
    assert_int_equal(reg(board, 0x0C8), R_BASE + 64);
    bench_destroy(bench);
}

/* tigon2.md 5.2 bits 9-11, 14 row 27 */
static void test_checksum(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    static const uint8_t first[6] = {0x12, 0x34, 0xFF, 0xFF, 0x00, 0x01};
    static const uint8_t second[3] = {0x80, 0x00, 0x40};
    memcpy(host_bytes(bench, 4096), first, sizeof first);
    memcpy(host_bytes(bench, 8192), second, sizeof second);
    queue_dma(board, TIGON_DMA_READ, 4096, T_BASE, 6, 0x00000E84);
    pass_ns(bench, 3000);
    assert_int_equal(reg(board, 0x0B8), 0x1235);
    queue_dma(board, TIGON_DMA_READ, 8192, T_BASE + 6, 3, 0x00020A84);
    pass_ns(bench, 3000);
    assert_int_equal(reg(board, 0x0B8), 0xD235);
    assert_int_equal(tigon_board_peek32(board, READ_RING + 32 + 20) & 0xFFFF,
                     0xD235); /* stored at its offset 22 */
    bench_destroy(bench);
}

/* tigon2.md 5.2 bit 25, 13 item 7: abort stops ring and engine, recovery as the image does it */
static void test_master_abort(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    queue_dma(board, TIGON_DMA_WRITE, 0x7FFFFFFFFFFF, 0x8000, 16, WRITE_WORDS);
    queue_dma(board, TIGON_DMA_WRITE, 4096, 0x8000, 16, WRITE_WORDS);
    pass_ns(bench, 10000);
    assert_int_equal(reg(board, 0x0A0) & 0xEF000004, 1u << 25);
    assert_int_equal(reg(board, 0x060), 1u << 19);
    assert_int_equal(reg(board, 0x124), WRITE_RING);
    set_reg(board, 0x11C, 3);
    set_reg(board, 0x0A0, 1);
    assert_int_equal(reg(board, 0x060), 0);
    set_reg(board, 0x124, WRITE_RING + 32); /* give the bad one up */
    set_reg(board, 0x11C, 1);
    pass_ns(bench, 10000);
    assert_int_equal(reg(board, 0x124), WRITE_RING + 64);
    struct tigon_statistics statistics;
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.dma_write.errors, 1);
    assert_int_equal(statistics.dma_write.transfers, 1);
    /* By hand: polls, sees bit 2 fall and the error byte. */
    set_reg(board, 0x080, 0xFFFFFFFF);
    set_reg(board, 0x0AC, 8);
    set_reg(board, 0x0A0, 0x84);
    pass_ns(bench, 1000);
    assert_int_equal(reg(board, 0x0A0) & 0xEF000004, 1u << 25);
    bench_destroy(bench);
}

/* PCI 2.2, 6.2.2: without bit 2 of the command word the board begins no cycle. The bit is taken at
 * each moment of two transfers: no byte moves until it is given back, and then all do. */
static void test_no_bus_without_the_master_bit(void **state) {
    (void)state;
    enum { BYTES = 1024, LATEST_NS = 8000, STEP_NS = 100 };
    unsigned amid = 0;
    for (uint64_t taken_ns = 0; taken_ns <= LATEST_NS; taken_ns += STEP_NS) {
        struct bench *bench = bench_make(1, NULL);
        struct tigon_board *board = bench->board;
        uint8_t *source = host_bytes(bench, 4096);
        uint8_t *target = host_bytes(bench, 8192);
        uint8_t sram[BYTES];
        bring_up(board);
        pattern(source, BYTES, 1);
        pattern(sram, BYTES, 2);
        tigon_board_poke(board, 0xA000, sram, BYTES);
        queue_dma(board, TIGON_DMA_READ, 4096, 0x8000, BYTES, READ_BYTES);
        queue_dma(board, TIGON_DMA_WRITE, 8192, 0xA000, BYTES, WRITE_FRAME);
        pass_ns(bench, taken_ns);
        set_reg(board, 0x004, 0x0002);
        const bool written = memcmp(target, sram, BYTES) == 0;
        memset(target, 0xEE, BYTES);
        pass_ns(bench, 100000);
        for (unsigned i = 0; i < BYTES; i++)
            assert_int_equal(target[i], 0xEE);
        amid += !written;
        set_reg(board, 0x004, 0x0006);
        pass_ns(bench, 100000);
        assert_int_equal(reg(board, 0x104), reg(board, 0x100));
        assert_int_equal(reg(board, 0x124), reg(board, 0x120));
        if (!written)
            assert_memory_equal(target, sram, BYTES);
        tigon_board_peek(board, 0x8000, sram, BYTES);
        assert_memory_equal(sram, source, BYTES);
        bench_destroy(bench);
    }
    assert_true(amid > 10 && amid < LATEST_NS / STEP_NS);
}

/* tigon2.md 5.2 bit 27, 13 item 7 */
static void test_four_gigabyte_line(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, (const char *const[]){"host_memory_base=0xFFFF0000", NULL});
    struct tigon_board *board = bench->board;
    bring_up(board);
    pattern(host_bytes(bench, 0xFFFFFFF0), 16, 4);
    queue_dma(board, TIGON_DMA_READ, 0xFFFFFFF0, 0x8000, 16, READ_BYTES);
    queue_dma(board, TIGON_DMA_READ, 0x100000000, 0x8010, 16, READ_BYTES);
    pass_ns(bench, 10000);
    /* The transfer is done, but the engine stopped with a false attention; remaining length 0
     * tells. */
    assert_int_equal(reg(board, 0x104), READ_RING + 32);
    assert_true(reg(board, 0x0B0) & 1u << 27);
    assert_int_equal(reg(board, 0x09C), 0);
    assert_true(reg(board, 0x060) & 1u << 20);
    uint8_t bytes[16];
    tigon_board_peek(board, 0x8000, bytes, 16);
    assert_memory_equal(bytes, host_bytes(bench, 0xFFFFFFF0), 16);
    set_reg(board, 0x11C, 3);
    set_reg(board, 0x0B0, 1);
    set_reg(board, 0x104, reg(board, 0x104));
    set_reg(board, 0x11C, 1);
    pass_ns(bench, 10000);
    assert_int_equal(reg(board, 0x104), READ_RING + 64);
    /* Across the line is a real overflow. */
    queue_dma(board, TIGON_DMA_READ, 0xFFFFFFF8, 0x8000, 16, READ_BYTES);
    pass_ns(bench, 10000);
    assert_int_equal(reg(board, 0x104), READ_RING + 64);
    assert_int_not_equal(reg(board, 0x09C), 0);
    bench_destroy(bench);
}

/* tigon2.md 5.4 bits 1 and 2: pause, one at a time */
static void test_assist_modes(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    set_reg(board, 0x11C, 3);
    queue_dma(board, TIGON_DMA_READ, 4096, 0x8000, 1024, READ_BYTES);
    queue_dma(board, TIGON_DMA_WRITE, 8192, 0x9000, 1024, WRITE_WORDS);
    pass_ns(bench, 10000);
    assert_int_equal(reg(board, 0x060), 0);
    set_reg(board, 0x11C, 5);
    bool both = false;
    for (unsigned i = 0; i < 200; i++) {
        const uint32_t assist = reg(board, 0x11C);
        both |= (assist & 1u << 8) && (assist & 1u << 12);
        pass_ns(bench, 50);
    }
    assert_false(both);
    assert_int_equal(reg(board, 0x060), 1u << 15 | 1u << 14);
    set_reg(board, 0x108, reg(board, 0x104));
    set_reg(board, 0x128, reg(board, 0x124));
    set_reg(board, 0x11C, 1);
    queue_dma(board, TIGON_DMA_READ, 4096, 0x8000, 1024, READ_BYTES);
    queue_dma(board, TIGON_DMA_WRITE, 8192, 0x9000, 1024, WRITE_WORDS);
    pass_ns(bench, 1000);
    assert_int_equal(reg(board, 0x11C) & (1u << 8 | 1u << 12), 1u << 8 | 1u << 12);
    bench_destroy(bench);
}

/* Nanoseconds until the consumer of a ring reaches its producer. */
static uint64_t time_ring(struct bench *bench, uint32_t ring) {
    const uint64_t start = tigon_world_now_ns(bench->world);
    while (reg(bench->board, ring) != reg(bench->board, ring + 4))
        pass_ns(bench, 1);
    return tigon_world_now_ns(bench->world) - start;
}

/* tigon2.md 12.4: latency and sustained rate per bus; two engines share the bus */
static void test_timing(void **state) {
    (void)state;
    static const struct {
        const char *knob;
        uint64_t read, write;
    } cases[] = {
        {"bus_kind=64/66", 320, 420}, {"bus_kind=64/33", 180, 230}, {"bus_kind=32/33", 90, 115}};
    for (size_t i = 0; i < 3; i++) {
        struct bench *bench = bench_make(1, (const char *const[]){cases[i].knob, NULL});
        struct tigon_board *board = bench->board;
        bring_up(board);
        queue_dma(board, TIGON_DMA_READ, 4096, 0x8000, 4000, READ_BYTES);
        const uint64_t read = time_ring(bench, 0x100);
        const uint64_t expected_read =
            136 + 700 + 4000000u / cases[i].read; /* 12 cycles of assist */
        assert_in_range(read, expected_read, expected_read + 3);
        queue_dma(board, TIGON_DMA_WRITE, 4096, 0x8000, 4000, WRITE_WORDS);
        const uint64_t write = time_ring(bench, 0x120);
        const uint64_t expected_write = 136 + 300 + 4000000u / cases[i].write;
        assert_in_range(write, expected_write, expected_write + 3);
        /* Together: slower than alone, faster than one after the other. */
        queue_dma(board, TIGON_DMA_READ, 4096, 0x8000, 4000, READ_BYTES);
        queue_dma(board, TIGON_DMA_WRITE, 16384, 0x9000, 4000, WRITE_WORDS);
        const uint64_t both = time_ring(bench, 0x100);
        assert_in_range(both, read + 1000, read + write);
        bench_destroy(bench);
    }
}

/* tigon2.md 5.2 bit 21 */
static void test_interrupt_bit(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    queue_dma(board, TIGON_DMA_WRITE, 4096, 0x8000, 4, 0x00220086);
    assert_int_equal(reg(board, 0x040) & 1, 0);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x040) & 1, 1);
    assert_true(tigon_host_interrupt_line(board));
    tigon_window_host_write(board, 0x504, 0);
    assert_int_equal(reg(board, 0x040) & 1, 0);
    bench_destroy(bench);
}

/* Fault injection: tigon2.md 14 row 28 */
static void test_injected_failure(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    tigon_board_break_dma(board, false, 1u << 31);
    queue_dma(board, TIGON_DMA_READ, 4096, 0x8000, 4, READ_BYTES);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x0B0) & 0xFF000004, 1u << 31);
    set_reg(board, 0x11C, 3);
    set_reg(board, 0x0B0, 1);
    set_reg(board, 0x104, reg(board, 0x104)); /* again */
    set_reg(board, 0x11C, 1);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x104), READ_RING + 32);
    bench_destroy(bench);
}

struct order {
    unsigned count;
    enum tigon_signal signal[16];
    uint32_t value[16];
};

static void note_order(void *context, const struct tigon_board *board, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct order *order = context;
    (void)board;
    (void)ticks;
    if (order->count < 16) {
        order->signal[order->count] = signal;
        order->value[order->count] = value;
    }
    order->count++;
}

/* The end of a transfer that moves a buffer pointer shows in the event words before the engine
 * begins the next one, at the same tick */
static void test_end_before_next(void **state) {
    (void)state;
    for (unsigned engine = 0; engine < 2; engine++) {
        struct bench *bench = bench_make(1, NULL);
        struct order order = {0};
        const enum tigon_signal busy = engine ? TIGON_SIGNAL_DMA_WRITE : TIGON_SIGNAL_DMA_READ;
        const uint32_t pending = engine ? TIGON_EVENT_WRITE_HIGH : TIGON_EVENT_READ_HIGH;
        bring_up(bench->board);
        for (unsigned i = 0; i < 2; i++)
            queue_dma(bench->board, engine, 4096, engine ? R_BASE : T_BASE, 64,
                      engine ? WRITE_FRAME : READ_LAST);
        const struct tigon_observer observer = {.context = &order, .signal = note_order};
        assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
        while (order.count < 4)
            pass_ns(bench, 100);
        assert_int_equal(order.signal[0], busy);
        assert_int_equal(order.value[0], 0);
        assert_int_equal(order.signal[1], TIGON_SIGNAL_EVENT_A);
        assert_int_equal(order.value[1] & pending, pending);
        assert_int_equal(order.signal[2], TIGON_SIGNAL_EVENT_B);
        assert_int_equal(order.signal[3], busy);
        assert_int_equal(order.value[3], 1);
        bench_destroy(bench);
    }
}

int dma_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_word_values),
        cmocka_unit_test(test_ring_full),
        cmocka_unit_test(test_low_ring),
        cmocka_unit_test(test_software_assist),
        cmocka_unit_test(test_buffer_wrap),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_master_abort),
        cmocka_unit_test(test_no_bus_without_the_master_bit),
        cmocka_unit_test(test_four_gigabyte_line),
        cmocka_unit_test(test_assist_modes),
        cmocka_unit_test(test_timing),
        cmocka_unit_test(test_interrupt_bit),
        cmocka_unit_test(test_injected_failure),
        cmocka_unit_test(test_end_before_next),
    };
    return cmocka_run_group_tests_name("dma", tests, NULL, NULL);
}
