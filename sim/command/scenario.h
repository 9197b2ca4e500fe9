/* SPDX-License-Identifier: MIT */
/* The contents of a scenario file, checked: boards, their initial state, programs, wires, the end.
 *
 * docs/board-scenarios.md, "Scenarios", is the manual of the file. Indexes refer to the arrays
 * here. The scenario owns text and the contents of files. */
#ifndef SIM_COMMAND_SCENARIO_H
#define SIM_COMMAND_SCENARIO_H

#include "sim/command/settings.h"
#include "sim/tigon.h"

enum { SCENARIO_NAME_BYTES = 32 };

/* Bytes for some memory. */
struct scenario_data {
    uint8_t *bytes;
    size_t length;
};

enum scenario_place {
    SCENARIO_SRAM,
    SCENARIO_SCRATCHPAD_A,
    SCENARIO_SCRATCHPAD_B,
    SCENARIO_HOST_MEMORY,
    SCENARIO_REGISTER
};

/* Something put into a board or its host by the simulator itself. */
struct scenario_poke {
    enum scenario_place place;
    uint64_t address; /* SRAM, CPU, bus address, or register offset */
    struct scenario_data data;
    bool timed; /* at_ns counts; else when the board is loaded, just before its core starts */
    uint64_t at_ns;
};

struct scenario_dump {
    enum scenario_place place;
    uint64_t address;
    uint64_t length;
    char *file; /* NULL: as text with the results */
};

struct scenario_watch {
    char *name;
    uint32_t address; /* in SRAM */
    uint64_t every_ns;
};

enum scenario_image_format {
    SCENARIO_IMAGE_BY_CONTENT,
    SCENARIO_IMAGE_ELF,
    SCENARIO_IMAGE_TG2,
    SCENARIO_IMAGE_RAW,
    SCENARIO_IMAGE_HEADER
};

struct scenario_image {
    char *file; /* NULL: the board has none */
    enum scenario_image_format format;
    bool has_load;
    bool has_start;
    uint32_t load;  /* of a raw image */
    uint32_t start; /* instead of the image's own */
    char *prefix;   /* of the names in a C header, NULL: the only one there */
};

enum scenario_load {
    SCENARIO_LOAD_BY_PROGRAM, /* a host program of the scenario does it, or it is not loaded */
    SCENARIO_LOAD_DIRECT,     /* into memory, in no time */
    SCENARIO_LOAD_BY_HOST     /* as the drivers do, through the registers */
};

/* Memories of a board that a scenario may fill at first. */
enum scenario_memory { SCENARIO_EEPROM, SCENARIO_FLASH, SCENARIO_PROM, SCENARIO_MEMORIES };

enum scenario_trace { SCENARIO_TRACE_NONE, SCENARIO_TRACE_TRANSITIONS, SCENARIO_TRACE_ALTEON };

struct scenario_board {
    char name[SCENARIO_NAME_BYTES];
    unsigned line;
    struct tigon_knobs knobs;
    bool has_mac_address;
    uint8_t mac_address[6];
    struct scenario_content {        /* of the memories below, from their beginnings */
        struct scenario_poke *pokes; /* place is unused */
        size_t count;
    } contents[SCENARIO_MEMORIES];
    struct scenario_image image;
    enum scenario_load load;
    uint64_t load_at_ns;
    struct scenario_poke *pokes;
    size_t poke_count;
    struct scenario_dump *dumps;
    size_t dump_count;
    struct scenario_watch *watches;
    size_t watch_count;
    enum scenario_trace trace;
    uint64_t trace_records; /* the last so many */
};

struct scenario_program {
    char name[SCENARIO_NAME_BYTES];
    unsigned line;
    size_t board;
    char *file;       /* a shared object */
    char **arguments; /* argv, ends with NULL; [0] is the name */
    int argument_count;
    uint64_t start_ns;
    int64_t expect; /* result */
};

