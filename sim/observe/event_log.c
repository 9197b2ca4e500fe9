/* SPDX-License-Identifier: MIT */
/* See event_log.h. */
#include "sim/observe/event_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/observe/describe.h"
#include "sim/observe/reorder.h"

struct source {
    struct tigon_event_log *log;
    const struct tigon_board *board;
};

struct tigon_event_log {
    struct tigon_world *world;
    struct tigon_log_options options;
    struct tigon_reorder *reorder;
    struct source *sources; /* by board, for executions */
    int error;
};

static const char *const kind_names[TIGON_LOG_KIND_COUNT] = {
    [TIGON_LOG_SIGNAL] = "signal",
    [TIGON_LOG_DMA] = "dma",
    [TIGON_LOG_SEND] = "send",
    [TIGON_LOG_RECEIVE] = "receive",
    [TIGON_LOG_PROGRAM] = "program",
    [TIGON_LOG_MESSAGE] = "message",
    [TIGON_LOG_TRANSITION] = "transition",
    [TIGON_LOG_FAULT] = "fault",
};

const char *tigon_log_kind_name(enum tigon_log_kind kind) {
    return (unsigned)kind < TIGON_LOG_KIND_COUNT ? kind_names[kind] : "?";
}

bool tigon_log_parse_kinds(const char **text, size_t *unknown, unsigned *kinds) {
    *kinds = 0;
    for (;;) {
        const size_t length = strcspn(*text, ",");
        unsigned found = 0;
        if (length == 3 && strncmp(*text, "all", length) == 0)
            found = (1u << TIGON_LOG_KIND_COUNT) - 1u;
        for (unsigned kind = 0; kind < TIGON_LOG_KIND_COUNT; kind++)
            if (strlen(kind_names[kind]) == length && strncmp(kind_names[kind], *text, length) == 0)
                found = 1u << kind;
        *unknown = length;
        if (!found)
            return false;
        *kinds |= found;
        *text += length;
        if (!**text)
            return true;
        (*text)++;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Writing */

/* Switches are numbered behind the boards. */
static const char *name_of(const struct tigon_event_log *log, size_t index) {
    const size_t boards = tigon_world_board_count(log->world);
    return index < boards ? tigon_board_name(tigon_world_board(log->world, index))
                          : tigon_switch_name(tigon_world_switch(log->world, index - boards));
}

static size_t number_of_switch(const struct tigon_event_log *log, const struct tigon_switch *box) {
    size_t index = 0;
    while (tigon_world_switch(log->world, index) != box)
        index++;
    return tigon_world_board_count(log->world) + index;
}

/* The board, or the switch, that sends on a wire. */
static size_t number_of_sender(const struct tigon_event_log *log, const struct tigon_wire *wire,
                               unsigned from_side) {
    const struct tigon_board *board = tigon_wire_board(wire, from_side);
    unsigned port;
    return board ? tigon_board_index(board)
                 : number_of_switch(log, tigon_wire_switch(wire, from_side, &port));
}

static void write_entry(void *context, const struct tigon_reorder_entry *entry) {
    struct tigon_event_log *log = context;
    FILE *stream = log->options.stream;
    const uint64_t ps = tigon_ps_from_ticks(entry->ticks);
    const char *kind = tigon_log_kind_name((enum tigon_log_kind)(entry->value & 0xFFu));
    const char *who = name_of(log, (size_t)(entry->value >> 8));
    if (log->options.json) {
        (void)fprintf(stream, "{\"ps\": %" PRIu64 ", \"board\": ", ps);
        tigon_describe_json(stream, who);
        (void)fprintf(stream, ", \"kind\": \"%s\", \"text\": ", kind);
        tigon_describe_json(stream, entry->text);
        (void)fprintf(stream, "}\n");
    } else {
        (void)fprintf(stream, "%9" PRIu64 ".%03" PRIu64 "  %-8s %-10s %s\n", ps / 1000000u,
                      ps / 1000u % 1000u, who, kind, entry->text);
    }
}

static bool wants(const struct tigon_event_log *log, enum tigon_log_kind kind) {
    return (log->options.kinds >> kind & 1u) != 0;
}

static void __attribute__((format(printf, 5, 6)))
add_for(struct tigon_event_log *log, size_t index, enum tigon_log_kind kind, uint64_t ticks,
        const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const struct tigon_reorder_entry entry = {
        .ticks = ticks,
        .source = (uint32_t)index * TIGON_LOG_KIND_COUNT + (uint32_t)kind,
        .value = (uint64_t)index << 8 | kind,
        .text = text,
    };
    const int error =
        length < 0 ? -ENOMEM
                   : tigon_reorder_add(log->reorder, &entry, tigon_world_now_ticks(log->world));
    if (error && !log->error)
        log->error = error;
}

#define add(log, board, ...) add_for(log, tigon_board_index(board), __VA_ARGS__)

/* Ticks as microseconds, for printf's %.3f. */
static double microseconds(uint64_t ticks) {
    return (double)ticks / TIGON_TICKS_PER_US;
}

/* ------------------------------------------------------------------------------------------------
 * Listening */

static void see_signal(void *context, const struct tigon_board *board, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct tigon_event_log *log = context;
    if (tigon_signal_width(signal) > 8)
        add(log, board, TIGON_LOG_SIGNAL, ticks, "%s 0x%08" PRIx32, tigon_signal_name(signal),
            value);
    else
        add(log, board, TIGON_LOG_SIGNAL, ticks, "%s %" PRIu32, tigon_signal_name(signal), value);
}

static void see_transfer(void *context, const struct tigon_transfer *transfer) {
    struct tigon_event_log *log = context;
    static const char *const rings[] = {"by hand", "high ring", "low ring"};
    char host[40], local[24], fault[40] = "";
    (void)snprintf(host, sizeof host, "host 0x%" PRIx64, transfer->host_address);
    (void)snprintf(local, sizeof local, "0x%" PRIx32, transfer->local_address);
    if (transfer->attention)
        (void)snprintf(fault, sizeof fault, ", FAILED with 0x%08" PRIx32, transfer->attention);
    add(log, transfer->board, TIGON_LOG_DMA, transfer->ended,
        "%s %" PRIu32 " bytes from %s to %s, %s, %.3f us%s%s", transfer->write ? "write" : "read",
        transfer->length, transfer->write ? local : host, transfer->write ? host : local,
        rings[transfer->ring + 1], microseconds(transfer->ended - transfer->started), fault,
        transfer->stopped ? ", STOPPED" : "");
}

static unsigned frame_type(const uint8_t *bytes, size_t length) {
    return length < 14 ? 0 : (unsigned)bytes[12] << 8 | bytes[13];
}

static void see_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct tigon_event_log *log = context;
    const char *what = fate == TIGON_FATE_DELIVER ? NULL : tigon_fate_name(fate);
    add_for(log, number_of_sender(log, frame->wire, frame->from_side), TIGON_LOG_SEND,
            frame->time_ticks, "frame %" PRIu64 " to %s, %zu bytes, type %04x%s%s", frame->index,
            tigon_wire_end_name(frame->wire, 1 - frame->from_side), frame->length,
            frame_type(frame->bytes, frame->length), what ? ": " : "", what ? what : "");
}

static void see_arrival(void *context, const struct tigon_arrival *arrival) {
    struct tigon_event_log *log = context;
    char number[32] = "injected frame";
    if (arrival->index != UINT64_MAX)
        (void)snprintf(number, sizeof number, "frame %" PRIu64, arrival->index);
    add(log, arrival->board, TIGON_LOG_RECEIVE, arrival->ticks,
        "%s from %s, %zu bytes, type %04x, %s%s%s", number,
        tigon_wire_end_name(arrival->wire, arrival->from_side), arrival->length,
        frame_type(arrival->bytes, arrival->length), tigon_describe_arrival(arrival->fate),
        arrival->again ? ", again" : "", arrival->bad_crc ? ", CRC error" : "");
}

static void see_program(void *context, const struct tigon_board *board, size_t index,
                        const char *name, enum tigon_program_state state, uint64_t ticks) {
    struct tigon_event_log *log = context;
    add(log, board, TIGON_LOG_PROGRAM, ticks, "%zu \"%s\" is %s", index, name,
        tigon_program_state_name(state));
}

static void see_message(void *context, const struct tigon_board *board, const char *message,
                        uint64_t ticks) {
    add(context, board, TIGON_LOG_MESSAGE, ticks, "%s", message);
}

static void see_fault(void *context, const struct tigon_fault_event *fault) {
    struct tigon_event_log *log = context;
    char text[160];
    (void)tigon_fault_event_text(fault, text, sizeof text);
    add_for(log,
            fault->board ? tigon_board_index(fault->board)
                         : number_of_sender(log, fault->wire, fault->from_side),
            TIGON_LOG_FAULT, fault->ticks, "%s", text);
}

static void see_transition(void *context, const struct tigon_transition *transition) {
    const struct source *source = context;
    struct tigon_event_log *log = source->log;
    const char *name =
        log->options.transition_name
            ? log->options.transition_name(tigon_board_index(source->board), transition->id)
            : NULL;
    add(log, source->board, TIGON_LOG_TRANSITION, tigon_ticks_from_cycles(transition->started),
        "%" PRIu32 " %s%sinstance %" PRIu32 ", %" PRIu64 " cycles on %c", transition->id,
        name ? name : "", name ? ", " : "", transition->argument,
        transition->ended - transition->started, 'A' + (int)transition->core);
}

/* ------------------------------------------------------------------------------------------------
 * Life */

static void discard(struct tigon_event_log *log) {
    tigon_world_detach(log->world, log);
    tigon_reorder_free(log->reorder);
    free(log->sources);
    free(log);
}

static int follow(struct tigon_event_log *log) {
    const size_t boards = tigon_world_board_count(log->world);
    int error = 0;
    log->sources = calloc(boards ? boards : 1, sizeof *log->sources);
    if (!log->sources)
        return -ENOMEM;
    for (size_t i = 0; i < boards && !error; i++) {
        const struct tigon_execution_listener listener = {.context = &log->sources[i],
                                                          .transition = see_transition};
        log->sources[i] = (struct source){log, tigon_world_board(log->world, i)};
        if (log->options.executions && log->options.executions[i])
            error = tigon_execution_listen(log->options.executions[i], &listener);
    }
    return error;
}

int tigon_event_log_start(struct tigon_event_log **log, struct tigon_world *world,
                          const struct tigon_log_options *options) {
    struct tigon_event_log *result = calloc(1, sizeof *result);
    if (!result)
        return -ENOMEM;
    result->world = world;
    result->options = *options;
    const struct tigon_observer observer = {
        .context = result,
        .signal = wants(result, TIGON_LOG_SIGNAL) ? see_signal : NULL,
        .frame = wants(result, TIGON_LOG_SEND) ? see_frame : NULL,
        .arrival = wants(result, TIGON_LOG_RECEIVE) ? see_arrival : NULL,
        .transfer = wants(result, TIGON_LOG_DMA) ? see_transfer : NULL,
        .program = wants(result, TIGON_LOG_PROGRAM) ? see_program : NULL,
        .message = wants(result, TIGON_LOG_MESSAGE) ? see_message : NULL,
        .fault = wants(result, TIGON_LOG_FAULT) ? see_fault : NULL,
    };
    /* A transition is reported when it ends, with the time it began. */
    result->reorder = tigon_reorder_create(tigon_describe_frame_horizon(), write_entry, result);
    int error = result->reorder ? 0 : -ENOMEM;
    if (!error && wants(result, TIGON_LOG_TRANSITION))
        error = follow(result);
    if (!error)
        error = tigon_world_attach(world, &observer);
    if (error) {
        discard(result);
        return error;
    }
    *log = result;
    return 0;
}

int tigon_event_log_end(struct tigon_event_log *log) {
    if (!log)
        return 0;
    tigon_reorder_flush(log->reorder);
    int error = log->error;
    if (!error && fflush(log->options.stream) != 0)
        error = errno ? -errno : -EIO;
    discard(log);
    return error;
}
