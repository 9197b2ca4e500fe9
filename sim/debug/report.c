/* SPDX-License-Identifier: MIT */
/* The state of a world as one value; see report.h. */
#include "sim/debug/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/debug/backtrace.h"
#include "sim/debug/disassemble.h"
#include "sim/debug/report_private.h"
#include "sim/pc/host_cpu.h"
#include "sim/observe/describe.h"
#include "sim/observer.h"
#include "sim/world/world.h"

#define NAME_BYTES      32u
#define CODE_BEFORE     6u /* instructions in front of the program counter */
#define CODE_AFTER      4u
#define BACKTRACE_LIMIT 24u
#define STACK_WORDS     16u
#define FRAME_BYTES     64u

/* The ring of fw-runtime/trace.h: pairs of microseconds, and transition and argument. */
#define TRACE_RING    "nic_trace_ring"
#define TRACE_COUNT   "nic_trace_count"
#define TRACE_ENTRIES 1024u

struct seen_frame {
    const struct tigon_wire *wire;
    unsigned from_side;
    uint64_t time_ns;
    uint64_t index;
    enum tigon_fate fate;
    size_t length;
    uint8_t bytes[FRAME_BYTES];
};

struct tigon_reporter {
    struct tigon_world *world;
    size_t board_count;
    struct firmware {
        struct tigon_symbols *symbols[2]; /* of either core; NULL: none */
        char name[NAME_BYTES];
    } * boards;
    const char *(*transition_name)(size_t board, uint32_t transition);
    bool (*explain_stop)(struct tigon_board *board, char *text, size_t bytes);
    uint64_t frame_count;
    struct seen_frame frames[TIGON_REPORT_FRAMES];
};

static void see_frame(void *context, const struct tigon_frame_view *view, enum tigon_fate fate) {
    struct tigon_reporter *reporter = context;
    struct seen_frame *frame = &reporter->frames[reporter->frame_count++ % TIGON_REPORT_FRAMES];
    *frame = (struct seen_frame){.wire = view->wire,
                                 .from_side = view->from_side,
                                 .time_ns = view->time_ns,
                                 .index = view->index,
                                 .fate = fate,
                                 .length = view->length};
    memcpy(frame->bytes, view->bytes, view->length < FRAME_BYTES ? view->length : FRAME_BYTES);
}

int tigon_reporter_create(struct tigon_reporter **result, struct tigon_world *world) {
    struct tigon_reporter *reporter = calloc(1, sizeof *reporter);
    if (!reporter)
        return -ENOMEM;
    reporter->world = world;
    reporter->board_count = tigon_world_board_count(world);
    reporter->boards = calloc(reporter->board_count + 1, sizeof *reporter->boards);
    const struct tigon_observer observer = {.context = reporter, .frame = see_frame};
    if (!reporter->boards || tigon_world_attach(world, &observer) != 0) {
        free(reporter->boards);
        free(reporter);
        return -ENOMEM;
    }
    for (size_t i = 0; i < reporter->board_count; i++)
        (void)snprintf(reporter->boards[i].name, NAME_BYTES, "board %zu", i);
    *result = reporter;
    return 0;
}

static void free_symbols(struct firmware *firmware) {
    for (unsigned core = 0; core < 2; core++) {
        tigon_symbols_free(firmware->symbols[core]);
        firmware->symbols[core] = NULL;
    }
}

void tigon_reporter_free(struct tigon_reporter *reporter) {
    if (!reporter)
        return;
    tigon_world_detach(reporter->world, reporter);
    for (size_t i = 0; i < reporter->board_count; i++)
        free_symbols(&reporter->boards[i]);
    free(reporter->boards);
    free(reporter);
}

int tigon_reporter_set_image(struct tigon_reporter *reporter, size_t board, const char *path) {
    if (board >= reporter->board_count)
        return -EINVAL;
    struct firmware *firmware = &reporter->boards[board];
    free_symbols(firmware);
    int error = tigon_symbols_load(&firmware->symbols[0], path, 0);
    if (!error)
        error = tigon_symbols_load(&firmware->symbols[1], path, 1);
    return error;
}

