/* SPDX-License-Identifier: MIT */
/* A mock board: registers and 1 MB of SRAM behind libemp's backend operations, host memory with
 * scattered pages, and a clock that advances only by register accesses, charges and sleeps. It runs
 * no firmware; mock_finish and boot imitate the little of it that the tests need. */
#ifndef TESTS_HOST_MOCK_H
#define TESTS_HOST_MOCK_H

#include "host/board/internal.h"
#include "host/emp/internal.h"
#include "sim/chip/eeprom.h"

enum {
    MOCK_SRAM_BYTES = 1024 * 1024,
    MOCK_PAGES = 2048,
    MOCK_DESCRIPTORS = 0x10000,
    MOCK_RING = 0x20000,
    MOCK_PEERS = 0x22000,
    MOCK_PARAMETERS = 0x22800,
    MOCK_COUNTERS = 0x22900,
    MOCK_PCI_COMMAND = 0x02A00006, /* a BIOS has switched memory and bus mastering on */
};

struct mock {
    uint32_t sram[MOCK_SRAM_BYTES / 4];
    uint32_t registers[0x400 / 4];
    uint64_t now_ns;
    uint64_t spent_ns; /* by charges alone */
    unsigned window_moves;
    uint32_t sticky_address; /* SRAM word that ignores writes, 0 for none */
    bool dead_rom;           /* comes out of reset with a failed self-test */
    bool silent;             /* firmware never gets ready */
    bool stops;              /* firmware stops itself at once */
    bool wrong_hash;
    bool gone;          /* every register reads all ones */
    bool deaf;          /* processors continue after a halt request */
    unsigned dma_reads; /* reads of HW[11C] during which a transfer is under way */
    bool dma_hangs;     /* until its engine is reset */
    unsigned pauses;    /* reads of HW[11C] during which transfers are paused, as for a repair */
    bool doubles;       /* a first word into the second, too, unless HW[05C] says 32 bits */
    bool stays_doubled;
    bool silent_at_unpin; /* no memory was unpinned while something could still be written to it */

    struct tigon_eeprom eeprom;
    bool no_eeprom;
    uint64_t eeprom_write_ns; /* for which the part does not answer after a write */
    uint64_t eeprom_busy_ns;  /* until when */
    unsigned eeprom_writes;   /* number of write requests */
    size_t eeprom_bytes_left; /* it takes; then the power is gone. 0: no such limit */

    unsigned finish_after; /* reads of a descriptor's owner until it is given back, 0 for never */
    enum emp_result finish_result;
    uint32_t finish_length;

    uint8_t *memory; /* page-aligned; page i has the bus address mock_bus_page(i) */
    size_t used_pages;
    size_t pinned; /* calls; so are the unpins */
    size_t unpinned;
    bool tells_nothing; /* pins, but gives no addresses */
    uint64_t mapping; /* distance on the bus of the pages that are mapped now from the first ones */
};

struct mock *mock_create(void);
void mock_destroy(struct mock *mock);
struct libemp_board *mock_open(struct mock *mock);  /* opened, firmware not started */
struct libemp_board *mock_start(struct mock *mock); /* attached to running firmware, node 0 */

/* The same; the board writes ends to host memory. */
struct libemp_board *mock_start_in_memory(struct mock *mock);

uint64_t mock_bus_page(size_t page);
uint64_t mock_bus(const struct mock *mock, const void *address);

/* Words of descriptor `index` as the NIC reads them. */
const uint32_t *mock_descriptor(const struct mock *mock, size_t index);
void mock_set_descriptor_word(struct mock *mock, size_t index, uint32_t word, uint32_t value);
/* The NIC gives a descriptor back. */
void mock_finish(struct mock *mock, size_t index, enum emp_result result, uint32_t length);
uint32_t mock_posted(const struct mock *mock);               /* the mailbox */
uint32_t mock_ring(const struct mock *mock, uint32_t entry); /* an entry of the posting ring */

extern const struct board_backend mock_backend;

#endif
