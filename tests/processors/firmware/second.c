/* SPDX-License-Identifier: MIT */
/* Processor B: answers each question of A. */
#include "tests/processors/firmware/common.h"

#include "fw-runtime/port/tigon2/processors.c"

static uint32_t seen NIC_FAST;

NIC_ENTRY void nic_on_second_start(void) {
    seen = 0;
}

/* While the answers are full a question stays where it is: A signals when it has taken an answer.
 */
NIC_HOT void nic_on_signal(void) {
    volatile uint32_t *control = nic_control();
    const volatile uint32_t *question;
    while ((question = nic_message_first(&common.questions)) != NULL) {
        volatile uint32_t *answer = nic_message_begin(&common.answers);
        if (answer == NULL) {
            control[PROCESSORS_FULL_B]++;
            return;
        }
        if (!message_is(question, seen))
            control[PROCESSORS_WRONG_B]++;
        nic_message_taken(&common.questions);
        count_section();
        message_write(answer, seen++);
        nic_message_put(&common.answers);
        control[PROCESSORS_WAITS_B] = nic_processor_counters.lock_waits;
        control[PROCESSORS_WAKE_UPS_B] = nic_processor_counters.wake_ups;
        nic_signal();
    }
}
