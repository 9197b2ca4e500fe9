/* SPDX-License-Identifier: MIT */
/*
 * The alternating-bit protocol as hsmc makes it from spec/abp/abp.hsm, with the glue a port needs:
 * where the state lies and how a frame becomes an event.
 */
#define ABP_PORT_HEADER "tests/overhead/abp_port.h"

#include "abp.c" /* NOLINT(bugprone-suspicious-include): one translation unit, as in the firmware */

#include "abp_codec.h"
#include "tests/overhead/node.h"

__typeof__(((struct abp_state *)0)->sender_state_) node_sender_state_ NIC_FAST;
__typeof__(((struct abp_state *)0)->receiver_state_) node_receiver_state_ NIC_FAST;
__typeof__(((struct abp_state *)0)->bit) node_bit NIC_FAST;
__typeof__(((struct abp_state *)0)->pending) node_pending NIC_FAST;
__typeof__(((struct abp_state *)0)->expected) node_expected NIC_FAST;

#define HEAD(kind) (ABP_FRAME_TYPE_VALUE << ABP_FRAME_TYPE_SHIFT | (kind) << ABP_FRAME_KIND_SHIFT)

NIC_ENTRY void NODE(start)(void) {
    ABP_STATE(sender_state_) = 0;
    ABP_STATE(receiver_state_) = 0;
    ABP_STATE(bit) = 0;
    ABP_STATE(pending) = 0;
    ABP_STATE(expected) = 0;
    abp_initialise();
}

NIC_ENTRY void NODE(submit)(uint32_t item) {
    (void)abp_sender_submit(item);
}

/* What the machines refuse, the bit, is not asked twice: abp_frame_accept would. */
NIC_ENTRY void NODE(frame)(const uint32_t words[NODE_FRAME_WORDS]) {
    struct abp_frame f;
    enum hsm_verdict verdict;
    switch (words[ABP_FRAME_KIND_WORD] & ~ABP_FRAME_BIT_MASK) {
    case HEAD(ABP_FRAME_KIND_DATA):
        abp_frame_unpack(words, &f);
        verdict = abp_receiver_data(&f);
        break;
    case HEAD(ABP_FRAME_KIND_ACK):
        abp_frame_unpack(words, &f);
        verdict = abp_sender_ack(&f);
        break;
    default:
        runtime_count_rare(RUNTIME_FOREIGN);
        return;
    }
    if (verdict == HSM_REFUSED)
        runtime_count_rare(RUNTIME_REFUSED);
}

NIC_ENTRY void NODE(timer)(void) {
    abp_timer_expired(ABP_TIMER_SENDER_WAIT_ACK, 0);
}

void NODE(snapshot)(struct node_snapshot *snapshot) {
    *snapshot = (struct node_snapshot){
        .waiting = ABP_STATE(sender_state_) == ABP_SENDER_STATE_WAIT_ACK,
        .sender_bit = ABP_STATE(bit),
        .pending = ABP_STATE(pending),
        .expected_bit = ABP_STATE(expected),
    };
}
