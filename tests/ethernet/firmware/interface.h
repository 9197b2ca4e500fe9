/*
 * What the driver and the small Ethernet firmware say to each other. Addresses are SRAM addresses;
 * a host adds 0x400. All words are plain numbers on both sides.
 *
 * Send ring, buffer ring and return ring, all in host memory, have entries of four words. Counters
 * run freely; an entry lies at counter modulo the (power of two) number of entries.
 */
#ifndef ETHERNET_INTERFACE_H
#define ETHERNET_INTERFACE_H

/* Communication area */
#define AREA_ADDRESS_HIGH 0x200u /* MAC address: bytes 0 and 1 */
#define AREA_ADDRESS_LOW  0x204u
#define AREA_BLOCK_HIGH   0x208u /* where the control block is in host memory */
#define AREA_BLOCK_LOW    0x20Cu
#define AREA_STATE        0x210u /* STATE_*, by the firmware */
#define AREA_MEMORY       0x214u /* bytes of SRAM found */
#define AREA_FILTER       0x230u /* FILTER_* and four words of multicast hash, for COMMAND_FILTER */
#define AREA_COUNTERS     0x250u /* COUNTER_* words, by the firmware */

#define STATE_RUNNING   0x45544801u
#define STATE_NO_BLOCK  0x45544802u /* the control block could not be read */
#define STATE_BAD_BLOCK 0x45544803u
#define STATE_NO_SERDES 0x45544804u

#define FILTER_PROMISCUOUS 1u

enum {
    COUNTER_SENT,         /* frames handed to the MAC */
    COUNTER_SEND_REFUSED, /* impossible length or too many pieces */
    COUNTER_RECEIVED,     /* frames handed to the host */
    COUNTER_DAMAGED,      /* with an error bit in their descriptor */
    COUNTER_TOO_LONG,     /* for the host's buffer */
    COUNTER_STARVED,      /* looks at a received frame while there was no buffer or ring slot */
    COUNTER_NO_SPACE,     /* attentions "receive buffer exhausted" */
    COUNTER_DMA_FAILED,
    COUNTER_INTERRUPTS,
    COUNTER_REPEATED, /* interrupts raised again: the host had not seen the last report */
    COUNTER_LINK_UP,
    COUNTER_LINK_DOWN,
    COUNTER_UNEXPECTED, /* events nobody serves */
    COUNTERS
};

/* Mailboxes */
#define MAILBOX_INTERRUPT 0u /* sequence of the report that the host has seen; drops the line */
#define MAILBOX_SENDS     1u /* entries put into the send ring so far */
#define MAILBOX_BUFFERS   2u /* entries put into the buffer ring so far */
#define MAILBOX_COMMAND   3u /* one at a time: the firmware writes 0 when it is done */

#define COMMAND_FILTER 1u /* take AREA_FILTER */
#define COMMAND_CLEAR  2u /* MAC statistics to 0 */

/* Control block, words */
enum {
    BLOCK_SENDS_HIGH, /* send ring */
    BLOCK_SENDS_LOW,
    BLOCK_SENDS,        /* entries */
    BLOCK_BUFFERS_HIGH, /* buffer ring: room for received frames */
    BLOCK_BUFFERS_LOW,
    BLOCK_BUFFERS,
    BLOCK_RETURNS_HIGH, /* return ring: received frames, at least as many entries as buffers */
    BLOCK_RETURNS_LOW,
    BLOCK_RETURNS,
    BLOCK_REPORT_HIGH,
    BLOCK_REPORT_LOW,
    BLOCK_OPTIONS,   /* OPTION_* */
    BLOCK_REPORT_US, /* how long things may go unreported */
    BLOCK_LONGEST,   /* longest frame to send, without CRC */
    BLOCK_WORDS
};

#define OPTION_FREE_BY_HAND 1u /* HW[0C8] is written by the firmware, not by bit 19 of a DMA */
#define OPTION_ALARM_BY_DMA 2u /* the interrupt comes from bit 21 of a DMA, not from HW[044] */

/* Entry of the send ring and of the buffer ring */
enum {
    ENTRY_HIGH,
    ENTRY_LOW,
    ENTRY_LENGTH, /* bytes; in the send ring also ENTRY_LAST */
    ENTRY_COOKIE, /* of a buffer: comes back in the return ring */
    ENTRY_WORDS
};

#define ENTRY_LAST   0x80000000u
#define PIECES_LIMIT 4u /* of one frame */

/* Entry of the return ring */
enum { RETURN_COOKIE, RETURN_LENGTH, RETURN_ADDRESS, RETURN_SEQUENCE };

/* Report, written by the firmware */
enum { REPORT_SEQUENCE, REPORT_SENT, REPORT_RETURNED, REPORT_LINK, REPORT_WORDS };

#endif
