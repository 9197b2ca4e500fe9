/* SPDX-License-Identifier: MIT */
/* See traffic.h. A frame tells its sender, number and length; all else follows from these. */
#include "tests/ethernet/traffic.h"

#include "tests/ethernet/checksum.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 14,
    TAG = 4,
    NUMBERED = 6, /* number and length */
    LEAST = 60    /* to which the MAC fills up */
};

static uint32_t mix(uint32_t value) {
    value ^= value >> 16;
    value *= 0x7FEB352Du;
    value ^= value >> 15;
    value *= 0x846CA68Bu;
    return value ^ value >> 16;
}

static void fail(struct traffic *traffic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct traffic *traffic, const char *format, ...) {
    va_list arguments;
    if (traffic->error[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(traffic->error, sizeof traffic->error, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------------------------------------
 * Frames */

/* All lengths in turn, then again; every other one from the far end, so that neighbours differ. */
static uint32_t length_of(const struct traffic_plan *plan, uint32_t number) {
    const uint32_t lengths = plan->longest - plan->shortest + 1;
    const uint32_t step = number % lengths;
    return (number & 1) != 0 ? plan->longest - step : plan->shortest + step;
}

static bool is_tcp(uint32_t number, uint32_t length) {
    return length >= LEAST && (mix(number) & 1) != 0;
}

static uint16_t tag_of(uint32_t number) {
    return (uint16_t)((number % 8) << 13 | (1 + number % 4000));
}

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value);
}

static void fill(uint8_t *bytes, uint32_t count, uint32_t value) {
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(value >> (8 * (i & 3)));
        if ((i & 3) == 3)
            value = mix(value + i);
    }
}

uint32_t traffic_make(const struct traffic_plan *plan, uint8_t frame[ETHERNET_LONGEST],
                      const uint8_t to[6], const uint8_t from[6], uint32_t number, bool finished,
                      bool tag_in_frame) {
    const uint32_t length = length_of(plan, number);
    uint32_t at = HEADER;
    memcpy(frame, to, 6);
    memcpy(frame + 6, from, 6);
    if (tag_in_frame) {
        put16(frame + 12, TRAFFIC_TAG_TYPE);
        put16(frame + 14, tag_of(number));
        at += TAG;
    }
    uint8_t *packet = frame + at;
    put16(packet - 2, plan->internet ? CHECKSUM_INTERNET_TYPE : TRAFFIC_TYPE);
    uint32_t payload = 0;
    if (plan->internet)
        payload = checksum_headers(packet, length - HEADER, is_tcp(number, length), from[5], to[5]);
    put32(packet + payload, number);
    put16(packet + payload + 4, length);
    fill(packet + payload + NUMBERED, length - HEADER - payload - NUMBERED,
         mix(number * 64 + from[5]));
    if (plan->internet) {
        const uint32_t board = finished ? 0 : plan->sums;
        checksum_finish(packet, (board & DESCRIPTOR_IP_SUM) == 0,
                        (board & DESCRIPTOR_TRANSPORT_SUM) == 0);
        if (plan->wrong_sums)
            packet[checksum_place(packet)] ^= 1;
    }
    return length + at - HEADER;
}

/* Pieces of any lengths; headers stay whole, as they do in drivers. */
static unsigned cut(const struct traffic_plan *plan, uint32_t length, uint32_t number,
                    uint32_t cuts[ETHERNET_PIECES], uint32_t places[ETHERNET_PIECES]) {
    uint32_t chance = mix(number ^ 0xC075u);
    const uint32_t least = plan->internet ? 54 : HEADER;
    unsigned pieces = plan->pieces != 0 ? plan->pieces : 1 + chance % ETHERNET_PIECES;
    if (length < least + pieces)
        pieces = 1;
    uint32_t left = length;
    for (unsigned i = 0; i < pieces; i++) {
        const uint32_t others = pieces - i - 1;
        const uint32_t shortest = i == 0 ? least : 1;
        chance = mix(chance);
        cuts[i] = others == 0 ? left : shortest + chance % (left - others - shortest + 1);
        left -= cuts[i];
        places[i] = mix(chance + 1) % 64;
    }
    return pieces;
}

/* ------------------------------------------------------------------------------------------------
 * What is received */

static unsigned peer_of(const struct traffic *traffic, const uint8_t *from) {
    unsigned peer = 0;
    while (peer < traffic->peer_count && memcmp(from, traffic->peers[peer], 6) != 0)
        peer++;
    return peer;
}

/* Equal but for the transport checksum, of which 0 and 0xFFFF are the same. */
static bool same(const struct traffic_plan *plan, const uint8_t *frame, uint8_t *expected,
                 uint32_t packet, uint32_t length) {
    if (plan->internet) {
        const uint32_t place = packet + checksum_place(expected + packet);
        const uint32_t found = (uint32_t)frame[place] << 8 | frame[place + 1];
        const uint32_t wanted = (uint32_t)expected[place] << 8 | expected[place + 1];
        if (found % 0xFFFFu == wanted % 0xFFFFu)
            memcpy(expected + place, frame + place, 2);
    }
    return memcmp(frame, expected, length) == 0;
}

static uint32_t first_difference(const uint8_t *left, const uint8_t *right, uint32_t length) {
    uint32_t at = 0;
    while (at < length && left[at] == right[at])
        at++;
    return at;
}

/* True when the frame is one that a peer sent. */
static bool is_sent(struct traffic *traffic, const struct ethernet_frame *frame, unsigned *peer,
                    uint32_t *index) {
    uint8_t expected[ETHERNET_LONGEST];
    const struct traffic_plan *plan = &traffic->plan;
    const uint8_t *bytes = frame->bytes;
    const uint32_t packet = plan->tags_left ? HEADER + TAG : HEADER;
    const uint32_t number_at =
        packet + (plan->internet ? checksum_header_bytes(bytes + packet) : 0);
    *peer = peer_of(traffic, bytes + 6);
    *index = frame->length >= number_at + NUMBERED ? get32(bytes + number_at) - plan->first : 0;
    if (frame->length < number_at + NUMBERED || *peer == traffic->peer_count ||
        *index >= plan->frames) {
        fail(traffic, "a frame of %u bytes from %02x:%02x:%02x:%02x:%02x:%02x that nobody sent",
             (unsigned)frame->length, bytes[6], bytes[7], bytes[8], bytes[9], bytes[10], bytes[11]);
        return false;
    }
    const uint32_t number = plan->first + *index;
    const uint32_t length = traffic_make(plan, expected, traffic->ethernet->address, bytes + 6,
                                         number, true, plan->tags_left);
    const uint32_t filled = length < LEAST ? LEAST : length;
    /* Firmware that adds up a packet knows where it ends, and may cut the MAC's padding off. */
    const bool may_be_cut = plan->internet && (traffic->ethernet->options.receive_flags &
                                               (RING_TRANSPORT_SUM | RING_IP_SUM)) != 0;
    if (frame->length != filled && !(may_be_cut && frame->length == length)) {
        fail(traffic, "frame %u came with %u bytes instead of %u", (unsigned)number,
             (unsigned)frame->length, (unsigned)filled);
        return false;
    }
    if (!same(plan, bytes, expected, packet, length)) {
        const uint32_t at = first_difference(bytes, expected, length);
        fail(traffic, "frame %u of %u bytes: byte %u is %02X instead of %02X", (unsigned)number,
             (unsigned)length, (unsigned)at, bytes[at], expected[at]);
        return false;
    }
    return true;
}

static bool tag_is_right(struct traffic *traffic, const struct ethernet_frame *frame,
                         uint32_t number) {
    const bool wanted = traffic->plan.tags;
    const bool found = (frame->flags & DESCRIPTOR_TAG) != 0;
    if (wanted == found && (!found || frame->tag == tag_of(number)))
        return true;
    fail(traffic, "frame %u came %s a tag (%04X), and %s %04X", (unsigned)number,
         found ? "with" : "without", (unsigned)frame->tag, wanted ? "should have" : "not",
         tag_of(number));
    return false;
}

/* Compares the board's sums with those in software, modulo 0xFFFF. */
static bool sums_are_right(struct traffic *traffic, const struct ethernet_frame *frame,
                           uint32_t packet_at, uint32_t number) {
    const uint32_t flags = traffic->ethernet->options.receive_flags;
    const uint8_t *packet = frame->bytes + packet_at;
    if (!traffic->plan.internet || (flags & RING_TRANSPORT_SUM) == 0)
        return true;
    const uint32_t found = (frame->sums & 0xFFFFu) % 0xFFFFu;
    const uint32_t wanted = checksum_transport(packet) % 0xFFFFu;
    if ((frame->flags & DESCRIPTOR_TRANSPORT_SUM) == 0) {
        fail(traffic, "frame %u came without a sum of the board", (unsigned)number);
        return false;
    }
    if (found != wanted) {
        fail(traffic, "the sum of frame %u is %04X instead of %04X", (unsigned)number,
             (unsigned)found, (unsigned)wanted);
        return false;
    }
    if ((flags & RING_IP_SUM) != 0 && (frame->sums >> 16) % 0xFFFFu != 0) {
        fail(traffic, "the sum of the IP header of frame %u is %04X", (unsigned)number,
             (unsigned)(frame->sums >> 16));
        return false;
    }
    /* As the host judges the datagram: with the pseudo-header all is 0xFFFF. */
    if ((found + checksum_pseudo(packet)) % 0xFFFFu != 0)
        traffic->bad_sums++;
    return true;
}

static void judge(struct traffic *traffic, const struct ethernet_frame *frame) {
    unsigned peer = 0;
    uint32_t index = 0;
    const uint32_t packet = traffic->plan.tags_left ? HEADER + TAG : HEADER;
    if ((frame->flags & DESCRIPTOR_ERROR) != 0) {
        traffic->damaged++;
        return;
    }
    if (!is_sent(traffic, frame, &peer, &index) ||
        !tag_is_right(traffic, frame, traffic->plan.first + index) ||
        !sums_are_right(traffic, frame, packet, traffic->plan.first + index)) {
        traffic->wrong++;
        return;
    }
    uint8_t *seen = &traffic->seen[(size_t)peer * traffic->plan.frames + index];
    if (*seen != 0)
        traffic->repeated++;
    else if (index < traffic->next[peer])
        traffic->backwards++;
    if (index >= traffic->next[peer])
        traffic->next[peer] = index + 1;
    *seen = 1;
    traffic->received++;
    traffic->bytes += frame->length;
    traffic->rings[frame->ring]++;
    traffic->tagged += (frame->flags & DESCRIPTOR_TAG) != 0;
}

/* ------------------------------------------------------------------------------------------------
 * To and fro */

uint32_t traffic_send(struct traffic *traffic, uint32_t most) {
    uint8_t frame[ETHERNET_LONGEST];
    uint32_t cuts[ETHERNET_PIECES], places[ETHERNET_PIECES];
    const struct traffic_plan *plan = &traffic->plan;
    uint32_t count = 0;
    while (traffic->sent < traffic->sends && count < most) {
        const uint32_t number = plan->first + traffic->sent;
        if (!ethernet_can_send(traffic->ethernet, ETHERNET_PIECES))
            break;
        const uint32_t length =
            traffic_make(plan, frame, traffic->peers[traffic->sent % traffic->peer_count],
                         traffic->ethernet->address, number, false, plan->tags_in_frame);
        const unsigned pieces = cut(plan, length, number, cuts, places);
        const bool tag = plan->tags && !plan->tags_in_frame;
        ethernet_send(traffic->ethernet, frame, cuts, places, pieces,
                      plan->flags | plan->sums | (tag ? DESCRIPTOR_TAG : 0),
                      tag ? tag_of(number) : 0);
        traffic->sent++;
        count++;
    }
    if (count > 0)
        ethernet_push(traffic->ethernet);
    return count;
}

uint32_t traffic_receive(struct traffic *traffic) {
    struct ethernet_frame frame;
    uint32_t count = 0;
    for (; ethernet_receive(traffic->ethernet, &frame); count++) {
        judge(traffic, &frame);
        ethernet_release(traffic->ethernet, &frame);
        traffic->ended_ns = tigon_host_now_ns(traffic->ethernet->host);
    }
    if (traffic->ethernet->error[0] != '\0')
        fail(traffic, "%s", traffic->ethernet->error);
    return count;
}

void traffic_begin(struct traffic *traffic, const struct traffic_plan *plan) {
    const struct traffic before = *traffic;
    free(traffic->seen);
    *traffic = (struct traffic){.ethernet = before.ethernet,
                                .plan = *plan,
                                .peer_count = before.peer_count,
                                .sends = plan->frames,
                                .expected = plan->frames,
                                .burst = before.burst,
                                .gap_ns = before.gap_ns,
                                .quiet_ns = before.quiet_ns,
                                .over = before.over};
    memcpy(traffic->peers, before.peers, sizeof before.peers);
    traffic->seen = calloc((size_t)traffic->peer_count * plan->frames + 1, 1);
    if (traffic->seen == NULL)
        abort();
}

void traffic_free(struct traffic *traffic) {
    free(traffic->seen);
    traffic->seen = NULL;
}

static bool given_up(const struct traffic *traffic) {
    return traffic->error[0] != '\0' || (traffic->over != NULL && *traffic->over);
}

int traffic_exchange(struct traffic *traffic) {
    struct ethernet *ethernet = traffic->ethernet;
    traffic->begun_ns = traffic->ended_ns = tigon_host_now_ns(ethernet->host);
    while (!given_up(traffic)) {
        const uint32_t sent = traffic_send(traffic, traffic->burst != 0 ? traffic->burst : SENDS);
        const uint32_t received = traffic_receive(traffic);
        const bool all_sent = traffic->sent == traffic->sends && ethernet_unsent(ethernet) == 0;
        if (all_sent && traffic->sent_all_ns == 0)
            traffic->sent_all_ns = tigon_host_now_ns(ethernet->host);
        if (all_sent && traffic->received - traffic->repeated >= traffic->expected)
            break;
        if (traffic->gap_ns != 0)
            tigon_host_sleep_ns(ethernet->host, traffic->gap_ns);
        if (sent == 0 && received == 0 && !ethernet_wait(ethernet, traffic->quiet_ns)) {
            if (!all_sent)
                fail(traffic,
                     "silence: %u of %u frames given to the board, %u descriptors not sent, %u "
                     "frames received",
                     (unsigned)traffic->sent, (unsigned)traffic->sends,
                     (unsigned)ethernet_unsent(ethernet), (unsigned)traffic->received);
            break;
        }
    }
    ethernet_leave(ethernet);
    return given_up(traffic) ? -1 : 0;
}
