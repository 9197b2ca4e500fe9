/* SPDX-License-Identifier: MIT */
/* Two honest hosts that exchange messages both ways, every byte compared, in order and once, with
 * guard bytes around each receive. Errors are reported, not fatal: some attacks may cause them. */
#ifndef TESTS_ATTACK_HONEST_H
#define TESTS_ATTACK_HONEST_H

#include "host/demo/pair.h"
#include "tests/attack/oracle.h"

enum { HONEST_AHEAD = 6, HONEST_GRANTS = 2 * HONEST_AHEAD };

struct honest_slot {
    uint8_t *area;
    struct libemp_memory *memory;
    libemp_request request;
};

struct honest {
    struct oracle *oracle;
    unsigned life;           /* of the nodes; messages of another one are wrong */
    volatile bool over;      /* no new message begins unless its receive is posted */
    uint64_t stuck_after_ns; /* without a message done something is wrong; 0: only `over` limits */
    uint64_t limit[2];       /* of messages in this exchange, by sender */
    struct {                 /* by sender */
        uint64_t sent;       /* posted */
        uint64_t wanted;     /* receives posted */
        uint64_t finished;   /* sends */
        uint64_t received;
    } stream[2];
    struct honest_slot slot[2][2][HONEST_AHEAD]; /* by side, receives apart */
    unsigned arrived[2];                         /* at meetings, by side */
    bool wrong;
    char words[200]; /* the first thing that went wrong */
};

/* Memory and grants. 0 or a negative errno value. */
int honest_open(struct honest *honest, struct pair_side *side);

/* Until `limit` messages went each way, or until the messages in flight have arrived once `over` is
 * set. False after an error on either side. */
bool honest_exchange(struct honest *honest, struct pair_side *side);

/* So many messages more, from both sides. */
bool honest_more(struct honest *honest, struct pair_side *side, uint64_t messages);

/* Returns when both sides have come here. */
void honest_meet(struct honest *honest, const struct pair_side *side);

/* Both nodes are loaded anew and forget everything. 0 or a negative errno value. */
int honest_restart(struct honest *honest, struct pair_side *side);

#endif
