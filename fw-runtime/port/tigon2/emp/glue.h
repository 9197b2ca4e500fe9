/*
 * Between EMP's machines and the runtime: what the files of this directory share.
 */
#ifndef FW_RUNTIME_TIGON2_EMP_GLUE_H
#define FW_RUNTIME_TIGON2_EMP_GLUE_H

#include <assert.h>

#include "emp.h"

/* Codes of nic_panic above the port's own. */
enum glue_panic {
    GLUE_PANIC_NOTICES = 0x0201, /* more collections being placed than there are notices */
    GLUE_PANIC_MEMORY = 0x0202,  /* an accepted descriptor ends before its length does */
    GLUE_PANIC_PAGES = 0x0203    /* no buffer for an indirect page although one must be free */
};

/* Objects the host reaches; see the layouts in spec/emp/host.hsm. */
#define GLUE_DESCRIPTOR_WORDS (EMP_DESCRIPTOR_BYTES / 4u)
extern uint32_t glue_descriptors[EMP_DESCRIPTOR_LIMIT][GLUE_DESCRIPTOR_WORDS];
extern uint32_t glue_posting_ring[EMP_POSTING_RING_ENTRIES];
extern uint32_t glue_peers[EMP_NODE_LIMIT][2];

struct glue_counters {
    uint32_t parse_foreign;
    uint32_t parse_malformed;
    uint32_t control_dropped;  /* no room in the transmit buffer */
    uint32_t postings_ignored; /* number out of range, or descriptor not handed over */
    uint32_t postings_held;    /* sends that had to wait for a free record */
    uint32_t pages_fetched;
    uint32_t never;               /* events the spec says cannot come in the state they met */
    uint32_t pages_fetched_again; /* with the frame waiting: more indirect receives than buffers */
};
extern struct glue_counters glue_counters;

/* memory.c */
void glue_memory_start(void);
void glue_memory_forget(uint32_t descriptor, bool receive);
/* Does the memory of a descriptor whose page, if any, is there hold its total length? */
bool glue_memory_suffices(uint32_t descriptor);
bool glue_page_present(uint32_t descriptor);
/* Fetches the page of an INDIRECT descriptor into a buffer of its own. */
void glue_page_fetch(uint32_t descriptor, bool receive, bool notify);

/* The descriptor of the page fetched last has been offered. */
void glue_page_settled(void);
/* Appends `length` (not 0) bytes at `offset` of a send to the frame being transmitted. */
void glue_send_data(uint32_t descriptor, uint32_t offset, uint32_t length);

/* wire.c */
void glue_wire_start(uint32_t mac_high, uint32_t mac_low);

/* postings.c: a send is done, so one that waits may find room. */
void glue_postings_retry(void);

#endif
