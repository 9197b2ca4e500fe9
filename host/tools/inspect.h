/* SPDX-License-Identifier: MIT */
/* Memory of a board read with the names of its image: trace ring, functions, faults. */
#ifndef HOST_TOOLS_INSPECT_H
#define HOST_TOOLS_INSPECT_H

#include "host/tools/tool.h"

struct inspect_ring {
    struct board *board;
    struct board_image *image; /* NULL: no names */
    uint32_t address;
    uint32_t entries; /* 0: the firmware has no ring */
    uint32_t seen;    /* records read so far, as the firmware counts them */
};

struct inspect_record {
    uint32_t lost; /* records before this one that were overwritten before they could be read */
    uint32_t time_us;
    uint16_t transition;
    uint16_t argument;
    const char *name; /* "transition N" if the image has none; good until the next call */
};

/* Finds the ring of a board on which firmware was started, and reads the image's names: `path`, or
 * NULL for the one that `emp load` takes. An image of another spec has no names for this board:
 * with `complain` there is a message. TOOL_DONE, or a status after a message. */
int inspect_open(struct inspect_ring *ring, struct tool_session *session, const char *path,
                 bool complain);
void inspect_close(struct inspect_ring *ring);

/* The next record: 1, 0 if there is none yet, or a negative errno value. Begins with the oldest
 * that the ring holds. */
int inspect_next(struct inspect_ring *ring, struct inspect_record *record);

#endif
