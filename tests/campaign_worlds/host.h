/* SPDX-License-Identifier: MIT */
/*
 * The programs of all hosts of a world: they post sends and receives, look for results, cancel.
 * What they do follows from the plan. A world supplies time and boards: the functions `boards_...`.
 */
#ifndef TESTS_CAMPAIGN_WORLDS_HOST_H
#define TESTS_CAMPAIGN_WORLDS_HOST_H

#include "sim/base/random.h"
#include "tests/campaign_worlds/history.h"
#include "tests/campaign_worlds/plan.h"

#define WORLD_PIECES 7u

/* A request of a host. Its memory: a page that its board may use for addresses, then the pieces
 * with gaps between. */
struct request {
    bool cancelling;
    uint32_t peer, tag; /* of a receive from any source peer is HISTORY_ANY_SOURCE */
    uint32_t ignored;   /* bits of the tag */
    uint32_t made_for;  /* of a receive: the source of the message it was made for */
    bool any;           /* accepts every message */
    uint32_t bytes;     /* of the message, or that the receive can take */
    uint64_t number;    /* of the message; of a receive: which message it was made for */
    uint32_t pieces;
    struct {
        uint32_t offset, bytes;
    } piece[WORLD_PIECES];
};

struct hosts;

/* A request has a slot: sends those below WORLD_REQUESTS, receives those above. */
struct host {
    struct hosts *all;
    uint32_t index;
    struct tigon_random random;
    uint8_t *memory; /* host_memory_bytes; the world's */
    struct request sends[WORLD_REQUESTS], receives[WORLD_REQUESTS];
    uint64_t open_sends, open_receives; /* a bit for each request */
    bool catch_all;                     /* a receive that accepts every message is posted */
    struct {
        uint64_t sent;                  /* messages to that node */
        uint64_t received;              /* messages from there that receives were made for */
        uint32_t receives;              /* open, of that source */
        uint64_t again[WORLD_REQUESTS]; /* messages whose receives were cancelled */
        uint32_t again_count;
    } peer[WORLD_NODES];
};

/* What a list of features may name besides rows of the spec (docs/verification.md): whether it
 * happened in the world. */
#define WORLD_DEEDS(DEED)                                                                          \
    DEED(restart)       /* of a node */                                                            \
    DEED(cancel)        /* a receive was taken back, and not because the world ends */             \
    DEED(truncated)     /* a receive was shorter than its message */                               \
    DEED(wildcard)      /* a receive with wildcards got a message */                               \
    DEED(in_descriptor) /* the bytes of a send were in its descriptor */                           \
    DEED(lost)          /* a frame, and so on */                                                   \
    DEED(duplicated)                                                                               \
    DEED(delayed)

struct deeds {
#define DEED_FIELD(name) bool name;
    WORLD_DEEDS(DEED_FIELD)
#undef DEED_FIELD
};

enum world_failure { WORLD_RUNNING, WORLD_STUCK, WORLD_LEAKED, WORLD_STOPPED, WORLD_STRAYED };

struct hosts {
    struct plan plan;
    struct history *history;
    struct host host[WORLD_NODES];
    uint64_t posted, ended; /* sends */
    uint64_t may_post;      /* limit on sends until more may be posted */
    uint64_t progress_ns;   /* when something last ended */
    uint32_t restarted;     /* nodes for which the time has come */
    bool closing;           /* all sends have ended: receives are cancelled */
    struct deeds deeds;
    char failure[256]; /* not of the history: stuck, leaked, a board that stopped */
    enum world_failure failed;
};

/* Begins the plan. The caller has set `memory` of each host, and frees the history. */
void hosts_begin(struct hosts *hosts, const struct plan *plan);
/* Keeps the first failure. */
void hosts_fail(struct hosts *hosts, enum world_failure failed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Neither a failure nor a finding. */
bool hosts_go_on(const struct hosts *hosts);
/* Has nothing ended for so long that nothing will? Then the world has failed. */
void hosts_check_progress(struct hosts *hosts, uint64_t now_ns);
/* The node that restarts now, or NULL. */
struct host *hosts_restart_due(struct hosts *hosts);
bool hosts_all_sent(const struct hosts *hosts);

/* Looks for results and posts anew. The next look is after a time that host_pause_ns draws. */
void host_look(struct host *host);
uint64_t host_pause_ns(struct host *host);
void host_look_at_sends(struct host *host);
/* A message to every node that it sends to. */
void host_greet(struct host *host);
/* The board starts anew: no request is left. */
void host_forget(struct host *host);
bool host_may_write(const struct host *host, uint64_t offset, uint32_t bytes);

/* All requests of a host have equal room, one behind the other by slots. */
uint32_t host_memory_bytes(const struct plan *plan);
uint32_t host_slot_bytes(const struct plan *plan);
struct request *host_request(struct host *host, uint32_t slot);

struct host_end {
    enum history_result result;
    uint32_t bytes;       /* of the message */
    uint32_t source, tag; /* of a receive: of the message it has got, or what it was posted with */
};

/* What a world's boards do. They call hosts_fail where a board does not do it. */
void boards_post(struct host *host, uint32_t slot);
void boards_cancel(struct host *host, uint32_t slot);
/* False while the board has it. */
bool boards_ended(struct host *host, uint32_t slot, struct host_end *end);
/* In worlds with restarts: has the host of `source` looked at its sends since the receive ended? It
 * may do so now. A reset of an earlier message was there before the message that the receive has
 * got. */
bool boards_sends_seen(struct host *host, uint32_t slot, uint32_t source);
/* The history has looked at the memory of a receive that has ended. `bytes` lie in it. */
void boards_release(struct host *host, uint32_t slot, uint32_t bytes);

#endif
