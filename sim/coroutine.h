/*
 * Coroutines: functions with stacks of their own, for the programs of hosts.
 *
 * Whoever enters a coroutine goes on when it leaves; it goes on itself when it is entered again.
 * Only the stack and what a called function must preserve are switched: neither the signal mask nor
 * the modes of floating point.
 */
#ifndef SIM_COROUTINE_H
#define SIM_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

struct tigon_coroutine;

/* Makes one that will call function(argument) when it is entered first. The function must not
 * return; it ends with tigon_coroutine_leave(..., true). The stack gets `stack_bytes`, rounded up
 * to pages, and a guard page below. NULL, with errno, if that cannot be had. */
struct tigon_coroutine *tigon_coroutine_create(size_t stack_bytes, void (*function)(void *argument),
                                               void *argument);

/* Not from inside it. It may be in the middle of something. NULL is allowed. */
void tigon_coroutine_destroy(struct tigon_coroutine *coroutine);

void tigon_coroutine_enter(struct tigon_coroutine *coroutine);

/* From inside; `for_good`: it will not be entered again. */
void tigon_coroutine_leave(struct tigon_coroutine *coroutine, bool for_good);

#endif
