/* SPDX-License-Identifier: MIT */
/*
 * Prints the ranges frame.rl decides on, computed from the layouts: Ragel cannot read C constants.
 */
#include <assert.h>
#include <stdio.h>

#include "emp_layout.h"

static_assert(EMP_FRAME_TYPE_WORD == 3 && EMP_FRAME_KIND_WORD == 3 && EMP_FRAME_SENDER_WORD == 3 &&
                  EMP_FRAME_CONTACT_WORD == 4 && EMP_FRAME_MESSAGE_WORD == 5 &&
                  EMP_FRAME_FRAME_WORD == 6 && EMP_FRAME_SIZE_WORD == 6,
              "frame.rl knows which word holds what");

static void kinds(const char *name, unsigned first, unsigned last) {
    const unsigned type = (unsigned)EMP_FRAME_TYPE_VALUE << EMP_FRAME_TYPE_SHIFT;
    const unsigned rest = (1u << EMP_FRAME_KIND_SHIFT) - 1u;
    printf("    %s = 0x%08x..0x%08x;\n", name, type | first << EMP_FRAME_KIND_SHIFT,
           type | last << EMP_FRAME_KIND_SHIFT | rest);
}

int main(void) {
    static_assert(EMP_FRAME_KIND_NACK == EMP_FRAME_KIND_ACK + 1, "answers are neighbours");
    printf("%%%%{\n    machine emp_frame_ranges;\n");
    kinds("header_word", EMP_FRAME_KIND_HEADER, EMP_FRAME_KIND_HEADER);
    kinds("data_word", EMP_FRAME_KIND_DATA, EMP_FRAME_KIND_DATA);
    kinds("answer_word", EMP_FRAME_KIND_ACK, EMP_FRAME_KIND_NACK);
    printf("}%%%%\n");
    return 0;
}
