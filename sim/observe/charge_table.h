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
 * `idle` names the address that is executed only when the core becomes idle. `others` defines
 * whether code outside the named functions is `free` or `costs` its executed time. A charge has
 * cycles, the moment of the effects, the function, conditions, and behind the colon the step.
 */
#ifndef SIM_OBSERVE_CHARGE_TABLE_H
#define SIM_OBSERVE_CHARGE_TABLE_H

#include "sim/chip/charge.h"

struct tigon_charge_file;

/* Reads a file against an ELF image. Returns 0 or -errno, and then `message` is "file:line: what
 * was expected, what was found". */
int tigon_charge_file_read(struct tigon_charge_file **file, const char *path, const char *image,
                           char *message, size_t message_bytes);
void tigon_charge_file_free(struct tigon_charge_file *file); /* NULL is allowed */

/* Lives as long as the file. */
const struct tigon_charge_table *tigon_charge_file_table(const struct tigon_charge_file *file);

/* Moves all effects to one end of their steps, against the file: shows how much that choice
 * matters. */
void tigon_charge_file_place_all(struct tigon_charge_file *file, enum tigon_charge_place place);

#endif
