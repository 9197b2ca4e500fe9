/* SPDX-License-Identifier: MIT */
/*
 * The host of this firmware, as a program of a scenario. Arguments: `ask` or `answer`, the index of
 * the other board, 1 to negotiate the link, how many frames. Who asks sends frames of all lengths
 * in two pieces or one, a dozen at a time, and wants each back as it was; frames that are lost are
 * sent anew. Who answers sends back what it gets until nothing comes any more. Returns 0, or a
 * number that says what was wrong.
 */
#include "sim/program.h"

#include <stdlib.h>
#include <string.h>

#include "tests/relay/interface.h"

enum {
    ENTRIES = 64, /* of each ring */
    BUFFER_BYTES = 2048,
    BURST = 12,
    TRIES = 200,
    MAC_STATISTICS_BYTES = 128,

    NO_FIRMWARE = 1,
    NO_LINK = 2,
    TOO_MANY_LOST = 3,
    WRONG_FRAME = 4,
    WRONG_ENTRY = 5
};

#define MILLISECOND UINT64_C(1000000)
#define MAILBOX(n)  (0x504u + 8u * (unsigned)(n))
#define HOST(sram)  ((sram) + 0x400u) /* where the host finds it */

struct nic {
    struct tigon_host *host;
    struct relay_information *information;
    struct relay_entry *send, *buffers;
    const struct relay_received *received;
    const struct relay_status *status;
    const uint8_t *statistics;
    uint8_t *outgoing, *incoming;
    uint32_t to_send, given, taken;
    uint8_t own[6], other[6];
};

static void *allocate(struct nic *nic, size_t bytes, uint32_t *high, uint32_t *low) {
    uint64_t address;
    void *memory = tigon_host_allocate(nic->host, bytes, &address);
    if (!memory)
        abort();
    *high = (uint32_t)(address >> 32);
    *low = (uint32_t)address;
    return memory;
}

static void give(struct nic *nic, uint32_t buffer) {
    const uint64_t address =
        tigon_host_bus_address(nic->host, nic->incoming + (size_t)buffer * BUFFER_BYTES);
    nic->buffers[nic->given++ % ENTRIES] =
        (struct relay_entry){(uint32_t)(address >> 32), (uint32_t)address, BUFFER_BYTES, buffer};
}

static bool wait_for_state(struct nic *nic, uint32_t state) {
    for (unsigned i = 0; i < 10000; i++) {
        if (tigon_host_read32(nic->host, HOST(RELAY_STATE)) == state)
            return true;
        tigon_host_sleep_ns(nic->host, 1000);
    }
    return false;
}

static bool begin(struct nic *nic, uint32_t negotiate) {
    struct relay_information *information;
    uint32_t high, low, unused[2];
    information = allocate(nic, sizeof *information, &high, &low);
    nic->information = information;
    nic->statistics = allocate(nic, MAC_STATISTICS_BYTES + sizeof(struct relay_counts),
                               &information->statistics_high, &information->statistics_low);
    nic->send =
        allocate(nic, ENTRIES * sizeof *nic->send, &information->send.high, &information->send.low);
    nic->buffers = allocate(nic, ENTRIES * sizeof *nic->buffers, &information->buffers.high,
                            &information->buffers.low);
    nic->received = allocate(nic, ENTRIES * sizeof *nic->received, &information->received.high,
                             &information->received.low);
    nic->status =
        allocate(nic, sizeof *nic->status, &information->status_high, &information->status_low);
    nic->outgoing = allocate(nic, (size_t)ENTRIES * BUFFER_BYTES, &unused[0], &unused[1]);
    nic->incoming = allocate(nic, (size_t)ENTRIES * BUFFER_BYTES, &unused[0], &unused[1]);
    information->send.entries = ENTRIES;
    information->buffers.entries = ENTRIES;
    information->received.entries = ENTRIES;
    information->statistics_us = 500;
    information->coalesce_us = 30;
    information->coalesce_frames = 4;
    information->negotiate = negotiate;
    if (!wait_for_state(nic, RELAY_READY))
        return false;
    const uint8_t *own = nic->own;
    tigon_host_write32(nic->host, HOST(RELAY_MAC_ADDRESS), (uint32_t)(own[0] << 8 | own[1]));
    tigon_host_write32(nic->host, HOST(RELAY_MAC_ADDRESS + 4),
                       (uint32_t)own[2] << 24 | (uint32_t)(own[3] << 16 | own[4] << 8 | own[5]));
    tigon_host_write32(nic->host, MAILBOX(RELAY_INTERRUPT), 0);
    tigon_host_write32(nic->host, MAILBOX(RELAY_INFORMATION_HIGH), high);
    tigon_host_write32(nic->host, MAILBOX(RELAY_INFORMATION_LOW), low);
    if (!wait_for_state(nic, RELAY_RUNNING))
        return false;
    for (uint32_t i = 0; i < ENTRIES - 1; i++)
        give(nic, i);
    tigon_host_write32(nic->host, MAILBOX(RELAY_BUFFERS), nic->given);
    return true;
}

/* Until the firmware has something to tell; false after `end_ns`. */
static bool wait_for_news(struct nic *nic, uint64_t end_ns) {
    const uint64_t now = tigon_host_now_ns(nic->host);
    if (now >= end_ns || !tigon_host_wait_interrupt(nic->host, end_ns - now))
        return false;
    tigon_host_write32(nic->host, MAILBOX(RELAY_INTERRUPT), 0);
    (void)tigon_host_read32(nic->host, 0x040); /* the line has dropped when this is answered */
    return true;
}

static bool wait_for_link(struct nic *nic) {
    const uint64_t end = tigon_host_now_ns(nic->host) + 100 * MILLISECOND;
    while (!nic->status->link_up)
        if (!wait_for_news(nic, end))
            return nic->status->link_up;
    return true;
}

