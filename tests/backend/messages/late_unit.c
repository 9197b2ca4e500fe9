/* SPDX-License-Identifier: MIT */
/*
 * A unit of the protocol late, for late.c: LATE_UNIT is the number of its processor. The program is
 * one thread, so the lock is none, and all state is common.
 */
#include "fw-runtime/messages.h"
#include "tests/backend/messages/late_unit.h"

#define LATE_COMMON
#include "late_messages.h"

#define TO_OTHER             (&late_queues[1 - LATE_UNIT])
#define TO_HERE              (&late_queues[LATE_UNIT])
#define LATE_MESSAGE_ROOM()  nic_message_room(TO_OTHER)
#define LATE_MESSAGE_BEGIN() nic_message_begin(TO_OTHER)
#define LATE_MESSAGE_PUT()   nic_message_put(TO_OTHER)
#define LATE_MESSAGE_TAKE()  ((void)0)
#define LATE_LOCK()          ((void)0)
#define LATE_UNLOCK()        ((void)0)

#undef LATE_NEVER
#define LATE_NEVER(process, state, event) ((void)late_never++)
#undef LATE_STATE
#define LATE_STATE(member) (late_common.member)
#undef LATE_OWN_STATE
#include LATE_SOURCE

void late_device_tell(const uint16_t number) {
    late_told = number;
}

void late_device_wrap(const uint16_t number) {
    late_wrapped = number;
}

static bool take(void) {
    const volatile uint32_t *words = nic_message_first(TO_HERE);
    if (words == NULL)
        return false;
    late_message_came(words);
    nic_message_taken(TO_HERE);
    return true;
}

#if LATE_UNIT == 0
const struct late_unit late_clerk = {take, late_clerk_order, late_clerk_hint, NULL};
volatile uint32_t late_order_releases[2];
#else
const struct late_unit late_packer = {take, NULL, NULL, late_packer_wrapped};
#endif
