/* SPDX-License-Identifier: MIT */
/*
 * The debugger without GDB: packets as they come over the line, whole and broken, valid and not;
 * and whatever they say, no more happens than to a world without a debugger.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/cpu.h"
#include "sim/debug/debugger.h"
#include "sim/debug/packet.h"
#include "sim/time.h"

#define RUN_NS UINT64_C(200000)

/* --- a world: both cores of a board count and call */

static void load(struct tigon_board *board) {
    static const uint32_t words[] = {
        0x3C1D00C0, /* lui   $sp,0xC0 */
        0x27BD1000, /* addiu $sp,$sp,0x1000 */
        0x0C001006, /* jal   0x4018 */
        0x24840001, /* addiu $a0,$a0,1 (slot) */
        0x1000FFFD, /* b     0x4008 */
        0x00000000, /* nop */
        0x27BDFFE8, /* addiu $sp,$sp,-24 */
        0xAFBF0014, /* sw    $ra,20($sp) */
        0xAC048000, /* sw    $a0,-32768($zero): no such place, patched below */
        0x8FBF0014, /* lw    $ra,20($sp) */
        0x03E00008, /* jr    $ra */
        0x27BD0018, /* addiu $sp,$sp,24 */
    };
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        tigon_board_poke32(board, 0x4000 + 4 * i, words[i]);
    tigon_board_poke32(board, 0x4020, 0xAC047000); /* sw $a0,0x7000($zero) */
    for (unsigned core = 0; core < 2; core++)
        (void)tigon_cpu_start(tigon_board_cpu(board, core), 0x4000, 0);
}

static struct tigon_world *world_of(struct tigon_board **board) {
    struct tigon_world *world = tigon_world_create(NULL, 1);
    assert_non_null(world);
    *board = tigon_world_add_board(world);
    load(*board);
    return world;
}

struct outcome {
    uint64_t cycles[2];
    uint64_t instructions[2];
    uint32_t word;
};

static struct outcome outcome_of(struct tigon_board *board) {
    struct outcome outcome = {.word = tigon_board_peek32(board, 0x7000)};
    for (unsigned core = 0; core < 2; core++) {
        outcome.cycles[core] = tigon_board_cpu(board, core)->cycle;
        outcome.instructions[core] = tigon_board_cpu(board, core)->statistics.instructions;
    }
    return outcome;
}

/* Runs the world with a debugger that sends `bytes`; its replies go to `answers`, cut to its size,
 * unless that is NULL. */
static struct outcome debugged(const char *bytes, size_t length, char *answers, size_t size) {
    int ends[2], back[2];
    struct tigon_board *board;
    struct tigon_debugger *debugger;
    struct tigon_debugger_options options;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(pipe(back), 0);
    const pid_t other = fork(); /* who writes and reads without end */
    if (other == 0) {
        char text[4096];
        size_t kept = 0;
        ssize_t count;
        (void)close(ends[0]);
        const pid_t writer = fork();
        if (writer == 0) {
            for (size_t done = 0; done < length;) {
                count = send(ends[1], bytes + done, length - done, MSG_NOSIGNAL);
                if (count <= 0)
                    break;
                done += (size_t)count;
            }
            (void)shutdown(ends[1], SHUT_WR);
            _exit(0);
        }
        while ((count = recv(ends[1], text, sizeof text, 0)) > 0)
            if (kept + (size_t)count < size)
                kept += (size_t)write(back[1], text, (size_t)count);
        (void)waitpid(writer, NULL, 0);
        _exit(0);
    }
    (void)close(ends[1]);
    (void)close(back[1]);
    struct tigon_world *world = world_of(&board);
    tigon_debugger_options_defaults(&options);
    options.connection = ends[0];
    options.snapshot_limit = 0;
    assert_int_equal(tigon_debugger_open(&debugger, world, &options), 0);
    (void)tigon_world_run(world, RUN_NS);
    const struct outcome outcome = outcome_of(board);
    tigon_debugger_close(debugger, 0);
    tigon_world_destroy(world);
    size_t used = 0;
    ssize_t count;
    while (answers && used + 1 < size &&
           (count = read(back[0], answers + used, size - 1 - used)) > 0)
        used += (size_t)count;
    if (answers)
        answers[used] = 0;
    (void)close(back[0]);
    (void)waitpid(other, NULL, 0);
    return outcome;
}

static struct outcome alone(void) {
    struct tigon_board *board;
    struct tigon_world *world = world_of(&board);
    (void)tigon_world_run(world, RUN_NS);
    const struct outcome outcome = outcome_of(board);
    tigon_world_destroy(world);
    return outcome;
}

/* --- packets */

struct line {
    char *bytes;
    size_t length, size;
};

static void put(struct line *line, const char *bytes, size_t length) {
    if (length == 0)
        return;
    if (line->length + length > line->size) {
        line->size = 2 * (line->length + length);
        line->bytes = realloc(line->bytes, line->size);
        assert_non_null(line->bytes);
    }
    memcpy(line->bytes + line->length, bytes, length);
    line->length += length;
}

