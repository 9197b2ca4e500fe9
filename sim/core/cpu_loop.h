/* SPDX-License-Identifier: MIT */
/*
 * The interpreter loop, for cpu.c: no guard, because it is included once for each MODE. Defines the
 * function EXECUTE.
 */
SEPARATE_JUMPS static __attribute__((noinline)) enum tigon_cpu_stop EXECUTE(struct tigon_cpu *cpu) {
    static const void *const labels[TIGON_OP_COUNT] = {
        [TIGON_OP_STALE] = &&op_stale,
        [TIGON_OP_INVALID] = &&op_invalid,
        [TIGON_OP_HALT] = &&op_halt,
        [TIGON_OP_NOP] = &&op_nop,
        [TIGON_OP_ADDU] = &&op_addu,
        [TIGON_OP_SUBU] = &&op_subu,
        [TIGON_OP_ADD] = &&op_add,
        [TIGON_OP_SUB] = &&op_sub,
        [TIGON_OP_ADDI] = &&op_addi,
        [TIGON_OP_ADDIU] = &&op_addiu,
        [TIGON_OP_AND] = &&op_and,
        [TIGON_OP_OR] = &&op_or,
        [TIGON_OP_XOR] = &&op_xor,
        [TIGON_OP_NOR] = &&op_nor,
        [TIGON_OP_ANDI] = &&op_andi,
        [TIGON_OP_ORI] = &&op_ori,
        [TIGON_OP_XORI] = &&op_xori,
        [TIGON_OP_LUI] = &&op_lui,
        [TIGON_OP_SLL] = &&op_sll,
        [TIGON_OP_SRL] = &&op_srl,
        [TIGON_OP_SRA] = &&op_sra,
        [TIGON_OP_SLLV] = &&op_sllv,
        [TIGON_OP_SRLV] = &&op_srlv,
        [TIGON_OP_SRAV] = &&op_srav,
        [TIGON_OP_SLT] = &&op_slt,
        [TIGON_OP_SLTU] = &&op_sltu,
        [TIGON_OP_SLTI] = &&op_slti,
        [TIGON_OP_SLTIU] = &&op_sltiu,
        [TIGON_OP_PRI] = &&op_pri,
        [TIGON_OP_LW] = &&op_lw,
        [TIGON_OP_LH] = &&op_lh,
        [TIGON_OP_LHU] = &&op_lhu,
        [TIGON_OP_LB] = &&op_lb,
        [TIGON_OP_LBU] = &&op_lbu,
        [TIGON_OP_SW] = &&op_sw,
        [TIGON_OP_SH] = &&op_sh,
        [TIGON_OP_SB] = &&op_sb,
        [TIGON_OP_JAL] = &&op_jal,
        [TIGON_OP_J] = &&op_j,
        [TIGON_OP_JALR] = &&op_jalr,
        [TIGON_OP_JR] = &&op_jr,
        [TIGON_OP_JOFF] = &&op_joff,
        [TIGON_OP_BEQ] = &&op_beq,
        [TIGON_OP_BNE] = &&op_bne,
        [TIGON_OP_BLEZ] = &&op_blez,
        [TIGON_OP_BGTZ] = &&op_bgtz,
        [TIGON_OP_BLTZ] = &&op_bltz,
        [TIGON_OP_BGEZ] = &&op_bgez,
        [TIGON_OP_BLTZAL] = &&op_bltzal,
        [TIGON_OP_BGEZAL] = &&op_bgezal,
        [TIGON_OP_BEQL] = &&op_beql,
        [TIGON_OP_BNEL] = &&op_bnel,
        [TIGON_OP_BLEZL] = &&op_blezl,
        [TIGON_OP_BGTZL] = &&op_bgtzl,
        [TIGON_OP_BLTZL] = &&op_bltzl,
        [TIGON_OP_BGEZL] = &&op_bgezl,
        [TIGON_OP_BLTZALL] = &&op_bltzall,
        [TIGON_OP_BGEZALL] = &&op_bgezall,
    };
#define RUN_AHEAD (MODE == STEP ? 0 : cpu->run_ahead)

    uint32_t *const gpr = cpu->gpr;
    /* Most runs are short: what is not needed at each instruction is left in its place. */
    const uint64_t start_cycle = cpu->cycle;
    const uint64_t start_instructions = cpu->statistics.instructions;
    const uint64_t start_stalls = cpu->statistics.load_use_stalls;
    /* Where instructions are looked up: struct tigon_fetch_region. */
    struct tigon_instruction *entries = cpu->scratchpad_decoded;
    uint32_t base = TIGON_SCRATCHPAD;
    /* While there is translated text no word of a scratchpad is found without a detour: at `fetch`
     * the native code takes over. */
    /* The rest of a turn of a poll loop is too short for that. */
    struct tigon_native *const native = MODE == PLAIN && !cpu->poll.replaying ? cpu->native : NULL;
    uint32_t words = native ? 0 : cpu->scratchpad_size / 4u;
    /* The loop's own copies of what changes with every instruction. A cycle is an issue unless
     * counted in one of the others, so instructions need no count. */
    uint32_t pc = cpu->pc, npc = cpu->npc;
    uint64_t cycle = cpu->cycle;
    uint64_t stalls = 0; /* load-use interlocks */
    uint64_t other = 0;
    uint64_t limit = tigon_cpu_run_ahead_limit(cpu, RUN_AHEAD);
    uint32_t load_register = cpu->load_register;
    enum tigon_cpu_stop stop = TIGON_CPU_HORIZON;
    const struct tigon_instruction *in;
    enum tigon_access result;
    uint32_t from = 0, index, address, value = 0;

#define INSTRUCTIONS (cycle - start_cycle - stalls - other)

/* Make the core's fields say what the loop knows. */
#define PUBLISH                                                                                    \
    do {                                                                                           \
        cpu->pc = pc;                                                                              \
        cpu->npc = npc;                                                                            \
        cpu->cycle = cycle;                                                                        \
        cpu->statistics.instructions = start_instructions + INSTRUCTIONS;                          \
        cpu->statistics.load_use_stalls = start_stalls + stalls;                                   \
    } while (0)

#define G(n) gpr[n]
#define RS   gpr[in->source]
#define RT   gpr[in->second]
#define RD   gpr[in->destination]

#define EXTRA(cycles)                                                                              \
    do {                                                                                           \
        const uint64_t extra = (cycles);                                                           \
        if (__builtin_expect(extra != 0, 0)) {                                                     \
            cycle += extra;                                                                        \
            other += extra;                                                                        \
        }                                                                                          \
    } while (0)

#define ADVANCE                                                                                    \
    do {                                                                                           \
        from = pc;                                                                                 \
        pc = npc;                                                                                  \
        npc += 4u;                                                                                 \
    } while (0)

/* The end of an instruction. Of one that loaded into `number`, AFTER_LOAD. */
#define NEXT                                                                                       \
    do {                                                                                           \
        cycle++;                                                                                   \
        if (MODE != PLAIN) {                                                                       \
            if (MODE == OBSERVED)                                                                  \
                cpu->shown = false;                                                                \
            goto look_up;                                                                          \
        }                                                                                          \
        if (__builtin_expect(cycle >= limit, 0))                                                   \
            goto leave;                                                                            \
        index = rotate_right(pc - base, 2);                                                        \
        if (__builtin_expect(index >= words, 0))                                                   \
            goto fetch;                                                                            \
        in = &entries[index];                                                                      \
        ADVANCE;                                                                                   \
        goto *labels[in->operation];                                                               \
    } while (0)

#define AFTER_LOAD(number)                                                                         \
    do {                                                                                           \
        load_register = (number);                                                                  \
        if (MODE == PLAIN) {                                                                       \
            index = rotate_right(pc - base, 2);                                                    \
            if (__builtin_expect(cycle + 1u < limit && index < words, 1)) {                        \
                in = &entries[index];                                                              \
                if (__builtin_expect(in->operation != TIGON_OP_STALE, 1)) {                        \
                    cycle++;                                                                       \
                    if (reads(in, load_register)) {                                                \
                        cycle += cpu->timing.load_use_interlock;                                   \
                        stalls += cpu->timing.load_use_interlock;                                  \
                    }                                                                              \
                    load_register = 0;                                                             \
                    ADVANCE;                                                                       \
                    goto *labels[in->operation];                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        goto loaded;                                                                               \
    } while (0)

#define TAKE(target)                                                                               \
    do {                                                                                           \
        npc = (target);                                                                            \
        EXTRA(cpu->timing.taken_branch_extra);                                                     \
    } while (0)

/* Targets count from the instruction's own address, also when it stands in a delay slot: then the
 * one instruction at the first target is executed before the second. */
#define BRANCH(condition)                                                                          \
    do {                                                                                           \
        if (condition)                                                                             \
            TAKE(from + 4u + in->immediate);                                                       \
    } while (0)

#define BRANCH_LIKELY(condition)                                                                   \
    do {                                                                                           \
        if (condition) {                                                                           \
            TAKE(from + 4u + in->immediate);                                                       \
        } else {                                                                                   \
            pc = npc;                                                                              \
            npc += 4u;                                                                             \
            EXTRA(cpu->timing.nullified_slot);                                                     \
        }                                                                                          \
    } while (0)

/* The linking branches read rs before they write $31. */
#define BRANCH_LINK(kind, condition)                                                               \
    do {                                                                                           \
        const bool taken = (condition);                                                            \
        G(31) = from + 8u;                                                                         \
        kind(taken);                                                                               \
    } while (0)

/* SRAM accesses need only the cycle; faults, and what a register callback may look at, all. */
#define ANNOUNCE                                                                                   \
    do {                                                                                           \
        if (address < TIGON_SRAM_WINDOW)                                                           \
            cpu->cycle = cycle;                                                                    \
        else                                                                                       \
            PUBLISH;                                                                               \
    } while (0)

#define LOAD(bytes, fast, extend)                                                                  \
    do {                                                                                           \
        address = RS + in->immediate;                                                              \
        const uint32_t offset = address - TIGON_SCRATCHPAD;                                        \
        if (offset < cpu->scratchpad_size && (address & ((bytes)-1u)) == 0) {                      \
            RD = extend(fast(cpu->scratchpad + offset));                                           \
            EXTRA(cpu->timing.scratchpad_load - UINT64_C(1));                                      \
            AFTER_LOAD(in->destination);                                                           \
        }                                                                                          \
        ANNOUNCE;                                                                                  \
        result = tigon_cpu_load(cpu, from, address, (bytes), &value);                              \
        if (result <= TIGON_ACCESS_REGISTER)                                                       \
            RD = extend(value);                                                                    \
        goto accessed;                                                                             \
    } while (0)

/* A store of the value that is there already does not end a poll loop. */
#define STORE(bytes, read, write, type)                                                            \
    do {                                                                                           \
        address = RS + in->immediate;                                                              \
        const uint32_t offset = address - TIGON_SCRATCHPAD;                                        \
        if (offset < cpu->scratchpad_size && (address & ((bytes)-1u)) == 0) {                      \
            cpu->effects += read(cpu->scratchpad + offset) != (type)RT;                            \
            write(cpu->scratchpad + offset, (type)RT);                                             \
            tigon_memory_scratchpad_touch(cpu->memory, cpu->core, offset);                         \
            EXTRA(cpu->timing.scratchpad_store - UINT64_C(1));                                     \
            NEXT;                                                                                  \
        }                                                                                          \
        ANNOUNCE;                                                                                  \
        result = tigon_cpu_store(cpu, address, (bytes), RT);                                       \
        goto accessed;                                                                             \
    } while (0)

    goto look_up;

loaded: /* a load from the scratchpad has ended */
    cycle++;
    if (MODE == OBSERVED)
        cpu->shown = false;
look_up:
    if (cycle >= limit)
        goto leave;
    if (MODE == STEP && INSTRUCTIONS != 0 && npc == pc + 4u) {
        stop = TIGON_CPU_STEPPED;
        goto leave;
    }
    index = rotate_right(pc - base, 2);
    if (index >= words)
        goto fetch;
    if (MODE == OBSERVED && !cpu->shown) {
        PUBLISH;
        cpu->shown = true;
        if (cpu->observer(cpu->observer_context, cpu->core, pc, cycle)) {
            stop = TIGON_CPU_BREAKPOINT;
            goto leave;
        }
        /* A debugger's doing, or the core is to stall. */
        if (cpu->pc != pc || cpu->npc != npc || cpu->cycle != cycle) {
            pc = cpu->pc;
            npc = cpu->npc;
            other += cpu->cycle - cycle;
            cycle = cpu->cycle;
            load_register = 0;
            goto look_up;
        }
    }
    if (MODE == WATCHED && pc == cpu->loop.head && npc == pc + 4u &&
        cpu->loop.stage == TIGON_LOOP_WATCHED &&
        start_instructions + INSTRUCTIONS != cpu->loop.start.statistics.instructions) {
        PUBLISH;
        cpu->load_register = load_register;
        if (tigon_loop_arrived(cpu)) {
            stop = TIGON_CPU_PARKED;
            goto leave;
        }
    }
    in = &entries[index];
found:
    if (in->operation == TIGON_OP_STALE)
        tigon_cpu_decode_scratchpad(cpu, pc);
    if (load_register != 0 && reads(in, load_register)) {
        cycle += cpu->timing.load_use_interlock;
        stalls += cpu->timing.load_use_interlock;
    }
    load_register = 0;
    ADVANCE;
    goto *labels[in->operation];

fetch:
    if (native && pc - TIGON_SCRATCHPAD < cpu->scratchpad_size && (pc & 3u) == 0) {
        entries = cpu->scratchpad_decoded;
        base = TIGON_SCRATCHPAD;
        words = 0;
        if (npc == pc + 4u && load_register == 0 && tigon_engine->ready(native, pc)) {
            PUBLISH;
            cpu->load_register = 0;
            enum tigon_cpu_stop why;
            const enum tigon_engine_end end = tigon_engine->execute(native, &why);
            if (end == TIGON_ENGINE_STOP) /* the core's fields say it all */
                return why;
            pc = cpu->pc;
            npc = cpu->npc;
            cycle = cpu->cycle;
            stalls = cpu->statistics.load_use_stalls - start_stalls;
            other =
                cycle - start_cycle - stalls - (cpu->statistics.instructions - start_instructions);
            load_register = cpu->load_register;
            limit = tigon_cpu_run_ahead_limit(cpu, RUN_AHEAD);
            if (end == TIGON_ENGINE_NEAR_LIMIT)
                words = cpu->scratchpad_size / 4u;
            goto look_up;
        }
        in = &entries[(pc - TIGON_SCRATCHPAD) / 4u];
        goto found;
    }
    {
        struct tigon_fetch_region region;
        cpu->cycle = cycle;
        result = tigon_cpu_fetch(cpu, pc, &region);
        other += cpu->cycle - cycle;
        cycle = cpu->cycle;
        if (result == TIGON_ACCESS_FAULT)
            stop = TIGON_CPU_FAULTED;
        if (result != TIGON_ACCESS_DONE)
            goto leave;
        entries = region.entries;
        base = region.base;
        words = region.words;
        goto look_up;
    }

accessed: /* a load or store outside the scratchpad; cpu->cycle has moved */
    other += cpu->cycle - cycle;
    cycle = cpu->cycle;
    if (result > TIGON_ACCESS_REGISTER) {
        npc = pc;
        pc = from;
        stop = result == TIGON_ACCESS_FAULT    ? TIGON_CPU_FAULTED
               : result == TIGON_ACCESS_PARKED ? TIGON_CPU_PARKED
                                               : TIGON_CPU_HORIZON;
        goto leave;
    }
    other--; /* one of these cycles is the issue */
    if (MODE == OBSERVED)
        cpu->shown = false;
    if (result == TIGON_ACCESS_REGISTER) {
        limit = tigon_cpu_run_ahead_limit(cpu, RUN_AHEAD);
        if (address >= TIGON_SRAM_WINDOW) {
            pc = cpu->pc;
            npc = cpu->npc;
            entries = cpu->scratchpad_decoded; /* the I-line may have been dropped */
            base = TIGON_SCRATCHPAD;
            words = native ? 0 : cpu->scratchpad_size / 4u;
            if (tigon_cpu_stopped(cpu)) {
                stop = tigon_cpu_why_stopped(cpu);
                goto leave;
            }
        }
    }
    goto look_up;

op_stale:
    tigon_cpu_decode_scratchpad(cpu, from);
    goto *labels[in->operation];
op_halt:
    cpu->state |= TIGON_CPU_STATE_HALT_EXECUTED | TIGON_CPU_STATE_HALTED;
    npc = pc;
    pc = from;
    cycle++;
    stop = TIGON_CPU_HALTED;
    goto leave;
op_invalid:
    cpu->state |= TIGON_CPU_STATE_BAD_INSTRUCTION | TIGON_CPU_STATE_HALTED;
    stop = TIGON_CPU_FAULTED;
    npc = pc;
    pc = from;
    goto leave;
op_nop:
    NEXT;
op_addu:
    RD = RS + RT;
    NEXT;
op_subu:
    RD = RS - RT;
    NEXT;
op_add:
    if (__builtin_add_overflow((int32_t)RS, (int32_t)RT, (int32_t *)&value))
        goto op_invalid;
    RD = value;
    NEXT;
op_sub:
    if (__builtin_sub_overflow((int32_t)RS, (int32_t)RT, (int32_t *)&value))
        goto op_invalid;
    RD = value;
    NEXT;
op_addi:
    if (__builtin_add_overflow((int32_t)RS, (int32_t)in->immediate, (int32_t *)&value))
        goto op_invalid;
    RD = value;
    NEXT;
op_addiu:
    RD = RS + in->immediate;
    NEXT;
op_and:
    RD = RS & RT;
    NEXT;
op_or:
    RD = RS | RT;
    NEXT;
op_xor:
    RD = RS ^ RT;
    NEXT;
op_nor:
    RD = ~(RS | RT);
    NEXT;
op_andi:
    RD = RS & in->immediate;
    NEXT;
op_ori:
    RD = RS | in->immediate;
    NEXT;
op_xori:
    RD = RS ^ in->immediate;
    NEXT;
op_lui:
    RD = in->immediate;
    NEXT;
op_sll:
    RD = RT << in->immediate;
    NEXT;
op_srl:
    RD = RT >> in->immediate;
    NEXT;
op_sra:
    RD = shift_right_arithmetic(RT, in->immediate);
    NEXT;
op_sllv:
    RD = RT << (RS & 31u);
    NEXT;
op_srlv:
    RD = RT >> (RS & 31u);
    NEXT;
op_srav:
    RD = shift_right_arithmetic(RT, RS);
    NEXT;
op_slt:
    RD = (int32_t)RS < (int32_t)RT;
    NEXT;
op_sltu:
    RD = RS < RT;
    NEXT;
op_slti:
    RD = (int32_t)RS < (int32_t)in->immediate;
    NEXT;
op_sltiu:
    RD = RS < in->immediate;
    NEXT;
op_pri:
    RD = priority_encode(RS & RT);
    EXTRA(cpu->timing.priority_encode - 1u);
    NEXT;
op_lw:
    LOAD(4u, tigon_load_be32, NO_EXTENSION);
op_lh:
    LOAD(2u, tigon_load_be16, sign16);
op_lhu:
    LOAD(2u, tigon_load_be16, NO_EXTENSION);
op_lb:
    LOAD(1u, LOAD8, sign8);
op_lbu:
    LOAD(1u, LOAD8, NO_EXTENSION);
op_sw:
    STORE(4u, tigon_load_be32, tigon_store_be32, uint32_t);
op_sh:
    STORE(2u, tigon_load_be16, tigon_store_be16, uint16_t);
op_sb:
    STORE(1u, LOAD8, STORE8, uint8_t);
op_jal:
    G(31) = from + 8u;
    TAKE(((from + 4u) & 0xF0000000u) | in->immediate);
    NEXT;
op_j:
    TAKE(((from + 4u) & 0xF0000000u) | in->immediate);
    NEXT;
op_jalr : {
    uint32_t target = RS;
    RD = from + 8u;
    TAKE(target);
    NEXT;
}
op_jr:
    TAKE(RS);
    NEXT;
op_joff:
    TAKE(RS + RT * 8u);
    NEXT;
op_beq:
    BRANCH(RS == RT);
    NEXT;
op_bne:
    BRANCH(RS != RT);
    NEXT;
op_blez:
    BRANCH((int32_t)RS <= 0);
    NEXT;
op_bgtz:
    BRANCH((int32_t)RS > 0);
    NEXT;
op_bltz:
    BRANCH((int32_t)RS < 0);
    NEXT;
op_bgez:
    BRANCH((int32_t)RS >= 0);
    NEXT;
op_bltzal:
    BRANCH_LINK(BRANCH, (int32_t)RS < 0);
    NEXT;
op_bgezal:
    BRANCH_LINK(BRANCH, (int32_t)RS >= 0);
    NEXT;
op_beql:
    BRANCH_LIKELY(RS == RT);
    NEXT;
op_bnel:
    BRANCH_LIKELY(RS != RT);
    NEXT;
op_blezl:
    BRANCH_LIKELY((int32_t)RS <= 0);
    NEXT;
op_bgtzl:
    BRANCH_LIKELY((int32_t)RS > 0);
    NEXT;
op_bltzl:
    BRANCH_LIKELY((int32_t)RS < 0);
    NEXT;
op_bgezl:
    BRANCH_LIKELY((int32_t)RS >= 0);
    NEXT;
op_bltzall:
    BRANCH_LINK(BRANCH_LIKELY, (int32_t)RS < 0);
    NEXT;
op_bgezall:
    BRANCH_LINK(BRANCH_LIKELY, (int32_t)RS >= 0);
    NEXT;

leave:
    if (MODE == STEP && stop == TIGON_CPU_HORIZON && INSTRUCTIONS != 0 && npc == pc + 4u)
        stop = TIGON_CPU_STEPPED;
    cpu->load_register = load_register;
    PUBLISH;
    return stop;
}

#undef RUN_AHEAD
#undef INSTRUCTIONS
#undef PUBLISH
#undef G
#undef RS
#undef RT
#undef RD
#undef EXTRA
#undef ADVANCE
#undef NEXT
#undef AFTER_LOAD
#undef TAKE
#undef BRANCH
#undef BRANCH_LIKELY
#undef BRANCH_LINK
#undef ANNOUNCE
#undef LOAD
#undef STORE
#undef MODE
#undef EXECUTE
