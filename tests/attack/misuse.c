/* SPDX-License-Identifier: MIT */
/* A program that misuses every call of libemp: wrong arguments, wrong order, handles that are used
 * up or of another board. Each misuse must give the error that libemp.h documents, and change
 * nothing: at the end, and after the board was stopped amid traffic and started anew, messages
 * arrive. */
#include "host/board/internal.h"
#include "host/board/sim.h"
#include "host/emp/internal.h"
#include "tests/attack/honest.h"
#include "tests/attack/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
    AREA = 8 * EMP_PAGE_BYTES,
    UNUSED_TAG = 77,
    ROUND = 6,
    POOL = 64,
    AREA_GRANT = 100,
    STOP_AFTER_NS = 300000,
    QUIET_NS = 2000000
};
#define PATIENCE_NS UINT64_C(1000000000)

struct misuse_run {
    struct hostile_wire wire;
    struct honest honest;
    struct tigon_random random;
    struct world_result *result;
    uint64_t left;
    unsigned line; /* of the first misuse that gave another error than documented */
    int found;
    uint8_t *area;
    struct libemp_memory *memory;
    struct libemp_memory *foreign; /* of the other host's handle */
};

/* The documented error of this call is `expected`. */
static void expect_at(struct misuse_run *run, unsigned line, int expected, int found) {
    run->result->figures.frames++;
    if (found == expected || run->line)
        return;
    run->line = line;
    run->found = found;
}
#define expect(expected, call) expect_at(run, __LINE__, expected, call)
#define expect_true(condition) expect_at(run, __LINE__, 1, (condition) ? 1 : 0)

static const struct libemp_options *with_backend(struct misuse_run *run) {
    static const struct board_backend *const backends[] = {&board_sim, NULL};
    static struct libemp_options options;
    libemp_options_defaults(&options);
    options.board.backends = backends;
    options.board.environment = run->wire.pair.world;
    return &options;
}

/* -------------------------------------------------------------------------------- Before a start
 */

static void opening(struct misuse_run *run, struct pair_side *side) {
    static const struct libemp_options none;
    const struct libemp_options *options = with_backend(run);
    struct libemp_board *board = NULL;
    struct board_image *image = NULL;
    (void)side;
    expect(-EINVAL, libemp_open(&board, "sim", options));
    expect(-EINVAL, libemp_open(NULL, "sim:0", options));
    expect(-EINVAL, libemp_open(&board, NULL, options));
    expect(-EINVAL, libemp_open(&board, "sim:0", NULL));
    expect(-ENXIO, libemp_open(&board, "pci:0", options));
    expect(-ENXIO, libemp_open(&board, ":", options));
    expect(-ENXIO, libemp_open(&board, "sim:9", options));
    expect(-ENXIO, libemp_open(&board, "sim:", options));
    expect(-ENXIO, libemp_open(&board, "sim:0x", options));
    expect(-ENXIO, libemp_open(&board, "sim:99999999999999999999", options));
    expect(-ENXIO, libemp_open(&board, "sim:0", &none));
    expect_true(board == NULL);
    expect(-ENOENT, board_image_open(&image, "no/such/file"));
    expect(-ENOEXEC, board_image_open(&image, "README.md"));
    board_image_close(NULL);
}

/* Calls that need firmware return an error when none runs: before a start and after a stop. */
static void without_firmware(struct misuse_run *run, struct pair_side *side) {
    static const uint8_t address[6] = {2};
    const struct libemp_piece piece = {run->memory, 0, 64};
    struct libemp_board *board = side->board;
    libemp_request request = 0;
    uint32_t value;
    expect(-ENODEV, libemp_post_send(board, 1, 0, &piece, 1, &request));
    expect(-ENODEV, libemp_post_receive(board, 1, 0, &piece, 1, &request));
    expect(-ENODEV, libemp_cancel(board, request));
    expect(-EINVAL, libemp_test(board, request, NULL));
    expect(-EINVAL, libemp_wait(board, request, 1000, NULL));
    expect(-ENODEV, libemp_set_peer(board, 1, address));
    expect(-ENODEV, board_link(libemp_hardware(board)));
    expect(-ENODEV, board_wait_link(libemp_hardware(board), 1000));
    expect(-ENODEV, libemp_counter(board, 0, &value));
    expect(-ENODEV, libemp_parameter(board, 0, &value));
    expect(-ENODEV, libemp_set_parameter(board, EMP_PARAMETER_COLLECTION_SIZE, 3));
    expect_true(libemp_descriptors_free(board) == libemp_descriptor_limit());
}

