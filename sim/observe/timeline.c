/* SPDX-License-Identifier: MIT */
/*
 * See timeline.h. Format: "Trace Event Format", the array under "traceEvents". Events need not be
 * in the order of time; those of one track are, but for transitions, which are written when they
 * end.
 */
#include "sim/observe/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/observe/describe.h"

/* Tracks of a board. */
enum {
    TRACK_CORE = 1, /* and 2 */
    TRACK_TRANSITIONS = 3,
    TRACK_DMA = 5, /* read, write */
    TRACK_TRANSMIT = 7,
    TRACK_RECEIVE = 8,
    TRACK_PROGRAMS = 16,
    PROGRAMS_LIMIT = 64
};

/* How long an arrival is drawn; it has no length of its own. */
#define ARRIVAL_TICKS (100u * TIGON_TICKS_PER_NS)

struct board {
    struct tigon_timeline *timeline;
    size_t index;
    bool functions; /* the cores' tracks show them */
    bool busy[2];   /* a slice is open: "busy" or, among functions, "idle" */
    uint64_t open_since[2];
    uint64_t received; /* end of the last arrival drawn, ticks */
    bool named[PROGRAMS_LIMIT];
    bool waits[PROGRAMS_LIMIT]; /* a slice of the program is open */
};

struct tigon_timeline {
    struct tigon_world *world;
    FILE *file;
    bool first;
    tigon_transition_name transition_name;
    struct board *boards;
    size_t board_count;
};

/* ------------------------------------------------------------------------------------------------
 * Events */

static void write_time(FILE *file, const char *key, uint64_t ticks) {
    const uint64_t ps = tigon_ps_from_ticks(ticks);
    (void)fprintf(file, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ps / 1000000u, ps % 1000000u);
}

/* The beginning of an event, up to its time; without a name when `name` is NULL. */
static void begin(struct tigon_timeline *timeline, char phase, size_t board, unsigned track,
                  const char *name, uint64_t ticks) {
    FILE *file = timeline->file;
    (void)fprintf(file, "%s\n{\"ph\":\"%c\",\"pid\":%zu,\"tid\":%u", timeline->first ? "" : ",",
                  phase, board + 1, track);
    timeline->first = false;
    if (name) {
        (void)fprintf(file, ",\"name\":");
        tigon_describe_json(file, name);
    }
    if (phase != 'M')
        write_time(file, "ts", ticks);
}

static void end(struct tigon_timeline *timeline) {
    (void)fputc('}', timeline->file);
}

static void event(struct tigon_timeline *timeline, char phase, size_t board, unsigned track,
                  const char *name, uint64_t ticks) {
    begin(timeline, phase, board, track, name, ticks);
    end(timeline);
}

/* A slice of known length, left open for arguments. */
static void begin_slice(struct tigon_timeline *timeline, size_t board, unsigned track,
                        const char *name, uint64_t started, uint64_t ended) {
    begin(timeline, 'X', board, track, name, started);
    /* A difference of rounded times, so that neighbours touch and nested slices fit. */
    const uint64_t ps = tigon_ps_from_ticks(ended) - tigon_ps_from_ticks(started);
    (void)fprintf(timeline->file, ",\"dur\":%" PRIu64 ".%06" PRIu64, ps / 1000000u, ps % 1000000u);
}

static void name_track(struct tigon_timeline *timeline, size_t board, unsigned track,
                       const char *name) {
    begin(timeline, 'M', board, track, "thread_name", 0);
    (void)fprintf(timeline->file, ",\"args\":{\"name\":");
    tigon_describe_json(timeline->file, name);
    (void)fprintf(timeline->file, "}}");
    begin(timeline, 'M', board, track, "thread_sort_index", 0);
    (void)fprintf(timeline->file, ",\"args\":{\"sort_index\":%u}}", track);
}

/* ------------------------------------------------------------------------------------------------
 * Cores */

static void toggle(struct board *board, unsigned core, bool open, uint64_t ticks) {
    if (board->busy[core] == open)
        return;
    if (ticks < board->open_since[core])
        ticks = board->open_since[core];
    board->busy[core] = open;
    board->open_since[core] = ticks;
    event(board->timeline, open ? 'B' : 'E', board->index, TRACK_CORE + core,
          board->functions ? "idle" : "busy", ticks);
}

