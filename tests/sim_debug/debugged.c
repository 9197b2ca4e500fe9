/* SPDX-License-Identifier: MIT */
/*
 * Two boards with the EMP firmware play ping-pong, as a program of its own that GDB can attach to.
 * It ends with one line on everything a debugger must not change.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/demo/pair.h"
#include "host/demo/sweep.h"
#include "sim/debug/debugger.h"
#include "sim/observer.h"

#define LIMIT_NS UINT64_C(4000000000)

static void listening(void *context, const char *address) {
    (void)context;
    (void)printf("listening on %s\n", address);
    (void)fflush(stdout);
}

/* Every frame with its time goes into one number. */
struct digest {
    uint64_t value;
    uint64_t frames;
};

static void frame(void *context, const struct tigon_frame_view *view, enum tigon_fate fate) {
    struct digest *digest = context;
    digest->frames++;
    digest->value = (digest->value ^ view->time_ticks ^ (uint64_t)fate) * UINT64_C(0x100000001B3);
    for (size_t i = 0; i < view->length; i++)
        digest->value = (digest->value ^ view->bytes[i]) * UINT64_C(0x100000001B3);
}

/* Parked time counts instructions only up to the last poll, so all is compared at the end alone. */
static void report(const struct pair *pair, const struct digest *digest) {
    (void)printf("%s at %" PRIu64 " ticks; %" PRIu64 " frames %016" PRIx64,
                 tigon_end_name(pair->end), tigon_world_now_ticks(pair->world), digest->frames,
                 digest->value);
    for (size_t i = 0; i < 2; i++) {
        struct tigon_statistics s;
        tigon_board_statistics(pair->side[i].hardware, &s);
        (void)printf("; board %zu: %" PRIu64 " instructions %" PRIu64 " cycles %" PRIu64
                     " stalls %" PRIu64 " bytes read %" PRIu64 " written",
                     i, s.core[0].instructions, s.core[0].cycles, s.core[0].stall_cycles,
                     s.dma_read.bytes, s.dma_write.bytes);
    }
    (void)printf("\n");
}

int main(int count, char **texts) {
    struct tigon_debugger_options debug;
    struct tigon_debugger *debugger = NULL;
    struct pair_options options;
    struct pair pair;
    struct digest digest = {.value = UINT64_C(0xCBF29CE484222325)};
    struct sweep sweep = {
        .options = {.bytes = 64, .iterations = 3, .messages = 4, .outstanding = 2}};
    int option, status;
    tigon_debugger_options_defaults(&debug);
    pair_options_defaults(&options);
    debug.listening = listening;
    while ((option = getopt(count, texts, "g:n:s:eb:i:p")) != -1) {
        if (option == 'g')
            debug.address = optarg;
        else if (option == 'n')
            debug.snapshot_limit = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 's')
            debug.snapshot_ns = strtoul(optarg, NULL, 10);
        else if (option == 'p')
            options.knobs.idle_parking = false;
        else if (option == 'e')
            debug.stop_at_end = true;
        else if (option == 'b')
            debug.board = (int)strtol(optarg, NULL, 10);
        else if (option == 'i')
            sweep.options.iterations = strtoul(optarg, NULL, 10);
        else
            return 2;
    }

    if (pair_open(&pair, &options) != 0) {
        pair_complain(&pair, stderr);
        return 2;
    }
    const struct tigon_observer observer = {.context = &digest, .frame = frame};
    (void)tigon_world_attach(pair.world, &observer);
    if (debug.address && tigon_debugger_open(&debugger, pair.world, &debug) != 0) {
        (void)fprintf(stderr, "cannot listen on %s\n", debug.address);
        return 2;
    }
    status = pair_run(&pair, sweep_active, &sweep, sweep_passive, &sweep, LIMIT_NS) ? 1 : 0;
    report(&pair, &digest);
    pair_complain(&pair, stderr);
    tigon_debugger_close(debugger, status);
    pair_close(&pair);
    return status;
}
