/* SPDX-License-Identifier: MIT */
/* The world: ends of a run, order between cores, events and hosts, determinism of everything. */
#include "tests/sim_devices/bench.h"
#include "tests/sim_cpu/assemble.h"

static void start_core(struct tigon_board *board, unsigned core, uint32_t address) {
    set_reg(board, 0x144 + 0x100 * core, address);
    set_reg(board, 0x140 + 0x100 * core, 0);
}

static int sleeper(struct tigon_host *host, void *argument) {
    tigon_host_sleep_ns(host, *(uint64_t *)argument);
    return 0;
}

static int for_ever(struct tigon_host *host, void *argument) {
    (void)argument;
    tigon_host_wait_interrupt(host, UINT64_MAX);
    return 0;
}

static void test_ends(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    uint64_t ns = 5000;
    tigon_host_start(tigon_board_host(bench->board), "sleeper", sleeper, &ns);
    assert_int_equal(tigon_world_run(bench->world, 4999), TIGON_END_TIME_LIMIT);
    assert_int_equal(tigon_world_now_ns(bench->world), 4999);
    assert_int_equal(tigon_world_run(bench->world, 6000), TIGON_END_FINISHED);
    assert_int_equal(tigon_world_now_ns(bench->world), 5000);
    tigon_host_start(tigon_board_host(bench->board), "waits", for_ever, NULL);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_ASLEEP);
    assert_non_null(
        strstr(tigon_world_report(bench->world), "\"waits\" is waiting for an interrupt"));
    bench_destroy(bench); /* with a program on its stack */
}

static void write_flag(void *context) {
    const uint32_t next = tigon_board_peek32(context, 0x300) + 1;
    tigon_board_poke32(context, 0x300, next);
}

/* An event that a core cancels bounds no core: the next event finds the cores where they would be
 * without it. At 20 us core A cancels its timer's, due at 50 us, and counts turns until a word is
 * written at 100 us. */
static void test_event_taken_back(void **state) {
    (void)state;
    uint32_t turns[2];
    for (unsigned timer = 0; timer < 2; timer++) {
        struct bench *bench = bench_make(1, NULL);
        PLACE(bench->board, 0x4000, LUI(GP, 0xC000), ADDIU(T0, ZERO, timer ? 50 : 0),
              SW(T0, 0x58, GP),                                                   /* */
              /* 400C: */ LW(T1, 0x300, ZERO), BEQ(T1, ZERO, -2), NOP,            /* until 20 us */
              SW(ZERO, 0x58, GP), ADDIU(T2, ZERO, 1),                             /* */
              /* 4020: */ LW(T1, 0x300, ZERO), BEQ(T1, T2, -2), ADDIU(V0, V0, 1), /* 100 us */
              SW(V0, 0x304, ZERO), HALT);
        start_core(bench->board, 0, 0x4000);
        tigon_world_call_at(bench->world, 20000, write_flag, bench->board);
        tigon_world_call_at(bench->world, 100000, write_flag, bench->board);
        assert_int_equal(tigon_world_run(bench->world, 200000), TIGON_END_TIME_LIMIT);
        turns[timer] = tigon_board_peek32(bench->board, 0x304);
        bench_destroy(bench);
    }
    assert_in_range(turns[0], 100, 80 * 88);
    assert_int_equal(turns[0], turns[1]);
}

/* ... nor the end of a run, when it was armed during the run: boards that wait for each other check
 * in between for the next event. */
static void test_event_taken_back_in_a_run(void **state) {
    (void)state;
    uint32_t turns[2];
    for (unsigned timer = 0; timer < 2; timer++) {
        struct bench *bench = bench_make(2, NULL);
        PLACE(bench->board, 0x4000, LUI(GP, 0xC000), ADDIU(T0, ZERO, timer ? 50 : 0), /* */
              ADDIU(T1, ZERO, 300), ADDIU(T1, T1, -1), BNE(T1, ZERO, -2), NOP, /* some 10 us */
              SW(T0, 0x58, GP),                                                /* */
              ADDIU(T1, ZERO, 600), ADDIU(T1, T1, -1), BNE(T1, ZERO, -2), NOP, /* some 20 us */
              SW(ZERO, 0x58, GP),                                              /* */
              /* 4030: */ ADDIU(V0, V0, 1), J(0x4030), SW(V0, 0x300, ZERO));
        PLACE(bench->peer, 0x4000, ADDIU(V0, V0, 1), J(0x4000), SW(V0, 0x300, ZERO));
        start_core(bench->board, 0, 0x4000);
        start_core(bench->peer, 0, 0x4000);
        assert_int_equal(tigon_world_run(bench->world, 100000), TIGON_END_TIME_LIMIT);
        turns[timer] = tigon_board_peek32(bench->board, 0x300);
        bench_destroy(bench);
    }
    assert_in_range(turns[0], 100, 80 * 88);
    assert_int_equal(turns[0], turns[1]);
}

