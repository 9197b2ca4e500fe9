/* SPDX-License-Identifier: MIT */
/*
 * What a protocol needs from a NIC: the contract between a protocol's glue and a port.
 *
 * A port (port/tigon2/ for the chip, port/native/ for a test in one process) implements the nic_*
 * operations; the glue of a protocol implements the nic_on_* ones, which the port calls from its
 * event loop. Nothing here assumes a particular chip: no register, no ring, no byte order of
 * memory, no number of processors. docs/ports.md says how a port is added.
 *
 * Rules that hold for all of it:
 *  - One caller. Every nic_on_* call comes from the event loop and runs to completion; none is ever
 *    interrupted by another. nic_* operations may be called from any nic_on_*, and never call one
 *    back themselves: what they cause comes later, as an event.
 *  - Nothing waits for the wire or for a peer. Operations marked "may wait" can wait a few
 *    microseconds for a transfer engine that makes progress on its own.
 *  - Host memory is named by bus addresses, as two 32-bit halves, high first. The bytes of one call
 *    lie on one side of each multiple of 4 GB: many transfer engines do not carry into the upper
 *    half.
 *  - Words are numbers: a header word is a big-endian 32-bit word of the frame as a host integer.
 *  - NIC_ENTRY marks what code outside the compiler's sight, such as a port's assembler, refers to.
 *  - NIC_HOT and NIC_COLD on a function, NIC_FAST and NIC_FAST_DATA on an object, ask for (or
 *    renounce) the port's fast memory. NIC_RARE renounces it without renouncing speed, NIC_ONCE
 *    keeps a function out of its callers. NIC_UNSET is for large objects that are written before
 *    they are read: the port need not clear them at start. A port without such memory defines them
 *    empty.
 *
 * A port is a directory. Its port_header.h, included here as NIC_PORT_HEADER, defines these
 * attributes and the constants below, and may implement any operation as an inline function. It may
 * also define hsm_lowest_bit (hsm_support.h) and NIC_PORT_TRACE (trace.h). Its port.c is the rest
 * of it, which runtime.c includes as NIC_PORT_SOURCE; its second.c, which second.c includes as
 * NIC_SECOND_SOURCE, is all that a unit for a second processor has of it.
 *
 *   NIC_CONTROL_ADDRESS     where the host finds the control block: the number the spec has for it
 *   NIC_IMAGE_LIMIT         bytes a whole image has on the smallest board
 *   NIC_HEADER_WORDS        words of a frame that nic_on_frame gets; at least 16
 *   NIC_WRITTEN_LIMIT       numbers of notices of nic_notify_written; at least 16
 *   NIC_WRITTEN_PER_FRAME   of these, how many one frame may ask for; at least 2
 *   NIC_READ_LIMIT          notices of nic_notify_read that may be outstanding; at least 32
 *
 * An image may define before this header:
 *
 *   NIC_LONGEST_FRAME       bytes of the longest frame it sends or takes, without the checksum;
 *                           without it those of Ethernet without jumbo frames, 1514
 *   NIC_SLOT_FIRST          1: of two boards that send to each other neither waits for the other: a
 *                           frame that has its slot goes before each received frame. 0: after all
 *                           received frames
 *   NIC_OBEYS_PAUSE         1: the wire is told that this station obeys PAUSE frames, and it does
 *   NIC_ALARM_NOTIFIES      1: nic_on_alarm may call nic_notify_written, too
 *   NIC_ALARM_LOOKS         1: timers are short, so most alarms find that nothing is due: they take
 *                           a shorter way
 *   NIC_SUMS_DATA           1: the transfer engines sum the data of every frame, and before the
 *                           first piece of each nic_transmit_sum or nic_receive_sum is called
 *   NIC_PROCESSORS          2: the image runs on two processors, and each of its units is compiled
 *                           for one of them, NIC_PROCESSOR: 0 for the one that the host starts
 *   NIC_RECEIVER            1: processor 1 has the receiving half of the port, see below
 *   NIC_WRITER              1, with NIC_RECEIVER 0: processor 1 writes the frames that processor 0
 *                           takes from the wire, see below
 *   NIC_TRANSMITTER         1: processor 1 has what transmits, see below
 *   NIC_DYNAMIC             1, with NIC_PROCESSORS 1: two processors run the image's one unit, and
 *                           either takes the next event when it is free. The port takes the lock
 *                           before it chooses the event, and gives it back when the nic_on_* calls
 *                           for it have returned: there is one caller, as with one processor
 */
