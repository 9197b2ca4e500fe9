/* SPDX-License-Identifier: MIT */
/* emp_replay IMAGE: two simulated boards that do what they are told, step by step, and nothing
 * else: the wire between them holds every frame until it is asked for, messages are posted when a
 * command says so, and a board's transfers to host memory may wait for a command too.
 *
 * Commands come from standard input, one a line; SIDE is 0 or 1 and also the node's number:
 *
 *     post SIDE send|receive TAG BYTES
 *         to or from the other side
 *     cancel SIDE RECEIVE
 *         the host wants this receive back, numbered in order of posting
 *     deliver SIDE FIELD=VALUE ...
 *         the frame that SIDE offered last with these fields arrives; it stays held and may again
 *     forge SIDE FIELD=VALUE ...
 *         a frame that SIDE never offered, with these fields, arrives at the other
 *     expire SIDE
 *         time passes until the board has taken a transition
 *     hold SIDE
 *         from now on data for the host's memory waits ...
 *     place SIDE
 *         ... until this; then just as much as makes the board take a transition
 *     free SIDE
 *         and from now on it waits no more
 *     parameter SIDE NAME VALUE
 *         of the specification
 *     restart SIDE EPOCH
 *         as a host that comes up again does
 *     idle NANOSECONDS
 *
 * Each is answered by "= COMMAND" and what happened then, until both boards are quiet again:
 *
 *     put SIDE kind=1 ... digest=0x1234    a frame was offered to the wire
 *     row SIDE TRANSITION ARGUMENT         a record of the trace ring
 *     memory, torn, done                   see host/replay/letters.h
 *     failed WHY                           the command did nothing
 *
 * and at the end "end NANOSECONDS". All of it depends on image and commands alone.
 *
 * Frames that are held back make boards send again, so the time-out should be set beyond what the
 * commands take; that is for whoever writes them.
 */
#include "host/demo/pair.h"
#include "host/replay/held.h"
#include "host/replay/letters.h"

#include "emp/emp_layout.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A command's time: long enough for a message of LETTER_FRAMES frames, far below any time-out. */
#define WINDOW_NS    UINT64_C(4000000)
#define PARAMETER_NS UINT64_C(200000)
#define RESTART_NS   UINT64_C(400000000)
#define STEP_NS      UINT64_C(100000)
#define EXPIRE_NS    (2 * WINDOW_NS)
#define NAP_NS       UINT64_C(50000)
#define START_NS     UINT64_C(5000000000)

/* tigon2.md 5.4: while bit 1 is set no transfer begins; one under way goes on. */
enum { REGISTER_ASSIST = 0x11C, ASSIST_ENABLE = 1, ASSIST_PAUSE = 2, PLACE_TRANSFERS = 256 };

enum { LINE_BYTES = 1024, WORDS_LIMIT = 4 };

struct bench;

/* What a host is to do next, and what came of it. */
struct errand {
    int (*run)(struct bench *bench, struct pair_side *side);
    char *word[WORDS_LIMIT];
    int result;
};

struct bench {
    struct pair pair;
    struct held held;
    struct letters letters[2];
    struct errand errand[2];
    bool ready[2];
    bool holds[2];
    bool over;
    uint32_t seen[2]; /* records of the trace rings */
    uint64_t nap_ns;
};

static uint32_t control(const struct pair_side *side, uint32_t word) {
    return tigon_board_peek32(side->hardware, EMP_CONTROL_ADDRESS + 4 * word);
}

static uint32_t transitions(const struct pair_side *side) {
    return control(side, EMP_CONTROL_TRACE_NEXT_WORD);
}

static void tell_rows(struct bench *bench) {
    for (unsigned i = 0; i < 2; i++) {
        const struct pair_side *side = &bench->pair.side[i];
        const uint32_t entries = control(side, EMP_CONTROL_TRACE_ENTRIES_WORD);
        for (; entries != 0 && bench->seen[i] != transitions(side); bench->seen[i]++) {
            const uint32_t at = control(side, EMP_CONTROL_TRACE_WORD) +
                                EMP_TRACE_RECORD_BYTES * (bench->seen[i] & (entries - 1));
            const uint32_t word = tigon_board_peek32(side->hardware, at + 4);
            (void)printf("row %u %" PRIu32 " %" PRIu32 "\n", i, word >> 16, word & 0xFFFF);
        }
    }
}

