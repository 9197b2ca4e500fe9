/* SPDX-License-Identifier: MIT */
/* See vcd.h. Changes go through the queue of reorder.h with the variable as their source. */
#include "sim/observe/vcd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/observe/describe.h"
#include "sim/observe/gauges.h"
#include "sim/observe/reorder.h"

enum kind { KIND_SIGNAL, KIND_GAUGE, KIND_REGISTER, KIND_FUNCTION, KIND_BUSY, KIND_FRAME };

/* Numbers of KIND_BUSY and KIND_FRAME. */
enum { WAY_OUT, WAY_IN };

#define UNKNOWN UINT64_MAX /* a value: all x */

struct variable {
    enum kind kind;
    unsigned number; /* of signal, gauge or core; offset of the register */
    unsigned width;
    size_t board;
    uint64_t value; /* as last noted */
    char name[32];
};

/* A board's execution and where its variables of each kind are; UINT32_MAX: not chosen. */
struct follower {
    struct tigon_vcd *vcd;
    struct tigon_execution *execution;
    uint32_t function[2];
};

struct tigon_vcd {
    struct tigon_world *world;
    FILE *file;
    int error;
    struct tigon_reorder *reorder;
    struct variable *variables;
    size_t count;
    struct follower *followers; /* by board */
    size_t boards;
    uint64_t written_ps;
    bool began;
};

/* ------------------------------------------------------------------------------------------------
 * Writing */

static void write_identifier(FILE *file, uint32_t index) {
    do
        (void)fputc('!' + (int)(index % 94u), file);
    while ((index /= 94u) > 0);
}

static bool is_event(const struct variable *variable) {
    return variable->kind == KIND_SIGNAL && variable->number == TIGON_SIGNAL_RECEIVE;
}

static void write_value(struct tigon_vcd *vcd, uint32_t index, uint64_t value) {
    const struct variable *variable = &vcd->variables[index];
    if (variable->width == 1) {
        (void)fputc(value == UNKNOWN ? 'x' : value ? '1' : '0', vcd->file);
    } else {
        bool leading = true;
        (void)fputc('b', vcd->file);
        for (unsigned bit = value == UNKNOWN ? 1 : variable->width; bit-- > 0;) {
            const bool set = (value >> bit & 1u) != 0;
            leading = leading && !set && bit > 0;
            if (!leading)
                (void)fputc(value == UNKNOWN ? 'x' : set ? '1' : '0', vcd->file);
        }
        if (leading)
            (void)fputc(value == UNKNOWN ? 'x' : '0', vcd->file);
        (void)fputc(' ', vcd->file);
    }
    write_identifier(vcd->file, index);
    (void)fputc('\n', vcd->file);
}

static void write_time(struct tigon_vcd *vcd, uint64_t ps) {
    if (vcd->began && ps == vcd->written_ps)
        return;
    (void)fprintf(vcd->file, "#%" PRIu64 "\n", ps);
    vcd->written_ps = ps;
    vcd->began = true;
}

static void write_change(void *context, const struct tigon_reorder_entry *entry) {
    struct tigon_vcd *vcd = context;
    write_time(vcd, tigon_ps_from_ticks(entry->ticks));
    write_value(vcd, entry->source, entry->value);
}

static void write_header(struct tigon_vcd *vcd) {
    size_t board = SIZE_MAX;
    (void)fprintf(vcd->file, "$version simulated Tigon2 boards $end\n$timescale 1 ps $end\n");
    for (uint32_t i = 0; i < vcd->count; i++) {
        const struct variable *variable = &vcd->variables[i];
        if (variable->board != board) {
            if (board != SIZE_MAX)
                (void)fprintf(vcd->file, "$upscope $end\n");
            board = variable->board;
            (void)fprintf(vcd->file, "$scope module %s $end\n",
                          tigon_board_name(tigon_world_board(vcd->world, board)));
        }
        (void)fprintf(vcd->file, "$var %s %u ", is_event(variable) ? "event" : "wire",
                      variable->width);
        write_identifier(vcd->file, i);
        (void)fprintf(vcd->file, " %s", variable->name);
        if (variable->width > 1)
            (void)fprintf(vcd->file, " [%u:0]", variable->width - 1);
        (void)fprintf(vcd->file, " $end\n");
    }
    (void)fprintf(vcd->file, "$upscope $end\n$enddefinitions $end\n");
    write_time(vcd, tigon_ps_from_ticks(tigon_world_now_ticks(vcd->world)));
    (void)fprintf(vcd->file, "$dumpvars\n");
    for (uint32_t i = 0; i < vcd->count; i++)
        if (!is_event(&vcd->variables[i]))
            write_value(vcd, i, vcd->variables[i].value);
    (void)fprintf(vcd->file, "$end\n");
}

