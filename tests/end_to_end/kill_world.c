/* SPDX-License-Identifier: MIT */
#include "tests/end_to_end/kill_world.h"

#include "host/demo/pair.h"
#include "sim/base/random.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 10, AHEAD = 3, BYTES = 5000, AREA = 8192 };

#define PATIENCE_NS UINT64_C(30000000)  /* of a program for one message */
#define LIMIT_NS    UINT64_C(400000000) /* of a world */

const char *kill_kind_name(enum kill_kind kind) {
    static const char *const names[KILL_KINDS] = {
        "board killed",    "board reset", "host crashed", "core stopped",      "DMA fails",
        "DMA often fails", "DMA hangs",   "bit flipped",  "many bits flipped", "cable pulled",
        "event hidden",    "event lost",  "timer jumps"};
    return kind < KILL_KINDS ? names[kind] : "?";
}

const char *kill_outcome_name(enum kill_outcome outcome) {
    static const char *const names[KILL_OUTCOMES] = {"unharmed",   "error",      "timed out",
                                                     "wrong data", "core fault", "waiting",
                                                     "asleep",     "UNEXPLAINED"};
    return outcome < KILL_OUTCOMES ? names[outcome] : "?";
}

/* -------------------------------------------------------------------------------------------------
 * The programs: messages both ways, each compared */

struct slot {
    uint8_t *area;
    struct libemp_memory *memory;
    libemp_request request;
};

static uint8_t content(unsigned sender, size_t message, size_t offset) {
    const uint32_t mixed = (uint32_t)offset * 0x9E3779B1U + (uint32_t)message * 7919U + sender;
    return (uint8_t)(mixed ^ mixed >> 13);
}

static size_t length_of(size_t message) {
    static const size_t lengths[] = {4, 1500, 0, BYTES, 64, 2950};
    return lengths[message % (sizeof lengths / sizeof *lengths)];
}

static int prepare(struct pair_side *side, struct slot *slots) {
    for (size_t i = 0; i < AHEAD; i++) {
        slots[i].area = libemp_allocate(side->board, AREA);
        const int error = slots[i].area
                              ? libemp_register(side->board, slots[i].area, AREA, &slots[i].memory)
                              : -ENOMEM;
        if (error)
            return error;
    }
    return 0;
}

static int post(struct pair_side *side, struct slot *slot, size_t message, bool send) {
    const struct libemp_piece piece = {slot->memory, 0, send ? length_of(message) : BYTES};
    for (size_t i = 0; send && i < piece.length; i++)
        slot->area[i] = content(side->index, message, i);
    if (!send)
        memset(slot->area, 0xEE, BYTES);
    return (send ? libemp_post_send : libemp_post_receive)(side->board, side->peer, 1, &piece, 1,
                                                           &slot->request);
}

static int check(struct pair_side *side, const struct slot *slot, size_t message, size_t length) {
    bool equal = length == length_of(message);
    for (size_t i = 0; equal && i < BYTES; i++)
        equal = slot->area[i] == (i < length ? content(side->peer, message, i) : 0xEE);
    return equal ? 0 : pair_fail(side, -EBADMSG, "what arrived is not what was sent");
}

static int exchange(struct pair_side *side, void *argument) {
    struct slot sends[AHEAD];
    struct slot receives[AHEAD];
    uint64_t *end_ns = argument;
    int error = prepare(side, sends);
    if (!error)
        error = prepare(side, receives);
    for (size_t i = 0; !error && i < AHEAD; i++)
        error = post(side, &receives[i], i, false);
    for (size_t i = 0; !error && i < AHEAD; i++)
        error = post(side, &sends[i], i, true);
    for (size_t i = 0; !error && i < MESSAGES; i++) {
        struct slot *receive = &receives[i % AHEAD];
        struct slot *send = &sends[i % AHEAD];
        struct libemp_completion completion = {0};
        error = libemp_wait(side->board, receive->request, PATIENCE_NS, &completion);
        if (!error)
            error = check(side, receive, i, completion.length);
        if (error == -EBADMSG)
            return error;
        if (!error && i + AHEAD < MESSAGES)
            error = post(side, receive, i + AHEAD, false);
        if (!error)
            error = libemp_wait(side->board, send->request, PATIENCE_NS, NULL);
        if (!error && i + AHEAD < MESSAGES)
            error = post(side, send, i + AHEAD, true);
    }
    *end_ns = tigon_host_now_ns(side->host);
    return error ? pair_fail(side, error, NULL) : 0;
}