/* On a board of its own. */
static int never_started(struct tigon_host *host, void *argument) {
    struct misuse_run *run = argument;
    struct board_status status;
    struct pair_side side = {.host = host};
    if (libemp_open(&side.board, "sim:2", with_backend(run)))
        return -ENODEV;
    without_firmware(run, &side);
    expect(-ENODEV, libemp_attach(side.board));
    expect(-ENODEV, board_status(libemp_hardware(side.board), &status));
    expect(-EINVAL, board_status(libemp_hardware(side.board), NULL));
    expect(0, libemp_stop(side.board));
    expect(0, libemp_stop(side.board));
    expect(0, libemp_close(side.board));
    return 0;
}

static void starting(struct misuse_run *run, struct pair_side *side) {
    struct board_start_options start = {.node = EMP_NODE_LIMIT};
    expect(-EINVAL, libemp_start(side->board, side->pair->image, &start));
    start.node = UINT16_MAX;
    expect(-EINVAL, libemp_start(side->board, side->pair->image, &start));
    start.node = 0;
    expect(-EINVAL, libemp_start(side->board, NULL, &start));
    expect(-EINVAL, libemp_start(side->board, side->pair->image, NULL));
}

/* --------------------------------------------------------------------------------- Wrong arguments
 */

static void registering(struct misuse_run *run, struct pair_side *side) {
    static uint8_t elsewhere[64]; /* which the board cannot reach */
    struct libemp_memory *memory = NULL;
    uint8_t *end = tigon_host_memory(side->host) + tigon_host_memory_size(side->host);
    expect(-EINVAL, libemp_register(side->board, NULL, 64, &memory));
    expect(-EINVAL, libemp_register(side->board, run->area, 0, &memory));
    expect(-EINVAL, libemp_register(side->board, run->area, 64, NULL));
    expect(-EINVAL, libemp_register(side->board, run->area, SIZE_MAX, &memory));
    expect(-EFAULT, libemp_register(side->board, elsewhere, sizeof elsewhere, &memory));
    expect(-EFAULT, libemp_register(side->board, end - 64, 128, &memory));
    expect_true(libemp_allocate(side->board, 0) == NULL);
    libemp_free(side->board, NULL, 0);
}

typedef int (*posting)(struct libemp_board *board, uint16_t peer, uint64_t tag,
                       const struct libemp_piece *pieces, size_t count, libemp_request *request);

