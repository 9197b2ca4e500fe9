/* SPDX-License-Identifier: MIT */
/* Waiting for one of several requests, and for all of them. */
#include "host/emp/internal.h"

#include <errno.h>

enum { HEALTH_ROUNDS = 256 /* of looks at all requests, between two at the firmware's state */ };

/* A time limit as a moment of the backend's clock. */
static uint64_t moment_after(struct libemp_board *board, uint64_t timeout_ns) {
    const uint64_t now = board_now_ns(board->hardware);
    return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

/* 0, or why no further look can find anything. */
static int check_round(struct libemp_board *board, uint64_t round, uint64_t until_ns) {
    const bool late = board_now_ns(board->hardware) >= until_ns;
    if (late || round % HEALTH_ROUNDS == 0) {
        const int error = libemp_check_firmware(board);
        if (error)
            return error;
    }
    return late ? libemp_fail(board, -ETIMEDOUT, "not finished in time") : 0;
}

int libemp_wait_any(struct libemp_board *board, const libemp_request *requests, size_t count,
                    uint64_t timeout_ns, size_t *index, struct libemp_completion *completion) {
    const uint64_t until = moment_after(board, timeout_ns);
    size_t posted = 0;
    if (!requests || !index)
        return libemp_fail(board, -EINVAL, "no requests, or no place for the index");
    for (size_t i = 0; i < count; i++)
        posted += requests[i] != LIBEMP_NO_REQUEST;
    if (posted == 0)
        return libemp_fail(board, -EINVAL, "no request to wait for");
    for (uint64_t round = 1;; round++) {
        for (size_t i = 0; i < count; i++) {
            if (requests[i] == LIBEMP_NO_REQUEST)
                continue;
            const int error = libemp_test(board, requests[i], completion);
            if (error != -EAGAIN) {
                *index = i;
                return error;
            }
        }
        const int error = check_round(board, round, until);
        if (error)
            return error;
    }
}

int libemp_wait_all(struct libemp_board *board, libemp_request *requests, size_t count,
                    uint64_t timeout_ns, int *results, struct libemp_completion *completions) {
    const uint64_t until = moment_after(board, timeout_ns);
    int first = 0;
    if (count && !requests)
        return libemp_fail(board, -EINVAL, "no requests");
    for (size_t i = 0; i < count; i++) {
        if (requests[i] == LIBEMP_NO_REQUEST)
            continue;
        const uint64_t now = board_now_ns(board->hardware);
        const int error = libemp_wait(board, requests[i], until > now ? until - now : 0,
                                      completions ? &completions[i] : NULL);
        if (error == -EINVAL || libemp_is_posted(board, requests[i]))
            return error; /* no such request, too late, or the board is gone */
        requests[i] = LIBEMP_NO_REQUEST;
        if (results)
            results[i] = error;
        if (!first)
            first = error;
    }
    return first;
}
