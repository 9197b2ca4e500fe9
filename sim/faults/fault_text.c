/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form of faults (sim/fault.h).
 *
 * A line is read into one fault, without its place, which then is put at every place the names
 * before the colon mean.
 */
#include "sim/faults/fault_words.h"
#include "sim/tigon.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT     (1u << 20)
#define SRAM_SPACE_END 0x800000u

/* Clauses that may follow the kind, and the kinds they fit. */
enum clause {
    CHANCE,
    NUMBER,
    AT,
    FOR,
    EVERY,
    UNTIL,
    BY,
    TO,
    WITH,
    RANGE,
    ENTER,
    LEAVE,
    LOSING,
    CLAUSES
};

#define BIT(name) (1u << (name))
#define TIMES     (BIT(AT) | BIT(EVERY) | BIT(UNTIL))
#define WINDOW    (TIMES | BIT(FOR))
#define CHOSEN    (WINDOW | BIT(CHANCE) | BIT(NUMBER))

static const struct {
    uint32_t may;
    uint32_t must;
} kinds[TIGON_FAULT_KINDS] = {
    [TIGON_FAULT_LOSE] = {CHOSEN, 0},
    [TIGON_FAULT_LOSE_IN_BURSTS] = {WINDOW | BIT(NUMBER) | BIT(ENTER) | BIT(LEAVE) | BIT(LOSING),
                                    BIT(ENTER) | BIT(LEAVE)},
    [TIGON_FAULT_DUPLICATE] = {CHOSEN, 0},
    [TIGON_FAULT_DELAY] = {CHOSEN | BIT(BY), BIT(BY)},
    [TIGON_FAULT_REORDER] = {CHOSEN | BIT(BY), BIT(BY)},
    [TIGON_FAULT_CORRUPT] = {CHOSEN, 0},
    [TIGON_FAULT_CORRUPT_SILENTLY] = {CHOSEN, 0},
    [TIGON_FAULT_TRUNCATE] = {CHOSEN | BIT(TO), 0},
    [TIGON_FAULT_LENGTHEN] = {CHOSEN | BIT(TO), 0},
    [TIGON_FAULT_PAUSE] = {TIMES | BIT(BY), BIT(BY)},
    [TIGON_FAULT_UNPLUG] = {WINDOW, 0},
    [TIGON_FAULT_FAIL_DMA] = {CHOSEN | BIT(WITH), 0},
    [TIGON_FAULT_HANG_DMA] = {CHOSEN, 0},
    [TIGON_FAULT_HIDE_EVENT] = {WINDOW, 0},
    [TIGON_FAULT_FLIP_ANY] = {TIMES | BIT(RANGE), 0},
    [TIGON_FAULT_FLIP] = {TIMES, 0},
    [TIGON_FAULT_JUMP_TIMER] = {TIMES | BIT(BY), BIT(BY)},
    [TIGON_FAULT_RESET] = {TIMES, 0},
    [TIGON_FAULT_KILL] = {TIMES, 0},
    [TIGON_FAULT_STOP_CORE] = {TIMES, 0},
    [TIGON_FAULT_CRASH_HOST] = {TIMES, 0},
};

static const char *const clause_names[CLAUSES] = {"a chance", "a number", "at",    "for",  "every",
                                                  "until",    "by",       "to",    "with", "in",
                                                  "enter",    "leave",    "losing"};

/* -------------------------------------------------------------------------------------------------
 * Words */

struct reader {
    struct tigon_world *world;
    const char *line;
    const char *end;  /* of the line, or where its comment begins */
    const char *word; /* the one to be read next */
    size_t length;    /* of it; 0 at the end */
    bool failed;
    char message[256];
    size_t column; /* of the mistake, from 1 */
};

static bool of_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '%';
}

static void measure(struct reader *reader) {
    const char *at = reader->word;
    while (at < reader->end && isspace((unsigned char)*at))
        at++;
    reader->word = at;
    if (at < reader->end && of_word(*at))
        while (at < reader->end && of_word(*at))
            at++;
    else if (reader->end - at >= 3 && memcmp(at, "<->", 3) == 0)
        at += 3;
    else if (reader->end - at >= 2 && memcmp(at, "->", 2) == 0)
        at += 2;
    else if (at < reader->end)
        at++;
    reader->length = (size_t)(at - reader->word);
}

