/* SPDX-License-Identifier: MIT */
/* Starting a board: the order of tigon2.md 9, and that every failure has an error of its own. */
#include "tests/host/check.h"

#include "tests/host/elf_file.h"
#include "tests/host/mock.h"

#include "host/board/image_file.h"

#include <errno.h>
#include <string.h>

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    struct board_image *image;
};

static const struct board_start_options options = {
    .node = 5, .epoch = 9, .mac_address = {2, 0x54, 0x47, 0xA, 0xB, 0xC}};

static int set_up(void **state) {
    static struct fixture fixture;
    struct elf_file file;
    fixture.mock = mock_create();
    fixture.board = mock_open(fixture.mock);
    elf_file_defaults(&file);
    file.segment[0].file_bytes = 5000;
    file.segments = 2;
    /* Across the end of a window. */
    file.segment[1] = (struct elf_segment){.type = 1, .address = 0x5FF8, .file_bytes = 16};
    assert_int_equal(board_image_open(&fixture.image, elf_file_write(&file, 0)), 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    board_image_close(fixture->image);
    const uint64_t before = fixture->mock->now_ns;
    libemp_abandon(fixture->board);
    assert_int_equal(fixture->mock->now_ns, before); /* not even a register is read */
    mock_destroy(fixture->mock);
    elf_file_close();
    return 0;
}

static void start__loads_and_prepares(void **state) {
    const struct fixture *fixture = *state;
    struct mock *mock = fixture->mock;
    mock->sram[0x1FFC / 4] = 0x11111111; /* left alone by the clearing ... */
    mock->sram[0x2000 / 4] = 0x22222222; /* ... which begins here ... */
    mock->sram[0x7FFFC / 4] = 0x33333333;
    mock->sram[0x80000 / 4] = 0x44444444; /* ... and ends here */
    mock->sram[0x10C / 4] = 55;           /* a count of an earlier life */
    mock->registers[REGISTER_PCI_STATE / 4] = 3U << 19;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    assert_int_equal(mock->sram[0x1FFC / 4], 0x11111111);
    assert_int_equal(mock->sram[0x2000 / 4], 0);
    assert_int_equal(mock->sram[0x7FFFC / 4], 0);
    assert_int_equal(mock->sram[0x80000 / 4], 0x44444444);
    assert_int_equal(mock->sram[0x10C / 4], 0);
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(mock->sram[(0x4000 + i) / 4] >> (24 - 8 * (i % 4)) & 0xFF,
                         elf_file_byte(0, i));
    assert_int_equal(mock->sram[0x6004 / 4] & 0xFF, elf_file_byte(1, 15));

    const uint32_t *control = &mock->sram[EMP_CONTROL_ADDRESS / 4];
    assert_int_equal(emp_control_get_node(control), 5);
    assert_int_equal(emp_control_get_epoch(control), 9);
    assert_int_equal(emp_control_get_mac_high(control), 0x0254);
    assert_int_equal(emp_control_get_mac_low(control), 0x470A0B0C);
    const uint64_t scratch = (uint64_t)emp_control_get_scratch_high(control) << 32 |
                             emp_control_get_scratch_low(control);
    assert_int_equal(scratch, mock_bus_page(0));
    assert_int_equal(mock->registers[REGISTER_PCI_STATE / 4], 0x76000000 | 1 << 17 | 3 << 19);
    assert_int_equal(mock->registers[REGISTER_LOCAL_CONTROL / 4] >> 8 & 3, 2);
    assert_int_equal(mock->registers[REGISTER_CONFIGURATION / 4] >> 20 & 1, 1);
    assert_int_equal(mock->registers[REGISTER_CPU_A_COUNTER / 4], 0x4000);
    assert_int_equal(mock->registers[REGISTER_CPU_A_STATE / 4], 0);
    assert_int_equal(mock->registers[REGISTER_CPU_B_STATE / 4] >> 16 & 1, 1);

    struct board_status status;
    assert_int_equal(board_status(libemp_hardware(fixture->board), &status), 0);
    assert_true(status.running && status.link);
    assert_int_equal(status.node, 5);
    assert_memory_equal(status.mac_address, options.mac_address, 6);
    assert_int_equal(board_wait_link(libemp_hardware(fixture->board), 0), 0);
}

static void start__of_an_image_of_another_spec_leaves_the_board_alone(void **state) {
    const struct fixture *fixture = *state;
    struct board_image *image = fixture->image;
    assert_int_equal(libemp_start(fixture->board, image, &options), 0);
    const uint64_t before = fixture->mock->now_ns;
    image->information.protocol_hash = EMP_PROTOCOL_HASH + 1;
    assert_int_equal(libemp_start(fixture->board, image, &options), -ENOEXEC);
    assert_non_null(strstr(libemp_message(fixture->board), "an image of"));
    assert_int_equal(fixture->mock->now_ns, before); /* not even a register is read */
    uint32_t value;
    assert_int_equal(libemp_counter(fixture->board, 0, &value), 0); /* still usable */
    image->information.protocol_hash = EMP_PROTOCOL_HASH;
    assert_int_equal(libemp_start(fixture->board, image, &options), 0);
}

static void start__needs_single_words_and_a_clock(void **state) {
    const struct fixture *fixture = *state;
    struct board *board = libemp_hardware(fixture->board);
    struct board_backend least = mock_backend;
    least.write_block = NULL;
    least.spend_ns = NULL;
    board->backend = &least;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    assert_int_equal(fixture->mock->spent_ns, 0);
    struct board_statistics statistics;
    board_statistics(board, &statistics);
    assert_int_equal(statistics.bursts, 0);
    uint32_t words[2];
    struct board_segment segment;
    (void)board_image_segment(fixture->image, 1, &segment);
    assert_int_equal(board_read_memory(board, segment.address + 4, words, 2), 0);
    assert_memory_equal(words, segment.content + 1, sizeof words);
    board->backend = &mock_backend;
}

static void start__of_any_protocol_or_of_one(void **state) {
    const struct fixture *fixture = *state;
    struct board *board = libemp_hardware(fixture->board);
    fixture->mock->wrong_hash = true;
    assert_int_equal(board_start(board, fixture->image, &options), 0);
    assert_int_equal(board_link(board), 1);
    assert_int_equal(board_attach(board, 0), 0);
    assert_int_equal(board_attach(board, EMP_PROTOCOL_HASH), -EPROTO);
    assert_int_equal(board_link(board), -ENODEV);
}

static void start__verify_finds_a_bad_word(void **state) {
    const struct fixture *fixture = *state;
    fixture->mock->sticky_address = 0x4ABC;
    fixture->mock->sram[0x4ABC / 4] = 0xDEAD;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "0x04ABC holds 0x0000DEAD"));
    libemp_request request;
    assert_int_equal(libemp_post_receive(fixture->board, 1, 0, NULL, 0, &request), -ENODEV);
}

