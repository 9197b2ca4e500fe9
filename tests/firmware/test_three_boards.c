/* SPDX-License-Identifier: MIT */
/*
 * The EMP firmware on three boards at a switch: two send to one whose host's bus is slower than the
 * wire, and no node sends to a node whose address its host has not written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/firmware/harness.h"

#define BOARDS   3u
#define TAG      3u
#define LIMIT_NS 8000000000u

struct three;
typedef void (*three_program)(struct three *three, struct side *side);

struct three {
    struct tigon_switch *box;
    struct side side[BOARDS];
    three_program run[BOARDS];
    unsigned ready;
    unsigned done;
    uint32_t capacity[BOARDS]; /* of each receive, by the sender */
};

struct start {
    struct three *three;
    unsigned node;
};

static int program(struct tigon_host *host, void *argument) {
    struct start *start = argument;
    struct three *three = start->three;
    struct side *side = &three->side[start->node];
    side_load(side, FIRMWARE_IMAGE);
    side_run(side);
    side_wait_link(side);
    while (!tigon_switch_port_up(three->box, side->node)) /* its port takes longer */
        tigon_host_sleep_ns(host, 100000);
    three->ready++;
    while (three->ready < BOARDS)
        tigon_host_sleep_ns(host, 10000);
    three->run[start->node](three, side);
    return 0;
}

static void play(struct three *three, const char *const *knobs) {
    struct start start[BOARDS];
    struct tigon_knobs values;
    struct tigon_world *world;
    enum tigon_end end;
    tigon_knobs_defaults(&values);
    for (unsigned i = 0; knobs[i]; i++)
        assert_int_equal(tigon_knobs_assign(&values, knobs[i]), 0);
    world = tigon_world_create(&values, 7);
    three->box = tigon_world_add_switch(world, BOARDS);
    for (unsigned i = 0; i < BOARDS; i++) {
        side_create(&three->side[i], tigon_world_add_board(world), i);
        assert_non_null(tigon_world_connect_port(world, three->side[i].board, three->box, i));
        start[i] = (struct start){three, i};
        (void)tigon_host_start(three->side[i].host, "test", program, &start[i]);
    }
    end = tigon_world_run(world, LIMIT_NS);
    if (end != TIGON_END_FINISHED)
        print_error("%s\n", tigon_world_report(world));
    assert_int_equal(end, TIGON_END_FINISHED);
    tigon_world_destroy(world);
}

static void expect(struct side *side, uint32_t index, enum emp_result result) {
    enum emp_result got = side_wait(side, index, NULL);
    if (got != result)
        print_error("node %u, descriptor %u: result %u\n", side->node, index, got);
    assert_int_equal(got, result);
}

static void set_parameter(struct side *side, enum emp_parameter parameter, uint32_t value) {
    side_write(side, side->parameters + 4 * parameter, value);
}

/* --------------------------------------------------------------------------------- A slow bus */

/* All that may be outstanding: two messages of two senders, each collection of one frame. */
#define RECEIVER   0u
#define AT_ONCE    2u
#define LONG_BYTES 300000u

static void send_long(struct three *three, struct side *side) {
    struct buffer buffer[AT_ONCE];
    side_peers(side, BOARDS);
    set_parameter(side, EMP_PARAMETER_COLLECTION_SIZE, 1);
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        buffer_create(side, &buffer[i], LONG_BYTES, 0);
        buffer_fill(side, &buffer[i], 10 * side->node + i);
    }
    tigon_host_sleep_ns(side->host, 2000000); /* until the receives are posted */
    side_post_many(side, 0, AT_ONCE, 1, EMP_DIRECTION_SEND, RECEIVER, TAG, buffer);
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        expect(side, i, EMP_RESULT_OK);
        free(buffer[i].page);
    }
    three->done++;
}

