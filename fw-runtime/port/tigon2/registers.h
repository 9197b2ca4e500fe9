/* SPDX-License-Identifier: MIT */
/*
 * Tigon2 registers as the firmware uses them; names and offsets from tigon2.md 3.
 *
 * The block is reached through $k1, which holds 0xC0000000 from start-up on: one instruction per
 * access (toolchain.md 1.2). The compiler never allocates $k0 and $k1, and there are no interrupts.
 */
#ifndef FW_RUNTIME_TIGON2_REGISTERS_H
#define FW_RUNTIME_TIGON2_REGISTERS_H

/* Offsets, also for assembler. */
#define TIGON2_MISC_LOCAL_CONTROL      0x044
#define TIGON2_SEMAPHORE_A             0x048
#define TIGON2_SEMAPHORE_B             0x04C
#define TIGON2_TIMER                   0x054
#define TIGON2_TIMER_REFERENCE         0x058
#define TIGON2_EVENT                   0x060
#define TIGON2_MAILBOX_EVENT           0x064
#define TIGON2_EVENT_B                 0x070
#define TIGON2_DMA_READ_LENGTH         0x09C
#define TIGON2_DMA_WRITE_LENGTH        0x0AC
#define TIGON2_DMA_WRITE_STATE         0x0A0
#define TIGON2_DMA_READ_STATE          0x0B0
#define TIGON2_RECEIVE_BASE            0x0C0
#define TIGON2_RECEIVE_PRODUCER        0x0C4
#define TIGON2_RECEIVE_CONSUMER        0x0C8
#define TIGON2_TRANSMIT_BASE           0x0D0
#define TIGON2_TRANSMIT_PRODUCER       0x0D4
#define TIGON2_TRANSMIT_CONSUMER       0x0D8
#define TIGON2_RECEIVE_RING_PRODUCER   0x0E0
#define TIGON2_RECEIVE_RING_CONSUMER   0x0E4
#define TIGON2_RECEIVE_RING_REFERENCE  0x0E8
#define TIGON2_NEXT_ENABLE             0x0EC
#define TIGON2_TRANSMIT_RING_PRODUCER  0x0F0
#define TIGON2_TRANSMIT_RING_CONSUMER  0x0F4
#define TIGON2_TRANSMIT_RING_REFERENCE 0x0F8
#define TIGON2_DMA_READ_PRODUCER       0x100
#define TIGON2_DMA_READ_CONSUMER       0x104
#define TIGON2_DMA_READ_REFERENCE      0x108
#define TIGON2_DMA_READ_LOW_PRODUCER   0x110
#define TIGON2_DMA_READ_LOW_CONSUMER   0x114
#define TIGON2_DMA_READ_LOW_REFERENCE  0x118
#define TIGON2_DMA_ASSIST              0x11C
#define TIGON2_DMA_WRITE_PRODUCER      0x120
#define TIGON2_DMA_WRITE_CONSUMER      0x124
#define TIGON2_DMA_WRITE_REFERENCE     0x128
#define TIGON2_DMA_WRITE_LOW_PRODUCER  0x130
#define TIGON2_DMA_WRITE_LOW_CONSUMER  0x134
#define TIGON2_DMA_WRITE_LOW_REFERENCE 0x138
#define TIGON2_CPU_A_STATE             0x140
#define TIGON2_CPU_A_STACK             0x150
#define TIGON2_MAC_TRANSMIT_STATE      0x200
#define TIGON2_LINK_TRANSMIT           0x204
#define TIGON2_MAC_ADDRESS_HIGH        0x208
#define TIGON2_MAC_ADDRESS_LOW         0x20C
#define TIGON2_MAC_BACKOFF             0x210
#define TIGON2_MAC_GAPS                0x214
#define TIGON2_MAC_THRESHOLDS          0x21C
#define TIGON2_MAC_RECEIVE_STATE       0x220
#define TIGON2_LINK_RECEIVED           0x224
#define TIGON2_MULTICAST_HASH          0x228 /* four of them */
#define TIGON2_PORT_CONTROL            0x238
#define TIGON2_PORT_CLEAR              0x23C
#define TIGON2_CPU_B_STATE             0x240
#define TIGON2_CPU_B_COUNTER           0x244
#define TIGON2_CPU_B_STACK             0x250