static void see_signal(void *context, const struct tigon_board *from, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct tigon_timeline *timeline = context;
    if (tigon_board_index(from) >= timeline->board_count)
        return;
    struct board *board = &timeline->boards[tigon_board_index(from)];
    const bool idle_signal = signal == TIGON_SIGNAL_IDLE_A || signal == TIGON_SIGNAL_IDLE_B;
    const unsigned core = signal == TIGON_SIGNAL_IDLE_B || signal == TIGON_SIGNAL_RUNNING_B;
    if (idle_signal && board->functions)
        toggle(board, core, value != 0, ticks);
    else if (idle_signal || signal == TIGON_SIGNAL_RUNNING_A || signal == TIGON_SIGNAL_RUNNING_B)
        toggle(board, core,
               from->signals[TIGON_SIGNAL_RUNNING_A + core] &&
                   !from->signals[TIGON_SIGNAL_IDLE_A + core] && !board->functions,
               ticks);
}

static void see_enter(void *context, unsigned core, const struct tigon_executed *function,
                      uint32_t site, uint64_t cycle) {
    struct board *board = context;
    toggle(board, core, false, tigon_ticks_from_cycles(cycle));
    begin(board->timeline, 'B', board->index, TRACK_CORE + core, function->name,
          tigon_ticks_from_cycles(cycle));
    (void)fprintf(board->timeline->file, ",\"args\":{\"from\":\"0x%08x\"}", site);
    end(board->timeline);
}

static void see_leave(void *context, unsigned core, const struct tigon_executed *function,
                      uint64_t cycle) {
    struct board *board = context;
    toggle(board, core, false, tigon_ticks_from_cycles(cycle));
    event(board->timeline, 'E', board->index, TRACK_CORE + core, function->name,
          tigon_ticks_from_cycles(cycle));
}

static void see_transition(void *context, const struct tigon_transition *transition) {
    const struct board *board = context;
    struct tigon_timeline *timeline = board->timeline;
    char number[24];
    const char *name =
        timeline->transition_name ? timeline->transition_name(board->index, transition->id) : NULL;
    (void)snprintf(number, sizeof number, "transition %" PRIu32, transition->id);
    begin_slice(timeline, board->index, TRACK_TRANSITIONS + transition->core, name ? name : number,
                tigon_ticks_from_cycles(transition->started),
                tigon_ticks_from_cycles(transition->ended));
    (void)fprintf(timeline->file,
                  ",\"args\":{\"id\":%" PRIu32 ",\"instance\":%" PRIu32 ",\"cycles\":%" PRIu64
                  ",\"function\":",
                  transition->id, transition->argument, transition->ended - transition->started);
    tigon_describe_json(timeline->file, transition->function->name);
    (void)fprintf(timeline->file, "}}");
}

/* ------------------------------------------------------------------------------------------------
 * Devices */

static void see_transfer(void *context, const struct tigon_transfer *transfer) {
    struct tigon_timeline *timeline = context;
    char name[48];
    (void)snprintf(name, sizeof name, "%s %" PRIu32 " bytes%s", transfer->write ? "write" : "read",
                   transfer->length,
                   transfer->stopped     ? ", stopped"
                   : transfer->attention ? ", failed"
                                         : "");
    begin_slice(timeline, tigon_board_index(transfer->board), TRACK_DMA + transfer->write, name,
                transfer->started, transfer->ended);
    (void)fprintf(timeline->file,
                  ",\"args\":{\"host\":\"0x%" PRIx64 "\",\"board\":\"0x%" PRIx32
                  "\",\"ring\":\"%s\",\"attention\":\"0x%08" PRIx32 "\"}}",
                  transfer->host_address, transfer->local_address,
                  transfer->ring < 0    ? "none"
                  : transfer->ring == 0 ? "high"
                                        : "low",
                  transfer->attention);
}

/* The same for both ends of an arrow. */
static void write_arrow(struct tigon_timeline *timeline, char phase, size_t board, unsigned track,
                        uint64_t ticks, const struct tigon_wire *wire, unsigned from_side,
                        uint64_t index) {
    size_t number = 0;
    if (index == UINT64_MAX || !tigon_wire_board(wire, 1 - from_side))
        return; /* injected, or a frame whose arrival is never reported */
    while (tigon_world_wire(timeline->world, number) != wire)
        number++;
    begin(timeline, phase, board, track, "frame", ticks);
    (void)fprintf(timeline->file, ",\"cat\":\"wire\",\"id\":\"%zu-%u-%" PRIu64 "\"", number,
                  from_side, index);
    if (phase == 'f')
        (void)fprintf(timeline->file, ",\"bp\":\"e\"");
    end(timeline);
}

