/* SPDX-License-Identifier: MIT */
/*
 * What the parts of core A's program share. A has an event loop (start.S) and these handlers; each
 * runs to its end and returns to the loop.
 */
#ifndef ETHERNET_CORE_A_H
#define ETHERNET_CORE_A_H

#include "tests/ethernet/firmware/chip.h"

/* Enabled events; start.S uses it. */
register uint32_t enabled_events __asm__("s4");

/* The entry of the event table that serves each of these is in start.S. */
void initialise(void);
void unexpected(void);
void tick(void);
void transmit_attention(void);
void receive_attention(void);
void tell_returns(void);
void tell_sends(void);
void read_mailboxes(void);
void read_attention(void);
void write_attention(void);
void reads_done(void);
void writes_done(void);
void fetch_buffers(void);
void show_leds(void);
void take_received(void);
void fetch_sends(void);
void send_frames(void);

/* Set before the event loop begins, then only read. */
struct place {
    uint32_t transmit; /* buffers and rings, tigon2.md 2.3 */
    uint32_t receive;
    uint32_t to_send_ring;
    uint32_t received_ring;
    uint32_t read_ring;
    uint32_t write_ring;
};
extern struct place place;

struct bus_address {
    uint32_t high;
    uint32_t low;
};

/* A ring control block of the information block. */
struct control {
    struct bus_address ring;
    uint32_t length;
    uint32_t flags; /* RING_* */
};

/* Rings of buffers for received frames. */
enum { MINI, STANDARD, JUMBO, BUFFER_RINGS };

struct settings {
    struct control events;
    struct control sends;
    struct control buffers[BUFFER_RINGS];
    struct control returns;
    struct bus_address event_producer;
    struct bus_address return_producer;
    struct bus_address send_consumer;
    struct bus_address statistics;
    uint32_t read_state; /* bits of every DMA state word */
    uint32_t write_state;
    uint32_t assist;     /* bits of HW[11C] */
    bool summed_returns; /* some receive ring wants sums */
    bool refused;
    /* Those that COMMAND_UPDATE_SHARED reads anew: */
    uint32_t receive_us;
    uint32_t send_us;
    uint32_t receive_most; /* that go unreported; ~0: any number */
    uint32_t send_most;
    uint32_t statistics_us;
};
extern struct settings settings;

/* configuration.c */
bool read_information(void); /* false: the DMA failed */
void read_tunables(void);

static inline struct bus_address bus_offset(struct bus_address address, uint32_t bytes) {
    const uint32_t low = address.low + bytes;
    return (struct bus_address){address.high + (low < bytes ? 1u : 0u), low};
}

static inline uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static inline void count(uint32_t counter) {
    SRAM(FIRMWARE_COUNTERS + 4 * counter)++;
}

/* Software events of A. */
void raise_event(uint32_t event);
void clear_event(uint32_t event);
void fail_start(uint32_t state) __attribute__((noreturn));

/* dma.c and queue.h put transfers into rings; completions go to the parts below. */

/* host.c */
void host_begin(void);
void alarm(void); /* an interrupt, if the host wants one */
void tell_event(uint32_t number, uint32_t code, uint32_t index); /* may wait for room */
uint32_t event_room(void);
void frame_returned(void);                     /* an entry of the return ring is on its way */
void sends_consumed(uint32_t index, bool now); /* how far the host's entries are done */
void writes_possible(void);                    /* some slots of the write ring are free again */
void host_look(void);                          /* each tick */

void take_commands(void);

/* filter.c */
extern bool host_up; /* it takes frames */
void filter_begin(void);
void add_group(uint32_t high, uint32_t low);
void remove_group(uint32_t high, uint32_t low);
void set_all_groups(bool on);
void set_promiscuous(bool on);
void set_by_address(bool on);
/* DESCRIPTOR_UNICAST and so on, by the two first words of a frame; 0: it is not for us. */
uint32_t cast_of(uint32_t first, uint32_t second);

/* send.c */
extern bool sends_waiting; /* frames may be there to send */
void send_begin(void);
void sends_produced(uint32_t index);
void sends_fetched(uint32_t entries);
void frame_fetched(uint32_t index);
void summed_frame_fetched(uint32_t index, uint32_t sum);

/* receive.c */
void receive_begin(void);
void receive_again(void); /* what reception waited for may be there */
void buffers_produced(uint32_t number, uint32_t index);
void buffers_fetched(uint32_t number, uint32_t entries);
void frame_delivered(void);
void summed_frame_delivered(uint32_t number, uint32_t sum);
bool jumbo_reset(void); /* false: frames are on their way, try again */

/* sums.c: checksums of IPv4, of frames in the MAC's buffers */
struct frame {
    uint32_t address;
    uint32_t length;
    uint32_t buffer; /* a frame that reaches the end of its buffer goes on here */
    uint32_t buffer_end;
    uint32_t unwrapped; /* so many of its first bytes lie in one piece in any case */
};
struct ip {
    uint32_t header; /* offsets in the frame */
    uint32_t payload;
    uint32_t end;
    uint32_t protocol; /* TCP or UDP if all of it is there; or 0 */
    uint32_t header_sum;
};
uint32_t fold(uint32_t sum);
bool find_ip(const struct frame *frame, struct ip *ip);
uint32_t pseudo_header(const struct frame *frame, const struct ip *ip);
/* Of a frame out of which `cut` bytes of a tag are taken. */
uint32_t sum_beside_payload(const struct frame *frame, const struct ip *ip, uint32_t cut);
/* Puts sums into a frame to send, of all of which the engine found `sum`. */
void put_sums(const struct frame *frame, uint32_t sum, uint32_t wanted, bool pseudo);

/* mac.c */
void mac_begin(void);
void take_address(void);
void set_port(uint32_t bits, bool enabled); /* of HW[200] */
void set_pause(bool send, bool obey);
void mac_promiscuous(bool on);
bool signal_present(void);
void mac_stop(void);
void mac_go(void);

/* transceiver.c */
enum transceiver { INTERNAL_SERDES, EXTERNAL_SERDES, COPPER, NO_TRANSCEIVER };
enum transceiver find_transceiver(void);
void set_copper_clock(bool gigabit);

/* link.c */
void link_begin(void);
void link_tick(void);
void link_attention(uint32_t attentions);
void link_negotiate(uint32_t code); /* anew, as COMMAND_NEGOTIATE */
void link_changed(bool up, uint32_t speed, bool full);
/* PAUSE as two bits, 2 symmetric and 1 asymmetric: ours by a link word of the host, and what comes
 * of ours and the peer's. */
uint32_t pause_wanted(uint32_t link);
void settle_pause(uint32_t link, uint32_t theirs);

/* copper.c */
bool phy_present(void);
void copper_begin(void);
void copper_negotiate(uint32_t gigabit, uint32_t slow); /* link words of the host, or 0 */
void copper_tick(void);

/* statistics.c */
void count_frame_in(uint32_t flags, uint32_t length);    /* DESCRIPTOR_UNICAST and the like */
void count_frame_out(uint32_t address, uint32_t length); /* its bytes lie at an SRAM address */
void refresh_statistics(void);                           /* answered by an event */
void statistics_tick(void);
void statistics_delivered(void);
void clear_statistics(void);
void clear_profile(void);

#endif
