/* SPDX-License-Identifier: MIT */
#include "sim/command/loader.h"

#include "sim/core/cpu.h"
#include "sim/core/memory.h"
#include "sim/chip/registers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    /* HW[040] is written with its low byte repeated at the top, so that it lands whatever the byte
     * order of the moment is. */
    HOST_CONTROL_RESET = 0x08000008,
    HOST_CONTROL_NUMBERS = 0x22000022,
    BANK_512K = 2 << 8,
    SYNCHRONOUS = 1 << 20,
    PCI_COMMANDS = 0x76000000,
    PCI_READ_MULTIPLE = 1 << 17,
    PCI_STATUS = 3 << 19, /* speed and width of the bus: kept */
    CPU_STEP = 1 << 1,

    LOCAL_CONTROL = 0x044,
    CONFIGURATION = 0x050,
    CORE_B = 0x100, /* its registers, from those of A */

    ALIAS = 0x400,
    ALIAS_BYTES = 0x400,
    WINDOW = 0x800,
    WINDOW_BYTES = 0x800,
    MAILBOX_0 = 0x504,

    CLEAR_FROM = 0x2000,
    CLEAR_TO = 0x80000, /* never more: a 512 kB board wraps onto its own low memory */
    BURST_WORDS = 256
};

#define RESET_TIMEOUT_NS UINT64_C(500000000)
#define RESET_POLL_NS    UINT64_C(10000)

static void fail(struct setup_board *board, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct setup_board *board, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(board->problem, sizeof board->problem, format, arguments);
    va_end(arguments);
    board->failed = true;
    board->setup->failed = true;
    tigon_world_stop(board->setup->world);
}

static bool in_scratchpad(uint32_t address) {
    return address >= TIGON_SCRATCHPAD;
}

/* ------------------------------------------------------------------------------------------------
 * By the back door */

static void put_scratchpad(struct tigon_board *board, unsigned core, uint32_t address,
                           const struct scenario_data *data) {
    for (size_t i = 0; i < data->length; i += 4) {
        uint8_t word[4] = {0};
        const size_t rest = data->length - i;
        memcpy(word, data->bytes + i, rest < 4 ? rest : 4);
        (void)tigon_board_poke_scratchpad(board, core, address + (uint32_t)i,
                                          tigon_load_be32(word));
    }
}

static void poke(struct setup_board *board, const struct scenario_poke *poke) {
    struct tigon_host *host = tigon_board_host(board->board);
    const struct scenario_data *data = &poke->data;
    switch (poke->place) {
    case SCENARIO_SRAM:
        tigon_board_poke(board->board, (uint32_t)poke->address, data->bytes, data->length);
        break;
    case SCENARIO_SCRATCHPAD_A:
    case SCENARIO_SCRATCHPAD_B:
        put_scratchpad(board->board, poke->place == SCENARIO_SCRATCHPAD_B, (uint32_t)poke->address,
                       data);
        break;
    case SCENARIO_HOST_MEMORY:
        memcpy(tigon_host_pointer(host, poke->address), data->bytes, data->length);
        break;
    case SCENARIO_REGISTER:
        for (size_t i = 0; i + 4 <= data->length; i += 4)
            tigon_board_poke_register(board->board, (uint32_t)(poke->address + i),
                                      tigon_load_be32(data->bytes + i));
        break;
    }
}

struct timed {
    struct setup_board *board;
    const struct scenario_poke *poke;
};

static void poke_in_time(void *context) {
    const struct timed *timed = context;
    poke(timed->board, timed->poke);
}

static void write_register(struct setup_board *board, uint32_t offset, uint32_t value) {
    tigon_board_poke_register(board->board, offset, value);
}

