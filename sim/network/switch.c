/* SPDX-License-Identifier: MIT */
/*
 * A store-and-forward switch: addresses, and the choice of the output port. Ports are in
 * switch_port.c.
 *
 * A frame that has arrived waits for the latency as an event of its own, and is looked up then. By
 * that time the switch has learnt from a frame right behind it, as in a switch with a pipeline.
 * Addresses are in sets of a few; a full set drops the address not seen for the longest time.
 */
#include "sim/network/switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/network/switch_port.h"
#include "sim/time.h"
#include "sim/network/wire.h"
#include "sim/base/services.h"

#define ADDRESS_SETS 1024u
#define ADDRESS_WAYS 4u
#define RUNT         (TIGON_FRAME_MINIMUM + TIGON_FRAME_CRC_BYTES)

struct address {
    uint64_t value; /* 48 bits */
    uint64_t heard; /* tick */
    unsigned port;
    bool valid;
};

struct tigon_switch {
    struct tigon_services *services;
    struct tigon_knobs knobs;
    char name[TIGON_NAME_BYTES];
    struct address addresses[ADDRESS_SETS][ADDRESS_WAYS];
    unsigned port_count;
    struct tigon_port ports[];
};

struct tigon_switch *tigon_switch_create(struct tigon_services *services, size_t index,
                                         unsigned ports, const struct tigon_knobs *knobs) {
    struct tigon_switch *box = calloc(1, sizeof *box + ports * sizeof box->ports[0]);
    if (!box)
        return NULL;
    box->services = services;
    box->knobs = *knobs;
    box->port_count = ports;
    (void)snprintf(box->name, sizeof box->name, "switch%zu", index);
    for (unsigned i = 0; i < ports; i++)
        tigon_port_initialise(&box->ports[i], box, i);
    return box;
}

void tigon_switch_destroy(struct tigon_switch *box) {
    free(box); /* frames belong to the world's pool */
}

/* ------------------------------------------------------------------------------------------------
 * Addresses */

static uint64_t address_at(const uint8_t *bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 6; i++)
        value = value << 8 | bytes[i];
    return value;
}

static struct address *set_of(struct tigon_switch *box, uint64_t value) {
    const uint64_t mixed = value * UINT64_C(0x9E3779B97F4A7C15);
    return box->addresses[mixed >> 32 & (ADDRESS_SETS - 1)];
}

static bool known(const struct tigon_switch *box, const struct address *address, uint64_t ticks) {
    return address->valid &&
           ticks <= tigon_add_ticks(address->heard, tigon_ticks_from_ns(box->knobs.switch_age_ns));
}

static void learn(struct tigon_switch *box, uint64_t value, unsigned port, uint64_t ticks) {
    struct address *set = set_of(box, value);
    struct address *place = &set[0];
    for (unsigned way = 0; way < ADDRESS_WAYS; way++) {
        if (set[way].valid && set[way].value == value) {
            place = &set[way];
            break;
        }
        if (place->valid && (!set[way].valid || set[way].heard < place->heard))
            place = &set[way];
    }
    *place = (struct address){.value = value, .heard = ticks, .port = port, .valid = true};
}

/* The port of an address, or -1. */
static int find(struct tigon_switch *box, uint64_t value, uint64_t ticks) {
    const struct address *set = set_of(box, value);
    for (unsigned way = 0; way < ADDRESS_WAYS; way++)
        if (set[way].value == value && known(box, &set[way], ticks))
            return (int)set[way].port;
    return -1;
}

void tigon_switch_forget(struct tigon_switch *box, unsigned port) {
    for (unsigned i = 0; i < ADDRESS_SETS * ADDRESS_WAYS; i++) {
        struct address *address = &box->addresses[i / ADDRESS_WAYS][i % ADDRESS_WAYS];
        if (address->port == port)
            address->valid = false;
    }
}

size_t tigon_switch_addresses(const struct tigon_switch *box) {
    const uint64_t now = box->services->now;
    size_t count = 0;
    for (unsigned i = 0; i < ADDRESS_SETS * ADDRESS_WAYS; i++)
        count += known(box, &box->addresses[i / ADDRESS_WAYS][i % ADDRESS_WAYS], now);
    return count;
}

/* ------------------------------------------------------------------------------------------------
 * Frames */

void tigon_switch_account(struct tigon_switch *box, unsigned number, uint32_t bytes, bool more,
                          uint64_t ticks) {
    struct tigon_port *port = &box->ports[number];
    const uint64_t limit = box->knobs.switch_queue_bytes;
    port->brought += more ? bytes : 0u - (uint64_t)bytes;
    if (!box->knobs.switch_pause || port->state != TIGON_PORT_UP)
        return;
    if (more && port->brought > limit / 2 && ticks >= port->peer_held_to)
        tigon_port_send_pause(port, 0xFFFF, ticks);
    else if (!more && port->brought < limit / 4 && port->peer_held_to)
        tigon_port_send_pause(port, 0, ticks);
}

