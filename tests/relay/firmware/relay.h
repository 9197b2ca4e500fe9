/* SPDX-License-Identifier: MIT */
/* What both cores of this firmware share, and how they share it. */
#ifndef RELAY_FIRMWARE_H
#define RELAY_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/ethernet/firmware/registers.h"
#include "tests/relay/interface.h"

#define HW(offset)    (*(volatile uint32_t *)(0xC0000000u + (offset)))
#define SRAM(address) (*(volatile uint32_t *)(address))

/* Packet memory begins where it lies above the firmware on boards of every size (tigon2.md 2.2). */
#define TRANSMIT       0x1B3000u
#define RECEIVE        0x1D0000u
#define LOW_RING_BYTES 0x400u

/* State words: started at once by hand, as a matter of course in rings; a threshold of 16 words. */
#define MOVE_BYTES (DMA_START | 0x80u)
#define MOVE_WORDS (DMA_WORDS | DMA_START | 0x80u)

#define EVENT_LOW_READ_DONE  13
#define EVENT_LOW_WRITE_DONE 12
#define EVENT_NEWS           24 /* software, to A: frames have been received */
#define EVENT_BUFFERS        9  /* software, to A: buffers are wanted; to B: here they are */

#define CACHE_ENTRIES    32u
#define RECEIVED_ENTRIES 64u /* kept until they are in host memory; more than writes can wait */

/* Descriptor word 6: what a read of the high ring brings. */
enum kind { KIND_SENDS = 1, KIND_BUFFERS = 2 };

struct descriptor {
    uint32_t host_high, host_low, local, length, state, checksum_address, kind, count;
};

/* Entries of a host ring on the board. `base` is the index of the first. */
struct cache {
    uint32_t given;   /* by the host */
    uint32_t fetched; /* asked for */
    uint32_t have, used, base;
    bool fetching;
    struct relay_entry entry[CACHE_ENTRIES];
};

struct shared {
    struct relay_information information;
    struct cache sends, buffers;
    struct relay_received received_entry[RECEIVED_ENTRIES];
    struct relay_status status;
    struct relay_counts counts;
    bool running;
};
extern volatile struct shared shared;

/* Cores: the face of the semaphore and the event word that are theirs. */
enum { CORE_A, CORE_B };

/* Set or clear a software event. Both cores do that, so the semaphore is held (tigon2.md 3.4). */
void set_event(unsigned of, unsigned event, unsigned core);
void clear_event(unsigned of, unsigned event, unsigned core);

void fill(uint32_t slot, const struct descriptor *content);
/* Slot of a low ring whose producer register is `ring`; 0 when it is full. The chip has no "next"
 * register for them. */
uint32_t low_slot(uint32_t ring);
/* Words to the host by the high ring, which both cores fill. False when it is full. */
bool write_words(uint32_t high, uint32_t low, uint32_t offset, volatile const void *from,
                 uint32_t bytes, uint32_t alarm, unsigned core);

#endif
