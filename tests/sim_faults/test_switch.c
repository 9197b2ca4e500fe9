/* SPDX-License-Identifier: MIT */
/* A switch: links, learning, flooding, ageing, queues, PAUSE, and its time. */
#include "tests/sim_faults/groups.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/observer.h"

#define BOARDS     4u
#define LINK_UP_NS 25000000u /* a port waits two link timers of 10 ms for a peer without words */

struct net {
    struct tigon_knobs knobs;
    struct tigon_world *world;
    struct tigon_switch *box;
    struct tigon_board *boards[BOARDS];
    struct tigon_wire *wires[BOARDS];
    uint32_t local[BOARDS];
    uint64_t last_arrival_ns;
    unsigned arrivals[BOARDS + 2]; /* test_chain adds two */
};

static void note_arrival(void *context, const struct tigon_arrival *arrival) {
    struct net *net = context;
    net->last_arrival_ns = tigon_ns_from_ticks(arrival->ticks);
    net->arrivals[tigon_board_index(arrival->board)]++;
}

static void pass(struct net *net, uint64_t ns) {
    assert_int_equal(tigon_world_run(net->world, tigon_world_now_ns(net->world) + ns),
                     TIGON_END_TIME_LIMIT);
}

static struct net *make(const char *const *assignments) {
    struct net *net = calloc(1, sizeof *net);
    assert_non_null(net);
    tigon_knobs_defaults(&net->knobs);
    assert_int_equal(tigon_knobs_assign(&net->knobs, "host_memory_bytes=1M"), 0);
    while (assignments && *assignments)
        assert_int_equal(tigon_knobs_assign(&net->knobs, *assignments++), 0);
    net->world = tigon_world_create(&net->knobs, 1);
    net->box = tigon_world_add_switch(net->world, BOARDS);
    for (unsigned i = 0; i < BOARDS; i++) {
        net->boards[i] = tigon_world_add_board(net->world);
        net->wires[i] = tigon_world_connect_port(net->world, net->boards[i], net->box, i);
        assert_non_null(net->wires[i]);
        net->local[i] = T_BASE;
        bring_up(net->boards[i]);
        set_reg(net->boards[i], 0x238, SERDES_NORMAL);
    }
    const struct tigon_observer observer = {.context = net, .arrival = note_arrival};
    assert_int_equal(tigon_world_attach(net->world, &observer), 0);
    return net;
}

static void destroy(struct net *net) {
    tigon_world_destroy(net->world);
    free(net);
}

static struct net *make_up(const char *const *assignments) {
    struct net *net = make(assignments);
    pass(net, LINK_UP_NS);
    for (unsigned i = 0; i < BOARDS; i++)
        assert_true(tigon_switch_port_up(net->box, i));
    return net;
}

/* Sends one frame from a board; `to` of NULL: to everybody. */
static void send(struct net *net, unsigned from, const struct tigon_board *to, uint32_t length) {
    struct tigon_board *board = net->boards[from];
    uint8_t *bytes = tigon_host_pointer(tigon_board_host(board), 4096);
    make_frame(to ? to : board, bytes, length, from);
    if (!to)
        memset(bytes, 0xFF, 6);
    tigon_board_mac_address(board, bytes + 6);
    send_from_host(board, 4096, &net->local[from], length);
}

static void drain(struct tigon_board *board) {
    set_reg(board, 0x108, reg(board, 0x104));
    set_reg(board, 0x0E8, reg(board, 0x0E0));
    set_reg(board, 0x0C8, reg(board, 0x0C4));
}

static uint64_t received_by(const struct net *net, unsigned board) {
    struct tigon_statistics statistics;
    tigon_board_statistics(net->boards[board], &statistics);
    return statistics.receive_frames;
}

static struct tigon_switch_statistics port(const struct net *net, unsigned number) {
    struct tigon_switch_statistics statistics;
    tigon_switch_statistics(net->box, number, &statistics);
    return statistics;
}

