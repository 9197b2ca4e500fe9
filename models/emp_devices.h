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

/* First contact may be taken as made at once; then what names no contact only finds deaf ears. */
#ifdef WORLD_ACQUAINTED
#define ON_LINK(contact) ((contact) != 0)
#else
#define ON_LINK(contact) 1
#endif

#if defined(LIVENESS) || defined(WORLD_FAULTLESS)
#define GOOD now.good
#else
#define GOOD 0
#endif
#ifdef LIVENESS
#define SET_YOUNGEST(timer) (now.youngest = (uchar)(now.good * (timer)))
#else
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
static void tell_pair(const uint32_t pair, const uint32_t message) {
    TELL(" message=%u contact=%u\n", MESSAGE_FIELD(EPOCH_OF(pair), message),
         CONTACT_FIELD(CONTACT_IN(pair)));
}

static void tell_frame(const char *const what, const uint32_t code) {
    if (code < ANSWER_CODES) {
        TELL("@ %s DATA frame=%u", what, FRAME_IN(code));
        tell_pair(PAIR_IN(code), MESSAGE_IN(code));
    } else if (code < NACK_CODES) {
        TELL("@ %s ACK collection=%u", what, ACK_COLLECTION_IN(code));
        tell_pair(ACK_PAIR_IN(code), ACK_MESSAGE_IN(code));
    } else if (code < OTHER_CODES) {
        TELL("@ %s NACK length=%u", what, NACK_REASON_IN(code));
        tell_pair(NACK_PAIR_IN(code), NACK_MESSAGE_IN(code));
    } else {
        TELL("@ %s NACK offered=%u", what, CONTACT_FIELD(OTHER_OFFERED_IN(code)));
        tell_pair(OTHER_PAIR_IN(code), OTHER_MESSAGE_IN(code));
    }
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
    if (carried != 0)
        uerror("assertion violated (carried==0)"); /* the bound of LINK_SLOTS is wrong */
}

static bool open_send(const uint32_t descriptor) {
    return now.sends_open >> descriptor & 1;
}

static bool open_receive(const uint32_t descriptor) {
    return now.receives_open >> descriptor & 1;
}

static void emp_device_send_frame(const uint16_t peer, const struct emp_frame *const g,
                                  const uint16_t descriptor, const uint32_t offset) {
    const uint32_t way = WAY_OF((*g));
    const uint32_t epoch = EPOCH_OF_FIELD(g->message);
    const uint32_t message = MESSAGE_OF_FIELD(g->message);

    HOLDS(intact_placement, emp_node == SENDER && peer == RECEIVER && FAITHFUL((*g)) &&
                                epoch == now.incarnation[SENDER]);
    HOLDS(intact_placement, offset == OFFSET_OF(g->frame));
    HOLDS(wire_full_never_blocks, now.slot_wanted == SLOT_GIVEN);
    now.slot_wanted = SLOT_NONE;
    HOLDS(no_send_after_settled, (now.sends_done >> message & 1) == 0);
    HOLDS(window_within_bounds,
          CONTACT_OF(g->contact) != now.believed ||
              (now.sends_done & MESSAGES_BEFORE(message)) == MESSAGES_BEFORE(message));
    HOLDS(window_within_bounds,
          MADE_BY(CONTACT_OF(g->contact)) != now.incarnation[RECEIVER] || epoch != now.heard ||
              (now.memory & COLLECTIONS_BEFORE(way, message, g->collection)) ==
                  COLLECTIONS_BEFORE(way, message, g->collection));
    HOLDS(descriptor_once, descriptor == DESCRIPTOR_OF(message) && open_send(descriptor));
#if READS > 0
    now.unread = (short)(FRAME_CODE(PAIR_IN_FRAME((*g)), way, message, g->frame) + 1);
#else
    put_on_link(FRAME_CODE(PAIR_IN_FRAME((*g)), way, message, g->frame),
                !LINK_FULL && ON_LINK(g->contact));
#endif
}

