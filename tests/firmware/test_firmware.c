/* SPDX-License-Identifier: MIT */
/*
 * The EMP firmware on two simulated boards: does it start on every memory size, deliver every byte
 * in every descriptor format, refuse what makes no sense, outlive loss, and meet its goals of
 * speed?
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/firmware/harness.h"
#include "tests/firmware/measure.h"

#define TAG          3u
#define LIMIT_NS     8000000000u
#define PANIC_MEMORY 0x0202u /* GLUE_PANIC_MEMORY */
/* The present cost plus a margin, so that it gets no slower. Published of the real card: 23 us and
 * 880 Mb/s. */
#define LATENCY_LIMIT_US    21.0
#define BANDWIDTH_LIMIT_MBS 940.0

struct pair {
    struct tigon_world *world;
    struct side side[2];
    const struct case_ *scenario;
    unsigned ready;
};

/* The work of the two programs of a test once both links are up. */
struct case_ {
    void (*run[2])(struct pair *pair, struct side *side);
    const char *knobs[4];        /* "name=value", ended by NULL */
    uint64_t cut_ns, restore_ns; /* the wire is unplugged meanwhile; 0 for never */
};

struct start {
    struct pair *pair;
    unsigned node;
};

static int program(struct tigon_host *host, void *argument) {
    struct start *start = argument;
    struct pair *pair = start->pair;
    struct side *side = &pair->side[start->node];
    side_start(side, FIRMWARE_IMAGE, 2);
    pair->ready++;
    while (pair->ready < 2)
        tigon_host_sleep_ns(host, 10000);
    pair->scenario->run[start->node](pair, side);
    return 0;
}

static void cut(void *context) {
    tigon_wire_set_cut(context, true);
}

static void restore(void *context) {
    tigon_wire_set_cut(context, false);
}

static void play(const struct case_ *scenario) {
    struct pair pair = {.scenario = scenario};
    struct start start[2];
    struct tigon_knobs knobs;
    struct tigon_wire *wire;
    enum tigon_end end;
    tigon_knobs_defaults(&knobs);
    for (unsigned i = 0; scenario->knobs[i]; i++)
        assert_int_equal(tigon_knobs_assign(&knobs, scenario->knobs[i]), 0);
    pair.world = tigon_world_create(&knobs, 7);
    for (unsigned i = 0; i < 2; i++)
        side_create(&pair.side[i], tigon_world_add_board(pair.world), i);
    wire = tigon_world_connect(pair.world, pair.side[0].board, pair.side[1].board);
    if (scenario->cut_ns != 0) {
        tigon_world_call_at(pair.world, scenario->cut_ns, cut, wire);
        tigon_world_call_at(pair.world, scenario->restore_ns, restore, wire);
    }
    for (unsigned i = 0; i < 2; i++) {
        start[i] = (struct start){&pair, i};
        (void)tigon_host_start(pair.side[i].host, "test", program, &start[i]);
    }
    end = tigon_world_run(pair.world, LIMIT_NS);
    if (end != TIGON_END_FINISHED)
        print_error("%s\n", tigon_world_report(pair.world));
    assert_int_equal(end, TIGON_END_FINISHED);
    tigon_world_destroy(pair.world);
}

static void expect(struct side *side, uint32_t index, enum emp_result result, uint32_t length) {
    uint32_t got_length = 0;
    enum emp_result got = side_wait(side, index, &got_length);
    if (got != result || got_length != length)
        print_error("descriptor %u: result %u, length %u\n", index, got, got_length);
    assert_int_equal(got, result);
    assert_int_equal(got_length, length);
}

/* --------------------------------------------------------------------------------------- Start */

