/* SPDX-License-Identifier: MIT */
/*
 * NIC_PORT_HEADER of the native port: no place is faster than another, and each limit is the
 * smallest that port.h allows.
 */
#ifndef FW_RUNTIME_PORT_NATIVE_PORT_HEADER_H
#define FW_RUNTIME_PORT_NATIVE_PORT_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#define NIC_HOT
#define NIC_ENTRY
#define NIC_COLD
#define NIC_RARE
#define NIC_ONCE
#define NIC_FAST
#define NIC_FAST_DATA
/* Apart from what a test puts back between two runs (native.h). */
#define NIC_UNSET __attribute__((section(".bss.unset")))

#define NIC_CONTROL_ADDRESS   0x200 /* as nic/board.hsm has it */
#define NIC_IMAGE_LIMIT       0x100000
#define NIC_HEADER_WORDS      16
#define NIC_WRITTEN_LIMIT     16
#define NIC_WRITTEN_PER_FRAME 2
#define NIC_READ_LIMIT        32

/* A name is the number of the frame's place; above it, where offsets count from. */
#define NATIVE_NAME_BITS 8u

static inline uint32_t nic_frame_from(uint32_t frame, uint32_t bytes) {
    return frame + (bytes << NATIVE_NAME_BITS);
}

#if NIC_PROCESSORS > 1
/* Processors of one program. An event of one runs to its end before any of the other, so the lock
 * is always free; what is checked is that an event gives it back. */
#define NIC_COMMON
extern uint32_t native_lock_depth; /* of this processor */
extern bool native_signalled[2];   /* of either one */
static inline void nic_lock(void) {
    native_lock_depth++;
}
static inline void nic_unlock(void) {
    native_lock_depth--;
}
static inline bool nic_has_lock(void) {
    return native_lock_depth != 0;
}
static inline void nic_signal(void) {
    native_signalled[1 - NIC_PROCESSOR] = true;
}
#endif

static inline uint32_t nic_highest_bit(uint32_t word) {
    return 31u - (uint32_t)__builtin_clz(word);
}

#endif
