/* SPDX-License-Identifier: MIT */
/* The text form of faults: every kind reads and prints back, every mistake is found where it is,
 * and no text at all upsets the reader. */
#include "tests/sim_faults/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/base/random.h"

static struct tigon_world *make_world(void) {
    struct tigon_world *world = tigon_world_create(NULL, 1);
    struct tigon_board *left = tigon_world_add_board(world);
    struct tigon_board *right = tigon_world_add_board(world);
    struct tigon_board *third = tigon_world_add_board(world);
    struct tigon_switch *box = tigon_world_add_switch(world, 4);
    assert_int_equal(tigon_board_set_name(left, "left"), 0);
    assert_int_equal(tigon_board_set_name(right, "right"), 0);
    assert_int_equal(tigon_switch_set_name(box, "hub"), 0);
    assert_non_null(tigon_world_connect(world, left, right));
    assert_non_null(tigon_world_connect_port(world, third, box, 2));
    return world;
}

static void print(const struct tigon_fault *fault, char text[256]) {
    const int length = tigon_fault_print(fault, text, 256);
    assert_int_equal(length, strlen(text));
}

/* Reads a line and prints the first fault it adds. */
static void round_trip(const char *line, const char *expected) {
    struct tigon_world *world = make_world();
    char message[512];
    char text[256];
    if (tigon_world_add_faults(world, line, "test", message, sizeof message) != 1)
        fail_msg("%s: %s", line, message);
    print(tigon_world_fault(world, 0, NULL), text);
    assert_string_equal(text, expected);
    assert_int_equal(tigon_world_add_faults(world, text, "again", message, sizeof message), 1);
    const size_t second = tigon_world_fault_count(world) - 1;
    print(tigon_world_fault(world, second, NULL), text);
    assert_string_equal(text, expected);
    tigon_world_destroy(world);
}