static void emp_device_send_control(const uint16_t peer, const struct emp_frame *const g) {
    const uint32_t own = now.incarnation[RECEIVER];
    const uint32_t way = WAY_OF((*g));
    const uint32_t message = MESSAGE_OF_FIELD(g->message);
    const uint32_t maker = MADE_BY(CONTACT_OF(g->contact));
    uint32_t answer;

#ifdef WORLD_MALFORMED
    if (now.unanswered)
        return;
#endif
    HOLDS(no_early_acknowledgement,
          emp_node == RECEIVER && peer == SENDER && FAITHFUL_ANSWER((*g)));
    if (g->kind == EMP_FRAME_KIND_ACK) {
        HOLDS(no_early_acknowledgement,
              EPOCH_OF_FIELD(g->message) == now.heard && maker == own &&
                  (now.memory & COLLECTION_BITS(way, message, g->collection)) ==
                      COLLECTION_BITS(way, message, g->collection));
        answer = ACK_CODE(PAIR_IN_FRAME((*g)), way, message, g->collection);
    } else if (g->length == EMP_REFUSAL_OTHER_CONTACT) {
        HOLDS(right_incarnation, MADE_BY(CONTACT_OF(g->frame)) == own && g->frame != g->contact);
        answer = OTHER_CODE(PAIR_IN_FRAME((*g)), CONTACT_OF(g->frame), message);
    } else {
        HOLDS(right_incarnation, maker == own);
        answer = NACK_CODE(PAIR_IN_FRAME((*g)), message, (g->length == EMP_REFUSAL_NOT_YET));
    }
    put_on_link(answer, GOOD || !LINK_FULL);
}

static void emp_device_request_slot(void) {
    HOLDS(never_event, emp_node == SENDER && now.slot_wanted == SLOT_NONE);
    now.slot_wanted = SLOT_WANTED;
}

static void emp_device_notify_read(const uint8_t m) {
    const uint32_t bit = 1u << (m - 1u);

    HOLDS(never_event, emp_node == SENDER && (now.draining & bit) == 0);
    now.draining |= (uchar)bit;
#if READS > 0
    if (now.unread != 0)
        now.unread_before |= (uchar)bit;
#endif
}

/* A confirmation will come. */
static void owe_placement(const uint8_t record, const uint32_t frame) {
    now.placing_record[now.placing_count] = record;
    now.placing_frame[now.placing_count] = (uchar)frame;
    now.placing_count++;
}

/* The receiver takes the sender's word that it is another incarnation than before: what it was
 * receiving is worth nothing. */
static void hear(const uint32_t epoch) {
    HOLDS(right_incarnation, epoch > now.heard);
    now.heard = (uchar)epoch;
    now.placed = 0;
    now.memory = 0;
    now.homed = 0;
    now.delivered = 0;
    for (uint32_t i = 0; i < now.placing_count; i++)
        now.placing_frame[i] = NO_FRAME;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        if (now.into[i] != 0)
            now.into[i] = GIVEN_UP;
    }
}

#if CANCELS > 0
static uint32_t next_to_match(void) {
    return FIRST_WAITING(now.waiting);
}

static void no_longer_waits(const uint32_t descriptor) {
    const uint32_t before = BITS_BEFORE(now.waiting, descriptor);
    now.waiting = (uchar)WITHOUT(now.waiting, before);
    now.receives_waiting--;
}
#else
static uint32_t next_to_match(void) {
    return DESCRIPTOR_OF(now.next_matched);
}

static void no_longer_waits(const uint32_t descriptor) {
    (void)descriptor;
    now.next_matched = (uchar)((now.next_matched + 1) % MESSAGES);
    now.receives_waiting--;
}
#endif

