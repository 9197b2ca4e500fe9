/* SPDX-License-Identifier: MIT */
/*
 * Host memory of a message: descriptors and their formats (spec/emp/host.hsm), pages of addresses
 * fetched from the host, a cursor per message, and placing received frames.
 *
 * Every send being worked on and every receive matched has a buffer for its page of addresses.
 * Receives that are only posted keep theirs as long as nobody needs it more.
 */
#include "fw-runtime/gather.h"
#include "spec/emp/firmware/glue.h"

#define PAGE_WORDS (EMP_PAGE_BYTES / 4u)
#define LENGTHS_AT (2u * EMP_INDIRECT_ENTRIES) /* word of the page where lengths begin */
#if NIC_TRANSMITS || GLUE_ONE_TAKES
#define SEND_PAGES (EMP_SEND_LIMIT + 1u) /* + the one waiting for a record */
#else
#define SEND_PAGES 0u
#endif
/* + the one being fetched. Of more messages that arrive at once some take turns. */
#if NIC_RECEIVES || GLUE_ONE_TAKES
#define RECEIVE_PAGES ((EMP_RECEIVE_LIMIT < 16u ? EMP_RECEIVE_LIMIT : 16u) + 1u)
#else
#define RECEIVE_PAGES 0u
#endif
#define NO_DESCRIPTOR 0xFFFFu
#define NO_INSTANCE   0u /* of a notice that confirms no placement */

static_assert(EMP_INDIRECT_ADDRESS_HIGH_WORD == 0 && EMP_INDIRECT_ADDRESS_LOW_WORD == 1 &&
                  EMP_INDIRECT_LENGTHS_FIRST_SHIFT == 16,
              "pages are read word by word");
static_assert(EMP_DESCRIPTOR_ADDRESS_HIGH_WORD == 0 && EMP_DESCRIPTOR_ADDRESS_LOW_WORD == 1 &&
                  EMP_CONTINUATION_FIRST_LENGTH_WORD == 4,
              "descriptors are read word by word");
static_assert(EMP_DESCRIPTOR_TOTAL_LENGTH_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                  EMP_DESCRIPTOR_RESULT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                  EMP_DESCRIPTOR_DIRECTION_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                  EMP_DESCRIPTOR_FORMAT_WORD == EMP_DESCRIPTOR_OWNER_WORD &&
                  EMP_DESCRIPTOR_CONTINUATIONS_WORD == EMP_DESCRIPTOR_OWNER_WORD,
              "a completion is one word");
static_assert(EMP_MESSAGE_LIMIT <= EMP_DESCRIPTOR_TOTAL_LENGTH_MASK, "which holds every length");
static_assert(NIC_WRITTEN_PER_FRAME >= EMP_MESSAGE_WINDOW,
              "a frame by which a peer abandons its messages asks for a notice for each");

#if NIC_LEADS && (NIC_PROCESSORS == 1 || GLUE_ONE_TAKES)
uint32_t glue_descriptors[2 * GLUE_TABLE_WORDS];
#elif NIC_LEADS
uint32_t glue_tables[3 * GLUE_TABLE_WORDS];
#endif
#if NIC_LEADS
struct glue_counters glue_counters;
#endif

struct cursor {
    uint32_t descriptor;
    struct nic_gather gather;
#if GLUE_QUICK
    uint32_t entries; /* of the page of addresses; 0: there is none, or it has not been looked at */
    const volatile uint32_t *page;
#endif
};

/* The cursors in use, of the messages sent and received last; the others are saved. Of messages
 * that take turns most have descriptors beside each other. */
#define CURSORS (GLUE_QUICK ? 2u : 1u)
#if NIC_TRANSMITS
static struct cursor sending[CURSORS] NIC_FAST;
#endif
#if NIC_WRITES
static struct cursor receiving[CURSORS] NIC_FAST;
#endif

