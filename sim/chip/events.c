/* SPDX-License-Identifier: MIT */
/* Events: levels, never latches; see events.h and tigon2.md 4 ("level semantics that worked"). */
#include <string.h>

#include "sim/chip/board.h"

_Static_assert(TIGON_EVENT_HARDWARE ==
                   (TIGON_EVENT_TIMER | TIGON_EVENT_TRANSMIT_ATTENTION |
                    TIGON_EVENT_RECEIVE_ATTENTION | TIGON_EVENT_MAILBOX |
                    TIGON_EVENT_READ_ATTENTION | TIGON_EVENT_WRITE_ATTENTION |
                    TIGON_EVENT_READ_HIGH | TIGON_EVENT_WRITE_HIGH | TIGON_EVENT_READ_LOW |
                    TIGON_EVENT_WRITE_LOW | TIGON_EVENT_RECEIVE),
               "bits 6, 12-15, 19, 20, 22, 25, 26, 28");

static void reset(struct tigon_board *board) {
    board->events.common = 0;
    board->events.own[0] = 0;
    board->events.own[1] = 0;
}

static inline uint32_t bit_if(bool condition, uint32_t bit) {
    return condition ? bit : 0;
}

static __attribute__((noinline, cold)) uint32_t attentions(const struct tigon_board *board) {
    return bit_if(TIGON_WORD(board, TIGON_DMA_READ_STATE) & TIGON_DMA_ATTENTIONS,
                  TIGON_EVENT_READ_ATTENTION) |
           bit_if(TIGON_WORD(board, TIGON_DMA_WRITE_STATE) & TIGON_DMA_ATTENTIONS,
                  TIGON_EVENT_WRITE_ATTENTION) |
           bit_if(TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_ATTENTIONS,
                  TIGON_EVENT_TRANSMIT_ATTENTION) |
           bit_if(TIGON_WORD(board, TIGON_RECEIVE_STATE) & TIGON_RECEIVE_ATTENTIONS,
                  TIGON_EVENT_RECEIVE_ATTENTION);
}

bool tigon_events_derive(struct tigon_board *board) {
    struct tigon_events *events = &board->events;
    uint32_t common = events->common;
    /* Attentions are rare: all sources are read at once. */
    const uint32_t dma_states =
        TIGON_WORD(board, TIGON_DMA_READ_STATE) | TIGON_WORD(board, TIGON_DMA_WRITE_STATE);
    if (__builtin_expect((dma_states & TIGON_DMA_ATTENTIONS) |
                             (TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_ATTENTIONS) |
                             (TIGON_WORD(board, TIGON_RECEIVE_STATE) & TIGON_RECEIVE_ATTENTIONS),
                         0))
        common |= attentions(board);
    const uint32_t a = (common | events->own[TIGON_CORE_A]) & ~events->hidden[TIGON_CORE_A];
    const uint32_t b = (common | events->own[TIGON_CORE_B]) & ~events->hidden[TIGON_CORE_B];
    if (a == events->level[TIGON_CORE_A] && b == events->level[TIGON_CORE_B])
        return false;
    events->level[TIGON_CORE_A] = a;
    events->level[TIGON_CORE_B] = b;
    return true;
}

static uint32_t read_word(struct tigon_board *board, uint32_t offset) {
    return board->events.level[offset == TIGON_EVENT_B];
}

static void write_word(struct tigon_board *board, uint32_t offset, uint32_t value) {
    const unsigned core = offset == TIGON_EVENT_B;
    uint32_t *own = &board->events.own[core];
    board->statistics.core[core].software_events +=
        (unsigned)__builtin_popcount(value & ~*own & ~TIGON_EVENT_HARDWARE);
    *own = (*own & TIGON_EVENT_HARDWARE) | (value & ~TIGON_EVENT_HARDWARE);
    tigon_board_changed(board);
}

void tigon_events_hide(struct tigon_board *board, const uint32_t hidden[2]) {
    tigon_board_before_change(board);
    memcpy(board->events.hidden, hidden, sizeof board->events.hidden);
    tigon_board_changed(board);
}

static void clear_mailboxes(struct tigon_board *board, uint32_t offset, uint32_t value) {
    const uint32_t raised = TIGON_WORD(board, offset) &= ~value;
    tigon_event_level(&board->events.own[offset == TIGON_MAILBOX_EVENT_B], TIGON_EVENT_MAILBOX,
                      raised != 0);
    tigon_board_changed(board);
}

void tigon_mailbox_raise(struct tigon_board *board, unsigned mailbox) {
    TIGON_WORD(board, TIGON_MAILBOX_EVENT_A) |= 1u << mailbox;
    TIGON_WORD(board, TIGON_MAILBOX_EVENT_B) |= 1u << mailbox;
    board->events.own[TIGON_CORE_A] |= TIGON_EVENT_MAILBOX;
    board->events.own[TIGON_CORE_B] |= TIGON_EVENT_MAILBOX;
    tigon_board_changed(board);
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    if (offset == TIGON_EVENT_A || offset == TIGON_EVENT_B)
        write_word(board, offset, value);
    else
        clear_mailboxes(board, offset, value);
}

static void view_word(const struct tigon_board *board, uint32_t offset,
                      struct tigon_register_view *view) {
    view->word = &board->events.level[offset == TIGON_EVENT_B];
}

static const struct tigon_register_description registers[] = {
    {0x060, 1, "event word A", TIGON_READS_WRITES, 0, 0}, /* 4 */
    {0x064, 1, "mailbox event A", TIGON_WRITES, 0, 0},    /* 3.1 */
    {0x070, 1, "event word B", TIGON_READS_WRITES, 0, 0}, /* 4 */
    {0x074, 1, "mailbox event B", TIGON_WRITES, 0, 0},    /* 3.1 */
};

const struct tigon_device tigon_events_device = {
    .name = "events",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .reset = reset,
    .read = read_word,
    .write = write_register,
    .view = view_word,
    .steady = true,
    .read_shows_state = true,
};
