/* SPDX-License-Identifier: MIT */
/* Support for generated C inside a SPIN model: assertions that name their property, coverage of
 * transitions and of the world, and the narration of trails.
 *
 * Nothing here is part of the state: coverage only grows and has no influence on the search.
 *
 * To be defined before: MODEL_TRANSITIONS; MODEL_EXECUTIONS, what may be executed besides, and of
 * these MODEL_WORLD_EXECUTIONS, which come first (gen/hsmc/backends/executions.py).
 */
#ifndef MODELS_SPIN_SUPPORT_H
#define MODELS_SPIN_SUPPORT_H

extern void (*uerror)(char *); /* pan.c declares these two further down */
extern int readtrail;

/* An assertion as in the Promela. Its message begins like SPIN's, so that one parser finds both. */
#define HOLDS(property, condition)                                                                 \
    do {                                                                                           \
        if (!(property) && !(condition))                                                           \
            uerror("assertion violated (" #property "||(" #condition "))");                        \
    } while (0)

/* As hsm_tell in the Promela: prints a line that begins with @ while a trail is executed. */
#define TELL(...)                                                                                  \
    do {                                                                                           \
        if (readtrail)                                                                             \
            printf(__VA_ARGS__);                                                                   \
    } while (0)

static unsigned char spin_taken[MODEL_TRANSITIONS];
static unsigned char spin_executed[MODEL_EXECUTIONS + 1]; /* an array may not be empty */

#ifdef MODEL_FEATURES /* so many: see gen/hsmc/verification/features.py */
#include "model_features.h"
/* By feature: those that a path has shown together with it. Those of the present path are
 * spin_features, which the verifier keeps with its stack (the world's c_track). */
static unsigned long spin_together[MODEL_FEATURES];

static void spin_show(const unsigned long features) {
    const unsigned long fresh = features & ~spin_features;

    spin_features |= fresh;
    for (unsigned feature = 0; fresh >> feature != 0; feature++) {
        if (fresh >> feature & 1)
            spin_together[feature] |= spin_features;
    }
}
#define SPIN_SHOW(features) spin_show(features)
#else
#define SPIN_SHOW(features) ((void)0)
#endif

static void spin_take(const unsigned transition) {
    spin_taken[transition] = 1;
    SPIN_SHOW(spin_row_features[transition]);
}

/* 1, for conditions. */
static int spin_execute(const unsigned number) {
    spin_executed[number] = 1;
    SPIN_SHOW(spin_line_features[number]);
    return 1;
}

/* Of what one node can see of a property. */
static int spin_premise(const unsigned number) {
    return spin_execute(MODEL_WORLD_EXECUTIONS + number);
}

/* What is asserted where a premise holds. MODEL_PREMISE is the HSM_PREMISE of
 * fw-runtime/hsm_checks.h. */
#define WORLD_PREMISE(number, condition) (spin_execute(number) && (condition))
#define MODEL_PREMISE(number, condition) (spin_premise(number) && (condition))

static void spin_report_zeros(const char *const what, const unsigned char *const counted,
                              const unsigned count) {
    printf("%s:", what);
    for (unsigned number = 0; number < count; number++) {
        if (!counted[number])
            printf(" %u", number);
    }
    printf("\n");
}

/* Prints, at exit and for hsmc verify, the numbers of what no reachable state takes or executes,
 * and which features have met. */
static void spin_report_coverage(void) {
    spin_report_zeros("transitions not taken", spin_taken, MODEL_TRANSITIONS);
    spin_report_zeros("not executed", spin_executed, MODEL_EXECUTIONS);
#ifdef MODEL_FEATURES
    printf("together:");
    for (unsigned feature = 0; feature < MODEL_FEATURES; feature++)
        printf(" %lx", spin_together[feature]);
    printf("\n");
#endif
}

/* The verifier calls it first (gen/hsmc/verification/state_vector.py): a search that takes no
 * transition must say so, and one that ends before the world begins, too. */
static void spin_count_coverage(void) {
    atexit(spin_report_coverage);
}

static void model_trace(const unsigned transition, const unsigned instance) {
    spin_take(transition);
    if (readtrail)
        printf("@ row %u %u\n", transition, instance);
}

static void model_never(const unsigned process, const unsigned state, const unsigned event) {
    printf("process %u in state %u cannot take event %u\n", process, state, event);
    uerror("assertion violated never_event");
}

/* The HSM_CHECK_ABORT of fw-runtime/hsm_checks.h, defined by an option of hsmc verify; HSM_HOLDS is
 * HOLDS. */
static void model_check_failed(const unsigned kind, const char *const file, const unsigned line) {
    static char message[256];

    (void)snprintf(message, sizeof message, "assertion violated %s: %s at %s:%u",
                   hsm_check_name(kind), hsm_check_text(kind), file, line);
    uerror(message);
}

#endif
