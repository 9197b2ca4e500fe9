/* SPDX-License-Identifier: MIT */
/* Translated text of a core: life cycle, entry, accesses. See native.h; native_x86_64.c
 * translates. */
#include "sim/core/cpu_register.h"
#include "sim/core/cpu_sram.h"
#include "sim/native/native_private.h"

/* Two adjacent counters are cheaper to add separately than to pack into a vector. */
#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include <stdlib.h>

/* Counts are 32 bits wide while translated text runs. */
#define FURTHEST_CYCLES (UINT64_C(1) << 30)

static void forget_all(struct tigon_native *native) {
    struct tigon_memory *memory = native->cpu->memory;
    const unsigned core = native->cpu->core;
    for (uint32_t i = 0; i < NATIVE_WORDS; i++)
        native->entry[i] = native->leave;
    memset(native->heat, 0, sizeof native->heat);
    memset(native->distrusted, 0, sizeof native->distrusted);
    memset(memory->scratchpad_text[core], 0, sizeof memory->scratchpad_text[core]);
    /* Words that only the interpreter had decoded must stay decoded: decode them anew. */
    for (uint32_t i = 0; i < native->words; i++)
        memory->scratchpad_decoded[core][i].operation = TIGON_OP_STALE;
    memory->scratchpad_text_changed[core] = false;
    native->aside.return_to = NULL;
}

static void use(struct tigon_native *native, struct native_text *text) {
    native->text = text;
    native->leave = text->leave;
    forget_all(native);
}

/* Makes room for new blocks, if possible. Another core that shares the text may be inside any of
 * its blocks, so this core then leaves the text to the others. */
static void make_room(struct tigon_native *native) {
    if (native->text->cores == 1) {
        native_text_clear(native->text);
        forget_all(native);
        return;
    }
    struct native_text *text = native_text_create();
    if (text) {
        native_text_release(native->text);
        use(native, text);
    }
}

static struct tigon_native *create(struct tigon_cpu *cpu) {
    struct tigon_native *native = calloc(1, sizeof *native);
    if (!native)
        return NULL;
    struct native_text *text = native_text_create();
    if (!text) {
        free(native);
        return NULL;
    }
    native->cpu = cpu;
    native->words = cpu->memory->scratchpad_size[cpu->core] / 4u;
    native->patience = NATIVE_HEAT;
    tigon_native_know_routines(native);
    use(native, text);
    return native;
}

static void destroy(struct tigon_native *native) {
    if (!native)
        return;
    native_text_release(native->text);
    free(native);
}

static bool share(struct tigon_native *native, const struct tigon_native *with) {
    const struct tigon_cpu *cpu = native->cpu, *other = with->cpu;
    if (cpu->core != other->core || native->words != with->words ||
        memcmp(&cpu->timing, &other->timing, sizeof cpu->timing) != 0)
        return false;
    with->text->cores++;
    native_text_release(native->text);
    use(native, with->text);
    return true;
}

static bool ready(struct tigon_native *native, uint32_t pc) {
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
    if (native_text_adopt(native, index))
        return true;
    if (native_text_full(native->text)) {
        make_room(native);
        if (native_text_full(native->text))
            return false;
    }
    if (tigon_native_translate(native, index))
        return true;
    native->heat[index] = NATIVE_NEVER;
    memset(&native->cpu->memory->scratchpad_text[native->cpu->core][index * 4u],
           TIGON_TEXT_TRANSLATED, 4); /* until the word changes */
    return false;
}

static inline void set_limit(struct tigon_native *native) {
    const uint64_t limit = tigon_cpu_run_ahead_limit(native->cpu, (uint32_t)native->run_ahead);
    native->limit = limit < native->furthest ? limit : native->furthest;
}

/* Adds the counts to the core's statistics. */
static inline void publish(struct tigon_native *native, uint64_t counts) {
    native->cpu->statistics.instructions += (uint32_t)counts;
    native->cpu->statistics.load_use_stalls += counts >> 32;
    native->counts -= counts;
}

static inline const struct native_access *access_aside(const struct tigon_native *native) {
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address below 2 GB */
    return (const struct native_access *)(uintptr_t)native->aside.access_at;
}