static void test_lines(void **state) {
    (void)state;
    static const char *const lines[][2] = {
        {"left->right: lose 1%", "left->right: lose 0.01"},
        {"left->right:lose", "left->right: lose"},
        {"  right -> left : lose frame 17  # comment", "right->left: lose frame 17"},
        {"left->right: lose frames 17 - 20 50%", "left->right: lose 0.5 frames 17-20"},
        {"left->right: lose at 3ms for 2 ms", "left->right: lose at 3ms for 2ms"},
        {"left->right: lose at 3ms until 5ms", "left->right: lose at 3ms for 2ms"},
        {"left->right: lose for 1.5us", "left->right: lose at 0ns for 1500ns"},
        {"left->right: lose in bursts enter 0.1% leave 20%",
         "left->right: lose in bursts enter 0.001 leave 0.2 losing 1"},
        {"left->right: lose in bursts losing 90% leave .5 enter 1%",
         "left->right: lose in bursts enter 0.01 leave 0.5 losing 0.9"},
        {"left->right: duplicate 0.00001", "left->right: duplicate 0.00001"},
        {"left->right: delay by 50us 5%", "left->right: delay by 50us 0.05"},
        {"left->right: reorder by 8 frame 3", "left->right: reorder by 8 frame 3"},
        {"left->right: corrupt 0.07", "left->right: corrupt 0.07"},
        {"left->right: corrupt silently 100%", "left->right: corrupt silently"},
        {"left->right: truncate to 40 frame 0x10", "left->right: truncate to 40 frame 16"},
        {"left->right: truncate 0.1%", "left->right: truncate 0.001"},
        {"left->right: lengthen to 9000 frame 3", "left->right: lengthen to 9000 frame 3"},
        {"left->right: lengthen 1%", "left->right: lengthen 0.01"},
        {"left->right: pause by 100us every 50us",
         "left->right: pause by 100us at 50us every 50us"},
        {"left->right: unplug every 10ms for 1ms until 1s",
         "left->right: unplug at 10ms every 10ms for 1ms until 1s"},
        {"left->right: unplug about every 10ms for 1ms",
         "left->right: unplug about every 10ms for 1ms"},
        {"board2->hub: lose 1%", "board2->hub: lose 0.01"},
        {"hub->*: duplicate", "hub->board2: duplicate"},
        {"left: fail dma read 1%", "left: fail dma read with 0x02000000 0.01"},
        {"left: fail dma write with 0x08000000 transfer 17",
         "left: fail dma write with 0x08000000 transfer 17"},
        {"left: hang dma write transfers 17-18", "left: hang dma write transfers 17-18"},
        {"left: flip bit 5 of 0x1234 at 88000 cycles", "left: flip bit 5 of 0x1234 at 1ms"},
        {"left: flip bit 5 of 4660 at 88001cycles", "left: flip bit 5 of 0x1234 at 88001cycles"},
        {"left: flip a bit about every 100us", "left: flip a bit in 0x0-0xFFFFF about every 100us"},
        {"left: flip a bit in 0x4000-0x7FFF at 1ms every 2ms",
         "left: flip a bit in 0x4000-0x7FFF at 1ms every 2ms"},
        {"left: hide event 15 of core A", "left: hide event 15 of core A"},
        {"left: hide event 31 of core B at 1ms for 2ms",
         "left: hide event 31 of core B at 1ms for 2ms"},
        {"left: jump timer by 3ms at 1s", "left: jump timer by 3ms at 1s"},
        {"left: jump timer back by 2147s every 1s",
         "left: jump timer back by 2147s at 1s every 1s"},
        {"left: reset at 7 ticks", "left: reset at 7ticks"},
        {"left: kill at 3.25ms", "left: kill at 3250us"},
        {"left: stop core B at 1s", "left: stop core B at 1s"},
        {"left: crash host at 10ms", "left: crash host at 10ms"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        round_trip(lines[i][0], lines[i][1]);
}

/* Both ways, and any. */
static void test_places(void **state) {
    (void)state;
    static const struct {
        const char *line;
        size_t faults;
    } lines[] = {{"left<->right: lose 1%", 2}, {"*->*: lose 1%", 4}, {"*<->left: lose 1%", 2},
                 {"hub<->*: lose 1%", 2},      {"*: kill at 1s", 3}, {"\n\n# nothing\n", 0}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct tigon_world *world = make_world();
        add_faults(world, lines[i].line);
        assert_int_equal(tigon_world_fault_count(world), lines[i].faults);
        tigon_world_destroy(world);
    }
}

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *line;
        const char *message;
    } lines[] = {
        {"left->right lose", "1:13: expected \":\", found \"lose\""},
        {"left: lose 1%",
         "1:7: expected what goes wrong on a board: fail, hang, hide, flip, jump, reset, "
         "kill, stop or crash, found \"lose\""},
        {"left->right: kill at 1ms",
         "1:14: expected what goes wrong on a wire: lose, duplicate, "
         "delay, reorder, corrupt, truncate, lengthen, pause or unplug, "
         "found \"kill\""},
        {"middle->right: lose",
         "1:1: no board or switch \"middle\"; there is left, right, board2, hub"},
        {"hub: kill at 1ms", "1:1: no board \"hub\"; there is left, right, board2"},
        {"left->hub: lose", "1:1: no wire goes from \"left\" to \"hub\""},
        {"left->right: lose 2", "1:19: expected a chance such as 1% or 0.01, found \"2\""},
        {"left->right: lose 1% 2%", "1:22: \"a chance\" is said twice"},
        {"left->right: lose 101%", "1:19: expected a chance such as 1% or 0.01, found \"101%\""},
        {"left->right: lose frame -1", "1:25: expected a running number, from 0, found \"-\""},
        {"left->right: lose frames 4-3", "1:29: the last number is below the first"},
        {"left->right: lose at 3", "1:22: expected a time such as 3ms (s, ms, us, ns, cycles), "
                                   "found \"3\""},
        {"left->right: lose at 3 weeks", "1:22: expected a time such as 3ms (s, ms, us, ns, "
                                         "cycles), found \"3\""},
        {"left->right: lose at 999999999999s", "1:22: a time of centuries"},
        {"left->right: lose at 3ms until 2ms", "1:35: \"until\" is not after \"at\""},
        {"left->right: lose every 3ms", "1:28: with \"every\" say \"for\" how long each time"},
        {"left->right: lose every 0ms for 1ms", "1:29: every needs a time above 0"},
        {"left->right: lose about 3ms", "1:25: expected a chance, a number or a time, found "
                                        "\"3ms\""},
        {"left->right: lose with 3", "1:19: \"with\" does not go with \"lose\""},
        {"left->right: lose transfer 3",
         "1:19: expected a chance, a number or a time, found \"transfer\""},
        {"left->right: delay 5%", "1:22: \"delay\" needs \"by\""},
        {"left->right: reorder by 0", "1:26: a frame is reordered by 1 or more"},
        {"left->right: truncate to 0", "1:27: a frame keeps 1 byte or more"},
        {"left->right: lengthen to 65536",
         "1:26: expected the bytes of the frame then, 1 to 65535, found \"65536\""},
        {"left->right: pause by 34ms at 1ms",
         "1:28: a PAUSE frame holds back for 65535 quanta of 512 ns, 33.5ms, at most"},
        {"left->right: pause by 1ms", "1:26: \"pause\" needs a time: at 3ms, every 10ms"},
        {"left: hide event 32 of core A",
         "1:18: expected the bit of an event word, 0 to 31, found \"32\""},
        {"left: jump timer by 999ns at 1ms",
         "1:27: the timer jumps by 1us to 2147s, half of its 32 bits"},
        {"left: jump timer at 1ms", "1:24: \"jump timer\" needs \"by\""},
        {"left->right: lose in", "1:21: expected \"bursts\", found the end of the line"},
        {"left->right: lose in bursts leave 1%", "1:37: \"lose in bursts\" needs \"enter\""},
        {"left: kill", "1:11: \"kill\" needs a time: at 3ms, every 10ms"},
        {"left: kill at 1ms for 2ms", "1:19: \"for\" does not go with \"kill\""},
        {"left: kill at 1ms until 2ms", "1:28: \"until\" needs \"every\""},
        {"left: stop core C at 1ms", "1:17: expected \"A\" or \"B\", found \"C\""},
        {"left: fail dma read with 1", "1:27: attention bits are those of 0xEF000000"},
        {"left: flip bit 8 of 0x1 at 1ms", "1:16: expected the bit of a byte, 0 to 7, found \"8\""},
        {"left: flip bit 1 of 0x800000 at 1ms",
         "1:21: expected an SRAM address such as 0x1234, found \"0x800000\""},
        {"left: flip a bit in 2-1 at 1ms", "1:25: the last address is below the first"},
        {"left: flip it at 1ms",
         "1:12: expected \"a bit\" or \"bit\" and its number, found \"it\""},
        {"left->", "1:7: expected the name of a board or switch, found the end of the line"},
        {": kill", "1:1: expected the name of a board, found \":\""},
        {"left", "1:5: expected \"->\", \"<->\" or \":\", found the end of the line"},
        {"left\x01", "1:5: expected \"->\", \"<->\" or \":\", found \"?\""},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct tigon_world *world = make_world();
        char message[512];
        assert_int_equal(tigon_world_add_faults(world, lines[i].line, "f", message, sizeof message),
                         -EINVAL);
        if (strncmp(message, "f:", 2) != 0 || strcmp(message + 2, lines[i].message) != 0)
            fail_msg("%s\n   gives    %s\n   expected f:%s", lines[i].line, message,
                     lines[i].message);
        assert_int_equal(tigon_world_fault_count(world), 0);
        tigon_world_destroy(world);
    }
}

