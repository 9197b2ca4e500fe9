/* SPDX-License-Identifier: MIT */
/*
 * IEEE 802.1Q tags; see vlan.h.
 */
#include "fw-runtime/vlan.h"

#define ADDRESS_WORDS 3u /* before the tag, which is one word */
#define TAG_BYTES     4u
#define TAG_TYPE      0x8100u

struct nic_untagged nic_untagged;

NIC_COLD bool nic_untag(const uint32_t *words, uint32_t bytes, uint32_t frame) {
    if (words == nic_untagged.words || words[ADDRESS_WORDS] >> 16 != TAG_TYPE)
        return false;
    for (uint32_t word = 0; word < ADDRESS_WORDS; word++)
        nic_untagged.words[word] = words[word];
    for (uint32_t word = ADDRESS_WORDS; word < NIC_HEADER_WORDS - 1; word++)
        nic_untagged.words[word] = words[word + 1];
    nic_untagged.bytes = bytes - TAG_BYTES;
    nic_untagged.frame = nic_frame_from(frame, TAG_BYTES);
    return true;
}
