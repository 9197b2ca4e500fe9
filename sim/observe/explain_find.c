/* SPDX-License-Identifier: MIT */
/* The way of a message, found backwards from its end; see explain.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/observe/explain_private.h"
#include "sim/time.h"

struct way {
    const struct tigon_explain *explain;
    struct tigon_segment *segments; /* being found: from the last one on, in reverse order */
    size_t count;
    uint64_t now; /* where the segment found next ends */
};

static int fail(int error, char *message, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int fail(int error, char *message, size_t bytes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, bytes, format, arguments);
    va_end(arguments);
    return error;
}

/* A segment from `started` to where the one behind it starts; none where it has no length. */
static void before(struct way *way, enum tigon_segment_kind kind, size_t board, const char *name,
                   uint64_t started) {
    if (started >= way->now || way->count == TIGON_SEGMENTS_LIMIT)
        return;
    way->segments[way->count++] = (struct tigon_segment){kind, board, name, started, way->now};
    way->now = started;
}

/* ------------------------------------------------------------------------------------------------
 * The core */

static const struct explain_step *steps_of(const struct tigon_explain *explain, size_t board,
                                           size_t *count) {
    *count = explain->boards[board].steps.count;
    return explain->boards[board].steps.items;
}

static bool dispatches(const struct explain_board *board, const struct explain_step *step) {
    return !step->function || step->function == board->dispatcher;
}

/* When the core began what it does at `ticks`: it left its event loop then for the last time. */
static uint64_t taken_up(const struct tigon_explain *explain, size_t board, uint64_t ticks) {
    size_t count;
    const struct explain_step *steps = steps_of(explain, board, &count);
    uint64_t begin = ticks;
    for (size_t i = count; i-- > 0;) {
        if (steps[i].ticks > ticks)
            continue;
        if (dispatches(&explain->boards[board], &steps[i]))
            break;
        begin = steps[i].ticks;
    }
    return begin;
}

/* Work of the core that ends where the segment behind it starts and was caused at `caused`. */
static void before_core(struct way *way, size_t board, const char *wait, const char *work,
                        uint64_t caused) {
    const uint64_t begin = taken_up(way->explain, board, way->now);
    before(way, TIGON_SEGMENT_CORE, board, work, begin > caused ? begin : caused);
    before(way, TIGON_SEGMENT_WAIT, board, wait, caused);
}

/* ------------------------------------------------------------------------------------------------
 * Events */

/* The turn in which a program stops waiting after data were written since it did so before. */
static const struct explain_turn *end_of(const struct explain_board *board, uint64_t number,
                                         const struct explain_transfer **data) {
    const struct explain_turn *turns = board->turns.items;
    const struct explain_transfer *writes = board->writes.items;
    size_t next = 0;
    for (size_t i = 0; i < board->turns.count; i++) {
        size_t written = next;
        while (written < board->writes.count && writes[written].ended <= turns[i].ticks)
            written++;
        if (turns[i].waits || written == next)
            continue;
        next = written;
        *data = &writes[written - 1];
        if (number-- == 0)
            return &turns[i];
    }
    return NULL;
}

static bool within(uint32_t address, uint32_t start, uint32_t length) {
    return address - start < length;
}

static const struct explain_arrival *arrival_of(const struct explain_board *board,
                                                const struct explain_transfer *data) {
    const struct explain_arrival *arrivals = board->arrivals.items;
    for (size_t i = board->arrivals.count; i-- > 0;)
        if (arrivals[i].ticks <= data->started &&
            within(data->local_address, arrivals[i].address, arrivals[i].length))
            return &arrivals[i];
    return NULL;
}

/* On the same wire by its number there, behind a switch by its bytes. */
static bool same_frame(const struct explain_sent *sent, const struct explain_arrival *arrival) {
    if (!sent->wire || sent->started >= arrival->ticks)
        return false;
    if (sent->wire == arrival->wire && sent->from_side == arrival->from_side)
        return sent->index == arrival->index;
    return !tigon_wire_board(arrival->wire, arrival->from_side) && sent->digest == arrival->digest;
}

