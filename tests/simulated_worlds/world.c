/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emp/emp_watch.h"
#include "host/board/board.h"
#include "host/board/sim.h"
#include "sim/core/cpu.h"
#include "sim/core/memory.h"
#include "sim/observe/symbols.h"
#include "tests/simulated_worlds/simulated_world.h"

#ifndef WORLD_IMAGE
#error "WORLD_IMAGE: the firmware, unless EMP_IMAGE names another"
#endif

#define LINK_TIMEOUT_NS UINT64_C(2000000000)
#define NAP_NS          UINT64_C(10000)
/* Of a world whose programs have ended: a peer's silence is looked for twice, every five seconds.
 */
#define REST_NS  UINT64_C(20000000000)
#define LIMIT_NS UINT64_C(3600000000000)

enum { FAULT_SLICES = 100 };
#define SCRATCHPAD 0x00C00000U /* tigon2.md 2.1 */
enum { TIMERS = 64 }; /* fw-runtime/timers.h: the set of those that run comes first in nic_timers */

static struct simulated_world the_world;
static const char *image_path;
static struct tigon_symbols *symbols[2]; /* of either processor */

struct station *station_of(const struct host *host) {
    return &the_world.station[host->index];
}

/* --------------------------------------------------------------------------------- A host's life
 */

static int introduce(struct station *station) {
    const struct simulated_world *world = station->world;
    int error = 0;
    for (uint32_t i = 0; i < world->hosts->plan.nodes && !error; i++) {
        uint8_t address[6];
        if (i == station->host->index)
            continue;
        tigon_board_mac_address(world->station[i].hardware, address);
        error = libemp_set_peer(station->board, (uint16_t)i, address);
    }
    return error;
}

static int start_board(struct station *station) {
    const struct board_start_options start = {.node = (uint16_t)station->host->index};
    const int parameter = libemp_find_parameter("collection_size");
    int error = libemp_start(station->board, station->world->image, &start);
    if (!error)
        error = introduce(station);
    if (!error)
        error = parameter < 0 ? parameter
                              : libemp_set_parameter(station->board, (size_t)parameter,
                                                     station->world->hosts->plan.collection_size);
    if (!error)
        error = board_wait_link(libemp_hardware(station->board), LINK_TIMEOUT_NS);
    return error;
}

static int open_board(struct station *station) {
    const uint32_t bytes = host_memory_bytes(&station->world->hosts->plan);
    struct libemp_options options;
    char name[16];
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_sim, NULL};
    options.board.environment = station->world->simulation;
    (void)snprintf(name, sizeof name, "sim:%" PRIu32, station->host->index);
    int error = libemp_open(&station->board, name, &options);
    if (error)
        return error;
    station->host->memory = libemp_allocate(station->board, bytes);
    if (!station->host->memory)
        return -ENOMEM;
    error = libemp_register(station->board, station->host->memory, bytes, &station->memory);
    if (!error)
        requests_guard(station);
    return error ? error : start_board(station);
}

/* Until the board has stopped, messages still come; from then on the history knows that they do
 * not. */
static int restart(struct station *station) {
    rows_note(station);
    int error = libemp_stop(station->board);
    if (error)
        return error;
    station->rows_seen = 0;
    station->world->hosts->deeds.restart = true;
    requests_forget(station);
    host_forget(station->host);
    history_restart(station->world->hosts->history, station->host->index);
    error = start_board(station);
    station->restarting = false;
    station->world->restarts_pending--;
    return error;
}

static void note_restarts(struct simulated_world *world) {
    const struct host *due = hosts_restart_due(world->hosts);
    if (due != NULL && !station_of(due)->restarting) {
        station_of(due)->restarting = true;
        world->restarts_pending++;
    }
}

/* As in the fast campaign: a receive that met a message of a node that has restarted since ends
 * when that node is heard of again, so that each is. Then hosts cancel what no message will come
 * for. */
static void note_end(struct simulated_world *world) {
    struct hosts *hosts = world->hosts;
    if (!hosts_all_sent(hosts) || world->restarts_pending != 0)
        return;
    if (hosts->plan.restarts != 0 && !world->greets)
        world->greets = true;
    else if (!world->greets || world->greeted == hosts->plan.nodes)
        hosts->closing = true;
}