static void emp_device_place(const uint8_t r, const struct emp_frame *const f,
                             const uint16_t descriptor, const uint32_t offset,
                             const uint16_t length, const bool last) {
    const uint32_t pair = PAIR_IN(f->buffer - 1);
    const uint32_t message = MESSAGE_IN(f->buffer - 1);
    const uint32_t frame = FRAME_IN(f->buffer - 1);
    const uint32_t placed = PLACED_CODE(WAY_IN(f->buffer - 1), message, frame);

    HOLDS(descriptor_once, descriptor < MESSAGES && open_receive(descriptor));
    HOLDS(right_incarnation, MADE_BY(CONTACT_IN(pair)) == now.incarnation[RECEIVER]);
    if (EPOCH_OF(pair) != now.heard)
        hear(EPOCH_OF(pair));
    if (now.into[descriptor] == GIVEN_UP) {
        /* Nothing is written: only the order of confirmations counts. */
        HOLDS(descriptor_once, length == 0 && last);
        owe_placement(r, NO_FRAME);
        return;
    }
    HOLDS(delivered_once, (now.delivered >> message & 1) == 0);
    if (now.into[descriptor] == 0) {
        HOLDS(delivered_once, (now.homed >> message & 1) == 0);
        HOLDS(in_order, descriptor == next_to_match() && now.homed == (1 << message) - 1);
        now.into[descriptor] = (uchar)(message + 1);
        now.homed |= (uchar)(1 << message);
        no_longer_waits(descriptor);
    } else {
        HOLDS(in_order, now.into[descriptor] == message + 1);
    }
    HOLDS(intact_placement, offset == OFFSET_OF(frame) && length == ROOM_FOR(frame));
    now.placed |= 1 << CODE_OF(message, frame);
    if (last) {
        /* The confirmation will speak of the whole collection. */
        HOLDS(no_early_acknowledgement, (now.placed & PLACED_BITS(placed)) == PLACED_BITS(placed));
        owe_placement(r, placed);
    }
}

static void complete_send(const uint32_t descriptor, const uint8_t result) {
    const uint32_t message = MESSAGE_OF(descriptor);

    HOLDS(descriptor_once, open_send(descriptor));
#if READS > 0
    HOLDS(memory_read_only_while_owned,
          now.unread == 0 || DESCRIPTOR_OF(MESSAGE_IN(now.unread - 1u)) != descriptor);
#endif
    now.sends_open &= (uchar) ~(1u << descriptor);
    if (result == EMP_RESULT_PEER_RESTARTED) {
        HOLDS(honest_result, now.incarnation[SENDER] + now.incarnation[RECEIVER] > 2);
        return;
    }
    HOLDS(no_early_completion, result == EMP_RESULT_OK && (now.reached >> message & 1));
    now.sends_done |= (uchar)(1 << message);
}

static void complete_receive(const uint32_t descriptor, const uint8_t result,
                             const uint32_t length) {
    const uint32_t message = now.into[descriptor] - 1u;

    HOLDS(descriptor_once, open_receive(descriptor));
    HOLDS(delivered_once, now.into[descriptor] != 0);
    now.receives_open &= (uchar) ~(1u << descriptor);
    now.into[descriptor] = 0;
    if (result == EMP_RESULT_PEER_RESTARTED) {
        HOLDS(honest_result, message + 1 == GIVEN_UP);
        return;
    }
    HOLDS(right_incarnation, message < MESSAGES);
    HOLDS(intact_placement, result == RECEIVED && length == TOTAL &&
                                (now.memory & MESSAGE_BITS(message)) == MESSAGE_BITS(message));
    HOLDS(delivered_once, (now.delivered >> message & 1) == 0);
    now.delivered |= (uchar)(1 << message);
}

#if CANCELS > 0
static void complete_cancelled(const uint32_t descriptor, const uint32_t length) {
    HOLDS(cancelled_unmet, emp_node == RECEIVER && now.wanted_back == descriptor + 1 &&
                               now.into[descriptor] == 0 && length == 0);
    HOLDS(descriptor_once, open_receive(descriptor));
    now.receives_open &= (uchar) ~(1u << descriptor);
    no_longer_waits(descriptor);
}
#endif

static void emp_device_complete(const uint16_t descriptor, const uint8_t result,
                                const uint32_t length) {
    HOLDS(descriptor_once, descriptor < MESSAGES + now.refusing);
    if (descriptor == SPARE_DESCRIPTOR) {
        HOLDS(honest_result, result == EMP_RESULT_TOO_LONG);
        now.refusing = 0;
#if CANCELS > 0
    } else if (result == EMP_RESULT_CANCELLED) {
        complete_cancelled(descriptor, length);
#endif
    } else if (emp_node == SENDER)
        complete_send(descriptor, result);
    else
        complete_receive(descriptor, result, length);
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
