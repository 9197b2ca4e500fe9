/* SPDX-License-Identifier: MIT */
/* Can the board reach host memory? A BIOS or another driver may have left it so that it cannot.
 * Registers, link and postings then work, and no message ever ends. */
#include "host/board/internal.h"

#include <errno.h>
#include <inttypes.h>

enum {
    COMMAND_MASTER = 1 << 2, /* of PCI configuration space: the board may begin cycles */
    ASSIST_ENABLE = 1 << 0,
    ASSIST_PAUSE = 1 << 1
};

#define PCI_COMMANDS_MASK 0xFF000000U
#define REPAIR_NS         UINT64_C(100000) /* more than firmware takes to clear a false alarm */

int board_check_mastering(struct board *board) {
    const uint32_t command = board_get_register(board, REGISTER_PCI_COMMAND);
    if (command == UINT32_MAX)
        return board_fail(board, -EIO, "the board does not answer any more");
    if (!(command & COMMAND_MASTER))
        return board_fail(board, -EIO,
                          "bus mastering is off, HW[004] 0x%08" PRIX32
                          ": the board reaches no host memory. Switch it on (setpci -s SLOT "
                          "COMMAND=4:4), then start the board anew",
                          command);
    return 0;
}

static bool is_paused(uint32_t assist) {
    return (assist & (ASSIST_ENABLE | ASSIST_PAUSE)) != ASSIST_ENABLE;
}

int board_check_transfers(struct board *board) {
    if (board->backend->channel && board->backend->channel(board->handle) >= 0)
        return 0; /* its driver sees to the registers */
    const int error = board_check_mastering(board);
    if (error)
        return error;
    const uint32_t commands = board_get_register(board, REGISTER_PCI_STATE);
    if ((commands & PCI_COMMANDS_MASK) != BOARD_PCI_COMMANDS)
        return board_fail(board, -EIO,
                          "HW[05C] 0x%08" PRIX32
                          " has other bus commands than those that read and write memory: "
                          "something has changed them; start the board anew",
                          commands);
    uint32_t assist = board_get_register(board, REGISTER_DMA_ASSIST);
    if (is_paused(assist)) {
        board_sleep_ns(board, REPAIR_NS);
        assist = board_get_register(board, REGISTER_DMA_ASSIST);
    }
    if (is_paused(assist))
        return board_fail(board, -EIO,
                          "transfers are paused, HW[11C] 0x%08" PRIX32
                          ": something has stopped them; start the board anew",
                          assist);
    return 0;
}

/* A slot of 32 bits that is taken for one of 64 writes a first word into the second, too. */
static bool is_doubled(struct board *board) {
    const uint32_t pattern[] = {0x5A5AA5A5, 0};
    board_set_word(board, BOARD_CONTROL_ADDRESS + 4, pattern[1]);
    board_set_word(board, BOARD_CONTROL_ADDRESS, pattern[0]);
    return board_get_word(board, BOARD_CONTROL_ADDRESS + 4) != pattern[1];
}

int board_fit_width(struct board *board) {
    const uint32_t state = board_get_register(board, REGISTER_PCI_STATE);
    if (!is_doubled(board))
        return 0;
    board_set_register(board, REGISTER_PCI_STATE, state | BOARD_PCI_32_BIT);
    if (!is_doubled(board))
        return 0;
    return board_fail(board, -EIO,
                      "each word that is written appears twice, HW[05C] 0x%08" PRIX32
                      ": the slot has 32 bits and is used as one of 64; try another slot",
                      state);
}
