/* SPDX-License-Identifier: MIT */
/*
 * The alternating-bit protocol written by hand, as one writes firmware: one pass over the frame,
 * one compare for what the frame is, state in scratchpad words, nothing decided twice.
 */
#include "tests/overhead/node.h"
#include "tests/overhead/runtime.h"

#define ETHERTYPE  0x88B6u
#define DATA       1u
#define ACK        2u
#define HEAD(kind) (ETHERTYPE << 8 | (kind)) /* word 3 without its last byte, the bit */

/* Sending. */
static bool waiting NIC_FAST;
static uint8_t sending_bit NIC_FAST;
static uint32_t pending NIC_FAST;
/* Receiving. */
static uint8_t expected_bit NIC_FAST;

/* The host may write anything there, at any time. */
static uint32_t timeout(void) {
    uint32_t microseconds = runtime_timeout;
    return microseconds >= 1 && microseconds <= 60000000 ? microseconds : 1000;
}

static void send_pending(void) {
    runtime_send(DATA, sending_bit, pending);
}

NIC_ENTRY void NODE(start)(void) {
    waiting = false;
    sending_bit = 0;
    expected_bit = 0;
    pending = 0;
}

NIC_ENTRY void NODE(submit)(uint32_t item) {
    if (waiting) {
        runtime_count_rare(RUNTIME_NEVER);
        return;
    }
    waiting = true;
    pending = item;
    runtime_timer_arm(timeout());
    send_pending();
}

static void on_data(uint32_t bit, uint32_t item) {
    if (bit == expected_bit) {
        expected_bit = (uint8_t)(bit ^ 1);
        runtime_deliver(item);
    } else { /* delivered already; the acknowledgement may have got lost */
        runtime_count(RUNTIME_REPEATED);
    }
    runtime_send(ACK, bit, 0);
}

static void on_ack(uint32_t bit) {
    if (!waiting)
        return;
    if (bit != sending_bit) {
        runtime_count(RUNTIME_REPEATED);
        return;
    }
    runtime_timer_cancel();
    waiting = false;
    sending_bit = (uint8_t)(bit ^ 1);
    runtime_accepted(pending);
    pending = 0;
}

NIC_ENTRY void NODE(frame)(const uint32_t words[NODE_FRAME_WORDS]) {
    uint32_t bit = words[3] & 0xFF;
    switch (words[3] >> 8) {
    case HEAD(DATA):
        if (bit > 1)
            break;
        on_data(bit, words[4]);
        return;
    case HEAD(ACK):
        if (bit > 1)
            break;
        on_ack(bit);
        return;
    default:
        runtime_count_rare(RUNTIME_FOREIGN);
        return;
    }
    runtime_count_rare(RUNTIME_REFUSED);
}

NIC_ENTRY void NODE(timer)(void) {
    if (!waiting) {
        runtime_count_rare(RUNTIME_NEVER);
        return;
    }
    runtime_timer_arm(timeout());
    send_pending();
}

void NODE(snapshot)(struct node_snapshot *snapshot) {
    *snapshot = (struct node_snapshot){
        .waiting = waiting,
        .sender_bit = sending_bit,
        .pending = pending,
        .expected_bit = expected_bit,
    };
}
