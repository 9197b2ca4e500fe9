/* SPDX-License-Identifier: MIT */
/* Register table and dispatch: see registers.h. Each row names the section of tigon2.md that rules
 * it. */
#include "sim/chip/registers.h"

#include <pthread.h>
#include <string.h>

#include "sim/chip/board.h"

#define ALL 0xFFFFFFFFu
#define R   TIGON_ACCESS_READ_HOOK
#define W   TIGON_ACCESS_WRITE_HOOK
#define N   TIGON_ACCESS_NOTIFY

/* All resets are zero but those of tigon2.md 14 row 22; devices set the ones that depend on the
 * board. */
static const struct tigon_register_description table[] = {
    /* 3.1: copy of PCI configuration space. Identification is fixed, the rest is storage. */
    {0x000, 1, "PCI identification", 0, TIGON_OWNER_STORAGE, 0x000112AE, 0},
    {0x004, 1, "PCI command and status", W, TIGON_OWNER_PCI, 0x02A00006, 0},
    {0x008, 1, "PCI class and revision", 0, TIGON_OWNER_STORAGE, 0x02000001, 0},
    {0x00C, 1, "PCI latency and cache line", 0, TIGON_OWNER_STORAGE, 0x00004008, 0x0000FFFF},
    {0x010, 1, "PCI base address", 0, TIGON_OWNER_STORAGE, 0xF0000000, 0xFFFFC000},
    {0x014, 6, "PCI configuration", 0, TIGON_OWNER_STORAGE, 0, 0},
    {0x02C, 1, "PCI subsystem", 0, TIGON_OWNER_STORAGE, 0x000112AE, 0},
    {0x030, 1, "PCI expansion ROM", 0, TIGON_OWNER_STORAGE, 0, ALL},
    {0x034, 2, "PCI configuration", 0, TIGON_OWNER_STORAGE, 0, 0},
    {0x03C, 1, "PCI interrupt", 0, TIGON_OWNER_STORAGE, 0x40400100, 0x000000FF},

    {0x040, 1, "misc host control", R | W, TIGON_OWNER_HOST_CONTROL, 0x60000000, 0}, /* 3.2 */
    {0x044, 1, "misc local control", R | W, TIGON_OWNER_LOCAL_CONTROL, 0, 0},        /* 3.3 */
    {0x048, 2, "semaphore", R | W, TIGON_OWNER_SEMAPHORE, 0, 0},                     /* 3.4 */
    {0x050, 1, "misc configuration", N, TIGON_OWNER_LOCAL_CONTROL, 0, ALL},          /* 3.5 */
    {0x054, 1, "timer", R | W, TIGON_OWNER_TIMER, 0, 0},                             /* 3.1 */
    {0x058, 1, "timer reference A", W, TIGON_OWNER_TIMER, 0, 0},                     /* 3.1 */
    {0x05C, 1, "PCI state", 0, TIGON_OWNER_STORAGE, 0, 0xFFF7FFFF}, /* 3.6: bit 19 status */
    {0x060, 1, "event word A", R | W, TIGON_OWNER_EVENTS, 0, 0},    /* 4 */
    {0x064, 1, "mailbox event A", W, TIGON_OWNER_MAILBOX, 0, 0},    /* 3.1 */
    {0x068, 1, "window base", N, TIGON_OWNER_WINDOW, 0, ALL},       /* 3.1 */
    {0x06C, 1, "window data", R | W, TIGON_OWNER_WINDOW, 0, 0},     /* 3.1 */
    {0x070, 1, "event word B", R | W, TIGON_OWNER_EVENTS, 0, 0},    /* 4 */
    {0x074, 1, "mailbox event B", W, TIGON_OWNER_MAILBOX, 0, 0},    /* 3.1 */
    {0x078, 1, "timer reference B", W, TIGON_OWNER_TIMER, 0, 0},    /* 3.1 */
    {0x07C, 1, "serial", 0, TIGON_OWNER_STORAGE, 0, ALL},           /* 3.1 */

    {0x080, 2, "DMA write host address", 0, TIGON_OWNER_STORAGE, 0, ALL},  /* 5.1 */
    {0x090, 2, "DMA read host address", 0, TIGON_OWNER_STORAGE, 0, ALL},   /* 5.1 */
    {0x09C, 1, "DMA read length", 0, TIGON_OWNER_STORAGE, 0, 0xFFFF},      /* 5.1 */
    {0x0A0, 1, "DMA write state", R | W, TIGON_OWNER_DMA, 0, 0},           /* 5.2 */
    {0x0A4, 1, "DMA write local address", 0, TIGON_OWNER_STORAGE, 0, ALL}, /* 5.1 */
    {0x0A8, 1, "DMA write checksum", 0, TIGON_OWNER_STORAGE, 0, 0xFFFF},   /* 5.2 */
    {0x0AC, 1, "DMA write length", 0, TIGON_OWNER_STORAGE, 0, 0xFFFF},     /* 5.1 */
    {0x0B0, 1, "DMA read state", R | W, TIGON_OWNER_DMA, 0, 0},            /* 5.2 */
    {0x0B4, 1, "DMA read local address", 0, TIGON_OWNER_STORAGE, 0, ALL},  /* 5.1 */
    {0x0B8, 1, "DMA read checksum", 0, TIGON_OWNER_STORAGE, 0, 0xFFFF},    /* 5.2 */

    {0x0C0, 1, "receive buffer base", 0, TIGON_OWNER_STORAGE, 0, ALL},            /* 6.2 */
    {0x0C4, 1, "receive buffer producer", 0, TIGON_OWNER_STORAGE, 0, ALL},        /* 6.2 */
    {0x0C8, 1, "receive buffer consumer", N, TIGON_OWNER_RECEIVE, 0, ALL},        /* 6.2 */
    {0x0D0, 1, "transmit buffer base", 0, TIGON_OWNER_STORAGE, 0, ALL},           /* 6.1 */
    {0x0D4, 1, "transmit buffer producer", N, TIGON_OWNER_TRANSMIT, 0, ALL},      /* 6.1 */
    {0x0D8, 1, "transmit buffer consumer", N, TIGON_OWNER_TRANSMIT, 0, ALL},      /* 6.1 */
    {0x0E0, 3, "receive descriptor pointer", R | W, TIGON_OWNER_RECEIVE, 0, 0},   /* 6.2 */
    {0x0EC, 1, "next-register enable", 0, TIGON_OWNER_STORAGE, 0, ALL},           /* 14 row 11 */
    {0x0F0, 3, "transmit descriptor pointer", R | W, TIGON_OWNER_TRANSMIT, 0, 0}, /* 6.1 */
    {0x0FC, 1, "transmit descriptor next", R | W, TIGON_OWNER_TRANSMIT, 0, 0},    /* 6.1 */

    {0x100, 4, "DMA read ring, high", R | W, TIGON_OWNER_DMA, 0, 0},  /* 5.4 */
    {0x110, 3, "DMA read ring, low", R | W, TIGON_OWNER_DMA, 0, 0},   /* 5.4 */
    {0x11C, 1, "DMA assist state", R | W, TIGON_OWNER_DMA, 0, 0},     /* 5.4 */
    {0x120, 4, "DMA write ring, high", R | W, TIGON_OWNER_DMA, 0, 0}, /* 5.4 */
    {0x130, 3, "DMA write ring, low", R | W, TIGON_OWNER_DMA, 0, 0},  /* 5.4 */

    {0x140, 1, "CPU A state", R | W, TIGON_OWNER_CORE, 0, 0},              /* 3.7 */
    {0x144, 1, "CPU A program counter", R | W, TIGON_OWNER_CORE, 0, 0},    /* 3.1 */
    {0x148, 2, "CPU A undescribed", 0, TIGON_OWNER_STORAGE, 0, ALL},       /* 3.1, last row */
    {0x150, 1, "CPU A stack relocation", N, TIGON_OWNER_CORE, 0, ALL},     /* 2.1 */
    {0x154, 1, "CPU A local address", 0, TIGON_OWNER_STORAGE, 0, ALL},     /* 3.1 */
    {0x158, 1, "CPU A local data", R | W, TIGON_OWNER_CORE, 0, 0},         /* 3.1 */
    {0x180, 32, "CPU A general registers", R | W, TIGON_OWNER_CORE, 0, 0}, /* 1.4 */
    {0x240, 1, "CPU B state", R | W, TIGON_OWNER_CORE, 0, 0},
    {0x244, 1, "CPU B program counter", R | W, TIGON_OWNER_CORE, 0, 0},
    {0x248, 2, "CPU B undescribed", 0, TIGON_OWNER_STORAGE, 0, ALL},
    {0x250, 1, "CPU B stack relocation", N, TIGON_OWNER_CORE, 0, ALL},
    {0x254, 1, "CPU B local address", 0, TIGON_OWNER_STORAGE, 0, ALL},
    {0x258, 1, "CPU B local data", R | W, TIGON_OWNER_CORE, 0, 0},
    {0x280, 32, "CPU B general registers", R | W, TIGON_OWNER_CORE, 0, 0},

    {0x200, 1, "MAC transmit state", R | W, TIGON_OWNER_TRANSMIT, 0, 0},     /* 6.4 */
    {0x204, 1, "transmitted link word", N, TIGON_OWNER_LINK, 0, 0xFFFF},     /* 7 */
    {0x208, 1, "MAC address, bytes 0-1", 0, TIGON_OWNER_STORAGE, 0, 0xFFFF}, /* 3.1 */
    {0x20C, 1, "MAC address, bytes 2-5", 0, TIGON_OWNER_STORAGE, 0, ALL},    /* 3.1 */
    {0x210, 1, "back-off seed", 0, TIGON_OWNER_STORAGE, 0, ALL},             /* 3.1 */
    {0x214, 1, "VLAN type and gaps", 0, TIGON_OWNER_STORAGE, 0, ALL},        /* 3.1 */
    {0x21C, 1, "MAC thresholds", 0, TIGON_OWNER_STORAGE, 0, ALL},            /* 3.1 */
    {0x220, 1, "MAC receive state", R | W, TIGON_OWNER_RECEIVE, 0, 0},       /* 6.4 */
    {0x224, 1, "received link word", R | W, TIGON_OWNER_LINK, 0, 0},         /* 7 */
    {0x228, 4, "multicast hash", 0, TIGON_OWNER_STORAGE, 0, ALL},            /* 6.3 */
    {0x238, 1, "port and SERDES control", N, TIGON_OWNER_LINK, 0, ALL},      /* 7 */
    {0x23C, 1, "MAC undescribed", 0, TIGON_OWNER_STORAGE, 0, ALL},           /* 3.1 */
};

