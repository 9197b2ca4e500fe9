/* SPDX-License-Identifier: MIT */
/*
 * Routines that translated text calls, in assembly: SRAM accesses in the usual case, and the entry
 * and exit of translated text. The registers are those of native_private.h. A block enters a
 * routine for an access with
 *
 *   ecx  address; in out-of-line code less the beginning of the scratchpad
 *   rsi  the struct native_access
 *   edx  the value to be stored; eax is the value loaded
 *   r8   the cycle of the access
 *
 * and the routine preserves no others. It rotates ecx right by the log2 of the size. It does the
 * work of tigon_cpu_load_sram() and tigon_cpu_store_sram(), in the same order, as long as the bus
 * knows the cycle and no core waits for this very access; and that of cpu_register.h up to the
 * callback. tigon_native_access() handles all other cases, from the beginning.
 *
 * Assembly keeps the state of the core in host registers; C would save and restore it at each
 * access.
 */
#include "sim/native/native_private.h"

#include <stddef.h>

#define NATIVE(name) [name] "i"(offsetof(struct tigon_native, name))
#define ASIDE(name)  [aside_##name] "i"(offsetof(struct tigon_native, aside.name))
#define ACCESS(name) [name] "i"(offsetof(struct native_access, name))
#define CPU(name)    [name] "i"(offsetof(struct tigon_cpu, name))
#define VIEW(name)   [view_##name] "i"(offsetof(struct tigon_register_view, name))
#define COUNT(name)  [name] "i"(offsetof(struct tigon_cpu, statistics.name))
#define BUS(name)    [name] "i"(offsetof(struct tigon_bus, name))

/* Out-of-line code: counts from another beginning, and continues as if the prediction had been
 * right. */
static_assert(TIGON_SCRATCHPAD == 0xC00000, "constant of DETOUR");
#define DETOUR(label, otherwise)                                                                   \
    label "_detour:\n"                                                                             \
          "  addl $0xC00000, %%ecx\n"                                                              \
          "  movslq %c[last](%%rsi), %%r9\n"                                                       \
          "  movswq %c[detour](%%rsi), %%r10\n"                                                    \
          "  addq %%r10, %%r12\n"                                                                  \
          "  addq %%r12, %%r9\n"                                                                   \
          "  cmpq %%r13, %%r9\n"                                                                   \
          "  jge " otherwise "\n"

/* Converts ecx from an address to the index of the unit in the fitted SRAM; at `otherwise` it is
 * the index in the address space. A misaligned address becomes a large number. Stores detect the
 * null page by its marks. */
#define LOADABLE(shift, otherwise)                                                                 \
    TURN_##shift "  leal -(0x80 >> " #shift ")(%%rcx), %%r9d\n"                                    \
                 "  cmpl $(0x7FFF80 >> " #shift "), %%r9d\n"                                       \
                 "  jae " otherwise "\n"                                                           \
                 "  andl (%c[sram_mask] + 4 * " #shift ")(%%rbp), %%ecx\n"
#define STORABLE(shift, otherwise)                                                                 \
    TURN_##shift "  cmpl $(0x800000 >> " #shift "), %%ecx\n"                                       \
                 "  jae " otherwise "\n"                                                           \
                 "  andl (%c[sram_mask] + 4 * " #shift ")(%%rbp), %%ecx\n"
static_assert(TIGON_NULL_PAGE_SIZE == 0x80 && TIGON_SRAM_WINDOW == 0x800000,
              "constants of LOADABLE and STORABLE");
#define TURN_0 ""
#define TURN_1 "  rorl %%ecx\n"
#define TURN_2 "  rorl $2, %%ecx\n"

/* The rest after the access must fit below the limit if the block begins by r10 later. */
#define STILL_FITS(otherwise)                                                                      \
    "  movslq %c[last](%%rsi), %%r11\n"                                                            \
    "  addq %%r12, %%r11\n"                                                                        \
    "  addq %%r10, %%r11\n"                                                                        \
    "  cmpq %%r13, %%r11\n"                                                                        \
    "  jge " otherwise "\n"