static int look(struct station *station) {
    struct simulated_world *world = station->world;
    struct hosts *hosts = world->hosts;
    bool faults = tigon_host_now_ns(station->machine) < world->faults_end_ns;
    int error = station->restarting ? restart(station) : 0;
    if (!faults && hosts->posted < hosts->plan.faulty_messages &&
        world->fault_slices < FAULT_SLICES) {
        faults = true;
        error = error ? error : network_add_faults(world);
    }
    if (error)
        return error;
    if (world->greets && !station->greeted) {
        station->greeted = true;
        world->greeted++;
        host_greet(station->host);
    }
    hosts->may_post = faults ? hosts->plan.faulty_messages : hosts->plan.messages;
    rows_note(station);
    host_look(station->host);
    station->looks++;
    note_restarts(world);
    note_end(world);
    hosts_check_progress(hosts, tigon_host_now_ns(station->machine));
    return 0;
}

static int live(struct station *station) {
    struct simulated_world *world = station->world;
    struct hosts *hosts = world->hosts;
    int error = open_board(station);
    if (error)
        return error;
    if (++world->ready == hosts->plan.nodes) {
        hosts->progress_ns = tigon_host_now_ns(station->machine);
        error = network_add_faults(world);
    }
    while (world->ready < hosts->plan.nodes && hosts_go_on(hosts))
        tigon_host_sleep_ns(station->machine, NAP_NS);
    while (!error && hosts_go_on(hosts)) {
        error = look(station);
        if (hosts->closing && station->host->open_receives == 0 && !station->restarting)
            break;
        tigon_host_sleep_ns(station->machine, host_pause_ns(station->host));
    }
    station->over = true;
    return error;
}

static int run_station(struct tigon_host *machine, void *argument) {
    struct station *station = argument;
    struct hosts *hosts = station->world->hosts;
    const int error = live(station);
    (void)machine;
    if (error)
        hosts_fail(hosts, WORLD_STOPPED, "node %u: %s (%d)", station->host->index,
                   station->board ? libemp_message(station->board) : "no board", error);
    if (!hosts_go_on(hosts))
        tigon_world_stop(station->world->simulation);
    return error;
}

/* --------------------------------------------------------------------------------- The world's end
 */

/* Bits that are set in a board's memory from a symbol on, for each processor that has it in a place
 * of its own; of memory that the image does not name or that cannot be read, UINT32_MAX. */
static uint32_t bits_set(const struct station *station, const char *symbol, size_t bytes) {
    uint32_t address[2], count = 0, words[8];
    bool found = false;
    for (unsigned core = 0; core < 2; core++) {
        const struct tigon_cpu *cpu = tigon_board_cpu(station->hardware, core);
        if (!tigon_symbols_value(symbols[core], symbol, &address[core]))
            continue;
        if (core == 1 && found && address[1] < SCRATCHPAD)
            continue; /* the same place */
        if (bytes > sizeof words)
            return UINT32_MAX;
        if (tigon_memory_debug_read(cpu->memory, core, address[core], words, bytes) != bytes) {
            if (core == 1 && found)
                continue; /* of an image for A alone: beyond B's scratchpad */
            return UINT32_MAX;
        }
        for (size_t word = 0; word < bytes / sizeof *words; word++)
            count += (uint32_t)__builtin_popcount(words[word]);
        found = true;
    }
    return found ? count : UINT32_MAX;
}

/* Programs have ended: boards come to rest. No timer runs, and no record is left. */
static void check_rest_of(const struct station *station) {
    struct hosts *hosts = station->world->hosts;
    const uint32_t timers = bits_set(station, "nic_timers", TIMERS / 8);
    if (timers != 0)
        hosts_fail(hosts, WORLD_LEAKED, "node %u: %u timers still run", station->host->index,
                   timers);
    for (size_t i = 0; i < emp_watch.member_count; i++) {
        const struct watch_member *member = &emp_watch.members[i];
        const char *point = strrchr(member->title, '.');
        char name[64];
        if (point == NULL || strcmp(point, ".used") != 0)
            continue;
        (void)snprintf(name, sizeof name, "emp_state_%s", member->symbol);
        const uint32_t records = bits_set(station, name, member->bytes);
        if (records != 0)
            hosts_fail(hosts, WORLD_LEAKED, "node %u: %u records of %s are still in use",
                       station->host->index, records, member->title);
    }
}

