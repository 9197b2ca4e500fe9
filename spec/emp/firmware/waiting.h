/* SPDX-License-Identifier: MIT */
/*
 * Sends that wait for a record, one list for each peer in the order posted; a part of postings.c.
 *
 * Peers whose first send may find a record now take turns. One that finds none for its peer
 * (spec/emp/sharing.hsm) leaves the turns until a message to this peer ends. One that finds none at
 * all stays the first, until any message ends.
 *
 * The host can enter a descriptor twice, and change it while it waits. So a descriptor is in at
 * most one list, whatever it says.
 */
#ifndef SPEC_EMP_FIRMWARE_WAITING_H
#define SPEC_EMP_FIRMWARE_WAITING_H

#include "spec/emp/firmware/glue.h"

struct waiting_list {
    uint16_t last; /* descriptor + 1; 0: none waits */
    uint16_t count;
    uint16_t to_end; /* so many, the first ones, end with `result` */
    uint8_t result;
    bool in_turn;
};
static struct waiting_list waiting_lists[EMP_NODE_LIMIT];

static_assert(EMP_NODE_LIMIT <= 256, "a peer is a byte");
static uint8_t waiting_turns[EMP_NODE_LIMIT]; /* peers, a ring */
static uint32_t waiting_turns_first;
static uint32_t waiting_turns_count;

static uint32_t waiting_count NIC_FAST; /* in all lists */
static bool waiting_retry NIC_FAST;     /* the next peer of the list may find a record */

/* The next one of its list + 1, of the last the first. 0: it does not wait. */
static inline uint32_t waiting_next(uint32_t descriptor) {
    return glue_descriptor(descriptor)[GLUE_NEXT_WORD];
}

static inline void waiting_set_next(uint32_t descriptor, uint32_t next) {
    glue_descriptor(descriptor)[GLUE_NEXT_WORD] = next;
}

static inline bool waiting_is(uint32_t descriptor) {
    return waiting_next(descriptor) != 0;
}

/* Its list has one. */
static inline uint32_t waiting_first(uint32_t peer) {
    return waiting_next(waiting_lists[peer].last - 1u) - 1u;
}

/* There is one. */
static inline uint32_t waiting_turn(void) {
    return waiting_turns[waiting_turns_first];
}

static NIC_COLD void waiting_take_turn(uint32_t peer) {
    uint32_t place = waiting_turns_first + waiting_turns_count;
    if (waiting_lists[peer].in_turn)
        return;
    waiting_lists[peer].in_turn = true;
    waiting_turns[place < EMP_NODE_LIMIT ? place : place - EMP_NODE_LIMIT] = (uint8_t)peer;
    waiting_turns_count++;
}

static NIC_COLD void waiting_leave_turns(void) {
    waiting_lists[waiting_turn()].in_turn = false;
    waiting_turns_first = waiting_turns_first + 1 < EMP_NODE_LIMIT ? waiting_turns_first + 1 : 0;
    waiting_turns_count--;
}

/* The descriptor does not wait. */
static NIC_COLD void waiting_add(uint32_t peer, uint32_t descriptor) {
    struct waiting_list *list = &waiting_lists[peer];
    uint16_t name = (uint16_t)(descriptor + 1);
    if (list->last == 0) {
        waiting_set_next(descriptor, name);
    } else {
        waiting_set_next(descriptor, waiting_next(list->last - 1u));
        waiting_set_next(list->last - 1u, name);
    }
    list->last = name;
    list->count++;
    waiting_count++;
}

/* Takes out the one behind `before`, which may be the same. */
static NIC_COLD void waiting_take_out(struct waiting_list *list, uint32_t before) {
    uint32_t descriptor = waiting_next(before) - 1u;
    if (list->count == 1)
        list->last = 0;
    else if (list->last == descriptor + 1)
        list->last = (uint16_t)(before + 1);
    waiting_set_next(before, waiting_next(descriptor));
    waiting_set_next(descriptor, 0);
    list->count--;
    waiting_count--;
}

static NIC_COLD void waiting_take_out_first(uint32_t peer) {
    struct waiting_list *list = &waiting_lists[peer];
    if (list->to_end != 0)
        list->to_end--;
    waiting_take_out(list, list->last - 1u);
}

#if EMP_CANCELS_SENDS
/* Those behind it keep their order. False if it does not wait. */
static NIC_COLD bool waiting_cancel(uint32_t descriptor) {
    if (!waiting_is(descriptor))
        return false;
    for (uint32_t peer = 0; peer < EMP_NODE_LIMIT; peer++) {
        struct waiting_list *list = &waiting_lists[peer];
        uint32_t before = list->last - 1u;
        for (uint32_t place = 0; place < list->count; place++) {
            if (waiting_next(before) == descriptor + 1) {
                if (place < list->to_end)
                    list->to_end--;
                waiting_take_out(list, before);
                return true;
            }
            before = waiting_next(before) - 1u;
        }
    }
    return false;
}
#endif

/* A message to the peer has ended, and a record is free. */
static NIC_COLD void waiting_resume(uint32_t peer) {
    if (waiting_lists[peer].last != 0)
        waiting_take_turn(peer);
    if (waiting_turns_count != 0) {
        waiting_retry = true;
        nic_defer_work();
    }
}

/* All that wait for the peer now end, one an event. */
static NIC_COLD void waiting_end(uint32_t peer, uint8_t result) {
    struct waiting_list *list = &waiting_lists[peer];
    list->to_end = list->count;
    list->result = result;
    waiting_resume(peer);
}

#endif