/* The same for the rest after the wait for the write buffer; `label`_go_on: retry with it. */
#define AT_ITS_CYCLE(label)                                                                        \
    "  cmpq %%r8, %c[write_buffer_free](%%rbx)\n"                                                  \
    "  ja " label "_wait\n" label "_go_on:\n"                                                      \
    "  cmpq %c[horizon](%%rbx), %%r8\n"                                                            \
    "  jae " label "_blocked\n"

/* The wait is over for the slow path as well, which then begins at the cycle after it. */
/* clang-format off */
#define WAIT(label, otherwise)                                                                     \
    label "_wait:\n"                                                                               \
    "  movq %c[write_buffer_free](%%rbx), %%r10\n"                                                 \
    "  movslq %c[last](%%rsi), %%r11\n"                                                      \
    "  subq %%r8, %%r10\n"                                                                         \
    "  addq %%r10, %%r8\n"                                                                         \
    "  addq %%r10, %c[bus_stalls](%%rbx)\n"                                                        \
    "  addq %%r10, %%r12\n"                                                                        \
    "  addq %%r12, %%r11\n"                                                                        \
    "  cmpq %%r13, %%r11\n"                                                                        \
    "  jl " label "_go_on\n"                                                                       \
    "  jmp " otherwise "\n" label "_blocked:\n"                                                    \
    "  leaq " label "_go_on(%%rip), %%rdi\n"                                                       \
    "  jmp tigon_native_wait_for_other\n"
/* clang-format on */

/* r10: the cycle after the slot. As long as the peer is in a loop that may use the bus, no cycle is
 * plain, and `label`_reach handles that. Nothing changes before `label`_granted. */
#define TAKE_SLOT(label, otherwise)                                                                \
    "  movq %c[slots](%%rbp), %%rdi\n"                                                             \
    "  cmpq %c[plain_until](%%rdi), %%r8\n"                                                        \
    "  jae " label "_reach\n"                                                                      \
    "  movq %c[taken](%%rdi), %%r9\n"                                                              \
    "  cmpq %c[core_free](%%rdi), %%r8\n"                                                          \
    "  jb " label "_busy\n"                                                                        \
    "  btq %%r8, %%r9\n"                                                                           \
    "  jc " label "_busy\n"                                                                        \
    "  leaq 1(%%r8), %%r10\n" label "_granted:\n"                                                  \
    "  movq %%r10, %c[core_free](%%rdi)\n"                                                         \
    "  movq %c[beats](%%rbp), %%r9\n"                                                              \
    "  incq (%%r9)\n"                                                                              \
    "  movq %c[sram](%%rbp), %%r9\n"

/* The first free cycle of the window; `fits` checks whether the block may begin later by as much,
 * `delay` delays it. */
#define LATER_SLOT(label, otherwise, fits, delay)                                                  \
    label "_reach:\n"                                                                              \
          "  movq %c[peer_stage](%%rbp), %%r9\n"                                                   \
          "  cmpl $0, (%%r9)\n"                                                                    \
          "  jne " otherwise "\n"                                                                  \
          "  callq tigon_native_reach_cycle\n"                                                     \
          "  jmp " label "_go_on\n" label "_busy:\n"                                               \
          "  movq %c[core_free](%%rdi), %%r10\n"                                                   \
          "  cmpq %%r8, %%r10\n"                                                                   \
          "  cmovb %%r8, %%r10\n"                                                                  \
          "  cmpq %c[plain_until](%%rdi), %%r10\n"                                                 \
          "  jae " otherwise "\n"                                                                  \
          "  notq %%r9\n"                                                                          \
          "  movq %%rcx, %%r11\n"                                                                  \
          "  movl %%r10d, %%ecx\n"                                                                 \
          "  shrq %%cl, %%r9\n"                                                                    \
          "  movq %%r11, %%rcx\n"                                                                  \
          "  bsfq %%r9, %%r9\n"                                                                    \
          "  jz " otherwise "\n"                                                                   \
          "  addq %%r9, %%r10\n"                                                                   \
          "  cmpq %c[plain_until](%%rdi), %%r10\n"                                                 \
          "  jae " otherwise "\n"                                                                  \
          "  subq %%r8, %%r10\n" fits "  addq %%r10, %c[bus_stalls](%%rbx)\n"                      \
          "  movq %c[beats](%%rbp), %%r11\n"                                                       \
          "  addq %%r10, %c[stalls_after_beats](%%r11)\n" delay "  leaq 1(%%r8,%%r10), %%r10\n"    \
          "  jmp " label "_granted\n"

