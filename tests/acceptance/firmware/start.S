/* SPDX-License-Identifier: MIT */
/* Entry points of both cores; a core whose function returns executes HALT. */
	.set	noreorder

	.section .start, "ax", @progbits
	.globl	_start
	.type	_start, @function
_start:
	la	$gp, _gp
	lui	$sp, 0x00C0
	ori	$sp, $sp, 0x3FE0
	jal	main_a
	nop
1:	.word	0x0000000D
	b	1b
	nop
	.size	_start, . - _start

	.globl	start_b
	.type	start_b, @function
start_b:
	la	$gp, _gp
	lui	$sp, 0x00C0
	ori	$sp, $sp, 0x1FE0
	jal	main_b
	nop
2:	.word	0x0000000D
	b	2b
	nop
	.size	start_b, . - start_b

	.weak	main_b
