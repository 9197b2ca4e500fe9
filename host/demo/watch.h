/* SPDX-License-Identifier: MIT */
/* What a recorder has to know of a protocol; hsmc build --watch makes it, for EMP
 * emp/emp_watch.h.
 *
 * Numbers are those of the protocol's C structures, which have the same layout on the chip and here
 * but for the order of bytes. */
#ifndef HOST_DEMO_WATCH_H
#define HOST_DEMO_WATCH_H

#include <stddef.h>
#include <stdint.h>

struct watch_field {
    size_t offset;
    size_t bytes;
};

/* A number in a register, or a pointer to a payload of `count` fields. */
struct watch_argument {
    size_t count; /* 0: a number */
    const struct watch_field *fields;
};

/* A function whose calls are recorded. */
struct watch_point {
    const char *symbol;
    const char *title; /* how the line of the trace begins */
    int returns;       /* a trace notes: 0 nothing, 1 the verdict given back, 2 that it came back */
    size_t count;
    const struct watch_argument *arguments;
};

/* A variable of the state, or a field in each record of a container. */
struct watch_member {
    const char *symbol; /* member of the state */
    const char *title;  /* the record's number goes between the brackets, if there are any */
    uint32_t first;     /* number of the first record */
    uint32_t count;
    size_t stride; /* of records */
    size_t offset;
    size_t bytes;    /* of all elements */
    size_t elements; /* more than 1: an array */
    int words;       /* a set of bits, in words of 32 */
};

struct watch_protocol {
    const char *name;
    const struct watch_point *points;
    size_t point_count;
    const struct watch_member *members;
    size_t member_count;
    const char *const *parameters; /* by position, NULL at the end */
    const char *const *counters;
    const char *observed;  /* symbol of images that show all their calls */
    const char *placement; /* on two processors, or NULL */
    /* By transition: which processor takes it. NULL: there is one, or either takes it. */
    const uint8_t *row_processors;
};

#endif
