/* SPDX-License-Identifier: MIT */
/*
 * Frames out and in, and the link. A frame leaves when its data have been read and the test says
 * so. A frame that came keeps its place until what was taken of it is in host memory.
 */
#include <string.h>

#include "fw-runtime/port/native/devices.h"

#define OUT_FRAMES  16u
#define OUT_CONTROL 4u /* kept for frames without a slot */
#define IN_FRAMES   8u
#define NO_FRAME    0u

static struct {
    uint32_t bytes;
    uint32_t reads;  /* it may leave when these are done */
    uint32_t sum_at; /* where the sum of what follows `data` goes, 0 for none */
    uint32_t data;
} native_outgoing[OUT_FRAMES];
static uint8_t native_out_bytes[OUT_FRAMES][NATIVE_FRAME_BYTES] NIC_UNSET;
static struct native_numbers native_out;

static struct {
    bool open; /* between nic_transmit_begin and nic_transmit_end */
    bool complete;
    uint32_t header[NIC_HEADER_WORDS];
    unsigned words;
    uint32_t bytes; /* with data so far */
    uint32_t sum_at;
} native_building;

static struct {
    uint32_t bytes;
    uint32_t writes; /* its place is free again when these are done */
} native_incoming[IN_FRAMES];
static uint8_t native_in_bytes[IN_FRAMES][NATIVE_FRAME_BYTES] NIC_UNSET;
static struct native_numbers native_in; /* done: given to the firmware */
static uint32_t native_in_freed;

static struct {
    uint32_t name; /* NO_FRAME outside nic_on_frame */
    uint32_t next; /* first offset that may still be taken */
    unsigned notices;
    bool complete;
    bool alarm; /* inside nic_on_alarm, where NIC_ALARM_NOTIFIES */
    volatile uint32_t *sum_at;
    uint32_t sum; /* of the pieces taken so far */
} native_taking;

static uint8_t native_own_address[6];
static bool native_enabled;

/* ---------------------------------------------------------------------------------- Addresses */

static void native_store_word(uint8_t *to, uint32_t word) {
    to[0] = (uint8_t)(word >> 24);
    to[1] = (uint8_t)(word >> 16);
    to[2] = (uint8_t)(word >> 8);
    to[3] = (uint8_t)word;
}

