/* SPDX-License-Identifier: MIT */
/*
 * The event loop of the shipped firmware (fw-runtime/port/tigon2/start.S): of several pending
 * events the most urgent one goes first, and goes to its own handler.
 *
 * An observer of the processor looks at every turn of the loop. The board is busy both ways, and
 * its host halts the processor now and then, so that events of all kinds pile up meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/core/cpu.h"
#include "sim/observe/symbols.h"
#include "tests/firmware/harness.h"

#define WATCHED       1u
#define TAG           3u
#define LIMIT_NS      8000000000u
#define CPU_A_STATE   0x140u
#define HALT          0x00010000u
#define ROUNDS        30u
#define AT_ONCE       4u
#define BYTES         20000u
#define FIRST_RECEIVE 100u
#define FIRST_SEND    200u
#define STEP          10u /* descriptors from one posting to the next: more than the longest needs */
#define FIRST_HALT_NS 20000u
#define LATER_NS      9000u
#define HALTED_NS     2500000u /* longer than a time-out */
#define ARRIVAL_NS    10000u   /* what the host has written has come to the board by then */
#define ENTRY_BYTES   8u       /* of the table: a jump and its delay slot */
#define EVENT_LIMIT   29u
#define NO_ADDRESS    0u

/* Event bits (tigon2.md 4). */
enum {
    EVENT_WORK = 3,
    EVENT_SLOT = 4,
    EVENT_RECEIVE = 6,
    EVENT_WRITE_DONE = 14,
    EVENT_READ_DONE = 15,
    EVENT_MAILBOX = 22,
    EVENT_TIMER = 28
};

#define BIT(event) (UINT32_C(1) << (event))

/* What serves each kind, and which less urgent kinds must have waited for it in this test. */
static const struct {
    const char *handler;
    unsigned event;
    uint32_t goes_before;
} kinds[] = {
    {"tigon2_on_work", EVENT_WORK, 0},
    {"tigon2_on_slot", EVENT_SLOT, BIT(EVENT_WORK)},
    {"tigon2_on_receive", EVENT_RECEIVE, BIT(EVENT_SLOT) | BIT(EVENT_WORK)},
    {"tigon2_on_write_done", EVENT_WRITE_DONE, BIT(EVENT_RECEIVE) | BIT(EVENT_SLOT)},
    {"tigon2_on_read_done", EVENT_READ_DONE, BIT(EVENT_RECEIVE) | BIT(EVENT_SLOT)},
    {"tigon2_on_mailbox", EVENT_MAILBOX, BIT(EVENT_WRITE_DONE) | BIT(EVENT_RECEIVE)},
    {"tigon2_on_timer", EVENT_TIMER, BIT(EVENT_MAILBOX) | BIT(EVENT_RECEIVE)},
};

struct watch {
    uint32_t choice; /* address of the loop's instruction that chooses */
    uint32_t table;
    uint32_t handler[EVENT_LIMIT]; /* NO_ADDRESS: not in `kinds` */
    uint32_t pending;              /* enabled events at the last choice */
    uint32_t delay_slot, next;     /* of the table's entry taken last; where its jump must lead */
    uint32_t waited[EVENT_LIMIT];  /* events that waited while this one was chosen, ever */
    unsigned long choices;
    unsigned wrong;
};

struct world {
    struct side side[2];
    struct watch watch;
    unsigned ready; /* rounds begun, of both */
};

struct start {
    struct world *world;
    unsigned node;
};

static unsigned highest(uint32_t bits) {
    unsigned bit = 0;
    while (bits >>= 1)
        bit++;
    return bit;
}

static void complain(struct watch *watch, const char *what, uint32_t pc) {
    if (watch->wrong++ == 0)
        print_error("%s at 0x%08x, pending events 0x%08x\n", what, pc, watch->pending);
}

static bool look(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct watch *watch = context;
    struct world *world = (struct world *)((char *)context - offsetof(struct world, watch));
    const struct tigon_cpu *cpu = tigon_board_cpu(world->side[WATCHED].board, core);
    (void)cycle;
    if (watch->next != NO_ADDRESS && pc != watch->delay_slot) {
        if (pc != watch->next)
            complain(watch, "another handler than that of the event begins", pc);
        watch->next = NO_ADDRESS;
    }
    if (pc == watch->choice) {
        watch->pending = cpu->gpr[8] & cpu->gpr[26];
    } else if (pc >= watch->table + ENTRY_BYTES &&
               pc < watch->table + ENTRY_BYTES * (1 + EVENT_LIMIT) &&
               (pc - watch->table) % ENTRY_BYTES == 0) {
        const unsigned event = (pc - watch->table) / ENTRY_BYTES - 1;
        watch->delay_slot = pc + 4;
        watch->next = watch->handler[event];
        watch->choices++;
        if (watch->pending == 0 || event != highest(watch->pending))
            complain(watch, "the loop has not chosen the highest event", pc);
        watch->waited[event] |= watch->pending & ~(1u << event);
    }
    return false;
}

