/* SPDX-License-Identifier: MIT */
#include "sim/serve/qemu/bridge.h"

#include "sim/serve/qemu/proxy_message.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Configuration space, as far as the start of a computer concerns it. */
enum {
    COMMAND = 0x04,
    CACHE_LINE = 0x0C,
    BASE_ADDRESS = 0x10,
    INTERRUPT_LINE = 0x3C,
    BAR_BYTES = 0x4000
};

/* Lock step: less time than this is left for later, as a request for each access would cost more
 * than it gains. */
#define LEAST_STEP_NS UINT64_C(1000)

#define NOTHING_THERE UINT64_MAX /* a read without a device */

static void complain(const char *text) {
    (void)fprintf(stderr, "tigon_qemu: %s\n", text);
}

/* Takes the result of a request to the server: whether the board answered. */
static bool answered(struct bridge *bridge, int error) {
    if (error == -ENOTCONN || error == -ECONNRESET || error == -EPROTO) {
        if (!bridge->gone)
            complain(tigon_client_message(bridge->board));
        bridge->gone = true;
    }
    return error == 0;
}

/* ------------------------------------------------------------------------------------------------
 * Time and interrupts */

static bool paced(const struct bridge *bridge) {
    return bridge->machine->pace >= 0;
}

/* Lets the time pass for the board that has passed for the guest, unless it is less than
 * `least_ns`; and sets the next stop of the guest. */
static void pass_time(struct bridge *bridge, uint64_t least_ns) {
    struct pace_page *page = bridge->machine->pace_page;
    if (!paced(bridge))
        return;
    const uint64_t instructions = page->instructions;
    if (!bridge->started) {
        bridge->instructions = instructions;
        bridge->started = true;
    }
    const uint64_t ns = (instructions - bridge->instructions) << bridge->shift;
    if (ns >= least_ns && ns > 0) {
        if (!bridge->gone)
            (void)answered(bridge, tigon_client_sleep_ns(bridge->board, ns));
        bridge->instructions = instructions;
    }
    page->stop_at =
        bridge->gone ? PACE_NEVER : bridge->instructions + (bridge->quantum_ns >> bridge->shift);
}

/* Gives the machine the level of the interrupt line as of the last reply. */
static int pass_interrupt(struct bridge *bridge) {
    const bool line = !bridge->gone && tigon_client_interrupt_line_seen(bridge->board);
    return machine_set_interrupt(bridge->machine, line);
}

/* ------------------------------------------------------------------------------------------------
 * Accesses */

static uint64_t read_register(struct bridge *bridge, uint64_t address, unsigned width) {
    uint64_t value = NOTHING_THERE;
    pass_time(bridge, LEAST_STEP_NS);
    if (bridge->gone ||
        !answered(bridge,
                  tigon_client_read(bridge->board, (uint32_t)(address % BAR_BYTES), width, &value)))
        return NOTHING_THERE;
    return value;
}

static void write_register(struct bridge *bridge, const struct proxy_message *message) {
    const uint32_t offset = (uint32_t)(message->address % BAR_BYTES);
    uint32_t ignored;
    pass_time(bridge, LEAST_STEP_NS);
    /* The server sends a client away that writes where it cannot. */
    if (bridge->gone || offset % message->width != 0 ||
        !answered(bridge,
                  tigon_client_write(bridge->board, offset, message->width, message->value)))
        return;
    /* The write may lower the line. A guest that left its handler with the line still up would
     * enter it again, so the write has to arrive first: a read follows it on the bus. */
    if (tigon_client_interrupt_line_seen(bridge->board))
        (void)answered(bridge, tigon_client_read32(bridge->board, 0, &ignored));
}

static uint64_t read_configuration(struct bridge *bridge, uint64_t address, unsigned width) {
    uint32_t value = UINT32_MAX;
    if (bridge->gone || !answered(bridge, tigon_client_configuration_read(
                                              bridge->board, (uint32_t)address, width, &value)))
        return UINT32_MAX;
    return value;
}

static void write_configuration(struct bridge *bridge, uint32_t address, unsigned width,
                                uint32_t value) {
    if (!bridge->gone)
        (void)answered(bridge,
                       tigon_client_configuration_write(bridge->board, address, width, value));
}

/* The reset line of the slot. The simulator's own hosts find a board that their firmware has
 * configured; here the guest's does it. */
static void reset(struct bridge *bridge) {
    if (bridge->gone)
        return;
    (void)answered(bridge, tigon_client_reset(bridge->board));
    write_configuration(bridge, COMMAND, 2, 0);
    write_configuration(bridge, CACHE_LINE, 2, 0);
    write_configuration(bridge, BASE_ADDRESS, 4, 0);
    write_configuration(bridge, INTERRUPT_LINE, 1, 0);
}