/* Sockets, names, and no circles */
static void test_sockets(void **state) {
    (void)state;
    struct tigon_world *world = tigon_world_create(NULL, 1);
    struct tigon_switch *one = tigon_world_add_switch(world, 4);
    struct tigon_switch *two = tigon_world_add_switch(world, 4);
    struct tigon_switch *three = tigon_world_add_switch(world, 4);
    struct tigon_board *board = tigon_world_add_board(world);
    assert_null(tigon_world_add_switch(world, 0));
    assert_null(tigon_world_add_switch(world, 257));
    assert_string_equal(tigon_switch_name(two), "switch1");
    assert_int_equal(tigon_switch_set_name(two, "board0"), -EEXIST);
    assert_int_equal(tigon_switch_set_name(two, "a b"), -EINVAL);
    assert_int_equal(tigon_switch_set_name(two, ""), -EINVAL);
    assert_int_equal(tigon_switch_set_name(two, "two"), 0);
    assert_int_equal(tigon_board_set_name(board, "two"), -EEXIST);
    assert_null(tigon_world_connect_port(world, board, one, 4));
    assert_int_equal(errno, EINVAL);
    const struct tigon_wire *wire = tigon_world_connect_port(world, board, one, 3);
    assert_non_null(wire);
    unsigned number = 0;
    assert_ptr_equal(tigon_wire_board(wire, 0), board);
    assert_null(tigon_wire_switch(wire, 0, NULL));
    assert_ptr_equal(tigon_wire_switch(wire, 1, &number), one);
    assert_int_equal(number, 3);
    assert_string_equal(tigon_wire_end_name(wire, 1), "switch0");
    assert_null(tigon_world_connect_port(world, board, one, 0));
    assert_int_equal(errno, EBUSY);
    assert_null(tigon_world_connect_switches(world, one, 0, one, 1));
    assert_int_equal(errno, ELOOP);
    assert_non_null(tigon_world_connect_switches(world, one, 0, two, 0));
    assert_null(tigon_world_connect_switches(world, two, 1, one, 1));
    assert_int_equal(errno, ELOOP);
    assert_null(tigon_world_connect_switches(world, two, 1, one, 3));
    assert_int_equal(errno, EBUSY);
    assert_non_null(tigon_world_connect_switches(world, two, 1, three, 0));
    assert_null(tigon_world_connect_switches(world, one, 1, three, 1));
    assert_int_equal(errno, ELOOP);
    assert_int_equal(tigon_world_wire_count(world), 3);
    /* A board has one socket, also between boards. */
    assert_null(tigon_world_connect(world, board, tigon_world_add_board(world)));
    /* Switches bring the link between them up by themselves. */
    (void)tigon_world_run(world, LINK_UP_NS);
    assert_true(tigon_switch_port_up(one, 0) && tigon_switch_port_up(two, 0));
    assert_true(tigon_switch_port_up(two, 1) && tigon_switch_port_up(three, 0));
    assert_false(tigon_switch_port_up(one, 3));
    tigon_world_destroy(world);
}

/* A port is up when its peer is, by words or without */
static void test_links(void **state) {
    (void)state;
    struct net *net = make(NULL);
    struct tigon_board *words = net->boards[1];
    struct tigon_board *dark = net->boards[2];
    set_reg(dark, 0x238, 0);
    set_reg(words, 0x204, 0x2000); /* its ability */
    set_reg(words, 0x200, 0x20);
    pass(net, 10000);
    assert_int_equal(reg(words, 0x224), 0x2040); /* the port has received it and acknowledges */
    set_reg(words, 0x204, 0x2040);
    pass(net, 15000000);
    assert_int_equal(reg(words, 0x220) & 0x000C0000, 0x00040000); /* idle by now */
    assert_false(tigon_switch_port_up(net->box, 1));              /* but the board is not */
    assert_true(tigon_switch_port_up(net->box, 0));               /* taken as it is */
    set_reg(words, 0x200, 0x22);
    pass(net, 15000000);
    assert_true(tigon_switch_port_up(net->box, 1));
    assert_false(tigon_switch_port_up(net->box, 2));
    assert_false(tigon_switch_port_up(net->box, 99));
    /* Negotiation restarts when the board sends the word 0, and when the cable is unplugged. */
    set_reg(words, 0x204, 0);
    set_reg(words, 0x200, 0x20);
    pass(net, 10000);
    assert_false(tigon_switch_port_up(net->box, 1));
    assert_int_equal(reg(words, 0x224), 0x2000); /* not acknowledged: no word yet */
    pass(net, LINK_UP_NS);
    assert_false(tigon_switch_port_up(net->box, 1));
    set_reg(words, 0x204, 0x2000);
    pass(net, 10000);
    assert_int_equal(reg(words, 0x224), 0x2040);
    tigon_wire_set_cut(net->wires[0], true);
    pass(net, 10000);
    assert_false(tigon_switch_port_up(net->box, 0));
    assert_int_equal(reg(net->boards[0], 0x220) & 0x00040000, 0);
    tigon_wire_set_cut(net->wires[0], false);
    pass(net, LINK_UP_NS);
    assert_true(tigon_switch_port_up(net->box, 0));
    destroy(net);
}

