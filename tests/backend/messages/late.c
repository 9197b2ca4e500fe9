/* SPDX-License-Identifier: MIT */
/*
 * Messages for a record that has had its end, is free, or is in use again, change nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/backend/messages/late_unit.h"

struct nic_messages late_queues[2];
struct late_state late_common;
uint16_t late_told, late_wrapped;
uint32_t late_never;

static void demand(bool holds, const char *what) {
    if (holds)
        return;
    (void)printf("not so: %s\n", what);
    exit(1);
}

static void begin(uint16_t number) {
    demand(late_clerk.order(number) == HSM_DONE && late_told == 0, "a record is free");
    demand(late_packer.take(), "the packer begins");
}

static void hint(uint16_t number) {
    late_wrapped = 0;
    (void)late_clerk.hint(number);
    demand(late_packer.take(), "the hint is a message");
}

int main(void) {
    begin(7);
    hint(1);
    demand(late_wrapped == 1, "a hint in time is heard");
    demand(late_packer.wrapped(1) == HSM_DONE, "the end, which the clerk does not know yet");
    hint(2);
    demand(late_wrapped == 0 && late_never == 0, "a hint after the end is ignored");

    (void)late_clerk.hint(3);
    (void)late_clerk.hint(4);
    demand(late_clerk.take() && late_told == 7, "the clerk hears of the end");
    demand(late_packer.take() && late_wrapped == 0, "a hint for a free record is ignored");
    late_told = 0;
    demand(late_clerk.order(8) == HSM_DONE && late_told == 0, "the record is in use again");
    demand(late_packer.take(), "the last hint for the record before");
    demand(late_wrapped == 0 && late_never == 0, "is not for the new one");
    demand(late_packer.take(), "the packer begins again");
    hint(5);
    demand(late_wrapped == 5, "and hears hints");
    return 0;
}