#define TABLE_COUNT (sizeof table / sizeof *table)

struct owner {
    uint32_t (*read)(struct tigon_board *board, uint32_t offset);
    void (*write)(struct tigon_board *board, uint32_t offset, uint32_t value);
};

static const struct owner owners[TIGON_OWNER_COUNT] = {
    [TIGON_OWNER_PCI] = {NULL, tigon_pci_configuration_write},
    [TIGON_OWNER_HOST_CONTROL] = {tigon_host_control_read, tigon_host_control_write},
    [TIGON_OWNER_LOCAL_CONTROL] = {tigon_local_control_read, tigon_local_control_write},
    [TIGON_OWNER_SEMAPHORE] = {tigon_semaphore_read, tigon_semaphore_write},
    [TIGON_OWNER_TIMER] = {tigon_timer_read, tigon_timer_write},
    [TIGON_OWNER_EVENTS] = {tigon_events_read, tigon_events_write},
    [TIGON_OWNER_MAILBOX] = {NULL, tigon_mailbox_event_write},
    [TIGON_OWNER_WINDOW] = {tigon_window_data_read, tigon_window_data_write},
    [TIGON_OWNER_DMA] = {tigon_dma_read_register, tigon_dma_write_register},
    [TIGON_OWNER_TRANSMIT] = {tigon_transmit_read, tigon_transmit_write},
    [TIGON_OWNER_RECEIVE] = {tigon_receive_read, tigon_receive_write},
    [TIGON_OWNER_LINK] = {tigon_link_read, tigon_link_write},
    [TIGON_OWNER_CORE] = {tigon_core_control_read, tigon_core_control_write},
};