/* Reports all mistakes of a text at once, and adds no fault of it. */
static void test_all_lines(void **state) {
    (void)state;
    struct tigon_world *world = make_world();
    char message[512];
    assert_int_equal(tigon_world_add_faults(world,
                                            "left->right: lose 1%\r\n"
                                            "left: sing\n"
                                            "\n"
                                            "right: kill at noon # the last\n",
                                            "song", message, sizeof message),
                     -EINVAL);
    assert_non_null(strstr(message, "song:2:7: expected what goes wrong on a board"));
    assert_non_null(strstr(message, "\nsong:4:16: expected a time"));
    assert_int_equal(tigon_world_fault_count(world), 0);
    assert_int_equal(tigon_world_add_faults(world, "left->right: lose 1%\r\nleft: kill at 1s",
                                            "song", message, sizeof message),
                     2);
    char tiny[8]; /* too small for any message */
    assert_int_equal(tigon_world_add_faults(world, "x\ny\nz", "song", tiny, sizeof tiny), -EINVAL);
    assert_int_equal(strlen(tiny), sizeof tiny - 1);
    tigon_world_destroy(world);
}

static void test_files(void **state) {
    (void)state;
    struct tigon_world *world = make_world();
    char message[256];
    char path[] = "/tmp/tigon_faults_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    static const char text[] = "left->right: lose 1%\nleft: kill at 1ms\0\n";
    assert_int_equal(write(descriptor, text, sizeof text - 1), sizeof text - 1);
    (void)close(descriptor);
    assert_int_equal(tigon_world_read_faults(world, path, message, sizeof message), -EINVAL);
    assert_non_null(strstr(message, ":2:18: expected"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("left->right: lose 1%\nleft: kill at 1ms", file);
    (void)fclose(file);
    assert_int_equal(tigon_world_read_faults(world, path, message, sizeof message), 2);
    (void)unlink(path);
    assert_int_equal(tigon_world_read_faults(world, path, message, sizeof message), -ENOENT);
    assert_non_null(strstr(message, path));
    tigon_world_destroy(world);
}

/* Words of the language in random order, and damaged lines: each is accepted or refused, and an
 * accepted line prints as a text that reads as the same. */
static void test_any_text(void **state) {
    (void)state;
    static const char *const words[] = {
        "left",     "right",     "hub",      "*",         "->",     "<->",    ":",       "lose",
        "in",       "bursts",    "enter",    "leave",     "losing", "delay",  "by",      "3",
        "0x10",     "1%",        "0.5",      "frame",     "to",     "frames", "-",       "at",
        "3ms",      "for",       "every",    "about",     "until",  "1s",     "unplug",  "flip",
        "a",        "bit",       "of",       "kill",      "reset",  "stop",   "core",    "A",
        "B",        "crash",     "host",     "dma",       "fail",   "hang",   "read",    "write",
        "with",     "#",         "reorder",  "0ns",       "%",      ".",      "corrupt", "silently",
        "truncate", "duplicate", "transfer", "transfers", "cycles"};
    struct tigon_world *world = make_world();
    unsigned taken = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        struct tigon_random random = tigon_random_for(7, 7, i);
        char line[256] = "";
        char message[256];
        static const char *const starts[] = {
            "left->right: lose", "left: flip a bit", "left: ", "hub->*: ", "left->right: ", ""};
        (void)snprintf(line, sizeof line, "%s", starts[tigon_random_below(&random, 6)]);
        for (uint64_t k = tigon_random_below(&random, 8); k; k--) {
            const size_t used = strlen(line);
            (void)snprintf(line + used, sizeof line - used, "%s%s",
                           tigon_random_below(&random, 8) ? " " : "",
                           words[tigon_random_below(&random, sizeof words / sizeof *words)]);
        }
        if (line[0] && tigon_random_below(&random, 4) == 0)
            line[tigon_random_below(&random, strlen(line))] =
                (char)(1 + tigon_random_below(&random, 255));
        const size_t before = tigon_world_fault_count(world);
        const int lines = tigon_world_add_faults(world, line, "any", message, sizeof message);
        if (lines < 0)
            assert_true(strlen(message) > 0 && tigon_world_fault_count(world) == before);
        if (tigon_world_fault_count(world) == before)
            continue;
        char first[256];
        char second[256];
        taken++;
        (void)tigon_fault_print(tigon_world_fault(world, before, NULL), first, sizeof first);
        assert_int_equal(tigon_world_add_faults(world, first, "any", message, sizeof message), 1);
        (void)tigon_fault_print(tigon_world_fault(world, tigon_world_fault_count(world) - 1, NULL),
                                second, sizeof second);
        assert_string_equal(first, second);
    }
    assert_in_range(taken, 200, 15000);
    tigon_world_destroy(world);
}

int fault_text_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),    cmocka_unit_test(test_places),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_all_lines),
        cmocka_unit_test(test_files),    cmocka_unit_test(test_any_text),
    };
    return cmocka_run_group_tests_name("fault text", tests, NULL, NULL);
}
