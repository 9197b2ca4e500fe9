/* SPDX-License-Identifier: MIT */
/*
 * A profile in the format of callgrind: costs of each instruction under its function, then the
 * calls out of the function by site. https://valgrind.org/docs/manual/cl-format.html
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/observe/profile_private.h"

/* The output file, and the names of source files that apply at this place. */
struct writer {
    FILE *stream;
    const char *board;
    unsigned number; /* of the core */
    const struct tigon_profile_core *core;
    const struct tigon_symbols *symbols;
    const char *file;
};

/* Orders calls by caller, call site and callee; for qsort, which passes no context. */
struct call_key {
    size_t caller;
    uint32_t site;
    size_t callee;
    uint32_t node;
};

struct place_key {
    size_t function;
    uint32_t word;
};

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int by_call(const void *left, const void *right) {
    const struct call_key *a = left, *b = right;
    int order = compare(a->caller, b->caller);
    order = order ? order : compare(a->site, b->site);
    order = order ? order : compare(a->callee, b->callee);
    return order ? order : compare(a->node, b->node);
}

static int by_place(const void *left, const void *right) {
    const struct place_key *a = left, *b = right;
    const int order = compare(a->function, b->function);
    return order ? order : compare(a->word, b->word);
}

static void write_cost(FILE *stream, const struct tigon_cost *cost) {
    (void)fprintf(stream, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                  tigon_cost_busy(cost), cost->instructions, cost->stalls, cost->idle);
}

/* File and line of an instruction, "?" and 0 when unknown. */
static unsigned line_of(const struct writer *writer, uint32_t address, const char **file) {
    unsigned line = 0;
    *file = "?";
    if (writer->symbols)
        (void)tigon_symbols_line(writer->symbols, address, file, &line);
    return line;
}

static void write_place(struct writer *writer, uint32_t address) {
    const char *file;
    const unsigned line = line_of(writer, address, &file);
    if (strcmp(file, writer->file) != 0) { /* a line of a function dissolved into this one */
        (void)fprintf(writer->stream, "fi=%s\n", file);
        writer->file = file;
    }
    (void)fprintf(writer->stream, "0x%x %u", address, line);
}

/* Calls with the same caller, site and callee are one, whatever led to the caller. */
static void write_calls(struct writer *writer, const struct call_key *keys, size_t count) {
    for (size_t i = 0; i < count;) {
        const struct call_key *key = &keys[i];
        const struct tigon_executed *callee = writer->core->nodes[key->node].function;
        struct tigon_cost inclusive = {0};
        uint64_t calls = 0;
        const char *file;
        for (; i < count && keys[i].site == key->site && keys[i].callee == key->callee; i++) {
            calls += writer->core->nodes[keys[i].node].calls;
            tigon_cost_add(&inclusive, &writer->core->nodes[keys[i].node].inclusive);
        }
        const unsigned line = line_of(writer, callee->start, &file);
        (void)fprintf(writer->stream, "cfi=%s\ncfn=%s.%c:%s\ncalls=%" PRIu64 " 0x%x %u\n", file,
                      writer->board, 'A' + (int)writer->number, callee->name, calls, callee->start,
                      line);
        write_place(writer, key->site);
        write_cost(writer->stream, &inclusive);
    }
}

static size_t collect_calls(const struct tigon_profile_core *core, struct call_key *keys) {
    size_t count = 0;
    for (uint32_t i = 1; i < core->count; i++) {
        const struct tigon_profile_node *node = &core->nodes[i];
        if (node->parent && node->inclusive.cycles)
            keys[count++] = (struct call_key){core->nodes[node->parent].function->index, node->site,
                                              node->function->index, i};
    }
    qsort(keys, count, sizeof *keys, by_call);
    return count;
}

/* Returns how many there are; writes them when `keys` is not NULL. */
static size_t collect_places(const struct tigon_profile_core *core, struct place_key *keys) {
    size_t count = 0;
    for (uint32_t word = 0; word < TIGON_EXECUTION_WORDS; word++)
        if (core->places[word].function) {
            if (keys)
                keys[count] = (struct place_key){core->places[word].function->index, word};
            count++;
        }
    if (keys)
        qsort(keys, count, sizeof *keys, by_place);
    return count;
}

static void write_functions(struct writer *writer, const struct place_key *places,
                            size_t place_count, const struct call_key *calls, size_t call_count) {
    const struct tigon_profile_core *core = writer->core;
    for (size_t i = 0; i < place_count;) {
        const size_t index = places[i].function;
        const struct tigon_executed *function = core->places[places[i].word].function;
        (void)line_of(writer, function->start, &writer->file);
        (void)fprintf(writer->stream, "\nfl=%s\nfn=%s.%c:%s\n", writer->file, writer->board,
                      'A' + (int)writer->number, function->name);
        for (; i < place_count && places[i].function == index; i++) {
            write_place(writer, core->addresses[places[i].word]);
            write_cost(writer->stream, &core->places[places[i].word].cost);
        }
        size_t first = 0, end;
        while (first < call_count && calls[first].caller < index)
            first++;
        for (end = first; end < call_count && calls[end].caller == index;)
            end++;
        write_calls(writer, calls + first, end - first);
    }
}

static void write_core(struct writer *writer) {
    const struct tigon_profile_core *core = writer->core;
    const size_t room = collect_places(core, NULL);
    struct call_key *calls = calloc(core->count, sizeof *calls);
    struct place_key *places = calloc(room ? room : 1, sizeof *places);
    if (calls && places) {
        const size_t call_count = collect_calls(core, calls);
        const size_t place_count = collect_places(core, places);
        write_functions(writer, places, place_count, calls, call_count);
    }
    free(calls);
    free(places);
}

void tigon_profile_write_callgrind(struct tigon_profile *const *profiles, const char *const *boards,
                                   size_t count, FILE *stream) {
    struct tigon_cost all = {0};
    for (size_t i = 0; i < count; i++)
        for (unsigned number = 0; profiles[i] && number < TIGON_PROFILE_CORES; number++) {
            tigon_profile_sum_up(&profiles[i]->core[number]);
            tigon_cost_add(&all, &profiles[i]->core[number].nodes[0].inclusive);
        }
    (void)fprintf(stream, "# callgrind format\nversion: 1\ncreator: tigonsim\n"
                          "cmd: firmware of simulated Tigon2 boards\npositions: instr line\n"
                          "event: Cycles : busy cycles\nevent: Ir : instructions\n"
                          "event: Stalls : stalls, of the busy cycles\n"
                          "event: Idle : cycles of polling without effect\n"
                          "events: Cycles Ir Stalls Idle\nsummary:");
    write_cost(stream, &all);
    for (size_t i = 0; i < count; i++)
        for (unsigned number = 0; profiles[i] && number < TIGON_PROFILE_CORES; number++) {
            struct writer writer = {
                .stream = stream,
                .board = boards[i],
                .number = number,
                .core = &profiles[i]->core[number],
                .symbols = tigon_execution_symbols_of(profiles[i]->execution, number),
                .file = "?",
            };
            write_core(&writer);
        }
}
