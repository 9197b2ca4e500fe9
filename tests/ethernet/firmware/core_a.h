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
void send_frames(void);
void fetch_sends(void);
void take_received(void);
void fetch_buffers(void);
void writes_done(void);
void reads_done(void);
void read_mailboxes(void);
void report(void);
void receive_attention(void);
void transmit_attention(void);
void dma_failed(void);
void tick(void);

/* What a DMA was for; in its descriptor. */
enum {
    KIND_SENDS,   /* entries of the send ring; index: how many */
    KIND_BUFFERS, /* entries of the buffer ring; index: how many */
    KIND_PIECE,   /* of a frame to send */
    KIND_FRAME,   /* the last piece of one; index: pieces */
    KIND_DATA,    /* a received frame; index: where it ends */
    KIND_RETURN,  /* its entry in the return ring */
    KIND_REPORT
};

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

/* A ring in host memory, of entries of ENTRY_WORDS words. */
struct host_ring {
    uint32_t high;
    uint32_t low;
    uint32_t entries;  /* a power of two */
    uint32_t produced; /* by the host, as far as we know; of the return ring by us */
};

/* Read from the control block. */
struct settings {
    struct host_ring sends;
    struct host_ring buffers;
    struct host_ring returns;
    uint32_t report_high;
    uint32_t report_low;
    uint32_t options;
    uint32_t longest;
};
extern struct settings settings;

/* Free slots of the DMA rings. */
uint32_t read_slots(void);
uint32_t write_slots(void);
/* Puts a DMA into a ring that has a free slot. */
void queue_read(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t state,
                uint32_t kind, uint32_t index);
void queue_write(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t state,
                 uint32_t kind, uint32_t index);
/* Bus address of entry `counter` of a ring. */
uint32_t entry_low(const struct host_ring *ring, uint32_t counter);
uint32_t entry_high(const struct host_ring *ring, uint32_t counter);

/* Software events of A. */
void raise_event(uint32_t event);
void clear_event(uint32_t event);

void count(uint32_t counter);
/* Something changed that the host should hear of soon. */
void unreported(void);

/* Before the event loop begins. */
void send_begin(void);
void link_begin(void);
void link_look(void);

/* Completions, from reads_done and writes_done. */
void sends_fetched(uint32_t entries);
void frame_fetched(uint32_t pieces);
void buffers_fetched(uint32_t entries);
void data_delivered(uint32_t end);
void return_delivered(void);
void report_delivered(void);

/* For the report. */
uint32_t sends_done(void);
uint32_t returns_done(void);
void set_link(bool up);

/* New receive settings of the MAC, from AREA_FILTER. */
void take_filter(void);
uint32_t mac_receive_state(void);

#endif
