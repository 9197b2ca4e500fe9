/* SPDX-License-Identifier: MIT */
#include "sim/command/outcome.h"

#include "sim/command/inspect.h"
#include "sim/command/statistics.h"
#include "sim/chip/board.h"
#include "sim/network/switch.h"
#include "sim/world/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static void problem(struct outcome *outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void problem(struct outcome *outcome, const char *format, ...) {
    va_list arguments;
    if (outcome->problem_count == OUTCOME_PROBLEMS)
        return;
    va_start(arguments, format);
    (void)vsnprintf(outcome->problems[outcome->problem_count++], OUTCOME_PROBLEM_BYTES, format,
                    arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------------------------------------
 * How it ended */

static enum scenario_ending ending_of(const struct setup *setup, enum tigon_end end,
                                      const struct watcher *watcher) {
    static const enum scenario_ending of_stop[] = {SCENARIO_ENDING_SYMBOL, SCENARIO_ENDING_WORD,
                                                   SCENARIO_ENDING_SIGNAL};
    const struct scenario_stop *stop = watcher_reason(watcher);
    if (end == TIGON_END_FAULT)
        return SCENARIO_ENDING_FAULT;
    if (setup->failed)
        return SCENARIO_ENDING_FAILURE;
    if (stop)
        return of_stop[stop->kind];
    if (setup->scenario->stop_with_programs && setup->programs_left == 0)
        return SCENARIO_ENDING_PROGRAMS;
    return end == TIGON_END_ASLEEP       ? SCENARIO_ENDING_ASLEEP
           : end == TIGON_END_TIME_LIMIT ? SCENARIO_ENDING_TIME
                                         : SCENARIO_ENDING_STOPPED;
}

static void describe_reason(struct outcome *outcome, const struct setup *setup,
                            const struct watcher *watcher, const char *path) {
    const struct scenario_stop *stop = watcher_reason(watcher);
    unsigned core;
    const struct tigon_board *faulted = tigon_world_faulted(setup->world, &core);
    if (outcome->ending == SCENARIO_ENDING_FAULT && faulted) {
        char why[TIGON_FAULT_TEXT_BYTES];
        tigon_cpu_explain_fault(&faulted->cpu[core], why);
        (void)snprintf(outcome->reason, sizeof outcome->reason, "%s, core %c: %s",
                       tigon_board_name(faulted), 'A' + (int)core, why);
    }
    for (size_t i = 0; i < setup->scenario->board_count; i++)
        if (setup->boards[i].failed)
            (void)snprintf(outcome->reason, sizeof outcome->reason, "board %s: %.200s",
                           setup->scenario->boards[i].name, setup->boards[i].problem);
    if (stop && outcome->ending != SCENARIO_ENDING_FAILURE &&
        outcome->ending != SCENARIO_ENDING_FAULT)
        (void)snprintf(outcome->reason, sizeof outcome->reason, "condition of %.150s:%u", path,
                       stop->line);
}

static void check_programs(struct outcome *outcome, const struct setup *setup) {
    const struct scenario *scenario = setup->scenario;
    for (size_t i = 0; i < scenario->program_count; i++) {
        const struct setup_program *program = &setup->programs[i];
        const struct scenario_program *from = &scenario->programs[i];
        if (program->finished && program->result != from->expect)
            problem(outcome, "program %s on board %s returned %d (%s), expected %" PRId64,
                    from->name, scenario->boards[from->board].name, program->result,
                    program->result < 0 ? strerror(-program->result) : "its own meaning",
                    from->expect);
        if (!program->finished && scenario->stop_with_programs &&
            outcome->ending == SCENARIO_ENDING_TIME && scenario->ending < 0)
            problem(outcome, "program %s on board %s had not finished in time", from->name,
                    scenario->boards[from->board].name);
    }
}

static void check_expectations(struct outcome *outcome, const struct setup *setup,
                               const char *path) {
    const struct scenario *scenario = setup->scenario;
    for (size_t i = 0; i < scenario->expect_count; i++) {
        const struct scenario_expect *expect = &scenario->expects[i];
        struct tigon_board *board = setup->boards[expect->board].board;
        struct tigon_statistics statistics;
        uint64_t value;
        char what[80];
        tigon_board_statistics(board, &statistics);
        if (expect->kind == SCENARIO_EXPECT_STATISTIC) {
            value = statistics_value(&statistics, expect->statistic);
            (void)snprintf(what, sizeof what, "%s", expect->statistic);
        } else {
            value = tigon_board_peek32(board, expect->address) & expect->mask;
            (void)snprintf(what, sizeof what, "the word at 0x%05" PRIX32, expect->address);
        }
        if (value >= expect->least && value <= expect->most)
            continue;
        if (expect->least == expect->most)
            problem(outcome, "%s:%u: %s of board %s is %" PRIu64 ", expected %" PRIu64, path,
                    expect->line, what, scenario->boards[expect->board].name, value, expect->least);
        else if (expect->most == UINT64_MAX)
            problem(outcome, "%s:%u: %s of board %s is %" PRIu64 ", expected at least %" PRIu64,
                    path, expect->line, what, scenario->boards[expect->board].name, value,
                    expect->least);
        else
            problem(outcome,
                    "%s:%u: %s of board %s is %" PRIu64 ", expected %" PRIu64 " to %" PRIu64, path,
                    expect->line, what, scenario->boards[expect->board].name, value, expect->least,
                    expect->most);
    }
}

void outcome_decide(struct outcome *outcome, const struct setup *setup, enum tigon_end end,
                    const struct watcher *watcher, const char *path) {
    const struct scenario *scenario = setup->scenario;
    *outcome = (struct outcome){.ending = ending_of(setup, end, watcher),
                                .ns = tigon_ns_from_ticks(tigon_world_reached_ticks(setup->world))};
    describe_reason(outcome, setup, watcher, path);
    if (scenario->ending >= 0 && outcome->ending != (enum scenario_ending)scenario->ending)
        problem(outcome, "the run ended by %s%s%s%s, expected %s",
                scenario_ending_names[outcome->ending], outcome->reason[0] ? " (" : "",
                outcome->reason, outcome->reason[0] ? ")" : "",
                scenario_ending_names[scenario->ending]);
    else if (scenario->ending < 0 && outcome->ending == SCENARIO_ENDING_FAULT)
        problem(outcome, "a core stopped on an error: %s", outcome->reason);
    else if (scenario->ending < 0 && outcome->ending == SCENARIO_ENDING_ASLEEP)
        problem(outcome, "everything is asleep: nothing would ever happen again");
    else if (scenario->ending < 0 && outcome->reason[0] &&
             outcome->ending == SCENARIO_ENDING_FAILURE)
        problem(outcome, "%s", outcome->reason);
    check_programs(outcome, setup);
    check_expectations(outcome, setup, path);
}

/* ------------------------------------------------------------------------------------------------
 * JSON */

static cJSON *board_json(const struct setup_board *board, const struct watcher *watcher,
                         size_t index) {
    struct tigon_statistics statistics;
    uint8_t address[6];
    char text[18];
    cJSON *object = cJSON_CreateObject();
    tigon_board_mac_address(board->board, address);
    (void)snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", address[0], address[1],
                   address[2], address[3], address[4], address[5]);
    cJSON_AddStringToObject(object, "name", board->scenario->name);
    cJSON_AddStringToObject(object, "mac_address", text);
    if (board->image.version[0])
        cJSON_AddStringToObject(object, "image_version", board->image.version);
    tigon_board_statistics(board->board, &statistics);
    cJSON_AddItemToObject(object, "statistics", statistics_json(&statistics));
    if (board->figures)
        cJSON_AddItemToObject(object, "figures", cJSON_Duplicate(board->figures, true));
    if (board->scenario->watch_count)
        cJSON_AddItemToObject(object, "watch", watcher_json(watcher, index));
    inspect_json(board, object);
    return object;
}