/* -------------------------------------------------------------------------------------------------
 * The fault */

/* When the link is up and the programs are done in a world without fault: the same each time. */
static struct {
    uint64_t link_ns;
    uint64_t end_ns;
} clean;

static void measure_clean(void) {
    struct pair_options options;
    struct pair pair;
    uint64_t end_ns[2] = {0, 0};
    if (clean.end_ns)
        return;
    pair_options_defaults(&options);
    int error = pair_open(&pair, &options);
    if (!error)
        error = pair_run(&pair, exchange, &end_ns[0], exchange, &end_ns[1], LIMIT_NS);
    if (error)
        pair_complain(&pair, stderr);
    clean.link_ns = pair.side[0].link_ns;
    clean.end_ns = end_ns[end_ns[1] > end_ns[0]];
    pair_close(&pair);
}

/* One time in three while the boards start, else during the exchange. */
static uint64_t choose_cycle(struct tigon_random *random) {
    const bool start = tigon_random_below(random, 3) == 0;
    const uint64_t from = start ? 0 : clean.link_ns;
    const uint64_t to = start ? clean.link_ns : clean.end_ns;
    return (from + tigon_random_below(random, to - from)) * 88 / 1000 +
           tigon_random_below(random, 88);
}

static void choose_fault(struct tigon_random *random, struct kill *kill) {
    const char *side = tigon_random_below(random, 2) ? "right" : "left";
    const char *engine = tigon_random_below(random, 2) ? "write" : "read";
    const uint64_t cycle = choose_cycle(random);
    const uint64_t number = tigon_random_below(random, 60);
    /* Those that firmware lives on (tigon2.md 4). */
    static const unsigned events[] = {6, 12, 13, 14, 15, 22, 25, 28};
    char *text = kill->fault;
    const size_t bytes = sizeof kill->fault;
    switch (kill->kind) {
    case KILL_BOARD:
        (void)snprintf(text, bytes, "%s: kill at %" PRIu64 "cycles", side, cycle);
        break;
    case KILL_RESET:
        (void)snprintf(text, bytes, "%s: reset at %" PRIu64 "cycles", side, cycle);
        break;
    case KILL_HOST:
        (void)snprintf(text, bytes, "%s: crash host at %" PRIu64 "cycles", side, cycle);
        break;
    case KILL_CORE:
        (void)snprintf(text, bytes, "%s: stop core A at %" PRIu64 "cycles", side, cycle);
        break;
    case KILL_DMA_FAILS:
        (void)snprintf(text, bytes, "%s: fail dma %s transfer %" PRIu64, side, engine, number);
        break;
    case KILL_DMA_OFTEN_FAILS:
        (void)snprintf(text, bytes, "%s: fail dma %s with 0x08000000 %" PRIu64 "%%", side, engine,
                       1 + number / 3);
        break;
    case KILL_DMA_HANGS:
        (void)snprintf(text, bytes, "%s: hang dma %s transfer %" PRIu64, side, engine, number);
        break;
    case KILL_BIT: /* in what the firmware is and knows, else nothing much happens */
        (void)snprintf(text, bytes, "%s: flip a bit in 0x1000-0x1FFFF at %" PRIu64 "cycles", side,
                       cycle);
        break;
    case KILL_BITS:
        (void)snprintf(text, bytes,
                       "%s: flip a bit in 0x1000-0x1FFFF at %" PRIu64
                       "cycles about every 5us until 1s",
                       side, cycle);
        break;
    case KILL_EVENT:
    case KILL_EVENT_FOR_GOOD:
        (void)snprintf(text, bytes, "%s: hide event %u of core A at %" PRIu64 "cycles", side,
                       events[number % (sizeof events / sizeof *events)], cycle);
        if (kill->kind == KILL_EVENT)
            (void)snprintf(text + strlen(text), bytes - strlen(text), " for %" PRIu64 "us",
                           1 + number * number);
        break;
    case KILL_TIMER:
        (void)snprintf(text, bytes, "%s: jump timer%s by %" PRIu64 "us at %" PRIu64 "cycles", side,
                       number & 1 ? " back" : "", 1 + number * number * number, cycle);
        break;
    default:
        (void)snprintf(text, bytes, "left->right: unplug at %" PRIu64 "cycles", cycle);
        break;
    }
}

