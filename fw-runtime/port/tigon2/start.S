/* SPDX-License-Identifier: MIT */
/*
 * Start-up of processor A, and the event loop (tigon2.md 1.3, 4).
 *
 * The host sets HW[144] to 0x4000, which is here, and takes the halt off. Registers with a fixed
 * meaning from here on: $gp scratchpad data, $k0 enabled event bits, $k1 the register block, and
 * inside the loop $s0 the table and $s1 the loop, which handlers keep; other registers they do not
 * (build.mk).
 */
#include "fw-runtime/port/tigon2/memory_map.h"
#include "fw-runtime/port/tigon2/registers.h"

	.set	noreorder
	.set	noat

	.section .start, "ax", @progbits
	.globl	_start
	.type	_start, @function
	.ent	_start
_start:
	lui	$k1, 0xC000
	move	$k0, $zero
	la	$gp, _gp
	la	$sp, _stack_top

	/* Code and initialised data of the scratchpad. No cache instruction is needed (tigon2.md
	 * 1.2). */
	la	$t0, _fast_load
	la	$t1, _fast_start
	la	$t2, _fast_data_end
1:	lw	$t3, 0($t0)
	addiu	$t0, $t0, 4
	sw	$t3, 0($t1)
	addiu	$t1, $t1, 4
	bne	$t1, $t2, 1b
	nop

	/* Zero the rest of the scratchpad data, then the data in SRAM. The control block, which the
	 * host has filled in, is in neither. */
	la	$t2, _fast_end
2:	beq	$t1, $t2, 3f
	nop
	sw	$zero, 0($t1)
	b	2b
	addiu	$t1, $t1, 4
3:	la	$t1, _zero_start
	la	$t2, _zero_end
4:	beq	$t1, $t2, 5f
	nop
	sw	$zero, 0($t1)
	b	4b
	addiu	$t1, $t1, 4
5:
	jal	tigon2_start
	nop

	la	$s0, tigon2_event_table
#if NIC_DYNAMIC
	jal	tigon2_start_dynamic
	nop
	la	$s1, tigon2_give_back
	la	$t0, tigon2_event_loop
	jr	$t0
#else
	la	$s1, tigon2_event_loop
	jr	$s1
#endif
	nop
	.end	_start
	.size	_start, . - _start

/*
 * The loop (dynamic.S has those of NIC_DYNAMIC) and its table. Entry 0 is "nothing pending", entry n + 1 serves event bit n. The highest
 * bit goes first, so faults precede the timer precedes transfers precede received frames precede
 * new work: the further a piece of work is along, the earlier it is served.
 */
	.section .fast.text.event, "ax", @progbits
	.balign	8
#if !NIC_DYNAMIC
	.globl	tigon2_event_loop
	.type	tigon2_event_loop, @function
	.ent	tigon2_event_loop
tigon2_event_loop:
	lw	$8, TIGON2_EVENT($k1)
	pri	$9, $8, $26
	joff	$16, $9
	move	$ra, $s1
	.end	tigon2_event_loop
	.size	tigon2_event_loop, . - tigon2_event_loop
#endif

	.macro	serve handler
	j	\handler
	nop
	.endm

	/* What B serves where it takes frames from the MAC, and where it writes host memory. */
	.macro	serve_receive handler
#if NIC_RECEIVER == 1
	serve	tigon2_on_stray
#else
	serve	\handler
#endif
	.endm

	.macro	serve_write handler
#if NIC_WRITER == 1
	serve	tigon2_on_stray
#else
	serve	\handler
#endif
	.endm

	/* What B serves where it transmits; and by which ring A reads host memory. */
	.macro	serve_transmit handler
#if NIC_TRANSMITTER == 1
	serve	tigon2_on_stray
#else
	serve	\handler
#endif
	.endm

	.macro	serve_low_reads handler
#if NIC_TRANSMITTER == 1
	serve	\handler
#else
	serve	tigon2_on_stray
#endif
	.endm

	.globl	tigon2_event_table
	.type	tigon2_event_table, @function
	.ent	tigon2_event_table
tigon2_event_table:
#if NIC_DYNAMIC
	jr	$ra				/* nothing: the other processor was faster */
	nop
#else
	serve	tigon2_event_loop		/* nothing */
#endif
	serve	tigon2_on_stray			/* 0 */
	serve	tigon2_on_stray			/* 1 */
	serve	tigon2_on_stray			/* 2 */
	serve	tigon2_on_work			/* 3 */
	serve_transmit tigon2_on_slot		/* 4 */
	serve	tigon2_on_stray			/* 5 */
	serve_receive tigon2_on_receive		/* 6 */
	serve	tigon2_on_stray			/* 7 */
	serve	tigon2_on_stray			/* 8 */
	serve	tigon2_on_stray			/* 9 */
	serve	tigon2_on_read_done		/* 10 */
	serve	tigon2_on_stray			/* 11 */
	serve	tigon2_on_stray			/* 12 */
	serve_low_reads tigon2_on_read_done	/* 13 */
	serve_write tigon2_on_write_done	/* 14 */
	serve_transmit tigon2_on_read_done	/* 15 */
	serve	tigon2_on_stray			/* 16 */
	serve	tigon2_on_stray			/* 17 */
	serve	tigon2_on_stray			/* 18 */
	serve	tigon2_on_transfer_fault	/* 19 */
	serve	tigon2_on_transfer_fault	/* 20 */
	serve	tigon2_on_stray			/* 21 */
	serve	tigon2_on_mailbox		/* 22 */
	serve_write tigon2_on_write_done	/* 23 */
#if NIC_PROCESSORS > 1
	serve	tigon2_on_told			/* 24 */
#else
	serve	tigon2_on_stray			/* 24 */
#endif
	serve	tigon2_on_receive_attention	/* 25 */
	serve	tigon2_on_transmit_fault	/* 26 */
#if NIC_PROCESSORS > 1
	serve	tigon2_on_signal		/* 27 */
#else
	serve	tigon2_on_stray			/* 27 */
#endif
	serve	tigon2_on_timer			/* 28 */
	/* Bits 29 to 31 are never enabled. */
	.end	tigon2_event_table
	.size	tigon2_event_table, . - tigon2_event_table

#if NIC_TRACE && NIC_PROCESSORS <= 1
/*
 * One record of the trace ring (trace.h), its word in $24; called by nic_trace in port_header.h, which
 * names the registers it may change.
 */
	.section .fast.text.trace, "ax", @progbits
	.globl	tigon2_trace
	.type	tigon2_trace, @function
	.ent	tigon2_trace
tigon2_trace:
	lw	$25, %gp_rel(nic_trace_count)($gp)
	lw	$15, TIGON2_TIMER($k1)
	lui	$14, %hi(nic_trace_ring)
	sll	$1, $25, 32 - TIGON2_TRACE_BITS
	srl	$1, $1, 32 - TIGON2_TRACE_BITS - 3
	addu	$1, $1, $14
	sw	$15, %lo(nic_trace_ring)($1)
	addiu	$25, $25, 1
	sw	$24, %lo(nic_trace_ring + 4)($1)
	lw	$1, %gp_rel(nic_trace_next)($gp)
	sw	$25, %gp_rel(nic_trace_count)($gp)
	jr	$ra
	sw	$25, 0($1)
	.end	tigon2_trace
	.size	tigon2_trace, . - tigon2_trace
#endif
