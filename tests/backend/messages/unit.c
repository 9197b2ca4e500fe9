/* SPDX-License-Identifier: MIT */
/*
 * The machines of one processor, or of the whole protocol. What is common is in reach only under
 * the lock: there the unit has a copy, which is taken when it gets the lock and given when it gives
 * it back. So data that a unit uses without the lock, or that are missing among the common ones,
 * are wrong.
 */
#include <assert.h>
#include <string.h>

#include "tests/backend/messages/unit.h"

static struct post_state own;

#ifdef POST_UNIT
#include "post_messages.h"

static_assert(POST_MESSAGES_AT_ONCE <= NIC_MESSAGE_LIMIT, "an event finds room");
static_assert(POST_MESSAGE_WORDS <= NIC_MESSAGE_WORDS, "a message fits");

#define TO_OTHER             (&shared.to[1 - POST_UNIT])
#define TO_HERE              (&shared.to[POST_UNIT])
#define POST_MESSAGE_ROOM()  nic_message_room(TO_OTHER)
#define POST_MESSAGE_BEGIN() nic_message_begin(TO_OTHER)
#define POST_MESSAGE_PUT()   nic_message_put(TO_OTHER)
#define POST_MESSAGE_TAKE()  ((void)take())
static bool take(void);

#define GET(member) memcpy(&own.member, &shared.common.member, sizeof own.member);
#define GIVE(member)                                                                               \
    memcpy(&shared.common.member, &own.member, sizeof own.member);                                 \
    memset(&own.member, 0xA5, sizeof own.member);

static void lock(void) {
    while (atomic_flag_test_and_set(&shared.locked))
        ;
    POST_COMMON_MEMBERS(GET)
}

static void unlock(void) {
    POST_COMMON_MEMBERS(GIVE)
    atomic_flag_clear(&shared.locked);
}
#define POST_LOCK()   lock()
#define POST_UNLOCK() unlock()
#endif

#undef POST_STATE
#define POST_STATE(member) (own.member)
#undef POST_OWN_STATE
#include POST_SOURCE

void post_device_tell(const uint16_t number, const uint32_t value) {
    told(number, value);
}

void post_timer_arm(enum post_timer timer, uint32_t instance, uint32_t microseconds) {
    (void)timer;
    (void)instance;
    (void)microseconds;
}

void post_timer_cancel(enum post_timer timer, uint32_t instance) {
    (void)timer;
    (void)instance;
}

static void expire(void) {
    post_timer_expired(POST_TIMER_WATCH_QUIET, 0);
}

#ifdef POST_UNIT
static bool take(void) {
    const volatile uint32_t *words = nic_message_first(TO_HERE);
    if (words == NULL)
        return false;
    post_message_came(words);
    nic_message_taken(TO_HERE);
    return true;
}
#else
static bool take(void) {
    return false;
}
#endif

#if !defined(POST_UNIT) || POST_UNIT == 0
#define ORDER post_clerk_order
#else
#define ORDER NULL
#endif

const struct unit POST_NAME = {post_initialise, take, ORDER, expire, &own};
