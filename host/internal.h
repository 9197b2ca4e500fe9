/* SPDX-License-Identifier: MIT */
/* Declarations that the files of libemp share. Programs include only libemp.h; unit tests may also
 * include this header. */
#ifndef HOST_INTERNAL_H
#define HOST_INTERNAL_H

#include "host/libemp.h"

#include "build/gen/emp/emp_layout.h"

#include <stdio.h>

/* Registers and their bits (tigon2.md 3). */
enum {
    REGISTER_HOST_CONTROL = 0x040,
    REGISTER_LOCAL_CONTROL = 0x044,
    REGISTER_CONFIGURATION = 0x050,
    REGISTER_PCI_STATE = 0x05C,
    REGISTER_WINDOW_BASE = 0x068,
    REGISTER_DMA_WRITE_STATE = 0x0A0,
    REGISTER_DMA_READ_STATE = 0x0B0,
    REGISTER_DMA_ASSIST = 0x11C,
    REGISTER_CPU_A_STATE = 0x140,
    REGISTER_CPU_A_COUNTER = 0x144,
    REGISTER_TRANSMIT_STATE = 0x200,
    REGISTER_LINK_TRANSMIT = 0x204,
    REGISTER_RECEIVE_STATE = 0x220,
    REGISTER_CPU_B_STATE = 0x240,

    LIBEMP_MAILBOXES = 0x100, /* in the board's memory: 32 mailboxes of two words */
    ALIAS_OFFSET = 0x400,     /* host offset of SRAM address 0 */
    ALIAS_BYTES = 0x400,
    WINDOW_OFFSET = 0x800,
    WINDOW_BYTES = 0x800
};

enum {
    DESCRIPTOR_WORDS = EMP_DESCRIPTOR_BYTES / 4,
    RUN_LIMIT = 4,       /* a descriptor and up to three continuations */
    CHAIN_FRAGMENTS = 7, /* EQ21 */
    MEMORY_BYTES = 2 * 1024 * 1024
};
_Static_assert(EMP_CONTINUATION_BYTES == EMP_DESCRIPTOR_BYTES, "both fill a table entry");
_Static_assert(EMP_DESCRIPTOR_LIMIT <= 65536, "descriptor numbers fit a request");
_Static_assert(EMP_POSTING_RING_ENTRIES > 3 * EMP_DESCRIPTOR_LIMIT, "the ring cannot overflow");
_Static_assert((EMP_POSTING_RING_ENTRIES & (EMP_POSTING_RING_ENTRIES - 1)) == 0, "masked below");
_Static_assert(EMP_CONTROL_ADDRESS + EMP_CONTROL_BYTES <= ALIAS_BYTES, "reached without window");

/* One read returns a whole completion, so all its fields are of the same moment. */
_Static_assert(EMP_DESCRIPTOR_RESULT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_TOTAL_LENGTH_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_DIRECTION_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_FORMAT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_CONTINUATIONS_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_RESERVED_WORD == EMP_DESCRIPTOR_OWNER_WORD,
               "a completion is one word");
_Static_assert(EMP_MESSAGE_LIMIT <= EMP_DESCRIPTOR_TOTAL_LENGTH_MASK, "which holds every length");

/* A contiguous part of memory inside one page. */
struct libemp_fragment {
    uint64_t bus_address;
    uint16_t length;
};

/* For firmware that has stopped itself: returns -EIO and stores the reason as the message, with the
 * line of the spec if a check compiled into the image failed. The message begins with `when`. */
int libemp_fail_fault(struct libemp_board *board, const char *when, uint32_t fault);

struct libemp_memory {
    struct libemp_board *board;
    struct libemp_memory *next;
    struct libemp_memory **link; /* the pointer to this one */
    uint8_t *address;
    size_t length;
    size_t in_page; /* offset of the first byte within its page */
    size_t pages;
    uint64_t page[]; /* bus addresses of the pages' starts */
};

/* The host's state of one descriptor. */
struct libemp_slot {
    uint16_t generation; /* counts requests, so that the number of a finished one is recognised */
    uint8_t run;         /* descriptors of the request that starts here, 0 if none does */
    bool receive;
    bool cancelled; /* cancellation has been requested */
    bool several;   /* the pieces belong to more than one registration */
    struct libemp_memory *memory;
    uint32_t length;    /* bytes posted */
    uint32_t word;      /* the descriptor's word with the owner, as posted */
    uint32_t *indirect; /* page of addresses, kept for the next long message */
};

struct libemp_board {
    const struct libemp_backend *backend;
    void *handle;
    struct libemp_costs costs;
    void (*progress)(void *context, const char *step, size_t done, size_t total);
    void *progress_context;

    bool ready;   /* firmware of any protocol has reported that it is ready */
    bool running; /* it is EMP firmware, and the addresses below are valid */
    bool window_known;
    uint32_t window;
    uint32_t node;
    uint32_t descriptors;
    uint32_t posting_ring;
    uint32_t peers;
    uint32_t parameters;
    uint32_t counters;
    uint32_t *scratch; /* the page whose spare bytes the firmware may use */

