/* SPDX-License-Identifier: MIT */
/* A binary heap; see reorder.h. */
#include "sim/observe/reorder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct tigon_reorder {
    uint64_t horizon;
    tigon_reorder_write write;
    void *context;
    struct tigon_reorder_entry *heap;
    size_t count;
    size_t capacity;
    uint64_t sequence;
    uint64_t written; /* tick of the last one */
    uint64_t late;
};

struct tigon_reorder *tigon_reorder_create(uint64_t horizon, tigon_reorder_write write,
                                           void *context) {
    struct tigon_reorder *reorder = calloc(1, sizeof *reorder);
    if (reorder)
        *reorder = (struct tigon_reorder){.horizon = horizon, .write = write, .context = context};
    return reorder;
}

static bool precedes(const struct tigon_reorder_entry *a, const struct tigon_reorder_entry *b) {
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks;
    if (a->source != b->source)
        return a->source < b->source;
    return a->sequence < b->sequence;
}

static void swap(struct tigon_reorder_entry *a, struct tigon_reorder_entry *b) {
    const struct tigon_reorder_entry kept = *a;
    *a = *b;
    *b = kept;
}

static struct tigon_reorder_entry take(struct tigon_reorder *reorder) {
    struct tigon_reorder_entry *heap = reorder->heap;
    const struct tigon_reorder_entry first = heap[0];
    heap[0] = heap[--reorder->count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < reorder->count; child++)
            if (precedes(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return first;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void write_until(struct tigon_reorder *reorder, uint64_t ticks) {
    while (reorder->count && reorder->heap[0].ticks < ticks) {
        struct tigon_reorder_entry entry = take(reorder);
        if (entry.ticks < reorder->written)
            entry.ticks = reorder->written;
        reorder->written = entry.ticks;
        reorder->write(reorder->context, &entry);
        free(entry.text);
    }
}

int tigon_reorder_add(struct tigon_reorder *reorder, const struct tigon_reorder_entry *entry,
                      uint64_t now) {
    if (reorder->count == reorder->capacity) {
        const size_t capacity = reorder->capacity ? reorder->capacity * 2 : 256;
        struct tigon_reorder_entry *heap = realloc(reorder->heap, capacity * sizeof *heap);
        if (!heap) {
            free(entry->text);
            return -ENOMEM;
        }
        reorder->heap = heap;
        reorder->capacity = capacity;
    }
    size_t at = reorder->count++;
    reorder->heap[at] = *entry;
    reorder->heap[at].sequence = reorder->sequence++;
    reorder->late += entry->ticks < reorder->written;
    while (at > 0 && precedes(&reorder->heap[at], &reorder->heap[(at - 1) / 2])) {
        swap(&reorder->heap[at], &reorder->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    if (now > reorder->horizon)
        write_until(reorder, now - reorder->horizon);
    return 0;
}

uint64_t tigon_reorder_late(const struct tigon_reorder *reorder) {
    return reorder->late;
}

void tigon_reorder_flush(struct tigon_reorder *reorder) {
    write_until(reorder, UINT64_MAX);
}

void tigon_reorder_free(struct tigon_reorder *reorder) {
    if (!reorder)
        return;
    for (size_t i = 0; i < reorder->count; i++)
        free(reorder->heap[i].text);
    free(reorder->heap);
    free(reorder);
}