static void check_control(struct pair *pair, struct side *side) {
    uint32_t bytes = side_control(side, EMP_CONTROL_SRAM_BYTES_WORD);
    uint32_t image = side_control(side, EMP_CONTROL_FREE_BYTES_WORD);
    (void)pair;
    assert_true(bytes == 0x80000 || bytes == 0x100000 || bytes == 0x200000);
    assert_true(image < bytes);
    assert_int_equal(side_control(side, EMP_CONTROL_FAULT_WORD), 0);
    assert_int_equal(side_control(side, EMP_CONTROL_STATE_WORD), EMP_CONTROL_STATE_READY);
}

static void check_small(struct pair *pair, struct side *side) {
    check_control(pair, side);
    assert_int_equal(side_control(side, EMP_CONTROL_SRAM_BYTES_WORD), 0x80000);
}

static void check_large(struct pair *pair, struct side *side) {
    check_control(pair, side);
    assert_int_equal(side_control(side, EMP_CONTROL_SRAM_BYTES_WORD), 0x200000);
}

static void starts_on_every_memory_size(void **state) {
    (void)state;
    play(&(struct case_){.run = {check_small, check_small}, .knobs = {"sram_bytes=524288"}});
    play(&(struct case_){.run = {check_control, check_control}, .knobs = {"sram_bytes=1048576"}});
    play(&(struct case_){.run = {check_large, check_large}, .knobs = {"sram_bytes=2097152"}});
}

/* A node number beyond the tables, an invalid incarnation: reported, not used. */
#define PANIC_CONTROL 0x0204u /* GLUE_PANIC_CONTROL */

static void start_with(struct side *side, uint32_t node, uint32_t epoch, bool sound) {
    uint32_t wanted = sound ? EMP_CONTROL_STATE_READY : EMP_CONTROL_STATE_STOPPED;
    uint32_t state;
    side->node = node;
    side->epoch = epoch;
    side_load(side, FIRMWARE_IMAGE);
    side_release(side);
    do {
        tigon_host_sleep_ns(side->host, 10000);
        state = side_control(side, EMP_CONTROL_STATE_WORD);
    } while (state != EMP_CONTROL_STATE_READY && state != EMP_CONTROL_STATE_STOPPED);
    assert_int_equal(state, wanted);
    assert_int_equal(side_control(side, EMP_CONTROL_FAULT_WORD), sound ? 0 : PANIC_CONTROL);
}

static void start_oddly(struct pair *pair, struct side *side) {
    (void)pair;
    start_with(side, EMP_NODE_LIMIT - 1, 255, true);
    start_with(side, EMP_NODE_LIMIT, 1, false);
    start_with(side, 0xFFFFFFFF, 1, false);
    start_with(side, 0, 0, false);
    start_with(side, 0, 65536, false);
}

static void starts_only_with_parameters_in_range(void **state) {
    (void)state;
    play(&(struct case_){.run = {start_oddly, check_control}, .knobs = {NULL}});
}

/* ------------------------------------------------------------------------------------ Delivery */

static const struct {
    uint32_t bytes, send_skew, receive_skew;
} shapes[] = {
    {0, 0, 0},      {1, 0, 0},           {4, 4095, 1},        {24, 3, 5},      {1463, 0, 0},
    {1478, 0, 0},   {1479, 0, 0},        {1500, 7, 4001},     {2964, 0, 0},    {2965, 0, 0},
    {4096, 0, 0},   {4096, 1, 4095},     {8192, 4095, 1},     {12288, 0, 100}, {20000, 3, 1111},
    {28672, 0, 0},  {28673, 0, 0},       {30000, 4095, 4094}, {65536, 0, 0},   {65536, 33, 2077},
    {262144, 1, 2}, {1000003, 17, 4001},
};
#define SHAPES (sizeof shapes / sizeof *shapes)
#define STEP   4u

static void send_shapes(struct pair *pair, struct side *side) {
    (void)pair;
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct buffer buffer;
        buffer_create(side, &buffer, shapes[i].bytes, shapes[i].send_skew);
        buffer_fill(side, &buffer, i);
        side_post(side, i * STEP, EMP_DIRECTION_SEND, 1, TAG, &buffer);
        free(buffer.page);
    }
    for (uint32_t i = 0; i < SHAPES; i++)
        expect(side, i * STEP, EMP_RESULT_OK, shapes[i].bytes);
}

