/* SPDX-License-Identifier: MIT */
/*
 * Instructions as text, in the assembler's notation. What is named is what the core executes
 * (sim/core/decode.c), with PRI, JOFF and HALT; anything else is a .word, with the name it has on
 * other MIPS processors where that tells something.
 */
#ifndef SIM_DEBUG_DISASSEMBLE_H
#define SIM_DEBUG_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIGON_DISASSEMBLY_BYTES 64u

/* "lw      $t0,96($k1)". `address` is where the word lies, for targets of branches. */
void tigon_disassemble(uint32_t word, uint32_t address, char text[TIGON_DISASSEMBLY_BYTES]);

/* Where a branch, jump or call with a fixed target goes. False for everything else. */
bool tigon_branch_target(uint32_t word, uint32_t address, uint32_t *target);

#endif
