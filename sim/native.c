/* Translated text of a core: life, entering, accesses. See native.h; native_x86_64.c translates. */
#include "sim/cpu_sram.h"
#include "sim/native_private.h"

#ifdef __x86_64__

#include <stdlib.h>
#include <sys/mman.h>

/* Counts are 32 bits wide while translated text runs. */
#define FURTHEST_CYCLES (UINT64_C(1) << 30)

static void forget_all(struct tigon_native *native) {
    struct tigon_memory *memory = native->cpu->memory;
    const unsigned core = native->cpu->core;
    for (uint32_t i = 0; i < NATIVE_WORDS; i++)
        native->entry[i] = native->leave;
    memset(native->heat, 0, sizeof native->heat);
    memset(memory->scratchpad_text[core], 0, sizeof memory->scratchpad_text[core]);
    /* Words that only the interpreter knows must stay known: decode them anew. */
    for (uint32_t i = 0; i < native->words; i++)
        memory->scratchpad_decoded[core][i].operation = TIGON_OP_STALE;
    memory->scratchpad_text_changed[core] = false;
    native->used = native->stubs;
    native->cold_used = NATIVE_CODE_BYTES / 2u;
    native->access_count = 0;
}

struct tigon_native *tigon_native_create(struct tigon_cpu *cpu) {
    struct tigon_native *native = calloc(1, sizeof *native);
    if (!native)
        return NULL;
    void *code = mmap(NULL, NATIVE_CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) {
        free(native);
        return NULL;
    }
    native->cpu = cpu;
    native->code = code;
    native->words = cpu->memory->scratchpad_size[cpu->core] / 4u;
    native->patience = NATIVE_HEAT;
    tigon_native_make_stubs(native);
    native->stubs = native->used;
    forget_all(native);
    return native;
}

void tigon_native_destroy(struct tigon_native *native) {
    if (!native)
        return;
    munmap(native->code, NATIVE_CODE_BYTES);
    free(native);
}

bool tigon_native_ready(struct tigon_native *native, uint32_t pc) {
    const uint32_t index = (pc - TIGON_SCRATCHPAD) / 4u;
    if (native->cpu->memory->scratchpad_text_changed[native->cpu->core]) {
        forget_all(native);
        /* Text that changes all the time is not worth translating all the time. */
        if (native->patience < NATIVE_NEVER - 8u)
            native->patience = (uint8_t)(native->patience + 8u);
    }
    if (native->entry[index] != native->leave)
        return true;
    if (native->heat[index] == NATIVE_NEVER || ++native->heat[index] < native->patience)
        return false;
    if (native->used + NATIVE_BLOCK_BYTES > NATIVE_CODE_BYTES / 2u ||
        native->cold_used + NATIVE_BLOCK_BYTES > NATIVE_CODE_BYTES ||
        native->access_count + 2u * (NATIVE_BLOCK_LENGTH + 2u) > NATIVE_ACCESSES)
        forget_all(native);
    if (tigon_native_translate(native, index))
        return true;
    native->heat[index] = NATIVE_NEVER;
    memset(&native->cpu->memory->scratchpad_text[native->cpu->core][index * 4u],
           TIGON_TEXT_TRANSLATED, 4); /* until the word changes */
    return false;
}

static void set_limit(struct tigon_native *native) {
    const uint64_t limit = tigon_cpu_run_ahead_limit(native->cpu, native->run_ahead);
    native->limit = limit < native->furthest ? limit : native->furthest;
}

enum tigon_native_end tigon_native_execute(struct tigon_native *native, uint32_t run_ahead) {
    struct tigon_cpu *cpu = native->cpu;
    native->counts = 0;
    native->end = TIGON_NATIVE_AT;
    native->run_ahead = run_ahead;
    native->furthest = cpu->cycle + FURTHEST_CYCLES;
    native->begin_instructions = cpu->statistics.instructions;
    native->begin_stalls = cpu->statistics.load_use_stalls;
    set_limit(native);
    native->enter(native, cpu, cpu->memory->scratchpad[cpu->core],
                  native->entry[(cpu->pc - TIGON_SCRATCHPAD) / 4u]);
    cpu->statistics.instructions = native->begin_instructions + (uint32_t)native->counts;
    cpu->statistics.load_use_stalls = native->begin_stalls + (native->counts >> 32);
    return (enum tigon_native_end)native->end;
}

enum tigon_cpu_stop tigon_native_why(const struct tigon_native *native) {
    return native->stop;
}

void tigon_native_set_patience(struct tigon_native *native, uint8_t times) {
    native->patience = times;
}

/* ------------------------------------------------------------------------------------------------
 * Accesses */

static uint32_t extend(const struct native_access *access, uint32_t value) {
    if (!access->sign)
        return value;
    return access->bytes == 2 ? (uint32_t)(int32_t)(int16_t)(uint16_t)value
                              : (uint32_t)(int32_t)(int8_t)(uint8_t)value;
}

