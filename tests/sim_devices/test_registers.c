/* SPDX-License-Identifier: MIT */
/* Registers without a device of weight: access rules, events, timer, semaphore, EEPROM, core
 * control. */
#include "tests/sim_devices/bench.h"

static void fuzz_seed(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
}

/* tigon2.md 14 row 22 */
static void test_reset_values(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    assert_int_equal(reg(board, 0x000), 0x000112AE);
    assert_int_equal(reg(board, 0x040), 0x60000000);
    assert_int_equal(reg(board, 0x05C), 0x00080000);
    assert_int_equal(reg(board, 0x140), 0x00050000);
    assert_int_equal(reg(board, 0x240), 0x00010010);
    static const uint32_t zero[] = {0x048, 0x04C, 0x050, 0x054, 0x060, 0x064, 0x068, 0x070, 0x0A0,
                                    0x0B0, 0x0C0, 0x0D0, 0x200, 0x204, 0x220, 0x224, 0x238};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        assert_int_equal(reg(board, zero[i]), 0);
    bench_destroy(bench);
}

/* tigon2.md 3.6: bus kind shows in bits 19 and 20; 19 is status */
static void test_bus_bits(void **state) {
    (void)state;
    static const struct {
        const char *knob;
        uint32_t bits;
    } cases[] = {{"bus_kind=64/66", 1u << 19}, {"bus_kind=64/33", 0}, {"bus_kind=32/33", 1u << 20}};
    for (size_t i = 0; i < 3; i++) {
        struct bench *bench = bench_make(1, (const char *const[]){cases[i].knob, NULL});
        assert_int_equal(reg(bench->board, 0x05C), cases[i].bits);
        set_reg(bench->board, 0x05C, 0x76000000u | 1u << 20);
        assert_int_equal(reg(bench->board, 0x05C),
                         0x76000000u | 1u << 20 | (cases[i].bits & 1u << 19));
        bench_destroy(bench);
    }
}

static unsigned logged;
static void count_log(void *context, const struct tigon_board *board, const char *message) {
    (void)context;
    (void)board;
    assert_non_null(strstr(message, "HW["));
    logged++;
}

/* tigon2.md 14 row 20 */
static void test_unlisted_registers(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    logged = 0;
    tigon_world_set_log_hook(bench->world, count_log, NULL);
    for (unsigned i = 0; i < 3; i++) {
        set_reg(bench->board, 0x088, 0xFFFFFFFF);
        assert_int_equal(tigon_register_read(bench->board, 0x088), 0);
        assert_int_equal(tigon_window_host_read(bench->board, 0x2000), 0);
    }
    assert_int_equal(logged, 3); /* one write, one read, one beyond the window */
    struct tigon_statistics statistics;
    tigon_board_statistics(bench->board, &statistics);
    assert_int_equal(statistics.unknown_registers, 9);
    bench_destroy(bench);
}

/* tigon2.md 3.1: every storage register keeps exactly its writable bits */
static void test_storage(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    for (uint32_t offset = 0; offset < TIGON_REGISTER_BYTES; offset += 4) {
        const struct tigon_register_description *row = tigon_register_describe(offset);
        if (!row || row->access != TIGON_PLAIN)
            continue;
        const uint32_t before = reg(bench->board, offset);
        set_reg(bench->board, offset, ~before);
        assert_int_equal(reg(bench->board, offset), before ^ row->writable);
    }
    bench_destroy(bench);
}

/* tigon2.md 4: hardware bits ignore writes, the others are storage, in both words apart */
static void test_event_words(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    set_reg(bench->board, 0x060, 0xFFFFFFFF);
    assert_int_equal(reg(bench->board, 0x060), ~0x1658F040u);
    assert_int_equal(reg(bench->board, 0x070), 0);
    set_reg(bench->board, 0x070, 1u << 10);
    set_reg(bench->board, 0x060, 0);
    assert_int_equal(reg(bench->board, 0x060), 0);
    assert_int_equal(reg(bench->board, 0x070), 1u << 10);
    bench_destroy(bench);
}

