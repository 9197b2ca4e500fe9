/* SPDX-License-Identifier: MIT */
/*
 * libemp: messages between hosts, over boards that run the EMP protocol themselves.
 *
 * This header is the manual. After `make install` a program includes <libemp.h> and is built with
 * `pkg-config --cflags --libs libemp`. It identifies its board by a string:
 *
 *     sim:PATH    a simulated board, which `tigonsim serve` offers at the socket PATH
 *     sim:N       board N of a world in the same process: for programs that are a part of the
 *                 simulation, with the backend board_sim of host/board/sim.h in
 *                 options.board.backends and the world in options.board.environment; it is not
 *                 installed. With the backends of libemp_options_defaults "sim:0" is a socket
 *                 whose path is "0"
 *     emp0        a card of the Linux driver, /dev/emp0, with port 0; the driver posts
 *     emp0.2      the same with port 2
 *     emp0.trusted
 *                 the same card, for this program alone, which posts itself
 *
 *     struct libemp_options options;
 *     struct libemp_board *board;
 *     libemp_options_defaults(&options);
 *     error = libemp_open(&board, "sim:left.sock", &options);
 *     error = libemp_attach(board);       // after `emp load`; or:
 *     error = board_image_open(&image, "/usr/local/lib/firmware/emp/emp.bin");
 *     error = libemp_start(board, image, &(struct board_start_options){.node = 0});
 *     error = libemp_set_peer(board, 1, address_of_node_1);
 *     error = board_wait_link(libemp_hardware(board), 1000000000);
 *
 *     void *buffer = libemp_allocate(board, 65536);
 *     error = libemp_register(board, buffer, 65536, &memory);
 *     struct libemp_piece all = {memory, 0, 65536};
 *     error = libemp_post_send(board, 1, tag, &all, 1, &request);
 *     error = libemp_wait(board, request, LIBEMP_FOREVER, NULL);
 *
 * Messages. A send names a destination node and a tag; a receive names a source node and a tag. The
 * board accepts a message only if a matching receive is posted. Until then it refuses the message,
 * and the sender's board tries again. A message matches the receive that was posted first of those
 * that accept it. Of the messages of one source a receive gets the one that was sent first of those
 * that it accepts. In `paper` a message also waits until all that were sent before it have matched;
 * in `modern` up to seven messages pass one that no receive accepts. When a send has finished
 * successfully, the message is in the receiver's memory. Data moves between registered memory and
 * the wire without a copy, and no part of the protocol runs on the host.
 *
 * Profiles. The library is built for one profile of the protocol. In `paper` a tag has 16 bits, and
 * each receive names its source and its whole tag. In `modern` a tag has 64 bits, and a receive may
 * accept messages of any source, and may ignore bits of the tag. Peeks and cancels of sends exist
 * in `modern` only.
 *
 * Errors. Functions that can fail return 0 or a negative errno value. Each value has one meaning,
 * in the functions of board.h, too. After a failure libemp_message returns a sentence about the
 * last failure of that board. A NULL board, or one already closed, is a programming error and is
 * not checked.
 *
 *     -E2BIG          more bytes or pages than a message may have
 *     -EACCES         The board belongs to another process, of which this one is a child.
 *     -EAGAIN         not yet: the request has not ended, or no descriptors are free for one
 *     -EBADE          What a long message met is no segment of it.
 *     -EBADMSG        a file of firmware that is damaged: its CRC does not hold
 *     -EBADRQC        The board, or its driver, refused a request that had been posted.
 *     -EBUSY          in use: a board by another program; or what the call would end is used by
 *                     requests or a long message
 *     -ECANCELED      A request or long message was cancelled.
 *     -ECONNRESET     This node or the other one restarted, or the other one has given this one up.
 *     -EFAULT         memory that the board cannot reach
 *     -EFBIG          firmware that does not fit into a board
 *     -EHOSTUNREACH   The node at the other end was silent.
 *     -EINVAL         An argument is out of range, or names what there is not, such as a request.
 *     -EIO            The board does not answer, has stopped, or cannot do its work.
 *     -EISDIR         a directory in place of a file of firmware
 *     -EMSGSIZE       A message was longer than its receive.
 *     -ENODEV         No firmware runs on the board.
 *     -ENOENT         nothing by that name: a file, counter, parameter or cost, a node's address
 *     -ENOEXEC        a file that is no firmware, or none for this library or board
 *     -ENOMEM         Memory is used up, or more was to be pinned than may be.
 *     -ENOMSG         A peek's message cannot be claimed any more.
 *     -ENOSPC         more registrations than the driver has room for
 *     -ENXIO          There is no such board.
 *     -EOPNOTSUPP     The profile or this kind of board does not have this.
 *     -EPERM          It needs a privilege that this program does not have.
 *     -EPROTO         firmware or driver of another specification than this library
 *     -ERANGE         a value outside the range of its parameter
 *     -EROFS          a parameter that cannot change while firmware runs
 *     -ETIMEDOUT      not in time
 *
 * Opening and writing files and making descriptors for events have the errors of the system, too.
 *
 * Blocking. Only libemp_start, libemp_stop, libemp_close and the functions with `wait`
 * in their name take longer than their register accesses. All of these have a time limit, fixed or
 * as an argument.
 *
 * Threads. One thread at a time may use a board and everything obtained from it (in the simulated
 * world: one program). The library has no global state, so threads that each use their own board
 * need no lock. Threads that share a board need one, and hold it while they wait. Only one handle
 * at a time may post on a board: descriptors have one owner.
 *
 * Processes. A board and all that belongs to it end with the process that has opened it, whatever
 * children it leaves. In a child that it forks, calls for the board return -EACCES, and change
 * nothing of the parent's; libemp_close frees the child's copies. The child opens a board of its
 * own. Registered memory stays with the parent: the child has a copy of it, or shares it where it
 * is shared memory, as all memory of simulated boards is. A board of a world in the same process is
 * copied with its world.
 *
 * Cards that go. When a card is pulled, or its driver removed, calls for it return errors. Only a
 * program that has the card for itself (emp0.trusted) has mapped its registers: the call that next
 * accesses one, perhaps libemp_close, raises SIGBUS, which ends the program unless it catches the
 * signal, leaves the call and makes no further one for this board.
 *
 * Event loops. libemp_event_descriptor gives a file descriptor for poll(2). Nothing waits for it on
 * the way of a message: a board of the driver interrupts only while a program is in poll.
 *
 * Time. Durations are nanoseconds of the backend's clock. The host work that a real program would
 * do is charged to that clock, at the costs in struct libemp_costs. A backend for a real board
 * ignores these charges, because there the work itself takes time.
 */
