/* SPDX-License-Identifier: MIT */
/* tigon2.md 7, 16.2: transceiver detection in loopback, then negotiation with the other board by
 * configuration words, which bit 1 of HW[200] ends. */
#include "tests/acceptance/firmware/mac.h"

#define FULL_DUPLEX 0x2000u
#define PAUSE       0x8000u
#define ACKNOWLEDGE 0x0040u
#define LINK_TIMER  10000u

static void await_word(uint32_t mask) {
    while ((HW(0x224) & mask) != mask)
        ;
}

void main_a(void) {
    set_up_buffers();
    HW(0x200) = 0xE0u;
    HW(0x220) = 0xF7000800u;
    HW(0x238) = 0x00C801FBu;
    say("reset phase: status", HW(0x220) & 0x000C0000u);
    HW(0x238) = 0x00C801F6u;
    for (uint32_t word = 1; word <= 0x4000; word <<= 1) {
        HW(0x204) = word;
        const uint32_t start = HW(0x054);
        while (HW(0x224) != word && HW(0x054) - start <= 2)
            ;
        check("word in loopback within 2 us", HW(0x224), word);
    }
    say("last word in loopback", HW(0x224));
    HW(0x204) = 0;
    HW(0x238) = 0x00C801FEu;
    HW(0x220) = 0xF7000800u;
    while (!(HW(0x220) & 0x00040000u))
        ;
    say("attentions when the peer appeared", HW(0x220) & 0x07000000u);
    HW(0x204) = FULL_DUPLEX | PAUSE;
    await_word(FULL_DUPLEX);
    say("peer offers", HW(0x224) & ~ACKNOWLEDGE);
    say("status: configuration", HW(0x220) & 0x000C0000u);
    wait_us(LINK_TIMER);
    HW(0x204) = FULL_DUPLEX | PAUSE | ACKNOWLEDGE;
    await_word(ACKNOWLEDGE);
    wait_us(LINK_TIMER);
    HW(0x220) = 0x07000800u;
    const uint32_t start = HW(0x054);
    HW(0x200) = 0xE2u;
    while ((HW(0x220) & 0x000C0000u) != 0x00040000u)
        ;
    say("link up: status", HW(0x220) & 0x000C0000u);
    say("attentions", HW(0x220) & 0x07000000u);
    say("more than 10 ms later", HW(0x054) - start > LINK_TIMER);
    say("word still there", HW(0x224));
    HW(0x220) = 0x07000802u;
    /* One frame each way, so that "up" means something. */
    MEMORY(T_BASE) = 0xFFFFFFFFu;
    MEMORY(T_BASE + 4) = 0xFFFF0254u;
    MEMORY(T_BASE + 8) = 0x47000000u;
    MEMORY(T_BASE + 12) = 0x88B50000u;
    wait_us(100); /* the peer may need a moment more */
    post(T_BASE, 60);
    HW(0x0D4) = T_BASE + 60;
    const uint32_t since = HW(0x054);
    while (!(HW(0x060) & 1u << 6) && HW(0x054) - since < 1000)
        ;
    say("frame from the peer", MEMORY(HW(0x0E8) + 4) & 0xFFFFu);
}
