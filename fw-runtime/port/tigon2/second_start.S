/* SPDX-License-Identifier: MIT */
/*
 * Start of processor B, and its event loop; start.S says more of both. Processor A sets HW[244] to
 * tigon2_second_start and takes the halt off (board.c).
 *
 * B has no boot code of its own: its code and data lie behind A's in SRAM. B looks at its signal,
 * and at the events of what NIC_RECEIVER, NIC_WRITER and NIC_TRANSMITTER give it; all others are
 * A's.
 */
#include "fw-runtime/port/tigon2/registers.h"

	.set	noreorder
	.set	noat

	.section .second_start, "ax", @progbits
	.globl	tigon2_second_start
	.type	tigon2_second_start, @function
	.ent	tigon2_second_start
tigon2_second_start:
	lui	$k1, 0xC000
	lui	$k0, 1 << (TIGON2_EVENT_SIGNAL - 16)
	la	$gp, _gp
	la	$sp, _stack_top

	la	$t0, _second_load
	la	$t1, _fast_start
	la	$t2, _second_data_end
1:	beq	$t1, $t2, 2f
	nop
	lw	$t3, 0($t0)
	addiu	$t0, $t0, 4
	sw	$t3, 0($t1)
	b	1b
	addiu	$t1, $t1, 4
2:	la	$t2, _second_end
3:	beq	$t1, $t2, 4f
	nop
	sw	$zero, 0($t1)
	b	3b
	addiu	$t1, $t1, 4
4:
#if NIC_WRITER == 1 || NIC_TRANSMITTER == 1
	jal	tigon2_second_begin
	nop
#endif
	jal	nic_on_second_start
	nop

	la	$s0, tigon2_second_event_table
	la	$s1, tigon2_second_event_loop
	jr	$s1
	nop
	.end	tigon2_second_start
	.size	tigon2_second_start, . - tigon2_second_start

	.section .fast.text.event, "ax", @progbits
	.balign	8
	.globl	tigon2_second_event_loop
	.type	tigon2_second_event_loop, @function
	.ent	tigon2_second_event_loop
tigon2_second_event_loop:
	lw	$8, TIGON2_EVENT_B($k1)
	pri	$9, $8, $26
	joff	$16, $9
	move	$ra, $s1
	.end	tigon2_second_event_loop
	.size	tigon2_second_event_loop, . - tigon2_second_event_loop

	/* Entry 0 is "nothing pending", entry n + 1 serves event bit n. Bits without an entry are never
	 * enabled. */
	.macro	serve event, handler
	.org	tigon2_second_event_table + 8 * (\event + 1)
	j	\handler
	nop
	.endm

	.type	tigon2_second_event_table, @function
	.ent	tigon2_second_event_table
tigon2_second_event_table:
	j	tigon2_second_event_loop
	nop
#if NIC_WRITER == 1 || NIC_TRANSMITTER == 1
	serve	TIGON2_EVENT_WORK, tigon2_second_on_work
#endif
#if NIC_TRANSMITTER == 1
	serve	TIGON2_EVENT_SLOT, tigon2_on_slot
#endif
#if NIC_RECEIVER == 1
	serve	TIGON2_EVENT_RECEIVE, tigon2_on_receive
#endif
#if NIC_WRITER == 1 || NIC_TRANSMITTER == 1
	serve	TIGON2_EVENT_READ_NOTICE, tigon2_second_on_read_done
#endif
#if NIC_WRITER == 1 && NIC_TRANSMITTER == 0
	serve	TIGON2_EVENT_READ_LOW_DONE, tigon2_second_on_read_done
#endif
#if NIC_WRITER == 1
	serve	TIGON2_EVENT_WRITE_DONE, tigon2_on_write_done
#endif
#if NIC_TRANSMITTER == 1
	serve	TIGON2_EVENT_READ_DONE, tigon2_second_on_read_done
#endif
#if NIC_WRITER == 1
	serve	TIGON2_EVENT_WRITTEN, tigon2_on_write_done
#endif
#if NIC_WRITER == 1 || NIC_TRANSMITTER == 1
	serve	TIGON2_EVENT_TOLD, tigon2_second_on_told
#endif
	serve	TIGON2_EVENT_SIGNAL, tigon2_second_on_signal
	.end	tigon2_second_event_table
	.size	tigon2_second_event_table, . - tigon2_second_event_table