static cJSON *wire_json(struct tigon_wire *wire) {
    cJSON *directions = cJSON_CreateArray();
    for (unsigned side = 0; side < 2; side++) {
        struct tigon_wire_statistics statistics;
        tigon_wire_statistics(wire, side, &statistics);
        cJSON *direction = statistics_wire_json(&statistics);
        cJSON_AddStringToObject(direction, "from", tigon_wire_end_name(wire, side));
        cJSON_AddStringToObject(direction, "to", tigon_wire_end_name(wire, 1 - side));
        cJSON_AddItemToArray(directions, direction);
    }
    return directions;
}

static cJSON *switch_json(struct tigon_switch *box) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", tigon_switch_name(box));
    cJSON_AddNumberToObject(object, "addresses", (double)tigon_switch_addresses(box));
    cJSON *ports = cJSON_AddArrayToObject(object, "ports");
    for (unsigned i = 0; i < tigon_switch_ports(box); i++) {
        struct tigon_switch_statistics statistics;
        cJSON *port = cJSON_CreateObject();
        tigon_switch_statistics(box, i, &statistics);
        cJSON_AddBoolToObject(port, "up", tigon_switch_port_up(box, i));
        cJSON_AddNumberToObject(port, "received", (double)statistics.received);
        cJSON_AddNumberToObject(port, "sent", (double)statistics.sent);
        cJSON_AddNumberToObject(port, "flooded", (double)statistics.flooded);
        cJSON_AddNumberToObject(port, "filtered", (double)statistics.filtered);
        cJSON_AddNumberToObject(port, "damaged", (double)statistics.damaged);
        cJSON_AddNumberToObject(port, "dropped_full", (double)statistics.dropped_full);
        cJSON_AddNumberToObject(port, "dropped_down", (double)statistics.dropped_down);
        cJSON_AddNumberToObject(port, "queue_bytes_most", (double)statistics.queue_bytes_most);
        cJSON_AddItemToArray(ports, port);
    }
    return object;
}