/* ------------------------------------------------------------------------------------------------
 * The outcome */

/* Wrong data is no surprise when memory is wrong. From all else it must be safe. */
static enum kill_outcome of_error(const struct pair *pair, enum kill_kind kind, int error) {
    if (error == -EBADMSG)
        return kind == KILL_BIT || kind == KILL_BITS ? KILL_DATA : KILL_UNEXPLAINED;
    for (unsigned i = 0; i < 2; i++)
        if (pair->side[i].returned && pair->side[i].result < 0 && !pair->side[i].message[0])
            return KILL_UNEXPLAINED; /* it gives no reason */
    return error == -ETIMEDOUT ? KILL_TIMEOUT : KILL_PROGRAM;
}

/* Every program that is not over is in the report, with what it does. */
static bool names_waiting(const struct pair *pair, const char *report) {
    for (unsigned i = 0; i < 2; i++) {
        char line[64];
        const bool crashed = tigon_host_crashed(pair->side[i].host);
        (void)snprintf(line, sizeof line, "program \"%s\" %s ", i ? "right" : "left",
                       crashed ? "was" : "is");
        if (!tigon_host_finished(pair->side[i].host, 0, NULL) && !strstr(report, line))
            return false;
    }
    return true;
}

static enum kill_outcome classify(const struct pair *pair, enum kill_kind kind, int error,
                                  const char *report) {
    for (unsigned i = 0; i < 2; i++)
        if (pair->side[i].returned && pair->side[i].result < 0)
            return of_error(pair, kind, error);
    switch (pair->end) {
    case TIGON_END_FINISHED:
        /* What a crashed host had to do is not done. */
        for (unsigned i = 0; i < 2; i++)
            if (tigon_host_crashed(pair->side[i].host) && !pair->side[i].returned)
                return names_waiting(pair, report) ? KILL_WAITING : KILL_UNEXPLAINED;
        return KILL_UNHARMED;
    case TIGON_END_FAULT:
        return strstr(report, ": pc ") ? KILL_FAULT : KILL_UNEXPLAINED;
    case TIGON_END_TIME_LIMIT:
        return names_waiting(pair, report) ? KILL_WAITING : KILL_UNEXPLAINED;
    case TIGON_END_ASLEEP:
        return names_waiting(pair, report) ? KILL_ASLEEP : KILL_UNEXPLAINED;
    default:
        return KILL_UNEXPLAINED;
    }
}

void kill_run(uint64_t seed, enum kill_kind kind, struct kill *kill) {
    struct tigon_random random = tigon_random_for(seed, 3, 0);
    struct pair_options options;
    struct pair pair;
    measure_clean();
    memset(kill, 0, sizeof *kill);
    kill->seed = seed;
    const uint64_t chosen = tigon_random_below(&random, KILL_KINDS);
    kill->kind = kind < KILL_KINDS ? kind : (enum kill_kind)chosen;
    choose_fault(&random, kill);
    pair_options_defaults(&options);
    options.seed = seed;
    options.faults = kill->fault;
    options.trace = kill->kind == KILL_TIMER ? "" : NULL;
    kill->error = pair_open(&pair, &options);
    if (!kill->error) {
        uint64_t hits = 0;
        uint64_t end_ns[2];
        kill->error = pair_run(&pair, exchange, &end_ns[0], exchange, &end_ns[1], LIMIT_NS);
        (void)tigon_world_fault(pair.world, 0, &hits);
        kill->hit = hits > 0;
        const char *report = tigon_world_report(pair.world);
        kill->outcome = classify(&pair, kill->kind, kill->error, report);
        if (kill->hit && !strstr(report, "fault 0 ("))
            kill->outcome = KILL_UNEXPLAINED;
        if (!kill->hit && kill->outcome != KILL_UNHARMED) /* it must not come of something else */
            kill->outcome = KILL_UNEXPLAINED;
        kill->ended_ns = tigon_world_now_ns(pair.world);
        (void)snprintf(kill->report, sizeof kill->report, "left: %s\nright: %s\n%s: %.3000s",
                       pair.side[0].message, pair.side[1].message, tigon_end_name(pair.end),
                       report);
    } else {
        kill->outcome = KILL_UNEXPLAINED;
        (void)snprintf(kill->report, sizeof kill->report, "%s", pair.side[0].message);
    }
    pair_close(&pair);
}
