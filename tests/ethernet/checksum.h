/* SPDX-License-Identifier: MIT */
/* IPv4, UDP and TCP headers and their checksums in software, for frames of which the board makes
 * and checks the sums. `packet` begins at the IP header. */
#ifndef ETHERNET_CHECKSUM_H
#define ETHERNET_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

enum { CHECKSUM_INTERNET_TYPE = 0x0800 };

/* Writes the headers of a packet of `length` bytes between hosts 10.0.0.FROM and 10.0.0.TO, without
 * sums; returns their length. */
uint32_t checksum_headers(uint8_t *packet, uint32_t length, bool tcp, uint8_t from, uint8_t to);
/* The length of the headers of what claims to be such a packet. */
uint32_t checksum_header_bytes(const uint8_t *packet);

/* Fills the two checksums in. Where the board makes one, the IP field is 0 and the transport field
 * has the sum of the pseudo-header, not inverted. */
void checksum_finish(uint8_t *packet, bool internet, bool transport);
/* Offset of the transport checksum in the packet. */
uint32_t checksum_place(const uint8_t *packet);

/* Sums of 16-bit words, folded: of the transport header and all that follows in the packet, and of
 * the pseudo-header. */
uint32_t checksum_transport(const uint8_t *packet);
uint32_t checksum_pseudo(const uint8_t *packet);

#endif
