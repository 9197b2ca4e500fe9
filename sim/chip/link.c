/* SPDX-License-Identifier: MIT */
/*
 * Link (tigon2.md 7, 16.1, 16.2, 16.7, 16.8). What a board can send and hear depends on its
 * transceiver (knobs board_kind, transceiver):
 *   internal SERDES  HW[238] by its low byte under 0x00C801: 0xFE normal, 0xF6 loopback, anything
 *                    else no signal
 *   external SERDES  the general pins of HW[044], of which bits 15:14 count: 2 normal, 3 loopback
 *   copper           the PHY sends and negotiates by itself, whatever HW[238] says
 *
 * On fibre configuration words take the place of idle while HW[200] bit 1 is clear, also the word
 * 0; HW[204] only holds the word. Firmware ends negotiation by setting the bit.
 *
 * Sync (bit 18) follows the peer's signal at once. HW[224] keeps the last word heard until sync is
 * lost. Frames pass only while both sides have signal and the sender is not sending configuration
 * words.
 */
#include "sim/chip/board.h"
#include "sim/base/frame.h"
#include "sim/network/wire.h"

#include <string.h>

#define SERDES_NORMAL   0x00C801FEu
#define SERDES_LOOPBACK 0x00C801F6u

bool tigon_link_has_phy(const struct tigon_board *board) {
    return board->link.transceiver == TIGON_TRANSCEIVER_COPPER;
}

/* Is the MAC connected to the outside? */
static bool normal(const struct tigon_board *board) {
    const uint32_t port = TIGON_WORD(board, TIGON_SERDES);
    if (board->dead)
        return false;
    switch (board->link.transceiver) {
    case TIGON_TRANSCEIVER_EXTERNAL:
        return tigon_local_control_pins(board) == TIGON_PINS_NORMAL;
    case TIGON_TRANSCEIVER_COPPER:
        return tigon_phy_sends(&board->local_control.phy);
    default:
        return port == SERDES_NORMAL;
    }
}

static bool loopback(const struct tigon_board *board) {
    const uint32_t port = TIGON_WORD(board, TIGON_SERDES);
    if (board->dead)
        return false;
    switch (board->link.transceiver) {
    case TIGON_TRANSCEIVER_EXTERNAL:
        return tigon_local_control_pins(board) == TIGON_PINS_LOOPBACK;
    case TIGON_TRANSCEIVER_COPPER:
        return tigon_phy_loopback(&board->local_control.phy);
    default:
        return port == SERDES_LOOPBACK;
    }
}

/* Do configuration words go out, where there is signal? A PHY sends its own. */
static bool configuring(const struct tigon_board *board) {
    return !(TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_ENABLE) &&
           !tigon_link_has_phy(board);
}

static struct tigon_line sending(const struct tigon_board *board, bool signal) {
    const bool words = configuring(board);
    uint16_t word = tigon_phy_advertised(&board->local_control.phy);
    if (words)
        word = (uint16_t)TIGON_WORD(board, TIGON_LINK_TRANSMIT_WORD);
    return (struct tigon_line){signal, words, word};
}

