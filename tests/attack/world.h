/* SPDX-License-Identifier: MIT */
/* One world of an attack and its outcome. */
#ifndef TESTS_ATTACK_WORLD_H
#define TESTS_ATTACK_WORLD_H

#include "emp/emp_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORLD_WORDS = 400, WORLD_RUNTIME_COUNTERS = 3 };

struct world_figures {
    uint64_t frames;       /* sent by the attacker; writes, of a hostile host */
    uint64_t accepted;     /* of the frames, by the MACs of the honest boards */
    uint64_t mac_refused;  /* by address, as flow control, for want of room or with no descriptor */
    uint64_t bad_checksum; /* accepted by the MAC, refused by the firmware */
    uint64_t counters[EMP_COUNTER_COUNT]; /* of both boards */
    uint64_t runtime[WORLD_RUNTIME_COUNTERS];
    uint64_t messages;  /* between honest nodes, compared, during the attack */
    uint64_t transfers; /* looked at */
    uint64_t late;      /* of them, reads of a send that had just ended */
    uint64_t disturbed; /* worlds in which honest messages failed, as they may */
    uint64_t stopped;   /* worlds in which a board stopped itself, as it may */
    uint64_t simulated_ns;
};

struct world_result {
    bool failed;
    char words[WORLD_WORDS]; /* the failure, or a note */
    struct world_figures figures;
};

struct attack;

/* Runs one world. `size`: frames, or writes. */
typedef void (*world_run)(const struct attack *attack, uint64_t seed, uint64_t size,
                          struct world_result *result);

struct attack {
    const char *name;
    const char *kind; /* how its figures are grouped */
    world_run run;
    const void *what; /* the forgery, for instance */
    unsigned identity;
    bool through_switch;
    bool once; /* one world is enough: it has no random choices */
};

/* Keeps the first complaint. */
void world_fail(struct world_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A figure of a world that is worth a line. */
void world_note(struct world_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the attacks of a kind to the list, which has room for ATTACKS_LIMIT. */
enum { ATTACKS_LIMIT = 128 };
struct attacks {
    struct attack attack[ATTACKS_LIMIT];
    size_t count;
};
void wire_attacks(struct attacks *list);
void host_attacks(struct attacks *list);
void misuse_attacks(struct attacks *list);
void goodput_attacks(struct attacks *list);

#endif