#ifndef FW_RUNTIME_PORT_H
#define FW_RUNTIME_PORT_H

#include <stdbool.h>
#include <stdint.h>

#ifndef NIC_PROCESSORS
#define NIC_PROCESSORS 1
#endif
#ifndef NIC_PROCESSOR
#define NIC_PROCESSOR 0
#endif
#ifndef NIC_DYNAMIC
#define NIC_DYNAMIC 0
#endif
#ifndef NIC_RECEIVER
#define NIC_RECEIVER 0
#endif
#ifndef NIC_WRITER
#define NIC_WRITER NIC_RECEIVER
#endif
#ifndef NIC_TRANSMITTER
#define NIC_TRANSMITTER 0
#endif
#define NIC_LEADS      (NIC_PROCESSOR == 0)
#define NIC_TRANSMITS  (NIC_PROCESSOR == NIC_TRANSMITTER)
#define NIC_READS      (NIC_LEADS || NIC_TRANSMITS || NIC_WRITES)
#define NIC_RECEIVES   (NIC_PROCESSOR == NIC_RECEIVER)
#define NIC_WRITES     (NIC_PROCESSOR == NIC_WRITER)
#define NIC_HANDS_OVER (NIC_WRITER != NIC_RECEIVER)

#include NIC_PORT_HEADER

#ifndef NIC_LONGEST_FRAME
#define NIC_LONGEST_FRAME 1514u
#endif
#ifndef NIC_SLOT_FIRST
#define NIC_SLOT_FIRST 0
#endif
#ifndef NIC_OBEYS_PAUSE
#define NIC_OBEYS_PAUSE 0
#endif
#ifndef NIC_ALARM_NOTIFIES
#define NIC_ALARM_NOTIFIES 0
#endif
#ifndef NIC_ALARM_LOOKS
#define NIC_ALARM_LOOKS 0
#endif
#ifndef NIC_SUMS_DATA
#define NIC_SUMS_DATA 0
#endif

_Static_assert(NIC_HEADER_WORDS >= 16 && NIC_WRITTEN_LIMIT >= 16 && NIC_WRITTEN_PER_FRAME >= 2 &&
                   NIC_READ_LIMIT >= 32 && NIC_IMAGE_LIMIT > 0 && NIC_CONTROL_ADDRESS > 0,
               "constants of the port");

/* ------------------------------------------------------------------------------------- Start */

/* Called once, before any other nic_on_*, when all operations below work and the wire is still
 * down. */
void nic_on_start(void);

/* The area host and NIC agree on before anything else does (layout Control of nic/board.hsm). The
 * port knows where it is; the protocol knows what is in it. The host may have written it before the
 * start. */
volatile uint32_t *nic_control(void);

/* Memory of the NIC as found, and what is left of it, in bytes; for information. */
uint32_t nic_memory_bytes(void);
uint32_t nic_memory_free(void);

/* The number by which the host names an object in the control block. Only objects the host can
 * reach may be passed: those without NIC_FAST. */
uint32_t nic_host_name(const volatile void *object);

/* Index of the highest bit set in `word`, which is not 0. */
static inline uint32_t nic_highest_bit(uint32_t word);

/* Host memory of at least 64 bytes that may be read at any time, and the NIC's own Ethernet
 * address, by which it takes frames: bytes 0-1 and 2-5. Both before the first frame. */
