/* SPDX-License-Identifier: MIT */
/*
 * Saving and restoring the state of a node; see node.h.
 */
#include "tests/native_port/node.h"
#include "tests/native_port/plain_bytes.h"

#define UNSET 2u /* the area */

static size_t area_bytes(const struct node *node, unsigned area) {
    return (size_t)(node->areas[area].end - node->areas[area].start);
}

size_t node_bytes(const struct node *node) {
    size_t bytes = 0;
    for (unsigned area = 0; area < NODE_AREAS; area++)
        bytes += area_bytes(node, area);
    return bytes;
}

void node_save(const struct node *node, unsigned char *copy) {
    for (unsigned area = 0; area < NODE_AREAS; area++) {
        plain_copy(copy, node->areas[area].start, area_bytes(node, area));
        copy += area_bytes(node, area);
    }
}

void node_restore_pages(const struct node *node, const unsigned char *copy, uint64_t pages) {
    for (unsigned area = 0; area < NODE_AREAS; area++) {
        unsigned char *start = node->areas[area].start, *end = node->areas[area].end;
        if (node->pages >= start && node->pages < end) {
            unsigned char *behind = node->pages + node->page_count * node->page_bytes;
            plain_copy(start, copy, (size_t)(node->pages - start));
            plain_copy(behind, copy + (behind - start), (size_t)(end - behind));
            for (; pages != 0; pages &= pages - 1) {
                unsigned char *page =
                    node->pages + (unsigned)__builtin_ctzll(pages) * node->page_bytes;
                plain_copy(page, copy + (page - start), node->page_bytes);
            }
        } else {
            plain_copy(start, copy, area_bytes(node, area));
        }
        copy += area_bytes(node, area);
    }
}

void node_restore(const struct node *node, const unsigned char *copy) {
    node_restore_pages(node, copy, UINT64_MAX >> (64 - node->page_count));
}

__attribute__((no_sanitize("address", "undefined"))) bool node_as_saved(const struct node *node,
                                                                        const unsigned char *copy) {
    for (unsigned area = 0; area < NODE_AREAS; area++)
        for (const unsigned char *at = node->areas[area].start; at != node->areas[area].end; at++)
            if (*at != *copy++)
                return false;
    return true;
}

__attribute__((no_sanitize("address", "undefined"))) void
node_spoil_unset(const struct node *node) {
    for (unsigned char *at = node->areas[UNSET].start; at != node->areas[UNSET].end; at++) {
        *at = 0xA7;
        __asm__ volatile("" ::: "memory");
    }
}