static void receive_shapes(struct pair *pair, struct side *side) {
    struct buffer buffer[SHAPES];
    (void)pair;
    for (uint32_t i = 0; i < SHAPES; i++) {
        buffer_create(side, &buffer[i], shapes[i].bytes, shapes[i].receive_skew);
        side_post(side, i * STEP, EMP_DIRECTION_RECEIVE, 0, TAG, &buffer[i]);
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        expect(side, i * STEP, EMP_RESULT_OK, shapes[i].bytes);
        assert_true(buffer_holds(side, &buffer[i], i, shapes[i].bytes));
        free(buffer[i].page);
    }
}

static void delivers_every_shape(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_shapes, receive_shapes}, .knobs = {NULL}});
    play(&(struct case_){.run = {send_shapes, receive_shapes},
                         .knobs = {"sram_bytes=1M", "host_memory_base=4293918720"}});
}

static void outlives_loss(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_shapes, receive_shapes},
                         .knobs = {"wire_loss=0.05", "wire_duplicate=0.05"}});
    play(&(struct case_){
        .run = {send_shapes, receive_shapes},
        .knobs = {"wire_loss=0.02", "wire_delay=0.1", "wire_corrupt_visible=0.02"}});
}

static void outlives_unplugging(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_shapes, receive_shapes},
                         .knobs = {NULL},
                         .cut_ns = 20000000,
                         .restore_ns = 30000000});
}

/* More sends than there are records, refused at first: all are delivered, in order. */
#define MANY 120u

static void send_many(struct pair *pair, struct side *side) {
    struct buffer buffer[MANY];
    (void)pair;
    for (uint32_t i = 0; i < MANY; i++) {
        buffer_create(side, &buffer[i], 100 + i, i);
        buffer_fill(side, &buffer[i], i);
    }
    side_post_many(side, 0, MANY, 1, EMP_DIRECTION_SEND, 1, TAG, buffer);
    for (uint32_t i = 0; i < MANY; i++) {
        expect(side, i, EMP_RESULT_OK, 100 + i);
        free(buffer[i].page);
    }
}

static void receive_many(struct pair *pair, struct side *side) {
    struct buffer buffer[MANY];
    (void)pair;
    for (uint32_t i = 0; i < MANY; i++)
        buffer_create(side, &buffer[i], 300, 0);
    tigon_host_sleep_ns(side->host, 3000000); /* refusals first */
    side_post_many(side, 0, MANY, 1, EMP_DIRECTION_RECEIVE, 0, TAG, buffer);
    for (uint32_t i = 0; i < MANY; i++) {
        expect(side, i, EMP_RESULT_OK, 100 + i);
        assert_true(buffer_holds(side, &buffer[i], i, 100 + i));
        free(buffer[i].page);
    }
}

static void holds_sends_without_a_record(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_many, receive_many}, .knobs = {NULL}});
}

/* Both ways at once, indirect on both sides, more receives than buffers for their pages. */
#define BULK 30u

static void exchange(struct pair *pair, struct side *side) {
    unsigned peer = 1 - side->node;
    struct buffer out, in[BULK];
    buffer_create(side, &out, 40000, 9);
    buffer_fill(side, &out, side->node);
    for (uint32_t i = 0; i < BULK; i++)
        buffer_create(side, &in[i], 40000, 100 * i);
    side_post_many(side, 0, BULK, 1, EMP_DIRECTION_RECEIVE, peer, TAG, in);
    (void)pair;
    tigon_host_sleep_ns(side->host, 1000000);
    for (uint32_t i = 0; i < BULK; i++)
        side_post(side, 100 + i, EMP_DIRECTION_SEND, peer, TAG, &out);
    for (uint32_t i = 0; i < BULK; i++) {
        expect(side, i, EMP_RESULT_OK, 40000);
        assert_true(buffer_holds(side, &in[i], peer, 40000));
        free(in[i].page);
    }
    for (uint32_t i = 0; i < BULK; i++)
        expect(side, 100 + i, EMP_RESULT_OK, 40000);
    free(out.page);
}

