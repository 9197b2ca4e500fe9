/* SPDX-License-Identifier: MIT */
/* The host: window, mailboxes, costs, coroutines, memory (tigon2.md 3, 4, 12.4). */
#include "tests/sim_devices/bench.h"

#include <errno.h>

static int failures; /* cmocka's jumps must not leave a coroutine: programs count instead */
#define EXPECT(condition)                                                                          \
    (void)((condition) ? 0                                                                         \
                       : (print_error("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))

static void run_program(struct bench *bench, tigon_program program, void *argument) {
    failures = 0;
    tigon_host_start(tigon_board_host(bench->board), "test", program, argument);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_FINISHED);
    assert_int_equal(failures, 0);
}

/* tigon2.md 9: steps 1 to 8 as a driver does them */
static int load(struct tigon_host *host, void *argument) {
    (void)argument;
    uint32_t words[600];
    tigon_host_write32(host, 0x040, 0x08000008);
    tigon_host_write32(host, 0x040, 0x22000022);
    EXPECT(tigon_host_read32(host, 0x140) & 1u << 18);
    EXPECT(!(tigon_host_read32(host, 0x140) & 1u << 4));
    EXPECT(tigon_host_read32(host, 0x040) >> 28 == 6);
    tigon_host_write32(host, 0x140, 1u << 16);
    tigon_host_write32(host, 0x240, 1u << 16);
    tigon_host_write32(host, 0x044, 0x200);
    tigon_host_write32(host, 0x050, 0x00100000);
    tigon_host_write32(host, 0x05C, 0x76020000);
    for (unsigned i = 0; i < 600; i++)
        words[i] = i * 0x01010101u;
    /* Across a window boundary: the base is set for each 2 kB. */
    for (uint32_t address = 0x4700, i = 0; i < 600; i++, address += 4) {
        if (i == 0 || !(address & 0x7FF))
            tigon_host_write32(host, 0x068, address & ~0x7FFu);
        tigon_host_write32(host, 0x800 + (address & 0x7FF), words[i]);
    }
    tigon_host_write32(host, 0x068, 0x4FFF); /* low 11 bits ignored */
    EXPECT(tigon_host_read32(host, 0x800 + 0x000) == words[(0x4800 - 0x4700) / 4]);
    tigon_host_write32(host, 0x068, 0x4704);
    EXPECT(tigon_host_read32(host, 0x06C) == words[1]); /* single-word port at the base */
    tigon_host_write32(host, 0x06C, 0x55AA55AA);
    EXPECT(tigon_board_peek32(tigon_host_board(host), 0x4704) ==
           words[1]);                                     /* posted, not there yet */
    EXPECT(tigon_host_read32(host, 0x06C) == 0x55AA55AA); /* a read waits for it */
    tigon_host_write32(host, 0x600, 0x11111111);          /* alias of SRAM 0x200 */
    EXPECT(tigon_host_read32(host, 0x600) == 0x11111111);
    EXPECT(tigon_board_peek32(tigon_host_board(host), 0x200) == 0x11111111);
    return 7;
}

static void test_window(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    run_program(bench, load, NULL);
    for (unsigned i = 2; i < 600; i++)
        assert_int_equal(tigon_board_peek32(bench->board, 0x4700 + 4 * i), i * 0x01010101u);
    int result = 0;
    assert_true(tigon_host_finished(tigon_board_host(bench->board), 0, &result));
    assert_int_equal(result, 7);
    bench_destroy(bench);
}

/* tigon2.md 15 item 2, through the window: the probe of 2.2 finds each fitted size */
static void test_alias_probe(void **state) {
    (void)state;
    static const struct {
        const char *knob;
        uint32_t size;
    } cases[] = {
        {"sram_bytes=512K", 1u << 19}, {"sram_bytes=1M", 1u << 20}, {"sram_bytes=2M", 1u << 21}};
    for (size_t i = 0; i < 3; i++) {
        struct bench *bench = bench_make(1, (const char *const[]){cases[i].knob, NULL});
        struct tigon_board *board = bench->board;
        uint32_t size = 1u << 18;
        for (; size < 1u << 23; size <<= 1) {
            tigon_window_host_write(board, 0x068, size);
            tigon_window_host_write(board, 0x06C, 0xA5A55A5A);
            tigon_window_host_write(board, 0x068, 2 * size);
            tigon_window_host_write(board, 0x800, 0);
            tigon_window_host_write(board, 0x068,
                                    0); /* a wrapped clear went to 0 or to the pattern */
            tigon_window_host_write(board, 0x800, 0x12345678);
            tigon_window_host_write(board, 0x068, size);
            if (tigon_window_host_read(board, 0x800) == 0x12345678)
                break;
        }
        assert_int_equal(size, cases[i].size);
        bench_destroy(bench);
    }
}

/* tigon2.md 15 item 10, 14 row 21 */
static void test_mailboxes(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    for (unsigned mailbox = 0; mailbox < 32; mailbox++) {
        tigon_window_host_write(board, 0x500 + 8 * mailbox,
                                0xAAAA); /* the high word raises no event */
        assert_int_equal(reg(board, 0x064), 0);
        tigon_window_host_write(board, 0x504 + 8 * mailbox, 0x1000 + mailbox);
        assert_int_equal(reg(board, 0x064), 1u << mailbox);
        assert_int_equal(reg(board, 0x074), 1u << mailbox);
        assert_int_equal(reg(board, 0x060), 1u << 22);
        assert_int_equal(reg(board, 0x070), 1u << 22);
        assert_int_equal(tigon_board_peek32(board, 0x104 + 8 * mailbox), 0x1000 + mailbox);
        set_reg(board, 0x064, ~(1u << mailbox));
        assert_int_equal(reg(board, 0x060), 1u << 22);
        set_reg(board, 0x064, 1u << mailbox);
        assert_int_equal(reg(board, 0x060), 0);
        assert_int_equal(reg(board, 0x070), 1u << 22); /* B has its own */
        set_reg(board, 0x074, 1u << mailbox);
        assert_int_equal(reg(board, 0x070), 0);
    }
    tigon_window_host_write(board, 0x068, 0);
    tigon_window_host_write(board, 0x800 + 0x104, 1); /* by the window: no event */
    assert_int_equal(reg(board, 0x064), 0);

    set_reg(board, 0x044, 0x204); /* raise the host interrupt (3.3 bit 2) */
    assert_true(tigon_host_interrupt_line(board));
    assert_int_equal(reg(board, 0x040) & 1, 1);
    assert_int_equal(reg(board, 0x044) & 7, 1);
    tigon_window_host_write(board, 0x50C, 0);
    assert_true(tigon_host_interrupt_line(board));
    tigon_window_host_write(board, 0x504, 0);
    assert_false(tigon_host_interrupt_line(board));
    set_reg(board, 0x044, 0x204);
    tigon_window_host_write(board, 0x040, 0x40000040); /* mask */
    assert_false(tigon_host_interrupt_line(board));
    assert_int_equal(reg(board, 0x040) & 1, 1);
    tigon_window_host_write(board, 0x040, 0);
    assert_true(tigon_host_interrupt_line(board));
    tigon_window_host_write(board, 0x040, 0x02000002);
    assert_false(tigon_host_interrupt_line(board));
    bench_destroy(bench);
}

/* tigon2.md 3.2: byte swap turns every host access, and the control register lands either way */
static void test_byte_swap(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    tigon_window_host_write(board, 0x040, 0x30000030);
    tigon_window_host_write(board, 0x600, 0x11223344);
    assert_int_equal(tigon_board_peek32(board, 0x200), 0x44332211);
    assert_int_equal(tigon_window_host_read(board, 0x600), 0x11223344);
    assert_int_equal(tigon_window_host_read(board, 0x040) & 0xF0,
                     0x60); /* the revision, the other way round */
    tigon_window_host_write(board, 0x040, 0x22000022);
    assert_int_equal(tigon_window_host_read(board, 0x600), 0x44332211);
    bench_destroy(bench);
}

/* tigon2.md 12.4: costs of register access, order of posted writes */
static int costs(struct tigon_host *host, void *argument) {
    struct tigon_board *board = argument;
    const uint64_t start = tigon_host_now_ns(host);
    tigon_host_write32(host, 0x600, 1);
    EXPECT(tigon_host_now_ns(host) == start + 90);
    tigon_host_write32(host, 0x604, 2);
    tigon_host_spend_ns(host, 69); /* 249 ns after the first write */
    EXPECT(tigon_board_peek32(board, 0x200) == 0);
    tigon_host_spend_ns(host, 1);
    tigon_host_yield(host);
    EXPECT(tigon_board_peek32(board, 0x200) == 1);
    EXPECT(tigon_board_peek32(board, 0x204) == 0);
    const uint64_t before = tigon_host_now_ns(host);
    EXPECT(tigon_host_read32(host, 0x604) == 2);
    EXPECT(tigon_host_now_ns(host) == before + 1000);
    EXPECT(tigon_host_now_ps(host) == (before + 1000) * 1000);
    const uint32_t words[5] = {5, 4, 3, 2, 1};
    const uint64_t burst = tigon_host_now_ns(host);
    tigon_host_write_block(host, 0x640, words, 5);
    EXPECT(tigon_host_now_ns(host) == burst + 150); /* targets.md 3.3: 0.15 us in one burst */
    for (unsigned i = 0; i < 5; i++)
        EXPECT(tigon_host_read32(host, 0x640 + 4 * i) == words[i]);
    return 0;
}

static void test_costs(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    run_program(bench, costs, bench->board);
    bench_destroy(bench);
}

struct turns {
    char log[64];
    size_t count;
};

static int taking_turns(struct tigon_host *host, void *argument) {
    struct turns *turns = argument;
    const char *name = turns->count % 2 ? "b" : "a";
    for (unsigned i = 0; i < 4; i++) {
        turns->log[turns->count++] = *name;
        tigon_host_spend_ns(host, 100);
    }
    return 0;
}

/* Programs of one host share its CPU: twice the work, twice the time, in turns */
static void test_sharing(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct turns turns = {{0}, 0};
    tigon_host_start(tigon_board_host(bench->board), "a", taking_turns, &turns);
    tigon_host_start(tigon_board_host(bench->board), "b", taking_turns, &turns);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_FINISHED);
    assert_string_equal(turns.log, "abababab");
    assert_int_equal(tigon_world_now_ns(bench->world), 800);
    bench_destroy(bench);
}

static void write_by_dma(void *context) {
    struct bench *bench = context;
    tigon_board_poke32(bench->board, 0x8000, 0x01020304);
    queue_dma(bench->board, TIGON_DMA_WRITE, 8192, 0x8000, 4, 0x00220086);
}

static int poller(struct tigon_host *host, void *argument) {
    struct bench *bench = argument;
    uint64_t address;
    uint8_t *page = tigon_host_allocate(host, 4096, &address);
    EXPECT(address == 4096 && page == tigon_host_pointer(host, 4096));
    page = tigon_host_allocate(host, 4096, &address);
    EXPECT(address == 8192);
    uint64_t start = tigon_host_now_ns(host);
    /* No event comes: the time-out. */
    EXPECT(!tigon_host_poll(host, page, 4, tigon_host_write_count(host), 50, 1000));
    EXPECT(tigon_host_now_ns(host) == start + 1000);
    start = tigon_host_now_ns(host);
    tigon_world_call_at(bench->world, start + 500, write_by_dma, bench);
    uint64_t seen = tigon_host_write_count(host);
    EXPECT(tigon_host_poll(host, page, 4, seen, 50, UINT64_MAX));
    EXPECT(memcmp(page, "\x04\x03\x02\x01", 4) == 0);
    EXPECT((tigon_host_now_ns(host) - start) % 50 == 0);
    const uint64_t waited = tigon_host_now_ns(host) - start;
    EXPECT(waited >= 500 + 300 && waited <= 500 + 600);
    /* With an old count, it returns after one turn. */
    start = tigon_host_now_ns(host);
    EXPECT(tigon_host_poll(host, page, 4, seen, 50, UINT64_MAX));
    EXPECT(tigon_host_now_ns(host) == start + 50);
    /* Elsewhere in memory does not count. */
    tigon_world_call_at(bench->world, tigon_host_now_ns(host), write_by_dma, bench);
    EXPECT(!tigon_host_poll(host, page + 4, 100, tigon_host_write_count(host), 50, 5000));
    return 0;
}

static void test_poll(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    bring_up(bench->board);
    run_program(bench, poller, bench);
    bench_destroy(bench);
}

static int waiter(struct tigon_host *host, void *argument) {
    struct bench *bench = argument;
    EXPECT(!tigon_host_wait_interrupt(host, 1000));
    const uint64_t start = tigon_host_now_ns(host);
    tigon_world_call_at(bench->world, start + 500, write_by_dma, bench);
    EXPECT(tigon_host_wait_interrupt(host, UINT64_MAX));
    const uint64_t waited = tigon_host_now_ns(host) - start;
    EXPECT(waited > 500 + 300 + 8000 && waited < 500 + 600 + 8000);
    EXPECT(tigon_host_wait_interrupt(host, 0)); /* level: still up */
    tigon_host_write32(host, 0x504, 0);
    tigon_host_read32(host, 0x040);
    EXPECT(!tigon_host_wait_interrupt(host, 1000));
    return 0;
}

static void test_interrupt(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    bring_up(bench->board);
    run_program(bench, waiter, bench);
    bench_destroy(bench);
}

/* Scattered pages are never neighbours and never given twice */
static void test_memory(void **state) {
    (void)state;
    struct bench *bench =
        bench_make(1, (const char *const[]){"host_memory_base=0x100000000", NULL});
    struct tigon_host *host = tigon_board_host(bench->board);
    uint64_t pages[128];
    assert_int_equal(tigon_host_allocate_pages(host, (size_t)128 * 4096, pages), 0);
    for (unsigned i = 0; i < 128; i++) {
        assert_non_null(tigon_host_pointer(host, pages[i] + 4095));
        assert_int_equal(tigon_host_bus_address(host, tigon_host_pointer(host, pages[i])),
                         pages[i]);
        for (unsigned k = 0; k < i; k++)
            assert_int_not_equal(pages[i], pages[k]);
        if (i)
            assert_int_not_equal(pages[i], pages[i - 1] + 4096);
    }
    assert_int_equal(tigon_host_allocate_pages(host, 1, pages), -ENOMEM);
    uint64_t address;
    assert_non_null(tigon_host_allocate(host, (size_t)127 * 4096, &address));
    assert_int_equal(address, 0x100001000);
    assert_null(tigon_host_allocate(host, 1, NULL));
    assert_null(tigon_host_pointer(host, 0));
    assert_null(tigon_host_pointer(host, 0x100100000));
    bench_destroy(bench);
}

/* Freed pages are given again, zeroed, the lowest ones first; nothing is freed that was not given.
 */
static void test_memory_is_freed(void **state) {
    (void)state;
    struct bench *bench =
        bench_make(1, (const char *const[]){"host_memory_base=0x100000000", NULL});
    struct tigon_host *host = tigon_board_host(bench->board);
    uint64_t pages[128];
    uint8_t *first = tigon_host_allocate(host, (size_t)100 * 4096, NULL);
    uint8_t *last = tigon_host_allocate(host, (size_t)27 * 4096, NULL);
    assert_non_null(first);
    assert_non_null(last);
    assert_null(tigon_host_allocate(host, 1, NULL));
    first[5 * 4096] = 1;
    assert_false(tigon_host_free(host, first + 1, 4096));
    assert_false(tigon_host_free(host, first, (size_t)128 * 4096));
    assert_false(tigon_host_free(host, first, SIZE_MAX));
    assert_false(tigon_host_free(host, first - 4096, 4096)); /* page 0 is never given */
    assert_false(tigon_host_free(host, host, 4096));
    assert_true(tigon_host_free(host, first + (size_t)5 * 4096, 4097)); /* two pages */
    assert_false(tigon_host_free(host, first + (size_t)5 * 4096, 4096));
    assert_null(tigon_host_allocate(host, 3 * 4096, NULL));
    assert_ptr_equal(tigon_host_allocate(host, 4096, NULL), first + (size_t)5 * 4096);
    assert_int_equal(first[5 * 4096], 0);
    assert_ptr_equal(tigon_host_allocate(host, 1, NULL), first + (size_t)6 * 4096);
    assert_null(tigon_host_allocate(host, 1, NULL));
    assert_true(tigon_host_free(host, last, (size_t)27 * 4096));
    assert_true(tigon_host_free(host, first, (size_t)100 * 4096));
    assert_ptr_equal(tigon_host_allocate(host, (size_t)127 * 4096, NULL), first);

    assert_int_equal(tigon_host_allocate_pages(host, (size_t)128 * 4096, pages), 0);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 128; i += 3) {
            uint8_t *page = tigon_host_pointer(host, pages[i]);
            *page = 1;
            assert_true(tigon_host_free(host, page, 4096));
        }
        for (unsigned i = 0; i < 128; i += 3) {
            assert_int_equal(tigon_host_allocate_pages(host, 4096, &pages[i]), 0);
            assert_int_equal(*(uint8_t *)tigon_host_pointer(host, pages[i]), 0);
        }
        assert_int_equal(tigon_host_allocate_pages(host, 1, pages), -ENOMEM);
    }
    for (unsigned i = 0; i < 128; i++)
        for (unsigned k = 0; k < i; k++)
            assert_int_not_equal(pages[i], pages[k]);
    bench_destroy(bench);
}