/* tigon2.md 4 and 14 row 5: past or equal, re-armed by a write, separate per core */
static void test_timer(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    pass_ns(bench, 5500);
    assert_int_equal(reg(board, 0x054), 5);
    assert_int_equal(reg(board, 0x060), 0); /* never written: not armed */
    set_reg(board, 0x054, 0);
    assert_int_equal(reg(board, 0x054), 0);
    set_reg(board, 0x058, 3);
    set_reg(board, 0x078, 100);
    pass_ns(bench, 2499);
    assert_int_equal(reg(board, 0x060), 0);
    pass_ns(bench, 1); /* at 8 us of world time the timer, set to 0 at 5, reads 3 */
    assert_int_equal(reg(board, 0x054), 3);
    assert_int_equal(reg(board, 0x060), 1u << 28);
    assert_int_equal(reg(board, 0x070), 0);
    set_reg(board, 0x060, 0);
    assert_int_equal(reg(board, 0x060), 1u << 28); /* not by writing the event word */
    set_reg(board, 0x058, 10);
    assert_int_equal(reg(board, 0x060), 0);
    pass_ns(bench, 7000);
    assert_int_equal(reg(board, 0x060), 1u << 28);
    set_reg(board, 0x058, 9); /* already past: at once */
    assert_int_equal(reg(board, 0x060), 1u << 28);
    set_reg(board, 0x058, 0x7FFFFFFF);
    assert_int_equal(reg(board, 0x060), 0);
    pass_ns(bench, 95000);
    assert_int_equal(reg(board, 0x070), 1u << 28);
    bench_destroy(bench);
}

/* tigon2.md 4: a reference ahead across the wrap of the 32-bit timer */
static void test_timer_wrap(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    set_reg(bench->board, 0x054, 0xFFFFFFFE);
    set_reg(bench->board, 0x058, 1);
    pass_ns(bench, 2999);
    assert_int_equal(reg(bench->board, 0x060), 0);
    pass_ns(bench, 1);
    assert_int_equal(reg(bench->board, 0x054), 1);
    assert_int_equal(reg(bench->board, 0x060), 1u << 28);
    bench_destroy(bench);
}

/* tigon2.md 15 item 4: lock, contend, release, foreign write ignored */
static void test_semaphore(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    set_reg(board, 0x048, 0);
    assert_int_not_equal(reg(board, 0x048), 0);
    set_reg(board, 0x04C, 1); /* contend */
    assert_int_equal(reg(board, 0x04C), 0);
    assert_int_not_equal(reg(board, 0x048), 0);
    set_reg(board, 0x048, 1); /* release */
    assert_int_equal(reg(board, 0x048), 0);
    assert_int_equal(reg(board, 0x04C), 0);
    set_reg(board, 0x04C, 1); /* write again, now it is free */
    assert_int_not_equal(reg(board, 0x04C), 0);
    set_reg(board, 0x048, 1);
    assert_int_not_equal(reg(board, 0x04C), 0);
    set_reg(board, 0x04C, 1);
    assert_int_equal(reg(board, 0x048) | reg(board, 0x04C), 0);
    struct tigon_statistics statistics;
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.core[0].locks_taken, 1);
    assert_int_equal(statistics.core[0].lock_waits, 1); /* at the end; it was not taken */
    assert_int_equal(statistics.core[0].lock_wait_cycles, 0);
    assert_int_equal(statistics.core[1].locks_taken, 1);
    assert_int_equal(statistics.core[1].lock_waits, 1);
    bench_destroy(bench);
}

/* EEPROM access as a driver bit-bangs it: bits 20 clock, 21 enable, 22 out, 23 in of HW[044]. */
static void pins(struct tigon_board *board, unsigned clock, unsigned enable, unsigned data) {
    set_reg(board, 0x044, 0x200u | clock << 20 | enable << 21 | data << 22);
}

static void eeprom_start(struct tigon_board *board) {
    pins(board, 0, 1, 1);
    pins(board, 1, 1, 1);
    pins(board, 1, 1, 0);
    pins(board, 0, 1, 0);
}

static void eeprom_stop(struct tigon_board *board) {
    pins(board, 0, 1, 0);
    pins(board, 1, 1, 0);
    pins(board, 1, 1, 1);
    pins(board, 0, 1, 1);
}

static bool eeprom_put(struct tigon_board *board, unsigned byte) {
    for (int bit = 7; bit >= 0; bit--) {
        const unsigned value = byte >> bit & 1u;
        pins(board, 0, 1, value);
        pins(board, 1, 1, value);
        pins(board, 0, 1, value);
    }
    pins(board, 0, 0, 0);
    pins(board, 1, 0, 0);
    const bool acknowledged = !(reg(board, 0x044) & 1u << 23);
    pins(board, 0, 0, 0);
    return acknowledged;
}

