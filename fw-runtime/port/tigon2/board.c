/* SPDX-License-Identifier: MIT */
/*
 * Start of the board, and the events that are nobody else's.
 */
#include <assert.h>

#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/dma.h"
#include "fw-runtime/port/tigon2/memory_map.h"
#include "fw-runtime/trace.h"

static_assert(NIC_TRACE_ENTRIES == 1u << TIGON2_TRACE_BITS, "the ring is as start.S has it");

#if NIC_PROCESSORS > 1
#include "fw-runtime/port/tigon2/processors.c"
#include "fw-runtime/port/tigon2/halves.c"
#else
uint32_t tigon2_software_events NIC_FAST;
#endif
bool tigon2_work_wanted NIC_FAST;
#if NIC_TRANSMITS
bool tigon2_slot_blocked NIC_FAST;
#endif
struct tigon2_counters tigon2_counters;

#if NIC_LEADS
static uint32_t memory_bytes;
static uint32_t memory_free;

extern char _image_end[]; /* linker script */

uint32_t nic_memory_bytes(void) {
    return memory_bytes;
}

uint32_t nic_memory_free(void) {
    return memory_free;
}

/* The fitted memory repeats through its window (tigon2.md 2.1): a word is seen again one size
 * further on. The word written there is put back, whatever it belongs to. */
static NIC_COLD uint32_t probe_memory(void) {
    static uint32_t probe;
    volatile uint32_t *here = &probe;
    for (uint32_t size = 0x40000; size < TIGON2_MEMORY_TOP; size <<= 1) {
        volatile uint32_t *there = (volatile uint32_t *)((uintptr_t)&probe + size);
        uint32_t saved = *there;
        bool same;
        *here = 0x55AA55AA;
        *there = 0xAA55AA55;
        same = *here == 0xAA55AA55;
        *there = saved;
        if (same)
            return size;
    }
    return TIGON2_MEMORY_TOP;
}

NIC_ENTRY NIC_COLD void tigon2_start(void) {
    uint32_t transmit = TIGON2_SMALL_TRANSMIT;
    uint32_t receive = TIGON2_SMALL_RECEIVE;
    memory_bytes = probe_memory();
    if (memory_bytes < TIGON2_LEAST_MEMORY)
        nic_panic(TIGON2_PANIC_MEMORY);
    if (memory_bytes >= 0x100000) {
        transmit = TIGON2_LARGE_TRANSMIT;
        receive = TIGON2_LARGE_RECEIVE;
    }
    memory_free = transmit - TIGON2_SPILL_STACK - (TIGON2_MEMORY_TOP - memory_bytes) -
                  (uint32_t)(uintptr_t)_image_end;

    TIGON2_REGISTER(CPU_A_STACK) = TIGON2_STACK_WINDOW - (transmit - TIGON2_SPILL_STACK);
    TIGON2_REGISTER(EVENT) = 0;
    TIGON2_REGISTER(MAILBOX_EVENT) = 0xFFFFFFFF;
    TIGON2_REGISTER(NEXT_ENABLE) = 3;
    TIGON2_REGISTER(TIMER) = 0;
    /* HW[0D0] first: the DMA rings hang on it. */
#if NIC_TRANSMITS
    tigon2_transmit_start(transmit, receive);
#else
    TIGON2_REGISTER(TRANSMIT_BASE) = transmit;
#endif
#if NIC_RECEIVES
    tigon2_receive_start(receive, transmit - TIGON2_RECEIVE_RING);
#endif
    tigon2_dma_start(transmit);
    tigon2_link_start();
    tigon2_enabled = 1u << TIGON2_EVENT_RECEIVE_ATTENTION | 1u << TIGON2_EVENT_TRANSMIT_FAULT |
                     1u << TIGON2_EVENT_MAILBOX | 1u << TIGON2_EVENT_READ_FAULT |
                     1u << TIGON2_EVENT_WRITE_FAULT | 1u << TIGON2_EVENT_READ_NOTICE |
                     1u << TIGON2_EVENT_WORK;
    if (NIC_TRANSMITS)
        tigon2_enabled |= 1u << TIGON2_EVENT_SLOT;
    if (NIC_WRITES)
        tigon2_enabled |= 1u << TIGON2_EVENT_WRITTEN;
    if (NIC_RECEIVES)
        tigon2_enabled |= 1u << TIGON2_EVENT_RECEIVE;
#if NIC_PROCESSORS > 1
    tigon2_halves.transmit = transmit;
    tigon2_halves.receive = receive;
#endif
    nic_on_start();
    tigon2_link_look();
}

#if NIC_PROCESSORS > 1 || NIC_DYNAMIC
extern char tigon2_second_start[]; /* second_start.S, dynamic.S */

/* B may have been stopped anywhere, and may hold the lock. A face of the semaphore is a register
 * like any other: A frees both. */
