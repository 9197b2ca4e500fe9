/*
 * libemp: messages between hosts over boards that run EMP themselves.
 *
 * This header is the manual. A program includes it and links build/obj/host/libemp.a; it names its
 * board by a string, so the same program runs over the simulated board ("sim:0", host/board_sim.h)
 * and, with another backend, over a real one.
 *
 *     struct libemp_options options;
 *     libemp_options_defaults(&options);
 *     options.backends = (const struct libemp_backend *const[]){&libemp_sim, NULL};
 *     options.environment = world;
 *     struct libemp_board *board;
 *     error = libemp_open(&board, "sim:0", &options);
 *     error = libemp_image_open(&image, "build/firmware/emp_a.elf");
 *     error = libemp_start(board, image, &(struct libemp_start_options){.node = 0});
 *     error = libemp_set_peer(board, 1, address_of_node_1);
 *     error = libemp_wait_link(board, 1000000000);
 *
 *     void *buffer = libemp_allocate(board, 65536);
 *     error = libemp_register(board, buffer, 65536, &memory);
 *     struct libemp_piece all = {memory, 0, 65536};
 *     error = libemp_post_send(board, 1, tag, &all, 1, &request);
 *     error = libemp_wait(board, request, LIBEMP_FOREVER, NULL);
 *
 * What a message is. A send names a destination node and a tag; a receive names a source node and
 * a tag, and must be posted for a message to be taken: until one is, the board refuses the message
 * and the sender's board tries again. Messages from one source match posted receives in the order
 * in which they were sent. A finished send is in the receiver's memory. Data moves between
 * registered memory and the wire without a copy, and nothing of the protocol runs on the host.
 *
 * Errors. Functions that can fail return 0 or a negative errno value. libemp_message then has a
 * sentence about the last failure of that board. A NULL board, or one already closed, is a
 * programming error and not checked.
 *
 * Never blocking. Only the functions with `wait` in their name and libemp_start take longer than
 * their register accesses, and all of these take a time limit or have one.
 *
 * Threads. A board and everything obtained from it belong to one thread at a time (in the
 * simulated world: to one program). The library has no global state, so threads with a board each
 * need no lock. One handle at a time may post on a board: descriptors have one owner.
 *
 * Time. Durations are nanoseconds of the backend's clock. The host work that a real program would
 * do is charged to that clock by the costs in struct libemp_costs; a backend for a real board
 * ignores the charges, because there the work takes its time by itself.
 */
#ifndef HOST_LIBEMP_H
#define HOST_LIBEMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct libemp_board;
struct libemp_image;
struct libemp_memory;

#define LIBEMP_FOREVER UINT64_MAX

/* ------------------------------------------------------------------------------------------------
 * Costs */

/* Host work in nanoseconds, as a 933 MHz Pentium III of the papers would spend it. Register
 * accesses are not among them: the backend charges those. */
struct libemp_costs {
    uint64_t call_ns;           /* entering a posting call, checking it, finding a descriptor */
    uint64_t descriptor_ns;     /* building one descriptor or continuation */
    uint64_t entry_ns;          /* writing one entry of an indirect page */
    uint64_t test_ns;           /* looking at one request, beside the register read */
    uint64_t translate_call_ns; /* entering and leaving the kernel to pin and translate memory */
    uint64_t translate_page_ns; /* pinning and translating one page */
    uint64_t translate_posts;   /* 1: pay for translation at every post too, as EMP did (EF22) */
};

void libemp_costs_defaults(struct libemp_costs *costs);

/* Sets one cost by the name of its field. -ENOENT for an unknown name. */
int libemp_costs_set(struct libemp_costs *costs, const char *name, uint64_t value);

/* The costs as a table: name, default and reason of entry `index`. False beyond the last. */
struct libemp_cost_information {
    const char *name;
    uint64_t initial;
    const char *reason;
};
bool libemp_cost_information(size_t index, struct libemp_cost_information *information);

/* ------------------------------------------------------------------------------------------------
 * Backends */

/* How a board is reached. `handle` is what `open` stored. Offsets are those of the board's 16 kB
 * register block; words are plain numbers. Accesses must happen in the order of the calls: a read
 * sees every earlier write. */