static void enter(struct nic *nic, const uint8_t *bytes, uint32_t length, uint32_t last) {
    const uint64_t address = tigon_host_bus_address(nic->host, bytes);
    nic->send[nic->to_send % ENTRIES] = (struct relay_entry){
        (uint32_t)(address >> 32), (uint32_t)address, length | last, nic->to_send};
    nic->to_send++;
}

static void send(struct nic *nic, const uint8_t *frame, uint32_t length) {
    while (nic->to_send - nic->status->sent > ENTRIES - 2)
        (void)wait_for_news(nic, tigon_host_now_ns(nic->host) + MILLISECOND);
    uint8_t *bytes = nic->outgoing + (size_t)(nic->to_send % ENTRIES) * BUFFER_BYTES;
    const uint32_t first = length > 200 ? 101 : 0; /* so that the second piece is not aligned */
    memcpy(bytes, frame, length);
    if (first)
        enter(nic, bytes, first, 0);
    enter(nic, bytes + first, length - first, RELAY_LAST);
    tigon_host_write32(nic->host, MAILBOX(RELAY_TO_SEND), nic->to_send);
}

/* The next frame, and its length; 0 when none came in time. */
static uint32_t receive(struct nic *nic, uint8_t *frame, uint64_t timeout_ns, int *wrong) {
    const uint64_t end = tigon_host_now_ns(nic->host) + timeout_ns;
    while (nic->status->received == nic->taken)
        if (!wait_for_news(nic, end))
            return 0;
    const struct relay_received entry = nic->received[nic->taken % ENTRIES];
    if (entry.index != nic->taken || entry.cookie >= ENTRIES || entry.length > BUFFER_BYTES) {
        *wrong = WRONG_ENTRY;
        return 0;
    }
    memcpy(frame, nic->incoming + (size_t)entry.cookie * BUFFER_BYTES, entry.length);
    nic->taken++;
    give(nic, entry.cookie);
    tigon_host_write32(nic->host, MAILBOX(RELAY_BUFFERS), nic->given);
    return entry.length;
}

/* Frame `number` from one board to another: its number, then what nothing else holds. */
static uint32_t make(uint8_t *frame, const uint8_t *to, const uint8_t *from, uint32_t number) {
    const uint32_t length = 60 + number * 191 % 1455;
    memcpy(frame, to, 6);
    memcpy(frame + 6, from, 6);
    frame[12] = 0x88;
    frame[13] = 0xB6;
    frame[14] = (uint8_t)(number >> 8);
    frame[15] = (uint8_t)number;
    for (uint32_t i = 16; i < length; i++)
        frame[i] = (uint8_t)(number * 37 + i * 11 + (i >> 8));
    return length;
}

static int ask(struct nic *nic, uint32_t count) {
    uint8_t frame[BUFFER_BYTES], wanted[BUFFER_BYTES];
    uint32_t sent = 0, got = 0, tries = 0;
    int wrong = 0;
    while (got < count) {
        while (sent < count && sent - got < BURST) {
            send(nic, frame, make(frame, nic->other, nic->own, sent));
            sent++;
        }
        const uint32_t length = receive(nic, frame, 5 * MILLISECOND, &wrong);
        if (wrong)
            return wrong;
        if (length == 0) {
            if (++tries > TRIES)
                return TOO_MANY_LOST;
            sent = got;
            continue;
        }
        if (length < 16 || (uint32_t)(frame[14] << 8 | frame[15]) != (got & 0xFFFFu))
            continue; /* one behind a lost one, or twice */
        if (length != make(wanted, nic->own, nic->other, got) || memcmp(frame, wanted, length) != 0)
            return WRONG_FRAME;
        got++;
    }
    tigon_program_figure(nic->host, "sent anew", tries);
    return 0;
}

static int answer(struct nic *nic) {
    uint8_t frame[BUFFER_BYTES];
    int wrong = 0;
    uint32_t length;
    while ((length = receive(nic, frame, 60 * MILLISECOND, &wrong)) != 0) {
        memcpy(frame, frame + 6, 6);
        memcpy(frame + 6, nic->own, 6);
        send(nic, frame, length);
    }
    return wrong;
}

int tigon_main(struct tigon_host *host, int argc, char **argv) {
    static struct nic nic;
    int result;
    nic.host = host;
    if (argc != 5)
        return NO_FIRMWARE;
    tigon_board_mac_address(tigon_host_board(host), nic.own);
    tigon_board_mac_address(
        tigon_world_board(tigon_host_world(host), (size_t)strtoul(argv[2], NULL, 10)), nic.other);
    if (!begin(&nic, (uint32_t)strtoul(argv[3], NULL, 10)))
        return NO_FIRMWARE;
    if (!wait_for_link(&nic))
        return NO_LINK;
    if (strcmp(argv[1], "ask") == 0)
        result = ask(&nic, (uint32_t)strtoul(argv[4], NULL, 10));
    else
        result = answer(&nic);
    tigon_host_sleep_ns(host, MILLISECOND); /* so that the last statistics are there */
    struct relay_counts counts;
    uint32_t kept;
    memcpy(&kept, nic.statistics + MAC_STATISTICS_BYTES - 4, sizeof kept);
    memcpy(&counts, nic.statistics + MAC_STATISTICS_BYTES, sizeof counts);
    tigon_program_figure(host, "frames taken", nic.taken);
    tigon_program_figure(host, "frames kept", kept);
    tigon_program_figure(host, "damaged", counts.damaged);
    tigon_program_figure(host, "failed dma", counts.failed_dma);
    tigon_program_figure(host, "waits for the semaphore", counts.lock_waits);
    tigon_program_figure(host, "link changes", counts.link_changes);
    return result;
}
