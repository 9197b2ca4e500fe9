/* What the files of libemp share. Programs include libemp.h only; unit tests may look in here. */
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

    LIBEMP_MAILBOXES = 0x100, /* in the board's memory: 32 of two words */
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

/* One read tells all of a completion, and nothing of another moment. */
_Static_assert(EMP_DESCRIPTOR_RESULT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_TOTAL_LENGTH_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_DIRECTION_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_FORMAT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_CONTINUATIONS_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                   EMP_DESCRIPTOR_RESERVED_WORD == EMP_DESCRIPTOR_OWNER_WORD,
               "a completion is one word");
_Static_assert(EMP_MESSAGE_LIMIT <= EMP_DESCRIPTOR_TOTAL_LENGTH_MASK, "which holds every length");

/* A stretch of memory inside one page. */
struct libemp_fragment {
    uint64_t bus_address;
    uint16_t length;
};

/* The firmware has stopped itself: -EIO, and in the message why, with the line of the spec where a
 * check of the image failed. `when` begins the message. */
int libemp_fail_fault(struct libemp_board *board, const char *when, uint32_t fault);

struct libemp_memory {
    struct libemp_board *board;
    struct libemp_memory *next;
    struct libemp_memory **link; /* what points to this one */
    uint8_t *address;
    size_t length;
    size_t in_page; /* offset of the first byte within its page */
    size_t pages;
    uint64_t page[]; /* bus addresses of the pages' starts */
};

/* What the host knows about one descriptor. */
struct libemp_slot {
    uint16_t generation; /* counts requests, so that a spent request is recognised */
    uint8_t run;         /* descriptors of the request that starts here, 0 when none does */
    bool receive;
    bool cancelled; /* the board has been asked to give it back */
    bool several;   /* pieces of more than one registration */
    struct libemp_memory *memory;
    uint32_t length;    /* bytes posted */
    uint32_t word;      /* of the descriptor, the one with the owner, as posted */
    uint32_t *indirect; /* page of addresses, kept for the next long message */
};

struct libemp_board {
    const struct libemp_backend *backend;
    void *handle;
    struct libemp_costs costs;
    void (*progress)(void *context, const char *step, size_t done, size_t total);
    void *progress_context;

    bool ready;   /* firmware has been seen ready, of whatever protocol */
    bool running; /* it is EMP's, and the addresses below are its */
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

/* Stores the sentence libemp_message returns, and gives `error` back. */
#define libemp_fail(board, error, ...)                                                             \
    ((void)snprintf((board)->message, sizeof(board)->message, __VA_ARGS__), (error))

static inline void libemp_charge(struct libemp_board *board, uint64_t ns) {
    if (ns)
        board->backend->spend_ns(board->handle, ns);
}

/* Around what looks at nothing but registers (run_ahead of the backend). */
static inline void libemp_run_ahead(struct libemp_board *board) {
    if (board->backend->run_ahead)
        board->backend->run_ahead(board->handle);
}

static inline void libemp_catch_up(struct libemp_board *board) {
    if (board->backend->catch_up)
        board->backend->catch_up(board->handle);
}

/* access.c: registers, and board memory by address. The window is moved only when it must. */
uint32_t libemp_get_register(struct libemp_board *board, uint32_t offset);
void libemp_set_register(struct libemp_board *board, uint32_t offset, uint32_t value);
uint32_t libemp_get_word(struct libemp_board *board, uint32_t address);
/* Reads a word until it is another than `unchanged`, as the backend's await32 does, or, `again`,
 * its poll32; the backend must have it. */
uint32_t libemp_watch_word(struct libemp_board *board, uint32_t address, uint32_t unchanged,
                           bool again, uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);
void libemp_set_word(struct libemp_board *board, uint32_t address, uint32_t value);
void libemp_set_words(struct libemp_board *board, uint32_t address, const uint32_t *words,
                      size_t count);
static inline uint32_t libemp_control_word(struct libemp_board *board, uint32_t word) {
    return libemp_get_word(board, EMP_CONTROL_ADDRESS + 4 * word);
}

/* eeprom.c: bytes of the serial EEPROM, clocked out by hand. -EIO when no EEPROM answers. */
int libemp_eeprom_read(struct libemp_board *board, uint16_t address, uint8_t *bytes, size_t count);
/* All of them within one page of 32 bytes; nothing tells whether the part has kept them but reading
 * them. */
int libemp_eeprom_write(struct libemp_board *board, uint16_t address, const uint8_t *bytes,
                        size_t count);

/* incarnation.c: the number of the next incarnation, which is counted before this returns, so that
 * no other start gets it. -EIO when that cannot be sure. */
int libemp_next_epoch(struct libemp_board *board, uint16_t *epoch);
/* A count of starts as the EEPROM holds it. */
enum { LIBEMP_COUNT_BYTES = 8 };
void libemp_encode_count(uint32_t count, uint8_t slot[LIBEMP_COUNT_BYTES]);

/* start.c: what the firmware says of itself; 0 while it is well. */
int libemp_check_running(struct libemp_board *board);
void libemp_pack_address(const uint8_t address[6], uint32_t *high, uint32_t *low);

/* stop.c: halts both processors. Transfers and frames go on. */
void libemp_halt(struct libemp_board *board);
/* Ends everything the board does, whoever made it do so, and returns when it is over. -EIO when the
 * board does not answer or does not stop. */
int libemp_silence(struct libemp_board *board);

/* descriptor.c: what the board reads. */
struct libemp_header {
    enum emp_direction direction;
    uint16_t peer;
    uint16_t tag;
    uint32_t length;
};
/* Descriptors a message of that many fragments takes. */
size_t libemp_run_length(size_t fragments);
/* Builds them in `words`, the first handed to the NIC. More than CHAIN_FRAGMENTS fragments need the
 * page `indirect`, at bus address `indirect_address`; else both are unused. Returns the run
 * length. */
size_t libemp_encode(const struct libemp_header *header, const struct libemp_fragment *fragments,
                     size_t count, uint32_t *indirect, uint64_t indirect_address,
                     uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS]);

/* memory.c: cuts pieces at page boundaries. Returns the number of fragments, -EINVAL for a piece
 * outside its memory or of another board, -EMSGSIZE for too many fragments or bytes. */
int libemp_cut(struct libemp_board *board, const struct libemp_piece *pieces, size_t count,
               struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES], uint32_t *length);
void libemp_forget_memories(struct libemp_board *board);

/* post.c: all requests and descriptors as after a start. */
void libemp_reset_requests(struct libemp_board *board);

#endif