/* Whether the core is still before the access that blocked it, in the state that the block left.
 * moved() ends this state: any execution by the interpreter, any change of pc, and any change of a
 * register that a block holds in host registers. */
static inline bool stands_aside(const struct tigon_native *native) {
    return native->aside.return_to != NULL;
}

static inline bool text_changed(const struct tigon_native *native) {
    return native->cpu->memory->scratchpad_text_changed[native->cpu->core];
}

/* Before the core continues, at whatever entry. */
static inline void prepare_piece(struct tigon_native *native) {
    native->end = TIGON_ENGINE_AT; /* unless the code below finds another entry */
    native->run_ahead = native->cpu->run_ahead;
    native->furthest = native->cpu->cycle + FURTHEST_CYCLES;
}

/* Prepares the entry at cpu->pc. False if there is no translated text. */
static inline bool prepare(struct tigon_native *native) {
    struct tigon_cpu *cpu = native->cpu;
    if (text_changed(native))
        return false;
    if (!stands_aside(native)) {
        const uint32_t offset = cpu->pc - TIGON_SCRATCHPAD;
        if (offset >= native->words * 4u || (offset & 3u) != 0 || cpu->npc != cpu->pc + 4u ||
            cpu->load_register != 0 || native->entry[offset / 4u] == native->leave)
            return false;
        native->aside.block_began = cpu->cycle;
        native->aside.go_on = native->entry[offset / 4u];
        native->aside.return_to = NULL;
        native->counts = 0;
    }
    prepare_piece(native);
    set_limit(native);
    return true;
}

/* Publishes the counts of the saved entry point. All other fields of the core are always up to date
 * there. */
static inline void show(struct tigon_native *native) {
    publish(native, native->counts + access_aside(native)->before);
}

/* Before a callback, which may read or change the other core. */
static inline void show_other(struct tigon_native *native) {
    struct tigon_native *other = native->hand_to;
    if (!other)
        return;
    show(other);
    other->cpu->running = false;
    native->cpu->running = true;
}

/* Whether the peer, which could continue in its turn, still can after a callback of `native`. The
 * peer is not running, so it has not parked. */
static inline bool still_aside(const struct tigon_native *native,
                               const struct tigon_native *other) {
    const struct tigon_cpu *cpu = other->cpu;
    return stands_aside(other) && !cpu->observer &&
           (cpu->state & (TIGON_CPU_STATE_STOPPED | TIGON_CPU_STATE_SINGLE_STEP)) == 0 &&
           !text_changed(other) && native->cpu->event_limit >= native->horizon_of_both;
}

/* Whether the core, which may become the next in turn, can run in translated text. */
static inline bool can_take_turns(const struct tigon_native *native) {
    const struct tigon_cpu *cpu = native->cpu;
    return !cpu->parked && !cpu->observer && cpu->loop.stage == TIGON_LOOP_NONE &&
           (cpu->state & (TIGON_CPU_STATE_STOPPED | TIGON_CPU_STATE_SINGLE_STEP)) == 0;
}

/* Whether an access blocked the core. If so, its entry point is saved, and its counts are in the
 * statistics already. */
static inline bool waits_at_horizon(const struct tigon_native *native) {
    return native->end == TIGON_ENGINE_STOP && native->stop == TIGON_CPU_HORIZON;
}

static void stands_elsewhere(struct tigon_native *native) {
    publish(native, native->counts);
    native->aside.return_to = NULL;
}

static inline enum tigon_engine_end execute(struct tigon_native **native) {
    *native = tigon_native_enter(*native);
    if (!waits_at_horizon(*native))
        stands_elsewhere(*native);
    return (enum tigon_engine_end)(*native)->end;
}

static enum tigon_engine_end execute_ready(struct tigon_native *native, enum tigon_cpu_stop *stop) {
    /* This may be within a callback of the other core's translated text. */
    native->other = native->hand_to = NULL;
    native->horizon_of_both = 0;
    if (!prepare(native))
        return TIGON_ENGINE_AT;
    const enum tigon_engine_end end = execute(&native);
    *stop = native->stop;
    return end;
}

