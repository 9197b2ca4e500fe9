/* SPDX-License-Identifier: MIT */
#include "tests/native_worlds/native_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emp.h"

#define FIRST_CLOCK               0xFFF00000u /* microseconds; wraps within the first seconds */
#define NS_IN_MILLION_US          UINT64_C(1000000000)
#define PARAMETER_COLLECTION_SIZE 2u
#define MEMORY_BYTES                                                                               \
    (2 * WORLD_REQUESTS * (2 * EMP_PAGE_BYTES + WORLD_LONGEST + 4096)) /* of a host */

/* What build.mk has made of the one image. */
#define DECLARE(number) extern const struct node node_##number;
WORLD_EACH_NODE(DECLARE)
#undef DECLARE
#define ADDRESS(number) &node_##number,
static const struct node *const images[WORLD_NODES] = {WORLD_EACH_NODE(ADDRESS)};
#undef ADDRESS

static unsigned char *loaded[WORLD_NODES]; /* each image as it is before its start */

static struct world the_world;

struct world_node *node_of(const struct host *host) {
    return &the_world.nodes[host->index];
}

/* ------------------------------------------------------------------------- What boards stand on */

static bool board_reads(void *owner, enum native_transfer transfer, uint64_t address, void *to,
                        uint32_t bytes) {
    struct world_node *node = owner;
    (void)transfer;
    if (address < host_base || address - host_base > MEMORY_BYTES - bytes) {
        hosts_fail(node->world->hosts, WORLD_STRAYED,
                   "node %u read %u bytes at 0x%llx, which nobody named", node->host->index, bytes,
                   (unsigned long long)address);
        return false;
    }
    memcpy(to, node->host->memory + (address - host_base), bytes);
    return true;
}

static bool board_writes(void *owner, uint64_t address, const void *from, uint32_t bytes) {
    struct world_node *node = owner;
    if (address < host_base || !host_may_write(node->host, address - host_base, bytes)) {
        hosts_fail(node->world->hosts, WORLD_STRAYED,
                   "node %u wrote %u bytes at 0x%llx, outside all posted receives",
                   node->host->index, bytes, (unsigned long long)address);
        return false;
    }
    memcpy(node->host->memory + (address - host_base), from, bytes);
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
    node_restore(node->node, loaded[node->host->index]);
    node_start(node->node, node->host->index, node->epoch, clock_us(node), &around, &node->objects);
    node->objects.parameters[PARAMETER_COLLECTION_SIZE] = node->world->hosts->plan.collection_size;
    node->board_ns = node->look_ns = node->world->now_ns;
    node->world->next_ns[node->host->index] = node->world->now_ns;
}

static void restart(struct world_node *node) {
    host_forget(node->host);
    node->world->hosts->deeds.restart = true;
    node->posted = 0;
    history_restart(node->world->hosts->history, node->host->index);
    node->epoch =
        1 + (node->epoch + (uint32_t)tigon_random_below(&node->host->random, 60000)) % 65535;
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
    if (world->hosts->plan.late_devices)
        do
            event = (uint32_t)tigon_random_below(&node->host->random, NATIVE_EVENTS);
        while ((waiting >> event & 1) == 0);
    (void)nic->deliver((enum native_event)event);
    if (nic->stopped() != 0)
        hosts_fail(world->hosts, WORLD_STOPPED, "node %u stopped with code 0x%x", node->host->index,
                   nic->stopped());
    node->board_ns = world->now_ns + 1 +
                     tigon_random_below(&node->host->random, 2 * world->hosts->plan.event_ns);
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

static void look(struct world_node *node) {
    const struct hosts *hosts = node->world->hosts;
    host_look(node->host);
    node->look_ns = hosts->closing && node->host->open_receives == 0
                        ? WORLD_NEVER
                        : node->world->now_ns + host_pause_ns(node->host);
}

static void step(struct world_node *node) {
    struct world *world = node->world;
    uint64_t next_ns, other_ns;
    node->node->nic->set_clock(clock_us(node));
    wire_arrive(node);
    if (node->look_ns <= world->now_ns)
        look(node);
    board_step(node);
    next_ns = board_next_ns(node);
    other_ns = wire_next_ns(node);
    if (other_ns < next_ns)
        next_ns = other_ns;
    world->next_ns[node->host->index] = node->look_ns < next_ns ? node->look_ns : next_ns;
}

/* All sends have ended: hosts cancel what no message will come for. A receive that met a message of
 * a node that has restarted since ends when that node is heard of again: so each is, once more. */
static void close_world(struct world *world) {
    if (world->hosts->plan.restarts != 0 && !world->greeted) {
        world->greeted = true;
        for (uint32_t i = 0; i < world->hosts->plan.nodes; i++)
            host_greet(world->nodes[i].host);
        return;
    }
    world->hosts->closing = true;
    for (uint32_t i = 0; i < world->hosts->plan.nodes; i++)
        world->nodes[i].look_ns = world->next_ns[i] = world->now_ns;
}

static void check_rest(struct world *world) {
    for (uint32_t i = 0; i < world->hosts->plan.nodes; i++)
        if (world->nodes[i].node->records() != 0)
            hosts_fail(world->hosts, WORLD_LEAKED, "node %u still has %u records of messages", i,
                       world->nodes[i].node->records());
    history_end(world->hosts->history);
}

/* ---------------------------------------------------------------------------------------- World */

void world_prepare(struct hosts *hosts) {
    struct world *world = &the_world;
    world->hosts = hosts;
    for (uint32_t i = 0; i < WORLD_NODES; i++) {
        struct world_node *node = &world->nodes[i];
        loaded[i] = malloc(node_bytes(images[i]));
        hosts->host[i].memory = calloc(1, MEMORY_BYTES);
        if (loaded[i] == NULL || hosts->host[i].memory == NULL)
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
    hosts_begin(world->hosts, plan);
    world->now_ns = world->orders = 0;
    world->frames = world->dropped = world->duplicated = world->delayed = 0;
    world->greeted = false;
    for (uint32_t i = 0; i < plan->nodes; i++) {
        struct world_node *node = &world->nodes[i];
        node->world = world;
        node->host = &world->hosts->host[i];
        node->node = images[i];
        node->posted = 0;
        node->epoch = 1 + (uint32_t)tigon_random_below(&node->host->random, 65535);
        node->clock_rate =
            1000000 - plan->clock_ppm +
            (uint32_t)tigon_random_below(&node->host->random, 2 * plan->clock_ppm + 1);
        wire_clear(node);
        start_board(node);
    }
}

void world_run(struct hosts *hosts, const struct plan *plan, struct world_counts *counts) {
    struct world *world = &the_world;
    begin(world, plan);
    while (hosts_go_on(hosts)) {
        struct host *restarting;
        uint32_t first = 0;
        for (uint32_t i = 1; i < plan->nodes; i++)
            if (world->next_ns[i] < world->next_ns[first])
                first = i;
        if (world->next_ns[first] == WORLD_NEVER)
            break;
        if (world->next_ns[first] > world->now_ns)
            world->now_ns = world->next_ns[first];
        hosts_check_progress(hosts, world->now_ns);
        step(&world->nodes[first]);
        restarting = hosts_restart_due(hosts);
        if (restarting != NULL)
            restart(node_of(restarting));
        if (hosts_all_sent(hosts))
            close_world(world);
    }
    if (hosts_go_on(hosts))
        check_rest(world);
    *counts = (struct world_counts){.now_ns = world->now_ns,
                                    .frames = world->frames,
                                    .dropped = world->dropped,
                                    .duplicated = world->duplicated,
                                    .delayed = world->delayed};
}
