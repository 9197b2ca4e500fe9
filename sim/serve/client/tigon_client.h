/* SPDX-License-Identifier: MIT */
/*
 * A board of `tigonsim serve` for another program. This header is the manual; it and
 * libtigon_client.a need nothing but the C library.
 *
 *     struct tigon_client *board;
 *     uint32_t state;
 *     int error = tigon_client_open(&board, "left.sock", TIGON_CLIENT_EVENTS);
 *     if (error)
 *         fprintf(stderr, "%s\n", tigon_client_open_message());
 *     error = tigon_client_write32(board, 0x040, 0x08000008);       // reset, posted
 *     error = tigon_client_read32(board, 0x140, &state);
 *     error = tigon_client_allocate(board, 4096, &bus_address);     // the board reaches it by DMA
 *     uint8_t *bytes = tigon_client_pointer(board, bus_address, 4096);
 *     error = tigon_client_wait_interrupt(board, 1000000, &up);     // 1 ms of virtual time
 *     tigon_client_close(board);
 *
 * Results: 0 or a negative errno value; tigon_client_message then has a sentence. -ENOTCONN or
 * -ECONNRESET: the server has gone or sent this client away, and every further call fails so.
 * Other values are the server's: -EINVAL for arguments that make no sense, -ENOMEM.
 *
 * Time. In lock step the whole simulated world waits for this client's next call, so what the
 * client itself does takes no virtual time; charge it with tigon_client_spend_ns. A program that
 * uses several boards needs a thread for each: a call on one returns only when the others have let
 * time pass. Running freely (tigon_client_information.free_running) the world follows the clock.
 *
 * Writes are posted: the call that writes to an offset that does not exist reports no error, but
 * the server ends the connection.
 *
 * Processes: a client belongs to the one that has attached. In a child that it forks all calls fail
 * with -EACCES, and the server takes the client for gone when its process has ended, whatever
 * children it has left.
 *
 * Threads: a client belongs to one at a time; there is no global state but the message of
 * tigon_client_open, which is the thread's own.
 */
#ifndef SIM_SERVE_CLIENT_TIGON_CLIENT_H
#define SIM_SERVE_CLIENT_TIGON_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_client;

enum { TIGON_CLIENT_EVENTS = 1 /* report the interrupt line: tigon_client_interrupt_line */ };

struct tigon_client_information {
    char name[32];
    uint32_t board;       /* its index in the world, from 0 */
    uint32_t board_count; /* of the world, served or not */
    bool free_running;
    uint64_t memory_bytes; /* of host memory */
    uint64_t memory_base;  /* bus address of its first byte */
    uint32_t version;      /* of the protocol */
};

/* Attaches to the board served at the socket `path`. `features`: 0 or TIGON_CLIENT_EVENTS. Besides
 * errors of the socket itself: -EBUSY when the board has a client, -EPROTONOSUPPORT when the server
 * speaks another version, -EPROTO when it speaks something else. */
int tigon_client_open(struct tigon_client **client, const char *path, unsigned features);
/* The message of the last failed tigon_client_open of this thread. */
const char *tigon_client_open_message(void);
/* The board does not notice; the server acts as the scenario defines. NULL is allowed. */
void tigon_client_close(struct tigon_client *client);
/* Is this process a child of the one that has attached? It may do nothing but close its copy. */
bool tigon_client_is_foreign(const struct tigon_client *client);
const char *tigon_client_message(const struct tigon_client *client);

const struct tigon_client_information *tigon_client_information(const struct tigon_client *client);
/* Any board of the world by its index: for tables of addresses. `name` (32 bytes) may be NULL.
 * -ENOENT beyond the last. */
int tigon_client_board(struct tigon_client *client, uint32_t index, uint8_t mac_address[6],
                       char *name);

/* BAR0, 16 kB. Values are plain numbers as a little-endian bus carries them. The chip is made for
 * 32 bits at a time: of narrower reads the bus fetches the word, narrower writes put zeros into
 * the bytes not written, and wider accesses are two. `width`: 1, 2, 4, 8 bytes. */
int tigon_client_read32(struct tigon_client *client, uint32_t offset, uint32_t *value);
int tigon_client_write32(struct tigon_client *client, uint32_t offset, uint32_t value);
int tigon_client_read(struct tigon_client *client, uint32_t offset, unsigned width,
                      uint64_t *value);
