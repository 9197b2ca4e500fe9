/* SPDX-License-Identifier: MIT */
/*
 * Between EMP's machines and the runtime: what the files of this directory share.
 */
#ifndef SPEC_EMP_FIRMWARE_GLUE_H
#define SPEC_EMP_FIRMWARE_GLUE_H

#include <assert.h>

#include "emp.h"

/* Short ways, in images for one processor. A device operation on the data path is a part of each
 * action that calls it, in images whose functions are placed by what is measured: messages of one
 * frame have actions of their own, in which the compiler knows most of it. What is in slow memory
 * and does not change is remembered: addresses of peers, pages. */
#define GLUE_QUICK (EMP_QUICK_DEVICES && NIC_PROCESSORS == 1)
#if GLUE_QUICK && defined(NIC_FITTED) && !defined(EMP_OBSERVED)
#define GLUE_HOT inline __attribute__((always_inline))
#else
#define GLUE_HOT NIC_HOT
#endif

/* Which machines this unit has. The processor with Transmit has the transmitter; sends may be kept
 * in the books by the other one (sending.h). */
#define GLUE_KEEPS_SENDS (NIC_PROCESSOR == EMP_PROCESSOR_SEND)
#define GLUE_APART       (EMP_PROCESSOR_SEND != EMP_PROCESSOR_TRANSMIT)

/* Does one processor take all descriptors, and the other one only looks where data lie? Then that
 * is in common memory. */
#define GLUE_ONE_TAKES      (GLUE_APART || NIC_HANDS_OVER)
#define GLUE_TAKES_POSTINGS (!GLUE_ONE_TAKES || GLUE_KEEPS_SENDS)

/* Codes of nic_panic above the port's own. */
enum glue_panic {
    GLUE_PANIC_MEMORY = 0x0202, /* a descriptor the board owns was changed, and ends too early */
    GLUE_PANIC_PAGES = 0x0203   /* no buffer for an indirect page although one must be free */
};

/* Tokens of nic_notify_read: references to SendMessage, and above them the page of a posting. */
#define GLUE_READ_PAGE (EMP_SEND_LIMIT + 1u)
static_assert(GLUE_READ_PAGE <= NIC_READ_LIMIT, "each may be outstanding once");

/* Objects the host reaches; see the layouts in spec/emp/host.hsm. */
#define GLUE_DESCRIPTOR_WORDS (EMP_DESCRIPTOR_BYTES / 4u)

/* The table the host writes to, at any time, and behind it the board's own, as large. All that the
 * board relies on while it owns a descriptor, but addresses and the lengths of a chain, is in its
 * own: the word with the owner as it was when the descriptor was taken, how many entries of a page
 * of addresses are here, and which send waits behind it. The word is 0 while the descriptor is not
 * taken; and when it is SHORT, as 0 says, and was taken without detours. The other words are
 * wasted, so that one address does for both tables: fast memory has no room for code that computes
 * two. */
#define GLUE_TABLE_WORDS (EMP_DESCRIPTOR_LIMIT * GLUE_DESCRIPTOR_WORDS)
#if NIC_PROCESSORS == 1
#define GLUE_COMMON
#else
#define GLUE_COMMON NIC_COMMON
#endif
#if NIC_PROCESSORS == 1 || GLUE_ONE_TAKES
/* Of two processors, one takes all descriptors; the other one only reads what this one has set
 * before it asked for the data, but for GLUE_HAS_MEMORY. */
extern uint32_t glue_descriptors[2 * GLUE_TABLE_WORDS] GLUE_COMMON;
static inline volatile uint32_t *glue_descriptor(uint32_t descriptor) {
    return &glue_descriptors[descriptor * GLUE_DESCRIPTOR_WORDS];
}
#define GLUE_OWN_WORD(word) (GLUE_TABLE_WORDS + (word))
#else
/* Each processor has such a table of its own: a host may hand over a descriptor twice, as a send
 * and as a receive, and what one of them relies on must not change by the other. B's lies before
 * the host's. */
