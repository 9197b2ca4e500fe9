/* SPDX-License-Identifier: MIT */
#include "tests/host/mock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { READ_NS = 1000, WRITE_NS = 90, BURST_WORD_NS = 15 };

/* HW[044] (tigon2.md 3.3). */
enum {
    EEPROM_CLOCK = 1 << 20,
    EEPROM_DRIVE = 1 << 21,
    EEPROM_OUT = 1 << 22,
    EEPROM_IN = 1 << 23,
    EEPROM_WRITING = 4 /* phase of sim/chip/eeprom.c in which bytes are taken */
};

uint64_t mock_bus_page(size_t page) {
    /* Neighbouring virtual pages are not neighbours on the bus, and all are above 4 GB. */
    return UINT64_C(0x2300000000) + (uint64_t)(page * 37 % MOCK_PAGES) * 2 * EMP_PAGE_BYTES;
}

uint64_t mock_bus(const struct mock *mock, const void *address) {
    const size_t offset = (size_t)((const uint8_t *)address - mock->memory);
    return mock_bus_page(offset / EMP_PAGE_BYTES) + offset % EMP_PAGE_BYTES;
}

static uint32_t *control(struct mock *mock) {
    return &mock->sram[EMP_CONTROL_ADDRESS / 4];
}

static void boot(struct mock *mock) {
    uint32_t *words = control(mock);
    if (mock->silent)
        return;
    emp_control_set_magic(words, EMP_CONTROL_MAGIC);
    emp_control_set_version(words, EMP_CONTROL_VERSION);
    emp_control_set_protocol_hash(words, EMP_PROTOCOL_HASH ^ (mock->wrong_hash ? 1U : 0U));
    emp_objects_set_descriptors(words + EMP_OBJECTS_AT / 4, MOCK_DESCRIPTORS);
    emp_objects_set_posting_ring(words + EMP_OBJECTS_AT / 4, MOCK_RING);
    emp_objects_set_peers(words + EMP_OBJECTS_AT / 4, MOCK_PEERS);
    emp_control_set_parameters(words, MOCK_PARAMETERS);
    emp_control_set_counters(words, MOCK_COUNTERS);
    emp_control_set_sram_bytes(words, MOCK_SRAM_BYTES);
    emp_control_set_free_bytes(words, 400000);
    emp_control_set_link(words, 1);
    emp_control_set_state(words, mock->stops ? EMP_CONTROL_STATE_STOPPED : EMP_CONTROL_STATE_READY);
    if (mock->stops)
        emp_control_set_fault(words, 77);
    mock->registers[REGISTER_DMA_ASSIST / 4] = 1;
}

struct mock *mock_create(void) {
    struct mock *mock = calloc(1, sizeof *mock);
    assert(mock);
    mock->memory = aligned_alloc(EMP_PAGE_BYTES, (size_t)MOCK_PAGES * EMP_PAGE_BYTES);
    assert(mock->memory);
    memset(mock->memory, 0, (size_t)MOCK_PAGES * EMP_PAGE_BYTES);
    mock->registers[REGISTER_CPU_A_STATE / 4] = 1U << 18 | 1U << 16;
    mock->registers[REGISTER_PCI_COMMAND / 4] = MOCK_PCI_COMMAND;
    mock->registers[REGISTER_PCI_STATE / 4] = BOARD_PCI_COMMANDS;
    mock->silent_at_unpin = true;
    tigon_eeprom_initialise(&mock->eeprom, (const uint8_t[6]){2, 0x54, 0x47, 0, 0, 7});
    return mock;
}

void mock_destroy(struct mock *mock) {
    free(mock->memory);
    free(mock);
}

static struct libemp_board *open_board(struct mock *mock, bool ends_in_memory) {
    struct libemp_options options;
    struct libemp_board *board = NULL;
    libemp_options_defaults(&options);
    options.ends_in_memory = ends_in_memory;
    options.board.backends = (const struct board_backend *const[]){&mock_backend, NULL};
    options.board.environment = mock;
    const int error = libemp_open(&board, "mock:0", &options);
    assert(error == 0);
    (void)error;
    return board;
}