static void start__tells_failures_apart(void **state) {
    const struct fixture *fixture = *state;
    fixture->mock->dead_rom = true;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "self-test"));
    fixture->mock->dead_rom = false;
    fixture->mock->silent = true;
    const uint64_t before = fixture->mock->now_ns;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -ETIMEDOUT);
    assert_int_equal(fixture->mock->registers[REGISTER_CPU_A_STATE / 4] >> 16 & 1, 1); /* stopped */
    assert_true(fixture->mock->now_ns - before > UINT64_C(3000000000));
    fixture->mock->silent = false;
    fixture->mock->stops = true;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "fault 77"));
    fixture->mock->stops = false;
    fixture->mock->wrong_hash = true;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EPROTO);
    fixture->mock->wrong_hash = false;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
}

static void start__refuses_bad_arguments(void **state) {
    const struct fixture *fixture = *state;
    struct board_start_options bad = options;
    bad.node = 16;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &bad), -EINVAL);
    bad = options;
    bad.mac_address[0] = 0x03; /* of a group */
    assert_int_equal(libemp_start(fixture->board, fixture->image, &bad), -EINVAL);
    assert_int_equal(libemp_start(fixture->board, NULL, &options), -EINVAL);
    assert_int_equal(libemp_start(fixture->board, fixture->image, NULL), -EINVAL);
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    libemp_request request;
    assert_int_equal(libemp_post_receive(fixture->board, 1, 0, NULL, 0, &request), 0);
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EBUSY);
    assert_int_equal(libemp_stop(fixture->board), 0);
    assert_int_equal(libemp_test(fixture->board, request, NULL), -EINVAL);
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
}

