/*
 * The interpreter loop of a core: private work, in pre-decoded form. What reaches outside is in
 * cpu_access.c, starting and stopping in cpu_control.c, parking in poll.c.
 *
 * Each instruction goes through three steps: look it up (a miss is an I-line fill or a fault),
 * charge a load-use interlock, execute. An instruction that must wait for the horizon is taken
 * back whole and starts anew in the next run, with its interlock already charged.
 */
#include "sim/cpu_private.h"

enum mode { MODE_PLAIN, MODE_OBSERVED, MODE_STEP };

static inline uint32_t rotate_right(uint32_t value, unsigned amount) {
    return value >> amount | value << (32u - amount);
}

static inline uint32_t sign16(uint32_t value) {
    return (uint32_t)(int32_t)(int16_t)(uint16_t)value;
}

static inline uint32_t sign8(uint32_t value) {
    return (uint32_t)(int32_t)(int8_t)(uint8_t)value;
}

/* C leaves >> of negative numbers to the compiler; both of ours shift in the sign. */
static inline uint32_t shift_right_arithmetic(uint32_t value, uint32_t amount) {
    return (uint32_t)((int32_t)value >> (amount & 31u));
}

/* PRI: index of the most significant set bit plus one, 0 for none (tigon2.md 1.3). */
static inline uint32_t priority_encode(uint32_t bits) {
    return bits == 0 ? 0u : 32u - (uint32_t)__builtin_clz(bits);
}

static enum tigon_cpu_stop why_stopped(const struct tigon_cpu *cpu) {
    return (cpu->state & TIGON_CPU_STATE_FAULTS) != 0 ? TIGON_CPU_FAULTED : TIGON_CPU_HALTED;
}

/* The loop's own copies of what changes with every instruction. */
struct progress {
    uint32_t pc, npc;
    uint64_t cycle;
    uint64_t instructions;
    uint64_t other; /* cycles that are neither issue nor interlock */
};

/* Make the core's fields say what the loop knows. Interlock stalls are what remains of the time. */
static inline void publish(struct tigon_cpu *cpu, const struct progress *start,
                           const struct progress *now) {
    cpu->pc = now->pc;
    cpu->npc = now->npc;
    cpu->cycle = now->cycle;
    cpu->statistics.instructions = start->instructions + now->instructions;
    cpu->statistics.load_use_stalls =
        start->other + (now->cycle - start->cycle - now->instructions - now->other);
}

#define G(n) gpr[n]
#define RS   gpr[in->source]
#define RT   gpr[in->second]
#define RD   gpr[in->destination]

#define EXTRA(cycles)                                                                              \
    do {                                                                                           \
        uint64_t extra = (cycles);                                                                 \
        now.cycle += extra;                                                                        \
        now.other += extra;                                                                        \
    } while (0)

#define TAKE(target)                                                                               \
    do {                                                                                           \
        now.npc = (target);                                                                        \
        EXTRA(cpu->timing.taken_branch_extra);                                                     \
    } while (0)

#define BRANCH(condition)                                                                          \
    do {                                                                                           \
        if (condition)                                                                             \
            TAKE(now.pc + in->immediate);                                                          \
    } while (0)

#define BRANCH_LIKELY(condition)                                                                   \
    do {                                                                                           \
        if (condition) {                                                                           \
            TAKE(now.pc + in->immediate);                                                          \
        } else {                                                                                   \
            now.pc = now.npc;                                                                      \
            now.npc += 4u;                                                                         \
            EXTRA(cpu->timing.nullified_slot);                                                     \
        }                                                                                          \
    } while (0)

/* The linking branches read rs before they write $31. */
#define BRANCH_LINK(kind, condition)                                                               \
    do {                                                                                           \
        bool taken = (condition);                                                                  \
        G(31) = from + 8u;                                                                         \
        kind(taken);                                                                               \
    } while (0)

