/* SPDX-License-Identifier: MIT */
/* The host costs by name, each with its default and the reason for it. */
#include "host/emp/libemp.h"

#include <errno.h>
#include <string.h>

struct cost {
    struct libemp_cost_information information;
    size_t offset;
};

#define COST(field, initial, reason)                                                               \
    { {#field, initial, reason}, offsetof(struct libemp_costs, field) }

static const struct cost costs_table[] = {
    COST(call_ns, 250, "about 230 cycles at 933 MHz: checks, lookup, free descriptor"),
    COST(descriptor_ns, 50, "five words built in registers and cache"),
    COST(entry_ns, 10, "ten bytes into a cached page"),
    COST(test_ns, 50, "call and decode; the register read is charged by the bus"),
    COST(translate_call_ns, 1000, "one system call of Linux 2.4 with its copies"),
    COST(translate_page_ns, 900, "EQ12: under 1 us to pin and translate a page"),
    COST(translate_posts, 0,
         "0: translation is kept by the registration; 1: paid at every post, as EMP did"),
};

#define COST_COUNT (sizeof costs_table / sizeof *costs_table)

static void store(struct libemp_costs *costs, const struct cost *cost, uint64_t value) {
    memcpy((char *)costs + cost->offset, &value, sizeof value);
}

void libemp_costs_defaults(struct libemp_costs *costs) {
    for (size_t i = 0; i < COST_COUNT; i++)
        store(costs, &costs_table[i], costs_table[i].information.initial);
}

int libemp_costs_set(struct libemp_costs *costs, const char *name, uint64_t value) {
    for (size_t i = 0; i < COST_COUNT; i++)
        if (strcmp(costs_table[i].information.name, name) == 0) {
            store(costs, &costs_table[i], value);
            return 0;
        }
    return -ENOENT;
}

bool libemp_cost_information(size_t index, struct libemp_cost_information *information) {
    if (index >= COST_COUNT)
        return false;
    *information = costs_table[index].information;
    return true;
}