/* ... also when no other is left */
static void test_last_event_taken_back(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    PLACE(bench->board, 0x4000, LUI(GP, 0xC000), ADDIU(T0, ZERO, 50), SW(T0, 0x58, GP),
          LW(T1, 0x300, ZERO), BEQ(T1, ZERO, -2), NOP, SW(ZERO, 0x58, GP), HALT);
    start_core(bench->board, 0, 0x4000);
    tigon_world_call_at(bench->world, 20000, write_flag, bench->board);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_ASLEEP);
    assert_true(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALTED);
    bench_destroy(bench);
}

static void start_peer(void *context, const struct tigon_board *board, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct bench *bench = context;
    (void)ticks;
    if (board == bench->board && signal == TIGON_SIGNAL_EVENT_A && value != 0)
        start_core(bench->peer, 0, 0x4000);
}

/* An observer may start a core of another board in the middle of a run without events. */
static void test_core_started_from_outside(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    PLACE(bench->board, 0x4000, LUI(GP, 0xC000), ADDIU(T0, ZERO, 0x100), SW(T0, 0x60, GP),
          J(0x400C), NOP);
    PLACE(bench->peer, 0x4000, ADDIU(V0, V0, 1), J(0x4000), SW(V0, 0x300, ZERO));
    start_core(bench->board, 0, 0x4000);
    tigon_world_set_signal_hook(bench->world, start_peer, bench);
    assert_int_equal(tigon_world_run(bench->world, 100000), TIGON_END_TIME_LIMIT);
    assert_in_range(tigon_board_peek32(bench->peer, 0x300), 500, 100 * 88);
    bench_destroy(bench);
}

static void stop_it(void *context) {
    tigon_world_stop(context);
}

static void test_stop(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    tigon_board_poke32(bench->board, 0x4000, J(0x4000));
    start_core(bench->board, 0, 0x4000);
    tigon_world_call_at(bench->world, 777, stop_it, bench->world);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_STOPPED);
    assert_int_equal(tigon_world_now_ns(bench->world), 777);
    bench_destroy(bench);
}

/* tigon2.md 14 row 16: a fault stops the core, the host sees it, the report names the place */
static void test_fault(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    PLACE(bench->board, 0x4000, LUI(V0, 0xDEAD), LW(V1, 0, V0), NOP);
    start_core(bench->board, 1, 0x4000);
    assert_int_equal(tigon_world_run(bench->world, 100000), TIGON_END_FAULT);
    const char *report = tigon_world_report(bench->world);
    assert_non_null(strstr(report, "core B: pc 00004004"));
    assert_non_null(strstr(report, "invalid data address"));
    assert_non_null(strstr(report, "DEAD0000"));
    assert_true(reg(bench->board, 0x240) & 1u << 22);
    bench_destroy(bench);
}

/* A core in the dispatch loop of tigon2.md 1.3 copies mailbox 2 to SRAM 0x300 and clears the bit;
 * it parks between. */
static void place_mailbox_loop(struct tigon_board *board) {
    PLACE(board, 0x4000, LUI(GP, 0xC000),       /* */
          LW(V0, 0x60, GP),                     /* 4004: poll */
          BEQ(V0, ZERO, -2), NOP,               /* */
          LW(T0, 0x114, ZERO),                  /* mailbox 2, low word */
          ADDIU(T1, ZERO, 4), SW(T1, 0x64, GP), /* clear its event */
          SW(T0, 0x300, ZERO), J(0x4004), NOP);
    start_core(board, 0, 0x4000);
}

