/*
 * A stand-in for the genuine image, of our own: the least that a driver of the section 11 kind
 * needs of its board. Boots to event 1, reports the link by event 6, sends from a send ring in host
 * memory, receives into the standard ring, takes commands. Operating-mode bit 6 selects the DMA
 * assist; without it CPU B serves the rings in software (tigon2.md 5.5).
 */
#include "tests/acceptance/firmware/dma.h"

/* Where the genuine image has its buffers depends on SRAM; rings must lie below them and clear of
 * the log and the text on every size. */
#define T   0x1B3000u
#define R   0x1CC000u
#define END 0x200000u

#define GENCOM(offset) MEMORY(0x200u + (offset))
#define MAILBOX(n)     MEMORY(0x104u + 8u * (n))

#define INFORMATION    0x10000u /* 0x490 bytes, as the host has them */
#define BUFFER_BD      0x10800u /* one buffer descriptor on its way */
#define RETURN_BD      0x10840u
#define EVENT          0x10880u
#define INDEX          0x108A0u /* 8 bytes each: what goes to the host's producer and consumer words */
#define EVENT_ENTRIES  256u
#define SEND_ENTRIES   256u
#define BUFFER_ENTRIES 512u
#define RETURN_ENTRIES 2048u

#define INFO(offset)    MEMORY(INFORMATION + (offset))
#define EVENT_RING      INFO(0x404)
#define SEND_RING       INFO(0x424)
#define STANDARD_RING   INFO(0x434)
#define RETURN_RING     INFO(0x464)
#define EVENT_PRODUCER  INFO(0x474)
#define RETURN_PRODUCER INFO(0x47C)
#define SEND_CONSUMER   INFO(0x484)

static uint32_t events, sent, standard, returned, commands, place;

/* ------------------------------------------------------------------------------------------ DMA */

void main_b(void) {
    for (;;) {
        serve(READ);
        serve(WRITE);
    }
}

/* Through the ring, and done when this returns. */
static void move(unsigned number, uint32_t host, uint32_t local, uint32_t length, uint32_t state) {
    while (!queue(number, host, local, length, state))
        ;
    drain(number);
    HW(engines[number].ring + 8) = HW(engines[number].ring + 4);
}

/* A word of the host that follows an index of ours, 8 bytes, and the interrupt. */
static void tell(uint32_t host, uint32_t index) {
    MEMORY(INDEX) = index;
    MEMORY(INDEX + 4) = 0;
    move(WRITE, host, INDEX, 8, GENCOM(0x64) == 0 ? 0x220086 : 0x20086);
}

static void tell_event(uint32_t event, uint32_t code) {
    MEMORY(EVENT) = event << 24 | code << 12;
    MEMORY(EVENT + 4) = 0;
    move(WRITE, EVENT_RING + 8u * events, EVENT, 8, 0x20086);
    events = (events + 1u) & (EVENT_ENTRIES - 1u);
    tell(EVENT_PRODUCER, events);
}

/* ----------------------------------------------------------------------------------- Wire, frames
 */

static void bring_link_up(void) {
    HW(0x208) = GENCOM(0x00);
    HW(0x20C) = GENCOM(0x04);
    HW(0x200) = 0xE2;
    HW(0x220) = 0xF7000802u;
    HW(0x204) = 0;
    HW(0x238) = 0x00C801FEu;
}

static void look_at_link(void) {
    const uint32_t state = HW(0x220);
    if (!(state & 0x07000000u))
        return;
    HW(0x220) = 0x07000802u;
    const uint32_t up = (state & 0x000C0000u) == 0x00040000u;
    GENCOM(0x68) = up ? GENCOM(0x48) | 1u << 31 : 0;
    tell_event(6, up ? 1 : 2);
}

static uint32_t step(uint32_t address, uint32_t bytes) {
    address += bytes;
    return address < R ? address : address - (R - T);
}

