/* SPDX-License-Identifier: MIT */
/*
 * What host and firmware of tests/relay have agreed on. All of it lies in host memory, as 32-bit
 * words; the host gives its bus address in two mailboxes and reads how far things are in the status
 * block. Ring indices count up without end; a slot is the index modulo the number of entries.
 */
#ifndef RELAY_INTERFACE_H
#define RELAY_INTERFACE_H

#include <stdint.h>

enum relay_mailbox {
    RELAY_INTERRUPT = 0, /* drops the interrupt; not 0: the host wants none now */
    RELAY_INFORMATION_LOW = 1,
    RELAY_INFORMATION_HIGH = 2, /* to be written before the low word */
    RELAY_TO_SEND = 4,          /* send entries filled so far */
    RELAY_BUFFERS = 5           /* receive buffers given so far */
};

/* SRAM: the MAC address is put here by the host, the state by the firmware. */
#define RELAY_MAC_ADDRESS 0x200u
#define RELAY_STATE       0x210u
#define RELAY_READY       0x52454C01u
#define RELAY_RUNNING     0x52454C02u
#define RELAY_FAILED      0x52454CFFu

struct relay_ring {
    uint32_t high, low; /* bus address */
    uint32_t entries;   /* a power of two */
    uint32_t unused;
};

struct relay_information {
    uint32_t statistics_high, statistics_low; /* 32 words of the MAC, then struct relay_counts */
    uint32_t statistics_us;                   /* how often they are written */
    uint32_t negotiate;                       /* 1: the link is negotiated, 0: it is just there */
    struct relay_ring send, buffers, received;
    uint32_t status_high, status_low;
    uint32_t coalesce_us, coalesce_frames; /* how long, and for how many, news may wait */
};

/* Of the send ring and the ring of buffers. */
struct relay_entry {
    uint32_t high, low;
    uint32_t length; /* with RELAY_LAST: the frame ends with this piece */
    uint32_t cookie;
};
#define RELAY_LAST 0x80000000u

/* Of the ring of received frames. */
struct relay_received {
    uint32_t cookie; /* of the buffer */
    uint32_t length;
    uint32_t microsecond;
    uint32_t index;
};

struct relay_status {
    uint32_t sent;     /* send entries that are done */
    uint32_t received; /* frames */
    uint32_t link_up;
    uint32_t updates;
};

struct relay_counts {
    uint32_t no_room;   /* a frame had to wait: transmit buffer or a ring was full */
    uint32_t no_buffer; /* B waited for buffers */
    uint32_t damaged;   /* frames */
    uint32_t failed_dma;
    uint32_t link_changes;
    uint32_t lock_waits; /* turns in which the other core had the semaphore */
    uint32_t unused[2];
};

#endif
