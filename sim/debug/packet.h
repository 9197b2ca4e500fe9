/* SPDX-License-Identifier: MIT */
/*
 * Packets of GDB's remote serial protocol on a stream socket: $text#checksum, with acknowledgements
 * until both sides agree to omit them, and a bare 0x03 to interrupt.
 *
 * Hostile input is harmless: a damaged packet is requested again or dropped, one that is too long
 * becomes an empty packet, which the protocol treats as unknown.
 */
#ifndef SIM_DEBUG_PACKET_H
#define SIM_DEBUG_PACKET_H

#include <stdbool.h>
#include <stddef.h>

struct packet_stream {
    int descriptor; /* -1: closed */
    bool no_acknowledge;
    size_t begin, end; /* bytes received and not parsed yet */
    unsigned char buffer[4096];
};

enum packet_event {
    PACKET_NOTHING, /* only when not waiting */
    PACKET_ARRIVED,
    PACKET_INTERRUPT,
    PACKET_CLOSED
};

void packet_open(struct packet_stream *stream, int descriptor);
void packet_close(struct packet_stream *stream);

/* The next packet. `text` gets its unescaped bytes and a 0 behind them, at most `size` - 1. */
enum packet_event packet_receive(struct packet_stream *stream, bool wait, char *text, size_t size,
                                 size_t *length);

/* Sends bytes as a packet, escaped as needed. False: the other side is gone. */
bool packet_send(struct packet_stream *stream, const char *bytes, size_t length);

/* Hexadecimal digits of a number at *text, which is moved behind them. False: none, or too many. */
bool packet_parse_number(const char **text, unsigned long long *number);
/* Pairs of digits to bytes; returns the bytes, stops at the first that is no digit. */
size_t packet_parse_bytes(const char *text, unsigned char *bytes, size_t limit);
void packet_format_bytes(const void *bytes, size_t length, char *text); /* 2 * length + 1 chars */

#endif