/* clang-format off */
/* The path of most accesses leaves r12 unchanged: then the rest of the block fits below the limit,
 * as it did when the block began. */
#define LOAD(label, shift, fetch, otherwise)                                                       \
    DETOUR(label, "tigon_native_special")                                                          \
    label ":\n"                                                                                    \
    LOADABLE(shift, otherwise)                                                                     \
    AT_ITS_CYCLE(label)                                                                            \
    TAKE_SLOT(label, "tigon_native_special")                                                       \
    "  incq %c[sram_loads](%%rbx)\n" fetch                                                         \
    "  ret\n"                                                                                      \
    WAIT(label, "tigon_native_special")                                                            \
    LATER_SLOT(label, "tigon_native_special", STILL_FITS("tigon_native_special"),                  \
               "  addq %%r10, %%r12\n")

/* A store with an effect elsewhere is special: on decoded text, the I-line, a watched granule. The
 * core does not wait for the slot. */
#define STORE(label, shift, write, otherwise)                                                      \
    DETOUR(label, "tigon_native_special_store")                                                    \
    label ":\n"                                                                                    \
    STORABLE(shift, otherwise)                                                                     \
    AT_ITS_CYCLE(label)                                                                            \
    "  movl %%ecx, %%r10d\n"                                                                       \
    "  movq %c[sram_marks](%%rbp), %%r9\n"                                                         \
    "  shrl $(5 - " #shift "), %%r10d\n"                                                           \
    "  cmpb $0, (%%r9,%%r10)\n"                                                                    \
    "  jne tigon_native_special_store\n"                                                           \
    TAKE_SLOT(label, "tigon_native_special_store")                                                 \
    "  incq %c[sram_stores](%%rbx)\n" write                                                        \
    "  addq %c[drain_after_slot](%%rbp), %%r10\n"                                                  \
    "  movq %%r10, %c[write_buffer_free](%%rbx)\n"                                                 \
    "  ret\n"                                                                                      \
    WAIT(label, "tigon_native_special_store")                                                      \
    LATER_SLOT(label, "tigon_native_special_store", "", "")
/* clang-format on */
static_assert(TIGON_DECODE_GRANULE == 1 << 5, "as STORE shifts");

/* An access predicted to a chip register, or, its address rotated already, not to SRAM. If it is to
 * a chip register, ecx is the number of the register, and the access is below the horizon. */
static_assert(TIGON_REGISTERS == 0xC0000000u && TIGON_REGISTERS_SIZE == 4 * 0x100,
              "constants of REGISTER_ONLY");
#define REGISTER_ONLY(label, turn, otherwise)                                                      \
    label ":\n" turn "  subl $(0xC0000000 >> 2), %%ecx\n"                                          \
          "  cmpl $0x100, %%ecx\n"                                                                 \
          "  jae " otherwise "\n" label "_go_on:\n"                                                \
          "  cmpq %c[horizon](%%rbx), %%r8\n"                                                      \
          "  jae " label "_blocked\n"

#define REGISTER_BLOCKED(label)                                                                    \
    label "_blocked:\n"                                                                            \
          "  leaq " label "_go_on(%%rip), %%rdi\n"                                                 \
          "  jmp tigon_native_wait_for_other\n"

#define STALLS_AFTER_BEATS                                                                         \
    [stalls_after_beats] "i"(offsetof(struct tigon_bus, stalls) - offsetof(struct tigon_bus, beats))

#define ACCESS_OPERANDS                                                                            \
    ACCESS(detour), ACCESS(last), NATIVE(slots), NATIVE(peer_stage), NATIVE(beats),                \
        NATIVE(sram_mask), NATIVE(sram), CPU(write_buffer_free), CPU(horizon), COUNT(bus_stalls),  \
        BUS(plain_until), BUS(taken), BUS(core_free), STALLS_AFTER_BEATS

