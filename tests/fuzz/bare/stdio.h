/* SPDX-License-Identifier: MIT */
/* Of <stdio.h> what the differential harness uses, on the bare core: see runtime.c. */
#ifndef TESTS_FUZZ_BARE_STDIO_H
#define TESTS_FUZZ_BARE_STDIO_H

#define stdout 1
#define stderr 2

int printf(const char *form, ...);
int scanf(const char *form, void *place);
int fputs(const char *text, int file);
int putchar(int character);
int fflush(int file);

#endif