static void tell_memory(struct bench *bench) {
    for (unsigned i = 0; i < 2; i++)
        letters_tell_memory(&bench->letters[i], &bench->letters[1 - i], stdout);
}

/* What memory holds is told first, so that an acknowledgement can be judged by it. */
static void tell_frame(void *context, const struct held_frame *frame) {
    tell_memory(context);
    (void)printf("put %u", frame->from_side);
    for (unsigned i = 0; i < HELD_FIELDS; i++)
        (void)printf(" %s=%" PRIu32, held_field_name(i), held_field(&frame->header, i));
    (void)printf(" digest=0x%08" PRIx32 "\n", frame->digest);
}

/* --- the hosts */

static int program(struct pair_side *side, void *argument) {
    struct bench *bench = argument;
    struct errand *errand = &bench->errand[side->index];
    bench->ready[side->index] = true;
    while (!bench->over) {
        if (errand->run) {
            errand->result = errand->run(bench, side);
            errand->run = NULL;
        }
        if (letters_posted(&bench->letters[side->index]) != 0) {
            tell_memory(bench);
            letters_tell_finished(&bench->letters[side->index], side->board, stdout);
        }
        tigon_host_sleep_ns(side->host, bench->nap_ns);
    }
    return 0;
}

static bool number(const char *text, uint64_t most, uint64_t *value) {
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return !*end && !errno && *value <= most;
}

static int post(struct bench *bench, struct pair_side *side) {
    struct errand *errand = &bench->errand[side->index];
    const bool send = errand->word[0] && strcmp(errand->word[0], "send") == 0;
    uint64_t tag;
    uint64_t bytes;
    if ((!send && (!errand->word[0] || strcmp(errand->word[0], "receive") != 0)) ||
        !number(errand->word[1], UINT16_MAX, &tag) ||
        !number(errand->word[2], LETTER_BYTES_LIMIT, &bytes))
        return -EINVAL;
    return letters_post(&bench->letters[side->index], side->board, send, side->peer, (uint16_t)tag,
                        (uint32_t)bytes);
}

static int cancel(struct bench *bench, struct pair_side *side) {
    struct errand *errand = &bench->errand[side->index];
    uint64_t receive;
    if (!number(errand->word[0], LETTER_LIMIT, &receive))
        return -EINVAL;
    return letters_cancel(&bench->letters[side->index], side->board, receive);
}

static int set_parameter(struct bench *bench, struct pair_side *side) {
    struct errand *errand = &bench->errand[side->index];
    uint64_t value;
    const int index = errand->word[0] ? libemp_find_parameter(errand->word[0]) : -EINVAL;
    if (index < 0)
        return index;
    if (!number(errand->word[1], UINT32_MAX, &value))
        return -EINVAL;
    return libemp_set_parameter(side->board, (size_t)index, (uint32_t)value);
}

static int hold(struct bench *bench, struct pair_side *side) {
    tigon_host_write32(side->host, REGISTER_ASSIST, ASSIST_ENABLE | ASSIST_PAUSE);
    bench->holds[side->index] = true;
    return 0;
}

static int let_go(struct bench *bench, struct pair_side *side) {
    tigon_host_write32(side->host, REGISTER_ASSIST, ASSIST_ENABLE);
    bench->holds[side->index] = false;
    return 0;
}

/* One transfer at a time: a second could not begin between the two writes, which are 90 ns apart
 * where the shortest transfer takes 300. */
static int place(struct bench *bench, struct pair_side *side) {
    const uint32_t before = transitions(side);
    if (!bench->holds[side->index])
        return -EINVAL;
    for (unsigned i = 0; i < PLACE_TRANSFERS; i++) {
        tigon_host_write32(side->host, REGISTER_ASSIST, ASSIST_ENABLE);
        tigon_host_write32(side->host, REGISTER_ASSIST, ASSIST_ENABLE | ASSIST_PAUSE);
        tigon_host_sleep_ns(side->host, 20000);
        if (transitions(side) != before)
            return 0;
    }
    return -ETIMEDOUT;
}