/* Never called: a container for the statements. */
static __attribute__((used)) void loads(void) {
    __asm__ volatile(".pushsection .text\n"
                     ".balign 16\n" /* clang-format off */
        LOAD("tigon_native_lw", 2,
             "  movl (%%r9,%%rcx,4), %%eax\n"
             "  bswapl %%eax\n",
             "tigon_native_lw_register")
        LOAD("tigon_native_lhu", 1,
             "  movzwl (%%r9,%%rcx,2), %%eax\n"
             "  rolw $8, %%ax\n",
             "tigon_native_special")
        LOAD("tigon_native_lh", 1,
             "  movzwl (%%r9,%%rcx,2), %%eax\n"
             "  rolw $8, %%ax\n"
             "  movswl %%ax, %%eax\n",
             "tigon_native_special")
        LOAD("tigon_native_lbu", 0, "  movzbl (%%r9,%%rcx), %%eax\n", "tigon_native_special")
        LOAD("tigon_native_lb", 0, "  movsbl (%%r9,%%rcx), %%eax\n", "tigon_native_special")
                     /* clang-format on */ ".popsection\n"
                     :
                     : ACCESS_OPERANDS, COUNT(sram_loads));
}

static __attribute__((used)) void stores(void) {
    __asm__ volatile(
        ".pushsection .text\n"
        ".balign 16\n" /* clang-format off */
        STORE("tigon_native_sw", 2,
              "  bswapl %%edx\n"
              "  movl %%edx, (%%r9,%%rcx,4)\n",
              "tigon_native_sw_register")
        STORE("tigon_native_sh", 1,
              "  rolw $8, %%dx\n"
              "  movw %%dx, (%%r9,%%rcx,2)\n",
              "tigon_native_special_store")
        STORE("tigon_native_sb", 0, "  movb %%dl, (%%r9,%%rcx)\n", "tigon_native_special_store")
        /* clang-format on */ ".popsection\n"
        :
        : ACCESS_OPERANDS, COUNT(sram_stores), NATIVE(drain_after_slot), NATIVE(sram_marks));
}

static_assert(sizeof(bool) == 1 && sizeof(struct tigon_register_view) == 3 * 8 &&
                  offsetof(struct tigon_register_view, word) == 0 && TIGON_TICKS_PER_CYCLE == 125 &&
                  TIGON_CYCLES_PER_US == 8 * 11,
              "constants of registers");