static void find_addresses(struct watch *watch) {
    struct tigon_symbols *symbols = NULL;
    uint32_t loop = 0;
    assert_int_equal(tigon_symbols_load(&symbols, FIRMWARE_IMAGE, 0), 0);
    assert_true(tigon_symbols_value(symbols, "tigon2_event_loop", &loop));
    assert_true(tigon_symbols_value(symbols, "tigon2_event_table", &watch->table));
    watch->choice = loop + 4;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_true(
            tigon_symbols_value(symbols, kinds[i].handler, &watch->handler[kinds[i].event]));
    tigon_symbols_free(symbols);
}

static void wait_for_all(struct side *side) {
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        assert_int_equal(side_wait(side, FIRST_RECEIVE + STEP * i, NULL), EMP_RESULT_OK);
        assert_int_equal(side_wait(side, FIRST_SEND + STEP * i, NULL), EMP_RESULT_OK);
    }
}

/* The watched node posts its last receive while its processor is halted. Meanwhile frames come, its
 * time-out ends, and transfers that were under way end. */
static void exchange(struct side *side, struct buffer *out, struct buffer *in, uint64_t after_ns) {
    const unsigned peer = 1 - side->node;
    const unsigned before = side->node == WATCHED ? AT_ONCE - 1 : AT_ONCE;
    side_post_many(side, FIRST_RECEIVE, before, STEP, EMP_DIRECTION_RECEIVE, peer, TAG, in);
    side_post_many(side, FIRST_SEND, AT_ONCE, STEP, EMP_DIRECTION_SEND, peer, TAG, out);
    if (side->node == WATCHED) {
        tigon_host_sleep_ns(side->host, after_ns);
        tigon_host_write32(side->host, CPU_A_STATE, HALT);
        tigon_host_sleep_ns(side->host, HALTED_NS);
        side_post(side, FIRST_RECEIVE + STEP * before, EMP_DIRECTION_RECEIVE, peer, TAG,
                  &in[before]);
        tigon_host_sleep_ns(side->host, ARRIVAL_NS);
        side_release(side);
    }
    wait_for_all(side);
}

static int program(struct tigon_host *host, void *argument) {
    struct start *start = argument;
    struct world *world = start->world;
    struct side *side = &world->side[start->node];
    struct buffer out[AT_ONCE], in[AT_ONCE];
    side_start(side, FIRMWARE_IMAGE, 2);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        buffer_create(side, &out[i], BYTES, 0);
        buffer_create(side, &in[i], BYTES, 0);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        world->ready++;
        while (world->ready < 2 * (round + 1))
            tigon_host_sleep_ns(host, 10000);
        exchange(side, out, in, FIRST_HALT_NS + LATER_NS * round);
    }
    for (unsigned i = 0; i < AT_ONCE; i++) {
        free(out[i].page);
        free(in[i].page);
    }
    return 0;
}

static void the_most_urgent_event_goes_first(void **state) {
    struct world world = {0};
    struct start start[2];
    struct tigon_world *simulated = tigon_world_create(NULL, 7);
    struct tigon_cpu *cpu;
    enum tigon_end end;
    (void)state;
    find_addresses(&world.watch);
    for (unsigned i = 0; i < 2; i++)
        side_create(&world.side[i], tigon_world_add_board(simulated), i);
    assert_non_null(tigon_world_connect(simulated, world.side[0].board, world.side[1].board));
    for (unsigned i = 0; i < 2; i++) {
        start[i] = (struct start){&world, i};
        (void)tigon_host_start(world.side[i].host, "test", program, &start[i]);
    }
    cpu = tigon_board_cpu(world.side[WATCHED].board, 0);
    assert_true(tigon_cpu_add_observer(cpu, look, &world.watch));
    end = tigon_world_run(simulated, LIMIT_NS);
    if (end != TIGON_END_FINISHED)
        print_error("%s\n", tigon_world_report(simulated));
    assert_int_equal(end, TIGON_END_FINISHED);
    assert_int_equal(world.watch.wrong, 0);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const uint32_t waited = world.watch.waited[kinds[i].event];
        if ((waited & kinds[i].goes_before) != kinds[i].goes_before)
            print_error("no case of each: while event %u was chosen, 0x%08x waited\n",
                        kinds[i].event, waited);
        assert_int_equal(waited & kinds[i].goes_before, kinds[i].goes_before);
    }
    tigon_world_destroy(simulated);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_most_urgent_event_goes_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
