/* SPDX-License-Identifier: MIT */
/*
 * What the firmware shows of itself, in SRAM that drivers leave alone (tigon2.md 2.2). A host sees
 * it through its window. Tests may include this file.
 */
#ifndef ETHERNET_COUNTERS_H
#define ETHERNET_COUNTERS_H

#define FIRMWARE_STATE    0x1000u /* STATE_* */
#define FIRMWARE_MEMORY   0x1004u /* bytes of SRAM found */
#define FIRMWARE_COUNTERS 0x1010u /* COUNTER_* words */

#define STATE_RUNNING           0x45544801u
#define STATE_NO_INFORMATION    0x45544802u /* the information block could not be read */
#define STATE_BAD_CONFIGURATION 0x45544803u /* event 7, code 3, says so, too */
#define STATE_NO_TRANSCEIVER    0x45544804u
#define STATE_BAD_STACK         0x45544805u /* the stack does not go on in SRAM */

enum {
    COUNTER_SENT,           /* frames handed to the MAC */
    COUNTER_SENT_SUMS,      /* of those, with checksums put in */
    COUNTER_SEND_REFUSED,   /* impossible length or too many pieces */
    COUNTER_RECEIVED,       /* frames handed to the host */
    COUNTER_RECEIVED_SUMS,  /* of those, with a sum over the IP payload */
    COUNTER_DAMAGED,        /* of those, with DESCRIPTOR_ERROR */
    COUNTER_DROPPED_DOWN,   /* the host was not up */
    COUNTER_DROPPED_SHORT,  /* less than an Ethernet header */
    COUNTER_DROPPED_LONG,   /* longer than the MTU or than any buffer */
    COUNTER_DROPPED_GROUP,  /* of a group that only the hash knows */
    COUNTER_DROPPED_FILTER, /* of another address, by COMMAND_FILTER */
    COUNTER_NO_BUFFERS,     /* reception waited for buffers of the host */
    COUNTER_NO_RETURNS,     /* or for room in the return ring */
    COUNTER_EXHAUSTED,      /* attentions "receive buffer exhausted" */
    COUNTER_SYNC,           /* attentions "sync lost or found" */
    COUNTER_UNDERRUNS,      /* attentions of the transmitter */
    COUNTER_DMA_FAILED,
    COUNTER_EVENTS,
    COUNTER_EVENTS_WAITED, /* the event ring was full */
    COUNTER_EVENTS_LOST,
    COUNTER_COMMANDS,
    COUNTER_INTERRUPTS,
    COUNTER_INTERRUPTS_SAVED, /* the line was up already */
    COUNTER_LINK_UP,
    COUNTER_LINK_DOWN,
    COUNTER_UNEXPECTED,   /* events without a handler */
    COUNTER_MOST_WAITING, /* received frames at a tick; COMMAND_CLEAR_PROFILE forgets it */
    COUNTERS
};

/* Where the statistics in host memory have, beside what the public drivers read (STATISTICS_* of
 * interface.h), the 32 words of the MAC (SRAM 0x080) and these counters: byte offsets. */
#define STATISTICS_OF_MAC   0x180u
#define STATISTICS_COUNTERS 0x200u

#endif
