/* SPDX-License-Identifier: MIT */
/*
 * The chip registers (tigon2.md 3): offsets, and the dispatch of accesses to the devices.
 *
 * Values are in board->registers. The rows of the devices (device.h) define for each word the bits
 * that a plain write may change and whether the device handles the access. A register in no row
 * reads 0, ignores writes and is reported once (tigon2.md 14 row 20). All reset values are zero but
 * those of tigon2.md 14 row 22; devices set the ones that depend on the board.
 */
#ifndef SIM_REGISTERS_H
#define SIM_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/chip/device.h"

#define TIGON_REGISTER_BYTES 0x400u

enum tigon_register {
    TIGON_PCI_IDENTIFICATION = 0x000,
    TIGON_PCI_COMMAND = 0x004,
    TIGON_PCI_SUBSYSTEM = 0x02C,
    TIGON_HOST_CONTROL = 0x040,
    TIGON_LOCAL_CONTROL = 0x044,
    TIGON_SEMAPHORE_A = 0x048,
    TIGON_SEMAPHORE_B = 0x04C,
    TIGON_MISC_CONFIGURATION = 0x050,
    TIGON_TIMER = 0x054,
    TIGON_TIMER_REFERENCE_A = 0x058,
    TIGON_PCI_STATE = 0x05C,
    TIGON_EVENT_A = 0x060,
    TIGON_MAILBOX_EVENT_A = 0x064,
    TIGON_WINDOW_BASE = 0x068,
    TIGON_WINDOW_DATA = 0x06C,
    TIGON_EVENT_B = 0x070,
    TIGON_MAILBOX_EVENT_B = 0x074,
    TIGON_TIMER_REFERENCE_B = 0x078,
    TIGON_DMA_WRITE_HOST_HIGH = 0x080,
    TIGON_DMA_WRITE_HOST_LOW = 0x084,
    TIGON_DMA_READ_HOST_HIGH = 0x090,
    TIGON_DMA_READ_HOST_LOW = 0x094,
    TIGON_DMA_READ_LENGTH = 0x09C,
    TIGON_DMA_WRITE_STATE = 0x0A0,
    TIGON_DMA_WRITE_LOCAL = 0x0A4,
    TIGON_DMA_WRITE_CHECKSUM = 0x0A8,
    TIGON_DMA_WRITE_LENGTH = 0x0AC,
    TIGON_DMA_READ_STATE = 0x0B0,
    TIGON_DMA_READ_LOCAL = 0x0B4,
    TIGON_DMA_READ_CHECKSUM = 0x0B8,
    TIGON_RECEIVE_BUFFER_BASE = 0x0C0,
    TIGON_RECEIVE_BUFFER_PRODUCER = 0x0C4,
    TIGON_RECEIVE_BUFFER_CONSUMER = 0x0C8,
    TIGON_TRANSMIT_BUFFER_BASE = 0x0D0,
    TIGON_TRANSMIT_BUFFER_PRODUCER = 0x0D4,
    TIGON_TRANSMIT_BUFFER_CONSUMER = 0x0D8,
    TIGON_RECEIVE_RING_PRODUCER = 0x0E0,
    TIGON_RECEIVE_RING_CONSUMER = 0x0E4,
    TIGON_RECEIVE_RING_REFERENCE = 0x0E8,
    TIGON_TRANSMIT_RING_PRODUCER = 0x0F0,
    TIGON_TRANSMIT_RING_CONSUMER = 0x0F4,
    TIGON_TRANSMIT_RING_REFERENCE = 0x0F8,
    TIGON_TRANSMIT_RING_NEXT = 0x0FC,
    TIGON_DMA_READ_RING_HIGH = 0x100, /* +0 producer, +4 consumer, +8 reference, +C next */
    TIGON_DMA_READ_RING_LOW = 0x110,  /* without next */
    TIGON_DMA_ASSIST = 0x11C,
    TIGON_DMA_WRITE_RING_HIGH = 0x120,
    TIGON_DMA_WRITE_RING_LOW = 0x130,
    TIGON_CPU_STATE = 0x140, /* A; B is 0x100 further, like all of the CPU registers */
    TIGON_CPU_COUNTER = 0x144,
    TIGON_CPU_STACK = 0x150,
    TIGON_CPU_LOCAL_ADDRESS = 0x154,
    TIGON_CPU_LOCAL_DATA = 0x158,
    TIGON_CPU_GENERAL = 0x180,
    TIGON_TRANSMIT_STATE = 0x200,
    TIGON_LINK_TRANSMIT_WORD = 0x204,
    TIGON_MAC_ADDRESS_HIGH = 0x208,
    TIGON_MAC_ADDRESS_LOW = 0x20C,
    TIGON_VLAN_AND_GAPS = 0x214,
    TIGON_RECEIVE_STATE = 0x220,
    TIGON_LINK_RECEIVE_WORD = 0x224,
    TIGON_MULTICAST_HASH = 0x228, /* four words */
    TIGON_SERDES = 0x238
};

/* The description of the register at `offset`, or NULL when it is not listed. */
const struct tigon_register_description *tigon_register_describe(uint32_t offset);
/* For people, distinguishes several words of one description: "producer", "low", ...; "" where the
 * name suffices. */
const char *tigon_register_part(uint32_t offset);
/* Whether its value changes only by a write, or with tigon_board_changed(). */
bool tigon_register_is_steady(uint32_t offset);
/* Whether reading it has no effect, and shows the same as an access by a core. */
bool tigon_register_shows_state(uint32_t offset);
/* How cores may read it without tigon_register_read(), as struct tigon_cpu_port has it. */
void tigon_register_view(const struct tigon_board *board, uint32_t offset,
                         struct tigon_register_view *view);

/* Call the functions of struct tigon_device, for all devices in their order. The first must come
 * before any other function of this header that takes a board. */
void tigon_devices_initialise(struct tigon_board *board);
void tigon_devices_reset(struct tigon_board *board);
void tigon_devices_lose_power(struct tigon_board *board);

/* One access to HW[offset], from a CPU or from the host, at board->now. `offset` below
 * TIGON_REGISTER_BYTES; the low two bits are ignored. */
uint32_t tigon_register_read(struct tigon_board *board, uint32_t offset);
void tigon_register_write(struct tigon_board *board, uint32_t offset, uint32_t value);

#endif
