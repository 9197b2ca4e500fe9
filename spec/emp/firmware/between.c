/* SPDX-License-Identifier: MIT */
/*
 * Messages between the processors; see between.h.
 */
#include "spec/emp/firmware/glue.h"

#define HEADER_FROM  3u /* words of the addresses of Ethernet before it */
#define HEADER_WORDS (EMP_FRAME_BYTES / 4u)
static_assert(HEADER_WORDS <= NIC_MESSAGE_WORDS, "a frame without data is a message");

struct between {
    struct nic_messages to_receiver;
    struct nic_messages to_sender;
};
extern struct between between NIC_COMMON;

#if NIC_TRANSMITS
struct between between;

bool between_has_room(void) {
    return nic_message_room(&between.to_receiver) != 0;
}

static inline bool pass(enum between_kind kind, uint32_t descriptor, uint32_t word) {
    volatile uint32_t *words = nic_message_begin(&between.to_receiver);
    if (words == NULL)
        return false;
    words[0] = kind;
    words[1] = descriptor;
    words[2] = word;
    nic_message_put(&between.to_receiver);
    nic_signal();
    return true;
}

/* The host may post as soon as it has said where completion words are, so that goes before. */
static bool told NIC_FAST;

bool between_keeps NIC_FAST;

NIC_HOT bool between_pass(enum between_kind kind, uint32_t descriptor, uint32_t word) {
    if (told) {
        told = !pass(BETWEEN_TOLD, 0, 0);
        if (told)
            return false;
    }
    return pass(kind, descriptor, word);
}

#if EMP_ENDS_IN_MEMORY
NIC_COLD void between_tell_completions(void) {
    told = true;
    between_keeps = true;
    nic_defer_work();
}

#define ENDED_ENTRIES 1024u /* a power of two */
#define ENDED_MASK    (ENDED_ENTRIES - 1u)
static_assert(ENDED_ENTRIES > EMP_DESCRIPTOR_LIMIT,
              "a host that does not use a descriptor before it hears of its end needs no more");

static uint16_t ended[ENDED_ENTRIES]; /* sends whose end has had no room yet */
static uint32_t ended_first NIC_FAST;
static uint32_t ended_count NIC_FAST;

NIC_HOT void between_tell_end(uint32_t descriptor) {
    if (ended_count == 0 && between_pass(BETWEEN_ENDED, descriptor, 0))
        return;
    if (ended_count == ENDED_ENTRIES)
        return;
    ended[(ended_first + ended_count++) & ENDED_MASK] = (uint16_t)descriptor;
    between_keeps = true;
    nic_defer_work();
}

NIC_COLD void between_go_on(void) {
    if (told)
        told = !pass(BETWEEN_TOLD, 0, 0);
    while (ended_count != 0 && between_pass(BETWEEN_ENDED, ended[ended_first & ENDED_MASK], 0)) {
        ended_first++;
        ended_count--;
    }
    between_keeps = ended_count != 0 || told;
    if (between_keeps)
        nic_defer_work();
}
#endif

/* The message is given back when it has been handled: B may be far ahead. */
NIC_HOT void nic_on_signal(void) {
    const volatile uint32_t *words;
#if !BETWEEN_ANSWERS
    emp_take_messages();
#endif
    while ((words = nic_message_first(&between.to_sender)) != NULL) {
        if (!BETWEEN_ANSWERS || words[0] == BETWEEN_CAME)
            glue_answer_came((const uint32_t *)words);
        else
            glue_send_answer(words[1], (const uint32_t *)words);
        nic_message_taken(&between.to_sender);
    }
}
#else
bool between_waits(void) {
    return nic_message_first(&between.to_receiver) != NULL;
}

NIC_HOT bool between_take(struct between_message *message) {
    const volatile uint32_t *words = nic_message_first(&between.to_receiver);
    if (words == NULL)
        return false;
    message->kind = words[0];
    message->descriptor = words[1];
    message->word = words[2];
    nic_message_taken(&between.to_receiver);
    return true;
}

static inline volatile uint32_t *begin(void) {
    volatile uint32_t *words;
    while ((words = nic_message_begin(&between.to_sender)) == NULL)
        nic_wait_for_other();
    return words;
}

static inline void put(void) {
    nic_message_put(&between.to_sender);
    nic_signal();
}

NIC_HOT void between_pass_answer(const uint32_t *frame) {
    volatile uint32_t *words = begin();
    words[0] = BETWEEN_CAME;
    for (uint32_t word = HEADER_FROM; word < HEADER_WORDS; word++)
        words[word] = frame[word];
    put();
}

NIC_HOT void between_send_answer(uint32_t peer, const struct emp_frame *frame) {
    volatile uint32_t *words = begin();
    (void)emp_frame_pack(words, frame);
    words[0] = BETWEEN_ANSWER;
    words[1] = peer;
    put();
}
#endif
