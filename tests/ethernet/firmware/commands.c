/* SPDX-License-Identifier: MIT */
/* Core A: the command ring. It lies in SRAM; the host writes words, then the producer to mailbox 1.
 */
#include "tests/ethernet/firmware/core_a.h"
#include "tests/ethernet/firmware/parameters.h"

#define ROOM 8u /* of waiting events, for what is no answer to commands */

#define ON  1u /* code of most switches */
#define OFF 2u

static uint32_t consumer;

static uint32_t word_at(uint32_t index) {
    return SRAM(SHARED_COMMANDS + 4 * (index & (COMMANDS - 1)));
}

static void group_added(uint32_t high, uint32_t low) {
    add_group(high, low);
    tell_event(EVENT_GROUPS, 1, 0);
}

static void group_removed(uint32_t high, uint32_t low) {
    remove_group(high, low);
    tell_event(EVENT_GROUPS, 2, 0);
}

static void negotiate(uint32_t code) {
    if (code > 2)
        tell_event(EVENT_ERROR, 1, 0);
    else
        link_negotiate(code);
}

/* Does what can be done at once. */
static void execute(uint32_t number, uint32_t code) {
    switch (number) {
    case COMMAND_HOST_STATE:
        host_up = code == ON;
        break;
    case COMMAND_FILTER:
        set_by_address(code == ON);
        break;
    case COMMAND_UPDATE_SHARED:
        read_tunables();
        break;
    case COMMAND_ADD_GROUP:
        group_added(SRAM(SHARED_GROUP_HIGH), SRAM(SHARED_GROUP_LOW));
        break;
    case COMMAND_REMOVE_GROUP:
        group_removed(SRAM(SHARED_GROUP_HIGH), SRAM(SHARED_GROUP_LOW));
        break;
    case COMMAND_PROMISCUOUS:
        set_promiscuous(code == ON);
        break;
    case COMMAND_NEGOTIATE:
        negotiate(code);
        break;
    case COMMAND_SET_ADDRESS:
        take_address();
        break;
    case COMMAND_CLEAR_PROFILE:
        if (KNOWS_CLEAR_PROFILE)
            clear_profile();
        else
            tell_event(EVENT_ERROR, 1, 0);
        break;
    case COMMAND_ALL_GROUPS:
        set_all_groups(code == ON);
        break;
    case COMMAND_CLEAR_STATISTICS:
        clear_statistics();
        break;
    case COMMAND_REFRESH_STATISTICS:
        refresh_statistics();
        break;
    case 0x03: /* known to drivers, of no use with the rings of this interface */
    case 0x06:
    case 0x10:
        tell_event(EVENT_ERROR, 2, 0);
        break;
    default:
        tell_event(EVENT_ERROR, 1, 0);
    }
}

/* Words that the next command takes, or 0 if it must wait. */
static uint32_t take(uint32_t available) {
    const uint32_t command = word_at(consumer);
    const uint32_t number = command >> 24;
    const uint32_t code = command >> 12 & 0xFFF;
    if (event_room() < ROOM)
        return 0;
    if (number == COMMAND_RESET_JUMBO)
        return jumbo_reset() ? 1 : 0;
    if (number == COMMAND_ADD_GROUP_LONG || number == COMMAND_REMOVE_GROUP_LONG) {
        if (available < 3)
            return 0;
        const uint32_t high = word_at(consumer + 1);
        const uint32_t low = word_at(consumer + 2);
        if (number == COMMAND_ADD_GROUP_LONG)
            group_added(high, low);
        else
            group_removed(high, low);
        return 3;
    }
    execute(number, code);
    return 1;
}

void take_commands(void) {
    static bool taking; /* an answer may find room for another */
    if (taking)
        return;
    taking = true;
    for (;;) {
        const uint32_t available = (SRAM(MAILBOX(MAILBOX_COMMANDS)) - consumer) & (COMMANDS - 1);
        const uint32_t taken = available == 0 ? 0 : take(available);
        if (taken == 0)
            break;
        consumer = (consumer + taken) & (COMMANDS - 1);
        SRAM(SHARED_COMMAND_CONSUMER) = consumer;
        count(COUNTER_COMMANDS);
    }
    taking = false;
}