static unsigned eeprom_get(struct tigon_board *board, bool more) {
    unsigned byte = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        pins(board, 0, 0, 0);
        pins(board, 1, 0, 0);
        byte = byte << 1 | (reg(board, 0x044) >> 23 & 1u);
        pins(board, 0, 0, 0);
    }
    pins(board, 0, 1, !more);
    pins(board, 1, 1, !more);
    pins(board, 0, 1, !more);
    return byte;
}

/* tigon2.md 3.3 and 9 step 7 */
static void test_eeprom_mac_address(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    struct tigon_board *board = bench->peer;
    uint8_t expected[6];
    tigon_board_mac_address(board, expected);
    eeprom_start(board);
    assert_true(eeprom_put(board, 0xA0));
    assert_true(eeprom_put(board, 0x00));
    assert_true(eeprom_put(board, 0x8E));
    eeprom_start(board);
    assert_true(eeprom_put(board, 0xA1));
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(eeprom_get(board, i < 5), expected[i]);
    eeprom_stop(board);
    /* One byte at a time, as some drivers do, and the two zero bytes before. */
    for (unsigned i = 0; i < 8; i++) {
        eeprom_start(board);
        assert_true(eeprom_put(board, 0xA0));
        assert_true(eeprom_put(board, 0x00));
        assert_true(eeprom_put(board, 0x8C + i));
        eeprom_start(board);
        assert_true(eeprom_put(board, 0xA1));
        assert_int_equal(eeprom_get(board, false), i < 2 ? 0 : expected[i - 2]);
        eeprom_stop(board);
    }
    eeprom_start(board);
    assert_false(eeprom_put(board, 0xB0)); /* no device */
    eeprom_stop(board);
    assert_int_equal(reg(board, 0x044) & 1u << 19, 0); /* no PHY (tigon2.md 7) */
    bench_destroy(bench);
}

/* tigon2.md 3.3: written words can be read back */
static void test_eeprom_write(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    eeprom_start(board);
    assert_true(eeprom_put(board, 0xA0));
    assert_true(eeprom_put(board, 0x01));
    assert_true(eeprom_put(board, 0x20));
    assert_true(eeprom_put(board, 0x5A));
    assert_true(eeprom_put(board, 0xC3));
    eeprom_stop(board);
    eeprom_start(board);
    assert_true(eeprom_put(board, 0xA0));
    assert_true(eeprom_put(board, 0x01));
    assert_true(eeprom_put(board, 0x20));
    eeprom_start(board);
    assert_true(eeprom_put(board, 0xA1));
    assert_int_equal(eeprom_get(board, true), 0x5A);
    assert_int_equal(eeprom_get(board, false), 0xC3);
    bench_destroy(bench);
}

static void eeprom_select(struct tigon_board *board, unsigned address) {
    eeprom_start(board);
    assert_true(eeprom_put(board, 0xA0));
    assert_true(eeprom_put(board, address >> 8));
    assert_true(eeprom_put(board, address & 0xFF));
}

/* A power cycle: all state is lost but the non-volatile memories */
static void test_power_cycle(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    uint8_t *host = tigon_host_pointer(tigon_board_host(board), 4096);
    uint32_t word;
    eeprom_select(board, 0xFC0);
    assert_true(eeprom_put(board, 0x5A));
    eeprom_stop(board);
    tigon_board_poke32(board, 0x4000, 0x24021234); /* addiu v0, zero, 0x1234 */
    tigon_board_poke32(board, 0x4004, 0x0000000D); /* halt */
    assert_true(tigon_board_poke_scratchpad(board, 1, 0x00C01000, 77));
    set_reg(board, 0x144, 0x4000);
    set_reg(board, 0x140, 0);
    set_reg(board, 0x208, 0x0254);
    pass_ns(bench, 10000);
    assert_int_equal(reg(board, 0x188), 0x1234);
    bring_up(board);
    queue_dma(board, TIGON_DMA_WRITE, 4096, 0x4000, 4, WRITE_WORDS);
    host[0] = 99;
    for (unsigned i = 0; i < 2; i++) { /* also when it had no power for a while */
        tigon_board_cycle_power(board);
        pass_ns(bench, 10000);
        assert_true(tigon_board_alive(board));
        assert_int_equal(host[0], 99); /* the transfer has ended with the power */
        assert_int_not_equal(tigon_board_peek32(board, 0x4000), 0x24021234);
        assert_true(tigon_board_peek_scratchpad(board, 1, 0x00C01000, &word));
        assert_int_not_equal(word, 77);
        assert_int_equal(reg(board, 0x188), 0);
        assert_int_equal(reg(board, 0x208), 0);
        assert_int_equal(reg(board, 0x140) >> 16 & 5, 5);
        eeprom_select(board, 0xFC0);
        eeprom_start(board);
        assert_true(eeprom_put(board, 0xA1));
        assert_int_equal(eeprom_get(board, false), 0x5A);
        eeprom_stop(board);
        tigon_board_kill(board);
    }
    bench_destroy(bench);
}

