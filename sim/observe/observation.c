/* SPDX-License-Identifier: MIT */
/* See observation.h. */
#include "sim/observe/observation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tigon_observation {
    struct tigon_world *world;
    struct tigon_observation_options options;
    size_t boards;
    struct tigon_execution **executions; /* by board; NULL: not followed */
    struct tigon_profile **profiles;
    struct tigon_transitions **transitions;
    struct tigon_vcd *vcd;
    struct tigon_timeline *timeline;
    struct tigon_event_log *log;
    struct tigon_explain *explain;
    FILE *log_file;
};

/* The first failure of many. */
struct failure {
    int error;
    char *message;
    size_t bytes;
};

static void fail(struct failure *failure, const char *what, int error) {
    if (!error || failure->error)
        return;
    failure->error = error;
    (void)snprintf(failure->message, failure->bytes, "%s: %s", what, strerror(-error));
}

static bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_standard_output(const char *path) {
    return strcmp(path, "-") == 0;
}

/* ------------------------------------------------------------------------------------------------
 * Beginning */

static bool wants_functions(const struct tigon_observation_options *options) {
    return options->profile || options->timeline || options->explain ||
           (options->vcd && tigon_vcd_wants_functions(options->vcd_patterns)) ||
           (options->log && (options->log_kinds >> TIGON_LOG_TRANSITION & 1u));
}

static void follow(struct tigon_observation *observation, size_t index, struct failure *failure) {
    struct tigon_board *board = tigon_world_board(observation->world, index);
    const char *image = observation->options.images ? observation->options.images[index] : NULL;
    fail(failure, tigon_board_name(board),
         tigon_execution_start(&observation->executions[index], board));
    for (unsigned core = 0; core < 2 && image && !failure->error; core++) {
        const int error = tigon_execution_symbols(observation->executions[index], core, image);
        if (error != -ENOEXEC)
            fail(failure, image, error);
    }
    if (!observation->options.profile || failure->error)
        return;
    fail(failure, "profile",
         tigon_profile_start(&observation->profiles[index], observation->executions[index]));
    if (!failure->error)
        fail(failure, "profile",
             tigon_transitions_start(&observation->transitions[index],
                                     observation->executions[index]));
}

static void forget(void *context) {
    struct tigon_observation *observation = context;
    for (size_t i = 0; i < observation->boards; i++) {
        tigon_execution_settle(observation->executions[i]);
        tigon_profile_reset(observation->profiles[i]);
        tigon_transitions_reset(observation->transitions[i]);
    }
}

static void start_log(struct tigon_observation *observation, struct failure *failure) {
    const struct tigon_observation_options *options = &observation->options;
    struct tigon_log_options log = {
        .stream = stdout,
        .json = ends_with(options->log, ".json") || ends_with(options->log, ".jsonl"),
        .kinds = options->log_kinds ? options->log_kinds : TIGON_LOG_USUAL,
        .executions = observation->executions,
        .transition_name = options->transition_name,
    };
    if (!is_standard_output(options->log)) {
        log.stream = observation->log_file = fopen(options->log, "w");
        if (!log.stream)
            fail(failure, options->log, -errno);
    }
    if (!failure->error)
        fail(failure, options->log,
             tigon_event_log_start(&observation->log, observation->world, &log));
}

static void start_files(struct tigon_observation *observation, struct failure *failure) {
    const struct tigon_observation_options *options = &observation->options;
    char unfit[128] = "";
    const struct tigon_vcd_options vcd = {options->vcd, options->vcd_patterns,
                                          observation->executions, unfit, sizeof unfit};
    const struct tigon_timeline_options timeline = {options->timeline, observation->executions,
                                                    options->transition_name};
    if (options->vcd) {
        const int error = tigon_vcd_start(&observation->vcd, observation->world, &vcd);
        if (error == -ENOENT && options->vcd_patterns) {
            failure->error = error;
            (void)snprintf(failure->message, failure->bytes,
                           "no signal of any board fits %s; docs/board-debugging.md, "
                           "\"Looking inside\", lists them",
                           unfit[0] ? unfit : options->vcd_patterns);
        }
        fail(failure, options->vcd, error);
    }
    if (options->timeline && !failure->error)
        fail(failure, options->timeline,
             tigon_timeline_start(&observation->timeline, observation->world, &timeline));
    if (options->log && !failure->error)
        start_log(observation, failure);
    if (options->explain && !failure->error)
        fail(failure, "explain",
             tigon_explain_start(&observation->explain, observation->world,
                                 observation->executions));
}

