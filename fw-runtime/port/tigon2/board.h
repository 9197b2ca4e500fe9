/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Tigon2 port share with each other, and nobody else.
 */
#ifndef FW_RUNTIME_TIGON2_BOARD_H
#define FW_RUNTIME_TIGON2_BOARD_H

#include "fw-runtime/port.h"

/* Codes of nic_panic. */
enum tigon2_panic {
    TIGON2_PANIC_READ = 0x0101,     /* DMA read engine reports an error (event 20) */
    TIGON2_PANIC_WRITE = 0x0102,    /* DMA write engine reports an error (event 19) */
    TIGON2_PANIC_TRANSMIT = 0x0103, /* MAC transmit attention (event 26) */
    TIGON2_PANIC_RECEIVE = 0x0104,  /* fatal MAC receive attention (event 25) */
    TIGON2_PANIC_STRAY = 0x0105,    /* an event bit nobody enabled */
    TIGON2_PANIC_MEMORY = 0x0106    /* less memory than the image needs */
};

/* The runtime's own counters; for a debugger. Frames are counted by the MAC
 * itself (tigon2.md 6.3). */
struct tigon2_counters {
    uint32_t receive_errors;   /* bad checksum, truncated, too short for a header */
    uint32_t receive_no_space; /* attentions, not frames: the MAC counts those */
    uint32_t transmit_waits;   /* frames handed over behind a dummy read */
};
extern struct tigon2_counters tigon2_counters;

/* Frames without data need this much room at the end for the dummy read. */
#define TIGON2_DUMMY_BYTES 8u

/* A slot was asked for and found no room: event 3 goes on looking. */
extern bool tigon2_slot_blocked NIC_FAST;
bool tigon2_transmit_has_slot(void);
void tigon2_on_slot(void);

/* A frame that has its turn goes before the event that calls this. */
static inline void tigon2_serve_slot(void) {
    if (NIC_TRANSMITS && tigon2_raised(TIGON2_EVENT_SLOT))
        tigon2_on_slot();
}

/* While there are too few notices for a frame or an alarm, the event of frames is off (dma.c). The
 * alarm comes again so much later. */
#define TIGON2_NOTICES_WAIT_US 10u

/* Before nic_on_alarm: true when the alarm has to wait for notices, and has been put off. An alarm
 * may ask for a notice, and no completion may follow that notice. The event loop handles
 * completions after alarms. */
static inline bool tigon2_alarm_waits(void) {
    if (!NIC_ALARM_NOTIFIES || !NIC_RECEIVES || !NIC_WRITES)
        return false;
    if ((tigon2_enabled & 1u << TIGON2_EVENT_RECEIVE) == 0) {
        nic_alarm(nic_clock() + TIGON2_NOTICES_WAIT_US);
        return true;
    }
    tigon2_raise(TIGON2_EVENT_WRITTEN);
    return false;
}

/* Events 19 and 20, also for whoever waits for a transfer outside the event loop: panics unless
 * the transfers go on. */
void tigon2_on_transfer_fault(void);

void tigon2_transmit_start(uint32_t base, uint32_t end);
struct tigon2_halves;
/* By processor B, where that transmits. */
void tigon2_transmit_own(const struct tigon2_halves *halves);
void tigon2_receive_start(uint32_t base, uint32_t ring);
/* By the processor that writes received frames and does not take them from the MAC. */
void tigon2_receive_share(uint32_t base);

void tigon2_link_start(void);
void tigon2_link_look(void);
/* Turns the bits of HW[220] into nic_on_link. */
void tigon2_link_attention(uint32_t state);

/* The MAC has run out of receive buffer; A tells B. */
void tigon2_receive_without_space(void);

/* Gives the MAC back what could not be given back while transfers were pending. */
void tigon2_receive_settle(void);
/* The MAC is out of space for want of that. */
bool tigon2_receive_owes(void);
/* All data wanted of the frame being received are queued to be written. */
bool tigon2_receive_claimed(void);

#endif