    uint32_t posted;      /* running count, low word of the posting mailbox */
    uint32_t outstanding; /* requests not yet finished */
    uint32_t free;
    uint64_t taken[(EMP_DESCRIPTOR_LIMIT + 63) / 64];
    struct libemp_slot slots[EMP_DESCRIPTOR_LIMIT];
    struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES];

    struct libemp_memory *memories;
    struct libemp_statistics statistics;
    char message[200];
};

/* Stores the sentence that libemp_message returns; the value is `error`. */
#define libemp_fail(board, error, ...)                                                             \
    ((void)snprintf((board)->message, sizeof(board)->message, __VA_ARGS__), (error))

static inline void libemp_charge(struct libemp_board *board, uint64_t ns) {
    if (ns)
        board->backend->spend_ns(board->handle, ns);
}

/* These two enclose code that uses nothing but register accesses (run_ahead of the backend). */
static inline void libemp_run_ahead(struct libemp_board *board) {
    if (board->backend->run_ahead)
        board->backend->run_ahead(board->handle);
}

static inline void libemp_catch_up(struct libemp_board *board) {
    if (board->backend->catch_up)
        board->backend->catch_up(board->handle);
}

/* access.c: registers, and board memory by address. The window is moved only when necessary. */
uint32_t libemp_get_register(struct libemp_board *board, uint32_t offset);
void libemp_set_register(struct libemp_board *board, uint32_t offset, uint32_t value);
uint32_t libemp_get_word(struct libemp_board *board, uint32_t address);
/* Reads a word until it differs from `unchanged`, with the backend's await32 or, if `again`, with
 * its poll32. The backend must have the function. */
uint32_t libemp_watch_word(struct libemp_board *board, uint32_t address, uint32_t unchanged,
                           bool again, uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);
void libemp_set_word(struct libemp_board *board, uint32_t address, uint32_t value);
void libemp_set_words(struct libemp_board *board, uint32_t address, const uint32_t *words,
                      size_t count);
static inline uint32_t libemp_control_word(struct libemp_board *board, uint32_t word) {
    return libemp_get_word(board, EMP_CONTROL_ADDRESS + 4 * word);
}

/* eeprom.c: bytes of the serial EEPROM, clocked by software. -EIO if no EEPROM answers. */
int libemp_eeprom_read(struct libemp_board *board, uint16_t address, uint8_t *bytes, size_t count);
/* All bytes must lie within one page of 32 bytes. Only reading them back shows whether the part has
 * kept them. */
int libemp_eeprom_write(struct libemp_board *board, uint16_t address, const uint8_t *bytes,
                        size_t count);

/* incarnation.c: stores the number of the next incarnation. The number is counted before the
 * function returns, so that no other start gets it. -EIO if that cannot be guaranteed. */
int libemp_next_epoch(struct libemp_board *board, uint16_t *epoch);
/* A count of starts as stored in the EEPROM. */
enum { LIBEMP_COUNT_BYTES = 8 };
void libemp_encode_count(uint32_t count, uint8_t slot[LIBEMP_COUNT_BYTES]);

/* start.c: checks the firmware's state; 0 while it runs without a fault. */
int libemp_check_running(struct libemp_board *board);
void libemp_pack_address(const uint8_t address[6], uint32_t *high, uint32_t *low);

/* stop.c: halts both processors. DMA transfers and frames continue. */
void libemp_halt(struct libemp_board *board);
/* Ends all activity of the board, no matter who started it, and returns when it has ended. -EIO if
 * the board does not answer or does not stop. */
int libemp_silence(struct libemp_board *board);

/* descriptor.c: descriptors as the board reads them. */
struct libemp_header {
    enum emp_direction direction;
    uint16_t peer;
    uint16_t tag;
    uint32_t length;
};
/* The number of descriptors that a message of `fragments` fragments takes. */
size_t libemp_run_length(size_t fragments);
/* Builds the descriptors in `words`; the NIC owns the first. More than CHAIN_FRAGMENTS fragments
 * need the page `indirect`, at bus address `indirect_address`; otherwise both are unused. Returns
 * the run length. */
size_t libemp_encode(const struct libemp_header *header, const struct libemp_fragment *fragments,
                     size_t count, uint32_t *indirect, uint64_t indirect_address,
                     uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS]);

/* memory.c: divides pieces at page boundaries. Returns the number of fragments, -EINVAL for a piece
 * outside its memory or of another board, -EMSGSIZE for too many fragments or bytes. */
int libemp_cut(struct libemp_board *board, const struct libemp_piece *pieces, size_t count,
               struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES], uint32_t *length);
void libemp_forget_memories(struct libemp_board *board);

/* post.c: resets all requests and descriptors to their state after a start. */
void libemp_reset_requests(struct libemp_board *board);

#endif