static void next(struct reader *reader) {
    reader->word += reader->length;
    measure(reader);
}

static bool is(const struct reader *reader, const char *word) {
    return strlen(word) == reader->length && memcmp(reader->word, word, reader->length) == 0;
}

static bool take(struct reader *reader, const char *word) {
    const bool there = is(reader, word);
    if (there)
        next(reader);
    return there;
}

static void fail(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fail(struct reader *reader, const char *format, ...) {
    va_list arguments;
    if (reader->failed) /* the first mistake of a line counts */
        return;
    reader->failed = true;
    reader->column = (size_t)(reader->word - reader->line) + 1;
    va_start(arguments, format);
    (void)vsnprintf(reader->message, sizeof reader->message, format, arguments);
    va_end(arguments);
}

static void fail_expected(struct reader *reader, const char *what) {
    char found[40];
    size_t length = reader->length < sizeof found ? reader->length : sizeof found - 1;
    for (size_t i = 0; i < length; i++)
        found[i] = isprint((unsigned char)reader->word[i]) ? reader->word[i] : '?';
    found[length] = 0;
    if (length)
        fail(reader, "expected %s, found \"%s\"", what, found);
    else
        fail(reader, "expected %s, found the end of the line", what);
}

static void expect(struct reader *reader, const char *word) {
    char quoted[32];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", word);
    if (!take(reader, word))
        fail_expected(reader, quoted);
}

/* Takes the word if it is a chance. */
static bool read_chance(struct reader *reader, double *chance) {
    const bool read = tigon_fault_read_chance(reader->word, reader->length, chance);
    if (read)
        next(reader);
    return read;
}

static uint64_t expect_time(struct reader *reader) {
    static const char what[] = "a time such as 3ms (s, ms, us, ns, cycles)";
    uint64_t digits;
    unsigned places;
    struct reader unit = *reader;
    const size_t length = tigon_fault_read_decimal(reader->word, reader->length, &digits, &places);
    if (!length) {
        fail_expected(reader, what);
        return 0;
    }
    unit.word += length;
    unit.length -= length;
    if (!unit.length)
        measure(&unit);
    for (size_t i = 0; i < TIGON_TIME_UNITS; i++) {
        __extension__ typedef unsigned __int128 wide;
        if (!is(&unit, tigon_time_units[i].name))
            continue;
        const wide ticks = (wide)digits * tigon_time_units[i].ticks / tigon_power_of_ten(places);
        if (ticks >= TIGON_NEVER / 8) {
            fail(reader, "a time of centuries");
            return 0;
        }
        reader->word = unit.word;
        reader->length = unit.length;
        next(reader);
        return (uint64_t)ticks;
    }
    fail_expected(reader, what);
    return 0;
}

/* A whole number, 0x for hexadecimal. */
static uint64_t expect_number(struct reader *reader, uint64_t most, const char *what) {
    const bool hexadecimal =
        reader->length > 2 && reader->word[0] == '0' && (reader->word[1] | 0x20) == 'x';
    const unsigned base = hexadecimal ? 16 : 10;
    uint64_t value = 0;
    for (size_t i = hexadecimal ? 2 : 0; i < reader->length; i++) {
        const char c = (char)tolower((unsigned char)reader->word[i]);
        const unsigned digit = isdigit((unsigned char)c)             ? (unsigned)(c - '0')
                               : hexadecimal && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                                     : 99;
        if (digit == 99 || value > (UINT64_MAX - digit) / base) {
            fail_expected(reader, what);
            return 0;
        }
        value = value * base + digit;
    }
    if (!reader->length || value > most) {
        fail_expected(reader, what);
        return 0;
    }
    next(reader);
    return value;
}

/* -------------------------------------------------------------------------------------------------
 * What and when */

static unsigned expect_one_of(struct reader *reader, const char *first, const char *second) {
    char what[48];
    (void)snprintf(what, sizeof what, "\"%s\" or \"%s\"", first, second);
    if (take(reader, first))
        return 0;
    if (!take(reader, second))
        fail_expected(reader, what);
    return 1;
}

static void expect_flip(struct reader *reader, struct tigon_fault *fault) {
    if (take(reader, "a")) {
        expect(reader, "bit");
        tigon_fault_defaults(fault, TIGON_FAULT_FLIP_ANY);
        return;
    }
    if (!is(reader, "bit")) {
        fail_expected(reader, "\"a bit\" or \"bit\" and its number");
        return;
    }
    next(reader);
    tigon_fault_defaults(fault, TIGON_FAULT_FLIP);
    fault->bit = (uint32_t)expect_number(reader, 7, "the bit of a byte, 0 to 7");
    expect(reader, "of");
    fault->address =
        (uint32_t)expect_number(reader, SRAM_SPACE_END - 1, "an SRAM address such as 0x1234");
}

static void expect_board_kind(struct reader *reader, struct tigon_fault *fault) {
    if (take(reader, "fail") || is(reader, "hang")) {
        const bool hang = take(reader, "hang");
        tigon_fault_defaults(fault, hang ? TIGON_FAULT_HANG_DMA : TIGON_FAULT_FAIL_DMA);
        expect(reader, "dma");
        fault->part = expect_one_of(reader, "read", "write");
    } else if (take(reader, "hide")) {
        tigon_fault_defaults(fault, TIGON_FAULT_HIDE_EVENT);
        expect(reader, "event");
        fault->bit = (uint32_t)expect_number(reader, 31, "the bit of an event word, 0 to 31");
        expect(reader, "of");
        expect(reader, "core");
        fault->part = expect_one_of(reader, "A", "B");
    } else if (take(reader, "flip")) {
        expect_flip(reader, fault);
    } else if (take(reader, "jump")) {
        tigon_fault_defaults(fault, TIGON_FAULT_JUMP_TIMER);
        expect(reader, "timer");
        fault->back = take(reader, "back");
    } else if (take(reader, "reset")) {
        tigon_fault_defaults(fault, TIGON_FAULT_RESET);
    } else if (take(reader, "kill")) {
        tigon_fault_defaults(fault, TIGON_FAULT_KILL);
    } else if (take(reader, "stop")) {
        tigon_fault_defaults(fault, TIGON_FAULT_STOP_CORE);
        expect(reader, "core");
        fault->part = expect_one_of(reader, "A", "B");
    } else if (take(reader, "crash")) {
        tigon_fault_defaults(fault, TIGON_FAULT_CRASH_HOST);
        expect(reader, "host");
    } else {
        fail_expected(reader, "what goes wrong on a board: fail, hang, hide, flip, jump, reset, "
                              "kill, stop or crash");
    }
}

static void expect_wire_kind(struct reader *reader, struct tigon_fault *fault) {
    if (take(reader, "lose")) {
        tigon_fault_defaults(fault, TIGON_FAULT_LOSE);
        if (take(reader, "in")) {
            expect(reader, "bursts");
            tigon_fault_defaults(fault, TIGON_FAULT_LOSE_IN_BURSTS);
        }
    } else if (take(reader, "corrupt")) {
        tigon_fault_defaults(fault, take(reader, "silently") ? TIGON_FAULT_CORRUPT_SILENTLY
                                                             : TIGON_FAULT_CORRUPT);
    } else if (take(reader, "duplicate")) {
        tigon_fault_defaults(fault, TIGON_FAULT_DUPLICATE);
    } else if (take(reader, "delay")) {
        tigon_fault_defaults(fault, TIGON_FAULT_DELAY);
    } else if (take(reader, "reorder")) {
        tigon_fault_defaults(fault, TIGON_FAULT_REORDER);
    } else if (take(reader, "truncate")) {
        tigon_fault_defaults(fault, TIGON_FAULT_TRUNCATE);
    } else if (take(reader, "lengthen")) {
        tigon_fault_defaults(fault, TIGON_FAULT_LENGTHEN);
    } else if (take(reader, "pause")) {
        tigon_fault_defaults(fault, TIGON_FAULT_PAUSE);
    } else if (take(reader, "unplug")) {
        tigon_fault_defaults(fault, TIGON_FAULT_UNPLUG);
    } else {
        fail_expected(reader, "what goes wrong on a wire: lose, duplicate, delay, reorder, "
                              "corrupt, truncate, lengthen, pause or unplug");
    }
}

/* The clause the next word begins, or CLAUSES. Takes that word, except of a chance. */
static enum clause next_clause(struct reader *reader, struct tigon_fault *fault, bool *plural) {
    static const struct {
        const char *word;
        enum clause clause;
    } words[] = {{"at", AT},       {"for", FOR},     {"every", EVERY},  {"until", UNTIL},
                 {"by", BY},       {"to", TO},       {"with", WITH},    {"in", RANGE},
                 {"enter", ENTER}, {"leave", LEAVE}, {"losing", LOSING}};
    const bool frames = tigon_fault_of_wire(fault->kind);
    *plural = is(reader, frames ? "frames" : "transfers");
    if (*plural || is(reader, frames ? "frame" : "transfer")) {
        next(reader);
        return NUMBER;
    }
    if (is(reader, "about")) {
        next(reader);
        fault->about = true;
        if (!is(reader, "every"))
            return CLAUSES;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take(reader, words[i].word))
            return words[i].clause;
    return reader->length && (isdigit((unsigned char)*reader->word) || *reader->word == '.')
               ? CHANCE
               : CLAUSES;
}

static double expect_chance(struct reader *reader) {
    double chance = 0;
    if (!read_chance(reader, &chance))
        fail_expected(reader, "a chance such as 1% or 0.01");
    return chance;
}

static void expect_range(struct reader *reader, struct tigon_fault *fault) {
    static const char what[] = "SRAM addresses such as 0x4000-0x7FFF";
    fault->address = (uint32_t)expect_number(reader, SRAM_SPACE_END - 1, what);
    expect(reader, "-");
    fault->address_last = (uint32_t)expect_number(reader, SRAM_SPACE_END - 1, what);
    if (fault->address > fault->address_last)
        fail(reader, "the last address is below the first");
}

static void expect_numbers(struct reader *reader, struct tigon_fault *fault, bool plural) {
    static const char what[] = "a running number, from 0";
    fault->first = fault->last = expect_number(reader, UINT64_MAX - 1, what);
    if (plural) {
        expect(reader, "-");
        fault->last = expect_number(reader, UINT64_MAX - 1, what);
        if (fault->first > fault->last)
            fail(reader, "the last number is below the first");
    }
}

static void expect_clause(struct reader *reader, struct tigon_fault *fault, enum clause clause,
                          bool plural) {
    switch (clause) {
    case CHANCE:
        fault->chance = expect_chance(reader);
        break;
    case NUMBER:
        expect_numbers(reader, fault, plural);
        break;
    case AT:
        fault->at = expect_time(reader);
        break;
    case FOR:
        fault->duration = expect_time(reader);
        break;
    case EVERY:
        fault->every = expect_time(reader);
        if (!fault->every)
            fail(reader, "every needs a time above 0");
        break;
    case UNTIL:
        fault->until = expect_time(reader);
        break;
    case BY:
        if (fault->kind != TIGON_FAULT_REORDER)
            fault->delay_ticks = expect_time(reader);
        else
            fault->displacement =
                (uint32_t)expect_number(reader, 1000000, "how many frames, 1 to 1000000");
        if (fault->kind == TIGON_FAULT_REORDER && !fault->displacement)
            fail(reader, "a frame is reordered by 1 or more");
        if (fault->kind == TIGON_FAULT_PAUSE && fault->delay_ticks > TIGON_PAUSE_LONGEST_TICKS)
            fail(reader, "a PAUSE frame holds back for 65535 quanta of 512 ns, 33.5ms, at most");
        if (fault->kind == TIGON_FAULT_JUMP_TIMER &&
            (fault->delay_ticks < TIGON_TICKS_PER_US ||
             fault->delay_ticks > TIGON_TIMER_JUMP_LONGEST_TICKS))
            fail(reader, "the timer jumps by 1us to 2147s, half of its 32 bits");
        break;
    case TO:
        fault->length =
            (uint32_t)expect_number(reader, 65535, "the bytes of the frame then, 1 to 65535");
        if (!fault->length)
            fail(reader, "a frame keeps 1 byte or more");
        break;
    case WITH:
        fault->attention =
            (uint32_t)expect_number(reader, UINT32_MAX, "attention bits such as 0x02000000");
        if (!fault->attention || (fault->attention & ~TIGON_DMA_ATTENTIONS))
            fail(reader, "attention bits are those of 0x%08X", TIGON_DMA_ATTENTIONS);
        break;
    case RANGE:
        expect_range(reader, fault);
        break;
    case ENTER:
        fault->enter = expect_chance(reader);
        break;
    case LEAVE:
        fault->leave = expect_chance(reader);
        break;
    case LOSING:
        fault->losing = expect_chance(reader);
        break;
    case CLAUSES:
        break;
    }
}

/* The times of the fault that result from all clauses. */
static void settle_times(struct reader *reader, struct tigon_fault *fault, uint32_t said) {
    const bool window = (kinds[fault->kind].may & BIT(FOR)) != 0;
    fault->timed = (said & WINDOW) != 0;
    if (!window && !(said & (BIT(AT) | BIT(EVERY))))
        fail(reader, "\"%s\" needs a time: at 3ms, every 10ms", tigon_fault_kind_text(fault->kind));
    if (window && (said & BIT(EVERY)) && !(said & BIT(FOR)))
        fail(reader, "with \"every\" say \"for\" how long each time");
    if ((said & BIT(UNTIL)) && !(said & BIT(EVERY))) {
        if (!window || (said & BIT(FOR)))
            fail(reader, "\"until\" needs \"every\"%s", window ? " beside \"for\"" : "");
        else if (fault->until <= fault->at)
            fail(reader, "\"until\" is not after \"at\"");
        fault->duration = fault->until - fault->at;
        fault->until = TIGON_NEVER;
    }
    if ((said & BIT(EVERY)) && !(said & BIT(AT)) && !fault->about)
        fault->at = fault->every;
}

static void expect_what(struct reader *reader, struct tigon_fault *fault, bool wire) {
    uint32_t said = 0;
    tigon_fault_defaults(fault, TIGON_FAULT_LOSE);
    if (wire)
        expect_wire_kind(reader, fault);
    else
        expect_board_kind(reader, fault);
    while (!reader->failed && reader->length) {
        struct reader before = *reader;
        bool plural;
        const enum clause clause = next_clause(reader, fault, &plural);
        if (clause == CLAUSES) {
            fail_expected(reader, "a chance, a number or a time");
        } else if (!(kinds[fault->kind].may & BIT(clause))) {
            *reader = before;
            fail(reader, "\"%s\" does not go with \"%s\"", clause_names[clause],
                 tigon_fault_kind_text(fault->kind));
        } else if (said & BIT(clause)) {
            *reader = before;
            fail(reader, "\"%s\" is said twice", clause_names[clause]);
        } else {
            said |= BIT(clause);
            expect_clause(reader, fault, clause, plural);
        }
    }
    for (unsigned clause = 0; clause < CLAUSES; clause++)
        if ((kinds[fault->kind].must & ~said) & BIT(clause))
            fail(reader, "\"%s\" needs \"%s\"", tigon_fault_kind_text(fault->kind),
                 clause_names[clause]);
    settle_times(reader, fault, said);
}

/* -------------------------------------------------------------------------------------------------
 * Where */

struct list {
    struct tigon_fault *faults;
    size_t count;
    size_t capacity;
};

static bool append(struct list *list, const struct tigon_fault *fault) {
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? list->capacity * 2 : 16;
        struct tigon_fault *faults = realloc(list->faults, capacity * sizeof *faults);
        if (!faults)
            return false;
        list->faults = faults;
        list->capacity = capacity;
    }
    list->faults[list->count++] = *fault;
    return true;
}

