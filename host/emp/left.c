/* SPDX-License-Identifier: MIT */
/* Host memory of a served board outlives the programs that allocate it, for the board may write to
 * it when they have gone. It is given back when the board reaches it no more: all that a program
 * has when it closes an idle board; what killed ones have left, when a later one finds no
 * descriptor in the board's hands, or starts the board anew (host/board/start.c). */
#include "host/emp/internal.h"

/* The board's own pages, which it may always reach. */
static void find_kept(struct libemp_board *board, uint64_t kept[2]) {
    struct board *hardware = board->hardware;
    kept[0] = (uint64_t)board_control_word(hardware, BOARD_CONTROL_SCRATCH_HIGH_WORD) << 32 |
              board_control_word(hardware, BOARD_CONTROL_SCRATCH_LOW_WORD);
    kept[1] = 0;
#if EMP_ENDS_IN_MEMORY
    const uint32_t objects = BOARD_CONTROL_ADDRESS + EMP_OBJECTS_AT;
    kept[1] = (uint64_t)board_get_word(hardware, objects + 4 * EMP_OBJECTS_COMPLETIONS_HIGH_WORD)
                  << 32 |
              board_get_word(hardware, objects + 4 * EMP_OBJECTS_COMPLETIONS_LOW_WORD);
#endif
}

void libemp_give_back_own(struct libemp_board *board, bool stopped) {
    uint64_t kept[2] = {0};
    if (!board_keeps_memory(board->hardware))
        return;
    if (!stopped && !board_wait_idle(board->hardware))
        return; /* a later program's attach or start gives it back */
    if (!stopped)
        find_kept(board, kept);
    board_give_back(board->hardware, true, stopped, kept);
}

void libemp_give_back_left(struct libemp_board *board) {
    uint64_t kept[2];
    if (!board_keeps_memory(board->hardware) || board->free != EMP_DESCRIPTOR_LIMIT ||
        !board_wait_idle(board->hardware))
        return;
    find_kept(board, kept);
    board_give_back(board->hardware, false, true, kept);
}
