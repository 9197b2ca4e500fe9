/* SPDX-License-Identifier: MIT */
#include "tests/campaign_worlds/plan.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/random.h"

#define MILLION 1000000u

static const struct {
    const char *name;
    size_t offset;
} knobs[] = {
#define KNOB(name) {#name, offsetof(struct plan, name)},
    PLAN_KNOBS(KNOB)
#undef KNOB
};
enum { KNOB_COUNT = sizeof knobs / sizeof *knobs };

static uint32_t below(struct tigon_random *random, uint32_t limit) {
    return (uint32_t)tigon_random_below(random, limit);
}

/* Up to `most`, small values as likely as large ones; two times in three none at all: faults must
 * also be met one by one. */
static uint32_t fault(struct tigon_random *random, uint32_t most) {
    uint32_t value = below(random, most + 1) >> below(random, 8);
    return below(random, 3) == 0 ? value : 0;
}

void plan_draw(struct plan *plan, uint64_t seed, uint32_t messages) {
    static const uint32_t longest[] = {4, 100, 1478, 1500, 5000, 20000};
    struct tigon_random random = tigon_random_for(seed, 0xCA, 0);
    *plan = (struct plan){.seed = seed, .messages = messages};
    plan->nodes = below(&random, 2) ? 2 : 2 + below(&random, WORLD_NODES - 1);
    plan->longest = longest[below(&random, sizeof longest / sizeof *longest)];
    plan->tags = 1 + below(&random, 8);
    plan->sends_ahead = 1 + below(&random, WORLD_REQUESTS) / (1 + below(&random, 8));
    plan->receives_ahead = 2 + below(&random, 15);
    plan->incast = below(&random, 4) == 0;
    plan->through_switch = below(&random, 2);
    plan->switch_frames = 4 + below(&random, 60);
    plan->wire_ns = below(&random, 6000);
    plan->event_ns = 1 + below(&random, 3000);
    plan->look_ns = 1000 + below(&random, 20000) * (1 + below(&random, 10));
    plan->late_devices = below(&random, 2);
    plan->collection_size = below(&random, 2) ? 3 : 1 + below(&random, 15);
    plan->cancel_chance = fault(&random, 100000);
    plan->short_chance = fault(&random, 100000);
    plan->restarts = below(&random, 4) == 0 ? 1 + below(&random, 8) : 0;
    plan->faulty_messages = messages / 2 + below(&random, messages / 2 + 1);
    plan->loss = fault(&random, 300000);
    plan->burst_enter = fault(&random, 10000);
    plan->burst_leave = 50000 + below(&random, MILLION - 50000);
    plan->duplicate = fault(&random, 500000);
    plan->corrupt = fault(&random, 100000);
    plan->delay = fault(&random, 300000);
    plan->delay_ns = 1 + below(&random, 200000) / (1 + below(&random, 20));
    plan->clock_ppm = below(&random, WORLD_CLOCK_PPM + 1);
    plan->wildcard_chance = below(&random, 2) ? below(&random, MILLION) : 0;
    plan->cancel_send_chance = below(&random, 2) ? below(&random, MILLION / 4) : 0;
    plan->damage = fault(&random, 50000);
    plan->switches = plan->through_switch ? 1 + below(&random, 4) : 0;
    plan->fault_us = 1000 + below(&random, 80000) / (1 + below(&random, 8));
    plan->reorder = fault(&random, 200000);
    plan->reorder_by = 1 + below(&random, 60);
    plan->truncate = fault(&random, 100000);
    plan->lengthen = fault(&random, 100000);
    plan->holes = fault(&random, 8);
    plan->unplugs = fault(&random, 4);
    plan->pauses = fault(&random, 20);
    plan->hides = fault(&random, 20);
    plan->jumps = fault(&random, 8);
    plan->cut_us = 10 + below(&random, 50000) / (1 + below(&random, 50));
}

bool plan_set(struct plan *plan, const char *text) {
    const char *equals = strchr(text, '=');
    for (unsigned i = 0; equals != NULL && i < KNOB_COUNT; i++)
        if (strlen(knobs[i].name) == (size_t)(equals - text) &&
            memcmp(knobs[i].name, text, (size_t)(equals - text)) == 0) {
            char *end;
            uint32_t value = (uint32_t)strtoul(equals + 1, &end, 10);
            memcpy((char *)plan + knobs[i].offset, &value, sizeof value);
            return end != equals + 1 && *end == 0;
        }
    return false;
}

static void put_into(uint32_t *value, uint32_t least, uint32_t most) {
    if (*value < least)
        *value = least;
    if (*value > most)
        *value = most;
}

uint32_t plan_partners(const struct plan *plan) {
    const uint32_t others = plan->nodes - 1;
    return others < 2 * WORLD_REACH ? others : 2 * WORLD_REACH;
}

void plan_complete(struct plan *plan) {
    put_into(&plan->nodes, 2, WORLD_NODES);
    put_into(&plan->longest, 0, WORLD_LONGEST);
    put_into(&plan->tags, 1, 8);
    put_into(&plan->sends_ahead, 1, WORLD_REQUESTS - 1);
    put_into(&plan->receives_ahead, 2, (WORLD_REQUESTS - 2) / plan_partners(plan));
    put_into(&plan->switch_frames, 2, 64);
    put_into(&plan->event_ns, 1, 1000000);
    put_into(&plan->clock_ppm, 10, WORLD_CLOCK_PPM);
    put_into(&plan->look_ns, 100, 100000000);
    put_into(&plan->collection_size, 1, 15);
    put_into(&plan->burst_leave, 1000, MILLION);
    put_into(&plan->loss, 0, MILLION / 2);
    put_into(&plan->corrupt, 0, MILLION / 2);
    put_into(&plan->damage, 0, EMP_CHECKS_FRAMES ? MILLION / 2 : 0);
    put_into(&plan->delay_ns, 1, 100000000);
    put_into(&plan->wildcard_chance, 0, MILLION);
    put_into(&plan->switches, plan->nodes > 2, WORLD_NODES);
    put_into(&plan->fault_us, 1, 10000000);
    put_into(&plan->reorder, 0, MILLION / 2);
    put_into(&plan->reorder_by, 1, 1000);
    put_into(&plan->truncate, 0, MILLION / 2);
    put_into(&plan->lengthen, 0, MILLION / 2);
    put_into(&plan->holes, 0, 100);
    put_into(&plan->unplugs, 0, 100);
    put_into(&plan->pauses, 0, 100);
    put_into(&plan->hides, 0, 100);
    put_into(&plan->jumps, 0, 100);
    put_into(&plan->cut_us, 1, 1000000);
    if (EMP_TAG_BITS < 64)
        plan->wildcard_chance = 0;
    if (!EMP_CANCELS_SENDS || plan->restarts != 0)
        plan->cancel_send_chance = 0;
    if (plan->cancel_send_chance != 0) {
        /* Content tells which message came. */
        plan->short_chance = 0;
        put_into(&plan->longest, 64, WORLD_LONGEST);
    }
    if (plan->restarts != 0) {
        plan->wildcard_chance = 0;
        /* Which messages a node has missed nobody tells it: so its receives take any. */
        plan->tags = 1;
        plan->short_chance = 0;
        put_into(&plan->longest, 64, WORLD_LONGEST);
    }
}

void plan_print(const struct plan *plan) {
    for (unsigned i = 0; i < KNOB_COUNT; i++) {
        uint32_t value;
        memcpy(&value, (const char *)plan + knobs[i].offset, sizeof value);
        printf("%s\"%s\": %u", i == 0 ? "{" : ", ", knobs[i].name, value);
    }
    printf("}");
}
