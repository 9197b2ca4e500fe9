/* SPDX-License-Identifier: MIT */
/*
 * What is behind the hosts of a plan: nodes on the native port (tests/native_worlds) or simulated
 * boards (tests/board_worlds). A program of the campaign is linked with one of them.
 */
#ifndef TESTS_CAMPAIGN_WORLDS_WORLD_H
#define TESTS_CAMPAIGN_WORLDS_WORLD_H

#include "emp.h"
#include "tests/campaign_worlds/host.h"

/* Rows of the spec that boards of the present world have taken. */
extern bool world_rows[EMP_TRANSITION_COUNT];

struct world_counts {
    uint64_t now_ns; /* when the world ended */
    uint64_t frames, dropped, duplicated, delayed;
};

/* Once in a process. */
void world_prepare(struct hosts *hosts);
/* Runs the plan to its end, or to the first failure or finding. The same everywhere for a plan. The
 * caller frees the history. */
void world_run(struct hosts *hosts, const struct plan *plan, struct world_counts *counts);

#endif
