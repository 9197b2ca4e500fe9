/* SPDX-License-Identifier: MIT */
/*
 * Coroutines: functions with stacks of their own, for the programs of hosts.
 *
 * The caller that enters a coroutine continues when it leaves. The coroutine continues when it is
 * entered again. A switch exchanges only the stack and the callee-saved registers: neither the
 * signal mask nor the floating-point modes.
 */
#ifndef SIM_COROUTINE_H
#define SIM_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define TIGON_COROUTINE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIGON_COROUTINE_SANITIZED 1
#endif
#endif

#if defined(__x86_64__) && defined(__ELF__)
#define TIGON_COROUTINE_X86_64 1
#endif

struct tigon_coroutine;

/* Makes one that will call function(argument) when it is entered first. The function must not
 * return; it ends with tigon_coroutine_leave(..., true). The stack gets `stack_bytes`, rounded up
 * to pages, and a guard page below. NULL, with errno, if that cannot be had. */
struct tigon_coroutine *tigon_coroutine_create(size_t stack_bytes, void (*function)(void *argument),
                                               void *argument);

/* Not from inside it. It may be in the middle of something. NULL is allowed. */
void tigon_coroutine_destroy(struct tigon_coroutine *coroutine);

#ifdef TIGON_COROUTINE_X86_64

/* Its initial state: stack pointers, where each side continues. */
struct tigon_coroutine_stacks {
    void *inside, *outside;
};

#ifdef __AVX512F__
#define TIGON_COROUTINE_MORE_REGISTERS                                                             \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",    \
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5",  \
        "k6", "k7"
#else
#define TIGON_COROUTINE_MORE_REGISTERS
#endif

/* Saves the address to continue at on the current stack, stores the stack pointer in `*from`, and
 * continues from `to`, which was saved in the same way. The compiler saves all other state it
 * needs. Inline, and with a jump: a host's processor predicts returns from the calls before, so
 * after a switch every return would be mispredicted. The 128 bytes below the stack pointer may be
 * in use; rbp cannot be listed as clobbered where it is a frame pointer. */
static inline __attribute__((always_inline)) void tigon_coroutine_switch(void **from, void *to) {
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushq %%rbp\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "movq %%rsp, (%%rdi)\n\t"
                     "movq %%rsi, %%rsp\n\t"
                     "popq %%rax\n\t"
                     "jmpq *%%rax\n"
                     "1:\n\t"
                     "popq %%rbp\n\t"
                     "leaq 128(%%rsp), %%rsp"
                     : "+D"(from), "+S"(to)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                       "xmm15" TIGON_COROUTINE_MORE_REGISTERS, "cc", "memory");
}

#endif

#if defined(TIGON_COROUTINE_X86_64) && !defined(TIGON_COROUTINE_SANITIZED)

static inline void tigon_coroutine_enter(struct tigon_coroutine *coroutine) {
    struct tigon_coroutine_stacks *stacks = (struct tigon_coroutine_stacks *)(void *)coroutine;
    tigon_coroutine_switch(&stacks->outside, stacks->inside);
}

/* From inside; `for_good`: it will not be entered again. */
static inline void tigon_coroutine_leave(struct tigon_coroutine *coroutine, bool for_good) {
    struct tigon_coroutine_stacks *stacks = (struct tigon_coroutine_stacks *)(void *)coroutine;
    (void)for_good;
    tigon_coroutine_switch(&stacks->inside, stacks->outside);
}

#else

void tigon_coroutine_enter(struct tigon_coroutine *coroutine);

/* From inside; `for_good`: it will not be entered again. */
void tigon_coroutine_leave(struct tigon_coroutine *coroutine, bool for_good);

#endif

#endif
