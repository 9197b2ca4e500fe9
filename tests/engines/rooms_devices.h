/* What the device operations do, in C. The same once more in Promela: rooms_devices.pml. */
#include "rooms_world.h"

#define MODEL_TRANSITIONS ROOMS_TRANSITION_COUNT
#include "models/spin_support.h"

static uint32_t rooms_timer_bit(const uint32_t timer, const uint32_t instance) {
    return 1u << (timer * ROOMS_TIMER_STRIDE + (instance == 0 ? 0 : instance - 1u));
}

static void rooms_timer_arm(const uint32_t timer, const uint32_t instance) {
    now.armed |= (uchar)rooms_timer_bit(timer, instance);
}

static void rooms_timer_cancel(const uint32_t timer, const uint32_t instance) {
    now.armed &= (uchar)~rooms_timer_bit(timer, instance);
}

static void rooms_device_told(const uint32_t n) {
    HOLDS(told_right, n <= LARGEST_TOLD);
    now.last = (uchar)n;
}

static void rooms_device_departed(const uint8_t g) {
    now.guests &= (uchar)~g;
}

static void rooms_device_left(const uint8_t g) {
    now.gone |= (uchar)g;
}
