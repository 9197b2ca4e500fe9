/* See traffic.h. A frame tells its sender, number and length; all else follows from these. */
#include "tests/ethernet/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 14, NUMBERED = HEADER + 6, PIECES = 4 };

static uint32_t mix(uint32_t value) {
    value ^= value >> 16;
    value *= 0x7FEB352Du;
    value ^= value >> 15;
    value *= 0x846CA68Bu;
    return value ^ value >> 16;
}

/* All lengths in turn, then again; every other one from the far end, so that neighbours differ. */
static uint32_t length_of(const struct traffic *traffic, uint32_t number) {
    const uint32_t lengths = traffic->longest - traffic->shortest + 1;
    const uint32_t step = number % lengths;
    return (number & 1) != 0 ? traffic->longest - step : traffic->shortest + step;
}

static void make_frame(uint8_t *frame, uint32_t length, const uint8_t to[6], const uint8_t from[6],
                       uint32_t number) {
    memcpy(frame, to, 6);
    memcpy(frame + 6, from, 6);
    frame[12] = TRAFFIC_TYPE >> 8;
    frame[13] = TRAFFIC_TYPE & 0xFF;
    for (int i = 0; i < 4; i++)
        frame[HEADER + i] = (uint8_t)(number >> (24 - 8 * i));
    frame[HEADER + 4] = (uint8_t)(length >> 8);
    frame[HEADER + 5] = (uint8_t)length;
    uint32_t value = mix(number * 64 + from[5]);
    for (uint32_t i = NUMBERED; i < length; i++) {
        frame[i] = (uint8_t)(value >> (8 * (i & 3)));
        if ((i & 3) == 3)
            value = mix(value + i);
    }
}

/* One to four pieces of any lengths. */
static unsigned cut(uint32_t length, uint32_t number, uint32_t cuts[PIECES]) {
    uint32_t chance = mix(number ^ 0xC075u);
    const unsigned pieces = 1 + chance % PIECES;
    uint32_t left = length;
    for (unsigned i = 0; i + 1 < pieces; i++) {
        chance = mix(chance);
        cuts[i] = 1 + chance % (left - (pieces - i - 1) - 1);
        left -= cuts[i];
    }
    cuts[pieces - 1] = left;
    return pieces;
}

static void judge(struct traffic *traffic, const uint8_t *frame, size_t length) {
    uint8_t expected[ETHERNET_LONGEST];
    unsigned peer = 0;
    while (peer < traffic->peer_count && memcmp(frame + 6, traffic->peers[peer], 6) != 0)
        peer++;
    const uint32_t number = (uint32_t)frame[HEADER] << 24 | (uint32_t)frame[HEADER + 1] << 16 |
                            (uint32_t)frame[HEADER + 2] << 8 | frame[HEADER + 3];
    const uint32_t said = (uint32_t)frame[HEADER + 4] << 8 | frame[HEADER + 5];
    if (peer == traffic->peer_count || number >= traffic->numbered || said > sizeof expected ||
        said != length_of(traffic, number)) {
        traffic->wrong++;
        return;
    }
    make_frame(expected, said, traffic->ethernet.address, frame + 6, number);
    /* The MAC fills short frames up to 60 bytes. */
    if (length != (said < 60 ? 60 : said) || memcmp(frame, expected, said) != 0) {
        traffic->wrong++;
        return;
    }
    uint8_t *seen = &traffic->seen[(size_t)peer * traffic->numbered + number];
    if (*seen != 0)
        traffic->repeated++;
    else if (number < traffic->next[peer])
        traffic->backwards++;
    if (number >= traffic->next[peer])
        traffic->next[peer] = number + 1;
    *seen = 1;
    traffic->received++;
    traffic->bytes += length;
}

static unsigned send_some(struct traffic *traffic, uint32_t *number) {
    uint8_t frame[ETHERNET_LONGEST];
    uint32_t cuts[PIECES];
    unsigned sent = 0;
    while (*number < traffic->frames && (traffic->burst == 0 || sent < traffic->burst)) {
        const uint32_t length = length_of(traffic, *number);
        const unsigned pieces = cut(length, *number + traffic->seed, cuts);
        if (!ethernet_can_send(&traffic->ethernet, pieces))
            break;
        make_frame(frame, length, traffic->peers[*number % traffic->peer_count],
                   traffic->ethernet.address, *number);
        ethernet_send(&traffic->ethernet, frame, cuts, pieces);
        (*number)++;
        sent++;
    }
    if (sent > 0)
        ethernet_push(&traffic->ethernet);
    return sent;
}

static unsigned receive_all(struct traffic *traffic) {
    const uint8_t *frame;
    unsigned count = 0;
    for (size_t length; (length = ethernet_receive(&traffic->ethernet, &frame)) != 0; count++) {
        judge(traffic, frame, length);
        ethernet_release(&traffic->ethernet);
        traffic->ended_ns = tigon_host_now_ns(traffic->ethernet.host);
    }
    return count;
}

static int exchange(struct traffic *traffic) {
    struct ethernet *ethernet = &traffic->ethernet;
    uint32_t number = 0;
    while (!ethernet_link(ethernet))
        if (!ethernet_wait(ethernet, 500000000)) {
            snprintf(traffic->error, sizeof traffic->error, "the link does not come up");
            return -1;
        }
    traffic->begun_ns = tigon_host_now_ns(ethernet->host);
    for (;;) {
        const unsigned sent = send_some(traffic, &number);
        const unsigned received = receive_all(traffic);
        if (number == traffic->frames && ethernet_all_sent(ethernet) &&
            traffic->received - traffic->repeated >= traffic->expected)
            return 0;
        if (traffic->gap_ns != 0)
            tigon_host_sleep_ns(ethernet->host, traffic->gap_ns);
        if (sent == 0 && received == 0 && !ethernet_wait(ethernet, traffic->quiet_ns)) {
            if (number == traffic->frames && ethernet_all_sent(ethernet))
                return 0; /* what is missing was lost */
            snprintf(traffic->error, sizeof traffic->error,
                     "silence: %u of %u frames given to the board, %u entries not sent, %u frames "
                     "received",
                     (unsigned)number, (unsigned)traffic->frames,
                     (unsigned)(ethernet->sent - ethernet->report[REPORT_SENT]),
                     (unsigned)traffic->received);
            return -1;
        }
    }
}

int traffic_program(struct tigon_host *host, void *argument) {
    struct traffic *traffic = argument;
    if (traffic->peer_count == 0 || traffic->peer_count > TRAFFIC_PEERS ||
        traffic->shortest < NUMBERED || traffic->longest > ETHERNET_LONGEST ||
        traffic->longest < traffic->shortest) {
        snprintf(traffic->error, sizeof traffic->error, "1 to %d peers, frames of %d to %d bytes",
                 TRAFFIC_PEERS, NUMBERED, ETHERNET_LONGEST);
        return 1;
    }
    if (ethernet_open(&traffic->ethernet, host, &traffic->options, traffic->image) < 0) {
        snprintf(traffic->error, sizeof traffic->error, "%s", traffic->ethernet.error);
        return 1;
    }
    traffic->seen = calloc((size_t)traffic->peer_count * traffic->numbered + 1, 1);
    if (traffic->seen == NULL)
        abort();
    const int result = exchange(traffic);
    free(traffic->seen);
    traffic->seen = NULL;
    return result < 0 || traffic->wrong != 0 ? 1 : 0;
}
