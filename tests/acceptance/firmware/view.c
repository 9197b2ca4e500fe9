/* SPDX-License-Identifier: MIT */
/* tigon2.md 3: every register as CPU A sees it, for the host to compare: words at 0x30000. */
#include "tests/acceptance/firmware/firmware.h"

void main_a(void) {
    for (uint32_t offset = 0; offset < 0x400; offset += 4)
        MEMORY(0x30000u + offset) = HW(offset);
}