static void posting_wrongly(struct misuse_run *run, struct pair_side *side) {
    static const posting posts[] = {libemp_post_send, libemp_post_receive};
    static struct libemp_piece many[EMP_INDIRECT_ENTRIES + 1];
    static struct libemp_piece long_pieces[EMP_MESSAGE_LIMIT / AREA + 1];
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        many[i] = (struct libemp_piece){run->memory, i, 1};
    for (size_t i = 0; i < sizeof long_pieces / sizeof *long_pieces; i++)
        long_pieces[i] = (struct libemp_piece){run->memory, 0, AREA};
    for (size_t i = 0; i < 2; i++) {
        const struct libemp_piece good = {run->memory, 0, 64};
        const struct libemp_piece bad[] = {
            {NULL, 0, 64},          {run->foreign, 0, 64},      {run->memory, AREA, 1},
            {run->memory, 1, AREA}, {run->memory, SIZE_MAX, 1}, {run->memory, 1, SIZE_MAX}};
        libemp_request request;
        expect(-EINVAL, posts[i](side->board, 0, 0, &good, 1, &request));
        expect(-EINVAL, posts[i](side->board, EMP_NODE_LIMIT, 0, &good, 1, &request));
        expect(-EINVAL, posts[i](side->board, UINT16_MAX, 0, &good, 1, &request));
        expect(-EINVAL, posts[i](side->board, 1, 0, &good, 1, NULL));
        expect(-EINVAL, posts[i](side->board, 1, 0, NULL, 1, &request));
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
            expect(-EINVAL, posts[i](side->board, 1, 0, &bad[b], 1, &request));
        expect(-E2BIG, posts[i](side->board, 1, 0, many, EMP_INDIRECT_ENTRIES + 1, &request));
        expect(-E2BIG, posts[i](side->board, 1, 0, long_pieces,
                                sizeof long_pieces / sizeof *long_pieces, &request));
    }
    expect_true(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
}

static void asking(struct misuse_run *run, struct pair_side *side) {
    struct libemp_parameter_information information;
    struct libemp_board *board = side->board;
    uint32_t value;
    expect(-EINVAL, libemp_counter(board, libemp_counter_count(), &value));
    expect(-EINVAL, libemp_counter(board, SIZE_MAX, &value));
    expect(-EINVAL, libemp_counter(board, 0, NULL));
    expect(-EINVAL, libemp_parameter(board, EMP_PARAMETER_COUNT, &value));
    expect(-EINVAL, libemp_parameter(board, 0, NULL));
    expect(-EINVAL, libemp_set_parameter(board, EMP_PARAMETER_COUNT, 1));
    expect(-EROFS, libemp_set_parameter(board, EMP_PARAMETER_NODE, 1));
    expect(-ERANGE, libemp_set_parameter(board, EMP_PARAMETER_COLLECTION_SIZE, 0));
    expect(-ERANGE, libemp_set_parameter(board, EMP_PARAMETER_COLLECTION_SIZE, UINT32_MAX));
    expect(-ENOENT, libemp_find_counter("no such counter"));
    expect(-ENOENT, libemp_find_parameter(""));
    expect_true(libemp_counter_name(libemp_counter_count()) == NULL);
    expect_true(!libemp_parameter_information(EMP_PARAMETER_COUNT, &information));
    expect(-EINVAL, libemp_set_peer(board, EMP_NODE_LIMIT, (const uint8_t *)"address"));
    expect(-EINVAL, libemp_set_peer(board, 1, NULL));
    expect(-EINVAL, board_read_memory(libemp_hardware(board), 2, &value, 1));
    expect(-EINVAL, board_read_memory(libemp_hardware(board), MEMORY_BYTES, &value, 1));
    expect(-EINVAL, board_read_memory(libemp_hardware(board), MEMORY_BYTES - 4, &value, 2));
    expect(-EINVAL, board_read_memory(libemp_hardware(board), 0, &value, SIZE_MAX / 4));
}

/* ---------------------------------------------------------------------------------------- Requests
 */

static void spent_requests(struct misuse_run *run, struct pair_side *side) {
    const struct libemp_piece piece = {run->memory, 0, 64};
    libemp_request request;
    expect(-EINVAL, libemp_test(side->board, UINT32_MAX, NULL));
    expect(-EINVAL, libemp_cancel(side->board, EMP_DESCRIPTOR_LIMIT));
    expect(-EINVAL, libemp_wait(side->board, 0x12340000, LIBEMP_FOREVER, NULL));
    expect(0, libemp_post_receive(side->board, 1, UNUSED_TAG, &piece, 1, &request));
    expect(-EAGAIN, libemp_test(side->board, request, NULL));
    expect(-ETIMEDOUT, libemp_wait(side->board, request, 0, NULL));
    expect(-EBUSY, libemp_deregister(run->memory));
    expect(-EBUSY,
           libemp_start(side->board, side->pair->image, &(struct board_start_options){.node = 0}));
    expect(-EBUSY, libemp_attach(side->board));
    expect(0, libemp_cancel(side->board, request));
    expect(0, libemp_cancel(side->board, request));
    expect(-ECANCELED, libemp_wait(side->board, request, PATIENCE_NS, NULL));
    expect(-EINVAL, libemp_test(side->board, request, NULL));
    expect(-EINVAL, libemp_wait(side->board, request, PATIENCE_NS, NULL));
    expect(-EINVAL, libemp_cancel(side->board, request));
}

static void too_many(struct misuse_run *run, struct pair_side *side) {
    static libemp_request requests[EMP_DESCRIPTOR_LIMIT];
    const struct libemp_piece piece = {run->memory, 0, 64};
    libemp_request none;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++)
        expect(0, libemp_post_receive(side->board, 1, UNUSED_TAG, &piece, 1, &requests[i]));
    expect(-EAGAIN, libemp_post_receive(side->board, 1, UNUSED_TAG, &piece, 1, &none));
    expect(-EAGAIN, libemp_post_send(side->board, 1, UNUSED_TAG, &piece, 1, &none));
    for (size_t i = EMP_DESCRIPTOR_LIMIT; i-- > 0;)
        expect(0, libemp_cancel(side->board, requests[i]));
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++)
        expect(-ECANCELED, libemp_wait(side->board, requests[i], PATIENCE_NS, NULL));
    expect_true(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
}