static void open__names(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_options open_options;
    struct libemp_board *board;
    libemp_options_defaults(&open_options);
    assert_int_equal(libemp_open(&board, "mock:0", &open_options), -ENXIO);
    open_options.board.backends = (const struct board_backend *const[]){&mock_backend, NULL};
    open_options.board.environment = fixture->mock;
    assert_int_equal(libemp_open(&board, "mock", &open_options), -EINVAL);
    assert_int_equal(libemp_open(&board, "mock:1", &open_options), -ENXIO);
    assert_int_equal(libemp_open(&board, "moc:0", &open_options), -ENXIO);
    assert_int_equal(libemp_open(&board, "mocks:0", &open_options), -ENXIO);
    assert_int_equal(libemp_open(NULL, "mock:0", &open_options), -EINVAL);
    assert_int_equal(libemp_open(&board, NULL, &open_options), -EINVAL);
    assert_int_equal(libemp_open(&board, "mock:0", NULL), -EINVAL);
}

static void attach__needs_running_firmware(void **state) {
    const struct fixture *fixture = *state;
    struct board_status status;
    assert_int_equal(libemp_attach(fixture->board), -ENODEV);
    assert_int_equal(board_status(libemp_hardware(fixture->board), &status), -ENODEV);
    assert_int_equal(board_link(libemp_hardware(fixture->board)), -ENODEV);
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    assert_int_equal(libemp_stop(fixture->board), 0);
    assert_int_equal(libemp_attach(fixture->board), -EIO); /* the processor is halted */
}

/* All ones is what a board that has died answers. */
static void attach__refuses_objects_outside_the_boards_memory(void **state) {
    const struct fixture *fixture = *state;
    static const uint32_t places[] = {UINT32_MAX, 0x1FFFFC, 0x200000, MOCK_PEERS + 2};
    static const uint32_t words[] = {BOARD_CONTROL_PARAMETERS_WORD, BOARD_CONTROL_COUNTERS_WORD,
                                     EMP_OBJECTS_AT / 4 + EMP_OBJECTS_DESCRIPTORS_WORD,
                                     EMP_OBJECTS_AT / 4 + EMP_OBJECTS_POSTING_RING_WORD,
                                     EMP_OBJECTS_AT / 4 + EMP_OBJECTS_PEERS_WORD};
    static const uint8_t address[6] = {0x02, 0x54, 0x47, 1, 2, 3};
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint32_t *word = &fixture->mock->sram[BOARD_CONTROL_ADDRESS / 4 + words[i]];
        const uint32_t right = *word;
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            *word = places[k];
            assert_int_equal(libemp_attach(fixture->board), -EIO);
            assert_non_null(strstr(libemp_message(fixture->board), "has no memory for them"));
            assert_int_equal(libemp_set_peer(fixture->board, 1, address), -ENODEV);
        }
        *word = right;
    }
    assert_int_equal(libemp_attach(fixture->board), 0);
}

/* What a BIOS or another driver may have left. */
static void start__needs_bus_mastering(void **state) {
    const struct fixture *fixture = *state;
    uint32_t *command = &fixture->mock->registers[REGISTER_PCI_COMMAND / 4];
    *command &= ~4U;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "bus mastering is off"));
    assert_int_equal(libemp_attach(fixture->board), -ENODEV);
    *command |= 4;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
}

static void start__uses_a_narrow_slot_as_one(void **state) {
    const struct fixture *fixture = *state;
    struct mock *mock = fixture->mock;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    assert_int_equal(mock->registers[REGISTER_PCI_STATE / 4] & BOARD_PCI_32_BIT, 0);
    mock->doubles = true;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    assert_int_equal(mock->registers[REGISTER_PCI_STATE / 4] & BOARD_PCI_32_BIT, BOARD_PCI_32_BIT);
    mock->stays_doubled = true;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "the slot has 32 bits"));
}