static __attribute__((used)) void registers(void) {
    __asm__ volatile(
        ".pushsection .text\n"
        ".balign 16\n" /* clang-format off */
        REGISTER_ONLY("tigon_native_lw_register", "", "tigon_native_special")
        "  jmp tigon_native_ask\n"
        REGISTER_BLOCKED("tigon_native_lw_register")

        /* The part of cpu_register.h without a callback, except for event words. Translated text
         * does not replay polls. */
        REGISTER_ONLY("tigon_native_load_register_expected", TURN_2, "tigon_native_special")
        "  leal (%%rcx,%%rcx,2), %%edi\n"
        "  leaq %c[register_view](%%rbx,%%rdi,8), %%rdi\n"
        "  movq (%%rdi), %%r9\n"
        "  testq %%r9, %%r9\n"
        "  jz 2f\n"
        "  cmpb $0, %c[pollable](%%rbx,%%rcx)\n"
        "  jne 3f\n"
        "  movq %c[view_base](%%rdi), %%r10\n"
        "  movl (%%r9), %%eax\n"
        "  addl %c[view_constant](%%rdi), %%eax\n"
        "  addl (%%r10), %%eax\n"
        "  andl %c[view_mask](%%rdi), %%eax\n"
        "1:\n"
        "  movq %c[access_ticks](%%rbx), %%rdi\n"
        "  imulq $125, %%r8, %%r8\n"
        "  incq %c[effects](%%rbx)\n"
        "  incq %c[register_reads](%%rbx)\n"
        "  movq %%r8, (%%rdi)\n"
        "  ret\n"
        "2:\n"
        "  cmpl %c[timer_number](%%rbx), %%ecx\n"
        "  jne tigon_native_ask\n"
        "  movq %%r8, %%rax\n" /* by 88 */
        "  shrq $3, %%rax\n"
        "  movabsq $0x2E8BA2E8BA2E8BA3, %%rdx\n"
        "  mulq %%rdx\n"
        "  movq %c[timer_offset](%%rbx), %%rdi\n"
        "  shrq $1, %%rdx\n"
        "  movl (%%rdi), %%eax\n"
        "  addl %%edx, %%eax\n"
        "  jmp 1b\n"
        "3:\n"
        "  movq %c[poll](%%rbp), %%r9\n"
        "  jmp tigon_native_call\n"
        "tigon_native_ask:\n"
        "  movq %c[register_load](%%rbp), %%r9\n"
        "  jmp tigon_native_call\n"
        REGISTER_BLOCKED("tigon_native_load_register_expected")

        REGISTER_ONLY("tigon_native_store_register_expected", TURN_2, "tigon_native_special_store")
        "  jmp 4f\n"
        REGISTER_BLOCKED("tigon_native_store_register_expected")
        REGISTER_ONLY("tigon_native_sw_register", "", "tigon_native_special_store")
        "4:\n"
        "  movq %c[register_store](%%rbp), %%r9\n"
        /* Calls the function in r9, with the core's fields as a callback may read them. */
        "tigon_native_call:\n"
        "  xchgl %%ecx, %%edx\n"
        "  movl %%eax, %c[value](%%rbp)\n"
        "  movl %c[next_pc](%%rsi), %%eax\n"
        "  movq %c[before](%%rsi), %%r10\n"
        "  movq %%r8, %c[cycle](%%rbx)\n"
        "  movl %%eax, %c[pc](%%rbx)\n"
        "  addl $4, %%eax\n"
        "  addq %%r10, %%r15\n"
        "  movl %%eax, %c[npc](%%rbx)\n"
        "  negq %%r10\n"
        "  movl %%r15d, %%eax\n"
        "  shrq $32, %%r15\n"
        "  addq %%rax, %c[instructions](%%rbx)\n"
        "  addq %%r15, %c[load_use_stalls](%%rbx)\n"
        "  movq %%r10, %c[counts](%%rbp)\n"
        "  movq %%rbp, %%rdi\n"
        "  subq $8, %%rsp\n"
        "  callq *%%r9\n"
        "  addq $8, %%rsp\n"
        "  testb %%al, %%al\n"
        "  jz tigon_native_left\n"
        "  jmp tigon_native_return\n"
        REGISTER_BLOCKED("tigon_native_sw_register")
        /* clang-format on */ ".popsection\n"
        :
        : ACCESS(next_pc), ACCESS(before), CPU(horizon), CPU(cycle), CPU(pc), CPU(npc),
          CPU(effects), CPU(register_view), VIEW(base), VIEW(constant), VIEW(mask),
          CPU(timer_number), CPU(pollable), NATIVE(value), NATIVE(counts), NATIVE(register_load),
          NATIVE(register_store), NATIVE(poll), COUNT(instructions), COUNT(load_use_stalls),
          COUNT(register_reads), [timer_offset] "i"(offsetof(struct tigon_cpu, port.timer_offset)),
          [access_ticks] "i"(offsetof(struct tigon_cpu, port.access_ticks)));
}

