/* SPDX-License-Identifier: MIT */
/* The commands of the remote serial protocol (GDB manual, appendix E). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/debug/debugger_private.h"

#define ALL_DIGITS (17u * DEBUG_REGISTERS)

/* The result of a packet's handler. */
enum outcome {
    ANSWERED,
    RESUME, /* the world continues; the stop will be the answer */
    GONE
};

static enum outcome answer(struct tigon_debugger *debugger, const char *text) {
    return packet_send(&debugger->stream, text, strlen(text)) ? ANSWERED : GONE;
}

static enum outcome answer_ok(struct tigon_debugger *debugger, bool ok) {
    return answer(debugger, ok ? "OK" : "E01");
}

static struct debug_thread *general(struct tigon_debugger *debugger) {
    return &debugger->threads[debugger->session->general_thread];
}

/* Index of a thread named in a packet; -1 for all or any, -2 for none that exists. */
static int parse_thread(const struct tigon_debugger *debugger, const char **text) {
    unsigned long long number;
    if (**text == '-') {
        *text += strspn(*text, "-0123456789abcdefABCDEF");
        return -1;
    }
    if (!packet_parse_number(text, &number) || number > debugger->thread_count)
        return -2;
    return (int)number - 1;
}

/* --- stops */

/* Output of a `monitor` command. */
static enum outcome send_text(struct tigon_debugger *debugger, const char *text) {
    const size_t part = 2000;
    size_t left = strlen(text);
    while (left > 0) {
        char digits[2 * 2000 + 2] = "O";
        const size_t now = left < part ? left : part;
        packet_format_bytes(text, now, digits + 1);
        if (answer(debugger, digits) == GONE)
            return GONE;
        text += now;
        left -= now;
    }
    return answer(debugger, "OK");
}

void debug_gdb_send_stop(struct tigon_debugger *debugger) {
    static const char *const kinds[] = {"swbreak:;", "hwbreak:;", "watch:", "rwatch:", "awatch:"};
    const struct debug_stop *stop = &debugger->stop;
    const struct debug_thread *thread = &debugger->threads[stop->thread];
    char pc[17], sp[17], text[160];
    if (stop->restored) {
        (void)send_text(debugger, "maintenance flush register-cache shows the new place\n");
        debugger->stop.restored = false;
        return;
    }
    (void)debug_register_read(thread, DEBUG_REGISTER_PC, pc);
    (void)debug_register_read(thread, DEBUG_REGISTER_SP, sp);
    int used =
        snprintf(text, sizeof text, "T%02xthread:%x;%02x:%s;%02x:%s;", (unsigned)stop->signal,
                 (unsigned)stop->thread + 1, DEBUG_REGISTER_SP, sp, DEBUG_REGISTER_PC, pc);
    if (stop->history_begins)
        used += snprintf(text + used, sizeof text - (size_t)used, "replaylog:begin;");
    else if (stop->kind >= DEBUG_WATCH_WRITE)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIx32 ";",
                         kinds[stop->kind], stop->address);
    else if (stop->kind >= 0 && debugger->session->stop_reasons)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s", kinds[stop->kind]);
    (void)packet_send(&debugger->stream, text, (size_t)used);
}

/* --- registers and memory */

static enum outcome read_all_registers(struct tigon_debugger *debugger) {
    char text[ALL_DIGITS];
    size_t used = 0;
    for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
        used += debug_register_read(general(debugger), i, text + used);
    return answer(debugger, text);
}

/* A value of `digits` digits at *text; unknown digits leave the register alone. */
static bool write_register(struct tigon_debugger *debugger, unsigned number, const char **text) {
    const unsigned digits = debug_register_digits(number);
    char part[17] = "";
    unsigned long long value;
    const char *from = part;
    if (digits == 0 || strlen(*text) < digits)
        return false;
    memcpy(part, *text, digits);
    *text += digits;
    if (part[0] == 'x')
        return true;
    return packet_parse_number(&from, &value) && *from == 0 &&
           debug_register_write(general(debugger), number, value);
}

static enum outcome write_all_registers(struct tigon_debugger *debugger, const char *text) {
    /* Of our own registers at the end only those that can be written; GDB may leave them out. */
    for (unsigned i = 0; i < DEBUG_REGISTERS && *text; i++)
        if (!write_register(debugger, i, &text) && i < 72)
            return answer(debugger, "E01");
    return answer(debugger, "OK");
}

static enum outcome read_register(struct tigon_debugger *debugger, const char *text) {
    unsigned long long number;
    char value[17];
    if (!packet_parse_number(&text, &number) || number >= DEBUG_REGISTERS)
        return answer(debugger, "E01");
    (void)debug_register_read(general(debugger), (unsigned)number, value);
    return answer(debugger, value);
}