static void load_directly(void *context) {
    struct setup_board *board = context;
    static const uint8_t zeros[CLEAR_TO - CLEAR_FROM];
    write_register(board, TIGON_CPU_STATE, TIGON_CPU_STATE_HALTED);
    write_register(board, TIGON_CPU_STATE + CORE_B, TIGON_CPU_STATE_HALTED);
    write_register(board, LOCAL_CONTROL, BANK_512K);
    write_register(board, CONFIGURATION, SYNCHRONOUS);
    write_register(board, TIGON_PCI_STATE,
                   (tigon_board_peek_register(board->board, TIGON_PCI_STATE) & PCI_STATUS) |
                       PCI_COMMANDS | PCI_READ_MULTIPLE);
    tigon_board_poke(board->board, CLEAR_FROM, zeros, sizeof zeros);
    for (size_t i = 0; i < board->image.count; i++) {
        const struct image_segment *segment = &board->image.segments[i];
        const struct scenario_data data = {segment->bytes, segment->length};
        if (in_scratchpad(segment->address))
            put_scratchpad(board->board, 0, segment->address, &data);
        else
            tigon_board_poke(board->board, segment->address, segment->bytes, segment->length);
    }
    for (size_t i = 0; i < board->scenario->poke_count; i++)
        if (!board->scenario->pokes[i].timed)
            poke(board, &board->scenario->pokes[i]);
    write_register(board, TIGON_CPU_COUNTER, board->image.start);
    write_register(board, TIGON_CPU_STATE, 0);
}

/* ------------------------------------------------------------------------------------------------
 * By the host */

static void put_words(struct tigon_host *host, uint32_t address, const uint8_t *bytes,
                      size_t length) {
    uint32_t words[BURST_WORDS];
    while (length > 0) {
        uint32_t offset = ALIAS + address;
        size_t room = ALIAS_BYTES - address;
        if (address >= ALIAS_BYTES) {
            tigon_host_write32(host, TIGON_WINDOW_BASE, address & ~(WINDOW_BYTES - 1U));
            offset = WINDOW + (address & (WINDOW_BYTES - 1U));
            room = WINDOW + WINDOW_BYTES - offset;
        }
        size_t count = room / 4 < BURST_WORDS ? room / 4 : BURST_WORDS;
        if (count > (length + 3) / 4)
            count = (length + 3) / 4;
        for (size_t i = 0; i < count; i++) {
            uint8_t word[4] = {0};
            if (bytes)
                memcpy(word, bytes + 4 * i, length - 4 * i < 4 ? length - 4 * i : 4);
            words[i] = tigon_load_be32(word);
        }
        tigon_host_write_block(host, offset, words, count);
        address += (uint32_t)count * 4;
        bytes = bytes ? bytes + count * 4 : NULL;
        length -= length < count * 4 ? length : count * 4;
    }
}

static void put_scratchpad_words(struct tigon_host *host, unsigned core, uint32_t address,
                                 const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i += 4) {
        uint8_t word[4] = {0};
        memcpy(word, bytes + i, length - i < 4 ? length - i : 4);
        tigon_host_write32(host, TIGON_CPU_LOCAL_ADDRESS + core * CORE_B, address + (uint32_t)i);
        tigon_host_write32(host, TIGON_CPU_LOCAL_DATA + core * CORE_B, tigon_load_be32(word));
    }
}

static void poke_by_host(struct setup_board *board, struct tigon_host *host,
                         const struct scenario_poke *what) {
    const struct scenario_data *data = &what->data;
    switch (what->place) {
    case SCENARIO_SRAM:
        /* Writes whole words only: an unaligned poke reads its first and last word before. */
        if (what->address % 4 == 0 && data->length % 4 == 0)
            put_words(host, (uint32_t)what->address, data->bytes, data->length);
        else
            poke(board, what);
        break;
    case SCENARIO_SCRATCHPAD_A:
    case SCENARIO_SCRATCHPAD_B:
        put_scratchpad_words(host, what->place == SCENARIO_SCRATCHPAD_B, (uint32_t)what->address,
                             data->bytes, data->length);
        break;
    case SCENARIO_HOST_MEMORY:
        poke(board, what);
        break;
    case SCENARIO_REGISTER:
        for (size_t i = 0; i + 4 <= data->length; i += 4)
            tigon_host_write32(host, (uint32_t)(what->address + i),
                               tigon_load_be32(data->bytes + i));
        break;
    }
}

static bool wait_for_reset(struct setup_board *board, struct tigon_host *host) {
    const uint64_t until = tigon_host_now_ns(host) + RESET_TIMEOUT_NS;
    for (;;) {
        const uint32_t state = tigon_host_read32(host, TIGON_CPU_STATE);
        if (state & TIGON_CPU_STATE_ROM_FAILED) {
            fail(board, "the boot ROM's self-test failed, HW[140] %08" PRIX32, state);
            return false;
        }
        if (state & TIGON_CPU_STATE_STOPPED)
            return true;
        if (tigon_host_now_ns(host) > until) {
            fail(board, "the boot ROM does not finish, HW[140] %08" PRIX32, state);
            return false;
        }
        tigon_host_sleep_ns(host, RESET_POLL_NS);
    }
}