#ifndef HOST_EMP_LIBEMP_H
#define HOST_EMP_LIBEMP_H

#include "host/board/board.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct libemp_board;
struct libemp_memory;

#define LIBEMP_FOREVER UINT64_MAX

/* On functions whose result the caller must check. */
#define LIBEMP_CHECKED BOARD_CHECKED

/* ------------------------------------------------------------------------------------------------
 * Costs */

/* Costs of host work in nanoseconds, for the 933 MHz Pentium III of the papers. Register accesses
 * are not included: the backend charges for them. */
struct libemp_costs {
    uint64_t call_ns;           /* entering a posting call, checking it, finding a descriptor */
    uint64_t descriptor_ns;     /* building one descriptor or continuation */
    uint64_t entry_ns;          /* writing one entry of an indirect page */
    uint64_t test_ns;           /* testing one request, in addition to the register read */
    uint64_t translate_call_ns; /* entering and leaving the kernel to pin and translate memory */
    uint64_t translate_page_ns; /* pinning and translating one page */
    uint64_t translate_posts;   /* 1: charge translation at every post too, as EMP did (EF22) */
};

void libemp_costs_defaults(struct libemp_costs *costs);

/* Sets one cost by the name of its field. -ENOENT for an unknown name. */
LIBEMP_CHECKED int libemp_costs_set(struct libemp_costs *costs, const char *name, uint64_t value);

/* The table of costs: stores name, default and reason of entry `index`. False beyond the last. */
struct libemp_cost_information {
    const char *name;
    uint64_t initial;
    const char *reason;
};
bool libemp_cost_information(size_t index, struct libemp_cost_information *information);

/* ------------------------------------------------------------------------------------------------
 * Opening */