/* In front of it the acknowledgement of the last answer. */
static void put_packet_of(struct line *line, const char *text, size_t length) {
    char end[8];
    unsigned sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (unsigned char)text[i];
    (void)snprintf(end, sizeof end, "#%02x", sum & 0xFF);
    put(line, "+$", 2);
    put(line, text, length);
    put(line, end, 3);
}

static void put_packet(struct line *line, const char *text) {
    put_packet_of(line, text, strlen(text));
}

static const char *const packets[] = {
    "qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+",
    "?",
    "g",
    "p1d",
    "p25",
    "p49",
    "P4=00000005",
    "m4000,10",
    "mffffffffc0000060,4",
    "M7100,4:01020304",
    "X7100,2:ab",
    "Z0,4018,4",
    "Z1,4024,4",
    "Z2,7000,4",
    "Z3,7000,4",
    "Z4,ffffffffc0000060,4",
    "z0,4018,4",
    "Hg1",
    "Hg2",
    "Hc-1",
    "T1",
    "T2",
    "vCont?",
    "vCont;s:1",
    "vCont;s:2;c",
    "vCont;r4008,4014:1;c",
    "vCont;c",
    "s",
    "c",
    "bs",
    "bc",
    "qC",
    "qfThreadInfo",
    "qsThreadInfo",
    "qThreadExtraInfo,2",
    "qXfer:features:read:target.xml:0,fff",
    "qXfer:threads:read::0,fff",
    "qXfer:memory-map:read::10,20",
    "qXfer:nothing:read::0,10",
    "qRcmd,74696d65",         /* time */
    "qRcmd,736e617073686f74", /* snapshot */
    "qRcmd,726567697374657273206576656e74",
    "qAttached",
    "QStartNoAckMode",
    "vMustReplyEmpty",
    "G",
    "qSymbol::",
};

static void a_session(void **state) {
    (void)state;
    struct line line = {0};
    char *answers = calloc(1, 1 << 20);
    static const char *const session[] = {
        "qSupported:swbreak+;hwbreak+",
        "?",
        "Z0,4018,4",
        "vCont;c",
        "p4",
        "Z2,7000,4",
        "z0,4018,4",
        "vCont;c",
        "m7000,4",
        "vCont;s:1",
        "vCont;s:1",
        "m7000,4",
        "qfThreadInfo",
        "bs",
        "D",
    };
    for (size_t i = 0; i < sizeof session / sizeof *session; i++)
        put_packet(&line, session[i]);
    put(&line, "+", 1);
    const struct outcome with = debugged(line.bytes, line.length, answers, 1 << 20);
    const struct outcome without = alone();
    assert_memory_equal(&with, &without, sizeof with);
    assert_non_null(strstr(answers, "T05thread:1;1d:00c01000;25:00004018;swbreak:;"));
    assert_non_null(strstr(answers, "watch:7000;"));
    assert_non_null(strstr(answers, "$00000000#"));
    assert_non_null(strstr(answers, "$m1,2#"));
    assert_non_null(strstr(answers, "$E06#")); /* no history: it cannot go back */
    free(answers);
    free(line.bytes);
}

/* The other side may want to stop a running world; that loses no data either. */
static void an_interrupt(void **state) {
    (void)state;
    struct line line = {0};
    char *answers = calloc(1, 1 << 16);
    put_packet(&line, "vCont;c");
    put(&line, "\x03", 1);
    put_packet(&line, "p25");
    put_packet(&line, "D");
    put(&line, "+", 1);
    const struct outcome with = debugged(line.bytes, line.length, answers, 1 << 16);
    const struct outcome without = alone();
    assert_memory_equal(&with, &without, sizeof with);
    assert_non_null(strstr(answers, "$T02thread:"));
    assert_non_null(strstr(answers, "$OK#"));
    free(answers);
    free(line.bytes);
}

/* Packets that only look leave no trace, in whatever state they come. */
static void looking_changes_nothing(void **state) {
    (void)state;
    const struct outcome without = alone();
    struct line line = {0};
    for (unsigned round = 0; round < 40; round++)
        for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
            if (!strchr("PMXG", packets[i][0]) && strcmp(packets[i], "QStartNoAckMode") != 0)
                put_packet(&line, packets[i]);
    const struct outcome with = debugged(line.bytes, line.length, NULL, 0);
    assert_memory_equal(&with, &without, sizeof with);
    free(line.bytes);
}

