/* SPDX-License-Identifier: MIT */
/* Attacks by frames, forge.c, upon two honest nodes that exchange messages. */
#include "tests/attack/honest.h"
#include "tests/attack/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { ACQUAINTANCE = 4, PROBES = 4, PAUSE_NS = 30000, LATER_NS = 1000 };
#define STUCK_NS UINT64_C(15000000)

struct run {
    struct hostile_wire wire;
    struct honest honest;
    const struct forgery *forgery;
    bool may_disturb; /* honest messages may be lost until the nodes are loaded anew */
    bool waiting;     /* the attacker, while the nodes are loaded anew */
    uint64_t left;
    struct world_result *result;
};

static void step(void *context) {
    struct run *run = context;
    struct forge *forge = &run->wire.forge;
    struct hostile_frame frame;
    if (run->waiting) {
        tigon_world_call_at(run->wire.pair.world,
                            tigon_world_now_ns(run->wire.pair.world) + PAUSE_NS, step, run);
        return;
    }
    if (run->left == 0) {
        run->honest.over = true;
        return;
    }
    run->left--;
    forge->victim = (unsigned)tigon_random_below(&forge->random, 2);
    run->forgery->make(forge, &frame);
    uint64_t gap = wire_send(&run->wire, &frame);
    if (!run->forgery->flood)
        gap += tigon_random_below(&forge->random, PAUSE_NS);
    run->result->figures.frames++;
    tigon_world_call_at(run->wire.pair.world, tigon_world_now_ns(run->wire.pair.world) + gap, step,
                        run);
}

static void count(struct run *run, const struct pair_side *side) {
    struct world_figures *figures = &run->result->figures;
    struct tigon_statistics statistics;
    uint32_t fault;
    for (size_t i = 0; i < EMP_COUNTER_COUNT; i++)
        figures->counters[i] += oracle_counter(&run->wire.oracle, side->index, i);
    for (size_t i = 0; i < WORLD_RUNTIME_COUNTERS; i++)
        figures->runtime[i] += oracle_runtime_counter(&run->wire.oracle, side->index, i);
    tigon_board_statistics(side->hardware, &statistics);
    figures->mac_refused += statistics.dropped_unicast + statistics.dropped_multicast +
                            statistics.dropped_pause + statistics.dropped_no_buffer +
                            statistics.dropped_no_descriptor;
    figures->bad_checksum += statistics.receive_crc_errors;
    figures->messages += run->honest.stream[side->index].received;
    if (oracle_panic(&run->wire.oracle, side->index, &fault) != ORACLE_READY)
        world_fail(run->result, "the firmware of node %u has stopped, fault 0x%" PRIX32,
                   side->index, fault);
}

/* Restarts all state that the attack may have disturbed. */
static int heal(struct run *run, struct pair_side *side) {
    struct honest *honest = &run->honest;
    run->waiting = true;
    const int error = honest_restart(honest, side);
    if (error)
        return error;
    if (!honest_more(honest, side, ACQUAINTANCE))
        return pair_fail(side, -EBADMSG, "restarting all nodes does not heal");
    honest_meet(honest, side);
    run->waiting = false;
    honest->over = run->left == 0;
    return 0;
}

/* Messages as long as the attack lasts. Where it may disturb them the nodes are loaded anew after
 * each time that it did. */
static int suffer(struct run *run, struct pair_side *side) {
    struct honest *honest = &run->honest;
    for (;;) {
        honest_meet(honest, side);
        honest->limit[side->index] = UINT64_MAX;
        honest_meet(honest, side);
        (void)honest_exchange(honest, side);
        while (!honest->over && (!honest->wrong || !run->may_disturb))
            tigon_host_sleep_ns(side->host, PAUSE_NS);
        run->waiting = true; /* both nodes shall read the same in `over` */
        honest_meet(honest, side);
        count(run, side);
        if (honest->over)
            return 0;
        run->result->figures.disturbed += side->index == 0;
        const int error = heal(run, side);
        if (error)
            return error;
    }
}

static int program(struct pair_side *side, void *argument) {
    struct run *run = argument;
    struct honest *honest = &run->honest;
    int error = honest_open(honest, side);
    if (error)
        return error;
    if (!honest_more(honest, side, ACQUAINTANCE))
        return pair_fail(side, -EBADMSG, honest->words);
    while (!run->wire.attacker_ready)
        tigon_host_sleep_ns(side->host, PAUSE_NS);
    honest->stuck_after_ns = run->may_disturb ? STUCK_NS : 0;
    if (side->index == 0)
        tigon_world_call_at(run->wire.pair.world, tigon_host_now_ns(side->host) + LATER_NS, step,
                            run);
    error = suffer(run, side);
    if (error)
        return error;
    if (!honest->wrong)
        (void)honest_more(honest, side, PROBES);
    honest_meet(honest, side);
    if (!run->may_disturb)
        return honest->wrong ? pair_fail(side, -EBADMSG, honest->words) : 0;
    run->result->figures.disturbed += honest->wrong && side->index == 0;
    return heal(run, side);
}

static void run_world(const struct attack *attack, uint64_t seed, uint64_t size,
                      struct world_result *result) {
    static struct run run;
    memset(&run, 0, sizeof run);
    run.forgery = attack->what;
    run.left = size;
    run.result = result;
    run.may_disturb = attack->identity == FORGE_KNOWN && !run.forgery->harmless;
    if (wire_open(&run.wire, attack->through_switch, seed, NULL)) {
        world_fail(result, "the world cannot be made: %s", run.wire.pair.side[0].message);
        return;
    }
    run.honest.oracle = &run.wire.oracle;
    run.wire.forge.identity = attack->identity;
    if (wire_run(&run.wire, program, program, &run, result) && run.honest.words[0])
        world_fail(result, "%s", run.honest.words);
    if (!result->failed && !run.may_disturb && !run.forgery->flood && result->figures.messages < 8)
        world_fail(result, "hardly any honest message arrived while the attack went on");
    if (run.wire.oracle.stray)
        world_fail(result, "%s (%" PRIu64 " stray transfers)", run.wire.oracle.words,
                   run.wire.oracle.stray);
    if (run.wire.oracle.to_nobody)
        world_fail(result, "%" PRIu64 " frames were sent to 00:00:00:00:00:00",
                   run.wire.oracle.to_nobody);
    result->figures.accepted += run.wire.oracle.accepted;
    result->figures.transfers += run.wire.oracle.transfers;
    result->figures.late += run.wire.oracle.late;
    wire_close(&run.wire);
}

void wire_attacks(struct attacks *list) {
    for (size_t i = 0; i < forgery_count(); i++)
        for (unsigned identity = FORGE_STRANGER; identity <= FORGE_KNOWN; identity++)
            for (unsigned place = 0; place < 2 && forgeries[i].identities & identity; place++)
                list->attack[list->count++] =
                    (struct attack){.name = forgeries[i].name,
                                    .kind = identity == FORGE_KNOWN ? "known" : "stranger",
                                    .run = run_world,
                                    .what = &forgeries[i],
                                    .identity = identity,
                                    .through_switch = place == 1};
}