/* Unknown and group addresses flood, known ones do not, addresses grow old */
static void test_learning(void **state) {
    (void)state;
    static const char *const knobs[] = {"switch_age_ns=1000000", NULL};
    struct net *net = make_up(knobs);
    static const uint8_t group[6] = {0x01, 0x00, 0x5E, 0, 0, 1};
    for (unsigned i = 0; i < BOARDS; i++)
        set_reg(net->boards[i], 0x220, 0x80A); /* promiscuous, to receive every frame */
    send(net, 0, net->boards[1], 60);
    pass(net, 20000);
    assert_int_equal(received_by(net, 0), 0); /* flooded, but not back */
    for (unsigned i = 1; i < BOARDS; i++)
        assert_int_equal(received_by(net, i), 1);
    assert_int_equal(tigon_switch_addresses(net->box), 1);
    send(net, 1, net->boards[0], 60); /* known by now */
    pass(net, 20000);
    send(net, 0, net->boards[1], 60);
    pass(net, 20000);
    assert_int_equal(received_by(net, 0), 1);
    assert_int_equal(received_by(net, 1), 2);
    assert_int_equal(received_by(net, 2), 1);
    send(net, 2, NULL, 60); /* to all */
    pass(net, 20000);
    assert_int_equal(received_by(net, 0), 2);
    assert_int_equal(received_by(net, 3), 2);
    uint8_t *bytes = tigon_host_pointer(tigon_board_host(net->boards[2]), 4096);
    memcpy(bytes, group, sizeof group);
    send_from_host(net->boards[2], 4096, &net->local[2], 60);
    pass(net, 20000);
    assert_int_equal(received_by(net, 3), 3);
    assert_int_equal(tigon_switch_addresses(net->box), 3);
    send(net, 0, net->boards[0], 60); /* for its own port */
    pass(net, 20000);
    assert_int_equal(port(net, 0).filtered, 1);
    assert_int_equal(port(net, 0).flooded, 1);
    assert_int_equal(port(net, 0).received, 3);
    pass(net, 1000000);
    assert_int_equal(tigon_switch_addresses(net->box), 0);
    send(net, 0, net->boards[1], 60);
    pass(net, 20000);
    assert_int_equal(received_by(net, 3), 4);
    /* A board that moves takes its address along; a dead link takes the port's addresses. */
    tigon_wire_set_cut(net->wires[0], true);
    pass(net, 10000);
    assert_int_equal(tigon_switch_addresses(net->box), 0);
    destroy(net);
}

