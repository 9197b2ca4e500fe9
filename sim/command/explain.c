/* SPDX-License-Identifier: MIT */
/* tigonsim explain: a run that tells where the time of one message goes. */
#include "sim/command/explain.h"

#include "sim/command/command.h"
#include "sim/time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    [TIGON_SEGMENT_HOST] = "host",
    [TIGON_SEGMENT_WAIT] = "wait",
    [TIGON_SEGMENT_CORE] = "core",
    [TIGON_SEGMENT_DMA_READ] = "dma_read",
    [TIGON_SEGMENT_MAC] = "mac",
    [TIGON_SEGMENT_WIRE] = "wire",
    [TIGON_SEGMENT_DMA_WRITE] = "dma_write",
};

/* "BOARD:NUMBER" */
static int find_message(struct run *run, const char *which, size_t *board, uint64_t *number) {
    const char *colon = strrchr(which, ':');
    char *end = NULL;
    errno = 0;
    *number = colon ? strtoull(colon + 1, &end, 10) : 0;
    if (!colon || errno || *end || colon[1] < '0' || colon[1] > '9')
        return command_complain("--explain: expected BOARD:NUMBER such as right:10, found %s",
                                which);
    const size_t length = (size_t)(colon - which), count = tigon_world_board_count(run->world);
    for (*board = 0; *board < count; (*board)++) {
        const char *name = tigon_board_name(tigon_world_board(run->world, *board));
        if (strlen(name) == length && memcmp(name, which, length) == 0)
            return COMMAND_DONE;
    }
    return command_complain("--explain: no board is called %.*s", (int)length, which);
}

static void add_time(cJSON *object, const char *name, uint64_t from, uint64_t to) {
    const uint64_t ps = tigon_ps_from_ticks(to) - tigon_ps_from_ticks(from);
    (void)cJSON_AddNumberToObject(object, name, (double)ps / 1000.0);
}

static void add_segment(const struct tigon_explain *explain, struct run *run, cJSON *list,
                        uint64_t begin, const struct tigon_segment *segment) {
    enum { SHARES = 64 };
    struct tigon_share shares[SHARES];
    const bool core = segment->kind == TIGON_SEGMENT_CORE || segment->kind == TIGON_SEGMENT_WAIT;
    const size_t count = core ? tigon_explain_shares(explain, segment, shares, SHARES) : 0;
    cJSON *object = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(object, "kind", kinds[segment->kind]);
    (void)cJSON_AddStringToObject(object, "board",
                                  tigon_board_name(tigon_world_board(run->world, segment->board)));
    (void)cJSON_AddStringToObject(object, "segment", segment->name);
    add_time(object, "from_ns", begin, segment->started);
    add_time(object, "ns", segment->started, segment->ended);
    if (core) {
        cJSON *functions = cJSON_AddObjectToObject(object, "function_ns");
        for (size_t i = 0; i < count; i++)
            add_time(functions, shares[i].function, 0, shares[i].ticks);
    }
    (void)cJSON_AddItemToArray(list, object);
}

int explain_report(struct run *run, const struct tigon_explain *explain, const char *which) {
    struct tigon_segment segments[TIGON_SEGMENTS_LIMIT];
    char message[160];
    size_t board = 0;
    uint64_t number;
    const int status = find_message(run, which, &board, &number);
    if (status != COMMAND_DONE)
        return status;
    const int count = tigon_explain_find(explain, board, number, segments, message, sizeof message);
    if (count < 0) {
        (void)command_complain("--explain %s: %s", which, message);
        return COMMAND_FAILED;
    }
    tigon_explain_print(explain, segments, (size_t)count, stdout);
    cJSON *object = cJSON_AddObjectToObject(run->result, "message");
    (void)cJSON_AddStringToObject(object, "which", which);
    add_time(object, "started_ns", 0, segments[0].started);
    add_time(object, "latency_ns", segments[0].started, segments[count - 1].ended);
    cJSON *list = cJSON_AddArrayToObject(object, "segments");
    for (int i = 0; i < count; i++)
        add_segment(explain, run, list, segments[0].started, &segments[i]);
    return COMMAND_DONE;
}

/* The same as `tigonsim run --quiet --explain=BOARD:NUMBER`, with the rest of the arguments. */
int command_explain(int count, char **texts) {
    static char quiet[] = "--quiet";
    char **all = calloc((size_t)count + 2, sizeof *all);
    char *option = NULL;
    int status = COMMAND_USAGE;
    if (!all)
        return command_complain("out of memory");
    memcpy(all, texts, (size_t)count * sizeof *all);
    if (count > 1 && texts[1][0] != '-') {
        const size_t bytes = sizeof "--explain=" + strlen(texts[1]);
        option = malloc(bytes);
        if (option) {
            (void)snprintf(option, bytes, "--explain=%s", texts[1]);
            all[1] = option;
            all[count++] = quiet;
        }
    } else if (count == 1 || strcmp(texts[1], "--help") != 0) {
        free(all);
        return command_complain("explain: expected a message, BOARD:NUMBER, and a scenario");
    }
    status = command_run(count, all);
    free(option);
    free(all);
    return status;
}