#define LOAD(bytes, fast, extend)                                                                  \
    do {                                                                                           \
        address = RS + in->immediate;                                                              \
        uint32_t offset = address - TIGON_SCRATCHPAD;                                              \
        if (offset < scratchpad_size && (address & ((bytes)-1u)) == 0) {                           \
            RD = extend(fast(scratchpad + offset));                                                \
            EXTRA(scratchpad_load_extra);                                                          \
            break;                                                                                 \
        }                                                                                          \
        publish(cpu, &start, &now);                                                                \
        result = tigon_cpu_load(cpu, from, address, (bytes), &value);                              \
        if (result <= TIGON_ACCESS_REGISTER)                                                       \
            RD = extend(value);                                                                    \
        load_register = 0;                                                                         \
        goto accessed;                                                                             \
    } while (0)

/* A store of the value that is there already does not end a poll loop. */
#define STORE(bytes, read, write, type)                                                            \
    do {                                                                                           \
        address = RS + in->immediate;                                                              \
        uint32_t offset = address - TIGON_SCRATCHPAD;                                              \
        if (offset < scratchpad_size && (address & ((bytes)-1u)) == 0) {                           \
            cpu->effects += read(scratchpad + offset) != (type)RT;                                 \
            write(scratchpad + offset, (type)RT);                                                  \
            scratchpad_decoded[offset / 4u].operation = TIGON_OP_STALE;                            \
            EXTRA(scratchpad_store_extra);                                                         \
            break;                                                                                 \
        }                                                                                          \
        publish(cpu, &start, &now);                                                                \
        result = tigon_cpu_store(cpu, address, (bytes), RT);                                       \
        goto accessed;                                                                             \
    } while (0)

#define LOAD8(bytes)         (*(bytes))
#define STORE8(bytes, value) (*(bytes) = (value))
#define NO_EXTENSION(value)  (value)

