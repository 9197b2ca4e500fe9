/* SPDX-License-Identifier: MIT */
/*
 * A board that runs firmware of any protocol whose spec includes nic/board.hsm: access to its
 * memory, images, start and stop.
 *
 * This header is the manual. A library or program of a protocol includes it and links
 * build/obj/host/libboard.a and -lelf. A board has a name such as "sim:0" (host/board/sim.h) or
 * "socket:left.sock" (host/board/socket.h), so the same program runs over each backend.
 *
 *     struct board_options options = {
 *         .backends = (const struct board_backend *const[]){&board_sim, NULL},
 *         .environment = world,
 *     };
 *     struct board *board;
 *     error = board_open(&board, "sim:0", &options);
 *     error = board_image_open(&image, "build/firmware/demo_a.elf");
 *     error = board_start(board, image, &(struct board_start_options){.node = 0});
 *     error = board_wait_link(board, 1000000000);
 *     error = board_read_memory(board, address, words, count);
 *     board_close(board);
 *
 * Errors. Functions that can fail return 0 or a negative errno value. After a failure board_message
 * returns a sentence about the last failure of that board. A NULL board, or one already closed, is
 * a programming error and is not checked.
 *
 * Threads. One thread at a time may use a board (in the simulated world: one program). The library
 * has no global state.
 *
 * Processes. A board belongs to the process that has opened it. For a child that it forks the board
 * is dead: reads give ones, and functions fail, board_start, board_attach and board_stop with
 * -EACCES. The child opens a board of its own, or the same when its parent has closed it.
 *
 * Time. Durations are nanoseconds of the backend's clock. Only board_start, board_stop,
 * board_sleep_ns and the functions with `wait` in their name take longer than their register
 * accesses. All of these have a time limit, fixed or as an argument.
 */
#ifndef HOST_BOARD_BOARD_H
#define HOST_BOARD_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct board;
struct board_ahead;
struct board_image;

enum { BOARD_PAGE_BYTES = 4096 };

/* On functions whose result the caller must check. */
#ifdef __GNUC__
#define BOARD_CHECKED __attribute__((warn_unused_result))
#else
#define BOARD_CHECKED
#endif

/* ------------------------------------------------------------------------------------------------
 * Backends */

/* Access to a board. `handle` is the value that `open` stored. Offsets are relative to the board's
 * 16 kB register block; words are plain numbers. Accesses must take effect in the order of the
 * calls: a read sees every earlier write. */
struct board_backend {
    const char *scheme; /* the part of a board's name before the colon */

    /* `name` is the part after the colon. Returns 0, -ENXIO if there is no such board, or -EBUSY.
     */
    int (*open)(void *environment, const char *name, void **handle);
    void (*close)(void *handle);
    /* Is this process a child of the one that has opened the board? Only that one may use it: in a
     * child, reads give all ones and writes are lost. NULL: no; a board of a world in the same
     * process is copied with it. */
    bool (*is_foreign)(void *handle);
    /* A file descriptor by which another library posts, because this backend may not; else
     * negative. NULL: negative. */
    int (*channel)(void *handle);

    uint32_t (*read32)(void *handle, uint32_t offset);
    void (*write32)(void *handle, uint32_t offset, uint32_t value);
    /* Reads words whose offsets are `step` bytes apart, in that order. NULL: one by one. */
    void (*read_words)(void *handle, uint32_t offset, uint32_t step, uint32_t *words, size_t count);
    /* Writes words to increasing offsets; may combine them into bursts. NULL: one by one. */
    void (*write_block)(void *handle, uint32_t offset, const uint32_t *words, size_t count);

    /* Waits for a word; NULL: reads it as often. Has the same effect as
     *     do { spend_ns(spend_ns); value = read32(offset); (*turns)--; }
     *     while ((value & mask) == unchanged && *turns && now_ns() < until_ns);
     * and sets `*turns` to the number of turns made. May return early, with the value read last. */
    uint32_t (*poll32)(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                       uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);