/* tigon_host_poll32 is a shorter way to write a loop: the same reads at the same times. */
struct watch {
    bool by_loop;
    unsigned count;
    struct {
        uint64_t at_ps;
        uint64_t turns;
        uint32_t value;
        uint64_t reads;
    } seen[400];
    struct bench *bench;
    unsigned pokes;
};

static uint32_t watch_loop(struct tigon_host *host, uint32_t offset, uint64_t until_ns,
                           uint32_t unchanged, uint64_t *turns) {
    const uint64_t limit = *turns;
    uint32_t value;
    *turns = 0;
    do {
        tigon_host_spend_ns(host, 50);
        value = tigon_host_read32(host, offset);
        ++*turns;
    } while ((value & 0xFF) == unchanged && *turns < limit && tigon_host_now_ns(host) < until_ns);
    return value;
}

static int watcher(struct tigon_host *host, void *argument) {
    struct watch *watch = argument;
    tigon_host_write32(host, 0x068, 0x8000);
    while (watch->count < 400 && tigon_host_now_ns(host) < 300000) {
        const uint32_t offset = watch->count % 2 ? 0x820 : 0x600;
        const uint64_t until = watch->count % 5 == 4 ? tigon_host_now_ns(host) + 7000 : UINT64_MAX;
        uint64_t left = watch->count % 3 == 2 ? 5 : 40;
        struct tigon_statistics statistics;
        uint64_t total = 0;
        uint32_t value;
        if (watch->count % 4 == 1) /* still under way when polling begins */
            for (unsigned i = 0; i < 6; i++)
                tigon_host_write32(host, 0x700, i);
        do { /* poll32 may stop early */
            uint64_t turns = left;
            value = watch->by_loop ? watch_loop(host, offset, until, 1, &turns)
                                   : tigon_host_poll32(host, offset, 0xFF, 1, 50, until, &turns);
            left -= turns;
            total += turns;
        } while ((value & 0xFF) == 1 && left && tigon_host_now_ns(host) < until);
        tigon_board_statistics(tigon_host_board(host), &statistics);
        watch->seen[watch->count].at_ps = tigon_host_now_ps(host);
        watch->seen[watch->count].turns = total;
        watch->seen[watch->count].value = value;
        watch->seen[watch->count++].reads = statistics.host_register_reads;
    }
    return 0;
}