static inline __attribute__((always_inline)) enum tigon_cpu_stop execute(struct tigon_cpu *cpu,
                                                                         const enum mode mode) {
    uint32_t *const gpr = cpu->gpr;
    uint8_t *const scratchpad = cpu->memory->scratchpad[cpu->core];
    struct tigon_instruction *const scratchpad_decoded = cpu->memory->scratchpad_decoded[cpu->core];
    const uint32_t scratchpad_size = cpu->memory->scratchpad_size[cpu->core];
    const uint64_t scratchpad_load_extra = cpu->timing.scratchpad_load - 1u;
    const uint64_t scratchpad_store_extra = cpu->timing.scratchpad_store - 1u;
    const uint64_t interlock = cpu->timing.load_use_interlock;
    const uint32_t run_ahead = mode == MODE_STEP ? 0 : cpu->run_ahead;
    const struct progress start = {.cycle = cpu->cycle,
                                   .instructions = cpu->statistics.instructions,
                                   .other = cpu->statistics.load_use_stalls};
    struct progress now = {.pc = cpu->pc, .npc = cpu->npc, .cycle = cpu->cycle};
    const struct tigon_fetch_region scratchpad_region = {scratchpad_decoded, TIGON_SCRATCHPAD,
                                                         scratchpad_size / 4u};
    struct tigon_fetch_region region = scratchpad_region;
    uint32_t load_register = cpu->load_register;
    uint64_t limit = cpu->horizon + run_ahead;
    enum tigon_cpu_stop stop = TIGON_CPU_HORIZON;
    enum tigon_access result;
    uint32_t address, value = 0;

    if (limit < cpu->horizon)
        limit = UINT64_MAX;

    while (now.cycle < limit) {
        if (mode == MODE_STEP && now.instructions != 0 && now.npc == now.pc + 4u) {
            stop = TIGON_CPU_STEPPED;
            break;
        }
        uint32_t index = rotate_right(now.pc - region.base, 2);
        if (__builtin_expect(index >= region.words, 0)) {
            cpu->cycle = now.cycle;
            result = tigon_cpu_fetch(cpu, now.pc, &region);
            now.other += cpu->cycle - now.cycle;
            now.cycle = cpu->cycle;
            if (result == TIGON_ACCESS_BLOCKED)
                break;
            if (result == TIGON_ACCESS_FAULT) {
                stop = TIGON_CPU_FAULTED;
                break;
            }
            continue;
        }
        if (mode == MODE_OBSERVED && !cpu->shown) {
            publish(cpu, &start, &now);
            cpu->shown = true;
            if (cpu->observer(cpu->observer_context, cpu->core, now.pc, now.cycle)) {
                stop = TIGON_CPU_BREAKPOINT;
                break;
            }
        }

        const struct tigon_instruction *in = &region.entries[index];
        const uint32_t from = now.pc;
        const uint32_t just_loaded = load_register;
        now.cycle += -(uint64_t)(in->reads >> just_loaded & 1u) & interlock;
        load_register = in->loads;
        now.pc = now.npc;
        now.npc += 4u;

        switch ((enum tigon_op)in->operation) {
        case TIGON_OP_STALE: /* the other fields are those of the old instruction */
            now.cycle -= -(uint64_t)(in->reads >> just_loaded & 1u) & interlock;
            load_register = just_loaded;
            tigon_cpu_decode_scratchpad(cpu, from);
            now.npc = now.pc;
            now.pc = from;
            continue;
        case TIGON_OP_HALT:
            cpu->state |= TIGON_CPU_STATE_HALT_EXECUTED | TIGON_CPU_STATE_HALTED;
            now.npc = now.pc;
            now.pc = from;
            now.cycle++;
            now.instructions++;
            stop = TIGON_CPU_HALTED;
            goto leave;
        case TIGON_OP_NOP:
            break;
        case TIGON_OP_ADDU:
            RD = RS + RT;
            break;
        case TIGON_OP_SUBU:
            RD = RS - RT;
            break;
        case TIGON_OP_ADD:
            if (__builtin_add_overflow((int32_t)RS, (int32_t)RT, (int32_t *)&value))
                goto invalid;
            RD = value;
            break;
        case TIGON_OP_SUB:
            if (__builtin_sub_overflow((int32_t)RS, (int32_t)RT, (int32_t *)&value))
                goto invalid;
            RD = value;
            break;
        case TIGON_OP_ADDI:
            if (__builtin_add_overflow((int32_t)RS, (int32_t)in->immediate, (int32_t *)&value))
                goto invalid;
            RD = value;
            break;
        case TIGON_OP_ADDIU:
            RD = RS + in->immediate;
            break;
        case TIGON_OP_AND:
            RD = RS & RT;
            break;
        case TIGON_OP_OR:
            RD = RS | RT;
            break;
        case TIGON_OP_XOR:
            RD = RS ^ RT;
            break;
        case TIGON_OP_NOR:
            RD = ~(RS | RT);
            break;
        case TIGON_OP_ANDI:
            RD = RS & in->immediate;
            break;
        case TIGON_OP_ORI:
            RD = RS | in->immediate;
            break;
        case TIGON_OP_XORI:
            RD = RS ^ in->immediate;
            break;
        case TIGON_OP_LUI:
            RD = in->immediate;
            break;
        case TIGON_OP_SLL:
            RD = RT << in->immediate;
            break;
        case TIGON_OP_SRL:
            RD = RT >> in->immediate;
            break;
        case TIGON_OP_SRA:
            RD = shift_right_arithmetic(RT, in->immediate);
            break;
        case TIGON_OP_SLLV:
            RD = RT << (RS & 31u);
            break;
        case TIGON_OP_SRLV:
            RD = RT >> (RS & 31u);
            break;
        case TIGON_OP_SRAV:
            RD = shift_right_arithmetic(RT, RS);
            break;
        case TIGON_OP_SLT:
            RD = (int32_t)RS < (int32_t)RT;
            break;
        case TIGON_OP_SLTU:
            RD = RS < RT;
            break;
        case TIGON_OP_SLTI:
            RD = (int32_t)RS < (int32_t)in->immediate;
            break;
        case TIGON_OP_SLTIU:
            RD = RS < in->immediate;
            break;
        case TIGON_OP_PRI:
            RD = priority_encode(RS & RT);
            EXTRA(cpu->timing.priority_encode - 1u);
            break;
        case TIGON_OP_LW:
            LOAD(4u, tigon_load_be32, NO_EXTENSION);
            break;
        case TIGON_OP_LH:
            LOAD(2u, tigon_load_be16, sign16);
            break;
        case TIGON_OP_LHU:
            LOAD(2u, tigon_load_be16, NO_EXTENSION);
            break;
        case TIGON_OP_LB:
            LOAD(1u, LOAD8, sign8);
            break;
        case TIGON_OP_LBU:
            LOAD(1u, LOAD8, NO_EXTENSION);
            break;
        case TIGON_OP_SW:
            STORE(4u, tigon_load_be32, tigon_store_be32, uint32_t);
            break;
        case TIGON_OP_SH:
            STORE(2u, tigon_load_be16, tigon_store_be16, uint16_t);
            break;
        case TIGON_OP_SB:
            STORE(1u, LOAD8, STORE8, uint8_t);
            break;
        case TIGON_OP_JAL:
            G(31) = from + 8u;
            TAKE((now.pc & 0xF0000000u) | in->immediate);
            break;
        case TIGON_OP_J:
            TAKE((now.pc & 0xF0000000u) | in->immediate);
            break;
        case TIGON_OP_JALR: {
            uint32_t target = RS;
            RD = from + 8u;
            TAKE(target);
            break;
        }
        case TIGON_OP_JR:
            TAKE(RS);
            break;
        case TIGON_OP_JOFF:
            TAKE(RS + RT * 8u);
            break;
        case TIGON_OP_BEQ:
            BRANCH(RS == RT);
            break;
        case TIGON_OP_BNE:
            BRANCH(RS != RT);
            break;
        case TIGON_OP_BLEZ:
            BRANCH((int32_t)RS <= 0);
            break;
        case TIGON_OP_BGTZ:
            BRANCH((int32_t)RS > 0);
            break;
        case TIGON_OP_BLTZ:
            BRANCH((int32_t)RS < 0);
            break;
        case TIGON_OP_BGEZ:
            BRANCH((int32_t)RS >= 0);
            break;
        case TIGON_OP_BLTZAL:
            BRANCH_LINK(BRANCH, (int32_t)RS < 0);
            break;
        case TIGON_OP_BGEZAL:
            BRANCH_LINK(BRANCH, (int32_t)RS >= 0);
            break;
        case TIGON_OP_BEQL:
            BRANCH_LIKELY(RS == RT);
            break;
        case TIGON_OP_BNEL:
            BRANCH_LIKELY(RS != RT);
            break;
        case TIGON_OP_BLEZL:
            BRANCH_LIKELY((int32_t)RS <= 0);
            break;
        case TIGON_OP_BGTZL:
            BRANCH_LIKELY((int32_t)RS > 0);
            break;
        case TIGON_OP_BLTZL:
            BRANCH_LIKELY((int32_t)RS < 0);
            break;
        case TIGON_OP_BGEZL:
            BRANCH_LIKELY((int32_t)RS >= 0);
            break;
        case TIGON_OP_BLTZALL:
            BRANCH_LINK(BRANCH_LIKELY, (int32_t)RS < 0);
            break;
        case TIGON_OP_BGEZALL:
            BRANCH_LINK(BRANCH_LIKELY, (int32_t)RS >= 0);
            break;
        case TIGON_OP_COUNT:
        default:
            __builtin_unreachable(); /* saves the range check of the switch */
        case TIGON_OP_INVALID:
        invalid:
            cpu->state |= TIGON_CPU_STATE_BAD_INSTRUCTION | TIGON_CPU_STATE_HALTED;
            stop = TIGON_CPU_FAULTED;
            now.npc = now.pc;
            now.pc = from;
            load_register = 0;
            goto leave;
        }
        now.cycle++;
        now.instructions++;
        if (mode == MODE_OBSERVED)
            cpu->shown = false;
        continue;

    accessed: /* a load or store outside the scratchpad; cpu->cycle has moved */
        now.other += cpu->cycle - now.cycle;
        now.cycle = cpu->cycle;
        if (result > TIGON_ACCESS_REGISTER) {
            now.npc = now.pc;
            now.pc = from;
            load_register = 0;
            stop = result == TIGON_ACCESS_FAULT    ? TIGON_CPU_FAULTED
                   : result == TIGON_ACCESS_PARKED ? TIGON_CPU_PARKED
                                                   : TIGON_CPU_HORIZON;
            break;
        }
        now.other--; /* one of these cycles is the issue */
        now.instructions++;
        if (mode == MODE_OBSERVED)
            cpu->shown = false;
        if (result == TIGON_ACCESS_REGISTER) {
            now.pc = cpu->pc;
            now.npc = cpu->npc;
            region = scratchpad_region; /* the I-line may have been dropped */
            limit = cpu->horizon + run_ahead;
            if (limit < cpu->horizon)
                limit = UINT64_MAX;
            if (tigon_cpu_stopped(cpu)) {
                stop = why_stopped(cpu);
                break;
            }
        }
    }
leave:
    if (mode == MODE_STEP && stop == TIGON_CPU_HORIZON && now.instructions != 0 &&
        now.npc == now.pc + 4u)
        stop = TIGON_CPU_STEPPED;
    cpu->load_register = load_register;
    publish(cpu, &start, &now);
    return stop;
}