struct name {
    char text[64];
};

static bool means(const struct name *name, const char *found) {
    return strcmp(name->text, "*") == 0 || strcmp(name->text, found) == 0;
}

/* A name there is, or `*`. */
static struct name expect_name(struct reader *reader, bool switches) {
    struct name name = {""};
    char known[160] = "";
    bool found = is(reader, "*");
    if (!reader->length || (!of_word(*reader->word) && !found)) {
        fail_expected(reader, switches ? "the name of a board or switch" : "the name of a board");
        return name;
    }
    (void)snprintf(name.text, sizeof name.text, "%.*s", (int)reader->length, reader->word);
    const size_t boards = tigon_world_board_count(reader->world);
    const size_t all = boards + (switches ? tigon_world_switch_count(reader->world) : 0);
    for (size_t i = 0; i < all; i++) {
        const char *text = i < boards
                               ? tigon_board_name(tigon_world_board(reader->world, i))
                               : tigon_switch_name(tigon_world_switch(reader->world, i - boards));
        const size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", text);
        found = found || strcmp(text, name.text) == 0;
    }
    if (!found)
        fail(reader, "no %s \"%s\"; there is %s", switches ? "board or switch" : "board", name.text,
             all ? known : "none");
    next(reader);
    return name;
}

static bool add_to_wires(struct reader *reader, struct list *list, struct tigon_fault *fault,
                         const struct name *from, const struct name *to, bool both) {
    bool met = false;
    for (size_t i = 0; i < tigon_world_wire_count(reader->world); i++) {
        struct tigon_wire *wire = tigon_world_wire(reader->world, i);
        for (unsigned side = 0; side < 2; side++) {
            const char *sender = tigon_wire_end_name(wire, side);
            const char *receiver = tigon_wire_end_name(wire, 1 - side);
            if (!(means(from, sender) && means(to, receiver)) &&
                !(both && means(from, receiver) && means(to, sender)))
                continue;
            fault->wire = wire;
            fault->from_side = side;
            met = true;
            if (!append(list, fault))
                return false;
        }
    }
    if (!met) {
        reader->word = reader->line;
        fail(reader, "no wire goes from \"%s\" to \"%s\"", from->text, to->text);
    }
    return true;
}

