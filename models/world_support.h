/* The wire and the timers of a world that hsmc generates (gen/hsmc/backends/backend_world.py), for
 * both engines inside SPIN and for `hsmc replay` without it.
 *
 * The wire is an array of frames as plain bytes, the used ones first: what was sent (counted from
 * 1), by whom and to whom, and its values with the highest byte first. It has one form only. A link
 * that reorders is a set: the frames stand in ascending order, and where it repeats each is there
 * once. A link that keeps order is a queue for each direction, one direction behind the other.
 *
 * Before this: WORLD_NODES, WORLD_GOOD, WORLD_REORDERS, WORLD_LOSES, WORLD_REPEATS (without limit),
 * WORLD_IN_FLIGHT, WORLD_SLOTS, WORLD_FRAME_BYTES; WORLD_LOSSES and WORLD_COPIES where there is a
 * limit, with variables `lost` and `copied`.
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

/* As HOLDS, in the words of the spec. */
#define HOLDS_AS(property, condition, text)                                                        \
    do {                                                                                           \
        if (!(property) && !(condition))                                                           \
            uerror("assertion violated (" #property "||(" text "))");                              \
    } while (0)

/* An index of an array of the world's own; `place` is where it stands in the spec. */
static inline uint32_t hsm_world_index(const uint32_t index, const uint32_t count,
                                       const char *const place) {
    static char message[256];

    if (index < count)
        return index;
    (void)snprintf(message, sizeof message, "assertion violated %s: %s, of the world, at %s",
                   hsm_check_name(HSM_CHECK_INDEX), hsm_check_text(HSM_CHECK_INDEX), place);
    uerror(message);
    return 0;
}

/* What every event of the world must come to; `selects`: it may be for no record. */
static void hsm_accepted(const int verdict, const bool selects) {
    if (verdict != HSM_DONE && !(selects && verdict == HSM_IGNORED))
        uerror("assertion violated (hsm_verdict==0)"); /* HSM_DONE */
}

/* A timer that runs and is left alone runs out in the end, however often others do. Searches for
 * cycles go by rounds: a round begins when a timer runs out, and ends when all that ran then have
 * been armed anew, been stopped, or run out. `overtaken` are those it waits for. */
static bool hsm_overtaken(void) {
#ifdef LIVENESS
    for (unsigned node = 0; node < WORLD_NODES; node++) {
        if (now.overtaken[node] != 0)
            return true;
    }
#endif
    return false;
}

/* Before a timer runs out. */
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

#if WORLD_SLOTS > 0
#define WIRE_LINE      0 /* which line of the world put it there, + 1 */
#define WIRE_DIRECTION 1 /* from whom to whom */
#define WIRE_VALUES    2

/* What befalls a frame, for people who read a trail. Generated. */
static void wire_tell(const char *what, const uchar *frame);

static uchar wire_direction(const uint32_t from, const uint32_t to) {
    return (uchar)(from << 4 | to);
}

static uchar *wire_frame(const unsigned slot) {
    return &now.wire[slot * WORLD_FRAME_BYTES];
}

static uint32_t wire_number(const uchar *const frame, const unsigned offset, const unsigned bytes) {
    uint32_t number = 0;

    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | frame[offset + i];
    return number;
}

static void wire_store(uchar *const frame, const unsigned offset, const unsigned bytes,
                       const uint32_t number) {
    for (unsigned i = 0; i < bytes; i++)
        frame[offset + i] = (uchar)(number >> 8 * (bytes - 1 - i));
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

/* May another frame set out in this direction? */
static bool wire_has_room(const uchar direction) {
    unsigned there = 0;

    for (unsigned slot = 0; wire_used(slot); slot++)
        there += same_direction(slot, direction);
    return there < WORLD_IN_FLIGHT;
}

/* May a host begin something at this node? Once the link is good, it waits for room. */
static bool wire_ready(const uint32_t node) {
    for (uint32_t other = 0; other < WORLD_NODES; other++) {
        if (other != node && !wire_has_room(wire_direction(node, other)))
            return false;
    }
    return true;
}

/* Can this frame arrive? Of a queue only the first. */
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

/* May a frame arrive and stay? Where this has no limit, every one does. */
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

/* A frame without room is lost. Once the link is good there is room for every one. */
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

/* Gives the frame, which stays where it is as long as it may come again. */
static void wire_take(const unsigned slot, const bool copy, uchar frame[WORLD_FRAME_BYTES]) {
    memcpy(frame, wire_frame(slot), WORLD_FRAME_BYTES);
    wire_tell("take", frame);
#ifdef WORLD_COPIES
    now.copied += copy;
#endif
    if (!copy && (GOOD || !WORLD_REPEATS))
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
