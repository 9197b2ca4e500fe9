/* SPDX-License-Identifier: MIT */
#include "tests/native_worlds/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emp.h"

/* Without a result: stuck. Where boards look for silent peers, they rest after two looks at last.
 */
#define SILENCE_S                 (EMP_GIVES_UP_PEERS ? 13u : 3u)
#define SILENCE_NS                (SILENCE_S * UINT64_C(1000000000))
#define FIRST_CLOCK               0xFFF00000u /* microseconds; wraps within the first seconds */
#define NS_IN_MILLION_US          UINT64_C(1000000000)
#define PARAMETER_COLLECTION_SIZE 2u

/* What build.mk has made of the one image. */
#define DECLARE(number) extern const struct node node_##number;
WORLD_EACH_NODE(DECLARE)
#undef DECLARE
#define ADDRESS(number) &node_##number,
static const struct node *const images[WORLD_NODES] = {WORLD_EACH_NODE(ADDRESS)};
#undef ADDRESS

static unsigned char *loaded[WORLD_NODES]; /* each image as it is before its start */

void world_fail(struct world *world, enum world_failure failed, const char *format, ...) {
    va_list arguments;
    if (world->failed != WORLD_RUNNING)
        return;
    world->failed = failed;
    va_start(arguments, format);
    (void)vsnprintf(world->failure, sizeof world->failure, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------------- What boards stand on */

static bool board_reads(void *owner, enum native_transfer transfer, uint64_t address, void *to,
                        uint32_t bytes) {
    struct world_node *node = owner;
    (void)transfer;
    if (address < host_base || address - host_base > host_memory_bytes() - bytes) {
        world_fail(node->world, WORLD_STRAYED,
                   "node %u read %u bytes at 0x%llx, which nobody named", node->index, bytes,
                   (unsigned long long)address);
        return false;
    }
    memcpy(to, node->memory + (address - host_base), bytes);
    return true;
}

static bool board_writes(void *owner, uint64_t address, const void *from, uint32_t bytes) {
    struct world_node *node = owner;
    if (address < host_base || !host_may_write(node, address - host_base, bytes)) {
        world_fail(node->world, WORLD_STRAYED,
                   "node %u wrote %u bytes at 0x%llx, outside all posted receives", node->index,
                   bytes, (unsigned long long)address);
        return false;
    }
    memcpy(node->memory + (address - host_base), from, bytes);
    return true;
}

static void board_sends(void *owner, const uint8_t *frame, uint32_t bytes) {
    wire_send(owner, frame, bytes);
}

/* What the node's clock has counted since the world began. */
static uint64_t counted_us(const struct world_node *node) {
    return node->world->now_ns * node->clock_rate / NS_IN_MILLION_US;
}

/* The first time at which it has counted so many. */
static uint64_t when_counted_ns(const struct world_node *node, uint64_t us) {
    return (us * NS_IN_MILLION_US + node->clock_rate - 1) / node->clock_rate;
}

static uint32_t clock_us(const struct world_node *node) {
    return FIRST_CLOCK + (uint32_t)counted_us(node);
}

static void start_board(struct world_node *node) {
    const struct native_surroundings around = {
        .owner = node, .host_read = board_reads, .host_write = board_writes, .frame = board_sends};
    node_restore(node->node, loaded[node->index]);
    node_start(node->node, node->index, node->epoch, clock_us(node), &around, &node->objects);
    node->objects.parameters[PARAMETER_COLLECTION_SIZE] = node->world->plan.collection_size;
    node->board_ns = node->look_ns = node->world->now_ns;
    node->world->next_ns[node->index] = node->world->now_ns;
}

static void restart(struct world *world) {
    struct world_node *node =
        &world->nodes[tigon_random_below(&world->nodes[0].random, world->plan.nodes)];
    world->restarted++;
    host_forget(node);
    history_restart(world->history, node->index);
    node->epoch = 1 + (node->epoch + (uint32_t)tigon_random_below(&node->random, 60000)) % 65535;
    start_board(node);
}

/* ----------------------------------------------------------------------------------------- Time */

/* Delivers an event if one waits and the board is free. */
static void board_step(struct world_node *node) {
    struct world *world = node->world;
    const struct native_nic *nic = node->node->nic;
    uint32_t waiting, event;
    if (node->board_ns > world->now_ns)
        return;
    waiting = nic->waiting();
    if (node->uplink_ns > world->now_ns)
        waiting &= ~(1u << NATIVE_SEND);
    if (waiting == 0)
        return;
    event = (uint32_t)__builtin_ctz(waiting);
    if (world->plan.late_devices)
        do
            event = (uint32_t)tigon_random_below(&node->random, NATIVE_EVENTS);
        while ((waiting >> event & 1) == 0);
    (void)nic->deliver((enum native_event)event);
    if (nic->stopped() != 0)
        world_fail(world, WORLD_STOPPED, "node %u stopped with code 0x%x", node->index,
                   nic->stopped());
    node->board_ns =
        world->now_ns + 1 + tigon_random_below(&node->random, 2 * world->plan.event_ns);
}

static uint64_t board_next_ns(const struct world_node *node) {
    const struct native_nic *nic = node->node->nic;
    uint32_t waiting = nic->waiting();
    uint64_t next_ns = WORLD_NEVER;
    uint32_t deadline;
    if ((waiting & ~(1u << NATIVE_SEND)) != 0)
        return node->board_ns;
    if (waiting != 0)
        next_ns = node->board_ns > node->uplink_ns ? node->board_ns : node->uplink_ns;
    if (nic->alarm(&deadline)) {
        int32_t rest_us = (int32_t)(deadline - clock_us(node));
        uint64_t alarm_ns =
            rest_us > 0 ? when_counted_ns(node, counted_us(node) + (uint32_t)rest_us) : 0;
        if (alarm_ns < node->board_ns)
            alarm_ns = node->board_ns;
        if (alarm_ns < next_ns)
            next_ns = alarm_ns;
    }
    return next_ns;
}

static void step(struct world_node *node) {
    struct world *world = node->world;
    uint64_t next_ns, other_ns;
    node->node->nic->set_clock(clock_us(node));
    wire_arrive(node);
    if (node->look_ns <= world->now_ns)
        host_look(node);
    board_step(node);
    next_ns = board_next_ns(node);
    other_ns = wire_next_ns(node);
    if (other_ns < next_ns)
        next_ns = other_ns;
    world->next_ns[node->index] = node->look_ns < next_ns ? node->look_ns : next_ns;
}

/* All sends have ended: hosts cancel what no message will come for. A receive that met a message of
 * a node that has restarted since ends when that node is heard of again: so each is, once more. */
static void close_world(struct world *world) {
    if (world->plan.restarts != 0 && !world->greeted) {
        world->greeted = true;
        for (uint32_t i = 0; i < world->plan.nodes; i++)
            host_greet(&world->nodes[i]);
        return;
    }
    world->closing = true;
    for (uint32_t i = 0; i < world->plan.nodes; i++)
        world->nodes[i].look_ns = world->next_ns[i] = world->now_ns;
}

static void check_rest(struct world *world) {
    for (uint32_t i = 0; i < world->plan.nodes; i++)
        if (world->nodes[i].node->records() != 0)
            world_fail(world, WORLD_LEAKED, "node %u still has %u records of messages", i,
                       world->nodes[i].node->records());
    history_end(world->history);
}

static bool goes_on(const struct world *world) {
    const char *text;
    return world->failed == WORLD_RUNNING && history_verdict(world->history, &text) == HISTORY_FINE;
}

/* ---------------------------------------------------------------------------------------- World */

void world_prepare(struct world *world) {
    for (uint32_t i = 0; i < WORLD_NODES; i++) {
        struct world_node *node = &world->nodes[i];
        loaded[i] = malloc(node_bytes(images[i]));
        node->memory = calloc(1, host_memory_bytes());
        if (loaded[i] == NULL || node->memory == NULL)
            abort();
        node_save(images[i], loaded[i]);
        for (uint32_t flight = 0; flight < WORLD_FLIGHTS; flight++) {
            node->flights[flight].frame = malloc(NATIVE_FRAME_BYTES);
            if (node->flights[flight].frame == NULL)
                abort();
        }
    }
}

static void begin(struct world *world, const struct plan *plan) {
    struct history_memory memory = host_history_memory(world);
    world->plan = *plan;
    world->now_ns = world->posted = world->ended = world->progress_ns = world->orders = 0;
    world->frames = world->dropped = world->duplicated = world->delayed = 0;
    world->restarted = 0;
    world->greeted = world->closing = false;
    world->failed = WORLD_RUNNING;
    world->history = history_create(plan->nodes, plan->tags, &memory);
    for (uint32_t i = 0; i < plan->nodes; i++) {
        struct world_node *node = &world->nodes[i];
        node->world = world;
        node->index = i;
        node->node = images[i];
        node->random = tigon_random_for(plan->seed, 0xCB, i);
        node->epoch = 1 + (uint32_t)tigon_random_below(&node->random, 65535);
        node->clock_rate = 1000000 - plan->clock_ppm +
                           (uint32_t)tigon_random_below(&node->random, 2 * plan->clock_ppm + 1);
        host_forget(node);
        memset(node->peer, 0, sizeof node->peer);
        wire_clear(node);
        start_board(node);
    }
    world->ended = 0;
}

void world_run(struct world *world, const struct plan *plan) {
    begin(world, plan);
    while (goes_on(world)) {
        uint32_t first = 0;
        for (uint32_t i = 1; i < plan->nodes; i++)
            if (world->next_ns[i] < world->next_ns[first])
                first = i;
        if (world->next_ns[first] == WORLD_NEVER)
            break;
        if (world->next_ns[first] > world->now_ns)
            world->now_ns = world->next_ns[first];
        if (world->now_ns - world->progress_ns > SILENCE_NS)
            world_fail(world, WORLD_STUCK, "%llu of %llu sends have not ended, nothing for %u s",
                       (unsigned long long)(world->posted - world->ended),
                       (unsigned long long)world->posted, SILENCE_S);
        step(&world->nodes[first]);
        if (world->restarted < plan->restarts &&
            world->posted * (plan->restarts + 1) >=
                (uint64_t)plan->messages * (world->restarted + 1))
            restart(world);
        if (!world->closing && world->posted >= plan->messages && world->ended == world->posted)
            close_world(world);
    }
    if (goes_on(world))
        check_rest(world);
}

void world_end(struct world *world) {
    history_free(world->history);
}
