/* SPDX-License-Identifier: MIT */
#include "sim/command/names.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "build/gen/emp/emp_layout.h"
#include "build/gen/emp/emp_transition_names.h"
#include "fw-runtime/hsm_checks.h"
#include "sim/chip/board.h"

const char *names_emp_transition(uint32_t id) {
    return id < sizeof transition_names / sizeof *transition_names ? transition_names[id] : NULL;
}

#define FILE_NAME(name) name,
static const char *const spec_files[] = {EMP_FILES(FILE_NAME)};

bool names_emp_stop(struct tigon_board *board, char *text, size_t bytes) {
    const uint32_t control = EMP_CONTROL_ADDRESS;
    const uint32_t fault = tigon_board_peek32(board, control + 4 * EMP_CONTROL_FAULT_WORD);
    char check[256];
    if (tigon_board_peek32(board, control + 4 * EMP_CONTROL_MAGIC_WORD) != EMP_CONTROL_MAGIC ||
        tigon_board_peek32(board, control + 4 * EMP_CONTROL_STATE_WORD) !=
            EMP_CONTROL_STATE_STOPPED)
        return false;
    const bool told = hsm_fault_text(fault, spec_files, sizeof spec_files / sizeof *spec_files,
                                     check, sizeof check);
    (void)snprintf(text, bytes, "fault 0x%08" PRIX32 "%s%s", fault, told ? ", " : "",
                   told ? check : "");
    return true;
}