static void exchanges_both_ways(void **state) {
    (void)state;
    play(&(struct case_){.run = {exchange, exchange}, .knobs = {NULL}});
}

/* ---------------------------------------------------------------------------------- Odd results */

/* The check of a host that remembers its posting: only these bits of the word have changed. */
static void expect_word(struct side *side, uint32_t index, enum emp_direction direction,
                        enum emp_format format, uint32_t continuations, enum emp_result result,
                        uint32_t length) {
    uint32_t words[EMP_DESCRIPTOR_BYTES / 4] = {0};
    uint32_t at = side->descriptors + EMP_DESCRIPTOR_BYTES * index;
    emp_descriptor_set_owner(words, EMP_OWNER_HOST);
    emp_descriptor_set_direction(words, direction);
    emp_descriptor_set_format(words, format);
    emp_descriptor_set_continuations(words, continuations);
    emp_descriptor_set_result(words, result);
    emp_descriptor_set_total_length(words, length);
    assert_int_equal(side_read(side, at + 4 * EMP_DESCRIPTOR_OWNER_WORD),
                     words[EMP_DESCRIPTOR_OWNER_WORD]);
}

static void send_odd(struct pair *pair, struct side *side) {
    struct buffer buffer, endless;
    uint32_t at = side->descriptors;
    (void)pair;
    buffer_create(side, &buffer, 5000, 0);
    buffer_fill(side, &buffer, 1);
    side_post(side, 0, EMP_DIRECTION_SEND, 1, TAG, &buffer); /* meets a shorter receive */
    expect(side, 0, EMP_RESULT_OK, 5000);
    expect_word(side, 0, EMP_DIRECTION_SEND, EMP_FORMAT_CHAIN, 1, EMP_RESULT_OK, 5000);
    buffer_create(side, &endless, EMP_MESSAGE_LIMIT + 1, 0);
    side_post(side, 20, EMP_DIRECTION_SEND, 1, TAG, &endless);
    expect(side, 20, EMP_RESULT_TOO_LONG, 0);
    expect_word(side, 20, EMP_DIRECTION_SEND, EMP_FORMAT_INDIRECT, 0, EMP_RESULT_TOO_LONG, 0);
    free(endless.page);
    /* No such node, no such format, total beyond the piece, a result already, chain beyond the
     * table. */
    side_post(side, 4, EMP_DIRECTION_SEND, EMP_NODE_LIMIT, TAG, &buffer);
    expect(side, 4, EMP_RESULT_BAD, 0);
    static const uint32_t formats[] = {3, EMP_FORMAT_SHORT, EMP_FORMAT_SHORT, EMP_FORMAT_CHAIN};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t words[EMP_DESCRIPTOR_BYTES / 4] = {0};
        uint32_t index = i == 3 ? EMP_DESCRIPTOR_LIMIT - 1 : 8 + i;
        emp_descriptor_set_format(words, formats[i]);
        emp_descriptor_set_continuations(words, i == 3);
        emp_descriptor_set_result(words, i == 2 ? EMP_RESULT_OK : EMP_RESULT_PENDING);
        emp_descriptor_set_total_length(words, i == 2 ? 50 : 100);
        emp_descriptor_set_length(words, 50);
        emp_descriptor_set_owner(words, EMP_OWNER_NIC);
        for (uint32_t word = 0; word < EMP_DESCRIPTOR_BYTES / 4; word++)
            side_write(side, at + EMP_DESCRIPTOR_BYTES * index + 4 * word, words[word]);
        side_write(side, side->posting_ring + 4 * side->posted++, index);
        tigon_host_write32(side->host, 0x504 + 8 * EMP_POSTING_MAILBOX, side->posted);
        expect(side, index, EMP_RESULT_BAD, 0);
    }
    /* A number beyond the table and a descriptor that is the host's are passed over. */
    side_write(side, side->posting_ring + 4 * side->posted++, 100000);
    side_write(side, side->posting_ring + 4 * side->posted++, 0);
    /* So are cancels beyond the table, of ended requests, and of sends. */
    static const uint32_t cancelled[] = {0, 500, EMP_DESCRIPTOR_LIMIT, 0x10000, 0x7FFFFFFF};
    for (size_t i = 0; i < sizeof cancelled / sizeof *cancelled; i++)
        side_write(side, side->posting_ring + 4 * side->posted++,
                   EMP_CANCEL_REQUEST | cancelled[i]);
    side_post(side, 12, EMP_DIRECTION_SEND, 1, TAG + 1, &buffer);
    side_write(side, side->posting_ring + 4 * side->posted++, EMP_CANCEL_REQUEST | 12);
    tigon_host_write32(side->host, 0x504 + 8 * EMP_POSTING_MAILBOX, side->posted);
    expect(side, 12, EMP_RESULT_OK, 5000);
    free(buffer.page);
}

