/* SPDX-License-Identifier: MIT */
/*
 * A NIC in one process, as a test sees it: the firmware of a protocol on the native port.
 *
 * Nothing happens by itself. The test delivers events and lets the devices proceed, in any order
 * that port.h allows: late, early, in between. Host memory, the wire and time are the test's.
 *
 * A port is static data, as on a chip: one NIC for each copy of the image. An image is one object
 * file whose only global symbol is what the test names it by, so a program links as many copies as
 * it needs (tests/native_port/build.mk).
 *
 * The port checks what port.h asks of the glue: transfers that are empty, cross a 4 GB line or
 * leave their frame, frames begun without room, notices asked for in the wrong place. Breaking the
 * contract ends the process with a message.
 */
#ifndef FW_RUNTIME_PORT_NATIVE_NATIVE_H
#define FW_RUNTIME_PORT_NATIVE_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#define NATIVE_FRAME_BYTES   1536u /* of the longest frame, without checksum */
#define NATIVE_FRAME_MINIMUM 60u   /* of Ethernet: shorter ones are padded when sent */

/* Codes of nic_panic. */
enum native_panic {
    NATIVE_PANIC_READ = 0x0301, /* the host has no memory there */
    NATIVE_PANIC_WRITE = 0x0302
};

enum native_transfer {
    NATIVE_TRANSFER_PAGE, /* words for the firmware itself */
    NATIVE_TRANSFER_SEND, /* data of a frame to be sent */
    NATIVE_TRANSFER_RECEIVE
};

/* What a NIC stands on. No function may call the NIC. */
struct native_surroundings {
    void *owner; /* first argument of each function */

    /* Host memory, when a transfer is done. False where there is none: the NIC stops. */
    bool (*host_read)(void *owner, enum native_transfer transfer, uint64_t address, void *to,
                      uint32_t bytes);
    bool (*host_write)(void *owner, uint64_t address, const void *from, uint32_t bytes);

    /* A transfer is queued; it is done later. May be NULL. */
    void (*queued)(void *owner, enum native_transfer transfer, uint64_t address, uint32_t bytes);

    /* A frame leaves, in network byte order, without checksum. */
    void (*frame)(void *owner, const uint8_t *frame, uint32_t bytes);
};

/* What can be delivered. The first three are progress of devices, the others calls of nic_on_*. */
enum native_event {
    NATIVE_READ,    /* the oldest queued read of host memory is done */
    NATIVE_WRITE,   /* the oldest queued write */
    NATIVE_SEND,    /* the oldest frame whose data have been read leaves */
    NATIVE_ALARM,   /* may also be delivered when it is not waiting: alarms may be early */
    NATIVE_WRITTEN, /* one notice of nic_notify_written */
    NATIVE_DOORBELL,
    NATIVE_READ_NOTICE, /* one of nic_notify_read */
    NATIVE_FRAME,
    NATIVE_SLOT,
    NATIVE_WORK,
    NATIVE_EVENTS
};

/* One of two processors; the other events of the first one are those of its struct native_nic. */
struct native_processor {
    void (*start)(void); /* of the second, when the first has asked for it */
    bool (*signalled)(void);
    bool (*signal)(void); /* delivers it; false where none waits */
    const struct nic_processor_counters *counters;
};

struct native_nic {
    /* The host may write the control block before: control(). Nothing else works before it. */
    void (*start)(const struct native_surroundings *surroundings);

    /* Bit i: event i waits. */
    uint32_t (*waiting)(void);

    /* Delivers an event that waits; false where it does not, or the NIC has stopped. */
    bool (*deliver)(enum native_event event);

    /* The link event of port.h, delivered at once. */
    bool (*link)(uint32_t event, uint32_t word);
    bool (*link_enabled)(void);

    /* Of the host: rings a doorbell (0 to 31); several rings become one event. */
    void (*ring)(unsigned box, uint32_t value);

    /* A frame comes from the wire, without checksum. False where it is not for this NIC, too short,
     * too long, or nothing is free for it: it is lost. */
    bool (*arrive)(const uint8_t *frame, uint32_t bytes);

    void (*set_clock)(uint32_t microseconds);
    uint32_t (*clock)(void);
    /* When the alarm is due; false when there is none. */
    bool (*alarm)(uint32_t *deadline);

    /* The code of nic_panic, 0 while the NIC runs. */
    uint32_t (*stopped)(void);

    volatile uint32_t *(*control)(void);
    /* What the host reaches by the name that the control block has for it (nic_host_name). */
    volatile uint32_t *(*object)(uint32_t name);
};

#endif
