/* SPDX-License-Identifier: MIT */
/* The table behind struct tigon_knobs: name, kind, default, range, unit and reason of each. */
#include "sim/knobs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum knob_kind { KNOB_NUMBER, KNOB_CYCLES, KNOB_SWITCH, KNOB_PROBABILITY, KNOB_CHOICE };

struct knob {
    const char *name;
    size_t offset;
    enum knob_kind kind;
    double initial;
    double minimum;
    double maximum;
    const char *unit;
    const char *reason;
    const char *const *choices; /* maximum + 1 of them */
};

#define NUMBER(field, initial, minimum, maximum, unit, reason)                                     \
    {                                                                                              \
#field, offsetof(struct tigon_knobs, field), KNOB_NUMBER, initial, minimum, maximum, unit, \
            reason, NULL                                                                           \
    }
#define SWITCH(field, initial, reason)                                                             \
    { #field, offsetof(struct tigon_knobs, field), KNOB_SWITCH, initial, 0, 1, "0/1", reason, NULL }
#define PROBABILITY(field, reason)                                                                 \
    {                                                                                              \
#field, offsetof(struct tigon_knobs, field), KNOB_PROBABILITY, 0, 0, 1, "per frame",       \
            reason, NULL                                                                           \
    }

#define CYCLES(field, reason)                                                                      \
    {                                                                                              \
#field, offsetof(struct tigon_knobs, core.field), KNOB_CYCLES, 0, 0, 10000, "cycles",      \
            reason, NULL                                                                           \
    }

#define CHOICE(field, initial, words, last, unit, reason)                                          \
    {                                                                                              \
#field, offsetof(struct tigon_knobs, field), KNOB_CHOICE, initial, 0, last, unit, reason,  \
            words                                                                                  \
    }

#define SECOND 1e9

_Static_assert(sizeof(enum tigon_bus_kind) == sizeof(unsigned) &&
                   sizeof(enum tigon_board_kind) == sizeof(unsigned) &&
                   sizeof(enum tigon_transceiver) == sizeof(unsigned),
               "store() writes them alike");

static const char *const bus_names[] = {"64/66", "64/33", "32/33"};
static const char *const board_names[TIGON_BOARD_KINDS] = {
    "alteon_fibre",  "alteon_copper",  "farallon_copper", "3com_fibre",
    "netgear_fibre", "netgear_copper", "sgi_fibre",       "farallon_fibre"};
static const char *const transceiver_names[TIGON_TRANSCEIVERS] = {"by_board", "internal",
                                                                  "external", "copper"};

static const struct knob knobs_table[] = {
    NUMBER(sram_bytes, 1048576, 524288, 2097152, "bytes",
           "fitted SRAM: 512 kB, 1 MB or 2 MB; 1 MB is the usual Alteon board"),
    CHOICE(board_kind, TIGON_BOARD_ALTEON_FIBRE, board_names, TIGON_BOARD_KINDS - 1, "board",
           "PCI identification: alteon_fibre, alteon_copper, farallon_copper, 3com_fibre, "
           "netgear_fibre, netgear_copper, sgi_fibre, farallon_fibre"),
    CHOICE(transceiver, TIGON_TRANSCEIVER_BY_BOARD, transceiver_names, TIGON_TRANSCEIVERS - 1,
           "kind", "internal or external (SERDES), copper, or by_board: what the board kind says"),
    SWITCH(transmit_cut_through, 1,
           "overlap of DMA and MAC explains the published 8.69 ns/byte; off: wait for HW[0D4]"),
    NUMBER(transmit_start_ns, 96, 0, SECOND, "ns",
           "filling the MAC FIFO; hidden behind the gap of 96 ns between frames back to back"),
    NUMBER(receive_latency_ns, 100, 0, SECOND, "ns",
           "draining the MAC FIFO, writing the descriptor"),
    NUMBER(assist_fetch_cycles, 8, 0, 1e6, "cycles", "32-byte descriptor in 4 bus beats"),
    NUMBER(assist_finish_cycles, 4, 0, 1e6, "cycles", "pointer update"),
    SWITCH(
        hand_dma_feeds_mac, 1,
        "bit 17 moves HW[0D4] in transfers by hand too; off: software copies HW[0B4], as 5.5 does"),
    SWITCH(transmit_full_by_reference, 0,
           "HW[0FC] shows 0 by distance to the reference HW[0F8] instead of the consumer HW[0F4]"),
    SWITCH(stop_on_fault, 1, "a core stopped by an error ends the run with a report"),
    SWITCH(
        receive_truncates, 0,
        "a frame that does not fit the receive buffer is cut (status bit 23) instead of dropped"),
    SWITCH(pause_by_descriptors, 0,
           "nothing public says so; off is the harsher board: 512 short frames can fill its ring"),

    SWITCH(quirk_bank_write, 0, "a change of SRAM bank size or timing corrupts the operating mode"),
    SWITCH(quirk_64_bit_slot, 0,
           "a 64-bit slot that is 32-bit: writes of a first word show up in the second"),
    SWITCH(quirk_receive_length, 0,
           "the descriptor of a truncated frame has the length it had on the wire"),
    NUMBER(quirk_scratchpad_read, 0, 0, 1e9, "reads",
           "one in so many through HW[158] and HW[258] returns 0x00C0017C; 0: none"),

    CHOICE(bus_kind, TIGON_BUS_64_66, bus_names, TIGON_BUS_32_33, "64/66, 64/33, 32/33",
           "the boards of the papers sat in 64/66 slots"),
    NUMBER(pci_read_latency_ns, 700, 0, SECOND, "ns", "gives 1-3 us per DMA with data time"),
    NUMBER(pci_write_latency_ns, 300, 0, SECOND, "ns", "posted"),
    NUMBER(pci_read_rate, 0, 0, 1e12, "bytes/s",
           "0: 320, 180 or 90 MB/s by bus kind, 60-70 % of peak"),
    NUMBER(pci_write_rate, 0, 0, 1e12, "bytes/s",
           "0: 420, 230 or 115 MB/s by bus kind, 80-90 % of peak"),
    NUMBER(pci_peak_rate, 0, 0, 1e12, "bytes/s", "0: 528, 264 or 132 MB/s by bus kind"),

    NUMBER(host_memory_bytes, 67108864, 65536, 1e12, "bytes",
           "room for a few thousand large messages"),
    NUMBER(host_memory_base, 0, 0, 9e18, "bus address", "above 4 GB exercises 64-bit addresses"),
    SWITCH(host_scatter, 1, "physical pages are not adjacent under a real operating system"),
    NUMBER(host_write_ns, 90, 0, SECOND, "ns", "6 PCI clocks of 15 ns per posted 32-bit write"),
    NUMBER(host_burst_word_ns, 15, 0, SECOND, "ns", "one PCI clock per word inside a burst"),
    NUMBER(host_write_arrival_ns, 250, 0, SECOND, "ns", "through the host bridge"),
    NUMBER(host_read_ns, 1000, 0, SECOND, "ns", "round trip; the host CPU waits"),
    NUMBER(host_interrupt_ns, 8000, 0, SECOND, "ns", "5-10 us on the hosts of the papers"),
    NUMBER(host_slice_ns, 10000, 100, SECOND, "ns", "granularity of sharing the host CPU"),
    NUMBER(host_stack_bytes, 262144, 32768, 1e9, "bytes", "stack of a host program"),

    NUMBER(wire_propagation_ns, 200, 0, 60 * SECOND, "ns", "10 m of fibre at 5 ns/m and two PHYs"),
    PROBABILITY(wire_loss, "frame vanishes"),
    PROBABILITY(wire_duplicate, "frame arrives twice"),
    PROBABILITY(wire_delay, "frame held back, so that later ones overtake"),
    NUMBER(wire_delay_ns, 50000, 0, 60 * SECOND, "ns",
           "longest hold of a delayed frame, about 4 full frames"),
    PROBABILITY(wire_corrupt_visible, "bits flip on the wire: CRC error"),
    PROBABILITY(wire_corrupt_silent, "bits flip before the CRC is made: passes the CRC"),
    PROBABILITY(wire_burst, "a lost frame takes the next wire_burst_frames with it"),
    NUMBER(wire_burst_frames, 8, 0, 1e6, "frames",
           "receive-ring overflows lose runs, not single frames"),

    NUMBER(switch_latency_ns, 4200, 0, SECOND, "ns",
           "with one more wire and frame time adds the 5 us measured for EMP through a switch"),
    NUMBER(switch_queue_bytes, 131072, 2048, 1e9, "bytes",
           "about 1 ms of a full wire, usual for switches of that time"),
    NUMBER(switch_age_ns, 300000000000, 1000, 1e15, "ns", "the 300 s of IEEE 802.1D"),
    NUMBER(switch_frame_bytes, 9022, 64, 65600, "bytes", "jumbo frames with a VLAN tag"),
    SWITCH(switch_pause, 0, "off: a full queue drops, as in the published measurements"),
    SWITCH(idle_parking, 1,
           "a core that polls without effect is not simulated turn by turn; results are the same"),
    SWITCH(native_code, 1,
           "text in scratchpads is translated for an x86-64 processor; results are the same"),
    SWITCH(shared_translation, 1,
           "boards whose cores hold the same text translate it once; results are the same"),
    SWITCH(host_poll_watchpoint, 1,
           "a host that polls a word waits for a write of it instead; results are the same"),
    SWITCH(host_run_ahead, 1,
           "programs that allow it post their accesses before they happen; results are the same"),

    /* The defaults of these come from tigon_timing_default. */
    CYCLES(taken_branch_extra, "single-issue R4000 style: only the delay slot"),
    CYCLES(nullified_slot, "the empty cycle of a branch-likely not taken"),
    CYCLES(priority_encode, "PRI, in all"),
    CYCLES(load_use_interlock, "scratchpad load feeding the next instruction"),
    CYCLES(scratchpad_load, "recalled: single cycle"),
    CYCLES(scratchpad_store, "recalled: single cycle"),
    CYCLES(sram_load, "address out, synchronous SRAM, return; idle bus"),
    CYCLES(sram_store, "into the one-entry write buffer"),
    CYCLES(sram_store_drain, "until the write buffer is free again"),
    CYCLES(register_read, "on-chip bus"),
    CYCLES(register_write, "on-chip bus"),
    CYCLES(slow_memory, "flash or boot PROM, 8 bits wide, some 200 ns"),
    {"instruction_line_bytes", offsetof(struct tigon_knobs, core.instruction_line_bytes),
     KNOB_CYCLES, 0, 32, 256, "bytes", "recalled: one line of 64 bytes per core", NULL},
    CYCLES(instruction_line_miss, "on top of 8 bus cycles"),
};

#define KNOB_COUNT (sizeof knobs_table / sizeof *knobs_table)

static void store(struct tigon_knobs *knobs, const struct knob *knob, uint64_t number,
                  double real) {
    char *field = (char *)knobs + knob->offset;
    switch (knob->kind) {
    case KNOB_NUMBER:
        memcpy(field, &number, sizeof number);
        break;
    case KNOB_CYCLES: {
        const uint32_t cycles = (uint32_t)number;
        memcpy(field, &cycles, sizeof cycles);
        break;
    }
    case KNOB_SWITCH: {
        const bool on = number != 0;
        memcpy(field, &on, sizeof on);
        break;
    }
    case KNOB_PROBABILITY:
        memcpy(field, &real, sizeof real);
        break;
    case KNOB_CHOICE: { /* every enumeration of ours has the size of an unsigned */
        const unsigned choice = (unsigned)number;
        memcpy(field, &choice, sizeof choice);
        break;
    }
    }
}

void tigon_knobs_defaults(struct tigon_knobs *knobs) {
    memset(knobs, 0, sizeof *knobs);
    for (size_t i = 0; i < KNOB_COUNT; i++)
        store(knobs, &knobs_table[i], (uint64_t)knobs_table[i].initial, knobs_table[i].initial);
    knobs->core = tigon_timing_default();
}

static int parse_number(const char *text, uint64_t *number) {
    char *end;
    if (*text < '0' || *text > '9') /* strtoull would take blanks and signs */
        return -EINVAL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 0);
    if (errno)
        return -ERANGE;
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift)
        end++;
    if (*end)
        return -EINVAL;
    if (value > UINT64_MAX >> shift)
        return -ERANGE;
    *number = value << shift;
    return 0;
}

