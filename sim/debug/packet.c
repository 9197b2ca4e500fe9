/* SPDX-License-Identifier: MIT */
/* Packets of the remote serial protocol; see packet.h. */
#include "sim/debug/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERRUPT 0x03
#define ESCAPE    '}'
#define RESENDS   8

void packet_open(struct packet_stream *stream, int descriptor) {
    memset(stream, 0, sizeof *stream);
    stream->descriptor = descriptor;
}

void packet_close(struct packet_stream *stream) {
    if (stream->descriptor >= 0)
        (void)close(stream->descriptor);
    stream->descriptor = -1;
}

/* The next byte, -1 when the connection is closed, -2 when there is none now. */
static int next_byte(struct packet_stream *stream, bool wait) {
    while (stream->begin == stream->end) {
        if (stream->descriptor < 0)
            return -1;
        struct pollfd request = {.fd = stream->descriptor, .events = POLLIN};
        const int ready = poll(&request, 1, wait ? -1 : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            return -2;
        const ssize_t count = recv(stream->descriptor, stream->buffer, sizeof stream->buffer, 0);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0) {
            packet_close(stream);
            return -1;
        }
        stream->begin = 0;
        stream->end = (size_t)count;
    }
    return stream->buffer[stream->begin++];
}

static bool send_all(struct packet_stream *stream, const char *bytes, size_t length) {
    while (length > 0) {
        if (stream->descriptor < 0)
            return false;
        const ssize_t count = send(stream->descriptor, bytes, length, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            packet_close(stream);
            return false;
        }
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

static int digit(int character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return -1;
}

/* The bytes between $ and #. False: the other side is gone. */
static bool receive_body(struct packet_stream *stream, char *text, size_t size, size_t *length,
                         bool *whole) {
    unsigned sum = 0;
    bool escaped = false, fits = true;
    size_t used = 0;
    int byte;
    while ((byte = next_byte(stream, true)) >= 0 && byte != '#') {
        if (byte == '$') { /* the rest of the last one is lost */
            sum = 0;
            used = 0;
            escaped = false;
            fits = true;
            continue;
        }
        sum += (unsigned)byte;
        if (byte == ESCAPE && !escaped) {
            escaped = true;
            continue;
        }
        if (used + 1 < size)
            text[used++] = (char)(escaped ? byte ^ 0x20 : byte);
        else
            fits = false;
        escaped = false;
    }
    const int high = byte < 0 ? byte : next_byte(stream, true);
    const int low = high < 0 ? high : next_byte(stream, true);
    if (low < 0)
        return false;
    *whole = digit(high) >= 0 && digit(low) >= 0 &&
             (unsigned)(digit(high) * 16 + digit(low)) == (sum & 0xFFu);
    *length = fits ? used : 0;
    text[*length] = 0;
    return true;
}

enum packet_event packet_receive(struct packet_stream *stream, bool wait, char *text, size_t size,
                                 size_t *length) {
    for (;;) {
        const int byte = next_byte(stream, wait);
        bool whole = false;
        if (byte == -1)
            return PACKET_CLOSED;
        if (byte == -2)
            return PACKET_NOTHING;
        if (byte == INTERRUPT)
            return PACKET_INTERRUPT;
        if (byte != '$')
            continue; /* late acknowledgements, noise */
        if (!receive_body(stream, text, size, length, &whole))
            return PACKET_CLOSED;
        if (stream->no_acknowledge)
            return PACKET_ARRIVED;
        if (!send_all(stream, whole ? "+" : "-", 1))
            return PACKET_CLOSED;
        if (whole)
            return PACKET_ARRIVED;
    }
}

/* Waits for + or -. A packet that comes instead means that the other side does not wait for ours
 * any more: it is left for the next call. */
static bool acknowledged(struct packet_stream *stream) {
    for (;;) {
        const int byte = next_byte(stream, true);
        if (byte < 0 || byte == '-')
            return false;
        if (byte == '+')
            return true;
        if (byte == '$') {
            stream->begin--;
            return true;
        }
    }
}

bool packet_send(struct packet_stream *stream, const char *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * length + 4);
    size_t used = 0;
    unsigned sum = 0;
    bool sent = false;
    if (!text)
        return false;
    text[used++] = '$';
    for (size_t i = 0; i < length; i++) {
        if (strchr("#$}*", bytes[i]) && bytes[i]) {
            text[used++] = ESCAPE;
            text[used++] = (char)(bytes[i] ^ 0x20);
            sum += ESCAPE;
        } else {
            text[used++] = bytes[i];
        }
        sum += (unsigned char)text[used - 1];
    }
    text[used++] = '#';
    text[used++] = digits[sum >> 4 & 15u];
    text[used++] = digits[sum & 15u];
    for (int i = 0; i < RESENDS && !sent; i++) {
        if (!send_all(stream, text, used))
            break;
        sent = stream->no_acknowledge || acknowledged(stream);
    }
    free(text);
    return sent;
}

bool packet_parse_number(const char **text, unsigned long long *number) {
    size_t digits = 0;
    *number = 0;
    /* An address may come sign-extended, so up to 16 digits are taken. */
    for (; digit((unsigned char)**text) >= 0; (*text)++, digits++) {
        if (digits == 16)
            return false;
        *number = *number << 4 | (unsigned)digit((unsigned char)**text);
    }
    return digits > 0;
}

size_t packet_parse_bytes(const char *text, unsigned char *bytes, size_t limit) {
    size_t count = 0;
    while (count < limit) {
        const int high = digit((unsigned char)text[0]);
        const int low = high < 0 ? -1 : digit((unsigned char)text[1]);
        if (low < 0)
            break;
        bytes[count++] = (unsigned char)(high * 16 + low);
        text += 2;
    }
    return count;
}

void packet_format_bytes(const void *bytes, size_t length, char *text) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < length; i++) {
        text[2 * i] = digits[from[i] >> 4];
        text[2 * i + 1] = digits[from[i] & 15];
    }
    text[2 * length] = 0;
}