/* A store over decoded or translated text. */
static void store_text(struct tigon_cpu *cpu, uint32_t offset, uint32_t bytes, uint32_t value) {
    uint8_t *const to = cpu->memory->scratchpad[cpu->core] + offset;
    uint8_t word[4];
    tigon_store_be32(word, value << (32u - 8u * bytes));
    if (memcmp(to, word, bytes) != 0)
        cpu->effects++;
    memcpy(to, word, bytes);
    tigon_memory_scratchpad_touch(cpu->memory, cpu->core, offset);
}

/* Where the interpreter or the caller goes on. */
static bool leave(struct tigon_native *native, enum tigon_native_end end, uint64_t counts,
                  uint32_t pc, uint32_t npc) {
    native->end = end;
    native->counts = counts;
    native->cpu->pc = pc;
    native->cpu->npc = npc;
    return true;
}

bool tigon_native_access(struct tigon_native *native, uint32_t index) {
    const struct native_access *access = &native->accesses[index];
    struct tigon_cpu *cpu = native->cpu;
    const uint32_t address = cpu->gpr[access->source] + access->immediate;
    const uint32_t bytes = access->bytes;
    const uint32_t pc = access->computed ? native->target : access->next_pc;
    const uint32_t npc = pc + 4u;
    const uint64_t counts =
        native->counts + access->instructions + ((uint64_t)access->stalls << 32);
    const bool outside = address >= TIGON_SRAM_WINDOW;
    enum tigon_access result = TIGON_ACCESS_DONE;
    cpu->cycle += access->issue;
    /* Most are words of SRAM; what may be a fault goes the long way. */
    if (!outside && (address & (bytes - 1u)) == 0 && address >= TIGON_NULL_PAGE_SIZE) {
        const uint32_t offset = address & cpu->memory->sram_mask;
        if (access->load) {
            uint32_t value = 0;
            result = tigon_cpu_load_sram(cpu, offset, bytes, &value);
            if (result == TIGON_ACCESS_DONE)
                native->value = cpu->gpr[access->destination] = extend(access, value);
        } else {
            result = tigon_cpu_store_sram(cpu, offset, bytes, cpu->gpr[access->second]);
        }
    } else if (!access->load && address - TIGON_SCRATCHPAD < native->words * 4u &&
               (address & (bytes - 1u)) == 0) {
        store_text(cpu, address - TIGON_SCRATCHPAD, bytes, cpu->gpr[access->second]);
        cpu->cycle += cpu->timing.scratchpad_store;
    } else {
        cpu->pc = pc;
        cpu->npc = npc;
        cpu->statistics.instructions = native->begin_instructions + (uint32_t)counts;
        cpu->statistics.load_use_stalls = native->begin_stalls + (counts >> 32);
        if (access->load) {
            uint32_t value = 0;
            result = tigon_cpu_load(cpu, access->from, address, bytes, &value);
            if (result <= TIGON_ACCESS_REGISTER)
                native->value = cpu->gpr[access->destination] = extend(access, value);
        } else {
            result = tigon_cpu_store(cpu, address, bytes, cpu->gpr[access->second]);
        }
    }
    if (result > TIGON_ACCESS_REGISTER) {
        native->stop = result == TIGON_ACCESS_FAULT    ? TIGON_CPU_FAULTED
                       : result == TIGON_ACCESS_PARKED ? TIGON_CPU_PARKED
                                                       : TIGON_CPU_HORIZON;
        return leave(native, TIGON_NATIVE_STOP, counts, access->from, pc);
    }
    if (result == TIGON_ACCESS_REGISTER) {
        set_limit(native);
        if (outside && (tigon_cpu_stopped(cpu) || cpu->pc != pc || cpu->npc != npc)) {
            native->stop = tigon_cpu_why_stopped(cpu);
            return leave(native, tigon_cpu_stopped(cpu) ? TIGON_NATIVE_STOP : TIGON_NATIVE_AT,
                         counts + 1u, cpu->pc, cpu->npc);
        }
    }
    if (outside && cpu->memory->scratchpad_text_changed[cpu->core])
        return leave(native, TIGON_NATIVE_AT, counts + 1u, pc, npc);
    const uint64_t block_began = cpu->cycle - access->next;
    if (!access->ends_block &&
        (cpu->cycle >= native->limit || block_began + access->last >= native->limit))
        return leave(native, TIGON_NATIVE_NEAR_LIMIT, counts + 1u, pc, npc);
    cpu->cycle = block_began;
    native->counts -= (uint64_t)access->interlock << 32;
    return false;
}

#else /* other hosts: the interpreter does it all */

struct tigon_native *tigon_native_create(struct tigon_cpu *cpu) {
    (void)cpu;
    return NULL;
}

void tigon_native_destroy(struct tigon_native *native) {
    (void)native;
}

bool tigon_native_ready(struct tigon_native *native, uint32_t pc) {
    (void)native, (void)pc;
    return false;
}

enum tigon_native_end tigon_native_execute(struct tigon_native *native, uint32_t run_ahead) {
    (void)native, (void)run_ahead;
    return TIGON_NATIVE_AT;
}

enum tigon_cpu_stop tigon_native_why(const struct tigon_native *native) {
    (void)native;
    return TIGON_CPU_HORIZON;
}

void tigon_native_set_patience(struct tigon_native *native, uint8_t times) {
    (void)native, (void)times;
}

#endif
