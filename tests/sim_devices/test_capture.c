/* SPDX-License-Identifier: MIT */
/* The capture of a wire, read back block by block. tests/dissector has Wireshark read one. */
#include "tests/sim_devices/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FRAMES 6u
#define LENGTH 61u /* not a multiple of 4: padded in the file */

struct packet {
    uint32_t side;
    uint64_t time_ns;
    uint32_t length;
    uint8_t bytes[128];
    char comment[128];
};

struct file {
    size_t length;
    uint8_t bytes[16384];
    unsigned interfaces;
    unsigned packets;
    struct packet packet[2 * FRAMES + 2];
};

static uint32_t at(const struct file *file, size_t offset) {
    assert_true(offset + 4 <= file->length);
    const uint8_t *bytes = file->bytes + offset;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void read_packet(struct file *file, size_t offset, size_t end) {
    assert_true(file->packets < 2 * FRAMES + 2);
    struct packet *packet = &file->packet[file->packets++];
    packet->side = at(file, offset);
    packet->time_ns = (uint64_t)at(file, offset + 4) << 32 | at(file, offset + 8);
    packet->length = at(file, offset + 12);
    assert_int_equal(at(file, offset + 16), packet->length);
    assert_true(packet->length <= sizeof packet->bytes);
    offset += 20;
    memcpy(packet->bytes, file->bytes + offset, packet->length);
    offset += (packet->length + 3) / 4 * 4;
    if (offset == end)
        return;
    assert_int_equal(at(file, offset) & 0xFFFFu, 1); /* a comment, then the end of the options */
    const uint32_t length = at(file, offset) >> 16;
    assert_true(length < sizeof packet->comment);
    memcpy(packet->comment, file->bytes + offset + 4, length);
    offset += 4 + (length + 3) / 4 * 4;
    assert_int_equal(at(file, offset), 0);
    assert_int_equal(offset + 4, end);
}

static void read_file(const char *path, struct file *file) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    memset(file, 0, sizeof *file);
    file->length = fread(file->bytes, 1, sizeof file->bytes, stream);
    assert_true(file->length < sizeof file->bytes);
    (void)fclose(stream);
    assert_int_equal(at(file, 0), 0x0A0D0D0A);
    assert_int_equal(at(file, 8), 0x1A2B3C4D);
    for (size_t offset = 0, total; offset < file->length; offset += total) {
        total = at(file, offset + 4);
        assert_true(total >= 12 && total % 4 == 0);
        assert_int_equal(at(file, offset + total - 4), total);
        const uint32_t type = at(file, offset);
        file->interfaces += type == 1;
        if (type == 6)
            read_packet(file, offset + 8, offset + total - 4);
    }
    assert_int_equal(file->interfaces, 2);
}

static enum tigon_fate by_index(void *context, const struct tigon_frame_view *frame) {
    (void)context;
    static const enum tigon_fate fates[FRAMES] = {
        TIGON_FATE_DELIVER,         TIGON_FATE_LOSE,
        TIGON_FATE_DUPLICATE,       TIGON_FATE_DELAY,
        TIGON_FATE_CORRUPT_VISIBLE, TIGON_FATE_CORRUPT_SILENT};
    return frame->from_side == 0 && frame->index < FRAMES ? fates[frame->index]
                                                          : TIGON_FATE_DELIVER;
}

/* `path` is a template of mkstemp. */
static void temporary(char *path) {
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    (void)close(descriptor);
}

static void test_frames_and_fates(void **state) {
    (void)state;
    static struct file file;
    static const char *const words[FRAMES] = {"",     "lost",      "twice",
                                              "held", "CRC error", "end-to-end"};
    struct bench *bench = bench_make(2, NULL);
    char path[] = "/tmp/tigon_capture_XXXXXX";
    uint8_t sent[2][LENGTH];
    temporary(path);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    tigon_wire_set_filter(bench->wire, by_index, NULL);
    assert_int_equal(tigon_wire_capture(bench->wire, path), 0);
    assert_int_equal(tigon_wire_capture(bench->wire, path), -EBUSY);
    uint32_t left = T_BASE, right = T_BASE;
    make_frame(bench->peer, sent[0], LENGTH, 7);
    make_frame(bench->board, sent[1], LENGTH, 9);
    memcpy(tigon_host_pointer(tigon_board_host(bench->board), 4096), sent[0], LENGTH);
    memcpy(tigon_host_pointer(tigon_board_host(bench->peer), 4096), sent[1], LENGTH);
    for (unsigned i = 0; i < FRAMES; i++) {
        send_from_host(bench->board, 4096, &left, LENGTH);
        send_from_host(bench->peer, 4096, &right, LENGTH);
    }
    pass_ns(bench, 100000);
    tigon_wire_inject(bench->wire, 1, sent[0], LENGTH, true);
    tigon_wire_set_cut(bench->wire, true);
    pass_ns(bench, 100000);
    assert_int_equal(tigon_wire_end_capture(bench->wire), 0);
    assert_int_equal(tigon_wire_end_capture(bench->wire), 0);
    bench_destroy(bench);

    read_file(path, &file);
    assert_int_equal(file.packets, 2 * FRAMES + 1);
    unsigned index[2] = {0, 0};
    for (unsigned i = 0; i < 2 * FRAMES; i++) {
        const struct packet *packet = &file.packet[i];
        assert_true(packet->side < 2);
        assert_int_equal(packet->length, LENGTH);
        assert_memory_equal(packet->bytes, sent[packet->side], LENGTH);
        assert_true(i == 0 || packet->time_ns >= packet[-1].time_ns);
        const char *word = packet->side ? "" : words[index[0]];
        assert_int_equal(*word == 0, packet->comment[0] == 0);
        assert_non_null(strstr(packet->comment, word));
        index[packet->side]++;
    }
    assert_int_equal(index[0], FRAMES);
    assert_string_equal(file.packet[2 * FRAMES].comment, "injected, with a CRC error");
    (void)unlink(path);
}

/* A file that cannot be made, and one that cannot be filled */
static void test_errors(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    static uint8_t bytes[1514];
    assert_int_equal(tigon_wire_capture(bench->wire, "/nowhere/at/all"), -ENOENT);
    assert_int_equal(tigon_wire_end_capture(bench->wire), 0);
    assert_int_equal(tigon_wire_capture(bench->wire, "/dev/full"), 0);
    for (unsigned i = 0; i < 100; i++)
        tigon_wire_inject(bench->wire, 0, bytes, sizeof bytes, false);
    assert_int_equal(tigon_wire_end_capture(bench->wire), -ENOSPC);
    assert_int_equal(tigon_wire_capture(bench->wire, "/dev/full"), 0);
    bench_destroy(bench); /* ends it */
}

int capture_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_and_fates),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