static int mailbox_writer(struct tigon_host *host, void *argument) {
    uint64_t *answer = argument;
    tigon_host_sleep_ns(host, 1000000);
    tigon_host_write32(host, 0x514, 42);
    while (tigon_host_read32(host, 0x700) != 42)
        ;
    *answer = tigon_host_now_ns(host) - 1000000;
    return 0;
}

/* An idle core parks, wakes for the mailbox, and counts as if it had never slept */
static void test_idle_core(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    uint64_t answer = 0;
    place_mailbox_loop(bench->board);
    tigon_host_start(tigon_board_host(bench->board), "writer", mailbox_writer, &answer);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_FINISHED);
    assert_in_range(answer, 1000, 2200);
    struct tigon_statistics statistics;
    tigon_board_statistics(bench->board, &statistics);
    const uint64_t cycles = tigon_world_now_ticks(bench->world) / 125;
    assert_in_range(statistics.core[0].cycles, cycles - 2, cycles + 2);
    assert_in_range(statistics.core[0].parked_cycles, cycles - 2000, cycles);
    assert_in_range(statistics.core[0].instructions, cycles / 4,
                    cycles); /* three per poll of six cycles or so */
    assert_int_equal(statistics.mailbox_writes, 1);
    bench_destroy(bench);
}

/* A core's own events come before its later actions: a manual DMA completes while it polls. */
static void test_core_sees_own_dma(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    uint8_t *memory = tigon_host_pointer(tigon_board_host(board), 8192);
    memory[0] = 0x77;
    /* By SRAM, not by register: the core watches the byte that the DMA will write. */
    PLACE(board, 0x4000, LUI(GP, 0xC000), ADDIU(T0, ZERO, 8192), SW(T0, 0x94, GP),
          ORI(T0, ZERO, 0x8000), SW(T0, 0xB4, GP), ADDIU(T1, ZERO, 1), SW(T1, 0x9C, GP),
          ADDIU(T1, ZERO, 0x84), SW(T1, 0xB0, GP), LBU(V0, 0, T0), BEQ(V0, ZERO, -2), NOP,
          LW(V1, 0x54, GP), HALT);
    start_core(board, 0, 0x4000);
    set_reg(board, 0x054, 0);
    assert_int_equal(tigon_world_run(bench->world, 1000000), TIGON_END_TIME_LIMIT);
    assert_int_equal(reg(board, 0x188), 0x77);
    const uint64_t cycle = tigon_board_cpu(board, 0)->cycle;
    assert_in_range(cycle, 60, 90 + 40); /* 700 ns are 62 cycles */
    bench_destroy(bench);
}

/* Two cores contend for the lock of tigon2.md 3.4 to increment a word each 200 times: no increment
 * is lost */
static void place_counter(struct tigon_board *board, unsigned core, uint32_t address) {
    const int32_t face = core ? 0x4C : 0x48;
    PLACE(board, address, LUI(GP, 0xC000), ADDIU(T2, ZERO, 200), SW(GP, face, GP),
          LW(V0, face, GP),       /* take */
          BEQ(V0, ZERO, -3), NOP, /* */
          LW(T0, 0x300, ZERO), NOP, NOP, NOP, ADDIU(T0, T0, 1), SW(T0, 0x300, ZERO),
          SW(GP, face, GP), /* release */
          ADDIU(T2, T2, -1), BNE(T2, ZERO, -13), NOP, HALT);
    start_core(board, core, address);
}

static void test_semaphore_between_cores(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    place_counter(bench->board, 0, 0x4000);
    place_counter(bench->board, 1, 0x5000);
    assert_int_equal(tigon_world_run(bench->world, 10000000), TIGON_END_TIME_LIMIT);
    assert_true(reg(bench->board, 0x140) & 1u << 18);
    assert_true(reg(bench->board, 0x240) & 1u << 18);
    assert_int_equal(tigon_board_peek32(bench->board, 0x300), 400);
    struct tigon_statistics statistics;
    tigon_board_statistics(bench->board, &statistics);
    for (unsigned core = 0; core < 2; core++) {
        const struct tigon_core_statistics *counted = &statistics.core[core];
        assert_int_equal(counted->locks_taken, 200);
        assert_in_range(counted->lock_waits, 1, 200);
        assert_in_range(counted->lock_wait_cycles, counted->lock_waits, counted->cycles / 2);
        assert_true(counted->sram_wait_cycles <= counted->stall_cycles);
    }
    bench_destroy(bench);
}