void tigon_reporter_set_name(struct tigon_reporter *reporter, size_t board, const char *name) {
    if (board < reporter->board_count)
        (void)snprintf(reporter->boards[board].name, NAME_BYTES, "%s", name);
}

const char *tigon_reporter_name(const struct tigon_reporter *reporter, size_t board) {
    return board < reporter->board_count ? reporter->boards[board].name : "?";
}

void tigon_reporter_set_transition_names(struct tigon_reporter *reporter,
                                         const char *(*name)(size_t board, uint32_t transition)) {
    reporter->transition_name = name;
}

void tigon_reporter_set_stop(struct tigon_reporter *reporter,
                             bool (*explain)(struct tigon_board *board, char *text, size_t bytes)) {
    reporter->explain_stop = explain;
}

/* --- values */

static void __attribute__((format(printf, 3, 4)))
add_text(cJSON *object, const char *name, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)cJSON_AddStringToObject(object, name, text);
}

static void add_hex(cJSON *object, const char *name, uint32_t value) {
    add_text(object, name, "0x%08" PRIX32, value);
}

static void add_number(cJSON *object, const char *name, uint64_t value) {
    (void)cJSON_AddNumberToObject(object, name, (double)value);
}

static cJSON *add_object(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    (void)cJSON_AddItemToArray(array, object);
    return object;
}

/* --- code */

const struct tigon_function *report_function(const struct tigon_symbols *symbols,
                                             uint32_t address) {
    size_t low = 0, high = symbols ? tigon_symbols_count(symbols) : 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct tigon_function *function = tigon_symbols_function(symbols, middle);
        if (address < function->start)
            high = middle;
        else if (address >= function->start + function->bytes)
            low = middle + 1;
        else
            return function;
    }
    return NULL;
}

static uint32_t function_start(const void *context, uint32_t pc) {
    const struct tigon_function *function = report_function(context, pc);
    return function ? function->start : 0;
}

static void add_place(cJSON *object, const struct tigon_symbols *symbols, uint32_t address) {
    const struct tigon_function *function = report_function(symbols, address);
    const char *file;
    unsigned line;
    if (function) {
        (void)cJSON_AddStringToObject(object, "function", function->name);
        add_number(object, "offset", address - function->start);
    }
    if (symbols && tigon_symbols_line(symbols, address, &file, &line)) {
        (void)cJSON_AddStringToObject(object, "file", file);
        add_number(object, "line", line);
    }
}

static void add_code(cJSON *core, const struct tigon_cpu *cpu,
                     const struct tigon_symbols *symbols) {
    cJSON *code = cJSON_AddArrayToObject(core, "code");
    uint32_t address = (cpu->pc & ~3u) - 4u * CODE_BEFORE;
    for (unsigned i = 0; i <= CODE_BEFORE + CODE_AFTER; i++, address += 4) {
        uint8_t bytes[4];
        char text[TIGON_DISASSEMBLY_BYTES];
        uint32_t target;
        if (tigon_memory_debug_read(cpu->memory, cpu->core, address, bytes, 4) != 4)
            continue;
        const uint32_t word = tigon_load_be32(bytes);
        cJSON *line = add_object(code);
        add_hex(line, "address", address);
        add_hex(line, "word", word);
        tigon_disassemble(word, address, text);
        (void)cJSON_AddStringToObject(line, "text", text);
        if (tigon_branch_target(word, address, &target)) {
            const struct tigon_function *function = report_function(symbols, target);
            if (function)
                add_text(line, "target", "%s+%" PRIu32, function->name, target - function->start);
        }
        if (address == (cpu->pc & ~3u))
            (void)cJSON_AddTrueToObject(line, "here");
    }
}

