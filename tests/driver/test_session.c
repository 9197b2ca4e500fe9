/* SPDX-License-Identifier: MIT */
/* libemp's session with the driver, and the driver's checks behind it. The driver's file is
 * imitated: the calls that host/emp/session.c makes of it end here (-Wl,--wrap). */
#include "tests/host/check.h"

#include "host/emp/internal.h"
#include "host/emp/session.h"
#include "tests/driver/shared_board.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { FILE_NUMBER = 1000, PORTS = 4, TAG = 7, BYTES = 100, PIECES = 600, ENTRIES = 409 };

#define WAIT_NS  UINT64_C(20000000)
#define LIMIT_NS UINT64_C(60000000000)

static const struct endpoint_limits limits = {.ports = PORTS, .linger_ns = 5000000};
static struct shared_board boards[2];
static struct endpoint endpoints[2];

/* -------------------------------------------------------------------------------- The driver */

static int submit_one(struct emp_ioctl_entry *entry) {
    static struct emp_ioctl_piece pieces[ENDPOINT_PIECES];
    const uint32_t count = entry->piece_count;
    const int used = endpoint_copy_pieces(pieces, entry->pieces, count);
    if (used < 0)
        return entry->error = used;
    entry->piece_count = (uint32_t)used;
    (void)shared_submit(&boards[0], &endpoints[0], entry, pieces);
    entry->piece_count = count;
    return entry->error;
}

static int submit(struct emp_ioctl_batch *batch) {
    struct emp_ioctl_entry *entries = (struct emp_ioctl_entry *)(uintptr_t)batch->entries;
    for (batch->done = 0; batch->done < batch->count;) {
        struct emp_ioctl_entry *entry = &entries[batch->done++];
        if (submit_one(entry) && entry->kind != EMP_IOCTL_CANCEL &&
            entry->kind != EMP_IOCTL_COLLECT)
            break;
    }
    return 0;
}

int __wrap_ioctl(int file, unsigned long command, ...);
int __wrap_ioctl(int file, unsigned long command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    assert_int_equal(file, FILE_NUMBER);
    if (command == EMP_SUBMIT)
        return submit(argument);
    assert_true(command == EMP_INFORMATION);
    *(struct emp_ioctl_information *)argument =
        (struct emp_ioctl_information){.version = EMP_IOCTL_VERSION,
                                       .protocol_hash = EMP_PROTOCOL_HASH,
                                       .node = boards[0].table.node,
                                       .running = 1,
                                       .bound = 1,
                                       .descriptors = boards[0].table.shares[0].count,
                                       .sends = boards[0].table.sends,
                                       .ends_step = ENDPOINT_ENDS_STEP,
                                       .tag_bits = EMP_IOCTL_TAG_BITS};
    return 0;
}

void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    return file == FILE_NUMBER ? (void *)(uintptr_t)boards[0].table.ends
                               : __real_mmap(address, bytes, protection, flags, file, offset);
}

int __real_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes) {
    return address == boards[0].table.ends ? 0 : __real_munmap(address, bytes);
}

/* ------------------------------------------------------------------------------- Its program */

struct program {
    struct libemp_memory *memory;
    uint8_t *bytes;
    uint32_t pin; /* of the board below */
    struct endpoint_region region;
};

/* The board's handle of libemp asks the driver from here on. */
static int begin(struct pair_side *side, struct program *program) {
    struct shared_board *own = &boards[0];
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &endpoints[0], 0) == 0);
    program->bytes = libemp_allocate(side->board, BYTES);
    need(program->bytes);
    need(libemp_register(side->board, program->bytes, BYTES, &program->memory) == 0);
    program->region = (struct endpoint_region){.bytes = BYTES,
                                               .in_page = (uint32_t)program->memory->in_page,
                                               .pages = program->memory->pages,
                                               .page = program->memory->page};
    program->pin = program->memory->pin;
    need(endpoint_add_region(&endpoints[0], &program->region, &program->memory->pin) == 0);
    /* For the look at every transfer. */
    own->memory[own->memories++] = (struct shared_memory){
        .region = program->region, .page = {program->memory->page[0]}, .owner = &endpoints[0]};
    need(session_open(&side->board->session, FILE_NUMBER) == 0);
    return 0;
}

static int end(struct pair_side *side, struct program *program) {
    need(side->board->outstanding == 0);
    session_collect(side->board);
    need(endpoints[0].outstanding == 0);
    session_close(side->board);
    side->board->session = NULL;
    program->memory->pin = program->pin;
    return 0;
}