static enum outcome write_one_register(struct tigon_debugger *debugger, const char *text) {
    unsigned long long number;
    if (!packet_parse_number(&text, &number) || *text++ != '=' || number >= DEBUG_REGISTERS)
        return answer(debugger, "E01");
    return answer_ok(debugger, write_register(debugger, (unsigned)number, &text));
}

/* "address,length"; addresses come sign-extended. */
static bool parse_range(const char **text, uint32_t *address, size_t *length) {
    unsigned long long from, count;
    if (!packet_parse_number(text, &from) || *(*text)++ != ',' ||
        !packet_parse_number(text, &count))
        return false;
    *address = (uint32_t)from;
    *length = count > DEBUG_PACKET_BYTES ? DEBUG_PACKET_BYTES : (size_t)count;
    return true;
}

static enum outcome read_memory(struct tigon_debugger *debugger, const char *text) {
    uint8_t bytes[DEBUG_PACKET_BYTES / 2];
    char digits[DEBUG_PACKET_BYTES + 1];
    uint32_t address;
    size_t length;
    if (!parse_range(&text, &address, &length) || length > sizeof bytes)
        return answer(debugger, "E01");
    const size_t done = debug_memory_read(general(debugger), address, bytes, length);
    if (done == 0 && length > 0)
        return answer(debugger, "E0e");
    packet_format_bytes(bytes, done, digits);
    return answer(debugger, digits);
}

static enum outcome write_memory(struct tigon_debugger *debugger, const char *text, size_t size,
                                 bool binary) {
    uint8_t bytes[DEBUG_PACKET_BYTES];
    const char *start = text;
    uint32_t address;
    size_t length;
    if (!parse_range(&text, &address, &length) || *text++ != ':')
        return answer(debugger, "E01");
    const size_t left = size - (size_t)(text - start);
    if (binary ? left != length : packet_parse_bytes(text, bytes, sizeof bytes) != length)
        return answer(debugger, "E01");
    if (binary)
        memcpy(bytes, text, length);
    if (length == 0)
        return answer(debugger, "OK");
    return answer_ok(debugger,
                     debug_memory_write(general(debugger), address, bytes, length) == length);
}

/* --- breakpoints */

static enum outcome change_breakpoint(struct tigon_debugger *debugger, const char *text,
                                      bool insert) {
    unsigned long long kind;
    uint32_t address;
    size_t length;
    if (!packet_parse_number(&text, &kind) || *text++ != ',' ||
        !parse_range(&text, &address, &length))
        return answer(debugger, "E01");
    if (kind > DEBUG_WATCH_ACCESS)
        return answer(debugger, "");
    if (insert)
        return answer_ok(debugger,
                         debug_breaks_insert(debugger, (int)kind, address, (uint32_t)length) == 0);
    debug_breaks_remove(debugger, (int)kind, address, (uint32_t)length);
    return answer(debugger, "OK");
}

/* --- resuming */

/* Thread indexes; -1 for none. */
static enum outcome resume(struct tigon_debugger *debugger, int step_thread, int alone) {
    debugger->step_thread = step_thread;
    debugger->alone = alone;
    if (step_thread >= 0)
        debugger->step_instruction = debugger->threads[step_thread].cpu->statistics.instructions;
    debug_breaks_prepare(debugger);
    return RESUME;
}

static bool resume_address(struct tigon_debugger *debugger, const char *text) {
    unsigned long long address;
    if (*text == 0)
        return true;
    return packet_parse_number(&text, &address) &&
           debug_register_write(&debugger->threads[debugger->session->resume_thread],
                                DEBUG_REGISTER_PC, address);
}

static enum outcome resume_old(struct tigon_debugger *debugger, const char *text, bool with_signal,
                               bool step) {
    if (with_signal) { /* "ss" or "ss;address": there are no signals to give */
        text += strcspn(text, ";");
        text += *text == ';';
    }
    if (!resume_address(debugger, text))
        return answer(debugger, "E01");
    debugger->step_first = debugger->step_end = 0;
    const int thread = step ? debugger->session->resume_thread : -1;
    return resume(debugger, thread, thread);
}

struct action {
    char kind;  /* of "cCsSr" */
    int thread; /* index, -1 for all others */
    uint32_t first, end;
};

/* ";kind[:thread]", moving *text behind it. */
static bool parse_action(const struct tigon_debugger *debugger, const char **text,
                         struct action *action) {
    unsigned long long first = 0, end = 0;
    *action = (struct action){.kind = (*text)[1], .thread = -1};
    if (!action->kind || !strchr("cCsSr", action->kind))
        return false;
    *text += 2;
    if (action->kind == 'C' || action->kind == 'S')
        *text += strspn(*text, "0123456789abcdefABCDEF");
    if (action->kind == 'r' && (!packet_parse_number(text, &first) || *(*text)++ != ',' ||
                                !packet_parse_number(text, &end)))
        return false;
    action->first = (uint32_t)first;
    action->end = (uint32_t)end;
    if (**text == ':') {
        (*text)++;
        action->thread = parse_thread(debugger, text);
    }
    return action->thread >= -1 && (**text == ';' || **text == 0);
}

