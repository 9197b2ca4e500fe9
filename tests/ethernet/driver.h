/* SPDX-License-Identifier: MIT */
/*
 * A host driver for Ethernet firmware with the interface of the public drivers (interface.h), made
 * to behave as they do. Runs inside a simulated host; all functions are [program] functions in the
 * sense of sim/tigon.h.
 *
 * startup.c resets the board, loads the image and starts it; rings.c has send, receive and return
 * rings; driver.c has interrupts, events and commands.
 */
#ifndef ETHERNET_DRIVER_H
#define ETHERNET_DRIVER_H

#include "sim/command/image.h"
#include "sim/tigon.h"
#include "tests/ethernet/interface.h"

enum {
    ETHERNET_LONGEST = JUMBO_BYTES + 4, /* with a tag */
    ETHERNET_STANDARD_BYTES = 1518, /* of the control block: longer frames are for the next ring */
    ETHERNET_MINI_BYTES = 100,
    ETHERNET_PIECES = 4,
    ETHERNET_EVENTS = 16,
    ETHERNET_ANY_SKEW = 8,
    ETHERNET_GIGABIT = 1, /* states of the link: codes of EVENT_LINK */
    ETHERNET_DOWN = 2,
    ETHERNET_SLOW = 3
};

#define ETHERNET_LINK_USUAL 0x708C0000u /* negotiated, full duplex, PAUSE obeyed */

/* What an image has to start, until event 1, and to find its link after that. Slow ones look for a
 * transceiver for a second; over copper there are some that have their link after three. */
#define ETHERNET_UP_NS   UINT64_C(3000000000)
#define ETHERNET_LINK_NS UINT64_C(6000000000)

struct ethernet_options {
    uint32_t mode;           /* beside MODE_USUAL: MODE_ONE_DMA or 0 */
    uint32_t mtu;            /* longest frame without CRC */
    bool jumbo, mini;        /* rings beside the standard one */
    uint32_t send_flags;     /* RING_*, of the send ring */
    uint32_t receive_flags;  /* RING_*, of all receive rings */
    uint32_t skew;           /* receive buffers begin so many bytes past a multiple of 8;
                                ETHERNET_ANY_SKEW: each by another number */
    uint32_t buffers;        /* posted in each receive ring, at most */
    uint32_t refill;         /* buffers that are given back at once */
    uint32_t transmit_share; /* words of the shared area by the same names */
    uint32_t receive_ticks;
    uint32_t receive_descriptors;
    uint32_t send_ticks;
    uint32_t send_descriptors;
    uint32_t link; /* SHARED_LINK */
    bool polling;  /* interrupts are masked, the host looks at its memory */
};

/* One of the three rings of receive buffers. Entry and buffer have the same number. */
struct ethernet_ring {
    uint32_t *entries;
    uint64_t bus;
    uint8_t *memory; /* of the buffers, `slot_bytes` for each */
    uint64_t memory_bus;
    uint32_t count; /* entries; 0: the ring is not used */
    uint32_t bytes; /* that a buffer holds */
    uint32_t slot_bytes;
    uint32_t mailbox, flags;
    uint32_t producer;
    uint32_t owed;   /* buffers that the host has emptied and not given back yet */
    uint8_t *posted; /* [entry]: the board has it */
};

enum { ETHERNET_STANDARD, ETHERNET_JUMBO, ETHERNET_MINI, ETHERNET_RINGS };

struct ethernet {
    struct tigon_host *host;
    struct ethernet_options options;
    uint8_t address[6]; /* of the EEPROM */
    uint8_t *block;     /* information block */
    uint64_t block_bus;
    uint32_t *events, *sends, *returns;
    uint64_t events_bus, sends_bus, returns_bus;
    volatile uint32_t *indexes; /* 16 bytes each: events, returns, sends */
    uint64_t indexes_bus;
    uint8_t *send_memory;
    uint64_t send_memory_bus;
    struct ethernet_ring rings[ETHERNET_RINGS];
    uint32_t event, command, sent, taken; /* entries of events, commands, sends, returns so far */
    uint32_t reused;                      /* entries of sends whose memory has other use since */
    uint32_t taken_told;
    uint32_t seen[3]; /* indexes at the last look */
    bool at_work;     /* mailbox 0 says so */