static void receive_odd(struct pair *pair, struct side *side) {
    struct buffer buffer, other;
    (void)pair;
    buffer_create(side, &buffer, 2000, 0);
    buffer_create(side, &other, 5000, 0);
    side_post(side, 0, EMP_DIRECTION_RECEIVE, 0, TAG, &buffer);
    side_post(side, 4, EMP_DIRECTION_RECEIVE, 0, TAG + 1, &other);
    expect(side, 0, EMP_RESULT_TRUNCATED, 5000);
    expect_word(side, 0, EMP_DIRECTION_RECEIVE, EMP_FORMAT_SHORT, 0, EMP_RESULT_TRUNCATED, 5000);
    assert_true(buffer_holds(side, &buffer, 1, 2000));
    expect(side, 4, EMP_RESULT_OK, 5000);
    assert_true(buffer_holds(side, &other, 1, 5000));
    free(buffer.page);
    free(other.page);
}

static void gives_odd_postings_a_result(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_odd, receive_odd}, .knobs = {NULL}});
}

/* ------------------------------------------------------------------- A host that changes its mind
 */

/* Writes of the host to a descriptor that the board owns do not change the board's own memory: the
 * firmware has copied the fields it needs. */
#define ENTRIES_TOO_MANY 8000u

static void write_field(struct side *side, uint32_t index, uint32_t word, uint32_t shift,
                        uint32_t mask, uint32_t value) {
    uint32_t at = side->descriptors + EMP_DESCRIPTOR_BYTES * index + 4 * word;
    side_write(side, at, (side_read(side, at) & ~(mask << shift)) | value << shift);
}

static void write_format(struct side *side, uint32_t index, enum emp_format format) {
    write_field(side, index, EMP_DESCRIPTOR_FORMAT_WORD, EMP_DESCRIPTOR_FORMAT_SHIFT,
                EMP_DESCRIPTOR_FORMAT_MASK, format);
}

static void expect_sound(struct side *side) {
    assert_int_equal(side_control(side, EMP_CONTROL_FAULT_WORD), 0);
    assert_int_equal(side_control(side, EMP_CONTROL_STATE_WORD), EMP_CONTROL_STATE_READY);
}

/* More indirect receives than buffers, so that the first loses its page and it is fetched again. */
#define INDIRECT_RECEIVES (EMP_RECEIVE_LIMIT + 2u)
#define INDIRECT_BYTES    40000u

static void wait_for_go(struct pair *pair, struct side *side) {
    while (pair->ready < 3)
        tigon_host_sleep_ns(side->host, 10000);
}