/* B raises a software event in A's word (tigon2.md 3.4); A, parked, wakes. */
static void test_event_between_cores(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    PLACE(board, 0x4000, LUI(GP, 0xC000), LW(V0, 0x60, GP), BEQ(V0, ZERO, -2), NOP, HALT);
    PLACE(board, 0x5000, LUI(GP, 0xC000), ADDIU(T0, ZERO, 2000), ADDIU(T0, T0, -1),
          BNE(T0, ZERO, -2), NOP, ADDIU(T0, ZERO, 0x80), SW(T0, 0x60, GP), HALT);
    start_core(board, 0, 0x4000);
    start_core(board, 1, 0x5000);
    assert_int_equal(tigon_world_run(bench->world, 1000000), TIGON_END_TIME_LIMIT);
    assert_true(reg(board, 0x140) & 1u << 18);
    assert_int_equal(reg(board, 0x188), 0x80);
    struct tigon_statistics statistics;
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.core[0].software_events, 1);
    assert_int_equal(statistics.core[1].software_events, 0);
    bench_destroy(bench);
}

/* A frame echo in firmware: each side sends what it received back, by the software of tigon2.md 6.1
 * and 6.2, with the CPU writing HW[0D4]. Host programs start it and watch; wires lose nothing. */
struct traffic {
    uint64_t hash;
    uint64_t signals;
    /* Ordered per source: the order between sources depends on how far cores run ahead. */
    uint64_t signal_hash[2][TIGON_SIGNAL_COUNT];
};

static void mix_into(uint64_t *hash, uint64_t value) {
    *hash = (*hash ^ value) * 0x100000001B3u;
}

static void mix(struct traffic *traffic, uint64_t value) {
    mix_into(&traffic->hash, value);
}

static void hash_signal(void *context, const struct tigon_board *board, enum tigon_signal signal,
                        uint32_t value, uint64_t ticks) {
    struct traffic *traffic = context;
    traffic->signals++;
    uint64_t *hash = &traffic->signal_hash[tigon_board_index(board)][signal];
    mix_into(hash, value);
    mix_into(hash, ticks);
}

static void hash_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct traffic *traffic = context;
    mix(traffic, frame->time_ticks);
    mix(traffic, fate);
    for (size_t i = 0; i < frame->length; i++)
        mix(traffic, frame->bytes[i]);
}

static int busy_host(struct tigon_host *host, void *argument) {
    (void)argument;
    uint64_t address, pages[4];
    uint8_t *memory = tigon_host_allocate(host, 8192, &address);
    tigon_host_allocate_pages(host, 16384, pages);
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < 60; i++) {
        struct tigon_board *board = tigon_host_board(host);
        struct tigon_world *world = tigon_host_world(host);
        struct tigon_board *other = tigon_world_board(world, 1 - tigon_board_index(board));
        const uint32_t length = 60 + i * 131 % 1400;
        make_frame(other, memory, length, i);
        send_from_host(board, address, &local, length);
        queue_dma(board, TIGON_DMA_WRITE, pages[i % 4], R_BASE, 600 + i, WRITE_WORDS);
        tigon_host_write32(host, 0x514, i);
        tigon_host_spend_ns(host, 100ull * (i % 7));
        tigon_host_read32(host, 0x0E0);
        tigon_host_sleep_ns(host, 15000);
        tigon_host_write32(host, 0x108, tigon_host_read32(host, 0x104));
        tigon_host_write32(host, 0x128, tigon_host_read32(host, 0x124));
        tigon_host_write32(host, 0x0E8, tigon_host_read32(host, 0x0E0));
        tigon_host_write32(host, 0x0C8, tigon_host_read32(host, 0x0C4));
    }
    return 0;
}