static int parse_switch(const char *text, uint64_t *number) {
    static const char *const words[2][4] = {{"0", "off", "false", "no"},
                                            {"1", "on", "true", "yes"}};
    for (uint64_t value = 0; value < 2; value++)
        for (size_t i = 0; i < 4; i++)
            if (strcasecmp(text, words[value][i]) == 0) {
                *number = value;
                return 0;
            }
    return -EINVAL;
}

static int parse_choice(const struct knob *knob, const char *text, uint64_t *number) {
    for (uint64_t choice = 0; choice <= (uint64_t)knob->maximum; choice++)
        if (strcmp(text, knob->choices[choice]) == 0) {
            *number = choice;
            return 0;
        }
    return -EINVAL;
}

static int parse_probability(const char *text, double *real) {
    char *end;
    if (!*text)
        return -EINVAL;
    *real = strtod(text, &end);
    if (*end || *real != *real)
        return -EINVAL;
    return *real < 0 || *real > 1 ? -ERANGE : 0;
}

int tigon_knobs_set(struct tigon_knobs *knobs, const char *name, const char *value) {
    for (size_t i = 0; i < KNOB_COUNT; i++) {
        const struct knob *knob = &knobs_table[i];
        if (strcmp(knob->name, name) != 0)
            continue;
        uint64_t number = 0;
        double real = 0;
        int error = 0;
        switch (knob->kind) {
        case KNOB_NUMBER:
        case KNOB_CYCLES:
            error = parse_number(value, &number);
            if (!error && ((double)number < knob->minimum || (double)number > knob->maximum))
                error = -ERANGE;
            break;
        case KNOB_SWITCH:
            error = parse_switch(value, &number);
            break;
        case KNOB_PROBABILITY:
            error = parse_probability(value, &real);
            break;
        case KNOB_CHOICE:
            error = parse_choice(knob, value, &number);
            break;
        }
        if (!error)
            store(knobs, knob, number, real);
        return error;
    }
    return -ENOENT;
}