static void set_bits(struct tigon_host *host, uint32_t offset, uint32_t clear, uint32_t set) {
    tigon_host_write32(host, offset, (tigon_host_read32(host, offset) & ~clear) | set);
}

/* The order of tigon2.md 9. */
static int load_by_host(struct tigon_host *host, void *argument) {
    struct setup_board *board = argument;
    if (board->scenario->load_at_ns > 0)
        tigon_host_sleep_ns(host, board->scenario->load_at_ns);
    tigon_host_write32(host, TIGON_HOST_CONTROL, HOST_CONTROL_RESET);
    tigon_host_write32(host, TIGON_HOST_CONTROL, HOST_CONTROL_NUMBERS);
    if (!wait_for_reset(board, host))
        return -1;
    set_bits(host, TIGON_CPU_STATE, 0, TIGON_CPU_STATE_HALTED);
    tigon_host_write32(host, MAILBOX_0, 0);
    set_bits(host, TIGON_CPU_STATE + CORE_B, 0, TIGON_CPU_STATE_HALTED);
    set_bits(host, LOCAL_CONTROL, 3U << 8, BANK_512K);
    set_bits(host, CONFIGURATION, 0, SYNCHRONOUS);
    set_bits(host, TIGON_PCI_STATE, ~(uint32_t)PCI_STATUS, PCI_COMMANDS | PCI_READ_MULTIPLE);
    put_words(host, CLEAR_FROM, NULL, CLEAR_TO - CLEAR_FROM);
    for (size_t i = 0; i < board->image.count; i++) {
        const struct image_segment *segment = &board->image.segments[i];
        if (in_scratchpad(segment->address))
            put_scratchpad_words(host, 0, segment->address, segment->bytes, segment->length);
        else
            put_words(host, segment->address, segment->bytes, segment->length);
    }
    for (size_t i = 0; i < board->scenario->poke_count; i++)
        if (!board->scenario->pokes[i].timed)
            poke_by_host(board, host, &board->scenario->pokes[i]);
    tigon_host_write32(host, TIGON_CPU_COUNTER, board->image.start);
    set_bits(host, TIGON_CPU_STATE, TIGON_CPU_STATE_STOPPED | CPU_STEP, 0);
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 */

static void fill(uint8_t *memory, const struct scenario_content *contents) {
    for (size_t i = 0; i < contents->count; i++)
        memcpy(memory + contents->pokes[i].address, contents->pokes[i].data.bytes,
               contents->pokes[i].data.length);
}

void loader_prepare(struct setup_board *board) {
    const struct scenario_board *scenario = board->scenario;
    struct tigon_world *world = board->setup->world;
    if (scenario->has_mac_address)
        tigon_board_set_mac_address(board->board, scenario->mac_address);
    fill(tigon_board_eeprom(board->board, NULL), &scenario->contents[SCENARIO_EEPROM]);
    fill(tigon_board_flash(board->board, NULL), &scenario->contents[SCENARIO_FLASH]);
    fill(tigon_board_prom(board->board, NULL), &scenario->contents[SCENARIO_PROM]);
    board->timed = scenario_allocate(scenario->poke_count, sizeof *board->timed);
    for (size_t i = 0; i < scenario->poke_count; i++) {
        board->timed[i] = (struct timed){board, &scenario->pokes[i]};
        if (scenario->pokes[i].timed)
            tigon_world_call_at(world, scenario->pokes[i].at_ns, poke_in_time, &board->timed[i]);
        else if (!scenario->image.file || scenario->load == SCENARIO_LOAD_BY_PROGRAM)
            tigon_world_call_at(world, 0, poke_in_time, &board->timed[i]);
    }
    if (scenario->image.file && scenario->load == SCENARIO_LOAD_DIRECT)
        tigon_world_call_at(world, scenario->load_at_ns, load_directly, board);
    if (scenario->image.file && scenario->load == SCENARIO_LOAD_BY_HOST)
        (void)tigon_host_start(tigon_board_host(board->board), "loader", load_by_host, board);
}
