/* SPDX-License-Identifier: MIT */
#include "tests/end_to_end/quiet_world.h"

#include "tests/end_to_end/need.h"

#include "host/board/sim.h"
#include "sim/observer.h"
#include "sim/base/random.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 8 /* sends, and as many receives */, BYTES = 20000, AREA = 20480, TAG = 1 };

#define FIRST_NS     UINT64_C(200000)  /* by then all is posted */
#define WINDOW_NS    UINT64_C(2000000) /* of traffic, in which the moment lies */
#define AFTER_NS     UINT64_C(2000000) /* what is late would be so by microseconds */
#define PATIENCE_NS  UINT64_C(2000000000)
#define LIMIT_NS     UINT64_C(20000000000)
#define WIRE_BYTES   12 /* preamble and CRC of a frame */
#define TICKS_PER_NS 11 /* of tigon_world_now_ticks() */

struct slot {
    uint8_t *bytes;
    struct libemp_memory *memory;
    libemp_request request;
    bool posted;
};

struct world {
    struct quiet *quiet;
    unsigned victim;
    uint64_t moment_ns; /* since both links came up */
    struct slot slots[2][2 * SLOTS];
    uint64_t returned_ns; /* when the function under test did; 0: not yet */
    bool over;
};

const char *quiet_bus_name(enum quiet_bus bus) {
    static const char *const names[QUIET_BUSES] = {"64/66", "32/33", "60 MB/s"};
    return bus < QUIET_BUSES ? names[bus] : "?";
}

const char *quiet_act_name(enum quiet_act act) {
    static const char *const names[QUIET_ACTS] = {"stopped", "closed", "started", "start failed",
                                                  "idle, closed"};
    return act < QUIET_ACTS ? names[act] : "?";
}

/* -------------------------------------------------------------------------------------------------
 * Traffic */

static int prepare(struct pair_side *side, struct slot *slots) {
    for (size_t i = 0; i < 2 * SLOTS; i++) {
        slots[i].bytes = libemp_allocate(side->board, AREA);
        need(slots[i].bytes != NULL);
        need(libemp_register(side->board, slots[i].bytes, AREA, &slots[i].memory) == 0);
    }
    return 0;
}

/* The first half are sends. */
static int post(struct pair_side *side, struct slot *slots, size_t i, size_t length) {
    const struct libemp_piece piece = {slots[i].memory, 0, i < SLOTS ? length : BYTES};
    need((i < SLOTS ? libemp_post_send : libemp_post_receive)(side->board, side->peer, TAG, &piece,
                                                              1, &slots[i].request) == 0);
    slots[i].posted = true;
    return 0;
}

static uint64_t first_moment(const struct pair_side *side) {
    const struct pair *pair = side->pair;
    while (pair->side[0].link_ns == 0 || pair->side[1].link_ns == 0)
        tigon_host_sleep_ns(side->host, 100000);
    return pair->side[pair->side[1].link_ns > pair->side[0].link_ns].link_ns;
}

/* Keeps every slot posted until the moment comes, or, of the other side, until all is over. */
static int keep_busy(struct pair_side *side, struct world *world) {
    struct slot *slots = world->slots[side->index];
    struct tigon_random random = tigon_random_for(world->quiet->seed, 7, side->index);
    if (prepare(side, slots))
        return -EBADMSG;
    const uint64_t until_ns = first_moment(side) + world->moment_ns;
    while (side->index == world->victim ? tigon_host_now_ns(side->host) < until_ns : !world->over) {
        for (size_t i = 0; i < 2 * SLOTS; i++) {
            const int error =
                slots[i].posted ? libemp_test(side->board, slots[i].request, NULL) : 0;
            need(error == 0 || error == -EAGAIN);
            if (error == 0 && post(side, slots, i, tigon_random_below(&random, BYTES + 1)))
                return -EBADMSG;
        }
    }
    need(libemp_descriptors_free(side->board) < libemp_descriptor_limit());
    return 0;
}

/* As many messages each way as there are slots. */
static int exchange(struct pair_side *side, struct world *world) {
    struct slot *slots = world->slots[side->index];
    struct tigon_random random = tigon_random_for(world->quiet->seed, 7, side->index);
    if (prepare(side, slots))
        return -EBADMSG;
    for (size_t i = 2 * SLOTS; i-- > 0;)
        if (post(side, slots, i, tigon_random_below(&random, BYTES + 1)))
            return -EBADMSG;
    for (size_t i = 0; i < 2 * SLOTS; i++)
        need(libemp_wait(side->board, slots[i].request, PATIENCE_NS, NULL) == 0);
    return 0;
}

/* -------------------------------------------------------------------------------------------------
 * The act */

/* By another handle: this one has requests posted, which forbid it. */
static int start_anew(struct pair_side *side, uint64_t ready_timeout_ns, int expected) {
    const struct board_start_options start = {.node = (uint16_t)side->index,
                                              .ready_timeout_ns = ready_timeout_ns};
    struct libemp_options options;
    struct libemp_board *other = NULL;
    char name[16];
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_sim, NULL};
    options.board.environment = side->pair->world;
    (void)snprintf(name, sizeof name, "sim:%u", side->index);
    need(libemp_open(&other, name, &options) == 0);
    const int error = libemp_start(other, side->pair->image, &start);
    libemp_abandon(side->board);
    side->board = other;
    need(error == expected);
    return 0;
}