static inline struct cursor *cursor_of(struct cursor *cursors, uint32_t descriptor) {
    return &cursors[descriptor % CURSORS];
}
#if NIC_TRANSMITS || NIC_WRITES
/* A processor that transmits and does not keep the sends does not know when one has ended: its
 * descriptor may be a receive's by then. So there sends and receives have a row each. */
#define CURSOR_ROWS      (GLUE_APART && NIC_TRANSMITS && NIC_WRITES ? 2u : 1u)
#define ROW_OF(receives) (CURSOR_ROWS == 1 || !(receives) ? 0u : 1u)
static struct nic_gather saved[CURSOR_ROWS][EMP_DESCRIPTOR_LIMIT] NIC_UNSET;
/* Has a cursor, and so is being worked on. */
static bool opened[CURSOR_ROWS][EMP_DESCRIPTOR_LIMIT];
#endif

#if GLUE_ONE_TAKES
/* The processor that takes descriptors gives them pages and takes these away; the other one finds
 * in them where data lie. */
extern uint32_t pages[SEND_PAGES + RECEIVE_PAGES][PAGE_WORDS] NIC_COMMON;
extern uint8_t page_of[EMP_DESCRIPTOR_LIMIT] NIC_COMMON;
#define PAGES_SHARED
#define PAGES_UNSET
#else
#define PAGES_SHARED static
#define PAGES_UNSET  NIC_UNSET
#endif
#if !GLUE_ONE_TAKES || NIC_LEADS
PAGES_SHARED uint32_t pages[SEND_PAGES + RECEIVE_PAGES][PAGE_WORDS] PAGES_UNSET;
#endif
#if NIC_HANDS_OVER
/* The processor that places frames gives pages back, and holds those of receives that a frame has
 * come for. The other one holds the page that is being fetched until its descriptor has been
 * offered. All that changes owners is under the lock. */
#define HELD_BY_FRAME   1u
#define HELD_BY_POSTING 2u
extern uint16_t page_owner[SEND_PAGES + RECEIVE_PAGES] NIC_COMMON;
extern uint8_t page_held[SEND_PAGES + RECEIVE_PAGES] NIC_COMMON;
#define PAGES_LOCK()        nic_lock()
#define PAGES_UNLOCK()      nic_unlock()
#define page_in_use(page)   (page_held[page] != 0)
#define hold_page(page, by) (page_held[page] |= (uint8_t)(by))
#define unhold_page(page)   (page_held[page] &= HELD_BY_FRAME)
#define release_page(page)  (page_held[page] = 0)
#else
#define PAGES_LOCK()        ((void)0)
#define PAGES_UNLOCK()      ((void)0)
#define page_in_use(page)   (opened[0][page_owner[page] - 1u] || (page) + 1 == page_arriving)
#define hold_page(page, by) ((void)0)
#define unhold_page(page)   ((void)0)
#define release_page(page)  ((void)0)
#endif
#if NIC_HANDS_OVER && NIC_LEADS
uint16_t page_owner[SEND_PAGES + RECEIVE_PAGES];
uint8_t page_held[SEND_PAGES + RECEIVE_PAGES];
#elif GLUE_TAKES_POSTINGS
static uint16_t page_owner[SEND_PAGES + RECEIVE_PAGES]; /* descriptor + 1, 0 free */
#endif
#if !GLUE_ONE_TAKES || NIC_LEADS
PAGES_SHARED uint8_t page_of[EMP_DESCRIPTOR_LIMIT]; /* page + 1, 0 none */
#endif
#if GLUE_TAKES_POSTINGS
static uint32_t page_arriving; /* + 1: its descriptor is being looked at, it stays */
#endif

#if NIC_WRITES
/* Collections on their way to host memory, by the numbers of their notices. Field by field:
 * copying a structure with halfword alignment takes instructions the core does not have
 * (toolchain.md 1.1). */
static struct {
    uint16_t frame;
    uint16_t collection;
    uint8_t position;
    uint8_t size;
    uint8_t instance;
} placements[NIC_WRITTEN_LIMIT] NIC_FAST;

#if EMP_CHECKS_FRAMES
/* Frames whose data are on their way to host memory, oldest first. Notices bound their number: no
 * more than so many lie before the first, behind the last or between two. */