/* A sequence of its own: the tries do not depend on the machine. */
static uint32_t draw(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void mutate(char *text, size_t *length, size_t size, uint64_t *seed) {
    for (uint32_t i = draw(seed) % 4; i > 0 && *length > 0; i--) {
        const size_t at = draw(seed) % *length;
        switch (draw(seed) % 5) {
        case 0:
            text[at] = (char)draw(seed);
            break;
        case 1:
            text[at] = "0123456789abcdef,;:=-"[draw(seed) % 21];
            break;
        case 2: /* cut */
            *length = at;
            break;
        case 3: /* a piece once more */
            if (*length + (*length - at) < size) {
                memcpy(text + *length, text + at, *length - at);
                *length += *length - at;
            }
            break;
        default: /* a number that leaves its range */
            if (at + 9 < *length)
                memset(text + at, 'f', 8);
            break;
        }
    }
}

static void broken_packets_do_no_harm(void **state) {
    (void)state;
    const char *wanted = getenv("DEBUG_FUZZ");
    const unsigned rounds = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 60;
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t seed = round;
        struct line line = {0};
        for (unsigned i = 0; i < 120; i++) {
            char text[256];
            const char *from = packets[draw(&seed) % (sizeof packets / sizeof *packets)];
            size_t length = strlen(from);
            (void)snprintf(text, sizeof text, "%s", from);
            mutate(text, &length, sizeof text, &seed);
            const uint32_t how = draw(&seed) % 16;
            if (how == 0) /* noise between packets, and a wrong sum */
                put(&line, text, length);
            else if (how == 1)
                put(&line, "\x03$#00}", 6);
            else
                put_packet_of(&line, text, length);
        }
        if (round % 8 == 0) { /* longer than any packet may be */
            char *much = malloc(40000);
            assert_non_null(much);
            memset(much, 'f', 40000);
            for (size_t i = 0; i < 8; i++)
                much[i] = "M7100,4:"[i];
            put_packet_of(&line, much, 40000);
            free(much);
        }
        (void)debugged(line.bytes, line.length, NULL, 0);
        free(line.bytes);
    }
}

static void packets_are_escaped_and_sent_again(void **state) {
    (void)state;
    int ends[2];
    char text[64], got[64];
    size_t length;
    struct packet_stream stream;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    packet_open(&stream, ends[0]);
    assert_int_equal(write(ends[1], "-+", 2), 2);
    assert_true(packet_send(&stream, "a$}#*b", 6));
    const ssize_t count = read(ends[1], got, sizeof got);
    assert_int_equal(count, 28);
    assert_memory_equal(got, "$a}\x04}]}\x03}\x0A", 10);
    assert_memory_equal(got, got + 14, 14);
    assert_int_equal(write(ends[1], "$zz$x}]y#00$x}]y#cb\x03", 20), 20);
    assert_int_equal(packet_receive(&stream, true, text, sizeof text, &length), PACKET_ARRIVED);
    assert_int_equal(length, 3);
    assert_string_equal(text, "x}y");
    assert_int_equal(packet_receive(&stream, true, text, sizeof text, &length), PACKET_INTERRUPT);
    assert_int_equal(packet_receive(&stream, false, text, sizeof text, &length), PACKET_NOTHING);
    assert_int_equal(read(ends[1], got, sizeof got), 2);
    assert_memory_equal(got, "-+", 2);
    (void)close(ends[1]);
    assert_int_equal(packet_receive(&stream, false, text, sizeof text, &length), PACKET_CLOSED);
    packet_close(&stream);
}

static void numbers_and_bytes(void **state) {
    (void)state;
    unsigned long long number;
    unsigned char bytes[4];
    char text[9];
    const char *at = "ffffffffc0000060,";
    assert_true(packet_parse_number(&at, &number));
    assert_true(number == 0xFFFFFFFFC0000060ull && *at == ',');
    at = "00000000000000001";
    assert_false(packet_parse_number(&at, &number));
    at = ",";
    assert_false(packet_parse_number(&at, &number));
    assert_int_equal(packet_parse_bytes("01ffA", bytes, 4), 2);
    assert_int_equal(bytes[1], 0xFF);
    packet_format_bytes("\x01\xFE", 2, text);
    assert_string_equal(text, "01fe");
}

static void impossible_options(void **state) {
    (void)state;
    struct tigon_board *board;
    struct tigon_debugger *debugger = NULL;
    struct tigon_debugger_options options;
    struct tigon_world *world = world_of(&board);
    static const char *const addresses[] = {"", "x", "70000", "12x", ":", "nohost.invalid:1:2"};
    tigon_debugger_options_defaults(&options);
    options.snapshot_limit = 0;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        options.address = addresses[i];
        assert_int_equal(tigon_debugger_open(&debugger, world, &options), -22);
    }
    options.address = NULL;
    options.board = 1;
    assert_int_equal(tigon_debugger_open(&debugger, world, &options), -22);
    tigon_debugger_close(NULL, 0);
    tigon_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_escaped_and_sent_again),
        cmocka_unit_test(numbers_and_bytes),
        cmocka_unit_test(impossible_options),
        cmocka_unit_test(a_session),
        cmocka_unit_test(an_interrupt),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(broken_packets_do_no_harm),
    };
    return cmocka_run_group_tests_name("debugger", tests, NULL, NULL);
}