/* ------------------------------------------------------------------------------------------------
 * Listening */

static void note(struct tigon_vcd *vcd, uint32_t index, uint64_t value, uint64_t ticks) {
    struct variable *variable = &vcd->variables[index];
    const struct tigon_reorder_entry entry = {.ticks = ticks, .source = index, .value = value};
    if (value == variable->value && !is_event(variable))
        return;
    variable->value = value;
    const int error = tigon_reorder_add(vcd->reorder, &entry, tigon_world_now_ticks(vcd->world));
    if (error && !vcd->error)
        vcd->error = error;
}

/* The variable of that kind and number; UINT32_MAX when it was not chosen. */
static uint32_t find(const struct tigon_vcd *vcd, const struct tigon_board *board, enum kind kind,
                     unsigned number) {
    const size_t index = tigon_board_index(board);
    for (uint32_t i = 0; i < vcd->count; i++)
        if (vcd->variables[i].board == index && vcd->variables[i].kind == kind &&
            vcd->variables[i].number == number)
            return i;
    return UINT32_MAX;
}

static void see_signal(void *context, const struct tigon_board *board, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct tigon_vcd *vcd = context;
    const uint32_t index = find(vcd, board, KIND_SIGNAL, signal);
    if (index != UINT32_MAX && (value || !is_event(&vcd->variables[index])))
        note(vcd, index, value, ticks);
}

/* The same times at both ends: those at which the frame leaves. */
static void show_frame(struct tigon_vcd *vcd, const struct tigon_board *board, unsigned way,
                       const struct tigon_frame_view *frame) {
    const uint32_t busy = board ? find(vcd, board, KIND_BUSY, way) : UINT32_MAX;
    const uint32_t number = board ? find(vcd, board, KIND_FRAME, way) : UINT32_MAX;
    if (busy != UINT32_MAX) {
        note(vcd, busy, 1, frame->time_ticks);
        note(vcd, busy, 0, frame->time_ticks + tigon_describe_frame_ticks(frame->length));
    }
    if (number != UINT32_MAX)
        note(vcd, number, frame->index & UINT32_MAX, frame->time_ticks);
}

static void see_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct tigon_vcd *vcd = context;
    (void)fate;
    show_frame(vcd, tigon_wire_board(frame->wire, frame->from_side), WAY_OUT, frame);
    show_frame(vcd, tigon_wire_board(frame->wire, 1 - frame->from_side), WAY_IN, frame);
}

static uint64_t sample(struct tigon_board *board, const struct variable *variable) {
    if (variable->kind == KIND_GAUGE)
        return tigon_gauge_value(board, (enum tigon_gauge)variable->number);
    return tigon_register_read(board, variable->number);
}

static void see_changed(void *context, struct tigon_board *board, uint64_t ticks) {
    struct tigon_vcd *vcd = context;
    const size_t index = tigon_board_index(board);
    for (uint32_t i = 0; i < vcd->count; i++) {
        const struct variable *variable = &vcd->variables[i];
        if (variable->board == index &&
            (variable->kind == KIND_GAUGE || variable->kind == KIND_REGISTER))
            note(vcd, i, sample(board, variable), ticks);
    }
}

static void show_function(const struct follower *follower, unsigned core, uint64_t cycle) {
    const struct tigon_executed *top = tigon_execution_top(follower->execution, core);
    if (follower->function[core] != UINT32_MAX)
        note(follower->vcd, follower->function[core], top ? top->start : UNKNOWN,
             tigon_ticks_from_cycles(cycle));
}