#define SUMS_WITHOUT_NOTICE 7u
#define SUMS                128u /* a power of two */
static_assert(SUMS >= (NIC_WRITTEN_LIMIT + 1) * SUMS_WITHOUT_NOTICE, "room for all");

static volatile uint32_t sums[SUMS]; /* of the data, by the transfer engine */
static struct {
    uint16_t frame;
    uint16_t check;
    uint16_t cut; /* sum of what the receive has not room for */
    uint8_t instance;
} summed[SUMS];
static uint32_t sums_begun NIC_FAST, sums_checked NIC_FAST;
static uint32_t sums_noticed NIC_FAST; /* that have a notice behind them */
static uint32_t sums_before[NIC_WRITTEN_LIMIT];

static void note_sum(uint8_t instance, uint32_t frame, uint32_t cut) {
    uint32_t entry = sums_begun++ % SUMS;
    summed[entry].frame = (uint16_t)frame;
    summed[entry].check = (uint16_t)glue_payload_check;
    summed[entry].cut = (uint16_t)cut;
    summed[entry].instance = instance;
}

static NIC_COLD void tell_damage(uint32_t entry) {
    GLUE_COUNT(data_damaged);
    (void)emp_receive_damaged(summed[entry].instance, summed[entry].frame);
}

static void check_sums(uint32_t end) {
    while (sums_checked != end) {
        uint32_t entry = sums_checked++ % SUMS;
        uint32_t sum = sums[entry] + summed[entry].cut;
        if (__builtin_expect((sum & 0xFFFF) + (sum >> 16) != summed[entry].check, 0))
            tell_damage(entry);
    }
}
#endif
#endif

NIC_COLD void glue_memory_start(void) {
    for (uint32_t i = 0; i < CURSORS; i++) {
#if NIC_TRANSMITS
        sending[i].descriptor = NO_DESCRIPTOR;
#endif
#if NIC_WRITES
        receiving[i].descriptor = NO_DESCRIPTOR;
#endif
    }
}

/* ------------------------------------------------------------------------------------- Pieces */

#if GLUE_QUICK
/* A descriptor is one of a send or of a receive. */
static inline struct cursor *cursor_in_use(uint32_t descriptor) {
    struct cursor *cursor = cursor_of(sending, descriptor);
    return cursor->descriptor == descriptor ? cursor : cursor_of(receiving, descriptor);
}

/* A cursor in use remembers its page until it changes or the page is given away. */
static void note_page(uint32_t descriptor, const volatile uint32_t *page, uint32_t entries) {
    struct cursor *cursor = cursor_in_use(descriptor);
    if (cursor->descriptor == descriptor) {
        cursor->page = page;
        cursor->entries = entries;
    }
}

#define forget_page(descriptor) note_page((descriptor), pages[0], 0)
#define FIND_PIECE              static NIC_RARE NIC_ONCE bool find_piece
#else
#define note_page(descriptor, page, entries) ((void)0)
#define forget_page(descriptor)              ((void)0)
#define FIND_PIECE                           NIC_HOT bool nic_on_piece
#endif

static inline void read_entry(const volatile uint32_t *page, uint32_t index,
                              struct nic_piece *piece) {
    uint32_t pair = page[LENGTHS_AT + (index >> 1)];
    piece->high = page[2 * index];
    piece->low = page[2 * index + 1];
    piece->bytes = index & 1 ? pair & 0xFFFF : pair >> 16;
}