static int passer_by(struct tigon_host *host, void *argument) {
    (void)argument;
    tigon_host_spend_ns(host, 1700);
    tigon_host_sleep_ns(host, 3000);
    tigon_host_spend_ns(host, 300);
    return 0;
}

static void disturb(void *context) {
    struct watch *watch = context;
    struct tigon_board *board = watch->bench->board;
    const unsigned n = watch->pokes++;
    struct tigon_statistics statistics;
    if (n % 7 == 3)
        tigon_host_start(tigon_board_host(board), "passer-by", passer_by, NULL);
    else if (n % 7 == 5)
        set_reg(board, 0x068, n % 2 ? 0x8000 : 0x9000);
    else
        tigon_board_poke32(board, n % 2 ? 0x8020 : 0x200, n % 3 ? 1 : n << 8 | n % 4);
    tigon_board_statistics(board, &statistics);
    watch->seen[399].reads = watch->seen[399].reads * 31 + statistics.host_register_reads;
    if (n < 200)
        tigon_world_call_at(watch->bench->world,
                            tigon_world_now_ns(watch->bench->world) + 611 + UINT64_C(97) * (n % 23),
                            disturb, watch);
}

static void test_poll_board(void **state) {
    (void)state;
    static struct watch watches[2];
    uint64_t beats[2];
    for (unsigned i = 0; i < 2; i++) {
        struct watch *watch = &watches[i];
        memset(watch, 0, sizeof *watch);
        watch->by_loop = i;
        watch->bench = bench_make(1, NULL);
        struct tigon_board *board = watch->bench->board;
        tigon_world_call_at(watch->bench->world, 1000, disturb, watch);
        run_program(watch->bench, watcher, watch);
        tigon_bus_access(&board->bus, TIGON_BUS_CPU_A, board->now / 125 + 10000, 1);
        beats[i] = board->bus.beats[TIGON_BUS_DMA_WRITE];
        bench_destroy(watch->bench);
    }
    assert_int_equal(watches[0].count, watches[1].count);
    assert_true(watches[0].count > 20);
    for (unsigned i = 0; i < watches[0].count; i++) {
        assert_int_equal(watches[0].seen[i].value, watches[1].seen[i].value);
        assert_int_equal(watches[0].seen[i].turns, watches[1].seen[i].turns);
        assert_int_equal(watches[0].seen[i].at_ps, watches[1].seen[i].at_ps);
        assert_int_equal(watches[0].seen[i].reads, watches[1].seen[i].reads);
    }
    assert_int_equal(watches[0].seen[399].reads, watches[1].seen[399].reads);
    assert_int_equal(beats[0], beats[1]);
}