static bool add_to_boards(struct reader *reader, struct list *list, struct tigon_fault *fault,
                          const struct name *name) {
    for (size_t i = 0; i < tigon_world_board_count(reader->world); i++) {
        struct tigon_board *board = tigon_world_board(reader->world, i);
        fault->board = board;
        if (means(name, tigon_board_name(board)) && !append(list, fault))
            return false;
    }
    return true;
}

/* False when memory is used up; a mistake is in the reader. */
static bool read_line(struct reader *reader, struct list *list) {
    struct tigon_fault fault;
    struct name to = {""};
    struct reader look = *reader;
    next(&look);
    const bool both = is(&look, "<->");
    const bool wire = both || is(&look, "->");
    const struct name from = expect_name(reader, wire);
    if (wire) {
        next(reader);
        to = expect_name(reader, true);
    }
    if (!take(reader, ":"))
        fail_expected(reader, wire ? "\":\"" : "\"->\", \"<->\" or \":\"");
    if (!reader->failed)
        expect_what(reader, &fault, wire);
    if (reader->failed)
        return true;
    return wire ? add_to_wires(reader, list, &fault, &from, &to, both)
                : add_to_boards(reader, list, &fault, &from);
}

int tigon_world_add_faults(struct tigon_world *world, const char *text, const char *source,
                           char *message, size_t message_bytes) {
    struct list list = {0};
    size_t used = 0;
    int lines = 0;
    int error = 0;
    if (message_bytes)
        message[0] = 0;
    for (size_t number = 1; *text && error != -ENOMEM; number++) {
        const size_t length = strcspn(text, "\n");
        const char *comment = memchr(text, '#', length);
        struct reader reader = {
            .world = world, .line = text, .word = text, .end = comment ? comment : text + length};
        measure(&reader);
        if (reader.length) {
            lines++;
            if (!read_line(&reader, &list))
                error = -ENOMEM;
        }
        if (reader.failed) {
            error = -EINVAL;
            if (used < message_bytes)
                used += (size_t)snprintf(message + used, message_bytes - used, "%s%s:%zu:%zu: %s",
                                         used ? "\n" : "", source, number, reader.column,
                                         reader.message);
        }
        text += length + (text[length] == '\n');
    }
    for (size_t i = 0; !error && i < list.count; i++)
        error = tigon_world_add_fault(world, &list.faults[i]);
    free(list.faults);
    return error ? error : lines;
}

int tigon_world_read_faults(struct tigon_world *world, const char *path, char *message,
                            size_t message_bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        const int error = -errno;
        (void)snprintf(message, message_bytes, "%s: %s", path, strerror(-error));
        return error;
    }
    char *text = malloc(FILE_LIMIT + 1);
    const size_t length = text ? fread(text, 1, FILE_LIMIT + 1, file) : 0;
    int error = !text ? -ENOMEM : ferror(file) ? -EIO : length > FILE_LIMIT ? -EFBIG : 0;
    (void)fclose(file);
    if (error) {
        (void)snprintf(message, message_bytes, "%s: %s", path, strerror(-error));
    } else {
        text[length] = 0;
        for (size_t i = 0; i < length; i++)
            if (!text[i])
                text[i] = '?'; /* no text; the line is refused */
        error = tigon_world_add_faults(world, text, path, message, message_bytes);
    }
    free(text);
    return error;
}
