/* SPDX-License-Identifier: MIT */
/* Hostile frames. To add an attack, write one function that makes a frame and name it in the table
 * at the end of forge.c.
 *
 * A forged frame has one of two kinds of sender. A stranger knows the nodes' numbers and addresses,
 * but none of their incarnations. A known one has listened: sender, incarnations and source address
 * are those of the honest node that it impersonates, as on the last frame from there. */
#ifndef TESTS_ATTACK_FORGE_H
#define TESTS_ATTACK_FORGE_H

#include "sim/base/random.h"

#include "emp/emp_codec.h"

#include <stddef.h>

enum {
    FORGE_BYTES_LIMIT = 9018,
    FORGE_NODES = 3,     /* two honest ones and, before its attack, the attacker's */
    FORGE_SHORTEST = 60, /* of a whole frame, without its checksum */
    FORGE_WORDS = (EMP_FRAME_BYTES + EMP_MESSAGE_HEADER_BYTES) / 4
};

enum forge_identity { FORGE_STRANGER = 1, FORGE_KNOWN = 2 };

struct hostile_frame {
    uint8_t bytes[FORGE_BYTES_LIMIT];
    size_t length; /* without the checksum */
    bool bad_crc;
};

/* The knowledge of the attacker. The two honest nodes have the numbers 0 and 1. */
struct forge {
    struct tigon_random random;
    enum forge_identity identity;
    unsigned victim;      /* the node that the frame is for; it speaks for the other */
    uint8_t honest[2][6]; /* addresses */
    uint8_t own[6];
    bool at_a_switch; /* which would follow an honest source address to the attacker's port */
    struct {
        bool any;
        uint32_t words[FORGE_WORDS];
    } heard[FORGE_NODES][2]; /* last frame of each node, its answers apart */
};

struct forgery {
    const char *name;
    unsigned identities; /* set of enum forge_identity */
    bool flood;          /* as fast as the wire takes them */
    bool harmless;       /* of a known one too: honest traffic must not be changed */
    void (*make)(struct forge *forge, struct hostile_frame *frame);
};

extern const struct forgery forgeries[];
size_t forgery_count(void);

/* Takes note of a frame that a node sent. */
void forge_hear(struct forge *forge, unsigned node, const uint8_t *bytes, size_t length);

/* The last HEADER frame of `node` on the wire, with this sender number instead. False when there
 * was none. */
bool forge_header_from(const struct forge *forge, unsigned node, unsigned sender,
                       struct hostile_frame *frame);

/* The same as the second frame of a message, with a contact that nodes of so few incarnations do
 * not have. */
bool forge_data_from(const struct forge *forge, unsigned node, unsigned sender,
                     struct hostile_frame *frame);

uint32_t forge_edge(struct tigon_random *random, uint32_t value, uint32_t mask);

#endif