struct libemp_options {
    struct board_options board;
    struct libemp_costs costs;
    /* The board writes ends to the host's memory, and libemp_test and libemp_wait look there
     * instead of reading the board's memory over the bus. The first post of a handle takes them, so
     * one that only looks at the board takes nothing. libemp_test then notices only at every
     * 1024th call without success that a board was reset. Only in the profile `modern`: else
     * libemp_open returns -EOPNOTSUPP. */
    bool ends_in_memory;
};

void libemp_options_defaults(struct libemp_options *options);

/* Opens a board without accessing it. As board_open. -EINVAL for a NULL argument or a name without
 * a colon or a number, -ENXIO if there is no such board, -EPERM, -EBUSY, -ENOMEM, -EOPNOTSUPP for
 * an option that the profile does not have. On success the board must be closed with libemp_close.
 */
LIBEMP_CHECKED int libemp_open(struct libemp_board **board, const char *name,
                               const struct libemp_options *options);

/* Closes the board and releases its registered memory. The board does not access that memory
 * afterwards: a board with posted requests is stopped first, as by libemp_stop. An idle board keeps
 * running: it still acknowledges data that its peers may not know to have arrived, and another
 * handle can use it by libemp_attach. It then accesses only one page of host memory, its own, which
 * is never released. An idle board that still transfers data after 10 ms is stopped, too.
 * 0: closed. -EIO: the board does not answer or does not stop, so it may still write to the memory.
 * In this case nothing has been released, and the board is still open with its requests posted:
 * reset it with libemp_start of another handle, or cut its power, then call libemp_abandon. */
LIBEMP_CHECKED int libemp_close(struct libemp_board *board);

/* Frees the resources of the host without accessing the board: for a board that no longer answers,
 * and for a simulated world that has ended. Safe only if the board cannot reach the memory any
 * more. */
void libemp_abandon(struct libemp_board *board);

/* Returns a sentence about the last failure, empty if there was none. Valid until the next call. */
const char *libemp_message(const struct libemp_board *board);

/* The board beneath, for the functions of host/board/board.h that EMP adds nothing to: status,
 * link, memory. Not for board_start, board_attach, board_stop and board_close. */
struct board *libemp_hardware(const struct libemp_board *board);

/* ------------------------------------------------------------------------------------------------
 * Firmware */

/* As board_start, and checks that the firmware is EMP's. All requests of an earlier start are gone
 * afterwards. -EINVAL also for a node out of range; -EBUSY while requests are posted; -EPROTO or
 * -ENOEXEC if the firmware was made from another specification than this library; -EIO also if the
 * board died as soon as it was ready, or reaches no host memory: bus mastering is off, say. */
LIBEMP_CHECKED int libemp_start(struct libemp_board *board, const struct board_image *image,
                                const struct board_start_options *options);

/* Uses a board whose firmware is already running. Requests that another handle left posted keep
 * their descriptors. Until the next start, some descriptors that finished messages of several pages
 * have used may stay reserved, too. -EBUSY while this handle has requests posted, -ENODEV if no
 * firmware has been started, -EIO if it has stopped or died, or the board reaches no host memory
 * (libemp_message says why), -EPROTO as above. */
LIBEMP_CHECKED int libemp_attach(struct libemp_board *board);

/* As board_stop; posted requests are forgotten. -EIO: the board does not answer or does not stop.
 * Requests are then still posted, because the board may still write to their memory: see
 * libemp_close. */
LIBEMP_CHECKED int libemp_stop(struct libemp_board *board);

/* Sets the Ethernet address of a node. Until then the board sends nothing to that node, not even
 * acknowledgements, and requests for it wait, or end as if that node were silent. -EINVAL for a
 * node out of range or a group address, -ENODEV if no firmware runs. */
LIBEMP_CHECKED int libemp_set_peer(struct libemp_board *board, uint16_t node,
                                   const uint8_t mac_address[6]);

/* Reads the address of a node, as libemp_set_peer has set it. -ENOENT: it has not been set. -EINVAL
 * for a node out of range or no place, -ENODEV if no firmware runs, -EOPNOTSUPP for a board of the
 * driver, which shows it to no program. */
LIBEMP_CHECKED int libemp_peer(struct libemp_board *board, uint16_t node, uint8_t mac_address[6]);

/* ------------------------------------------------------------------------------------------------
 * Memory */