struct libemp_backend {
    const char *scheme; /* what stands before the colon of a board's name */

    /* `name` is what stands after the colon. 0, or -ENODEV when there is no such board. */
    int (*open)(void *environment, const char *name, void **handle);
    void (*close)(void *handle);

    uint32_t (*read32)(void *handle, uint32_t offset);
    void (*write32)(void *handle, uint32_t offset, uint32_t value);
    /* To increasing offsets; may be combined into bursts. */
    void (*write_block)(void *handle, uint32_t offset, const uint32_t *words, size_t count);

    /* May be NULL. What
     *     do { spend_ns(spend_ns); value = read32(offset); (*turns)--; }
     *     while ((value & mask) == unchanged && *turns && now_ns() < until_ns);
     * does; `*turns` is then the number of turns made. May return earlier, with what was read last:
     * it saves a simulator the simulation of each turn. */
    uint32_t (*poll32)(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                       uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);

    /* May be NULL, and is if poll32 is. What
     *     value = read32(offset);
     *     if ((value & mask) == unchanged && *turns > 1 && now_ns() < until_ns)
     *         value = poll32(offset, mask, unchanged, spend_ns, until_ns, *turns - 1);
     * does; `*turns` is then the number of reads made. */
    uint32_t (*await32)(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                        uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);

    /* May be NULL. Between these two libemp looks at nothing but what the functions above give
     * back, so a simulator need not let time pass at each of them. */
    void (*run_ahead)(void *handle);
    void (*catch_up)(void *handle);

    uint64_t (*now_ns)(void *handle);
    void (*spend_ns)(void *handle, uint64_t ns); /* charge work of this CPU */
    void (*sleep_ns)(void *handle, uint64_t ns); /* let others use the CPU meanwhile */

    /* Whole pages, zeroed, which the board can reach; NULL when there are none left. */
    void *(*allocate)(void *handle, size_t bytes);
    void (*release)(void *handle, void *memory, size_t bytes);

    /* Pins the page that holds `address` and gives the byte's bus address; -EFAULT when the board
     * cannot reach it. The offset within a page is that of the bus address. */
    int (*translate)(void *handle, const void *address, uint64_t *bus_address);
    void (*unpin)(void *handle, const void *address, size_t bytes);
};

/* ------------------------------------------------------------------------------------------------
 * Opening */

struct libemp_options {
    const struct libemp_backend *const *backends; /* ends with NULL */
    void *environment; /* for the backend: a struct tigon_world for "sim:" */
    struct libemp_costs costs;
    /* Called now and then by libemp_start; may be NULL. */
    void (*progress)(void *context, const char *step, size_t done, size_t total);
    void *progress_context;
};

void libemp_options_defaults(struct libemp_options *options);

/* Opens a board without touching it. `options` is copied; the backends must outlive the board.
 * -EINVAL for a name without a colon, -ENODEV when no backend knows it, -ENOMEM. On success the
 * board must be closed with libemp_close. */
int libemp_open(struct libemp_board **board, const char *name,
                const struct libemp_options *options);

/* Closes the board and gives its registered memory back. Nothing reaches that memory afterwards: a
 * board with posted requests is stopped first, as by libemp_stop. An idle one runs on, so that it
 * goes on to acknowledge what its peers may not know to have arrived, and another handle can
 * libemp_attach; of the host's memory it then reaches a page of its own only, which is never given
 * back. If it still transfers something after 10 ms, it is stopped too.
 * 0: closed. -EIO: the board does not answer or does not stop, so it may still write to the
 * memory. Then nothing has been given back and the board is still open, its requests posted: reset
 * it by libemp_start of another handle, or take its power, and call libemp_abandon. */
int libemp_close(struct libemp_board *board);

/* Frees what the host holds without touching the board: for one that no longer answers, and for a
 * simulated world that has ended. Only safe when the board cannot reach the memory any more. */
void libemp_abandon(struct libemp_board *board);

/* A sentence about the last failure, empty when there was none. Valid until the next call. */
const char *libemp_message(const struct libemp_board *board);