static void add_backtrace(cJSON *core, const struct tigon_cpu *cpu,
                          const struct tigon_symbols *symbols) {
    struct tigon_backtrace_frame frames[BACKTRACE_LIMIT];
    const size_t count =
        tigon_backtrace(cpu, symbols ? function_start : NULL, symbols, frames, BACKTRACE_LIMIT);
    cJSON *list = cJSON_AddArrayToObject(core, "backtrace");
    for (size_t i = 0; i < count; i++) {
        cJSON *frame = add_object(list);
        add_hex(frame, "pc", frames[i].pc);
        add_hex(frame, "sp", frames[i].sp);
        /* A call is two instructions before where it returns to, perhaps in another line. */
        const struct tigon_function *function = report_function(symbols, frames[i].pc);
        const bool call = i > 0 && !(function && function->start == frames[i].pc);
        add_place(frame, symbols, frames[i].pc - (call ? 8u : 0));
    }
}

static void add_stack(cJSON *core, const struct tigon_cpu *cpu) {
    cJSON *stack = cJSON_AddArrayToObject(core, "stack");
    for (unsigned i = 0; i < STACK_WORDS; i++) {
        uint8_t bytes[4];
        char text[16];
        if (tigon_memory_debug_read(cpu->memory, cpu->core, cpu->gpr[29] + 4u * i, bytes, 4) != 4)
            break;
        (void)snprintf(text, sizeof text, "0x%08" PRIX32, tigon_load_be32(bytes));
        (void)cJSON_AddItemToArray(stack, cJSON_CreateString(text));
    }
}

static void add_flags(cJSON *core, const struct tigon_cpu *cpu) {
    cJSON *flags = cJSON_AddArrayToObject(core, "flags");
    uint32_t state = cpu->state;
    for (const char *flag; (flag = tigon_cpu_state_flag(&state)) != NULL;)
        (void)cJSON_AddItemToArray(flags, cJSON_CreateString(flag));
    if (cpu->parked)
        (void)cJSON_AddItemToArray(flags, cJSON_CreateString("polling events"));
}

static void add_core(cJSON *cores, const struct tigon_cpu *reported, uint64_t cycle,
                     const struct tigon_symbols *symbols) {
    cJSON *core = add_object(cores);
    struct tigon_cpu shown;
    struct tigon_bus bus;
    const struct tigon_cpu *cpu = &shown;
    tigon_cpu_show(reported, cycle, &shown, &bus);
    add_text(core, "core", "%c", 'A' + (int)cpu->core);
    add_hex(core, "state", cpu->state);
    add_flags(core, reported);
    add_hex(core, "pc", cpu->pc);
    add_place(core, symbols, cpu->pc);
    add_number(core, "cycle", cpu->cycle);
    add_number(core, "instructions", cpu->statistics.instructions);
    if (cpu->statistics.instructions == 0)
        return; /* never ran: no further lines */
    if (cpu->npc != cpu->pc + 4u)
        add_hex(core, "delay_slot_of_branch_to", cpu->npc);
    cJSON *registers = cJSON_AddObjectToObject(core, "registers");
    for (unsigned i = 0; i < 32; i++)
        add_hex(registers, tigon_cpu_register_name(i), cpu->gpr[i]);
    add_code(core, cpu, symbols);
    add_backtrace(core, cpu, symbols);
    add_stack(core, cpu);
}

/* --- the protocol */

static bool traced_word(struct tigon_board *board, const struct tigon_symbols *symbols,
                        const char *name, uint32_t *address, uint32_t *word) {
    uint8_t bytes[4];
    if (!symbols || !tigon_symbols_value(symbols, name, address) ||
        tigon_memory_debug_read(&board->memory, TIGON_CORE_A, *address, bytes, 4) != 4)
        return false;
    *word = tigon_load_be32(bytes);
    return true;
}