/* QEMU passes the guest's memory so that a device may map it; ours has it. Whether it is ours. */
static int check_memory(const struct bridge *bridge, const struct proxy_message *message,
                        const int *files, size_t count) {
    const uint64_t base = tigon_client_information(bridge->board)->memory_base;
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        if (fstat(files[i], &status) == 0 && status.st_ino == bridge->memory_inode &&
            message->regions[i].guest_address != message->regions[i].file_offset + base) {
            complain(
                "the guest's RAM is not where the board expects its host memory: QEMU's arguments "
                "must leave machine and RAM as they are");
            return -EINVAL;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Messages */

/* A message in `bytes`: its length, 0 when the machine has ended, or a negative errno value.
 * Descriptors come along. */
static int receive(int socket, uint8_t *bytes, int files[PROXY_REGIONS_LIMIT], size_t *file_count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(PROXY_REGIONS_LIMIT * sizeof(int))];
    } control;
    size_t filled = 0;
    size_t wanted = PROXY_HEADER_BYTES;
    *file_count = 0;
    while (filled < wanted) {
        struct iovec part = {bytes + filled, wanted - filled};
        struct msghdr message = {.msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        const ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 && errno != ECONNRESET ? -errno : 0;
        const struct cmsghdr *first = CMSG_FIRSTHDR(&message);
        if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS &&
            *file_count == 0) {
            *file_count = (first->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            memcpy(files, CMSG_DATA(first), *file_count * sizeof(int));
        }
        filled += (size_t)count;
        if (filled == PROXY_HEADER_BYTES && wanted == PROXY_HEADER_BYTES) {
            const int length = proxy_message_length(bytes);
            if (length < 0)
                return length;
            wanted = (size_t)length;
        }
    }
    return (int)filled;
}

static int send_reply(int socket, uint64_t value) {
    uint8_t bytes[PROXY_REPLY_BYTES];
    proxy_reply_write(value, bytes);
    return send(socket, bytes, sizeof bytes, MSG_NOSIGNAL) == sizeof bytes ? 0 : -EPIPE;
}

static int carry_out(struct bridge *bridge, const struct proxy_message *message, const int *files,
                     size_t file_count) {
    uint64_t value = 0;
    int error = 0;
    switch (message->command) {
    case PROXY_CONFIGURATION_READ:
        value = read_configuration(bridge, message->address, message->width);
        break;
    case PROXY_CONFIGURATION_WRITE:
        write_configuration(bridge, (uint32_t)message->address, message->width,
                            (uint32_t)message->value);
        break;
    case PROXY_READ:
        value = read_register(bridge, message->address, message->width);
        error = pass_interrupt(bridge);
        break;
    case PROXY_WRITE:
        write_register(bridge, message);
        error = pass_interrupt(bridge);
        break;
    case PROXY_RESET:
        reset(bridge);
        break;
    case PROXY_MEMORY:
        error = check_memory(bridge, message, files, file_count);
        break;
    default:
        break;
    }
    if (!error && proxy_message_is_answered(message->command))
        error = send_reply(bridge->machine->proxy, value);
    if (!error && message->command == PROXY_RESET)
        error = pass_interrupt(bridge); /* QEMU's main thread has its answer now */
    return error;
}

/* Serves one message. 1 when the machine has ended. */
static int serve_message(struct bridge *bridge) {
    uint8_t bytes[PROXY_HEADER_BYTES + PROXY_BODY_LIMIT];
    int files[PROXY_REGIONS_LIMIT];
    size_t file_count;
    struct proxy_message message;
    const int length = receive(bridge->machine->proxy, bytes, files, &file_count);
    int error = length < 0 ? length : 0;
    if (length > 0)
        error = proxy_message_read(bytes, (size_t)length, &message);
    if (error == -EPROTO)
        complain("expected a message of QEMU 7's x-pci-proxy-dev, found something else");
    if (length > 0 && !error)
        error = carry_out(bridge, &message, files, file_count);
    for (size_t i = 0; i < file_count; i++)
        (void)close(files[i]);
    return length == 0 || error == -EPIPE ? 1 : error;
}

/* The guest has come to its stop. 1 when the machine has ended. */
static int serve_pace(struct bridge *bridge) {
    char byte;
    if (read(bridge->machine->pace, &byte, 1) != 1)
        return 1;
    pass_time(bridge, 0);
    const int error = pass_interrupt(bridge);
    if (error)
        return error == -EPIPE ? 1 : error;
    return send(bridge->machine->pace, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : 1;
}

/* Running freely: the line has risen by itself. */
static int serve_interrupt(struct bridge *bridge) {
    uint64_t count;
    bool line;
    (void)!read(tigon_client_interrupt_descriptor(bridge->board), &count, sizeof count);
    if (!bridge->gone)
        (void)answered(bridge, tigon_client_interrupt_line(bridge->board, &line));
    const int error = pass_interrupt(bridge);
    return error == -EPIPE ? 1 : error;
}

int bridge_run(struct bridge *bridge) {
    enum { MESSAGE, OTHER };
    struct pollfd entries[] = {
        [MESSAGE] = {.fd = bridge->machine->proxy, .events = POLLIN},
        [OTHER] = {.fd = paced(bridge) ? bridge->machine->pace
                                       : tigon_client_interrupt_descriptor(bridge->board),
                   .events = POLLIN},
    };
    int state = 0;
    while (state == 0) {
        if (poll(entries, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        if (entries[OTHER].revents)
            state = paced(bridge) ? serve_pace(bridge) : serve_interrupt(bridge);
        if (state == 0 && entries[MESSAGE].revents)
            state = serve_message(bridge);
    }
    return state < 0 ? state : 0;
}
