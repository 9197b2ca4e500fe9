/* SPDX-License-Identifier: MIT */
/*
 * IEEE 802.1Q tags of frames that came. A protocol for which a tag means nothing takes such a frame
 * as though the tag were not in it. Its own frames go out without one.
 */
#ifndef FW_RUNTIME_VLAN_H
#define FW_RUNTIME_VLAN_H

#include "fw-runtime/port.h"

/* A frame without the tag that it came with; the arguments of nic_on_frame. */
struct nic_untagged {
    uint32_t words[NIC_HEADER_WORDS]; /* the last one means nothing */
    uint32_t bytes;
    uint32_t frame;
};
extern struct nic_untagged nic_untagged;

/* Only inside nic_on_frame, with its arguments. True if the frame has a tag, of type 0x8100: then
 * `nic_untagged` is the frame without it, until the next call. Only one tag is taken off: for the
 * words in `nic_untagged` it returns false. */
bool nic_untag(const uint32_t *words, uint32_t bytes, uint32_t frame);

#endif
