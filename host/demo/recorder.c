/* SPDX-License-Identifier: MIT */
#include "host/demo/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emp/emp_layout.h"
#include "emp/emp_watch.h"
#include "sim/core/cpu.h"

enum {
    POLL_NS = 100000, /* a ring of 1024 cannot wrap: a transition takes more than 0.1 us */
    POINT_LIMIT = 128,
    PARAMETER_LIMIT = 64,
    PAYLOAD_BYTES_LIMIT = 512,
    REGISTER_ARGUMENTS = 4, /* o32: the others lie on the stack, from its fifth word on */
    REGISTER_A0 = 4,
    REGISTER_V0 = 2,
    REGISTER_SP = 29,
    REGISTER_RA = 31
};

/* Which words of memory have an instruction worth looking at; addresses alias harmlessly. */
enum { FILTER_BITS = 1 << 16 };

/* Events of two processors overlap. Each is collected by itself, and goes into the file as a whole
 * when it returns. So the file has them one after the other, in the order in which they ended: each
 * processor's own order, and of events under the lock that of the lock. Where either processor
 * takes the next event they must not overlap: lines go into the file as they come, and one that
 * comes amid another event explains nothing. */
struct recorder_core {
    bool in_event; /* between the call of an event and its return */
    bool gives_verdict;
    uint32_t back;    /* where it returns to, and the stack there */
    uint32_t back_sp; /* 0 in front of a first event */
    FILE *call;       /* lines of this event, NULL: they go into the file at once */
    char *text;       /* of `call` */
    size_t bytes;
};

struct recorder {
    struct tigon_world *world;
    struct tigon_board *board;
    FILE *file;
    const struct watch_protocol *protocol;
    size_t points; /* found in the image */
    uint32_t point_address[POINT_LIMIT];
    const struct watch_point *point[POINT_LIMIT];
    uint32_t *member_address; /* by member, 0 when the image has none */
    uint8_t *member_core;     /* whose memory the address is of */
    uint8_t filter[FILTER_BITS / 8];
    bool observed; /* the image shows its calls */
    bool running;  /* the protocol has started */
    struct recorder_core cores[2];
    uint32_t seen; /* records of the ring */
    uint32_t parameters[PARAMETER_LIMIT];
};

static uint32_t control(const struct recorder *r, uint32_t word) {
    return tigon_board_peek32(r->board, EMP_CONTROL_ADDRESS + 4 * word);
}

/* --- lines */

static bool has_two(const struct recorder *r) {
    return r->protocol->placement != NULL;
}

/* Does each have processes of its own? */
static bool is_divided(const struct recorder *r) {
    return r->protocol->row_processors != NULL;
}

/* Where lines of a processor go. */
static FILE *lines_of(const struct recorder *r, unsigned core) {
    return r->cores[core].call ? r->cores[core].call : r->file;
}

static void begin_call(struct recorder *r, unsigned core) {
    struct recorder_core *c = &r->cores[core];
    if (is_divided(r) && !c->call)
        c->call = open_memstream(&c->text, &c->bytes); /* NULL: lines may come among others */
}

/* What was collected goes into the file, or is forgotten. */
static void end_call(struct recorder *r, unsigned core, bool keep) {
    struct recorder_core *c = &r->cores[core];
    if (!c->call)
        return;
    (void)fclose(c->call);
    if (keep)
        (void)fputs(c->text, r->file);
    free(c->text);
    c->call = NULL;
    c->text = NULL;
}

/* --- the ring */

static unsigned processor_of(const struct recorder *r, uint32_t transition) {
    return is_divided(r) && transition < EMP_TRANSITION_COUNT
               ? r->protocol->row_processors[transition]
               : 0;
}

/* Records made since the last look. */
static void drain(struct recorder *r) {
    const uint32_t ring = control(r, EMP_CONTROL_TRACE_WORD);
    const uint32_t entries = control(r, EMP_CONTROL_TRACE_ENTRIES_WORD);
    const uint32_t next = control(r, EMP_CONTROL_TRACE_NEXT_WORD);
    uint32_t fresh = next - r->seen;
    if (!r->running || ring == 0 || entries == 0)
        return;
    if (fresh > entries) {
        (void)fprintf(r->file, "gap %" PRIu32 "\n", fresh - entries);
        fresh = entries;
    }
    for (uint32_t i = next - fresh; i != next; i++) {
        const uint32_t at = ring + EMP_TRACE_RECORD_BYTES * (i & (entries - 1));
        const uint32_t word = tigon_board_peek32(r->board, at + 4);
        (void)fprintf(lines_of(r, processor_of(r, word >> 16)),
                      "row %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", tigon_board_peek32(r->board, at),
                      word >> 16, word & 0xFFFF);
    }
    r->seen = next;
}

