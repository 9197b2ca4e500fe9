/* SPDX-License-Identifier: MIT */
/*
 * Reproducible chance: splitmix64 (Steele, Lea, Flood 2014; the constants are public domain).
 *
 * Used as a hash of (seed, part, index) rather than as a running generator wherever a result must
 * not depend on the number of other draws.
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_random {
    uint64_t state;
};

static inline uint64_t tigon_random_next(struct tigon_random *random) {
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A generator for item `index` of stream `stream` under `seed`: independent of all other items. */
static inline struct tigon_random tigon_random_for(uint64_t seed, uint64_t stream, uint64_t index) {
    struct tigon_random random = {seed};
    random.state = tigon_random_next(&random) ^ stream * UINT64_C(0xD1342543DE82EF95);
    random.state = tigon_random_next(&random) ^ index * UINT64_C(0xAF251AF3B0F025B5);
    tigon_random_next(&random);
    return random;
}

/* True with `probability` (0..1). Always takes exactly one number, so later draws do not shift. */
static inline bool tigon_random_chance(struct tigon_random *random, double probability) {
    /* 53 bits: exactly what a double holds, hence the same on every machine. */
    return (double)(tigon_random_next(random) >> 11) * 0x1.0p-53 < probability;
}

/* 0 <= result < limit; the bias of the modulo is below 2^-32 for the limits used here. 0 for limit
 * 0. */
static inline uint64_t tigon_random_below(struct tigon_random *random, uint64_t limit) {
    const uint64_t value = tigon_random_next(random);
    return limit ? value % limit : 0;
}

#endif