extern uint32_t glue_tables[3 * GLUE_TABLE_WORDS] NIC_COMMON;
#define glue_descriptors (&glue_tables[GLUE_TABLE_WORDS])
static inline volatile uint32_t *glue_descriptor(uint32_t descriptor) {
    return &glue_descriptors[descriptor * GLUE_DESCRIPTOR_WORDS];
}
#define GLUE_OWN_WORD(word)                                                                        \
    ((NIC_PROCESSOR == 0 ? 1 : -1) * (int32_t)GLUE_TABLE_WORDS + (int32_t)(word))
#endif
#define GLUE_TAKEN_WORD   GLUE_OWN_WORD(EMP_DESCRIPTOR_OWNER_WORD)
#define GLUE_ENTRIES_WORD GLUE_OWN_WORD(EMP_DESCRIPTOR_LENGTH_WORD)
/* The entries of a page that is being fetched. Until it is there the descriptor has none: a message
 * that shares a descriptor which the host has entered twice would read the buffer's old contents.
 */
#define GLUE_ARRIVING_WORD GLUE_OWN_WORD(EMP_DESCRIPTOR_ADDRESS_LOW_WORD)
/* Of a send that waits for a record: the next one that does (waiting.h). */
#define GLUE_NEXT_WORD GLUE_OWN_WORD(EMP_DESCRIPTOR_ADDRESS_HIGH_WORD)

/* In the board's own word, where the host's bit means nothing: has a cursor or a page, or may have.
 */
#define GLUE_HAS_MEMORY (EMP_DESCRIPTOR_RESERVED_MASK << EMP_DESCRIPTOR_RESERVED_SHIFT)

/* What a descriptor's word with the owner says. Compared where they lie: a shift is an instruction.
 */
static inline bool glue_is_format(uint32_t word, enum emp_format format) {
    return (word & EMP_DESCRIPTOR_FORMAT_MASK << EMP_DESCRIPTOR_FORMAT_SHIFT) ==
           (uint32_t)format << EMP_DESCRIPTOR_FORMAT_SHIFT;
}
static inline bool glue_is_receive(uint32_t word) {
    return (word & EMP_DESCRIPTOR_DIRECTION_MASK << EMP_DESCRIPTOR_DIRECTION_SHIFT) ==
           (uint32_t)EMP_DIRECTION_RECEIVE << EMP_DESCRIPTOR_DIRECTION_SHIFT;
}
static inline bool glue_is_owned(uint32_t word) {
    return (word & EMP_DESCRIPTOR_OWNER_MASK << EMP_DESCRIPTOR_OWNER_SHIFT) ==
           (uint32_t)EMP_OWNER_NIC << EMP_DESCRIPTOR_OWNER_SHIFT;
}
/* Of a posting. With a result in it, which none has, it is longer than any message. */
static inline uint32_t glue_total_length(uint32_t word) {
    return word >> EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT;
}
static_assert(EMP_DESCRIPTOR_RESULT_SHIFT > EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT &&
                  1u << (EMP_DESCRIPTOR_RESULT_SHIFT - EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT) >
                      EMP_MESSAGE_LIMIT,
              "only the result is above the length");
static inline uint32_t glue_length(const volatile uint32_t *descriptor) {
    return descriptor[EMP_DESCRIPTOR_LENGTH_WORD] >> EMP_DESCRIPTOR_LENGTH_SHIFT &
           EMP_DESCRIPTOR_LENGTH_MASK;
}
extern uint32_t glue_posting_ring[EMP_POSTING_RING_ENTRIES];
#if NIC_TRANSMITTER == 0
extern uint32_t glue_peers[EMP_NODE_LIMIT][2];
#else
extern uint32_t glue_peers[EMP_NODE_LIMIT][2] NIC_COMMON;
#endif

