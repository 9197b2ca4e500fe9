/* SPDX-License-Identifier: MIT */
/*
 * What the differential harness stands on where there is no operating system: the core of the chip
 * under tests/sim_cpu/run_program.c, which knows two system calls. The script lies in memory and
 * ends with a zero byte. The core has neither multiplier nor divider, so %u prints in hexadecimal.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SCRIPT 0x100000u

int main(int argc, char **argv);

__asm__("    .section .start, \"ax\"\n"
        "    .globl _start\n"
        "_start:\n"
        "    lui $sp, 0x18\n"
        "    move $a0, $zero\n"
        "    li $a0, 1\n"
        "    jal start_c\n"
        "    nop\n"
        "    .text\n");

static char buffer[4096];
static size_t filled;
static const char *next = (const char *)SCRIPT;

static uint32_t system_call(uint32_t number, uint32_t a, uint32_t b, uint32_t c) {
    register uint32_t v0 __asm__("$2") = number;
    register uint32_t a0 __asm__("$4") = a;
    register uint32_t a1 __asm__("$5") = b;
    register uint32_t a2 __asm__("$6") = c;
    register uint32_t a3 __asm__("$7");
    /* SYSCALL, of which the assembler is told that the core does not have it. */
    __asm__ volatile(".word 0x0000000C"
                     : "+r"(v0), "=r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "memory");
    return v0;
}

static void flush(void) {
    system_call(4004, 1, (uint32_t)(uintptr_t)buffer, filled);
    filled = 0;
}

_Noreturn void exit(int status) {
    flush();
    for (;;)
        system_call(4001, (uint32_t)status, 0, 0);
}

_Noreturn void start_c(void);
_Noreturn void start_c(void) {
    exit(main(1, NULL));
}

int putchar(int character) {
    if (filled == sizeof(buffer))
        flush();
    buffer[filled++] = (char)character;
    return character;
}

int fputs(const char *text, int file) {
    (void)file;
    while (*text != 0)
        putchar(*text++);
    return 0;
}

int fflush(int file) {
    (void)file;
    return 0;
}

static void put_hexadecimal(uint32_t value, int digits) {
    for (int shift = 28; shift >= 0; shift -= 4)
        if (shift < 4 * digits || value >> shift != 0)
            putchar("0123456789abcdef"[value >> shift & 15]);
}

/* %u, %08x, %s. */
int printf(const char *form, ...) {
    va_list values;
    va_start(values, form);
    for (; *form != 0; form++) {
        if (*form != '%') {
            putchar(*form);
        } else if (*++form == 's') {
            fputs(va_arg(values, const char *), stdout);
        } else if (*form == 'u') {
            fputs("0x", stdout);
            put_hexadecimal(va_arg(values, uint32_t), 1);
        } else {
            form += 2;
            put_hexadecimal(va_arg(values, uint32_t), 8);
        }
    }
    va_end(values);
    return 0;
}

/* A character behind blanks, or a decimal number. */
int scanf(const char *form, void *place) {
    uint32_t result = 0;
    while (*next == ' ' || *next == '\n')
        next++;
    if (*next == 0)
        return -1;
    if (form[0] == ' ') {
        *(char *)place = *next++;
        return 1;
    }
    for (; *next >= '0' && *next <= '9'; next++)
        result = (result << 3) + (result << 1) + (uint32_t)(*next - '0');
    *(uint32_t *)place = result;
    return 1;
}
