/* SPDX-License-Identifier: MIT */
/*
 * Registers of the Tigon2, by the offsets of tigon2.md 3.1, as far as this firmware uses them. A
 * core sees them at 0xC0000000, a host from the start of its memory block.
 */
#ifndef ETHERNET_REGISTERS_H
#define ETHERNET_REGISTERS_H

#define HOST_CONTROL         0x040
#define LOCAL_CONTROL        0x044
#define SEMAPHORE_A          0x048
#define SEMAPHORE_B          0x04C
#define CONFIGURATION        0x050
#define TIMER                0x054
#define TIMER_REFERENCE_A    0x058
#define PCI_STATE            0x05C
#define EVENT_A              0x060
#define MAILBOX_EVENT_A      0x064
#define WINDOW_BASE          0x068
#define EVENT_B              0x070
#define TIMER_REFERENCE_B    0x078
#define WRITE_HOST_HIGH      0x080
#define WRITE_HOST_LOW       0x084
#define READ_HOST_HIGH       0x090
#define READ_HOST_LOW        0x094
#define READ_LENGTH          0x09C
#define WRITE_STATE          0x0A0
#define WRITE_LOCAL          0x0A4
#define WRITE_SUM            0x0A8
#define WRITE_LENGTH         0x0AC
#define READ_STATE           0x0B0
#define READ_LOCAL           0x0B4
#define READ_SUM             0x0B8
#define RECEIVE_BASE         0x0C0
#define RECEIVE_PRODUCER     0x0C4
#define RECEIVE_CONSUMER     0x0C8
#define TRANSMIT_BASE        0x0D0
#define TRANSMIT_PRODUCER    0x0D4
#define TRANSMIT_CONSUMER    0x0D8
#define RECEIVED_PRODUCER    0x0E0 /* of the ring of receive descriptors */
#define RECEIVED_CONSUMER    0x0E4
#define RECEIVED_REFERENCE   0x0E8
#define NEXT_ENABLE          0x0EC
#define TO_SEND_PRODUCER     0x0F0 /* of the ring of transmit descriptors */
#define TO_SEND_CONSUMER     0x0F4
#define TO_SEND_REFERENCE    0x0F8
#define TO_SEND_NEXT         0x0FC
#define READ_RING_PRODUCER   0x100
#define READ_RING_CONSUMER   0x104
#define READ_RING_REFERENCE  0x108
#define READ_RING_NEXT       0x10C
#define READ_LOW_RING        0x110 /* producer, consumer, reference */
#define ASSIST_STATE         0x11C
#define WRITE_RING_PRODUCER  0x120
#define WRITE_RING_CONSUMER  0x124
#define WRITE_RING_REFERENCE 0x128
#define WRITE_RING_NEXT      0x12C
#define WRITE_LOW_RING       0x130
#define CPU_A_STATE          0x140
#define CPU_A_COUNTER        0x144
#define CPU_A_STACK          0x150
#define MAC_TRANSMIT         0x200
#define LINK_WORD_SENT       0x204
#define MAC_ADDRESS_HIGH     0x208
#define MAC_ADDRESS_LOW      0x20C
#define BACK_OFF_SEED        0x210
#define MAC_GAPS             0x214
#define MAC_THRESHOLDS       0x21C
#define MAC_RECEIVE          0x220
#define LINK_WORD_RECEIVED   0x224
#define MULTICAST_HASH       0x228
#define SERDES               0x238
#define MAC_CLEARED          0x23C
#define CPU_B_STATE          0x240
#define CPU_B_COUNTER        0x244
#define CPU_B_STACK          0x250

/* HW[040] */
#define HOST_CONTROL_INTERRUPT 0x00000001u
/* HW[044] */
#define LOCAL_CONTROL_INTERRUPT 0x00000004u
#define LOCAL_CONTROL_LED_CLOCK 0x00000020u
#define LOCAL_CONTROL_LED_DATA  0x00000040u
#define LOCAL_CONTROL_PHY_RUN   0x00000080u
#define LOCAL_CONTROL_PINS      0x0000F000u /* two values, two output enables */
#define MII_CLOCK               0x00010000u
#define MII_ENABLE              0x00020000u
#define MII_OUT                 0x00040000u
#define MII_IN                  0x00080000u
/* HW[050] */
#define PRESCALER     0x00000055u
#define PORT_SHIFT    24
#define PORT_INTERNAL 0u
#define PORT_GIGABIT  7u /* copper */
#define PORT_EXTERNAL 10u
#define PORT_SLOW     13u /* copper at 10 or 100 Mb/s */
/* HW[05C] */
#define PCI_ALL_BYTES 0x00800000u
/* HW[140], HW[240] */
#define CPU_NULL_PAGE  0x00000004u
#define CPU_HALT       0x00010000u
#define CPU_HALTED     0x00040000u /* by the HALT instruction */
#define CPU_ROM_FAILED 0x00000010u
/* HW[11C] */
#define ASSIST_ENABLE        0x00000001u
#define ASSIST_PAUSE         0x00000002u
#define ASSIST_ONE           0x00000004u
#define ASSIST_WRITE_BUSY    0x00000100u
#define ASSIST_WRITE_WAITING 0x00000800u
#define ASSIST_READ_BUSY     0x00001000u
#define ASSIST_READ_WAITING  0x00008000u

