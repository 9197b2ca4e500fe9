/* SPDX-License-Identifier: MIT */
/*
 * Transfers to and from host memory, and the notices of their end. A transfer is queued by the
 * firmware and done when the test says so, in order.
 */
#include <stddef.h>

#include "fw-runtime/port/native/devices.h"

#define TRANSFERS 64u /* of each direction that may be queued */

struct transfer {
    uint64_t address;
    void *to;         /* of a read */
    const void *from; /* of a write */
    uint32_t bytes;
    enum native_transfer transfer;
    volatile uint32_t *sum_at; /* of a write, or NULL */
    uint32_t sum;
};

struct native_numbers native_reads, native_writes;
static struct transfer native_reads_queued[TRANSFERS], native_writes_queued[TRANSFERS];

/* Of notices: how many have been asked for and given, and what each waits for. */
static struct native_numbers native_read_notices, native_written_notices;
static uint32_t native_read_notice_at[NIC_READ_LIMIT], native_read_notice_token[NIC_READ_LIMIT];
static uint32_t native_written_notice_at[NIC_WRITTEN_LIMIT];

static void native_check_transfer(uint64_t address, uint32_t bytes) {
    native_demand(bytes != 0, "a transfer has bytes");
    native_demand(address >> 32 == (address + bytes - 1) >> 32, "no transfer crosses a 4 GB line");
}

void native_read_one(void) {
    const struct transfer *read = &native_reads_queued[native_reads.done % TRANSFERS];
    if (!native_around.host_read(native_around.owner, read->transfer, read->address, read->to,
                                 read->bytes))
        nic_panic(NATIVE_PANIC_READ);
    native_reads.done++;
}

void native_write_one(void) {
    const struct transfer *write = &native_writes_queued[native_writes.done % TRANSFERS];
    if (!native_around.host_write(native_around.owner, write->address, write->from, write->bytes))
        nic_panic(NATIVE_PANIC_WRITE);
    if (write->sum_at != NULL)
        *write->sum_at = (*write->sum_at & 0xFFFF0000) | write->sum;
    native_writes.done++;
}

static void native_announce(enum native_transfer transfer, uint64_t address, uint32_t bytes) {
    native_check_transfer(address, bytes);
    if (native_around.queued != NULL)
        native_around.queued(native_around.owner, transfer, address, bytes);
}

void native_read_queue(enum native_transfer transfer, uint64_t address, void *to, uint32_t bytes) {
    native_announce(transfer, address, bytes);
    if (native_reads.queued - native_reads.done == TRANSFERS)
        native_read_one();
    native_reads_queued[native_reads.queued++ % TRANSFERS] =
        (struct transfer){address, to, NULL, bytes, transfer, NULL, 0};
}

void native_write_queue(uint64_t address, const void *from, uint32_t bytes,
                        volatile uint32_t *sum_at, uint32_t sum) {
    native_announce(NATIVE_TRANSFER_RECEIVE, address, bytes);
    if (native_writes.queued - native_writes.done == TRANSFERS)
        native_write_one();
    native_writes_queued[native_writes.queued++ % TRANSFERS] =
        (struct transfer){address, NULL, from, bytes, NATIVE_TRANSFER_RECEIVE, sum_at, sum};
}

void nic_read_host(uint32_t high, uint32_t low, uint32_t *words, uint32_t bytes) {
    native_demand(bytes % 4 == 0, "nic_read_host reads words");
    native_read_queue(NATIVE_TRANSFER_PAGE, (uint64_t)high << 32 | low, words, bytes);
}

void nic_write_host(uint32_t high, uint32_t low, const volatile uint32_t *word) {
    native_write_queue((uint64_t)high << 32 | low, (const void *)word, 4, NULL, 0);
}

void nic_read_wait(void) {
    while (native_reads.done != native_reads.queued)
        native_read_one();
}

/* ------------------------------------------------------------------------------------- Notices */

bool nic_notify_read(uint32_t token) {
    uint32_t entry = native_read_notices.queued % NIC_READ_LIMIT;
    if (native_read_notices.queued - native_read_notices.done == NIC_READ_LIMIT)
        return false;
    native_read_notice_at[entry] = native_reads.queued;
    native_read_notice_token[entry] = token;
    native_read_notices.queued++;
    return true;
}

bool native_read_notice_due(void) {
    return native_read_notices.queued != native_read_notices.done &&
           native_reached(&native_reads,
                          native_read_notice_at[native_read_notices.done % NIC_READ_LIMIT]);
}

void native_read_notice_give(void) {
    nic_on_read(native_read_notice_token[native_read_notices.done++ % NIC_READ_LIMIT]);
}

uint32_t nic_notify_written(void) {
    uint32_t entry = native_written_notices.queued % NIC_WRITTEN_LIMIT;
    native_take_notice();
    native_written_notice_at[entry] = native_writes.queued;
    native_written_notices.queued++;
    return entry;
}

bool native_notices_enough(void) {
    return native_written_notices.queued - native_written_notices.done <=
           NIC_WRITTEN_LIMIT - NIC_WRITTEN_PER_FRAME;
}

bool native_written_due(void) {
    return native_written_notices.queued != native_written_notices.done &&
           native_reached(
               &native_writes,
               native_written_notice_at[native_written_notices.done % NIC_WRITTEN_LIMIT]);
}

void native_written_give(void) {
    nic_on_written(native_written_notices.done++ % NIC_WRITTEN_LIMIT);
}