FIND_PIECE(uint32_t list, uint32_t index, struct nic_piece *piece) {
    const volatile uint32_t *descriptor = glue_descriptor(list);
    uint32_t word = descriptor[GLUE_TAKEN_WORD];
    if (glue_is_format(word, EMP_FORMAT_INDIRECT)) {
        const volatile uint32_t *page;
        uint32_t entries = descriptor[GLUE_ENTRIES_WORD];
        if (index >= entries)
            return false;
        page = pages[page_of[list] - 1u];
        note_page(list, page, entries);
        read_entry(page, index, piece);
        return true;
    }
    if (index == 0) {
        piece->high = descriptor[EMP_DESCRIPTOR_ADDRESS_HIGH_WORD];
        piece->low = descriptor[EMP_DESCRIPTOR_ADDRESS_LOW_WORD];
        piece->bytes = glue_length(descriptor);
        return true;
    }
    if (!glue_is_format(word, EMP_FORMAT_CHAIN) ||
        index >
            2 * (word >> EMP_DESCRIPTOR_CONTINUATIONS_SHIFT & EMP_DESCRIPTOR_CONTINUATIONS_MASK))
        return false;
    descriptor = glue_descriptor(list + ((index + 1) >> 1));
    if (index & 1) {
        piece->high = descriptor[EMP_CONTINUATION_FIRST_ADDRESS_HIGH_WORD];
        piece->low = descriptor[EMP_CONTINUATION_FIRST_ADDRESS_LOW_WORD];
        piece->bytes = descriptor[EMP_CONTINUATION_FIRST_LENGTH_WORD] >> 16;
    } else {
        piece->high = descriptor[EMP_CONTINUATION_SECOND_ADDRESS_HIGH_WORD];
        piece->low = descriptor[EMP_CONTINUATION_SECOND_ADDRESS_LOW_WORD];
        piece->bytes = descriptor[EMP_CONTINUATION_SECOND_LENGTH_WORD] & 0xFFFF;
    }
    return true;
}

#if GLUE_QUICK
NIC_HOT bool nic_on_piece(uint32_t list, uint32_t index, struct nic_piece *piece) {
    const struct cursor *cursor = cursor_in_use(list);
    if (__builtin_expect(cursor->descriptor != list || index >= cursor->entries, 0))
        return find_piece(list, index, piece);
    read_entry(cursor->page, index, piece);
    return true;
}
#endif

#if GLUE_TAKES_POSTINGS
/* A page can have hundreds of entries and everything else waits meanwhile: two in a step, and the
 * loop small enough for one line of an instruction cache. */
static NIC_COLD bool page_suffices(const volatile uint32_t *pair, uint32_t entries,
                                   uint32_t total) {
    const volatile uint32_t *end = pair + entries / 2;
    uint32_t sum = entries & 1 ? *end >> 16 : 0;
    for (; pair != end; pair++) {
        uint32_t both = *pair;
        sum += (both >> 16) + (both & 0xFFFF);
    }
    return sum >= total;
}

NIC_COLD bool glue_memory_suffices(uint32_t descriptor) {
    const volatile uint32_t *words = glue_descriptor(descriptor);
    uint32_t word = words[GLUE_TAKEN_WORD];
    uint32_t total = glue_total_length(word);
    struct nic_piece piece;
    uint32_t sum = 0;
    if (glue_is_format(word, EMP_FORMAT_INDIRECT))
        return page_suffices(&pages[page_of[descriptor] - 1u][LENGTHS_AT], words[GLUE_ENTRIES_WORD],
                             total);
    for (uint32_t index = 0; sum < total; index++) {
        if (!nic_on_piece(descriptor, index, &piece))
            return false;
        sum += piece.bytes;
    }
    return true;
}

/* -------------------------------------------------------------------------------------- Pages */

bool glue_page_present(uint32_t descriptor) {
    return page_of[descriptor] != 0;
}
#endif

#if GLUE_TAKES_POSTINGS || NIC_HANDS_OVER
/* Without a page a descriptor has no entries either: one that the host has entered twice may still
 * be in use by a message that shares it. */
static NIC_COLD void page_give(uint32_t page) {
    uint32_t descriptor = page_owner[page] - 1u;
    glue_descriptor(descriptor)[GLUE_ENTRIES_WORD] = 0;
    page_of[descriptor] = 0;
    page_owner[page] = 0;
    release_page(page);
    forget_page(descriptor);
}
#endif

