/* SPDX-License-Identifier: MIT */
/* What only a simulator offers beside struct board_backend: fewer steps for the same result. */
#ifndef HOST_BOARD_AHEAD_H
#define HOST_BOARD_AHEAD_H

#include <stdint.h>

struct board_ahead {
    /* Has the same effect as
     *     value = read32(offset);
     *     if ((value & mask) == unchanged && *turns > 1 && now_ns() < until_ns)
     *         value = poll32(offset, mask, unchanged, spend_ns, until_ns, *turns - 1);
     * and sets `*turns` to the number of reads made. */
    uint32_t (*await32)(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                        uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);

    /* Between these two the library uses only the values that the backend's functions return, so
     * time need not pass at each call. */
    void (*run_ahead)(void *handle);
    void (*catch_up)(void *handle);
};

#endif