/* What an access to each word comes to; a search per access would dominate the cost of polling. */
struct word {
    const struct tigon_register_description *row;                              /* NULL: unknown */
    uint32_t (*read)(struct tigon_board *board, uint32_t offset);              /* NULL: storage */
    void (*write)(struct tigon_board *board, uint32_t offset, uint32_t value); /* NULL: likewise */
    uint32_t writable; /* bits that are stored */
};

static struct word words[TIGON_REGISTER_BYTES / 4];
static const struct word unknown;

static void fill_words(void) {
    for (size_t i = 0; i < TABLE_COUNT; i++)
        for (unsigned word = 0; word < table[i].count; word++)
            words[table[i].offset / 4u + word] = (struct word){
                .row = &table[i],
                .read = table[i].access & R ? owners[table[i].owner].read : NULL,
                .write = table[i].access & (W | N) ? owners[table[i].owner].write : NULL,
                .writable = table[i].access & W ? 0 : table[i].writable,
            };
}

/* For all threads, each of which comes here when it makes a board. */
static void prepare_words(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_words);
}

const struct tigon_register_description *tigon_register_describe(uint32_t offset) {
    if (offset >= TIGON_REGISTER_BYTES)
        return NULL;
    prepare_words();
    return words[offset / 4].row;
}