static void test_knobs(void **state) {
    (void)state;
    struct tigon_knobs knobs;
    tigon_knobs_defaults(&knobs);
    assert_int_equal(tigon_knobs_set(&knobs, "sram_bytes", "512K"), 0);
    assert_int_equal(knobs.sram_bytes, 524288);
    assert_int_equal(tigon_knobs_set(&knobs, "sram_load", "9"), 0);
    assert_int_equal(knobs.core.sram_load, 9);
    assert_int_equal(knobs.core.register_read, 4);
    assert_int_equal(tigon_knobs_set(&knobs, "wire_loss", "0.25"), 0);
    assert_true(knobs.wire_loss == 0.25);
    assert_int_equal(tigon_knobs_set(&knobs, "transmit_cut_through", "off"), 0);
    assert_false(knobs.transmit_cut_through);
    assert_int_equal(tigon_knobs_set(&knobs, "bus_kind", "32/33"), 0);
    assert_int_equal(knobs.bus_kind, TIGON_BUS_32_33);
    assert_int_equal(tigon_knobs_set(&knobs, "no_such", "1"), -ENOENT);
    assert_int_equal(tigon_knobs_set(&knobs, "wire_loss", "1.5"), -ERANGE);
    assert_int_equal(tigon_knobs_set(&knobs, "wire_loss", "x"), -EINVAL);
    assert_int_equal(tigon_knobs_set(&knobs, "host_read_ns", "-1"), -EINVAL);
    assert_int_equal(tigon_knobs_set(&knobs, "host_read_ns", "1 "), -EINVAL);
    assert_int_equal(tigon_knobs_assign(&knobs, "host_read_ns"), -EINVAL);
    assert_int_equal(tigon_knobs_assign(&knobs, "host_read_ns=800"), 0);
    assert_int_equal(knobs.host_read_ns, 800);
    knobs.sram_bytes = 12345;
    assert_null(tigon_world_create(&knobs, 1));
    char text[16384] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    assert_non_null(stream);
    tigon_knobs_print(&knobs, stream);
    fclose(stream);
    assert_non_null(strstr(text, "host_read_ns"));
    assert_non_null(strstr(text, "instruction_line_bytes"));
}

int host_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_alias_probe),
        cmocka_unit_test(test_mailboxes),
        cmocka_unit_test(test_byte_swap),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_poll),
        cmocka_unit_test(test_poll_board),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_is_freed),
        cmocka_unit_test(test_knobs),
    };
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
