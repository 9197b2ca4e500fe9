/* SPDX-License-Identifier: MIT */
/*
 * Instructions as text, in the assembler's notation. Names are those of the instructions that the
 * core executes (sim/core/decode.c), with PRI, JOFF and HALT; anything else is a .word, with its
 * name on other MIPS processors if it has one.
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