/* ------------------------------------------------------------------------------------------------
 * Firmware */

struct libemp_segment {
    uint32_t address; /* in the board's memory; a multiple of 4 */
    uint32_t words;
    const uint32_t *content;
};

/* Reads a firmware image: an ELF file for a 32-bit big-endian MIPS with fixed addresses. -ENOENT
 * and the like from opening the file, -EISDIR for a directory, -ENOEXEC for anything that is not
 * such an image, -EFBIG for one that does not fit into a board's memory. Close with
 * libemp_image_close. */
int libemp_image_open(struct libemp_image **image, const char *path);
void libemp_image_close(struct libemp_image *image); /* NULL is allowed */

/* What is in it. `segment` NULL only counts. Returns the number of segments. */
size_t libemp_image_segment(const struct libemp_image *image, size_t index,
                            struct libemp_segment *segment);
uint32_t libemp_image_entry(const struct libemp_image *image);

struct libemp_start_options {
    uint16_t node; /* own node number */
    /* Incarnation. 0: the next one by the count of starts that the board's EEPROM keeps, whatever
     * power cycles lie between. Another number is used as it is and not counted: its low byte,
     * which frames carry, must not be 0, and no earlier start of the board may have had it, or
     * peers take new messages for old ones. */
    uint16_t epoch;
    uint8_t mac_address[6];    /* all zero: the one in the board's EEPROM */
    uint64_t ready_timeout_ns; /* 0: 3 s */
};

/* Resets the board, loads the image through the 2 kB window, reads it back, starts processor A and
 * waits until the firmware says that it is ready (tigon2.md 9). All requests of an earlier life are
 * gone afterwards.
 *
 * A start without an epoch of its own is counted before the firmware runs, in two slots of the
 * serial EEPROM that are written in turn, at 0xFC0 and 0xFE0: the last two pages of 32 bytes, where
 * nothing public puts anything. A power cut amid the writing costs nothing. A blank EEPROM begins
 * at 0; the part bears a million writes of each slot. After n starts the low byte of the next epoch
 * is n % 255 + 1, the high byte n / 255 % 256.
 *
 * -EINVAL for options out of range; -EBUSY while requests are posted; -ETIMEDOUT when the board
 * does not come out of reset or the firmware never gets ready; -EIO when the self-test failed, the
 * memory does not hold what was written, the EEPROM does not answer, keep the count or hold one
 * that can be trusted (give an epoch then), or the firmware stopped; -EPROTO when the firmware was
 * made from another specification than this library.
 * Once it has returned, also with an error, nothing of what the board did before reaches host
 * memory or the wire, except after -EINVAL and -EBUSY, which leave the board as it is. Firmware
 * that was started and then given up is stopped. */
int libemp_start(struct libemp_board *board, const struct libemp_image *image,
                 const struct libemp_start_options *options);

/* The same for the image of any protocol whose spec includes nic/board.hsm, of which libemp knows
 * nothing else: -EPROTO does not come. libemp_status, libemp_link, libemp_wait_link, libemp_stop
 * and the functions of "A board's memory" work on it; what is about messages gives -ENODEV. */
int libemp_boot(struct libemp_board *board, const struct libemp_image *image,
                const struct libemp_start_options *options);

/* Uses a board whose firmware is running already. Requests that somebody left posted keep their
 * descriptors; so may some, until the next start, that finished messages of several pages have
 * used. -ENODEV when none has been started, -EIO when it has stopped, -EPROTO as above. */
int libemp_attach(struct libemp_board *board);

/* Stops the processors, the DMA engines and the MAC. When it returns 0, nothing of the board
 * reaches host memory or the wire any more, and posted requests are forgotten. Takes 80 us, the
 * time of a frame, and at most 10 ms when a transfer does not end and has to be dropped. What the
 * board's memory and registers hold stays to be looked at. Any board may be stopped, also one that
 * this handle has not started. -EIO: the board does not answer or does not stop. Requests are still
 * posted then, for it may still write to their memory: see libemp_close. */
int libemp_stop(struct libemp_board *board);

