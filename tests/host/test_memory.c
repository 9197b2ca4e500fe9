/* SPDX-License-Identifier: MIT */
/* Registration, and cutting pieces at page boundaries. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include <errno.h>

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    uint8_t *buffer;
    struct libemp_memory *memory;
};

enum { BUFFER_BYTES = 600 * EMP_PAGE_BYTES };

static struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES];

static int set_up(void **state) {
    static struct fixture fixture;
    fixture.mock = mock_create();
    fixture.board = mock_open(fixture.mock);
    fixture.buffer = libemp_allocate(fixture.board, BUFFER_BYTES);
    assert_int_equal(libemp_register(fixture.board, fixture.buffer, BUFFER_BYTES, &fixture.memory),
                     0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    assert_int_equal(libemp_close(fixture->board), 0);
    mock_destroy(fixture->mock);
    return 0;
}

static int cut_one(const struct fixture *fixture, size_t offset, size_t bytes) {
    const struct libemp_piece piece = {fixture->memory, offset, bytes};
    uint32_t length = 0;
    const int count = libemp_cut(fixture->board, &piece, 1, fragments, &length);
    if (count >= 0)
        assert_int_equal(length, bytes);
    return count;
}

static void cut__borders_of_the_formats(void **state) {
    const struct fixture *fixture = *state;
    static const struct {
        size_t offset;
        size_t bytes;
        int fragments;
    } cases[] = {
        {0, 0, 0},       {0, 1, 1},         {0, 4096, 1},      {0, 4097, 2},
        {0, 28672, 7},   {0, 28673, 8},     {1, 4095, 1},      {1, 4096, 2},
        {4095, 2, 2},    {4095, 4098, 3},   {100, 28572, 7},   {100, 28573, 8},
        {100, 28672, 8}, {0, 1671168, 408}, {1, 1671168, 409}, {4095, 1671168, 409},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int count = cut_one(fixture, cases[i].offset, cases[i].bytes);
        assert_int_equal(count, cases[i].fragments);
        size_t at = cases[i].offset;
        for (int f = 0; f < count; f++) {
            assert_int_equal(fragments[f].bus_address,
                             mock_bus(fixture->mock, fixture->buffer + at));
            assert_true(fragments[f].length > 0);
            assert_true(at % EMP_PAGE_BYTES + fragments[f].length <= EMP_PAGE_BYTES);
            at += fragments[f].length;
        }
        assert_int_equal(at, cases[i].offset + cases[i].bytes);
    }
}

static uint64_t bus_of(const struct fixture *fixture, struct libemp_memory *memory) {
    const struct libemp_piece piece = {memory, 0, 1};
    uint32_t length;
    assert_int_equal(libemp_cut(fixture->board, &piece, 1, fragments, &length), 1);
    return fragments[0].bus_address;
}

/* The program has unmapped its buffer, and mapped new memory at the same address. */
static void register__of_new_memory_at_an_old_address(void **state) {
    const struct fixture *fixture = *state;
    struct mock *mock = fixture->mock;
    struct libemp_memory *again;
    mock->mapping = UINT64_C(1) << 40;
    for (size_t pages = 1; pages < 3; pages++) {
        const uint64_t before = mock->spent_ns;
        assert_int_equal(libemp_register(fixture->board, fixture->buffer + 5,
                                         pages * EMP_PAGE_BYTES - 5, &again),
                         0);
        assert_true(mock->spent_ns > before);
        assert_int_equal(bus_of(fixture, again),
                         mock_bus(mock, fixture->buffer + 5) + mock->mapping);
        assert_int_equal(bus_of(fixture, fixture->memory), mock_bus(mock, fixture->buffer));
        assert_int_equal(libemp_deregister(again), 0);
    }
    assert_int_equal(libemp_deregister(fixture->memory), 0);
}

static void cut__gathers_pieces_in_order(void **state) {
    const struct fixture *fixture = *state;
    const struct libemp_piece pieces[] = {
        {fixture->memory, 5, 10},
        {fixture->memory, 77, 0},
        {fixture->memory, 4090, 10},
        {fixture->memory, 5, 10} /* the same bytes twice are allowed */};
    uint32_t length;
    assert_int_equal(libemp_cut(fixture->board, pieces, 4, fragments, &length), 4);
    assert_int_equal(length, 30);
    assert_int_equal(fragments[0].length, 10);
    assert_int_equal(fragments[1].length, 6);
    assert_int_equal(fragments[2].length, 4);
    assert_int_equal(fragments[2].bus_address, mock_bus(fixture->mock, fixture->buffer + 4096));
    assert_int_equal(fragments[3].bus_address, fragments[0].bus_address);
}

