/* SPDX-License-Identifier: MIT */
/*
 * The runtime of runtime.h on the chip's core. Part of both images (image.c), so that the compiler
 * sees the whole program as it does with the firmware.
 */
#include "tests/overhead/runtime.h"

#define OWN_HIGH  0x0254u
#define OWN_LOW   0x47000000u
#define PEER_HIGH 0x0254u
#define PEER_LOW  0x47000001u
#define ETHERTYPE 0x88B6u

uint32_t runtime_frames[RUNTIME_FRAMES][8];
uint32_t runtime_items[RUNTIME_ITEMS][2];
volatile uint32_t runtime_timeout = 1000;
uint32_t runtime_frames_sent NIC_FAST;
uint32_t runtime_items_told NIC_FAST;
uint32_t runtime_counters[RUNTIME_COUNTERS] NIC_FAST;

NIC_HOT void runtime_send(uint32_t kind, uint32_t bit, uint32_t item) {
    volatile uint32_t *words = runtime_frames[runtime_frames_sent % RUNTIME_FRAMES];
    words[0] = PEER_HIGH << 16 | PEER_LOW >> 16;
    words[1] = (PEER_LOW & 0xFFFF) << 16 | OWN_HIGH;
    words[2] = OWN_LOW;
    words[3] = ETHERTYPE << 16 | kind << 8 | bit;
    words[4] = item;
    TIGON2_REGISTER(TRANSMIT_RING_PRODUCER) = ++runtime_frames_sent;
}

static inline void tell(uint32_t what, uint32_t item) {
    volatile uint32_t *entry = runtime_items[runtime_items_told++ % RUNTIME_ITEMS];
    entry[0] = item;
    entry[1] = what;
}

NIC_HOT void runtime_accepted(uint32_t item) {
    tell(1, item);
}

NIC_HOT void runtime_deliver(uint32_t item) {
    tell(2, item);
}

NIC_COLD void runtime_count_rare(enum runtime_counter counter) {
    runtime_counters[counter]++;
}

/* The one timer is number 0. */
void nic_on_timer(uint32_t timer) {
    (void)timer;
    NODE(timer)();
}
