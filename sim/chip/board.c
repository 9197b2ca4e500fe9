/* SPDX-License-Identifier: MIT */
/* One board: creation, reset, core port, statistics and the back doors of tigon.h. */
#include "sim/chip/board.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned width;
} signal_names[TIGON_SIGNAL_COUNT] = {
    [TIGON_SIGNAL_EVENT_A] = {"event_a", 32},    [TIGON_SIGNAL_EVENT_B] = {"event_b", 32},
    [TIGON_SIGNAL_DMA_READ] = {"dma_read", 1},   [TIGON_SIGNAL_DMA_WRITE] = {"dma_write", 1},
    [TIGON_SIGNAL_TRANSMIT] = {"transmit", 1},   [TIGON_SIGNAL_RECEIVE] = {"receive", 1},
    [TIGON_SIGNAL_INTERRUPT] = {"interrupt", 1}, [TIGON_SIGNAL_LINK] = {"link", 1},
    [TIGON_SIGNAL_SEMAPHORE] = {"semaphore", 2}, [TIGON_SIGNAL_RUNNING_A] = {"running_a", 1},
    [TIGON_SIGNAL_RUNNING_B] = {"running_b", 1}, [TIGON_SIGNAL_IDLE_A] = {"idle_a", 1},
    [TIGON_SIGNAL_IDLE_B] = {"idle_b", 1},       [TIGON_SIGNAL_LEDS] = {"leds", 8},
};

const char *tigon_signal_name(enum tigon_signal signal) {
    return (unsigned)signal < TIGON_SIGNAL_COUNT ? signal_names[signal].name : "?";
}

unsigned tigon_signal_width(enum tigon_signal signal) {
    return (unsigned)signal < TIGON_SIGNAL_COUNT ? signal_names[signal].width : 0;
}

void tigon_board_tell_signal(const struct tigon_board *board, enum tigon_signal signal,
                             uint64_t ticks) {
    tigon_observers_signal(board->observers, board, signal, board->signals[signal], ticks);
}

static void show_changes(struct tigon_board *board) {
    if (board->observers->wants_changed)
        tigon_observers_changed(board->observers, board, board->now);
}

static void core_parks(void *context, unsigned core, bool parked, uint64_t cycle) {
    struct tigon_board *board = context;
    struct tigon_core_control *control = &board->core_control;
    uint64_t ticks = tigon_ticks_from_cycles(cycle);
    if (parked)
        control->parked_since[core] = cycle;
    else if (cycle > control->parked_since[core])
        control->parked_cycles[core] += cycle - control->parked_since[core];
    if (!parked && ticks < board->now)
        ticks = board->now;
    tigon_board_signal_at(board, core ? TIGON_SIGNAL_IDLE_B : TIGON_SIGNAL_IDLE_A, parked, ticks);
}

uint64_t tigon_board_seen_by(const struct tigon_board *board, unsigned core) {
    const uint64_t world = *board->clock;
    const uint64_t cycle = tigon_cycle_at_or_after(
        board->accessing_core < 0 && world > board->now ? world : board->now);
    return core == TIGON_CORE_A && board->accessing_core == TIGON_CORE_B ? cycle + 1u : cycle;
}

/* Out of line: the callers that test whether it is needed rarely call it. */
__attribute__((noinline)) void tigon_board_leave_loops(struct tigon_board *board) {
    for (unsigned core = 0; core < 2; core++)
        if (board->cpu[core].loop.stage != TIGON_LOOP_NONE)
            tigon_cpu_before_change(&board->cpu[core], tigon_board_seen_by(board, core));
}

_Static_assert(TIGON_LOOP_NONE == 0 && sizeof(enum tigon_loop_stage) == sizeof(unsigned),
               "what the bus looks at before it calls");
static void about_to_change(void *context) {
    tigon_board_before_change(context);
}