/* Each of them keeps transfers from happening, while registers and link work. */
static const struct {
    uint32_t offset, clear, set;
    const char *text;
} hindrances[] = {
    {REGISTER_PCI_COMMAND, 4, 0, "bus mastering is off"},
    {REGISTER_DMA_ASSIST, 0, 2, "transfers are paused"},
    {REGISTER_DMA_ASSIST, 1, 0, "transfers are paused"},
    {REGISTER_PCI_STATE, 1U << 25, 0, "has other bus commands"},
};

static void attach__needs_transfers(void **state) {
    const struct fixture *fixture = *state;
    struct mock *mock = fixture->mock;
    libemp_request request;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++) {
        uint32_t *word = &mock->registers[hindrances[i].offset / 4];
        const uint32_t right = *word;
        *word = (right & ~hindrances[i].clear) | hindrances[i].set;
        assert_int_equal(libemp_attach(fixture->board), -EIO);
        assert_non_null(strstr(libemp_message(fixture->board), hindrances[i].text));
        assert_int_equal(libemp_post_receive(fixture->board, 1, 0, NULL, 0, &request), -ENODEV);
        *word = right;
    }
    mock->pauses = 1; /* firmware repairs something */
    assert_int_equal(libemp_attach(fixture->board), 0);
}

static void wait__needs_transfers(void **state) {
    const struct fixture *fixture = *state;
    struct mock *mock = fixture->mock;
    libemp_request requests[2];
    size_t index;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(libemp_post_receive(fixture->board, 1, 0, NULL, 0, &requests[i]), 0);
    assert_int_equal(libemp_wait(fixture->board, requests[0], 200000000, NULL), -ETIMEDOUT);
    for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++) {
        uint32_t *word = &mock->registers[hindrances[i].offset / 4];
        const uint32_t right = *word;
        *word = (right & ~hindrances[i].clear) | hindrances[i].set;
        assert_int_equal(libemp_wait(fixture->board, requests[0], LIBEMP_FOREVER, NULL), -EIO);
        assert_non_null(strstr(libemp_message(fixture->board), hindrances[i].text));
        assert_int_equal(libemp_wait_any(fixture->board, requests, 2, LIBEMP_FOREVER, &index, NULL),
                         -EIO);
        assert_int_equal(libemp_wait_all(fixture->board, requests, 2, LIBEMP_FOREVER, NULL, NULL),
                         -EIO);
        *word = right;
    }
    assert_int_equal(libemp_wait(fixture->board, requests[0], 200000000, NULL), -ETIMEDOUT);
}

static void peers__are_written_and_read(void **state) {
    const struct fixture *fixture = *state;
    static const uint8_t address[6] = {0x02, 0x54, 0x47, 1, 2, 3};
    static const uint8_t group[6] = {0x03, 0x54, 0x47, 1, 2, 3};
    uint8_t read[6];
    assert_int_equal(libemp_set_peer(fixture->board, 1, address), -ENODEV);
    assert_int_equal(libemp_peer(fixture->board, 1, read), -ENODEV);
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    assert_int_equal(libemp_set_peer(fixture->board, 16, address), -EINVAL);
    assert_int_equal(libemp_set_peer(fixture->board, 15, NULL), -EINVAL);
    assert_int_equal(libemp_set_peer(fixture->board, 15, group), -EINVAL);
    assert_int_equal(libemp_peer(fixture->board, 15, read), -ENOENT);
    assert_int_equal(libemp_set_peer(fixture->board, 15, address), 0);
    assert_int_equal(fixture->mock->sram[MOCK_PEERS / 4 + 30], 0x0254);
    assert_int_equal(fixture->mock->sram[MOCK_PEERS / 4 + 31], 0x47010203);
    assert_int_equal(libemp_peer(fixture->board, 15, read), 0);
    assert_memory_equal(read, address, sizeof read);
    assert_int_equal(libemp_peer(fixture->board, 16, read), -EINVAL);
}

