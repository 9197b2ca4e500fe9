/* SPDX-License-Identifier: MIT */
/* Instructions that C does not know: see firmware.h. */
	.set	noreorder
	.text

	.macro	likely_case branch:vararg
	\branch, 1f
	addiu	$2, $0, 1
1:	jr	$31
	nop
	.endm

	.globl	likely
	.type	likely, @function
likely:
	la	$8, cases
	sll	$9, $4, 4
	addu	$8, $8, $9
	move	$2, $0
	jr	$8
	nop
cases:
	likely_case beql $5, $6
	likely_case bnel $5, $6
	likely_case blezl $5
	likely_case bgtzl $5
	likely_case bltzl $5
	likely_case bgezl $5
	.size	likely, . - likely

	.globl	dispatch
	.type	dispatch, @function
dispatch:
	la	$8, table
	pri	$9, $4, $5
	la	$10, dispatch_slots
	lw	$11, 0($10)
	nop
	addiu	$11, $11, 1
	joff	$8, $9
	sw	$11, 0($10)
	.size	dispatch, . - dispatch

	.data
	.balign	8
table:
	jr	$31
	addiu	$2, $0, 0
	.globl	dispatch_entry_1
dispatch_entry_1:
	.set	number, 1
	.rept	32
	jr	$31
	addiu	$2, $0, number
	.set	number, number + 1
	.endr
	.globl	dispatch_slots
dispatch_slots:
	.word	0

	.text
	.globl	halt
	.type	halt, @function
halt:
	.word	0x0000000D
	jr	$31
	nop

	.globl	multiply
	.type	multiply, @function
multiply:
	.word	0x00850018		/* mult $4, $5 */
	jr	$31
	nop
	.globl	unaligned_load
	.type	unaligned_load, @function
unaligned_load:
	.word	0x88820000		/* lwl $2, 0($4) */
	jr	$31
	nop
	.globl	system_call
	.type	system_call, @function
system_call:
	.word	0x0000000C
	jr	$31
	nop
	.globl	coprocessor
	.type	coprocessor, @function
coprocessor:
	.word	0x40024000		/* mfc0 $2, $8 */
	jr	$31
	nop
