/* SPDX-License-Identifier: MIT */
/* Transfers that fail while the firmware waits for one of them, outside its event loop: it says so
 * and stops, and a host that waits gets an error. So does one whose board may not transfer
 * anything. */
#include "tests/host/check.h"

#include "tests/end_to_end/need.h"

#include <string.h>

enum {
    PAGE_BYTES = 4096,
    CRUMBS = 400, /* pieces of a message of one frame: more than a ring of descriptors holds */
    CRUMB_BYTES = 3,
    LIMIT_NS = 200000000,
    PANIC_READ = 0x101, /* enum tigon2_panic */
    PANIC_WRITE = 0x102
};

#define FULL_LIMIT_NS UINT64_C(4000000000)
#define BELOW_4GB     UINT64_C(0xFFFFF000)

/* Both programs of a world, and what the one whose board stops reads there. */
struct stop {
    const char *faults;
    unsigned side;
    uint32_t fault;
};

static int expect_stop(struct pair_side *side, const struct stop *stop, libemp_request request) {
    char said[32];
    if (side->index != stop->side)
        return 0;
    (void)snprintf(said, sizeof said, "fault %u", stop->fault);
    need(libemp_wait(side->board, request, LIMIT_NS, NULL) == -EIO);
    need(strstr(libemp_message(side->board), said));
    return 0;
}

static int post_crumbs(struct pair_side *side, void *page, libemp_request *request) {
    struct libemp_piece pieces[CRUMBS];
    struct libemp_memory *memory;
    need(page && libemp_register(side->board, page, PAGE_BYTES, &memory) == 0);
    for (unsigned i = 0; i < CRUMBS; i++)
        pieces[i] =
            (struct libemp_piece){memory, PAGE_BYTES - (size_t)(i + 1) * CRUMB_BYTES, CRUMB_BYTES};
    need((side->index == 0 ? libemp_post_send : libemp_post_receive)(side->board, side->peer, 1,
                                                                     pieces, CRUMBS, request) == 0);
    return 0;
}

static int crumbs(struct pair_side *side, void *argument) {
    libemp_request request;
    const int error = post_crumbs(side, libemp_allocate(side->board, PAGE_BYTES), &request);
    return error ? error : expect_stop(side, argument, request);
}

/* More receives with a page of addresses than the firmware has buffers: the first one's page is
 * fetched again when its message comes, and the frame waits for it. */
enum { RECEIVES = 18, PAGES = 9 };

static int fetch_again(struct pair_side *side, void *argument) {
    libemp_request request[RECEIVES];
    const unsigned count = side->index == 0 ? 1 : RECEIVES;
    struct libemp_piece piece = {.length = (size_t)PAGES * PAGE_BYTES};
    void *bytes = libemp_allocate(side->board, piece.length);
    need(bytes && libemp_register(side->board, bytes, piece.length, &piece.memory) == 0);
    if (side->index == 0)
        tigon_host_sleep_ns(side->host, 2000000); /* until all are posted */
    for (unsigned i = 0; i < count; i++)
        need((side->index == 0 ? libemp_post_send : libemp_post_receive)(
                 side->board, side->peer, 1, &piece, 1, &request[i]) == 0);
    return expect_stop(side, argument, request[0]);
}

static void play(pair_program left, pair_program right, const char *faults, void *argument) {
    struct pair_options options;
    struct pair pair;
    pair_options_defaults(&options);
    options.faults = faults;
    options.knobs.host_memory_base = faults ? 0 : BELOW_4GB - 0xFF000;
    int error = pair_open(&pair, &options);
    if (!error)
        error = pair_run(&pair, left, argument, right, argument, FULL_LIMIT_NS);
    if (error)
        pair_complain(&pair, stderr);
    pair_close(&pair);
    assert_int_equal(error, 0);
}

static void stops__reading_into_a_full_ring(void **state) {
    (void)state;
    struct stop stop = {"left: fail dma read transfer 20", 0, PANIC_READ};
    play(crumbs, crumbs, stop.faults, &stop);
}

static void stops__writing_into_a_full_ring(void **state) {
    (void)state;
    struct stop stop = {"right: fail dma write transfer 5", 1, PANIC_WRITE};
    play(crumbs, crumbs, stop.faults, &stop);
}

