/* SPDX-License-Identifier: MIT */
/*
 * Saving and restoring the state of a node; see node.h.
 */
#include "tests/native_port/node.h"

#define UNSET 2u /* the area */

/* Between objects lie zones that the address sanitizer forbids, also to memcpy: so bytes are copied
 * here, where it does not look, and by nothing that a compiler turns into a call. */
__attribute__((no_sanitize("address", "undefined"))) static void
copy_bytes(unsigned char *to, const unsigned char *from, size_t bytes) {
#if defined __x86_64__
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    for (size_t at = 0; at < bytes; at++) {
        to[at] = from[at];
        __asm__ volatile("" ::: "memory");
    }
#endif
}

size_t node_bytes(const struct node *node) {
    size_t bytes = 0;
    for (unsigned area = 0; area < NODE_AREAS; area++)
        bytes += (size_t)(node->areas[area].end - node->areas[area].start);
    return bytes;
}

void node_save(const struct node *node, unsigned char *copy) {
    for (unsigned area = 0; area < NODE_AREAS; area++) {
        size_t bytes = (size_t)(node->areas[area].end - node->areas[area].start);
        copy_bytes(copy, node->areas[area].start, bytes);
        copy += bytes;
    }
}

void node_restore(const struct node *node, const unsigned char *copy) {
    for (unsigned area = 0; area < NODE_AREAS; area++) {
        size_t bytes = (size_t)(node->areas[area].end - node->areas[area].start);
        copy_bytes(node->areas[area].start, copy, bytes);
        copy += bytes;
    }
}

__attribute__((no_sanitize("address", "undefined"))) void
node_spoil_unset(const struct node *node) {
    for (unsigned char *at = node->areas[UNSET].start; at != node->areas[UNSET].end; at++) {
        *at = 0xA7;
        __asm__ volatile("" ::: "memory");
    }
}