static void send_one(struct pair *pair, struct side *side, uint32_t bytes) {
    struct buffer buffer;
    wait_for_go(pair, side);
    buffer_create(side, &buffer, bytes, 0);
    buffer_fill(side, &buffer, 1);
    side_post(side, 0, EMP_DIRECTION_SEND, 1, TAG, &buffer);
    (void)side_wait(side, 0, NULL);
    free(buffer.page);
}

static void send_indirect(struct pair *pair, struct side *side) {
    struct buffer buffer;
    wait_for_go(pair, side);
    buffer_create(side, &buffer, INDIRECT_BYTES, 0);
    buffer_fill(side, &buffer, 1);
    side_post(side, 0, EMP_DIRECTION_SEND, 1, TAG, &buffer);
    while (pair->ready < 4)
        tigon_host_sleep_ns(side->host, 10000);
    free(buffer.page);
}

/* The memory behind the page buffer must stay unchanged: a page of so many entries ends in the
 * tables behind the buffers. The board may stop itself when a descriptor that it owns ends
 * early. */
static void longer_page(struct pair *pair, struct side *side) {
    static struct buffer buffers[INDIRECT_RECEIVES];
    for (uint32_t i = 0; i < INDIRECT_RECEIVES; i++) {
        buffer_create(side, &buffers[i], INDIRECT_BYTES, 0);
        side_post(side, i, EMP_DIRECTION_RECEIVE, 0, i == 0 ? TAG : TAG + 1, &buffers[i]);
        tigon_host_sleep_ns(side->host, 20000);
    }
    write_field(side, 0, EMP_DESCRIPTOR_LENGTH_WORD, EMP_DESCRIPTOR_LENGTH_SHIFT,
                EMP_DESCRIPTOR_LENGTH_MASK, ENTRIES_TOO_MANY);
    pair->ready++;
    while (side_control(side, EMP_CONTROL_STATE_WORD) == EMP_CONTROL_STATE_READY)
        tigon_host_sleep_ns(side->host, 10000);
    assert_int_equal(side_control(side, EMP_CONTROL_FAULT_WORD), PANIC_MEMORY);
    pair->ready++;
    for (uint32_t i = 0; i < INDIRECT_RECEIVES; i++)
        free(buffers[i].page);
}

static void reads_no_page_longer_than_its_buffer(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_indirect, longer_page}, .knobs = {NULL}});
}

static void send_short(struct pair *pair, struct side *side) {
    send_one(pair, side, 3000);
}

/* SHORT when the firmware read it: it is used as SHORT, though its end keeps the word of the
 * host. */
static void other_format(struct pair *pair, struct side *side) {
    uint64_t bus;
    (void)tigon_host_allocate(side->host, 2 * PAGE, &bus);
    uint64_t page[2] = {bus, bus + PAGE};
    struct buffer one = {.bytes = 3000, .pages = 1, .page = page};
    side_post(side, 0, EMP_DIRECTION_RECEIVE, 0, TAG, &one);
    tigon_host_sleep_ns(side->host, 20000);
    write_format(side, 0, EMP_FORMAT_INDIRECT);
    pair->ready++;
    expect(side, 0, EMP_RESULT_OK, 3000);
    expect_word(side, 0, EMP_DIRECTION_RECEIVE, EMP_FORMAT_INDIRECT, 0, EMP_RESULT_OK, 3000);
    assert_true(buffer_holds(side, &one, 1, 3000));
    expect_sound(side);
}

static void keeps_the_format_taken(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_short, other_format}, .knobs = {NULL}});
}

/* One receive, entered into the ring twice: the second entry is passed over, and the descriptor may
 * be posted again when it has ended. */
static void enter_again(struct side *side, uint32_t index) {
    side_write(side, side->posting_ring + 4 * side->posted++, index);
    tigon_host_write32(side->host, 0x504 + 8 * EMP_POSTING_MAILBOX, side->posted);
    tigon_host_sleep_ns(side->host, 20000);
}

#define IGNORED_WORD 3u /* of the runtime's counters: postings_ignored */

