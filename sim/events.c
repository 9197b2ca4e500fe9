/* Events: levels, never latches; see events.h and tigon2.md 4 ("level semantics that worked"). */
#include <string.h>

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

static inline uint32_t bit_if(bool condition, uint32_t bit) {
    return condition ? bit : 0;
}

static uint32_t attentions(const struct tigon_board *board) {
    return bit_if(TIGON_WORD(board, TIGON_DMA_READ_STATE) & TIGON_DMA_ATTENTIONS,
                  TIGON_EVENT_READ_ATTENTION) |
           bit_if(TIGON_WORD(board, TIGON_DMA_WRITE_STATE) & TIGON_DMA_ATTENTIONS,
                  TIGON_EVENT_WRITE_ATTENTION) |
           bit_if(TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_ATTENTIONS,
                  TIGON_EVENT_TRANSMIT_ATTENTION) |
           bit_if(TIGON_WORD(board, TIGON_RECEIVE_STATE) & TIGON_RECEIVE_ATTENTIONS,
                  TIGON_EVENT_RECEIVE_ATTENTION);
}

/* Levels that both words show alike. */
static inline uint32_t common(const struct tigon_board *board) {
    const struct tigon_dma *dma = &board->dma;
    uint32_t level = bit_if(tigon_receive_pending(&board->receive), TIGON_EVENT_RECEIVE);
    if (tigon_dma_ring_pending(dma, TIGON_DMA_READ, TIGON_DMA_HIGH))
        level |= TIGON_EVENT_READ_HIGH;
    if (tigon_dma_ring_pending(dma, TIGON_DMA_READ, TIGON_DMA_LOW))
        level |= TIGON_EVENT_READ_LOW;
    if (tigon_dma_ring_pending(dma, TIGON_DMA_WRITE, TIGON_DMA_HIGH))
        level |= TIGON_EVENT_WRITE_HIGH;
    if (tigon_dma_ring_pending(dma, TIGON_DMA_WRITE, TIGON_DMA_LOW))
        level |= TIGON_EVENT_WRITE_LOW;
    /* Attentions are rare: all of them are asked for at once. */
    const uint32_t dma_states =
        TIGON_WORD(board, TIGON_DMA_READ_STATE) | TIGON_WORD(board, TIGON_DMA_WRITE_STATE);
    if ((dma_states & TIGON_DMA_ATTENTIONS) |
        (TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_ATTENTIONS) |
        (TIGON_WORD(board, TIGON_RECEIVE_STATE) & TIGON_RECEIVE_ATTENTIONS))
        level |= attentions(board);
    return level;
}

static inline uint32_t own(const struct tigon_board *board, unsigned core) {
    return board->events.software[core] |
           bit_if(TIGON_WORD(board, core ? TIGON_MAILBOX_EVENT_B : TIGON_MAILBOX_EVENT_A) != 0,
                  TIGON_EVENT_MAILBOX) |
           bit_if(tigon_timer_reached(&board->timer, core), TIGON_EVENT_TIMER);
}

bool tigon_events_derive(struct tigon_board *board) {
    uint32_t *level = board->events.level;
    const uint32_t shared = common(board);
    const uint32_t *hidden = board->events.hidden;
    const uint32_t a = (shared | own(board, TIGON_CORE_A)) & ~hidden[TIGON_CORE_A];
    const uint32_t b = (shared | own(board, TIGON_CORE_B)) & ~hidden[TIGON_CORE_B];
    if (a == level[TIGON_CORE_A] && b == level[TIGON_CORE_B])
        return false;
    level[TIGON_CORE_A] = a;
    level[TIGON_CORE_B] = b;
    return true;
}

uint32_t tigon_events_read(struct tigon_board *board, uint32_t offset) {
    return board->events.level[offset == TIGON_EVENT_B];
}

void tigon_events_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    board->events.software[offset == TIGON_EVENT_B] = value & ~TIGON_EVENT_HARDWARE;
    tigon_board_changed(board);
}

void tigon_events_hide(struct tigon_board *board, const uint32_t hidden[2]) {
    tigon_board_disturb(board);
    memcpy(board->events.hidden, hidden, sizeof board->events.hidden);
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
