/* SPDX-License-Identifier: MIT */
#include "tests/attack/goodput.h"

#include "host/emp/internal.h"
#include "sim/observe/observation.h"
#include "tests/attack/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum {
    OTHERS = 600, /* receives that match no message */
    AHEAD = 6,
    BYTES = 65536,
    STREAM_TAG = 1,
    OTHER_TAG = 2,
    HOSTILE_TAG = 3,
    NAP_NS = 2000,
    PAGE_GRANT = 100,
    REQUEST_SLOTS = 1 << 16,
    LEAST_PERCENT = 90,
    PROFILE_MESSAGE_BYTES = 300
};

#define SETTLING_NS UINT64_C(2000000)
#define STREAM_NS   UINT64_C(60000000)
#define GREETING_NS UINT64_C(5000000)

/* 0.2 % of the frames of this length that a wire carries, and ten thousand a second. */
static const uint64_t intervals_ns[] = {UINT64_C(336000), UINT64_C(100000)};

struct stream_run {
    struct hostile_wire wire;
    struct hostile_frame frame;
    const struct goodput_flood *flood;
    uint64_t from_ns;  /* of the measurement */
    uint64_t messages; /* that ended in it */
    bool over;
    struct world_result *result;
};

static int buffer(struct pair_side *side, struct stream_run *run, size_t number, bool write,
                  size_t bytes, struct libemp_piece *piece) {
    void *memory = libemp_allocate(side->board, bytes);
    *piece = (struct libemp_piece){.length = bytes};
    const int error =
        memory ? libemp_register(side->board, memory, bytes, &piece->memory) : -ENOMEM;
    if (!error)
        oracle_grant(&run->wire.oracle, side->index, ORACLE_FIRST_GRANT + number, write, memory,
                     bytes);
    return error ? pair_fail(side, error, NULL) : 0;
}

/* The first contact with the receiver, as any node does it, so that one header is heard that the
 * receiver has to look up. */
static int greet(struct hostile_wire *wire) {
    libemp_request request;
    const struct libemp_piece nothing = {0};
    const int error = libemp_post_send(wire->library, 1, HOSTILE_TAG, &nothing, 0, &request);
    if (!error)
        tigon_host_sleep_ns(tigon_board_host(wire->attacker), GREETING_NS);
    return error;
}

static void step(void *context) {
    struct stream_run *run = context;
    struct tigon_world *world = run->wire.pair.world;
    if (run->over)
        return;
    (void)wire_send(&run->wire, &run->frame);
    run->result->figures.frames++;
    tigon_world_call_at(world, tigon_world_now_ns(world) + run->flood->interval_ns, step, run);
}

static int start_attack(struct pair_side *side, struct stream_run *run) {
    while (!run->wire.attacker_ready)
        tigon_host_sleep_ns(side->host, NAP_NS);
    if (!(run->flood->data ? forge_data_from : forge_header_from)(
            &run->wire.forge, WIRE_ATTACKER_NODE, run->flood->sender, &run->frame))
        return pair_fail(side, -EBADMSG, "no header of the attacker's node was heard");
    if (run->flood->interval_ns)
        tigon_world_call_at(run->wire.pair.world, tigon_host_now_ns(side->host), step, run);
    run->from_ns = tigon_host_now_ns(side->host) + SETTLING_NS;
    return 0;
}

/* The sender ends when the receiver has; frames in flight then end with the world. */
static int stream(struct pair_side *side, struct stream_run *run, bool receives) {
    struct libemp_piece piece[AHEAD];
    libemp_request request[AHEAD];
    bool posted[AHEAD] = {false};
    int error = 0;
    for (size_t i = 0; i < AHEAD && !error; i++)
        error = buffer(side, run, i, receives, BYTES, &piece[i]);
    for (size_t i = 0; !error && !run->over; i = (i + 1) % AHEAD) {
        /* The first message alone: two that make the first contact can stay out of step for good,
         * each sent before the receiver takes it, and then again. */
        const bool alone = !receives && i == 1 && posted[0] && !posted[1];
        if (alone)
            error = libemp_wait(side->board, request[0], STREAM_NS, NULL);
        posted[0] = posted[0] && !alone;
        if (posted[i])
            error = libemp_wait(side->board, request[i], STREAM_NS, NULL);
        if (run->over || error == -ETIMEDOUT)
            break;
        const uint64_t now = tigon_host_now_ns(side->host);
        if (receives && posted[i] && !error && now - run->from_ns < STREAM_NS)
            run->messages++;
        run->over = run->over || (receives && now >= run->from_ns + STREAM_NS);
        if (!error)
            error = (receives ? libemp_post_receive : libemp_post_send)(
                side->board, side->peer, STREAM_TAG, &piece[i], 1, &request[i]);
        if (!error) /* the board reads it for the pages' addresses */
            oracle_grant(&run->wire.oracle, side->index, PAGE_GRANT + i, false,
                         side->board->slots[request[i] % REQUEST_SLOTS].indirect, EMP_PAGE_BYTES);
        posted[i] = true;
    }
    run->over = true;
    return error && error != -ETIMEDOUT ? pair_fail(side, error, NULL) : 0;
}

