/* SPDX-License-Identifier: MIT */
/* The engine that the makefile chose; see engine.h. */
#include "sim/core/engine.h"

#ifdef TIGON_ENGINE
extern const struct tigon_engine TIGON_ENGINE;
const struct tigon_engine *const tigon_engine = &TIGON_ENGINE;
#else
const struct tigon_engine *const tigon_engine = NULL;
#endif
