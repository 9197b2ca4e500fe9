/* SPDX-License-Identifier: MIT */
/*
 * Where things lie in SRAM and scratchpad; shared by C, start-up and linker script.
 *
 * The MAC buffers end at 0x200000 on every board (tigon2.md 2.3). T and R, the bases of transmit
 * and receive buffer, are chosen at start by the memory found; TIGON2_IMAGE_LIMIT is what the
 * smallest board leaves for the image: 512 kB, or 1 MB where the image is for two processors.
 */
#ifndef FW_RUNTIME_TIGON2_MEMORY_MAP_H
#define FW_RUNTIME_TIGON2_MEMORY_MAP_H

/* 512 kB: 56 kB transmit, 136 kB receive buffer. An image with checks takes 16 kB of the latter. */
#ifdef TIGON2_LARGER_IMAGE
#define TIGON2_SMALL_TRANSMIT 0x1D4000
#define TIGON2_SMALL_RECEIVE  0x1E2000
#else
#define TIGON2_SMALL_TRANSMIT 0x1D0000
#define TIGON2_SMALL_RECEIVE  0x1DE000
#endif
/* 1 MB and more: 128 kB transmit, 384 kB receive buffer. */
#define TIGON2_LARGE_TRANSMIT 0x180000
#define TIGON2_LARGE_RECEIVE  0x1A0000

/* What two processors have of their own does not fit beside both buffers of 512 kB. */
#if defined NIC_PROCESSORS && NIC_PROCESSORS > 1
#define TIGON2_LEAST_MEMORY 0x100000
#define TIGON2_IMAGE_LIMIT  (TIGON2_LARGE_TRANSMIT - 0x5000 - (0x200000 - TIGON2_LEAST_MEMORY))
#else
#define TIGON2_LEAST_MEMORY 0x80000
#define TIGON2_IMAGE_LIMIT  (TIGON2_SMALL_TRANSMIT - 0x5000 - (0x200000 - TIGON2_LEAST_MEMORY))
#endif

/* Stack in the scratchpad; the gate in build.mk compares it with the call graph. A variant may have
 * another. */
#ifndef TIGON2_STACK_BYTES
#define TIGON2_STACK_BYTES 384
#endif

/* What the stack needs beyond that goes on in SRAM (tigon2.md 2.1): at most so many bytes. */
#define TIGON2_SPILL_BYTES 0x1000

/* Records of the trace ring, as a power of two; for assembler. */
#define TIGON2_TRACE_BITS 10

#endif