#if GLUE_TAKES_POSTINGS || NIC_HANDS_OVER
/* A free buffer, or that of a receive no frame has come for, whose page can be fetched again. */
static NIC_COLD uint32_t page_take(bool receive) {
    uint32_t first = receive ? SEND_PAGES : 0;
    uint32_t last = receive ? SEND_PAGES + RECEIVE_PAGES : SEND_PAGES;
    for (uint32_t page = first; page < last; page++)
        if (page_owner[page] == 0)
            return page;
    for (uint32_t page = first; page < last; page++)
        if (receive && !page_in_use(page)) {
            page_give(page);
            return page;
        }
    nic_panic(GLUE_PANIC_PAGES);
}

/* A page of addresses across a 4 GB line is none: a transfer must not cross it.
 * Each word is read once, and looked at each time a page is fetched. */
NIC_COLD bool glue_page_fetch(uint32_t descriptor, bool receive, bool notify) {
    volatile uint32_t *words = glue_descriptor(descriptor);
    uint32_t entries = glue_length(words);
    uint32_t high = words[EMP_DESCRIPTOR_ADDRESS_HIGH_WORD];
    uint32_t low = words[EMP_DESCRIPTOR_ADDRESS_LOW_WORD];
    uint32_t page;
    if (entries - 1 >= EMP_INDIRECT_ENTRIES || low > 0u - EMP_PAGE_BYTES)
        return false;
    PAGES_LOCK();
    page = page_take(receive);
    words[GLUE_ENTRIES_WORD] = notify ? 0 : entries;
    words[GLUE_ARRIVING_WORD] = entries;
    page_owner[page] = (uint16_t)(descriptor + 1);
    hold_page(page, notify ? HELD_BY_POSTING : HELD_BY_FRAME);
    page_of[descriptor] = (uint8_t)(page + 1);
    PAGES_UNLOCK();
    GLUE_COUNT(pages_fetched);
    nic_read_host(high, low, pages[page], 8 * entries);
    nic_read_host(high, low + 4 * LENGTHS_AT, &pages[page][LENGTHS_AT], (2 * entries + 2) & ~3u);
#if GLUE_TAKES_POSTINGS
    if (notify) {
        page_arriving = page + 1;
        (void)nic_notify_read(GLUE_READ_PAGE);
    }
#endif
    return true;
}
#endif

#if GLUE_TAKES_POSTINGS
NIC_COLD void glue_page_arrived(uint32_t descriptor) {
    volatile uint32_t *words = glue_descriptor(descriptor);
    if (page_of[descriptor] != 0) /* else it was given away meanwhile */
        words[GLUE_ENTRIES_WORD] = words[GLUE_ARRIVING_WORD];
}

void glue_page_settled(void) {
    PAGES_LOCK();
    unhold_page(page_arriving - 1u);
    PAGES_UNLOCK();
    page_arriving = 0;
}
#endif

#if GLUE_TAKES_POSTINGS || NIC_HANDS_OVER
NIC_COLD void glue_memory_forget(uint32_t descriptor, bool receive) {
#if NIC_TRANSMITS || NIC_WRITES
#if NIC_TRANSMITS && NIC_WRITES
    struct cursor *cursor = cursor_of(receive ? receiving : sending, descriptor);
#elif NIC_TRANSMITS
    struct cursor *cursor = cursor_of(sending, descriptor);
#else
    struct cursor *cursor = cursor_of(receiving, descriptor);
#endif
    if (cursor->descriptor == descriptor)
        cursor->descriptor = NO_DESCRIPTOR;
    opened[ROW_OF(receive)][descriptor] = false;
#endif
    (void)receive;
    PAGES_LOCK();
    if (page_of[descriptor] != 0)
        page_give(page_of[descriptor] - 1u);
    PAGES_UNLOCK();
}

#endif

/* ------------------------------------------------------------------------------------- Cursors */

