/* SPDX-License-Identifier: MIT */
/*
 * tigon2.md 3, register by register: the value of each word of 0x000-0x3FC after reset, and after
 * writing all ones (but reset and byte swap of chip and cores) and all zeros, each on a board of
 * its own. "clears" are the bits that writing 1 clears: they were raised as the chip raises them,
 * and survive a write of 0.
 *
 * The columns are measured by host accesses; a second test shows that a core sees the same.
 */
#include "tests/acceptance/acceptance.h"

#include "sim/chip/board.h"

#include <string.h>

#define WORDS 256u
#define ONES  0xFFFFFFFFu

enum { RESET, AFTER_ONES, AFTER_ZEROS, RAISED, RAISED_ZEROS, RAISED_ONES, COLUMNS };

struct probe {
    uint32_t offset;
    uint32_t found[COLUMNS];
    unsigned column;
};

/* Whatever sets bits that software clears by writing 1. */
static void raise_everything(struct tigon_board *board) {
    for (unsigned mailbox = 0; mailbox < 32; mailbox++)
        tigon_mailbox_raise(board, mailbox);
    tigon_receive_raise(board, TIGON_RECEIVE_ATTENTIONS);
    TIGON_WORD(board, TIGON_TRANSMIT_STATE) |= TIGON_TRANSMIT_ATTENTIONS;
    tigon_pci_master_aborted(board);
    tigon_board_changed(board);
}

/* Left out, because their effects would hide those of the other bits. */
static uint32_t left_out(uint32_t offset) {
    switch (offset) {
    case TIGON_HOST_CONTROL:
        return 1u << 3 | 1u << 4; /* hard reset; byte swap, which would affect the read, too */
    case TIGON_CPU_STATE:
    case TIGON_CPU_STATE + 0x100:
        return 1u;
    default:
        return 0;
    }
}

static int host_of_probe(struct tigon_host *host, void *context) {
    struct probe *probe = context;
    const unsigned column = probe->column;
    if (column >= RAISED)
        raise_everything(tigon_host_board(host));
    if (column == AFTER_ONES || column == RAISED_ONES)
        tigon_host_write32(host, probe->offset, ONES & ~left_out(probe->offset));
    if (column == AFTER_ZEROS || column == RAISED_ZEROS)
        tigon_host_write32(host, probe->offset, 0);
    probe->found[column] = tigon_host_read32(host, probe->offset);
    return 0;
}

static void measure(struct test *test, struct probe *probe) {
    for (probe->column = 0; probe->column < COLUMNS; probe->column++) {
        world_make(test, 1,
                   (const char *const[]){"host_read_ns=0", "host_write_ns=0",
                                         "host_write_arrival_ns=0", "stop_on_fault=0",
                                         "host_memory_bytes=64K", NULL});
        tigon_world_set_log_hook(test->world, NULL, NULL);
        (void)tigon_host_start(host_of(test, 0), "probe", host_of_probe, probe);
        world_run(test, 1);
    }
}

static void test_table(struct test *test) {
    note(test, "offset  reset     ones      zeros     clears    register");
    for (uint32_t offset = 0; offset < 4u * WORDS; offset += 4) {
        struct probe probe = {.offset = offset};
        const struct tigon_register_description *row = tigon_register_describe(offset);
        measure(test, &probe);
        const uint32_t clears = probe.found[RAISED] & probe.found[RAISED_ZEROS] &
                                ~probe.found[RAISED_ONES] & ~probe.found[RESET];
        if (!row && !(probe.found[RESET] | probe.found[AFTER_ONES]))
            continue; /* reads 0, ignores writes */
        note(test, "%03X     %08X  %08X  %08X  %08X  %s", offset, probe.found[RESET],
             probe.found[AFTER_ONES], probe.found[AFTER_ZEROS], clears, row ? row->name : "WRONG");
    }
    note(test, "all others read 0 and ignore writes");
}

static int host_of_view(struct tigon_host *host, void *context) {
    struct test *test = context;
    unsigned same = 0;
    load(host, "view");
    start(host);
    wait_stopped(host, 0x140);
    for (uint32_t offset = 0; offset < 4u * WORDS; offset += 4) {
        const uint32_t core = sram_read(host, 0x30000 + offset);
        const uint32_t own = tigon_host_read32(host, offset);
        if (core == own)
            same++;
        else
            note(test, "HW[%03X] %s", offset, tigon_register_describe(offset)->name);
    }
    note(test, "all others, %u of %u, are the same", same, WORDS);
    note(test, "0x1000 to 0x3FFC read 0x%X",
         tigon_host_read32(host, 0x1000) | tigon_host_read32(host, 0x2000) |
             tigon_host_read32(host, 0x3FFC));
    return 0;
}

static void test_view(struct test *test) {
    world_make(test, 1, NULL);
    tigon_world_set_log_hook(test->world, NULL, NULL);
    note(test, "CPU A while it ran and the host once it stopped see different values of");
    (void)tigon_host_start(host_of(test, 0), "host", host_of_view, test);
    world_run(test, 200);
}

const struct acceptance register_tests[] = {
    {"3", "registers 0x000-0x3FC: reset value, what writes change, what writing 1 clears",
     "registers", test_table},
    {"3", "registers as a core sees them and as the host does", "view", test_view},
    {NULL, NULL, NULL, NULL},
};
