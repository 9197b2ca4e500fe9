/* SPDX-License-Identifier: MIT */
/*
 * The hand-written alternating-bit protocol against the generated one: the same random events, the
 * same calls of the runtime in the same order, the same state after each event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "abp_layout.h"
#include "sim/base/random.h"
#include "tests/overhead/node.h"
#include "tests/overhead/runtime.h"

NODE_DECLARE(hand_)
NODE_DECLARE(generated_)

#define SEQUENCES 10000u
#define EVENTS    60u
#define TRAIL     512u

/* ------------------------------------------------------------------ The runtime, written down */

static struct node {
    const char *name;
    void (*start)(void);
    void (*submit)(uint32_t item);
    void (*frame)(const uint32_t words[NODE_FRAME_WORDS]);
    void (*timer)(void);
    void (*snapshot)(struct node_snapshot *snapshot);
    bool armed;
    uint32_t counters[RUNTIME_COUNTERS];
    char trail[TRAIL]; /* what the last event has called */
} nodes[2] = {
    {.name = "hand",
     .start = hand_start,
     .submit = hand_submit,
     .frame = hand_frame,
     .timer = hand_timer,
     .snapshot = hand_snapshot},
    {.name = "generated",
     .start = generated_start,
     .submit = generated_submit,
     .frame = generated_frame,
     .timer = generated_timer,
     .snapshot = generated_snapshot},
};
static struct node *current;
uint32_t runtime_timeout = 1000;

#define NOTE(...)                                                                                  \
    (void)snprintf(current->trail + strlen(current->trail), TRAIL - strlen(current->trail),        \
                   __VA_ARGS__)

void runtime_send(uint32_t kind, uint32_t bit, uint32_t item) {
    NOTE("send %u %u %u; ", kind, bit, item);
}
void runtime_accepted(uint32_t item) {
    NOTE("accepted %u; ", item);
}
void runtime_deliver(uint32_t item) {
    NOTE("deliver %u; ", item);
}
void runtime_count(enum runtime_counter counter) {
    NOTE("count %u; ", (unsigned)counter);
    current->counters[counter]++;
}
void runtime_timer_arm(uint32_t microseconds) {
    NOTE("arm %u; ", microseconds);
    current->armed = true;
}
/* Of a timer that does not run it means nothing, and who writes by hand leaves it out. */
void runtime_timer_cancel(void) {
    if (current->armed)
        NOTE("cancel; ");
    current->armed = false;
}

/* -------------------------------------------------------------------------------------- Events */

struct event {
    enum { SUBMIT, FRAME, TIME_OUT, EVENT_KINDS } what;
    uint32_t item;
    uint32_t words[NODE_FRAME_WORDS];
};

static struct event random_event(struct tigon_random *random) {
    struct event event = {.what = FRAME, .item = (uint32_t)tigon_random_next(random)};
    uint64_t dice = tigon_random_below(random, 10);
    if (nodes[0].armed && dice == 0)
        event.what = TIME_OUT;
    else if (dice < 4)
        event.what = SUBMIT;
    for (uint32_t i = 0; i < NODE_FRAME_WORDS; i++)
        event.words[i] = (uint32_t)tigon_random_next(random);
    if (!tigon_random_chance(random, 0.02))
        abp_frame_set_type(event.words, ABP_FRAME_TYPE_VALUE);
    if (!tigon_random_chance(random, 0.02))
        abp_frame_set_kind(event.words, tigon_random_chance(random, 0.5) ? ABP_FRAME_KIND_DATA
                                                                         : ABP_FRAME_KIND_ACK);
    if (!tigon_random_chance(random, 0.05))
        abp_frame_set_bit(event.words, (uint32_t)tigon_random_below(random, 2));
    return event;
}

static void apply(struct node *node, const struct event *event) {
    current = node;
    node->trail[0] = '\0';
    if (event->what == SUBMIT) {
        node->submit(event->item);
    } else if (event->what == FRAME) {
        node->frame(event->words);
    } else {
        node->armed = false;
        node->timer();
    }
}

static void assert_same(uint32_t sequence, uint32_t event) {
    struct node_snapshot left, right;
    nodes[0].snapshot(&left);
    nodes[1].snapshot(&right);
    if (strcmp(nodes[0].trail, nodes[1].trail) != 0 || nodes[0].armed != nodes[1].armed ||
        memcmp(nodes[0].counters, nodes[1].counters, sizeof nodes[0].counters) != 0 ||
        left.waiting != right.waiting || left.sender_bit != right.sender_bit ||
        left.pending != right.pending || left.expected_bit != right.expected_bit)
        fail_msg("sequence %u, event %u:\n  hand:      %s\n  generated: %s", sequence, event,
                 nodes[0].trail, nodes[1].trail);
}

static void same_calls_and_state(void **state) {
    uint32_t seen[EVENT_KINDS] = {0}, total[RUNTIME_COUNTERS] = {0};
    (void)state;
    for (uint32_t sequence = 0; sequence < SEQUENCES; sequence++) {
        struct tigon_random random = tigon_random_for(1, 2, sequence);
        /* A third lies beyond the parameter's range. */
        runtime_timeout = (uint32_t)tigon_random_below(&random, 90000000);
        for (unsigned i = 0; i < 2; i++) {
            current = &nodes[i];
            current->armed = false;
            current->trail[0] = '\0';
            memset(current->counters, 0, sizeof current->counters);
            current->start();
        }
        for (uint32_t i = 0; i < EVENTS; i++) {
            struct event event = random_event(&random);
            for (unsigned n = 0; n < 2; n++)
                apply(&nodes[n], &event);
            assert_same(sequence, i);
            seen[event.what]++;
        }
        for (unsigned i = 0; i < RUNTIME_COUNTERS; i++)
            total[i] += nodes[0].counters[i];
    }
    /* Every way through the protocol was among them. */
    for (unsigned i = 0; i < EVENT_KINDS; i++)
        assert_in_range(seen[i], 1000, UINT32_MAX);
    for (unsigned i = 0; i < RUNTIME_COUNTERS; i++)
        assert_in_range(total[i], 1000, UINT32_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_calls_and_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
