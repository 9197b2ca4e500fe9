/* SPDX-License-Identifier: MIT */
#include "host/demo/traffic.h"

#include "emp/emp_codec.h"

#include <string.h>

static void count(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct traffic *traffic = context;
    uint32_t words[EMP_FRAME_BYTES / 4] = {0};
    const bool gone = fate == TIGON_FATE_LOSE || fate == TIGON_FATE_CUT ||
                      fate == TIGON_FATE_CORRUPT_VISIBLE || fate == TIGON_FATE_TRUNCATE ||
                      fate == TIGON_FATE_LENGTHEN;
    traffic->frames++;
    traffic->lost += gone;
    /* Also of one that was cut. */
    emp_load_words(words, frame->bytes,
                   frame->length < sizeof words ? (uint32_t)frame->length : sizeof words);
    const uint32_t kind =
        emp_frame_get_type(words) == EMP_ETHERTYPE ? emp_frame_get_kind(words) : 0;
    if (kind == EMP_FRAME_KIND_HEADER || kind == EMP_FRAME_KIND_DATA)
        traffic->data_frames++;
    else if (kind == EMP_FRAME_KIND_ACK) {
        traffic->acknowledgements++;
        traffic->lost_acknowledgements += gone;
    } else if (kind == EMP_FRAME_KIND_NACK)
        traffic->negative_acknowledgements++;
    else
        traffic->other++;
}

void traffic_watch(struct traffic *traffic, struct tigon_wire *wire) {
    memset(traffic, 0, sizeof *traffic);
    tigon_wire_set_tap(wire, count, traffic);
}
