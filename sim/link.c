/*
 * Link (tigon2.md 7). HW[238] selects what the SERDES does by its low byte under the fixed upper
 * part 0x00C801: 0xFE normal, 0xF6 loopback, anything else no signal. HW[204] other than 0 puts
 * configuration words on the fibre in place of idle; 0 means idle, so negotiation ends by writing
 * 0. [choice: tigon2.md 7 does not say how the image stops sending them; bit 19 of the peer has to
 * clear somehow.]
 *
 * Sync (bit 18) follows the peer's signal at once. HW[224] keeps the last word heard until sync is
 * lost. Frames pass only while both sides have signal and the sender is not sending configuration
 * words.
 */
#include "sim/board.h"
#include "sim/frame.h"
#include "sim/wire.h"
#include "sim/world.h"

#include <string.h>

#define SERDES_NORMAL   0x00C801FEu
#define SERDES_LOOPBACK 0x00C801F6u

static bool normal(const struct tigon_board *board) {
    return TIGON_WORD(board, TIGON_SERDES) == SERDES_NORMAL;
}

static bool loopback(const struct tigon_board *board) {
    return TIGON_WORD(board, TIGON_SERDES) == SERDES_LOOPBACK;
}

static struct tigon_line sending(const struct tigon_board *board) {
    return (struct tigon_line){normal(board),
                               (uint16_t)TIGON_WORD(board, TIGON_LINK_TRANSMIT_WORD)};
}

/* Derives status and received word from both ends; raises attentions for what changed. */
static void derive(struct tigon_board *board) {
    struct tigon_link *link = &board->link;
    struct tigon_line line = link->incoming;
    if (loopback(board)) {
        line.signal = true;
        line.word = (uint16_t)TIGON_WORD(board, TIGON_LINK_TRANSMIT_WORD);
    } else if (!normal(board)) {
        line.signal = false;
    }

    uint32_t status = 0;
    if (line.signal)
        status = TIGON_RECEIVE_SYNC | (line.word ? TIGON_RECEIVE_CONFIGURATION : 0);
    uint16_t received = link->received;
    if (!line.signal)
        received = 0;
    else if (line.word)
        received = line.word;

    uint32_t attentions = 0;
    const uint32_t changed = status ^ link->status;
    if (changed & TIGON_RECEIVE_SYNC)
        attentions |= TIGON_RECEIVE_SYNC_CHANGED;
    if ((changed & TIGON_RECEIVE_CONFIGURATION) || received != link->received)
        attentions |= TIGON_RECEIVE_WORD_CHANGED;
    if ((status == TIGON_RECEIVE_SYNC) != (link->status == TIGON_RECEIVE_SYNC))
        attentions |= TIGON_RECEIVE_LINK_CHANGED;
    link->status = status;
    link->received = received;
    tigon_board_signal(board, TIGON_SIGNAL_LINK, line.signal);
    if (attentions)
        tigon_receive_raise(board, attentions);
}

/* Tells the wire when what we send has changed. */
static void announce(struct tigon_board *board) {
    struct tigon_link *link = &board->link;
    const struct tigon_line line = sending(board);
    if (line.signal == link->outgoing.signal && line.word == link->outgoing.word)
        return;
    link->outgoing = line;
    if (board->wire)
        tigon_wire_line(board->wire, board->side, line, board->now);
}

uint32_t tigon_link_read(struct tigon_board *board, uint32_t offset) {
    (void)offset; /* HW[224] */
    return board->link.received;
}

void tigon_link_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    (void)value;
    if (offset == TIGON_LINK_RECEIVE_WORD)
        return;
    announce(board);
    derive(board);
    tigon_board_changed(board);
}

uint32_t tigon_link_status(const struct tigon_board *board) {
    return board->link.status;
}

void tigon_link_heard(struct tigon_board *board, struct tigon_line line) {
    board->link.incoming = line;
    derive(board);
    tigon_board_changed(board);
}

static void looped(void *context, uint64_t ticks) {
    struct tigon_frame *frame = context;
    struct tigon_board *board = frame->receiver;
    board->now = ticks;
    if (loopback(board))
        tigon_receive_frame(board, frame);
    tigon_frame_release(tigon_world_frames(board->world), frame);
}

void tigon_link_send(struct tigon_board *board, struct tigon_frame *frame, uint64_t started) {
    if (loopback(board)) {
        frame->receiver = board;
        tigon_event_initialise(&frame->event, looped, frame);
        tigon_board_schedule(board, &frame->event,
                             board->now + tigon_ticks_from_ns(board->knobs.receive_latency_ns));
        return;
    }
    const struct tigon_line line = sending(board);
    if (!board->wire || !line.signal || line.word) {
        board->statistics.transmit_no_link++;
        tigon_frame_release(tigon_world_frames(board->world), frame);
        return;
    }
    tigon_wire_send(board->wire, board->side, frame, started, board->now);
}

void tigon_link_reset(struct tigon_board *board) {
    /* What comes in does not depend on us; everything else starts anew. */
    announce(board);
    derive(board);
}