/* Allocates whole pages, zeroed, that the board can reach; NULL when they are used up. Any memory
 * that the backend can translate may be registered; for these pages this is guaranteed. A served
 * board's host has them until libemp_free or libemp_close. What a program leaves that is killed, or
 * abandons its board, is given back when a later one attaches and the board has no request any
 * more, or starts the board anew. */
void *libemp_allocate(struct libemp_board *board, size_t bytes);
void libemp_free(struct libemp_board *board, void *memory, size_t bytes);

/* Pins the pages that are mapped at `address` now, and translates each. Costs translate_call_ns,
 * and translate_page_ns per page, once; posts that use the memory then need no kernel call. A
 * registration stays with its pages: what is mapped at the same address later needs one of its own,
 * and has it even before the old one ends. Registrations may overlap; each pins its pages. -EINVAL
 * for no memory or no bytes, -EFAULT if the board cannot reach part of it, -ENOMEM, also beyond
 * RLIMIT_MEMLOCK, -ENOSPC for more than the driver's 4096. */
LIBEMP_CHECKED int libemp_register(struct libemp_board *board, void *address, size_t length,
                                   struct libemp_memory **memory);

/* Ends a registration. -EBUSY while a request is posted that uses this memory, or any request with
 * pieces of several registrations, and while a long message that uses it is unfinished, whether or
 * not one of its segments is posted. */
LIBEMP_CHECKED int libemp_deregister(struct libemp_memory *memory);

/* ------------------------------------------------------------------------------------------------
 * Messages */

/* Identifies a posted request until it has finished. A finished request is recognised (-EINVAL)
 * until its descriptor has been used 65 536 more times; then the same number identifies another
 * request. */
typedef uint32_t libemp_request;

/* Never the number of a request: an entry that lists of requests skip. */
#define LIBEMP_NO_REQUEST UINT32_MAX

/* One contiguous part of a message's memory. A message may consist of any number of pieces, as long
 * as they touch at most 409 pages. A page counts once for each piece that touches it. A piece
 * without bytes may name no memory (NULL). */
struct libemp_piece {
    struct libemp_memory *memory;
    size_t offset;
    size_t length;
};

#define LIBEMP_ANY_SOURCE UINT16_MAX

/* Hands a message to the board. The program must leave the memory alone until the request has
 * finished. In the profile `modern` a descriptor can hold the bytes of a send of up to 12 bytes, of
 * any pieces: the library then copies them, and the board reads nothing of the program's memory.
 * This changes no rule: the program need not know which sends these are, and a change of its memory
 * before the end may or may not be sent, as ever.
 * Formats: a message that touches one page takes one descriptor, up to seven pages a chain of up to
 * four descriptors, more pages one descriptor and a page of addresses (EF27). No pieces, or only
 * empty ones, make a message without data.
 * -EINVAL: node out of range or the board's own, a tag of more than libemp_board_tag_bits bits,
 * piece outside its memory, memory of another board. -E2BIG: longer than libemp_message_limit or
 * too many pages touched. -EAGAIN: no descriptors are free, or not enough adjacent ones; finish a
 * request first. -ENOMEM: no page for addresses. -ENODEV: no firmware runs. */
LIBEMP_CHECKED int libemp_post_send(struct libemp_board *board, uint16_t peer, uint64_t tag,
                                    const struct libemp_piece *pieces, size_t count,
                                    libemp_request *request);
LIBEMP_CHECKED int libemp_post_receive(struct libemp_board *board, uint16_t peer, uint64_t tag,
                                       const struct libemp_piece *pieces, size_t count,
                                       libemp_request *request);

/* As libemp_post_receive, with wildcards: `peer` may be LIBEMP_ANY_SOURCE, and bits of the tag that
 * are set in `ignored` match whatever they are. The completion reports source and tag of the
 * message. Receives with and without wildcards match in the order in which they were posted, as
 * long as fewer than 2^32 receives with wildcards are posted while one of them waits.
 * -EOPNOTSUPP: a wildcard, and the library is built for a profile without. */
LIBEMP_CHECKED int libemp_post_receive_matching(struct libemp_board *board, uint16_t peer,
                                                uint64_t tag, uint64_t ignored,
                                                const struct libemp_piece *pieces, size_t count,
                                                libemp_request *request);