static void check_rest(struct simulated_world *world) {
    const struct hosts *hosts = world->hosts;
    tigon_world_set_run_on(world->simulation, true);
    (void)tigon_world_run(world->simulation, tigon_world_now_ns(world->simulation) + REST_NS);
    for (uint32_t i = 0; i < hosts->plan.nodes; i++) {
        rows_note(&world->station[i]);
        check_rest_of(&world->station[i]);
        (void)requests_untouched(&world->station[i]);
    }
    history_end(hosts->history);
}

/* What faults did to frames. */
static void count_hits(const struct simulated_world *world, struct world_counts *counts) {
    const size_t faults = tigon_world_fault_count(world->simulation);
    for (size_t i = 0; i < faults; i++) {
        uint64_t hits;
        switch (tigon_world_fault(world->simulation, i, &hits)->kind) {
        case TIGON_FAULT_DUPLICATE:
            counts->duplicated += hits;
            break;
        case TIGON_FAULT_DELAY:
        case TIGON_FAULT_REORDER:
            counts->delayed += hits;
            break;
        case TIGON_FAULT_LOSE:
        case TIGON_FAULT_LOSE_IN_BURSTS:
        case TIGON_FAULT_CORRUPT:
        case TIGON_FAULT_TRUNCATE:
        case TIGON_FAULT_LENGTHEN:
            counts->dropped += hits;
            break;
        default:; /* no frames are hit one by one */
        }
    }
}

static void count_frames(const struct simulated_world *world, struct world_counts *counts) {
    const size_t wires = tigon_world_wire_count(world->simulation);
    for (size_t i = 0; i < wires; i++)
        for (unsigned side = 0; side < 2; side++) {
            struct tigon_wire_statistics wire;
            tigon_wire_statistics(tigon_world_wire(world->simulation, i), side, &wire);
            counts->frames += wire.frames;
            counts->dropped += wire.cut;
        }
    count_hits(world, counts);
}

/* ---------------------------------------------------------------------------------------- World */

static void give_up(const char *what, int error) {
    (void)fprintf(stderr, "%s: %s\n", what, strerror(-error));
    exit(2);
}

void world_prepare(struct hosts *hosts) {
    const char *named = getenv("EMP_IMAGE");
    image_path = named ? named : WORLD_IMAGE;
    for (unsigned core = 0; core < 2; core++) {
        const int error = tigon_symbols_load(&symbols[core], image_path, core);
        if (error)
            give_up(image_path, error);
    }
    the_world.hosts = hosts;
}

static void begin(struct simulated_world *world, const struct plan *plan) {
    struct tigon_knobs knobs;
    tigon_knobs_defaults(&knobs);
    knobs.wire_propagation_ns += plan->wire_ns / 16;
    knobs.switch_queue_bytes = plan->switch_frames * UINT64_C(1538);
    hosts_begin(world->hosts, plan);
    *world = (struct simulated_world){.hosts = world->hosts};
    for (uint32_t i = 0; i < plan->nodes; i++) {
        world->station[i].world = world;
        world->station[i].host = &world->hosts->host[i];
    }
    int error = board_image_open(&world->image, image_path);
    if (error)
        give_up(image_path, error);
    world->simulation = tigon_world_create(&knobs, plan->seed);
    error = world->simulation ? network_make(world) : -errno;
    if (error)
        give_up("a world of the plan cannot be made", error);
}

static void end(struct simulated_world *world) {
    for (uint32_t i = 0; i < world->hosts->plan.nodes; i++)
        if (world->station[i].board)
            libemp_abandon(world->station[i].board);
    board_image_close(world->image);
    tigon_world_destroy(world->simulation);
}

void world_run(struct hosts *hosts, const struct plan *plan, struct world_counts *counts) {
    struct simulated_world *world = &the_world;
    begin(world, plan);
    for (uint32_t i = 0; i < plan->nodes; i++)
        (void)tigon_host_start(world->station[i].machine, "program", run_station,
                               &world->station[i]);
    const enum tigon_end ended = tigon_world_run(world->simulation, LIMIT_NS);
    if (hosts_go_on(hosts) && ended == TIGON_END_FINISHED)
        check_rest(world);
    else if (hosts_go_on(hosts))
        hosts_fail(hosts, WORLD_STOPPED, "%s: %.180s", tigon_end_name(ended),
                   tigon_world_report(world->simulation));
    *counts = (struct world_counts){.now_ns = tigon_world_now_ns(world->simulation)};
    count_frames(world, counts);
    end(world);
}
