/* SPDX-License-Identifier: MIT */
/*
 * The file that is flashed: what Linux drivers of this card load (tigon2.md 10), and a trailer.
 * This header is the format's only description, for the reader and writer beside it, for a kernel
 * driver and for tools; it includes nothing. All words are big-endian and have 32 bits.
 *
 *     offset  bytes
 *          0      3  version: major, minor, fix
 *          3      1  0
 *          4      4  start: where processor A begins, a multiple of 4 within the payload
 *          8      4  load: address of the payload's first byte, a multiple of 4
 *         12      P  payload, contiguous, P a multiple of 4; bss is not part of it
 *     12 + P      N  names: lines of text, filled up with zero bytes to a multiple of 4
 *      end-32     32 tail: the words of BOARD_IMAGE_TAIL_ below
 *
 * A loader that knows only the first 12 bytes copies names and tail into the board's memory, too,
 * behind the payload. Firmware clears its bss itself, so that does no harm; all of the file but the
 * header lies below BOARD_IMAGE_END_ADDRESS from its load address on, which every board has.
 *
 * Lines of the names, in this order; readers skip lines that they do not know:
 *
 *     protocol NAME              of the spec
 *     profile NAME               of the spec; absent if it has none
 *     hash 0xHHHHHHHH            of the spec, as in the tail
 *     file NAME                  a file of the spec, in the order of numbers
 *     transition NAME            in the order of numbers
 *     symbol 0xAAAAAAAA BYTES NAME   a function, in the order of addresses
 *
 * The same content gives the same bytes: there is no date, path or host name.
 */
#ifndef HOST_BOARD_IMAGE_FORMAT_H
#define HOST_BOARD_IMAGE_FORMAT_H

#define BOARD_IMAGE_HEADER_BYTES 12
#define BOARD_IMAGE_START_OFFSET 4
#define BOARD_IMAGE_LOAD_OFFSET  8

/* Start and load address, and all that the image uses, bss included, lie in here (tigon2.md 10). */
#define BOARD_IMAGE_FIRST_ADDRESS 0x4000
#define BOARD_IMAGE_END_ADDRESS   0x80000

#define BOARD_IMAGE_TAIL_BYTES    32
#define BOARD_IMAGE_TAIL_MAGIC    0 /* word 0: BOARD_IMAGE_MAGIC */
#define BOARD_IMAGE_TAIL_FORMAT   1 /* word 1: BOARD_IMAGE_FORMAT */
#define BOARD_IMAGE_TAIL_PAYLOAD  2 /* word 2: P */
#define BOARD_IMAGE_TAIL_NAMES    3 /* word 3: bytes of the names without the zeros behind */
#define BOARD_IMAGE_TAIL_MEMORY   4 /* word 4: first address behind all memory that is used */
#define BOARD_IMAGE_TAIL_HASH     5 /* word 5: of the spec; 0: not known */
#define BOARD_IMAGE_TAIL_RESERVED 6 /* word 6: 0 */
#define BOARD_IMAGE_TAIL_CRC      7 /* word 7: CRC-32 of IEEE 802.3 of all bytes before it */

#define BOARD_IMAGE_MAGIC  0x5432494D /* the bytes "T2IM" */
#define BOARD_IMAGE_FORMAT 1

#endif
