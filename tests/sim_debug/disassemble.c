/* SPDX-License-Identifier: MIT */
/* Reads words in hexadecimal, prints each as the simulator's disassembler does. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/debug/disassemble.h"

int main(void) {
    uint32_t word, address = 0x4000;
    char text[TIGON_DISASSEMBLY_BYTES];
    for (; scanf("%" SCNx32, &word) == 1; address += 4) {
        tigon_disassemble(word, address, text);
        (void)puts(text);
    }
    return 0;
}
