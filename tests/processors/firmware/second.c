/* SPDX-License-Identifier: MIT */
/* Processor B: answers each question of A. */
#include "tests/processors/firmware/common.h"

#include "fw-runtime/second.c"

static uint32_t seen NIC_FAST;

NIC_ENTRY void nic_on_second_start(void) {
    seen = 0;
}

/* While the answers are full a question stays where it is: A signals when it has taken an answer.
 */
NIC_HOT void nic_on_signal(void) {
    const volatile uint32_t *question;
    while ((question = nic_message_first(&common.questions)) != NULL) {
        volatile uint32_t *answer = nic_message_begin(&common.answers);
        if (answer == NULL) {
            common.full_b = common.full_b + 1;
            return;
        }
        if (!message_is(question, seen))
            common.wrong_b = common.wrong_b + 1;
        nic_message_taken(&common.questions);
        count_section();
        message_write(answer, seen++);
        nic_message_put(&common.answers);
        common.waits_b = nic_processor_counters.lock_waits;
        common.wake_ups_b = nic_processor_counters.wake_ups;
        nic_signal();
    }
}
