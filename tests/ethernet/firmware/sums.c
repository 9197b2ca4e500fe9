/* SPDX-License-Identifier: MIT */
/*
 * Core A: checksums of IPv4, and of TCP and UDP in it. The DMA engine adds up a whole frame; what
 * is too much in that, headers before the payload and padding behind it, is taken away again:
 * one's-complement sums allow it (tigon2.md 5.2, 16.6).
 */
#include "tests/ethernet/firmware/core_a.h"

#define TYPE_AT     12u
#define TYPE_IP     0x0800u
#define TYPE_TAG    0x8100u
#define TAG_BYTES   4u
#define TCP         6u
#define UDP         17u
#define FRAGMENT    0x3FFFu /* more fragments, or not the first */
#define SHORTEST_IP 20u

/* Fields of the IP header, and the sums in TCP and UDP. */
enum { IP_SUM = 10, IP_ADDRESSES = 12 };
enum { TCP_SUM = 16, UDP_SUM = 6 };

static uint32_t place_of(const struct frame *frame, uint32_t offset) {
    const uint32_t address = frame->address + offset;
    return address >= frame->buffer_end && offset >= frame->unwrapped
               ? address - (frame->buffer_end - frame->buffer)
               : address;
}

/* Sixteen bits at an even offset; 32 at a multiple of four. */
static uint32_t half(const struct frame *frame, uint32_t offset) {
    return SRAM_HALF(place_of(frame, offset));
}

static uint32_t word(const struct frame *frame, uint32_t offset) {
    return SRAM(place_of(frame, offset));
}

uint32_t fold(uint32_t sum) {
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (sum & 0xFFFF) + (sum >> 16);
}

/* Of words at multiples of four. */
static uint32_t sum_of_words(const struct frame *frame, uint32_t from, uint32_t to) {
    uint32_t address = place_of(frame, from);
    uint32_t sum = 0;
    for (uint32_t left = to - from; left != 0; left -= 4) {
        const uint32_t value = SRAM(address);
        sum += (value >> 16) + (value & 0xFFFF);
        address += 4;
        if (address == frame->buffer_end)
            address = frame->buffer;
    }
    return sum;
}

static uint32_t sum_of(const struct frame *frame, uint32_t from, uint32_t to) {
    uint32_t sum = 0;
    if (from >= to)
        return 0;
    if ((from & 1) != 0) {
        sum += half(frame, from - 1) & 0xFF;
        from++;
    }
    if ((from & 2) != 0 && from + 1 < to) {
        sum += half(frame, from);
        from += 2;
    }
    if (from + 3 < to) {
        const uint32_t end = to & ~3u;
        sum += sum_of_words(frame, from, end);
        from = end;
    }
    if (from + 1 < to) {
        sum += half(frame, from);
        from += 2;
    }
    if (from < to)
        sum += half(frame, from) & 0xFF00;
    return fold(sum);
}

bool find_ip(const struct frame *frame, struct ip *ip) {
    uint32_t at = TYPE_AT; /* the two bytes before the IP header and those behind lie in words */
    uint32_t first = word(frame, at);
    if (first >> 16 == TYPE_TAG) {
        at += TAG_BYTES;
        first = word(frame, at);
    }
    if (frame->length < at + 2 + SHORTEST_IP || first >> 16 != TYPE_IP)
        return false;
    const uint32_t second = word(frame, at + 4); /* length, identification */
    const uint32_t third = word(frame, at + 8);  /* fragment, time to live, protocol */
    const uint32_t bytes = first >> 6 & 0x3C;
    const uint32_t total = second >> 16;
    ip->header = at + 2;
    ip->payload = ip->header + bytes;
    ip->end = ip->header + total;
    if ((first >> 12 & 15) != 4 || bytes < SHORTEST_IP || total < bytes || ip->end > frame->length)
        return false;
    ip->protocol = third & 0xFF;
    if ((third >> 16 & FRAGMENT) != 0 || (ip->protocol != TCP && ip->protocol != UDP))
        ip->protocol = 0;
    ip->header_sum = sum_of(frame, ip->header, ip->payload);
    return true;
}

uint32_t pseudo_header(const struct frame *frame, const struct ip *ip) {
    return fold(sum_of(frame, ip->header + IP_ADDRESSES, ip->header + IP_ADDRESSES + 8) +
                ip->protocol + (ip->end - ip->payload));
}

uint32_t sum_beside_payload(const struct frame *frame, const struct ip *ip, uint32_t cut) {
    uint32_t sum =
        ip->header_sum + sum_of(frame, 0, TYPE_AT) + sum_of(frame, TYPE_AT + cut, ip->header);
    if (ip->end != frame->length)
        sum += sum_of(frame, ip->end, frame->length);
    return fold(sum);
}

static void put_half(const struct frame *frame, uint32_t offset, uint32_t value) {
    SRAM_HALF(place_of(frame, offset)) = (uint16_t)value;
}

void put_sums(const struct frame *frame, uint32_t sum, uint32_t wanted, bool pseudo) {
    struct ip ip;
    if (!find_ip(frame, &ip))
        return;
    const uint32_t at = ip.payload + (ip.protocol == TCP ? TCP_SUM : UDP_SUM);
    if ((wanted & DESCRIPTOR_TRANSPORT_SUM) != 0 && ip.protocol != 0 && at + 2 <= ip.end) {
        uint32_t total = sum + (0xFFFF - sum_beside_payload(frame, &ip, 0));
        if (pseudo) /* what the field holds does not count; else it is the pseudo-header's sum */
            total += (0xFFFF - half(frame, at)) + pseudo_header(frame, &ip);
        total = 0xFFFF - fold(total);
        put_half(frame, at, ip.protocol == UDP && total == 0 ? 0xFFFF : total);
        count(COUNTER_SENT_SUMS);
    }
    if ((wanted & DESCRIPTOR_IP_SUM) != 0) {
        const uint32_t old = half(frame, ip.header + IP_SUM);
        put_half(frame, ip.header + IP_SUM, 0xFFFF - fold(ip.header_sum + (0xFFFF - old)));
    }
}
