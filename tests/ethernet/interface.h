/* SPDX-License-Identifier: MIT */
/*
 * What a host and an Ethernet firmware with the interface of the public drivers say to each other
 * (tigon2.md 9, 11). Firmware and host program share this file.
 *
 * SHARED_* are SRAM addresses; a host adds 0x400 (SHARED_HOST). Words in host memory are those of a
 * little-endian PC, with the operating mode MODE_USUAL.
 */
#ifndef ETHERNET_INTERFACE_H
#define ETHERNET_INTERFACE_H

/* The shared area, which the public headers call general communications. */
#define SHARED_HOST                0x400u
#define SHARED_ADDRESS_HIGH        0x200u /* MAC address: bytes 0 and 1 */
#define SHARED_ADDRESS_LOW         0x204u
#define SHARED_INFORMATION_HIGH    0x208u /* bus address of the information block */
#define SHARED_INFORMATION_LOW     0x20Cu
#define SHARED_GROUP_HIGH          0x210u /* for COMMAND_ADD_GROUP and COMMAND_REMOVE_GROUP */
#define SHARED_GROUP_LOW           0x214u
#define SHARED_MODE                0x218u /* MODE_* */
#define SHARED_DMA_READ            0x21Cu
#define SHARED_DMA_WRITE           0x220u
#define SHARED_TRANSMIT_SHARE      0x224u /* of the buffer space, in 64ths */
#define SHARED_EVENT_CONSUMER      0x228u /* by the host */
#define SHARED_COMMAND_CONSUMER    0x22Cu /* by the firmware */
#define SHARED_RECEIVE_TICKS       0x230u /* microseconds a received frame may go unreported */
#define SHARED_SEND_TICKS          0x234u
#define SHARED_STATISTICS_TICKS    0x238u /* microseconds between two copies; 0: none */
#define SHARED_SEND_DESCRIPTORS    0x23Cu /* most that go unreported; 0: any number */
#define SHARED_RECEIVE_DESCRIPTORS 0x240u
#define SHARED_TRACE               0x244u
#define SHARED_LINK                0x248u /* LINK_*: what the host wants of the gigabit link */
#define SHARED_SLOW_LINK           0x24Cu /* of a link at 10 or 100 Mb/s */
#define SHARED_INDEX               0x25Cu
#define SHARED_MTU                 0x260u /* longest frame without CRC; looked at for each */
#define SHARED_MASK_INTERRUPTS     0x264u /* not 0: no interrupts */
#define SHARED_LINK_STATE          0x268u /* LINK_*, by the firmware */
#define SHARED_SLOW_LINK_STATE     0x26Cu
#define SHARED_RETURN_CONSUMER     0x280u /* by the host */
#define SHARED_COMMANDS            0x300u /* the command ring */

/* Operating mode */
#define MODE_BYTE_SWAP_DESCRIPTORS 0x00000002u
#define MODE_WORD_SWAP_DESCRIPTORS 0x00000004u
#define MODE_WARN                  0x00000008u
#define MODE_BYTE_SWAP_DATA        0x00000010u
#define MODE_ONE_DMA               0x00000040u
#define MODE_JUMBO_WHOLE           0x00000200u
#define MODE_FATAL                 0x40000000u
#define MODE_USUAL                                                                                 \
    (MODE_FATAL | MODE_JUMBO_WHOLE | MODE_BYTE_SWAP_DATA | MODE_WARN | MODE_WORD_SWAP_DESCRIPTORS)

/* Link words of the shared area */
#define LINK_SENSE           (1u << 13) /* without negotiation */
#define LINK_LOOPBACK        (1u << 14)
#define LINK_PREFERRED       (1u << 15)
#define LINK_10              (1u << 16)
#define LINK_100             (1u << 17)
#define LINK_1000            (1u << 18)
#define LINK_FULL            (1u << 19)
#define LINK_HALF            (1u << 20)
#define LINK_SEND_PAUSE      (1u << 21)
#define LINK_OBEY_PAUSE      (1u << 23)
#define LINK_NEGOTIATE_PAUSE (1u << 28)
#define LINK_NEGOTIATE       (1u << 29)
#define LINK_ENABLE          (1u << 30)
#define LINK_UP              (1u << 31)

/* Mailboxes */
#define MAILBOX_INTERRUPT                                                                          \
    0u /* any write drops the line; not 0: the host is at work, no interrupt */
#define MAILBOX_COMMANDS 1u
#define MAILBOX_SENDS    2u
#define MAILBOX_STANDARD 3u
#define MAILBOX_JUMBO    4u
#define MAILBOX_MINI     5u

/* Information block: byte offsets. Ring control blocks have 16 bytes: bus address, high word first;
 * bytes or entries << 16 | RING_*; unused. Pointers are bus addresses, high word first, at which
 * the firmware writes 8 bytes of which the first word is the index. */
#define INFORMATION_STATISTICS      0x000u /* 1 kB */
#define INFORMATION_EVENTS          0x400u
#define INFORMATION_COMMANDS        0x410u
#define INFORMATION_SENDS           0x420u /* length: entries */
#define INFORMATION_STANDARD        0x430u /* length: of each buffer */
#define INFORMATION_JUMBO           0x440u
#define INFORMATION_MINI            0x450u
#define INFORMATION_RETURNS         0x460u /* length: entries */
#define INFORMATION_EVENT_PRODUCER  0x470u
#define INFORMATION_RETURN_PRODUCER 0x478u
#define INFORMATION_SEND_CONSUMER   0x480u
#define INFORMATION_STATISTICS_AT   0x488u
#define INFORMATION_BYTES           0x490u