static void add_transitions(cJSON *object, const struct tigon_reporter *reporter,
                            struct tigon_board *board) {
    const struct tigon_symbols *symbols = reporter->boards[board->index].symbols[0];
    uint32_t ring, unused, at, count;
    if (!traced_word(board, symbols, TRACE_RING, &ring, &unused) ||
        !traced_word(board, symbols, TRACE_COUNT, &at, &count))
        return;
    cJSON *list = cJSON_AddArrayToObject(object, "transitions");
    const uint32_t shown = count < TIGON_REPORT_TRANSITIONS ? count : TIGON_REPORT_TRANSITIONS;
    for (uint32_t i = count - shown; i != count; i++) {
        const uint32_t record = ring + 8u * (i % TRACE_ENTRIES);
        const uint32_t word = tigon_board_peek32(board, record + 4);
        const char *name =
            reporter->transition_name ? reporter->transition_name(board->index, word >> 16) : NULL;
        cJSON *transition = add_object(list);
        add_number(transition, "time_us", tigon_board_peek32(board, record));
        add_number(transition, "transition", word >> 16);
        if (name)
            (void)cJSON_AddStringToObject(transition, "name", name);
        add_number(transition, "instance", word & 0xFFFFu);
    }
}

static void add_stop(cJSON *object, const struct tigon_reporter *reporter,
                     struct tigon_board *board) {
    char text[256];
    if (reporter->explain_stop && reporter->explain_stop(board, text, sizeof text))
        (void)cJSON_AddStringToObject(object, "stopped", text);
}

static void add_programs(cJSON *object, const struct tigon_board *board) {
    char text[4096] = "";
    cJSON *list = cJSON_AddArrayToObject(object, "programs");
    if (tigon_host_describe(tigon_board_host(board), text, sizeof text) <= 0)
        return;
    char *rest = text;
    for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(line + strspn(line, " ")));
}

/* --- frames */

static const char *sender(const struct tigon_reporter *reporter, const struct seen_frame *frame) {
    for (size_t i = 0; i < reporter->board_count; i++) {
        const struct tigon_board *board = tigon_world_board(reporter->world, i);
        if (board->wire == frame->wire && board->side == frame->from_side)
            return reporter->boards[i].name;
    }
    return "switch";
}

static void add_frames(cJSON *report, const struct tigon_reporter *reporter) {
    cJSON *list = cJSON_AddArrayToObject(report, "frames");
    const uint64_t shown =
        reporter->frame_count < TIGON_REPORT_FRAMES ? reporter->frame_count : TIGON_REPORT_FRAMES;
    for (uint64_t i = reporter->frame_count - shown; i != reporter->frame_count; i++) {
        const struct seen_frame *seen = &reporter->frames[i % TIGON_REPORT_FRAMES];
        char bytes[2 * FRAME_BYTES + 1];
        cJSON *frame = add_object(list);
        add_number(frame, "time_ns", seen->time_ns);
        (void)cJSON_AddStringToObject(frame, "from", sender(reporter, seen));
        add_number(frame, "index", seen->index);
        add_number(frame, "length", seen->length);
        (void)cJSON_AddStringToObject(frame, "fate", tigon_fate_name(seen->fate));
        for (size_t b = 0; b < FRAME_BYTES && b < seen->length; b++)
            (void)snprintf(bytes + 2 * b, 3, "%02x", seen->bytes[b]);
        (void)cJSON_AddStringToObject(frame, "bytes", seen->length ? bytes : "");
    }
}

/* --- all of it */

cJSON *tigon_reporter_report(const struct tigon_reporter *reporter, const char *reason) {
    cJSON *report = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(report, "reason", reason);
    add_number(report, "time_ns", tigon_ns_from_ticks(tigon_world_reached_ticks(reporter->world)));
    cJSON *boards = cJSON_AddArrayToObject(report, "boards");
    for (size_t i = 0; i < reporter->board_count; i++) {
        struct tigon_board *board = tigon_world_board(reporter->world, i);
        cJSON *object = add_object(boards);
        (void)cJSON_AddStringToObject(object, "name", reporter->boards[i].name);
        cJSON *cores = cJSON_AddArrayToObject(object, "cores");
        for (unsigned core = 0; core < 2; core++)
            add_core(cores, &board->cpu[core],
                     tigon_cycle_at_or_after(tigon_world_now_ticks(reporter->world)),
                     reporter->boards[i].symbols[core]);
        report_add_devices(object, board);
        add_stop(object, reporter, board);
        add_transitions(object, reporter, board);
        add_programs(object, board);
    }
    add_frames(report, reporter);
    return report;
}