/* tigon2.md 3.7, 3.1, 9 step 10: start, HALT, registers, scratchpad port */
static void test_core_control(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    tigon_board_poke32(board, 0x4000, 0x24021234); /* addiu v0, zero, 0x1234 */
    tigon_board_poke32(board, 0x4004, 0x0000000D); /* halt */
    set_reg(board, 0x144, 0x4000);
    assert_int_equal(reg(board, 0x144), 0x4000);
    set_reg(board, 0x140, reg(board, 0x140) & ~0x00010002u);
    assert_int_equal(reg(board, 0x140) & 0x00FF0000, 0);
    set_reg(board, 0x144, 0x8000); /* ignored while it runs (14 row 19) */
    pass_ns(bench, 1000);
    assert_int_equal(reg(board, 0x140) & 0x00FF0000, 0x00040000 | (reg(board, 0x140) & 0x10000));
    assert_int_equal(reg(board, 0x188), 0x1234);
    set_reg(board, 0x188, 7); /* read-only here */
    assert_int_equal(reg(board, 0x188), 0x1234);
    /* Core B, through its own set of registers. */
    set_reg(board, 0x244, 0x4000);
    set_reg(board, 0x240, 0);
    pass_ns(bench, 1000);
    assert_int_equal(reg(board, 0x288), 0x1234);
    assert_true(reg(board, 0x240) & 1u << 18);
    /* Scratchpad by 154/158. */
    set_reg(board, 0x154, 0x00C00010);
    set_reg(board, 0x158, 0xCAFEF00D);
    set_reg(board, 0x154, 0x00C00014);
    assert_int_equal(reg(board, 0x158), 0);
    set_reg(board, 0x154, 0x00C00010);
    assert_int_equal(reg(board, 0x158), 0xCAFEF00D);
    set_reg(board, 0x254, 0x00C00010);
    assert_int_equal(reg(board, 0x258), 0); /* B has its own at the same address */
    bench_destroy(bench);
}

/* tigon2.md 15 item 3, from the device side: HW[150] reaches the memory */
static void test_stack_relocation(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    set_reg(board, 0x150, 0x00BFF000u - 0x12F000u);
    tigon_board_poke32(board, 0x4000, 0x3C0200BF); /* lui v0, 0x00BF */
    tigon_board_poke32(board, 0x4004, 0x3442FFF0); /* ori v0, v0, 0xFFF0 */
    tigon_board_poke32(board, 0x4008, 0xAC420000); /* sw v0, 0(v0) */
    tigon_board_poke32(board, 0x400C, 0x0000000D);
    set_reg(board, 0x144, 0x4000);
    set_reg(board, 0x140, 0);
    pass_ns(bench, 1000);
    assert_int_equal(tigon_board_peek32(board, 0x00BFFFF0u - reg(board, 0x150)), 0x00BFFFF0);
    bench_destroy(bench);
}

/* tigon2.md 3.2: hard reset gives the reset values back, SRAM survives */
static void test_hard_reset(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    set_reg(board, 0x060, 0x80);
    set_reg(board, 0x048, 1);
    set_reg(board, 0x058, 50);
    tigon_board_poke32(board, 0x5000, 0x12345678);
    queue_dma(board, TIGON_DMA_READ, 4096, 0x6000, 64, READ_BYTES);
    pass_ns(bench, 200);
    set_reg(board, 0x040, 0x08000008);
    assert_int_equal(reg(board, 0x040), 0x60000000);
    assert_int_equal(reg(board, 0x060), 0);
    assert_int_equal(reg(board, 0x048), 0);
    assert_int_equal(reg(board, 0x0B0), 0);
    assert_int_equal(reg(board, 0x0D0), 0);
    pass_ns(bench, 200000);
    assert_int_equal(reg(board, 0x060), 0);
    assert_int_equal(tigon_board_peek32(board, 0x5000), 0x12345678);
    bench_destroy(bench);
}

/* PCI 2.2, 6.2: configuration space is reset by the slot. Drivers reset the board after they have
 * configured it (LNXC, BSDDRV), so HW[040] keeps it. */
