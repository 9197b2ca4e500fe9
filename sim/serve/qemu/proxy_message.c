/* SPDX-License-Identifier: MIT */
#include "sim/serve/qemu/proxy_message.h"

#include <errno.h>
#include <string.h>

enum { CONFIGURATION_BODY = 12, ACCESS_BODY = 24 };

static const struct {
    unsigned body_bytes;
    bool answered;
} commands[PROXY_COMMANDS] = {
    [PROXY_MEMORY] = {PROXY_BODY_LIMIT, false},
    [PROXY_REPLY] = {sizeof(uint64_t), false},
    [PROXY_CONFIGURATION_WRITE] = {CONFIGURATION_BODY, true},
    [PROXY_CONFIGURATION_READ] = {CONFIGURATION_BODY, true},
    [PROXY_WRITE] = {ACCESS_BODY, true},
    [PROXY_READ] = {ACCESS_BODY, true},
    [PROXY_INTERRUPT_FILES] = {0, false},
    [PROXY_RESET] = {0, true},
};

static uint32_t word_at(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t double_word_at(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

int proxy_message_length(const uint8_t header[PROXY_HEADER_BYTES]) {
    const uint32_t command = word_at(header);
    if (command >= PROXY_COMMANDS || command == PROXY_REPLY ||
        double_word_at(header + 8) != commands[command].body_bytes)
        return -EPROTO;
    return PROXY_HEADER_BYTES + (int)commands[command].body_bytes;
}

static bool good_width(unsigned width, unsigned widest) {
    return width > 0 && width <= widest && (width & (width - 1)) == 0;
}

int proxy_message_read(const uint8_t *bytes, size_t length, struct proxy_message *message) {
    if (length < PROXY_HEADER_BYTES || proxy_message_length(bytes) != (int)length)
        return -EPROTO;
    const uint8_t *body = bytes + PROXY_HEADER_BYTES;
    *message = (struct proxy_message){.command = word_at(bytes)};
    switch (message->command) {
    case PROXY_CONFIGURATION_WRITE:
    case PROXY_CONFIGURATION_READ:
        message->address = word_at(body);
        message->value = word_at(body + 4);
        message->width = word_at(body + 8);
        return good_width(message->width, 4) ? 0 : -EPROTO;
    case PROXY_WRITE:
    case PROXY_READ:
        message->address = double_word_at(body);
        message->value = double_word_at(body + 8);
        message->width = word_at(body + 16);
        return good_width(message->width, 8) ? 0 : -EPROTO;
    case PROXY_MEMORY:
        for (size_t i = 0; i < PROXY_REGIONS_LIMIT; i++)
            message->regions[i] = (struct proxy_region){
                .guest_address = double_word_at(body + 8 * i),
                .size = double_word_at(body + 8 * (i + PROXY_REGIONS_LIMIT)),
                .file_offset = double_word_at(body + 8 * (i + 2 * PROXY_REGIONS_LIMIT))};
        return 0;
    default:
        return 0;
    }
}

bool proxy_message_is_answered(enum proxy_command command) {
    return command < PROXY_COMMANDS && commands[command].answered;
}

void proxy_reply_write(uint64_t value, uint8_t bytes[PROXY_REPLY_BYTES]) {
    const uint32_t command = PROXY_REPLY;
    const uint64_t size = sizeof value;
    memset(bytes, 0, PROXY_REPLY_BYTES);
    memcpy(bytes, &command, sizeof command);
    memcpy(bytes + 8, &size, sizeof size);
    memcpy(bytes + PROXY_HEADER_BYTES, &value, sizeof value);
}
