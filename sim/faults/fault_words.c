/* SPDX-License-Identifier: MIT */
/* Writing faults as text, and the words of both directions. Numbers are parsed here, because the
 * decimal point of strtod depends on the locale. */
#include "sim/faults/fault_words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/tigon.h"

const struct tigon_time_unit tigon_time_units[TIGON_TIME_UNITS] = {
    {"s", TIGON_TICKS_PER_SECOND},     {"ms", UINT64_C(1000) * TIGON_TICKS_PER_US},
    {"us", TIGON_TICKS_PER_US},        {"ns", TIGON_TICKS_PER_NS},
    {"cycles", TIGON_TICKS_PER_CYCLE}, {"ticks", 1},
};

const char *tigon_fault_kind_text(enum tigon_fault_kind kind) {
    static const char *const texts[TIGON_FAULT_KINDS] = {
        [TIGON_FAULT_LOSE] = "lose",
        [TIGON_FAULT_LOSE_IN_BURSTS] = "lose in bursts",
        [TIGON_FAULT_DUPLICATE] = "duplicate",
        [TIGON_FAULT_DELAY] = "delay",
        [TIGON_FAULT_REORDER] = "reorder",
        [TIGON_FAULT_CORRUPT] = "corrupt",
        [TIGON_FAULT_CORRUPT_SILENTLY] = "corrupt silently",
        [TIGON_FAULT_TRUNCATE] = "truncate",
        [TIGON_FAULT_LENGTHEN] = "lengthen",
        [TIGON_FAULT_PAUSE] = "pause",
        [TIGON_FAULT_UNPLUG] = "unplug",
        [TIGON_FAULT_FAIL_DMA] = "fail dma",
        [TIGON_FAULT_HANG_DMA] = "hang dma",
        [TIGON_FAULT_HIDE_EVENT] = "hide event",
        [TIGON_FAULT_FLIP_ANY] = "flip a bit",
        [TIGON_FAULT_FLIP] = "flip bit",
        [TIGON_FAULT_JUMP_TIMER] = "jump timer",
        [TIGON_FAULT_RESET] = "reset",
        [TIGON_FAULT_KILL] = "kill",
        [TIGON_FAULT_STOP_CORE] = "stop core",
        [TIGON_FAULT_CRASH_HOST] = "crash host",
    };
    return (unsigned)kind < TIGON_FAULT_KINDS ? texts[kind] : "?";
}

size_t tigon_fault_read_decimal(const char *text, size_t length, uint64_t *digits,
                                unsigned *places) {
    bool point = false;
    bool any = false;
    size_t i = 0;
    *digits = 0;
    *places = 0;
    for (; i < length; i++) {
        const char c = text[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)c))
            break;
        if (*digits > (UINT64_MAX - 9) / 10 || *places == 18)
            return 0;
        *digits = *digits * 10 + (unsigned)(c - '0');
        *places += point;
        any = true;
    }
    return any ? i : 0;
}

uint64_t tigon_power_of_ten(unsigned exponent) {
    uint64_t value = 1;
    while (exponent--)
        value *= 10;
    return value;
}

bool tigon_fault_read_chance(const char *text, size_t length, double *chance) {
    uint64_t digits;
    unsigned places;
    const size_t number = tigon_fault_read_decimal(text, length, &digits, &places);
    const bool percent = number && number + 1 == length && text[number] == '%';
    if (!number || (number != length && !percent))
        return false;
    const double value =
        (double)digits / ((double)tigon_power_of_ten(places) * (percent ? 100.0 : 1.0));
    if (value > 1)
        return false;
    *chance = value;
    return true;
}

struct writer {
    char *text;
    size_t bytes;
    int total;
};

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct writer *writer, const char *format, ...) {
    const size_t used =
        (size_t)writer->total < writer->bytes ? (size_t)writer->total : writer->bytes;
    va_list arguments;
    va_start(arguments, format);
    writer->total += vsnprintf(writer->text + used, writer->bytes - used, format, arguments);
    va_end(arguments);
}

/* In the fewest decimals that read back as the same number. */
static void put_chance(struct writer *writer, const char *before, double chance) {
    char text[40];
    for (int places = 0; places <= 18; places++) {
        double again = -1;
        (void)snprintf(text, sizeof text, "%.*f", places, chance);
        if (tigon_fault_read_chance(text, strlen(text), &again) && again == chance)
            break;
    }
    put(writer, "%s%s", before, text);
}

