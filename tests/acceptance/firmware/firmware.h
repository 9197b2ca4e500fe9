/* SPDX-License-Identifier: MIT */
/*
 * What every acceptance firmware has: registers, a log that the host prints, start and end of the
 * cores (start.S).
 *
 * main_a runs on CPU A, main_b on CPU B once A called start_core_b; a core that returns executes
 * HALT. Registers are written as tigon2.md does, HW[060] as HW(0x060).
 */
#ifndef ACCEPTANCE_FIRMWARE_H
#define ACCEPTANCE_FIRMWARE_H

#include <stdint.h>

#define HW(offset)      (*(volatile uint32_t *)(0xC0000000u + (offset)))
#define MEMORY(address) (*(volatile uint32_t *)(address))
#define FAST            __attribute__((section(".fast"), noinline))

/* The log of a core: how many entries, then pairs of text and value. Above image and below the
 * rings of even a 512 kB board. */
#define LOG_A       0x20000u
#define LOG_B       0x28000u
#define LOG_ENTRIES 4000u

/* Where the host leaves arguments before it starts A: SRAM 0x200, the place of the general
 * communication region. */
#define ARGUMENT(n) MEMORY(0x200u + 4u * (n))

void main_a(void);
void main_b(void);

static inline void say_in(uint32_t log, const char *text, uint32_t value) {
    const uint32_t count = MEMORY(log);
    if (count >= LOG_ENTRIES)
        return;
    MEMORY(log + 8u + 8u * count) = (uint32_t)(uintptr_t)text;
    MEMORY(log + 12u + 8u * count) = value;
    MEMORY(log) = count + 1u;
}

/* A line of the log: the text and the value in hexadecimal. */
static inline void say(const char *text, uint32_t value) {
    say_in(LOG_A, text, value);
}

static inline void say_b(const char *text, uint32_t value) {
    say_in(LOG_B, text, value);
}

/* Only what is not as it should be: a line that begins with "WRONG" fails the test. */
static inline void check(const char *text, uint32_t value, uint32_t wanted) {
    if (value == wanted)
        return;
    say("WRONG value of the next", wanted);
    say(text, value);
}

/* At least `us` microseconds, of the timer. */
static inline void wait_us(uint32_t us) {
    const uint32_t start = HW(0x054);
    while (HW(0x054) - start <= us)
        ;
}

extern const char start_b[];

static inline void start_core_b(void) {
    HW(0x240) = 1u << 16;
    HW(0x244) = (uint32_t)(uintptr_t)start_b;
    HW(0x240) = 0;
}

/* words.S */
/* Table dispatch with PRI and JOFF: 0 for nothing pending, else the bit plus one. */
uint32_t dispatch(uint32_t events, uint32_t enabled);
/* The entry of event bit 0 in the table of dispatch: two instructions. */
extern volatile uint32_t dispatch_entry_1[2];
/* How often the delay slot of JOFF was executed. */
extern volatile uint32_t dispatch_slots;
/* Was the delay slot executed? `which` counts beql bnel blezl bgtzl bltzl bgezl; the branch
 * compares `first` with `second` or with zero. */
uint32_t likely(uint32_t which, uint32_t first, uint32_t second);
/* Stops the core; HW[144] stays at the HALT, the host moves it on. */
void halt(void);
/* A word that is no instruction of this core; MULT, LWL, SYSCALL, MFC0. */
void multiply(void);
void unaligned_load(void);
void system_call(void);
void coprocessor(void);

#endif