/* "vCont;action[:thread]...". Time is the same for all, so all threads run in any case. The packet
 * only determines which thread steps, and whether GDB assumes that the others are stopped. */
static enum outcome resume_threads(struct tigon_debugger *debugger, const char *text) {
    struct action action;
    int step_thread = -1, named = -1;
    unsigned names = 0;
    bool all = false, all_step = false;
    debugger->step_first = debugger->step_end = 0;
    while (*text == ';') {
        if (!parse_action(debugger, &text, &action))
            return answer(debugger, "E01");
        const bool steps = action.kind != 'c' && action.kind != 'C';
        if (action.thread < 0) {
            all = true;
            all_step = steps;
            continue;
        }
        names++;
        named = action.thread;
        if (steps && step_thread < 0) {
            step_thread = action.thread;
            debugger->step_first = action.first;
            debugger->step_end = action.end;
        }
    }
    if (*text)
        return answer(debugger, "E01");
    if (step_thread < 0 && all_step)
        step_thread = debugger->session->resume_thread;
    return resume(debugger, step_thread, !all && names == 1 ? named : -1);
}

static enum outcome go_back(struct tigon_debugger *debugger, bool step) {
    if (!debug_history_exists(debugger))
        return answer(debugger, "E06");
    debug_travel_back(debugger, step, debugger->session->resume_thread);
    /* No movement: this is the beginning of history. */
    debugger->stop.history_begins = true;
    debugger->stop.kind = -1;
    debugger->stop.signal = DEBUG_SIGNAL_TRAP;
    debug_gdb_send_stop(debugger);
    return ANSWERED;
}

/* --- queries */

static enum outcome run_monitor(struct tigon_debugger *debugger, const char *digits) {
    char command[512];
    const size_t length = packet_parse_bytes(digits, (unsigned char *)command, sizeof command - 1);
    command[length] = 0;
    char *text = debug_monitor(debugger, command);
    if (debugger->copied) {
        debugger->copied = false;
        free(text);
        return RESUME;
    }
    const enum outcome outcome = text ? send_text(debugger, text) : answer(debugger, "E0c");
    free(text);
    return outcome;
}

/* "object:read:annex:offset,length". */
static enum outcome transfer(struct tigon_debugger *debugger, char *text) {
    char *action = strchr(text, ':');
    char *annex = action ? strchr(action + 1, ':') : NULL;
    const char *range = annex ? strchr(annex + 1, ':') : NULL;
    uint32_t offset;
    size_t length;
    if (!range || strncmp(action, ":read:", 6) != 0)
        return answer(debugger, "");
    annex[strcspn(annex + 1, ":") + 1] = 0;
    range++;
    *action = 0;
    if (!parse_range(&range, &offset, &length))
        return answer(debugger, "E00");
    char *document = debug_document(debugger, text, annex + 1);
    if (!document)
        return answer(debugger, "E00");
    const size_t size = strlen(document);
    const size_t from = offset < size ? offset : size;
    const size_t room = DEBUG_PACKET_BYTES / 2 - 1;
    size_t count = size - from < length ? size - from : length;
    if (count > room)
        count = room;
    char part[DEBUG_PACKET_BYTES / 2 + 1];
    part[0] = from + count < size ? 'm' : 'l';
    memcpy(part + 1, document + from, count);
    free(document);
    return packet_send(&debugger->stream, part, count + 1) ? ANSWERED : GONE;
}

static enum outcome list_threads(struct tigon_debugger *debugger) {
    char text[DEBUG_PACKET_BYTES] = "m";
    size_t used = 1;
    for (size_t i = 0; i < debugger->thread_count && used + 16 < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ",%zx" : "%zx", i + 1);
    return answer(debugger, text);
}

