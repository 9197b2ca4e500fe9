/* SPDX-License-Identifier: MIT */
/*
 * Accesses of a core to chip registers, below its horizon: inline, for cpu_access.c and for
 * translated text. On entry and for the callback the core's fields are as tigon_cpu_load() says;
 * afterwards cpu->cycle is when the core goes on.
 */
#ifndef TIGON_SIM_CPU_REGISTER_H
#define TIGON_SIM_CPU_REGISTER_H

#include "sim/core/cpu_private.h"

static inline uint32_t tigon_cpu_register_value(const struct tigon_cpu *cpu, uint32_t offset) {
    const struct tigon_cpu_port *port = &cpu->port;
    const struct tigon_register_view *view = &cpu->register_view[offset / 4u];
    if (view->word) {
        *port->access_ticks = cpu->cycle * TIGON_TICKS_PER_CYCLE;
        return (*view->word + *view->base + view->constant) & view->mask;
    }
    if (offset / 4u == cpu->timer_number) {
        *port->access_ticks = cpu->cycle * TIGON_TICKS_PER_CYCLE;
        return *port->timer_offset + (uint32_t)(cpu->cycle / TIGON_CYCLES_PER_US);
    }
    return port->register_read(port->context, cpu->core, offset, cpu->cycle);
}

/* REGISTER or PARKED, by the load at `from`. */
static inline enum tigon_access tigon_cpu_read_register(struct tigon_cpu *cpu, uint32_t from,
                                                        uint32_t offset, uint32_t *value) {
    if (__builtin_expect(cpu->poll.replaying, 0)) {
        *value = tigon_poll_replayed_value(cpu, offset);
    } else {
        *value = tigon_cpu_register_value(cpu, offset);
        if (!cpu->pollable[offset / 4u])
            cpu->effects++;
        else if (tigon_poll_note(cpu, from, offset, *value))
            return TIGON_ACCESS_PARKED;
    }
    cpu->cycle += cpu->timing.register_read;
    cpu->statistics.register_reads++;
    return TIGON_ACCESS_REGISTER;
}

static inline void tigon_cpu_write_register(struct tigon_cpu *cpu, uint32_t offset,
                                            uint32_t value) {
    cpu->effects++;
    cpu->port.register_write(cpu->port.context, cpu->core, offset, value, cpu->cycle);
    cpu->cycle += cpu->timing.register_write;
    cpu->statistics.register_writes++;
}

#endif
