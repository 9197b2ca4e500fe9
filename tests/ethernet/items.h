/* SPDX-License-Identifier: MIT */
/*
 * What firmware with the interface of the public drivers must do, item by item, each on two boards
 * that face each other: items_*.c. trial.c runs one item on one kind of board; run_items.c is the
 * program. Items of the board rely on interface.h alone, not on anything that only our own firmware
 * has.
 */
#ifndef ETHERNET_ITEMS_H
#define ETHERNET_ITEMS_H

#include "tests/ethernet/traffic.h"

/* Kinds of boards, as bits. */
enum {
    FIBRE_512K = 1 << 0,
    FIBRE_1M = 1 << 1,
    ONE_DMA_512K = 1 << 2, /* fibre, operating-mode bit 6 */
    ONE_DMA_1M = 1 << 3,
    EXTERNAL_512K = 1 << 4,
    EXTERNAL_1M = 1 << 5,
    COPPER_512K = 1 << 6,
    COPPER_1M = 1 << 7,
    BOARD_KINDS = 8,
    FIBRE = FIBRE_512K | FIBRE_1M,
    ONE_DMA = ONE_DMA_512K | ONE_DMA_1M,
    EXTERNAL = EXTERNAL_512K | EXTERNAL_1M,
    COPPER = COPPER_512K | COPPER_1M,
    WIRES = FIBRE | EXTERNAL | COPPER,
    ALL_KINDS = WIRES | ONE_DMA
};

enum { ODD_MESSAGES = 32, ODD_BYTES = 160, SENT_TIMES = 2048 };

/* What an item tests. Of the board: what firmware with this interface does whoever wrote it, so
 * that the board is at fault when it does not hold. Of this project's firmware: what firmware of
 * other origin does in other ways. */
enum subject { BOARD, OWN_FIRMWARE, SUBJECTS };

struct trial;

struct side {
    struct trial *trial;
    unsigned index; /* 0 or 1 */
    uint8_t address[6];
    struct tigon_host *host;
    struct ethernet_options options;
    struct ethernet ethernet;
    struct traffic traffic;
    uint32_t met; /* how often it has waited for the other side */
    int program;
};

struct item {
    const char *name;
    const char *expected;                 /* what holds, for people */
    unsigned kinds;                       /* of boards */
    unsigned quick_kinds;                 /* of these, in make test */
    void (*prepare)(struct trial *trial); /* options of both sides; may be NULL */
    void (*run)(struct side *side);       /* both sides, with the link up unless... [program] */
    bool starts;                          /* ...run starts the boards itself */
    uint32_t limit_ms;                    /* of simulated time, after boot and link; 0: 1000 */
    enum subject subject;
};

/* What strange behaviour the simulator reported, each once. */
struct odd {
    char messages[ODD_MESSAGES][ODD_BYTES];
    unsigned count;
    unsigned beyond; /* for which there was no room */
};

struct trial {
    const struct item *item;
    const struct image *image;
    unsigned kind; /* index of the board kind */
    bool own;      /* firmware of ours: nothing odd is allowed */
    struct odd *odd;
    struct tigon_world *world;
    struct tigon_wire *wire;
    struct side sides[2];
    volatile bool over;   /* no use to go on */
    char reason[400];     /* empty: it held */
    char figure[160];     /* worth telling when it held */
    uint32_t wire_frames; /* counted by watch_wire, from the beginning */
    uint32_t wire_tagged;
    uint64_t sent_ns[SENT_TIMES]; /* free for items: when a frame was sent */
};

/* Runs an item on one kind of board. True when it held; `reason` says why not. */
bool trial_run(struct trial *trial);
const char *trial_kind_name(unsigned kind);

/* [program] For items. fail keeps the first reason; need fails unless something is true, and gives
 * it back. */
void item_fail(struct side *side, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool item_need(struct side *side, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void item_figure(struct side *side, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct side *item_other(struct side *side);

/* [program] Starts the board and waits for the link; both sides. */
bool item_start(struct side *side);
/* [program] Waits until the other side is there, too. */
bool item_meet(struct side *side);
/* [program] Sends plan.frames each way, or only from side 0; all must arrive once and in order,
 * and checksums must be right. */
bool item_exchange(struct side *side, const struct traffic_plan *plan);
bool item_one_way(struct side *side, const struct traffic_plan *plan);
/* [program] The same, and nothing is judged but that what came is right. */
bool item_exchange_some(struct side *side, const struct traffic_plan *plan, bool both_ways);
/* Megabits a second that this side received in the last exchange. */
double item_megabits(const struct side *side);

/* Frames that are recognised by a label, for addresses and filters. */
enum { LABELS = 64, LABEL_BYTES = 100 };
/* [program] */
void item_send_label(struct side *side, const uint8_t to[6], unsigned label);
/* [program] Takes frames until `quiet_ns` pass without one. counts[label] goes up. */
bool item_take_labels(struct side *side, uint32_t counts[LABELS], uint64_t quiet_ns);

/* Interrupts of this side's board so far. */
uint64_t item_interrupts(const struct side *side);
/* [program] Lets time pass, with interrupts served. */
void item_pass(struct side *side, uint64_t ns);
void item_watch_wire(struct trial *trial);
void item_cut_wire(struct trial *trial, bool cut);

/* The items, each table ended by a row without name. */
extern const struct item start_items[], frame_items[], offload_items[], interrupt_items[],
    filter_items[], link_items[];

#endif