static uint32_t parameter(const struct recorder *r, size_t index) {
    return tigon_board_peek32(r->board,
                              control(r, EMP_CONTROL_PARAMETERS_WORD) + 4 * (uint32_t)index);
}

/* The host may change parameters at any time. What was drained since the last look may have met
 * either value: the line comes before it. */
static void look_at_parameters(struct recorder *r) {
    for (size_t i = 0; r->protocol->parameters[i] && i < PARAMETER_LIMIT; i++) {
        const uint32_t value = parameter(r, i);
        if (value != r->parameters[i])
            (void)fprintf(r->file, "parameter %s %" PRIu32 "\n", r->protocol->parameters[i], value);
        r->parameters[i] = value;
    }
}

static void begin(struct recorder *r) {
    r->running = true;
    r->seen = 0;
    for (unsigned core = 0; core < 2; core++) {
        r->cores[core].in_event = false;
        end_call(r, core, false);
    }
    (void)fprintf(r->file, "start %s\nprotocol %s %08" PRIx32 "\n",
                  r->observed ? "events" : "transitions", r->protocol->name,
                  control(r, EMP_CONTROL_PROTOCOL_HASH_WORD));
    if (has_two(r))
        (void)fprintf(r->file, "placement %s\n", r->protocol->placement);
    for (size_t i = 0; r->protocol->parameters[i] && i < PARAMETER_LIMIT; i++) {
        r->parameters[i] = parameter(r, i);
        (void)fprintf(r->file, "parameter %s %" PRIu32 "\n", r->protocol->parameters[i],
                      r->parameters[i]);
    }
}

static bool firmware_is_up(const struct recorder *r) {
    const uint32_t state = control(r, EMP_CONTROL_STATE_WORD);
    return control(r, EMP_CONTROL_MAGIC_WORD) == EMP_CONTROL_MAGIC &&
           (state == EMP_CONTROL_STATE_READY || state == EMP_CONTROL_STATE_STOPPED);
}

/* A core that an error stopped is worth its last records. */
static bool held_by_host(const struct recorder *r) {
    const uint32_t state = tigon_board_cpu(r->board, 0)->state;
    return (state & TIGON_CPU_STATE_STOPPED) != 0 && (state & TIGON_CPU_STATE_FAULTS) == 0;
}

/* A start takes the host milliseconds, so it is never missed between two looks; with an observed
 * image the call of the initialisation tells. While the host loads an image the memory of the board
 * is a mixture of two lives. */
static void look(struct recorder *r) {
    const bool loading = held_by_host(r);
    const bool up = !loading && firmware_is_up(r);
    if (loading)
        r->running = false;
    if (!r->observed && r->running && (!up || control(r, EMP_CONTROL_TRACE_NEXT_WORD) < r->seen))
        r->running = false;
    if (!r->observed && !r->running && up)
        begin(r);
    if (r->running && up) {
        look_at_parameters(r);
        drain(r);
    }
}

static void poll_ring(void *context) {
    struct recorder *r = context;
    look(r);
    (void)fflush(r->file); /* whoever ends a run that hangs wants to see how it came there */
    tigon_world_call_at(r->world, tigon_world_now_ns(r->world) + POLL_NS, poll_ring, r);
}

/* --- calls */