const struct tigon_explain *tigon_observation_explain(const struct tigon_observation *observation) {
    return observation->explain;
}

int tigon_observation_start(struct tigon_observation **observation, struct tigon_world *world,
                            const struct tigon_observation_options *options, char *message,
                            size_t message_bytes) {
    struct failure failure = {0, message, message_bytes};
    struct tigon_observation *result = calloc(1, sizeof *result);
    const size_t boards = tigon_world_board_count(world);
    if (!result) {
        fail(&failure, "observation", -ENOMEM);
        return failure.error;
    }
    result->world = world;
    result->options = *options;
    result->boards = boards;
    result->executions = calloc(boards + 1, sizeof(struct tigon_execution *));
    result->profiles = calloc(boards + 1, sizeof(struct tigon_profile *));
    result->transitions = calloc(boards + 1, sizeof(struct tigon_transitions *));
    if (!result->executions || !result->profiles || !result->transitions)
        fail(&failure, "observation", -ENOMEM);
    for (size_t i = 0; i < boards && !failure.error && wants_functions(options); i++)
        follow(result, i, &failure);
    if (!failure.error)
        start_files(result, &failure);
    if (!failure.error && options->profile && options->profile_from_ns)
        tigon_world_call_at(world, options->profile_from_ns, forget, result);
    if (failure.error) {
        char ignored[8];
        result->options.profile = NULL; /* there is nothing to tell */
        (void)tigon_observation_end(result, ignored, sizeof ignored);
        return failure.error;
    }
    *observation = result;
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * End */

static void print_tables(const struct tigon_observation *observation, FILE *stream) {
    const size_t limit =
        observation->options.profile_limit ? observation->options.profile_limit : 20;
    for (size_t i = 0; i < observation->boards; i++) {
        const char *name = tigon_board_name(tigon_world_board(observation->world, i));
        tigon_profile_print(observation->profiles[i], stream, name, limit);
        tigon_transitions_print(observation->transitions[i], stream, i, name,
                                observation->options.transition_name, limit);
    }
}

static void write_callgrind(const struct tigon_observation *observation, FILE *stream) {
    const char **names = calloc(observation->boards + 1, sizeof *names);
    if (!names)
        return;
    for (size_t i = 0; i < observation->boards; i++)
        names[i] = tigon_board_name(tigon_world_board(observation->world, i));
    tigon_profile_write_callgrind(observation->profiles, names, observation->boards, stream);
    free(names);
}

static int write_profile(const struct tigon_observation *observation) {
    const char *path = observation->options.profile;
    const bool console = is_standard_output(path);
    FILE *stream = console ? stdout : fopen(path, "w");
    if (!stream)
        return -errno;
    if (ends_with(path, ".callgrind"))
        write_callgrind(observation, stream);
    else if (ends_with(path, ".folded"))
        for (size_t i = 0; i < observation->boards; i++)
            tigon_profile_write_folded(observation->profiles[i], stream,
                                       tigon_board_name(tigon_world_board(observation->world, i)));
    else
        print_tables(observation, stream);
    int error = ferror(stream) ? -EIO : 0;
    if ((console ? fflush(stream) : fclose(stream)) != 0 && !error)
        error = errno ? -errno : -EIO;
    return error;
}

int tigon_observation_end(struct tigon_observation *observation, char *message,
                          size_t message_bytes) {
    struct failure failure = {0, message, message_bytes};
    if (!observation)
        return 0;
    const struct tigon_observation_options *options = &observation->options;
    /* Closes open functions and transitions; listeners are notified. */
    for (size_t i = 0; observation->executions && i < observation->boards; i++)
        tigon_execution_end(observation->executions[i]);
    fail(&failure, options->vcd ? options->vcd : "", tigon_vcd_end(observation->vcd));
    fail(&failure, options->timeline ? options->timeline : "",
         tigon_timeline_end(observation->timeline));
    fail(&failure, options->log ? options->log : "", tigon_event_log_end(observation->log));
    if (observation->log_file && fclose(observation->log_file) != 0)
        fail(&failure, options->log, errno ? -errno : -EIO);
    if (options->profile)
        fail(&failure, options->profile, write_profile(observation));
    tigon_explain_end(observation->explain);
    for (size_t i = 0; i < observation->boards; i++) {
        if (observation->profiles)
            tigon_profile_free(observation->profiles[i]);
        if (observation->transitions)
            tigon_transitions_free(observation->transitions[i]);
        if (observation->executions)
            tigon_execution_free(observation->executions[i]);
    }
    free(observation->profiles);
    free(observation->transitions);
    free(observation->executions);
    free(observation);
    return failure.error;
}
