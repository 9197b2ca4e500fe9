/* SPDX-License-Identifier: MIT */
/* See driver.h. Start-up in the order of tigon2.md 9. */
#include "tests/ethernet/driver.h"

#include "tests/ethernet/firmware/registers.h"

#define WINDOW        0x800u
#define WINDOW_MASK   0x7FFu
#define SCRATCHPAD    0x00C00000u
#define SCRATCHPAD_AT 0x154u /* address, and the word at + 4 */
#define SRAM_CLEARED  0x2000u
#define SRAM_LEAST    0x80000u
#define BANK_SIZE     0x200u
#define REVISION      6u

struct ethernet_options ethernet_defaults(void) {
    return (struct ethernet_options){
        .mtu = 1514,
        .buffers = 256,
        .refill = 16,
        .transmit_share = 21,
        .receive_ticks = 30,
        .receive_descriptors = 16,
        .send_ticks = 400,
        .send_descriptors = 64,
        .link = ETHERNET_LINK_USUAL,
    };
}

static int reset(struct ethernet *ethernet) {
    struct tigon_host *host = ethernet->host;
    tigon_host_write32(host, HOST_CONTROL, 0x08000008);
    tigon_host_sleep_ns(host, 1000000);
    tigon_host_write32(host, HOST_CONTROL, 0x22000022);
    /* The boot ROM runs on core A after reset and then halts (tigon2.md 9, step 2). */
    for (int i = 0; i < 500; i++) {
        const uint32_t state = tigon_host_read32(host, CPU_A_STATE);
        if ((state & CPU_ROM_FAILED) != 0)
            return ethernet_fail(ethernet, "the boot ROM failed");
        if ((state & CPU_HALTED) != 0)
            return tigon_host_read32(host, HOST_CONTROL) >> 28 == REVISION
                       ? 0
                       : ethernet_fail(ethernet, "the chip is no Tigon2");
        tigon_host_sleep_ns(host, 1000000);
    }
    return ethernet_fail(ethernet, "the boot ROM did not come to its end");
}

static void halt_and_configure(struct tigon_host *host) {
    tigon_host_write32(host, CPU_A_STATE, CPU_HALT);
    tigon_host_write32(host, SHARED_HOST + MAILBOX(MAILBOX_INTERRUPT), 0);
    tigon_host_write32(host, CPU_B_STATE, CPU_HALT);
    tigon_host_write32(host, LOCAL_CONTROL, BANK_SIZE);
    tigon_host_write32(host, CONFIGURATION, 0x00100000);
    const uint32_t bus = tigon_host_read32(host, PCI_STATE) & 0x00180000;
    tigon_host_write32(host, PCI_STATE, 0x76020000 | bus);
}

/* Bits of the serial EEPROM on HW[044] (tigon2.md 3.3): an AT24C32. */
#define EEPROM_CLOCK 0x00100000u
#define EEPROM_DRIVE 0x00200000u
#define EEPROM_OUT   0x00400000u
#define EEPROM_IN    0x00800000u

static void eeprom_lines(struct tigon_host *host, uint32_t lines) {
    tigon_host_write32(host, LOCAL_CONTROL, BANK_SIZE | lines);
    tigon_host_spend_ns(host, 1000);
}

static void eeprom_start(struct tigon_host *host) {
    eeprom_lines(host, EEPROM_DRIVE | EEPROM_OUT | EEPROM_CLOCK);
    eeprom_lines(host, EEPROM_DRIVE | EEPROM_CLOCK);
    eeprom_lines(host, EEPROM_DRIVE);
}

static void eeprom_stop(struct tigon_host *host) {
    eeprom_lines(host, EEPROM_DRIVE);
    eeprom_lines(host, EEPROM_DRIVE | EEPROM_CLOCK);
    eeprom_lines(host, EEPROM_DRIVE | EEPROM_CLOCK | EEPROM_OUT);
}