#if NIC_TRANSMITS || NIC_WRITES
#if GLUE_TAKES_POSTINGS || NIC_HANDS_OVER
/* A posted receive may have lost its page to another before its first frame came. */
static NIC_COLD void page_fetch_again(uint32_t descriptor, bool receive) {
    GLUE_COUNT(pages_fetched_again);
    if (!glue_page_fetch(descriptor, receive, false))
        nic_panic(GLUE_PANIC_MEMORY);
    nic_read_wait();
}
#else
/* A send has its page until it has ended. */
static NIC_COLD void page_fetch_again(uint32_t descriptor, bool receive) {
    (void)descriptor;
    (void)receive;
    nic_panic(GLUE_PANIC_PAGES);
}
#endif

#if NIC_HANDS_OVER && NIC_WRITES
/* The page of a receive that a frame has come for stays. */
static NIC_COLD bool page_is_there_to_stay(uint32_t descriptor) {
    uint32_t page;
    nic_lock();
    page = page_of[descriptor];
    if (page != 0)
        hold_page(page - 1u, HELD_BY_FRAME);
    nic_unlock();
    return page != 0;
}
#else
#define page_is_there_to_stay(descriptor) (page_of[descriptor] != 0)
#endif

/* Changes to the cursor of another message. */
static NIC_HOT void cursor_change(struct cursor *cursor, uint32_t descriptor, bool receive) {
    uint32_t word;
    if (cursor->descriptor != NO_DESCRIPTOR)
        saved[ROW_OF(receive)][cursor->descriptor] = cursor->gather;
    cursor->descriptor = descriptor;
#if GLUE_QUICK
    cursor->entries = 0;
#endif
    if (opened[ROW_OF(receive)][descriptor]) {
        cursor->gather = saved[ROW_OF(receive)][descriptor];
        return;
    }
    opened[ROW_OF(receive)][descriptor] = true;
    /* SHORT across a 4 GB line has none before. */
    word = glue_descriptor(descriptor)[GLUE_TAKEN_WORD] |= GLUE_HAS_MEMORY;
    if (glue_is_format(word, EMP_FORMAT_INDIRECT) && !page_is_there_to_stay(descriptor))
        page_fetch_again(descriptor, receive);
    nic_gather_open(&cursor->gather, descriptor);
}

/* Where byte `offset` lies: its address, and in *bytes how many of the `wanted` follow it there. A
 * run ends at a 4 GB line, which a transfer must not cross. */
static inline struct nic_piece locate(struct cursor *cursor, uint32_t descriptor, uint32_t offset,
                                      uint32_t wanted) {
    struct nic_gather *gather = &cursor->gather;
    struct nic_piece run;
    uint32_t into, left;
    if (__builtin_expect(!nic_gather_seek(gather, descriptor, offset), 0))
        nic_panic(GLUE_PANIC_MEMORY);
    into = offset - gather->start;
    left = gather->end - offset;
    run.low = gather->low + into;
    run.high = gather->high + (run.low < into);
    run.bytes = wanted < left ? wanted : left;
    if (__builtin_expect(0u - run.low < run.bytes && run.low != 0, 0))
        run.bytes = 0u - run.low;
    return run;
}

/* Most messages are one piece. It needs no cursor: a sum says where it lies, provided that it does
 * not cross a 4 GB line. False when it does, or when there are more pieces. */
static inline bool single(uint32_t descriptor, uint32_t offset, uint32_t length,
                          struct nic_piece *run) {
    const volatile uint32_t *words = glue_descriptor(descriptor);
    uint32_t low;
    if (!glue_is_format(words[GLUE_TAKEN_WORD], EMP_FORMAT_SHORT))
        return false;
    low = words[EMP_DESCRIPTOR_ADDRESS_LOW_WORD];
    run->low = low + offset;
    run->high = words[EMP_DESCRIPTOR_ADDRESS_HIGH_WORD] + (run->low < low);
    run->bytes = length;
    return run->low <= 0u - length;
}

#endif

#if NIC_TRANSMITS
#if GLUE_APART
void glue_send_begins(uint32_t descriptor) {
    struct cursor *cursor = cursor_of(sending, descriptor);
    if (cursor->descriptor == descriptor)
        cursor->descriptor = NO_DESCRIPTOR;
    opened[ROW_OF(false)][descriptor] = false;
}
#endif

