/* SPDX-License-Identifier: MIT */
/*
 * What the files of the native port share with each other.
 */
#ifndef FW_RUNTIME_PORT_NATIVE_DEVICES_H
#define FW_RUNTIME_PORT_NATIVE_DEVICES_H

#include "fw-runtime/port.h"
#include "fw-runtime/port/native/native.h"

extern const struct native_nic native_nic;
extern struct native_surroundings native_around;

/* Ends the process where the glue breaks the contract of port.h. */
void native_demand(bool kept, const char *contract);

/* host.c. Transfers are numbered in order of queuing, modulo 2^32. */
struct native_numbers {
    uint32_t queued;
    uint32_t done;
};
extern struct native_numbers native_reads, native_writes;

/* Has all that was queued up to this number been done? */
static inline bool native_reached(const struct native_numbers *numbers, uint32_t queued) {
    return (int32_t)(numbers->done - queued) >= 0;
}

/* Queue: to `to`, or from it. Where the queue is full the oldest is done first. */
void native_read_queue(enum native_transfer transfer, uint64_t address, void *to, uint32_t bytes);
/* When it is done, `sum` is stored where `sum_at` says, if it says anything. */
void native_write_queue(uint64_t address, const void *from, uint32_t bytes,
                        volatile uint32_t *sum_at, uint32_t sum);
void native_read_one(void);
void native_write_one(void);
bool native_read_notice_due(void);
void native_read_notice_give(void);
bool native_written_due(void);
void native_written_give(void);
bool native_notices_enough(void); /* for a frame, or an alarm */

/* wire.c */
bool native_may_send(void);
void native_send_one(void);
bool native_has_slot(void);
/* A frame waits, and there are notices enough for it. */
bool native_frame_waits(void);
void native_frame_give(void);
void native_alarm_give(void);
/* One of the notices that the frame being received may ask for. */
void native_take_notice(void);
bool native_arrive(const uint8_t *frame, uint32_t bytes);
bool native_link_enabled(void);

#endif