struct libemp_board *mock_open(struct mock *mock) {
    return open_board(mock, false);
}

static struct libemp_board *start(struct mock *mock, bool ends_in_memory) {
    struct libemp_board *board = open_board(mock, ends_in_memory);
    boot(mock);
    mock->registers[REGISTER_CPU_A_STATE / 4] = 0;
    const int error = libemp_attach(board);
    assert(error == 0);
    (void)error;
    return board;
}

struct libemp_board *mock_start(struct mock *mock) {
    return start(mock, false);
}

struct libemp_board *mock_start_in_memory(struct mock *mock) {
    return start(mock, true);
}

const uint32_t *mock_descriptor(const struct mock *mock, size_t index) {
    return &mock->sram[MOCK_DESCRIPTORS / 4 + index * DESCRIPTOR_WORDS];
}

void mock_set_descriptor_word(struct mock *mock, size_t index, uint32_t word, uint32_t value) {
    mock->sram[MOCK_DESCRIPTORS / 4 + index * DESCRIPTOR_WORDS + word] = value;
}

#if EMP_ENDS_IN_MEMORY
/* Where the host wants the end of this descriptor; NULL: nowhere. */
static uint32_t *completion(struct mock *mock, size_t index) {
    const uint32_t *objects = control(mock) + EMP_OBJECTS_AT / 4;
    const uint64_t bus = (uint64_t)emp_objects_get_completions_high(objects) << 32 |
                         (emp_objects_get_completions_low(objects) +
                          (index << emp_objects_get_completions_step(objects)));
    for (size_t page = 0; page < MOCK_PAGES; page++)
        if (bus - mock_bus_page(page) < EMP_PAGE_BYTES)
            return (uint32_t *)(void *)(mock->memory + page * EMP_PAGE_BYTES +
                                        bus % EMP_PAGE_BYTES);
    return NULL;
}

static void write_completion(struct mock *mock, size_t index, uint32_t word) {
    uint32_t *place = completion(mock, index);
    if (place)
        *place = word;
}
#else
static void write_completion(struct mock *mock, size_t index, uint32_t word) {
    (void)mock;
    (void)index;
    (void)word;
}
#endif

void mock_finish(struct mock *mock, size_t index, enum emp_result result, uint32_t length) {
    uint32_t *words = &mock->sram[MOCK_DESCRIPTORS / 4 + index * DESCRIPTOR_WORDS];
    assert(emp_descriptor_get_owner(words) == EMP_OWNER_NIC);
    emp_descriptor_set_total_length(words, length);
    emp_descriptor_set_result(words, result);
    emp_descriptor_set_owner(words, EMP_OWNER_HOST);
    write_completion(mock, index, words[EMP_DESCRIPTOR_OWNER_WORD]);
}

uint32_t mock_posted(const struct mock *mock) {
    return mock->sram[(0x104 + 8 * EMP_POSTING_MAILBOX) / 4];
}

uint32_t mock_ring(const struct mock *mock, uint32_t entry) {
    return mock->sram[MOCK_RING / 4 + entry];
}

static int mock_open_board(void *environment, const char *name, void **handle) {
    if (strcmp(name, "0") != 0)
        return -ENXIO;
    *handle = environment;
    return 0;
}

static void mock_close(void *handle) {
    (void)handle;
}

/* SRAM word index behind a host offset, or SIZE_MAX for a register. */
static size_t sram_index(const struct mock *mock, uint32_t offset) {
    assert(offset % 4 == 0 && offset < 0x1000);
    if (offset < ALIAS_OFFSET)
        return SIZE_MAX;
    if (offset < WINDOW_OFFSET)
        return (offset - ALIAS_OFFSET) / 4;
    const uint32_t base = mock->registers[REGISTER_WINDOW_BASE / 4] & ~0x7FFU;
    return ((base + offset - WINDOW_OFFSET) % MOCK_SRAM_BYTES) / 4;
}

