/* SPDX-License-Identifier: MIT */
#include "tests/end_to_end/storm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    GUARD = 0xEE,
    SENDS = 5,
    RECEIVES = 9,
    TAGS = 3,
    UNANSWERED = TAGS, /* a tag nobody sends */
    CAPACITY = 30000,  /* an indirect descriptor; what nobody sends takes one piece */
    MESSAGES_LIMIT = 400,
    POSTED_LIMIT = 500000, /* a world that loses half of its frames takes seconds */
    NAP_NS = 2000
};

#define LIMIT_NS UINT64_C(120000000000)

static const size_t sizes[] = {4, 0, 1464, 5000, 1465, 64, 20000, CAPACITY, 2950};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* How a posted receive ended. */
struct outcome {
    uint16_t tag;
    bool cancelled;
    uint32_t length;
    uint32_t digest; /* of its whole memory */
};

struct slot {
    uint8_t *area;
    struct libemp_memory *memory;
    libemp_request request;
    bool busy;
    bool asked;   /* for its cancellation */
    size_t index; /* of a send: message; of a receive: outcome */
};

struct side {
    struct storm *storm;
    struct pair_side *pair;
    uint32_t state; /* of the random numbers */
    size_t sent;    /* posted */
    size_t finished;
    size_t received;
    size_t waiting[TAGS + 1]; /* posted receives by tag, and those that held a message */
    size_t taken[TAGS];
    size_t posted;
    struct slot send[SENDS];
    struct slot receive[RECEIVES];
    struct outcome outcome[POSTED_LIMIT];
};

static struct side sides[2]; /* too large for a program's stack */

#define complain(side, ...)                                                                        \
    ((side)->pair->message[0]                                                                      \
         ? (void)0                                                                                 \
         : (void)snprintf((side)->pair->message, sizeof(side)->pair->message, __VA_ARGS__))
#define require(side, condition)                                                                   \
    ((condition) ? (void)0                                                                         \
                 : complain(side, "line %d: %s: %s", __LINE__, #condition,                         \
                            libemp_message((side)->pair->board)))

static uint32_t mix(uint32_t value) {
    value = (value ^ value >> 16) * 0x7FEB352DU;
    value = (value ^ value >> 15) * 0x846CA68BU;
    return value ^ value >> 16;
}

/* One time in `times`. */
static bool chance(struct side *side, uint32_t times) {
    side->state += 0x9E3779B9U;
    return mix(side->state) % times == 0;
}

static uint16_t tag_of(const struct storm *storm, size_t message) {
    return (uint16_t)(mix(storm->seed + (uint32_t)message * 3) % TAGS);
}

static size_t bytes_of(const struct storm *storm, size_t message) {
    return sizes[mix(storm->seed * 5 + (uint32_t)message) % SIZES];
}

static uint8_t content(unsigned sender, size_t message, size_t offset) {
    return (uint8_t)mix((uint32_t)offset * 4 + (uint32_t)message * 0x10001U + sender);
}

static uint32_t add_to_digest(uint32_t digest, uint8_t byte) {
    return (digest ^ byte) * 0x01000193U;
}

static size_t messages_of(const struct storm *storm, uint16_t tag) {
    size_t count = 0;
    for (size_t i = 0; i < storm->messages; i++)
        count += tag_of(storm, i) == tag;
    return count;
}

static void open_slots(struct side *side, struct slot *slots, size_t count) {
    for (size_t i = 0; i < count; i++) {
        slots[i].area = libemp_allocate(side->pair->board, CAPACITY);
        require(side, slots[i].area != NULL);
        require(side,
                libemp_register(side->pair->board, slots[i].area, CAPACITY, &slots[i].memory) == 0);
    }
}

static void post_send(struct side *side, struct slot *slot) {
    const size_t message = side->sent;
    const size_t bytes = bytes_of(side->storm, message);
    const struct libemp_piece piece = {slot->memory, 0, bytes};
    for (size_t i = 0; i < bytes; i++)
        slot->area[i] = content(side->pair->index, message, i);
    const int error = libemp_post_send(side->pair->board, side->pair->peer,
                                       tag_of(side->storm, message), &piece, 1, &slot->request);
    if (error == -EAGAIN)
        return;
    require(side, error == 0);
    slot->busy = true;
    slot->index = message;
    side->sent++;
}

/* A receive for a message still to come, or one for none. */
static void post_receive(struct side *side, struct slot *slot) {
    uint16_t tag = (uint16_t)(mix(side->state) % TAGS);
    if (chance(side, 5))
        tag = UNANSWERED;
    else if (side->waiting[tag] + side->taken[tag] >= messages_of(side->storm, tag))
        return;
    if (side->posted == POSTED_LIMIT)
        return complain(side, "too many receives");
    const struct libemp_piece piece = {slot->memory, 0, tag == UNANSWERED ? 4096 : CAPACITY};
    memset(slot->area, GUARD, CAPACITY);
    const int error =
        libemp_post_receive(side->pair->board, side->pair->peer, tag, &piece, 1, &slot->request);
    if (error == -EAGAIN)
        return;
    require(side, error == 0);
    slot->busy = true;
    slot->asked = false;
    slot->index = side->posted++;
    side->outcome[slot->index].tag = tag;
    side->waiting[tag]++;
}

static void check_untouched(struct side *side, const struct slot *slot) {
    for (size_t i = 0; i < CAPACITY; i++)
        if (slot->area[i] != GUARD)
            complain(side, "byte %zu of cancelled receive %zu has been written", i, slot->index);
}