static __attribute__((used)) void ways(void) {
    __asm__ volatile(".pushsection .text\n"
                     ".balign 16\n"
                     ".globl tigon_native_enter\n"
                     ".type tigon_native_enter, @function\n"
                     "tigon_native_enter:\n"
                     "  pushq %%rbx\n"
                     "  pushq %%rbp\n"
                     "  pushq %%r12\n"
                     "  pushq %%r13\n"
                     "  pushq %%r14\n"
                     "  pushq %%r15\n"
                     "  subq $8, %%rsp\n"
                     "  movq %%rdi, %%rax\n"
                     "tigon_native_go_in:\n" /* of the core in rax */
                     "  movq %%rax, %%rbp\n"
                     "  movq %c[cpu](%%rbp), %%rbx\n"
                     "  movq %c[scratchpad](%%rbp), %%r14\n"
                     "  movq %c[aside_block_began](%%rbp), %%r12\n"
                     "  movq %c[limit](%%rbp), %%r13\n"
                     "  movq %c[counts](%%rbp), %%r15\n"
                     "  movq %c[aside_return_to](%%rbp), %%rdi\n"
                     "  testq %%rdi, %%rdi\n"
                     "  jz 1f\n"
                     "  pushq %%rdi\n"
                     "  movl %c[aside_access_at](%%rbp), %%esi\n"
                     "  movl %c[npc](%%rbx), %%edi\n"
                     "  movl %%edi, %c[next_pc](%%rsi)\n"
                     "  movl %c[aside_index](%%rbp), %%ecx\n"
                     "  movl %c[aside_stored](%%rbp), %%edx\n"
                     "  movl %c[aside_value](%%rbp), %%eax\n"
                     "  movq %c[cycle](%%rbx), %%r8\n"
                     "1:\n"
                     "  jmpq *%c[aside_go_on](%%rbp)\n"

                     /* The core's fields are up to date except those that execute_ready() sets. */
                     "tigon_native_out:\n"
                     "  movq %%rbp, %%rax\n"
                     "  addq $8, %%rsp\n"
                     "  popq %%r15\n"
                     "  popq %%r14\n"
                     "  popq %%r13\n"
                     "  popq %%r12\n"
                     "  popq %%rbp\n"
                     "  popq %%rbx\n"
                     "  ret\n"
                     ".size tigon_native_enter, . - tigon_native_enter\n"
                     ".popsection\n"
                     :
                     : NATIVE(cpu), NATIVE(scratchpad), NATIVE(limit), NATIVE(counts), CPU(cycle),
                       CPU(npc), ACCESS(next_pc), ASIDE(block_began), ASIDE(go_on),
                       ASIDE(return_to), ASIDE(access_at), ASIDE(index), ASIDE(stored),
                       ASIDE(value));
}

static __attribute__((used)) void waiting(void) {
    __asm__ volatile(
        ".pushsection .text\n"
        ".balign 16\n"
        /* rdi: the entry point to retry. As tigon_native_blocked(), when there is a core to switch
         * to: that one must then be the next in turn. */
        "tigon_native_wait_for_other:\n"
        "  movq %c[hand_to](%%rbp), %%r10\n"
        "  movl %%esi, %c[aside_access_at](%%rbp)\n"
        "  movl %%ecx, %c[aside_index](%%rbp)\n"
        "  movl %%edx, %c[aside_stored](%%rbp)\n"
        "  movl %%eax, %c[aside_value](%%rbp)\n"
        "  movq %%rdi, %c[aside_go_on](%%rbp)\n"
        "  popq %c[aside_return_to](%%rbp)\n"
        "  movq %c[from](%%rsi), %%r9\n"
        "  movq %%r9, %c[pc](%%rbx)\n"
        "  movq %%r12, %c[aside_block_began](%%rbp)\n"
        "  movq %%r8, %c[aside_cycle](%%rbp)\n"
        "  movq %%r8, %c[cycle](%%rbx)\n"
        "  movq %%r15, %c[counts](%%rbp)\n"
        "  testq %%r10, %%r10\n"
        "  jz 3f\n"
        "  movq %c[horizon_of_both](%%rbp), %%r9\n"
        "  movq %c[aside_cycle](%%r10), %%r11\n"
        "  cmpq %%r9, %%r11\n"
        "  jae 4f\n"
        "  movq %%rbp, %c[hand_to](%%r10)\n"
        "  movq %%r10, %%rbp\n"
        "  movq %c[cpu](%%rbp), %%rbx\n"
        "  movq %c[scratchpad](%%rbp), %%r14\n"
        "  addq %c[goes_first](%%rbp), %%r8\n"
        "  cmpq %%r9, %%r8\n"
        "  cmovaq %%r9, %%r8\n"
        "  movq %%r8, %c[horizon](%%rbx)\n"
        "  movq %c[run_ahead](%%rbp), %%r13\n"
        "  addq %%r8, %%r13\n"
        "  movq %c[furthest](%%rbp), %%r9\n"
        "  cmpq %%r9, %%r13\n"
        "  cmovaq %%r9, %%r13\n"
        "  movq %%r13, %c[limit](%%rbp)\n"
        "  movq %c[aside_block_began](%%rbp), %%r12\n"
        "  movq %c[counts](%%rbp), %%r15\n"
        "  pushq %c[aside_return_to](%%rbp)\n"
        "  movl %c[aside_access_at](%%rbp), %%esi\n"
        "  movl (%c[pc] + 4)(%%rbx), %%edi\n" /* npc to next_pc */
        "  movl %%edi, (%c[from] + 4)(%%rsi)\n"
        "  movl %c[aside_index](%%rbp), %%ecx\n"
        "  movl %c[aside_stored](%%rbp), %%edx\n"
        "  movl %c[aside_value](%%rbp), %%eax\n"
        "  movq %%r11, %%r8\n"
        "  jmpq *%c[aside_go_on](%%rbp)\n"

        "3:\n"
        "  cmpq $0, %c[other](%%rbp)\n"
        "  jne 5f\n"
        "4:\n"                             /* no core can continue before the horizon */
        "  movq %c[before](%%rsi), %%r9\n" /* show(), of native.c */
        "  addq %%r9, %%r15\n"
        "  negq %%r9\n"
        "  movl %%r15d, %%eax\n"
        "  shrq $32, %%r15\n"
        "  movq %%r9, %c[counts](%%rbp)\n"
        "  addq %%rax, %c[instructions](%%rbx)\n"
        "  addq %%r15, %c[load_use_stalls](%%rbx)\n"
        "  movl %[stop_end], %c[end](%%rbp)\n"
        "  movl %[stop_at_horizon], %c[stop](%%rbp)\n"
        "  jmp tigon_native_out\n"
        "5:\n"
        "  movq %%rbp, %%rdi\n"
        "  callq *%c[blocked_function](%%rbp)\n"
        "  jmp tigon_native_go_on\n"
        ".popsection\n"
        :
        : NATIVE(cpu), NATIVE(scratchpad), NATIVE(limit), NATIVE(counts), NATIVE(blocked_function),
          NATIVE(other), NATIVE(hand_to), NATIVE(horizon_of_both), NATIVE(goes_first),
          NATIVE(run_ahead), NATIVE(furthest), NATIVE(end), NATIVE(stop), CPU(cycle), CPU(horizon),
          CPU(pc), COUNT(instructions), COUNT(load_use_stalls), ACCESS(from), ACCESS(before),
          ASIDE(block_began), ASIDE(cycle), ASIDE(go_on), ASIDE(return_to), ASIDE(access_at),
          ASIDE(index), ASIDE(stored), ASIDE(value), [stop_end] "i"(TIGON_ENGINE_STOP),
          [stop_at_horizon] "i"(TIGON_CPU_HORIZON));
}

