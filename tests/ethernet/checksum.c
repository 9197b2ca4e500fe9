/* SPDX-License-Identifier: MIT */
/* See checksum.h. */
#include "tests/ethernet/checksum.h"

#include <string.h>

enum { INTERNET = 20, UDP = 8, TCP = 20, UDP_NUMBER = 17, TCP_NUMBER = 6 };
enum { UDP_SUM = 6, TCP_SUM = 16, INTERNET_SUM = 10 };

static uint32_t sum(const uint8_t *bytes, uint32_t length) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < length; i++)
        total += (i & 1) != 0 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (total >> 16 != 0)
        total = (total & 0xFFFFu) + (total >> 16);
    return total;
}

static void put(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static uint32_t packet_length(const uint8_t *packet) {
    return (uint32_t)packet[2] << 8 | packet[3];
}

uint32_t checksum_headers(uint8_t *packet, uint32_t length, bool tcp, uint8_t from, uint8_t to) {
    const uint8_t internet[INTERNET] = {
        [0] = 0x45, [8] = 64, [9] = tcp ? TCP_NUMBER : UDP_NUMBER, [12] = 10, [15] = from,
        [16] = 10,  [19] = to};
    uint8_t *transport = packet + INTERNET;
    memcpy(packet, internet, INTERNET);
    put(packet + 2, length);
    memset(transport, 0, tcp ? TCP : UDP);
    put(transport, 4000);
    put(transport + 2, 4001);
    if (tcp) {
        transport[12] = TCP / 4 << 4;
        transport[13] = 0x10;
    } else {
        put(transport + 4, length - INTERNET);
    }
    return INTERNET + (tcp ? TCP : UDP);
}

uint32_t checksum_header_bytes(const uint8_t *packet) {
    return INTERNET + (packet[9] == TCP_NUMBER ? TCP : UDP);
}

uint32_t checksum_place(const uint8_t *packet) {
    return INTERNET + (packet[9] == TCP_NUMBER ? TCP_SUM : UDP_SUM);
}

uint32_t checksum_transport(const uint8_t *packet) {
    return sum(packet + INTERNET, packet_length(packet) - INTERNET);
}

uint32_t checksum_pseudo(const uint8_t *packet) {
    uint8_t pseudo[12];
    memcpy(pseudo, packet + 12, 8);
    pseudo[8] = 0;
    pseudo[9] = packet[9];
    put(pseudo + 10, packet_length(packet) - INTERNET);
    return sum(pseudo, sizeof pseudo);
}

void checksum_finish(uint8_t *packet, bool internet, bool transport) {
    uint8_t *field = packet + checksum_place(packet);
    put(packet + INTERNET_SUM, 0);
    if (internet)
        put(packet + INTERNET_SUM, ~sum(packet, INTERNET));
    put(field, checksum_pseudo(packet));
    if (transport) {
        const uint32_t total = ~checksum_transport(packet) & 0xFFFFu;
        put(field, total != 0 ? total : 0xFFFFu);
    }
}