static void see_enter(void *context, unsigned core, const struct tigon_executed *function,
                      uint32_t site, uint64_t cycle) {
    (void)function;
    (void)site;
    show_function(context, core, cycle);
}

static void see_leave(void *context, unsigned core, const struct tigon_executed *function,
                      uint64_t cycle) {
    (void)function;
    show_function(context, core, cycle);
}

/* ------------------------------------------------------------------------------------------------
 * Choosing */

/* Adds the variable if its full name is selected, by a pattern that contains `asked`. */
static void choose(struct tigon_vcd *vcd, const char *patterns, const char *asked,
                   const struct variable *variable) {
    char full[80];
    (void)snprintf(full, sizeof full, "%s.%s",
                   tigon_board_name(tigon_world_board(vcd->world, variable->board)),
                   variable->name);
    if (!tigon_describe_matches(patterns, full, asked))
        return;
    struct variable *variables = realloc(vcd->variables, (vcd->count + 1) * sizeof *variables);
    if (!variables) {
        vcd->error = -ENOMEM;
        return;
    }
    vcd->variables = variables;
    variables[vcd->count++] = *variable;
}

static void choose_of_board(struct tigon_vcd *vcd, const char *patterns, size_t index) {
    struct tigon_board *board = tigon_world_board(vcd->world, index);
    for (unsigned signal = 0; signal < TIGON_SIGNAL_COUNT; signal++) {
        struct variable variable = {KIND_SIGNAL,
                                    signal,
                                    tigon_signal_width((enum tigon_signal)signal),
                                    index,
                                    board->signals[signal],
                                    ""};
        (void)snprintf(variable.name, sizeof variable.name, "%s",
                       tigon_signal_name((enum tigon_signal)signal));
        choose(vcd, patterns, NULL, &variable);
    }
    for (unsigned gauge = 0; gauge < TIGON_GAUGE_COUNT; gauge++) {
        struct variable variable = {KIND_GAUGE,
                                    gauge,
                                    tigon_gauge_width((enum tigon_gauge)gauge),
                                    index,
                                    tigon_gauge_value(board, (enum tigon_gauge)gauge),
                                    ""};
        (void)snprintf(variable.name, sizeof variable.name, "%s",
                       tigon_gauge_name((enum tigon_gauge)gauge));
        choose(vcd, patterns, NULL, &variable);
    }
    for (unsigned way = WAY_OUT; way <= WAY_IN; way++) {
        struct variable busy = {KIND_BUSY, way, 1, index, 0, ""};
        struct variable number = {KIND_FRAME, way, 32, index, UNKNOWN, ""};
        (void)snprintf(busy.name, sizeof busy.name, "%s_busy", way == WAY_OUT ? "out" : "in");
        (void)snprintf(number.name, sizeof number.name, "%s_frame", way == WAY_OUT ? "out" : "in");
        choose(vcd, patterns, NULL, &busy);
        choose(vcd, patterns, NULL, &number);
    }
    for (unsigned offset = 0; offset < TIGON_REGISTER_BYTES; offset += 4) {
        struct variable variable = {KIND_REGISTER, offset, 32, index, 0, ""};
        if (!tigon_register_shows_state(offset))
            continue;
        variable.value = tigon_register_read(board, offset);
        (void)snprintf(variable.name, sizeof variable.name, "hw_%03x", offset);
        choose(vcd, patterns, "hw_", &variable);
    }
    for (unsigned core = 0; core < 2; core++) {
        struct variable variable = {KIND_FUNCTION, core, 32, index, UNKNOWN, ""};
        (void)snprintf(variable.name, sizeof variable.name, "function_%c", 'a' + (int)core);
        choose(vcd, patterns, "function", &variable);
    }
}

