/* SPDX-License-Identifier: MIT */
/*
 * What the processors pass each other, but for raises and sending.h, where A transmits and B keeps
 * the sends and receives.
 *
 * The host rings at A, and frames go out by A's transmitter; all else is B's. A tells B how far the
 * posting ring is filled. B has A read pages of addresses. But for the pages each is a word with
 * one writer. So nothing here is full.
 *
 * A never waits for B here, and B waits only for a page that a frame needs. A serves reads in its
 * event loop, which it leaves while it waits for room for a raise. There is always room: so many
 * raises for B as there are records can be outstanding.
 */
#ifndef SPEC_EMP_FIRMWARE_APART_H
#define SPEC_EMP_FIRMWARE_APART_H

static_assert(EMP_PROCESSOR_TRANSMIT == 0 && EMP_PROCESSOR_ACKNOWLEDGE == 0 &&
                  EMP_PROCESSOR_LINK == 0 && EMP_PROCESSOR_SEND == 1 && EMP_PROCESSOR_MATCH == 1 &&
                  EMP_PROCESSOR_RECEIVE == 1,
              "the glue is for placements where A puts frames on the wire and B does the rest");

#if NIC_RECEIVES
/* How many entries the host has put into the posting ring, as it said last. */
uint32_t between_posted(void);
/* As nic_read_host, by A; nic_on_signal comes when it is done. */
void between_read_host(uint32_t high, uint32_t low, uint32_t *words, uint32_t bytes);
/* All reads asked for are done; and waits for that. */
bool between_reads_done(void);
void between_wait_reads(void);
#endif

#endif
