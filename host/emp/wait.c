/* SPDX-License-Identifier: MIT */
/* Waiting for one of several requests, and for all of them. */
#include "host/emp/internal.h"

#include <errno.h>

/* Between two looks at all requests the first of them is polled for so long: a backend polls one
 * word with less effort than it reads several. */
#define POLL_NS UINT64_C(2000)

/* A time limit as a moment of the backend's clock. */
static uint64_t moment_after(struct libemp_board *board, uint64_t timeout_ns) {
    const uint64_t now = board_now_ns(board->hardware);
    return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

int libemp_wait_any(struct libemp_board *board, const libemp_request *requests, size_t count,
                    uint64_t timeout_ns, size_t *index, struct libemp_completion *completion) {
    const uint64_t until = moment_after(board, timeout_ns);
    size_t first = count;
    if (!requests || !index)
        return libemp_fail(board, -EINVAL, "no requests, or no place for the index");
    for (size_t i = count; i-- > 0;)
        if (requests[i] != LIBEMP_NO_REQUEST)
            first = i;
    if (first == count)
        return libemp_fail(board, -EINVAL, "no request to wait for");
    for (;;) {
        for (size_t i = first; i < count; i++) {
            if (requests[i] == LIBEMP_NO_REQUEST)
                continue;
            const int error = libemp_test(board, requests[i], completion);
            if (error != -EAGAIN) {
                *index = i;
                return error;
            }
        }
        const uint64_t now = board_now_ns(board->hardware);
        const uint64_t rest = until > now ? until - now : 0;
        const int error =
            libemp_wait(board, requests[first], rest < POLL_NS ? rest : POLL_NS, completion);
        if (!libemp_is_posted(board, requests[first])) {
            *index = first;
            return error;
        }
        if (error != -ETIMEDOUT || rest <= POLL_NS)
            return error; /* too late, or the board has gone */
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
        const bool posted = libemp_is_posted(board, requests[i]);
        const uint64_t now = board_now_ns(board->hardware);
        const int error = libemp_wait(board, requests[i], until > now ? until - now : 0,
                                      completions ? &completions[i] : NULL);
        if (!posted || libemp_is_posted(board, requests[i]))
            return error; /* no such request, too late, or the board is gone */
        requests[i] = LIBEMP_NO_REQUEST;
        if (results)
            results[i] = error;
        if (!first)
            first = error;
    }
    return first;
}
