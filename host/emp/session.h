/* SPDX-License-Identifier: MIT */
/* Requests over a driver that posts them (host/driver/uapi/emp_ioctl.h), for the files of libemp.
 *
 * A board has a session in place of its own descriptors. Requests go to the driver in the order in
 * which they were posted, in batches. One that the driver has no room for waits here, and goes when
 * the program tests, waits or posts. What has ended is collected with the next batch. */
#ifndef HOST_EMP_SESSION_H
#define HOST_EMP_SESSION_H

#include "host/emp/descriptor.h"
#include "host/emp/libemp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct libemp_session;
struct libemp_slot;

/* Between two questions to a driver that has no room now. */
#define SESSION_NAP_NS UINT64_C(20000)

/* `file`: of board_channel. 0 or a negative errno value. */
int session_open(struct libemp_session **session, int file);
void session_close(struct libemp_board *board);

/* -EPERM for a program that may not start boards, else as board_start. */
int session_start(struct libemp_board *board, const struct board_start_options *options);
/* Number of the board's node, and whether the driver is of this library's specification. */
int session_adopt(struct libemp_board *board);
unsigned session_tag_bits(const struct libemp_board *board);
int session_set_peer(struct libemp_board *board, uint16_t node, const uint8_t mac_address[6]);
int session_set_parameter(struct libemp_board *board, size_t index, uint32_t value);

/* A request that slot `index` stands for. `later`: another call will hand it over. */
int session_post(struct libemp_board *board, size_t index, const struct libemp_header *header,
                 const struct libemp_piece *pieces, size_t count, bool later);
int session_cancel(struct libemp_board *board, size_t index);
/* Hands over what waits. */
void session_flush(struct libemp_board *board);
/* Tells the driver of all requests that the program knows to have ended. */
void session_collect(struct libemp_board *board);
bool session_is_waiting(const struct libemp_board *board);
/* Whether a request has ended of which the driver's file does not tell any more. */
bool session_has_news(const struct libemp_board *board);

/* Where the end of a request will be seen; NULL while it waits here. */
const volatile uint32_t *session_end(const struct libemp_board *board, size_t index);
/* What is there now, or was when it ended. */
uint32_t session_word(const struct libemp_board *board, size_t index);
/* 0, or why the driver did not take a request that had waited. */
int session_failure(const struct libemp_board *board, size_t index);
/* The message that a receive with wildcards, or a peek, has met. False: none is known. */
bool session_source(struct libemp_board *board, size_t index, struct libemp_completion *found);
/* The program knows how it ended. */
void session_finish(struct libemp_board *board, size_t index);

#ifdef __cplusplus
}
#endif

#endif
