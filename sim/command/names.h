/* SPDX-License-Identifier: MIT */
/* Names for the numbers in the trace ring and the control block of firmware, for any protocol. The
 * ELF file has them in its section .hsm_names: lines "file NAME" and "transition NAME", each kind
 * in the order of its numbers (hsmc build --nic). */
#ifndef SIM_COMMAND_NAMES_H
#define SIM_COMMAND_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names;
struct tigon_board;

/* The names in an ELF file; NULL for another file, and for an image without names. */
struct names *names_read(const char *file);
void names_free(struct names *names); /* NULL is allowed */

/* "Send.PHY.ack.0" for a transition of the image of board `board` in the world there is; NULL when
 * it has no such transition. */
const char *names_transition(size_t board, uint32_t id);

/* Writes why the firmware of a board has stopped itself; false where it has not. */
bool names_stop(struct tigon_board *board, char *text, size_t bytes);

#endif