/* Asks which message waits: ends when the board refuses a message that the peek accepts and no
 * posted receive does. Arguments as of libemp_post_receive_matching. The completion tells source,
 * tag and length of the message. Nothing is received: the sender keeps the message and tries again
 * until a receive is posted. The board learns of a message only when its sender tries, so a peek
 * for a message that was refused before ends at the next try, some milliseconds later at most
 * unless frames are lost. Only the next message of each source is seen, because messages match in
 * their order. One try ends one peek, the one posted first of those that accept the message.
 * A peek claims nothing: libemp_post_claim does, or any receive that accepts the message takes it.
 * A peek occupies one descriptor; libemp_cancel ends it with -ECANCELED.
 * Errors as of libemp_post_receive_matching; -EOPNOTSUPP: the library is built for a profile
 * without peeks. */
LIBEMP_CHECKED int libemp_post_peek(struct libemp_board *board, uint16_t peer, uint64_t tag,
                                    uint64_t ignored, libemp_request *request);

/* Receives the message that a peek has met, and no other: a receive of it alone, which
 * libemp_test and libemp_wait end like any receive. `peek` is the number of a peek that has ended
 * with 0 and whose message was not claimed yet; another peek may have got its descriptor since
 * (-EINVAL). The message takes the claim, and receives posted later get later messages, in order.
 * Source and tag need no wildcards any more, and the length is known, so memory can be found now.
 * -ENOMSG: since the peek was posted, a receive was posted that may take the message, or the same
 * message was claimed after another peek. Peek anew.
 * A claim waits as a receive does if the message never comes: because the source restarts, cancels
 * its send or gives this node up before the claim is posted. Its next message with the same tag
 * then takes the claim.
 * Other errors as of libemp_post_receive; after -EAGAIN and -ENOMEM the claim can be posted again.
 * -EOPNOTSUPP: the library is built for a profile without peeks. */
LIBEMP_CHECKED int libemp_post_claim(struct libemp_board *board, libemp_request peek,
                                     const struct libemp_piece *pieces, size_t count,
                                     libemp_request *request);

/* What a finished request tells. After 0 and -EMSGSIZE source and tag are those of the message;
 * after other results of a receive with wildcards they are what it was posted with. */
struct libemp_completion {
    uint32_t length; /* of the message, even if less of it was received */
    uint16_t peer;   /* its source; of a send its destination */
    uint64_t tag;
};

/* Tests whether a request has finished, with one register read, which also yields the length of a
 * received message. Source and tag that a receive with wildcards, or a peek, has met take three
 * more reads,
 * once. `completion` may be NULL.
 * These results end the request; its number is invalid afterwards:
 *     0            finished
 *     -EMSGSIZE    The message was longer than the receive; its beginning was delivered.
 *     -ECONNRESET  The node at the other end restarted, or has given this one up as silent. For a
 *                  receive, the content of the buffer is worthless. For a send, the receiver's host
 *                  may or may not have received the message, and all unfinished earlier sends to
 *                  that node end the same way. Messages posted from then on go to the restarted
 *                  node. A program that answers a restarted node meets this with its first answer,
 *                  and posts that once more.
 *     -EHOSTUNREACH
 *                  Amid the message, nothing came from the node at the other end for the parameter
 *                  silence_timeout (microseconds, 5 s at first, 0: never), which only a board with
 *                  EMP's profile `modern` has. Buffer, message and earlier sends are as with
 *                  -ECONNRESET. A receiver that answers, but has no receive posted, is not silent,
 *                  and a receive that no message has matched stays posted. Messages posted from
 *                  then on are tried again; they arrive when the node answers again.
 *     -ECANCELED   The request was cancelled in time: the memory of a receive is unchanged, and
 *                  nothing of a send has been sent.
 *     -EBADRQC     The board refused the request as too long or invalid, or its driver did when it
 *                  came to a request that had waited or was held.
 * These do not:
 *     -EAGAIN      not finished
 *     -EINVAL      no such request
 *     -EIO         The descriptor holds a value that cannot result from this request, because the
 *                  board was reset, lost its memory or no longer answers (libemp_message reports
 *                  it). The request stays posted until firmware is started again, because its
 *                  memory may still be written to. */