static struct tigon_frame *copy_of(struct tigon_switch *box, const struct tigon_frame *frame) {
    struct tigon_frame *copy = tigon_frame_take(&box->services->frames);
    copy->length = frame->length;
    copy->bad_crc = false;
    memcpy(copy->bytes, frame->bytes, frame->length);
    return copy;
}

static void forward(void *context, uint64_t ticks) {
    struct tigon_frame *frame = context;
    struct tigon_switch *box = frame->receiver;
    struct tigon_port *from = &box->ports[frame->side];
    const bool group = frame->bytes[0] & 1u;
    const int to = group ? -1 : find(box, address_at(frame->bytes), ticks);
    if (to >= 0) {
        if ((unsigned)to != from->number) {
            tigon_port_queue(&box->ports[to], frame, ticks);
            return;
        }
        from->statistics.filtered++;
    } else {
        from->statistics.flooded++;
        for (unsigned i = 0; i < box->port_count; i++) {
            if (i == from->number || box->ports[i].state != TIGON_PORT_UP)
                continue;
            struct tigon_frame *copy = copy_of(box, frame);
            copy->side = from->number;
            tigon_port_queue(&box->ports[i], copy, ticks);
        }
    }
    tigon_frame_release(&box->services->frames, frame);
}

static void take_in(struct tigon_switch *box, unsigned number, const struct tigon_frame *frame,
                    uint64_t ticks) {
    static const uint8_t control[5] = {0x01, 0x80, 0xC2, 0x00, 0x00};
    struct tigon_port *port = &box->ports[number];
    struct tigon_switch_statistics *statistics = &port->statistics;
    if (port->state != TIGON_PORT_UP) {
        statistics->dropped_down++;
        return;
    }
    if (frame->bad_crc || frame->length < RUNT || frame->length > box->knobs.switch_frame_bytes) {
        statistics->damaged++;
        return;
    }
    statistics->received++;
    if (memcmp(frame->bytes, control, sizeof control) == 0 && frame->bytes[5] < 0x10) {
        /* Between neighbours only (IEEE 802.1D); PAUSE is one of these. */
        if (frame->bytes[5] == 1 && frame->bytes[12] == 0x88 && frame->bytes[13] == 0x08 &&
            frame->bytes[14] == 0 && frame->bytes[15] == 1) {
            statistics->pause_received++;
            if (box->knobs.switch_pause)
                tigon_port_hold(port, (unsigned)frame->bytes[16] << 8 | frame->bytes[17], ticks);
        }
        statistics->filtered++;
        return;
    }
    if (!(frame->bytes[6] & 1u))
        learn(box, address_at(frame->bytes + 6), number, ticks);
    struct tigon_frame *copy = copy_of(box, frame);
    copy->receiver = box;
    copy->side = number;
    tigon_frame_schedule(&box->services->schedule, copy, forward,
                         ticks + tigon_ticks_from_ns(box->knobs.switch_latency_ns));
}

/* ------------------------------------------------------------------------------------------------
 * Sockets and services */

bool tigon_switch_port_free(const struct tigon_switch *box, unsigned port) {
    return !box->ports[port].wire;
}

void tigon_switch_plug(struct tigon_switch *box, unsigned port, struct tigon_wire *wire,
                       unsigned side, uint64_t ticks) {
    tigon_port_plug(&box->ports[port], wire, side, ticks);
}

static enum tigon_arrival_fate receive(void *party, unsigned port, const struct tigon_frame *frame,
                                       uint64_t ticks) {
    struct tigon_switch *box = party;
    if (!box->ports[port].heard.signal)
        return TIGON_ARRIVAL_CUT;
    take_in(box, port, frame, ticks);
    return TIGON_ARRIVAL_KEPT;
}

static void hear(void *party, unsigned port, struct tigon_line line, uint64_t ticks) {
    struct tigon_switch *box = party;
    tigon_port_heard(&box->ports[port], line, ticks);
}

struct tigon_wire_end tigon_switch_end(struct tigon_switch *box, unsigned port) {
    return (struct tigon_wire_end){.receive = receive,
                                   .hear = hear,
                                   .party = box,
                                   .port = port,
                                   .name = box->name,
                                   .box = box};
}

struct tigon_services *tigon_switch_services(const struct tigon_switch *box) {
    return box->services;
}

const struct tigon_knobs *tigon_switch_knobs(const struct tigon_switch *box) {
    return &box->knobs;
}

const char *tigon_switch_name(const struct tigon_switch *box) {
    return box->name;
}

void tigon_switch_rename(struct tigon_switch *box, const char *name) {
    (void)snprintf(box->name, sizeof box->name, "%s", name);
}

unsigned tigon_switch_ports(const struct tigon_switch *box) {
    return box->port_count;
}

bool tigon_switch_port_up(const struct tigon_switch *box, unsigned port) {
    return port < box->port_count && box->ports[port].state == TIGON_PORT_UP;
}

void tigon_switch_statistics(const struct tigon_switch *box, unsigned port,
                             struct tigon_switch_statistics *statistics) {
    if (port < box->port_count)
        *statistics = box->ports[port].statistics;
    else
        memset(statistics, 0, sizeof *statistics);
}