/* Tells the board the Ethernet address of a node. Until then nothing is sent there, also no
 * acknowledgements; what is posted waits. -EINVAL for a node out of range, -ENODEV when no firmware
 * runs. */
int libemp_set_peer(struct libemp_board *board, uint16_t node, const uint8_t mac_address[6]);

struct libemp_status {
    bool running; /* ready and not stopped */
    bool link;
    uint16_t node;
    uint16_t epoch;
    uint8_t mac_address[6];
    uint32_t protocol_hash;
    uint32_t sram_bytes;
    uint32_t free_bytes; /* of SRAM, left between image and buffers */
    uint32_t trace;      /* SRAM address of the trace ring, 0 when compiled out */
    uint32_t trace_entries;
};
int libemp_status(struct libemp_board *board, struct libemp_status *status);

int libemp_link(struct libemp_board *board); /* 1 up, 0 down, or an error */
int libemp_wait_link(struct libemp_board *board, uint64_t timeout_ns);

/* ------------------------------------------------------------------------------------------------
 * Memory */

/* Whole pages the board can reach, zeroed; NULL when used up. Any memory the backend can translate
 * may be registered, but only these are sure to be. */
void *libemp_allocate(struct libemp_board *board, size_t bytes);
void libemp_free(struct libemp_board *board, void *memory, size_t bytes);

/* Pins memory and translates it page by page. Costs translate_call_ns and translate_page_ns a
 * page, once; posting from it is then free of the kernel. -EINVAL for no memory or no bytes,
 * -EFAULT when the board cannot reach some of it, -ENOMEM. */
int libemp_register(struct libemp_board *board, void *address, size_t length,
                    struct libemp_memory **memory);

/* -EBUSY while a posted request uses it, or one that is gathered from several registrations. */
int libemp_deregister(struct libemp_memory *memory);

/* ------------------------------------------------------------------------------------------------
 * Messages */

/* Names a posted request until it has finished. A spent one is recognised as such (-EINVAL) until
 * its descriptor has been used 65 536 times more; then the same number names another request. */
typedef uint32_t libemp_request;

/* One stretch of a message's memory. A message may consist of any number of pieces, as long as
 * they touch at most 409 pages, each counted as often as a piece touches it. */
struct libemp_piece {
    struct libemp_memory *memory;
    size_t offset;
    size_t length;
};

/* Hands a message to the board; the memory must be left alone until the request has finished.
 * Formats: one page touched takes a descriptor, up to seven a chain of up to four, more a
 * descriptor and a page of addresses (EF27). No pieces, or empty ones only, make a message without
 * data.
 * -EINVAL: node out of range or the own one, piece outside its memory, memory of another board.
 * -EMSGSIZE: longer than libemp_message_limit or too many pages touched. -EAGAIN: no descriptor is
 * free; finish a request first. -ENOMEM: no page for addresses. -ENODEV: no firmware runs. */
int libemp_post_send(struct libemp_board *board, uint16_t peer, uint16_t tag,
                     const struct libemp_piece *pieces, size_t count, libemp_request *request);
int libemp_post_receive(struct libemp_board *board, uint16_t peer, uint16_t tag,
                        const struct libemp_piece *pieces, size_t count, libemp_request *request);

struct libemp_completion {
    uint32_t length; /* of the message, also when less of it was received */
};

/* Looks whether a request has finished: one register read, which tells the length of a received
 * message too. `completion` may be NULL.
 * 0: finished; -EMSGSIZE: finished, the message was longer than the receive, its beginning was
 * delivered; -ECONNRESET: finished, the node at the other end restarted: of a receive, what the
 * buffer holds is worthless; of a send, the receiver's host may have got the message or not, and
 * everything sent before it to that node that had not finished ends the same way. Messages posted
 * from then on go to the node as it is now. -ECANCELED: finished, the receive was cancelled and its
 * memory is as it was. -EFBIG, -EIO: finished, the board refused the
 * descriptor as too long or senseless.
 * After each of these `request` is spent. -EAGAIN: not finished. -EINVAL: no such request. -EIO
 * also when the descriptor holds what cannot have become of this request, because the board was
 * reset, lost its memory or does not answer any more (libemp_message tells): it is still posted
 * then, for nobody knows what is still written to its memory, until firmware is started anew. */
