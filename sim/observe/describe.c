/* SPDX-License-Identifier: MIT */
/* See describe.h. */
#include "sim/observe/describe.h"

#include <fnmatch.h>
#include <string.h>

#include "sim/base/frame.h"
#include "sim/time.h"

const char *tigon_describe_arrival(enum tigon_arrival_fate fate) {
    static const char *const names[] = {"kept", "dropped", "lost, no signal"};
    return (unsigned)fate < sizeof names / sizeof *names ? names[fate] : "?";
}

uint64_t tigon_describe_frame_ticks(size_t length) {
    return (length + TIGON_FRAME_CRC_BYTES + TIGON_FRAME_PREAMBLE) *
           (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
}

uint64_t tigon_describe_frame_horizon(void) {
    /* Boards run ahead of each other by some microseconds at most. */
    return tigon_describe_frame_ticks(TIGON_FRAME_CAPACITY) + tigon_ticks_from_ns(100000);
}

bool tigon_describe_matches(const char *patterns, const char *name, const char *asked) {
    char pattern[128];
    while (*patterns) {
        const size_t length = strcspn(patterns, ",");
        if (length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = 0;
            if (length && (!asked || strstr(pattern, asked)) && fnmatch(pattern, name, 0) == 0)
                return true;
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

void tigon_describe_json(FILE *stream, const char *text) {
    (void)fputc('"', stream);
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            (void)fprintf(stream, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7F)
            (void)fprintf(stream, "\\u%04x", byte);
        else
            (void)fputc(byte, stream);
    }
    (void)fputc('"', stream);
}