/* As bring_up of the pair, for a board that was up before. */
static int restart(struct bench *bench, struct pair_side *side) {
    struct errand *errand = &bench->errand[side->index];
    struct board_start_options options = {.node = (uint16_t)side->index};
    uint64_t epoch;
    uint8_t address[6];
    if (!number(errand->word[0], UINT16_MAX, &epoch))
        return -EINVAL;
    options.epoch = (uint16_t)epoch;
    letters_forget(&bench->letters[side->index]);
    int error = libemp_stop(side->board);
    if (!error)
        error = libemp_start(side->board, bench->pair.image, &options);
    tigon_board_mac_address(bench->pair.side[1 - side->index].hardware, address);
    if (!error)
        error = libemp_set_peer(side->board, side->peer, address);
    if (!error)
        error = board_wait_link(libemp_hardware(side->board), RESTART_NS);
    bench->seen[side->index] = transitions(side);
    return !error && bench->holds[side->index] ? hold(bench, side) : error;
}

/* --- time */

static int pass(struct bench *bench, uint64_t ns) {
    struct tigon_world *world = bench->pair.world;
    bench->pair.end = tigon_world_run(world, tigon_world_now_ns(world) + ns);
    return bench->pair.end == TIGON_END_TIME_LIMIT ? 0 : -EIO;
}

static int errand(struct bench *bench, unsigned side,
                  int (*run)(struct bench *bench, struct pair_side *side), uint64_t ns) {
    bench->errand[side].run = run;
    bench->errand[side].result = 0;
    const int error = pass(bench, ns);
    if (error)
        return error;
    if (bench->errand[side].run) {
        (void)puts("failed the host is still at it");
    } else if (bench->errand[side].result) {
        const int result = bench->errand[side].result;
        const char *why = libemp_message(bench->pair.side[side].board);
        (void)printf("failed %s%s%s\n", strerror(-result), *why ? ": " : "", why);
    }
    return 0;
}

static int deliver(struct bench *bench, unsigned side, const char *wanted) {
    const char *mistake;
    const struct held_frame *frame = held_find(&bench->held, side, wanted, &mistake);
    if (mistake)
        (void)printf("failed expected FIELD=NUMBER, found %s\n", mistake);
    else if (!frame)
        (void)printf("failed board %u has offered no such frame\n", side);
    else
        held_release(&bench->held, frame);
    return pass(bench, WINDOW_NS);
}

static int forge(struct bench *bench, unsigned side, const char *wanted) {
    struct held_frame frame;
    const char *mistake;
    const struct pair_side *sides = bench->pair.side;
    if (held_forge(sides[side].hardware, sides[1 - side].hardware, side, wanted, &frame, &mistake))
        held_release(&bench->held, &frame);
    else
        (void)printf("failed expected FIELD=NUMBER, found %s\n", mistake);
    return pass(bench, WINDOW_NS);
}

static int expire(struct bench *bench, unsigned side) {
    const uint32_t before = transitions(&bench->pair.side[side]);
    for (uint64_t ns = 0; ns < EXPIRE_NS; ns += STEP_NS) {
        const int error = pass(bench, STEP_NS);
        if (error)
            return error;
        if (transitions(&bench->pair.side[side]) != before)
            return pass(bench, WINDOW_NS / 2);
    }
    (void)printf("failed no timer of board %u has run out within %" PRIu64 " us\n", side,
                 (uint64_t)(EXPIRE_NS / 1000));
    return 0;
}

static int idle(struct bench *bench, const char *text) {
    uint64_t ns;
    if (!number(text, UINT64_C(600000000000), &ns)) {
        (void)puts("failed expected a number of nanoseconds");
        return 0;
    }
    bench->nap_ns = WINDOW_NS;
    const int error = pass(bench, ns);
    bench->nap_ns = NAP_NS;
    return error;
}