static int act(struct pair_side *side, const struct world *world) {
    switch (world->quiet->act) {
    case QUIET_STOP:
        need(libemp_stop(side->board) == 0);
        return 0;
    case QUIET_START:
        return start_anew(side, 0, 0);
    case QUIET_START_FAILED:
        return start_anew(side, 1, -ETIMEDOUT);
    default:
        need(libemp_close(side->board) == 0);
        side->board = NULL;
        return 0;
    }
}

static int program(struct pair_side *side, void *argument) {
    struct world *world = argument;
    const bool idle = world->quiet->act == QUIET_IDLE;
    int error = idle ? exchange(side, world) : keep_busy(side, world);
    if (error || side->index != world->victim)
        return error;
    error = act(side, world);
    if (error)
        return error;
    world->returned_ns = tigon_host_now_ns(side->host);
    tigon_host_sleep_ns(side->host, AFTER_NS);
    if (!idle && world->quiet->act != QUIET_START)
        for (uint32_t state = 0x140; state <= 0x240; state += 0x100)
            world->quiet->cores_running +=
                (tigon_board_peek_register(side->hardware, state) & 0xFFFF0000U) == 0;
    world->over = true;
    return 0;
}

/* -------------------------------------------------------------------------------------------------
 * Who looks */

static bool is_late(const struct world *world, const struct tigon_board *board, uint64_t ns) {
    return world->returned_ns != 0 && ns > world->returned_ns &&
           tigon_board_index(board) == world->victim;
}

static void count(struct world *world, uint64_t *counter, uint64_t ns) {
    ++*counter;
    if (ns - world->returned_ns > world->quiet->latest_ns)
        world->quiet->latest_ns = ns - world->returned_ns;
}

static bool is_registered(const struct world *world, const struct tigon_transfer *transfer) {
    const struct tigon_host *host = tigon_board_host(transfer->board);
    for (size_t i = 0; i < 2 * SLOTS; i++) {
        const uint64_t start = tigon_host_bus_address(host, world->slots[world->victim][i].bytes);
        if (transfer->host_address < start + AREA &&
            transfer->host_address + transfer->length > start)
            return true;
    }
    return false;
}

static void saw_transfer(void *context, const struct tigon_transfer *transfer) {
    struct world *world = context;
    struct quiet *quiet = world->quiet;
    const uint64_t ended_ns = transfer->ended / TICKS_PER_NS;
    if (!transfer->stopped && !transfer->attention && is_late(world, transfer->board, ended_ns) &&
        (quiet->act != QUIET_IDLE || is_registered(world, transfer)))
        count(world, transfer->write ? &quiet->late_writes : &quiet->late_reads, ended_ns);
}

static void saw_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct world *world = context;
    const uint64_t ended_ns = frame->time_ns + 8 * (frame->length + WIRE_BYTES);
    (void)fate;
    if (world->quiet->act != QUIET_IDLE &&
        is_late(world, tigon_wire_board(frame->wire, frame->from_side), ended_ns))
        count(world, &world->quiet->late_frames, ended_ns);
}

void quiet_run(struct quiet *quiet) {
    struct tigon_random random = tigon_random_for(quiet->seed, 6, quiet->act);
    struct pair_options options;
    struct pair pair;
    struct world world = {.quiet = quiet, .victim = (unsigned)tigon_random_below(&random, 2)};
    world.moment_ns = FIRST_NS + tigon_random_below(&random, WINDOW_NS);
    pair_options_defaults(&options);
    options.seed = quiet->seed;
    options.knobs.bus_kind = quiet->bus == QUIET_32_33 ? TIGON_BUS_32_33 : TIGON_BUS_64_66;
    if (quiet->bus == QUIET_SLOW)
        options.knobs.pci_write_rate = 60000000;
    if (quiet->act == QUIET_IDLE)
        options.knobs.wire_loss = 0.01 * (double)tigon_random_below(&random, 20);
    quiet->late_writes = quiet->late_reads = quiet->late_frames = 0;
    quiet->cores_running = quiet->latest_ns = 0;
    quiet->error = pair_open(&pair, &options);
    if (!quiet->error) {
        const struct tigon_observer observer = {
            .context = &world, .frame = saw_frame, .transfer = saw_transfer};
        quiet->error = tigon_world_attach(pair.world, &observer);
    }
    if (!quiet->error)
        quiet->error = pair_run(&pair, program, &world, program, &world, LIMIT_NS);
    (void)snprintf(quiet->report, sizeof quiet->report,
                   "bus %s, board %u %s after %" PRIu64 " ns, seed %" PRIu64 ": %" PRIu64
                   " writes, %" PRIu64 " reads, %" PRIu64 " frames late, by up to %" PRIu64
                   " ns; %" PRIu64 " cores running\nleft: %s\nright: %s\n%.3000s",
                   quiet_bus_name(quiet->bus), world.victim, quiet_act_name(quiet->act),
                   world.moment_ns, quiet->seed, quiet->late_writes, quiet->late_reads,
                   quiet->late_frames, quiet->latest_ns, quiet->cores_running, pair.side[0].message,
                   pair.side[1].message,
                   pair.world && quiet->error ? tigon_world_report(pair.world) : "");
    pair_close(&pair);
}
