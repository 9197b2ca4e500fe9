/* SPDX-License-Identifier: MIT */
/* The 16 kB the host maps: registers, SRAM alias with mailboxes, SRAM window (tigon2.md 3, 4). */
#ifndef SIM_HOST_WINDOW_H
#define SIM_HOST_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_board;

/* One 32-bit host access arriving at board->now. Any offset is allowed; the low two bits are
 * ignored. */
uint32_t tigon_window_host_read(struct tigon_board *board, uint32_t offset);

/* The same for an access whose slot of the SRAM bus is taken already. */
uint32_t tigon_window_host_look(struct tigon_board *board, uint32_t offset);
void tigon_window_host_write(struct tigon_board *board, uint32_t offset, uint32_t value);

/* Whether writes of `count` words from this offset on change only words of SRAM, or the contents of
 * the window. */
bool tigon_window_plain(uint32_t offset, size_t count);

/* The SRAM address behind a host offset; false for an offset outside SRAM. */
bool tigon_window_sram(const struct tigon_board *board, uint32_t offset, uint32_t *address);

#endif