int tigon_knobs_assign(struct tigon_knobs *knobs, const char *assignment) {
    char name[64];
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return -EINVAL;
    if ((size_t)(equals - assignment) >= sizeof name)
        return -ENOENT;
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = 0;
    return tigon_knobs_set(knobs, name, equals + 1);
}

void tigon_knobs_expected(const char *name, char *text, size_t bytes) {
    size_t used = 0;
    (void)snprintf(text, bytes, "the name of a knob");
    for (size_t i = 0; i < KNOB_COUNT; i++) {
        const struct knob *knob = &knobs_table[i];
        if (strcmp(knob->name, name) != 0)
            continue;
        if (knob->kind == KNOB_SWITCH)
            (void)snprintf(text, bytes, "0 or 1");
        else if (knob->kind != KNOB_CHOICE)
            (void)snprintf(text, bytes, "%.15g to %.15g", knob->minimum, knob->maximum);
        else
            for (unsigned choice = 0; choice <= (unsigned)knob->maximum && used < bytes; choice++)
                used += (size_t)snprintf(text + used, bytes - used, "%s%s", choice ? ", " : "",
                                         knob->choices[choice]);
    }
}

const char *tigon_knobs_name(size_t index) {
    return index < KNOB_COUNT ? knobs_table[index].name : NULL;
}