    /* For waiting on allocated memory that the board writes; NULL: the library reads the memory in
     * a loop. memory_writes counts the board's writes so far. poll_memory waits until the board has
     * written any of these bytes, as a loop with this period, or until `timeout_ns` has passed. It
     * returns at once if memory_writes differs from `seen`, its value before the caller read the
     * memory. */
    uint64_t (*memory_writes)(void *handle);
    void (*poll_memory)(void *handle, const volatile void *memory, size_t bytes, uint64_t seen,
                        uint64_t interval_ns, uint64_t timeout_ns);

    uint64_t (*now_ns)(void *handle);
    /* Charges work of this CPU to the clock. NULL where the work itself takes time. */
    void (*spend_ns)(void *handle, uint64_t ns);
    void (*sleep_ns)(void *handle, uint64_t ns); /* lets others use the CPU meanwhile */

    /* Allocates whole pages, zeroed, that the board can reach; NULL when none are left. */
    void *(*allocate)(void *handle, size_t bytes);
    void (*release)(void *handle, void *memory, size_t bytes);
    /* Where allocated memory outlives the program that has allocated it, because the board may:
     * frees all that this program has (`mine`) and that earlier ones have left (`left`), but for
     * the pages with the two bus addresses. NULL: memory ends with its program. */
    void (*give_back)(void *handle, bool mine, bool left, const uint64_t kept[2]);

    /* Pins the pages that hold these bytes now; `*pin` names them from then on. What is mapped at
     * the address later has other pages, which this pin does not hold, so each registration
     * needs a pin of its own. 0, -EFAULT if the board cannot reach all of them, -ENOMEM, or another
     * negative errno value of a driver. */
    int (*pin)(void *handle, const void *address, size_t bytes, uint32_t *pin);
    /* Stores the bus addresses of the starts of the first `count` pinned pages. `address` is that
     * of the pin; a byte has the same place in its page on the bus. -EFAULT if they are not told.
     */
    int (*translate)(void *handle, uint32_t pin, const void *address, size_t count,
                     uint64_t *pages);
    /* 0, or -EBUSY from a driver that posts, while a request uses them. */
    int (*unpin)(void *handle, uint32_t pin);

    const struct board_ahead *ahead; /* NULL but for a simulator's (host/board/ahead.h) */
};

/* ------------------------------------------------------------------------------------------------
 * Opening */

struct board_options {
    const struct board_backend *const *backends; /* terminated by NULL */
    void *environment; /* for the backend: a struct tigon_world for "sim:" */
    /* Names of the spec's files, for messages about faults; terminated by NULL. May be NULL. */
    const char *const *spec_files;
    /* board_start calls it from time to time; may be NULL. */
    void (*progress)(void *context, const char *step, size_t done, size_t total);
    void *progress_context;
};

/* Opens a board without accessing it. `options` is copied; what it points to, but for the list of
 * backends, must outlive the board. -EINVAL for a NULL argument or a name without a colon or a
 * number, -ENXIO if there is no such board, -EBUSY if another program uses it and the backend
 * lets only one, -ENOMEM. On success the board must be closed with board_close. */
BOARD_CHECKED int board_open(struct board **board, const char *name,
                             const struct board_options *options);

/* Frees the resources of the host without accessing the board, which keeps running. It then
 * accesses at most one page of host memory, its own, which is never released. In a child of the
 * process that has opened the board it frees the child's copies. */
void board_close(struct board *board);

/* Returns a sentence about the last failure, empty if there was none. Valid until the next call. */
const char *board_message(const struct board *board);

/* The backend's clock, charges of host work to it, and waiting. */
uint64_t board_now_ns(struct board *board);
void board_spend_ns(struct board *board, uint64_t ns);
void board_sleep_ns(struct board *board, uint64_t ns);

/* ------------------------------------------------------------------------------------------------
 * Firmware */

struct board_segment {
    uint32_t address; /* in the board's memory, a multiple of 4 */
    uint32_t words;
    const uint32_t *content;
};

/* Reads a firmware image: a flashable file (host/board/image_format.h), or an ELF file for a 32-bit
 * big-endian MIPS with fixed addresses. No board is touched. -ENOENT and similar errors from
 * opening the file, -EISDIR for a directory, -ENOEXEC for a file that is not such an image,
 * -EBADMSG for a flashable file whose CRC does not hold, -EFBIG for an image that does not fit into
 * a board's memory, -ENOMEM. Close it with board_image_close. */
