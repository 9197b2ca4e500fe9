/* SPDX-License-Identifier: MIT */
/* `monitor` commands: functions for which GDB has no commands of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/debug/debugger_private.h"
#include "sim/debug/report.h"
#include "sim/chip/registers.h"

struct monitor {
    struct tigon_debugger *debugger;
    struct debug_thread *thread;
    FILE *out;
    const char *argument; /* behind the command's name, without spaces around it */
};

static void show_time(struct monitor *monitor) {
    const struct tigon_debugger *debugger = monitor->debugger;
    const uint64_t cycle = monitor->thread->cpu->cycle;
    (void)fprintf(monitor->out,
                  "world %" PRIu64 " ns; board %zu CPU %c: cycle %" PRIu64 ", %" PRIu64
                  " ns, %" PRIu64 " instructions\n",
                  tigon_world_now_ns(debugger->world), tigon_board_index(monitor->thread->board),
                  'A' + (int)monitor->thread->core, cycle,
                  tigon_ns_from_ticks(cycle * TIGON_TICKS_PER_CYCLE),
                  monitor->thread->cpu->statistics.instructions);
}

static void show_registers(struct monitor *monitor) {
    size_t shown = 0;
    for (uint32_t offset = 0; offset < TIGON_REGISTER_BYTES; offset += 4) {
        const struct tigon_register_description *row = tigon_register_describe(offset);
        char number[8];
        (void)snprintf(number, sizeof number, "%03X", offset);
        if (!row || (*monitor->argument && !strcasestr(row->name, monitor->argument) &&
                     strcasecmp(number, monitor->argument) != 0))
            continue;
        const char *part = tigon_register_part(offset);
        (void)fprintf(monitor->out, "HW[%s] %08" PRIX32 "  %s%s%s\n", number,
                      tigon_board_peek_register(monitor->thread->board, offset), row->name,
                      *part ? ", " : "", part);
        shown++;
    }
    if (shown == 0)
        (void)fprintf(monitor->out, "no register has \"%s\" in its name or is HW[%s]\n",
                      monitor->argument, monitor->argument);
}

static void show_statistics(struct monitor *monitor) {
    struct tigon_statistics s;
    tigon_board_statistics(monitor->thread->board, &s);
    for (unsigned core = 0; core < 2; core++)
        (void)fprintf(monitor->out,
                      "CPU %c: %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64
                      " stalled, %" PRIu64 " parked\n",
                      'A' + (int)core, s.core[core].instructions, s.core[core].cycles,
                      s.core[core].stall_cycles, s.core[core].parked_cycles);
    (void)fprintf(monitor->out,
                  "DMA read: %" PRIu64 " transfers, %" PRIu64 " bytes, %" PRIu64 " errors\n"
                  "DMA write: %" PRIu64 " transfers, %" PRIu64 " bytes, %" PRIu64 " errors\n"
                  "sent: %" PRIu64 " frames, %" PRIu64 " bytes\n"
                  "received: %" PRIu64 " frames, %" PRIu64 " bytes, %" PRIu64 " with CRC errors\n",
                  s.dma_read.transfers, s.dma_read.bytes, s.dma_read.errors, s.dma_write.transfers,
                  s.dma_write.bytes, s.dma_write.errors, s.transmit_frames, s.transmit_bytes,
                  s.receive_frames, s.receive_bytes, s.receive_crc_errors);
}

static void show_report(struct monitor *monitor) {
    const struct tigon_reporter *reporter = monitor->debugger->options.reporter;
    if (!reporter) {
        (void)fputs("this program makes no reports\n", monitor->out);
        return;
    }
    cJSON *report = tigon_reporter_report(reporter, "stopped by the debugger");
    char *json = strcmp(monitor->argument, "json") == 0 ? cJSON_Print(report) : NULL;
    if (json)
        (void)fprintf(monitor->out, "%s\n", json);
    else
        tigon_report_print(report, monitor->out);
    cJSON_free(json);
    cJSON_Delete(report);
}

static bool has_history(const struct monitor *monitor) {
    if (debug_history_exists(monitor->debugger))
        return true;
    (void)fputs("this run keeps no history (snapshot limit 0)\n", monitor->out);
    return false;
}

