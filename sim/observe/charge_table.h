/* SPDX-License-Identifier: MIT */
/*
 * Charges as text (sim/chip/charge.h), with the names of an image for addresses:
 *
 *     # comment
 *     idle   tigon2_event_table
 *     others free
 *     charge 484 after emp_device_send_frame                     : transmission
 *     charge 242 after emp_device_place on B if argument 6 is 0  : receiving
 *     charge 462 before f times argument 4 less 1 if argument 3 is 0 : sending
 *     executed nic_on_signal on B                                : messages of the other core
 *
 * `idle` names the address that is executed only when the core becomes idle. `others` defines
 * whether code outside the named functions is `free` or `costs` its executed time. A charge has
 * cycles, the moment of the effects, the function, the processor (A where none is named), the
 * argument that says for how many units the cycles are (less those charged elsewhere), a condition
 * (`is` or `is not`), and behind the colon the step. `executed` names a function that costs what it
 * executes itself; a charge of 0 cycles one inside it that other charges cover.
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

/* Of core 0 (A) or 1 (B); lives as long as the file. */
const struct tigon_charge_table *tigon_charge_file_table(const struct tigon_charge_file *file,
                                                         unsigned core);

/* Charges the cores of a board that have charges in the file: `charging` of the others is NULL.
 * Returns 0 or what tigon_charging_start says; then no core is charged. */
int tigon_charge_file_start(const struct tigon_charge_file *file, struct tigon_board *board,
                            struct tigon_charging *charging[2]);

/* Moves all effects to one end of their steps, against the file: shows how much that choice
 * matters. What costs what it executes stays. */
void tigon_charge_file_place_all(struct tigon_charge_file *file, enum tigon_charge_place place);

#endif
