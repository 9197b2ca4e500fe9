/* SPDX-License-Identifier: MIT */
/* Firmware that goes wrong three calls deep, for the crash report. CRASH says how. */
#include <stdint.h>

enum { MISALIGNED = 1, INVALID = 2, HALT = 3, NOWHERE = 4 };

volatile uint32_t counter;
volatile uint32_t *odd = (volatile uint32_t *)0x8002;

__attribute__((noinline)) uint32_t inner(uint32_t value) {
    volatile uint32_t keep[4];
    keep[value & 3] = value;
    counter += keep[value & 3];
#if CRASH == 1
    counter += *odd;
#elif CRASH == 2
    __asm__ volatile(".word 0x00850018"); /* mult $a0,$a1 */
#elif CRASH == 3
    __asm__ volatile("break");
#else
    counter += *(volatile uint32_t *)0x10000000;
#endif
    return counter;
}

__attribute__((noinline)) uint32_t middle(uint32_t value) {
    counter += value;
    if (value == 3)
        return inner(value) + 1;
    return value ^ counter;
}

__attribute__((noinline)) void outer(void) {
    for (uint32_t i = 0; i < 8; i++)
        counter += middle(i);
}

__asm__(".section .start, \"ax\"\n"
        "\t.set noreorder\n"
        "\t.globl _start\n"
        "\t.type _start, @function\n"
        "_start:\n"
        "\tlui $sp, 0xC0\n"
        "\taddiu $sp, $sp, 0x2000\n"
        "\tjal outer\n"
        "\tnop\n"
        "1:\tb 1b\n"
        "\tnop\n"
        "\t.size _start, . - _start\n"
        "\t.text\n");
