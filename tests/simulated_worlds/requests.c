/* SPDX-License-Identifier: MIT */
/*
 * Requests of hosts over libemp. The memory of receives is full of one byte but for what they have
 * got: so a board that writes beside a message, behind its end or after it has ended is found.
 */
#include <errno.h>
#include <string.h>

#include "tests/simulated_worlds/simulated_world.h"

enum { GUARD = 0xEE };

static size_t slot_bytes(const struct station *station) {
    return host_slot_bytes(&station->world->hosts->plan);
}

static uint8_t *slot_memory(const struct station *station, uint32_t slot) {
    return station->host->memory + slot * slot_bytes(station);
}

/* ------------------------------------------------------------------------------------- Memory */

static bool is_guard(const uint8_t *bytes, size_t count) {
    return count == 0 || (bytes[0] == GUARD && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Outside of the first `bytes` of the pieces; SIZE_MAX: outside of the pieces. */
static bool is_clean(const struct station *station, uint32_t slot, size_t bytes) {
    const struct request *request = host_request(station->host, slot);
    const uint8_t *memory = slot_memory(station, slot);
    size_t from = 0;
    for (uint32_t i = 0; i < request->pieces; i++) {
        const size_t got = request->piece[i].bytes < bytes ? request->piece[i].bytes : bytes;
        if (!is_guard(memory + from, request->piece[i].offset - from))
            return false;
        from = request->piece[i].offset + got;
        bytes -= bytes == SIZE_MAX ? 0 : got;
    }
    return is_guard(memory + from, slot_bytes(station) - from);
}

static void look_at_memory(const struct station *station, uint32_t slot, size_t bytes) {
    if (!is_clean(station, slot, bytes))
        hosts_fail(station->world->hosts, WORLD_STRAYED,
                   "node %u: the board wrote outside the message into the memory of receive %u",
                   station->host->index, slot - WORLD_REQUESTS);
    memset(slot_memory(station, slot), GUARD, slot_bytes(station));
}

void requests_guard(struct station *station) {
    memset(slot_memory(station, WORLD_REQUESTS), GUARD, WORLD_REQUESTS * slot_bytes(station));
}

void requests_forget(struct station *station) {
    for (uint32_t slot = 0; slot < WORLD_REQUESTS; slot++)
        if (station->host->open_receives >> slot & 1)
            look_at_memory(station, WORLD_REQUESTS + slot, SIZE_MAX);
    memset(station->posting, 0, sizeof station->posting);
    station->looks += 2; /* what it had not seen yet it will never see */
}

bool requests_untouched(struct station *station) {
    const bool untouched =
        is_guard(slot_memory(station, WORLD_REQUESTS), WORLD_REQUESTS * slot_bytes(station));
    if (!untouched)
        hosts_fail(station->world->hosts, WORLD_STRAYED,
                   "node %u: the board wrote into the memory of a receive that had ended",
                   station->host->index);
    return untouched;
}

/* ------------------------------------------------------------------------------------- Requests */

/* The halves of a tag of 64 bits differ by the same bits in all tags, so that all have the same
 * key. */
#define HALVES 0x5A5A5A00u

static uint64_t wide(uint32_t low, uint32_t change) {
    return EMP_TAG_BITS == 64 ? (uint64_t)(low ^ change) << 32 | low : low;
}

static void fail(const struct station *station, const char *what, int error) {
    hosts_fail(station->world->hosts, WORLD_STOPPED, "node %u: %s: %s (%d)", station->host->index,
               what, libemp_message(station->board), error);
}

void boards_post(struct host *host, uint32_t slot) {
    struct station *station = station_of(host);
    struct posting *posting = &station->posting[slot];
    const struct request *request = host_request(host, slot);
    const bool any = request->peer == HISTORY_ANY_SOURCE;
    const uint16_t peer = any ? LIBEMP_ANY_SOURCE : (uint16_t)request->peer;
    const uint64_t tag = wide(request->tag, HALVES);
    struct libemp_piece pieces[WORLD_PIECES];
    int error;
    for (uint32_t i = 0; i < request->pieces; i++)
        pieces[i] =
            (struct libemp_piece){.memory = station->memory,
                                  .offset = slot * slot_bytes(station) + request->piece[i].offset,
                                  .length = request->piece[i].bytes};
    *posting = (struct posting){0};
    host->all->deeds.in_descriptor |=
        slot < WORLD_REQUESTS && request->bytes != 0 && request->bytes <= EMP_INLINE_LIMIT;
    if (slot < WORLD_REQUESTS)
        error =
            libemp_post_send(station->board, peer, tag, pieces, request->pieces, &posting->request);
    else if (any || request->ignored != 0)
        error = libemp_post_receive_matching(station->board, peer, tag, wide(request->ignored, 0),
                                             pieces, request->pieces, &posting->request);
    else
        error = libemp_post_receive(station->board, peer, tag, pieces, request->pieces,
                                    &posting->request);
    if (error)
        fail(station, "a request cannot be posted", error);
}

void boards_cancel(struct host *host, uint32_t slot) {
    struct station *station = station_of(host);
    struct posting *posting = &station->posting[slot];
    const int error = posting->has_ended ? 0 : libemp_cancel(station->board, posting->request);
    if (error)
        fail(station, "a request cannot be cancelled", error);
}

static bool result_of(int error, enum history_result *result) {
    static const struct {
        int error;
        enum history_result result;
    } results[] = {{0, HISTORY_OK},
                   {-EMSGSIZE, HISTORY_TRUNCATED},
                   {-ECONNRESET, HISTORY_RESET},
                   {-ECANCELED, HISTORY_CANCELLED}};
    for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].error == error) {
            *result = results[i].result;
            return true;
        }
    return false;
}

bool boards_ended(struct host *host, uint32_t slot, struct host_end *end) {
    struct station *station = station_of(host);
    struct posting *posting = &station->posting[slot];
    const struct request *request = host_request(host, slot);
    struct libemp_completion completion;
    int error;
    if (posting->has_ended) {
        *end = posting->end;
        return true;
    }
    error = libemp_test(station->board, posting->request, &completion);
    if (error == -EAGAIN)
        return false;
    if (!result_of(error, &end->result)) {
        fail(station, "a request has failed", error);
        return false;
    }
    host->all->progress_ns = tigon_host_now_ns(station->machine);
    end->bytes = completion.length;
    end->source = request->peer;
    end->tag = request->tag;
    if (end->result == HISTORY_OK || end->result == HISTORY_TRUNCATED) {
        end->source = completion.peer;
        end->tag = (uint32_t)completion.tag;
        if (completion.tag != wide(end->tag, HALVES))
            end->tag = UINT32_MAX;
    }
    posting->has_ended = true;
    posting->end = *end;
    return true;
}

/* Each host sees its own requests only, when it looks. The look that is under way may have passed
 * the request in question, so the one after it counts. */
bool boards_sends_seen(struct host *host, uint32_t slot, uint32_t source) {
    struct posting *posting = &station_of(host)->posting[slot];
    const struct station *other = station_of(&host->all->host[source]);
    if (posting->looks_needed == 0)
        posting->looks_needed = other->looks + 2;
    return other->over || other->looks >= posting->looks_needed;
}

void boards_release(struct host *host, uint32_t slot, uint32_t bytes) {
    const struct station *station = station_of(host);
    const bool worthless = station->posting[slot].end.result == HISTORY_RESET;
    look_at_memory(station, slot, worthless ? SIZE_MAX : bytes);
}