static void parameters_and_counters__by_name(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_parameter_information information;
    uint32_t value;
    assert_int_equal(libemp_start(fixture->board, fixture->image, &options), 0);
    const int collection = libemp_find_parameter("collection_size");
    const int node = libemp_find_parameter("node");
    assert_true(collection >= 0 && node >= 0);
    assert_int_equal(libemp_find_parameter("no_such"), -ENOENT);
    assert_true(libemp_parameter_information((size_t)collection, &information));
    assert_true(information.live);
    assert_int_equal(libemp_set_parameter(fixture->board, (size_t)collection, information.maximum),
                     0);
    assert_int_equal(fixture->mock->sram[MOCK_PARAMETERS / 4 + collection], information.maximum);
    assert_int_equal(libemp_parameter(fixture->board, (size_t)collection, &value), 0);
    assert_int_equal(value, information.maximum);
    assert_int_equal(
        libemp_set_parameter(fixture->board, (size_t)collection, information.maximum + 1), -ERANGE);
    assert_int_equal(
        libemp_set_parameter(fixture->board, (size_t)collection, information.minimum - 1), -ERANGE);
    assert_int_equal(libemp_set_parameter(fixture->board, (size_t)node, 1), -EROFS);
    assert_int_equal(libemp_set_parameter(fixture->board, 1000, 1), -EINVAL);
    assert_false(libemp_parameter_information(1000, &information));

    const int duplicates = libemp_find_counter("frames_duplicate");
    assert_true(duplicates >= 0);
    fixture->mock->sram[MOCK_COUNTERS / 4 + duplicates] = 17;
    assert_int_equal(libemp_counter(fixture->board, (size_t)duplicates, &value), 0);
    assert_int_equal(value, 17);
    assert_int_equal(libemp_counter(fixture->board, libemp_counter_count(), &value), -EINVAL);
    assert_null(libemp_counter_name(libemp_counter_count()));
    assert_int_equal(libemp_find_counter("no_such"), -ENOENT);
}

static void read_memory__borders(void **state) {
    const struct fixture *fixture = *state;
    uint32_t words[4];
    fixture->mock->sram[0x3FC / 4] = 1; /* last word of the alias */
    fixture->mock->sram[0x400 / 4] = 2; /* first beyond it */
    fixture->mock->sram[0x7FC / 4] = 3; /* last word of the window's first place */
    fixture->mock->sram[0x800 / 4] = 4;
    assert_int_equal(board_read_memory(libemp_hardware(fixture->board), 0x3FC, words, 2), 0);
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 2);
    assert_int_equal(board_read_memory(libemp_hardware(fixture->board), 0x7FC, words, 2), 0);
    assert_int_equal(words[0], 3);
    assert_int_equal(words[1], 4);
    assert_int_equal(board_read_memory(libemp_hardware(fixture->board), 2, words, 1), -EINVAL);
    assert_int_equal(board_read_memory(libemp_hardware(fixture->board), 0x200000, words, 1),
                     -EINVAL);
    assert_int_equal(board_read_memory(libemp_hardware(fixture->board), 0x1FFFFC, words, 2),
                     -EINVAL);
    assert_int_equal(board_read_memory(libemp_hardware(fixture->board), 0xFFFFFFFC, words, 2),
                     -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(start__loads_and_prepares),
        TEST(start__of_an_image_of_another_spec_leaves_the_board_alone),
        TEST(start__needs_single_words_and_a_clock),
        TEST(start__of_any_protocol_or_of_one),
        TEST(start__verify_finds_a_bad_word),
        TEST(start__tells_failures_apart),
        TEST(start__refuses_bad_arguments),
        TEST(open__names),
        TEST(attach__needs_running_firmware),
        TEST(attach__refuses_objects_outside_the_boards_memory),
        TEST(start__needs_bus_mastering),
        TEST(start__uses_a_narrow_slot_as_one),
        TEST(attach__needs_transfers),
        TEST(wait__needs_transfers),
        TEST(peers__are_written_and_read),
        TEST(parameters_and_counters__by_name),
        TEST(read_memory__borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