/* HW[060], tigon2.md 4. Software bits only from rows that name a software use (14 row 6). */
#define TIGON2_EVENT_TIMER             28
#define TIGON2_EVENT_SIGNAL            27 /* software: by the other processor */
#define TIGON2_EVENT_TRANSMIT_FAULT    26
#define TIGON2_EVENT_RECEIVE_ATTENTION 25
#define TIGON2_EVENT_TOLD              24 /* software: by the other processor's port (halves.c) */
#define TIGON2_EVENT_WRITTEN           23 /* software: nothing outstanding, or a full ring hid it */
#define TIGON2_EVENT_MAILBOX           22
#define TIGON2_EVENT_READ_FAULT        20
#define TIGON2_EVENT_WRITE_FAULT       19
#define TIGON2_EVENT_READ_DONE         15
#define TIGON2_EVENT_WRITE_DONE        14
#define TIGON2_EVENT_READ_LOW_DONE     13
#define TIGON2_EVENT_RECEIVE           6
#define TIGON2_EVENT_READ_NOTICE       10 /* software: as WRITTEN, for reads */
#define TIGON2_EVENT_SLOT              4  /* software: nic_request_slot */
#define TIGON2_EVENT_WORK              3  /* software: nic_defer_work, or a slot without room */

/* DMA state words and descriptor word 4, tigon2.md 5.2. */
#define TIGON2_DMA_RESET        0x00000001u
#define TIGON2_DMA_THRESHOLD    0x00000080u /* eight words, recommended */
#define TIGON2_DMA_READ_WORDS   0x00000086u /* host integers keep their value */
#define TIGON2_DMA_READ_BYTES   0x00000084u
#define TIGON2_DMA_READ_FRAME   0x00020084u /* the same, then hand the frame to the MAC */
#define TIGON2_DMA_WRITE_PIECE  0x00020084u
#define TIGON2_DMA_WRITE_FRAME  0x000A0084u /* the same, then free the receive buffer behind it */
#define TIGON2_DMA_WRITE_NOTICE 0x00220086u /* words; at the end the card interrupts the host */
#define TIGON2_DMA_FATAL        0xEF000000u /* attention bits */
#define TIGON2_DMA_OVERFLOW     0x08000000u
#define TIGON2_ASSIST_ENABLE    0x00000001u
#define TIGON2_ASSIST_PAUSE     0x00000002u
#define TIGON2_CPU_HALT         0x00010000u
#define TIGON2_MAC_RESET        0x00000001u
#define TIGON2_MAC_ENABLE       0x00000002u
#define TIGON2_MAC_STOP         0x00000004u
#define TIGON2_TRANSMIT_FIBRE   0x000000E0u
#define TIGON2_RECEIVE_MODE     0x00000800u /* bits 11:8, revision 6 */
#define TIGON2_RECEIVE_OBEY     0x00010000u /* PAUSE frames */
#define TIGON2_RECEIVE_SYNC     0x00040000u
#define TIGON2_RECEIVE_CONFIG   0x00080000u
#define TIGON2_RECEIVE_LINK     0x01000000u /* attentions */
#define TIGON2_RECEIVE_SYNC_ATT 0x02000000u
#define TIGON2_RECEIVE_CONF_ATT 0x04000000u
#define TIGON2_RECEIVE_NO_SPACE 0x40000000u
#define TIGON2_RECEIVE_CLEAR    0xF7000000u /* write-1-to-clear set */
#define TIGON2_RECEIVE_FATAL    0xB0000000u
#define TIGON2_PORT_FIBRE       0x00C801FEu

/* Sums of DMA transfers, as firmware of other origin asks for them (tigon2.md 5.2): every piece
 * stores what it has come to, so the last one stores the sum of all. */
#define TIGON2_DMA_SUM        0x00000A00u
#define TIGON2_DMA_SUM_BEGINS 0x00000400u

/* Received frame status, descriptor word 1 (tigon2.md 6.2): everything but "shorter than 64". */
#define TIGON2_FRAME_BAD 0x01BF0000u

/* Fixed SRAM places, tigon2.md 2.2, 2.3. */
#define TIGON2_MAILBOX_ADDRESS   0x100u
#define TIGON2_CONTROL_ADDRESS   0x200u
#define TIGON2_MEMORY_TOP        0x200000u
#define TIGON2_SPILL_STACK       0x5000u /* this much below the transmit buffer, 4 kB */
#define TIGON2_DMA_READ_LOW_RING 0x3000u
#define TIGON2_TRANSMIT_RING     0x2800u
#define TIGON2_RECEIVE_RING      0x2000u
#define TIGON2_DMA_READ_RING     0x1000u
#define TIGON2_DMA_WRITE_RING    0x0800u
#define TIGON2_STACK_WINDOW      0x00BFF000u

/* A proof has registers of its own. */
#if !defined __ASSEMBLER__ && !defined TIGON2_REGISTER
#include <stdint.h>

register volatile uint32_t *tigon2_registers __asm__("k1");
register uint32_t tigon2_enabled __asm__("k0"); /* event bits the loop looks at */

#define TIGON2_REGISTER(name) (tigon2_registers[TIGON2_##name / 4])
#endif

#endif