static void end_receive(struct side *side, struct slot *slot, int error, uint32_t length) {
    struct outcome *outcome = &side->outcome[slot->index];
    slot->busy = false;
    side->waiting[outcome->tag]--;
    if (error == -ECANCELED) {
        require(side, slot->asked && length == 0);
        check_untouched(side, slot);
        outcome->cancelled = true;
        side->storm->cancelled[side->pair->index]++;
        return;
    }
    if (error || outcome->tag == UNANSWERED)
        return complain(side, "receive %zu: %d", slot->index, error);
    side->storm->late[side->pair->index] += slot->asked;
    side->taken[outcome->tag]++;
    side->received++;
    outcome->length = length;
    for (size_t i = 0; i < CAPACITY; i++)
        outcome->digest = add_to_digest(outcome->digest, slot->area[i]);
}

static void look(struct side *side, bool sends) {
    struct slot *slots = sends ? side->send : side->receive;
    for (size_t i = 0; i < (sends ? (size_t)SENDS : (size_t)RECEIVES); i++) {
        struct libemp_completion completion = {0};
        if (!slots[i].busy)
            continue;
        const int error = libemp_test(side->pair->board, slots[i].request, &completion);
        if (error == -EAGAIN)
            continue;
        if (!sends) {
            end_receive(side, &slots[i], error, completion.length);
            continue;
        }
        require(side, error == 0);
        slots[i].busy = false;
        side->finished++;
    }
}

static void cancel(struct side *side, struct slot *slot) {
    require(side, libemp_cancel(side->pair->board, slot->request) == 0);
    slot->asked = true;
}

/* One in so many, now and then all, at the end all. */
static void cancel_some(struct side *side, bool all) {
    all = all || chance(side, 20 * side->storm->one_in);
    for (size_t i = 0; i < RECEIVES; i++)
        if (side->receive[i].busy && (all || chance(side, side->storm->one_in)))
            cancel(side, &side->receive[i]);
    if (side->send[0].busy &&
        libemp_tag_bits() < 64) /* where the profile cancels sends, see test_matching.c */
        require(side, libemp_cancel(side->pair->board, side->send[0].request) == -EOPNOTSUPP);
}

/* The receives of a tag that were not cancelled hold its messages, in order. */
static void check_order(struct side *side) {
    size_t at[TAGS] = {0};
    for (size_t i = 0; i < side->posted; i++) {
        const struct outcome *outcome = &side->outcome[i];
        if (outcome->cancelled || outcome->tag == UNANSWERED)
            continue;
        size_t *message = &at[outcome->tag];
        while (*message < side->storm->messages && tag_of(side->storm, *message) != outcome->tag)
            (*message)++;
        const size_t bytes = bytes_of(side->storm, *message);
        uint32_t digest = 0;
        for (size_t b = 0; b < CAPACITY; b++)
            digest =
                add_to_digest(digest, b < bytes ? content(side->pair->peer, *message, b) : GUARD);
        if (outcome->length != bytes || outcome->digest != digest)
            complain(side, "receive %zu does not hold message %zu", i, *message);
        (*message)++;
    }
}

static bool receives_open(const struct side *side) {
    for (size_t i = 0; i < RECEIVES; i++)
        if (side->receive[i].busy)
            return true;
    return false;
}

static uint32_t counter(struct side *side, const char *name) {
    uint32_t value = 0;
    require(side,
            libemp_counter(side->pair->board, (size_t)libemp_find_counter(name), &value) == 0);
    return value;
}

static int program(struct pair_side *pair, void *argument) {
    struct side *side = &sides[pair->index];
    struct storm *storm = argument;
    memset(side, 0, sizeof *side);
    side->storm = storm;
    side->pair = pair;
    side->state = storm->seed * 2 + pair->index;
    open_slots(side, side->send, SENDS);
    open_slots(side, side->receive, RECEIVES);
    while (!pair->message[0]) {
        const bool all_received = side->received == storm->messages;
        for (size_t i = 0; i < SENDS; i++)
            if (!side->send[i].busy && side->sent < storm->messages)
                post_send(side, &side->send[i]);
        for (size_t i = 0; i < RECEIVES && !all_received; i++)
            if (!side->receive[i].busy)
                post_receive(side, &side->receive[i]);
        cancel_some(side, all_received);
        look(side, true);
        look(side, false);
        if (all_received && side->finished == storm->messages && !receives_open(side))
            break;
        tigon_host_sleep_ns(pair->host, NAP_NS);
    }
    if (pair->message[0])
        return -EBADMSG;
    check_order(side);
    require(side, libemp_descriptors_free(pair->board) == libemp_descriptor_limit());
    storm->too_late[pair->index] = counter(side, "cancels_too_late");
    storm->unmatched[pair->index] = counter(side, "receiver_not_ready");
    return pair->message[0] ? -EBADMSG : 0;
}

int storm_try(struct storm *storm, const struct pair_options *options) {
    struct pair pair;
    if (storm->messages > MESSAGES_LIMIT || storm->one_in == 0)
        return -EINVAL;
    int error = pair_open(&pair, options);
    if (!error)
        error = pair_run(&pair, program, storm, program, storm, LIMIT_NS);
    if (error)
        pair_complain(&pair, stderr);
    pair_close(&pair);
    return error;
}