static bool piece(struct tigon_cpu **cpu, uint64_t horizon_of_both, enum tigon_engine_end *end,
                  enum tigon_cpu_stop *stop) {
    struct tigon_native *native = (*cpu)->native;
    struct tigon_cpu *peer = (*cpu)->peer;
    if (!prepare(native)) {
        /* Text that has been executed often enough is translated now. */
        const uint32_t pc = (*cpu)->pc;
        native->aside.return_to = NULL;
        if (pc - TIGON_SCRATCHPAD >= native->words * 4u || (pc & 3u) != 0 ||
            (*cpu)->npc != pc + 4u || (*cpu)->load_register != 0 || !ready(native, pc) ||
            !prepare(native))
            return false;
    }
    native->other = native->hand_to = NULL;
    if (peer && peer->native && !tigon_cpu_stopped(peer)) {
        struct tigon_native *other = peer->native;
        peer->event_limit = UINT64_MAX;
        peer->lowest_bound = UINT64_MAX;
        native->other = other;
        other->other = native;
        native->horizon_of_both = other->horizon_of_both = horizon_of_both;
        if (stands_aside(other) && can_take_turns(other) && !text_changed(other)) {
            prepare_piece(other);
            native->hand_to = other;
        }
    }
    *end = execute(&native);
    *stop = native->stop;
    *cpu = native->cpu;
    show_other(native);
    return true;
}

/* Whether the core continues at its saved entry point, up to `horizon` at least, as tigon_cpu_run()
 * would find it. */
static inline bool goes_on(const struct tigon_cpu *cpu, uint64_t horizon) {
    const struct tigon_native *native = cpu->native;
    return native && stands_aside(native) && can_take_turns(native) &&
           (horizon <= cpu->loop.look_at || cpu->parking_off) && !text_changed(native);
}

/* The remaining work before the horizon after one core, or both, have run so far; `native` ran
 * last. */
static __attribute__((noinline)) uint64_t finish_turn(struct tigon_native *native) {
    struct tigon_cpu *cpu = native->cpu;
    const struct tigon_native *other = native->other;
    uint64_t horizon = native->horizon_of_both;
    if (!waits_at_horizon(native)) {
        stands_elsewhere(native);
        if (native->end != TIGON_ENGINE_STOP)
            tigon_cpu_interpret(cpu);
    }
    if (cpu->event_limit < horizon)
        horizon = cpu->event_limit;
    if (other && other->cpu->event_limit < horizon)
        horizon = other->cpu->event_limit;
    return tigon_cpu_run_both(cpu, horizon);
}

static uint64_t alone(struct tigon_cpu *cpu, uint64_t horizon) {
    struct tigon_native *native = cpu->native;
    cpu->event_limit = UINT64_MAX;
    if (!goes_on(cpu, horizon) || cpu->cycle >= horizon)
        return tigon_cpu_run_both(cpu, horizon);
    cpu->horizon = horizon;
    cpu->lowest_bound = UINT64_MAX;
    cpu->running = true;
    native->other = native->hand_to = NULL;
    native->horizon_of_both = horizon;
    prepare_piece(native);
    set_limit(native);
    native = tigon_native_enter(native); /* the same */
    cpu = native->cpu;
    cpu->running = false;
    /* Another part may be due by now, but then it has bounded this core. */
    if (__builtin_expect(waits_at_horizon(native) && cpu->lowest_bound == UINT64_MAX, 1))
        return cpu->horizon;
    return finish_turn(native);
}

static uint64_t pair(struct tigon_cpu *a, struct tigon_cpu *b, uint64_t horizon) {
    if (!goes_on(a, horizon) || !goes_on(b, horizon))
        return tigon_cpu_run_both(a, horizon);
    struct tigon_native *native = a->cycle <= b->cycle ? a->native : b->native;
    struct tigon_native *other = a->cycle <= b->cycle ? b->native : a->native;
    struct tigon_cpu *first = native->cpu;
    if (first->cycle >= horizon)
        return horizon;
    const uint64_t bound = other->cpu->cycle + native->goes_first;
    a->event_limit = b->event_limit = UINT64_MAX;
    a->lowest_bound = b->lowest_bound = UINT64_MAX;
    first->horizon = bound < horizon ? bound : horizon;
    first->running = true;
    native->other = native->hand_to = other;
    other->other = native;
    native->horizon_of_both = other->horizon_of_both = horizon;
    prepare_piece(native);
    prepare_piece(other);
    set_limit(native);
    native = tigon_native_enter(native);
    show_other(native);
    native->cpu->running = false;
    if (waits_at_horizon(native) && a->cycle >= horizon && b->cycle >= horizon &&
        a->lowest_bound == UINT64_MAX && b->lowest_bound == UINT64_MAX)
        return horizon;
    return finish_turn(native);
}