LIBEMP_CHECKED int libemp_test(struct libemp_board *board, libemp_request request,
                               struct libemp_completion *completion);

/* As libemp_test, but waits until the request has finished. -ETIMEDOUT: it has not finished within
 * `timeout_ns` and is still posted. -EIO is also returned if the firmware has stopped or the board
 * reaches no host memory any more (libemp_message reports which). */
LIBEMP_CHECKED int libemp_wait(struct libemp_board *board, libemp_request request,
                               uint64_t timeout_ns, struct libemp_completion *completion);

/* Waits until one of several requests of this board has finished, stores its place in the list in
 * `*index`, and returns as libemp_test does; -EINVAL of libemp_test, too: the request at `*index`
 * is none. Entries that are LIBEMP_NO_REQUEST are skipped; replace the one that has finished by it,
 * or by another request. When several have finished, the first of the list is reported; turn the
 * list if the later ones must not wait. -ETIMEDOUT and -EIO as of libemp_wait, with `*index`
 * unchanged; -EINVAL also if there is no entry to wait for. */
LIBEMP_CHECKED int libemp_wait_any(struct libemp_board *board, const libemp_request *requests,
                                   size_t count, uint64_t timeout_ns, size_t *index,
                                   struct libemp_completion *completion);

/* Waits until all requests of the list have finished. Each that has is replaced by
 * LIBEMP_NO_REQUEST, its result is stored in `results` and its completion in `completions`, at its
 * place; either may be NULL. 0: all have finished, each with 0. The result of the first of them
 * that has another one: all have finished, too. These end the wait before that: -ETIMEDOUT, -EIO of
 * a board that has gone, -EINVAL for an entry that is no request; what is still posted is still in
 * the list, so the call can be repeated. */
LIBEMP_CHECKED int libemp_wait_all(struct libemp_board *board, libemp_request *requests,
                                   size_t count, uint64_t timeout_ns, int *results,
                                   struct libemp_completion *completions);

/* A file descriptor for poll(2), select(2) and epoll(7): readable when a request of this board may
 * have finished that was not reported yet. Call it each time before the program waits, after
 * testing its requests: it hands over what waits and sees to it that the descriptor becomes
 * readable. It is the same one each time; it belongs to the board, and is never read.
 *     for (;;) {
 *         test all requests, with libemp_test;
 *         event.fd = libemp_event_descriptor(board);
 *         poll(&event, 1, -1);
 *     }
 * It may be readable though nothing has finished. With a board of the driver the card interrupts
 * when something ends. The other boards do not interrupt programs: the descriptor becomes
 * readable 100 us after the call as long as requests are posted, and the call lets 20 us of the
 * board's time pass, so that time passes in lock step, too.
 * -ENODEV: no firmware runs. Or an error of epoll_create(2). */
LIBEMP_CHECKED int libemp_event_descriptor(struct libemp_board *board);

/* Requests the cancellation of a posted receive, for instance to reuse the memory of a receive that
 * no message answers; in `modern` also of a peek or a send. The request does not end here:
 * libemp_test or libemp_wait report how it ends. If no message had matched the receive when the
 * board read the cancellation, the request soon ends with -ECANCELED: nothing has been written to
 * its memory and nothing will be, and other receives are matched in their order as if this one had
 * never been posted. If a message had matched it, the request ends as that message does, which may
 * take as long as the sender takes: data may be in flight into the memory, and the sender may
 * already have received an acknowledgement of it. A later message matches the next receive that
 * fits, or waits until one is posted. A send ends with -ECANCELED if nothing of its message has
 * been sent when the board reads the cancellation: it still waits behind two earlier messages to
 * its node (behind one, while messages to that node take long), or for a record of the board. Then
 * later messages go on as if it had never been posted. Once it has begun, the send ends as the
 * message does, also while the other node refuses it: a copy may be under way to a receive that is
 * posted meanwhile. The board handles posts and cancellations in the order of the calls: a receive
 * posted after this call is never affected by it, whatever descriptor it has. 0: cancellation
 * requested, by this or an earlier call. -EINVAL: no such request, or it has been reported as
 * finished. -EOPNOTSUPP: it is a send, and the library is built for a profile that cancels none.
 * -ENODEV: no firmware runs. */
