/* SPDX-License-Identifier: MIT */
/*
 * Acceptance tests of tigon2.md 15: firmware on a board, a host that drives it, and the log of both
 * compared with the expected one under golden/.
 *
 * A test makes its world, starts host programs in it, runs it and notes the results; the runner
 * (sim_check.c) compares the notes. A note that begins with "WRONG" fails the test in any case.
 * HSMC_REFRESH=1 writes the golden logs anew.
 */
#ifndef ACCEPTANCE_H
#define ACCEPTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/tigon.h"

struct test {
    FILE *log;
    struct tigon_world *world; /* of the test, or NULL */
    struct tigon_wire *wire;   /* between boards 0 and 1, or NULL */
    int wrong;                 /* notes that began with "WRONG" */
};

struct acceptance {
    const char *section; /* "15.6" */
    const char *title;
    const char *golden; /* name of the expected log without .txt */
    void (*run)(struct test *test);
};

/* Ends the program with a message: for mistakes in the tests themselves. */
void broken(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void note(struct test *test, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes only a difference. */
void check(struct test *test, const char *what, uint64_t found, uint64_t wanted);

/* A world of `boards` boards with these knobs ("name=value", ended by NULL), the first two
 * connected; destroyed by world_end or, later, by the runner. Odd behaviour that the simulator
 * reports is noted.
 */
void world_make(struct test *test, unsigned boards, const char *const *knobs);
void world_end(struct test *test);
struct tigon_board *board_of(const struct test *test, unsigned index);
struct tigon_host *host_of(const struct test *test, unsigned index);

/* Runs until all host programs are through; notes when that takes more than `limit_ms` of virtual
 * time. */
void world_run(struct test *test, uint64_t limit_ms);

/* [program] The start of tigon2.md 9: reset, both cores halted, bank size, SRAM timing, SRAM
 * cleared, build/acceptance/IMAGE.elf copied through the window (the scratchpad of A through
 * HW[154]). */
void load(struct tigon_host *host, const char *image);
/* [program] Word `index` of the arguments for the firmware. */
void argument(struct tigon_host *host, unsigned index, uint32_t value);
/* [program] Lets A run from the image's entry point. */
void start(struct tigon_host *host);
/* [program] load, start and wait until A stopped; then the log of the firmware. */
void run_image(struct test *test, struct tigon_host *host, const char *image);
/* [program] Until bit 16 or 18 or a fault shows in the state of a core (0x140 or 0x240). */
void wait_stopped(struct tigon_host *host, uint32_t state_offset);
/* [program] Notes the firmware's log on this board since the last call. */
void print_log(struct test *test, struct tigon_host *host);

/* [program] Words of SRAM through the window. */
uint32_t sram_read(struct tigon_host *host, uint32_t address);
void sram_write(struct tigon_host *host, uint32_t address, uint32_t value);

/* The tests, each array ended by a row without title. */
extern const struct acceptance core_tests[], dma_tests[], mac_tests[], host_tests[], part_tests[],
    register_tests[], fuzz_tests[], correction_tests[];

#endif
