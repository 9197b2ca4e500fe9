/* SPDX-License-Identifier: MIT */
/*
 * A node: one copy of EMP's image on the native port (fw-runtime/port/native/native.h), and what
 * of its state a test reaches beyond what a host does.
 *
 * A copy is an object file of its own whose other symbols are local and whose static data lie in
 * sections of its own (build.mk), so that a program links several, and puts each back as it was.
 */
#ifndef TESTS_NATIVE_PORT_NODE_H
#define TESTS_NATIVE_PORT_NODE_H

#include <stddef.h>

#include "fw-runtime/port/native/native.h"

#define NODE_AREAS 3u

struct node {
    const struct native_nic *nic;
    struct {
        unsigned char *start, *end;
    } areas[NODE_AREAS];
    /* The pages of addresses that the board has read lie in one of the areas. Nothing but a read of
     * host memory writes there. */
    unsigned char *pages;
    size_t page_bytes;
    uint32_t page_count;       /* at most 64 */
    uint32_t (*taken)(void);   /* entry of the posting ring that is taken next */
    uint32_t (*records)(void); /* in use: messages being sent or received */
};

extern const struct node node_left, node_right;

/* All static data of a node, including the padding between objects. */
size_t node_bytes(const struct node *node);
void node_save(const struct node *node, unsigned char *copy);
void node_restore(const struct node *node, const unsigned char *copy);
/* The same where of its pages only those were written whose bits are set. */
void node_restore_pages(const struct node *node, const unsigned char *copy, uint64_t pages);
/* Is all as it was saved? */
bool node_as_saved(const struct node *node, const unsigned char *copy);

/* Fills memory that starts with undefined contents (NIC_UNSET) with a value that no test uses as an
 * address. */
void node_spoil_unset(const struct node *node);

#endif