/* True when the EEPROM acknowledged. */
static bool eeprom_put(struct tigon_host *host, unsigned byte) {
    for (int bit = 7; bit >= 0; bit--) {
        const uint32_t out = EEPROM_DRIVE | ((byte >> bit & 1) != 0 ? EEPROM_OUT : 0);
        eeprom_lines(host, out);
        eeprom_lines(host, out | EEPROM_CLOCK);
        eeprom_lines(host, out);
    }
    eeprom_lines(host, 0);
    eeprom_lines(host, EEPROM_CLOCK);
    const bool acknowledged = (tigon_host_read32(host, LOCAL_CONTROL) & EEPROM_IN) == 0;
    eeprom_lines(host, 0);
    return acknowledged;
}

static uint8_t eeprom_get(struct tigon_host *host, bool more) {
    unsigned byte = 0;
    for (int bit = 0; bit < 8; bit++) {
        eeprom_lines(host, EEPROM_CLOCK);
        byte = byte << 1 | ((tigon_host_read32(host, LOCAL_CONTROL) & EEPROM_IN) != 0 ? 1 : 0);
        eeprom_lines(host, 0);
    }
    const uint32_t answer = EEPROM_DRIVE | (more ? 0 : EEPROM_OUT);
    eeprom_lines(host, answer);
    eeprom_lines(host, answer | EEPROM_CLOCK);
    eeprom_lines(host, answer);
    return (uint8_t)byte;
}

static int read_address(struct ethernet *ethernet) {
    struct tigon_host *host = ethernet->host;
    eeprom_start(host);
    bool answers = eeprom_put(host, 0xA0) && eeprom_put(host, 0x00) && eeprom_put(host, 0x8E);
    eeprom_start(host);
    answers = answers && eeprom_put(host, 0xA1);
    if (!answers)
        return ethernet_fail(ethernet, "the EEPROM does not answer");
    for (int i = 0; i < 6; i++)
        ethernet->address[i] = eeprom_get(host, i < 5);
    eeprom_stop(host);
    tigon_host_write32(host, LOCAL_CONTROL, BANK_SIZE);
    return 0;
}

/* SRAM through the window of 2 kB; image bytes are big-endian words. NULL: zeros. */
static void copy(struct tigon_host *host, uint32_t address, const uint8_t *bytes, size_t length) {
    uint32_t words[512];
    for (size_t at = 0; at < length;) {
        const uint32_t offset = (address + (uint32_t)at) & WINDOW_MASK;
        const uint32_t first = address + (uint32_t)at;
        size_t count = 0;
        while (count < (0x800 - offset) / 4 && at < length) {
            uint32_t word = 0;
            for (size_t i = 0; i < 4; i++)
                word = word << 8 | (bytes != NULL && at + i < length ? bytes[at + i] : 0);
            words[count++] = word;
            at += 4;
        }
        if (address >= SCRATCHPAD) {
            for (size_t i = 0; i < count; i++) {
                tigon_host_write32(host, SCRATCHPAD_AT, first + 4 * (uint32_t)i);
                tigon_host_write32(host, SCRATCHPAD_AT + 4, words[i]);
            }
        } else {
            tigon_host_write32(host, WINDOW_BASE, first - offset);
            tigon_host_write_block(host, WINDOW + offset, words, count);
        }
    }
}

static void load(struct ethernet *ethernet, const struct image *image) {
    /* Never more than the smallest board has: it would come round (tigon2.md 13, item 2). */
    copy(ethernet->host, SRAM_CLEARED, NULL, SRAM_LEAST - SRAM_CLEARED);
    for (size_t i = 0; i < image->count; i++)
        copy(ethernet->host, image->segments[i].address, image->segments[i].bytes,
             image->segments[i].length);
}

