/* SPDX-License-Identifier: MIT */
/* The wire and the timers of a world that hsmc generates (gen/hsmc/backends/backend_world.py), for
 * both engines inside SPIN and for `hsmc replay` without it.
 *
 * The wire is an array of frames as plain bytes, the used ones first. A frame holds the number of
 * the world's line that sent it (from 1), sender and receiver, and its values, most significant
 * byte first. The representation is canonical. A link that reorders is a set: the frames are in
 * ascending order, and if the link repeats frames, equal ones are stored once. A link that keeps
 * order is a queue for each direction, one direction after the other.
 *
 * To be defined before: WORLD_NODES, WORLD_GOOD, WORLD_REORDERS, WORLD_LOSES, WORLD_REPEATS
 * (without limit), WORLD_IN_FLIGHT, WORLD_SLOTS, WORLD_FRAME_BYTES; WORLD_LOSSES and WORLD_COPIES
 * if there is a limit, with variables `lost` and `copied`; WORLD_REPEATS_EXECUTION if it repeats.
 */
#ifndef MODELS_WORLD_SUPPORT_H
#define MODELS_WORLD_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef LIVENESS
#define GOOD now.good
#else
#define GOOD WORLD_GOOD
#endif

/* As HOLDS, with the text of the condition as in the spec. */
#define HOLDS_AS(property, condition, text)                                                        \
    do {                                                                                           \
        if (!(property) && !(condition))                                                           \
            uerror("assertion violated (" #property "||(" text "))");                              \
    } while (0)

/* Ends the search; `place` is the position in the spec. */
static void hsm_world_failed(const uint32_t kind, const char *const place) {
    static char message[256];

    (void)snprintf(message, sizeof message, "assertion violated %s: %s, of the world, at %s",
                   hsm_check_name(kind), hsm_check_text(kind), place);
    uerror(message);
}

/* Checks an index of an array that belongs to the world. */
static inline uint32_t hsm_world_index(const uint32_t index, const uint32_t count,
                                       const char *const place) {
    if (index < count)
        return index;
    hsm_world_failed(HSM_CHECK_INDEX, place);
    return 0;
}

/* Checks the first of `length` bits of a set of the world that has `count`. */
static inline uint32_t hsm_world_bits(const uint32_t first, const uint32_t length,
                                      const uint32_t count, const char *const place) {
    if (length == 0 || (length <= count && first <= count - length))
        return first;
    hsm_world_failed(HSM_CHECK_INDEX, place);
    return 0;
}

/* Checks by how many places the world shifts. */
static inline uint32_t hsm_world_shift(const uint32_t places, const char *const place) {
    if (places < 32)
        return places;
    hsm_world_failed(HSM_CHECK_SHIFT, place);
    return 0;
}

/* Checks a number on its way to where no more than `largest` fits: it would be cut without a word.
 */
static inline uint32_t hsm_world_fits(const uint32_t number, const uint32_t largest,
                                      const char *const place) {
    if (number <= largest)
        return number;
    hsm_world_failed(HSM_CHECK_RANGE, place);
    return 0;
}

/* Checks the verdict of an event of the world; `selects`: it is no error if no record matches. */
static void hsm_accepted(const int verdict, const bool selects) {
    if (verdict != HSM_DONE && !(selects && verdict == HSM_IGNORED))
        uerror("assertion violated (hsm_verdict==0)"); /* HSM_DONE */
}

/* Fairness: a timer that runs, and is neither armed again nor stopped, runs out eventually, however
 * often others do. Searches for cycles work in rounds: a round begins when a timer runs out, and
 * ends when all timers that ran at that moment have been armed again, been stopped, or run out.
 * `overtaken` holds the timers for which the round still waits. */
static bool hsm_overtaken(void) {
#ifdef LIVENESS
    for (unsigned node = 0; node < WORLD_NODES; node++) {
        if (now.overtaken[node] != 0)
            return true;
    }
#endif
    return false;
}

/* To be called before a timer runs out. */
static void hsm_overtake(void) {
#ifdef LIVENESS
    if (now.good && !hsm_overtaken())
        memcpy(now.overtaken, now.armed, sizeof(now.armed));
#endif
}

static void hsm_moved(const int node, const uint32_t timer) {
#ifdef LIVENESS
    now.overtaken[node] &= ~(1 << timer);
#else
    (void)node;
    (void)timer;
#endif
}

static void hsm_arm(const int node, const uint32_t timer) {
    now.armed[node] |= 1 << timer;
    hsm_moved(node, timer);
}

static void hsm_cancel(const int node, const uint32_t timer) {
    now.armed[node] &= ~(1 << timer);
    hsm_moved(node, timer);
}

static bool hsm_timers_stopped(void) {
    for (unsigned node = 0; node < WORLD_NODES; node++) {
        if (now.armed[node] != 0)
            return false;
    }
    return true;
}

#define WIRE_LINE      0 /* number of the world's line that sent the frame, from 1 */
#define WIRE_DIRECTION 1 /* sender and receiver */
#define WIRE_VALUES    2

static inline uchar wire_direction(const uint32_t from, const uint32_t to) {
    return (uchar)(from << 4 | to);
}

static inline uint32_t wire_number(const uchar *const frame, const unsigned offset,
                                   const unsigned bytes) {
    uint32_t number = 0;

    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | frame[offset + i];
    return number;
}

static inline void wire_store(uchar *const frame, const unsigned offset, const unsigned bytes,
                              const uint32_t number) {
    for (unsigned i = 0; i < bytes; i++)
        frame[offset + i] = (uchar)(number >> 8 * (bytes - 1 - i));
}

#if WORLD_SLOTS > 0
/* Prints what happens to a frame, for readers of a trail. Generated. */
static void wire_tell(const char *what, const uchar *frame);

static uchar *wire_frame(const unsigned slot) {
    return &now.wire[slot * WORLD_FRAME_BYTES];
}

static bool wire_used(const unsigned slot) {
    return slot < WORLD_SLOTS && wire_frame(slot)[WIRE_LINE] != 0;
}

static bool wire_empty(void) {
    return !wire_used(0);
}

static bool same_direction(const unsigned slot, const uchar direction) {
    return WORLD_REORDERS || wire_frame(slot)[WIRE_DIRECTION] == direction;
}

/* Is there room for another frame in this direction? */
static bool wire_has_room(const uchar direction) {
    unsigned there = 0;

    for (unsigned slot = 0; wire_used(slot); slot++)
        there += same_direction(slot, direction);
    return there < WORLD_IN_FLIGHT;
}

/* May a host start an action at this node? Once the link is good, it waits for room. */
static bool wire_ready(const uint32_t node) {
    for (uint32_t other = 0; other < WORLD_NODES; other++) {
        if (other != node && !wire_has_room(wire_direction(node, other)))
            return false;
    }
    return true;
}

/* Can this frame arrive? In a queue only the first one can. */
static bool wire_reaches(const unsigned slot) {
    if (!wire_used(slot))
        return false;
    return WORLD_REORDERS || slot == 0 ||
           !same_direction(slot - 1, wire_frame(slot)[WIRE_DIRECTION]);
}

static bool wire_may_lose(const unsigned slot) {
#ifdef WORLD_LOSSES
    if (now.lost >= WORLD_LOSSES)
        return false;
#endif
    return !GOOD && wire_reaches(slot);
}

/* May a frame arrive and stay on the wire? If repetition has no limit, every frame stays. */
static bool wire_may_copy(void) {
#ifdef WORLD_COPIES
    return !GOOD && now.copied < WORLD_COPIES;
#else
    return false;
#endif
}

static void wire_remove(const unsigned slot) {
    memmove(wire_frame(slot), wire_frame(slot + 1),
            (WORLD_SLOTS - 1 - slot) * (size_t)WORLD_FRAME_BYTES);
    memset(wire_frame(WORLD_SLOTS - 1), 0, WORLD_FRAME_BYTES);
}

/* A frame that finds no room is lost. Once the link is good, there is room for every frame. */
static void wire_put(const uchar *const frame) {
    const bool room = GOOD || wire_has_room(frame[WIRE_DIRECTION]);
    unsigned slot = 0;

    wire_tell(room ? "put" : "full", frame);
    if (!room) {
        if (!WORLD_LOSES)
            uerror("assertion violated (wire_has_room)");
        return;
    }
    if (WORLD_REORDERS) {
        while (wire_used(slot) && memcmp(wire_frame(slot), frame, WORLD_FRAME_BYTES) < 0)
            slot++;
        if (WORLD_REPEATS && wire_used(slot) &&
            memcmp(wire_frame(slot), frame, WORLD_FRAME_BYTES) == 0)
            return;
    } else {
        while (wire_used(slot) && wire_frame(slot)[WIRE_DIRECTION] <= frame[WIRE_DIRECTION])
            slot++;
    }
    if (wire_used(WORLD_SLOTS - 1)) {
        uerror("assertion violated (wire_has_slots)");
        return;
    }
    memmove(wire_frame(slot + 1), wire_frame(slot),
            (WORLD_SLOTS - 1 - slot) * (size_t)WORLD_FRAME_BYTES);
    memcpy(wire_frame(slot), frame, WORLD_FRAME_BYTES);
}

/* Counts that a frame stays though it arrives, while another one is in flight: a link that only
 * ever repeats the one frame that it has room for repeats next to nothing. */
static void wire_count_repetition(const unsigned slot, const bool stays) {
#ifdef WORLD_REPEATS_EXECUTION
    unsigned there = 0;

    for (unsigned other = 0; stays && wire_used(other); other++)
        there += same_direction(other, wire_frame(slot)[WIRE_DIRECTION]);
    if (there > 1)
        spin_execute(WORLD_REPEATS_EXECUTION);
#else
    (void)slot;
    (void)stays;
#endif
}

/* Copies the frame to `frame`. It stays on the wire as long as it may arrive again. */
static void wire_take(const unsigned slot, const bool copy, uchar frame[WORLD_FRAME_BYTES]) {
    memcpy(frame, wire_frame(slot), WORLD_FRAME_BYTES);
    wire_tell("take", frame);
#ifdef WORLD_COPIES
    now.copied += copy;
#endif
    const bool stays = copy || (!GOOD && WORLD_REPEATS);

    wire_count_repetition(slot, stays);
    if (!stays)
        wire_remove(slot);
}

static void wire_lose(const unsigned slot) {
#ifdef WORLD_LOSSES
    now.lost++;
#endif
    wire_tell("lose", wire_frame(slot));
    wire_remove(slot);
}
#else
static bool wire_empty(void) {
    return true;
}

static bool wire_ready(const uint32_t node) {
    (void)node;
    return true;
}
#endif

#endif