/* From the last byte of a frame in to its arrival at the other board */
static void test_latency(void **state) {
    (void)state;
    static const uint32_t lengths[] = {60, 1514};
    for (unsigned k = 0; k < 2; k++) {
        struct net *net = make_up(NULL);
        struct bench *direct = bench_make(2, NULL);
        uint64_t times[2];
        send(net, 0, net->boards[1], lengths[k]);
        const uint64_t began = tigon_world_now_ns(net->world);
        pass(net, 100000);
        times[0] = net->last_arrival_ns - began;
        bring_up(direct->board);
        bring_up(direct->peer);
        link_up(direct);
        struct net other = {0};
        const struct tigon_observer observer = {.context = &other, .arrival = note_arrival};
        assert_int_equal(tigon_world_attach(direct->world, &observer), 0);
        make_frame(direct->peer, tigon_host_pointer(tigon_board_host(direct->board), 4096),
                   lengths[k], 0);
        uint32_t local = T_BASE;
        const uint64_t start = tigon_world_now_ns(direct->world);
        send_from_host(direct->board, 4096, &local, lengths[k]);
        pass_ns(direct, 100000);
        times[1] = other.last_arrival_ns - start;
        /* One frame time, one more cable, the switch. */
        const uint64_t frame = (8 + lengths[k] + 4) * 8;
        assert_in_range(times[0] - times[1], frame + 200 + 4200 - 5, frame + 200 + 4200 + 5);
        if (k == 0) /* and so the 5 us measured for EMP */
            assert_in_range(times[0] - times[1], 4900, 5100);
        bench_destroy(direct);
        destroy(net);
    }
}

/* Two boards send to a third at full speed: frames that do not fit are dropped at its port and
 * counted */
static void test_full_queue(void **state) {
    (void)state;
    static const char *const knobs[] = {"switch_queue_bytes=16384", NULL};
    struct net *net = make_up(knobs);
    send(net, 2, NULL, 60); /* where it lives */
    pass(net, 20000);
    for (unsigned i = 0; i < 40; i++) {
        send(net, 0, net->boards[2], 1514);
        send(net, 1, net->boards[2], 1514);
        pass(net, 13000);
        for (unsigned k = 0; k < BOARDS; k++)
            drain(net->boards[k]);
    }
    pass(net, 1000000);
    const struct tigon_switch_statistics out = port(net, 2);
    assert_true(out.dropped_full > 20);
    assert_int_equal(out.sent + out.dropped_full, 80);
    assert_int_equal(out.queue_bytes, 0);
    assert_in_range(out.queue_bytes_most, 15000, 16384);
    assert_int_equal(received_by(net, 2), out.sent);
    destroy(net);
}

/* With PAUSE no frame is lost, and the senders are held instead */
static void test_pause(void **state) {
    (void)state;
    static const char *const knobs[] = {"switch_queue_bytes=65536", "switch_pause=1", NULL};
    struct net *net = make_up(knobs);
    for (unsigned i = 0; i < 2; i++)
        set_reg(net->boards[i], 0x220, 0x10802); /* obeys PAUSE */
    send(net, 2, NULL, 60);
    pass(net, 20000);
    for (unsigned i = 0; i < 200; i++) {
        for (unsigned k = 0; k < 2; k++)
            if (port(net, k).received < 1000 && reg(net->boards[k], 0x0FC) != 0 && i < 60)
                send(net, k, net->boards[2], 1514);
        pass(net, 13000);
        for (unsigned k = 0; k < BOARDS; k++)
            drain(net->boards[k]);
    }
    pass(net, 1000000);
    assert_int_equal(port(net, 2).dropped_full, 0);
    assert_int_equal(port(net, 2).sent, 120);
    assert_true(port(net, 0).pause_sent >= 2 && port(net, 1).pause_sent >= 2);
    struct tigon_statistics statistics;
    tigon_board_statistics(net->boards[0], &statistics);
    assert_int_equal(statistics.dropped_pause, port(net, 0).pause_sent);
    /* A PAUSE from a board holds the port, and goes no further. */
    uint8_t frame[60] = {0x01, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 8, 0, 1, 0x10, 0};
    tigon_wire_inject(net->wires[2], 0, frame, sizeof frame, false);
    pass(net, 10000);
    const uint64_t before = port(net, 2).sent;
    send(net, 0, net->boards[2], 60);
    pass(net, 1900000); /* of 4096 quanta of 512 ns */
    assert_int_equal(port(net, 2).sent, before);
    pass(net, 300000);
    assert_int_equal(port(net, 2).sent, before + 1);
    assert_int_equal(port(net, 2).pause_received, 1);
    destroy(net);
}

