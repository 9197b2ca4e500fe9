/* SPDX-License-Identifier: MIT */
/*
 * What the processors pass each other, but for raises and sending.h, where A takes frames from the
 * wire and finds what they belong to, and B places them: a placement whose Receive is apart from
 * Match. B may transmit, too.
 *
 * A has the host's postings and the sends, and takes all descriptors; B writes host memory, and
 * gives receives back that are complete. A raise of Match that crosses names the frame to B; what B
 * is not told of is dropped. Besides, A has B write the completion words of what ends on A. For
 * these there are words: with one writer, or sets of bits that change under the lock. So nothing
 * here is full.
 *
 * Where B transmits, it never waits for A: there is always room for its raises. Else it may, and A
 * takes raises also while it waits for room for one of its own.
 */
#ifndef SPEC_EMP_FIRMWARE_PLACING_H
#define SPEC_EMP_FIRMWARE_PLACING_H

static_assert(EMP_PROCESSOR_SEND == 0 && EMP_PROCESSOR_LINK == 0 && EMP_PROCESSOR_MATCH == 0 &&
                  EMP_PROCESSOR_RECEIVE == 1 && EMP_PROCESSOR_ACKNOWLEDGE == EMP_PROCESSOR_TRANSMIT,
              "the glue is for placements where B places frames, may put frames on the wire, and "
              "does no more");
static_assert(!EMP_CHECKS_FRAMES, "the check of a frame's data is not passed to B");

#if NIC_LEADS
/* Around the event of a received frame: raises of B that have come go before it, and the frame is
 * B's if a raise names it. */
void between_frame_begins(void);
void between_frame_ends(void);
/* The host has said where completion words are. */
void between_tell_completions(void);
/* Has the completion word of a descriptor written. */
void between_tell_end(uint32_t descriptor);
#endif

#endif
