/* SPDX-License-Identifier: MIT */
/* The services of a world for its parts: time, events, frames and observers. */
#ifndef SIM_SERVICES_H
#define SIM_SERVICES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/frame.h"
#include "sim/base/observers.h"
#include "sim/base/schedule.h"

#define TIGON_NAME_BYTES 32u /* of a board or switch, with its end */

struct tigon_world;

struct tigon_services {
    struct tigon_world *world; /* for the functions of sim/tigon.h */
    struct tigon_schedule schedule;
    uint64_t now; /* ticks; of the event being fired */
    struct tigon_frame_pool frames;
    struct tigon_observers observers;
    size_t programs; /* of all hosts */
    size_t programs_finished;
    void (*programs_changed)(struct tigon_world *world); /* to be called after either */
};

#endif