void tigon_board_changed(struct tigon_board *board) {
    show_changes(board);
    tigon_board_before_change(board);
    if (!tigon_events_derive(board))
        return;
    tigon_board_signal(board, TIGON_SIGNAL_EVENT_A, board->events.level[0]);
    tigon_board_signal(board, TIGON_SIGNAL_EVENT_B, board->events.level[1]);
    /* Either core may poll either word. tigon_board_seen_by() gives A the same cycle as B, or one
     * more. */
    const bool a_awake = tigon_cpu_wake_awake(&board->cpu[TIGON_CORE_A]);
    const bool b_awake = tigon_cpu_wake_awake(&board->cpu[TIGON_CORE_B]);
    if (a_awake && b_awake)
        return;
    const uint64_t cycle = tigon_board_seen_by(board, TIGON_CORE_B);
    tigon_cpu_wake(&board->cpu[TIGON_CORE_A], cycle + (board->accessing_core == TIGON_CORE_B));
    tigon_cpu_wake(&board->cpu[TIGON_CORE_B], cycle);
}

void tigon_board_log(struct tigon_board *board, const char *format, ...) {
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    board->messages++;
    tigon_observers_message(board->observers, board, message, board->now);
}

bool tigon_board_odd(struct tigon_board *board, enum tigon_oddity oddity) {
    const uint32_t bit = 1u << oddity;
    if (board->odd_reported & bit)
        return false;
    board->odd_reported |= bit;
    return true;
}

void tigon_board_unknown(struct tigon_board *board, uint32_t offset, bool write) {
    board->statistics.unknown_registers++;
    /* One report covers all offsets beyond the registers proper. */
    const uint32_t word = offset < 0x1000u ? offset / 4u : 1023u;
    uint64_t *reported = &board->unknown_reported[write][word / 64u];
    if (*reported >> word % 64u & 1u)
        return;
    *reported |= UINT64_C(1) << word % 64u;
    tigon_board_log(board, "%s HW[%03X], which no public source describes",
                    write ? "write to" : "read of", offset);
}

void tigon_board_schedule(struct tigon_board *board, struct tigon_event *event, uint64_t ticks) {
    tigon_schedule_at(board->schedule, event, ticks < board->now ? board->now : ticks);
}

static uint32_t core_reads(void *context, unsigned core, uint32_t offset, uint64_t cycle) {
    struct tigon_board *board = context;
    board->now = tigon_ticks_from_cycles(cycle);
    board->accessing_core = (int)core;
    const uint32_t value = tigon_register_read(board, offset);
    board->accessing_core = -1;
    return value;
}

static void core_writes(void *context, unsigned core, uint32_t offset, uint32_t value,
                        uint64_t cycle) {
    struct tigon_board *board = context;
    board->now = tigon_ticks_from_cycles(cycle);
    board->accessing_core = (int)core;
    tigon_register_write(board, offset, value);
    show_changes(board);
    board->accessing_core = -1;
}

/* The event words change only in tigon_board_changed, which wakes both cores. */
static bool core_may_park_on(void *context, unsigned core, uint32_t offset) {
    (void)context;
    (void)core;
    return offset == TIGON_EVENT_A || offset == TIGON_EVENT_B;
}

static bool is_steady(void *context, unsigned core, uint32_t offset) {
    (void)context;
    (void)core;
    return tigon_register_is_steady(offset);
}

static void view(void *context, unsigned core, uint32_t offset, struct tigon_register_view *view) {
    (void)core;
    tigon_register_view(context, offset, view);
}

void tigon_board_reset(struct tigon_board *board) {
    if (board->dead)
        return;
    if (board->accessing_core < 0 && board->now < *board->clock)
        board->now = *board->clock;
    tigon_devices_reset(board);
    tigon_board_changed(board);
}

/* The contents of memory at power-on are random; here they depend on the address alone. */
static uint32_t noise(uint32_t address) {
    return (address + 1u) * 0x9E3779B1u;
}

void tigon_board_cycle_power(struct tigon_board *board) {
    board->dead = false;
    tigon_board_reset(board);
    for (uint32_t at = 0; at < board->memory.sram_size; at += 4)
        tigon_memory_write32(&board->memory, at, noise(at));
    for (unsigned core = 0; core < 2; core++) {
        for (uint32_t at = 0; at < board->memory.scratchpad_size[core]; at += 4)
            tigon_memory_scratchpad_write32(&board->memory, core, TIGON_SCRATCHPAD + at, noise(at));
        memset(board->cpu[core].gpr, 0, sizeof board->cpu[core].gpr);
        tigon_cpu_registers_written(&board->cpu[core]);
    }
}