static int test_until_it_ends(struct pair_side *side, libemp_request request,
                              struct libemp_completion *completion) {
    int error;
    for (uint64_t waited = 0; waited < WAIT_NS; waited += 1000) {
        error = libemp_test(side->board, request, completion);
        if (error != -EAGAIN)
            return error;
        tigon_host_sleep_ns(side->host, 1000);
    }
    return -ETIMEDOUT;
}

/* The other application: takes `count` messages and sends each back. */
static int echo(struct pair_side *side, unsigned count) {
    struct shared_board *own = &boards[1];
    struct emp_ioctl_entry end;
    uint32_t request;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &endpoints[1], 0) == 0);
    struct shared_memory *memory = shared_register(own, &endpoints[1], 10, BYTES);
    need(memory);
    for (unsigned i = 0; i < count; i++) {
        need(shared_post(own, &endpoints[1], EMP_IOCTL_RECEIVE, 0, TAG, memory, 0, BYTES,
                         &request) == 0);
        need(shared_wait(own, &endpoints[1], request, LIMIT_NS, &end) == 0);
        need(shared_post(own, &endpoints[1], EMP_IOCTL_SEND, 0, TAG, memory, 0, end.length,
                         &request) == 0);
        need(shared_wait(own, &endpoints[1], request, LIMIT_NS, &end) == 0);
    }
    return 0;
}

static int echo_one(struct pair_side *side, void *argument) {
    (void)argument;
    return echo(side, 1);
}

static void run(pair_program left, pair_program right) {
    assert_int_equal(shared_run(boards, NULL, left, NULL, right, NULL, LIMIT_NS), 0);
    assert_int_equal(boards[0].stray + boards[1].stray, 0);
}

/* ------------------------------------------------------------------------------ Empty pieces */

/* Every other of the first pieces is empty, as are all after them; byte i is at place i. */
static int sends_and_receives_of_many_pieces(struct pair_side *side, void *argument) {
    static struct libemp_piece pieces[PIECES];
    struct program program;
    struct libemp_completion completion;
    libemp_request in, out;
    (void)argument;
    need(begin(side, &program) == 0);
    for (size_t i = 0; i < PIECES; i++) /* what has no bytes has no memory either */
        pieces[i] = i % 2 && i / 2 < BYTES ? (struct libemp_piece){program.memory, i / 2, 1}
                                           : (struct libemp_piece){NULL, 0, 0};
    for (size_t i = 0; i < BYTES; i++)
        program.bytes[i] = (uint8_t)(i + 1);
    need(libemp_post_send(side->board, 1, TAG, pieces, PIECES, &out) == 0);
    need(test_until_it_ends(side, out, NULL) == 0);
    memset(program.bytes, 0, BYTES);
    need(libemp_post_receive(side->board, 1, TAG, pieces, PIECES, &in) == 0);
    need(test_until_it_ends(side, in, &completion) == 0 && completion.length == BYTES);
    for (size_t i = 0; i < BYTES; i++)
        need(program.bytes[i] == (uint8_t)(i + 1));
    return end(side, &program);
}

static void empty_pieces_take_no_place(void **state) {
    (void)state;
    run(sends_and_receives_of_many_pieces, echo_one);
}

/* A receive of another program than libemp, which leaves empty pieces in its array. */
static int submit_pieces(struct emp_ioctl_piece *pieces, uint32_t count) {
    struct emp_ioctl_entry entry = {.kind = EMP_IOCTL_RECEIVE,
                                    .peer = 1,
                                    .tag = TAG,
                                    .piece_count = count,
                                    .pieces = (uintptr_t)pieces};
    struct emp_ioctl_batch batch = {.entries = (uintptr_t)&entry, .count = 1};
    if (ioctl(FILE_NUMBER, EMP_SUBMIT, &batch) || entry.piece_count != count)
        return -ENOTTY;
    if (entry.error)
        return entry.error;
    struct emp_ioctl_entry cancel = {.kind = EMP_IOCTL_CANCEL, .request = entry.request};
    if (submit_one(&cancel))
        return cancel.error;
    return shared_wait(&boards[0], &endpoints[0], entry.request, WAIT_NS, &entry);
}

