/* SPDX-License-Identifier: MIT */
/* Making a board silent, so that memory it was told of can be given back. Halting its processors
 * is not enough: rings of transfers and frames are worked off without them (tigon2.md 5.4, 6.1). */
#include "host/board/internal.h"

#include <errno.h>
#include <inttypes.h>

enum {
    CPU_HALT = 1 << 16,
    ASSIST_PAUSE = 1 << 1,
    ASSIST_WRITE_BUSY = 1 << 8,
    ASSIST_READ_BUSY = 1 << 12,
    ASSIST_BUSY = ASSIST_WRITE_BUSY | ASSIST_READ_BUSY,
    ASSIST_WAITING =
        3 << 10 | 3 << 14, /* descriptors in the rings, low and high, of both engines */
    DMA_RESET = 1 << 0,
    MAC_RESET = 1 << 0,
    MAC_ENABLE = 1 << 1,
    MAC_STOP = 1 << 2
};

#define MAC_ATTENTIONS   0xFF000000U     /* cleared by writing 1, so written as 0 */
#define FRAME_NS         UINT64_C(80000) /* the longest, 9018 bytes, is on the wire for 72.3 us */
#define IDLE_TIMEOUT_NS  UINT64_C(10000000) /* 64 kB, the longest transfer, at 6.5 MB/s */
#define POLL_INTERVAL_NS UINT64_C(10000)

/* Waits until none of these bits of the assist's state is set. A read of the board also pushes what
 * it has written ahead of the answer, through every bridge. */
static bool wait_for_dma(struct board *board, uint32_t bits) {
    const uint64_t start = board_now_ns(board);
    while (board_get_register(board, REGISTER_DMA_ASSIST) & bits) {
        if (board_now_ns(board) - start > IDLE_TIMEOUT_NS)
            return false;
        board_sleep_ns(board, POLL_INTERVAL_NS);
    }
    return true;
}

static void set_bits(struct board *board, uint32_t offset, uint32_t bits) {
    board_set_register(board, offset, board_get_register(board, offset) | bits);
}

void board_halt(struct board *board) {
    set_bits(board, REGISTER_CPU_A_STATE, CPU_HALT);
    set_bits(board, REGISTER_CPU_B_STATE, CPU_HALT);
}

static void set_mac(struct board *board, uint32_t clear, uint32_t bits) {
    static const uint32_t halves[] = {REGISTER_TRANSMIT_STATE, REGISTER_RECEIVE_STATE};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        board_set_register(board, halves[i],
                           (board_get_register(board, halves[i]) & ~(clear | MAC_ATTENTIONS)) |
                               bits);
}

static int check_silent(struct board *board) {
    const uint32_t cpu_a = board_get_register(board, REGISTER_CPU_A_STATE);
    const uint32_t cpu_b = board_get_register(board, REGISTER_CPU_B_STATE);
    const uint32_t transmit = board_get_register(board, REGISTER_TRANSMIT_STATE);
    const uint32_t assist = board_get_register(board, REGISTER_DMA_ASSIST);
    if (assist == UINT32_MAX)
        return board_fail(board, -EIO,
                          "the board does not answer any more, so nobody knows what it still "
                          "writes; take its power");
    if (!(cpu_a & CPU_HALT) || !(cpu_b & CPU_HALT) || (transmit & MAC_ENABLE) ||
        (assist & ASSIST_BUSY))
        return board_fail(board, -EIO,
                          "the board does not stop: HW[140] 0x%08" PRIX32 ", HW[240] 0x%08" PRIX32
                          ", HW[200] 0x%08" PRIX32 ", HW[11C] 0x%08" PRIX32
                          "; reset it by a start of another handle",
                          cpu_a, cpu_b, transmit, assist);
    return 0;
}

/* In this order nothing new begins once the last word of it has arrived: processors fill the rings,
 * the assist empties them, and what it has read is what the MAC sends. */
int board_stop(struct board *board) {
    const int foreign = board_check_process(board);
    if (foreign)
        return foreign;
    board->ready = false;
    board_halt(board);
    set_bits(board, REGISTER_DMA_ASSIST, ASSIST_PAUSE);
    set_mac(board, 0, MAC_STOP);
    board_sleep_ns(board, FRAME_NS);         /* no bit tells when a frame has left */
    if (!wait_for_dma(board, ASSIST_BUSY)) { /* a transfer that hangs never ends by itself */
        board_set_register(board, REGISTER_DMA_WRITE_STATE, DMA_RESET);
        board_set_register(board, REGISTER_DMA_READ_STATE, DMA_RESET);
    }
    /* A MAC that is not enabled sends configuration words: 0 tells the peer that its link is down.
     */
    board_set_register(board, REGISTER_LINK_TRANSMIT, 0);
    set_mac(board, MAC_ENABLE, MAC_STOP | MAC_RESET);
    return check_silent(board);
}

bool board_wait_idle(struct board *board) {
    return wait_for_dma(board, ASSIST_BUSY | ASSIST_WAITING);
}