static void make_snapshot(struct monitor *monitor) {
    if (!has_history(monitor))
        return;
    const int number = debug_travel_snapshot(monitor->debugger, true);
    if (number > 0)
        (void)fprintf(monitor->out, "snapshot %d\n", number);
    else if (number < 0)
        monitor->debugger->copied = true;
    else
        (void)fputs("no snapshot: no room for one more\n", monitor->out);
}

static void list_snapshots(struct monitor *monitor) {
    const struct debug_session *session = monitor->debugger->session;
    if (!has_history(monitor))
        return;
    for (unsigned number = 1; number <= session->next_number; number++) {
        const struct debug_slot *slot = debug_history_numbered(monitor->debugger, number);
        if (slot)
            (void)fprintf(monitor->out, "snapshot %u at %" PRIu64 " ns, position %" PRIu64 "%s\n",
                          slot->number, slot->ns, slot->position, slot->kept ? ", kept" : "");
    }
    (void)fprintf(monitor->out, "now at position %" PRIu64 "\n", monitor->debugger->position);
}

static void restore(struct monitor *monitor) {
    char *end;
    const unsigned long number = strtoul(monitor->argument, &end, 10);
    if (!has_history(monitor))
        return;
    struct debug_slot *slot =
        *monitor->argument && *end == 0 && number <= monitor->debugger->session->next_number
            ? debug_history_numbered(monitor->debugger, (unsigned)number)
            : NULL;
    if (!slot) {
        (void)fprintf(monitor->out, "no snapshot \"%s\"; `monitor snapshots` lists them\n",
                      monitor->argument);
        return;
    }
    debug_travel_restore(monitor->debugger, slot);
    (void)fputs("the snapshot has gone\n", monitor->out);
}

static void set_stop_at_end(struct monitor *monitor) {
    bool *on = &monitor->debugger->session->stop_at_end;
    if (strcmp(monitor->argument, "on") == 0 || strcmp(monitor->argument, "off") == 0)
        *on = strcmp(monitor->argument, "on") == 0;
    (void)fprintf(monitor->out, "when all programs have finished the world %s\n",
                  *on ? "stops once more" : "ends");
}

static void help(struct monitor *monitor);

static const struct command {
    const char *name;
    void (*run)(struct monitor *monitor);
    const char *about;
} commands[] = {
    {"help", help, "this list"},
    {"time", show_time, "where world and CPU are"},
    {"registers", show_registers, "[TEXT] chip registers of the board, or those named so"},
    {"statistics", show_statistics, "what the board has counted"},
    {"report", show_report, "[json] everything, as after a crash"},
    {"snapshot", make_snapshot, "keep this moment; prints its number"},
    {"snapshots", list_snapshots, "the moments that are kept"},
    {"restore", restore, "NUMBER go to a snapshot, then: maintenance flush register-cache"},
    {"stop-at-end", set_stop_at_end, "on|off stop when all programs have finished"},
};

static void help(struct monitor *monitor) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        (void)fprintf(monitor->out, "%-12s %s\n", commands[i].name, commands[i].about);
}

char *debug_monitor(struct tigon_debugger *debugger, const char *command) {
    char *text = NULL;
    size_t size = 0;
    char line[512];
    (void)snprintf(line, sizeof line, "%s", command);
    size_t end = strlen(line);
    while (end > 0 && strchr(" \t\n", line[end - 1]))
        line[--end] = 0;
    char *name = line + strspn(line, " \t");
    char *argument = name + strcspn(name, " \t");
    if (*argument)
        *argument++ = 0;
    argument += strspn(argument, " \t");
    struct monitor monitor = {.debugger = debugger,
                              .thread = &debugger->threads[debugger->session->general_thread],
                              .out = open_memstream(&text, &size),
                              .argument = argument};
    if (!monitor.out)
        return NULL;
    bool known = false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands && !known; i++)
        if (strcmp(name, commands[i].name) == 0) {
            known = true;
            commands[i].run(&monitor);
        }
    if (!known)
        (void)fprintf(monitor.out, "no command \"%s\"; `monitor help` lists them\n", name);
    if (fclose(monitor.out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
