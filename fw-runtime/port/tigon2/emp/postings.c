/*
 * Descriptors the host hands over: posting ring, checks, and offering them to the machines.
 *
 * The mailbox holds how many entries the host has ever written, or that number modulo the ring:
 * both are told apart from our own count modulo the ring. Entries are taken one an event, so that
 * frames never wait for a row of them, and strictly in order, so that receives match in the order
 * posted: one whose page of addresses must be fetched holds up those behind it for the two
 * microseconds.
 *
 * A send that finds no free record goes into a queue of its own and is offered again when a send
 * has completed; receives pass it, sends do not.
 */
#include "fw-runtime/port/tigon2/emp/glue.h"

#define RING_MASK (EMP_POSTING_RING_ENTRIES - 1u)

uint32_t glue_posting_ring[EMP_POSTING_RING_ENTRIES];

static uint32_t posted NIC_FAST; /* by the host, modulo the ring */
static uint32_t taken NIC_FAST;

static uint16_t held[EMP_POSTING_RING_ENTRIES]; /* sends waiting for a record */
static uint32_t held_first NIC_FAST;
static uint32_t held_count NIC_FAST;
static bool held_again NIC_FAST; /* something has completed since the first was refused */

static uint32_t arriving NIC_FAST; /* descriptor + 1 whose page is being fetched, 0 none */
static bool arriving_held;         /* it is the first of the queue */

static inline uint32_t field(uint32_t word, uint32_t shift, uint32_t mask) {
    return word >> shift & mask;
}

static NIC_HOT void offer(uint32_t descriptor, bool was_held) {
    const volatile uint32_t *words = glue_descriptors[descriptor];
    uint32_t word = words[EMP_DESCRIPTOR_DIRECTION_WORD];
    uint32_t who = words[EMP_DESCRIPTOR_PEER_WORD];
    struct emp_posting posting = {
        .descriptor = (uint16_t)descriptor,
        .peer = (uint16_t)field(who, EMP_DESCRIPTOR_PEER_SHIFT, EMP_DESCRIPTOR_PEER_MASK),
        .tag = (uint16_t)field(who, EMP_DESCRIPTOR_TAG_SHIFT, EMP_DESCRIPTOR_TAG_MASK),
        .length = words[EMP_DESCRIPTOR_TOTAL_LENGTH_WORD],
    };
    bool receive = field(word, EMP_DESCRIPTOR_DIRECTION_SHIFT, EMP_DESCRIPTOR_DIRECTION_MASK) ==
                   EMP_DIRECTION_RECEIVE;
    enum hsm_verdict verdict = receive ? emp_match_posted(&posting) : emp_send_posted(&posting);
    if (verdict == HSM_NO_ROOM) {
        if (!was_held) {
            held[(held_first + held_count) & RING_MASK] = (uint16_t)descriptor;
            held_count++;
            glue_counters.postings_held++;
        }
        return;
    }
    if (was_held) {
        held_first = (held_first + 1) & RING_MASK;
        held_count--;
        held_again = true; /* the next may fit as well */
    }
    if (verdict != HSM_DONE)
        emp_device_complete((uint16_t)descriptor, EMP_RESULT_BAD, 0);
}

/* Before anything of a descriptor is believed: is it there, and does it stay inside the table? */
static NIC_HOT bool sensible(uint32_t descriptor, uint32_t word) {
    uint32_t format = field(word, EMP_DESCRIPTOR_FORMAT_SHIFT, EMP_DESCRIPTOR_FORMAT_MASK);
    uint32_t length = field(word, EMP_DESCRIPTOR_LENGTH_SHIFT, EMP_DESCRIPTOR_LENGTH_MASK);
    switch (format) {
    case EMP_FORMAT_SHORT:
        return length >= glue_descriptors[descriptor][EMP_DESCRIPTOR_TOTAL_LENGTH_WORD];
    case EMP_FORMAT_CHAIN:
        return descriptor + field(word, EMP_DESCRIPTOR_CONTINUATIONS_SHIFT,
                                  EMP_DESCRIPTOR_CONTINUATIONS_MASK) <
                   EMP_DESCRIPTOR_LIMIT &&
               glue_memory_suffices(descriptor);
    case EMP_FORMAT_INDIRECT:
        return length >= 1 && length <= EMP_INDIRECT_ENTRIES;
    default:
        return false;
    }
}

static NIC_HOT void look_at(uint32_t descriptor, bool was_held) {
    uint32_t word = *(volatile uint32_t *)&glue_descriptors[descriptor][EMP_DESCRIPTOR_OWNER_WORD];
    if (field(word, EMP_DESCRIPTOR_FORMAT_SHIFT, EMP_DESCRIPTOR_FORMAT_MASK) ==
            EMP_FORMAT_INDIRECT &&
        !glue_page_present(descriptor)) {
        arriving = descriptor + 1;
        arriving_held = was_held;
        glue_page_fetch(descriptor,
                        field(word, EMP_DESCRIPTOR_DIRECTION_SHIFT,
                              EMP_DESCRIPTOR_DIRECTION_MASK) == EMP_DIRECTION_RECEIVE,
                        true);
        return;
    }
    offer(descriptor, was_held);
}

static NIC_HOT void take(void) {
    uint32_t descriptor = *(volatile uint32_t *)&glue_posting_ring[taken];
    uint32_t word;
    bool send;
    taken = (taken + 1) & RING_MASK;
    if (descriptor >= EMP_DESCRIPTOR_LIMIT) {
        glue_counters.postings_ignored++;
        return;
    }
    word = *(volatile uint32_t *)&glue_descriptors[descriptor][EMP_DESCRIPTOR_OWNER_WORD];
    if (field(word, EMP_DESCRIPTOR_OWNER_SHIFT, EMP_DESCRIPTOR_OWNER_MASK) != EMP_OWNER_NIC) {
        glue_counters.postings_ignored++;
        return;
    }
    if (!sensible(descriptor, word)) {
        emp_device_complete((uint16_t)descriptor, EMP_RESULT_BAD, 0);
        return;
    }
    send = field(word, EMP_DESCRIPTOR_DIRECTION_SHIFT, EMP_DESCRIPTOR_DIRECTION_MASK) ==
           EMP_DIRECTION_SEND;
    if (send && held_count != 0) {
        held[(held_first + held_count) & RING_MASK] = (uint16_t)descriptor;
        held_count++;
        glue_counters.postings_held++;
        return;
    }
    look_at(descriptor, false);
}

NIC_HOT void nic_on_work(void) {
    if (arriving != 0)
        return; /* nic_on_read goes on */
    if (held_again && held_count != 0) {
        held_again = false;
        look_at(held[held_first], true);
    } else if (taken != posted) {
        take();
    }
    if (taken != posted || (held_again && held_count != 0))
        nic_defer_work();
}

NIC_HOT void nic_on_doorbell(unsigned box, uint32_t value) {
    if (box != EMP_POSTING_MAILBOX)
        return;
    posted = value & RING_MASK;
    nic_on_work();
}

NIC_COLD void nic_on_read(void) {
    uint32_t descriptor = arriving - 1;
    arriving = 0;
    if (glue_memory_suffices(descriptor)) {
        offer(descriptor, arriving_held);
    } else {
        if (arriving_held) {
            held_first = (held_first + 1) & RING_MASK;
            held_count--;
            held_again = true;
        }
        emp_device_complete((uint16_t)descriptor, EMP_RESULT_BAD, 0);
    }
    glue_page_settled();
    nic_defer_work();
}

void glue_postings_retry(void) {
    if (held_count != 0) {
        held_again = true;
        nic_defer_work();
    }
}
