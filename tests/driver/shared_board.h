/* SPDX-License-Identifier: MIT */
/* A simulated board divided by the driver's checks, host/driver/endpoint.h, as the kernel does it:
 * for programs of host/demo/pair.h. Every transfer between board and host memory is looked at. */
#ifndef TESTS_DRIVER_SHARED_BOARD_H
#define TESTS_DRIVER_SHARED_BOARD_H

#include "host/demo/pair.h"
#include "host/driver/endpoint.h"
#include "sim/observer.h"

enum {
    SHARED_MEMORY_LIMIT = 64,
    SHARED_PAGES_LIMIT = 420,
    SHARED_STRAY_WORDS = 120,
    SHARED_POISON = 0xA5
};

/* Memory of an application, in pages of its own. */
struct shared_memory {
    uint8_t *bytes;
    struct endpoint_region region;
    uint64_t page[SHARED_PAGES_LIMIT];
    uint32_t handle;
    const struct endpoint *owner; /* NULL: free, the board must leave it alone */
};

struct shared_board {
    struct pair_side *side;
    struct board *board;
    struct endpoint_table table;
    uint32_t *page[EMP_DESCRIPTOR_LIMIT];
    uint64_t page_bus[EMP_DESCRIPTOR_LIMIT];
    struct shared_memory memory[SHARED_MEMORY_LIMIT];
    size_t memories;
    uint64_t scratch_bus;
    unsigned drained;
    bool locked;
    uint64_t transfers;
    uint64_t stray; /* to memory of no living endpoint */
    char words[SHARED_STRAY_WORDS];
};

/* Two boards, each with a program that may call shared_open; every transfer is looked at.
 * `options` may be NULL. 0 or the first failure, which is then written to stderr. What the boards
 * counted stays; their memory is gone. */
int shared_run(struct shared_board boards[2], const struct pair_options *options, pair_program left,
               void *left_argument, pair_program right, void *right_argument, uint64_t limit_ns);

/* Takes the board over from libemp, which has started it. 0 or a negative errno value. */
int shared_open(struct shared_board *shared, struct pair_side *side,
                const struct endpoint_limits *limits);

/* As emp_card_lock: several programs of a host use the table. */
void shared_lock(struct shared_board *shared);
void shared_unlock(struct shared_board *shared);

/* Memory of so many bytes from `in_page` on, filled with SHARED_POISON, registered. NULL: failed.
 */
struct shared_memory *shared_register(struct shared_board *shared, struct endpoint *endpoint,
                                      size_t in_page, size_t bytes);

/* One entry; its error is returned and stored. */
int shared_submit(struct shared_board *shared, struct endpoint *endpoint,
                  struct emp_ioctl_entry *entry, const struct emp_ioctl_piece *pieces);

/* A message of one piece; `memory` NULL: without data. */
int shared_post(struct shared_board *shared, struct endpoint *endpoint, uint32_t kind,
                uint32_t peer, uint64_t tag, const struct shared_memory *memory, uint64_t offset,
                uint32_t length, uint32_t *request);

/* Waits for the end, as programs do: by their own memory alone; then collects. -ETIMEDOUT. */
int shared_wait(struct shared_board *shared, struct endpoint *endpoint, uint32_t request,
                uint64_t timeout_ns, struct emp_ioctl_entry *entry);

/* Reaps until nothing is left of closed endpoints. -ETIMEDOUT. */
int shared_drain(struct shared_board *shared, uint64_t timeout_ns);

#endif
