/* SPDX-License-Identifier: MIT */
/* emp dump: what is left of a board, running or not, for a report. Nothing is changed on it. */
#include "host/tools/inspect.h"

#include "board/board_layout.h"
#include "fw-runtime/hsm_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CPU_STOPPED 0xFFFF0000U

enum {
    CPU_STATE = 0x140,
    CPU_COUNTER = 0x144,
    CPU_B_STATE = 0x240,
    CPU_B_COUNTER = 0x244,
    MEMORY_END = 2 << 20, /* of any board */
    RECORDS = 64,         /* transitions shown, the last ones */
    FAULT_BYTES = 160,
    CHUNK_WORDS = 1024
};

struct arguments {
    struct tool_options common;
    const char *image;
    const char *memory;
};

static const struct tool_option option_table[] = {
    {{"image", 'I', "IMAGE", 0, "With names for addresses (default: as of `emp load`)", 0},
     TOOL_TO_TEXT(image)},
    {{"memory", 'M', "FILE", 0, "Also write the board's memory to this file, as the board has it",
      0},
     TOOL_TO_TEXT(memory)},
    {.kind = TOOL_OWN},
};

static const struct tool_syntax syntax = {
    .options = option_table,
    .description =
        "Writes a report about a board on which firmware was started: why it stopped, where its "
        "processors are, its counters, and the last transitions if it keeps them. The board is "
        "not changed.",
};

static int report_processor(struct tool_report *report, const struct inspect_ring *ring,
                            const char *name, uint32_t state_at, uint32_t counter_at) {
    uint32_t offset = 0;
    uint32_t state;
    uint32_t counter;
    int error = board_read_register(ring->board, state_at, &state);
    if (!error)
        error = board_read_register(ring->board, counter_at, &counter);
    if (error)
        return error;
    const char *function = ring->image ? board_image_symbol(ring->image, counter, &offset) : NULL;
    char place[FAULT_BYTES] = "";
    if (function)
        (void)snprintf(place, sizeof place, ", %s + 0x%" PRIX32, function, offset);
    tool_report_text(report, name, "at 0x%08" PRIX32 "%s, state 0x%08" PRIX32 "%s", counter, place,
                     state, state & CPU_STOPPED ? ", stopped" : "");
    return 0;
}

/* The firmware's own reason, with the line of the spec if it was a check. */
static void report_fault(struct tool_report *report, const struct inspect_ring *ring,
                         uint32_t fault) {
    struct board_image_information information = {0};
    char text[FAULT_BYTES];
    if (ring->image)
        board_image_information(ring->image, &information);
    if (hsm_fault_text(fault, information.files, information.file_count, text, sizeof text))
        tool_report_text(report, "fault", "0x%08" PRIX32 ": %s", fault, text);
    else
        tool_report_text(report, "fault", "0x%08" PRIX32, fault);
}

static int read_word(struct board *board, uint32_t address, uint32_t *value) {
    return board_read_memory(board, address, value, 1);
}

static int report_state(struct tool_session *session, const struct inspect_ring *ring,
                        struct tool_report *report) {
    struct board *board = libemp_hardware(session->board);
    struct board_status status;
    uint32_t fault;
    int error = board_status(board, &status);
    if (!error)
        error = read_word(board, BOARD_CONTROL_ADDRESS + 4 * BOARD_CONTROL_FAULT_WORD, &fault);
    if (error)
        return error;
    tool_report_text(report, "board", "%s", session->options->board);
    tool_report_text(report, "state", status.running ? "running" : "stopped");
    const int stopped = board_check_running(board);
    if (stopped)
        tool_report_text(report, "reason", "%s", board_message(board));
    if (fault)
        report_fault(report, ring, fault);
    tool_report_text(report, "specification", "0x%08" PRIX32, status.protocol_hash);
    tool_report_number(report, "node", status.node, "");
    tool_report_number(report, "incarnation", status.epoch, "");
    tool_report_text(report, "link", status.link ? "up" : "down");
    tool_report_number(report, "sram", status.sram_bytes, "bytes");
    if (tool_is_driven(session)) /* no program reads the registers */
        return 0;
    error = report_processor(report, ring, "processor_a", CPU_STATE, CPU_COUNTER);
    return error ? error
                 : report_processor(report, ring, "processor_b", CPU_B_STATE, CPU_B_COUNTER);
}