int libemp_test(struct libemp_board *board, libemp_request request,
                struct libemp_completion *completion);

/* The same until the request has finished. -ETIMEDOUT: not within the time, still posted; -EIO
 * also when the firmware has stopped (libemp_message tells which). */
int libemp_wait(struct libemp_board *board, libemp_request request, uint64_t timeout_ns,
                struct libemp_completion *completion);

/* Asks for a posted receive back, for instance to have the memory of one that nobody answers. The
 * request does not end here: libemp_test or libemp_wait tell how it ends, soon if no message had
 * met the receive when the board read this, with -ECANCELED: nothing has been written to its memory
 * and nothing will be, and other receives are matched in their order as if it had never been
 * posted. If a message had met it, it ends as that message does, which may take as long as the
 * sender takes: bytes may be on their way into the memory, and the sender may have been told that
 * they came. A message that comes later meets the next receive that fits, or waits for one to be
 * posted. 0: asked, now or before. -EINVAL: no such request, or it has been reported as finished.
 * -EOPNOTSUPP: it is a send, which the other node may have taken and its host seen. -ENODEV: no
 * firmware runs. Requests of one board are taken in the order they were made: a receive posted
 * after this call is never hit by it, whatever descriptor it has. */
int libemp_cancel(struct libemp_board *board, libemp_request request);

size_t libemp_message_limit(void);                           /* bytes of the longest message */
size_t libemp_node_limit(void);                              /* nodes are 0 .. limit - 1 */
size_t libemp_descriptors_free(const struct libemp_board *); /* of libemp_descriptor_limit */
size_t libemp_descriptor_limit(void);

/* ------------------------------------------------------------------------------------------------
 * Counters and parameters, by the names of the specification */

size_t libemp_counter_count(void);
const char *libemp_counter_name(size_t index); /* NULL beyond the last */
int libemp_counter(struct libemp_board *board, size_t index, uint32_t *value);

struct libemp_parameter_information {
    const char *name;
    uint32_t initial;
    uint32_t minimum;
    uint32_t maximum;
    bool live; /* may be set while the firmware runs */
};
bool libemp_parameter_information(size_t index, struct libemp_parameter_information *information);
int libemp_parameter(struct libemp_board *board, size_t index, uint32_t *value);

/* -ERANGE outside the range, -EPERM for a parameter that is not live. */
int libemp_set_parameter(struct libemp_board *board, size_t index, uint32_t value);

/* Index of a name, or -ENOENT. */
int libemp_find_counter(const char *name);
int libemp_find_parameter(const char *name);

/* ------------------------------------------------------------------------------------------------
 * Inspection */

/* Register traffic of this handle since it was opened. */
struct libemp_statistics {
    uint64_t reads;
    uint64_t writes; /* single words */
    uint64_t bursts;
    uint64_t window_moves;
    uint64_t posts;
    uint64_t polls; /* requests found unfinished */
};
void libemp_statistics(const struct libemp_board *board, struct libemp_statistics *statistics);

/* Words of the board's memory, through the window or, below 0x400, its fixed alias. For tools that
 * read what the firmware left there (trace ring, statistics of the MAC). `address` must be a
 * multiple of 4; -EINVAL otherwise or beyond 2 MB. */
int libemp_read_memory(struct libemp_board *board, uint32_t address, uint32_t *words, size_t count);

/* ------------------------------------------------------------------------------------------------
 * A board's memory, for hosts of other protocols: with EMP's, these may break what libemp relies on
 */

/* As libemp_read_memory, to it. */
int libemp_write_memory(struct libemp_board *board, uint32_t address, const uint32_t *words,
                        size_t count);

/* Rings a doorbell: `value` into mailbox 1 to 31, which the firmware hears of (nic_on_doorbell).
 * Rings that come fast may be heard as one, with the last value. -EINVAL for another mailbox. */
int libemp_ring(struct libemp_board *board, unsigned mailbox, uint32_t value);

#endif
