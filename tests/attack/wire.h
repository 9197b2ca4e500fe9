/* SPDX-License-Identifier: MIT */
/* Two honest nodes, and an attacker that puts frames on the wire between them, or on a port of its
 * own of the switch between them. */
#ifndef TESTS_ATTACK_WIRE_H
#define TESTS_ATTACK_WIRE_H

#include "host/demo/pair.h"
#include "tests/attack/forge.h"
#include "tests/attack/oracle.h"
#include "tests/attack/world.h"

enum { WIRE_ATTACKER_NODE = 2 };

struct hostile_wire {
    struct pair pair;
    struct oracle oracle;
    struct forge forge;
    struct tigon_wire *wire; /* where the frames go in */
    bool through_switch;
    struct tigon_board *attacker; /* with the switch */
    struct libemp_board *library; /* of the attacker */
    bool attacker_ready;
    /* The action of the attacker's host before its processor is halted; may be NULL. */
    int (*attacker_program)(struct hostile_wire *wire);
    void *context;
};

/* `image` NULL: the one that pair_options_defaults takes. */
int wire_open(struct hostile_wire *wire, bool through_switch, uint64_t seed, const char *image);
void wire_close(struct hostile_wire *wire);

/* Starts the programs of all hosts. 0, or a negative errno value after saying why. */
int wire_run(struct hostile_wire *wire, pair_program left, pair_program right, void *argument,
             struct world_result *result);

/* Puts the frame on the wire now. Returns how long it occupies it, with the gap behind it. */
uint64_t wire_send(struct hostile_wire *wire, const struct hostile_frame *frame);

#endif