BOARD_CHECKED int board_image_open(struct board_image **image, const char *path);

/* The same; after a failure `reason` has a sentence about it: what was expected, and found. */
BOARD_CHECKED int board_image_open_explained(struct board_image **image, const char *path,
                                             char *reason, size_t reason_bytes);
void board_image_close(struct board_image *image); /* NULL is allowed */

/* What an image says of itself. Texts belong to the image; they are empty if it says nothing. */
struct board_image_information {
    bool flashable;     /* it has a trailer, and the CRC holds; else an ELF file */
    uint8_t version[3]; /* of a flashable image */
    uint32_t crc;
    uint32_t start;         /* where processor A begins */
    uint32_t load;          /* lowest address that is loaded */
    uint32_t load_bytes;    /* from there to the end of what is loaded */
    uint32_t memory_end;    /* first address in SRAM behind all that is used, bss included */
    uint32_t protocol_hash; /* of the spec; 0: not known */
    const char *protocol;   /* name of the spec */
    const char *profile;
    const char *const *files; /* of the spec, for board_options.spec_files; NULL behind the last */
    size_t file_count;
    size_t transition_count;
    size_t symbol_count;
};
void board_image_information(const struct board_image *image,
                             struct board_image_information *information);

/* The name of a transition by its number, NULL if the image has none. */
const char *board_image_transition(const struct board_image *image, size_t number);

/* The function that an address of a flashable image lies in, and how far. NULL if there is none. */
const char *board_image_symbol(const struct board_image *image, uint32_t address, uint32_t *offset);

/* Writes a flashable file with this version. Equal images give equal bytes. -EFBIG if the image
 * does not fit into the 512 kB that every board has, -EINVAL for one that begins below 0x4000,
 * -ENOMEM, or an error of the file. `reason` as above. */
BOARD_CHECKED int board_image_write(const struct board_image *image, const uint8_t version[3],
                                    const char *path, char *reason, size_t reason_bytes);

/* Content of an image. Stores segment `index` in `*segment`, unless `segment` is NULL. Returns the
 * number of segments. */
size_t board_image_segment(const struct board_image *image, size_t index,
                           struct board_segment *segment);
uint32_t board_image_entry(const struct board_image *image);

struct board_start_options {
    uint16_t node; /* own node number */
    /* Incarnation. 0: the next number, from the count of starts in the board's EEPROM, which
     * survives power cycles. Any other number is used unchanged and is not counted. Its low byte,
     * which frames carry, must not be 0, and no earlier start of the board may have used it, or
     * peers take new messages for old ones. */
    uint16_t epoch;
    uint8_t mac_address[6];    /* no group address; all zero: the address in the board's EEPROM */
    uint64_t ready_timeout_ns; /* 0: 3 s */
    uint32_t protocol_hash;    /* of the spec that the firmware must be made from; 0: any */
};

/* Resets the board, loads the image through the 2 kB window, reads it back, starts processor A and
 * waits until the firmware reports that it is ready (tigon2.md 9).
 *
 * If options->epoch is 0, the start is counted before the firmware runs. The count lies in two
 * slots of the serial EEPROM that are written in turn, at 0xFC0 and 0xFE0: the last two pages of 32
 * bytes, where nothing published places any data. A power cut during the write does no harm. The
 * count of a blank EEPROM is 0; the part is rated for a million writes of each slot. After n starts
 * the low byte of the next epoch is n % 255 + 1, the high byte n / 255 % 256.
 *
 * -EINVAL for options out of range; -ENOEXEC if the image says that it was made from another spec
 * than options->protocol_hash; -ENOMEM if the board's own page of host memory cannot be
 * allocated; -ETIMEDOUT if the board does not come out of reset or the firmware does not become
 * ready; -EPROTO if it was made from another spec than options->protocol_hash; -EIO if the
 * self-test failed, if the board reaches no host memory (as of
 * board_attach), if the memory does not hold the words written, if the firmware stopped, or if
 * the EEPROM does not answer, does not keep the count or holds no count that can be trusted (then
 * specify an epoch). Once board_start has returned, even with an error, no earlier activity of the
 * board reaches host memory or the wire. The exceptions are -EINVAL and -ENOEXEC, which leave the
 * board as it is. If the start fails after the firmware has been started, the firmware is stopped.
 */
