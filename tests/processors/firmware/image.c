/* SPDX-License-Identifier: MIT */
/*
 * Processor A of an image for two: asks B as often as the host says, and checks the answers. It has
 * the whole port, so messages come among events of the chip.
 */
#include "tests/processors/firmware/common.h"

#include "fw-runtime/runtime.c"

struct common common;

static uint32_t to_ask NIC_FAST; /* questions not yet sent */
static uint32_t asked NIC_FAST;
static uint32_t answered NIC_FAST;

void nic_on_start(void) {
    volatile uint32_t *control = nic_control();
    for (unsigned word = PROCESSORS_ANSWERS; word <= PROCESSORS_WAKE_UPS_B; word++)
        control[word] = 0;
    nic_start_second();
    control[PROCESSORS_READY] = 1;
}

#define TIME(word, what)                                                                           \
    do {                                                                                           \
        uint32_t began = nic_clock();                                                              \
        for (uint32_t turn = 0; turn < PROCESSORS_COST_TURNS; turn++) {                            \
            __asm__ volatile("");                                                                  \
            what;                                                                                  \
        }                                                                                          \
        nic_control()[word] = nic_clock() - began;                                                 \
    } while (0)

NIC_HOT static void tell_costs(void) {
    TIME(PROCESSORS_TURNS_TIME, );
    TIME(PROCESSORS_LOCK_TIME, nic_lock(); nic_unlock());
    TIME(PROCESSORS_SET_TIME, nic_defer_work());
}

NIC_HOT void nic_on_doorbell(unsigned box, uint32_t value) {
    if (box == PROCESSORS_COST_DOORBELL)
        tell_costs();
    if (box != PROCESSORS_DOORBELL)
        return;
    to_ask += value;
    nic_defer_work();
}

/* One question an event: between two the loop looks at what is more urgent. */
NIC_HOT void nic_on_work(void) {
    volatile uint32_t *words = nic_message_begin(&common.questions);
    if (to_ask == 0)
        return;
    nic_defer_work();
    if (words == NULL) {
        nic_control()[PROCESSORS_FULL_A]++;
        return;
    }
    to_ask--;
    message_write(words, asked++);
    nic_message_put(&common.questions);
    nic_signal();
    count_section();
}

NIC_HOT void nic_on_signal(void) {
    volatile uint32_t *control = nic_control();
    const volatile uint32_t *words;
    while ((words = nic_message_first(&common.answers)) != NULL) {
        if (!message_is(words, answered++))
            control[PROCESSORS_WRONG_A]++;
        nic_message_taken(&common.answers);
        count_section();
        nic_signal(); /* B may have waited for room */
    }
    control[PROCESSORS_SECTIONS] = common.sections;
    control[PROCESSORS_WAITS_A] = nic_processor_counters.lock_waits;
    control[PROCESSORS_WAKE_UPS_A] = nic_processor_counters.wake_ups;
    control[PROCESSORS_WRONG_B] = common.wrong_b;
    control[PROCESSORS_FULL_B] = common.full_b;
    control[PROCESSORS_WAITS_B] = common.waits_b;
    control[PROCESSORS_WAKE_UPS_B] = common.wake_ups_b;
    control[PROCESSORS_ANSWERS] = answered;
}

/* What this image has no use for. */
void nic_on_panic(uint32_t code) {
    nic_control()[PROCESSORS_WRONG_A] = code;
}

void nic_on_timer(uint32_t timer) {
    (void)timer;
}

void nic_on_transmit_slot(void) {
}

void nic_on_frame(const uint32_t *words, uint32_t bytes, uint32_t frame) {
    (void)words, (void)bytes, (void)frame;
}

void nic_on_written(uint32_t notice) {
    (void)notice;
}

void nic_on_read(uint32_t token) {
    (void)token;
}

void nic_on_link(enum nic_link_event event, uint32_t word) {
    (void)event, (void)word;
}
