/* SPDX-License-Identifier: MIT */
/*
 * DMA rings: start, full rings, completion notices (tigon2.md 5).
 */
#include <assert.h>

#include "fw-runtime/port/tigon2/dma.h"
#include "fw-runtime/port/tigon2/board.h"

#if NIC_READS
struct tigon2_dma tigon2_dma_read NIC_FAST;
#endif
#if NIC_WRITES
struct tigon2_dma tigon2_dma_write NIC_FAST;
#endif

/* Notices wanted of a ring, oldest first, each by what must be done. */
struct notices {
    uint32_t asked;
    uint32_t given;
};
static_assert((NIC_WRITTEN_LIMIT & (NIC_WRITTEN_LIMIT - 1)) == 0 &&
                  (NIC_READ_LIMIT & (NIC_READ_LIMIT - 1)) == 0,
              "entries are numbers modulo the limit");

#if NIC_WRITES
static struct notices write_notices NIC_FAST;
static uint32_t write_queued[NIC_WRITTEN_LIMIT] NIC_FAST;
#endif
#if NIC_READS
static struct notices read_notices;
static uint32_t read_queued[NIC_READ_LIMIT];
static uint32_t read_tokens[NIC_READ_LIMIT];
#endif

static inline uint32_t notices_outstanding(const struct notices *notices) {
    return notices->asked - notices->given;
}

static inline uint32_t notice_ask(struct notices *notices, uint32_t *queued, uint32_t limit,
                                  const struct tigon2_dma *ring) {
    uint32_t entry = notices->asked & (limit - 1);
    queued[entry] = tigon2_dma_queued(ring);
    notices->asked++;
    return entry;
}

/* Has what the oldest one waits for been done? */
static inline bool notice_due(const struct notices *notices, const uint32_t *queued, uint32_t limit,
                              uint32_t done) {
    return notices_outstanding(notices) != 0 &&
           (int32_t)(done - queued[notices->given & (limit - 1)]) >= 0;
}

static inline uint32_t notice_give(struct notices *notices, uint32_t limit) {
    return notices->given++ & (limit - 1);
}

static void ring_start(struct tigon2_dma *ring, uint32_t base, uint32_t bytes) {
    ring->producer = base;
    ring->limit = base;
    ring->end = base + bytes;
}

static inline void own_rings_start(uint32_t transmit_base) {
#if NIC_READS
    ring_start(&tigon2_dma_read, transmit_base - TIGON2_OWN_READ_RING, TIGON2_OWN_READ_BYTES);
#endif
#if NIC_WRITES
    ring_start(&tigon2_dma_write, transmit_base - TIGON2_DMA_WRITE_RING, TIGON2_DMA_BYTES_HIGH);
#endif
}

#if !NIC_LEADS
NIC_COLD void tigon2_dma_own(uint32_t transmit_base) {
    own_rings_start(transmit_base);
}
#else
NIC_COLD void tigon2_dma_start(uint32_t transmit_base) {
    TIGON2_REGISTER(DMA_READ_STATE) = TIGON2_DMA_RESET;
    TIGON2_REGISTER(DMA_WRITE_STATE) = TIGON2_DMA_RESET;
    /* The chip turns 0 into the base of each ring, from HW[0D0] (tigon2.md 2.3). */
    TIGON2_REGISTER(DMA_READ_PRODUCER) = 0;
    TIGON2_REGISTER(DMA_READ_CONSUMER) = 0;
    TIGON2_REGISTER(DMA_READ_REFERENCE) = 0;
    TIGON2_REGISTER(DMA_READ_LOW_PRODUCER) = 0;
    TIGON2_REGISTER(DMA_READ_LOW_CONSUMER) = 0;
    TIGON2_REGISTER(DMA_READ_LOW_REFERENCE) = 0;
    TIGON2_REGISTER(DMA_WRITE_PRODUCER) = 0;
    TIGON2_REGISTER(DMA_WRITE_CONSUMER) = 0;
    TIGON2_REGISTER(DMA_WRITE_REFERENCE) = 0;
    TIGON2_REGISTER(DMA_WRITE_LOW_PRODUCER) = 0;
    TIGON2_REGISTER(DMA_WRITE_LOW_CONSUMER) = 0;
    TIGON2_REGISTER(DMA_WRITE_LOW_REFERENCE) = 0;
    TIGON2_REGISTER(DMA_READ_STATE) = TIGON2_DMA_THRESHOLD; /* bit 2 would start a transfer */
    TIGON2_REGISTER(DMA_WRITE_STATE) = TIGON2_DMA_THRESHOLD;
    own_rings_start(transmit_base);
    TIGON2_REGISTER(DMA_ASSIST) = TIGON2_ASSIST_ENABLE;
}
#endif