void tigon_knobs_print(const struct tigon_knobs *knobs, FILE *stream) {
    for (size_t i = 0; i < KNOB_COUNT; i++) {
        const struct knob *knob = &knobs_table[i];
        const char *field = (const char *)knobs + knob->offset;
        uint64_t number;
        double real;
        bool on;
        uint32_t cycles;
        unsigned choice;
        fprintf(stream, "%-26s ", knob->name);
        switch (knob->kind) {
        case KNOB_NUMBER:
            memcpy(&number, field, sizeof number);
            fprintf(stream, "%-10llu", (unsigned long long)number);
            break;
        case KNOB_CYCLES:
            memcpy(&cycles, field, sizeof cycles);
            fprintf(stream, "%-10u", cycles);
            break;
        case KNOB_SWITCH:
            memcpy(&on, field, sizeof on);
            fprintf(stream, "%-10d", on);
            break;
        case KNOB_PROBABILITY:
            memcpy(&real, field, sizeof real);
            fprintf(stream, "%-10g", real);
            break;
        case KNOB_CHOICE:
            memcpy(&choice, field, sizeof choice);
            fprintf(stream, "%-10s", knob->choices[choice]);
            break;
        }
        fprintf(stream, " %-20s %s\n", knob->unit, knob->reason);
    }
}
