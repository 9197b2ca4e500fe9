# SPDX-License-Identifier: MIT
"""Mutants of the event loops of a dynamic placement: of the assembler that ships."""

from __future__ import annotations

from .mutant import EventLoops, Mutant

LOOPS = "fw-runtime/port/tigon2/dynamic.S"

MUTANTS = [
    Mutant(
        "either takes an event without the lock",
        LOOPS,
        "2:	sw	$zero, \\semaphore($k1)\n"
        "	lw	$8, \\semaphore($k1)\n"
        "	beq	$8, $zero, 2b\n"
        "	nop\n",
        "",
        EventLoops(),
        "mutual_exclusion",
    ),
    Mutant(
        "the lock is given back before the last action of an event",
        LOOPS,
        "	joff	$16, $9\n	move	$ra, $s1\n",
        "	sw	$zero, \\semaphore($k1)\n	joff	$16, $9\n	move	$ra, $s1\n",
        EventLoops(),
        "mutual_exclusion",
    ),
    Mutant(
        "a frame is chosen outside the lock",
        LOOPS,
        "1:	lw	$8, TIGON2_EVENT($k1)\n"
        "	and	$8, $8, $k0\n"
        "	beq	$8, $zero, 1b\n"
        "	nop\n"
        "	/* A write takes the lock if it is free, and a waiter writes once for each zero it reads\n"
        "	 * (processors.h). */\n"
        "2:	sw	$zero, \\semaphore($k1)\n"
        "	lw	$8, \\semaphore($k1)\n"
        "	beq	$8, $zero, 2b\n"
        "	nop\n"
        "	lw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)\n"
        "	lw	$8, TIGON2_EVENT($k1)\n",
        "1:	lw	$9, TIGON2_EVENT($k1)\n"
        "	and	$9, $9, $k0\n"
        "	beq	$9, $zero, 1b\n"
        "	nop\n"
        "2:	sw	$zero, \\semaphore($k1)\n"
        "	lw	$8, \\semaphore($k1)\n"
        "	beq	$8, $zero, 2b\n"
        "	nop\n"
        "	lw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)\n"
        "	move	$8, $9\n",
        EventLoops(),
        "no_event_twice",
    ),
    Mutant(
        "a waiter for an event does not look whether it has the lock",
        LOOPS,
        "	beq	$8, $zero, 2b\n",
        "	beq	$8, $zero, 3f\n	nop\n3:\n",
        EventLoops(),
        "mutual_exclusion",
    ),
    Mutant(
        "the lock of an event is not given back",
        LOOPS,
        "	b	1b\n	sw	$zero, \\semaphore($k1)\n",
        "	b	1b\n	nop\n",
        EventLoops(),
        "no_lost_event",
    ),
    Mutant(
        "enabled events are as the processor has left them itself",
        LOOPS,
        "	lw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)\n	lw	$8",
        "	lw	$8",
        EventLoops(),
        "no_disabled_event",
    ),
    Mutant(
        "the other processor does not learn which events are enabled",
        LOOPS,
        "	sw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)\n",
        "",
        EventLoops(),
        "no_disabled_event",
    ),
    Mutant(
        "the other processor learns after the lock which events are enabled",
        LOOPS,
        "	sw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)\n"
        "	b	1b\n"
        "	sw	$zero, \\semaphore($k1)\n",
        "	sw	$zero, \\semaphore($k1)\n"
        "	b	1b\n"
        "	sw	$k0, %gp_rel(tigon2_enabled_by_both)($gp)\n",
        EventLoops(),
        "no_disabled_event",
    ),
]
