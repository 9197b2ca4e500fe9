/* SPDX-License-Identifier: MIT */
/* A report as text, from its value alone. */
#include <string.h>

#include "sim/debug/report.h"

static const char *text_of(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static const char *text_or(const cJSON *object, const char *name, const char *other) {
    const char *text = text_of(object, name);
    return text ? text : other;
}

static double number_of(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const cJSON *member(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* "one, two" of a list of texts. */
static void print_list(const cJSON *list, const char *none, FILE *out) {
    const cJSON *item;
    const char *between = "";
    cJSON_ArrayForEach(item, list) {
        (void)fprintf(out, "%s%s", between, item->valuestring);
        between = ", ";
    }
    if (!*between)
        (void)fputs(none, out);
}

static void print_place(const cJSON *object, FILE *out) {
    const char *function = text_of(object, "function"), *file = text_of(object, "file");
    if (function)
        (void)fprintf(out, " %s+%.0f", function, number_of(object, "offset"));
    if (file)
        (void)fprintf(out, " (%s:%.0f)", file, number_of(object, "line"));
}

static void print_code(const cJSON *core, FILE *out) {
    const cJSON *line;
    (void)fputs("    code\n", out);
    cJSON_ArrayForEach(line, member(core, "code")) {
        const char *target = text_of(line, "target");
        (void)fprintf(out, "    %s %s  %s  %s", member(line, "here") ? "=>" : "  ",
                      text_or(line, "address", "?") + 2, text_or(line, "word", "?") + 2,
                      text_or(line, "text", "?"));
        if (target)
            (void)fprintf(out, " <%s>", target);
        (void)fputc('\n', out);
    }
}

static void print_backtrace(const cJSON *core, FILE *out) {
    const cJSON *frame;
    int number = 0;
    (void)fputs("    backtrace\n", out);
    cJSON_ArrayForEach(frame, member(core, "backtrace")) {
        (void)fprintf(out, "    #%-2d %s", number++, text_or(frame, "pc", "?") + 2);
        print_place(frame, out);
        (void)fputc('\n', out);
    }
}

static void print_stack(const cJSON *core, FILE *out) {
    const cJSON *word;
    int number = 0;
    (void)fprintf(out, "    stack from %s", text_or(member(core, "registers"), "sp", "?") + 2);
    cJSON_ArrayForEach(word, member(core, "stack"))(void)
        fprintf(out, "%s%s", number++ % 8 == 0 ? "\n      " : " ", word->valuestring + 2);
    (void)fputc('\n', out);
}

static void print_registers(const cJSON *core, FILE *out) {
    const cJSON *each;
    int number = 0;
    cJSON_ArrayForEach(each, member(core, "registers"))(void)
        fprintf(out, "%s%-4s %s%s", number % 4 == 0 ? "    " : "  ", each->string,
                each->valuestring + 2, number % 4 == 3 ? "\n" : ""),
        number++;
}

static void print_core(const cJSON *core, FILE *out) {
    const char *branch = text_of(core, "delay_slot_of_branch_to");
    (void)fprintf(out, "  CPU %s: ", text_or(core, "core", "?"));
    print_list(member(core, "flags"), "running", out);
    (void)fprintf(out, "; pc %s", text_or(core, "pc", "?") + 2);
    print_place(core, out);
    (void)fprintf(out, "; state %s, cycle %.0f, %.0f instructions\n",
                  text_or(core, "state", "?") + 2, number_of(core, "cycle"),
                  number_of(core, "instructions"));
    if (!member(core, "registers"))
        return;
    if (branch)
        (void)fprintf(out, "    in the delay slot of a branch to %s\n", branch + 2);
    print_registers(core, out);
    print_code(core, out);
    print_backtrace(core, out);
    print_stack(core, out);
}

static void print_ring(const char *name, const cJSON *ring, FILE *out) {
    (void)fprintf(out, "%s %.0f/%.0f/%.0f", name, number_of(ring, "producer"),
                  number_of(ring, "consumer"), number_of(ring, "reference"));
}

static void print_engine(const char *name, const cJSON *engine, FILE *out) {
    (void)fprintf(out, "  DMA %s: %s", name, text_or(engine, "phase", "?"));
    if (text_of(engine, "host_address"))
        (void)fprintf(out, ", %.0f bytes, host %s, local %s", number_of(engine, "length"),
                      text_of(engine, "host_address") + 2,
                      text_or(engine, "local_address", "?") + 2);
    (void)fprintf(out, "; state %s; ", text_or(engine, "state", "?") + 2);
    print_ring("high ring", member(engine, "high"), out);
    print_ring(", low", member(engine, "low"), out);
    (void)fputc('\n', out);
}

static void print_devices(const cJSON *board, FILE *out) {
    const cJSON *events = member(board, "events");
    const char *const words[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        const cJSON *word = member(events, words[i]);
        (void)fprintf(out, "  events of %c: %s: ", 'A' + i, text_or(word, "word", "?") + 2);
        print_list(member(word, "pending"), "none", out);
        (void)fputc('\n', out);
    }
    print_engine("read", member(member(board, "dma"), "read"), out);
    print_engine("write", member(member(board, "dma"), "write"), out);
    const cJSON *transmit = member(board, "transmit"), *receive = member(board, "receive");
    (void)fprintf(out, "  transmit: %s; state %s; ",
                  cJSON_IsTrue(member(transmit, "sending")) ? "sending" : "idle",
                  text_or(transmit, "state", "?") + 2);
    print_ring("ring", member(transmit, "ring"), out);
    (void)fprintf(out, "\n  receive: state %s; ", text_or(receive, "state", "?") + 2);
    print_ring("ring", member(receive, "ring"), out);
    (void)fputs("  (rings: producer/consumer/reference)\n", out);
}

static void print_transitions(const cJSON *board, FILE *out) {
    const cJSON *transition;
    if (!member(board, "transitions"))
        return;
    (void)fputs("  last transitions\n", out);
    cJSON_ArrayForEach(transition, member(board, "transitions"))(void)
        fprintf(out, "    %10.0f us  %3.0f %s, instance %.0f\n", number_of(transition, "time_us"),
                number_of(transition, "transition"), text_or(transition, "name", ""),
                number_of(transition, "instance"));
}

static void print_board(const cJSON *board, FILE *out) {
    const cJSON *each;
    (void)fprintf(out, "\n%s\n", text_or(board, "name", "?"));
    cJSON_ArrayForEach(each, member(board, "cores")) print_core(each, out);
    print_devices(board, out);
    if (text_of(board, "stopped"))
        (void)fprintf(out, "  stopped itself: %s\n", text_of(board, "stopped"));
    print_transitions(board, out);
    cJSON_ArrayForEach(each, member(board, "programs"))(void)
        fprintf(out, "  %s\n", each->valuestring);
}

static void print_frame(const cJSON *frame, FILE *out) {
    const char *bytes = text_or(frame, "bytes", "");
    (void)fprintf(out, "  %10.0f ns  %s #%.0f, %.0f bytes, %s\n    ", number_of(frame, "time_ns"),
                  text_or(frame, "from", "?"), number_of(frame, "index"),
                  number_of(frame, "length"), text_or(frame, "fate", "?"));
    for (size_t i = 0; bytes[i]; i++)
        (void)fprintf(out, i % 8 == 0 && i ? " %c" : "%c", bytes[i]);
    (void)fputc('\n', out);
}

void tigon_report_print(const cJSON *report, FILE *out) {
    const cJSON *each;
    (void)fprintf(out, "%s at %.0f ns\n", text_or(report, "reason", "?"),
                  number_of(report, "time_ns"));
    cJSON_ArrayForEach(each, member(report, "boards")) print_board(each, out);
    if (cJSON_GetArraySize(member(report, "frames")) > 0)
        (void)fputs("\nlast frames\n", out);
    cJSON_ArrayForEach(each, member(report, "frames")) print_frame(each, out);
}
