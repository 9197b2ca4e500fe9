/* SPDX-License-Identifier: MIT */
/*
 * Words between the processors; see placing.h.
 */
#include "spec/emp/firmware/bits.h"
#include "spec/emp/firmware/glue.h"

#define ENDED_WORDS ((EMP_DESCRIPTOR_LIMIT + 31u) / 32u)

#if EMP_ENDS_IN_MEMORY
struct between {
    volatile uint32_t told;  /* so often the host has said where completion words are; by A */
    volatile uint32_t ended; /* words below that have a bit */
    volatile uint32_t ends[ENDED_WORDS]; /* descriptors whose completion word is to be written */
};
extern struct between between NIC_COMMON;
#if NIC_LEADS
struct between between;
#endif
#endif

#define FRAME_WORD EMP_MESSAGE_RECEIVE_FRAME_F_BUFFER
static_assert(EMP_MESSAGE_RECEIVE_MATCHED_F_BUFFER == FRAME_WORD &&
                  EMP_MESSAGE_RECEIVE_ABANDONED_F_BUFFER == FRAME_WORD,
              "a message names its frame in the same word");
#if EMP_FINDS_GAPS
static_assert(EMP_MESSAGE_RECEIVE_ONLY_F_BUFFER == FRAME_WORD,
              "and so does one of a short message");
#define KINDS_OF_SHORT (1u << EMP_MESSAGE_RECEIVE_ONLY)
#else
#define KINDS_OF_SHORT 0u
#endif
#define KINDS_WITH_FRAME                                                                           \
    (1u << EMP_MESSAGE_RECEIVE_FRAME | 1u << EMP_MESSAGE_RECEIVE_MATCHED |                         \
     1u << EMP_MESSAGE_RECEIVE_ABANDONED | KINDS_OF_SHORT)
static_assert(EMP_MESSAGE_COUNT <= 32, "a kind is a bit");

/* Has a raise for B a word with a frame's name? Where B does not transmit, all have. */
static inline bool names_frame(const volatile uint32_t *words) {
    return !GLUE_APART || (1u << words[0] & KINDS_WITH_FRAME) != 0;
}

/* Does one of the raises for B, from the one with this number to the last? */
static inline bool one_names_frame(uint32_t number) {
    for (; number != emp_raises[1].put; number++)
        if (names_frame(emp_raises[1].slots[number & (NIC_MESSAGE_LIMIT - 1u)]))
            return true;
    return false;
}

#if NIC_LEADS
static uint32_t put_before NIC_FAST;

#if !GLUE_APART
NIC_HOT void nic_on_signal(void) {
    emp_take_messages();
}
#endif

NIC_HOT void between_frame_begins(void) {
    emp_take_messages();
    put_before = emp_raises[1].put;
}

NIC_HOT void between_frame_ends(void) {
    if (one_names_frame(put_before))
        nic_frame_hand_over();
}

#if EMP_ENDS_IN_MEMORY
static_assert(ENDED_WORDS <= 32, "a word is a bit");

NIC_COLD void between_tell_completions(void) {
    between.told = between.told + 1u;
    nic_signal();
}

NIC_HOT void between_tell_end(uint32_t descriptor) {
    nic_lock();
    between.ends[descriptor / 32u] |= 1u << (descriptor & 31u);
    between.ended |= 1u << descriptor / 32u;
    nic_signal();
    nic_unlock();
}
#endif
#else
#if EMP_ENDS_IN_MEMORY
static uint32_t told NIC_FAST;

/* A request that ends was posted after the host had said where completion words go. So this reads
 * first which requests have ended, and then where completion words go. */
static NIC_HOT void take_ends(void) {
    uint32_t words = bits_taken(&between.ended);
    if (__builtin_expect(between.told != told, 0)) {
        told = between.told;
        glue_completions_told();
    }
    while (words != 0) {
        uint32_t word = nic_highest_bit(words);
        uint32_t ends = bits_taken(&between.ends[word]);
        words &= ~(1u << word);
        while (ends != 0) {
            uint32_t bit = nic_highest_bit(ends);
            ends &= ~(1u << bit);
            glue_tell_in_memory(32u * word + bit);
        }
    }
}
#else
#define take_ends() ((void)0)
#endif

NIC_HOT bool nic_frames_wait(void) {
    return one_names_frame(emp_raises[1].taken);
}

#if GLUE_APART
#define take_asked() sending_take_asked()
#else
#define take_asked() ((void)0)
#endif

/* So many raises are taken one after the other. Refused frames can come faster than they go. */
#define RAISES_AT_ONCE 8u

/* A raise that ends a message because its sender is silent has a word for a frame, and names none.
 */
NIC_HOT void nic_on_signal(void) {
    const volatile uint32_t *words;
    uint32_t taken = 0;
    take_ends();
    while ((words = nic_message_first(&emp_raises[1])) != NULL) {
        uint32_t frame;
        if (__builtin_expect(taken++ == RAISES_AT_ONCE, 0)) {
            taken = 0;
            take_asked();
            nic_others_first();
        }
        if (!names_frame(words)) {
            emp_message_came(words);
            nic_message_taken(&emp_raises[1]);
            continue;
        }
        if (!nic_frame_may_begin())
            break;
        frame = words[FRAME_WORD];
        nic_frame_begin();
        emp_message_came(words);
        nic_message_taken(&emp_raises[1]);
        if (__builtin_expect(frame != 0, 1))
            nic_frame_end(frame);
    }
    take_asked();
}

#if !GLUE_APART
void nic_on_work(void) {
}

/* B waits for what it reads. */
void nic_on_read(uint32_t token) {
    (void)token;
}
#endif
#endif