int tigon_client_write(struct tigon_client *client, uint32_t offset, unsigned width,
                       uint64_t value);
/* Words at increasing offsets, `step` bytes apart (a multiple of 4), one read each. */
int tigon_client_read_words(struct tigon_client *client, uint32_t offset, uint32_t step,
                            uint32_t *words, size_t count);
/* One write-combined burst to increasing offsets. */
int tigon_client_write_block(struct tigon_client *client, uint32_t offset, const uint32_t *words,
                             size_t count);
/* do { spend(spend_ns); value = read32(offset); (*turns)--; } while ((value & mask) == unchanged
 * && *turns && now < until_ns), in one message; `*turns` (at least 1) is then the turns made. May
 * return early with the last value. */
int tigon_client_poll32(struct tigon_client *client, uint32_t offset, uint32_t mask,
                        uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns, uint64_t *turns,
                        uint32_t *value);

/* PCI configuration space, 256 bytes; width 1, 2 or 4. */
int tigon_client_configuration_read(struct tigon_client *client, uint32_t offset, unsigned width,
                                    uint32_t *value);
int tigon_client_configuration_write(struct tigon_client *client, uint32_t offset, unsigned width,
                                     uint32_t value);
/* The reset line of the slot. */
int tigon_client_reset(struct tigon_client *client);

/* Host memory, which the board reaches by DMA, mapped. The first array byte is bus address
 * memory_base. Allocated memory is whole zeroed pages. */
uint8_t *tigon_client_memory(const struct tigon_client *client);
/* Its file, for a process of the client's to map, too. Belongs to the client. */
int tigon_client_memory_descriptor(const struct tigon_client *client);
int tigon_client_allocate(struct tigon_client *client, size_t bytes, uint64_t *bus_address);
/* Bus addresses of (bytes + 4095) / 4096 pages, scattered when knob host_scatter is on; at most 8
 * MB at a time. */
int tigon_client_allocate_pages(struct tigon_client *client, size_t bytes, uint64_t *pages);
/* Gives back pages that this client has allocated; -EINVAL if it has not. What a client leaves
 * behind stays allocated until a later one gives it back, or the board is served anew. -EOPNOTSUPP,
 * also of the next: the server is older than this call. */
int tigon_client_free(struct tigon_client *client, uint64_t bus_address, size_t bytes);
/* Gives back all pages of this client (`mine`) and of clients before it (`left`), but for the two
 * with the bus addresses `kept`. Only when the board reaches none of the others any more. */
int tigon_client_give_back(struct tigon_client *client, bool mine, bool left,
                           const uint64_t kept[2]);
/* NULL unless all of it is host memory. */
void *tigon_client_pointer(const struct tigon_client *client, uint64_t bus_address, size_t length);

/* Virtual time. */
int tigon_client_now_ns(struct tigon_client *client, uint64_t *ns);
int tigon_client_now_ps(struct tigon_client *client, uint64_t *ps);
int tigon_client_spend_ns(struct tigon_client *client, uint64_t ns); /* the host's CPU is busy */
int tigon_client_sleep_ns(struct tigon_client *client, uint64_t ns); /* it is not */
/* Until the interrupt line is up (`*up`), or `timeout_ns` passed; UINT64_MAX for ever. */
int tigon_client_wait_interrupt(struct tigon_client *client, uint64_t timeout_ns, bool *up);
/* Waits until the board has written into these bytes, or `timeout_ns` passed; as a polling loop
 * with period `interval_ns`. `seen`: tigon_client_write_count from before the program read the
 * memory. */
int tigon_client_poll_memory(struct tigon_client *client, uint64_t bus_address, size_t length,
                             uint64_t seen, uint64_t interval_ns, uint64_t timeout_ns,
                             bool *written);
/* DMA writes of the board into host memory so far. */
int tigon_client_write_count(struct tigon_client *client, uint64_t *count);

/* The interrupt line now; needs TIGON_CLIENT_EVENTS. No time passes. */
int tigon_client_interrupt_line(struct tigon_client *client, bool *up);
/* The same as of the last reply, without a request. */
bool tigon_client_interrupt_line_seen(const struct tigon_client *client);
/* For poll(2): readable when the interrupt line has risen; read 8 bytes to arm it again (an
 * eventfd). Belongs to the client. */
int tigon_client_interrupt_descriptor(const struct tigon_client *client);

#endif
