/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.6 and 15.7: rings of descriptors, served by the assist or, with ARGUMENT(2) not 0,
 * by CPU B; ARGUMENT(0) and (1) are bus addresses of 64 kB each. */
#include "tests/acceptance/firmware/dma.h"

#define PIECE 96u

static volatile uint32_t quit;

void main_b(void) {
    say_b("software assist begins", HW(0x11C) & 7u);
    while (!quit) {
        serve(READ);
        serve(WRITE);
    }
    say_b("software assist ends", HW(0x11C) & 7u);
}

/* Fills a ring that nobody serves yet, lets it be served, looks at event and pointers. */
static void fill(unsigned number, const char *const *names) {
    const struct engine *engine = &engines[number];
    uint32_t queued = 0, host = ARGUMENT(number), local = 0x30000;
    HW(0x11C) = 2 | (ARGUMENT(2) ? 0 : 1);
    while (queue(number, host, local, PIECE, number == READ ? 0x84 : 0x20084)) {
        host += PIECE;
        local += PIECE;
        queued++;
    }
    say(names[0], queued);
    say(names[1], HW(engine->ring + 0xC));
    say(names[2], HW(0x11C));
    say(names[3], HW(0x060) & 0xF000u);
    if (ARGUMENT(2)) {
        quit = 0;
        start_core_b();
    } else {
        HW(0x11C) = 1;
    }
    drain(number);
    if (ARGUMENT(2)) {
        quit = 1;
        while (!(HW(0x240) & 1u << 18))
            ;
    }
    say(names[4], HW(0x060) & 0xF000u);
    say(names[5], HW(engine->ring + 0xC));
    HW(engine->ring + 8) = HW(engine->ring + 4) - 32;
    say(names[6], HW(0x060) & 0xF000u);
    HW(engine->ring + 8) = HW(engine->ring + 4);
    say(names[7], HW(0x060) & 0xF000u);
    say(names[8], HW(engine->ring + 0xC) - (T_BASE - (number == READ ? 0x1000u : 0x800u)));
}

void main_a(void) {
    static const char *const read[] = {"read: descriptors that fit",
                                       "read: next when full",
                                       "read: HW[11C] while nobody serves",
                                       "read: event while waiting",
                                       "read: event when done",
                                       "read: next, reference not moved",
                                       "read: event one short of it",
                                       "read: event when it caught up",
                                       "read: next, offset in the ring"};
    static const char *const write[] = {"write: descriptors that fit",
                                        "write: next when full",
                                        "write: HW[11C] while nobody serves",
                                        "write: event while waiting",
                                        "write: event when done",
                                        "write: next, reference not moved",
                                        "write: event one short of it",
                                        "write: event when it caught up",
                                        "write: next, offset in the ring"};
    set_up_buffers();
    fill(READ, read);
    say("sum of what came in", sum_of(0x30000, 63 * PIECE));
    fill(WRITE, write);
    /* A second round crosses the end of the ring. */
    fill(READ, read);

    /* Bit 17 hands data to the MAC, at the end of the transmit buffer too. */
    set_up_buffers();
    quit = 0;
    if (ARGUMENT(2))
        start_core_b();
    else
        HW(0x11C) = 1;
    (void)queue(READ, ARGUMENT(0), R_BASE - 64, 40, 0x84);
    drain(READ);
    say("without bit 17: HW[0D4]", HW(0x0D4));
    (void)queue(READ, ARGUMENT(0) + 40, R_BASE - 24, 40, 0x20084);
    drain(READ);
    say("with bit 17, past the buffer's end", HW(0x0D4));
    check("bytes at the start of the buffer", sum_of(T_BASE, 16),
          (transfer(READ, ARGUMENT(0) + 64, 0x31000, 16, 0x84), sum_of(0x31000, 16)));
    quit = 1;
}
