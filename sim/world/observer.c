/* SPDX-License-Identifier: MIT */
/* The observers and hooks of a world: sim/observer.h, sim/tigon.h. */
#include "sim/observer.h"

#include "sim/world/world.h"

int tigon_world_attach(struct tigon_world *world, const struct tigon_observer *observer) {
    return tigon_observers_add(&tigon_world_services(world)->observers, observer);
}

void tigon_world_detach(struct tigon_world *world, const void *context) {
    tigon_observers_remove(&tigon_world_services(world)->observers, context);
}

void tigon_world_set_signal_hook(struct tigon_world *world, tigon_signal_hook hook, void *context) {
    tigon_observers_set_signal_hook(&tigon_world_services(world)->observers, hook, context);
}

void tigon_world_set_log_hook(struct tigon_world *world, tigon_log_hook hook, void *context) {
    struct tigon_observers *observers = &tigon_world_services(world)->observers;
    observers->log_hook = hook;
    observers->log_context = context;
}
