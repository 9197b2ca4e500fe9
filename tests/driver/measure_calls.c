/* SPDX-License-Identifier: MIT */
/* What the calls of libemp cost the host, trusted and protected, by the loop of paper 000, section
 * 5.2: post receives, post sends, compute, wait for all; messages of 10 kB, five each way.
 *
 * Register accesses cost what the simulated bus takes for them. Work of the processor costs what
 * struct libemp_costs says (host/emp/costs.c has the reasons), in protected mode:
 *     translate_call_ns  a system call with its copies
 *     call_ns            a request in libemp; as much in the driver, for a post and for
 *                        its collection
 *     descriptor_ns, entry_ns as in trusted mode
 * The first look of a wait at the program's own memory costs nothing, as in libemp_wait.
 * The driver's part is the code of the driver itself, host/driver/endpoint_submit.c. */
#include "host/demo/calls.h"
#include "tests/driver/shared_board.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 10240, ITERATIONS = 20, WARM_UP = 2, TAG = 7 };

#define WORK_NS  UINT64_C(2000000)
#define LIMIT_NS UINT64_C(60000000000)

/* Nanoseconds of one call. */
struct cost {
    double send;
    double receive;
    double wait;
};

struct loop {
    size_t batch; /* requests that libemp hands over with one system call */
    bool mixed;   /* receives go with the sends that are posted next: libemp_hold_receives */
    struct cost cost;
};

static struct shared_board boards[2];
static struct libemp_costs costs;

/* Requests that wait for their system call, and requests that have ended but were not collected. */
struct program {
    struct pair_side *side;
    struct shared_board *board;
    struct endpoint endpoint;
    const struct shared_memory *memory;
    uint32_t waiting[2 * CALLS_BATCH]; /* kinds */
    size_t waiting_count;
    uint32_t ended[2 * CALLS_BATCH];
    size_t ended_count;
    uint32_t posted[2 * CALLS_BATCH];
    size_t posted_count;
    uint64_t collecting_ps;
};

static int collect(struct program *program) {
    struct pair_side *side = program->side;
    const uint64_t start = tigon_host_now_ps(side->host);
    while (program->ended_count) {
        struct emp_ioctl_entry entry = {.kind = EMP_IOCTL_COLLECT,
                                        .request = program->ended[--program->ended_count]};
        tigon_host_spend_ns(side->host, costs.call_ns);
        need(shared_submit(program->board, &program->endpoint, &entry, NULL) == 0);
    }
    program->collecting_ps += tigon_host_now_ps(side->host) - start;
    return 0;
}

/* One system call: what has ended is collected, what waits is posted. */
static int submit(struct program *program) {
    struct pair_side *side = program->side;
    tigon_host_spend_ns(side->host, costs.translate_call_ns);
    need(collect(program) == 0);
    for (size_t i = 0; i < program->waiting_count; i++) {
        const size_t pages = (BYTES + EMP_PAGE_BYTES - 1) / EMP_PAGE_BYTES;
        tigon_host_spend_ns(side->host,
                            costs.call_ns + libemp_run_length(pages) * costs.descriptor_ns);
        need(shared_post(program->board, &program->endpoint, program->waiting[i], side->peer, TAG,
                         program->memory, 0, BYTES, &program->posted[program->posted_count]) == 0);
        program->posted_count++;
    }
    program->waiting_count = 0;
    return 0;
}

static int post(struct program *program, uint32_t kind, size_t batch) {
    struct pair_side *side = program->side;
    tigon_host_spend_ns(side->host, costs.call_ns);
    program->waiting[program->waiting_count++] = kind;
    if (program->waiting_count == batch)
        need(submit(program) == 0);
    return 0;
}

static int wait_all(struct program *program) {
    struct pair_side *side = program->side;
    const struct endpoint_table *table = &program->board->table;
    for (size_t i = 0; i < program->posted_count; i++) {
        const uint32_t descriptor = table->shares[0].first + (program->posted[i] & UINT16_MAX);
        while (*endpoint_end(&program->board->table, descriptor) ==
               table->slots[descriptor].posted.word)
            tigon_host_spend_ns(side->host, costs.test_ns);
        program->ended[program->ended_count++] = program->posted[i];
    }
    program->posted_count = 0;
    return 0;
}