const char *tigon_register_part(uint32_t offset) {
    static const char *const pointers[] = {"producer", "consumer", "reference", "next"};
    static const char *const halves[] = {"high", "low"};
    switch (offset & ~15u) {
    case 0x0E0:
    case 0x0F0:
        return offset % 16u < 12u ? pointers[offset % 16u / 4u] : "";
    case 0x100:
    case 0x120:
        return pointers[offset % 16u / 4u];
    case 0x110:
    case 0x130:
        return offset % 16u < 12u ? pointers[offset % 16u / 4u] : "";
    case 0x080:
    case 0x090:
        return offset % 16u < 8u ? halves[offset % 16u / 4u] : "";
    case 0x040:
        return offset == 0x048 ? "of A" : offset == 0x04C ? "of B" : "";
    default:
        return "";
    }
}

const struct tigon_register_description *tigon_register_table(size_t *count) {
    *count = TABLE_COUNT;
    return table;
}

void tigon_registers_reset(struct tigon_board *board) {
    prepare_words();
    memset(board->registers, 0, sizeof board->registers);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        for (unsigned word = 0; word < table[i].count; word++)
            board->registers[table[i].offset / 4u + word] = table[i].reset;
}

uint32_t tigon_register_read(struct tigon_board *board, uint32_t offset) {
    offset &= ~3u;
    const struct word *word = offset < TIGON_REGISTER_BYTES ? &words[offset / 4] : &unknown;
    if (word->read)
        return word->read(board, offset);
    if (!word->row) {
        tigon_board_unknown(board, offset, false);
        return 0;
    }
    return board->registers[offset / 4];
}

static inline void write(struct tigon_board *board, const struct word *word, uint32_t offset,
                         uint32_t value) {
    uint32_t *stored = &board->registers[offset / 4];
    if (word->writable)
        *stored = (*stored & ~word->writable) | (value & word->writable);
    if (word->write)
        word->write(board, offset, value);
}

static __attribute__((noinline)) void write_disturbing(struct tigon_board *board,
                                                       const struct word *word, uint32_t offset,
                                                       uint32_t value) {
    tigon_board_disturb(board);
    write(board, word, offset, value);
}

void tigon_register_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    offset &= ~3u;
    const struct word *word = offset < TIGON_REGISTER_BYTES ? &words[offset / 4] : &unknown;
    if (__builtin_expect(!word->row, 0))
        tigon_board_unknown(board, offset, true);
    else if (__builtin_expect(tigon_board_disturbable(board), 0))
        write_disturbing(board, word, offset, value);
    else
        write(board, word, offset, value);
}