static void moved(struct tigon_native *native) {
    native->aside.return_to = NULL;
}

static bool changed(struct tigon_native *native) {
    if ((native->changed[0] | native->changed[1] | native->changed[2]) == 0)
        return false;
    memset(native->changed, 0, sizeof native->changed);
    return true;
}

static void set_patience(struct tigon_native *native, uint8_t times) {
    native->patience = times;
}

/* ------------------------------------------------------------------------------------------------
 * Accesses */

static uint32_t extend(const struct native_access *access, uint32_t value) {
    if (!access->sign)
        return value;
    return access->shift == 1 ? (uint32_t)(int32_t)(int16_t)(uint16_t)value
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

/* The interpreter or the caller continues here. */
static struct tigon_native *leave(struct tigon_native *native, enum tigon_engine_end end,
                                  uint64_t counts, uint32_t pc, uint32_t npc) {
    native->end = end;
    native->counts = counts;
    native->cpu->pc = pc;
    native->cpu->npc = npc;
    return NULL;
}

/* Whether this core may continue in translated text now that the other is at `cycle`, by the rule
 * of the loop in tigon_cpu_run_pair(). State that callbacks can change is read each time. */
static inline bool next_in_turn(struct tigon_native *native, const struct tigon_cpu *before) {
    struct tigon_cpu *cpu = native->cpu;
    uint64_t horizon = native->horizon_of_both;
    if (before->event_limit < horizon)
        horizon = before->event_limit;
    if (cpu->event_limit < horizon)
        horizon = cpu->event_limit;
    native->horizon_of_both = before->native->horizon_of_both = horizon;
    if (cpu->cycle >= horizon || !can_take_turns(native))
        return false;
    const uint64_t bound = before->cycle + (cpu->core == TIGON_CORE_A ? 1u : 0u);
    if (cpu->cycle >= bound)
        return false;
    cpu->horizon = bound < horizon ? bound : horizon;
    return prepare(native);
}

struct tigon_native *tigon_native_blocked(struct tigon_native *native) {
    struct tigon_cpu *cpu = native->cpu;
    struct tigon_native *other = native->other;
    show(native);
    /* If there is a core to switch to, that one is at the horizon of both, too. */
    if (!native->hand_to && other && next_in_turn(other, cpu)) {
        cpu->running = false;
        other->cpu->running = true;
        other->hand_to = native;
        return other;
    }
    native->end = TIGON_ENGINE_STOP;
    native->stop = TIGON_CPU_HORIZON;
    return NULL;
}

/* The same for an access that comes from tigon_native_access(). */
static struct tigon_native *blocked_at(struct tigon_native *native,
                                       const struct native_access *access,
                                       const uint8_t *return_to) {
    struct tigon_cpu *cpu = native->cpu;
    struct tigon_native *other = native->hand_to;
    native->aside =
        (struct native_aside){.block_began = cpu->cycle - (uint64_t)(int64_t)access->issue,
                              .cycle = cpu->cycle,
                              .go_on = native->access,
                              .return_to = return_to,
                              .access_at = (uint32_t)(uintptr_t)access,
                              .value = native->value};
    cpu->pc = access->from;
    cpu->npc = access->next_pc;
    if (!other || other->aside.cycle >= native->horizon_of_both)
        return tigon_native_blocked(native);
    /* No part has changed the other core: it is the next in turn. */
    const uint64_t bound = cpu->cycle + other->goes_first;
    other->cpu->horizon = bound < native->horizon_of_both ? bound : native->horizon_of_both;
    set_limit(other);
    other->hand_to = native;
    return other;
}

/* State that a callback of a register access may have changed. `horizon` was the core's before
 * it. */
static inline void look_after_callback(struct tigon_native *native, uint64_t horizon) {
    if (native->cpu->horizon != horizon)
        set_limit(native);
    if (native->hand_to && !still_aside(native, native->hand_to))
        native->hand_to = NULL;
}

/* The access is done: continues with the next instruction, at `next_pc`. False if that is not in
 * the block. A caller that ran a callback in between must have checked access->next_pc before. */
static inline bool go_on(struct tigon_native *native, const struct native_access *access,
                         uint32_t next_pc, uint64_t counts) {
    struct tigon_cpu *cpu = native->cpu;
    const uint64_t block_began = cpu->cycle - access->next;
    if ((int64_t)(block_began + (uint64_t)(int64_t)access->last) >= (int64_t)native->limit) {
        (void)leave(native, TIGON_ENGINE_NEAR_LIMIT, counts, next_pc, next_pc + 4u);
        return false;
    }
    cpu->cycle = block_began;
    return true;
}

/* The same after a register access, whose callback may also have moved this core. The statistics
 * include the counts up to it. */
static inline bool go_on_after_callback(struct tigon_native *native,
                                        const struct native_access *access, uint32_t next_pc) {
    struct tigon_cpu *cpu = native->cpu;
    if (tigon_cpu_stopped(cpu) || cpu->pc != next_pc || cpu->npc != next_pc + 4u) {
        native->stop = tigon_cpu_why_stopped(cpu);
        (void)leave(native, tigon_cpu_stopped(cpu) ? TIGON_ENGINE_STOP : TIGON_ENGINE_AT, 1u,
                    cpu->pc, cpu->npc);
        return false;
    }
    if (text_changed(native)) {
        (void)leave(native, TIGON_ENGINE_AT, 1u, cpu->pc, cpu->npc);
        return false;
    }
    return go_on(native, access, next_pc, 1u);
}

bool tigon_native_load_register(struct tigon_native *native, const struct native_access *access,
                                uint32_t number) {
    struct tigon_cpu *cpu = native->cpu;
    const uint64_t horizon = cpu->horizon;
    const uint32_t next_pc = access->next_pc;
    uint32_t value;
    show_other(native);
    const enum tigon_access result =
        tigon_cpu_read_register(cpu, access->from, number * 4u, &value);
    look_after_callback(native, horizon);
    if (result == TIGON_ACCESS_PARKED) {
        native->stop = TIGON_CPU_PARKED;
        (void)leave(native, TIGON_ENGINE_STOP, 0, access->from, next_pc);
        return false;
    }
    native->value = cpu->gpr[access->destination] = value;
    return go_on_after_callback(native, access, next_pc);
}

bool tigon_native_poll(struct tigon_native *native, const struct native_access *access,
                       uint32_t number) {
    struct tigon_cpu *cpu = native->cpu;
    const uint32_t value = tigon_cpu_register_value(cpu, number * 4u);
    const uint32_t next_pc = access->next_pc;
    show_other(native); /* to the observers of parking */
    if (tigon_poll_note(cpu, access->from, number * 4u, value)) {
        native->stop = TIGON_CPU_PARKED;
        (void)leave(native, TIGON_ENGINE_STOP, 0, access->from, next_pc);
        return false;
    }
    cpu->cycle += cpu->timing.register_read;
    cpu->statistics.register_reads++;
    native->value = cpu->gpr[access->destination] = value;
    return go_on(native, access, next_pc, 1u);
}

bool tigon_native_store_register(struct tigon_native *native, const struct native_access *access,
                                 uint32_t number, uint32_t value) {
    const uint64_t horizon = native->cpu->horizon;
    const uint32_t next_pc = access->next_pc;
    show_other(native);
    tigon_cpu_write_register(native->cpu, number * 4u, value);
    look_after_callback(native, horizon);
    return go_on_after_callback(native, access, next_pc);
}

/* A load from the scratchpad, which the block expected elsewhere. As at the end of a block, the
 * load stays pending at the limit. */
static struct tigon_native *load_unexpected(struct tigon_native *native,
                                            const struct native_access *access, uint32_t offset,
                                            uint64_t counts) {
    struct tigon_cpu *cpu = native->cpu;
    const uint8_t *const from = cpu->scratchpad + offset;
    native->value = extend(access, tigon_cpu_load_bytes(from, 1u << access->shift));
    cpu->gpr[access->destination] = native->value;
    cpu->cycle += cpu->timing.scratchpad_load;
    const uint32_t interlock = access->waited_for ? cpu->timing.load_use_interlock : 0;
    const uint64_t block_began = cpu->cycle + interlock - access->next;
    if ((int64_t)(block_began + (uint64_t)(int64_t)access->last) >= (int64_t)native->limit) {
        cpu->load_register = access->destination;
        return leave(native, TIGON_ENGINE_NEAR_LIMIT, counts, access->next_pc,
                     access->next_pc + 4u);
    }
    cpu->cycle = block_began;
    native->counts += (uint64_t)interlock << 32;
    return native;
}

struct tigon_native *tigon_native_access(struct tigon_native *native,
                                         const struct native_access *access,
                                         const uint8_t *return_to) {
    struct tigon_cpu *cpu = native->cpu;
    const uint32_t immediate = (uint32_t)access->immediate; /* its sign extended */
    const uint32_t address = cpu->gpr[access->source] + immediate;
    const uint32_t bytes = 1u << access->shift;
    const uint32_t pc = access->next_pc;
    const uint64_t counts = native->counts + access->before;
    const uint64_t horizon = cpu->horizon;
    uint32_t value = 0;
    enum tigon_access result = TIGON_ACCESS_DONE;
    cpu->cycle += (uint64_t)(int64_t)access->issue;
    /* Accesses that may fault take the slow path. */
    if (address < TIGON_SRAM_WINDOW && (address & (bytes - 1u)) == 0 &&
        address >= TIGON_NULL_PAGE_SIZE) {
        const uint32_t offset = address & cpu->memory->sram_mask;
        if (access->load) {
            result = tigon_cpu_load_sram(cpu, offset, bytes, &value);
            if (result == TIGON_ACCESS_DONE)
                native->value = cpu->gpr[access->destination] = extend(access, value);
        } else {
            if (offset / TIGON_DECODE_GRANULE == cpu->memory->watched)
                show_other(native);
            result = tigon_cpu_store_sram(cpu, offset, bytes, cpu->gpr[access->second]);
        }
        if (result == TIGON_ACCESS_BLOCKED)
            return blocked_at(native, access, return_to);
        if (result == TIGON_ACCESS_REGISTER)
            look_after_callback(native, horizon);
        return go_on(native, access, pc, counts + 1u) ? native : NULL;
    }
    if (address - TIGON_SCRATCHPAD < native->words * 4u && (address & (bytes - 1u)) == 0) {
        if (access->load)
            return load_unexpected(native, access, address - TIGON_SCRATCHPAD, counts + 1u);
        store_text(cpu, address - TIGON_SCRATCHPAD, bytes, cpu->gpr[access->second]);
        cpu->cycle += cpu->timing.scratchpad_store;
    } else {
        show_other(native);
        cpu->pc = pc;
        cpu->npc = pc + 4u;
        publish(native, counts);
        if (access->load) {
            result = tigon_cpu_load(cpu, access->from, address, bytes, &value);
            if (result <= TIGON_ACCESS_REGISTER)
                native->value = cpu->gpr[access->destination] = extend(access, value);
        } else {
            result = tigon_cpu_store(cpu, address, bytes, cpu->gpr[access->second]);
        }
        if (result == TIGON_ACCESS_BLOCKED)
            return blocked_at(native, access, return_to);
        look_after_callback(native, horizon);
        if (result > TIGON_ACCESS_REGISTER) {
            native->stop = result == TIGON_ACCESS_FAULT ? TIGON_CPU_FAULTED : TIGON_CPU_PARKED;
            return leave(native, TIGON_ENGINE_STOP, 0, access->from, pc);
        }
        return go_on_after_callback(native, access, pc) ? native : NULL;
    }
    if (text_changed(native))
        return leave(native, TIGON_ENGINE_AT, counts + 1u, pc, pc + 4u);
    return go_on(native, access, pc, counts + 1u) ? native : NULL;
}

const struct tigon_engine tigon_native_engine = {.create = create,
                                                 .destroy = destroy,
                                                 .share = share,
                                                 .ready = ready,
                                                 .execute = execute_ready,
                                                 .piece = piece,
                                                 .alone = alone,
                                                 .pair = pair,
                                                 .moved = moved,
                                                 .peer_loops = tigon_native_look_at_peer,
                                                 .changed = changed,
                                                 .set_patience = set_patience};