/* Whether each pattern selected something; if not, returns the first that did not. */
static bool all_fit(const struct tigon_vcd *vcd, const struct tigon_vcd_options *options) {
    const char *at = options->patterns ? options->patterns : "*";
    bool any = false;
    while (*at) {
        const size_t length = strcspn(at, ",");
        char pattern[128], full[80];
        bool fits = length == 0;
        (void)snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        for (size_t i = 0; i < vcd->count && !fits; i++) {
            const struct variable *variable = &vcd->variables[i];
            (void)snprintf(full, sizeof full, "%s.%s",
                           tigon_board_name(tigon_world_board(vcd->world, variable->board)),
                           variable->name);
            fits = tigon_describe_matches(pattern, full, NULL);
        }
        if (!fits) {
            if (options->unfit)
                (void)snprintf(options->unfit, options->unfit_bytes, "%s", pattern);
            return false;
        }
        any |= length != 0;
        at += length + (at[length] == ',');
    }
    return any;
}

bool tigon_vcd_wants_functions(const char *patterns) {
    return patterns && strstr(patterns, "function") != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Life */

static void discard(struct tigon_vcd *vcd) {
    tigon_world_detach(vcd->world, vcd);
    if (vcd->file)
        (void)fclose(vcd->file);
    tigon_reorder_free(vcd->reorder);
    free(vcd->followers);
    free(vcd->variables);
    free(vcd);
}

static int follow(struct tigon_vcd *vcd, const struct tigon_vcd_options *options) {
    vcd->boards = tigon_world_board_count(vcd->world);
    vcd->followers = calloc(vcd->boards ? vcd->boards : 1, sizeof *vcd->followers);
    if (!vcd->followers)
        return -ENOMEM;
    for (size_t i = 0; i < vcd->boards && options->executions; i++) {
        struct follower *follower = &vcd->followers[i];
        const struct tigon_board *board = tigon_world_board(vcd->world, i);
        const struct tigon_execution_listener listener = {
            .context = follower, .enter = see_enter, .leave = see_leave};
        follower->vcd = vcd;
        follower->execution = options->executions[i];
        for (unsigned core = 0; core < 2; core++)
            follower->function[core] = find(vcd, board, KIND_FUNCTION, core);
        if (!options->executions[i] ||
            (follower->function[0] == UINT32_MAX && follower->function[1] == UINT32_MAX))
            continue;
        const int error = tigon_execution_listen(options->executions[i], &listener);
        if (error)
            return error;
    }
    return 0;
}

int tigon_vcd_start(struct tigon_vcd **vcd, struct tigon_world *world,
                    const struct tigon_vcd_options *options) {
    struct tigon_vcd *result = calloc(1, sizeof *result);
    if (!result)
        return -ENOMEM;
    bool samples = false;
    int error = 0;
    result->world = world;
    for (size_t i = 0; i < tigon_world_board_count(world); i++)
        choose_of_board(result, options->patterns ? options->patterns : "*", i);
    for (size_t i = 0; i < result->count; i++)
        samples = samples || result->variables[i].kind == KIND_GAUGE ||
                  result->variables[i].kind == KIND_REGISTER;
    const struct tigon_observer observer = {.context = result,
                                            .signal = see_signal,
                                            .frame = see_frame,
                                            .changed = samples ? see_changed : NULL};
    if (result->error || !all_fit(result, options))
        error = result->error ? result->error : -ENOENT;
    else if ((result->file = fopen(options->path, "w")) == NULL)
        error = -errno;
    else if ((result->reorder = tigon_reorder_create(tigon_describe_frame_horizon(), write_change,
                                                     result)) == NULL)
        error = -ENOMEM;
    if (!error)
        error = follow(result, options);
    if (!error)
        error = tigon_world_attach(world, &observer);
    if (error) {
        discard(result);
        return error;
    }
    write_header(result);
    *vcd = result;
    return 0;
}

int tigon_vcd_end(struct tigon_vcd *vcd) {
    if (!vcd)
        return 0;
    tigon_reorder_flush(vcd->reorder);
    const uint64_t now = tigon_ps_from_ticks(tigon_world_now_ticks(vcd->world));
    if (now > vcd->written_ps)
        write_time(vcd, now);
    int error = vcd->error;
    if (!error && ferror(vcd->file))
        error = -EIO;
    if (fclose(vcd->file) != 0 && !error)
        error = errno ? -errno : -EIO;
    vcd->file = NULL;
    discard(vcd);
    return error;
}
