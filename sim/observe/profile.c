/* SPDX-License-Identifier: MIT */
/*
 * Counting: a tree of call chains with own costs, from which everything else is summed up; and own
 * costs by instruction.
 */
#include "sim/observe/profile_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = TIGON_PROFILE_CORES, NODE_LIMIT = 200000, DEPTH_LIMIT = 300 };

/* ------------------------------------------------------------------------------------------------
 * Counting */

static uint32_t child_of(struct tigon_profile_core *core, uint32_t parent,
                         const struct tigon_executed *function, uint32_t site) {
    for (uint32_t at = core->nodes[parent].child; at; at = core->nodes[at].sibling)
        if (core->nodes[at].function == function && core->nodes[at].site == site)
            return at;
    if (core->count == NODE_LIMIT)
        return 0;
    if ((core->count & (core->count - 1)) == 0) {
        struct tigon_profile_node *nodes = realloc(core->nodes, core->count * 2 * sizeof *nodes);
        if (!nodes)
            return 0;
        core->nodes = nodes;
    }
    const uint32_t made = (uint32_t)core->count++;
    core->nodes[made] = (struct tigon_profile_node){
        .function = function, .parent = parent, .sibling = core->nodes[parent].child, .site = site};
    core->nodes[parent].child = made;
    return made;
}

static void enter(void *context, unsigned number, const struct tigon_executed *function,
                  uint32_t site, uint64_t cycle) {
    struct tigon_profile *profile = context;
    struct tigon_profile_core *core = &profile->core[number];
    (void)cycle;
    const uint32_t node = core->uncounted ? 0 : child_of(core, core->current, function, site);
    if (!node) {
        core->uncounted++;
        return;
    }
    core->current = node;
    core->nodes[node].calls++;
}

static void leave(void *context, unsigned number, const struct tigon_executed *function,
                  uint64_t cycle) {
    struct tigon_profile *profile = context;
    struct tigon_profile_core *core = &profile->core[number];
    (void)function;
    (void)cycle;
    if (core->uncounted)
        core->uncounted--;
    else
        core->current = core->nodes[core->current].parent;
}

static void spent(void *context, unsigned number, const struct tigon_executed *function,
                  uint32_t address, const struct tigon_cost *cost) {
    struct tigon_profile *profile = context;
    struct tigon_profile_core *core = &profile->core[number];
    const uint32_t word = tigon_execution_word(address);
    tigon_cost_add(&core->nodes[core->current].own, cost);
    tigon_cost_add(&core->places[word].cost, cost);
    core->places[word].function = function;
    core->addresses[word] = address;
}

int tigon_profile_start(struct tigon_profile **profile, struct tigon_execution *execution) {
    struct tigon_profile *result = calloc(1, sizeof *result);
    const struct tigon_execution_listener listener = {
        .context = result, .enter = enter, .leave = leave, .spent = spent};
    int error = result ? 0 : -ENOMEM;
    for (unsigned number = 0; number < CORES && !error; number++) {
        struct tigon_profile_core *core = &result->core[number];
        core->nodes = calloc(1, sizeof *core->nodes);
        core->places = calloc(TIGON_EXECUTION_WORDS, sizeof *core->places);
        core->addresses = calloc(TIGON_EXECUTION_WORDS, sizeof *core->addresses);
        core->count = 1;
        if (!core->nodes || !core->places || !core->addresses)
            error = -ENOMEM;
    }
    if (!error)
        error = tigon_execution_listen(execution, &listener);
    if (error) {
        tigon_profile_free(result);
        return error;
    }
    result->execution = execution;
    *profile = result;
    return 0;
}

void tigon_profile_reset(struct tigon_profile *profile) {
    for (unsigned number = 0; number < CORES; number++) {
        struct tigon_profile_core *core = &profile->core[number];
        for (size_t i = 0; i < core->count; i++) {
            core->nodes[i].calls = 0; /* the chains stay: they may be open */
            memset(&core->nodes[i].own, 0, sizeof core->nodes[i].own);
        }
        memset(core->places, 0, TIGON_EXECUTION_WORDS * sizeof *core->places);
    }
}

void tigon_profile_free(struct tigon_profile *profile) {
    if (!profile)
        return;
    for (unsigned number = 0; number < CORES; number++) {
        free(profile->core[number].nodes);
        free(profile->core[number].places);
        free(profile->core[number].addresses);
    }
    free(profile);
}

/* ------------------------------------------------------------------------------------------------
 * Summing up */

void tigon_profile_sum_up(const struct tigon_profile_core *core) {
    for (size_t i = 0; i < core->count; i++)
        core->nodes[i].inclusive = core->nodes[i].own;
    for (size_t i = core->count; i-- > 1;)
        tigon_cost_add(&core->nodes[core->nodes[i].parent].inclusive, &core->nodes[i].inclusive);
}

