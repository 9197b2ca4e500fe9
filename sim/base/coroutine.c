/* SPDX-License-Identifier: MIT */
/*
 * Coroutines: see coroutine.h. There are three ways to switch:
 *
 * - A few instructions on known processors (coroutine.h).
 * - Elsewhere ucontext only creates the stack and enters it; after that _setjmp and _longjmp switch
 *   between the stacks, because swapcontext costs a system call each time to save a signal mask
 *   that never changes.
 * - There with the address sanitizer swapcontext, as the sanitizer intercepts _longjmp.
 *
 * The address sanitizer must be notified of each switch of stacks.
 */
#undef _FORTIFY_SOURCE /* its longjmp takes a jump between stacks for an error */
#include "sim/base/coroutine.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(TIGON_COROUTINE_SANITIZED)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifndef TIGON_COROUTINE_X86_64
#include <setjmp.h>
#include <ucontext.h>
#endif

#define PAGE_BYTES 4096u

struct tigon_coroutine {
#ifdef TIGON_COROUTINE_X86_64
    struct tigon_coroutine_stacks stacks; /* first */
#endif
    void (*function)(void *argument);
    void *argument;
    char *mapping; /* its first page is the guard */
    size_t stack_bytes;
#if defined(TIGON_COROUTINE_SANITIZED)
    void *fake_inside, *fake_outside;
    const void *outer_stack;
    size_t outer_stack_bytes;
#endif
#if defined(TIGON_COROUTINE_X86_64)
#elif defined(TIGON_COROUTINE_SANITIZED)
    ucontext_t inside, outside; /* where each side continues */
#else
    ucontext_t start;
    jmp_buf inside, outside;
    bool entered;
#endif
};

static char *stack_of(const struct tigon_coroutine *coroutine) {
    return coroutine->mapping + PAGE_BYTES;
}

/* The first function on a new stack. */
static void begin(void *argument) {
    struct tigon_coroutine *coroutine = argument;
#ifdef TIGON_COROUTINE_SANITIZED
    __sanitizer_finish_switch_fiber(NULL, &coroutine->outer_stack, &coroutine->outer_stack_bytes);
#endif
    coroutine->function(coroutine->argument);
    abort();
}

#ifdef TIGON_COROUTINE_X86_64

/* The entry of a new stack: calls the function on top of it with the argument that is next. */
__attribute__((visibility("hidden"))) void tigon_coroutine_begin(void);

__asm__(".pushsection .text\n"
        ".globl tigon_coroutine_begin\n"
        ".hidden tigon_coroutine_begin\n"
        ".type tigon_coroutine_begin, @function\n"
        "tigon_coroutine_begin:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n" /* for debuggers: the end of the call chain */
        "    popq %rax\n"
        "    popq %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    call *%rax\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size tigon_coroutine_begin, . - tigon_coroutine_begin\n"
        ".popsection\n");

static void prepare(struct tigon_coroutine *coroutine) {
    /* The frame that tigon_coroutine_switch and tigon_coroutine_begin take down. The stack is
     * aligned after that, as before a call. */
    uintptr_t *frame = (uintptr_t *)(void *)(stack_of(coroutine) + coroutine->stack_bytes) - 5;
    frame[0] = (uintptr_t)tigon_coroutine_begin;
    frame[1] = (uintptr_t)begin;
    frame[2] = (uintptr_t)coroutine;
    coroutine->stacks.inside = frame;
}

#else

static void begin_context(unsigned high, unsigned low) {
    begin((void *)((uintptr_t)high << 32 | (uintptr_t)low));
}

static void prepare(struct tigon_coroutine *coroutine) {
    const uintptr_t self = (uintptr_t)coroutine;
#ifdef TIGON_COROUTINE_SANITIZED
    ucontext_t *context = &coroutine->inside;
#else
    ucontext_t *context = &coroutine->start;
#endif
    (void)getcontext(context);
    context->uc_stack.ss_sp = stack_of(coroutine);
    context->uc_stack.ss_size = coroutine->stack_bytes;
    context->uc_link = NULL;
    makecontext(context, (void (*)(void))begin_context, 2, (unsigned)(self >> 32),
                (unsigned)(self & 0xFFFFFFFFu));
}

#endif

#ifdef TIGON_COROUTINE_SANITIZED

static void go_in(struct tigon_coroutine *coroutine) {
#ifdef TIGON_COROUTINE_X86_64
    tigon_coroutine_switch(&coroutine->stacks.outside, coroutine->stacks.inside);
#else
    swapcontext(&coroutine->outside, &coroutine->inside);
#endif
}

static void go_out(struct tigon_coroutine *coroutine) {
#ifdef TIGON_COROUTINE_X86_64
    tigon_coroutine_switch(&coroutine->stacks.inside, coroutine->stacks.outside);
#else
    swapcontext(&coroutine->inside, &coroutine->outside);
#endif
}

void tigon_coroutine_enter(struct tigon_coroutine *coroutine) {
    __sanitizer_start_switch_fiber(&coroutine->fake_outside, stack_of(coroutine),
                                   coroutine->stack_bytes);
    go_in(coroutine);
    __sanitizer_finish_switch_fiber(coroutine->fake_outside, NULL, NULL);
}

void tigon_coroutine_leave(struct tigon_coroutine *coroutine, bool for_good) {
    /* Without a place to save to, the sanitizer frees its data about a stack that ends here. */
    __sanitizer_start_switch_fiber(for_good ? NULL : &coroutine->fake_inside,
                                   coroutine->outer_stack, coroutine->outer_stack_bytes);
    go_out(coroutine);
    __sanitizer_finish_switch_fiber(coroutine->fake_inside, &coroutine->outer_stack,
                                    &coroutine->outer_stack_bytes);
}

#elif !defined(TIGON_COROUTINE_X86_64)

void tigon_coroutine_enter(struct tigon_coroutine *coroutine) {
    if (_setjmp(coroutine->outside) == 0) {
        if (coroutine->entered)
            _longjmp(coroutine->inside, 1);
        coroutine->entered = true;
        setcontext(&coroutine->start);
    }
}

void tigon_coroutine_leave(struct tigon_coroutine *coroutine, bool for_good) {
    (void)for_good;
    if (_setjmp(coroutine->inside) == 0)
        _longjmp(coroutine->outside, 1);
}

#endif

struct tigon_coroutine *tigon_coroutine_create(size_t stack_bytes, void (*function)(void *argument),
                                               void *argument) {
    struct tigon_coroutine *coroutine = calloc(1, sizeof *coroutine);
    if (!coroutine)
        return NULL;
    coroutine->function = function;
    coroutine->argument = argument;
    coroutine->stack_bytes = (stack_bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    coroutine->mapping = mmap(NULL, coroutine->stack_bytes + PAGE_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (coroutine->mapping == MAP_FAILED) {
        free(coroutine);
        return NULL;
    }
    if (mprotect(coroutine->mapping, PAGE_BYTES, PROT_NONE) != 0) {
        const int error = errno;
        tigon_coroutine_destroy(coroutine);
        errno = error;
        return NULL;
    }
    prepare(coroutine);
    return coroutine;
}

void tigon_coroutine_destroy(struct tigon_coroutine *coroutine) {
    if (!coroutine)
        return;
#ifdef TIGON_COROUTINE_SANITIZED
    /* The stack may be left inside functions whose frames are marked. */
    __asan_unpoison_memory_region(stack_of(coroutine), coroutine->stack_bytes);
#endif
    (void)munmap(coroutine->mapping, coroutine->stack_bytes + PAGE_BYTES);
    free(coroutine);
}