static GLUE_HOT void send_pieces(uint32_t descriptor, uint32_t offset, uint32_t length) {
    struct cursor *cursor = cursor_of(sending, descriptor);
    if (cursor->descriptor != descriptor)
        cursor_change(cursor, descriptor, false);
    do {
        struct nic_piece run = locate(cursor, descriptor, offset, length);
        offset += run.bytes;
        length -= run.bytes;
        nic_transmit_data(run.high, run.low, run.bytes, length == 0);
    } while (length != 0);
}

GLUE_HOT bool glue_send_single(uint32_t descriptor, uint32_t length) {
    struct nic_piece run;
    if (!single(descriptor, 0, length, &run))
        return false;
    nic_transmit_data(run.high, run.low, run.bytes, true);
    return true;
}

NIC_RARE NIC_ONCE void glue_send_short(uint32_t descriptor, uint32_t length, bool inlined) {
    if (inlined)
        nic_transmit_copy(glue_descriptor(descriptor), length);
    else
        send_pieces(descriptor, 0, length);
}

GLUE_HOT void glue_send_data(uint32_t descriptor, uint32_t offset, uint32_t length) {
    struct nic_piece run;
    if (single(descriptor, offset, length, &run))
        nic_transmit_data(run.high, run.low, run.bytes, true);
    else
        send_pieces(descriptor, offset, length);
}
#endif

#if NIC_WRITES
static NIC_HOT void place_pieces(uint32_t frame, uint32_t from, uint32_t descriptor,
                                 uint32_t offset, uint32_t length) {
    struct cursor *cursor = cursor_of(receiving, descriptor);
    if (cursor->descriptor != descriptor)
        cursor_change(cursor, descriptor, true);
    do {
        struct nic_piece run = locate(cursor, descriptor, offset, length);
        offset += run.bytes;
        length -= run.bytes;
        nic_receive_data(frame, from, run.high, run.low, run.bytes, length == 0);
        from += run.bytes;
    } while (length != 0);
}

/* `frame.buffer` names the frame; its data follow the header of its kind. */
GLUE_HOT void emp_device_place(const uint8_t r, const struct emp_frame *const f,
                               const uint16_t descriptor, const uint32_t offset,
                               const uint16_t length, const bool last) {
    uint32_t from = f->kind == EMP_FRAME_KIND_HEADER ? EMP_FRAME_BYTES + EMP_MESSAGE_HEADER_BYTES
                                                     : EMP_FRAME_BYTES;
    struct nic_piece run;
    bool notify = last;
#if EMP_CHECKS_FRAMES
    if (length != 0)
        nic_receive_sum(&sums[sums_begun % SUMS]);
#endif
    if (length == 0)
        ;
    else if (single(descriptor, offset, length, &run))
        nic_receive_data(f->buffer, from, run.high, run.low, run.bytes, true);
    else
        place_pieces(f->buffer, from, descriptor, offset, length);
#if EMP_CHECKS_FRAMES
    if (length != 0)
        note_sum(r, f->frame,
                 __builtin_expect(length == f->length, 1)
                     ? 0
                     : nic_frame_sum(f->buffer, from + length, f->length - (uint32_t)length));
    notify |= sums_begun - sums_noticed == SUMS_WITHOUT_NOTICE;
#endif
    if (notify) {
        uint32_t entry = nic_notify_written();
#if EMP_CHECKS_FRAMES
        sums_before[entry] = sums_noticed = sums_begun;
#endif
        placements[entry].instance = last ? r : NO_INSTANCE;
        placements[entry].frame = f->frame;
        placements[entry].collection = f->collection;
        placements[entry].position = f->position;
        placements[entry].size = f->size;
    }
}