/* A ring stands still once a transfer has failed. A function that waits for the ring does not
 * return to the event loop, which reports failed transfers. A's loop does not while B waits under
 * the lock and A wants the lock. */
static NIC_COLD void look_for_faults(void) {
    uint32_t events = NIC_LEADS ? TIGON2_REGISTER(EVENT) : TIGON2_REGISTER(EVENT_B);
    if (events & (1u << TIGON2_EVENT_READ_FAULT | 1u << TIGON2_EVENT_WRITE_FAULT))
        tigon2_on_transfer_fault();
}

#if NIC_READS
NIC_COLD void tigon2_dma_read_make_room(void) {
    uint32_t next = tigon2_dma_next(&tigon2_dma_read, TIGON2_OWN_READ_BYTES);
    uint32_t consumer;
    while ((consumer = TIGON2_REGISTER(OWN_READ_CONSUMER)) == next)
        look_for_faults();
    tigon2_dma_read.limit = consumer;
    TIGON2_REGISTER(OWN_READ_REFERENCE) = consumer;
    /* The event bit went with it: look again, for whoever waits for a read. */
    if (tigon2_enabled & 1u << TIGON2_EVENT_OWN_READ_DONE)
        tigon2_raise(TIGON2_EVENT_READ_NOTICE);
}
#endif

#if NIC_WRITES
NIC_COLD void tigon2_dma_write_make_room(void) {
    uint32_t next = tigon2_dma_next(&tigon2_dma_write, TIGON2_DMA_BYTES_HIGH);
    uint32_t consumer;
    while ((consumer = TIGON2_REGISTER(DMA_WRITE_CONSUMER)) == next)
        look_for_faults();
    tigon2_dma_write.limit = consumer;
    TIGON2_REGISTER(DMA_WRITE_REFERENCE) = consumer;
    if (tigon2_enabled & 1u << TIGON2_EVENT_WRITE_DONE)
        tigon2_raise(TIGON2_EVENT_WRITTEN);
}

/* Frames stay where they are while there are too few notices for one: their event is not looked at,
 * and bit 14, which is while a notice is wanted, ends that. Where the other processor takes frames
 * from the MAC, it signals each. */
#define FRAME_EVENT (NIC_RECEIVES ? TIGON2_EVENT_RECEIVE : TIGON2_EVENT_SIGNAL)

static inline bool frame_may_come(void) {
    return notices_outstanding(&write_notices) <= NIC_WRITTEN_LIMIT - NIC_WRITTEN_PER_FRAME;
}

#if NIC_HANDS_OVER
NIC_HOT bool nic_frame_may_begin(void) {
    if (__builtin_expect(frame_may_come(), 1))
        return true;
    tigon2_raise(FRAME_EVENT);
    return false;
}
#endif

/* Bit 14 is looked at only while a notice is wanted or receive buffer is owed to the MAC: most
 * transfers end without waking anybody. */
NIC_ENTRY NIC_HOT void tigon2_on_write_done(void) {
    uint32_t consumer = TIGON2_REGISTER(DMA_WRITE_CONSUMER);
    uint32_t done;
    TIGON2_REGISTER(DMA_WRITE_REFERENCE) = consumer;
    tigon2_dma_write.limit = consumer;
    done = tigon2_dma_done(&tigon2_dma_write, TIGON2_DMA_BYTES_HIGH, consumer);
    while (notice_due(&write_notices, write_queued, NIC_WRITTEN_LIMIT, done))
        nic_on_written(notice_give(&write_notices, NIC_WRITTEN_LIMIT));
    if (tigon2_raised(TIGON2_EVENT_WRITTEN))
        tigon2_withdraw(TIGON2_EVENT_WRITTEN);
    tigon2_receive_settle();
    if (notices_outstanding(&write_notices) == 0) {
        if (!tigon2_receive_owes())
            tigon2_disable(TIGON2_EVENT_WRITE_DONE);
        tigon2_enable(FRAME_EVENT);
    }
}

/* The host's bus may be slower than the wire, and writes of nothing are notices all the same. */
NIC_HOT uint32_t nic_notify_written(void) {
    uint32_t notice =
        notice_ask(&write_notices, write_queued, NIC_WRITTEN_LIMIT, &tigon2_dma_write);
    if (!frame_may_come())
        tigon2_disable(FRAME_EVENT);
    tigon2_enable(TIGON2_EVENT_WRITE_DONE);
    /* The end of this frame's own data is still to be seen; without any, no completion may come. */
    if (!tigon2_receive_claimed())
        tigon2_raise(TIGON2_EVENT_WRITTEN);
    return notice;
}
#endif

#if NIC_READS
NIC_COLD void nic_read_host(uint32_t high, uint32_t low, uint32_t *words, uint32_t bytes) {
    tigon2_dma_read_queue(high, low, (uint32_t)words, bytes, TIGON2_DMA_READ_WORDS);
}
#endif

