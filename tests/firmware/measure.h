/* SPDX-License-Identifier: MIT */
/*
 * Measurements of the firmware, for printing and for tests.
 */
#ifndef TESTS_FIRMWARE_MEASURE_H
#define TESTS_FIRMWARE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

struct measure_latency {
    double one_way_us;    /* half a round trip, as measured by the host programs */
    uint32_t busy_cycles; /* of processor A, for one message sent and one received */
};

/* Ping-pong of `turns` messages. False when a program failed or the world ended otherwise. */
bool measure_latency(const char *image, uint32_t bytes, unsigned turns,
                     struct measure_latency *result);

/* The same, while `count` receives are posted before that the messages do not match: in the list of
 * their hash, or with wildcards. */
enum measure_walk { MEASURE_NAMED, MEASURE_WILDCARDS };
bool measure_walk(const char *image, enum measure_walk kind, unsigned count, unsigned turns,
                  struct measure_latency *result);

struct measure_bandwidth {
    double megabits;          /* of message bytes, sum of both directions */
    uint32_t sender_cycles;   /* busy cycles of processor A for each data frame */
    uint32_t receiver_cycles; /* (both ways: for each frame sent and received) */
};

/* `count` messages, two more always posted than under way, into receives posted before. */
bool measure_bandwidth(const char *image, uint32_t bytes, unsigned count, bool both,
                       struct measure_bandwidth *result);

#endif
