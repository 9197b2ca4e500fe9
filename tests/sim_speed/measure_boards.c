/* SPDX-License-Identifier: MIT */
/*
 * How much simulated time a second of processor time buys. Not a test: prints figures.
 *
 *   measure_boards busy|ping-pong|both [SECONDS]
 *
 * Both are two boards on a clean wire, EMP on core A of each, programs over libemp on both hosts.
 *
 * busy: every core executes all the time. The boards send each other messages of 64 kB without a
 * pause, three under way each way; core B of each board runs a checksum over 4 kB of SRAM that
 * never ends (as many SRAM accesses among its instructions as the firmware on core A makes); idle
 * parking is off, so a core A that waits executes its event loop.
 *
 * ping-pong: one message of 4 bytes goes to and fro, core B is halted, idle parking is on.
 *
 * The clock starts when the links are up and the transfers are under way, and is the processor time
 * of this process in user mode: what other work the machine has does not count. SECONDS (0.1) is
 * simulated time; the figure is the best of RUNS stretches of it in one world, since what disturbs
 * only ever makes one slower. The median beside it tells how much was disturbed.
 */
#include "host/demo/pair.h"
#include "tests/sim_cpu/assemble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    RUNS = 25,
    UNDER_WAY = 3,
    AHEAD = 6, /* receives posted */
    MESSAGE = 65536,
    TAG = 5,
    B_STATE = 0x240,
    B_COUNTER = 0x244,
    B_ADDRESS = 0x254,
    B_DATA = 0x258,
    B_PROGRAM = 0x00C00000
};

struct stretch {
    double simulated, processor; /* seconds */
    uint64_t instructions[2][2]; /* by board and core */
    uint64_t cycles[2][2];
    uint64_t parked[2][2];
};

struct measurement {
    const char *name;
    size_t bytes; /* of a message */
    size_t under_way;
    bool core_b;
    uint64_t stretch_ps;
    struct pair pair;
    bool over;
    unsigned stretches;
    struct stretch stretch[RUNS];
    struct stretch begin;
    uint64_t next_ps;
    uint64_t messages; /* by the left side */
};