/* One frame of the send ring: its pieces to the transmit buffer, one MAC descriptor in front. */
static void send(void) {
    uint32_t length = 0, flags = 0, count = 0, lengths[8], hosts[8];
    const uint32_t producer = MAILBOX(2) & (SEND_ENTRIES - 1u);
    if (sent == producer || !HW(0x0FC))
        return;
    uint32_t next = sent;
    while (next != producer && count < 8 && !(flags & 4u)) {
        move(READ, SEND_RING + 16u * next, BUFFER_BD, 16, 0x86);
        hosts[count] = MEMORY(BUFFER_BD + 4);
        lengths[count] = MEMORY(BUFFER_BD + 8) >> 16;
        flags = MEMORY(BUFFER_BD + 8) & 0xFFFFu;
        length += lengths[count++];
        next = (next + 1u) & (SEND_ENTRIES - 1u);
    }
    if (!(flags & 4u))
        return; /* the last piece is still to come */
    const uint32_t slot = HW(0x0FC);
    MEMORY(slot) = place;
    MEMORY(slot + 4) = length;
    HW(0x0F0) = slot + 8;
    uint32_t at = place;
    for (uint32_t i = 0; i < count; i++) {
        move(READ, hosts[i], at, lengths[i], i + 1 == count ? 0x20084 : 0x84);
        at = step(at, lengths[i]);
    }
    place = step(place, (length + 7u) & ~7u);
    while (HW(0x0F4) != HW(0x0F0))
        ;
    sent = next;
    tell(SEND_CONSUMER, sent);
}

/* One received frame into the next standard buffer. */
static void receive(void) {
    if (standard == (MAILBOX(3) & (BUFFER_ENTRIES - 1u)))
        return; /* no buffer: the frame waits */
    const uint32_t slot = HW(0x0E4), address = MEMORY(slot), word = MEMORY(slot + 4);
    const uint32_t next = slot + 8 < T - 0x1000u ? slot + 8 : T - 0x2000u;
    const uint32_t length = (word & 0xFFFFu) - 4u;
    if (!(word & 0x00BF0000u)) {
        move(READ, STANDARD_RING + 32u * standard, BUFFER_BD, 32, 0x86);
        move(WRITE, MEMORY(BUFFER_BD + 4), address, length, 0xA0084);
        for (uint32_t i = 0; i < 32; i += 4)
            MEMORY(RETURN_BD + i) = MEMORY(BUFFER_BD + i);
        MEMORY(RETURN_BD + 8) = (MEMORY(BUFFER_BD + 8) & 0xFFFF0000u) | length;
        MEMORY(RETURN_BD + 12) |= 4u;
        move(WRITE, RETURN_RING + 32u * returned, RETURN_BD, 32, 0x20086);
        standard = (standard + 1u) & (BUFFER_ENTRIES - 1u);
        returned = (returned + 1u) & (RETURN_ENTRIES - 1u);
    } else {
        HW(0x0C8) = HW(0x0C4); /* one at a time is in the buffer, near enough */
    }
    HW(0x0E4) = next;
    HW(0x0E8) = next;
    tell(RETURN_PRODUCER, returned);
}

static void take_commands(void) {
    commands = MAILBOX(1) & 63u;
    GENCOM(0x2C) = commands;
}

void main_a(void) {
    HW(0x11C) = 0;
    HW(0x0D0) = HW(0x0D4) = HW(0x0D8) = T;
    HW(0x0C0) = HW(0x0C4) = HW(0x0C8) = R;
    HW(0x0E0) = HW(0x0E4) = HW(0x0E8) = T - 0x2000u;
    HW(0x0F0) = HW(0x0F4) = HW(0x0F8) = T - 0x2800u;
    for (uint32_t pointer = 0x100; pointer <= 0x138; pointer += 4)
        if (pointer != 0x11C)
            HW(pointer) = 0;
    place = T;
    (void)transfer(READ, GENCOM(0x0C), INFORMATION, 0x490, 0x86);
    if (GENCOM(0x18) & 0x40u)
        HW(0x11C) = 5;
    else
        start_core_b();
    tell_event(1, 0);
    tell(RETURN_PRODUCER, 0);
    tell(SEND_CONSUMER, 0);
    HW(0x064) = 0xFFFFFFFFu;
    bring_link_up();
    for (;;) {
        const uint32_t pending = HW(0x060);
        if (pending & 1u << 25)
            look_at_link();
        if (pending & 1u << 22) {
            HW(0x064) = HW(0x064);
            take_commands();
        }
        if (pending & 1u << 6)
            receive();
        send();
    }
}