static int exchange(struct pair_side *side, void *argument) {
    /* One of four ports has records for four sends, and the loop begins five. */
    static const struct endpoint_limits limits = {.ports = 2, .divides_time = true};
    static struct program programs[2];
    struct program *program = &programs[side->index];
    struct loop *loop = argument;
    uint64_t sums[3] = {0};
    memset(program, 0, sizeof *program);
    program->side = side;
    program->board = &boards[side->index];
    need(shared_open(program->board, side, &limits) == 0);
    need(endpoint_open(&program->board->table, &program->endpoint, 0) == 0);
    program->memory = shared_register(program->board, &program->endpoint, 0, BYTES);
    need(program->memory);
    for (size_t turn = 0; turn < WARM_UP + ITERATIONS; turn++) {
        if (turn == WARM_UP)
            memset(sums, 0, sizeof sums);
        program->collecting_ps = 0;
        const uint64_t start = tigon_host_now_ps(side->host);
        for (size_t i = 0; i < CALLS_BATCH; i++)
            need(post(program, EMP_IOCTL_RECEIVE, loop->mixed ? 2 * CALLS_BATCH : loop->batch) ==
                 0);
        const uint64_t received = tigon_host_now_ps(side->host) - program->collecting_ps;
        for (size_t i = 0; i < CALLS_BATCH; i++)
            need(post(program, EMP_IOCTL_SEND, loop->mixed ? 2 * CALLS_BATCH : loop->batch) == 0);
        const uint64_t sent = tigon_host_now_ps(side->host) - program->collecting_ps;
        tigon_host_spend_ns(side->host, WORK_NS);
        const uint64_t worked = tigon_host_now_ps(side->host);
        need(wait_all(program) == 0);
        sums[0] += received - start;
        sums[1] += sent - received;
        sums[2] += tigon_host_now_ps(side->host) - worked + program->collecting_ps;
    }
    if (side->index == 0) {
        const double posts = 1000.0 * CALLS_BATCH * ITERATIONS;
        loop->cost = (struct cost){.receive = (double)sums[0] / posts,
                                   .send = (double)sums[1] / posts,
                                   .wait = (double)sums[2] / posts / 2};
    }
    return 0;
}

static void print_row(const char *name, struct cost cost) {
    (void)printf("| %s | %.2f | %.2f | %.2f | %.1f |\n", name, cost.send / 1000,
                 cost.receive / 1000, cost.wait / 1000,
                 (cost.send + cost.receive + 2 * cost.wait) / 1000);
}

static int show_trusted(const char *name, bool translates, bool ends_in_memory) {
    struct calls calls[2];
    struct pair_options options;
    pair_options_defaults(&options);
    options.costs.translate_posts = translates;
    options.ends_in_memory = ends_in_memory;
    for (size_t i = 0; i < 2; i++)
        calls[i] = (struct calls){
            .options = {.bytes = BYTES, .iterations = ITERATIONS, .work_ns = WORK_NS}};
    const int error =
        shared_run(boards, &options, calls_run, &calls[0], calls_run, &calls[1], LIMIT_NS);
    if (!error)
        print_row(name, (struct cost){calls[0].send_ns, calls[0].receive_ns, calls[0].wait_ns});
    return error;
}

static int show_protected(const char *name, size_t batch, bool mixed) {
    struct loop loops[2] = {{.batch = batch, .mixed = mixed}, {.batch = batch, .mixed = mixed}};
    struct pair_options options;
    pair_options_defaults(&options);
    costs = options.costs;
    const int error =
        shared_run(boards, &options, exchange, &loops[0], exchange, &loops[1], LIMIT_NS);
    if (!error)
        print_row(name, loops[0].cost);
    return error;
}

int main(void) {
    int error;
    (void)printf("| microseconds of the host | send | receive | wait | a message each way |\n"
                 "|---|---|---|---|---|\n");
    print_row("EMP in the papers (EQ30 to EQ32)", (struct cost){53000, 9000, 3000});
    error = show_trusted("trusted, memory translated at each post, as in the papers", true, false);
    if (!error)
        error = show_trusted("trusted", false, false);
    if (!error)
        error = show_trusted("trusted, ends in memory", false, true);
    if (!error)
        error = show_protected("protected, a system call for each request", 1, false);
    if (!error)
        error = show_protected("protected, a system call for five", CALLS_BATCH, false);
    if (!error)
        error = show_protected("protected, a system call for all ten", 2 * CALLS_BATCH, true);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