static __attribute__((noinline)) enum tigon_cpu_stop execute_plain(struct tigon_cpu *cpu) {
    return execute(cpu, MODE_PLAIN);
}

static __attribute__((noinline)) enum tigon_cpu_stop execute_observed(struct tigon_cpu *cpu) {
    return execute(cpu, MODE_OBSERVED);
}

static __attribute__((noinline)) enum tigon_cpu_stop execute_step(struct tigon_cpu *cpu) {
    return execute(cpu, MODE_STEP);
}

static enum tigon_cpu_stop execute_until(struct tigon_cpu *cpu, uint64_t horizon,
                                         enum tigon_cpu_stop (*loop)(struct tigon_cpu *)) {
    if (tigon_cpu_stopped(cpu))
        return why_stopped(cpu);
    if (cpu->parked)
        return TIGON_CPU_PARKED;
    cpu->horizon = horizon;
    cpu->event_limit = UINT64_MAX;
    cpu->running = true;
    enum tigon_cpu_stop stop = loop(cpu);
    cpu->running = false;
    return stop;
}

enum tigon_cpu_stop tigon_cpu_run(struct tigon_cpu *cpu, uint64_t horizon) {
    if ((cpu->state & TIGON_CPU_STATE_SINGLE_STEP) != 0) {
        enum tigon_cpu_stop stop = execute_until(cpu, horizon, execute_step);
        if (stop != TIGON_CPU_STEPPED)
            return stop;
        cpu->state |= TIGON_CPU_STATE_HALTED;
        return TIGON_CPU_HALTED;
    }
    return execute_until(cpu, horizon, cpu->observer ? execute_observed : execute_plain);
}

void tigon_cpu_run_strictly(struct tigon_cpu *cpu, uint64_t horizon) {
    uint32_t run_ahead = cpu->run_ahead;
    cpu->run_ahead = 0;
    (void)execute_until(cpu, horizon, execute_plain);
    cpu->run_ahead = run_ahead;
}

enum tigon_cpu_stop tigon_cpu_step(struct tigon_cpu *cpu) {
    if (cpu->parked)
        tigon_cpu_wake(cpu, cpu->cycle);
    return execute_until(cpu, UINT64_MAX, execute_step);
}
