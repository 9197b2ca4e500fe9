/* See driver.h. Start-up in the order of tigon2.md 9. */
#include "tests/ethernet/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ethernet/firmware/registers.h"

#define WINDOW      0x800u
#define WINDOW_MASK 0x7FFu
#define LOAD        0x4000u

static uint32_t shared_memory(uint32_t address) {
    return 0x400 + address;
}

static int fail(struct ethernet *ethernet, const char *what) {
    snprintf(ethernet->error, sizeof ethernet->error, "%s", what);
    return -1;
}

static void reset(struct tigon_host *host) {
    tigon_host_write32(host, HOST_CONTROL, 0x08000008);
    tigon_host_sleep_ns(host, 1000000);
    tigon_host_write32(host, HOST_CONTROL, 0x22000022);
}

/* The boot ROM runs on core A after reset and then halts (tigon2.md 9, step 2). */
static bool rom_done(struct tigon_host *host) {
    for (int i = 0; i < 500; i++) {
        const uint32_t state = tigon_host_read32(host, CPU_A_STATE);
        if ((state & CPU_ROM_FAILED) != 0)
            return false;
        if ((state & CPU_HALTED) != 0)
            return true;
        tigon_host_sleep_ns(host, 1000000);
    }
    return false;
}

static void halt_and_configure(struct tigon_host *host) {
    tigon_host_write32(host, CPU_A_STATE, CPU_HALT);
    tigon_host_write32(host, 0x400 + MAILBOX(MAILBOX_INTERRUPT), 0);
    tigon_host_write32(host, CPU_B_STATE, CPU_HALT);
    tigon_host_write32(host, LOCAL_CONTROL, 0x200);
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
    tigon_host_write32(host, LOCAL_CONTROL, 0x200 | lines);
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

static bool read_address(struct tigon_host *host, uint8_t address[6]) {
    eeprom_start(host);
    if (!eeprom_put(host, 0xA0) || !eeprom_put(host, 0x00) || !eeprom_put(host, 0x8E))
        return false;
    eeprom_start(host);
    if (!eeprom_put(host, 0xA1))
        return false;
    for (int i = 0; i < 6; i++)
        address[i] = eeprom_get(host, i < 5);
    eeprom_stop(host);
    return true;
}

/* SRAM through the window of 2 kB; image bytes are big-endian words. */
static void copy(struct tigon_host *host, uint32_t address, const uint8_t *bytes, size_t length) {
    uint32_t words[512];
    for (size_t at = 0; at < length;) {
        const uint32_t offset = (address + (uint32_t)at) & WINDOW_MASK;
        size_t count = 0;
        tigon_host_write32(host, WINDOW_BASE, address + (uint32_t)at - offset);
        while (count < (0x800 - offset) / 4 && at < length) {
            uint32_t word = 0;
            for (size_t i = 0; i < 4; i++)
                word = word << 8 | (bytes != NULL && at + i < length ? bytes[at + i] : 0);
            words[count++] = word;
            at += 4;
        }
        tigon_host_write_block(host, WINDOW + offset, words, count);
    }
}

static int load(struct ethernet *ethernet, const char *path) {
    static const size_t limit = 0xC000;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(ethernet->error, sizeof ethernet->error, "cannot open %s", path);
        return -1;
    }
    uint8_t *bytes = malloc(limit);
    const size_t length = bytes == NULL ? 0 : fread(bytes, 1, limit, file);
    fclose(file);
    if (length == 0 || length == limit) {
        free(bytes);
        return fail(ethernet, "the image is empty or too long");
    }
    copy(ethernet->host, 0x2000, NULL, 0x80000 - 0x2000);
    copy(ethernet->host, LOAD, bytes, length);
    free(bytes);
    return 0;
}

static void *allocate(struct ethernet *ethernet, size_t bytes, uint64_t *bus) {
    return tigon_host_allocate(ethernet->host, bytes, bus);
}

static int allocate_rings(struct ethernet *ethernet) {
    const uint32_t entries = ethernet->options.ring_entries;
    const size_t ring = (size_t)entries * 4 * ENTRY_WORDS;
    /* Whole multiples of 8 plus the skew keep each slot as odd as the first. */
    ethernet->slot_bytes = (ethernet->options.longest + 4 + 8 + 7) / 8 * 8;
    ethernet->sends = allocate(ethernet, ring, &ethernet->sends_bus);
    ethernet->buffers = allocate(ethernet, ring, &ethernet->buffers_bus);
    ethernet->returns = allocate(ethernet, ring, &ethernet->returns_bus);
    ethernet->report = allocate(ethernet, 4 * REPORT_WORDS, &ethernet->report_bus);
    ethernet->block = allocate(ethernet, 4 * BLOCK_WORDS, &ethernet->block_bus);
    ethernet->send_memory = allocate(ethernet, entries * ethernet->slot_bytes, &ethernet->send_bus);
    ethernet->buffer_memory =
        allocate(ethernet, entries * ethernet->slot_bytes, &ethernet->buffer_bus);
    return ethernet->buffer_memory == NULL || ethernet->send_memory == NULL ||
                   ethernet->block == NULL
               ? fail(ethernet, "out of host memory")
               : 0;
}