void ethernet_set_address(struct ethernet *ethernet, const uint8_t mac[6]) {
    ethernet_set_shared(ethernet, SHARED_ADDRESS_HIGH, (uint32_t)mac[0] << 8 | mac[1]);
    ethernet_set_shared(ethernet, SHARED_ADDRESS_LOW,
                        (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 |
                            mac[5]);
}

static void fill_shared(struct ethernet *ethernet) {
    const struct ethernet_options *options = &ethernet->options;
    const uint32_t words[][2] = {
        {SHARED_MODE, MODE_USUAL | options->mode},
        {SHARED_INFORMATION_HIGH, (uint32_t)(ethernet->block_bus >> 32)},
        {SHARED_INFORMATION_LOW, (uint32_t)ethernet->block_bus},
        {SHARED_DMA_READ, 0x80},
        {SHARED_DMA_WRITE, 0x80},
        {SHARED_TRANSMIT_SHARE, options->transmit_share},
        {SHARED_EVENT_CONSUMER, 0},
        {SHARED_COMMAND_CONSUMER, 0},
        {SHARED_RECEIVE_TICKS, options->receive_ticks},
        {SHARED_SEND_TICKS, options->send_ticks},
        {SHARED_STATISTICS_TICKS, 1000000},
        {SHARED_SEND_DESCRIPTORS, options->send_descriptors},
        {SHARED_RECEIVE_DESCRIPTORS, options->receive_descriptors},
        {SHARED_TRACE, 0},
        {SHARED_LINK, options->link},
        {SHARED_SLOW_LINK,
         LINK_ENABLE | LINK_NEGOTIATE | LINK_FULL | LINK_HALF | LINK_100 | LINK_10},
        {SHARED_INDEX, 1},
        {SHARED_MTU, options->mtu},
        {SHARED_MASK_INTERRUPTS, options->polling},
        {SHARED_RETURN_CONSUMER, 0},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ethernet_set_shared(ethernet, words[i][0], words[i][1]);
    for (uint32_t i = 0; i < COMMANDS; i++)
        ethernet_set_shared(ethernet, SHARED_COMMANDS + 4 * i, 0);
    for (uint32_t i = 0; i <= MAILBOX_MINI; i++)
        ethernet_mailbox(ethernet, i, 0);
    ethernet_set_address(ethernet, ethernet->address);
}

/* What the host says once the firmware is up, in the order of the public drivers. */
static int say_host_is_up(struct ethernet *ethernet) {
    bool taken = ethernet_command(ethernet, COMMAND_UPDATE_SHARED, 0) &&
                 ethernet_command(ethernet, COMMAND_SET_ADDRESS, 0) &&
                 ethernet_command(ethernet, COMMAND_PROMISCUOUS, 2) &&
                 ethernet_command(ethernet, COMMAND_ALL_GROUPS, 2);
    ethernet_post_buffers(ethernet);
    taken = taken && ethernet_command(ethernet, COMMAND_HOST_STATE, 1) &&
            ethernet_command(ethernet, COMMAND_NEGOTIATE, 0);
    return taken ? 0 : -1;
}

int ethernet_open(struct ethernet *ethernet, struct tigon_host *host,
                  const struct ethernet_options *options, const struct image *image,
                  uint64_t limit_ns) {
    *ethernet = (struct ethernet){.host = host, .options = *options};
    if (reset(ethernet) < 0)
        return -1;
    tigon_host_release_memory(host);
    halt_and_configure(host);
    if (read_address(ethernet) < 0 || ethernet_make_rings(ethernet) < 0)
        return -1;
    load(ethernet, image);
    fill_shared(ethernet);
    tigon_host_write32(host, ASSIST_STATE, 1);
    tigon_host_write32(host, CPU_A_COUNTER, image->start);
    const uint64_t begun_ns = tigon_host_now_ns(host);
    tigon_host_write32(host, CPU_A_STATE, tigon_host_read32(host, CPU_A_STATE) & ~CPU_HALT & ~2u);
    if (!ethernet_await_event(ethernet, EVENT_UP, 1, limit_ns))
        return ethernet_fail(ethernet, "no event 1 within %u ms", (unsigned)(limit_ns / 1000000));
    ethernet->up_ns = tigon_host_now_ns(host) - begun_ns;
    return say_host_is_up(ethernet);
}
