/* SPDX-License-Identifier: MIT */
/*
 * What units.py runs on each of two processors: a unit of orders.hsm as the back end writes it,
 * with the queues, hooks and the taking of messages of its orders_nic.h. NIC_PROCESSOR is the
 * number of the processor, UNIT the file, NIC_MESSAGE_LIMIT how many messages a queue holds.
 *
 * What processors.c proves is simpler here, so that more orders of the rest can be searched: to try
 * to take the lock is one access, and so is each change of a wake-up.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_RUNTIME_PORT_H
#define NIC_FAST
#define NIC_HOT
#define NIC_COLD
#define NIC_RARE
#define NIC_ONCE
#define NIC_ENTRY
#define NIC_COMMON      __attribute__((section(".bss.common")))
#define NIC_IMAGE_LIMIT 0x10000
#define NIC_TRACE       0

uint32_t lowest_bit(uint32_t word);
#define hsm_lowest_bit(word) lowest_bit(word)

/* Constant functions: the compiler may move what is not volatile across them, and only the barriers
 * of LOCK and UNLOCK forbid it. A load of the lock word takes the lock and gives 1, or gives 0; a
 * store of 0 gives it back. */
__attribute__((const)) volatile uint32_t *lock_word(void);
__attribute__((const)) volatile uint32_t *wake_up_of(uint32_t processor);

static uint32_t lock_depth;

static inline void nic_lock(void) {
    if (lock_depth++ == 0)
        while (*lock_word() == 0)
            ;
}

static inline void nic_unlock(void) {
    if (--lock_depth == 0)
        *lock_word() = 0;
}

static inline void nic_signal(void) {
    *wake_up_of(1 - NIC_PROCESSOR) = 1;
}

#define ORDERS_PORT_HEADER "orders_nic.h"
#include UNIT

bool next_order(void); /* is it time for one? */
bool next_hint(void);
bool next_question(void);
bool next_wrapped(void);
bool next_look(void);
uint32_t number_of_order(void);
bool finished(void);
void run(void);

#if NIC_PROCESSOR == 0
static void begin_event(void) {
    if (next_order())
        (void)orders_clerk_order((uint16_t)number_of_order());
    else if (next_hint())
        (void)orders_clerk_hint((uint16_t)number_of_order());
    else if (next_question())
        (void)orders_clerk_ask((uint16_t)number_of_order());
    else if (next_look())
        (void)orders_clerk_look((uint16_t)number_of_order());
}
#else
static void begin_event(void) {
    if (next_wrapped())
        (void)orders_packer_wrapped(1);
}
#endif

void run(void) {
    while (!finished()) {
        if (*wake_up_of(NIC_PROCESSOR) != 0) {
            *wake_up_of(NIC_PROCESSOR) = 0;
            orders_take_messages();
        } else {
            begin_event();
        }
    }
}
