/* SPDX-License-Identifier: MIT */
/*
 * Knobs: all numbers of the simulated world that are choices and not facts of the chip, in one
 * structure.
 *
 * The table in knobs.c gives each field its name (the field's own name), default, range, unit and
 * reason. tigon_knobs_set and tigon_knobs_print use it, so a tool can offer `--knob name=value`
 * without knowing any knob.
 */
#ifndef SIM_KNOBS_H
#define SIM_KNOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/timing.h"

enum tigon_bus_kind {
    TIGON_BUS_64_66, /* "64/66": 64 bit, 66 MHz */
    TIGON_BUS_64_33, /* "64/33" */
    TIGON_BUS_32_33  /* "32/33" */
};

/* The board's model; it determines the PCI identification (tigon2.md 8). */
enum tigon_board_kind {
    TIGON_BOARD_ALTEON_FIBRE,
    TIGON_BOARD_ALTEON_COPPER,
    TIGON_BOARD_FARALLON_COPPER,
    TIGON_BOARD_3COM_FIBRE,
    TIGON_BOARD_NETGEAR_FIBRE,
    TIGON_BOARD_NETGEAR_COPPER,
    TIGON_BOARD_SGI_FIBRE,
    TIGON_BOARD_FARALLON_FIBRE,
    TIGON_BOARD_KINDS
};

/* The component between MAC and cable (tigon2.md 7). */
enum tigon_transceiver {
    TIGON_TRANSCEIVER_BY_BOARD, /* copper or internal SERDES, according to the board kind */
    TIGON_TRANSCEIVER_INTERNAL,
    TIGON_TRANSCEIVER_EXTERNAL,
    TIGON_TRANSCEIVER_COPPER,
    TIGON_TRANSCEIVERS
};

struct tigon_knobs {
    /* Board */
    enum tigon_board_kind board_kind;
    enum tigon_transceiver transceiver;
    uint64_t sram_bytes; /* fitted SRAM: 524288, 1048576 or 2097152 (tigon2.md 2.2) */
    bool
        transmit_cut_through; /* a frame may start while its last DMA is running (targets.md 3.4) */
    uint64_t transmit_start_ns;    /* from "frame may start" to first preamble byte */
    uint64_t receive_latency_ns;   /* from last byte off the wire to the descriptor in SRAM */
    uint64_t assist_fetch_cycles;  /* DMA assist reads a descriptor (tigon2.md 12.4) */
    uint64_t assist_finish_cycles; /* DMA assist moves the consumer (tigon2.md 12.4) */
    bool hand_dma_feeds_mac; /* bit 17 also works in transfers started by hand (tigon2.md 5.5) */
    bool transmit_full_by_reference; /* HW[0FC] counts from HW[0F8] instead of HW[0F4] */
    bool stop_on_fault;              /* a core stopped by an error ends tigon_world_run */
    bool receive_truncates;          /* a frame that does not fit the buffer is cut, not dropped */
    bool pause_by_descriptors; /* few free receive descriptors also send PAUSE (tigon2.md 16.9) */

    /* Quirks of the silicon (tigon2.md 13), off by default */
    bool quirk_bank_write;          /* item 1 */
    bool quirk_64_bit_slot;         /* item 3 */
    bool quirk_receive_length;      /* item 8 */
    uint64_t quirk_scratchpad_read; /* item 10; 0: never */

    /* PCI (tigon2.md 12.4) */
    enum tigon_bus_kind bus_kind;  /* determines those of the rates below that are 0 */
    uint64_t pci_read_latency_ns;  /* DMA read: request to first data */
    uint64_t pci_write_latency_ns; /* DMA write: request to first data */
    uint64_t pci_read_rate;  /* bytes per second, sustained, alone on the bus; 0 = by bus kind */
    uint64_t pci_write_rate; /* same for writes */
    uint64_t pci_peak_rate;  /* capacity of the bus in bytes per second; 0 = by bus kind */

    /* Host */
    uint64_t host_memory_bytes;     /* size of host memory */
    uint64_t host_memory_base;      /* bus address of its first byte; may lie above 4 GB */
    bool host_scatter;              /* tigon_host_allocate_pages returns non-adjacent pages */
    uint64_t host_write_ns;         /* host CPU time of one posted 32-bit register write */
    uint64_t host_burst_word_ns;    /* each further word of a write-combined burst */
    uint64_t host_write_arrival_ns; /* from the write to its effect on the board */
    uint64_t host_read_ns;          /* register read, host CPU blocked */
    uint64_t host_interrupt_ns;     /* from asserted line to waiting program, charged to the CPU */
    uint64_t host_slice_ns;         /* longest uninterrupted CPU use while another program waits */
    uint64_t host_stack_bytes;      /* stack of each program */

    /* Wire: initial faults of each direction */
    uint64_t wire_propagation_ns; /* cable and both PHYs */
    double wire_loss;             /* probability per frame */
    double wire_duplicate;
    double wire_delay;
    uint64_t wire_delay_ns;
    double wire_corrupt_visible;
    double wire_corrupt_silent;
    double wire_burst;
    uint64_t wire_burst_frames;

    /* Switch */
    uint64_t switch_latency_ns;  /* from the last byte in to the first byte out, queue empty */
    uint64_t switch_queue_bytes; /* output queue of each port */
    uint64_t switch_age_ns;      /* an address that has sent nothing for so long is forgotten */
    uint64_t switch_frame_bytes; /* longest frame that is forwarded, CRC included */
    bool switch_pause;           /* obeys and sends PAUSE frames */

    /* Shortcuts of the simulator. They change no result, only the time that it takes. */
    bool idle_parking;         /* cores that poll without effect are not simulated turn by turn */
    bool native_code;          /* code in scratchpads is translated for the processor that runs the
                                  simulator, where that is possible */
    bool shared_translation;   /* boards whose cores hold the same code translate it once */
    bool host_poll_watchpoint; /* a host that polls a word is not simulated poll by poll */
    bool host_run_ahead;       /* tigon_host_run_ahead() has an effect */

    /* Cores: cycle costs, see sim/timing.h. Each knob has the name of its field ("sram_load"). */
    struct tigon_timing core;
};

void tigon_knobs_defaults(struct tigon_knobs *knobs);

/* Sets one knob by name from text: numbers in C notation with optional K, M, G suffix (1024s),
 * probabilities as decimals, booleans as 0/1/on/off/true/false, bus kinds as above. Returns 0,
 * -ENOENT for an unknown name, -EINVAL for text that is no value of this kind, -ERANGE for a value
 * out of range. The knobs are unchanged on error. */
int tigon_knobs_set(struct tigon_knobs *knobs, const char *name, const char *value);

/* The same from one "name=value" string; -EINVAL without '='. */
int tigon_knobs_assign(struct tigon_knobs *knobs, const char *assignment);

/* Describes the values that a knob accepts, for messages: "64/66, 64/33, 32/33", "0 or 1",
 * "1 to 256". */
void tigon_knobs_expected(const char *name, char *text, size_t bytes);

/* Name of knob `index`, NULL beyond the last. */
const char *tigon_knobs_name(size_t index);

/* One line per knob: name, value, unit, reason. */
void tigon_knobs_print(const struct tigon_knobs *knobs, FILE *stream);

#endif
