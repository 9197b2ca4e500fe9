/* SPDX-License-Identifier: MIT */
/*
 * Charges as text (sim/chip/charge.h), with the names of an image for addresses:
 *
 *     # comment
 *     idle   tigon2_event_table
 *     others free
 *     charge 484 after emp_device_send_frame                : transmission
 *     charge 242 after emp_device_place if argument 6 is 0  : receiving
 *
 * `idle` names the address that is executed only when nothing is left to do, `others` says whether
 * code outside the functions named is `free` or `costs` what it executes. A charge is cycles, where
 * the effects lie, the function, conditions, and behind the colon the step it stands for.
 */
#ifndef SIM_OBSERVE_CHARGE_TABLE_H
#define SIM_OBSERVE_CHARGE_TABLE_H

#include "sim/chip/charge.h"

struct tigon_charge_file;

/* Reads a file against an ELF image. Returns 0 or -errno, and then `message` says what is wrong, as
 * "file:line: what was expected, what was found". */
int tigon_charge_file_read(struct tigon_charge_file **file, const char *path, const char *image,
                           char *message, size_t message_bytes);
void tigon_charge_file_free(struct tigon_charge_file *file); /* NULL is allowed */

/* Lives as long as the file. */
const struct tigon_charge_table *tigon_charge_file_table(const struct tigon_charge_file *file);

/* All effects at one end of their steps, whatever the file says: what that choice is worth. */
void tigon_charge_file_place_all(struct tigon_charge_file *file, enum tigon_charge_place place);

#endif