static void send_twice(struct pair *pair, struct side *side) {
    struct buffer buffer;
    wait_for_go(pair, side);
    buffer_create(side, &buffer, INDIRECT_BYTES, 0);
    buffer_fill(side, &buffer, 1);
    for (uint32_t i = 0; i < 2; i++) {
        side_post(side, i, EMP_DIRECTION_SEND, 1, TAG, &buffer);
        expect(side, i, EMP_RESULT_OK, INDIRECT_BYTES);
    }
    free(buffer.page);
}

static void enter_twice(struct pair *pair, struct side *side) {
    struct buffer buffer, other;
    buffer_create(side, &buffer, INDIRECT_BYTES, 0);
    buffer_create(side, &other, INDIRECT_BYTES, 0);
    side_post(side, 0, EMP_DIRECTION_RECEIVE, 0, TAG, &buffer);
    tigon_host_sleep_ns(side->host, 20000);
    enter_again(side, 0);
    assert_int_equal(side_read(side, side->runtime_counters + 4 * IGNORED_WORD), 1);
    pair->ready++;
    expect(side, 0, EMP_RESULT_OK, INDIRECT_BYTES);
    side_post(side, 0, EMP_DIRECTION_RECEIVE, 0, TAG, &other);
    expect(side, 0, EMP_RESULT_OK, INDIRECT_BYTES);
    assert_true(buffer_holds(side, &buffer, 1, INDIRECT_BYTES));
    assert_true(buffer_holds(side, &other, 1, INDIRECT_BYTES));
    expect_sound(side);
    free(buffer.page);
    free(other.page);
}

static void takes_a_descriptor_once(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_twice, enter_twice}, .knobs = {NULL}});
}

/* An address without memory: the firmware cannot repair that, so it reports a fault and stops. */
#define PANIC_READ 0x0101u /* TIGON2_PANIC_READ */

static void send_from_nowhere(struct pair *pair, struct side *side) {
    uint64_t nowhere = 0x00000012F0000000u;
    struct buffer buffer = {.bytes = 100, .pages = 1, .page = &nowhere};
    (void)pair;
    side_post(side, 0, EMP_DIRECTION_SEND, 1, TAG, &buffer);
    while (side_control(side, EMP_CONTROL_STATE_WORD) != EMP_CONTROL_STATE_STOPPED)
        tigon_host_sleep_ns(side->host, 10000);
    assert_int_equal(side_control(side, EMP_CONTROL_FAULT_WORD), PANIC_READ);
    assert_int_equal(side_control(side, EMP_CONTROL_LINK_WORD), 0);
}

static void receive_nothing(struct pair *pair, struct side *side) {
    (void)pair;
    (void)side;
}

static void stops_when_a_transfer_fails(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_from_nowhere, receive_nothing}, .knobs = {NULL}});
}

/* A page that ends exactly at the 4 GB line, and a run that goes across it (tigon2.md 13 item 7).
 */
#define BELOW_4GB 0xFFFFF000u

static void at_the_line(struct side *side, enum emp_direction direction) {
    unsigned peer = 1 - side->node;
    uint64_t bus = 0;
    void *below = NULL;
    struct buffer page = {.bytes = PAGE, .pages = 1, .page = &bus};
    struct buffer across = {.bytes = 3000, .skew = 2000, .pages = 1, .page = &bus};
    while (bus != BELOW_4GB)
        below = tigon_host_allocate(side->host, PAGE, &bus);
    assert_non_null(tigon_host_allocate(side->host, PAGE, NULL));
    if (direction == EMP_DIRECTION_SEND) {
        for (uint32_t i = 0; i < 2 * PAGE; i++)
            ((uint8_t *)below)[i] = (uint8_t)(i * 7 + 1);
        tigon_host_sleep_ns(side->host, 100000);
    }
    for (uint32_t turn = 0; turn < 3; turn++) {
        side_post(side, turn, direction, peer, TAG, turn == 1 ? &across : &page);
        expect(side, turn, EMP_RESULT_OK, turn == 1 ? 3000 : PAGE);
        for (uint32_t i = 0; i < PAGE + (turn == 1 ? 904u : 0u); i++)
            assert_int_equal(((uint8_t *)below)[i], (uint8_t)(i * 7 + 1));
    }
}