static void stops__waiting_for_a_page(void **state) {
    (void)state;
    struct stop stop = {"right: fail dma read transfer 36", 1, PANIC_READ};
    play(fetch_again, fetch_again, stop.faults, &stop);
}

/* Of two processors that read host memory the one that waits finds the failure, whatever the other
 * one does: that may be waiting for the lock of the first. */
static void stops__where_b_alone_can_see_it(void **state) {
    (void)state;
    struct stop stop = {"right: fail dma read transfer 36\nright: hide event 20 of core A", 1,
                        PANIC_READ};
    play(fetch_again, fetch_again, stop.faults, &stop);
}

/* What the chip takes for a failure at the end of 4 GB is none (tigon2.md 13 item 7), also while
 * the firmware waits for its ring. */
static int crumbs_at_the_line(struct pair_side *side, void *argument) {
    libemp_request request;
    uint64_t bus = 0;
    void *page = NULL;
    (void)argument;
    while (bus != BELOW_4GB)
        need((page = tigon_host_allocate(side->host, PAGE_BYTES, &bus)) != NULL);
    if (side->index == 0)
        memset(page, 7, PAGE_BYTES);
    const int error = post_crumbs(side, page, &request);
    if (error)
        return error;
    need(libemp_wait(side->board, request, LIMIT_NS, NULL) == 0);
    for (unsigned i = PAGE_BYTES - CRUMBS * CRUMB_BYTES; i < PAGE_BYTES; i++)
        need(((uint8_t *)page)[i] == 7);
    return 0;
}

static void stops__not_at_the_4_gb_line(void **state) {
    (void)state;
    play(crumbs_at_the_line, crumbs_at_the_line, NULL, NULL);
}

/* A BIOS or another driver takes the bus away, or pauses transfers: a wait says so at once, and the
 * message arrives when they go on. */
static int hinder(struct pair_side *side, uint32_t offset, uint32_t clear, uint32_t put,
                  const char *text, const struct libemp_piece *piece) {
    libemp_request request;
    const uint32_t before = tigon_host_read32(side->host, offset);
    need(libemp_post_receive(side->board, side->peer, 1, piece, 1, &request) == 0);
    tigon_host_write32(side->host, offset, (before & ~clear) | put);
    need(libemp_wait(side->board, request, LIBEMP_FOREVER, NULL) == -EIO);
    need(strstr(libemp_message(side->board), text));
    need(libemp_attach(side->board) == -EBUSY);
    tigon_host_write32(side->host, offset, before);
    need(libemp_wait(side->board, request, LIMIT_NS, NULL) == 0);
    return 0;
}

static int hindered(struct pair_side *side, void *argument) {
    struct libemp_piece piece = {.length = PAGE_BYTES};
    void *page = libemp_allocate(side->board, PAGE_BYTES);
    (void)argument;
    need(page && libemp_register(side->board, page, PAGE_BYTES, &piece.memory) == 0);
    for (unsigned i = 0; i < 2 && side->index == 1; i++) {
        libemp_request request;
        tigon_host_sleep_ns(side->host, 20000000);
        need(libemp_post_send(side->board, side->peer, 1, &piece, 1, &request) == 0);
        need(libemp_wait(side->board, request, LIMIT_NS, NULL) == 0);
    }
    if (side->index == 1)
        return 0;
    const int error = hinder(side, 0x004, 1U << 2, 0, "bus mastering is off", &piece);
    return error ? error : hinder(side, 0x11C, 0, 1U << 1, "transfers are paused", &piece);
}

static void stops__without_the_bus(void **state) {
    (void)state;
    play(hindered, hindered, NULL, NULL);
}

/* `test_stops b`: of an image whose processor B places frames, too. */
int main(int count, char **arguments) {
    const struct CMUnitTest tests_of_b[] = {cmocka_unit_test(stops__where_b_alone_can_see_it)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops__reading_into_a_full_ring),
        cmocka_unit_test(stops__writing_into_a_full_ring),
        cmocka_unit_test(stops__waiting_for_a_page),
        cmocka_unit_test(stops__not_at_the_4_gb_line),
        cmocka_unit_test(stops__without_the_bus),
    };
    if (count > 1 && strcmp(arguments[1], "b") == 0 &&
        cmocka_run_group_tests(tests_of_b, NULL, NULL) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