struct scenario_switch {
    char name[SCENARIO_NAME_BYTES];
    unsigned ports;
};

/* An end of a wire: a board, or a port of a switch. */
struct scenario_end {
    bool is_switch;
    size_t index;
    unsigned port;
};

struct scenario_wire {
    char name[2 * SCENARIO_NAME_BYTES + 8];
    unsigned line;
    struct scenario_end ends[2];
    char *capture; /* NULL: none */
};

enum scenario_stop_kind { SCENARIO_STOP_SYMBOL, SCENARIO_STOP_WORD, SCENARIO_STOP_SIGNAL };

struct scenario_stop {
    enum scenario_stop_kind kind;
    unsigned line;
    size_t board;
    unsigned core;    /* SYMBOL */
    char *symbol;     /* NULL: the address alone */
    uint32_t address; /* SYMBOL: of the instruction; WORD: in SRAM */
    uint32_t mask;    /* WORD */
    uint32_t equals;  /* WORD and SIGNAL */
    uint64_t every_ns;
    unsigned signal;
    uint64_t count; /* the so-manieth time, from 1 */
};

/* How a run may end. */
enum scenario_ending {
    SCENARIO_ENDING_PROGRAMS,
    SCENARIO_ENDING_TIME,
    SCENARIO_ENDING_SYMBOL,
    SCENARIO_ENDING_WORD,
    SCENARIO_ENDING_SIGNAL,
    SCENARIO_ENDING_FAULT,
    SCENARIO_ENDING_ASLEEP,
    SCENARIO_ENDING_FAILURE, /* a program returned something unexpected, or a loader gave up */
    SCENARIO_ENDING_STOPPED, /* requested by a program, a part or the user */
    SCENARIO_ENDING_COUNT
};
extern const char *const scenario_ending_names[SCENARIO_ENDING_COUNT];

enum scenario_expectation { SCENARIO_EXPECT_STATISTIC, SCENARIO_EXPECT_WORD };

struct scenario_expect {
    enum scenario_expectation kind;
    unsigned line;
    size_t board;
    const char *statistic; /* name in the result's JSON, "dma_read.transfers" */
    uint32_t address;
    uint32_t mask;
    uint64_t least;
    uint64_t most;
};

struct scenario {
    char *title;
    uint64_t seed;
    struct tigon_knobs knobs;
    struct scenario_board *boards;
    size_t board_count;
    struct scenario_switch *switches;
    size_t switch_count;
    struct scenario_wire *wires;
    size_t wire_count;
    char *faults;          /* text of sim/fault.h, one a line, ... */
    unsigned *fault_lines; /* ... and the line of the file of each */
    size_t fault_count;
    struct scenario_program *programs;
    size_t program_count;
    bool stop_with_programs;
    bool stop_with_failure; /* as soon as a program returns an unexpected value */
    uint64_t stop_ns;       /* UINT64_MAX: none */
    struct scenario_stop *stops;
    size_t stop_count;
    int ending; /* expected enum scenario_ending, or -1: any that is no failure */
    struct scenario_expect *expects;
    size_t expect_count;
};

/* Zeroed memory that is there, or the end of tigonsim with a message: a scenario is small. */
void *scenario_allocate(size_t count, size_t bytes);

/* The changes that options make. */
struct scenario_overrides {
    const char *const *assignments; /* "knob=value" or "board.knob=value" */
    size_t assignment_count;
    bool has_seed;
    uint64_t seed;
    bool has_until;
    uint64_t until_ns;
    bool endless; /* a scenario without an end is valid: the caller ends the run */
};

/* Reads `settings` into `scenario`; mistakes are complained about and counted there. Free with
 * scenario_free in every case. Settings named in `others` (ends with NULL) are left to others. */
void scenario_read(struct scenario *scenario, struct settings *settings,
                   const struct scenario_overrides *overrides, const char *const *others);
void scenario_free(struct scenario *scenario);

#endif