static uint32_t number_at(const uint8_t *bytes, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t argument_word(const struct tigon_cpu *cpu, size_t index) {
    uint8_t bytes[4] = {0};
    if (index < REGISTER_ARGUMENTS)
        return cpu->gpr[REGISTER_A0 + index];
    (void)tigon_memory_debug_read(cpu->memory, cpu->core,
                                  cpu->gpr[REGISTER_SP] + 4 * (uint32_t)index, bytes, sizeof bytes);
    return number_at(bytes, sizeof bytes);
}

static void write_call(struct recorder *r, const struct tigon_cpu *cpu,
                       const struct watch_point *point) {
    FILE *file = lines_of(r, cpu->core);
    (void)fputs(point->title, file);
    for (size_t i = 0; i < point->count; i++) {
        const struct watch_argument *argument = &point->arguments[i];
        const uint32_t word = argument_word(cpu, i);
        if (argument->count == 0)
            (void)fprintf(file, " %" PRIu32, word);
        for (size_t f = 0; f < argument->count; f++) {
            const struct watch_field *field = &argument->fields[f];
            uint8_t bytes[4] = {0};
            (void)tigon_memory_debug_read(cpu->memory, cpu->core, word + (uint32_t)field->offset,
                                          bytes, field->bytes);
            (void)fprintf(file, " %" PRIu32, number_at(bytes, field->bytes));
        }
    }
    (void)fputc('\n', file);
}

static bool watches(const struct recorder *r, uint32_t pc) {
    const uint32_t bit = pc / 4 % FILTER_BITS;
    return (r->filter[bit / 8] >> bit % 8 & 1) != 0;
}

static void watch(struct recorder *r, uint32_t pc) {
    const uint32_t bit = pc / 4 % FILTER_BITS;
    r->filter[bit / 8] |= (uint8_t)(1U << bit % 8);
}

/* Before each instruction of a processor that runs the protocol. B's own start is a part of A's:
 * the protocol's start is one, whatever it does on either. */
static bool observe(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct recorder *r = context;
    struct recorder_core *c = &r->cores[core];
    (void)cycle;
    if (!watches(r, pc))
        return false;
    const struct tigon_cpu *cpu = tigon_board_cpu(r->board, core);
    if (c->in_event && pc == c->back && cpu->gpr[REGISTER_SP] == c->back_sp) {
        drain(r);
        if (c->gives_verdict)
            (void)fprintf(lines_of(r, core), "verdict %" PRIu32 "\n", cpu->gpr[REGISTER_V0]);
        else
            (void)fputs("return\n", lines_of(r, core));
        c->in_event = false;
        end_call(r, core, true);
    }
    for (size_t i = 0; i < r->points; i++) {
        const struct watch_point *point = r->point[i];
        if (pc != r->point_address[i])
            continue;
        const bool starts = strcmp(point->title, "start") == 0;
        if (starts && core != 0)
            continue;
        if (starts)
            begin(r);
        if (!r->running || (point->returns == 0 && !c->in_event))
            continue; /* the runtime refuses a posting: no business of the protocol */
        drain(r);
        if (point->returns) {
            look_at_parameters(r);
            begin_call(r, core);
        }
        if (!starts)
            write_call(r, cpu, point);
        if (point->returns) {
            c->in_event = true;
            c->gives_verdict = point->returns == 1;
            c->back = cpu->gpr[REGISTER_RA];
            c->back_sp = cpu->gpr[REGISTER_SP];
            watch(r, c->back);
        }
    }
    return false;
}

/* --- the state */

static void write_member(struct recorder *r, const struct watch_member *member, uint32_t address,
                         unsigned core) {
    const struct tigon_cpu *cpu = tigon_board_cpu(r->board, core);
    const char *bracket = strchr(member->title, '[');
    uint8_t bytes[PAYLOAD_BYTES_LIMIT];
    const size_t size = member->words ? 4 : member->bytes / member->elements;
    const size_t numbers = member->words ? member->bytes / 4 : member->elements;
    for (uint32_t record = 0; record < member->count; record++) {
        const uint32_t from =
            address + (uint32_t)(member->stride * record) + (uint32_t)member->offset;
        char name[128];
        if (bracket)
            (void)snprintf(name, sizeof name, "%.*s[%" PRIu32 "]%s", (int)(bracket - member->title),
                           member->title, member->first + record, bracket + 2);
        else
            (void)snprintf(name, sizeof name, "%s", member->title);
        if (member->bytes > sizeof bytes ||
            tigon_memory_debug_read(cpu->memory, core, from, bytes, member->bytes) != member->bytes)
            continue;
        uint32_t any = 0;
        for (size_t i = 0; i < numbers; i++)
            any |= number_at(bytes + size * i, size);
        if (any == 0)
            continue; /* what is not named is 0 */
        if (member->words) {
            (void)fprintf(r->file, "state %s 0x", name);
            for (size_t i = numbers; i-- > 0;)
                (void)fprintf(r->file, "%08" PRIx32, number_at(bytes + 4 * i, 4));
            (void)fputc('\n', r->file);
            continue;
        }
        for (size_t i = 0; i < numbers; i++) {
            char index[24] = "";
            if (member->elements > 1)
                (void)snprintf(index, sizeof index, "[%zu]", i);
            (void)fprintf(r->file, "state %s%s %" PRIu32 "\n", name, index,
                          number_at(bytes + size * i, size));
        }
    }
}

/* Only a core that waits for its next event has a state between two events. */
static void write_state(struct recorder *r) {
    const bool parked = tigon_board_cpu(r->board, 0)->parked &&
                        (!has_two(r) || tigon_board_cpu(r->board, 1)->parked);
    if (!r->running || !firmware_is_up(r) || !parked)
        return;
    (void)fputs("idle\n", r->file);
    for (size_t i = 0; i < r->protocol->member_count; i++)
        if (r->member_address[i] != 0)
            write_member(r, &r->protocol->members[i], r->member_address[i], r->member_core[i]);
        else /* the compiler has found it constant */
            (void)fprintf(r->file, "unknown %s\n", r->protocol->members[i].title);
    for (uint32_t i = 0; r->protocol->counters[i]; i++) {
        const uint32_t value =
            tigon_board_peek32(r->board, control(r, EMP_CONTROL_COUNTERS_WORD) + 4 * i);
        if (value != 0)
            (void)fprintf(r->file, "state %s %" PRIu32 "\n", r->protocol->counters[i], value);
    }
}

/* --- the image */

/* Sections of the second processor's scratchpad, which lies at the addresses of the first one's. */
static bool is_second(Elf *elf, size_t index) {
    static const char second[] = ".second";
    GElf_Shdr header;
    size_t names = 0;
    Elf_Scn *section = index < SHN_LORESERVE ? elf_getscn(elf, index) : NULL;
    if (!section || !gelf_getshdr(section, &header) || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    const char *name = elf_strptr(elf, names, header.sh_name);
    return name && strncmp(name, second, sizeof second - 1) == 0;
}

static void use_symbol(struct recorder *r, Elf *elf, const char *name, const GElf_Sym *symbol) {
    static const char state[] = "emp_state_"; /* where emp_nic.h puts the members */
    if (strcmp(name, r->protocol->observed) == 0)
        r->observed = true;
    for (size_t i = 0; i < r->protocol->point_count && r->points < POINT_LIMIT; i++)
        if (GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
            strcmp(name, r->protocol->points[i].symbol) == 0) {
            r->point[r->points] = &r->protocol->points[i];
            r->point_address[r->points++] = (uint32_t)symbol->st_value;
        }
    for (size_t i = 0; i < r->protocol->member_count; i++)
        if (strncmp(name, state, sizeof state - 1) == 0 &&
            strcmp(name + sizeof state - 1, r->protocol->members[i].symbol) == 0) {
            r->member_address[i] = (uint32_t)symbol->st_value;
            r->member_core[i] = is_second(elf, symbol->st_shndx);
        }
}

static void read_symbols(struct recorder *r, Elf *elf) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        Elf_Data *data = elf_getdata(section, NULL);
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !data ||
            header.sh_entsize == 0)
            continue;
        for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            const char *name = NULL;
            if (gelf_getsym(data, (int)i, &symbol))
                name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name)
                use_symbol(r, elf, name, &symbol);
        }
    }
}