static uint32_t native_load_word(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

void nic_set_address(uint32_t high, uint32_t low) {
    native_own_address[0] = (uint8_t)(high >> 8);
    native_own_address[1] = (uint8_t)high;
    native_store_word(&native_own_address[2], low);
}

/* No transfer needs it: frames without data wait for nothing here. */
void nic_set_scratch(uint32_t high, uint32_t low) {
    (void)high;
    (void)low;
}

/* --------------------------------------------------------------------------------------- Sums */

/* Adds the 16-bit words of `bytes` to `sum`. `at`: the offset of the first byte in its frame, which
 * says whether it is the upper or the lower half of a word. */
static uint32_t native_add_sum(uint32_t sum, uint32_t at, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        sum += (at + i) % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

/* ------------------------------------------------------------------------------- Transmitting */

static uint32_t native_out_waiting(void) {
    return native_out.queued - native_out.done;
}

bool native_has_slot(void) {
    return native_out_waiting() < OUT_FRAMES - OUT_CONTROL;
}

bool nic_transmit_room(uint32_t bytes) {
    return bytes <= NATIVE_FRAME_BYTES && native_out_waiting() < OUT_FRAMES;
}

uint32_t *nic_transmit_begin(unsigned words) {
    native_demand(!native_building.open && words <= NIC_HEADER_WORDS,
                  "one frame is begun at a time");
    native_demand(native_out_waiting() < OUT_FRAMES, "a frame is begun where there is room");
    native_building.open = true;
    native_building.complete = false;
    native_building.words = words;
    native_building.bytes = 4 * words;
    native_building.sum_at = 0;
    return native_building.header;
}

void nic_transmit_data(uint32_t high, uint32_t low, uint32_t bytes, bool last) {
    uint8_t *frame = native_out_bytes[native_out.queued % OUT_FRAMES];
    native_demand(native_building.open && !native_building.complete,
                  "data lie between begin and the last piece");
    native_demand(!NIC_SUMS_DATA || native_building.sum_at != 0, "data have a sum");
    native_demand(bytes <= NATIVE_FRAME_BYTES - native_building.bytes, "data fit their frame");
    native_read_queue(NATIVE_TRANSFER_SEND, (uint64_t)high << 32 | low,
                      &frame[native_building.bytes], bytes);
    native_building.bytes += bytes;
    native_building.complete = last;
}

void nic_transmit_copy(const volatile uint32_t *words, uint32_t bytes) {
    uint8_t *data = &native_out_bytes[native_out.queued % OUT_FRAMES][native_building.bytes];
    native_demand(!NIC_SUMS_DATA && native_building.open && bytes != 0 &&
                      native_building.bytes == 4 * native_building.words &&
                      bytes <= NATIVE_FRAME_BYTES - native_building.bytes,
                  "what is copied is all data of a frame, and has no sum");
    for (uint32_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
    native_building.bytes += bytes;
    native_building.complete = true;
}

#if NIC_SUMS_DATA
void nic_transmit_sum(unsigned word) {
    native_demand(native_building.open && native_building.bytes == 4 * native_building.words &&
                      word < native_building.words,
                  "the sum's place lies in the header, and is named before data");
    native_building.sum_at = 4 * word + 2;
}
#endif

void nic_transmit_end(uint32_t bytes) {
    uint8_t *frame = native_out_bytes[native_out.queued % OUT_FRAMES];
    native_demand(native_building.open && native_building.bytes == bytes &&
                      native_building.complete == (bytes != 4 * native_building.words),
                  "a frame ends behind its last piece");
    for (unsigned word = 0; word < native_building.words; word++)
        native_store_word(&frame[4 * word], native_building.header[word]);
    if (bytes < NATIVE_FRAME_MINIMUM) {
        memset(&frame[bytes], 0, NATIVE_FRAME_MINIMUM - bytes);
        bytes = NATIVE_FRAME_MINIMUM;
    }
    native_outgoing[native_out.queued % OUT_FRAMES].bytes = bytes;
    native_outgoing[native_out.queued % OUT_FRAMES].reads = native_reads.queued;
    native_outgoing[native_out.queued % OUT_FRAMES].sum_at = native_building.sum_at;
    native_outgoing[native_out.queued % OUT_FRAMES].data = 4 * native_building.words;
    native_out.queued++;
    native_building.open = false;
}

/* A short frame's padding is in place before its data are read: those end before it. */
bool native_may_send(void) {
    return native_out_waiting() != 0 &&
           native_reached(&native_reads, native_outgoing[native_out.done % OUT_FRAMES].reads);
}

void native_send_one(void) {
    uint32_t place = native_out.done++ % OUT_FRAMES;
    uint8_t *frame = native_out_bytes[place];
    uint32_t sum_at = native_outgoing[place].sum_at, data = native_outgoing[place].data;
    if (sum_at != 0) {
        uint32_t sum = native_add_sum(0, data, &frame[data], native_outgoing[place].bytes - data);
        frame[sum_at] = (uint8_t)(sum >> 8);
        frame[sum_at + 1] = (uint8_t)sum;
    }
    if (native_enabled)
        native_around.frame(native_around.owner, frame, native_outgoing[place].bytes);
}

/* ---------------------------------------------------------------------------------- Receiving */

static void native_free_places(void) {
    while (native_in_freed != native_in.done &&
           native_reached(&native_writes, native_incoming[native_in_freed % IN_FRAMES].writes))
        native_in_freed++;
}

bool native_arrive(const uint8_t *frame, uint32_t bytes) {
    static const uint8_t everyone[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    uint32_t place = native_in.queued % IN_FRAMES;
    native_free_places();
    if (!native_enabled || bytes < NATIVE_FRAME_MINIMUM || bytes > NATIVE_FRAME_BYTES ||
        native_in.queued - native_in_freed == IN_FRAMES)
        return false;
    if (memcmp(frame, native_own_address, 6) != 0 && memcmp(frame, everyone, 6) != 0)
        return false;
    memcpy(native_in_bytes[place], frame, bytes);
    native_incoming[place].bytes = bytes;
    native_in.queued++;
    return true;
}

bool native_frame_waits(void) {
    return native_in.queued != native_in.done && native_notices_enough();
}

void native_frame_give(void) {
    uint32_t place = native_in.done % IN_FRAMES;
    uint32_t bytes = native_incoming[place].bytes;
    uint32_t words[NIC_HEADER_WORDS];
    for (uint32_t word = 0; word < NIC_HEADER_WORDS; word++)
        words[word] = 4 * word + 4 <= bytes ? native_load_word(&native_in_bytes[place][4 * word])
                                            : 0xA5A5A5A5; /* nothing */
    native_taking.name = place + 1;
    native_taking.next = 0;
    native_taking.notices = 0;
    native_taking.complete = false;
    native_taking.sum_at = NULL;
    nic_on_frame(words, bytes, native_taking.name);
    native_demand(native_taking.next == 0 || native_taking.complete,
                  "the last piece taken says so");
    native_taking.name = NO_FRAME;
    native_incoming[place].writes = native_writes.queued;
    native_in.done++;
}

#if NIC_SUMS_DATA
uint32_t nic_frame_sum(uint32_t frame, uint32_t offset, uint32_t bytes) {
    offset += frame >> NATIVE_NAME_BITS;
    frame &= (1u << NATIVE_NAME_BITS) - 1;
    native_demand(frame != NO_FRAME && frame == native_taking.name &&
                      offset <= native_incoming[frame - 1].bytes &&
                      bytes <= native_incoming[frame - 1].bytes - offset,
                  "a sum is of the frame that came, and inside it");
    return native_add_sum(0, offset, &native_in_bytes[frame - 1][offset], bytes);
}
#endif

void nic_receive_data(uint32_t frame, uint32_t offset, uint32_t high, uint32_t low, uint32_t bytes,
                      bool last) {
    offset += frame >> NATIVE_NAME_BITS;
    frame &= (1u << NATIVE_NAME_BITS) - 1;
    native_demand(frame != NO_FRAME && frame == native_taking.name && !native_taking.complete,
                  "data are taken of the frame that came, up to the last piece");
    native_demand(offset >= native_taking.next && offset <= native_incoming[frame - 1].bytes &&
                      bytes <= native_incoming[frame - 1].bytes - offset,
                  "data are taken in order and inside their frame");
    native_demand(!NIC_SUMS_DATA || native_taking.sum_at != NULL, "data have a sum");
    native_taking.sum =
        native_add_sum(native_taking.sum, offset, &native_in_bytes[frame - 1][offset], bytes);
    native_write_queue((uint64_t)high << 32 | low, &native_in_bytes[frame - 1][offset], bytes,
                       native_taking.sum_at, native_taking.sum);
    native_taking.next = offset + bytes;
    native_taking.complete = last;
}

#if NIC_SUMS_DATA
void nic_receive_sum(volatile uint32_t *sum) {
    native_demand(native_taking.name != NO_FRAME && native_taking.next == 0,
                  "nic_receive_sum comes before the first piece of a frame");
    native_taking.sum_at = sum;
    native_taking.sum = 0;
}
#endif

void native_alarm_give(void) {
    native_taking.notices = 0;
    native_taking.alarm = NIC_ALARM_NOTIFIES;
    nic_on_alarm();
    native_taking.alarm = false;
}

void native_take_notice(void) {
    native_demand((native_taking.name != NO_FRAME || native_taking.alarm) &&
                      native_taking.notices < NIC_WRITTEN_PER_FRAME,
                  "a frame asks for NIC_WRITTEN_PER_FRAME notices at most");
    native_taking.notices++;
}

/* --------------------------------------------------------------------------------------- Link */

/* The wire negotiates by itself: the test reports what a willing peer would send. */
void nic_link_send(uint32_t word) {
    (void)word;
}

void nic_link_idle(void) {
}

void nic_link_enable(bool up) {
    native_enabled = up;
}

bool native_link_enabled(void) {
    return native_enabled;
}
