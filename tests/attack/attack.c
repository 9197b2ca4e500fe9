/* SPDX-License-Identifier: MIT */
/* `make attack`: every attack of the list in worlds of its own, and a table of the outcomes. Exit
 * status 1 when an oracle failed. A world depends on its attack, the seed and its number alone, so
 * any of them can be run again. */
#include "tests/attack/world.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/random.h"

enum { SMALLEST_WORLD = 50, LARGEST_WORLD = 4000, JOBS_LIMIT = 64 };

static struct options {
    uint64_t frames;
    uint64_t seed;
    uint64_t jobs;
    uint64_t size;  /* of a world; 0: by the number of frames */
    uint64_t world; /* UINT64_MAX: all */
    const char *only;
    bool list;
} options = {.frames = 1000000, .seed = 1, .jobs = 1, .world = UINT64_MAX};

static const struct argp_option option_table[] = {
    {"frames", 'f', "COUNT", 0, "frames of all attacks together (1000000)", 0},
    {"seed", 's', "NUMBER", 0, "of everything random (1)", 0},
    {"jobs", 'j', "COUNT", 0, "processes (1)", 0},
    {"size", 'z', "COUNT", 0, "frames of a world, else by --frames", 0},
    {"world", 'w', "NUMBER", 0, "only this world of each attack", 0},
    {"only", 'o', "ATTACK", 0, "only attacks whose full name begins so", 0},
    {"list", 'l', NULL, 0, "print the names of the attacks", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    uint64_t *const numbers[] = {['f'] = &options.frames,
                                 ['s'] = &options.seed,
                                 ['j'] = &options.jobs,
                                 ['z'] = &options.size,
                                 ['w'] = &options.world};
    char *end = NULL;
    if (key == 'o') {
        options.only = text;
    } else if (key == 'l') {
        options.list = true;
    } else if (key > 0 && (size_t)key < sizeof numbers / sizeof *numbers && numbers[key]) {
        *numbers[key] = strtoull(text, &end, 0);
        if (*text < '0' || *text > '9' || *end || (key == 'j' && *numbers[key] > JOBS_LIMIT))
            argp_error(state, "expected a number, found %s", text);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ Plan
 */

/* World `number` of attack `attack`, and the report of a process about it. */
struct report {
    uint32_t attack;
    uint32_t number;
    struct world_result result;
};

static struct attacks list;
static uint64_t worlds_each;
static struct {
    struct world_figures figures;
    uint64_t worlds;
    uint64_t failed;
} totals[ATTACKS_LIMIT];

static void full_name(const struct attack *attack, char *name, size_t bytes) {
    (void)snprintf(name, bytes, "%s, %s%s", attack->kind, attack->name,
                   attack->through_switch ? ", switch" : "");
}

static bool wanted(size_t attack, uint64_t number) {
    char name[128];
    full_name(&list.attack[attack], name, sizeof name);
    return (options.world == UINT64_MAX || options.world == number) &&
           !(list.attack[attack].once && number > 0) &&
           (!options.only || strncmp(name, options.only, strlen(options.only)) == 0);
}

static void plan(void) {
    wire_attacks(&list);
    host_attacks(&list);
    misuse_attacks(&list);
    goodput_attacks(&list);
    const uint64_t each = options.frames / list.count + 1;
    if (!options.size) {
        options.size = each < LARGEST_WORLD ? each : LARGEST_WORLD;
        options.size = options.size < SMALLEST_WORLD ? SMALLEST_WORLD : options.size;
    }
    worlds_each = (each + options.size - 1) / options.size;
    if (options.world != UINT64_MAX)
        worlds_each = options.world + 1;
}

static void run(size_t attack, uint64_t number, struct report *report) {
    struct tigon_random random = tigon_random_for(options.seed, attack, number);
    *report = (struct report){.attack = (uint32_t)attack, .number = (uint32_t)number};
    list.attack[attack].run(&list.attack[attack], tigon_random_next(&random), options.size,
                            &report->result);
}

/* --------------------------------------------------------------------------------------- Running
 */

static void add(const struct report *report) {
    uint64_t *sum = (uint64_t *)&totals[report->attack].figures;
    const uint64_t *figures = (const uint64_t *)&report->result.figures;
    for (size_t i = 0; i < sizeof(struct world_figures) / sizeof *sum; i++)
        sum[i] += figures[i];
    totals[report->attack].worlds++;
    totals[report->attack].failed += report->result.failed;
}

static void show_failure(const struct report *report) {
    char name[128];
    full_name(&list.attack[report->attack], name, sizeof name);
    printf("FAILED: %s, world %" PRIu32 ", seed %" PRIu64 ": %s\n"
           "repeat it with: %s --seed %" PRIu64 " --size %" PRIu64 " --only '%s' --world %" PRIu32
           "\n",
           name, report->number, options.seed, report->result.words, program_invocation_name,
           options.seed, options.size, name, report->number);
}

/* Takes every jobs-th world, and writes a report of each. */
static void work(unsigned job, int to) {
    static struct report report;
    uint64_t turn = 0;
    for (uint64_t number = 0; number < worlds_each; number++)
        for (size_t attack = 0; attack < list.count; attack++) {
            if (!wanted(attack, number) || turn++ % options.jobs != job)
                continue;
            run(attack, number, &report);
            if (write(to, &report, sizeof report) != sizeof report)
                exit(1);
        }
    exit(0);
}

/* In the order of `wanted`, whatever the processes' order is. Of each attack the first failure is
 * shown. */
static bool run_all(void) {
    static struct report report;
    int from[JOBS_LIMIT];
    uint64_t turn = 0;
    bool whole = true;
    (void)fflush(stdout);
    for (unsigned job = 0; job < options.jobs; job++) {
        int ends[2];
        if (pipe(ends))
            return false;
        const pid_t child = fork();
        if (child < 0)
            return false;
        if (child == 0) {
            (void)close(ends[0]);
            work(job, ends[1]);
        }
        (void)close(ends[1]);
        from[job] = ends[0];
    }
    for (uint64_t number = 0; number < worlds_each && whole; number++)
        for (size_t attack = 0; attack < list.count && whole; attack++) {
            char *at = (char *)&report;
            size_t left = sizeof report;
            if (!wanted(attack, number))
                continue;
            const int pipe_end = from[turn++ % options.jobs];
            while (left > 0) {
                const ssize_t got = read(pipe_end, at, left);
                if (got <= 0)
                    break;
                at += got;
                left -= (size_t)got;
            }
            if (left > 0) {
                printf("FAILED: a process ended before its time, in world %" PRIu64 " of %s, %s\n",
                       number, list.attack[attack].kind, list.attack[attack].name);
                whole = false;
                break;
            }
            add(&report);
            if (report.result.failed && totals[attack].failed == 1)
                show_failure(&report);
            else if (!report.result.failed && report.result.words[0])
                printf("%s, %s: %s\n", list.attack[attack].kind, list.attack[attack].name,
                       report.result.words);
            if (isatty(STDERR_FILENO))
                (void)fprintf(stderr, "\r%" PRIu64 " worlds", turn);
        }
    for (unsigned job = 0; job < options.jobs; job++)
        (void)close(from[job]);
    while (wait(NULL) > 0)
        ;
    return whole;
}

/* --------------------------------------------------------------------------------------- Figures
 */

static struct world_figures print_table(uint64_t *worlds, uint64_t *failed) {
    struct world_figures all = {0};
    printf("%-36s %7s %9s %9s %9s %9s %7s\n", "", "worlds", "sent", "accepted", "messages",
           "disturbed", "failed");
    for (size_t i = 0; i < list.count; i++) {
        const struct world_figures *figures = &totals[i].figures;
        char name[128];
        if (!totals[i].worlds)
            continue;
        full_name(&list.attack[i], name, sizeof name);
        printf("%-36s %7" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %7" PRIu64
               "\n",
               name, totals[i].worlds, figures->frames, figures->accepted, figures->messages,
               figures->disturbed + figures->stopped, totals[i].failed);
        for (size_t word = 0; word < sizeof all / sizeof(uint64_t); word++)
            ((uint64_t *)&all)[word] += ((const uint64_t *)figures)[word];
        *worlds += totals[i].worlds;
        *failed += totals[i].failed;
    }
    return all;
}

static void print_refusals(const struct world_figures *all) {
#define NAME(name, documentation) #name,
    static const char *const counters[] = {EMP_COUNTERS(NAME)};
    static const char *const runtime[WORLD_RUNTIME_COUNTERS] = {
        "not EMP for this board", "not a whole EMP frame", "answers dropped for want of room"};
    printf("refused by the MAC: %" PRIu64 "; bad checksum: %" PRIu64 "\n", all->mac_refused,
           all->bad_checksum);
    printf("by the firmware, honest frames among them:\n");
    for (size_t i = 0; i < WORLD_RUNTIME_COUNTERS; i++)
        printf("  %-34s %10" PRIu64 "\n", runtime[i], all->runtime[i]);
    for (size_t i = 0; i < EMP_COUNTER_COUNT; i++)
        printf("  %-34s %10" PRIu64 "\n", counters[i], all->counters[i]);
}

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    static const struct argp parser = {.options = option_table, .parser = parse};
    uint64_t worlds = 0;
    uint64_t failed = 0;
    const double began = now();
    if (argp_parse(&parser, argc, argv, 0, NULL, NULL))
        return 2;
    options.jobs = options.jobs ? options.jobs : 1;
    (void)setenv("EMP_IMAGE", FIRMWARE_IMAGE, 0); /* of the same build: it has the same spec */
    plan();
    if (options.list) {
        for (size_t i = 0; i < list.count; i++) {
            char name[128];
            full_name(&list.attack[i], name, sizeof name);
            puts(name);
        }
        return 0;
    }
    const bool whole = run_all();
    const struct world_figures all = print_table(&worlds, &failed);
    print_refusals(&all);
    printf("%" PRIu64 " hostile frames and writes in %" PRIu64 " worlds, %" PRIu64
           " frames accepted by a MAC; %" PRIu64 " honest messages compared, %" PRIu64
           " transfers looked at, %" PRIu64 " of them late reads\n"
           "seed %" PRIu64 ", %.3f simulated seconds, %.1f s; %" PRIu64 " worlds failed\n",
           all.frames, worlds, all.accepted, all.messages, all.transfers, all.late, options.seed,
           (double)all.simulated_ns / 1e9, now() - began, failed);
    return !whole || failed || !worlds;
}