LIBEMP_CHECKED int libemp_cancel(struct libemp_board *board, libemp_request request);

/* As libemp_cancel, and for a send that has begun: the board gives up its node, as one that has
 * been silent for silence_timeout. Then this send and all others to the node end with -EHOSTUNREACH
 * or -ECONNRESET, and may or may not have been received. For a program that cannot wait until a
 * node takes its message, for instance because it ends. The board can do so between two
 * transmissions only, and looks at most once a millisecond: repeat the call until the request has
 * ended. It waits as long as the link is down. A receive is cancelled only. -EOPNOTSUPP: the
 * library is built for a profile without, or the board is one of the driver, which does the same
 * itself when a program has gone. Else as libemp_cancel. */
LIBEMP_CHECKED int libemp_give_up(struct libemp_board *board, libemp_request request);

/* Lets sends go first. The board does not learn of receives, peeks and claims that are posted from
 * now on before the hold ends: with libemp_release_receives, with the next call that tests, waits
 * for or cancels a request or a long message, or gives one up, and with libemp_event_descriptor; a
 * call that fails because there is no such request ends no hold. When 16 are held the board
 * learns of them, and the hold goes on. A program that posts the receive for an answer and then its
 * request gains the time that the board spends on the receive, some three microseconds. Meanwhile a
 * message for a held receive may be refused, and is sent again later. */
void libemp_hold_receives(struct libemp_board *board);
void libemp_release_receives(struct libemp_board *board);

size_t libemp_message_limit(void); /* bytes of the longest message */
/* Bits of a tag, 16 or 64, and how many nodes there may be, 0 .. limit - 1: the most that this
 * library can have. A board may have fewer: one of the driver has 60 bits and 16 nodes. */
unsigned libemp_tag_bits(void);
size_t libemp_node_limit(void);
/* Those of this board. */
unsigned libemp_board_tag_bits(const struct libemp_board *board);
size_t libemp_board_node_limit(const struct libemp_board *board);
size_t libemp_descriptors_free(const struct libemp_board *board); /* of libemp_descriptor_limit */
size_t libemp_descriptor_limit(void);

/* ------------------------------------------------------------------------------------------------
 * Long messages */

/* A long message has up to 2^40 bytes, in one contiguous piece of registered memory at each end. On
 * the wire it is a sequence of messages of at most 1 MiB of data, its segments, each with a header
 * of 16 bytes, so both ends use the calls of this section. Data still move without a copy.
 *
 * The library posts two segments at a time, and goes on only within libemp_test_long and
 * libemp_wait_long. Until a receiver calls them, its board refuses the next segment, and with it
 * all later messages of that source. While a long message is unfinished, the program must post
 * nothing else that could match it: no other receive that accepts its source and tag, and no other
 * send with its destination and tag.
 *
 * A transfer is known by a number, which no later transfer of this handle has. libemp_stop and
 * libemp_start end all transfers, as they do all requests. */
typedef uint64_t libemp_transfer;

/* Begins to send or receive. `place`: the data of the message, or room for as much of it as the
 * program wants; it is copied. NULL, or a length of 0: no data.
 * -EBUSY: another long message in this direction, with this peer and tag, is unfinished. -EINVAL:
 * as of libemp_post_send. -E2BIG: longer than 2^40 bytes. -EAGAIN: no descriptors are free.
 * -ENOMEM: no page for headers or addresses. -ENODEV: no firmware runs. */
LIBEMP_CHECKED int libemp_send_long(struct libemp_board *board, uint16_t peer, uint64_t tag,
                                    const struct libemp_piece *place, libemp_transfer *transfer);
LIBEMP_CHECKED int libemp_receive_long(struct libemp_board *board, uint16_t peer, uint64_t tag,
                                       const struct libemp_piece *place, libemp_transfer *transfer);

/* Posts what can be posted, and tests whether the message has ended. `length`, which may be NULL,
 * is then the bytes of the whole message, as far as it is known.
 * These results end the transfer:
 *     0            finished
 *     -EMSGSIZE    The message was longer than the receive; its beginning was delivered.
 *     -EBADE       A message that is not the expected segment met the receive, for instance since
 *                  the sender was started anew, or used another call. What is in the receive's
 *                  memory is worthless, and the two programs must find out where they stand.
 *     -ECANCELED   It was cancelled, a receive perhaps by its sender; see libemp_cancel_long. What
 *                  is in a receive's memory is worthless.
 *     -EINVAL      It has ended before, or a stop or start has ended it.
 *     others       of a segment; as of libemp_test. All of a receive's memory is worthless then.
 * These do not: -EAGAIN: not finished; -EIO of a board that has gone, as of libemp_test. */