/* Words of the statistics, counters of 64 bits: the high word first. */
#define STATISTICS_IN_BYTES      36u
#define STATISTICS_IN_UNICAST    38u
#define STATISTICS_IN_MULTICAST  40u
#define STATISTICS_IN_BROADCAST  42u
#define STATISTICS_OUT_BYTES     44u
#define STATISTICS_OUT_UNICAST   46u
#define STATISTICS_OUT_MULTICAST 48u
#define STATISTICS_OUT_BROADCAST 50u

/* Flags of ring control blocks */
#define RING_TRANSPORT_SUM  0x001u /* TCP and UDP */
#define RING_IP_SUM         0x002u
#define RING_NO_PSEUDO      0x008u /* sums leave the pseudo-header to the host */
#define RING_VLAN           0x010u /* tags are put in and taken out by the board */
#define RING_COALESCE_ALARM 0x020u /* only interrupts wait; indices are told at once */
#define RING_IN_HOST        0x040u /* the send ring is in host memory */
#define RING_DISABLED       0x200u

/* Entries of the rings */
#define EVENTS      256u /* 8 bytes: word 0 as below, word 1 unused */
#define COMMANDS    64u  /* 4 bytes, in SRAM */
#define SENDS       256u /* 16 bytes: high, low, length << 16 | DESCRIPTOR_*, VLAN tag */
#define STANDARDS   512u /* 32 bytes, as RECEIVE_* */
#define JUMBOS      256u
#define MINIS       1024u
#define RETURNS     2048u
#define JUMBO_BYTES 9014u /* longest frame without CRC and tag */

/* Words of a receive descriptor. Host to board: address, index and length of a buffer, flags,
 * cookie. In the return ring: address, index, length and cookie of the buffer used, the rest about
 * the frame. */
#define RECEIVE_HIGH   0u
#define RECEIVE_LOW    1u
#define RECEIVE_LENGTH 2u /* index << 16 | bytes, without CRC */
#define RECEIVE_FLAGS  3u /* type << 16 | DESCRIPTOR_* */
#define RECEIVE_SUMS   4u /* IP << 16 | TCP or UDP */
#define RECEIVE_TAG    5u /* ERROR_* << 16 | VLAN tag */
#define RECEIVE_COOKIE 7u
#define RECEIVE_WORDS  8u

/* Flags of send and receive descriptors */
#define DESCRIPTOR_TRANSPORT_SUM 0x0001u
#define DESCRIPTOR_IP_SUM        0x0002u
#define DESCRIPTOR_END           0x0004u /* last piece of a frame */
#define DESCRIPTOR_JUMBO         0x0010u /* of the jumbo ring */
#define DESCRIPTOR_UNICAST       0x0020u
#define DESCRIPTOR_MULTICAST     0x0040u
#define DESCRIPTOR_BROADCAST     0x0060u
#define DESCRIPTOR_TAG           0x0200u /* the tag is to be put in, or was taken out */
#define DESCRIPTOR_ERROR         0x0400u /* see ERROR_* */
#define DESCRIPTOR_NOW           0x0800u /* tell of it without waiting for others */
#define DESCRIPTOR_MINI          0x1000u /* of the mini ring */

#define ERROR_CRC       0x0001u
#define ERROR_TRUNCATED 0x0080u

/* A command, and word 0 of an event: number << 24 | code << 12 | index. */
#define WORD(number, code, index) ((uint32_t)(number) << 24 | (uint32_t)(code) << 12 | (index))

enum {
    COMMAND_HOST_STATE = 0x01,    /* code 1: up, 2: down */
    COMMAND_FILTER = 0x02,        /* code 1: by address, 2: no longer */
    COMMAND_UPDATE_SHARED = 0x04, /* coalescing words were changed */
    COMMAND_RESET_JUMBO = 0x05, /* answered by an event; buffers of the ring are the host's again */
    COMMAND_ADD_GROUP = 0x08,   /* of SHARED_GROUP_*; answered by an event */
    COMMAND_REMOVE_GROUP = 0x09,
    COMMAND_PROMISCUOUS = 0x0A, /* code 1: on, 2: off */
    COMMAND_NEGOTIATE =
        0x0B, /* code 0: any speed, 1: gigabit, 2: others; link words were changed */
    COMMAND_SET_ADDRESS = 0x0C,
    COMMAND_CLEAR_PROFILE = 0x0D,
    COMMAND_ALL_GROUPS = 0x0E, /* code 1: on, 2: off */
    COMMAND_CLEAR_STATISTICS = 0x0F,
    COMMAND_REFRESH_STATISTICS = 0x11, /* answered by an event once they are in host memory */
    COMMAND_ADD_GROUP_LONG = 0x12,     /* the address in the two next words of the command ring */
    COMMAND_REMOVE_GROUP_LONG = 0x13
};

enum {
    EVENT_UP = 1,
    EVENT_STATISTICS = 4,
    EVENT_LINK = 6,   /* code 1: gigabit, 2: down, 3: 10 or 100 Mb/s */
    EVENT_ERROR = 7,  /* code 1: invalid command, 2: not implemented, 3: bad configuration */
    EVENT_GROUPS = 8, /* code 1: added, 2: removed */
    EVENT_JUMBO_RESET = 9
};

#endif