void tigon_board_stop_core(struct tigon_board *board, unsigned core) {
    if (board->accessing_core < 0 && board->now < *board->clock)
        board->now = *board->clock;
    tigon_cpu_halt(&board->cpu[core & 1u], tigon_board_cycle(board));
    tigon_core_account(board, tigon_board_cycle(board));
    tigon_board_changed(board);
    tigon_board_window_changed(board);
}

void tigon_board_kill(struct tigon_board *board) {
    if (board->dead)
        return;
    tigon_board_stop_core(board, TIGON_CORE_A);
    tigon_board_stop_core(board, TIGON_CORE_B);
    board->dead = true; /* dark: frames neither leave nor arrive */
    tigon_devices_lose_power(board);
    tigon_board_window_changed(board);
}

bool tigon_board_alive(const struct tigon_board *board) {
    return !board->dead;
}

int tigon_board_initialise(struct tigon_board *board, struct tigon_services *services, size_t index,
                           const struct tigon_knobs *knobs) {
    const struct tigon_cpu_port port = {.context = board,
                                        .register_read = core_reads,
                                        .register_write = core_writes,
                                        .register_pollable = core_may_park_on,
                                        .register_steady = is_steady,
                                        .timer = TIGON_TIMER,
                                        .register_view = view,
                                        .timer_offset = &board->timer.offset,
                                        .access_ticks = &board->now};
    memset(board, 0, sizeof *board);
    board->world = services->world;
    board->clock = &services->now;
    board->schedule = &services->schedule;
    board->frames = &services->frames;
    board->observers = &services->observers;
    board->index = index;
    snprintf(board->name, sizeof board->name, "board%zu", index);
    board->knobs = *knobs;
    board->accessing_core = -1;
    board->now = services->now;
    tigon_board_default_mac_address(index, board->mac_address);

    const int error = tigon_memory_initialise(&board->memory, (uint32_t)knobs->sram_bytes);
    if (error)
        return error;
    board->memory.before_change = about_to_change;
    board->memory.before_change_context = board;
    tigon_bus_initialise(&board->bus);
    for (unsigned core = 0; core < 2; core++)
        board->bus.change_matters[core] = (const unsigned *)&board->cpu[core].loop.stage;
    board->bus.before_change = about_to_change;
    board->bus.before_change_context = board;
    for (unsigned core = 0; core < 2; core++)
        tigon_cpu_initialise(&board->cpu[core], core, &board->memory, &board->bus, &knobs->core,
                             &port);
    tigon_cpu_pair(&board->cpu[0], &board->cpu[1]);
    for (unsigned core = 0; core < 2; core++) {
        tigon_cpu_set_park_hook(&board->cpu[core], core_parks, board);
        tigon_cpu_set_parking(&board->cpu[core], knobs->idle_parking, 0);
        (void)tigon_cpu_set_native(&board->cpu[core], knobs->native_code);
    }
    tigon_devices_initialise(board);
    tigon_devices_reset(board);
    tigon_board_changed(board);
    return 0;
}

void tigon_board_destroy(struct tigon_board *board) {
    for (unsigned core = 0; core < 2; core++)
        (void)tigon_cpu_set_native(&board->cpu[core], false);
    tigon_memory_destroy(&board->memory);
}

const char *tigon_board_name(const struct tigon_board *board) {
    return board->name;
}

size_t tigon_board_index(const struct tigon_board *board) {
    return board->index;
}

struct tigon_host *tigon_board_host(const struct tigon_board *board) {
    return board->host_side.host;
}

struct tigon_wire *tigon_board_wire(const struct tigon_board *board) {
    return board->wire;
}

void tigon_board_default_mac_address(size_t index, uint8_t address[6]) {
    const uint8_t bytes[6] = {0x02, 0x54, 0x47, 0x00, (uint8_t)(index >> 8), (uint8_t)index};
    memcpy(address, bytes, sizeof bytes);
}

void tigon_board_mac_address(const struct tigon_board *board, uint8_t address[6]) {
    memcpy(address, board->mac_address, 6);
}

