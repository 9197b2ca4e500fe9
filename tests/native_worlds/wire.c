/* SPDX-License-Identifier: MIT */
/*
 * Wires: a gigabit a second, through a switch with a queue for each node or straight, and their
 * faults.
 */
#include "tests/native_worlds/native_world.h"

#include <stdlib.h>
#include <string.h>

#define OVERHEAD_BYTES 24u /* checksum, preamble, gap */
#define NS_A_BYTE      8u
#define MAX_FRAME_NS   ((NATIVE_FRAME_BYTES + OVERHEAD_BYTES) * NS_A_BYTE)
#define ADDRESS_NUMBER 5u /* the byte of an address that tells nodes apart: node_address */

_Static_assert(WORLD_NODES <= 240, "one byte of an address tells nodes apart");

static bool chance(struct world_node *node, uint32_t millionths) {
    return millionths != 0 && tigon_random_below(&node->host->random, 1000000) < millionths;
}

static bool before(const struct flight *left, const struct flight *right) {
    return left->time_ns < right->time_ns ||
           (left->time_ns == right->time_ns && left->order < right->order);
}

static void swap(struct flight *left, struct flight *right) {
    struct flight kept = *left;
    *left = *right;
    *right = kept;
}

/* Frames have places of their own: a flight only names one. */
static void put(struct world_node *to, uint64_t time_ns, const uint8_t *frame, uint32_t bytes) {
    uint32_t at = to->flight_count;
    if (at == WORLD_FLIGHTS) {
        to->world->dropped++;
        return;
    }
    to->flight_count++;
    to->flights[at].time_ns = time_ns;
    to->flights[at].order = to->world->orders++;
    to->flights[at].bytes = bytes;
    memcpy(to->flights[at].frame, frame, bytes);
    for (; at != 0 && before(&to->flights[at], &to->flights[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&to->flights[at], &to->flights[(at - 1) / 2]);
    if (to->world->next_ns[to->host->index] > time_ns)
        to->world->next_ns[to->host->index] = time_ns;
}

static void take(struct world_node *node) {
    uint32_t at = 0, child;
    swap(&node->flights[0], &node->flights[--node->flight_count]);
    while ((child = 2 * at + 1) < node->flight_count) {
        if (child + 1 < node->flight_count &&
            before(&node->flights[child + 1], &node->flights[child]))
            child++;
        if (!before(&node->flights[child], &node->flights[at]))
            break;
        swap(&node->flights[child], &node->flights[at]);
        at = child;
    }
}

static bool is_lost(struct world_node *from) {
    const struct plan *plan = &from->world->hosts->plan;
    if (chance(from, from->in_burst ? plan->burst_leave : plan->burst_enter))
        from->in_burst = !from->in_burst;
    return from->in_burst || chance(from, plan->loss) || chance(from, plan->corrupt);
}

/* One bit of it flips, and its checksum agrees. */
static void put_damaged(struct world_node *from, struct world_node *to, uint64_t time_ns,
                        const uint8_t *frame, uint32_t bytes) {
    uint8_t damaged[NATIVE_FRAME_BYTES];
    uint64_t bit = tigon_random_below(&from->host->random, 8 * bytes);
    memcpy(damaged, frame, bytes);
    damaged[bit / 8] ^= (uint8_t)(1u << bit % 8);
    put(to, time_ns, damaged, bytes);
}

void wire_send(void *owner, const uint8_t *frame, uint32_t bytes) {
    struct world_node *from = owner;
    struct world *world = from->world;
    const struct plan *plan = &world->hosts->plan;
    uint64_t ns = (bytes + OVERHEAD_BYTES) * NS_A_BYTE;
    uint64_t out_ns = (from->uplink_ns > world->now_ns ? from->uplink_ns : world->now_ns) + ns;
    uint8_t address[6];
    uint32_t number;
    bool faults = world->hosts->posted < plan->faulty_messages;
    unsigned copies = 1;
    world->frames++;
    from->uplink_ns = out_ns;
    node_address(address, 0);
    number = (uint32_t)frame[ADDRESS_NUMBER] - address[ADDRESS_NUMBER];
    if (memcmp(frame, address, ADDRESS_NUMBER) != 0 || number >= plan->nodes) {
        hosts_fail(world->hosts, WORLD_STRAYED, "node %u sent a frame to no node",
                   from->host->index);
        return;
    }
    if (faults && is_lost(from))
        copies = 0;
    else if (faults && chance(from, plan->duplicate))
        copies = 2;
    world->dropped += copies == 0;
    world->duplicated += copies == 2;
    for (; copies != 0; copies--) {
        struct world_node *to = &world->nodes[number];
        uint64_t *free_ns = &to->downlink_ns[plan->through_switch ? 0 : from->host->index];
        uint64_t come_ns = out_ns;
        if (plan->through_switch) {
            if (*free_ns > out_ns + plan->switch_frames * MAX_FRAME_NS) {
                world->dropped++;
                continue;
            }
            come_ns = (*free_ns > out_ns ? *free_ns : out_ns) + ns;
            *free_ns = come_ns;
        }
        come_ns += plan->wire_ns;
        if (faults && chance(from, plan->delay)) {
            world->delayed++;
            come_ns += tigon_random_below(&from->host->random, plan->delay_ns);
        }
        if (faults && chance(from, plan->damage))
            put_damaged(from, to, come_ns, frame, bytes);
        else
            put(to, come_ns, frame, bytes);
    }
}

uint64_t wire_next_ns(const struct world_node *node) {
    return node->flight_count == 0 ? WORLD_NEVER : node->flights[0].time_ns;
}

void wire_arrive(struct world_node *node) {
    while (node->flight_count != 0 && node->flights[0].time_ns <= node->world->now_ns) {
        const struct flight *first = &node->flights[0];
        if (!node->node->nic->arrive(first->frame, first->bytes))
            node->world->dropped++;
        take(node);
    }
}

void wire_clear(struct world_node *node) {
    node->flight_count = 0;
    node->in_burst = false;
    node->uplink_ns = 0;
    memset(node->downlink_ns, 0, sizeof node->downlink_ns);
}
