/* SPDX-License-Identifier: MIT */
/* The demo's programs: what they measure and claim is right, and the same every time. */
#include "tests/host/check.h"

#include "host/demo/file.h"
#include "host/demo/sweep.h"
#include "host/demo/traffic.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The table of targets.md 3.1, column of our own header. */
static void sweep__wire_limit(void **state) {
    (void)state;
    static const struct {
        size_t bytes;
        int tenths;
    } cases[] = {{1, 119},      {4, 476},      {10, 1190},     {32, 3478},     {64, 5161},
                 {512, 8951},   {1472, 9608},  {1500, 9248},   {4096, 9615},   {10240, 9649},
                 {32768, 9646}, {65536, 9654}, {131072, 9658}, {1048576, 9662}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal((int)(sweep_limit_mbps(cases[i].bytes) * 10 + 0.5), cases[i].tenths);
}

static void transfer__frames_of_a_message(void **state) {
    (void)state;
    assert_int_equal(file_frames(0), 1);
    assert_int_equal(file_frames(1478), 1);
    assert_int_equal(file_frames(1479), 2);
    assert_int_equal(file_frames(1478 + 1486), 2);
    assert_int_equal(file_frames(1478 + 1486 + 1), 3);
    assert_int_equal(file_frames(65536), 45);
    assert_int_equal(file_frames(1048576), 706);
}

#define LIMIT_NS UINT64_C(10000000000)

static void finish(struct pair *pair, int error) {
    if (error)
        pair_complain(pair, stderr);
    pair_close(pair);
    assert_int_equal(error, 0);
}

static void measure(size_t bytes, bool through_switch, struct sweep *sweep) {
    struct pair_options options;
    struct pair pair;
    pair_options_defaults(&options);
    options.through_switch = through_switch;
    *sweep = (struct sweep){
        .options = {.bytes = bytes, .iterations = 20, .messages = 100, .outstanding = 2}};
    assert_int_equal(pair_open(&pair, &options), 0);
    finish(&pair, pair_run(&pair, sweep_active, sweep, sweep_passive, sweep, LIMIT_NS));
}

static void sweep__measures_the_same_every_time(void **state) {
    (void)state;
    static const size_t sizes[] = {4, 1500, 10240};
    double last = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sweep sweep[2];
        measure(sizes[i], false, &sweep[0]);
        measure(sizes[i], false, &sweep[1]);
        assert_memory_equal(&sweep[0], &sweep[1], sizeof sweep[0]);
        assert_true(sweep[0].bandwidth_mbps > 0);
        assert_true(sweep[0].bandwidth_mbps < sweep_limit_mbps(sizes[i]));
        /* Longer than the message's time on the wire, and than that of a shorter one. */
        assert_true(sweep[0].latency_us > 8 * (double)sizes[i] / sweep_limit_mbps(sizes[i]));
        assert_true(sweep[0].latency_us > last);
        last = sweep[0].latency_us;
    }
}

/* targets.md 4.3: a switch was measured to add 5 us to the latency. */
static void sweep__through_a_switch(void **state) {
    (void)state;
    struct sweep direct, switched;
    measure(4, false, &direct);
    measure(4, true, &switched);
    const double more = switched.latency_us - direct.latency_us;
    assert_true(more > 4.75 && more < 5.25);
    measure(1500, false, &direct);
    measure(1500, true, &switched); /* and a frame time more */
    assert_true(switched.latency_us - direct.latency_us > 5 + 11.5);
}

static const char *path_of(int file) {
    static char path[2][64];
    static unsigned which;
    which ^= 1;
    (void)snprintf(path[which], sizeof path[which], "/proc/self/fd/%d", file);
    return path[which];
}

static void move(size_t bytes, double loss, struct transfer *transfer, struct traffic *traffic) {
    static uint8_t sent[300000];
    static uint8_t received[sizeof sent + 1];
    struct pair_options options;
    struct pair pair;
    const int input = memfd_create("input", 0);
    const int output = memfd_create("output", 0);
    for (size_t i = 0; i < bytes; i++)
        sent[i] = (uint8_t)(i * 31 + i / 251);
    assert_int_equal(write(input, sent, bytes), (ssize_t)bytes);
    pair_options_defaults(&options);
    options.knobs.wire_loss = loss;
    options.seed = bytes;
    *transfer = (struct transfer){
        .options = {.message_bytes = 30000, .outstanding = 3, .file = path_of(input)}};
    transfer->options.output = path_of(output);
    assert_int_equal(pair_open(&pair, &options), 0);
    traffic_watch(traffic, pair.wire);
    finish(&pair, pair_run(&pair, file_send, transfer, file_receive, transfer, LIMIT_NS));
    assert_int_equal(pread(output, received, sizeof received, 0), (ssize_t)bytes);
    assert_memory_equal(received, sent, bytes ? bytes : 1);
    (void)close(input);
    (void)close(output);
}

static void transfer__files_of_all_sizes_arrive(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 29999, 30000, 30001, 90000, 123457, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct transfer transfer;
        struct traffic traffic;
        move(sizes[i], 0.05, &transfer, &traffic);
        assert_int_equal(transfer.receiver.bytes, sizes[i]);
        assert_string_equal(transfer.receiver.name, transfer.sender.name);
        assert_int_equal(transfer.receiver.messages, 1 + (sizes[i] + 29999) / 30000);
        assert_int_equal(transfer.sender.messages, transfer.receiver.messages);
        assert_memory_equal(transfer.sender.digest, transfer.receiver.digest,
                            TRANSFER_DIGEST_BYTES);
    }
}

static void transfer__a_clean_wire_carries_no_frame_twice(void **state) {
    (void)state;
    struct transfer transfer;
    struct traffic traffic;
    move(300000, 0, &transfer, &traffic);
    /* But for the first, which was for nobody: the sender did not know the receiver's incarnation.
     */
    assert_int_equal(file_frames(16 + TRANSFER_NAME_BYTES), 1);
    assert_int_equal(traffic.negative_acknowledgements, 1);
    assert_int_equal(traffic.data_frames, 2 + 10 * file_frames(30000));
    assert_int_equal(traffic.lost, 0);
    assert_int_equal(traffic.other, 0);
    /* One for each collection of three (EF10). */
    assert_int_equal(traffic.acknowledgements, 1 + 10 * ((file_frames(30000) + 2) / 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep__wire_limit),
        cmocka_unit_test(transfer__frames_of_a_message),
        cmocka_unit_test(sweep__measures_the_same_every_time),
        cmocka_unit_test(sweep__through_a_switch),
        cmocka_unit_test(transfer__files_of_all_sizes_arrive),
        cmocka_unit_test(transfer__a_clean_wire_carries_no_frame_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