static void see_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct tigon_timeline *timeline = context;
    const struct tigon_board *sender = tigon_wire_board(frame->wire, frame->from_side);
    unsigned track = TRACK_TRANSMIT;
    size_t process = 0;
    const char *what = fate == TIGON_FATE_DELIVER ? NULL : tigon_fate_name(fate);
    char name[96];
    if (sender) {
        process = tigon_board_index(sender);
    } else {
        const struct tigon_switch *box = tigon_wire_switch(frame->wire, frame->from_side, &track);
        while (tigon_world_switch(timeline->world, process) != box)
            process++;
        process += timeline->board_count;
        track++; /* a track for each port */
    }
    (void)snprintf(name, sizeof name, "frame %" PRIu64 ", %zu bytes%s%s", frame->index,
                   frame->length, what ? ": " : "", what ? what : "");
    begin_slice(timeline, process, track, name, frame->time_ticks,
                frame->time_ticks + tigon_describe_frame_ticks(frame->length));
    (void)fprintf(timeline->file, ",\"args\":{\"type\":\"0x%02x%02x\"}",
                  frame->length > 13 ? frame->bytes[12] : 0u,
                  frame->length > 13 ? frame->bytes[13] : 0u);
    end(timeline);
    if (fate != TIGON_FATE_LOSE && fate != TIGON_FATE_CUT)
        write_arrow(timeline, 's', process, track, frame->time_ticks, frame->wire, frame->from_side,
                    frame->index);
}

static void see_arrival(void *context, const struct tigon_arrival *arrival) {
    struct tigon_timeline *timeline = context;
    const size_t index = tigon_board_index(arrival->board);
    char name[96];
    if (index >= timeline->board_count)
        return;
    struct board *board = &timeline->boards[index];
    uint64_t started = arrival->ticks > ARRIVAL_TICKS ? arrival->ticks - ARRIVAL_TICKS : 0;
    if (started < board->received)
        started = board->received;
    board->received = arrival->ticks;
    (void)snprintf(name, sizeof name, "%zu bytes%s%s%s", arrival->length,
                   arrival->fate == TIGON_ARRIVAL_KEPT ? "" : ", ",
                   arrival->fate == TIGON_ARRIVAL_KEPT ? "" : tigon_describe_arrival(arrival->fate),
                   arrival->bad_crc ? ", CRC error" : "");
    begin_slice(timeline, index, TRACK_RECEIVE, name, started, arrival->ticks);
    end(timeline);
    if (!arrival->again)
        write_arrow(timeline, 'f', index, TRACK_RECEIVE, started, arrival->wire, arrival->from_side,
                    arrival->index);
}

static void see_program(void *context, const struct tigon_board *from, size_t index,
                        const char *name, enum tigon_program_state state, uint64_t ticks) {
    struct tigon_timeline *timeline = context;
    const size_t number = tigon_board_index(from);
    char title[80];
    if (number >= timeline->board_count || index >= PROGRAMS_LIMIT)
        return;
    struct board *board = &timeline->boards[number];
    const unsigned track = TRACK_PROGRAMS + (unsigned)index;
    if (!board->named[index]) {
        (void)snprintf(title, sizeof title, "program %s", name);
        name_track(timeline, number, track, title);
        board->named[index] = true;
    }
    if (board->waits[index])
        event(timeline, 'E', number, track, NULL, ticks);
    board->waits[index] = state != TIGON_PROGRAM_READY && state != TIGON_PROGRAM_FINISHED;
    if (board->waits[index])
        event(timeline, 'B', number, track, tigon_program_state_name(state), ticks);
}

static void see_fault(void *context, const struct tigon_fault_event *fault) {
    struct tigon_timeline *timeline = context;
    char text[160];
    if (!fault->board)
        return; /* a frame's slice shows it */
    (void)tigon_fault_event_text(fault, text, sizeof text);
    begin(timeline, 'i', tigon_board_index(fault->board), TRACK_CORE, text, fault->ticks);
    (void)fprintf(timeline->file, ",\"s\":\"p\"");
    end(timeline);
}

static void see_message(void *context, const struct tigon_board *board, const char *message,
                        uint64_t ticks) {
    struct tigon_timeline *timeline = context;
    begin(timeline, 'i', tigon_board_index(board), TRACK_CORE, message, ticks);
    (void)fprintf(timeline->file, ",\"s\":\"p\"");
    end(timeline);
}

/* ------------------------------------------------------------------------------------------------
 * Life */

