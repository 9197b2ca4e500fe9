/* SPDX-License-Identifier: MIT */
/*
 * Words and pages between the processors; see apart.h.
 */
#include "spec/emp/firmware/glue.h"

static_assert(EMP_SEND_LIMIT < NIC_MESSAGE_LIMIT,
              "Transmit raises one event for a record, and no other before Send has had it");

struct between {
    struct nic_messages reads;    /* to A: what nic_read_host wants */
    volatile uint32_t reads_done; /* for B, ever; by A */
    volatile uint32_t posted;     /* by A */
    volatile uint32_t told;       /* so often the host has said where completion words are; by A */
};
extern struct between between NIC_COMMON;

#if NIC_TRANSMITS
struct between between;
uint32_t glue_posting_ring[EMP_POSTING_RING_ENTRIES];

NIC_HOT void nic_on_doorbell(unsigned box, uint32_t value) {
    if (box == EMP_POSTING_MAILBOX)
        between.posted = value;
#if EMP_ENDS_IN_MEMORY
    if (box == EMP_COMPLETION_MAILBOX)
        between.told = between.told + 1u;
#endif
    nic_signal();
}

void nic_on_work(void) {
}

NIC_COLD void nic_on_read(uint32_t token) {
    if (token == GLUE_READ_FOR_RECEIVER) {
        between.reads_done = between.reads_done + 1u;
        nic_signal();
    } else {
        sending_read(token);
    }
}

NIC_HOT void nic_on_signal(void) {
    const volatile uint32_t *words;
    emp_take_messages();
    while ((words = nic_message_first(&between.reads)) != NULL) {
        nic_read_host(words[0], words[1], (uint32_t *)words[2], words[3]);
        (void)nic_notify_read(GLUE_READ_FOR_RECEIVER); /* room: glue.h */
        nic_message_taken(&between.reads);
    }
    sending_take_asked();
}
#else
static uint32_t reads_asked;

#if EMP_ENDS_IN_MEMORY
static uint32_t told;

static NIC_COLD void take_completions(void) {
    told = between.told;
    glue_completions_told();
}
#endif

/* The host rings for its completion words before it rings for postings: A has told of them. */
uint32_t between_posted(void) {
    uint32_t posted = between.posted;
#if EMP_ENDS_IN_MEMORY
    if (__builtin_expect(between.told != told, 0))
        take_completions();
#endif
    return posted;
}

NIC_COLD void between_read_host(uint32_t high, uint32_t low, uint32_t *words, uint32_t bytes) {
    volatile uint32_t *message;
    while ((message = nic_message_begin(&between.reads)) == NULL)
        nic_wait_for_other();
    message[0] = high;
    message[1] = low;
    message[2] = nic_host_name(words);
    message[3] = bytes;
    nic_message_put(&between.reads);
    nic_signal();
    reads_asked++;
}

NIC_COLD bool between_reads_done(void) {
    return between.reads_done == reads_asked;
}

NIC_COLD void between_wait_reads(void) {
    while (!between_reads_done())
        nic_wait_for_other();
}
#endif