static void put_address(uint32_t *words, uint64_t bus) {
    words[0] = (uint32_t)(bus >> 32);
    words[1] = (uint32_t)bus;
}

static void fill_block(struct ethernet *ethernet) {
    uint32_t *block = ethernet->block;
    put_address(block + BLOCK_SENDS_HIGH, ethernet->sends_bus);
    put_address(block + BLOCK_BUFFERS_HIGH, ethernet->buffers_bus);
    put_address(block + BLOCK_RETURNS_HIGH, ethernet->returns_bus);
    put_address(block + BLOCK_REPORT_HIGH, ethernet->report_bus);
    block[BLOCK_SENDS] = ethernet->options.ring_entries;
    block[BLOCK_BUFFERS] = ethernet->options.ring_entries;
    block[BLOCK_RETURNS] = ethernet->options.ring_entries;
    block[BLOCK_OPTIONS] = ethernet->options.firmware;
    block[BLOCK_REPORT_US] = ethernet->options.report_us;
    block[BLOCK_LONGEST] = ethernet->options.longest;
}

static void post(struct ethernet *ethernet, uint32_t slot) {
    const uint32_t entry = ethernet->posted & (ethernet->options.ring_entries - 1);
    uint32_t *words = ethernet->buffers + (size_t)entry * ENTRY_WORDS;
    put_address(words,
                ethernet->buffer_bus + slot * ethernet->slot_bytes + ethernet->options.first);
    words[ENTRY_LENGTH] = ethernet->options.longest;
    words[ENTRY_COOKIE] = slot;
    ethernet->posted++;
}

static void mailbox(struct ethernet *ethernet, uint32_t number, uint32_t value) {
    tigon_host_write32(ethernet->host, shared_memory(MAILBOX(number)), value);
}

static uint32_t area(struct ethernet *ethernet, uint32_t address) {
    return tigon_host_read32(ethernet->host, shared_memory(address));
}

static void set_area(struct ethernet *ethernet, uint32_t address, uint32_t value) {
    tigon_host_write32(ethernet->host, shared_memory(address), value);
}

