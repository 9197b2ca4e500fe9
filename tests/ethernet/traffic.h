/*
 * A host program that sends numbered frames of all lengths over the small Ethernet firmware, and
 * compares each byte of those it receives.
 */
#ifndef ETHERNET_TRAFFIC_H
#define ETHERNET_TRAFFIC_H

#include "tests/ethernet/driver.h"

enum { TRAFFIC_PEERS = 8, TRAFFIC_TYPE = 0x88B5 };

struct traffic {
    /* Set by whoever starts it */
    struct ethernet_options options;
    const char *image;
    uint8_t peers[TRAFFIC_PEERS][6]; /* frames go to each in turn */
    unsigned peer_count;
    uint32_t frames;   /* to send, in all */
    uint32_t numbered; /* frames that each peer sends, whoever they are for */
    uint32_t expected; /* to receive, from all peers; fewer may come */
    uint32_t shortest; /* frame, without CRC */
    uint32_t longest;  /* lengths run through all from shortest to longest */
    uint32_t burst;    /* most frames between two looks at what has come; 0: no limit */
    uint64_t gap_ns;   /* the host does something else for so long between two bursts */
    uint64_t quiet_ns; /* without any frame for so long, it is over */
    unsigned seed;

    /* Results */
    struct ethernet ethernet;
    uint8_t *seen;                /* [peer * numbered + number] */
    uint32_t next[TRAFFIC_PEERS]; /* highest number so far, plus 1 */
    uint32_t received;
    uint32_t wrong;     /* with bytes, a length or a destination that nobody sent */
    uint32_t repeated;  /* with a number seen before */
    uint32_t backwards; /* with a number below one seen before */
    uint64_t bytes;     /* received */
    uint64_t begun_ns;  /* of the link */
    uint64_t ended_ns;  /* last frame received */
    char error[200];
};

/* The program: 0 when the board started and nothing wrong was received. */
int traffic_program(struct tigon_host *host, void *traffic);

#endif
