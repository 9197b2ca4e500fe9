/* SPDX-License-Identifier: MIT */
/* tigon2.md 2.1, 3.3, 3.6, 8, 13 and 15.10: mailboxes, parts around the chip, PCI, quirks. */
#include "tests/acceptance/acceptance.h"

#include <string.h>

#define PHASE 0x3F000u

struct single {
    struct test *test;
    uint32_t argument;
};

/* ----------------------------------------------------------------------------------- Mailboxes */

static void await_phase(struct tigon_host *host, uint32_t phase) {
    while (sram_read(host, PHASE) != phase)
        tigon_host_sleep_ns(host, 2000);
}

static void go_on(struct tigon_host *host) {
    (void)tigon_host_read32(host, 0x040); /* the write has arrived */
    sram_write(host, PHASE, 0);
}

static void note_line(struct test *test, struct tigon_host *host, const char *when) {
    (void)tigon_host_read32(host, 0x040); /* the write has arrived */
    note(test, "host: line %s: %s", when, tigon_host_wait_interrupt(host, 100000) ? "up" : "down");
}

static int host_of_mailboxes(struct tigon_host *host, void *context) {
    struct test *test = context;
    uint64_t words;
    load(host, "mailbox");
    uint8_t *memory = tigon_host_allocate(host, 4096, &words);
    if (!memory)
        broken("no host memory");
    for (uint32_t i = 0; i < 64; i++)
        memcpy(memory + 4u * i, &(uint32_t){0xDD00u | i}, 4);
    argument(host, 0, (uint32_t)words);
    start(host);
    await_phase(host, 1);
    tigon_host_write32(host, 0x504 + 8 * 5, 0x12345678);
    await_phase(host, 2);
    for (uint32_t i = 32; i-- > 0;)
        tigon_host_write32(host, 0x504 + 8 * i, 0xAB00u | i);
    go_on(host);
    await_phase(host, 3);
    for (uint32_t i = 0; i < 32; i++) {
        tigon_host_write32(host, 0x500 + 8 * i, 0xCC00u | i);
        sram_write(host, 0x104 + 8 * i, 0xEE00u | i);
    }
    go_on(host);
    note_line(test, host, "after the firmware's interrupt");
    await_phase(host, 4);
    tigon_host_write32(host, 0x504 + 8, 1);
    note_line(test, host, "after mailbox 1");
    go_on(host);
    await_phase(host, 5);
    tigon_host_write32(host, 0x504, 1);
    note_line(test, host, "after mailbox 0");
    go_on(host);
    await_phase(host, 6);
    note_line(test, host, "raised again");
    tigon_host_write32(host, 0x040, 0x22000022);
    note_line(test, host, "after bit 1 of HW[040]");
    go_on(host);
    await_phase(host, 7);
    tigon_host_write32(host, 0x040, 0x60000060);
    go_on(host);
    await_phase(host, 8);
    note_line(test, host, "masked");
    go_on(host);
    wait_stopped(host, 0x140);
    print_log(test, host);
    return 0;
}

static void test_mailboxes(struct test *test) {
    world_make(test, 1, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_mailboxes, test);
    world_run(test, 200);
}

const struct acceptance host_tests[] = {
    {"15.10", "a mailbox write sets HW[064] and event 22, mailbox 0 drops the interrupt", "mailbox",
     test_mailboxes},
    {NULL, NULL, NULL, NULL},
};

/* ------------------------------------------------------------------------------ Around the chip */

static void leds_change(void *context, const struct tigon_board *board, enum tigon_signal signal,
                        uint32_t value, uint64_t ticks) {
    (void)board;
    (void)ticks;
    if (signal == TIGON_SIGNAL_LEDS)
        note(context, "signal %s: 0x%02X", tigon_signal_name(signal), value);
}

static int host_of_parts(struct tigon_host *host, void *context) {
    const struct single *single = context;
    load(host, "parts");
    argument(host, 0, single->argument);
    start(host);
    wait_stopped(host, 0x140);
    print_log(single->test, host);
    return 0;
}

static int host_of_partner(struct tigon_host *host, void *context) {
    (void)context;
    tigon_host_write32(host, 0x040, 0x08000008);
    tigon_host_write32(host, 0x040, 0x22000022);
    tigon_host_write32(host, 0x238, 0xE01);
    (void)tigon_host_read32(host, 0x040);
    return 0;
}

static void parts_world(struct test *test, uint32_t what, const char *knob) {
    struct single single = {test, what};
    note(test, "%s", knob);
    world_make(test, 2, (const char *const[]){knob, NULL});
    tigon_world_set_signal_hook(test->world, leds_change, test);
    (void)tigon_host_start(host_of(test, 1), "partner", host_of_partner, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_parts, &single);
    world_run(test, 200);
    world_end(test);
}

static void test_parts(struct test *test) {
    parts_world(test, 1, "board_kind=netgear_fibre");
}

static void test_phy(struct test *test) {
    parts_world(test, 2, "board_kind=netgear_copper");
    parts_world(test, 2, "transceiver=external");
}

