#include "sim/command/image.h"

int image_read_header(struct image *image, const char *text, const char *prefix, char *problem,
                      size_t problem_bytes) {
    (void)image;
    (void)text;
    (void)prefix;
    (void)snprintf(problem, problem_bytes, "C arrays cannot be read yet");
    return -1;
}
