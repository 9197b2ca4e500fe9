/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.1 and 3.7: HALT, and what stops a core with which status bit; ARGUMENT(0) selects.
 */
#include "tests/acceptance/firmware/firmware.h"

static void jump(uint32_t address) {
    ((void (*)(void))(uintptr_t)address)();
}

void main_a(void) {
    volatile uint8_t *const event_byte = (volatile uint8_t *)0xC0000060u;
    volatile uint16_t *const event_half = (volatile uint16_t *)0xC0000060u;
    switch (ARGUMENT(0)) {
    case 0:
        say("before HALT", 1);
        halt();
        say("behind HALT", 2);
        break;
    case 1:
        multiply();
        break;
    case 2:
        unaligned_load();
        break;
    case 3:
        system_call();
        break;
    case 4:
        coprocessor();
        break;
    case 5:
        MEMORY(0x4002u | ARGUMENT(1)) = 0;
        break;
    case 6:
        say("no memory there", MEMORY(0x00900000));
        break;
    case 7:
        jump(0x00900000);
        break;
    case 8:
        HW(0x140) = 1u << 2;
        say("null page", MEMORY(ARGUMENT(1)));
        break;
    case 9:
        HW(0x140) = 1u << 2;
        jump(0x40);
        break;
    case 10:
        say("byte of a register", *event_byte);
        break;
    case 11:
        *event_half = 1;
        break;
    case 12:
        for (;;) /* the host will stop us */
            (void)HW(0x054);
    default:
        jump(0x4001);
    }
}