static int read_image(struct recorder *r, const char *image) {
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOEXEC;
    const int descriptor = open(image, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    if (elf) {
        read_symbols(r, elf);
        (void)elf_end(elf);
    }
    (void)close(descriptor);
    return elf ? 0 : -ENOEXEC;
}

/* All calls are seen, or none: an image that is not made for it dissolves functions into their
 * callers. */
static void prepare(struct recorder *r) {
    if (!r->observed)
        return;
    for (size_t i = 0; i < r->points; i++)
        watch(r, r->point_address[i]);
    for (unsigned core = 0; core < (has_two(r) ? 2U : 1U); core++)
        tigon_cpu_set_observer(tigon_board_cpu(r->board, core), observe, r);
}

static int discard(struct recorder *r, int error) {
    if (r->file)
        (void)fclose(r->file);
    for (unsigned core = 0; core < 2; core++)
        end_call(r, core, false);
    free(r->member_address);
    free(r->member_core);
    free(r);
    return error;
}

int recorder_open(struct recorder **recorder, struct tigon_board *board, const char *image,
                  const char *path) {
    struct recorder *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->board = board;
    r->world = tigon_host_world(tigon_board_host(board));
    r->protocol = &emp_watch;
    r->member_address = calloc(r->protocol->member_count, sizeof *r->member_address);
    r->member_core = calloc(r->protocol->member_count, sizeof *r->member_core);
    if (!r->member_address || !r->member_core)
        return discard(r, -ENOMEM);
    const int error = read_image(r, image);
    if (error)
        return discard(r, error);
    r->file = fopen(path, "w");
    if (!r->file)
        return discard(r, -errno);
    prepare(r);
    (void)fprintf(r->file, "hsmc-trace 1\nboard %zu\n", tigon_board_index(board));
    tigon_world_call_at(r->world, tigon_world_now_ns(r->world) + POLL_NS, poll_ring, r);
    *recorder = r;
    return 0;
}

int recorder_close(struct recorder *r) {
    int error = 0;
    if (!r)
        return 0;
    look(r);
    for (unsigned core = 0; core < 2; core++)
        end_call(r, core, true); /* the trace ends amid an event */
    write_state(r);
    (void)fputs("end\n", r->file);
    for (unsigned core = 0; r->observed && core < (has_two(r) ? 2U : 1U); core++)
        tigon_cpu_set_observer(tigon_board_cpu(r->board, core), NULL, NULL);
    if (ferror(r->file))
        error = -EIO;
    if (fclose(r->file))
        error = -errno;
    r->file = NULL;
    (void)discard(r, 0);
    return error;
}
