/* SPDX-License-Identifier: MIT */
/* Of <stdlib.h> what the differential harness uses, on the bare core. */
#ifndef TESTS_FUZZ_BARE_STDLIB_H
#define TESTS_FUZZ_BARE_STDLIB_H

_Noreturn void exit(int status);

#endif
