/* SPDX-License-Identifier: MIT */
/*
 * Start, time, work and native_doorbells; the delivery of all events; the end.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "fw-runtime/port/native/devices.h"

#define CONTROL_WORDS 64u
#define DOORBELLS     32u

struct native_surroundings native_around;

static uint32_t native_control_block[CONTROL_WORDS];
static uint32_t native_now;
static bool native_alarmed;
static uint32_t native_alarm_deadline;
static bool native_work_wanted, native_slot_wanted;
static uint32_t native_rung; /* a bit for each doorbell */
static uint32_t native_doorbells[DOORBELLS];
static uint32_t native_stop_code;
static jmp_buf native_out_of_event; /* where nic_panic goes */

void native_demand(bool kept, const char *contract) {
    if (__builtin_expect(kept, 1))
        return;
    (void)fprintf(stderr, "the glue breaks the contract of fw-runtime/port.h: %s\n", contract);
    abort();
}

/* ------------------------------------------------------------------ Operations of port.h */

volatile uint32_t *nic_control(void) {
    return native_control_block;
}

uint32_t nic_memory_bytes(void) {
    return NIC_IMAGE_LIMIT;
}

uint32_t nic_memory_free(void) {
    return 0;
}

/* Objects of one program lie within 2 GB of each other. */
uint32_t nic_host_name(const volatile void *object) {
    return (uint32_t)((uintptr_t)object - (uintptr_t)native_control_block) + NIC_CONTROL_ADDRESS;
}

uint32_t nic_clock(void) {
    return native_now;
}

void nic_alarm(uint32_t deadline) {
    native_alarmed = true;
    native_alarm_deadline = deadline;
}

void nic_defer_work(void) {
    native_work_wanted = true;
}

void nic_request_slot(void) {
    native_slot_wanted = true;
}

bool nic_transmit_has_slot(void) {
    return !native_slot_wanted && native_has_slot();
}

void nic_panic(uint32_t code) {
    nic_on_panic(code);
    native_stop_code = code;
    longjmp(native_out_of_event, 1);
}

/* --------------------------------------------------------------------------------- Delivery */

static inline bool native_waits(enum native_event event) {
    switch (event) {
    case NATIVE_READ:
        return native_reads.queued != native_reads.done;
    case NATIVE_WRITE:
        return native_writes.queued != native_writes.done;
    case NATIVE_SEND:
        return native_may_send();
    case NATIVE_ALARM:
        return native_alarmed && (int32_t)(native_now - native_alarm_deadline) >= 0 &&
               (!NIC_ALARM_NOTIFIES || native_notices_enough());
    case NATIVE_WRITTEN:
        return native_written_due();
    case NATIVE_DOORBELL:
        return native_rung != 0;
    case NATIVE_READ_NOTICE:
        return native_read_notice_due();
    case NATIVE_FRAME:
        return native_frame_waits();
    case NATIVE_SLOT:
        return native_slot_wanted && native_has_slot();
    case NATIVE_WORK:
        return native_work_wanted;
    case NATIVE_EVENTS:
        break;
    }
    return false;
}

/* Campaigns ask several times for each event: no loop, so that each call of native_waits becomes
 * its one case. */
static uint32_t native_waiting_events(void) {
#define NATIVE_WAITS(event) ((uint32_t)native_waits(event) << (event))
    return NATIVE_WAITS(NATIVE_READ) | NATIVE_WAITS(NATIVE_WRITE) | NATIVE_WAITS(NATIVE_SEND) |
           NATIVE_WAITS(NATIVE_ALARM) | NATIVE_WAITS(NATIVE_WRITTEN) |
           NATIVE_WAITS(NATIVE_DOORBELL) | NATIVE_WAITS(NATIVE_READ_NOTICE) |
           NATIVE_WAITS(NATIVE_FRAME) | NATIVE_WAITS(NATIVE_SLOT) | NATIVE_WAITS(NATIVE_WORK);
}

static void native_call(enum native_event event) {
    uint32_t box;
    switch (event) {
    case NATIVE_READ:
        native_read_one();
        break;
    case NATIVE_WRITE:
        native_write_one();
        break;
    case NATIVE_SEND:
        native_send_one();
        break;
    case NATIVE_ALARM:
        if (NIC_ALARM_NOTIFIES && !native_notices_enough())
            break; /* it goes on waiting */
        native_alarmed = false;
        native_alarm_give();
        break;
    case NATIVE_WRITTEN:
        native_written_give();
        break;
    case NATIVE_DOORBELL:
        box = nic_highest_bit(native_rung);
        native_rung &= ~(1u << box);
        nic_on_doorbell(box, native_doorbells[box]);
        break;
    case NATIVE_READ_NOTICE:
        native_read_notice_give();
        break;
    case NATIVE_FRAME:
        native_frame_give();
        break;
    case NATIVE_SLOT:
        native_slot_wanted = false;
        nic_on_transmit_slot();
        break;
    case NATIVE_WORK:
        native_work_wanted = false;
        nic_on_work();
        break;
    case NATIVE_EVENTS:
        break;
    }
}

static uint32_t native_waiting(void) {
    return native_stop_code == 0 ? native_waiting_events() : 0;
}

static bool native_deliver(enum native_event event) {
    if (native_stop_code != 0 || (event != NATIVE_ALARM && !native_waits(event)))
        return false;
    if (setjmp(native_out_of_event) == 0)
        native_call(event);
    return true;
}

static bool native_link(uint32_t event, uint32_t word) {
    if (native_stop_code != 0)
        return false;
    if (setjmp(native_out_of_event) == 0)
        nic_on_link((enum nic_link_event)event, word);
    return true;
}

static void native_start(const struct native_surroundings *surroundings) {
    native_around = *surroundings;
    if (setjmp(native_out_of_event) == 0)
        nic_on_start();
}

/* ------------------------------------------------------------------------------ For the test */

static void native_ring(unsigned box, uint32_t value) {
    native_doorbells[box % DOORBELLS] = value;
    native_rung |= 1u << box % DOORBELLS;
}

static void native_set_clock(uint32_t microseconds) {
    native_now = microseconds;
}

static bool native_alarm(uint32_t *deadline) {
    *deadline = native_alarm_deadline;
    return native_alarmed;
}

static uint32_t native_stopped(void) {
    return native_stop_code;
}

static volatile uint32_t *native_object(uint32_t name) {
    intptr_t distance = (int32_t)(name - NIC_CONTROL_ADDRESS);
    return (volatile uint32_t *)((intptr_t)native_control_block + distance);
}

const struct native_nic native_nic = {
    .start = native_start,
    .waiting = native_waiting,
    .deliver = native_deliver,
    .link = native_link,
    .link_enabled = native_link_enabled,
    .ring = native_ring,
    .arrive = native_arrive,
    .set_clock = native_set_clock,
    .clock = nic_clock,
    .alarm = native_alarm,
    .stopped = native_stopped,
    .control = nic_control,
    .object = native_object,
};

#if NIC_PROCESSORS > 1
#include "fw-runtime/port/native/processors.c"

bool native_signalled[2];
bool native_second_wanted;

void nic_start_second(void) {
    native_signalled[0] = native_signalled[1] = false;
    native_second_wanted = true;
}
#endif