void nic_set_scratch(uint32_t high, uint32_t low);
void nic_set_address(uint32_t high, uint32_t low);

/* Something impossible happened. Tells the host as far as the port can (after nic_on_panic), stops
 * the wire and the transfers, and never returns. `code` is not 0. */
void nic_panic(uint32_t code) __attribute__((noreturn));
#define NIC_PANIC_PARAMETER 0x0204u /* a parameter fixed at start is out of its range */
#define NIC_PANIC_WAIT      0x0205u /* a processor waits for the other one, and holds the lock */
void nic_on_panic(uint32_t code);

/* --------------------------------------------------------------------------------------- Time */

/* Microseconds since some moment, wrapping at 2^32. */
uint32_t nic_clock(void);

/* Asks for one nic_on_alarm at or soon after `deadline`, which must be less than 2^31 us ahead; a
 * deadline that has passed comes at once. Replaces an earlier alarm. Early or stray alarms are
 * allowed: timers.h looks at the clock. */
void nic_alarm(uint32_t deadline);
void nic_on_alarm(void);

/* ------------------------------------------------------------------------------ Work for later */

/* Asks for one nic_on_work after what is more urgent (frames that came, transfers that finished).
 * Asking twice is asking once. */
void nic_defer_work(void);
void nic_on_work(void);

/* The host rang doorbell `box` since the last call; `value` is what it last wrote. Several rings
 * may come as one. */
void nic_on_doorbell(unsigned box, uint32_t value);

/* -------------------------------------------------------------------------------- Transmitting */

/* Asks for one nic_on_transmit_slot when a largest frame can be queued without waiting, room for
 * control frames being kept. The port holds few frames queued, so that a control frame never waits
 * behind a long row of data. */
void nic_request_slot(void);
void nic_on_transmit_slot(void);

/* True when no slot is asked for and one would come at once: a frame may be begun without it. */
bool nic_transmit_has_slot(void);

/* True when a frame of `bytes` can be queued now; for control frames, which have no slot. */
bool nic_transmit_room(uint32_t bytes);

/* Begins a frame: returns where to store its `words` header words. Valid until nic_transmit_end.
 * Only in nic_on_transmit_slot, or after nic_transmit_has_slot or nic_transmit_room; the caller
 * must go on to the end. */
uint32_t *nic_transmit_begin(unsigned words);

/* Appends `bytes` (not 0) of host memory, fetched without the processor; `last` on the last piece
 * of the frame. May wait when a frame has very many pieces. */
void nic_transmit_data(uint32_t high, uint32_t low, uint32_t bytes, bool last);

/* Appends `bytes` (not 0), all data of the frame, which the processor copies from words in its own
 * memory. A word has four bytes, the first in its top bits. Not where NIC_SUMS_DATA. */
void nic_transmit_copy(const volatile uint32_t *words, uint32_t bytes);

#if NIC_SUMS_DATA
/* The sum of data: of their 16-bit words, big-endian and from an even byte of the frame on, with
 * one's complement; an odd last byte has a byte 0 behind it. It is 0 only if all bytes are 0. The
 * processor reads no data for it.
 *
 * When all header words are stored, which then stay, and before the first piece of the data: before
 * the frame leaves, the sum of its data is stored in the lower half of header word `word`. */
void nic_transmit_sum(unsigned word);
#endif

/* Ends the frame: it goes out after all earlier ones, `bytes` long in all, padded and checked by
 * the MAC. A frame of which nothing is fetched may come out longer by padding zero bytes. */
void nic_transmit_end(uint32_t bytes);

/* ----------------------------------------------------------------------------------- Receiving */

/* A frame came with a good checksum: `words` are its first NIC_HEADER_WORDS words (valid during the
 * call, those behind the end mean nothing), `bytes` its length without the checksum, at least the
 * 60 of Ethernet, `frame` its name for nic_receive_data. A frame waits where it came in while fewer
 * than NIC_WRITTEN_PER_FRAME more notices can be asked for. */
