/* SPDX-License-Identifier: MIT */
/*
 * What the processors pass each other, but for raises, where one of them keeps the sends and the
 * other one transmits: a placement whose Transmit is apart from Send.
 *
 * The books want to know when the wire has read the data of a send. There are two sets of records
 * for that, so nothing here is full.
 */
#ifndef SPEC_EMP_FIRMWARE_SENDING_H
#define SPEC_EMP_FIRMWARE_SENDING_H

static_assert(EMP_SEND_LIMIT < 32, "a record is a bit");

#if NIC_TRANSMITS
/* Asks the port for a notice of each record that the books have asked about. */
void sending_take_asked(void);
/* The notice of a record has come. */
void sending_read(uint32_t record);
#else
/* As nic_notify_read for a record of SendMessage; then Send.memory_read comes. */
void sending_notify_read(uint32_t record);
/* Raises Send.memory_read for each record whose data the wire has read. */
void sending_take_read(void);
#endif

#endif
