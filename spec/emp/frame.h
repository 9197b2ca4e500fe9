/* SPDX-License-Identifier: MIT */
/*
 * The frame parser: generated from frame.rl, used by the firmware and by tests.
 */
#ifndef SPEC_EMP_FRAME_H
#define SPEC_EMP_FRAME_H

#include <stdint.h>

#include "emp_codec.h"

#ifndef EMP_PARSE_ATTRIBUTES
#define EMP_PARSE_ATTRIBUTES
#endif

/* Is this frame of `bytes` bytes without checksum, at least 16, one that emp_frame_unpack can take?
 * Only words that lie wholly inside the frame are read, at most EMP_FRAME_BYTES of it. `own` is the
 * first word of the own address: the MAC has compared all of it, except that it lets broadcasts
 * pass; a frame for another is foreign. */
enum emp_acceptance emp_frame_parse(const uint32_t *words, uint32_t bytes, uint32_t own);

#endif