static void run_traffic(uint64_t seed, uint64_t slice, struct traffic *traffic) {
    struct tigon_knobs knobs;
    tigon_knobs_defaults(&knobs);
    knobs.host_memory_bytes = 1u << 20;
    knobs.wire_loss = 0.1;
    knobs.wire_delay = 0.1;
    knobs.wire_corrupt_silent = 0.05;
    struct bench bench = {.world = tigon_world_create(&knobs, seed)};
    bench.board = tigon_world_add_board(bench.world);
    bench.peer = tigon_world_add_board(bench.world);
    bench.wire = tigon_world_connect(bench.world, bench.board, bench.peer);
    memset(traffic, 0, sizeof *traffic);
    tigon_world_set_signal_hook(bench.world, hash_signal, traffic);
    tigon_wire_set_tap(bench.wire, hash_frame, traffic);
    bring_up(bench.board);
    bring_up(bench.peer);
    link_up(&bench);
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_board *board = i ? bench.peer : bench.board;
        place_mailbox_loop(board);
        PLACE(board, 0x5000, LUI(GP, 0xC000), ADDIU(T0, T0, 1), SW(T0, 0x308, ZERO),
              LW(T1, 0x54, GP), J(0x5004), NOP);
        start_core(board, 1, 0x5000);
        tigon_host_start(tigon_board_host(board), "busy", busy_host, NULL);
    }
    /* In slices or in one go: where a run is interrupted must not show. */
    enum tigon_end end = TIGON_END_TIME_LIMIT;
    for (uint64_t limit = slice; end == TIGON_END_TIME_LIMIT; limit += slice)
        end = tigon_world_run(bench.world, limit);
    assert_int_equal(end, TIGON_END_FINISHED);
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_statistics statistics;
        tigon_board_statistics(tigon_world_board(bench.world, i), &statistics);
        for (size_t k = 0; k < sizeof statistics / 8; k++)
            mix(traffic, ((const uint64_t *)&statistics)[k]);
        mix(traffic, tigon_board_peek32(tigon_world_board(bench.world, i), 0x308));
    }
    for (unsigned i = 0; i < 2; i++)
        for (unsigned signal = 0; signal < TIGON_SIGNAL_COUNT; signal++)
            mix(traffic, traffic->signal_hash[i][signal]);
    mix(traffic, tigon_world_now_ticks(bench.world));
    tigon_world_destroy(bench.world);
}

static void test_determinism(void **state) {
    (void)state;
    struct traffic first, again, sliced, other;
    run_traffic(7, UINT64_MAX / 4, &first);
    run_traffic(7, UINT64_MAX / 4, &again);
    run_traffic(7, 977, &sliced);
    run_traffic(8, UINT64_MAX / 4, &other);
    assert_true(first.signals > 500);
    assert_int_equal(first.hash, again.hash);
    assert_int_equal(first.hash, sliced.hash);
    assert_int_not_equal(first.hash, other.hash);
}

struct numbered {
    struct tigon_event event;
    unsigned number; /* of its scheduling */
    unsigned **next;
};

static void note_number(void *context, uint64_t ticks) {
    const struct numbered *numbered = context;
    (void)ticks;
    *(*numbered->next)++ = numbered->number;
}

enum { EVENTS = 700 };

static struct numbered *earliest_of(struct numbered *events) {
    struct numbered *found = NULL;
    for (unsigned i = 0; i < EVENTS; i++)
        if (tigon_event_pending(&events[i].event) &&
            (!found || events[i].event.ticks < found->event.ticks ||
             (events[i].event.ticks == found->event.ticks && events[i].number < found->number)))
            found = &events[i];
    return found;
}

/* Events are scheduled, moved, cancelled and fired, few and many at a time, near and far. Each
 * event fired is the one that a search of all pending events finds. */