#if NIC_WRITES
NIC_HOT NIC_ONCE void nic_write_host(uint32_t high, uint32_t low, const volatile uint32_t *word) {
    tigon2_dma_write_queue(high, low, (uint32_t)word, 4, TIGON2_DMA_WRITE_NOTICE);
}
#endif

#if NIC_READS
NIC_COLD bool nic_notify_read(uint32_t token) {
    if (notices_outstanding(&read_notices) == NIC_READ_LIMIT)
        return false;
    read_tokens[notice_ask(&read_notices, read_queued, NIC_READ_LIMIT, &tigon2_dma_read)] = token;
    tigon2_enable(TIGON2_EVENT_OWN_READ_DONE);
    if (TIGON2_REGISTER(OWN_READ_CONSUMER) == tigon2_dma_read.producer)
        tigon2_raise(TIGON2_EVENT_READ_NOTICE);
    return true;
}

NIC_COLD void nic_read_wait(void) {
    while (TIGON2_REGISTER(OWN_READ_CONSUMER) != tigon2_dma_read.producer)
        look_for_faults();
}

/* Events 15 and 10; of the low ring 13 and 10. */
#if NIC_LEADS
#define ON_READ_DONE tigon2_on_read_done
#else
#define ON_READ_DONE tigon2_second_on_read_done
#endif
NIC_ENTRY NIC_COLD void ON_READ_DONE(void) {
    uint32_t consumer = TIGON2_REGISTER(OWN_READ_CONSUMER);
    uint32_t done;
    TIGON2_REGISTER(OWN_READ_REFERENCE) = consumer;
    tigon2_dma_read.limit = consumer;
    if (tigon2_raised(TIGON2_EVENT_READ_NOTICE))
        tigon2_withdraw(TIGON2_EVENT_READ_NOTICE);
    done = tigon2_dma_done(&tigon2_dma_read, TIGON2_OWN_READ_BYTES, consumer);
    while (notice_due(&read_notices, read_queued, NIC_READ_LIMIT, done))
        nic_on_read(read_tokens[notice_give(&read_notices, NIC_READ_LIMIT)]);
    if (notices_outstanding(&read_notices) == 0)
        tigon2_disable(TIGON2_EVENT_OWN_READ_DONE);
}
#endif

/* A transfer that ends exactly at a 4 GB line is complete, but is taken for one that crosses it:
 * all of it is moved, and the consumer too (tigon2.md 13 item 7). */
static NIC_COLD bool false_alarm(uint32_t state, uint32_t left) {
    return (state & TIGON2_DMA_FATAL) == TIGON2_DMA_OVERFLOW && (left & 0xFFFF) == 0;
}

#if NIC_LEADS
#define FAULT_ENTRY NIC_ENTRY
#else
#define FAULT_ENTRY
#endif

/* Of two processors, one sees to a fault. The other one finds none then. */
#if NIC_PROCESSORS > 1
#define FAULT_LOCK()   nic_lock()
#define FAULT_UNLOCK() nic_unlock()
#else
#define FAULT_LOCK()   ((void)0)
#define FAULT_UNLOCK() ((void)0)
#endif

/* A's events 19 and 20. A transfer that really failed has left its frame, the ring and perhaps host
 * memory in doubt. Nothing of that can be repaired from here. */
FAULT_ENTRY NIC_COLD void tigon2_on_transfer_fault(void) {
    uint32_t read, write;
    FAULT_LOCK();
    read = TIGON2_REGISTER(DMA_READ_STATE);
    write = TIGON2_REGISTER(DMA_WRITE_STATE);
    TIGON2_REGISTER(DMA_ASSIST) = TIGON2_ASSIST_ENABLE | TIGON2_ASSIST_PAUSE;
    if (read & TIGON2_DMA_FATAL) {
        if (!false_alarm(read, TIGON2_REGISTER(DMA_READ_LENGTH)))
            nic_panic(TIGON2_PANIC_READ);
        TIGON2_REGISTER(DMA_READ_STATE) = TIGON2_DMA_RESET;
        TIGON2_REGISTER(DMA_READ_CONSUMER) = TIGON2_REGISTER(DMA_READ_CONSUMER);
    }
    if (write & TIGON2_DMA_FATAL) {
        if (!false_alarm(write, TIGON2_REGISTER(DMA_WRITE_LENGTH)))
            nic_panic(TIGON2_PANIC_WRITE);
        TIGON2_REGISTER(DMA_WRITE_STATE) = TIGON2_DMA_RESET;
        TIGON2_REGISTER(DMA_WRITE_CONSUMER) = TIGON2_REGISTER(DMA_WRITE_CONSUMER);
    }
    TIGON2_REGISTER(DMA_ASSIST) = TIGON2_ASSIST_ENABLE;
    FAULT_UNLOCK();
}