void nic_on_frame(const uint32_t *words, uint32_t bytes, uint32_t frame);

/* Only inside nic_on_frame: writes `bytes` (not 0) of the frame from byte `offset` on to host
 * memory; `last` on the last piece taken from this frame. Pieces must come in order of offset.
 * Frames none of whose bytes are taken are dropped when nic_on_frame returns. May wait. */
void nic_receive_data(uint32_t frame, uint32_t offset, uint32_t high, uint32_t low, uint32_t bytes,
                      bool last);

#if NIC_SUMS_DATA
/* Only inside nic_on_frame, before the first piece taken of the frame: when all pieces are in host
 * memory the sum of them is in the lower half of *sum. Before that it holds anything. The upper
 * half stays, and the host must be able to reach the object (no NIC_FAST). */
void nic_receive_sum(volatile uint32_t *sum);

/* Only inside nic_on_frame: the sum of `bytes` of the frame from byte `offset` on, also of such
 * that are not taken. The processor reads them: for the rare path. */
uint32_t nic_frame_sum(uint32_t frame, uint32_t offset, uint32_t bytes);
#endif

/* The name for nic_receive_data of the same frame as though it began `bytes` later: its offsets
 * count from there. */
static inline uint32_t nic_frame_from(uint32_t frame, uint32_t bytes);

/* Only inside nic_on_frame, and nic_on_alarm where NIC_ALARM_NOTIFIES, and at most
 * NIC_WRITTEN_PER_FRAME times in each: asks for nic_on_written when every nic_receive_data called
 * so far is in host memory, also when there is none outstanding. The number it returns comes back
 * with nic_on_written, in order; it is below NIC_WRITTEN_LIMIT, and of no other notice outstanding.
 */
uint32_t nic_notify_written(void);
void nic_on_written(uint32_t notice);

/* --------------------------------------------------------------------------------- Host memory */

/* Fetches `bytes`, a multiple of 4, from host memory into the object at `words`, which the host
 * must be able to reach (no NIC_FAST); 32-bit integers of the host arrive as the same integers.
 * May wait. */
void nic_read_host(uint32_t high, uint32_t low, uint32_t *words, uint32_t bytes);

/* Writes one word to host memory, as the same integer, behind all that was given to
 * nic_receive_data before. The host must be able to reach the object at `word` (no NIC_FAST), which
 * is read when the word is written. May wait. When the word is there the card raises its interrupt,
 * which hosts mask that look at the word. */
void nic_write_host(uint32_t high, uint32_t low, const volatile uint32_t *word);

/* Asks for nic_on_read(token) when all host memory named so far, by nic_transmit_data and by
 * nic_read_host, has been fetched, also when there is none outstanding. Tokens come back in order.
 * At most NIC_READ_LIMIT may be outstanding: false when there are more, nothing asked. */
bool nic_notify_read(uint32_t token);
void nic_on_read(uint32_t token);

/* Waits until all nic_read_host are done; for the rare path that cannot go on without. Waits. */
void nic_read_wait(void);

/* ---------------------------------------------------------------------------------------- Link */

enum nic_link_event {
    NIC_LINK_SYNCHRONISED,  /* the receiver sees code groups */
    NIC_LINK_SYNC_LOST,     /* it does not any more */
    NIC_LINK_CONFIGURATION, /* a new configuration word has come; argument `word` */
    NIC_LINK_IDLE           /* the peer has stopped sending configuration words */
};
void nic_on_link(enum nic_link_event event, uint32_t word);

/* Sends a 1000BASE-X configuration word over and over in place of idle and frames / sends these
 * again. A port whose wire negotiates by itself does nothing here and reports SYNCHRONISED, then
 * configuration words as a willing peer would send them. */
void nic_link_send(uint32_t word);
void nic_link_idle(void);