    bool up;
    uint32_t link;                    /* ETHERNET_*; 0 before the first event */
    uint32_t link_ups, link_downs;    /* events */
    uint32_t counts[ETHERNET_EVENTS]; /* events by number */
    uint32_t last_code[ETHERNET_EVENTS];
    uint64_t up_ns; /* simulated time from start to event 1 */
    uint64_t interrupts;
    uint64_t late;   /* work that was found although no interrupt came */
    char error[160]; /* the first thing that went wrong, for people */
};

/* A received frame: valid until ethernet_release. */
struct ethernet_frame {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t flags; /* DESCRIPTOR_* */
    uint32_t sums, tag, errors;
    unsigned ring; /* ETHERNET_STANDARD, ... */
    uint32_t entry;
};

/* What the public drivers set: interrupts, the standard ring, no checksums. */
struct ethernet_options ethernet_defaults(void);

/* Resets the board, loads the image, starts it and waits for event 1, at most `limit_ns`; then
 * posts buffers and says that the host is up. 0, or -1 with `error` set. May be called again. */
int ethernet_open(struct ethernet *ethernet, struct tigon_host *host,
                  const struct ethernet_options *options, const struct image *image,
                  uint64_t limit_ns);

/* For startup.c: memory and control blocks, then the buffers. */
int ethernet_make_rings(struct ethernet *ethernet);
void ethernet_post_buffers(struct ethernet *ethernet);

/* A word of the shared area. */
uint32_t ethernet_shared(struct ethernet *ethernet, uint32_t address);
void ethernet_set_shared(struct ethernet *ethernet, uint32_t address, uint32_t value);
void ethernet_mailbox(struct ethernet *ethernet, uint32_t number, uint32_t value);
void ethernet_set_address(struct ethernet *ethernet, const uint8_t address[6]);

/* Remembers the first error. Always -1. */
int ethernet_fail(struct ethernet *ethernet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Waits until the board interrupts (or, polling, until it tells something) and takes the events.
 * False when `timeout_ns` passed first. */
bool ethernet_wait(struct ethernet *ethernet, uint64_t timeout_ns);
/* The end of the interrupt handler: the board may interrupt again. */
void ethernet_leave(struct ethernet *ethernet);
/* Takes the events that have come. */
void ethernet_take_events(struct ethernet *ethernet);

/* Until event `number` has come `count` times in all. False after `timeout_ns`. */
bool ethernet_await_event(struct ethernet *ethernet, uint32_t number, uint32_t count,
                          uint64_t timeout_ns);
/* Until the link is up, or down. */
bool ethernet_await_link(struct ethernet *ethernet, bool up, uint64_t timeout_ns);
static inline bool ethernet_link(const struct ethernet *ethernet) {
    return ethernet->link == ETHERNET_GIGABIT || ethernet->link == ETHERNET_SLOW;
}

/* Puts a command into the ring. False, with `error` set, when the board does not take commands. */
bool ethernet_command(struct ethernet *ethernet, uint32_t number, uint32_t code);
/* The same with an Ethernet address in the two next words. */
bool ethernet_command_long(struct ethernet *ethernet, uint32_t number, const uint8_t address[6]);

/* True when a frame of `pieces` pieces has room in the send ring. */
bool ethernet_can_send(const struct ethernet *ethernet, unsigned pieces);
/* Send descriptors that the board has not reported yet. */
uint32_t ethernet_unsent(const struct ethernet *ethernet);

/* Puts a frame into the send ring: `cuts[0..pieces-1]` are the lengths of its pieces, `places` the
 * byte at which each begins in its part of host memory, 0 to 63; `flags` are DESCRIPTOR_*. It goes
 * out with the next ethernet_push. False when there is no room. */
bool ethernet_send(struct ethernet *ethernet, const void *frame, const uint32_t *cuts,
                   const uint32_t *places, unsigned pieces, uint32_t flags, uint32_t tag);
void ethernet_push(struct ethernet *ethernet);
/* Writes over the memory of sends that the board has reported: it must have read them by then. */
void ethernet_reuse(struct ethernet *ethernet);

/* The next received frame; false when there is none, or the board returned what it does not have
 * (`error` is set). Each must be released before the next is asked for. */
bool ethernet_receive(struct ethernet *ethernet, struct ethernet_frame *frame);
void ethernet_release(struct ethernet *ethernet, const struct ethernet_frame *frame);
/* The board has dropped all jumbo buffers (EVENT_JUMBO_RESET): posts them anew. */
void ethernet_renew_jumbo(struct ethernet *ethernet);

/* A counter of the statistics in host memory. */
uint64_t ethernet_statistic(const struct ethernet *ethernet, unsigned word);

#endif