static __attribute__((used)) void other_ways(void) {
    __asm__ volatile(".pushsection .text\n"
                     "tigon_native_store_text:\n"
                     "  movswq %c[detour](%%rsi), %%r10\n"
                     "  addq %%r10, %%r12\n"
                     "tigon_native_special_store:\n"
                     "  movl %%eax, %c[value](%%rbp)\n"
                     "tigon_native_special:\n"
                     "  movq %%r12, %c[cycle](%%rbx)\n"
                     "  movq %%r15, %c[counts](%%rbp)\n"
                     "  movq %%rbp, %%rdi\n"
                     "  movq (%%rsp), %%rdx\n"
                     "  subq $8, %%rsp\n"
                     "  callq *%c[access_function](%%rbp)\n"
                     "  addq $8, %%rsp\n"
                     "  cmpq %%rbp, %%rax\n"
                     "  jne 1f\n"
                     "tigon_native_return:\n"
                     "  movq %c[cycle](%%rbx), %%r12\n"
                     "  movq %c[limit](%%rbp), %%r13\n"
                     "  movq %c[counts](%%rbp), %%r15\n"
                     "  movl %c[value](%%rbp), %%eax\n"
                     "  ret\n"
                     "tigon_native_left:\n"
                     "  addq $8, %%rsp\n"
                     "  jmp tigon_native_out\n"
                     "1:\n"
                     "  addq $8, %%rsp\n"
                     "tigon_native_go_on:\n" /* with the core in rax, or NULL */
                     "  testq %%rax, %%rax\n"
                     "  jnz tigon_native_go_in\n"
                     "  jmp tigon_native_out\n"

                     "tigon_native_reach_cycle:\n" /* r8, on the bus; saves all of an access */
                     "  movq %c[bus](%%rbp), %%rdi\n"
                     "  movq %%rdi, %c[slots](%%rbp)\n"
                     "  movl %%esi, %c[aside_access_at](%%rbp)\n"
                     "  movl %%ecx, %c[aside_index](%%rbp)\n"
                     "  movl %%edx, %c[aside_stored](%%rbp)\n"
                     "  movl %%eax, %c[aside_value](%%rbp)\n"
                     "  movq %%r8, %c[kept_cycle](%%rbp)\n"
                     "  movq %%r8, %%rsi\n"
                     "  callq *%c[reach_function](%%rbp)\n"
                     "  movl %c[aside_access_at](%%rbp), %%esi\n"
                     "  movl %c[aside_index](%%rbp), %%ecx\n"
                     "  movl %c[aside_stored](%%rbp), %%edx\n"
                     "  movl %c[aside_value](%%rbp), %%eax\n"
                     "  movq %c[kept_cycle](%%rbp), %%r8\n"
                     "  ret\n"

                     ".popsection\n"
                     :
                     : NATIVE(limit), NATIVE(counts), NATIVE(kept_cycle), NATIVE(value),
                       NATIVE(access_function), NATIVE(reach_function), NATIVE(bus), NATIVE(slots),
                       ACCESS(detour), CPU(cycle), ASIDE(access_at), ASIDE(index), ASIDE(stored),
                       ASIDE(value));
}

