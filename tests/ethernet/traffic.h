/* SPDX-License-Identifier: MIT */
/*
 * Numbered frames over the driver: each byte follows from number and sender, so that each received
 * byte is compared, and loss, order and repetition are noticed.
 */
#ifndef ETHERNET_TRAFFIC_H
#define ETHERNET_TRAFFIC_H

#include "tests/ethernet/driver.h"

enum {
    TRAFFIC_PEERS = 8,
    TRAFFIC_TYPE = 0x88B5,
    TRAFFIC_SHORTEST = 20,          /* header and number */
    TRAFFIC_INTERNET_SHORTEST = 48, /* the same in a UDP datagram */
    TRAFFIC_TAG_TYPE = 0x8100
};

/* What frames are made of; sender and receiver must agree. */
struct traffic_plan {
    uint32_t first;    /* number of the first */
    uint32_t frames;   /* of each sender */
    uint32_t shortest; /* frame without CRC and tag; lengths run through all to the longest */
    uint32_t longest;
    unsigned pieces;    /* of each frame; 0: one to four */
    bool internet;      /* UDP and TCP over IPv4, with checksums */
    uint32_t sums;      /* of these the board makes: DESCRIPTOR_TRANSPORT_SUM, _IP_SUM */
    bool wrong_sums;    /* the transport checksum is off by one, and nobody mends it */
    bool tags;          /* the board puts a VLAN tag in, which the other takes out */
    bool tags_in_frame; /* the tag is in the bytes that the host sees: of this side's sends */
    bool tags_left;     /* the same of what this side receives */
    uint32_t flags;     /* DESCRIPTOR_* of each send, such as DESCRIPTOR_NOW */
};

struct traffic {
    /* Set by whoever starts it */
    struct ethernet *ethernet;
    struct traffic_plan plan;
    uint8_t peers[TRAFFIC_PEERS][6]; /* frames go to each in turn */
    unsigned peer_count;
    uint32_t sends;            /* frames to send, at most plan.frames */
    uint32_t expected;         /* to receive, from all peers */
    uint32_t burst;            /* most frames between two looks at what has come; 0: no limit */
    uint64_t gap_ns;           /* the host does something else for so long between two bursts */
    uint64_t quiet_ns;         /* without any frame for so long, it is over */
    const volatile bool *over; /* may be NULL; true: give up */

    /* Results */
    uint8_t *seen;                /* [peer * plan.frames + number]; traffic_free */
    uint32_t next[TRAFFIC_PEERS]; /* highest number so far, plus 1 */
    uint32_t sent;
    uint32_t received;
    uint32_t wrong;     /* with bytes, a length or a destination that nobody sent */
    uint32_t repeated;  /* with a number seen before */
    uint32_t backwards; /* with a number below one seen before */
    uint32_t damaged;   /* that the board says are: they count for nothing else */
    uint32_t bad_sums;  /* for which the board's sums tell that the frame is wrong */
    uint32_t rings[ETHERNET_RINGS];
    uint32_t tagged;
    uint64_t bytes;       /* received */
    uint64_t begun_ns;    /* of the exchange */
    uint64_t sent_all_ns; /* the board has told of the last send */
    uint64_t ended_ns;    /* last frame received */
    char error[200];      /* the first thing that went wrong */
};

/* Makes frame `number` of `from` to `to`; a tag in it makes it 4 bytes longer. `finished`: with all
 * checksums, as the other side receives it. Returns its length. */
uint32_t traffic_make(const struct traffic_plan *plan, uint8_t frame[ETHERNET_LONGEST],
                      const uint8_t to[6], const uint8_t from[6], uint32_t number, bool finished,
                      bool tag_in_frame);

/* Sends and receives until all is done, or silence. 0, or -1 with `error` set; lost frames are no
 * error. [program] */
int traffic_exchange(struct traffic *traffic);
/* Puts the next frames into the send ring, at most `most`; the number of frames. [program] */
uint32_t traffic_send(struct traffic *traffic, uint32_t most);
/* Takes and judges all frames that are there; the number of frames. [program] */
uint32_t traffic_receive(struct traffic *traffic);

/* Before each exchange: forgets the results. */
void traffic_begin(struct traffic *traffic, const struct traffic_plan *plan);
void traffic_free(struct traffic *traffic);

#endif
