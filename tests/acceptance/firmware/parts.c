/* SPDX-License-Identifier: MIT */
/* tigon2.md 3.3, 2.1: serial EEPROM, PHY, LEDs, flash and boot PROM. ARGUMENT(0) is 1 to look at
 * all, 2 for the PHY only. */
#include "tests/acceptance/firmware/firmware.h"

static uint32_t pins = 0x280; /* bank size, PHY out of reset */

static void set(uint32_t clear, uint32_t bits) {
    pins = (pins & ~clear) | bits;
    HW(0x044) = pins;
}

/* --- EEPROM: clock bit 20, enable 21, out 22, in 23. */
static void serial(uint32_t clock, uint32_t enable, uint32_t data) {
    set(7u << 20, clock << 20 | enable << 21 | data << 22);
}

static void serial_start(void) {
    serial(0, 1, 1);
    serial(1, 1, 1);
    serial(1, 1, 0);
    serial(0, 1, 0);
}

static uint32_t serial_put(uint32_t byte) {
    for (uint32_t bit = 8; bit-- > 0;) {
        serial(0, 1, byte >> bit & 1u);
        serial(1, 1, byte >> bit & 1u);
        serial(0, 1, byte >> bit & 1u);
    }
    serial(0, 0, 0);
    serial(1, 0, 0);
    const uint32_t refused = HW(0x044) >> 23 & 1u;
    serial(0, 0, 0);
    return refused;
}

static uint32_t serial_get(uint32_t more) {
    uint32_t byte = 0;
    for (uint32_t bit = 0; bit < 8; bit++) {
        serial(1, 0, 0);
        byte = byte << 1 | (HW(0x044) >> 23 & 1u);
        serial(0, 0, 0);
    }
    serial(0, 1, !more);
    serial(1, 1, !more);
    serial(0, 1, !more);
    return byte;
}

static void look_at_eeprom(void) {
    uint32_t refused, high = 0, low = 0;
    serial_start();
    refused = serial_put(0xA0) | serial_put(0x00) | serial_put(0x8C);
    serial_start();
    refused |= serial_put(0xA1);
    for (uint32_t i = 0; i < 4; i++)
        high = high << 8 | serial_get(1);
    for (uint32_t i = 0; i < 4; i++)
        low = low << 8 | serial_get(i < 3);
    say("EEPROM refused", refused);
    say("EEPROM 0x8C", high);
    say("EEPROM 0x90", low);
    serial_start();
    say("device 0xB0 refused", serial_put(0xB0));
}

/* --- MII: clock bit 16, enable 17, out 18, in 19. */
static void management(uint32_t clock, uint32_t enable, uint32_t data) {
    set(7u << 16, clock << 16 | enable << 17 | data << 18);
}

static void management_put(uint32_t value, uint32_t count) {
    while (count-- > 0) {
        management(0, 1, value >> count & 1u);
        management(1, 1, value >> count & 1u);
    }
}

static uint32_t management_read(uint32_t phy, uint32_t number) {
    uint32_t value = 0;
    management_put(0xFFFFFFFFu, 32);
    management_put(6u << 10 | phy << 5 | number, 14);
    for (uint32_t i = 0; i < 17; i++) { /* turn-around, then 16 bits */
        management(0, 0, 0);
        management(1, 0, 0);
        management(0, 0, 0);
        value = value << 1 | (HW(0x044) >> 19 & 1u);
    }
    management(1, 0, 0);
    management(0, 0, 0);
    return value;
}

static void management_write(uint32_t phy, uint32_t number, uint32_t value) {
    management_put(0xFFFFFFFFu, 32);
    management_put(5u << 10 | phy << 5 | number, 14);
    management_put(2, 2);
    management_put(value, 16);
    management(0, 0, 0);
}

static void look_at_phy(void) {
    say("PHY register 0", management_read(1, 0));
    say("PHY register 1", management_read(1, 1));
    say("PHY register 1 again", management_read(1, 1));
    say("PHY register 2", management_read(1, 2));
    say("PHY register 3", management_read(1, 3));
    say("PHY register 10", management_read(1, 10));
    say("PHY 2, register 1", management_read(2, 1));
    management_write(1, 4, 0x0DE1);
    management_write(2, 4, 0xFFFF);
    say("PHY register 4 as written", management_read(1, 4));
    management_write(1, 1, 0xFFFF);
    say("PHY register 1 is not writable", management_read(1, 1));
    HW(0x238) = 0xE00;
    say("link through the PHY", HW(0x220) & 0x000C0000u);
    management_write(1, 0, 0x0800);
    say("PHY powered down: link", HW(0x220) & 0x000C0000u);
    management_write(1, 0, 0x8000);
    say("PHY reset: link", HW(0x220) & 0x000C0000u);
    say("register 4 after the reset", management_read(1, 4));
    management_write(1, 4, 0x0DE1);
    set(0x80, 0);
    set(0, 0x80);
    say("register 4 after a reset by HW[044] bit 7", management_read(1, 4));
}

static void look_at_leds(void) {
    for (uint32_t bit = 8; bit-- > 0;) {
        set(3u << 5, (0xA5u >> bit & 1u) << 6);
        set(0, 1u << 5);
    }
    set(3u << 5, 0);
}

static void look_at_flash(void) {
    volatile uint8_t *const bytes = (volatile uint8_t *)0x80000100u;
    say("flash, erased", MEMORY(0x80000100u));
    MEMORY(0x80000100u) = 0x5A000000u;
    say("flash, written without permission", MEMORY(0x80000100u));
    set(0, 0x10);
    MEMORY(0x80000100u) = 0x5ABBCCDDu;
    bytes[4] = 0xC3;
    bytes[9] = 0x77; /* not the lane of a flash byte */
    set(0x10, 0);
    say("flash, written as a word", MEMORY(0x80000100u));
    say("flash, written as a byte", bytes[4]);
    say("flash, off the lane", MEMORY(0x80000108u));
    say("last byte of the window", MEMORY(0x800FFFFCu));
    say("boot PROM, first word", MEMORY(0x40000000u));
    MEMORY(0x40000000u) = 0;
    say("boot PROM, once written", MEMORY(0x40000000u));
}

void main_a(void) {
    if (ARGUMENT(0) == 1) {
        look_at_eeprom();
        look_at_leds();
        look_at_flash();
    }
    look_at_phy();
}
