/* SPDX-License-Identifier: MIT */
/*
 * Both event loops of an image with NIC_DYNAMIC, and the start of processor B; start.S says more.
 *
 * Both processors run the same code on the same data. Each takes the lock, then the next event: it
 * looks at the event word, and at the enabled bits as the other one has left them, only when it has
 * the lock. It gives the lock back when the handler has returned. So events come one after the
 * other, and each source is taken with the lock: that keeps frames and postings in their order.
 *
 * Each looks without the lock whether there may be an event at all, by the enabled bits as it has
 * left them. The other one may have changed them since. A bit too many costs an empty turn, after
 * which they are right. One too few is no loss: the processor that has enabled it looks at it next.
 * So waiting takes no access to SRAM, where the other processor works. Both look at event word A:
 * hardware sets its bits in either, software here in A's alone.
 *
 * models/proof/event_loops.py runs these instructions in every order of both processors.
 */
#include "fw-runtime/port/tigon2/registers.h"

	.set	noreorder
	.set	noat

	.macro	event_loop loop, give_back, semaphore
	.balign	8
	.globl	\loop
	.type	\loop, @function
	.ent	\loop
\loop:
1:	lw	$8, TIGON2_EVENT($k1)
	and	$8, $8, $k0
	beq	$8, $zero, 1b
	nop
	/* A write takes the lock if it is free, and a waiter writes once for each zero it reads
	 * (processors.h). */
2:	sw	$zero, \semaphore($k1)
	lw	$8, \semaphore($k1)
	beq	$8, $zero, 2b
	nop
	lw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)
	lw	$8, TIGON2_EVENT($k1)
	pri	$9, $8, $26
	joff	$16, $9
	move	$ra, $s1
	.globl	\give_back
\give_back:
	sw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)
	b	1b
	sw	$zero, \semaphore($k1)
	.end	\loop
	.size	\loop, . - \loop
	.endm

	.section .fast.text.event, "ax", @progbits
	event_loop tigon2_event_loop, tigon2_give_back, TIGON2_SEMAPHORE_A
	event_loop tigon2_second_event_loop, tigon2_second_give_back, TIGON2_SEMAPHORE_B

	/* B has no boot code of its own. Its scratchpad gets the code that A's has: one address is
	 * the same function on both. Data of both are in SRAM, and A has cleared them. */
	.section .start.second, "ax", @progbits
	.globl	tigon2_second_start
	.type	tigon2_second_start, @function
	.ent	tigon2_second_start
tigon2_second_start:
	lui	$k1, 0xC000
	la	$gp, _gp
	la	$sp, _stack_top
	la	$t0, _fast_load
	la	$t1, _fast_start
	la	$t2, _fast_code_end
1:	lw	$t3, 0($t0)
	addiu	$t0, $t0, 4
	sw	$t3, 0($t1)
	addiu	$t1, $t1, 4
	bne	$t1, $t2, 1b
	nop
	la	$s0, tigon2_event_table
	la	$s1, tigon2_second_give_back
	lw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)
	la	$t0, tigon2_second_event_loop
	jr	$t0
	nop
	.end	tigon2_second_start
	.size	tigon2_second_start, . - tigon2_second_start
