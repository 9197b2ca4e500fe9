/*
 * Host driver for the small Ethernet firmware. Runs inside a simulated host; all functions are
 * [program] functions in the sense of sim/tigon.h.
 *
 * Send ring, buffer ring, return ring and report lie in host memory. The driver sleeps until the
 * board interrupts, and never polls the board.
 */
#ifndef ETHERNET_DRIVER_H
#define ETHERNET_DRIVER_H

#include "sim/tigon.h"
#include "tests/ethernet/firmware/interface.h"

enum { ETHERNET_LONGEST = 9014 }; /* jumbo frame without CRC */

struct ethernet_options {
    uint32_t firmware;     /* OPTION_* */
    uint32_t report_us;    /* at least 1 */
    uint32_t ring_entries; /* of each ring, a power of two */
    uint32_t longest;      /* frame, without CRC; at most ETHERNET_LONGEST */
    uint32_t first;        /* skew of all buffers, bytes 0..7: nothing needs to be aligned */
};

struct ethernet {
    struct tigon_host *host;
    struct ethernet_options options;
    uint8_t address[6];
    uint32_t *sends, *buffers, *returns, *block;
    volatile uint32_t *report;
    uint8_t *send_memory, *buffer_memory;
    uint64_t sends_bus, buffers_bus, returns_bus, block_bus, report_bus, send_bus, buffer_bus;
    size_t slot_bytes; /* of one frame in host memory */
    uint32_t sent;     /* entries put into the send ring */
    uint32_t posted;   /* into the buffer ring */
    uint32_t taken;    /* out of the return ring */
    uint32_t sequence; /* of the report seen last */
    uint64_t interrupts;
    char error[160]; /* what went wrong, for people */
};

/* Resets the board, loads the raw image at `path` (from SRAM 0x4000), sets the rings up, starts the
 * firmware and waits until it runs. Returns 0, or -1 with `error` set. */
int ethernet_open(struct ethernet *ethernet, struct tigon_host *host,
                  const struct ethernet_options *options, const char *image);

/* Waits for an interrupt and takes note of the report. False when `timeout_ns` passed first. */
bool ethernet_wait(struct ethernet *ethernet, uint64_t timeout_ns);

/* As of the last report. */
bool ethernet_link(const struct ethernet *ethernet);
/* True when a frame of `pieces` pieces has room in the send ring. */
bool ethernet_can_send(const struct ethernet *ethernet, unsigned pieces);
/* True when all frames have left host memory. */
bool ethernet_all_sent(const struct ethernet *ethernet);

/* Puts a frame into the send ring: `cuts[0..pieces-1]` are the lengths of its pieces. It goes out
 * with the next ethernet_push. False when there is no room. */
bool ethernet_send(struct ethernet *ethernet, const void *frame, const uint32_t *cuts,
                   unsigned pieces);
void ethernet_push(struct ethernet *ethernet);

/* The next received frame: its length, or 0 when there is none. It stays valid until
 * ethernet_release, which must follow and gives its memory back to the board. */
size_t ethernet_receive(struct ethernet *ethernet, const uint8_t **frame);
void ethernet_release(struct ethernet *ethernet);

/* Promiscuous or not, and multicast addresses to accept (tigon2.md 6.3). */
void ethernet_filter(struct ethernet *ethernet, bool promiscuous, const uint8_t (*groups)[6],
                     unsigned count);
void ethernet_clear_statistics(struct ethernet *ethernet);

/* A word of the MAC statistics (tigon2.md 6.3), and one of the firmware's own counters. */
uint32_t ethernet_mac_statistic(struct ethernet *ethernet, unsigned index);
uint32_t ethernet_counter(struct ethernet *ethernet, unsigned index);

#endif
