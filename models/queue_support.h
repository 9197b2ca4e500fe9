/* SPDX-License-Identifier: MIT */
/* The queues between the two processors of a node, where a placement divides it, for both engines
 * inside SPIN and for `hsmc replay` without it.
 *
 * There is one queue for each node and each of its processors that takes messages. All are in one
 * array, one queue after the other, the messages of a queue in the order in which they were put. A
 * message has the form of a frame of world_support.h; its direction names node and processor.
 *
 * To be defined before: QUEUE_ROOM, messages in one queue; QUEUE_SLOTS; QUEUE_MESSAGE_BYTES.
 */
#ifndef MODELS_QUEUE_SUPPORT_H
#define MODELS_QUEUE_SUPPORT_H

#if QUEUE_SLOTS > 0
static uchar *queue_message(const unsigned slot) {
    return &now.queue[slot * QUEUE_MESSAGE_BYTES];
}

static bool queue_used(const unsigned slot) {
    return slot < QUEUE_SLOTS && queue_message(slot)[WIRE_LINE] != 0;
}

static bool queue_empty(void) {
    return !queue_used(0);
}

/* Is there room for so many messages to this processor of a node? */
static bool queue_has_room(const uint32_t node, const uint32_t processor, const unsigned count) {
    unsigned there = 0;

    for (unsigned slot = 0; queue_used(slot); slot++)
        there += queue_message(slot)[WIRE_DIRECTION] == wire_direction(node, processor);
    return there + count <= QUEUE_ROOM;
}

/* The message that the processor takes next; QUEUE_SLOTS: there is none. */
static unsigned queue_first(const uint32_t node, const uint32_t processor) {
    unsigned slot = 0;

    while (queue_used(slot) &&
           queue_message(slot)[WIRE_DIRECTION] != wire_direction(node, processor))
        slot++;
    return queue_used(slot) ? slot : QUEUE_SLOTS;
}

static void queue_put(const uchar *const message) {
    unsigned slot = 0;

    while (queue_used(slot) && queue_message(slot)[WIRE_DIRECTION] <= message[WIRE_DIRECTION])
        slot++;
    if (queue_used(QUEUE_SLOTS - 1)) {
        uerror("assertion violated (queue_has_room)");
        return;
    }
    memmove(queue_message(slot + 1), queue_message(slot),
            (QUEUE_SLOTS - 1 - slot) * (size_t)QUEUE_MESSAGE_BYTES);
    memcpy(queue_message(slot), message, QUEUE_MESSAGE_BYTES);
}

static void queue_remove(const unsigned slot) {
    memmove(queue_message(slot), queue_message(slot + 1),
            (QUEUE_SLOTS - 1 - slot) * (size_t)QUEUE_MESSAGE_BYTES);
    memset(queue_message(QUEUE_SLOTS - 1), 0, QUEUE_MESSAGE_BYTES);
}

static void queue_take(const unsigned slot, uchar message[QUEUE_MESSAGE_BYTES]) {
    memcpy(message, queue_message(slot), QUEUE_MESSAGE_BYTES);
    queue_remove(slot);
}

/* A node that begins anew has no messages. */
static void queue_clear(const uint32_t node) {
    for (unsigned slot = 0; queue_used(slot);) {
        if (queue_message(slot)[WIRE_DIRECTION] >> 4 == node)
            queue_remove(slot);
        else
            slot++;
    }
}
#else
static bool queue_empty(void) {
    return true;
}
#endif

#endif