static double processor_seconds(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static struct stretch look(const struct pair_side *side) {
    struct stretch now = {.simulated = 1e-12 * (double)tigon_host_now_ps(side->host),
                          .processor = processor_seconds()};
    for (unsigned board = 0; board < 2; board++) {
        struct tigon_statistics statistics;
        tigon_board_statistics(side->pair->side[board].hardware, &statistics);
        for (unsigned core = 0; core < 2; core++) {
            now.instructions[board][core] = statistics.core[core].instructions;
            now.cycles[board][core] = statistics.core[core].cycles;
            now.parked[board][core] = statistics.core[core].parked_cycles;
        }
    }
    return now;
}

static struct stretch difference(const struct stretch *now, const struct stretch *before) {
    struct stretch d = {.simulated = now->simulated - before->simulated,
                        .processor = now->processor - before->processor};
    for (unsigned board = 0; board < 2; board++)
        for (unsigned core = 0; core < 2; core++) {
            d.instructions[board][core] =
                now->instructions[board][core] - before->instructions[board][core];
            d.cycles[board][core] = now->cycles[board][core] - before->cycles[board][core];
            d.parked[board][core] = now->parked[board][core] - before->parked[board][core];
        }
    return d;
}

/* Called by the left side between two messages. The first stretch is warming up. */
static void clock_tick(struct pair_side *side, struct measurement *m) {
    const uint64_t now = tigon_host_now_ps(side->host);
    if (now < m->next_ps)
        return;
    if (m->next_ps != 0) {
        const struct stretch at = look(side);
        if (m->begin.processor != 0) {
            m->stretch[m->stretches] = difference(&at, &m->begin);
            m->stretches++;
        }
        m->begin = look(side);
    }
    m->next_ps = now + m->stretch_ps;
    m->over = m->stretches == RUNS;
}

/* Fletcher's checksum of SRAM 0x10000 .. 0x10FFF (the image), again and again, the sums in
 * scratchpad. One SRAM access in 13 instructions, as in the firmware on core A. */
static void start_core_b(struct tigon_host *host) {
    const uint32_t program[] = {LUI(A1, 0x00C0),
                                /* pass */ LUI(A0, 0x0001),
                                ADDIU(T4, A0, 0x1000),
                                /* word */ LW(T0, 0, A0),
                                SRL(T1, T0, 16),
                                ANDI(T2, T0, 0xFFFF),
                                ADDU(S1, S1, T1),
                                ADDU(S2, S2, S1),
                                ADDU(S1, S1, T2),
                                ADDU(S2, S2, S1),
                                ANDI(T1, S1, 0xFFFF),
                                SRL(S1, S1, 16),
                                ADDU(S1, S1, T1),
                                ADDIU(A0, A0, 4),
                                BNE(A0, T4, -12),
                                SW(S1, 0x1000, A1),
                                /* next pass */ LW(T0, 0x1004, A1),
                                ADDIU(T0, T0, 1),
                                SW(S2, 0x1008, A1),
                                BEQ(ZERO, ZERO, -19),
                                SW(T0, 0x1004, A1)};
    for (size_t i = 0; i < sizeof program / sizeof program[0]; i++) {
        tigon_host_write32(host, B_ADDRESS, B_PROGRAM + 4u * (uint32_t)i);
        tigon_host_write32(host, B_DATA, program[i]);
    }
    tigon_host_write32(host, B_COUNTER, B_PROGRAM);
    tigon_host_write32(host, B_STATE, 0);
}

static int make_piece(struct pair_side *side, size_t bytes, struct libemp_piece *piece) {
    void *memory = libemp_allocate(side->board, bytes);
    *piece = (struct libemp_piece){.length = bytes};
    if (!memory)
        return -ENOMEM;
    return libemp_register(side->board, memory, bytes, &piece->memory);
}

/* Both sides. Each keeps receives posted and sends under way; with one under way the left side
 * begins, and each waits for the other's message before it sends again: a ping-pong. */
static int exchange(struct pair_side *side, void *argument) {
    struct measurement *m = argument;
    libemp_request in[AHEAD], out[UNDER_WAY];
    struct libemp_piece received, sent;
    const bool left = side->index == 0;
    int error = make_piece(side, m->bytes, &received);
    if (!error)
        error = make_piece(side, m->bytes, &sent);
    if (!error && m->core_b)
        start_core_b(side->host);
    const size_t under_way = m->under_way ? m->under_way : 1;
    for (size_t i = 0; i < AHEAD && !error; i++)
        error = libemp_post_receive(side->board, side->peer, TAG, &received, 1, &in[i]);
    /* The left side is the clock; the right one reads `over` at its next message. */
    for (size_t i = 0; !error; i++) {
        const bool answers = under_way == 1 && !left;
        if (i >= under_way && !(under_way == 1 && left && i == 0))
            error = libemp_wait(side->board, out[i % under_way], LIBEMP_FOREVER, NULL);
        if (!error && (answers || i >= under_way)) {
            const size_t at = answers ? i : i - under_way;
            error = libemp_wait(side->board, in[at % AHEAD], LIBEMP_FOREVER, NULL);
            if (!error)
                error = libemp_post_receive(side->board, side->peer, TAG, &received, 1,
                                            &in[at % AHEAD]);
        }
        if (left && !error) {
            clock_tick(side, m);
            m->messages = i;
        }
        if (m->over)
            return error; /* messages in flight do not matter any more */
        if (!error)
            error = libemp_post_send(side->board, side->peer, TAG, &sent, 1, &out[i % under_way]);
    }
    return error ? pair_fail(side, error, NULL) : 0;
}

/* The world ends by the clock, whatever the programs wait for. */
static int left_side(struct pair_side *side, void *argument) {
    const int error = exchange(side, argument);
    tigon_world_stop(side->pair->world);
    return error;
}

static double speed(const struct stretch *stretch) {
    return stretch->simulated / stretch->processor;
}

static int faster_first(const void *one, const void *other) {
    const double a = speed(one), b = speed(other);
    return (a < b) - (a > b);
}

static void print(struct measurement *m) {
    const struct stretch *const best = &m->stretch[0];
    qsort(m->stretch, m->stretches, sizeof m->stretch[0], faster_first);
    uint64_t instructions = 0;
    for (unsigned board = 0; board < 2; board++)
        for (unsigned core = 0; core < 2; core++)
            instructions += best->instructions[board][core];
    printf("%-10s %6.2f simulated s per processor s (median %.2f)   %4.0f M instructions/s\n",
           m->name, speed(best), speed(&m->stretch[m->stretches / 2]),
           1e-6 * (double)instructions / best->processor);
    for (unsigned board = 0; board < 2; board++)
        for (unsigned core = 0; core < 2; core++)
            if (best->cycles[board][core] != 0)
                printf(
                    "           board %u core %c: %5.1f M instructions, %4.1f %% of %.1f M cycles "
                    "parked\n",
                    board, 'A' + (int)core, 1e-6 * (double)best->instructions[board][core],
                    100 * (double)best->parked[board][core] / (double)best->cycles[board][core],
                    1e-6 * (double)best->cycles[board][core]);
}

static int measure(struct measurement *m, bool parking) {
    struct pair_options options;
    pair_options_defaults(&options);
    options.knobs.idle_parking = parking;
    if (pair_open(&m->pair, &options) == 0)
        (void)pair_run(&m->pair, left_side, m, exchange, m, UINT64_C(60000000000));
    if (m->over)
        print(m);
    else
        pair_complain(&m->pair, stderr);
    pair_close(&m->pair);
    return m->over ? 0 : 1;
}

int main(int count, char **arguments) {
    const char *which = count > 1 ? arguments[1] : "both";
    const double seconds = count > 2 ? atof(arguments[2]) : 0.1;
    const uint64_t stretch = (uint64_t)(seconds * 1e12);
    int status = 2;
    puts(
        "Two boards on a clean wire, EMP on core A of each; processor time of this process in user "
        "mode,\nbest of 25 stretches after warming up. Targets: busy 0.70, ping-pong 3.00.\n"
        "  busy:      64 kB messages both ways without a pause, a checksum over SRAM on core B, no "
        "parking:\n             all four cores execute instructions all the time\n"
        "  ping-pong: one message of 4 bytes to and fro, cores that poll are parked");
    if (strcmp(which, "busy") == 0 || strcmp(which, "both") == 0) {
        static struct measurement busy = {
            .name = "busy", .bytes = MESSAGE, .under_way = UNDER_WAY, .core_b = true};
        busy.stretch_ps = stretch;
        status = measure(&busy, false);
    }
    if (strcmp(which, "ping-pong") == 0 || (strcmp(which, "both") == 0 && status == 0)) {
        static struct measurement ping_pong = {.name = "ping-pong", .bytes = 4, .under_way = 1};
        ping_pong.stretch_ps = stretch;
        status = measure(&ping_pong, true);
    }
    if (status == 2)
        fputs("usage: measure_boards busy|ping-pong|both [SECONDS]\n", stderr);
    return status;
}
