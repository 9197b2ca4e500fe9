/* SPDX-License-Identifier: MIT */
/*
 * The engine of x86-64 hosts (sim/core/engine.h): text of a scratchpad as instructions of the
 * host's processor.
 *
 * A block is a piece of text along its most likely path, across branches. It is translated when the
 * interpreter has reached its beginning often enough, and discarded when one of its words is
 * written. The costs of the core (cpu->timing) are part of the translation.
 */
#ifndef TIGON_SIM_NATIVE_H
#define TIGON_SIM_NATIVE_H

#include "sim/core/engine.h"

extern const struct tigon_engine tigon_native_engine;

#endif
