/* SPDX-License-Identifier: MIT */
/*
 * What spec/NAME/proofs.c says of the functions of a spec, and functions.py proves for all inputs.
 *
 * Each function proof_... is a proof. Its parameters are free: all values of their types, at once.
 * What the spec's functions read of records and parameters the proof writes before; what it does
 * not write must not be read. It says in its own words what a function is for, with
 * multiplications and divisions that the chip has not.
 */
#ifndef MODELS_PROOF_STATEMENTS_H
#define MODELS_PROOF_STATEMENTS_H

#include <stdbool.h>
#include <stdint.h>

void proof_must_hold(bool statement);

/* The bounds of a proof: from here on for values of which this is true. Some must be. */
#define SUPPOSE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return;                                                                                \
    } while (0)

/* Holds whenever control comes here, and it comes here for some values. */
#define PROVE(statement) proof_must_hold(statement)

#endif
