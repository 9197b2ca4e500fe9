/* SPDX-License-Identifier: MIT */
/* Why firmware has stopped itself, for people. */
#include "host/internal.h"

#include <errno.h>
#include <inttypes.h>

#include "fw-runtime/hsm_checks.h"

#define FILE_NAME(name) name,
static const char *const spec_files[] = {EMP_FILES(FILE_NAME)};

int libemp_fail_fault(struct libemp_board *board, const char *when, uint32_t fault) {
    char text[96];
    if (!hsm_fault_text(fault, spec_files, sizeof spec_files / sizeof *spec_files, text,
                        sizeof text))
        return libemp_fail(board, -EIO, "%s, fault %" PRIu32, when, fault);
    return libemp_fail(board, -EIO, "%s, fault 0x%08" PRIX32 ": it was built to check, and met %s",
                       when, fault, text);
}
