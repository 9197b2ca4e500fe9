/* SPDX-License-Identifier: MIT */
/*
 * Boards, switches, wires and their faults. Which board hangs at which switch, and where a fault
 * happens, follows from the seed and the number of what is placed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "tests/simulated_worlds/simulated_world.h"

enum {
    MAXIMUM_FRAME = 1538,
    TEXT_BYTES = 8192,
    PAUSE_LONGEST_US = 65535 * 512 / 1000, /* what a PAUSE frame can say (IEEE 802.3 annex 31B) */
};

static uint32_t draw(const struct simulated_world *world, uint32_t what, uint32_t number,
                     uint32_t limit) {
    struct tigon_random random = tigon_random_for(world->hosts->plan.seed, 0xCC + what, number);
    return (uint32_t)tigon_random_below(&random, limit);
}

enum { SWITCH_OF_BOARD, SWITCH_ABOVE, PLACE, TIME, EVENT, CHIP_EVENT, JUMP };

static int join_switches(struct simulated_world *world) {
    const struct plan *plan = &world->hosts->plan;
    for (uint32_t i = 0; i < plan->switches; i++) {
        struct tigon_switch *box =
            tigon_world_add_switch(world->simulation, plan->nodes + plan->switches);
        const uint32_t above = i == 0 ? 0 : draw(world, SWITCH_ABOVE, i, i);
        if (!box)
            return -errno;
        if (i != 0 && !tigon_world_connect_switches(world->simulation, box, plan->nodes + above,
                                                    tigon_world_switch(world->simulation, above),
                                                    plan->nodes + i))
            return -errno;
    }
    return 0;
}

int network_make(struct simulated_world *world) {
    const struct plan *plan = &world->hosts->plan;
    char name[16];
    for (uint32_t i = 0; i < plan->nodes; i++) {
        struct station *station = &world->station[i];
        station->hardware = tigon_world_add_board(world->simulation);
        if (!station->hardware)
            return -errno;
        station->machine = tigon_board_host(station->hardware);
        (void)snprintf(name, sizeof name, "node%" PRIu32, i);
        if (tigon_board_set_name(station->hardware, name))
            return -ENOMEM;
    }
    if (plan->switches == 0)
        return tigon_world_connect(world->simulation, world->station[0].hardware,
                                   world->station[1].hardware)
                   ? 0
                   : -errno;
    const int error = join_switches(world);
    for (uint32_t i = 0; i < plan->nodes && !error; i++)
        if (!tigon_world_connect_port(
                world->simulation, world->station[i].hardware,
                tigon_world_switch(world->simulation,
                                   draw(world, SWITCH_OF_BOARD, i, plan->switches)),
                i))
            return -errno;
    return error;
}

/* --------------------------------------------------------------------------------------- Faults */

struct text {
    char bytes[TEXT_BYTES];
    size_t used;
    struct simulated_world *world;
    uint64_t begin_ns;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
    va_list arguments;
    const size_t room = sizeof text->bytes - text->used;
    va_start(arguments, format);
    const int written = vsnprintf(text->bytes + text->used, room, format, arguments);
    va_end(arguments);
    text->used += written > 0 && (size_t)written < room ? (size_t)written : 0;
}

/* Where the next fault happens: on all wires, on the way from one node, or to one. */
static void add_place(struct text *text) {
    const uint32_t number = text->world->places++;
    const uint32_t node = draw(text->world, PLACE, 2 * number, text->world->hosts->plan.nodes);
    switch (draw(text->world, PLACE, 2 * number + 1, 4)) {
    case 0:
        add(text, "node%" PRIu32 "->*: ", node);
        break;
    case 1:
        add(text, "*->node%" PRIu32 ": ", node);
        break;
    default:
        add(text, "*->*: ");
    }
}

static void add_slice(struct text *text) {
    add(text, " at %" PRIu64 "ns until %" PRIu64 "ns\n", text->begin_ns,
        text->world->faults_end_ns);
}

/* `what`, with a chance in millionths, through all of the slice. */
static void add_chance(struct text *text, const char *what, uint32_t chance) {
    if (chance == 0)
        return;
    add_place(text);
    add(text, "%s %" PRIu32 ".%04" PRIu32 "%%", what, chance / 10000, chance % 10000);
    add_slice(text);
}