static void cut__refuses_what_does_not_fit(void **state) {
    const struct fixture *fixture = *state;
    static struct libemp_piece pieces[EMP_INDIRECT_ENTRIES + 1];
    uint32_t length;
    assert_int_equal(cut_one(fixture, 0, 1671169), -E2BIG);
    assert_int_equal(cut_one(fixture, BUFFER_BYTES, 1), -EINVAL);
    assert_int_equal(cut_one(fixture, BUFFER_BYTES + 1, 0), -EINVAL);
    assert_int_equal(cut_one(fixture, 1, SIZE_MAX), -EINVAL);
    assert_int_equal(cut_one(fixture, SIZE_MAX, 2), -EINVAL);
    for (size_t i = 0; i < EMP_INDIRECT_ENTRIES + 1; i++)
        pieces[i] = (struct libemp_piece){fixture->memory, i, 1};
    assert_int_equal(libemp_cut(fixture->board, pieces, EMP_INDIRECT_ENTRIES, fragments, &length),
                     EMP_INDIRECT_ENTRIES);
    assert_int_equal(
        libemp_cut(fixture->board, pieces, EMP_INDIRECT_ENTRIES + 1, fragments, &length), -E2BIG);
    pieces[0].memory = NULL;
    assert_int_equal(libemp_cut(fixture->board, pieces, 1, fragments, &length), -EINVAL);
    assert_int_equal(libemp_cut(fixture->board, NULL, 1, fragments, &length), -EINVAL);
    assert_int_equal(libemp_cut(fixture->board, NULL, 0, fragments, &length), 0);
}

static void cut__refuses_memory_of_another_board(void **state) {
    const struct fixture *fixture = *state;
    struct mock *mock = mock_create();
    struct libemp_board *other = mock_open(mock);
    const struct libemp_piece piece = {fixture->memory, 0, 1};
    uint32_t length;
    assert_int_equal(libemp_cut(other, &piece, 1, fragments, &length), -EINVAL);
    assert_int_equal(libemp_close(other), 0);
    mock_destroy(mock);
}

static void register__charges_call_and_pages(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_costs costs;
    struct libemp_memory *memory;
    libemp_costs_defaults(&costs);
    uint8_t *buffer = libemp_allocate(fixture->board, 4 * EMP_PAGE_BYTES);
    const uint64_t before = fixture->mock->spent_ns;
    /* 4097 bytes from the last byte of a page touch three. */
    assert_int_equal(libemp_register(fixture->board, buffer + 4095, 4098, &memory), 0);
    assert_int_equal(fixture->mock->spent_ns - before,
                     costs.translate_call_ns + 3 * costs.translate_page_ns);
    assert_true(costs.translate_page_ns < 1000); /* EQ12 */
    assert_int_equal(libemp_deregister(memory), 0);
}

static void register__refuses_what_cannot_be(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_memory *memory;
    uint8_t local = 0;
    struct mock *mock = fixture->mock;
    const size_t kept = mock->pinned - mock->unpinned;
    assert_int_equal(libemp_register(fixture->board, NULL, 1, &memory), -EINVAL);
    assert_int_equal(libemp_register(fixture->board, &local, 0, &memory), -EINVAL);
    assert_int_equal(libemp_register(fixture->board, &local, SIZE_MAX, &memory), -EINVAL);
    assert_int_equal(libemp_register(fixture->board, &local, 1, NULL), -EINVAL);
    /* The library checks the pages before it allocates, or the sanitizer ends the program. */
    assert_int_equal(libemp_register(fixture->board, &local, SIZE_MAX / 2, &memory), -EFAULT);
    assert_int_equal(libemp_register(fixture->board, fixture->buffer, SIZE_MAX / 2, &memory),
                     -EFAULT);
    assert_int_equal(libemp_register(fixture->board, &local, 1, &memory), -EFAULT);
    uint8_t *last = mock->memory + (size_t)(MOCK_PAGES - 1) * EMP_PAGE_BYTES;
    assert_int_equal(libemp_register(fixture->board, last, EMP_PAGE_BYTES + 1, &memory), -EFAULT);
    mock->tells_nothing = true;
    assert_int_equal(libemp_register(fixture->board, last, EMP_PAGE_BYTES, &memory), -EFAULT);
    assert_int_equal(mock->pinned - mock->unpinned, kept);
    assert_string_not_equal(libemp_message(fixture->board), "");
}

static void deregister__in_any_order(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_memory *memory[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(libemp_register(fixture->board, fixture->buffer, 1, &memory[i]), 0);
    assert_int_equal(libemp_deregister(memory[1]), 0);
    assert_int_equal(libemp_deregister(memory[2]), 0);
    assert_int_equal(libemp_deregister(memory[0]), 0);
}

static void costs__have_names_and_reasons(void **state) {
    (void)state;
    struct libemp_costs costs = {0};
    struct libemp_cost_information information;
    size_t count = 0;
    while (libemp_cost_information(count, &information)) {
        assert_int_equal(libemp_costs_set(&costs, information.name, 7), 0);
        assert_string_not_equal(information.reason, "");
        count++;
    }
    assert_int_equal(count * sizeof(uint64_t), sizeof costs);
    assert_int_equal(costs.call_ns, 7);
    assert_int_equal(costs.translate_posts, 7);
    assert_int_equal(libemp_costs_set(&costs, "no_such_cost", 1), -ENOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cut__borders_of_the_formats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(register__of_new_memory_at_an_old_address, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(cut__gathers_pieces_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut__refuses_what_does_not_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut__refuses_memory_of_another_board, set_up, tear_down),
        cmocka_unit_test_setup_teardown(register__charges_call_and_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(register__refuses_what_cannot_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deregister__in_any_order, set_up, tear_down),
        cmocka_unit_test(costs__have_names_and_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
