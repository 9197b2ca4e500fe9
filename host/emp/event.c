/* SPDX-License-Identifier: MIT */
/* A file descriptor for programs that wait in poll(2). It is an epoll instance with up to two files
 * in it: the driver's, which tells of requests that have ended, and a timer for what no file tells
 * of. */
#include "host/emp/internal.h"

#include "host/board/device.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    AT_ONCE_NS = 1,
    SERVED_NS = 100000,  /* between two looks at a board that does not interrupt */
    WAITING_NS = 1000000 /* between two offers of what the driver has no room for */
};

/* Board time that passes with each look, because in lock step it does not pass while a program
 * waits in poll. */
#define BOARD_TIME_NS UINT64_C(20000)

static int watch(int events, int file) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
    return epoll_ctl(events, EPOLL_CTL_ADD, file, &event) ? -errno : 0;
}

static int open_event(struct libemp_board *board) {
    const int channel = board_channel(board->hardware);
    board->event = epoll_create1(EPOLL_CLOEXEC);
    if (board->event < 0)
        return -errno;
    board->event_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    int error = board->event_timer < 0 ? -errno : watch(board->event, board->event_timer);
    if (!error && channel >= 0)
        error = watch(board->event, channel);
    if (error)
        libemp_close_event(board);
    return error;
}

void libemp_close_event(struct libemp_board *board) {
    if (board->event_timer >= 0)
        (void)close(board->event_timer);
    if (board->event >= 0)
        (void)close(board->event);
    board->event = -1;
    board->event_timer = -1;
}

/* 0: only the driver's file makes the descriptor readable. */
static long timer_ns(struct libemp_board *board) {
    if (!board->outstanding)
        return 0;
    if (!board->session)
        return SERVED_NS;
    if (session_has_news(board))
        return AT_ONCE_NS;
    return session_is_waiting(board) ? WAITING_NS : 0;
}

int libemp_event_descriptor(struct libemp_board *board) {
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    const int error = board->event < 0 ? open_event(board) : 0;
    if (error)
        return libemp_fail(board, error, "no descriptor for events: %s", strerror(-error));
    libemp_release_receives(board);
    if (!board->session && board->outstanding)
        board_sleep_ns(board->hardware, BOARD_TIME_NS);
    const struct itimerspec moment = {.it_value.tv_nsec = timer_ns(board)};
    if (timerfd_settime(board->event_timer, 0, &moment, NULL))
        return libemp_fail(board, -errno, "the timer of events: %s", strerror(errno));
    return board->event;
}