static enum outcome describe_thread(struct tigon_debugger *debugger, const char *text) {
    char name[64], digits[2 * sizeof name + 1];
    const int thread = parse_thread(debugger, &text);
    if (thread < 0)
        return answer(debugger, "E01");
    debug_thread_name(&debugger->threads[thread], name, sizeof name);
    packet_format_bytes(name, strlen(name), digits);
    return answer(debugger, digits);
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static enum outcome query(struct tigon_debugger *debugger, char *text) {
    if (starts(text, "qSupported")) {
        debugger->session->stop_reasons = strstr(text, "swbreak+") && strstr(text, "hwbreak+");
        char features[256];
        (void)snprintf(features, sizeof features,
                       "PacketSize=%x;qXfer:features:read+;qXfer:threads:read+;"
                       "qXfer:memory-map:read+;QStartNoAckMode+;vContSupported+;swbreak+;"
                       "hwbreak+%s",
                       DEBUG_PACKET_BYTES / 2,
                       debug_history_exists(debugger) ? ";ReverseStep+;ReverseContinue+" : "");
        return answer(debugger, features);
    }
    if (starts(text, "qXfer:"))
        return transfer(debugger, text + 6);
    if (starts(text, "qRcmd,"))
        return run_monitor(debugger, text + 6);
    if (starts(text, "qThreadExtraInfo,"))
        return describe_thread(debugger, text + 17);
    if (strcmp(text, "qfThreadInfo") == 0)
        return list_threads(debugger);
    if (strcmp(text, "qsThreadInfo") == 0)
        return answer(debugger, "l");
    if (strcmp(text, "qC") == 0) {
        char current[16];
        (void)snprintf(current, sizeof current, "QC%x",
                       (unsigned)debugger->session->general_thread + 1);
        return answer(debugger, current);
    }
    if (starts(text, "qAttached"))
        return answer(debugger, "1");
    if (starts(text, "qSymbol:"))
        return answer(debugger, "OK");
    if (strcmp(text, "QStartNoAckMode") == 0) {
        const enum outcome outcome = answer(debugger, "OK");
        debugger->stream.no_acknowledge = debugger->session->no_acknowledge = true;
        return outcome;
    }
    return answer(debugger, "");
}

static enum outcome select_thread(struct tigon_debugger *debugger, const char *text) {
    const char what = *text;
    if (!what || !strchr("gc", what))
        return answer(debugger, "");
    text++;
    const int thread = parse_thread(debugger, &text);
    if (thread == -2)
        return answer(debugger, "E01");
    int *selected =
        what == 'g' ? &debugger->session->general_thread : &debugger->session->resume_thread;
    if (thread >= 0)
        *selected = thread;
    return answer(debugger, "OK");
}

static enum outcome end_it(struct tigon_debugger *debugger, bool answered) {
    if (answered)
        (void)answer(debugger, "OK");
    tigon_world_stop(debugger->world);
    return GONE;
}

static enum outcome long_command(struct tigon_debugger *debugger, const char *text) {
    if (strcmp(text, "vCont?") == 0)
        return answer(debugger, "vCont;c;C;s;S;r");
    if (starts(text, "vCont;"))
        return resume_threads(debugger, text + 5);
    if (starts(text, "vKill"))
        return end_it(debugger, true);
    return answer(debugger, ""); /* also vMustReplyEmpty */
}

static enum outcome obey(struct tigon_debugger *debugger, char *text, size_t length) {
    const char *rest = length > 0 ? text + 1 : text;
    switch (text[0]) {
    case '?':
        debug_gdb_send_stop(debugger);
        return ANSWERED;
    case 'g':
        return read_all_registers(debugger);
    case 'G':
        return write_all_registers(debugger, rest);
    case 'p':
        return read_register(debugger, rest);
    case 'P':
        return write_one_register(debugger, rest);
    case 'm':
        return read_memory(debugger, rest);
    case 'M':
        return write_memory(debugger, rest, length - 1, false);
    case 'X':
        return write_memory(debugger, rest, length - 1, true);
    case 'Z':
        return change_breakpoint(debugger, rest, true);
    case 'z':
        return change_breakpoint(debugger, rest, false);
    case 'H':
        return select_thread(debugger, rest);
    case 'T':
        return answer_ok(debugger, parse_thread(debugger, &rest) >= 0);
    case 'c':
    case 's':
        return resume_old(debugger, rest, false, text[0] == 's');
    case 'C':
    case 'S':
        return resume_old(debugger, rest, true, text[0] == 'S');
    case 'b':
        if (strcmp(text, "bs") == 0 || strcmp(text, "bc") == 0)
            return go_back(debugger, text[1] == 's');
        return answer(debugger, "");
    case 'v':
        return long_command(debugger, text);
    case 'q':
    case 'Q':
        return query(debugger, text);
    case 'D':
        (void)answer(debugger, "OK");
        return GONE;
    case 'k':
        return end_it(debugger, false);
    default:
        return answer(debugger, "");
    }
}

bool debug_gdb_serve(struct tigon_debugger *debugger) {
    for (;;) {
        size_t length;
        switch (packet_receive(&debugger->stream, true, debugger->packet, sizeof debugger->packet,
                               &length)) {
        case PACKET_CLOSED:
            return false;
        case PACKET_INTERRUPT: /* too late, it is stopped already */
        case PACKET_NOTHING:
            continue;
        case PACKET_ARRIVED:
            break;
        }
        const enum outcome outcome = obey(debugger, debugger->packet, length);
        if (outcome != ANSWERED)
            return outcome == RESUME;
    }
}
