/* SPDX-License-Identifier: MIT */
#include "sim/command/statistics.h"

#include "sim/command/suggest.h"

#include <string.h>

struct counter {
    const char *name;
    size_t offset;
};

#define COUNTER(path, field)                                                                       \
    { path, offsetof(struct tigon_statistics, field) }
#define CORE(letter, index)                                                                        \
    COUNTER("core_" letter ".instructions", core[index].instructions),                             \
        COUNTER("core_" letter ".cycles", core[index].cycles),                                     \
        COUNTER("core_" letter ".stall_cycles", core[index].stall_cycles),                         \
        COUNTER("core_" letter ".parked_cycles", core[index].parked_cycles),                       \
        COUNTER("core_" letter ".register_reads", core[index].register_reads),                     \
        COUNTER("core_" letter ".register_writes", core[index].register_writes),                   \
        COUNTER("core_" letter ".sram_wait_cycles", core[index].sram_wait_cycles),                 \
        COUNTER("core_" letter ".locks_taken", core[index].locks_taken),                           \
        COUNTER("core_" letter ".lock_waits", core[index].lock_waits),                             \
        COUNTER("core_" letter ".lock_wait_cycles", core[index].lock_wait_cycles),                 \
        COUNTER("core_" letter ".software_events", core[index].software_events)
#define PLAIN(field) COUNTER(#field, field)

static const struct counter board_counters[] = {
    CORE("a", 0),
    CORE("b", 1),
    COUNTER("dma_read.transfers", dma_read.transfers),
    COUNTER("dma_read.bytes", dma_read.bytes),
    COUNTER("dma_read.busy_ns", dma_read.busy_ns),
    COUNTER("dma_read.errors", dma_read.errors),
    COUNTER("dma_read.ring_high", dma_read.ring_high),
    COUNTER("dma_read.ring_low", dma_read.ring_low),
    COUNTER("dma_write.transfers", dma_write.transfers),
    COUNTER("dma_write.bytes", dma_write.bytes),
    COUNTER("dma_write.busy_ns", dma_write.busy_ns),
    COUNTER("dma_write.errors", dma_write.errors),
    COUNTER("dma_write.ring_high", dma_write.ring_high),
    COUNTER("dma_write.ring_low", dma_write.ring_low),
    PLAIN(transmit_frames),
    PLAIN(transmit_bytes),
    PLAIN(transmit_cut_through),
    PLAIN(transmit_no_link),
    PLAIN(receive_frames),
    PLAIN(receive_bytes),
    PLAIN(receive_crc_errors),
    PLAIN(dropped_disabled),
    PLAIN(dropped_unicast),
    PLAIN(dropped_multicast),
    PLAIN(dropped_pause),
    PLAIN(dropped_no_buffer),
    PLAIN(dropped_no_descriptor),
    PLAIN(host_register_reads),
    PLAIN(host_register_writes),
    PLAIN(host_interrupts),
    PLAIN(mailbox_writes),
    PLAIN(unknown_registers),
};

#define WIRE(field)                                                                                \
    { #field, offsetof(struct tigon_wire_statistics, field) }

static const struct counter wire_counters[] = {
    WIRE(frames),    WIRE(bytes),     WIRE(delivered),         WIRE(lost),
    WIRE(filtered),  WIRE(cut),       WIRE(duplicated),        WIRE(delayed),
    WIRE(reordered), WIRE(truncated), WIRE(corrupted_visible), WIRE(corrupted_silent),
};

enum {
    BOARD_COUNTERS = sizeof board_counters / sizeof *board_counters,
    WIRE_COUNTERS = sizeof wire_counters / sizeof *wire_counters
};

static const struct counter *find(const char *name) {
    for (size_t i = 0; i < BOARD_COUNTERS; i++)
        if (strcmp(board_counters[i].name, name) == 0)
            return &board_counters[i];
    return NULL;
}

const char *statistics_find(const char *name) {
    const struct counter *counter = find(name);
    return counter ? counter->name : NULL;
}

const char *statistics_suggest(const char *name) {
    const char *names[BOARD_COUNTERS];
    for (size_t i = 0; i < BOARD_COUNTERS; i++)
        names[i] = board_counters[i].name;
    return suggest(name, names, BOARD_COUNTERS);
}

static uint64_t value_of(const void *statistics, const struct counter *counter) {
    uint64_t value;
    memcpy(&value, (const char *)statistics + counter->offset, sizeof value);
    return value;
}

uint64_t statistics_value(const struct tigon_statistics *statistics, const char *name) {
    const struct counter *counter = find(name);
    return counter ? value_of(statistics, counter) : 0;
}

static cJSON *json(const void *statistics, const struct counter *counters, size_t count) {
    cJSON *result = cJSON_CreateObject();
    for (size_t i = 0; i < count; i++) {
        cJSON *into = result;
        const char *name = counters[i].name;
        const char *dot = strchr(name, '.');
        if (dot) {
            char group[32] = "";
            memcpy(group, name, (size_t)(dot - name));
            into = cJSON_GetObjectItem(result, group);
            if (!into)
                into = cJSON_AddObjectToObject(result, group);
            name = dot + 1;
        }
        cJSON_AddNumberToObject(into, name, (double)value_of(statistics, &counters[i]));
    }
    return result;
}

cJSON *statistics_json(const struct tigon_statistics *statistics) {
    return json(statistics, board_counters, BOARD_COUNTERS);
}

cJSON *statistics_wire_json(const struct tigon_wire_statistics *statistics) {
    return json(statistics, wire_counters, WIRE_COUNTERS);
}