/* Code in the boot PROM, started by the host. */
static int host_of_prom(struct tigon_host *host, void *context) {
    static const uint8_t code[] = {
        0x3C, 0x02, 0x00, 0x03, /* lui $2, 3 */
        0x24, 0x03, 0x12, 0x34, /* addiu $3, $0, 0x1234 */
        0xAC, 0x43, 0x00, 0x10, /* sw $3, 16($2) */
        0x00, 0x00, 0x00, 0x0D, /* HALT */
    };
    struct test *test = context;
    size_t size;
    uint8_t *prom = tigon_board_prom(tigon_host_board(host), &size);
    note(test, "boot PROM: %zu bytes", size);
    tigon_host_write32(host, 0x144, 0x40000000);
    start(host);
    wait_stopped(host, 0x140);
    note(test, "empty: state 0x%08X, program counter 0x%08X", tigon_host_read32(host, 0x140),
         tigon_host_read32(host, 0x144));
    memcpy(prom + 0x100, code, sizeof code);
    tigon_host_write32(host, 0x144, 0x40000100);
    start(host);
    wait_stopped(host, 0x140);
    note(test, "with code: state 0x%08X, SRAM 0x30010 0x%X", tigon_host_read32(host, 0x140),
         sram_read(host, 0x30010));
    return 0;
}

static void test_prom(struct test *test) {
    world_make(test, 1, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_prom, test);
    world_run(test, 200);
}

/* --------------------------------------------------------------------------------- PCI, quirks */

static int host_of_identity(struct tigon_host *host, void *context) {
    struct test *test = context;
    note(test, "  id 0x%08X class 0x%08X subsystem 0x%08X, HW[05C] 0x%08X",
         tigon_host_read32(host, 0x000), tigon_host_read32(host, 0x008),
         tigon_host_read32(host, 0x02C), tigon_host_read32(host, 0x05C));
    return 0;
}

static void test_identity(struct test *test) {
    static const char *const knobs[] = {
        "board_kind=alteon_fibre", "board_kind=alteon_copper",  "board_kind=farallon_copper",
        "board_kind=3com_fibre",   "board_kind=netgear_fibre",  "board_kind=netgear_copper",
        "board_kind=sgi_fibre",    "board_kind=farallon_fibre", "bus_kind=64/33",
        "bus_kind=32/33"};
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        note(test, "%s", knobs[i]);
        world_make(test, 1, (const char *const[]){knobs[i], NULL});
        (void)tigon_host_start(host_of(test, 0), "host", host_of_identity, test);
        world_run(test, 100);
    }
}

static int host_of_quirks(struct tigon_host *host, void *context) {
    struct test *test = context;
    unsigned stray = 0;
    tigon_host_write32(host, 0x040, 0x08000008);
    tigon_host_write32(host, 0x040, 0x22000022);
    note(test, "  after reset: A 0x%08X, B 0x%08X", tigon_host_read32(host, 0x140),
         tigon_host_read32(host, 0x240));
    tigon_host_write32(host, 0x618, 0x4000021C);
    tigon_host_write32(host, 0x044, 0x200);
    tigon_host_write32(host, 0x050, 0x00100000);
    note(test, "  operating mode, then bank size and timing: 0x%08X",
         tigon_host_read32(host, 0x618));
    tigon_host_write32(host, 0x600, 0);
    tigon_host_write32(host, 0x604, 0);
    tigon_host_write32(host, 0x600, 0x5555AAAA);
    note(test, "  0x600 written, 0x604 reads 0x%08X", tigon_host_read32(host, 0x604));
    tigon_host_write32(host, 0x05C, 0x00100000);
    tigon_host_write32(host, 0x604, 0);
    tigon_host_write32(host, 0x600, 0x5555AAAA);
    note(test, "  and with bit 20 of HW[05C] 0x%08X", tigon_host_read32(host, 0x604));
    tigon_host_write32(host, 0x154, 0x00C00040);
    tigon_host_write32(host, 0x158, 7);
    for (unsigned i = 0; i < 100; i++)
        stray += tigon_host_read32(host, 0x158) == 0x00C0017C;
    note(test, "  scratchpad reads gone astray: %u of 100", stray);
    return 0;
}

static void test_quirks(struct test *test) {
    static const char *const knobs[] = {"quirk_bank_write=0", "quirk_bank_write=1",
                                        "quirk_64_bit_slot=1", "quirk_scratchpad_read=25"};
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        note(test, "%s", knobs[i]);
        world_make(test, 1, (const char *const[]){knobs[i], NULL});
        (void)tigon_host_start(host_of(test, 0), "host", host_of_quirks, test);
        world_run(test, 100);
    }
}

const struct acceptance part_tests[] = {
    {"3.3", "EEPROM with the MAC address, LEDs, flash, no PHY on a fibre board", "parts",
     test_parts},
    {"3.3", "MII: the PHY of a copper board, none with an external SERDES", "phy", test_phy},
    {"2.1", "code in the boot PROM", "prom", test_prom},
    {"8", "PCI identification of each board, bus bits", "identity", test_identity},
    {"13", "quirks of the silicon, off and on", "quirks", test_quirks},
    {NULL, NULL, NULL, NULL},
};