static int sender(struct pair_side *side, void *argument) {
    struct stream_run *run = argument;
    oracle_grant_scratch(&run->wire.oracle, side->index);
    while (run->from_ns == 0)
        tigon_host_sleep_ns(side->host, NAP_NS);
    return stream(side, run, false);
}

static int receiver(struct pair_side *side, void *argument) {
    struct stream_run *run = argument;
    struct libemp_piece others;
    libemp_request unused;
    uint8_t address[6];
    oracle_grant_scratch(&run->wire.oracle, side->index);
    tigon_board_mac_address(run->wire.attacker, address);
    int error = libemp_set_peer(side->board, WIRE_ATTACKER_NODE, address);
    if (!error)
        error = buffer(side, run, AHEAD, true, BYTES, &others);
    others.length = 1;
    for (size_t i = 0; i < OTHERS && !error; i++)
        error = libemp_post_receive(side->board, (uint16_t)(i % 2 ? WIRE_ATTACKER_NODE : 0),
                                    OTHER_TAG, &others, 1, &unused);
    if (!error)
        error = start_attack(side, run);
    return error ? error : stream(side, run, true);
}

static void run_observed(struct stream_run *run, const char *profile, const char *const *images,
                         struct world_result *result) {
    const struct tigon_observation_options options = {.profile = profile, .images = images};
    struct tigon_observation *observation = NULL;
    char message[PROFILE_MESSAGE_BYTES];
    if (profile && tigon_observation_start(&observation, run->wire.pair.world, &options, message,
                                           sizeof message))
        world_fail(result, "%s", message);
    if (!result->failed)
        (void)wire_run(&run->wire, sender, receiver, run, result);
    if (tigon_observation_end(observation, message, sizeof message))
        world_fail(result, "%s", message);
}

double goodput_under(const struct goodput_flood *flood, const char *image, const char *profile,
                     uint64_t seed, struct world_result *result) {
    static struct stream_run run;
    const char *const images[] = {image, image, image};
    memset(&run, 0, sizeof run);
    run.flood = flood;
    run.result = result;
    if (wire_open(&run.wire, true, seed, image))
        world_fail(result, "the world cannot be made: %s", run.wire.pair.side[0].message);
    run.wire.forge.victim = 1;
    run.wire.attacker_program = greet;
    if (!result->failed)
        run_observed(&run, profile, images, result);
    if (run.wire.oracle.stray)
        world_fail(result, "%s", run.wire.oracle.words);
    result->figures.accepted += run.wire.oracle.accepted;
    result->figures.transfers += run.wire.oracle.transfers;
    wire_close(&run.wire);
    result->figures.messages += run.messages;
    return (double)run.messages * BYTES * 1e3 / (double)STREAM_NS;
}

/* Measures the image that ships, not the one with checks at run time. */
static void run_world(const struct attack *attack, uint64_t seed, uint64_t size,
                      struct world_result *result) {
    struct goodput_flood flood = {
        .sender = attack->identity == FORGE_STRANGER ? GOODPUT_UNKNOWN_NODE : WIRE_ATTACKER_NODE};
    (void)size;
    const double calm = goodput_under(&flood, FIRMWARE_IMAGE, NULL, seed, result);
    double left[sizeof intervals_ns / sizeof *intervals_ns] = {0};
    bool enough = true;
    for (size_t i = 0; i < sizeof left / sizeof *left && !result->failed; i++) {
        flood.interval_ns = intervals_ns[i];
        left[i] = goodput_under(&flood, FIRMWARE_IMAGE, NULL, seed, result);
        enough = enough && left[i] >= calm * LEAST_PERCENT / 100;
    }
    (enough ? world_note : world_fail)(result,
                                       "%.1f MB/s alone; %.1f MB/s with %" PRIu64
                                       ", %.1f MB/s with %" PRIu64
                                       " headers a second that match no receive",
                                       calm, left[0], UINT64_C(1000000000) / intervals_ns[0],
                                       left[1], UINT64_C(1000000000) / intervals_ns[1]);
}

void goodput_attacks(struct attacks *list) {
    for (unsigned identity = FORGE_STRANGER; identity <= FORGE_KNOWN; identity++)
        list->attack[list->count++] =
            (struct attack){.name = "goodput",
                            .kind = identity == FORGE_KNOWN ? "known" : "stranger",
                            .run = run_world,
                            .identity = identity,
                            .through_switch = true,
                            .once = true};
}
