/* SPDX-License-Identifier: MIT */
#include "host/tools/inspect.h"

#include "board/board_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { RECORD_WORDS = BOARD_TRACE_RECORD_BYTES / 4, REASON_BYTES = 512 };

static int read_control(struct board *board, uint32_t word, uint32_t *value) {
    return board_read_memory(board, BOARD_CONTROL_ADDRESS + 4 * word, value, 1);
}

static int open_names(struct inspect_ring *ring, const char *path, uint32_t hash, bool complain) {
    struct board_image_information information;
    char reason[REASON_BYTES];
    const char *chosen = path ? path : tool_default_image();
    if (!chosen)
        return TOOL_DONE;
    if (board_image_open_explained(&ring->image, chosen, reason, sizeof reason)) {
        ring->image = NULL;
        return path ? tool_say("%s", reason) : TOOL_DONE;
    }
    board_image_information(ring->image, &information);
    if (information.protocol_hash == hash)
        return TOOL_DONE;
    if (complain)
        (void)tool_say("%s is of specification 0x%08" PRIX32
                       ", the board's firmware of 0x%08" PRIX32 ": no names",
                       chosen, information.protocol_hash, hash);
    board_image_close(ring->image);
    ring->image = NULL;
    return TOOL_DONE;
}

int inspect_open(struct inspect_ring *ring, struct tool_session *session, const char *path,
                 bool complain) {
    struct board_status status;
    *ring = (struct inspect_ring){.board = libemp_hardware(session->board)};
    const int error = board_status(ring->board, &status);
    if (error)
        return tool_fail(session, error, "status");
    ring->address = status.trace;
    ring->entries = status.trace ? status.trace_entries : 0;
    return open_names(ring, path, status.protocol_hash, complain);
}

void inspect_close(struct inspect_ring *ring) {
    board_image_close(ring->image);
    ring->image = NULL;
}

int inspect_next(struct inspect_ring *ring, struct inspect_record *record) {
    static char number[24];
    uint32_t next;
    uint32_t words[RECORD_WORDS];
    int error = read_control(ring->board, BOARD_CONTROL_TRACE_NEXT_WORD, &next);
    record->lost = 0;
    if (error || next == ring->seen || !ring->entries)
        return error;
    /* What is about to be overwritten is not read: the firmware goes on meanwhile. */
    if (next - ring->seen > ring->entries - ring->entries / 8) {
        const uint32_t first = next - (ring->entries - ring->entries / 8);
        record->lost = next > ring->entries && ring->seen ? first - ring->seen : 0;
        ring->seen = first;
    }
    const uint32_t place = ring->seen % ring->entries;
    error = board_read_memory(ring->board, ring->address + place * BOARD_TRACE_RECORD_BYTES, words,
                              RECORD_WORDS);
    if (error)
        return error;
    ring->seen++;
    record->time_us = board_trace_record_get_time(words);
    record->transition = (uint16_t)board_trace_record_get_transition(words);
    record->argument = (uint16_t)board_trace_record_get_argument(words);
    record->name = ring->image ? board_image_transition(ring->image, record->transition) : NULL;
    if (!record->name) {
        (void)snprintf(number, sizeof number, "transition %u", record->transition);
        record->name = number;
    }
    return 1;
}