/* A second handle leaves alone the requests of the first, whose owner may be dead. The first handle
 * makes no further call: its saved position of the window is now that of the second. */
static void second_handle(struct misuse_run *run, struct pair_side *side) {
    const struct libemp_piece piece = {run->memory, 0, 64};
    struct libemp_board *second = NULL;
    libemp_request request;
    expect(0, libemp_post_receive(side->board, 1, UNUSED_TAG, &piece, 1, &request));
    expect(0, libemp_open(&second, "sim:0", with_backend(run)));
    expect(0, libemp_attach(second));
    expect_true(libemp_descriptors_free(second) < libemp_descriptor_limit());
    expect(-EINVAL, libemp_test(second, request, NULL));
    expect(-EINVAL, libemp_cancel(second, request));
    libemp_abandon(second);
}

/* Any call with arguments near those of another moment. A request ends at most once. */
static void at_random(struct misuse_run *run, struct pair_side *side) {
    libemp_request pool[POOL] = {0};
    for (; run->left > 0; run->left--) {
        const uint64_t chance = tigon_random_next(&run->random);
        libemp_request *request = &pool[chance % POOL];
        const struct libemp_piece piece = {chance >> 16 & 15 ? run->memory : run->foreign,
                                           chance >> 20 & 0x7FFF, chance >> 36 & 0xFFF};
        const bool good = piece.memory == run->memory && piece.offset + piece.length <= AREA;
        const size_t free_before = libemp_descriptors_free(side->board);
        int error;
        switch (chance >> 8 & 3) {
        case 0:
            error = libemp_post_receive(side->board, 1, UNUSED_TAG, &piece, 1, request);
            expect_true(good ? error == 0 || error == -EAGAIN : error == -EINVAL);
            break;
        case 1:
            error = libemp_test(side->board, *request ^ (chance >> 48 & 7 ? 0 : 1U << 16), NULL);
            expect_true(error == -EAGAIN || error == -EINVAL || error == -ECANCELED);
            expect_true((libemp_descriptors_free(side->board) > free_before) ==
                        (error == -ECANCELED));
            break;
        default:
            error = libemp_cancel(side->board, *request);
            expect_true(error == 0 || error == -EINVAL);
            break;
        }
    }
    for (uint32_t index = 0; index < EMP_DESCRIPTOR_LIMIT; index++) {
        const struct libemp_slot *slot = &side->board->slots[index];
        const libemp_request request = (uint32_t)slot->generation << 16 | index;
        if (!slot->run)
            continue;
        expect(0, libemp_cancel(side->board, request));
        expect(-ECANCELED, libemp_wait(side->board, request, PATIENCE_NS, NULL));
    }
    expect_true(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
}

/* -------------------------------------------------------------------------------------------- Stop
 */

/* After libemp_stop no transfer reaches host memory, so no posted buffer is in use any more. */
static void stop(struct misuse_run *run, struct pair_side *side) {
    const libemp_request former = run->honest.slot[0][1][0].request;
    expect(0, libemp_stop(side->board));
    oracle_revoke(&run->wire.oracle, side->index);
    without_firmware(run, side);
    expect(-EINVAL, libemp_test(side->board, former, NULL));
    expect(-EIO, libemp_attach(side->board));
    tigon_host_sleep_ns(side->host, QUIET_NS);
    expect(0, libemp_stop(side->board));
}

/* The exchange ends amid messages. */
static void stop_soon(void *context) {
    struct misuse_run *run = context;
    run->honest.wrong = true;
}

static int misuse(struct misuse_run *run, struct pair_side *side) {
    static void (*const rounds[])(struct misuse_run *, struct pair_side *) = {
        opening, starting,       registering, posting_wrongly,
        asking,  spent_requests, too_many,    at_random};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        rounds[i](run, side);
    return 0;
}

static int prepare(struct misuse_run *run, struct pair_side *side) {
    struct libemp_memory *memory;
    uint8_t *area = libemp_allocate(side->board, AREA);
    const int error = area ? libemp_register(side->board, area, AREA, &memory) : -ENOMEM;
    if (error)
        return pair_fail(side, error, NULL);
    if (side->index == 1) {
        run->foreign = memory;
        return 0;
    }
    run->area = area;
    run->memory = memory;
    for (unsigned write = 0; write < 2; write++)
        oracle_grant(&run->wire.oracle, 0, AREA_GRANT + write, write, area, AREA);
    return 0;
}

static int program(struct pair_side *side, void *argument) {
    struct misuse_run *run = argument;
    struct honest *honest = &run->honest;
    int error = honest_open(honest, side);
    if (!error)
        error = prepare(run, side);
    honest_meet(honest, side);
    if (!error && side->index == 0)
        error = misuse(run, side);
    if (error)
        return error;
    if (!honest_more(honest, side, ROUND))
        return pair_fail(side, -EBADMSG, honest->words);
    honest_meet(honest, side);
    honest->limit[0] = honest->limit[1] = UINT64_MAX;
    honest_meet(honest, side);
    if (side->index == 0)
        tigon_world_call_at(run->wire.pair.world, tigon_host_now_ns(side->host) + STOP_AFTER_NS,
                            stop_soon, run);
    (void)honest_exchange(honest, side);
    honest_meet(honest, side);
    if (side->index == 0)
        stop(run, side);
    error = honest_restart(honest, side);
    if (!error && !honest_more(honest, side, ROUND))
        error = pair_fail(side, -EBADMSG, honest->words);
    if (!error && side->index == 0)
        second_handle(run, side);
    return error;
}

static void run_world(const struct attack *attack, uint64_t seed, uint64_t size,
                      struct world_result *result) {
    static struct misuse_run run;
    (void)attack;
    memset(&run, 0, sizeof run);
    run.left = size;
    run.result = result;
    run.random = tigon_random_for(seed, 3, 0);
    struct tigon_board *third = NULL;
    if (wire_open(&run.wire, false, seed, NULL) ||
        !(third = tigon_world_add_board(run.wire.pair.world))) {
        world_fail(result, "the world cannot be made: %s", run.wire.pair.side[0].message);
        return;
    }
    run.honest.oracle = &run.wire.oracle;
    tigon_host_start(tigon_board_host(third), "third", never_started, &run);
    (void)wire_run(&run.wire, program, program, &run, result);
    if (run.line)
        world_fail(result,
                   "tests/attack/misuse.c:%u: found %d (%s) instead of what libemp.h documents",
                   run.line, run.found, run.found < 0 ? strerror(-run.found) : "");
    if (run.wire.oracle.stray)
        world_fail(result, "%s (%" PRIu64 " stray transfers)", run.wire.oracle.words,
                   run.wire.oracle.stray);
    result->figures.messages += run.honest.stream[0].received + run.honest.stream[1].received;
    result->figures.transfers += run.wire.oracle.transfers;
    result->figures.late += run.wire.oracle.late;
    wire_close(&run.wire);
}

void misuse_attacks(struct attacks *list) {
    list->attack[list->count++] =
        (struct attack){.name = "libemp", .kind = "misuse", .run = run_world};
}