/* Whether a caller of the node, however far up, is the same function. */
static bool is_recursive(const struct tigon_profile_core *core, uint32_t node) {
    for (uint32_t at = core->nodes[node].parent; at; at = core->nodes[at].parent)
        if (core->nodes[at].function == core->nodes[node].function)
            return true;
    return false;
}

static int by_busy(const void *left, const void *right) {
    const struct tigon_profile_row *a = left, *b = right;
    if (tigon_cost_busy(&a->own) != tigon_cost_busy(&b->own))
        return tigon_cost_busy(&a->own) > tigon_cost_busy(&b->own) ? -1 : 1;
    return a->function->start < b->function->start   ? -1
           : a->function->start > b->function->start ? 1
                                                     : strcmp(a->function->name, b->function->name);
}

size_t tigon_profile_rows(const struct tigon_profile *profile, unsigned number,
                          struct tigon_profile_row **rows) {
    const struct tigon_profile_core *core = &profile->core[number & 1u];
    size_t functions = 0, count = 0;
    *rows = NULL;
    tigon_profile_sum_up(core);
    for (size_t i = 1; i < core->count; i++)
        if (core->nodes[i].function->index >= functions)
            functions = core->nodes[i].function->index + 1;
    struct tigon_profile_row *result = functions ? calloc(functions, sizeof *result) : NULL;
    if (!result)
        return 0;
    for (uint32_t i = 1; i < core->count; i++) {
        const struct tigon_profile_node *node = &core->nodes[i];
        struct tigon_profile_row *row = &result[node->function->index];
        row->function = node->function;
        row->calls += node->calls;
        tigon_cost_add(&row->own, &node->own);
        if (!is_recursive(core, i))
            tigon_cost_add(&row->inclusive, &node->inclusive);
    }
    for (size_t i = 0; i < functions; i++)
        if (result[i].function && (result[i].calls || result[i].inclusive.cycles))
            result[count++] = result[i];
    qsort(result, count, sizeof *result, by_busy);
    *rows = result;
    return count;
}

/* ------------------------------------------------------------------------------------------------
 * Writing */

void tigon_profile_print(const struct tigon_profile *profile, FILE *stream, const char *board,
                         size_t limit) {
    for (unsigned number = 0; number < CORES; number++) {
        struct tigon_profile_row *rows;
        const size_t count = tigon_profile_rows(profile, number, &rows);
        const struct tigon_cost *all = &profile->core[number].nodes[0].inclusive;
        if (count == 0)
            continue;
        const uint64_t total = tigon_cost_busy(all);
        (void)fprintf(stream,
                      "%s, processor %c: %" PRIu64 " cycles, of these %" PRIu64 " busy, %" PRIu64
                      " instructions, %" PRIu64 " stalls\n",
                      board, 'A' + (int)number, all->cycles, total, all->instructions, all->stalls);
        (void)fprintf(stream, "  %-32s %9s %12s %6s %12s %10s %12s\n", "function", "calls",
                      "busy cycles", "%", "instructions", "stalls", "with callees");
        for (size_t i = 0; i < count && i < limit; i++) {
            const struct tigon_profile_row *row = &rows[i];
            const uint64_t own = tigon_cost_busy(&row->own);
            (void)fprintf(stream,
                          "  %-32s %9" PRIu64 " %12" PRIu64 " %6.2f %12" PRIu64 " %10" PRIu64
                          " %12" PRIu64 "\n",
                          row->function->name, row->calls, own,
                          total ? 100.0 * (double)own / (double)total : 0.0, row->own.instructions,
                          row->own.stalls, tigon_cost_busy(&row->inclusive));
        }
        if (count > limit)
            (void)fprintf(stream, "  and %zu more\n", count - limit);
        free(rows);
    }
}

void tigon_profile_write_folded(const struct tigon_profile *profile, FILE *stream,
                                const char *board) {
    for (unsigned number = 0; number < CORES; number++) {
        const struct tigon_profile_core *core = &profile->core[number];
        for (uint32_t i = 1; i < core->count; i++) {
            const struct tigon_executed *chain[DEPTH_LIMIT];
            size_t depth = 0;
            if (tigon_cost_busy(&core->nodes[i].own) == 0)
                continue;
            for (uint32_t at = i; at && depth < DEPTH_LIMIT; at = core->nodes[at].parent)
                chain[depth++] = core->nodes[at].function;
            (void)fprintf(stream, "%s;%c", board, 'A' + (int)number);
            while (depth-- > 0)
                (void)fprintf(stream, ";%s", chain[depth]->name);
            (void)fprintf(stream, " %" PRIu64 "\n", tigon_cost_busy(&core->nodes[i].own));
        }
    }
}