static cJSON *program_json(const struct setup_program *program, const struct scenario *scenario) {
    const struct scenario_program *from = program->program.scenario;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", from->name);
    cJSON_AddStringToObject(object, "board", scenario->boards[from->board].name);
    cJSON_AddBoolToObject(object, "finished", program->finished);
    if (program->finished) {
        cJSON_AddNumberToObject(object, "result", program->result);
        cJSON_AddNumberToObject(object, "end_ns", (double)program->end_ns);
    }
    return object;
}

static cJSON *faults_json(const struct tigon_world *world) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < tigon_world_fault_count(world); i++) {
        uint64_t hits = 0;
        char text[256];
        (void)tigon_fault_print(tigon_world_fault(world, i, &hits), text, sizeof text);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "fault", text);
        cJSON_AddNumberToObject(object, "hits", (double)hits);
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

void outcome_json(const struct outcome *outcome, const struct setup *setup,
                  const struct watcher *watcher, cJSON *result) {
    const struct scenario *scenario = setup->scenario;
    cJSON_AddStringToObject(result, "title", scenario->title);
    cJSON_AddNumberToObject(result, "seed", (double)scenario->seed);
    cJSON_AddStringToObject(result, "end", scenario_ending_names[outcome->ending]);
    cJSON_AddStringToObject(result, "reason", outcome->reason);
    cJSON_AddNumberToObject(result, "time_ns", (double)outcome->ns);
    cJSON_AddBoolToObject(result, "as_expected", outcome->problem_count == 0);
    cJSON *problems = cJSON_AddArrayToObject(result, "problems");
    for (size_t i = 0; i < outcome->problem_count; i++)
        cJSON_AddItemToArray(problems, cJSON_CreateString(outcome->problems[i]));
    if (outcome->ending == SCENARIO_ENDING_FAULT || outcome->ending == SCENARIO_ENDING_ASLEEP)
        cJSON_AddStringToObject(result, "report", tigon_world_report(setup->world));
    cJSON *programs = cJSON_AddArrayToObject(result, "programs");
    for (size_t i = 0; i < scenario->program_count; i++)
        cJSON_AddItemToArray(programs, program_json(&setup->programs[i], scenario));
    cJSON *boards = cJSON_AddArrayToObject(result, "boards");
    for (size_t i = 0; i < scenario->board_count; i++)
        cJSON_AddItemToArray(boards, board_json(&setup->boards[i], watcher, i));
    cJSON *wires = cJSON_AddArrayToObject(result, "wires");
    for (size_t i = 0; i < scenario->wire_count; i++)
        cJSON_AddItemToArray(wires, wire_json(setup->wires[i]));
    cJSON *switches = cJSON_AddArrayToObject(result, "switches");
    for (size_t i = 0; i < scenario->switch_count; i++)
        cJSON_AddItemToArray(switches, switch_json(setup->switches[i]));
    cJSON_AddItemToObject(result, "faults", faults_json(setup->world));
}