static void test_configuration_survives_hard_reset(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    const uint32_t status = reg(board, 0x004) & 0xFFFF0000u;
    set_reg(board, 0x004, 0xFFFF);
    assert_int_equal(reg(board, 0x004), status | 0x0356);
    set_reg(board, 0x00C, 0x4010);
    set_reg(board, 0x010, 0xFEBF8000);
    set_reg(board, 0x03C, 11);
    set_reg(board, 0x040, 0x08000008);
    assert_int_equal(reg(board, 0x004), status | 0x0356);
    assert_int_equal(reg(board, 0x00C), 0x4010);
    assert_int_equal(reg(board, 0x010), 0xFEBF8000);
    assert_int_equal(reg(board, 0x03C) & 0xFFu, 11);
    tigon_board_reset(board);
    assert_int_equal(reg(board, 0x004), 0x02A00006);
    assert_int_equal(reg(board, 0x010), 0xF0000000);
    bench_destroy(bench);
}

/* The fast path of register reads gives the same values as the general one. */
static void expect_views(struct tigon_board *board) {
    unsigned views = 0;
    for (uint32_t offset = 0; offset < TIGON_REGISTER_BYTES; offset += 4) {
        const struct tigon_register_view *view =
            &board->cpu[offset / 4 % 2].register_view[offset / 4];
        if (!view->word)
            continue;
        assert_int_equal((*view->word + *view->base + view->constant) & view->mask,
                         tigon_register_read(board, offset));
        views++;
    }
    assert_in_range(views, 70, 120);
}

/* tigon2.md 14 rows 19, 20, 22: no sequence of accesses from either side breaks the simulator
 * itself */
static void test_fuzzed_accesses(void **state) {
    (void)state;
    for (unsigned round = 0; round < 24; round++) {
        struct bench *bench = bench_make(2, (const char *const[]){"stop_on_fault=0", NULL});
        uint64_t random = round;
        if (round & 1) {
            bring_up(bench->board);
            bring_up(bench->peer);
            link_up(bench);
        }
        for (unsigned i = 0; i < 3000; i++) {
            struct tigon_board *board = random >> 63 ? bench->board : bench->peer;
            fuzz_seed(&random);
            uint32_t offset = (uint32_t)(random >> 33);
            fuzz_seed(&random);
            uint32_t value = (uint32_t)(random >> 32);
            fuzz_seed(&random);
            if (random >> 62 == 0)
                value &= 0xFFF;
            if (random >> 60 & 1)
                value = (value & 0x7FFFFF) | 0x100000;
            switch (random >> 57 & 7) {
            case 0:
                tigon_window_host_write(board, offset & 0x3FFF, value);
                break;
            case 1:
                tigon_window_host_read(board, offset & 0x3FFF);
                break;
            case 2:
                tigon_register_read(board, offset & 0x3FC);
                break;
            case 3:
                board->now = tigon_world_now_ticks(bench->world);
                if ((offset & 0x3FC) != 0x040)
                    set_reg(board, offset & 0x3FC, value);
                break;
            case 4: /* the parts with state machines more often */
                set_reg(board, 0x080 + (offset & 0x1FC) % 0xC0, value);
                break;
            case 5:
                set_reg(board, 0x200 + (offset & 0x3C), value & ~1u);
                break;
            default:
                tigon_world_run(bench->world, tigon_world_now_ns(bench->world) + (value & 0x3FF));
            }
            if (i % 64 == 0)
                expect_views(board);
        }
        expect_views(bench->board);
        expect_views(bench->peer);
        tigon_world_run(bench->world, tigon_world_now_ns(bench->world) + 100000);
        expect_views(bench->board);
        assert_true(strlen(tigon_world_report(bench->world)) > 0);
        bench_destroy(bench);
    }
}

int register_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset_values),
        cmocka_unit_test(test_bus_bits),
        cmocka_unit_test(test_unlisted_registers),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_event_words),
        cmocka_unit_test(test_timer),
        cmocka_unit_test(test_timer_wrap),
        cmocka_unit_test(test_semaphore),
        cmocka_unit_test(test_eeprom_mac_address),
        cmocka_unit_test(test_eeprom_write),
        cmocka_unit_test(test_power_cycle),
        cmocka_unit_test(test_core_control),
        cmocka_unit_test(test_stack_relocation),
        cmocka_unit_test(test_hard_reset),
        cmocka_unit_test(test_configuration_survives_hard_reset),
        cmocka_unit_test(test_fuzzed_accesses),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
