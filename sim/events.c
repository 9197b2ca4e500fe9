/* Events: levels, never latches; see events.h and tigon2.md 4 ("level semantics that worked"). */
#include "sim/board.h"

_Static_assert(TIGON_EVENT_HARDWARE ==
                   (TIGON_EVENT_TIMER | TIGON_EVENT_TRANSMIT_ATTENTION |
                    TIGON_EVENT_RECEIVE_ATTENTION | TIGON_EVENT_MAILBOX |
                    TIGON_EVENT_READ_ATTENTION | TIGON_EVENT_WRITE_ATTENTION |
                    TIGON_EVENT_READ_HIGH | TIGON_EVENT_WRITE_HIGH | TIGON_EVENT_READ_LOW |
                    TIGON_EVENT_WRITE_LOW | TIGON_EVENT_RECEIVE),
               "bits 6, 12-15, 19, 20, 22, 25, 26, 28");

void tigon_events_reset(struct tigon_board *board) {
    board->events.software[0] = 0;
    board->events.software[1] = 0;
}

/* Levels that both words show alike. */
static uint32_t common(const struct tigon_board *board) {
    uint32_t level = tigon_dma_events(board);
    if (tigon_transmit_attention(board))
        level |= TIGON_EVENT_TRANSMIT_ATTENTION;
    if (tigon_receive_attention(board))
        level |= TIGON_EVENT_RECEIVE_ATTENTION;
    if (tigon_receive_pending(board))
        level |= TIGON_EVENT_RECEIVE;
    return level;
}

unsigned tigon_events_derive(struct tigon_board *board) {
    const uint32_t shared = common(board);
    unsigned changed = 0;
    for (unsigned core = 0; core < 2; core++) {
        uint32_t word = shared | board->events.software[core];
        if (TIGON_WORD(board, core ? TIGON_MAILBOX_EVENT_B : TIGON_MAILBOX_EVENT_A))
            word |= TIGON_EVENT_MAILBOX;
        if (tigon_timer_reached(board, core))
            word |= TIGON_EVENT_TIMER;
        if (word != board->events.level[core]) {
            board->events.level[core] = word;
            changed |= 1u << core;
        }
    }
    return changed;
}

uint32_t tigon_events_read(struct tigon_board *board, uint32_t offset) {
    return board->events.level[offset == TIGON_EVENT_B];
}

void tigon_events_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    board->events.software[offset == TIGON_EVENT_B] = value & ~TIGON_EVENT_HARDWARE;
    tigon_board_changed(board);
}

void tigon_mailbox_event_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    TIGON_WORD(board, offset) &= ~value;
    tigon_board_changed(board);
}

void tigon_mailbox_raise(struct tigon_board *board, unsigned mailbox) {
    TIGON_WORD(board, TIGON_MAILBOX_EVENT_A) |= 1u << mailbox;
    TIGON_WORD(board, TIGON_MAILBOX_EVENT_B) |= 1u << mailbox;
    tigon_board_changed(board);
}
