/* SPDX-License-Identifier: MIT */
/*
 * The memory that a board may touch; see oracle.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/native_port/oracle.h"
#include "tests/native_port/plain_bytes.h"

#define PANIC_MEMORY 0x0202u /* GLUE_PANIC_MEMORY of glue.h */
#define LENGTHS_AT   (8u * EMP_INDIRECT_ENTRIES)

static uint32_t field(uint32_t word, uint32_t shift, uint32_t mask) {
    return word >> shift & mask;
}
#define FIELD(words, name)                                                                         \
    field((words)[EMP_DESCRIPTOR_##name##_WORD], EMP_DESCRIPTOR_##name##_SHIFT,                    \
          EMP_DESCRIPTOR_##name##_MASK)

_Noreturn void oracle_finding(const char *what, uint32_t first, uint64_t second) {
    (void)fprintf(stderr, "finding: %s (0x%" PRIx32 ", 0x%" PRIx64 ")\n", what, first, second);
    abort();
}

/* ------------------------------------------------------------------------- What a descriptor names
 */

struct run {
    uint64_t address;
    uint32_t bytes;
};

static uint64_t address_at(const uint32_t *words) {
    return (uint64_t)words[0] << 32 | words[1];
}

/* Called with each run of memory, until a call returns true. Each caller names its own, so that
 * compilers make a loop of each. */
typedef bool use_run(void *context, struct run run);

/* Entries are read where they lie, at any address, and by nothing that a sanitizer looks at: most
 * of the time of a run would be spent here. */
__attribute__((no_sanitize("address", "undefined"))) static inline uint64_t
double_word_at(const uint8_t *bytes) {
    uint64_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

__attribute__((no_sanitize("address", "undefined"))) static inline uint32_t
word_at(const uint8_t *bytes, uint32_t word) {
    uint32_t value;
    __builtin_memcpy(&value, bytes + (size_t)4 * word, sizeof value);
    return value;
}

/* Are these eight entries zero, as most are? */
__attribute__((no_sanitize("address", "undefined"))) static inline bool
no_entries(const uint8_t *page, uint32_t entry) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < 8; i++)
        any |= double_word_at(page + (size_t)8 * (entry + i));
    return (any | double_word_at(page + LENGTHS_AT + (size_t)2 * entry) |
            double_word_at(page + LENGTHS_AT + (size_t)2 * entry + 8)) == 0;
}

__attribute__((no_sanitize("address", "undefined"))) static inline struct run
entry_at(const uint8_t *page, uint32_t entry) {
    uint32_t pair = word_at(page, LENGTHS_AT / 4 + entry / 2);
    uint32_t high = word_at(page, 2 * entry), low = word_at(page, 2 * entry + 1);
    return (struct run){(uint64_t)high << 32 | low, entry & 1 ? pair & 0xFFFF : pair >> 16};
}

/* What the words of a descriptor, and of those that continue it, name themselves. With `widest`, as
 * the board may use words that were changed: the byte count may come from the former words, so any
 * length a descriptor can have, and any format. */
__attribute__((always_inline)) static inline bool
each_of_words(const uint32_t words[4][ORACLE_WORDS], bool widest, use_run *use, void *context) {
    uint32_t format = FIELD(words[0], FORMAT);
    uint32_t continuations = widest ? 3u : FIELD(words[0], CONTINUATIONS);
#if EMP_INLINE_LIMIT
    if (!widest && format == EMP_FORMAT_INLINE)
        return false;
#endif
    if (widest || format != EMP_FORMAT_INDIRECT)
        if (use(context,
                (struct run){address_at(words[0]), widest ? 0x10000 : FIELD(words[0], LENGTH)}))
            return true;
    if (!widest && format != EMP_FORMAT_CHAIN)
        return false;
    for (uint32_t i = 1; i <= continuations; i++) {
        uint32_t lengths = words[i][EMP_CONTINUATION_FIRST_LENGTH_WORD];
        struct run first = {address_at(&words[i][0]), lengths >> 16};
        struct run second = {address_at(&words[i][2]), lengths & 0xFFFF};
        if (use(context, first) || use(context, second))
            return true;
    }
    return false;
}

static void row_in_table(const struct oracle *oracle, uint32_t descriptor, uint32_t *row) {
    for (uint32_t word = 0; word < ORACLE_WORDS; word++)
        row[word] =
            descriptor < EMP_DESCRIPTOR_LIMIT ? oracle->table[descriptor * ORACLE_WORDS + word] : 0;
}

static void now_in_table(const struct oracle *oracle, uint32_t descriptor,
                         uint32_t words[4][ORACLE_WORDS]) {
    for (uint32_t i = 0; i < 4; i++)
        row_in_table(oracle, descriptor + i, words[i]);
}

/* ------------------------------------------------------------------------- Broken rules */

static uint32_t place_of(uint64_t address) {
    return (uint32_t)(address * 0x9E3779B97F4A7C15u >> 32) % ORACLE_FORMER_PLACES;
}

static bool remember_run(void *context, struct run run) {
    struct oracle *oracle = context;
    uint32_t place = place_of(run.address);
    if (run.bytes == 0)
        return false;
    for (; oracle->former_at[place] != 0; place = (place + 1) % ORACLE_FORMER_PLACES) {
        struct oracle_former *former = &oracle->former[oracle->former_at[place] - 1u];
        if (former->address == run.address) {
            if (former->bytes < run.bytes)
                former->bytes = run.bytes;
            return false;
        }
    }
    if (oracle->former_count == ORACLE_FORMER) {
        oracle->anything = true;
        return true;
    }
    oracle->former[oracle->former_count++] =
        (struct oracle_former){run.address, run.bytes, (uint16_t)place};
    oracle->former_at[place] = (uint16_t)oracle->former_count;
    return false;
}

/* A page stays as it was remembered until memory changes there. */
static void remember_page(struct oracle *oracle, uint64_t address) {
    uint8_t copy[EMP_PAGE_BYTES];
    const uint8_t *page;
    uint32_t place = oracle->pages_remembered++ % ORACLE_PAGES;
    for (uint32_t i = 0; i < ORACLE_PAGES; i++)
        if (oracle->pages[i].valid && oracle->pages[i].address == address) {
            oracle->pages_remembered--;
            return;
        }
    oracle->pages[place].address = address;
    oracle->pages[place].valid = true;
    if (remember_run(oracle, (struct run){address, EMP_PAGE_BYTES}))
        return;
    page = oracle->peek(oracle->owner, address, copy, sizeof copy);
    for (uint32_t entry = 0; page != NULL && entry < EMP_INDIRECT_ENTRIES; entry++) {
        struct run run = entry_at(page, entry);
        if (entry % 8 == 0 && entry + 8 <= EMP_INDIRECT_ENTRIES && no_entries(page, entry)) {
            entry += 7;
            continue;
        }
        if (run.address == 0 && run.bytes == 0)
            continue;
        run.bytes = 0x10000; /* addresses and lengths may be read at different times */
        if (remember_run(oracle, run))
            return;
    }
}

static void forget_pages(struct oracle *oracle, uint64_t address, uint32_t bytes) {
    for (uint32_t i = 0; i < ORACLE_PAGES; i++)
        if (oracle->pages[i].address < address + bytes &&
            address < oracle->pages[i].address + EMP_PAGE_BYTES)
            oracle->pages[i].valid = false;
}

static void remember_words(struct oracle *oracle, const uint32_t words[4][ORACLE_WORDS]) {
    (void)each_of_words(words, true, remember_run, oracle);
    remember_page(oracle, address_at(words[0]));
}

/* The memory that the descriptor names at this moment may be used from now on. */
static void remember(struct oracle *oracle, struct oracle_owned *owned) {
    uint32_t words[4][ORACLE_WORDS];
    oracle->broken = true;
    if (oracle->anything)
        return;
    now_in_table(oracle, owned->descriptor, words);
    remember_words(oracle, words);
    if (!owned->changed)
        remember_words(oracle, owned->words);
    owned->changed = true;
}

static bool held(const struct oracle_owned *owned) {
    return owned->posted || owned->taken != 0;
}

/* Whether the request of `owned` uses this descriptor, or may use it. */
static bool reaches(const struct oracle_owned *owned, uint32_t descriptor) {
    uint32_t count = 0;
    if (descriptor - owned->descriptor > 3)
        return false;
    if (owned->changed || owned->taken == 0)
        count = 3;
    else if (FIELD(owned->words[0], FORMAT) == EMP_FORMAT_CHAIN)
        count = FIELD(owned->words[0], CONTINUATIONS);
    return descriptor - owned->descriptor <= count;
}

/* ------------------------------------------------------------------------- The host's side */

void oracle_start(struct oracle *oracle) {
    plain_copy((unsigned char *)oracle->seen, (const unsigned char *)(uintptr_t)oracle->table,
               sizeof oracle->seen);
    for (uint32_t i = 0; i < oracle->owned_count; i++)
        oracle->owned_at[oracle->owned[i].descriptor] = 0;
    oracle->owned_count = 0;
    for (uint32_t i = 0; i < oracle->former_count; i++)
        oracle->former_at[oracle->former[i].place] = 0;
    oracle->former_count = 0;
    for (uint32_t i = 0; i < ORACLE_PAGES; i++)
        oracle->pages[i].valid = false;
    oracle->pages_remembered = 0;
    oracle->anything = false;
    oracle->forged = false;
    oracle->broken = false;
    oracle->late_reads = 0;
    oracle->completions = 0;
}

static struct oracle_owned *find(struct oracle *oracle, uint32_t descriptor) {
    uint32_t place = oracle->owned_at[descriptor];
    return place == 0 ? NULL : &oracle->owned[place - 1];
}

void oracle_before_word(struct oracle *oracle, uint32_t word, uint32_t value) {
    if (oracle->table[word] == value)
        return;
    for (uint32_t i = 0; i < oracle->owned_count; i++)
        if (oracle->owned[i].taken != 0 && reaches(&oracle->owned[i], word / ORACLE_WORDS))
            remember(oracle, &oracle->owned[i]);
}

/* Two that the board owns and that share a descriptor: a completion changes the words of the
 * other. */
static void find_shared(struct oracle *oracle, struct oracle_owned *fresh) {
    for (uint32_t i = 0; i < oracle->owned_count; i++) {
        struct oracle_owned *other = &oracle->owned[i];
        if (other == fresh || other->taken == 0)
            continue;
        for (uint32_t j = 0; j < 4; j++)
            if (reaches(other, fresh->descriptor + j) && reaches(fresh, fresh->descriptor + j)) {
                remember(oracle, other);
                remember(oracle, fresh);
                break;
            }
    }
}

static void handed_over(struct oracle *oracle, uint32_t descriptor) {
    struct oracle_owned *owned = find(oracle, descriptor);
    if (owned == NULL) {
        if (oracle->owned_count == ORACLE_OWNED) {
            oracle->anything = true;
            return;
        }
        owned = &oracle->owned[oracle->owned_count++];
        oracle->owned_at[descriptor] = (uint8_t)oracle->owned_count;
        *owned = (struct oracle_owned){.descriptor = (uint16_t)descriptor};
    }
    owned->posted = true;
    if (owned->taken == 0) {
        owned->changed = false;
        now_in_table(oracle, descriptor, owned->words);
    }
}

/* Until the board has taken it, a descriptor may be written anew. */
static void table_changed(struct oracle *oracle, uint32_t descriptor) {
    for (uint32_t i = 0; i < oracle->owned_count; i++) {
        struct oracle_owned *owned = &oracle->owned[i];
        if (!reaches(owned, descriptor) || !held(owned))
            continue;
        if (owned->taken == 0)
            row_in_table(oracle, descriptor, owned->words[descriptor - owned->descriptor]);
        else if (owned->changed)
            remember(oracle, owned);
    }
}

void oracle_after_word(struct oracle *oracle, uint32_t word) {
    uint32_t descriptor = word / ORACLE_WORDS;
    struct oracle_owned *owned = find(oracle, descriptor);
    oracle->seen[word] = oracle->table[word];
    if (field(oracle->table[descriptor * ORACLE_WORDS + EMP_DESCRIPTOR_OWNER_WORD],
              EMP_DESCRIPTOR_OWNER_SHIFT, EMP_DESCRIPTOR_OWNER_MASK) == EMP_OWNER_NIC)
        handed_over(oracle, descriptor);
    else if (owned != NULL)
        owned->posted = false;
    table_changed(oracle, descriptor);
}

/* A page of addresses that a descriptor names, or may: is it among these bytes? */
static bool touches_page(const struct oracle *oracle, const struct oracle_owned *owned,
                         uint64_t address, uint32_t bytes) {
    uint32_t words[4][ORACLE_WORDS];
    uint64_t page = address_at(owned->words[0]);
    if (!owned->changed && FIELD(owned->words[0], FORMAT) != EMP_FORMAT_INDIRECT)
        return false;
    if (address < page + EMP_PAGE_BYTES && page < address + bytes)
        return true;
    if (!owned->changed)
        return false;
    now_in_table(oracle, owned->descriptor, words);
    page = address_at(words[0]);
    return address < page + EMP_PAGE_BYTES && page < address + bytes;
}

void oracle_before_memory(struct oracle *oracle, uint64_t address, uint32_t bytes) {
    for (uint32_t i = 0; i < oracle->owned_count && !oracle->anything; i++)
        if (oracle->owned[i].taken != 0 && touches_page(oracle, &oracle->owned[i], address, bytes))
            remember(oracle, &oracle->owned[i]);
}

void oracle_after_memory(struct oracle *oracle, uint64_t address, uint32_t bytes) {
    forget_pages(oracle, address, bytes);
    oracle_before_memory(oracle, address, bytes);
}

/* ------------------------------------------------------------------------- The board's side */

struct wanted {
    uint64_t address;
    uint32_t bytes;
    bool page;
};

static bool holds(struct run run, const struct wanted *wanted) {
    return wanted->address - run.address < run.bytes &&
           wanted->bytes <= run.bytes - (wanted->address - run.address);
}

static bool run_holds(void *context, struct run run) {
    const struct wanted *wanted = context;
    return holds(run, wanted);
}

/* Pieces of a page are used in order, first when transfers are queued, then when they are done: the
 * search begins at the piece found last. */
static bool page_names(const struct oracle *oracle, struct oracle_owned *owned,
                       const struct wanted *wanted, bool done) {
    uint64_t address = address_at(owned->words[0]);
    uint32_t entries = FIELD(owned->words[0], LENGTH), entry = owned->entry[done];
    uint8_t copy[EMP_PAGE_BYTES];
    const uint8_t *page = oracle->peek(oracle->owner, address, copy, sizeof copy);
    if (page == NULL)
        return false;
    if (entries > EMP_INDIRECT_ENTRIES)
        entries = EMP_INDIRECT_ENTRIES;
    for (uint32_t tried = 0; tried < entries; tried++, entry++) {
        if (entry >= entries)
            entry = 0;
        if (holds(entry_at(page, entry), wanted)) {
            owned->entry[done] = (uint16_t)entry;
            return true;
        }
    }
    return false;
}

static bool named(const struct oracle *oracle, struct oracle_owned *owned, struct wanted *wanted,
                  bool done) {
    if (FIELD(owned->words[0], FORMAT) != EMP_FORMAT_INDIRECT)
        return !wanted->page && each_of_words(owned->words, false, run_holds, wanted);
    if (wanted->page)
        return holds((struct run){address_at(owned->words[0]), EMP_PAGE_BYTES}, wanted);
    return page_names(oracle, owned, wanted, done);
}

void oracle_transfer(struct oracle *oracle, enum native_transfer transfer, uint64_t address,
                     uint32_t bytes, bool done) {
    struct wanted wanted = {address, bytes, transfer == NATIVE_TRANSFER_PAGE};
    uint32_t direction =
        transfer == NATIVE_TRANSFER_RECEIVE ? EMP_DIRECTION_RECEIVE : EMP_DIRECTION_SEND;
    if (oracle->anything)
        return;
    /* Of a page that a changed descriptor named when its transfer was queued. */
    if (wanted.page && done && oracle->broken) {
        remember_page(oracle, address);
        remember_page(oracle, address - LENGTHS_AT);
    }
    for (uint32_t i = 0; i < oracle->owned_count; i++) {
        struct oracle_owned *owned = &oracle->owned[i];
        if (held(owned) && !owned->changed &&
            (wanted.page || FIELD(owned->words[0], DIRECTION) == direction) &&
            named(oracle, owned, &wanted, done))
            return;
    }
    for (uint32_t i = 0; i < oracle->former_count; i++)
        if (holds((struct run){oracle->former[i].address, oracle->former[i].bytes}, &wanted))
            return;
    if (transfer == NATIVE_TRANSFER_SEND && done && oracle->forged) {
        oracle->late_reads++;
        return;
    }
    oracle_finding(transfer == NATIVE_TRANSFER_RECEIVE
                       ? "the board writes memory that no receive names"
                       : "the board reads memory that no descriptor names",
                   bytes, address);
}

void oracle_taken(struct oracle *oracle, uint32_t entry) {
    struct oracle_owned *owned;
    if (oracle->anything || entry >= EMP_DESCRIPTOR_LIMIT)
        return;
    owned = find(oracle, entry);
    if (owned == NULL || !owned->posted)
        oracle_finding("the board takes a descriptor that is the host's", entry, 0);
    /* Twice: it may end twice, the second time under a posting that comes later. The list of posted
     * receives is in disorder then. */
    if (owned->taken++ != 0) {
        remember(oracle, owned);
        if (FIELD(&oracle->table[entry * ORACLE_WORDS], DIRECTION) == EMP_DIRECTION_RECEIVE)
            oracle->anything = true;
    } else {
        find_shared(oracle, owned);
    }
}

/* Source and tag of the message that a receive with wildcards has met: the board may write them
 * until it gives the descriptor back; where its list is in disorder, at any time. */
static bool may_name(struct oracle *oracle, uint32_t word) {
#if EMP_TAG_BITS == 64
    const struct oracle_owned *owned = find(oracle, word / ORACLE_WORDS);
    uint32_t at = word % ORACLE_WORDS;
    return (at == EMP_DESCRIPTOR_PEER_WORD || at == EMP_DESCRIPTOR_TAG_HIGH_WORD ||
            at == EMP_DESCRIPTOR_TAG_WORD) &&
           owned != NULL &&
           (oracle->anything ||
            (owned->taken != 0 && (owned->changed || FIELD(owned->words[0], WILDCARDS) != 0)));
#else
    (void)oracle, (void)word;
    return false;
#endif
}

static bool is_peek(const uint32_t *posted) {
#if EMP_TAG_BITS == 64
    return FIELD(posted, DIRECTION) == EMP_DIRECTION_RECEIVE &&
           (FIELD(posted, WILDCARDS) & EMP_PEEK_ONLY) != 0;
#else
    (void)posted;
    return false;
#endif
}

static void completed(struct oracle *oracle, uint32_t descriptor, uint32_t word) {
    struct oracle_owned *owned = find(oracle, descriptor);
    const uint32_t words[ORACLE_WORDS] = {[EMP_DESCRIPTOR_OWNER_WORD] = word};
    uint32_t result = FIELD(words, RESULT);
    uint32_t length = FIELD(words, TOTAL_LENGTH);
    if (oracle->anything)
        return;
    if (owned == NULL || owned->taken == 0)
        oracle_finding("a completion without a posting", descriptor, word);
    if (FIELD(words, OWNER) != EMP_OWNER_HOST || result == EMP_RESULT_PENDING ||
        result > EMP_RESULT_PEEKED)
        oracle_finding("a completion without owner or result", descriptor, word);
    if (!owned->changed) {
        const uint32_t *posted = owned->words[0];
        if (FIELD(words, FORMAT) != FIELD(posted, FORMAT) ||
            FIELD(words, DIRECTION) != FIELD(posted, DIRECTION) ||
            FIELD(words, CONTINUATIONS) != FIELD(posted, CONTINUATIONS))
            oracle_finding("a completion of another posting", descriptor, word);
        if (FIELD(posted, DIRECTION) == EMP_DIRECTION_RECEIVE &&
            ((result == EMP_RESULT_OK && length > FIELD(posted, TOTAL_LENGTH)) ||
             (result == EMP_RESULT_TRUNCATED && length <= FIELD(posted, TOTAL_LENGTH))))
            oracle_finding("a receive whose length does not fit its result", descriptor, word);
        if (is_peek(posted) ? result == EMP_RESULT_OK || result == EMP_RESULT_TRUNCATED
                            : result == EMP_RESULT_PEEKED)
            oracle_finding("a peek that took a message, or a receive that took none", descriptor,
                           word);
    }
    oracle->completions++;
    owned->taken--;
    owned->posted = false;
}

static void compare(struct oracle *oracle, uint32_t word) {
    uint32_t value = oracle->table[word];
    if (value == oracle->seen[word])
        return;
    oracle->seen[word] = value;
    if (word % ORACLE_WORDS == EMP_DESCRIPTOR_OWNER_WORD)
        completed(oracle, word / ORACLE_WORDS, value);
    else if (!may_name(oracle, word))
        oracle_finding("the board writes a word that is the host's", word, value);
    else
        return;
    table_changed(oracle, word / ORACLE_WORDS);
}

/* What the board wrote before it gave a descriptor back comes first. */
static void compare_descriptor(struct oracle *oracle, uint32_t descriptor) {
    const size_t first = (size_t)descriptor * ORACLE_WORDS;
    if (plain_equal((const uint32_t *)(uintptr_t)&oracle->table[first], &oracle->seen[first],
                    ORACLE_WORDS))
        return;
    for (uint32_t word = 0; word < ORACLE_WORDS; word++)
        if (word != EMP_DESCRIPTOR_OWNER_WORD)
            compare(oracle, descriptor * ORACLE_WORDS + word);
    compare(oracle, descriptor * ORACLE_WORDS + EMP_DESCRIPTOR_OWNER_WORD);
}

void oracle_completions(struct oracle *oracle) {
    for (uint32_t i = 0; i < oracle->owned_count; i++)
        if (oracle->owned[i].taken != 0)
            compare_descriptor(oracle, oracle->owned[i].descriptor);
}

void oracle_table(struct oracle *oracle) {
    if (plain_equal((const uint32_t *)(uintptr_t)oracle->table, oracle->seen, ORACLE_TABLE_WORDS))
        return;
    for (uint32_t descriptor = 0; descriptor < EMP_DESCRIPTOR_LIMIT; descriptor++)
        compare_descriptor(oracle, descriptor);
}

void oracle_stopped(const struct oracle *oracle, uint32_t code) {
    if (code != PANIC_MEMORY || !oracle->broken)
        oracle_finding("the board stops", code, oracle->broken);
}
