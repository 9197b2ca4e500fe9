/* What the device operations do, in C, on the variables of the Promela world. The same once more in
 * Promela: emp_devices.pml. Keep the two side by side. Included into pan.c after the world's state
 * has been declared.
 */
#include "emp_world.h"

#define MODEL_TRANSITIONS EMP_TRANSITION_COUNT
#include "spin_support.h"

#ifndef IN_FLIGHT
#define IN_FLIGHT WORLD_IN_FLIGHT
#endif

/* As in emp_world.pml. */
#define LINK_SLOTS (sizeof(now.link) / sizeof(now.link[0]))
#define LINK_FULL  (now.link[IN_FLIGHT - 1] != 0)

#ifdef LIVENESS
#define GOOD                now.good
#define SET_YOUNGEST(timer) (now.youngest = (uchar)(now.good * (timer)))
#else
#define GOOD                0
#define SET_YOUNGEST(timer) ((void)0)
#endif

static uint32_t timer_of(const enum emp_timer timer, const uint32_t instance) {
    return timer * EMP_TIMER_STRIDE + (instance != 0 ? instance - 1u : 0u);
}

static void emp_timer_arm(const enum emp_timer timer, const uint32_t instance,
                          const uint32_t microseconds) {
    const uint32_t number = timer_of(timer, instance);

    (void)microseconds; /* a timer may run out at any time */
    now.armed[emp_node] |= (uchar)(1u << number);
    SET_YOUNGEST((now.armed[emp_node] != 1u << number) * (number + 1u));
}

static void emp_timer_cancel(const enum emp_timer timer, const uint32_t instance) {
    now.armed[emp_node] &= (uchar) ~(1u << timer_of(timer, instance));
    SET_YOUNGEST(0);
}

/* What befalls a frame, for people who read a trail. */
static void tell_frame(const char *const what, const uint32_t code) {
    if (code < ANSWER_CODES)
        TELL("@ %s DATA message=%u frame=%u\n", what, MESSAGE_IN(code), FRAME_IN(code));
    else if (code < NACK_CODES)
        TELL("@ %s ACK message=%u collection=%u\n", what, ACK_MESSAGE_IN(code),
             ACK_COLLECTION_IN(code));
    else
        TELL("@ %s NACK message=%u\n", what, NACK_MESSAGE_IN(code));
}

/* What is on the wire already is there once; what finds no room is lost. */
static void put_on_link(const uint32_t code, const bool room) {
    uint32_t carried = code + 1;

    tell_frame(room ? "put" : "full", code);
    if (!room)
        return;
    for (uint32_t slot = 0; slot < LINK_SLOTS && carried != 0; slot++) {
        const uint32_t there = (uint32_t)now.link[slot];

        if (there == 0 || there > carried) {
            now.link[slot] = (__typeof__(now.link[0]))carried;
            carried = there;
        } else if (there == carried) {
            carried = 0;
        }
    }
    HOLDS(link_room, carried == 0);
}

static void emp_device_send_frame(const uint16_t peer, const struct emp_frame *const g,
                                  const uint16_t descriptor, const uint32_t offset) {
    HOLDS(intact_placement, emp_node == SENDER && peer == RECEIVER && FAITHFUL((*g)));
    HOLDS(intact_placement, offset == OFFSET_OF(g->frame));
    HOLDS(descriptor_once, descriptor == DESCRIPTOR_OF(g->message) &&
                               g->message < now.sends_posted &&
                               (now.sends_done >> g->message & 1) == 0);
    put_on_link(CODE_OF(g->message, g->frame), !LINK_FULL);
}

static void emp_device_send_control(const uint16_t peer, const struct emp_frame *const g) {
    HOLDS(no_early_acknowledgement,
          emp_node == RECEIVER && peer == SENDER && FAITHFUL_ANSWER((*g)));
    if (g->kind == EMP_FRAME_KIND_ACK) {
        HOLDS(no_early_acknowledgement, (now.memory & COLLECTION_BITS(g->message, g->collection)) ==
                                            COLLECTION_BITS(g->message, g->collection));
        put_on_link(ACK_CODE(g->message, g->collection), GOOD || !LINK_FULL);
    } else {
        put_on_link(NACK_CODE(g->message), GOOD || !LINK_FULL);
    }
}

static void emp_device_request_slot(void) {
    HOLDS(never_event, emp_node == SENDER && !now.slot_wanted);
    now.slot_wanted = 1;
}

static void emp_device_place(const uint8_t r, const struct emp_frame *const f,
                             const uint16_t descriptor, const uint32_t offset,
                             const uint16_t length, const bool last) {
    const uint32_t frame = f->buffer - 1;

    HOLDS(descriptor_once, descriptor < MESSAGES && MESSAGE_OF(descriptor) < now.receives_posted &&
                               (now.receives_done >> MESSAGE_OF(descriptor) & 1) == 0);
    HOLDS(delivered_once, (now.delivered >> frame / FRAMES & 1) == 0);
    HOLDS(delivered_once, now.into[descriptor] != 0 || (now.homed >> frame / FRAMES & 1) == 0);
    HOLDS(in_order, frame / FRAMES == MESSAGE_OF(descriptor));
    HOLDS(intact_placement,
          offset == OFFSET_OF(frame % FRAMES) && length == LENGTH_OF(frame % FRAMES));
    now.into[descriptor] = (uchar)(frame / FRAMES + 1);
    now.homed |= (uchar)(1 << frame / FRAMES);
    now.placed |= 1 << frame;
    if (last) {
        /* The confirmation will speak of the whole collection. */
        HOLDS(no_early_acknowledgement,
              (now.placed & COLLECTION_BITS(frame / FRAMES, COLLECTION_OF(frame % FRAMES))) ==
                  COLLECTION_BITS(frame / FRAMES, COLLECTION_OF(frame % FRAMES)));
        now.placing_record[now.placing_count] = r;
        now.placing_frame[now.placing_count] = (uchar)frame;
        now.placing_count++;
    }
}

static void emp_device_complete(const uint16_t descriptor, const uint8_t result,
                                const uint32_t length) {
    const uint32_t message = MESSAGE_OF(descriptor);

    HOLDS(descriptor_once, descriptor < MESSAGES);
    if (emp_node == SENDER) {
        HOLDS(descriptor_once, message < now.sends_posted && (now.sends_done >> message & 1) == 0);
        HOLDS(no_early_completion,
              result == EMP_RESULT_OK &&
                  (now.memory & MESSAGE_BITS(message)) == MESSAGE_BITS(message));
        now.sends_done |= (uchar)(1 << message);
    } else {
        HOLDS(descriptor_once,
              message < now.receives_posted && (now.receives_done >> message & 1) == 0);
        HOLDS(intact_placement, result == EMP_RESULT_OK && length == TOTAL &&
                                    (now.memory & MESSAGE_BITS(message)) == MESSAGE_BITS(message));
        HOLDS(delivered_once,
              now.into[descriptor] != 0 && (now.delivered >> (now.into[descriptor] - 1) & 1) == 0);
        now.delivered |= (uchar)(1 << (now.into[descriptor] - 1));
        now.receives_done |= (uchar)(1 << message);
    }
}

/* The wire's own negotiation is no part of this world: frames flow or are lost. */
static void emp_device_link_send(const uint16_t word) {
    (void)word;
}

static void emp_device_link_idle(void) {
}

static void emp_device_link_enable(const bool up) {
    (void)up;
}
