/* SPDX-License-Identifier: MIT */
/* Both cores access registers and SRAM at random, for ever: ARGUMENT(0) seeds it, ARGUMENT(1) not 0
 * leaves alone what would stop or reset somebody. */
#include "tests/acceptance/firmware/dma.h"

static uint32_t next(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

/* What stops a core, resets the chip, moves the rings or takes the link down. */
static uint32_t harsh(uint32_t offset) {
    return offset == 0x040 || offset == 0x140 || offset == 0x240 || offset == 0x0C0 ||
           offset == 0x0D0 || offset == 0x11C || offset == 0x200 || offset == 0x220 ||
           offset == 0x238;
}

static void noise(uint32_t state) {
    const uint32_t gentle = ARGUMENT(1);
    for (;;) {
        const uint32_t choice = next(&state), offset = next(&state) & 0x3FCu, value = next(&state);
        if (gentle && harsh(offset))
            continue;
        switch (choice & 7u) {
        case 0:
        case 1:
            HW(offset) = value;
            break;
        case 2:
            HW(offset) = value & 0x1FFFFFu;
            break;
        case 3: /* rings and MAC pointers move by a slot now and then */
            HW(0x0F0) = HW(0x0F0) + 8u;
            HW(0x0E8) = HW(0x0E0);
            HW(0x0C8) = HW(0x0C4);
            HW(0x0D4) = 0x1FC000u | (value & 0x1FF8u);
            break;
        case 4: /* and engines that failed go on behind the descriptor that did it */
            for (unsigned i = 0; i < 2; i++)
                if (HW(engines[i].state) & 0xEF000000u) {
                    HW(engines[i].state) = 1;
                    HW(engines[i].ring + 4) = HW(engines[i].ring + 4) + 32u;
                }
            HW(0x100 + (choice & 0x20u)) = HW(0x100 + (choice & 0x20u)) + 32u;
            break;
        case 5: /* into the rings and buffers, not into our own text */
            MEMORY(0x1F8000u | (value & 0x7FFCu)) = choice;
            break;
        default:
            (void)HW(offset);
            break;
        }
    }
}

void main_a(void) {
    set_up_buffers();
    HW(0x200) = 0xE2u;
    HW(0x220) = 0x80Au;
    HW(0x238) = 0x00C801FEu;
    HW(0x11C) = 1;
    start_core_b();
    noise(ARGUMENT(0) * 2u + 1u);
}

void main_b(void) {
    noise(ARGUMENT(0) * 2u + 2u);
}
