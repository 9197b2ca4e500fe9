/* SPDX-License-Identifier: MIT */
/* Frames on a wire as a pcapng file, for the wire; the part for programs is in sim/tigon.h.
 *
 * The blocks are written here because no C library of Debian fits: libpcap writes the old format
 * only, which has neither comments nor named interfaces, and libwiretap is a part of Wireshark
 * without a stable interface. */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include "sim/tigon.h"

struct tigon_capture;

struct tigon_capture_options {
    const char *path;
    const char *end[2];  /* names of left and right, for the interfaces */
    uint64_t horizon_ns; /* no frame begins more than this before one that was added already */
};

/* Returns 0 or -errno: then there is no capture. */
int tigon_capture_open(struct tigon_capture **capture, const struct tigon_capture_options *options);

/* Adds a frame; the file has frames in the order of their beginnings. `comment` may be NULL and
 * must outlive the capture. Errors are reported at the end. */
void tigon_capture_frame(struct tigon_capture *capture, const struct tigon_frame_view *frame,
                         const char *comment);

/* Ends the file and frees everything. Returns 0 or the first error, as -errno. NULL is allowed. */
int tigon_capture_close(struct tigon_capture *capture);

#endif