int ethernet_open(struct ethernet *ethernet, struct tigon_host *host,
                  const struct ethernet_options *options, const char *image) {
    *ethernet = (struct ethernet){.host = host, .options = *options};
    reset(host);
    if (!rom_done(host))
        return fail(ethernet, "the boot ROM did not come to its end");
    halt_and_configure(host);
    if (!read_address(host, ethernet->address))
        return fail(ethernet, "the EEPROM does not answer");
    tigon_host_write32(host, LOCAL_CONTROL, 0x200);
    if (load(ethernet, image) < 0 || allocate_rings(ethernet) < 0)
        return -1;
    fill_block(ethernet);
    for (uint32_t i = 0; i < 0x200; i += 4)
        set_area(ethernet, 0x200 + i, 0);
    const uint8_t *mac = ethernet->address;
    set_area(ethernet, AREA_ADDRESS_HIGH, (uint32_t)mac[0] << 8 | mac[1]);
    set_area(ethernet, AREA_ADDRESS_LOW,
             (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
    set_area(ethernet, AREA_BLOCK_HIGH, (uint32_t)(ethernet->block_bus >> 32));
    set_area(ethernet, AREA_BLOCK_LOW, (uint32_t)ethernet->block_bus);
    tigon_host_write32(host, CPU_A_COUNTER, LOAD);
    tigon_host_write32(host, CPU_A_STATE, 0);
    for (int i = 0; i < 100; i++) {
        const uint32_t state = area(ethernet, AREA_STATE);
        if (state == STATE_RUNNING) {
            for (uint32_t slot = 0; slot < options->ring_entries; slot++)
                post(ethernet, slot);
            mailbox(ethernet, MAILBOX_BUFFERS, ethernet->posted);
            return 0;
        }
        if (state != 0) {
            snprintf(ethernet->error, sizeof ethernet->error, "the firmware stopped with %08X",
                     (unsigned)state);
            return -1;
        }
        tigon_host_sleep_ns(host, 100000);
    }
    return fail(ethernet, "the firmware does not start");
}

bool ethernet_wait(struct ethernet *ethernet, uint64_t timeout_ns) {
    if (!tigon_host_wait_interrupt(ethernet->host, timeout_ns))
        return false;
    ethernet->interrupts++;
    ethernet->sequence = ethernet->report[REPORT_SEQUENCE];
    /* Drops the line. A report that came meanwhile makes the firmware raise it again. */
    mailbox(ethernet, MAILBOX_INTERRUPT, ethernet->sequence);
    /* Not before it has arrived: the line would still be up. */
    tigon_host_read32(ethernet->host, HOST_CONTROL);
    return true;
}

bool ethernet_link(const struct ethernet *ethernet) {
    return ethernet->report[REPORT_LINK] != 0;
}

bool ethernet_can_send(const struct ethernet *ethernet, unsigned pieces) {
    return ethernet->options.ring_entries - (ethernet->sent - ethernet->report[REPORT_SENT]) >=
           pieces;
}

bool ethernet_all_sent(const struct ethernet *ethernet) {
    return ethernet->sent == ethernet->report[REPORT_SENT];
}

bool ethernet_send(struct ethernet *ethernet, const void *frame, const uint32_t *cuts,
                   unsigned pieces) {
    if (!ethernet_can_send(ethernet, pieces))
        return false;
    /* Each piece lies in the memory of its own entry. */
    const uint8_t *bytes = frame;
    for (unsigned i = 0; i < pieces; i++) {
        const uint32_t entry = ethernet->sent++ & (ethernet->options.ring_entries - 1);
        const size_t place = entry * ethernet->slot_bytes + ethernet->options.first;
        uint32_t *words = ethernet->sends + (size_t)entry * ENTRY_WORDS;
        memcpy(ethernet->send_memory + place, bytes, cuts[i]);
        bytes += cuts[i];
        put_address(words, ethernet->send_bus + place);
        words[ENTRY_LENGTH] = cuts[i] | (i + 1 == pieces ? ENTRY_LAST : 0);
    }
    return true;
}

void ethernet_push(struct ethernet *ethernet) {
    mailbox(ethernet, MAILBOX_SENDS, ethernet->sent);
}

size_t ethernet_receive(struct ethernet *ethernet, const uint8_t **frame) {
    if (ethernet->report[REPORT_RETURNED] == ethernet->taken)
        return 0;
    const uint32_t entry = ethernet->taken & (ethernet->options.ring_entries - 1);
    const uint32_t *words = ethernet->returns + (size_t)entry * ENTRY_WORDS;
    *frame = ethernet->buffer_memory + words[RETURN_COOKIE] * ethernet->slot_bytes +
             ethernet->options.first;
    return words[RETURN_LENGTH];
}

void ethernet_release(struct ethernet *ethernet) {
    const uint32_t entry = ethernet->taken & (ethernet->options.ring_entries - 1);
    post(ethernet, ethernet->returns[(size_t)entry * ENTRY_WORDS + RETURN_COOKIE]);
    ethernet->taken++;
    /* A few at a time; of a small ring at once. */
    const uint32_t few = ethernet->options.ring_entries < 32 ? 1 : 8;
    if ((ethernet->posted & (few - 1)) == 0)
        mailbox(ethernet, MAILBOX_BUFFERS, ethernet->posted);
}

static void command(struct ethernet *ethernet, uint32_t what) {
    mailbox(ethernet, MAILBOX_COMMAND, what);
    for (int i = 0; i < 1000 && area(ethernet, MAILBOX(MAILBOX_COMMAND)) != 0; i++)
        tigon_host_sleep_ns(ethernet->host, 1000);
}

/* CRC-32 of a group address, not inverted; its low 7 bits select the bit of the hash, whose first
 * word holds bits 127:96 (tigon2.md 16.5). */
static unsigned hash_of(const uint8_t group[6]) {
    uint32_t crc = 0xFFFFFFFFu;
    for (int i = 0; i < 6; i++) {
        crc ^= group[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return crc & 0x7F;
}

void ethernet_filter(struct ethernet *ethernet, bool promiscuous, const uint8_t (*groups)[6],
                     unsigned count) {
    uint32_t hash[4] = {0};
    for (unsigned i = 0; i < count; i++) {
        const unsigned index = hash_of(groups[i]);
        hash[3 - (index >> 5)] |= 1u << (index & 31);
    }
    set_area(ethernet, AREA_FILTER, promiscuous ? FILTER_PROMISCUOUS : 0);
    for (uint32_t i = 0; i < 4; i++)
        set_area(ethernet, AREA_FILTER + 4 + 4 * i, hash[i]);
    command(ethernet, COMMAND_FILTER);
}

void ethernet_clear_statistics(struct ethernet *ethernet) {
    command(ethernet, COMMAND_CLEAR);
}

uint32_t ethernet_mac_statistic(struct ethernet *ethernet, unsigned index) {
    return area(ethernet, MAC_STATISTICS + 4 * index);
}

uint32_t ethernet_counter(struct ethernet *ethernet, unsigned index) {
    return area(ethernet, AREA_COUNTERS + 4 * index);
}