/* By their place in the control block, so also of a board that has stopped. */
static int report_counters(struct tool_session *session, struct tool_report *report) {
    struct board *board = libemp_hardware(session->board);
    uint32_t at;
    int error = read_word(board, BOARD_CONTROL_ADDRESS + 4 * BOARD_CONTROL_COUNTERS_WORD, &at);
    if (!error && (at % 4 != 0 || at >= MEMORY_END)) {
        tool_report_text(report, "counters", "not found: the control block is damaged");
        return 0;
    }
    for (size_t i = 0; i < libemp_counter_count() && !error; i++) {
        uint32_t value = 0;
        error = read_word(board, at + 4 * (uint32_t)i, &value);
        if (!error && value)
            tool_report_number(report, libemp_counter_name(i), value, "");
    }
    return error;
}

static int report_transitions(struct inspect_ring *ring, struct tool_report *report) {
    uint32_t next = 0;
    struct inspect_record record;
    cJSON *list = report->object ? cJSON_AddArrayToObject(report->object, "transitions") : NULL;
    int found = ring->entries
                    ? read_word(ring->board,
                                BOARD_CONTROL_ADDRESS + 4 * BOARD_CONTROL_TRACE_NEXT_WORD, &next)
                    : 0;
    ring->seen = next > RECORDS ? next - RECORDS : 0;
    while (ring->entries && !found && (found = inspect_next(ring, &record)) > 0) {
        found = 0;
        char line[FAULT_BYTES];
        (void)snprintf(line, sizeof line, "%" PRIu32 " us %s %u", record.time_us, record.name,
                       record.argument);
        if (list)
            (void)cJSON_AddItemToArray(list, cJSON_CreateString(line));
        else
            (void)printf("%-20s %s\n", "transition", line);
        if (ring->seen == next)
            break;
    }
    return found;
}

/* The file is opened when all of the memory has been read: one that was there is not lost before.
 */
static int write_memory(struct tool_session *session, const char *path) {
    static uint8_t bytes[MEMORY_END];
    struct board *board = libemp_hardware(session->board);
    struct board_status status;
    uint32_t words[CHUNK_WORDS];
    int error = board_status(board, &status);
    const size_t size = error || status.sram_bytes > MEMORY_END ? 0 : status.sram_bytes;
    for (size_t at = 0; !error && at < size; at += sizeof words) {
        error = board_read_memory(board, (uint32_t)at, words, CHUNK_WORDS);
        for (size_t i = 0; i < sizeof words; i++)
            bytes[at + i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
    }
    if (error)
        return tool_fail(session, error, "memory");
    FILE *file = fopen(path, "wb");
    if (!file)
        return tool_say("%s: %s", path, strerror(errno));
    const bool written = fwrite(bytes, 1, size, file) == size;
    const bool closed = fclose(file) == 0;
    return written && closed ? TOOL_DONE : tool_say("%s: %s", path, strerror(errno));
}

static int dump(struct tool_session *session, const struct arguments *arguments) {
    struct inspect_ring ring;
    struct tool_report report;
    int status = inspect_open(&ring, session, arguments->image, true);
    if (status)
        return status;
    tool_report_begin(&report, arguments->common.json);
    int error = report_state(session, &ring, &report);
    if (!error)
        error = report_counters(session, &report);
    if (!error)
        error = report_transitions(&ring, &report);
    tool_report_end(&report);
    inspect_close(&ring);
    if (error)
        return tool_fail(session, error, "dump");
    return arguments->memory ? write_memory(session, arguments->memory) : TOOL_DONE;
}

int tool_dump(int argc, char **argv) {
    struct arguments arguments = {0};
    struct tool_session session;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    int status = tool_open(&session, &arguments.common);
    if (status)
        return status;
    status = dump(&session, &arguments);
    tool_close(&session, NULL, 0);
    return status;
}