static NIC_COLD void start_second(void) {
    TIGON2_REGISTER(CPU_B_STATE) = TIGON2_CPU_HALT;
    if (TIGON2_REGISTER(SEMAPHORE_A) != 0)
        TIGON2_REGISTER(SEMAPHORE_A) = 1;
    if (TIGON2_REGISTER(SEMAPHORE_B) != 0)
        TIGON2_REGISTER(SEMAPHORE_B) = 1;
    TIGON2_REGISTER(EVENT_B) = 0;
    TIGON2_REGISTER(CPU_B_STACK) = TIGON2_REGISTER(CPU_A_STACK) - 0x1000u; /* 2.3 */
    TIGON2_REGISTER(CPU_B_COUNTER) = (uint32_t)(uintptr_t)tigon2_second_start;
    TIGON2_REGISTER(CPU_B_STATE) = 0;
}
#endif

#if NIC_PROCESSORS > 1
NIC_COLD void nic_start_second(void) {
    start_second();
    tigon2_enable(TIGON2_EVENT_SIGNAL);
    tigon2_enable(TIGON2_EVENT_TOLD);
}
#else
#if NIC_DYNAMIC
/* The enabled bits of the event word. The processor that has the lock keeps them in $k0. */
uint32_t tigon2_enabled_by_both NIC_FAST NIC_ENTRY;

/* When all has started on A. */
NIC_ENTRY NIC_COLD void tigon2_start_dynamic(void) {
    tigon2_enabled_by_both = tigon2_enabled;
    start_second();
}
#endif

#if NIC_ALARM_LOOKS
#define TIMER_PLACE NIC_HOT
#else
#define TIMER_PLACE NIC_COLD
#endif

/* Event 28. Writing the reference is what drops the bit; until the next nic_alarm nobody looks. */
NIC_ENTRY TIMER_PLACE void tigon2_on_timer(void) {
    tigon2_disable(TIGON2_EVENT_TIMER);
    if (!tigon2_alarm_waits())
        nic_on_alarm();
}
#endif

#endif

#if NIC_LEADS
#define ON_WORK tigon2_on_work
#else
#define ON_WORK tigon2_second_on_work
#endif

/* Event 3, the least urgent: deferred work, and a slot that waits for room. The MAC raises no event
 * when it has sent a frame, so the latter is looked at whenever nothing else is to be done. */
NIC_ENTRY NIC_HOT void ON_WORK(void) {
#if NIC_TRANSMITS
    /* The slot first: a host that posts without a pause would hold it back for ever. */
    if (tigon2_slot_blocked && tigon2_transmit_has_slot()) {
        tigon2_slot_blocked = false;
        nic_on_transmit_slot();
        return;
    }
    if (!tigon2_slot_blocked)
#endif
        tigon2_withdraw(TIGON2_EVENT_WORK);
    if (tigon2_work_wanted) {
        tigon2_work_wanted = false;
        nic_on_work();
    }
}

#if NIC_LEADS
/* Event 22. Cleared first, read afterwards: a write in between rings again (tigon2.md 4). */
NIC_ENTRY NIC_HOT void tigon2_on_mailbox(void) {
    unsigned box = tigon2_priority(TIGON2_REGISTER(MAILBOX_EVENT)) - 1;
    if (box > 31)
        return;
    /* The chip ranks mailboxes above software events. A message under way is further along than a
     * new posting, and one posted whose turn it is goes out at once: one frame each, then events in
     * their order. */
    tigon2_serve_slot();
    TIGON2_REGISTER(MAILBOX_EVENT) = 1u << box;
    nic_on_doorbell(box, tigon2_mailboxes[2 * box + 1]);
    tigon2_serve_slot();
}

NIC_ENTRY NIC_COLD void tigon2_on_stray(void) {
    nic_panic(TIGON2_PANIC_STRAY);
}
#else
NIC_ENTRY NIC_COLD void tigon2_second_on_stray(void) {
    nic_panic(TIGON2_PANIC_STRAY);
}
#endif

/* The image's own idiom (tigon2.md 5.4): transfers paused, receiver stopped, processor halted. */
NIC_COLD void nic_panic(uint32_t code) {
    TIGON2_REGISTER(DMA_ASSIST) = TIGON2_ASSIST_ENABLE | TIGON2_ASSIST_PAUSE;
    nic_on_panic(code);
    TIGON2_REGISTER(MAC_RECEIVE_STATE) = TIGON2_RECEIVE_MODE | TIGON2_MAC_STOP;
    TIGON2_REGISTER(MAC_TRANSMIT_STATE) =
        TIGON2_TRANSMIT_FIBRE | TIGON2_MAC_ENABLE | TIGON2_MAC_STOP;
#if NIC_PROCESSORS > 1
    TIGON2_REGISTER(OTHER_CPU_STATE) = TIGON2_CPU_HALT;
#elif NIC_DYNAMIC
    /* Whoever has the lock runs this; A, when it starts, without. The lock stays taken. */
    if (TIGON2_REGISTER(SEMAPHORE_B) != 0)
        TIGON2_REGISTER(CPU_A_STATE) = TIGON2_CPU_HALT;
    else
        TIGON2_REGISTER(CPU_B_STATE) = TIGON2_CPU_HALT;
#endif
    for (;;)
        __asm__ volatile(".word 0x0000000D"); /* HALT */
}
