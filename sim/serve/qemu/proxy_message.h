/* SPDX-License-Identifier: MIT */
/*
 * The messages by which QEMU 7 hands the accesses of a guest to a PCI device in another process
 * (`-device x-pci-proxy-dev`). QEMU's source describes them, in hw/remote/mpqemu-link.c and
 * hw/remote/proxy.c; they have no version and serve QEMU 7 alone.
 *
 * A message is a header of 16 bytes (command, 32 bits; 4 unused bytes; size of the body, 64 bits)
 * and the body, numbers in the byte order of the machine. Descriptors of files come with the first
 * byte of the header.
 */
#ifndef SIM_SERVE_QEMU_PROXY_MESSAGE_H
#define SIM_SERVE_QEMU_PROXY_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proxy_command {
    PROXY_MEMORY,              /* the guest's memory, all of it again; one descriptor a region */
    PROXY_REPLY,               /* the only one from us */
    PROXY_CONFIGURATION_WRITE, /* answered, as all that follow but PROXY_INTERRUPT_FILES */
    PROXY_CONFIGURATION_READ,
    PROXY_WRITE,
    PROXY_READ,
    PROXY_INTERRUPT_FILES, /* two descriptors that only KVM serves */
    PROXY_RESET,
    PROXY_COMMANDS
};

enum {
    PROXY_HEADER_BYTES = 16,
    PROXY_REGIONS_LIMIT = 8,                        /* of guest memory, and of descriptors */
    PROXY_BODY_LIMIT = 3 * 8 * PROXY_REGIONS_LIMIT, /* of PROXY_MEMORY, the longest */
    PROXY_REPLY_BYTES = PROXY_HEADER_BYTES + sizeof(uint64_t)
};

struct proxy_region {
    uint64_t guest_address;
    uint64_t size; /* bytes */
    uint64_t file_offset;
};

struct proxy_message {
    enum proxy_command command;
    uint64_t address; /* PROXY_READ, PROXY_WRITE: of the guest's bus; else of configuration space */
    uint64_t value;   /* of a write */
    unsigned width;   /* bytes: 1, 2, 4; also 8 for PROXY_READ, PROXY_WRITE */
    struct proxy_region regions[PROXY_REGIONS_LIMIT]; /* PROXY_MEMORY; as many as descriptors */
};

/* The bytes of the message that begins with this header, the header included; -EPROTO when no
 * message begins so. */
int proxy_message_length(const uint8_t header[PROXY_HEADER_BYTES]);

/* Understands the `length` bytes of a whole message. 0, or -EPROTO: the sender does not speak this
 * protocol. Any bytes are safe. */
int proxy_message_read(const uint8_t *bytes, size_t length, struct proxy_message *message);

bool proxy_message_is_answered(enum proxy_command command);

void proxy_reply_write(uint64_t value, uint8_t bytes[PROXY_REPLY_BYTES]);

#endif
