/*
 * The frame parser: generated from frame.rl, used by the firmware and by tests.
 */
#ifndef SPEC_EMP_FRAME_H
#define SPEC_EMP_FRAME_H

#include <stdint.h>

#include "emp.h"

#ifndef EMP_PARSE_ATTRIBUTES
#define EMP_PARSE_ATTRIBUTES
#endif

/* What a parse can need: frame header and message header. */
#define EMP_PARSE_BYTES (EMP_FRAME_BYTES + EMP_MESSAGE_HEADER_BYTES)

enum emp_parse {
    EMP_PARSE_OK,       /* an EMP frame of a known kind, all of it there */
    EMP_PARSE_FOREIGN,  /* another protocol, an unknown kind, or not addressed to us alone */
    EMP_PARSE_MALFORMED /* EMP by its type and kind, but short or contradicting itself */
};

/* Parses a frame of `bytes` bytes without checksum, at least 16, into *frame, all but `buffer`.
 * Only words that lie wholly inside the frame are read, at most EMP_PARSE_BYTES of it. `own` is the
 * first word of the own address: the MAC has compared all of it, except that it lets broadcasts
 * pass. Unless the result is EMP_PARSE_OK the contents of *frame mean nothing. */
enum emp_parse emp_frame_parse(const uint32_t *words, uint32_t bytes, uint32_t own,
                               struct emp_frame *frame);

#endif