static const struct explain_sent *sent_as(const struct tigon_explain *explain,
                                          const struct explain_arrival *arrival, size_t *board) {
    for (*board = 0; *board < explain->board_count; (*board)++) {
        const struct explain_sent *sent = explain->boards[*board].sent.items;
        for (size_t i = explain->boards[*board].sent.count; i-- > 0;)
            if (same_frame(&sent[i], arrival))
                return &sent[i];
    }
    return NULL;
}

/* First and last read of host memory into the frame; false when it has none. */
static bool reads_of(const struct explain_board *board, const struct explain_sent *sent,
                     uint64_t *started, uint64_t *ended) {
    const struct explain_transfer *reads = board->reads.items;
    bool any = false;
    for (size_t i = board->reads.count; i-- > 0;) {
        /* Before it the place belonged to an earlier frame. */
        if (any && !within(reads[i].local_address, sent->address, sent->length))
            break;
        if (reads[i].started > sent->started ||
            !within(reads[i].local_address, sent->address, sent->length))
            continue;
        if (!any)
            *ended = reads[i].ended;
        *started = reads[i].started;
        any = true;
    }
    return any;
}

/* The first doorbell of the turn in which the host's program made the last one before `limit`, and
 * when that turn began. */
static bool posted(const struct explain_board *board, uint64_t limit, uint64_t *turn,
                   uint64_t *doorbell) {
    const struct explain_turn *turns = board->turns.items;
    const uint64_t *doorbells = board->doorbells.items;
    size_t last = board->doorbells.count;
    while (last > 0 && doorbells[last - 1] > limit)
        last--;
    if (last == 0)
        return false;
    *doorbell = doorbells[--last];
    *turn = *doorbell;
    for (size_t i = board->turns.count; i-- > 0;)
        if (!turns[i].waits && turns[i].ticks <= *doorbell) {
            *turn = turns[i].ticks;
            break;
        }
    while (last > 0 && doorbells[last - 1] >= *turn)
        *doorbell = doorbells[--last];
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The way */

static void find_receiving(struct way *way, size_t board, const struct explain_turn *end,
                           const struct explain_transfer *data,
                           const struct explain_arrival *arrival) {
    way->now = end->ticks;
    if (end->noticeable > data->ended)
        before(way, TIGON_SEGMENT_HOST, board, "the host's program looks", end->noticeable);
    before_core(way, board, "until the core takes up the end of the write", "completion",
                data->ended);
    before(way, TIGON_SEGMENT_DMA_WRITE, board, "DMA write of the data", data->started);
    before_core(way, board, "until the core takes up the frame", "received frame", arrival->ticks);
}

static int find_sending(struct way *way, size_t board, const struct explain_sent *sent,
                        char *message, size_t message_bytes) {
    const struct explain_board *from = &way->explain->boards[board];
    uint64_t started = sent->started, ended = sent->started, turn, doorbell;
    before(way, TIGON_SEGMENT_WIRE, board, "wire: first byte sent to last byte received",
           sent->started);
    if (reads_of(from, sent, &started, &ended)) {
        before(way, TIGON_SEGMENT_MAC, board, "MAC, frames that go before", ended);
        before(way, TIGON_SEGMENT_DMA_READ, board, "DMA read of the data", started);
    }
    if (!posted(from, way->now, &turn, &doorbell))
        return fail(-ENODATA, message, message_bytes,
                    "no doorbell came before the frame: its sender is not a host's program");
    before_core(way, board, "other work of the core, also for earlier postings",
                "posting, frame sent", doorbell);
    before(way, TIGON_SEGMENT_HOST, board, "register writes of the host", turn);
    return 0;
}

int tigon_explain_find(const struct tigon_explain *explain, size_t board, uint64_t number,
                       struct tigon_segment segments[TIGON_SEGMENTS_LIMIT], char *message,
                       size_t message_bytes) {
    struct way way = {.explain = explain, .segments = segments};
    const struct explain_transfer *data = NULL;
    size_t sender;
    if (explain->incomplete)
        return fail(-ENOMEM, message, message_bytes, "memory ran out; let the run end earlier");
    const struct explain_turn *end = end_of(&explain->boards[board], number, &data);
    if (!end)
        return fail(-ENOENT, message, message_bytes,
                    "no program of board %s saw the end of message %" PRIu64,
                    tigon_board_name(tigon_world_board(explain->world, board)), number);
    const struct explain_arrival *arrival = arrival_of(&explain->boards[board], data);
    const struct explain_sent *sent = arrival ? sent_as(explain, arrival, &sender) : NULL;
    if (!sent)
        return fail(-ENODATA, message, message_bytes,
                    "what was written to the host's memory came with no frame that a board sent");
    find_receiving(&way, board, end, data, arrival);
    const int error = find_sending(&way, sender, sent, message, message_bytes);
    if (error)
        return error;
    for (size_t i = 0; i < way.count / 2; i++) {
        const struct tigon_segment first = segments[i];
        segments[i] = segments[way.count - 1 - i];
        segments[way.count - 1 - i] = first;
    }
    return (int)way.count;
}

/* ------------------------------------------------------------------------------------------------
 * Shares */

static int longest_first(const void *left, const void *right) {
    const struct tigon_share *a = left, *b = right;
    return a->ticks < b->ticks ? 1 : a->ticks > b->ticks ? -1 : strcmp(a->function, b->function);
}

static size_t add(struct tigon_share *shares, size_t count, size_t limit, const char *function,
                  uint64_t ticks) {
    size_t i = 0;
    while (i < count && strcmp(shares[i].function, function) != 0)
        i++;
    if (i == limit)
        return count;
    if (i == count)
        shares[count++] = (struct tigon_share){function, 0};
    shares[i].ticks += ticks;
    return count;
}

size_t tigon_explain_shares(const struct tigon_explain *explain,
                            const struct tigon_segment *segment, struct tigon_share *shares,
                            size_t limit) {
    enum { FUNCTIONS = 256 };
    struct tigon_share all[FUNCTIONS];
    size_t steps_count, count = 0;
    const struct explain_step *steps = steps_of(explain, segment->board, &steps_count);
    for (size_t i = 0; i < steps_count; i++) {
        const uint64_t end = i + 1 < steps_count ? steps[i + 1].ticks : segment->ended;
        const uint64_t first =
            steps[i].ticks > segment->started ? steps[i].ticks : segment->started;
        const uint64_t last = end < segment->ended ? end : segment->ended;
        if (first < last)
            count = add(all, count, FUNCTIONS, steps[i].function ? steps[i].function->name : "idle",
                        last - first);
    }
    qsort(all, count, sizeof *all, longest_first);
    for (size_t i = 0; i < count && limit; i++) {
        if (i < limit)
            shares[i] = all[i];
        else
            shares[limit - 1] =
                (struct tigon_share){"others", shares[limit - 1].ticks + all[i].ticks};
    }
    return count < limit ? count : limit;
}

/* ------------------------------------------------------------------------------------------------
 * Table */

/* Differences of rounded times, so that what is printed adds up. */
static double ns(uint64_t ticks) {
    return (double)tigon_ps_from_ticks(ticks) / 1000.0;
}

void tigon_explain_print(const struct tigon_explain *explain, const struct tigon_segment *segments,
                         size_t count, FILE *stream) {
    enum { SHARES = 8 };
    struct tigon_share shares[SHARES];
    const uint64_t begin = segments[0].started, end = segments[count - 1].ended;
    (void)fprintf(stream, "%12s %12s  %-10s %s\n", "from ns", "ns", "board", "segment");
    for (size_t i = 0; i < count; i++) {
        const struct tigon_segment *segment = &segments[i];
        (void)fprintf(stream, "%12.3f %12.3f  %-10s %s\n", ns(segment->started) - ns(begin),
                      ns(segment->ended) - ns(segment->started),
                      tigon_board_name(tigon_world_board(explain->world, segment->board)),
                      segment->name);
        if (segment->kind != TIGON_SEGMENT_CORE && segment->kind != TIGON_SEGMENT_WAIT)
            continue;
        const size_t functions = tigon_explain_shares(explain, segment, shares, SHARES);
        for (size_t j = 0; j < functions; j++)
            (void)fprintf(stream, "%38s %6" PRIu64 " cycles in %s\n", "",
                          (shares[j].ticks + TIGON_TICKS_PER_CYCLE / 2) / TIGON_TICKS_PER_CYCLE,
                          shares[j].function);
    }
    (void)fprintf(stream, "%12s %12.3f  the whole message\n", "", ns(end) - ns(begin));
}
