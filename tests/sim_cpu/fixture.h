/* SPDX-License-Identifier: MIT */
/* A board with nothing on it but cores, memory and a plain register file, for the core's tests. */
#ifndef TIGON_TESTS_FIXTURE_H
#define TIGON_TESTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/core/cpu.h"
#include "tests/sim_cpu/assemble.h"

#define SCRATCH     0x00C00000u
#define EVENT       0x060u /* pollable */
#define PLAIN       0x0ECu /* storage */
#define STEADY      0x11Cu /* storage */
#define TIMER       0x054u /* cycle / 88, and more where that is written */
#define DEADLINE    0x0F0u /* written: a device event in that many cycles */
#define PATCH       0x0F4u /* written: HALT stored at that SRAM address, core told of it */
#define OTHER_CORE  0x240u /* written by A: state of B */
#define OTHER_EVENT 0x070u /* written by any core: event word of the other core, with its wake */

struct fixture {
    struct tigon_memory memory;
    struct tigon_bus bus;
    struct tigon_cpu cores[2];
    uint32_t registers[2][256];
    bool loops; /* PLAIN is steady and TIMER the timer, for poll_loop.c; see fixture_loops */
    uint64_t last_read_cycle, last_write_cycle;
    unsigned reads, writes;
    uint32_t timer_offset;
    uint64_t access_ticks; /* of the last read */
    uint64_t effects[2];   /* of each core, when they were compared last */
    uint64_t trace;        /* hash of all register accesses with core, cycle and value */
};

/* Cores of fixtures made from now on execute translated text (engine.h) at once, not only when it
 * is hot. Does nothing on hosts that cannot. Returns what was before. */
bool fixture_native(bool native);

/* Cores of fixtures made from now on read EVENT, PLAIN, STEADY and, with fixture_loops, TIMER
 * without a callback. Returns what was before. */
bool fixture_words(bool words);

/* Make and destroy; `sram` in bytes. Both cores are halted. */
struct fixture *fixture_make(uint32_t sram, const struct tigon_timing *timing);
void fixture_destroy(struct fixture *fixture);

/* Write instruction words at a CPU address of core A or B. */
void fixture_place(struct fixture *fixture, unsigned core, uint32_t address, const uint32_t *words,
                   size_t count);
#define PLACE(fixture, core, address, ...)                                                         \
    fixture_place(fixture, core, address, (const uint32_t[]){__VA_ARGS__},                         \
                  sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* Start core A at `address` and run it until it stops or for a million cycles. */
enum tigon_cpu_stop fixture_run(struct fixture *fixture, uint32_t address);

uint32_t fixture_word(struct fixture *fixture, unsigned core, uint32_t address);

/* Change the event word of a core at `cycle`, with the wake that goes with it. */
void fixture_event(struct fixture *fixture, unsigned core, uint32_t value, uint64_t cycle);

/* Whether EVENT and PLAIN are pollable: true to begin with. */
void fixture_polls(struct fixture *fixture, bool polls);

/* TIMER is the timer of poll_loop.c, and not noted. */
void fixture_timer(struct fixture *fixture);

/* Let cores park in loops that read SRAM, PLAIN, STEADY and TIMER, or (false) nowhere at all. */
void fixture_loops(struct fixture *fixture, bool loops);

int instruction_tests(void);
int cost_tests(void);
int order_tests(void);
int loop_tests(void);
int operation_tests(void);

#endif