void tigon_board_set_mac_address(struct tigon_board *board, const uint8_t address[6]) {
    memcpy(board->mac_address, address, sizeof board->mac_address);
    memcpy(board->local_control.eeprom.bytes + TIGON_EEPROM_MAC_ADDRESS, address, 6);
}

struct tigon_cpu *tigon_board_cpu(struct tigon_board *board, unsigned core) {
    return core < 2 ? &board->cpu[core] : NULL;
}

void tigon_board_peek(const struct tigon_board *board, uint32_t address, void *bytes,
                      size_t length) {
    tigon_memory_read(&board->memory, address, bytes, length);
}

void tigon_board_poke(struct tigon_board *board, uint32_t address, const void *bytes,
                      size_t length) {
    tigon_memory_write(&board->memory, address, bytes, length);
}

uint32_t tigon_board_peek32(const struct tigon_board *board, uint32_t address) {
    return tigon_memory_read32(&board->memory, address);
}

void tigon_board_poke32(struct tigon_board *board, uint32_t address, uint32_t value) {
    tigon_memory_write32(&board->memory, address, value);
}

static uint8_t *whole(uint8_t *bytes, size_t length, size_t *size) {
    if (size)
        *size = length;
    return bytes;
}

uint8_t *tigon_board_eeprom(struct tigon_board *board, size_t *size) {
    return whole(board->local_control.eeprom.bytes, TIGON_EEPROM_BYTES, size);
}

uint8_t *tigon_board_flash(struct tigon_board *board, size_t *size) {
    return whole(board->memory.flash, TIGON_FLASH_SIZE, size);
}

uint8_t *tigon_board_prom(struct tigon_board *board, size_t *size) {
    return whole(board->memory.prom, TIGON_PROM_SIZE, size);
}

uint32_t tigon_board_peek_register(struct tigon_board *board, uint32_t offset) {
    offset &= ~3u;
    if (!tigon_register_describe(offset))
        return 0; /* and no complaint: a debugger may look anywhere */
    if (board->accessing_core < 0 && board->now < *board->clock)
        board->now = *board->clock;
    return tigon_register_read(board, offset);
}

void tigon_board_poke_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    if (board->now < *board->clock)
        board->now = *board->clock;
    if (TIGON_WORD(board, TIGON_HOST_CONTROL) & TIGON_CONTROL_BYTE_SWAP)
        value = __builtin_bswap32(value);
    tigon_window_host_write(board, offset, value);
    board->statistics.host_register_writes--; /* the host made none */
}

bool tigon_board_peek_scratchpad(const struct tigon_board *board, unsigned core, uint32_t address,
                                 uint32_t *value) {
    return tigon_memory_scratchpad_read32(&board->memory, core, address, value);
}

bool tigon_board_poke_scratchpad(struct tigon_board *board, unsigned core, uint32_t address,
                                 uint32_t value) {
    return tigon_memory_scratchpad_write32(&board->memory, core, address, value);
}

void tigon_board_statistics(const struct tigon_board *board, struct tigon_statistics *statistics) {
    const uint64_t cycle = tigon_cycle_at_or_after(*board->clock);
    *statistics = board->statistics;
    const struct tigon_host_side *host = &board->host_side;
    if (host->reads_passed)
        statistics->host_register_reads += host->reads_passed(host->host, *board->clock);
    for (unsigned core = 0; core < 2; core++) {
        struct tigon_core_statistics *out = &statistics->core[core];
        const struct tigon_core_control *control = &board->core_control;
        struct tigon_bus bus;
        struct tigon_cpu cpu;
        tigon_cpu_show(&board->cpu[core], cycle, &cpu, &bus);
        out->parked_cycles = control->parked_cycles[core];
        if (board->cpu[core].parked && cycle > control->parked_since[core])
            out->parked_cycles += cycle - control->parked_since[core];
        out->instructions = cpu.statistics.instructions;
        out->register_reads = cpu.statistics.register_reads;
        out->register_writes = cpu.statistics.register_writes;
        out->sram_wait_cycles = cpu.statistics.bus_stalls;
        out->stall_cycles = cpu.statistics.load_use_stalls + cpu.statistics.bus_stalls;
        out->cycles = control->running_cycles[core];
        if ((control->running >> core & 1u) && cycle > control->started[core])
            out->cycles += cycle - control->started[core];
    }
}