/* Derives status and received word from both ends; raises attentions for the changes. */
static void derive(struct tigon_board *board) {
    struct tigon_link *link = &board->link;
    struct tigon_line line = link->incoming;
    if (loopback(board))
        line = sending(board, true);
    else if (!normal(board))
        line.signal = false;
    if (tigon_link_has_phy(board))
        line.configuring = false; /* the other end's words end at the PHY */

    uint32_t status = 0;
    if (line.signal)
        status = TIGON_RECEIVE_SYNC | (line.configuring ? TIGON_RECEIVE_CONFIGURATION : 0);
    uint16_t received = link->received;
    if (!line.signal)
        received = 0;
    else if (line.configuring)
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

/* Notifies the wire when the signal we send has changed. */
static void announce(struct tigon_board *board) {
    struct tigon_link *link = &board->link;
    const struct tigon_line line = sending(board, normal(board));
    if (tigon_line_same(line, link->outgoing))
        return;
    link->outgoing = line;
    if (board->wire)
        tigon_wire_line(board->wire, board->side, line, board->now);
}

static uint32_t read_word(struct tigon_board *board, uint32_t offset) {
    (void)offset; /* HW[224] */
    return board->link.received;
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    (void)value;
    if (offset == TIGON_LINK_RECEIVE_WORD)
        return;
    tigon_link_look(board);
    tigon_board_changed(board);
}

void tigon_link_look(struct tigon_board *board) {
    announce(board);
    derive(board);
}

static void initialise(struct tigon_board *board) {
    board->link.transceiver = board->knobs.transceiver;
    if (board->knobs.transceiver == TIGON_TRANSCEIVER_BY_BOARD)
        board->link.transceiver =
            tigon_pci_is_copper(board) ? TIGON_TRANSCEIVER_COPPER : TIGON_TRANSCEIVER_INTERNAL;
    tigon_phy_initialise(&board->local_control.phy, tigon_link_has_phy(board));
}

uint32_t tigon_link_status(const struct tigon_board *board) {
    return board->link.status;
}

/* ------------------------------------------------------------------------------------------------
 * The board as an end of a wire */

static enum tigon_arrival_fate receive(void *party, unsigned port, const struct tigon_frame *frame,
                                       uint64_t ticks) {
    struct tigon_board *board = party;
    (void)port;
    board->now = ticks;
    if (!(board->link.status & TIGON_RECEIVE_SYNC))
        return TIGON_ARRIVAL_CUT;
    const uint64_t kept = board->statistics.receive_frames;
    tigon_receive_frame(board, frame);
    return board->statistics.receive_frames > kept ? TIGON_ARRIVAL_KEPT : TIGON_ARRIVAL_DROPPED;
}

static void hear(void *party, unsigned port, struct tigon_line line, uint64_t ticks) {
    struct tigon_board *board = party;
    (void)port;
    board->now = ticks;
    board->link.incoming = line;
    tigon_phy_partner(&board->local_control.phy, line.signal, line.configuring ? 0 : line.word);
    derive(board);
    tigon_board_changed(board);
}

struct tigon_wire_end tigon_link_end(struct tigon_board *board) {
    return (struct tigon_wire_end){.receive = receive,
                                   .hear = hear,
                                   .party = board,
                                   .name = board->name,
                                   .latency = tigon_ticks_from_ns(board->knobs.receive_latency_ns),
                                   .board = board};
}

void tigon_link_plug(struct tigon_board *board, struct tigon_wire *wire, unsigned side) {
    board->wire = wire;
    board->side = side;
    /* A board plugged in while it sends already is heard by the other. */
    tigon_wire_line(wire, side, board->link.outgoing, *board->clock);
}

static void looped(void *context, uint64_t ticks) {
    struct tigon_frame *frame = context;
    struct tigon_board *board = frame->receiver;
    board->now = ticks;
    if (loopback(board))
        tigon_receive_frame(board, frame);
    tigon_frame_release(board->frames, frame);
}

static __attribute__((noinline)) void send(struct tigon_board *board, struct tigon_frame *frame,
                                           uint64_t started) {
    if (loopback(board)) {
        frame->receiver = board;
        tigon_frame_schedule(board->schedule, frame, looped,
                             board->now + tigon_ticks_from_ns(board->knobs.receive_latency_ns));
        return;
    }
    if (!board->wire || !normal(board) || configuring(board)) {
        board->statistics.transmit_no_link++;
        tigon_statistic_count(board, TIGON_STATISTIC_CARRIER_ERRORS);
        tigon_frame_release(board->frames, frame);
        return;
    }
    tigon_wire_send(board->wire, board->side, frame, started, board->now);
}

void tigon_link_send(struct tigon_board *board, struct tigon_frame *frame, uint64_t started) {
    /* On fibre with the link up: the state that send() would find. */
    if (__builtin_expect(board->link.transceiver == TIGON_TRANSCEIVER_INTERNAL &&
                             TIGON_WORD(board, TIGON_SERDES) == SERDES_NORMAL && !board->dead &&
                             board->wire && !configuring(board),
                         1))
        tigon_wire_send(board->wire, board->side, frame, started, board->now);
    else
        send(board, frame, started);
}

/* The incoming signal does not depend on this board; all other state restarts. A link lost by the
 * reset itself raises no attention. */
static void reset(struct tigon_board *board) {
    tigon_link_look(board);
    TIGON_WORD(board, TIGON_RECEIVE_STATE) = 0;
}

static const struct tigon_register_description registers[] = {
    {0x204, 1, "transmitted link word", TIGON_STORED, 0, 0xFFFF},       /* 7 */
    {0x224, 1, "received link word", TIGON_READS_WRITES, 0, 0},         /* 7 */
    {0x238, 1, "port and SERDES control", TIGON_STORED, 0, 0xFFFFFFFF}, /* 7 */
};

const struct tigon_device tigon_link_device = {
    .name = "link",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .initialise = initialise,
    .reset = reset,
    .lose_power = tigon_link_look,
    .read = read_word,
    .write = write_register,
    .steady = true,
    .read_shows_state = true,
};
