/* SPDX-License-Identifier: MIT */
/*
 * A copy of EMP's image with a name, NODE; see node.h.
 */
#include "spec/emp/firmware/image.c"

#include "tests/native_port/node.h"

#define JOIN(left, right)       left##right
#define EXPANDED(left, right)   JOIN(left, right)
#define AREA(boundary, section) EXPANDED(EXPANDED(boundary, NODE), section)
#define START(section)          AREA(__start_, section)
#define STOP(section)           AREA(__stop_, section)

/* By the linker. */
extern unsigned char START(_data)[], STOP(_data)[];
extern unsigned char START(_bss)[], STOP(_bss)[];
extern unsigned char START(_unset)[], STOP(_unset)[];

static uint32_t node_taken(void) {
    return taken;
}

_Static_assert(sizeof pages / sizeof pages[0] <= 64, "node_restore_pages has a bit for each");

static uint32_t node_records(void) {
    uint32_t count = 0;
    for (uint32_t word = 0; word < HSM_COUNT(struct emp_state, send_message_used); word++)
        count += (uint32_t)__builtin_popcount(EMP_STATE(send_message_used)[word]);
    for (uint32_t word = 0; word < HSM_COUNT(struct emp_state, receive_message_used); word++)
        count += (uint32_t)__builtin_popcount(EMP_STATE(receive_message_used)[word]);
    return count;
}

extern const struct node NODE;
const struct node NODE = {
    .nic = &native_nic,
    .areas = {{START(_data), STOP(_data)},
              {START(_bss), STOP(_bss)},
              {START(_unset), STOP(_unset)}},
    .pages = (unsigned char *)pages,
    .page_bytes = sizeof pages[0],
    .page_count = sizeof pages / sizeof pages[0],
    .taken = node_taken,
    .records = node_records,
};
