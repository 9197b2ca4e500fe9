/* SPDX-License-Identifier: MIT */
/*
 * Signals, and notices of reads, between the processor that keeps the sends and the one that
 * transmits; see sending.h.
 */
#include "spec/emp/firmware/bits.h"
#include "spec/emp/firmware/glue.h"

struct sending {
    volatile uint32_t asked; /* records whose data the wire is to have read */
    volatile uint32_t read;  /* and has */
};
extern struct sending sending_records NIC_COMMON;

#if NIC_LEADS
struct sending sending_records;
#endif

#if NIC_TRANSMITS
NIC_HOT void sending_take_asked(void) {
    uint32_t records = bits_taken(&sending_records.asked);
    while (records != 0) {
        uint32_t record = nic_highest_bit(records);
        records &= ~(1u << record);
        (void)nic_notify_read(record); /* room for each record: glue.h */
    }
}

NIC_COLD void nic_on_read(uint32_t record) {
    bits_put(&sending_records.read, record);
}

void nic_on_work(void) {
}

#if !NIC_HANDS_OVER
NIC_HOT void nic_on_signal(void) {
    emp_take_messages();
    sending_take_asked();
}
#endif
#else
NIC_COLD void sending_notify_read(uint32_t record) {
    bits_put(&sending_records.asked, record);
}

static inline void take_read(void) {
    uint32_t records = bits_taken(&sending_records.read);
    while (records != 0) {
        uint32_t record = nic_highest_bit(records);
        records &= ~(1u << record);
        (void)emp_send_memory_read((uint8_t)record);
    }
}

NIC_HOT void nic_on_signal(void) {
    emp_take_messages();
    take_read();
}
#endif
