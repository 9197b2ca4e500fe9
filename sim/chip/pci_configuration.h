/* SPDX-License-Identifier: MIT */
/* The copy of PCI configuration space at HW[000] and the bus bits of HW[05C] (tigon2.md 3.1, 3.6,
 * 8).
 */
#ifndef SIM_PCI_CONFIGURATION_H
#define SIM_PCI_CONFIGURATION_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_board;

enum { TIGON_PCI_CONFIGURATION_BYTES = 0x40 }; /* that the chip has */

#define TIGON_PCI_STATE_66_MHZ (1u << 19) /* status */
#define TIGON_PCI_STATE_32_BIT (1u << 20)

/* Bits 31:16 of HW[004], write 1 to clear. */
#define TIGON_PCI_MASTER_ABORTED (1u << 29)

/* Resets the board but for configuration space: what hosts do with HW[040], after which drivers go
 * on without configuring the board anew. */
void tigon_pci_reset_around(struct tigon_board *board);

/* May the board begin cycles on the bus? */
bool tigon_pci_is_master(const struct tigon_board *board);

/* A transfer of ours found no target. */
void tigon_pci_master_aborted(struct tigon_board *board);

/* Does the board kind say copper? */
bool tigon_pci_is_copper(const struct tigon_board *board);

#endif