static void answer(struct mock *mock, size_t index) {
    const size_t first = MOCK_DESCRIPTORS / 4;
    if (index < first || (index - first) / DESCRIPTOR_WORDS >= EMP_DESCRIPTOR_LIMIT)
        return;
    if ((index - first) % DESCRIPTOR_WORDS != EMP_DESCRIPTOR_OWNER_WORD)
        return;
    if (mock->finish_after && --mock->finish_after == 0)
        mock_finish(mock, (index - first) / DESCRIPTOR_WORDS, mock->finish_result,
                    mock->finish_length);
}

static uint32_t read_register(struct mock *mock, uint32_t offset) {
    uint32_t value = mock->registers[offset / 4];
    if (offset == REGISTER_LOCAL_CONTROL && (mock->no_eeprom || tigon_eeprom_data(&mock->eeprom)))
        value |= EEPROM_IN;
    if (offset == REGISTER_DMA_ASSIST && (mock->dma_reads || mock->dma_hangs)) {
        value |= 1U << 8;
        mock->dma_reads -= mock->dma_reads != 0;
    }
    if (offset == REGISTER_DMA_ASSIST && mock->pauses) {
        value |= 1U << 1;
        mock->pauses--;
    }
    return value;
}

static uint32_t mock_read32(void *handle, uint32_t offset) {
    struct mock *mock = handle;
    const size_t index = sram_index(mock, offset);
    mock->now_ns += READ_NS;
    if (mock->gone)
        return UINT32_MAX;
    if (index == SIZE_MAX)
        return read_register(mock, offset);
    answer(mock, index);
    return mock->sram[index];
}

/* The lines of the EEPROM, which the part does not look at while it writes. */
static void drive_eeprom(struct mock *mock, uint32_t value) {
    struct tigon_eeprom *eeprom = &mock->eeprom;
    const bool clock = value & EEPROM_CLOCK;
    const bool data = !(value & EEPROM_DRIVE) || (value & EEPROM_OUT);
    const bool writes = eeprom->phase == EEPROM_WRITING;
    const bool stops = writes && eeprom->clock && clock && data && !eeprom->data;
    const uint16_t address = eeprom->address;
    if (mock->no_eeprom)
        return;
    if (mock->now_ns < mock->eeprom_busy_ns) {
        eeprom->clock = clock;
        eeprom->data = data;
        return;
    }
    tigon_eeprom_lines(eeprom, clock, data);
    if (writes && eeprom->address != address && mock->eeprom_bytes_left &&
        --mock->eeprom_bytes_left == 0)
        mock->gone = true;
    if (stops) {
        mock->eeprom_writes++;
        mock->eeprom_busy_ns = mock->now_ns + mock->eeprom_write_ns;
    }
}

static bool doubles(const struct mock *mock) {
    const bool narrow = mock->registers[REGISTER_PCI_STATE / 4] & BOARD_PCI_32_BIT;
    return mock->stays_doubled || (mock->doubles && !narrow);
}

static void store(struct mock *mock, uint32_t offset, uint32_t value) {
    const size_t index = sram_index(mock, offset);
    if (mock->gone)
        return;
    if (index != SIZE_MAX) {
        if (!mock->sticky_address || index * 4 != mock->sticky_address)
            mock->sram[index] = value;
        if (offset < WINDOW_OFFSET && index % 2 == 0 && doubles(mock))
            mock->sram[index + 1] = value;
        return;
    }
    if (offset == REGISTER_WINDOW_BASE)
        mock->window_moves++;
    if (offset == REGISTER_LOCAL_CONTROL)
        drive_eeprom(mock, value);
    if (offset == REGISTER_DMA_WRITE_STATE && (value & 1))
        mock->dma_hangs = false;
    if (offset == REGISTER_DMA_ASSIST)
        value &= 7; /* the other bits are status */
    if (offset == REGISTER_CPU_A_STATE && mock->deaf)
        value &= 0xFFFFU;
    if (offset == REGISTER_HOST_CONTROL && value == 0x08000008)
        mock->registers[REGISTER_CPU_A_STATE / 4] = mock->dead_rom ? 1U << 4 : 1U << 18;
    else
        mock->registers[offset / 4] = value;
    if (offset == REGISTER_CPU_A_STATE && (value & 0xFFFF0000U) == 0)
        boot(mock);
}