/* A moment within the slice. */
static uint64_t moment_ns(struct text *text) {
    const uint32_t after_us =
        draw(text->world, TIME, text->world->moments++, text->world->hosts->plan.fault_us);
    return text->begin_ns + UINT64_C(1000) * after_us;
}

/* `what`, so many times, each as long as the plan says. */
static void add_times(struct text *text, const char *what, uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        add_place(text);
        add(text, "%s at %" PRIu64 "ns for %" PRIu32 "us\n", what, moment_ns(text),
            text->world->hosts->plan.cut_us);
    }
}

/* What happens at a moment, or within a board. */
static void add_moments(struct text *text, const struct plan *plan) {
    /* Levels, so that nothing is missed but time (tigon2.md 4). */
    static const unsigned events[] = {6, 12, 13, 14, 15, 22, 25, 28};
    const uint32_t pause_us = plan->cut_us < PAUSE_LONGEST_US ? plan->cut_us : PAUSE_LONGEST_US;
    for (uint32_t i = 0; i < plan->pauses; i++) {
        add_place(text);
        add(text, "pause by %" PRIu32 "us at %" PRIu64 "ns\n", pause_us, moment_ns(text));
    }
    for (uint32_t i = 0; i < plan->hides; i++)
        add(text, "node%" PRIu32 ": hide event %u of core A at %" PRIu64 "ns for %" PRIu32 "us\n",
            draw(text->world, EVENT, text->world->moments, plan->nodes),
            events[draw(text->world, CHIP_EVENT, text->world->moments,
                        sizeof events / sizeof *events)],
            moment_ns(text), plan->cut_us);
    for (uint32_t i = 0; i < plan->jumps; i++)
        add(text, "node%" PRIu32 ": jump timer by %" PRIu32 "us at %" PRIu64 "ns\n",
            draw(text->world, JUMP, text->world->moments, plan->nodes), plan->cut_us,
            moment_ns(text));
}

static void add_bursts(struct text *text, const struct plan *plan) {
    if (plan->burst_enter == 0)
        return;
    add_place(text);
    add(text, "lose in bursts enter %" PRIu32 ".%04" PRIu32 "%% leave %" PRIu32 ".%04" PRIu32 "%%",
        plan->burst_enter / 10000, plan->burst_enter % 10000, plan->burst_leave / 10000,
        plan->burst_leave % 10000);
    add_slice(text);
}

int network_add_faults(struct simulated_world *world) {
    const struct plan *plan = &world->hosts->plan;
    static struct text text;
    char words[64], message[256] = "";
    text = (struct text){.world = world, .begin_ns = tigon_world_now_ns(world->simulation)};
    world->faults_end_ns = text.begin_ns + UINT64_C(1000) * plan->fault_us;
    add_chance(&text, "lose", plan->loss);
    add_bursts(&text, plan);
    add_chance(&text, "duplicate", plan->duplicate);
    add_chance(&text, "corrupt", plan->corrupt);
    (void)snprintf(words, sizeof words, "delay by %" PRIu32 "ns", plan->delay_ns);
    add_chance(&text, words, plan->delay);
    (void)snprintf(words, sizeof words, "reorder by %" PRIu32, plan->reorder_by);
    add_chance(&text, words, plan->reorder);
    add_chance(&text, "truncate", plan->truncate);
    add_chance(&text, "lengthen", plan->lengthen);
    add_times(&text, "lose", plan->holes);
    add_times(&text, "unplug", plan->unplugs);
    add_moments(&text, plan);
    /* Of two bits that flip in one frame, one on each of two wires, a sum misses some pairs. */
    for (uint32_t i = 0; i < plan->nodes && plan->damage != 0; i++) {
        add(&text, "*->node%" PRIu32 ": corrupt silently %" PRIu32 ".%04" PRIu32 "%%", i,
            plan->damage / 10000, plan->damage % 10000);
        add_slice(&text);
    }
    world->fault_slices++;
    if (text.used == 0)
        return 0;
    const int lines =
        tigon_world_add_faults(world->simulation, text.bytes, "plan", message, sizeof message);
    if (lines < 0)
        hosts_fail(world->hosts, WORLD_STOPPED, "%s", message);
    return lines < 0 ? lines : 0;
}