BOARD_CHECKED int board_start(struct board *board, const struct board_image *image,
                              const struct board_start_options *options);

/* Uses a board whose firmware another handle has started. -ENODEV if none has been started, -EPROTO
 * if it was made from another spec than the one with this hash (0: any spec), -EIO if it has
 * stopped, or reaches no host memory because bus mastering is off, its transfers are paused, or its
 * bus commands were changed. */
BOARD_CHECKED int board_attach(struct board *board, uint32_t protocol_hash);

/* 0 while the firmware runs; -EIO if it or its processor has stopped: board_message has the reason.
 */
BOARD_CHECKED int board_check_running(struct board *board);

/* Stops the processors, the DMA engines and the MAC. After it has returned 0, the board no longer
 * accesses host memory or the wire. Takes 80 us, the time of a frame, and at most 10 ms if a
 * transfer does not end and has to be aborted. The content of the board's memory and registers is
 * kept for inspection. Any board may be stopped, even one that this handle has not started. -EIO:
 * the board does not answer or does not stop. */
BOARD_CHECKED int board_stop(struct board *board);

/* Waits until no transfer is under way or queued. False if that takes more than 10 ms. */
bool board_wait_idle(struct board *board);

struct board_status {
    bool running; /* ready and not stopped */
    bool link;
    uint16_t node;
    uint16_t epoch;
    uint8_t mac_address[6];
    uint32_t protocol_hash;
    uint32_t sram_bytes;
    uint32_t free_bytes; /* of SRAM, unused between image and buffers */
    uint32_t trace;      /* SRAM address of the trace ring, 0 when compiled out */
    uint32_t trace_entries;
};
/* -EINVAL for NULL, -ENODEV if no firmware has been started. */
BOARD_CHECKED int board_status(struct board *board, struct board_status *status);

/* 1 up, 0 down, -ENODEV if no firmware runs, -EIO if the board does not answer. */
BOARD_CHECKED int board_link(struct board *board);

/* Waits until the link is up. -ETIMEDOUT if it does not come up within `timeout_ns`, -EIO if the
 * firmware stops, -ENODEV if none runs. */
BOARD_CHECKED int board_wait_link(struct board *board, uint64_t timeout_ns);

/* ------------------------------------------------------------------------------------------------
 * Memory */

/* Allocates whole pages, zeroed, that the board can reach; NULL when they are used up. */
void *board_allocate(struct board *board, size_t bytes);
void board_free(struct board *board, void *memory, size_t bytes);

/* Reads words of the board's memory, through the window or, below 0x400, through its fixed alias.
 * For tools that read data that the firmware left there (trace ring, statistics of the MAC).
 * `address` must be a multiple of 4; -EINVAL otherwise or beyond 2 MB. */
BOARD_CHECKED int board_read_memory(struct board *board, uint32_t address, uint32_t *words,
                                    size_t count);

/* Writes words of the board's memory; otherwise as board_read_memory. */
BOARD_CHECKED int board_write_memory(struct board *board, uint32_t address, const uint32_t *words,
                                     size_t count);

/* Reads a register, for tools that inspect a board. -EINVAL for an offset that is no multiple of 4
 * or lies beyond the 1 kB of registers. */
BOARD_CHECKED int board_read_register(struct board *board, uint32_t offset, uint32_t *value);

/* Rings a doorbell: writes `value` into mailbox 1 to 31, which notifies the firmware
 * (nic_on_doorbell). The firmware may see rings in quick succession as one, with the last value.
 * -EINVAL for another mailbox. */
BOARD_CHECKED int board_ring(struct board *board, unsigned mailbox, uint32_t value);

/* Register traffic of this handle since it was opened. */
struct board_statistics {
    uint64_t reads;
    uint64_t writes; /* single words */
    uint64_t bursts;
    uint64_t window_moves;
};
void board_statistics(const struct board *board, struct board_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