static int asks_the_driver(struct pair_side *side, void *argument) {
    static struct emp_ioctl_piece pieces[EMP_IOCTL_PIECE_LIMIT + 1];
    struct program program;
    (void)argument;
    need(begin(side, &program) == 0);
    for (uint32_t i = 0; i <= EMP_IOCTL_PIECE_LIMIT; i++) /* and no such memory */
        pieces[i] = (struct emp_ioctl_piece){.handle = UINT32_MAX, .offset = UINT64_MAX};
    need(submit_pieces(pieces, EMP_IOCTL_PIECE_LIMIT) == -ECANCELED);
    need(submit_pieces(pieces, EMP_IOCTL_PIECE_LIMIT + 1) == -E2BIG);
    need(submit_pieces(pieces, UINT32_MAX) == -E2BIG);
    /* As many with bytes as fit, the last at the end. */
    for (uint32_t i = 0; i < ENTRIES - 1; i++)
        pieces[2 * i] = (struct emp_ioctl_piece){program.memory->pin, 1, i % BYTES};
    pieces[EMP_IOCTL_PIECE_LIMIT - 1] = (struct emp_ioctl_piece){program.memory->pin, 1, 0};
    need(submit_pieces(pieces, EMP_IOCTL_PIECE_LIMIT) == -ECANCELED);
    pieces[EMP_IOCTL_PIECE_LIMIT - 2] = (struct emp_ioctl_piece){program.memory->pin, 1, 0};
    need(submit_pieces(pieces, EMP_IOCTL_PIECE_LIMIT) == -E2BIG);
    /* One that is not the program's is found behind empty ones. */
    pieces[EMP_IOCTL_PIECE_LIMIT - 2].length = 0;
    pieces[EMP_IOCTL_PIECE_LIMIT - 1] = (struct emp_ioctl_piece){program.memory->pin, 1, BYTES};
    need(submit_pieces(pieces, EMP_IOCTL_PIECE_LIMIT) == -EINVAL);
    return end(side, &program);
}

static int idle(struct pair_side *side, void *argument) {
    (void)side;
    (void)argument;
    return 0;
}

static void the_driver_skips_empty_pieces(void **state) {
    (void)state;
    run(asks_the_driver, idle);
}

/* ----------------------------------------------------------------------------- Held receives */

static int holds_receives(struct pair_side *side, void *argument) {
    struct program program;
    libemp_request in, out;
    (void)argument;
    need(begin(side, &program) == 0);
    const struct libemp_piece piece = {program.memory, 0, BYTES};
    libemp_hold_receives(side->board);
    need(libemp_post_receive(side->board, 1, TAG, &piece, 1, &in) == 0);
    const size_t free = libemp_descriptors_free(side->board);
    need(libemp_post_receive(side->board, EMP_BOARD_LIMIT, TAG, &piece, 1, &out) == -EINVAL);
    need(libemp_post_receive(side->board, EMP_NODE_LIMIT - 1, TAG, &piece, 1, &out) == -EINVAL);
    need(libemp_post_receive(side->board, 0, TAG, &piece, 1, &out) == -EINVAL);
    need(libemp_post_receive(side->board, 1, UINT64_C(1) << EMP_IOCTL_TAG_BITS, &piece, 1, &out) ==
         -EINVAL);
    need(libemp_descriptors_free(side->board) == free);
    need(libemp_post_send(side->board, EMP_BOARD_LIMIT, TAG, &piece, 1, &out) == -EINVAL);
    need(libemp_post_send(side->board, 1, TAG, &piece, 1, &out) == 0);
    need(test_until_it_ends(side, out, NULL) == 0);
    need(test_until_it_ends(side, in, NULL) == 0);
    return end(side, &program);
}

static void what_cannot_be_posted_is_not_held(void **state) {
    (void)state;
    run(holds_receives, echo_one);
}

/* The board is started as another node while a receive is held: -EINVAL would say that there is no
 * such request. */
static int holds_while_its_node_changes(struct pair_side *side, void *argument) {
    struct program program;
    libemp_request first, second;
    (void)argument;
    need(begin(side, &program) == 0);
    const struct libemp_piece piece = {program.memory, 0, BYTES};
    libemp_hold_receives(side->board);
    need(libemp_post_receive(side->board, 1, TAG, &piece, 1, &first) == 0);
    need(libemp_post_receive(side->board, 2, TAG, &piece, 1, &second) == 0);
    boards[0].table.node = 1;
    libemp_release_receives(side->board);
    boards[0].table.node = 0;
    need(libemp_test(side->board, first, NULL) == -ECONNRESET);
    need(libemp_test(side->board, first, NULL) == -EINVAL);
    need(libemp_test(side->board, second, NULL) == -EAGAIN);
    need(libemp_cancel(side->board, second) == 0);
    need(test_until_it_ends(side, second, NULL) == -ECANCELED);
    return end(side, &program);
}

static void a_refused_receive_ends_with_a_number_of_its_own(void **state) {
    (void)state;
    run(holds_while_its_node_changes, idle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_pieces_take_no_place),
        cmocka_unit_test(the_driver_skips_empty_pieces),
        cmocka_unit_test(what_cannot_be_posted_is_not_held),
        cmocka_unit_test(a_refused_receive_ends_with_a_number_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