LIBEMP_CHECKED int libemp_test_long(struct libemp_board *board, libemp_transfer transfer,
                                    uint64_t *length);

/* The same, but waits until the message has ended. These do not end the transfer: -ETIMEDOUT; -EIO
 * of a board that has gone or whose firmware has stopped; -EAGAIN: no descriptors are free for a
 * segment, so the program must finish another request first. */
LIBEMP_CHECKED int libemp_wait_long(struct libemp_board *board, libemp_transfer transfer,
                                    uint64_t timeout_ns, uint64_t *length);

/* Cancels a long message. The transfer does not end here, but in libemp_test_long and
 * libemp_wait_long, which the program keeps calling. They report -ECANCELED, or the result of the
 * message if all of it was under way already.
 * A receive that no segment has met ends at once, as by libemp_cancel. One that has begun takes the
 * rest of the message without its data, because nothing else from that node is received before. So
 * it ends when the sender has cancelled, too, or has sent all.
 * A send ends when the receiver has taken the segments that have begun, and two small messages that
 * tell it of the cancellation. So a receive that has begun ends, too, with -ECANCELED; one that has
 * not must be cancelled there.
 * When no segment has ended for five seconds, the transfer ends without the other end: a receive is
 * cancelled as by libemp_cancel, and for a send the board gives up the node as by libemp_give_up,
 * with all that this does to other messages to that node. Both ends then end even if only one is
 * cancelled in time. A board of the driver gives up no node before the program ends, so there a
 * send waits for its receiver.
 * In `paper` no send can be cancelled: the receiver's cancel frees both nodes, because it takes the
 * rest of the message, as long as both programs keep calling. If the receive had not begun, or five
 * seconds had passed, the sender's segments wait. Then receives without pieces, one for each
 * segment that is left, or a new start of either node free the nodes.
 * 0: also if it was cancelled before. -EINVAL: it has ended. -EOPNOTSUPP: it is a send, and the
 * library is built for a profile that cancels none. */
LIBEMP_CHECKED int libemp_cancel_long(struct libemp_board *board, libemp_transfer transfer);

/* ------------------------------------------------------------------------------------------------
 * Counters and parameters, by the names of the specification */

size_t libemp_counter_count(void);
const char *libemp_counter_name(size_t index); /* NULL beyond the last */
/* -EINVAL beyond the last counter or for NULL, -ENODEV if no firmware runs. */
LIBEMP_CHECKED int libemp_counter(struct libemp_board *board, size_t index, uint32_t *value);

struct libemp_parameter_information {
    const char *name;
    uint32_t initial;
    uint32_t minimum;
    uint32_t maximum;
    bool live; /* may be set while the firmware runs */
};
/* False beyond the last parameter. */
bool libemp_parameter_information(size_t index, struct libemp_parameter_information *information);

/* Reads the value that the firmware uses. -EINVAL beyond the last parameter or for NULL, -ENODEV if
 * no firmware runs. */
LIBEMP_CHECKED int libemp_parameter(struct libemp_board *board, size_t index, uint32_t *value);

/* -EINVAL beyond the last parameter, -ERANGE outside the range, -EROFS for a parameter that is not
 * live, -EPERM over the driver without CAP_NET_ADMIN, -ENODEV if no firmware runs. */
LIBEMP_CHECKED int libemp_set_parameter(struct libemp_board *board, size_t index, uint32_t value);

/* Return the index of a name, or -ENOENT. */
LIBEMP_CHECKED int libemp_find_counter(const char *name);
LIBEMP_CHECKED int libemp_find_parameter(const char *name);

/* ------------------------------------------------------------------------------------------------
 * Inspection */

/* Calls on this handle since it was opened. */
struct libemp_statistics {
    uint64_t posts;
    uint64_t polls; /* tests that found their request unfinished */
};
void libemp_statistics(const struct libemp_board *board, struct libemp_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
