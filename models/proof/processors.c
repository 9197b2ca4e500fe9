/* SPDX-License-Identifier: MIT */
/*
 * What processors.py runs on each of two processors: the shipped C of lock, signals and queues, and
 * an event loop around them. NIC_PROCESSOR is the number of the processor, NIC_MESSAGE_LIMIT how
 * many messages a queue holds.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_RUNTIME_PORT_H
#define NIC_PROCESSORS 2
#define NIC_FAST
#define NIC_HOT
#define NIC_COLD
#define NIC_ENTRY
#define NIC_MESSAGE_WORDS 2u

struct nic_processor_counters {
    uint32_t lock_waits, wake_ups;
};
volatile uint32_t *chip_register(uint32_t offset);
#define TIGON2_REGISTER(name) (*chip_register(TIGON2_##name))
void nic_on_signal(void);
void tigon2_on_signal(void);
void tigon2_second_on_signal(void);
#include "fw-runtime/messages.h"
struct nic_messages *queue_to(uint32_t processor);
volatile uint32_t *frame_of(uint32_t processor, uint32_t number);
void delivered(uint32_t number, uint32_t check, uint32_t content);
void section_begins(void);
void section_ends(void);
uint32_t next_to_send(void); /* 0: none is left */
bool finished(void);
void run(void);

#include "fw-runtime/port/tigon2/processors.c"

#if NIC_PROCESSOR == 0
#define ON_SIGNAL tigon2_on_signal
#else
#define ON_SIGNAL tigon2_second_on_signal
#endif
#define OTHER (1u - NIC_PROCESSOR)
#define WORK  3u

/* A message is its number and what the number makes; and a frame, which is the number again. */
static void on_work(void) {
    volatile uint32_t *words = nic_message_begin(queue_to(OTHER));
    uint32_t number;
    tigon2_withdraw(WORK);
    if (words == NULL)
        return;
    number = next_to_send();
    if (number == 0)
        return;
    *frame_of(OTHER, number) = number;
    words[0] = number;
    words[1] = ~number;
    nic_message_put(queue_to(OTHER));
    nic_signal();
    nic_lock();
    section_begins();
    tigon2_raise(WORK);
    (void)TIGON2_REGISTER(OTHER_EVENT);
    section_ends();
    nic_unlock();
}

/* Taking leaves room, which the other one may wait for. */
void nic_on_signal(void) {
    struct nic_messages *queue = queue_to(NIC_PROCESSOR);
    const volatile uint32_t *words;
    while ((words = nic_message_first(queue)) != NULL) {
        uint32_t number = words[0];
        uint32_t check = words[1];
        delivered(number, check, *frame_of(NIC_PROCESSOR, number));
        nic_message_taken(queue);
        nic_signal();
    }
    tigon2_raise(WORK);
}

void run(void) {
    tigon2_raise(WORK);
    while (!finished()) {
        uint32_t events = TIGON2_REGISTER(OWN_EVENT);
        if (events & 1u << TIGON2_EVENT_SIGNAL)
            ON_SIGNAL();
        else if (events & 1u << WORK)
            on_work();
    }
}
