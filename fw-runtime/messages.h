/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue of messages from one processor to the other: a ring in memory that both reach.
 *
 * One processor puts and the other takes, so the ring needs no lock: each counter has one writer,
 * and a slot belongs to the sender until it is put and to the receiver until it is taken. A
 * message is written and read in its slot. The order of the accesses is the contract; where a
 * processor's stores reach the other one out of order a port cannot use this as it is.
 *
 *     uint32_t *words = nic_message_begin(&queue);    while ((words = nic_message_first(&queue)) !=
 *     if (words != NULL) {                                   NULL) {
 *         words[0] = ...;                                 ... = words[0];
 *         nic_message_put(&queue);                        nic_message_taken(&queue);
 *         nic_signal();                               }
 *     }
 *
 * The receiver looks until nothing is left whenever it is signalled: signals may come as one.
 * A full queue is the sender's affair: nic_message_room before it begins what may put several.
 */
#ifndef FW_RUNTIME_MESSAGES_H
#define FW_RUNTIME_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

/* Of all queues of an image; the number of messages is a power of two. */
#ifndef NIC_MESSAGE_LIMIT
#define NIC_MESSAGE_LIMIT 16u
#endif
#ifndef NIC_MESSAGE_WORDS
#define NIC_MESSAGE_WORDS 8u
#endif

_Static_assert((NIC_MESSAGE_LIMIT & (NIC_MESSAGE_LIMIT - 1u)) == 0,
               "a slot is a number modulo the limit");

/* All zero is an empty queue. */
struct nic_messages {
    volatile uint32_t put;   /* ever put; the sender writes it */
    volatile uint32_t taken; /* ever taken; the receiver writes it */
    volatile uint32_t slots[NIC_MESSAGE_LIMIT][NIC_MESSAGE_WORDS];
};

/* By the sender: so many can be put now, at least. */
static inline uint32_t nic_message_room(const struct nic_messages *queue) {
    return NIC_MESSAGE_LIMIT - (queue->put - queue->taken);
}

/* Where the next message is to be written, or NULL while the queue is full. */
static inline volatile uint32_t *nic_message_begin(struct nic_messages *queue) {
    uint32_t put = queue->put;
    return put - queue->taken == NIC_MESSAGE_LIMIT ? NULL
                                                   : queue->slots[put & (NIC_MESSAGE_LIMIT - 1u)];
}

static inline void nic_message_put(struct nic_messages *queue) {
    queue->put = queue->put + 1u;
}

/* By the receiver: the oldest message, or NULL while there is none. */
static inline const volatile uint32_t *nic_message_first(const struct nic_messages *queue) {
    uint32_t taken = queue->taken;
    return queue->put == taken ? NULL : queue->slots[taken & (NIC_MESSAGE_LIMIT - 1u)];
}

/* The oldest message has been read: its slot is the sender's. */
static inline void nic_message_taken(struct nic_messages *queue) {
    queue->taken = queue->taken + 1u;
}

#endif