/* ------------------------------------------------------------------------------------------------
 * Tables */

static uint64_t drops(const struct tigon_statistics *statistics) {
    return statistics->dropped_disabled + statistics->dropped_unicast +
           statistics->dropped_multicast + statistics->dropped_pause +
           statistics->dropped_no_buffer + statistics->dropped_no_descriptor;
}

static double share(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *condition(const struct tigon_cpu *cpu) {
    return (cpu->state & TIGON_CPU_STATE_FAULTS)          ? "stopped on an error at"
           : (cpu->state & TIGON_CPU_STATE_HALT_EXECUTED) ? "HALT at"
           : tigon_cpu_stopped(cpu)                       ? "halted at"
                                                          : "runs, at";
}

/* The place of a core at the end, as if none had ever been parked. */
static void print_place(const struct tigon_board *board, unsigned core, FILE *stream) {
    struct tigon_cpu cpu;
    struct tigon_bus bus;
    tigon_cpu_show(&board->cpu[core], tigon_cycle_at_or_after(tigon_world_now_ticks(board->world)),
                   &cpu, &bus);
    (void)fprintf(stream, "; %s %08" PRIX32 "\n", condition(&cpu), cpu.pc);
}

static void print_board(const struct setup_board *board, FILE *stream) {
    struct tigon_statistics statistics;
    tigon_board_statistics(board->board, &statistics);
    (void)fprintf(stream, "\nboard %s%s%s\n", board->scenario->name,
                  board->image.version[0] ? ", image " : "", board->image.version);
    for (unsigned core = 0; core < 2; core++) {
        const struct tigon_core_statistics *c = &statistics.core[core];
        if (c->cycles == 0)
            continue;
        (void)fprintf(stream,
                      "  core %c     %12" PRIu64 " instructions, %" PRIu64
                      " cycles: %.1f %% parked, %.1f %% stalls",
                      'A' + (int)core, c->instructions, c->cycles,
                      share(c->parked_cycles, c->cycles), share(c->stall_cycles, c->cycles));
        print_place(board->board, core, stream);
        if (c->locks_taken != 0)
            (void)fprintf(stream,
                          "  lock %c     %12" PRIu64 " times taken, %" PRIu64 " after a wait, %.1f"
                          " cycles on average; %" PRIu64 " software events, %.1f %% SRAM waits\n",
                          'A' + (int)core, c->locks_taken, c->lock_waits,
                          c->lock_waits ? (double)c->lock_wait_cycles / (double)c->lock_waits : 0.0,
                          c->software_events, share(c->sram_wait_cycles, c->cycles));
    }
    const struct tigon_dma_statistics *engines[] = {&statistics.dma_read, &statistics.dma_write};
    for (unsigned i = 0; i < 2; i++)
        (void)fprintf(stream,
                      "  DMA %-5s  %12" PRIu64 " transfers, %" PRIu64 " bytes, %.3f ms busy, "
                      "%" PRIu64 " errors\n",
                      i ? "write" : "read", engines[i]->transfers, engines[i]->bytes,
                      (double)engines[i]->busy_ns / 1e6, engines[i]->errors);
    (void)fprintf(stream,
                  "  frames     %12" PRIu64 " sent, %" PRIu64 " received (%" PRIu64
                  " with CRC errors), %" PRIu64 " dropped\n",
                  statistics.transmit_frames, statistics.receive_frames,
                  statistics.receive_crc_errors, drops(&statistics));
    (void)fprintf(stream,
                  "  host       %12" PRIu64 " register reads, %" PRIu64 " writes, %" PRIu64
                  " mailboxes, %" PRIu64 " interrupts\n",
                  statistics.host_register_reads, statistics.host_register_writes,
                  statistics.mailbox_writes, statistics.host_interrupts);
    if (statistics.unknown_registers)
        (void)fprintf(stream, "  odd        %12" PRIu64 " accesses to registers nobody knows\n",
                      statistics.unknown_registers);
    if (board->board->messages)
        (void)fprintf(
            stream, "  messages   %12" PRIu64 " about odd behaviour; --log=-:message shows them\n",
            board->board->messages);
    const cJSON *figure;
    cJSON_ArrayForEach(figure, board->figures)(void)
        fprintf(stream, "  %-28s %.10g\n", figure->string, figure->valuedouble);
}

static void print_wire(struct tigon_wire *wire, FILE *stream) {
    for (unsigned side = 0; side < 2; side++) {
        struct tigon_wire_statistics s;
        tigon_wire_statistics(wire, side, &s);
        (void)fprintf(stream,
                      "  %s -> %s: %" PRIu64 " frames, %" PRIu64 " delivered, %" PRIu64
                      " lost, %" PRIu64 " cut, %" PRIu64 " duplicated, %" PRIu64 " late, %" PRIu64
                      " damaged\n",
                      tigon_wire_end_name(wire, side), tigon_wire_end_name(wire, 1 - side),
                      s.frames, s.delivered, s.lost, s.cut, s.duplicated, s.delayed + s.reordered,
                      s.corrupted_visible + s.corrupted_silent + s.truncated + s.lengthened);
    }
}

static void print_switch(struct tigon_switch *box, FILE *stream) {
    for (unsigned i = 0; i < tigon_switch_ports(box); i++) {
        struct tigon_switch_statistics s;
        const bool up = tigon_switch_port_up(box, i);
        tigon_switch_statistics(box, i, &s);
        if (up || !tigon_switch_port_free(box, i))
            (void)fprintf(stream,
                          "  %s:%u: %" PRIu64 " received, %" PRIu64 " sent, %" PRIu64
                          " flooded, %" PRIu64 " dropped, queue at most %" PRIu64 " bytes%s\n",
                          tigon_switch_name(box), i, s.received, s.sent, s.flooded,
                          s.dropped_full + s.dropped_down, s.queue_bytes_most,
                          up ? "" : "; not up at the end");
    }
}

static void print_program(const struct setup_program *program, const struct scenario *scenario,
                          FILE *stream) {
    const struct scenario_program *from = program->program.scenario;
    (void)fprintf(stream, "  %s on %s: ", from->name, scenario->boards[from->board].name);
    if (program->finished)
        (void)fprintf(stream, "returned %d at %.3f us\n", program->result,
                      (double)program->end_ns / 1e3);
    else
        (void)fputs(program->started ? "still running\n" : "not started\n", stream);
}

void outcome_print(const struct outcome *outcome, const struct setup *setup, double real_s,
                   FILE *stream) {
    static const char *const sentences[SCENARIO_ENDING_COUNT] = {
        "all programs finished",
        "the time was up",
        "a symbol was reached",
        "a word had the value to stop at",
        "a signal had the value to stop at",
        "a core stopped on an error",
        "everything is asleep",
        "something failed",
        "stopped"};
    const struct scenario *scenario = setup->scenario;
    const double simulated_s = (double)outcome->ns / 1e9;
    (void)fprintf(stream, "%s: %s%s%s%s after %.3f us", scenario->title, sentences[outcome->ending],
                  outcome->reason[0] ? " (" : "", outcome->reason, outcome->reason[0] ? ")" : "",
                  (double)outcome->ns / 1e3);
    if (simulated_s > 0 && real_s > 0)
        (void)fprintf(stream, "; %.2f s here, 1 : %.0f", real_s, real_s / simulated_s);
    (void)fputc('\n', stream);
    for (size_t i = 0; i < scenario->board_count; i++)
        print_board(&setup->boards[i], stream);
    if (scenario->wire_count)
        (void)fputs("\nwires\n", stream);
    for (size_t i = 0; i < scenario->wire_count; i++)
        print_wire(setup->wires[i], stream);
    if (scenario->switch_count)
        (void)fputs("\nswitches\n", stream);
    for (size_t i = 0; i < scenario->switch_count; i++)
        print_switch(setup->switches[i], stream);
    if (scenario->program_count)
        (void)fputs("\nprograms\n", stream);
    for (size_t i = 0; i < scenario->program_count; i++)
        print_program(&setup->programs[i], scenario, stream);
    for (size_t i = 0; i < tigon_world_fault_count(setup->world); i++) {
        uint64_t hits = 0;
        char text[256];
        (void)tigon_fault_print(tigon_world_fault(setup->world, i, &hits), text, sizeof text);
        (void)fprintf(stream, "%s  %s: %" PRIu64 " times\n", i ? "" : "\nfaults\n", text, hits);
    }
    for (size_t i = 0; i < scenario->board_count; i++)
        inspect_print(&setup->boards[i], stream);
}