struct glue_counters {
    uint32_t parse_foreign;
    uint32_t parse_malformed;
    uint32_t control_dropped;  /* no room in the transmit buffer */
    uint32_t postings_ignored; /* number out of range, not handed over, or taken already */
    uint32_t postings_held;    /* sends that had to wait for a record */
    uint32_t pages_fetched;
    uint32_t never;               /* events the spec says cannot come in the state they met */
    uint32_t pages_fetched_again; /* with the frame waiting: more indirect receives than buffers */
    uint32_t address_unknown;     /* frames to a node whose address the host has not told */
#if EMP_CHECKS_FRAMES
    uint32_t headers_damaged; /* frames lost because of their header check */
    uint32_t data_damaged;    /* frames to come again because of the check of their data */
#endif
};
extern struct glue_counters glue_counters GLUE_COMMON;

#if NIC_PROCESSORS == 1
#define GLUE_COUNT(counter) ((void)glue_counters.counter++)
#else
static NIC_COLD void glue_count(uint32_t *counter) {
    nic_lock(); /* the other processor counts, too */
    (*counter)++;
    nic_unlock();
}
#define GLUE_COUNT(counter) glue_count(&glue_counters.counter)
#endif

#ifdef EMP_PROCESSOR_WATCH
static_assert(EMP_PROCESSOR_WATCH == EMP_PROCESSOR_MATCH,
              "the glue is for placements where silent peers are noticed where messages match");
#endif
#if GLUE_APART
#include "spec/emp/firmware/sending.h"
#endif
#if NIC_HANDS_OVER
#include "spec/emp/firmware/placing.h"
#elif NIC_PROCESSORS > 1 && !GLUE_APART
#include "spec/emp/firmware/between.h"
#endif

/* memory.c */
/* The host has written to the control block where its completion words are. */
void glue_completions_told(void);
#if EMP_ENDS_IN_MEMORY && NIC_WRITES
/* The word of a send that has ended goes to host memory, if the host has said where. */
void glue_tell_in_memory(uint32_t descriptor);
#endif
void glue_memory_start(void);
void glue_memory_forget(uint32_t descriptor, bool receive);
/* Does the memory of a descriptor whose page, if any, is there hold its total length? */
bool glue_memory_suffices(uint32_t descriptor);
bool glue_page_present(uint32_t descriptor);
/* Fetches the page of an INDIRECT descriptor into a buffer of its own; false when no page can be
 * where the descriptor says, or its number of entries makes no sense. With `notify`, GLUE_READ_PAGE
 * comes when it is there; one such request at a time. */
bool glue_page_fetch(uint32_t descriptor, bool receive, bool notify);

/* The page of this descriptor, which was fetched with `notify`, is there. */
void glue_page_arrived(uint32_t descriptor);
/* The descriptor of the page fetched last has been offered. */
void glue_page_settled(void);
#if GLUE_APART && NIC_TRANSMITS
/* A message begins in this descriptor. The processor that keeps the sends knows when the one before
 * it has ended; this one does not. */
void glue_send_begins(uint32_t descriptor);
#endif
/* Appends `length` (not 0) bytes at `offset` of a send to the frame being transmitted. */
void glue_send_data(uint32_t descriptor, uint32_t offset, uint32_t length);
/* The same of a message of one frame, if it is one piece; false if not. */
bool glue_send_single(uint32_t descriptor, uint32_t length);
/* The same of any message of one frame, whose bytes may be in the descriptor itself. */
void glue_send_short(uint32_t descriptor, uint32_t length, bool inlined);

/* wire.c */
void glue_wire_start(uint32_t mac_high, uint32_t mac_low);

#if EMP_CHECKS_FRAMES
extern uint32_t glue_payload_check; /* of the frame being received */
#endif

/* postings.c: before a frame is handled: takes one posting, if any waits. */
void glue_postings_among_frames(void);

#endif