static int obey(struct bench *bench, char *line) {
    static const struct {
        const char *name;
        int (*run)(struct bench *bench, struct pair_side *side);
        uint64_t ns;
    } errands[] = {{"post", post, WINDOW_NS},
                   {"cancel", cancel, WINDOW_NS},
                   {"parameter", set_parameter, PARAMETER_NS},
                   {"hold", hold, PARAMETER_NS},
                   {"place", place, WINDOW_NS},
                   {"free", let_go, WINDOW_NS},
                   {"restart", restart, RESTART_NS}};
    char *rest;
    char *name = strtok_r(line, " \n", &rest);
    uint64_t side = 0;
    if (strcmp(name, "idle") == 0)
        return idle(bench, strtok_r(NULL, " \n", &rest));
    if (!number(strtok_r(NULL, " \n", &rest), 1, &side)) {
        (void)puts("failed expected a side, 0 or 1");
        return 0;
    }
    rest[strcspn(rest, "\n")] = 0;
    if (strcmp(name, "deliver") == 0)
        return deliver(bench, (unsigned)side, rest);
    if (strcmp(name, "forge") == 0)
        return forge(bench, (unsigned)side, rest);
    if (strcmp(name, "expire") == 0)
        return expire(bench, (unsigned)side);
    for (size_t i = 0; i < sizeof errands / sizeof *errands; i++)
        if (strcmp(name, errands[i].name) == 0) {
            for (size_t w = 0; w < WORDS_LIMIT; w++)
                bench->errand[side].word[w] = strtok_r(NULL, " \n", &rest);
            return errand(bench, (unsigned)side, errands[i].run, errands[i].ns);
        }
    (void)printf("failed there is no command %s\n", name);
    return 0;
}

/* --- all of it */

static int start(struct bench *bench) {
    int error = pair_run(&bench->pair, program, bench, program, bench, STEP_NS);
    while ((!error || error == -ETIMEDOUT) && !(bench->ready[0] && bench->ready[1])) {
        error = pass(bench, STEP_NS);
        if (!error && tigon_world_now_ns(bench->pair.world) > START_NS)
            error = -EIO;
    }
    if (error && error != -ETIMEDOUT)
        return error;
    error = pass(bench, WINDOW_NS);
    for (unsigned i = 0; i < 2; i++)
        bench->seen[i] = transitions(&bench->pair.side[i]);
    return error;
}

static int run(struct bench *bench) {
    char line[LINE_BYTES];
    int error = start(bench);
    held_begin(&bench->held, bench->pair.wire, tell_frame, bench);
    while (!error && fgets(line, sizeof line, stdin)) {
        if (line[strspn(line, " \n")] == 0 || line[0] == '#')
            continue;
        (void)printf("= %.*s\n", (int)strcspn(line, "\n"), line);
        error = obey(bench, line);
        tell_rows(bench);
        tell_memory(bench);
    }
    if (error)
        return error;
    (void)printf("end %" PRIu64 "\n", tigon_world_now_ns(bench->pair.world));
    bench->over = true;
    bench->pair.end =
        tigon_world_run(bench->pair.world, tigon_world_now_ns(bench->pair.world) + RESTART_NS);
    return bench->pair.end == TIGON_END_FINISHED ? 0 : -EIO;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    struct pair_options *options = state->input;
    switch (key) {
    case 't':
        options->trace = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_usage(state);
        options->image = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int count, char **arguments) {
    static const struct argp_option list[] = {
        {"trace", 't', "PREFIX", 0, "record both boards for hsmc conform", 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "IMAGE",
        .doc = "Runs commands from standard input on two simulated boards, step by step, as "
               "'hsmc replay --boards' has them; host/replay/board_replay.c says which.",
    };
    struct pair_options options;
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return 1;
    pair_options_defaults(&options);
    argp_parse(&argp, count, arguments, 0, NULL, &options);
    bench->nap_ns = NAP_NS;
    for (unsigned i = 0; i < 2; i++)
        bench->letters[i].side = i;
    int error = pair_open(&bench->pair, &options);
    if (!error)
        error = run(bench);
    if (error) {
        pair_complain(&bench->pair, stderr);
        (void)fprintf(stderr, "emp_replay: %s\n", strerror(-error));
    }
    pair_close(&bench->pair);
    free(bench);
    return error != 0;
}