/* The same descriptor twice, across the line from different places: the second is not where the
 * first was. */
static void receive_again(struct pair *pair, struct side *side) {
    uint64_t bus = 0;
    uint8_t *below = NULL;
    (void)pair;
    while (bus != BELOW_4GB)
        below = tigon_host_allocate(side->host, PAGE, &bus);
    assert_non_null(tigon_host_allocate(side->host, PAGE, NULL));
    for (uint32_t turn = 0; turn < 2; turn++) {
        struct buffer across = {.bytes = 3000, .skew = 2000 - turn, .pages = 1, .page = &bus};
        side_post(side, 0, EMP_DIRECTION_RECEIVE, 0, TAG, &across);
        expect(side, 0, EMP_RESULT_OK, 3000);
        for (uint32_t i = 0; i < 3000; i++)
            assert_int_equal(below[across.skew + i], (uint8_t)(i * 7 + 1 + turn));
    }
}

static void send_again(struct pair *pair, struct side *side) {
    uint64_t bus;
    uint8_t *bytes = tigon_host_allocate(side->host, PAGE, &bus);
    struct buffer page = {.bytes = 3000, .pages = 1, .page = &bus};
    (void)pair;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < 3000; i++)
            bytes[i] = (uint8_t)(i * 7 + 1 + turn);
        tigon_host_sleep_ns(side->host, 100000);
        side_post(side, turn, EMP_DIRECTION_SEND, 1, TAG, &page);
        expect(side, turn, EMP_RESULT_OK, 3000);
    }
}

static void send_at_line(struct pair *pair, struct side *side) {
    (void)pair;
    at_the_line(side, EMP_DIRECTION_SEND);
}

static void receive_at_line(struct pair *pair, struct side *side) {
    (void)pair;
    at_the_line(side, EMP_DIRECTION_RECEIVE);
}

static void crosses_the_4_gb_line(void **state) {
    (void)state;
    play(&(struct case_){.run = {send_again, receive_again},
                         .knobs = {"host_memory_base=4293918720"}});
    play(&(struct case_){.run = {send_at_line, receive_at_line},
                         .knobs = {"host_memory_base=4293918720"}});
}

/* --------------------------------------------------------------------------------------- Speed */

static void gets_no_slower(void **state) {
    struct measure_latency latency;
    struct measure_bandwidth bandwidth;
    (void)state;
    assert_true(measure_latency(FIRMWARE_IMAGE, 4, 20, &latency));
    print_message("4 bytes one way: %.2f us\n", latency.one_way_us);
    assert_true(latency.one_way_us <= LATENCY_LIMIT_US);
    assert_true(measure_bandwidth(FIRMWARE_IMAGE, 65536, 20, false, &bandwidth));
    print_message("64 KiB one way: %.1f Mb/s\n", bandwidth.megabits);
    assert_true(bandwidth.megabits >= BANDWIDTH_LIMIT_MBS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_on_every_memory_size),
        cmocka_unit_test(starts_only_with_parameters_in_range),
        cmocka_unit_test(delivers_every_shape),
        cmocka_unit_test(outlives_loss),
        cmocka_unit_test(outlives_unplugging),
        cmocka_unit_test(holds_sends_without_a_record),
        cmocka_unit_test(exchanges_both_ways),
        cmocka_unit_test(gives_odd_postings_a_result),
        cmocka_unit_test(reads_no_page_longer_than_its_buffer),
        cmocka_unit_test(keeps_the_format_taken),
        cmocka_unit_test(takes_a_descriptor_once),
        cmocka_unit_test(stops_when_a_transfer_fails),
        cmocka_unit_test(crosses_the_4_gb_line),
        cmocka_unit_test(gets_no_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
