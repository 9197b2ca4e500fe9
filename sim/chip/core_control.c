/* SPDX-License-Identifier: MIT */
/*
 * Core control. HW[140] itself is the core's (cpu.h); this file maps register offsets to it and
 * keeps the times for the statistics. General registers are read-only here, as drivers treat them
 * (tigon2.md 1.4).
 */
#include "sim/chip/board.h"

#include <string.h>

/* tigon2.md 13 item 10. */
#define STRAY_VALUE 0x00C0017Cu

static struct tigon_cpu *core_of(struct tigon_board *board, uint32_t *offset) {
    const unsigned core = *offset >= TIGON_CPU_STATE + 0x100u;
    *offset -= core * 0x100u;
    return &board->cpu[core];
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    const uint32_t asked = offset;
    struct tigon_cpu *cpu = core_of(board, &offset);
    uint32_t value = 0;
    if (offset >= TIGON_CPU_GENERAL || offset == TIGON_CPU_COUNTER)
        tigon_cpu_settle(cpu, tigon_board_seen_by(board, cpu->core));
    if (offset >= TIGON_CPU_GENERAL)
        return cpu->gpr[(offset - TIGON_CPU_GENERAL) / 4u];
    switch (offset) {
    case TIGON_CPU_STATE:
        return tigon_cpu_state_read(cpu);
    case TIGON_CPU_COUNTER:
        return cpu->pc;
    case TIGON_CPU_LOCAL_DATA:
        tigon_cpu_settle(cpu, tigon_board_seen_by(board, cpu->core));
        tigon_memory_scratchpad_read32(&board->memory, cpu->core, TIGON_WORD(board, asked - 4u),
                                       &value);
        if (board->knobs.quirk_scratchpad_read &&
            ++board->core_control.scratchpad_reads % board->knobs.quirk_scratchpad_read == 0)
            return STRAY_VALUE;
        return value;
    default:
        return TIGON_WORD(board, asked);
    }
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    const uint32_t asked = offset;
    struct tigon_cpu *cpu = core_of(board, &offset);
    switch (offset) {
    case TIGON_CPU_STATE:
        tigon_cpu_state_write(cpu, value, tigon_board_cycle(board));
        tigon_core_account(board, tigon_board_cycle(board));
        break;
    case TIGON_CPU_COUNTER:
        tigon_cpu_set_pc(cpu, value);
        break;
    case TIGON_CPU_STACK:
        board->memory.stack_relocation[cpu->core] = value;
        break;
    case TIGON_CPU_LOCAL_DATA:
        tigon_cpu_settle(cpu, tigon_board_seen_by(board, cpu->core));
        tigon_memory_scratchpad_write32(&board->memory, cpu->core, TIGON_WORD(board, asked - 4u),
                                        value);
        break;
    default:
        break;
    }
}

static void reset(struct tigon_board *board) {
    const uint64_t cycle = tigon_board_cycle(board);
    board->core_control.known_state[0] = UINT32_MAX;
    for (unsigned core = 0; core < 2; core++) {
        tigon_cpu_halt(&board->cpu[core], cycle); /* work of a parked core still counts */
        tigon_cpu_reset(&board->cpu[core]);
        board->memory.stack_relocation[core] = 0;
    }
    tigon_core_account(board, cycle);
}

void tigon_core_account(struct tigon_board *board, uint64_t cycle) {
    struct tigon_core_control *control = &board->core_control;
    if (tigon_board_cores_running(board) == control->running)
        return;
    control->known_state[0] = UINT32_MAX;
    for (unsigned core = 0; core < 2; core++) {
        const bool runs = !tigon_cpu_stopped(&board->cpu[core]);
        if (runs == ((control->running >> core & 1u) != 0))
            continue;
        control->running ^= 1u << core;
        char why[TIGON_FAULT_TEXT_BYTES];
        tigon_cpu_explain_fault(&board->cpu[core], why);
        if (!runs && why[0])
            tigon_board_log(board, "core %c stopped: %s", 'A' + (int)core, why);
        /* A core that stopped by itself did so before the end of the stretch it was given. */
        const uint64_t own = board->cpu[core].cycle;
        const uint64_t change = !runs && own < cycle ? own : cycle;
        tigon_board_signal_at(board, core ? TIGON_SIGNAL_RUNNING_B : TIGON_SIGNAL_RUNNING_A, runs,
                              tigon_ticks_from_cycles(change));
        if (runs)
            control->started[core] = change;
        else if (change > control->started[core])
            control->running_cycles[core] += change - control->started[core];
    }
}

static const struct tigon_register_description registers[] = {
    {0x140, 1, "CPU A state", TIGON_READS_WRITES, 0, 0},               /* 3.7 */
    {0x144, 1, "CPU A program counter", TIGON_READS_WRITES, 0, 0},     /* 3.1 */
    {0x148, 2, "CPU A undescribed", TIGON_PLAIN, 0, 0xFFFFFFFF},       /* 3.1, last row */
    {0x150, 1, "CPU A stack relocation", TIGON_STORED, 0, 0xFFFFFFFF}, /* 2.1 */
    {0x154, 1, "CPU A local address", TIGON_PLAIN, 0, 0xFFFFFFFF},     /* 3.1 */
    {0x158, 1, "CPU A local data", TIGON_READS_WRITES, 0, 0},          /* 3.1 */
    {0x180, 32, "CPU A general registers", TIGON_READS_WRITES, 0, 0},  /* 1.4 */
    {0x240, 1, "CPU B state", TIGON_READS_WRITES, 0, 0},
    {0x244, 1, "CPU B program counter", TIGON_READS_WRITES, 0, 0},
    {0x248, 2, "CPU B undescribed", TIGON_PLAIN, 0, 0xFFFFFFFF},
    {0x250, 1, "CPU B stack relocation", TIGON_STORED, 0, 0xFFFFFFFF},
    {0x254, 1, "CPU B local address", TIGON_PLAIN, 0, 0xFFFFFFFF},
    {0x258, 1, "CPU B local data", TIGON_READS_WRITES, 0, 0},
    {0x280, 32, "CPU B general registers", TIGON_READS_WRITES, 0, 0},
};

const struct tigon_device tigon_core_control_device = {
    .name = "core control",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .reset = reset,
    .read = read_register,
    .write = write_register,
};
