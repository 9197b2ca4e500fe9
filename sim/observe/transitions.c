/* SPDX-License-Identifier: MIT */
/* See transitions.h. */
#include "sim/observe/transitions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ID_LIMIT = 65536 }; /* an id has 16 bits in a record */

struct tigon_transitions {
    struct tigon_transition_row row[ID_LIMIT];
};

static void taken(void *context, const struct tigon_transition *transition) {
    struct tigon_transitions *transitions = context;
    struct tigon_transition_row *row = &transitions->row[transition->id % ID_LIMIT];
    const uint64_t cycles = transition->ended - transition->started;
    row->id = transition->id % ID_LIMIT;
    if (row->count == 0 || cycles < row->least)
        row->least = cycles;
    if (cycles > row->most)
        row->most = cycles;
    row->count++;
    row->total += cycles;
    row->own += cycles - transition->nested;
    row->lead += transition->lead;
}

int tigon_transitions_start(struct tigon_transitions **transitions,
                            struct tigon_execution *execution) {
    struct tigon_transitions *result = calloc(1, sizeof *result);
    const struct tigon_execution_listener listener = {.context = result, .transition = taken};
    const int error = result ? tigon_execution_listen(execution, &listener) : -ENOMEM;
    if (error) {
        free(result);
        return error;
    }
    *transitions = result;
    return 0;
}

void tigon_transitions_reset(struct tigon_transitions *transitions) {
    memset(transitions->row, 0, sizeof transitions->row);
}

void tigon_transitions_free(struct tigon_transitions *transitions) {
    free(transitions);
}

static int by_own(const void *left, const void *right) {
    const struct tigon_transition_row *a = left, *b = right;
    if (a->own != b->own)
        return a->own > b->own ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

size_t tigon_transitions_rows(const struct tigon_transitions *transitions,
                              struct tigon_transition_row **rows) {
    size_t count = 0;
    *rows = NULL;
    for (size_t id = 0; id < ID_LIMIT; id++)
        count += transitions->row[id].count != 0;
    struct tigon_transition_row *result = count ? calloc(count, sizeof *result) : NULL;
    if (!result)
        return 0;
    count = 0;
    for (size_t id = 0; id < ID_LIMIT; id++)
        if (transitions->row[id].count)
            result[count++] = transitions->row[id];
    qsort(result, count, sizeof *result, by_own);
    *rows = result;
    return count;
}

void tigon_transitions_print(const struct tigon_transitions *transitions, FILE *stream,
                             size_t index, const char *board, tigon_transition_name name,
                             size_t limit) {
    struct tigon_transition_row *rows;
    const size_t count = tigon_transitions_rows(transitions, &rows);
    if (count == 0)
        return;
    (void)fprintf(stream, "%s, transitions: cycles of one, in sum without those it led to\n",
                  board);
    (void)fprintf(stream, "  %8s %12s %7s %9s %7s %8s  %s\n", "count", "sum", "least", "mean",
                  "most", "before", "transition");
    for (size_t i = 0; i < count && i < limit; i++) {
        const struct tigon_transition_row *row = &rows[i];
        const char *text = name ? name(index, row->id) : NULL;
        (void)fprintf(stream,
                      "  %8" PRIu64 " %12" PRIu64 " %7" PRIu64 " %9.1f %7" PRIu64 " %8.1f  %" PRIu32
                      " %s\n",
                      row->count, row->own, row->least, (double)row->total / (double)row->count,
                      row->most, (double)row->lead / (double)row->count, row->id, text ? text : "");
    }
    if (count > limit)
        (void)fprintf(stream, "  and %zu more\n", count - limit);
    free(rows);
}
