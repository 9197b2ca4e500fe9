/* What the device operations do, in C. The same once more in Promela: waiting_devices.pml. */
#include "waiting_world.h"

#define MODEL_TRANSITIONS WAITING_TRANSITION_COUNT
#include "models/spin_support.h"

static uint32_t waiting_timer_bit(const uint32_t timer, const uint32_t instance) {
    return 1u << (timer * WAITING_TIMER_STRIDE + (instance == 0 ? 0 : instance - 1u));
}

static void waiting_timer_arm(const enum waiting_timer timer, const uint32_t instance) {
    now.armed |= (uchar)waiting_timer_bit(timer, instance);
}

static void waiting_timer_cancel(const enum waiting_timer timer, const uint32_t instance) {
    now.armed &= (uchar)~waiting_timer_bit(timer, instance);
}

static void waiting_device_call(const uint8_t number) {
    HOLDS(first_in_first_out, number == now.expected);
    now.expected = (uchar)((now.expected + 1) % NUMBERS);
}

static void waiting_device_eaten(const uint8_t g, const uint8_t dish) {
    HOLDS(first_in_first_out, (now.guests >> (g - 1) & 1) == 1 && dish < 2);
}