#define LABEL(name)  extern const uint8_t name[];
#define LABELS(name) LABEL(name) LABEL(name##_detour)
LABELS(tigon_native_lw)
LABELS(tigon_native_lh)
LABELS(tigon_native_lhu)
LABELS(tigon_native_lb)
LABELS(tigon_native_lbu)
LABELS(tigon_native_sw)
LABELS(tigon_native_sh)
LABELS(tigon_native_sb)
LABEL(tigon_native_load_register_expected)
LABEL(tigon_native_store_register_expected)
LABEL(tigon_native_store_text)
LABEL(tigon_native_special_store)
LABEL(tigon_native_out)

void tigon_native_look_at_peer(struct tigon_native *native) {
    static const struct tigon_bus nothing_known;
    native->slots = &nothing_known;
}

void tigon_native_know_routines(struct tigon_native *native) {
    static const enum tigon_loop_stage alone = TIGON_LOOP_NONE;
    struct tigon_cpu *cpu = native->cpu;
    struct tigon_memory *memory = cpu->memory;
    static const uint8_t *const routines[NATIVE_ROUTINES] = {
        tigon_native_lbu,
        tigon_native_lhu,
        tigon_native_lw,
        tigon_native_sb,
        tigon_native_sh,
        tigon_native_sw,
        tigon_native_lb,
        tigon_native_lh,
        [NATIVE_DETOUR] = tigon_native_lbu_detour,
        tigon_native_lhu_detour,
        tigon_native_lw_detour,
        tigon_native_sb_detour,
        tigon_native_sh_detour,
        tigon_native_sw_detour,
        tigon_native_lb_detour,
        tigon_native_lh_detour,
        [NATIVE_LOAD_REGISTER] = tigon_native_load_register_expected,
        [NATIVE_STORE_REGISTER] = tigon_native_store_register_expected,
        [NATIVE_STORE_TEXT] = tigon_native_store_text};
    memcpy(native->routine, routines, sizeof routines);
    native->access = tigon_native_special_store; /* of a load, too */
    native->out = tigon_native_out;
    native->access_function = tigon_native_access;
    native->register_load = tigon_native_load_register;
    native->register_store = tigon_native_store_register;
    native->poll = tigon_native_poll;
    native->blocked_function = tigon_native_blocked;
    native->reach_function = tigon_bus_reach;
    native->bus = cpu->bus;
    native->drain_after_slot = (uint64_t)cpu->timing.sram_store_drain - 1u;
    native->goes_first = cpu->core == TIGON_CORE_A;
    native->beats = &cpu->bus->beats[cpu->core == TIGON_CORE_A ? TIGON_BUS_CPU_A : TIGON_BUS_CPU_B];
    native->scratchpad = memory->scratchpad[cpu->core];
    native->sram = memory->sram;
    native->sram_marks = memory->sram_marks;
    for (unsigned shift = 0; shift < 3; shift++)
        native->sram_mask[shift] = memory->sram_mask >> shift;
    tigon_native_look_at_peer(native);
    native->peer_stage = cpu->peer ? &cpu->peer->loop.stage : &alone;
}