static void name_process(struct tigon_timeline *timeline, size_t process, const char *name) {
    begin(timeline, 'M', process, 0, "process_name", 0);
    (void)fprintf(timeline->file, ",\"args\":{\"name\":");
    tigon_describe_json(timeline->file, name);
    (void)fprintf(timeline->file, "}}");
}

static void name_board(struct tigon_timeline *timeline, size_t index) {
    static const struct {
        unsigned track;
        const char *name;
    } tracks[] = {
        {TRACK_CORE, "CPU A"},
        {TRACK_CORE + 1, "CPU B"},
        {TRACK_TRANSITIONS, "transitions of A"},
        {TRACK_TRANSITIONS + 1, "transitions of B"},
        {TRACK_DMA, "DMA read"},
        {TRACK_DMA + 1, "DMA write"},
        {TRACK_TRANSMIT, "MAC transmit"},
        {TRACK_RECEIVE, "MAC receive"},
    };
    name_process(timeline, index, tigon_board_name(tigon_world_board(timeline->world, index)));
    for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++)
        name_track(timeline, index, tracks[i].track, tracks[i].name);
}

static void name_switch(struct tigon_timeline *timeline, size_t index) {
    const struct tigon_switch *box = tigon_world_switch(timeline->world, index);
    const size_t process = timeline->board_count + index;
    char name[32];
    name_process(timeline, process, tigon_switch_name(box));
    for (unsigned port = 0; port < tigon_switch_ports(box); port++) {
        (void)snprintf(name, sizeof name, "port %u sends", port);
        name_track(timeline, process, port + 1, name);
    }
}

static void discard(struct tigon_timeline *timeline) {
    tigon_world_detach(timeline->world, timeline);
    if (timeline->file)
        (void)fclose(timeline->file);
    free(timeline->boards);
    free(timeline);
}

static int follow(struct tigon_timeline *timeline, size_t index,
                  struct tigon_execution *execution) {
    struct board *board = &timeline->boards[index];
    const struct tigon_execution_listener listener = {
        .context = board, .enter = see_enter, .leave = see_leave, .transition = see_transition};
    board->timeline = timeline;
    board->index = index;
    board->functions = execution != NULL;
    return execution ? tigon_execution_listen(execution, &listener) : 0;
}

int tigon_timeline_start(struct tigon_timeline **timeline, struct tigon_world *world,
                         const struct tigon_timeline_options *options) {
    struct tigon_timeline *result = calloc(1, sizeof *result);
    const struct tigon_observer observer = {
        .context = result,
        .signal = see_signal,
        .frame = see_frame,
        .arrival = see_arrival,
        .transfer = see_transfer,
        .program = see_program,
        .message = see_message,
        .fault = see_fault,
    };
    int error = 0;
    if (!result)
        return -ENOMEM;
    result->world = world;
    result->first = true;
    result->transition_name = options->transition_name;
    result->board_count = tigon_world_board_count(world);
    result->boards = calloc(result->board_count ? result->board_count : 1, sizeof *result->boards);
    if (!result->boards)
        error = -ENOMEM;
    else if ((result->file = fopen(options->path, "w")) == NULL)
        error = -errno;
    for (size_t i = 0; i < result->board_count && !error; i++)
        error = follow(result, i, options->executions ? options->executions[i] : NULL);
    if (!error)
        error = tigon_world_attach(world, &observer);
    if (error) {
        discard(result);
        return error;
    }
    (void)fprintf(result->file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (size_t i = 0; i < result->board_count; i++)
        name_board(result, i);
    for (size_t i = 0; i < tigon_world_switch_count(world); i++)
        name_switch(result, i);
    *timeline = result;
    return 0;
}

int tigon_timeline_end(struct tigon_timeline *timeline) {
    if (!timeline)
        return 0;
    const uint64_t now = tigon_world_now_ticks(timeline->world);
    for (size_t i = 0; i < timeline->board_count; i++) {
        struct board *board = &timeline->boards[i];
        for (unsigned core = 0; core < 2; core++)
            if (board->busy[core] && !board->functions)
                toggle(board, core, false, now);
        for (size_t program = 0; program < PROGRAMS_LIMIT; program++)
            if (board->waits[program])
                event(timeline, 'E', i, TRACK_PROGRAMS + (unsigned)program, NULL, now);
    }
    (void)fprintf(timeline->file, "\n]}\n");
    int error = ferror(timeline->file) ? -EIO : 0;
    if (fclose(timeline->file) != 0 && !error)
        error = errno ? -errno : -EIO;
    timeline->file = NULL;
    discard(timeline);
    return error;
}