static void receive_long(struct three *three, struct side *side) {
    struct buffer buffer[BOARDS][AT_ONCE];
    side_peers(side, BOARDS);
    for (uint32_t node = 1; node < BOARDS; node++) {
        for (uint32_t i = 0; i < AT_ONCE; i++)
            buffer_create(side, &buffer[node][i], three->capacity[node], 0);
        side_post_many(side, 10 * node, AT_ONCE, 1, EMP_DIRECTION_RECEIVE, node, TAG, buffer[node]);
    }
    /* No node gets an answer from a stopped one. */
    while (three->done < BOARDS - 1) {
        assert_int_equal(side_control(side, EMP_CONTROL_FAULT_WORD), 0);
        tigon_host_sleep_ns(side->host, 100000);
    }
    for (uint32_t node = 1; node < BOARDS; node++)
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            uint32_t capacity = three->capacity[node];
            expect(side, 10 * node + i,
                   capacity < LONG_BYTES ? EMP_RESULT_TRUNCATED : EMP_RESULT_OK);
            assert_true(buffer_holds(side, &buffer[node][i], 10 * node + i, capacity));
            free(buffer[node][i].page);
        }
}

static void frames_wait_for_a_slow_bus(void **state) {
    struct three three = {.run = {receive_long, send_long, send_long},
                          .capacity = {0, LONG_BYTES, LONG_BYTES}};
    (void)state;
    play(&three, (const char *const[]){"bus_kind=32/33", "pci_write_rate=118000000", NULL});
}

/* Frames behind the end of a receive are not written, but their turn comes after those that are. */
static void frames_without_a_place_wait_too(void **state) {
    struct three three = {.run = {receive_long, send_long, send_long},
                          .capacity = {0, LONG_BYTES, 100}};
    (void)state;
    play(&three, (const char *const[]){"bus_kind=32/33", "pci_write_rate=40000000", NULL});
}

/* ------------------------------------------------------------------------- Addresses not told */

#define TELLER          0u /* has all addresses */
#define STRANGER        1u /* has no address at first */
#define ADDRESS_UNKNOWN 8u /* word of struct glue_counters */
#define GAP_NS          10000000u

/* Its frames reach the stranger, whose answers have no destination. */
static void tell(struct three *three, struct side *side) {
    struct buffer out, in;
    side_peers(side, BOARDS);
    buffer_create(side, &out, 5000, 0);
    buffer_create(side, &in, 5000, 0);
    buffer_fill(side, &out, 1);
    side_post(side, 0, EMP_DIRECTION_RECEIVE, STRANGER, TAG, &in);
    side_post(side, 10, EMP_DIRECTION_SEND, STRANGER, TAG, &out);
    expect(side, 10, EMP_RESULT_OK);
    expect(side, 0, EMP_RESULT_OK);
    assert_true(buffer_holds(side, &in, 2, 5000));
    assert_int_equal(three->done, 1); /* not before the stranger knew the address */
    free(out.page);
    free(in.page);
}

static void wonder(struct three *three, struct side *side) {
    struct buffer out, in;
    uint32_t words[EMP_DESCRIPTOR_BYTES / 4] = {0};
    struct tigon_switch_statistics statistics;
    buffer_create(side, &out, 5000, 0);
    buffer_create(side, &in, 5000, 0);
    buffer_fill(side, &out, 2);
    side_post(side, 0, EMP_DIRECTION_RECEIVE, TELLER, TAG, &in);
    side_post(side, 10, EMP_DIRECTION_SEND, TELLER, TAG, &out);
    tigon_host_sleep_ns(side->host, GAP_NS);
    tigon_switch_statistics(three->box, STRANGER, &statistics);
    assert_int_equal(statistics.received, 0);
    words[EMP_DESCRIPTOR_OWNER_WORD] = side_read(
        side, side->descriptors + 10 * EMP_DESCRIPTOR_BYTES + 4 * EMP_DESCRIPTOR_OWNER_WORD);
    assert_int_equal(emp_descriptor_get_owner(words), EMP_OWNER_NIC);
    assert_true(side_read(side, side->runtime_counters + 4 * ADDRESS_UNKNOWN) > 5);
    three->done++;
    side_peers(side, BOARDS);
    expect(side, 10, EMP_RESULT_OK);
    expect(side, 0, EMP_RESULT_OK);
    assert_true(buffer_holds(side, &in, 1, 5000));
    free(out.page);
    free(in.page);
}

static void rest(struct three *three, struct side *side) {
    (void)three;
    (void)side;
}

static void nothing_goes_to_an_unknown_address(void **state) {
    struct three three = {.run = {tell, wonder, rest}};
    (void)state;
    play(&three, (const char *const[]){NULL});
    assert_int_equal(three.done, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_wait_for_a_slow_bus),
        cmocka_unit_test(frames_without_a_place_wait_too),
        cmocka_unit_test(nothing_goes_to_an_unknown_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
