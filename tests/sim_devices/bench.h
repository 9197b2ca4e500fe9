/* SPDX-License-Identifier: MIT */
/* One or two boards on the bench, driven by their registers, for the tests of the devices. */
#ifndef TIGON_TESTS_BENCH_H
#define TIGON_TESTS_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sim/chip/board.h"
#include "sim/base/frame.h"
#include "sim/tigon.h"

#define T_BASE     0x134000u /* transmit buffer of a 1 MB board (tigon2.md 2.3) */
#define R_BASE     0x176000u /* receive buffer */
#define R_END      0x200000u
#define READ_RING  (T_BASE - 0x1000u)
#define WRITE_RING (T_BASE - 0x0800u)

#define SERDES_NORMAL   0x00C801FEu
#define SERDES_LOOPBACK 0x00C801F6u

/* DMA state words of tigon2.md 5.2. */
#define READ_WORDS  0x00000086u
#define READ_BYTES  0x00000084u
#define READ_LAST   0x00020084u
#define WRITE_WORDS 0x00020086u
#define WRITE_FRAME 0x000A0084u

struct bench {
    struct tigon_knobs knobs;
    struct tigon_world *world;
    struct tigon_board *board; /* the first */
    struct tigon_board *peer;  /* the second, or NULL */
    struct tigon_wire *wire;
};

/* `boards` is 1 or 2; two are connected. `assignments` are knobs ("name=value"), ended by NULL. */
struct bench *bench_make(unsigned boards, const char *const *assignments);
void bench_destroy(struct bench *bench);

/* Registers at the present moment, as a CPU without cost would access them. */
uint32_t reg(struct tigon_board *board, uint32_t offset);
void set_reg(struct tigon_board *board, uint32_t offset, uint32_t value);

/* Lets virtual time pass. */
void pass_ns(struct bench *bench, uint64_t ns);

/* Buffers and MAC set up as the genuine image does: T, R, pointers, MAC address, both halves
 * enabled, assist on. */
void bring_up(struct tigon_board *board);
/* Both SERDES to normal mode and the attentions of that cleared. */
void link_up(struct bench *bench);

/* Fills host memory or SRAM with a recognisable pattern that starts at `seed`. */
void pattern(uint8_t *bytes, size_t length, unsigned seed);

/* Writes a descriptor into a high ring and advances its producer. `engine` as in sim/chip/dma.h. */
void queue_dma(struct tigon_board *board, unsigned engine, uint64_t host, uint32_t local,
               uint32_t length, uint32_t state);

/* Puts `length` bytes of host memory at `host` into the transmit buffer at *local by DMA and posts
 * the MAC descriptor first, as the protocol of tigon2.md 6.1 wants; advances *local. */
void send_from_host(struct tigon_board *board, uint64_t host, uint32_t *local, uint32_t length);

/* Received descriptor `slot` (0 on) of a board. */
void received(struct tigon_board *board, unsigned slot, uint32_t *address, uint32_t *status);

/* An Ethernet frame to `board` with a pattern inside; `length` without CRC. */
void make_frame(const struct tigon_board *to, uint8_t *bytes, size_t length, unsigned seed);

int register_tests(void);
int dma_tests(void);
int mac_tests(void);
int link_tests(void);
int host_tests(void);
int wire_tests(void);
int world_tests(void);
int capture_tests(void);
int part_tests(void);
int ahead_tests(void);

/* Words into SRAM, such as instructions of tests/sim_cpu/assemble.h. */
static inline void bench_place(struct tigon_board *board, uint32_t address, const uint32_t *words,
                               size_t count) {
    for (size_t i = 0; i < count; i++)
        tigon_board_poke32(board, address + 4 * (uint32_t)i, words[i]);
}
#define PLACE(board, address, ...)                                                                 \
    bench_place(board, address, (const uint32_t[]){__VA_ARGS__},                                   \
                sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

#endif