static void mock_write32(void *handle, uint32_t offset, uint32_t value) {
    struct mock *mock = handle;
    mock->now_ns += WRITE_NS;
    store(mock, offset, value);
}

static void mock_write_block(void *handle, uint32_t offset, const uint32_t *words, size_t count) {
    struct mock *mock = handle;
    assert(count > 0);
    mock->now_ns += WRITE_NS + (count - 1) * BURST_WORD_NS;
    for (size_t i = 0; i < count; i++)
        store(mock, offset + (uint32_t)i * 4, words[i]);
}

static uint64_t mock_now_ns(void *handle) {
    const struct mock *mock = handle;
    return mock->now_ns;
}

static void mock_spend_ns(void *handle, uint64_t ns) {
    struct mock *mock = handle;
    mock->now_ns += ns;
    mock->spent_ns += ns;
}

static void mock_sleep_ns(void *handle, uint64_t ns) {
    struct mock *mock = handle;
    mock->now_ns += ns;
}

static void *mock_allocate(void *handle, size_t bytes) {
    struct mock *mock = handle;
    const size_t pages = (bytes + EMP_PAGE_BYTES - 1) / EMP_PAGE_BYTES;
    if (pages > MOCK_PAGES - mock->used_pages)
        return NULL;
    void *memory = mock->memory + mock->used_pages * EMP_PAGE_BYTES;
    mock->used_pages += pages;
    return memory;
}

static void mock_release(void *handle, void *memory, size_t bytes) {
    (void)handle;
    (void)memory;
    (void)bytes;
}

static int mock_pin(void *handle, const void *address, size_t bytes, uint32_t *pin) {
    struct mock *mock = handle;
    const size_t before = (size_t)((uintptr_t)address - (uintptr_t)mock->memory);
    const size_t size = (size_t)MOCK_PAGES * EMP_PAGE_BYTES;
    if (before >= size || bytes > size - before)
        return -EFAULT;
    *pin = (uint32_t)++mock->pinned;
    return 0;
}

static int mock_translate(void *handle, uint32_t pin, const void *address, size_t count,
                          uint64_t *pages) {
    const struct mock *mock = handle;
    const size_t before = (size_t)((uintptr_t)address - (uintptr_t)mock->memory);
    if (pin == 0 || pin > mock->pinned || mock->tells_nothing)
        return -EFAULT;
    for (size_t i = 0; i < count; i++)
        pages[i] = mock_bus_page(before / EMP_PAGE_BYTES + i) + mock->mapping;
    return 0;
}

static int mock_unpin(void *handle, uint32_t pin) {
    struct mock *mock = handle;
    assert(pin > 0 && pin <= mock->pinned);
    mock->unpinned++;
    if (mock->gone || mock->dma_reads || mock->dma_hangs)
        mock->silent_at_unpin = false;
    return 0;
}

const struct board_backend mock_backend = {
    .scheme = "mock",
    .open = mock_open_board,
    .close = mock_close,
    .read32 = mock_read32,
    .write32 = mock_write32,
    .write_block = mock_write_block,
    .now_ns = mock_now_ns,
    .spend_ns = mock_spend_ns,
    .sleep_ns = mock_sleep_ns,
    .allocate = mock_allocate,
    .release = mock_release,
    .pin = mock_pin,
    .translate = mock_translate,
    .unpin = mock_unpin,
};
