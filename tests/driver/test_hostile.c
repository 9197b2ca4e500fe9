/* SPDX-License-Identifier: MIT */
/* Random entries of a hostile application, beside one that exchanges messages: HOSTILE_ENTRIES says
 * how many (20 000). Every transfer of the board must lie in memory that is registered. */
#include "tests/host/check.h"

#include "tests/driver/shared_board.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 12, BYTES = 20000, PIECES = 9, REQUESTS = 64, MESSAGE = 3000, LIVES = 500 };

#define WAIT_NS  UINT64_C(1000000000)
#define LIMIT_NS UINT64_C(3600000000000)

static struct shared_board boards[2];
static const struct endpoint_limits limits = {.ports = 4, .linger_ns = 200000};
static struct endpoint honest[2];
static bool over;
static uint64_t accepted;
static uint64_t random_state = 88172645463325252U;

static uint32_t below(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % limit;
}

/* Of a fair entry near what makes sense, else at times anything. */
static bool fair;

static uint64_t number(uint32_t usual) {
    static const uint64_t borders[] = {0,          1,         4095,    4096,       UINT16_MAX,
                                       UINT32_MAX, INT32_MAX, 1671168, 1671169,    UINT64_MAX,
                                       INT64_MAX,  19999,     20000,   1ULL << 60, 409};
    switch (fair ? 2 : below(8)) {
    case 0:
        return borders[below(sizeof borders / sizeof *borders)];
    case 1:
        return (uint64_t)below(INT32_MAX) << 32 | below(INT32_MAX);
    default:
        return below(usual);
    }
}

static struct emp_ioctl_entry draw(const uint32_t *requests, struct emp_ioctl_piece *pieces) {
    fair = below(3) != 0;
    for (size_t i = 0; i < PIECES; i++)
        pieces[i] = (struct emp_ioctl_piece){.handle = (uint32_t)number(REGIONS),
                                             .length = (uint32_t)number(9000),
                                             .offset = number(BYTES - 9000)};
    return (struct emp_ioctl_entry){.kind = (uint32_t)number(5),
                                    .request = below(4) ? requests[below(REQUESTS)]
                                                        : (uint32_t)number(128),
                                    .peer = below(2) ? 1 : (uint32_t)number(20),
                                    .piece_count = below(PIECES + 1),
                                    .tag = number(3),
                                    .ignored = below(2) ? 0 : number(4)};
}

/* One life: memory, entries, death. Its memory is poisoned when the board has given all back. */
static int live(struct shared_board *own, struct endpoint *endpoint, uint64_t entries) {
    uint32_t requests[REQUESTS] = {0};
    struct emp_ioctl_piece pieces[PIECES];
    struct pair_side *side = own->side;
    need(endpoint_open(&own->table, endpoint, 1) == 0);
    own->memories = 1; /* the honest one's is the first */
    for (size_t i = 0; i < REGIONS; i++) {
        struct shared_memory *memory = &own->memory[own->memories];
        if (!memory->bytes) {
            need(shared_register(own, endpoint, i * 300, BYTES));
        } else {
            need(endpoint_add_region(endpoint, &memory->region, &memory->handle) == 0);
            memory->owner = endpoint;
            own->memories++;
        }
    }
    for (uint64_t i = 0; i < entries; i++) {
        struct emp_ioctl_entry entry = draw(requests, pieces);
        if (shared_submit(own, endpoint, &entry, pieces) == 0) {
            accepted++;
            if (entry.kind <= EMP_IOCTL_PEEK)
                requests[i % REQUESTS] = entry.request;
        }
        if (below(64) == 0) {
            struct endpoint_region *region;
            const uint32_t handle = below(REGIONS);
            if (endpoint_remove_region(endpoint, handle, &region) == 0)
                need(endpoint_add_region(endpoint, region, &(uint32_t){0}) == 0);
        }
        tigon_host_spend_ns(side->host, 500);
    }
    shared_lock(own);
    endpoint_close(endpoint, board_now_ns(own->board));
    shared_unlock(own);
    need(shared_drain(own, WAIT_NS * 10) == 0);
    need(own->table.shares[1].free == own->table.shares[1].count);
    need(own->table.shares[1].sends == 0);
    return 0;
}

static int be_hostile(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[0];
    static struct endpoint endpoint;
    const uint64_t entries = *(const uint64_t *)argument;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &honest[0], 0) == 0);
    struct shared_memory *memory = shared_register(own, &honest[0], 0, MESSAGE);
    need(memory);
    uint32_t round = 0;
    for (uint64_t done = 0; done < entries; done += LIVES, round++) {
        uint32_t request;
        struct emp_ioctl_entry end;
        memset(memory->bytes, (int)(round & 0x7F), MESSAGE);
        need(shared_post(own, &honest[0], EMP_IOCTL_SEND, 1, round, memory, 0, MESSAGE, &request) ==
             0);
        const int error = live(own, &endpoint, LIVES);
        if (error)
            return error;
        need(shared_wait(own, &honest[0], request, WAIT_NS, &end) == 0);
    }
    over = true;
    return 0;
}

/* Takes the honest messages; on port 1 it takes some, too, so that hostile ones are delivered. */
static int be_honest(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[1];
    static struct endpoint other;
    const uint64_t rounds = (*(const uint64_t *)argument + LIVES - 1) / LIVES;
    uint32_t requests[2];
    struct emp_ioctl_entry end;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &honest[1], 0) == 0 &&
         endpoint_open(&own->table, &other, 1) == 0);
    struct shared_memory *memory = shared_register(own, &honest[1], 0, MESSAGE);
    struct shared_memory *any = shared_register(own, &other, 0, BYTES);
    need(memory && any);
    const struct emp_ioctl_piece piece = {any->handle, BYTES, 0};
    struct emp_ioctl_entry all = {.kind = EMP_IOCTL_RECEIVE,
                                  .peer = EMP_IOCTL_ANY_SOURCE,
                                  .piece_count = 1,
                                  .ignored = (UINT64_C(1) << EMP_IOCTL_TAG_BITS) - 1};
    need(shared_submit(own, &other, &all, &piece) == 0);
    for (uint32_t round = 0; round < rounds; round++) {
        need(shared_post(own, &honest[1], EMP_IOCTL_RECEIVE, 0, round, memory, 0, MESSAGE,
                         &requests[0]) == 0);
        need(shared_wait(own, &honest[1], requests[0], LIMIT_NS, &end) == 0);
        for (size_t i = 0; i < MESSAGE; i++)
            need(memory->bytes[i] == (round & 0x7F));
        if (shared_wait(own, &other, all.request, 0, &end) != -ETIMEDOUT)
            need(shared_submit(own, &other, &all, &piece) == 0);
    }
    return 0;
}

static void only_registered_memory_is_reached(void **state) {
    const char *text = getenv("HOSTILE_ENTRIES");
    uint64_t entries = text ? strtoull(text, NULL, 0) : 20000;
    (void)state;
    const int error = shared_run(boards, NULL, be_hostile, &entries, be_honest, &entries, LIMIT_NS);
    for (unsigned i = 0; i < 2; i++)
        print_message("board %u: %llu transfers, %llu stray\n", i,
                      (unsigned long long)boards[i].transfers, (unsigned long long)boards[i].stray);
    print_message("%llu entries, %llu accepted\n", (unsigned long long)entries,
                  (unsigned long long)accepted);
    assert_int_equal(error, 0);
    assert_true(over);
    assert_int_equal(boards[0].stray + boards[1].stray, 0);
    assert_true(accepted > entries / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_registered_memory_is_reached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