/* Takes frames from the wire, or ignores them; `false` comes with nic_link_send. */
void nic_link_enable(bool up);

/* -------------------------------------------------------------------------------- Two processors
 */

#if NIC_PROCESSORS > 1
/*
 * Each processor has an event loop of its own, so "one caller" above holds for each. Processor 0
 * has all operations above, and gets all events. With NIC_RECEIVER 1 it does not have the receiving
 * half: receiving, nic_write_host, and what goes with them. Processor 1 has that, an alarm and work
 * for later, and may ask for the clock, the control block and a panic; the operations that start
 * or ask of the board as a whole, the link, and all that sends are processor 0's. With NIC_RECEIVER
 * 0 and NIC_WRITER 1, processor 0 gets nic_on_frame, and processor 1 has the rest of the receiving
 * half: see nic_frame_hand_over. With NIC_TRANSMITTER 1 processor 1 has what transmits, an alarm
 * and work for later. With any of these both read host memory, each by an engine's ring of its own:
 * a notice of nic_notify_read is for what its processor has named. Without any of them processor 1
 * has none of the operations above. An object that both use is declared `extern` with
 * NIC_COMMON, defined in a unit for processor 0 with NIC_COMMON, too, and cleared at start; all
 * other objects are one processor's. What one processor stores the other one sees in the order of
 * the stores.
 */

/* The one lock. Of code between nic_lock and nic_unlock one processor runs at a time. It may be
 * nested. A processor waits without a bound while the other holds it, so hold it shortly. */
static inline void nic_lock(void);
static inline void nic_unlock(void);
static inline bool nic_has_lock(void); /* this processor */

/* In each turn of a loop that waits for what the other processor does. Not under the lock: the
 * other processor may be waiting for it, and both would wait for ever. A board stops then. */
static inline void nic_wait_for_other(void) {
    if (nic_has_lock())
        nic_panic(NIC_PANIC_WAIT);
}

/* The other processor gets nic_on_signal, after all that was stored before. Signals may come as
 * one. */
static inline void nic_signal(void);
void nic_on_signal(void);

#if NIC_HANDS_OVER
/* A frame that processor 0 hands over goes to processor 1 in a message of the protocol, which
 * carries the frame's name, the argument `frame` of nic_on_frame.
 *
 * Processor 0 calls this within nic_on_frame when it has put that message. Processor 1 then gives
 * the frame's buffer back. A frame that is not handed over is dropped when nic_on_frame returns. */
void nic_frame_hand_over(void);

/* Processor 1 calls both for each message with a frame, in the order of the frames. Between the two
 * calls it may use the operations that are allowed in nic_on_frame. It calls nic_frame_end, with
 * the frame's name, when it has removed the message from its queue; a frame of which it has written
 * no data is dropped then. Where it transmits, too, its frames go before its slots, whatever
 * NIC_SLOT_FIRST says. */
void nic_frame_begin(void);
void nic_frame_end(uint32_t frame);

/* Processor 1 calls this before nic_frame_begin. False: nic_notify_written cannot be called
 * NIC_WRITTEN_PER_FRAME times now. nic_on_signal comes when it can. */
bool nic_frame_may_begin(void);

/* Processor 1 calls this in nic_on_signal now and then, not between nic_frame_begin and
 * nic_frame_end: its other events that wait have a turn. Signals go before them, so a queue that
 * never gets empty would hold them back for ever. */
void nic_others_first(void);

/* The protocol defines this for processor 1: does its queue hold a message with a frame? */
bool nic_frames_wait(void);
#endif

/* By processor 0, in nic_on_start: the other one calls nic_on_second_start, then its event loop. */
void nic_start_second(void);
void nic_on_second_start(void);

/* Of one processor; for information. */
struct nic_processor_counters {
    uint32_t lock_waits; /* the lock was not free; each look counts */
    uint32_t wake_ups;   /* nic_on_signal */
};
extern struct nic_processor_counters nic_processor_counters;
#endif

#endif