static void test_schedule(void **state) {
    (void)state;
    struct tigon_schedule schedule;
    static struct numbered events[EVENTS];
    unsigned fired, *next, number = 0, most = 0, pending = 0;
    uint64_t random = 3, now = 0;
    tigon_schedule_initialise(&schedule);
    for (unsigned i = 0; i < EVENTS; i++) {
        events[i] = (struct numbered){.next = &next};
        tigon_event_initialise(&events[i].event, note_number, &events[i]);
    }
    for (unsigned step = 0; step < 60000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        struct numbered *chosen = &events[(random >> 33) % EVENTS];
        const bool was_pending = tigon_event_pending(&chosen->event);
        const unsigned act = (unsigned)(random >> 60);
        if (act < (step / 6000 % 2 ? 4u : 11u)) { /* the queue grows and shrinks */
            chosen->number = number++;
            tigon_schedule_at(&schedule, &chosen->event,
                              now + (random >> 20) % (act < 3 ? 4 : 5000));
            pending += !was_pending;
        } else if (act < 13) {
            const struct numbered *expected = earliest_of(events);
            assert_int_equal(tigon_schedule_next(&schedule),
                             expected ? expected->event.ticks : UINT64_MAX);
            if (!expected)
                continue;
            now = expected->event.ticks;
            next = &fired;
            tigon_schedule_fire(&schedule);
            assert_int_equal(fired, expected->number);
            pending--;
        } else {
            tigon_schedule_cancel(&schedule, &chosen->event);
            pending -= was_pending;
        }
        most = pending > most ? pending : most;
    }
    assert_true(most > 400);
    tigon_schedule_free(&schedule);
    for (unsigned i = 0; i < EVENTS; i++)
        assert_false(tigon_event_pending(&events[i].event));
}

/* Events of one tick fire in the order of scheduling, also among many of other ticks, and one that
 * is scheduled again comes last */
static void test_schedule_ties(void **state) {
    (void)state;
    struct tigon_schedule schedule;
    struct numbered events[300];
    unsigned seen[300], *next = seen, number = 0;
    tigon_schedule_initialise(&schedule);
    for (unsigned i = 0; i < 300; i++) {
        events[i] = (struct numbered){.number = number++, .next = &next};
        tigon_event_initialise(&events[i].event, note_number, &events[i]);
        tigon_schedule_at(&schedule, &events[i].event, 100 - i * 7 % 5);
    }
    for (unsigned i = 0; i < 300; i += 11) {
        events[i].number = number++;
        tigon_schedule_at(&schedule, &events[i].event, 100 - i * 3 % 5);
    }
    uint64_t ticks[400] = {0};
    for (unsigned i = 0; i < 300; i++)
        ticks[events[i].number] = events[i].event.ticks;
    for (unsigned i = 0; i < 300; i++)
        tigon_schedule_fire(&schedule);
    assert_int_equal(tigon_schedule_next(&schedule), UINT64_MAX);
    for (unsigned i = 1; i < 300; i++) {
        assert_true(ticks[seen[i - 1]] <= ticks[seen[i]]);
        assert_true(ticks[seen[i - 1]] < ticks[seen[i]] || seen[i - 1] < seen[i]);
    }
    /* An event may be due never. */
    tigon_schedule_at(&schedule, &events[0].event, UINT64_MAX);
    tigon_schedule_at(&schedule, &events[1].event, 1);
    assert_int_equal(tigon_schedule_next(&schedule), 1);
    tigon_schedule_cancel(&schedule, &events[1].event);
    assert_true(tigon_event_pending(&events[0].event));
    tigon_schedule_free(&schedule);
    assert_false(tigon_event_pending(&events[0].event));
}

/* sim/time.h */
static void test_time(void **state) {
    (void)state;
    assert_int_equal(tigon_ticks_from_ns(1000000000), TIGON_TICKS_PER_SECOND);
    assert_int_equal(tigon_ticks_from_cycles(88000000), TIGON_TICKS_PER_SECOND);
    assert_int_equal(tigon_cycle_at_or_after(0), 0);
    assert_int_equal(tigon_cycle_at_or_after(1), 1);
    assert_int_equal(tigon_cycle_at_or_after(125), 1);
    assert_int_equal(tigon_ps_from_ticks(125), 11363);
    assert_true(tigon_ticks_from_ns(UINT64_MAX) == TIGON_NEVER);
    assert_true(tigon_add_ticks(TIGON_NEVER - 1, 5) == TIGON_NEVER);
}

int world_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_core_started_from_outside),
        cmocka_unit_test(test_event_taken_back),
        cmocka_unit_test(test_event_taken_back_in_a_run),
        cmocka_unit_test(test_last_event_taken_back),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_idle_core),
        cmocka_unit_test(test_core_sees_own_dma),
        cmocka_unit_test(test_semaphore_between_cores),
        cmocka_unit_test(test_event_between_cores),
        cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_schedule_ties),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