/* State words of DMA (tigon2.md 5.2) */
#define DMA_RESET         0x00000001u
#define DMA_WORDS         0x00000002u /* 32-bit words keep their value; without: bytes their order */
#define DMA_START         0x00000004u
#define DMA_TUNING        0x000001F8u /* from SHARED_DMA_READ and SHARED_DMA_WRITE */
#define DMA_SUM           0x00000A00u /* add up, and store the sum */
#define DMA_SUM_RESTART   0x00000400u
#define DMA_SUM_STORE     0x00000800u
#define DMA_READ_LAST     0x00020000u /* the last piece of a frame: hand it to the MAC */
#define DMA_WRITE_USUAL   0x00020000u
#define DMA_WRITE_FREE    0x00080000u /* the receive buffer up to here is free again */
#define DMA_WRITE_ALARM   0x00200000u /* interrupt when done */
#define DMA_ATTENTIONS    0xEF000000u
#define DMA_HOST_OVERFLOW 0x08000000u

/* Event words (tigon2.md 4) */
#define EVENT_TIMER              28
#define EVENT_TRANSMIT_ATTENTION 26
#define EVENT_RECEIVE_ATTENTION  25
#define EVENT_TELL_RETURNS       24 /* software, set by B */
#define EVENT_TELL_SENDS         23 /* software, set by B */
#define EVENT_MAILBOX            22
#define EVENT_READ_ATTENTION     20
#define EVENT_WRITE_ATTENTION    19
#define EVENT_READ_DONE          15
#define EVENT_WRITE_DONE         14
#define EVENT_FETCH_BUFFERS      9 /* software */
#define EVENT_LEDS               7 /* software */
#define EVENT_RECEIVED           6
#define EVENT_FETCH_SENDS        4 /* software */
#define EVENT_SEND               3 /* software */

/* HW[200], HW[220] */
#define MAC_RESET              0x00000001u
#define MAC_ENABLE             0x00000002u
#define MAC_STOP               0x00000004u
#define MAC_TRANSMIT_GIGABIT   0x00000020u /* copper */
#define MAC_TRANSMIT_SLOW      0x00000070u /* copper at 10 or 100 Mb/s */
#define MAC_TRANSMIT_FIBRE     0x000000E0u
#define MAC_SEND_PAUSE         0x00000100u
#define MAC_RECEIVE_USUAL      0x00000800u
#define MAC_PROMISCUOUS        0x00000008u
#define MAC_OBEY_PAUSE         0x00010000u
#define MAC_SYNC               0x00040000u
#define MAC_CONFIGURING        0x00080000u
#define MAC_SYNC_ATTENTION     0x02000000u
#define MAC_SIGNAL_ATTENTIONS  0x03000000u
#define MAC_LINK_ATTENTIONS    0x07000000u
#define MAC_BUFFER_ATTENTION   0x40000000u
#define MAC_RECEIVE_ATTENTION  0xF7000000u
#define MAC_TRANSMIT_ATTENTION 0x3F000000u

/* HW[214]: VLAN type, gaps */
#define MAC_GAPS_USUAL 0x8100241Fu

/* Configuration words, HW[204] and HW[224]: bytes swapped against IEEE 802.3 (tigon2.md 7) */
#define WORD_ASYMMETRIC   0x0001u
#define WORD_FULL_DUPLEX  0x2000u
#define WORD_PAUSE        0x8000u
#define WORD_ACKNOWLEDGED 0x0040u

/* Transmit descriptor, first word */
#define TO_SEND_TAG 0x40000000u /* put in the VLAN tag of the second */

/* Receive descriptor, second word */
#define RECEIVED_LENGTH    0x0000FFFFu
#define RECEIVED_TRUNCATED 0x00800000u
#define RECEIVED_DAMAGED   0x01BF0000u /* all status bits but "shorter than 64 bytes" */

/* The memory that all boards are spoken of as having, and where rings lie below the transmit
 * buffer (tigon2.md 2.3). */
#define MEMORY_END     0x200000u
#define TO_SEND_RING   0x2800u
#define TO_SEND_BYTES  0x0800u
#define RECEIVED_RING  0x2000u
#define RECEIVED_BYTES 0x1000u
#define READ_RING      0x1000u
#define WRITE_RING     0x0800u
#define DMA_RING_BYTES 0x0800u
#define DMA_BYTES_EACH 32u

#define MAC_STATISTICS 0x080u
#define MAILBOX(n)     (0x104u + 8u * (n))

#endif
