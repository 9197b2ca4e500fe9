/* SPDX-License-Identifier: MIT */
/*
 * The code of an ELF image: functions by address, lines of source.
 *
 * Any image can be read: global labels in code outside all functions count as functions, an image
 * without line information gives no lines, a stripped one gives no functions.
 */
#ifndef SIM_OBSERVE_SYMBOLS_H
#define SIM_OBSERVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_symbols;

struct tigon_function {
    const char *name;
    uint32_t start;
    uint32_t bytes; /* at least 4; up to the next function where the image does not say */
};

/* Reads what a file has of one core (0 is A, 1 is B). Both scratchpads have the same addresses: in
 * an image for two processors, B's sections there have names that begin with ".second", and the
 * sources of B's code too. Returns 0 or -errno: -ENOEXEC unless it is an ELF file for 32-bit MIPS.
 */
int tigon_symbols_load(struct tigon_symbols **symbols, const char *path, unsigned core);
void tigon_symbols_free(struct tigon_symbols *symbols); /* NULL is allowed */

/* Functions by rising address; they do not overlap. */
size_t tigon_symbols_count(const struct tigon_symbols *symbols);
const struct tigon_function *tigon_symbols_function(const struct tigon_symbols *symbols,
                                                    size_t index);

/* The value of a symbol of any kind that this core can reach; false when there is none of that
 * name. */
bool tigon_symbols_value(const struct tigon_symbols *symbols, const char *name, uint32_t *value);

/* The line an instruction came from; false when it is not known. `*file` lives as long as
 * `symbols`. */
bool tigon_symbols_line(const struct tigon_symbols *symbols, uint32_t address, const char **file,
                        unsigned *line);

#endif