/* Damaged frames, and frames for a port that is down, are not forwarded; each wire has faults of
 * its own */
static void test_damage(void **state) {
    (void)state;
    struct net *net = make_up(NULL);
    add_faults(net->world, "board0->switch0: corrupt frame 0\n"
                           "board0->switch0: truncate to 63 frame 1\n"
                           "board0->switch0: corrupt silently frame 2\n"
                           "switch0->board1: lose frame 0");
    send(net, 0, NULL, 60);
    send(net, 0, NULL, 60);
    pass(net, 100000);
    assert_int_equal(port(net, 0).damaged, 2);
    assert_int_equal(port(net, 0).received, 0);
    tigon_wire_set_cut(net->wires[3], true);
    pass(net, 100000);
    send(net, 0, NULL, 100);
    pass(net, 100000);
    assert_int_equal(port(net, 0).received, 1);
    assert_int_equal(net->arrivals[1], 0); /* lost on its own wire */
    assert_int_equal(net->arrivals[2], 1);
    assert_int_equal(net->arrivals[3], 0);
    struct tigon_wire_statistics wire;
    tigon_wire_statistics(net->wires[1], 1, &wire);
    assert_int_equal(wire.lost, 1);
    /* Queued when the link went down: dropped and counted. */
    tigon_wire_set_cut(net->wires[3], false);
    pass(net, LINK_UP_NS);
    for (unsigned i = 0; i < 8; i++)
        send(net, 0, NULL, 1514);
    pass(net, 20000 + 8 * 12304 / 2);
    tigon_board_kill(net->boards[3]);
    pass(net, 1000000);
    assert_false(tigon_switch_port_up(net->box, 3));
    assert_true(port(net, 3).dropped_down + net->arrivals[3] >= 1);
    assert_true(net->arrivals[3] < 8);
    assert_int_equal(net->arrivals[2], 9);
    destroy(net);
}

/* Through three switches in a row */
static void test_chain(void **state) {
    (void)state;
    struct net *net = make(NULL);
    struct tigon_switch *far = tigon_world_add_switch(net->world, 2);
    struct tigon_board *board = tigon_world_add_board(net->world);
    struct tigon_switch *wide = tigon_world_add_switch(net->world, 5);
    assert_null(tigon_world_connect_switches(net->world, net->box, 0, far, 0));
    for (unsigned i = 0; i < BOARDS; i++) /* the four ports of the first are taken */
        assert_null(tigon_world_connect_switches(net->world, net->box, i, wide, i));
    assert_non_null(tigon_world_connect_switches(net->world, far, 0, wide, 4));
    assert_non_null(tigon_world_connect_port(net->world, board, far, 1));
    struct tigon_board *other = tigon_world_add_board(net->world);
    assert_non_null(tigon_world_connect_port(net->world, other, wide, 0));
    for (unsigned k = 0; k < 2; k++) {
        bring_up(k ? other : board);
        set_reg(k ? other : board, 0x238, SERDES_NORMAL);
    }
    pass(net, LINK_UP_NS);
    uint8_t *bytes = tigon_host_pointer(tigon_board_host(board), 4096);
    make_frame(other, bytes, 100, 1);
    tigon_board_mac_address(board, bytes + 6);
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < 3; i++)
        send_from_host(board, 4096, &local, 100);
    pass(net, 100000);
    struct tigon_statistics statistics;
    tigon_board_statistics(other, &statistics);
    assert_int_equal(statistics.receive_frames, 3);
    assert_int_equal(tigon_switch_addresses(wide), 1);
    destroy(net);
}

int switch_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sockets),    cmocka_unit_test(test_links),
        cmocka_unit_test(test_learning),   cmocka_unit_test(test_latency),
        cmocka_unit_test(test_full_queue), cmocka_unit_test(test_pause),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests_name("switch", tests, NULL, NULL);
}
