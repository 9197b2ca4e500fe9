/* SPDX-License-Identifier: MIT */
/*
 * What the two processors pass each other, where one sends and the other receives.
 *
 * Processor A has the host's postings and the wire's transmitter, B has the received frames. So A
 * passes on receives, and cancels of what is no send. B passes on the answers that come for A's
 * sends, and has A send the answers to what it has received; where Acknowledge is on A, a raise
 * does that. All that a message says is copied, so a frame is B's alone.
 *
 * B waits where its queue is full. A never waits for B: a posting stays in the ring, and ends that
 * B has to tell are kept. So neither waits for ever.
 */
#ifndef SPEC_EMP_FIRMWARE_BETWEEN_H
#define SPEC_EMP_FIRMWARE_BETWEEN_H

#include "fw-runtime/messages.h"

static_assert(EMP_PROCESSOR_SEND == 0 && EMP_PROCESSOR_TRANSMIT == 0 && EMP_PROCESSOR_LINK == 0 &&
                  EMP_PROCESSOR_MATCH == 1 && EMP_PROCESSOR_RECEIVE == 1,
              "the glue is for placements where A sends and B receives");
#define BETWEEN_ANSWERS (EMP_PROCESSOR_ACKNOWLEDGE == 1) /* B has them sent */

/* Word 0 of a message. */
enum between_kind {
    BETWEEN_CANCEL, /* to B: the request of this descriptor is not wanted any more */
    BETWEEN_POSTED, /* to B: a receive, and the word with its owner */
    BETWEEN_TOLD,   /* to B: the host has said where completion words are */
    BETWEEN_ENDED,  /* to B: the completion word of this descriptor goes to host memory */
    BETWEEN_CAME,   /* to A: an answer of a peer; from word 3 on, the frame's words */
    BETWEEN_ANSWER  /* to A: an answer to the peer in word 1; from word 3 on, the frame's words */
};

#if NIC_TRANSMITS
bool between_has_room(void);
/* To B; false while there is no room. */
bool between_pass(enum between_kind kind, uint32_t descriptor, uint32_t word);
/* The host has said where completion words are. */
void between_tell_completions(void);
/* Has the completion word of a send written, as soon as there is room. */
void between_tell_end(uint32_t descriptor);
/* Something had no room; passes it on. */
extern bool between_keeps NIC_FAST;
void between_go_on(void);
/* Sends an answer of B to a peer, from word 3 of its header on (wire.c). */
void glue_send_answer(uint32_t peer, const uint32_t *header);
#else
struct between_message {
    enum between_kind kind;
    uint32_t descriptor;
    uint32_t word;
};
bool between_waits(void);
/* The oldest message; false when there is none. */
bool between_take(struct between_message *message);
void between_pass_answer(const uint32_t *frame);
void between_send_answer(uint32_t peer, const struct emp_frame *frame);
#endif

#endif
