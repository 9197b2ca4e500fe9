/* SPDX-License-Identifier: MIT */
/* Two honest hosts that exchange messages both ways, every byte compared, in order and once, with
 * guard bytes around each receive. What goes wrong is told, not fatal: after some attacks it may.
 */
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
    volatile bool over;      /* no message begins any more whose receive is not posted */
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

/* Until `limit` messages went each way, or until what is on its way has arrived once `over` is set.
 * False when something went wrong on either side. */
bool honest_exchange(struct honest *honest, struct pair_side *side);

/* So many messages more, from both sides. */
bool honest_more(struct honest *honest, struct pair_side *side, uint64_t messages);

/* Returns when both sides have come here. */
void honest_meet(struct honest *honest, const struct pair_side *side);

/* Both nodes are loaded anew and forget everything. 0 or a negative errno value. */
int honest_restart(struct honest *honest, struct pair_side *side);

#endif
