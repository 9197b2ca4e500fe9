/* SPDX-License-Identifier: MIT */
/*
 * Runs inputs of the fuzzer from files: replay FILE... A finding ends it, after its name.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_BYTES 65536u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int main(int count, char **names) {
    static uint8_t bytes[INPUT_BYTES];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "rb");
        size_t length;
        if (file == NULL) {
            (void)fprintf(stderr, "expected a file that can be read, found %s\n", names[i]);
            return EXIT_FAILURE;
        }
        length = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        (void)fprintf(stderr, "%s\n", names[i]);
        (void)LLVMFuzzerTestOneInput(bytes, length);
    }
    (void)printf("%d inputs, no finding\n", count - 1);
    return EXIT_SUCCESS;
}
