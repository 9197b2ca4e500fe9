/* SPDX-License-Identifier: MIT */
/*
 * NIC_PORT_HEADER of the Tigon2: placement, and the operations that are worth inlining.
 */
#ifndef FW_RUNTIME_TIGON2_PORT_HEADER_H
#define FW_RUNTIME_TIGON2_PORT_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "fw-runtime/port/tigon2/bits.h"
#include "fw-runtime/port/tigon2/memory_map.h"
#include "fw-runtime/port/tigon2/registers.h"

/* Scratchpad: one cycle an access, against six for a load from SRAM, and no instruction line to
 * fill (tigon2.md 12.4). GCC addresses .sbss and .sdata through $gp whatever -G says (toolchain.md
 * 1.2), but only where the declaration says so too: repeat the attribute on extern declarations. */
#ifdef NIC_FITTED /* by what is measured (tools/fill_scratchpad.py) */
#define NIC_HOT
#define NIC_RARE
#else
#define NIC_HOT  __attribute__((section(".fast.text")))
#define NIC_RARE __attribute__((section(".text.rare"))) /* SRAM, but compiled for speed */
#endif
#define NIC_ENTRY     __attribute__((externally_visible)) /* for start.S */
#define NIC_COLD      __attribute__((cold, noinline))
#define NIC_ONCE      __attribute__((noinline))
#define NIC_FAST      __attribute__((section(".sbss")))
#define NIC_FAST_DATA __attribute__((section(".sdata")))
#define NIC_UNSET     __attribute__((section(".bss.unset"))) /* SRAM not cleared at start */

#define NIC_CONTROL_ADDRESS   TIGON2_CONTROL_ADDRESS
#define NIC_IMAGE_LIMIT       TIGON2_IMAGE_LIMIT
#define NIC_HEADER_WORDS      16
#define NIC_WRITTEN_LIMIT     16
#define NIC_WRITTEN_PER_FRAME 2
#define NIC_READ_LIMIT        32

/* In SRAM, cleared at start, and known to the other processor's unit. */
#define NIC_COMMON __attribute__((section(".bss.common"), externally_visible))

#if NIC_PROCESSORS > 1
#include "fw-runtime/port/tigon2/processors.h"
#else
/* Software event bits. Only processor A sets any, and writes to hardware bits are ignored, so a
 * copy saves the read and the semaphore (tigon2.md 3.4, 4). With a second processor that raises
 * events here both are needed (processors.h). */
extern uint32_t tigon2_software_events NIC_FAST;

static inline void tigon2_raise(unsigned event) {
    tigon2_software_events |= 1u << event;
    TIGON2_REGISTER(EVENT) = tigon2_software_events;
}

static inline void tigon2_withdraw(unsigned event) {
    tigon2_software_events &= ~(1u << event);
    TIGON2_REGISTER(EVENT) = tigon2_software_events;
}

static inline bool tigon2_raised(unsigned event) {
    return (tigon2_software_events & 1u << event) != 0;
}
#endif

static inline void tigon2_enable(unsigned event) {
    tigon2_enabled |= 1u << event;
}

static inline void tigon2_disable(unsigned event) {
    tigon2_enabled &= ~(1u << event);
}

static inline uint32_t nic_clock(void) {
    return TIGON2_REGISTER(TIMER);
}

/* A transition is traced everywhere, so it takes three instructions in place: the rest, in start.S,
 * keeps all registers but those named here, and functions that call nothing else need no frame for
 * it. `argument` is below 2^16. */
#if NIC_TRACE && NIC_PROCESSORS == 1
#define NIC_PORT_TRACE
static inline __attribute__((always_inline)) void nic_trace(uint32_t transition,
                                                            uint32_t argument) {
    __asm__ volatile(".set push\n\t"
                     ".set noreorder\n\t"
                     "lui $24, %0\n\t"
                     "jal tigon2_trace\n\t"
                     "or $24, $24, %z1\n\t"
                     ".set pop"
                     :
                     : "i"(transition), "Jr"(argument)
                     : "$1", "$14", "$15", "$24", "$25", "$31");
}
#endif

#if NIC_PROCESSORS == 1
/* Past-or-equal raises the event (tigon2.md 14 row 5), so a deadline that has gone by is not lost.
 */
static inline void nic_alarm(uint32_t deadline) {
    TIGON2_REGISTER(TIMER_REFERENCE) = deadline;
    tigon2_enable(TIGON2_EVENT_TIMER);
}
#else
void nic_alarm(uint32_t deadline); /* alarms.c */
#endif

/* A name is where the frame begins in the receive buffer. */
static inline uint32_t nic_frame_from(uint32_t frame, uint32_t bytes) {
    return frame + bytes;
}

extern bool tigon2_work_wanted NIC_FAST;

static inline void nic_defer_work(void) {
    tigon2_work_wanted = true;
    tigon2_raise(TIGON2_EVENT_WORK);
}

#if NIC_TRANSMITS
static inline void nic_request_slot(void) {
    tigon2_raise(TIGON2_EVENT_SLOT);
}
#endif

/* Fixed places, as symbols of the linker script: a compiler takes a small constant address for a
 * mistake. */
extern volatile uint32_t tigon2_control[];
extern volatile uint32_t tigon2_mailboxes[]; /* 32 of two words, the low one second */

static inline volatile uint32_t *nic_control(void) {
    return tigon2_control;
}

static inline uint32_t nic_host_name(const volatile void *object) {
    return (uint32_t)(uintptr_t)object;
}

#endif