static void put_time(struct writer *writer, const char *before, uint64_t ticks) {
    size_t unit = 0;
    while (ticks % tigon_time_units[unit].ticks) /* the last unit is one tick */
        unit++;
    if (!ticks)
        unit = 3;
    put(writer, " %s %llu%s", before, (unsigned long long)(ticks / tigon_time_units[unit].ticks),
        tigon_time_units[unit].name);
}

static void put_kind(struct writer *writer, const struct tigon_fault *fault) {
    put(writer, "%s", tigon_fault_kind_text(fault->kind));
    switch (fault->kind) {
    case TIGON_FAULT_LOSE_IN_BURSTS:
        put_chance(writer, " enter ", fault->enter);
        put_chance(writer, " leave ", fault->leave);
        put_chance(writer, " losing ", fault->losing);
        break;
    case TIGON_FAULT_JUMP_TIMER:
        put(writer, "%s", fault->back ? " back" : "");
        put_time(writer, "by", fault->delay_ticks);
        break;
    case TIGON_FAULT_DELAY:
    case TIGON_FAULT_PAUSE:
        put_time(writer, "by", fault->delay_ticks);
        break;
    case TIGON_FAULT_REORDER:
        put(writer, " by %u", fault->displacement);
        break;
    case TIGON_FAULT_TRUNCATE:
    case TIGON_FAULT_LENGTHEN:
        if (fault->length)
            put(writer, " to %u", fault->length);
        break;
    case TIGON_FAULT_FAIL_DMA:
        put(writer, " %s with 0x%08X", fault->part ? "write" : "read", fault->attention);
        break;
    case TIGON_FAULT_HANG_DMA:
        put(writer, " %s", fault->part ? "write" : "read");
        break;
    case TIGON_FAULT_HIDE_EVENT:
        put(writer, " %u of core %c", fault->bit, fault->part ? 'B' : 'A');
        break;
    case TIGON_FAULT_FLIP:
        put(writer, " %u of 0x%X", fault->bit, fault->address);
        break;
    case TIGON_FAULT_FLIP_ANY:
        if (fault->address || fault->address_last != UINT32_MAX)
            put(writer, " in 0x%X-0x%X", fault->address, fault->address_last);
        break;
    case TIGON_FAULT_STOP_CORE:
        put(writer, " %c", fault->part ? 'B' : 'A');
        break;
    default:
        break;
    }
}

static void put_place(struct writer *writer, const struct tigon_wire *wire, unsigned from_side,
                      const struct tigon_board *board) {
    if (wire)
        put(writer, "%s->%s", tigon_wire_end_name(wire, from_side),
            tigon_wire_end_name(wire, 1 - from_side));
    else
        put(writer, "%s", board ? tigon_board_name(board) : "?");
}

int tigon_fault_print(const struct tigon_fault *fault, char *text, size_t bytes) {
    struct writer writer = {text, bytes, 0};
    const char *number = tigon_fault_of_wire(fault->kind) ? "frame" : "transfer";
    put_place(&writer, fault->wire, fault->from_side, fault->board);
    put(&writer, ": ");
    put_kind(&writer, fault);
    if (fault->chance < 1)
        put_chance(&writer, " ", fault->chance);
    if (fault->first || fault->last != UINT64_MAX) {
        put(&writer, " %s%s %llu", number, fault->first == fault->last ? "" : "s",
            (unsigned long long)fault->first);
        if (fault->first != fault->last)
            put(&writer, "-%llu", (unsigned long long)fault->last);
    }
    if (fault->timed) {
        if (fault->at || !fault->about)
            put_time(&writer, "at", fault->at);
        if (fault->every)
            put_time(&writer, fault->about ? "about every" : "every", fault->every);
        if (fault->duration != TIGON_NEVER)
            put_time(&writer, "for", fault->duration);
        if (fault->until != TIGON_NEVER)
            put_time(&writer, "until", fault->until);
    }
    return writer.total;
}

int tigon_fault_event_text(const struct tigon_fault_event *event, char *text, size_t bytes) {
    struct writer writer = {text, bytes, 0};
    put_place(&writer, event->wire, event->from_side, event->board);
    if (event->number != UINT64_MAX)
        put(&writer, " %s %llu", event->wire ? "frame" : "transfer",
            (unsigned long long)event->number);
    put(&writer, ": %s", event->what);
    return writer.total;
}
