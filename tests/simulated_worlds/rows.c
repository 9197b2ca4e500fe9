/* SPDX-License-Identifier: MIT */
/*
 * The rows that boards take, from their trace rings, read through the simulator's back door: that
 * takes no simulated time and changes nothing.
 */
#include "tests/simulated_worlds/simulated_world.h"

static uint32_t control(const struct station *station, uint32_t word) {
    return tigon_board_peek32(station->hardware, EMP_CONTROL_ADDRESS + 4 * word);
}

void rows_note(struct station *station) {
    const uint32_t ring = control(station, EMP_CONTROL_TRACE_WORD);
    const uint32_t entries = control(station, EMP_CONTROL_TRACE_ENTRIES_WORD);
    const uint32_t next = control(station, EMP_CONTROL_TRACE_NEXT_WORD);
    uint32_t fresh = next - station->rows_seen;
    if (ring == 0 || entries == 0)
        return;
    if (fresh > entries)
        fresh = entries;
    for (uint32_t i = next - fresh; i != next; i++) {
        const uint32_t at = ring + EMP_TRACE_RECORD_BYTES * (i & (entries - 1));
        const uint32_t row =
            tigon_board_peek32(station->hardware, at + 4 * EMP_TRACE_RECORD_TRANSITION_WORD) >>
            EMP_TRACE_RECORD_TRANSITION_SHIFT;
        if (row < EMP_TRANSITION_COUNT)
            world_rows[row] = true;
    }
    station->rows_seen = next;
}
