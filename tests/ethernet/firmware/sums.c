/*
 * Core A: checksums of IPv4, and of TCP and UDP in it. The DMA engine adds up a whole frame; what
 * is too much in that, headers before the payload and padding behind it, is taken away again:
 * one's-complement sums allow it (tigon2.md 5.2, 16.6).
 */
#include "tests/ethernet/firmware/core_a.h"

#define TYPE_AT     12u
#define TYPE_IP     0x0800u
#define TYPE_TAG    0x8100u
#define ETHERNET    14u /* bytes of its header */
#define TAG_BYTES   4u
#define TCP         6u
#define UDP         17u
#define FRAGMENT    0x3FFFu /* more fragments, or not the first */
#define SHORTEST_IP 20u

/* Fields of the IP header, and the sums in TCP and UDP. */
enum { IP_LENGTH = 2, IP_FRAGMENT = 6, IP_PROTOCOL = 8, IP_SUM = 10, IP_ADDRESSES = 12 };
enum { TCP_SUM = 16, UDP_SUM = 6 };

static uint32_t place_of(const struct frame *frame, uint32_t offset) {
    const uint32_t address = frame->address + offset;
    return address >= frame->buffer_end ? address - (frame->buffer_end - frame->buffer) : address;
}

/* Sixteen bits at an even offset. */
static uint32_t half(const struct frame *frame, uint32_t offset) {
    return SRAM_HALF(place_of(frame, offset));
}

uint32_t fold(uint32_t sum) {
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (sum & 0xFFFF) + (sum >> 16);
}

uint32_t sum_of(const struct frame *frame, uint32_t from, uint32_t to) {
    uint32_t sum = 0;
    if ((from & 1) != 0 && from < to)
        sum += half(frame, from++ - 1) & 0xFF;
    for (; from + 1 < to; from += 2)
        sum += half(frame, from);
    if (from < to)
        sum += half(frame, from) & 0xFF00;
    return fold(sum);
}

bool find_ip(const struct frame *frame, struct ip *ip) {
    uint32_t header = ETHERNET;
    if (half(frame, TYPE_AT) == TYPE_TAG)
        header += TAG_BYTES;
    if (frame->length < header + SHORTEST_IP || half(frame, header - 2) != TYPE_IP)
        return false;
    const uint32_t version = half(frame, header) >> 8;
    const uint32_t bytes = 4 * (version & 15);
    const uint32_t total = half(frame, header + IP_LENGTH);
    if (version >> 4 != 4 || bytes < SHORTEST_IP || total < bytes || header + total > frame->length)
        return false;
    ip->header = header;
    ip->payload = header + bytes;
    ip->end = header + total;
    ip->protocol = half(frame, header + IP_PROTOCOL) & 0xFF;
    if ((half(frame, header + IP_FRAGMENT) & FRAGMENT) != 0 ||
        (ip->protocol != TCP && ip->protocol != UDP))
        ip->protocol = 0;
    return true;
}

uint32_t pseudo_header(const struct frame *frame, const struct ip *ip) {
    return fold(sum_of(frame, ip->header + IP_ADDRESSES, ip->header + IP_ADDRESSES + 8) +
                ip->protocol + (ip->end - ip->payload));
}

uint32_t sum_beside_payload(const struct frame *frame, const struct ip *ip, uint32_t cut) {
    uint32_t sum;
    if (cut == 0)
        sum = sum_of(frame, 0, ip->payload);
    else
        sum = sum_of(frame, 0, TYPE_AT) + sum_of(frame, TYPE_AT + cut, ip->payload);
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
        put_half(frame, ip.header + IP_SUM, 0);
        put_half(frame, ip.header + IP_SUM, 0xFFFF - sum_of(frame, ip.header, ip.payload));
    }
}