NIC_HOT void nic_on_written(uint32_t notice) {
    struct emp_collection collection;
#if EMP_CHECKS_FRAMES
    check_sums(sums_before[notice]);
    if (placements[notice].instance == NO_INSTANCE)
        return;
#endif
    collection.frame = placements[notice].frame;
    collection.collection = placements[notice].collection;
    collection.position = placements[notice].position;
    collection.size = placements[notice].size;
    (void)emp_receive_placed(placements[notice].instance, &collection);
}
#endif

#if GLUE_KEEPS_SENDS || NIC_WRITES
/* ---------------------------------------------------------------------------------- Completion */

/* What the word with the owner keeps of the posting. */
#define POSTED_FIELDS                                                                              \
    (EMP_DESCRIPTOR_DIRECTION_MASK << EMP_DESCRIPTOR_DIRECTION_SHIFT |                             \
     EMP_DESCRIPTOR_FORMAT_MASK << EMP_DESCRIPTOR_FORMAT_SHIFT |                                   \
     EMP_DESCRIPTOR_CONTINUATIONS_MASK << EMP_DESCRIPTOR_CONTINUATIONS_SHIFT)

#if EMP_ENDS_IN_MEMORY
static uint32_t ends_high NIC_FAST;
static uint32_t ends_low NIC_FAST; /* 0: the host looks at the descriptors */
static uint32_t ends_step NIC_FAST;

/* The host does not post before it has rung, or waits until it learns of an end. */
NIC_COLD void glue_completions_told(void) {
    const volatile uint32_t *objects = nic_control() + EMP_OBJECTS_AT / 4;
    ends_high = objects[EMP_OBJECTS_COMPLETIONS_HIGH_WORD];
    ends_low = objects[EMP_OBJECTS_COMPLETIONS_LOW_WORD];
    ends_step = objects[EMP_OBJECTS_COMPLETIONS_STEP_WORD] & 31;
}

#if NIC_WRITES
static inline void tell_in_memory(uint32_t descriptor, const volatile uint32_t *word) {
    if (ends_low != 0)
        nic_write_host(ends_high, ends_low + (descriptor << ends_step), word);
}

void glue_tell_in_memory(uint32_t descriptor) {
    tell_in_memory(descriptor, &glue_descriptor(descriptor)[EMP_DESCRIPTOR_OWNER_WORD]);
}
#else
static inline void tell_in_memory(uint32_t descriptor, const volatile uint32_t *word) {
    (void)word;
    if (ends_low != 0)
        between_tell_end(descriptor);
}
#endif
#else
#define tell_in_memory(descriptor, word) ((void)0)
#endif

/* Owner, result and length in one store: the host may look at any time (EF29). */
NIC_HOT void emp_device_complete(const uint16_t descriptor, const uint8_t result,
                                 const uint32_t length) {
    volatile uint32_t *words = glue_descriptor(descriptor);
    uint32_t own = words[GLUE_TAKEN_WORD];
    uint32_t word = glue_is_owned(own) ? own : words[EMP_DESCRIPTOR_OWNER_WORD];
    bool receive = glue_is_receive(word);
#if NIC_HANDS_OVER && NIC_WRITES
    /* As soon as the host sees the end the other processor may take the descriptor again. */
    if (__builtin_expect(own != 0, 0)) {
        if (own & GLUE_HAS_MEMORY)
            glue_memory_forget(descriptor, receive);
        words[GLUE_TAKEN_WORD] = 0;
        own = 0;
    }
#endif
    words[EMP_DESCRIPTOR_OWNER_WORD] = (word & POSTED_FIELDS) |
                                       (uint32_t)EMP_OWNER_HOST << EMP_DESCRIPTOR_OWNER_SHIFT |
                                       (uint32_t)result << EMP_DESCRIPTOR_RESULT_SHIFT |
                                       length << EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT;
    tell_in_memory(descriptor, &words[EMP_DESCRIPTOR_OWNER_WORD]);
    if (__builtin_expect(own != 0, 0)) {
        words[GLUE_TAKEN_WORD] = 0; /* no posting is taken before this event is over */
        if (own & GLUE_HAS_MEMORY)
            glue_memory_forget(descriptor, receive);
    }
}
#endif
