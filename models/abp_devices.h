/* What the device operations do, in C, on the variables of the Promela world. The same once more in
 * Promela: abp_devices.pml. Keep the two side by side. Included into pan.c after the world's state
 * has been declared.
 */
#include "abp_world.h"

#define MODEL_TRANSITIONS ABP_TRANSITION_COUNT
#include "spin_support.h"

static void abp_timer_arm(const enum abp_timer timer, const uint32_t instance,
                          const uint32_t microseconds) {
    (void)instance;
    (void)microseconds; /* a timer may run out at any time */
    now.armed[abp_node] |= (uchar)(1u << timer);
}

static void abp_timer_cancel(const enum abp_timer timer, const uint32_t instance) {
    (void)instance;
    now.armed[abp_node] &= (uchar) ~(1u << timer);
}

static void abp_device_send(const struct abp_frame *const f) {
    if (abp_node == SENDER) {
        HOLDS(delivered_once, f->kind == ABP_FRAME_KIND_DATA);
        TELL("@ %s DATA bit=%u item=%u\n", now.data_count < IN_FLIGHT ? "put" : "full", f->bit,
             f->item);
        if (now.data_count < IN_FLIGHT)
            now.data_frames[now.data_count++] = (uchar)CODE_OF(f->bit, f->item);
    } else {
        HOLDS(delivered_once, f->kind == ABP_FRAME_KIND_ACK && f->item == 0);
        TELL("@ %s ACK bit=%u\n", now.ack_count < IN_FLIGHT ? "put" : "full", f->bit);
        if (now.ack_count < IN_FLIGHT)
            now.ack_frames[now.ack_count++] = (uchar)CODE_OF(f->bit, f->item);
    }
}

static void abp_device_deliver(const uint32_t item) {
    HOLDS(delivered_once, abp_node == RECEIVER && item == FIRST_ITEM + (uint32_t)now.delivered);
    now.delivered++;
}

static void abp_device_accepted(const uint32_t item) {
    HOLDS(no_early_completion,
          item == FIRST_ITEM + (uint32_t)now.accepted && now.accepted < now.delivered);
    now.accepted++;
}
