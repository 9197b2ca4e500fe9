/* SPDX-License-Identifier: MIT */
/*
 * What the processors pass each other, but for raises, where A keeps the sends and B transmits: a
 * placement whose Transmit is apart from Send.
 *
 * A has the host's postings and takes all descriptors. B finds in them where the data of a send
 * lie, from when A asks it to transmit a collection until B says that it is out. The books want to
 * know when the wire has read the data of a send: there are two sets of records for that, so
 * nothing here is full.
 *
 * B waits for A nowhere: there is always room for its raises. A waits for room for its own.
 */
#ifndef SPEC_EMP_FIRMWARE_SENDING_H
#define SPEC_EMP_FIRMWARE_SENDING_H

static_assert(EMP_PROCESSOR_SEND == 0 && EMP_PROCESSOR_MATCH == 0 && EMP_PROCESSOR_LINK == 0 &&
                  EMP_PROCESSOR_TRANSMIT == 1 && EMP_PROCESSOR_ACKNOWLEDGE == 1,
              "the glue is for placements where A keeps the books and B puts frames on the wire");
static_assert(EMP_SEND_LIMIT < 32, "a record is a bit");

#if NIC_TRANSMITS
/* Raises, and frames that come with them, are taken in the event loop alone. */
#undef EMP_MESSAGE_TAKE
#define EMP_MESSAGE_TAKE() nic_wait_for_other()
static_assert(EMP_SEND_LIMIT + EMP_RECEIVE_LIMIT < NIC_MESSAGE_LIMIT,
              "B raises one event for a record, and no other before A has had it: there is room");
/* Asks the port for a notice of each record that the books have asked about. */
void sending_take_asked(void);
#else
/* As nic_notify_read for a record of SendMessage; then Send.memory_read comes. */
void sending_notify_read(uint32_t record);
#endif

#endif
