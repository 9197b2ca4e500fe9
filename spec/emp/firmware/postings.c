/* SPDX-License-Identifier: MIT */
/*
 * Descriptors the host hands over: posting ring, checks, and offering them to the machines.
 *
 * The mailbox holds how many entries the host has ever written, or that number modulo the ring:
 * both are told apart from our own count modulo the ring. Entries are taken one an event, so that
 * frames never wait for a row of them. With EMP_POSTS_AMONG_FRAMES a received frame is such an
 * event, too. They are taken strictly in order, so that receives match in the order
 * posted: one whose page of addresses must be fetched holds up those behind it for the two
 * microseconds.
 *
 * An entry with EMP_CANCEL_REQUEST set wants a request back. Having its turn among the others it
 * finds the request it means or none, never a later one in the same descriptor.
 *
 * A send that finds no record waits (waiting.h) and is offered again when a message has ended.
 * Later sends to its peer wait behind it; receives, and sends to other peers, pass it. No machine
 * knows of it: where sends can be cancelled, it simply leaves its list.
 */
#include "spec/emp/firmware/glue.h"

#if GLUE_TAKES_POSTINGS
#if GLUE_KEEPS_SENDS
#include "spec/emp/firmware/waiting.h"

#define RING_MASK (EMP_POSTING_RING_ENTRIES - 1u)

uint32_t glue_posting_ring[EMP_POSTING_RING_ENTRIES];

static uint32_t posted NIC_FAST; /* by the host, modulo the ring */
static uint32_t taken NIC_FAST;
#endif

static uint32_t arriving NIC_FAST; /* descriptor + 1 whose page is being fetched, 0 none */
static bool arriving_held;         /* it has waited for a record, and it is its turn */

static inline uint32_t field(uint32_t word, uint32_t shift, uint32_t mask) {
    return word >> shift & mask;
}

static NIC_COLD void refuse(uint32_t descriptor) {
    emp_device_complete((uint16_t)descriptor, EMP_RESULT_BAD, 0);
}

#if GLUE_KEEPS_SENDS
static inline uint32_t peer_of(uint32_t descriptor) {
    return field(glue_descriptor(descriptor)[EMP_DESCRIPTOR_PEER_WORD], EMP_DESCRIPTOR_PEER_SHIFT,
                 EMP_DESCRIPTOR_PEER_MASK);
}

/* It is fetched again when the send is offered again: there are pages for sends with a record only.
 */
static NIC_COLD void give_page_back(uint32_t descriptor) {
    if (glue_page_present(descriptor))
        glue_memory_forget(descriptor, false);
}

static NIC_COLD void hold(uint32_t peer, uint32_t descriptor) {
    waiting_add(peer, descriptor);
    GLUE_COUNT(postings_held);
}

/* The send that was offered again has a record now, or has ended; then the next peer has its turn.
 */
static NIC_COLD void waited_long_enough(void) {
    uint32_t peer = waiting_turn();
    waiting_take_out_first(peer);
    waiting_leave_turns();
    if (waiting_lists[peer].count != 0)
        waiting_take_turn(peer);
}

static NIC_COLD void no_record(uint32_t descriptor, uint32_t word, bool was_held) {
    uint32_t peer = peer_of(descriptor);
    give_page_back(descriptor);
    if (was_held) {
        waiting_retry = false;
    } else if (peer >= EMP_NODE_LIMIT) { /* the host has changed it */
        refuse(descriptor);
    } else {
        glue_descriptor(descriptor)[GLUE_TAKEN_WORD] = word;
        hold(peer, descriptor);
        waiting_take_turn(peer);
    }
}

static bool postponed_again; /* so was the send that is offered again */

NIC_HOT void emp_device_resume(const uint16_t peer) {
    if (__builtin_expect(waiting_count != 0, 0))
        waiting_resume(peer);
}

NIC_COLD void emp_device_end_postponed(const uint16_t peer, const uint8_t result) {
    if (waiting_count != 0)
        waiting_end(peer, result);
}

/* What was offered again has been taken, or refused; or it stays. */
static NIC_COLD void offered_again(void) {
    if (postponed_again)
        waiting_leave_turns();
    else
        waited_long_enough();
    postponed_again = false;
}
#else
/* A receive needs no free record. */
static inline void no_record(uint32_t descriptor, uint32_t word, bool was_held) {
    (void)word;
    (void)was_held;
    refuse(descriptor);
}

static inline void waited_long_enough(void) {
}

static inline void offered_again(void) {
}
#endif

static NIC_COLD void refuse_in_turn(uint32_t descriptor, bool was_held) {
    if (was_held)
        waited_long_enough();
    refuse(descriptor);
}

#if EMP_TAG_BITS == 64
static inline void read_tag(const volatile uint32_t *words, struct emp_posting *posting) {
    static_assert(EMP_DESCRIPTOR_TAG_MASK == UINT32_MAX &&
                      EMP_DESCRIPTOR_TAG_HIGH_MASK == UINT32_MAX,
                  "each fills a word");
    posting->tag = words[EMP_DESCRIPTOR_TAG_WORD];
    posting->tag_high = words[EMP_DESCRIPTOR_TAG_HIGH_WORD];
}

/* The bits to ignore are read of a descriptor with wildcards only. */
static inline void read_wildcards(const volatile uint32_t *words, uint32_t who,
                                  struct emp_posting *posting) {
    static_assert(EMP_DESCRIPTOR_WILDCARDS_WORD == EMP_DESCRIPTOR_PEER_WORD, "which is read");
    static_assert(EMP_DESCRIPTOR_IGNORED_MASK == UINT32_MAX &&
                      EMP_DESCRIPTOR_IGNORED_HIGH_MASK == UINT32_MAX,
                  "each fills a word");
    posting->wildcards =
        (uint8_t)field(who, EMP_DESCRIPTOR_WILDCARDS_SHIFT, EMP_DESCRIPTOR_WILDCARDS_MASK);
    if (__builtin_expect(posting->wildcards != 0, 0)) {
        posting->ignored = words[EMP_DESCRIPTOR_IGNORED_WORD];
        posting->ignored_high = words[EMP_DESCRIPTOR_IGNORED_HIGH_WORD];
    }
}

#if NIC_RECEIVES
NIC_COLD void emp_device_name_message(const uint16_t descriptor, const uint16_t source,
                                      const uint32_t tag_high, const uint32_t tag) {
    volatile uint32_t *words = glue_descriptor(descriptor);
    words[EMP_DESCRIPTOR_PEER_WORD] = (uint32_t)source << EMP_DESCRIPTOR_PEER_SHIFT;
    words[EMP_DESCRIPTOR_TAG_HIGH_WORD] = tag_high;
    words[EMP_DESCRIPTOR_TAG_WORD] = tag;
}
#endif
#endif

/* `word` is the word with the owner: a word in slow memory can cost as much as six instructions,
 * so each is read once. */
static inline struct emp_posting posting_of(uint32_t descriptor, uint32_t word) {
    uint32_t who = glue_descriptor(descriptor)[EMP_DESCRIPTOR_PEER_WORD];
    struct emp_posting posting = {
        .descriptor = (uint16_t)descriptor,
        .peer = (uint16_t)field(who, EMP_DESCRIPTOR_PEER_SHIFT, EMP_DESCRIPTOR_PEER_MASK),
#if EMP_TAG_BITS == 16
        .tag = (uint16_t)field(who, EMP_DESCRIPTOR_TAG_SHIFT, EMP_DESCRIPTOR_TAG_MASK),
#endif
        .length = glue_total_length(word),
    };
#if EMP_TAG_BITS == 64
    read_tag(glue_descriptor(descriptor), &posting);
    if (glue_is_receive(word))
        read_wildcards(glue_descriptor(descriptor), who, &posting);
#endif
    return posting;
}

#if EMP_SENDS_AT_ONCE && GLUE_KEEPS_SENDS && NIC_RECEIVES
/* Each is a function of its own, so that the fields of a send are in registers. */
static NIC_RARE __attribute__((noinline)) enum hsm_verdict match_posted(uint32_t descriptor,
                                                                        uint32_t word) {
    struct emp_posting posting = posting_of(descriptor, word);
    return emp_match_posted(&posting);
}

#endif
#if EMP_SENDS_AT_ONCE && GLUE_KEEPS_SENDS
/* A message of one frame goes out at once if the wire has room. Where another processor transmits,
 * no message does, because this one does not know the room. */
static inline enum hsm_verdict send_posted(uint32_t descriptor, uint32_t word) {
    struct emp_posting posting = posting_of(descriptor, word);
#if EMP_INLINE_LIMIT
    posting.inlined = glue_is_format(word, EMP_FORMAT_INLINE);
#endif
    if (!GLUE_APART && posting.length <= EMP_FIRST_FRAME_PAYLOAD) {
        posting.room = nic_transmit_has_slot();
        posting.now = nic_clock();
    }
    return emp_send_posted(&posting);
}
#endif

static NIC_HOT void offer(uint32_t descriptor, uint32_t word, bool was_held) {
#if EMP_SENDS_AT_ONCE && GLUE_KEEPS_SENDS && NIC_RECEIVES
    enum hsm_verdict verdict =
        glue_is_receive(word) ? match_posted(descriptor, word) : send_posted(descriptor, word);
#elif EMP_SENDS_AT_ONCE && GLUE_KEEPS_SENDS
    enum hsm_verdict verdict = send_posted(descriptor, word);
#elif !GLUE_KEEPS_SENDS
    struct emp_posting posting = posting_of(descriptor, word);
    enum hsm_verdict verdict = emp_match_posted(&posting);
#elif !NIC_RECEIVES
    struct emp_posting posting = posting_of(descriptor, word);
    enum hsm_verdict verdict = emp_send_posted(&posting);
#else
    struct emp_posting posting = posting_of(descriptor, word);
    enum hsm_verdict verdict =
        glue_is_receive(word) ? emp_match_posted(&posting) : emp_send_posted(&posting);
#endif
    if (__builtin_expect(verdict == HSM_NO_ROOM, 0)) {
        no_record(descriptor, word, was_held);
        return;
    }
    if (was_held)
        offered_again();
    if (__builtin_expect(verdict != HSM_DONE, 0))
        refuse(descriptor);
}

#define OWNER(owner)         ((uint32_t)(owner) << EMP_DESCRIPTOR_OWNER_SHIFT)
#define FORMAT(format)       ((uint32_t)(format) << EMP_DESCRIPTOR_FORMAT_SHIFT)
#define DIRECTION(direction) ((uint32_t)(direction) << EMP_DESCRIPTOR_DIRECTION_SHIFT)

#if EMP_INLINE_LIMIT
static_assert(EMP_SENDS_AT_ONCE, "send_posted tells that the descriptor holds the bytes");

/* Is it a send whose bytes the descriptor holds, no more than there is room for? */
static inline bool holds_bytes(uint32_t word) {
    return (word & (FORMAT(EMP_DESCRIPTOR_FORMAT_MASK) | DIRECTION(EMP_DESCRIPTOR_DIRECTION_MASK) |
                    OWNER(EMP_DESCRIPTOR_OWNER_MASK))) ==
               (FORMAT(EMP_FORMAT_INLINE) | DIRECTION(EMP_DIRECTION_SEND) | OWNER(EMP_OWNER_NIC)) &&
           glue_total_length(word) <= EMP_INLINE_LIMIT;
}
#else
#define holds_bytes(word) false
#endif

/* Pieces in several places: does the descriptor stay inside the table, and does it hold its length?
 * That of a page of addresses is known when the page is there. */
static NIC_COLD bool sensible(uint32_t descriptor, uint32_t word) {
    switch (field(word, EMP_DESCRIPTOR_FORMAT_SHIFT, EMP_DESCRIPTOR_FORMAT_MASK)) {
    case EMP_FORMAT_SHORT:
        return glue_length(glue_descriptor(descriptor)) >= glue_total_length(word);
    case EMP_FORMAT_CHAIN:
        return descriptor + field(word, EMP_DESCRIPTOR_CONTINUATIONS_SHIFT,
                                  EMP_DESCRIPTOR_CONTINUATIONS_MASK) <
                   EMP_DESCRIPTOR_LIMIT &&
               glue_memory_suffices(descriptor);
    case EMP_FORMAT_INDIRECT:
        return true;
    default:
        return holds_bytes(word);
    }
}

#if GLUE_KEEPS_SENDS
/* Behind it in this event comes offer(), which finds in `postponed_again` what became of a send
 * that has waited. Of another one the word with the owner may not have been kept, as it went a
 * short way: then the host has handed over what it says now. */
NIC_COLD void emp_device_postpone(const uint16_t descriptor, const uint16_t peer) {
    volatile uint32_t *words = glue_descriptor(descriptor);
    uint32_t word = words[GLUE_TAKEN_WORD];
    give_page_back(descriptor);
    if (waiting_is(descriptor)) {
        postponed_again = peer == waiting_turn();
        if (!postponed_again) /* the host has changed it */
            refuse(descriptor);
        return;
    }
    if (word == 0) {
        word = words[EMP_DESCRIPTOR_OWNER_WORD];
        words[GLUE_TAKEN_WORD] = word | GLUE_HAS_MEMORY;
        if (!glue_is_owned(word) || glue_is_receive(word) || !sensible(descriptor, word)) {
            refuse(descriptor);
            return;
        }
    }
    hold(peer, descriptor);
}
#endif

static NIC_COLD void look_at(uint32_t descriptor, bool was_held) {
    uint32_t word = glue_descriptor(descriptor)[GLUE_TAKEN_WORD];
    if (!glue_is_format(word, EMP_FORMAT_INDIRECT) || glue_page_present(descriptor)) {
        offer(descriptor, word, was_held);
    } else if (glue_page_fetch(descriptor, glue_is_receive(word), true)) {
        arriving = descriptor + 1;
        arriving_held = was_held;
    } else {
        refuse_in_turn(descriptor, was_held);
    }
}

#if GLUE_KEEPS_SENDS
#if EMP_CANCELS_SENDS
static NIC_COLD bool unhold(uint32_t descriptor) {
    if (!waiting_cancel(descriptor))
        return false;
    emp_device_complete((uint16_t)descriptor, EMP_RESULT_CANCELLED, 0);
    return true;
}

static NIC_COLD bool cancel_send(const struct emp_cancellation *cancellation, bool leave) {
    return unhold(cancellation->descriptor) ||
           (leave ? emp_send_leave(cancellation) : emp_send_cancel(cancellation)) == HSM_DONE;
}
#else
#define cancel_send(cancellation, leave) false
#endif

#if NIC_RECEIVES
#define cancel_receive(cancellation) (emp_match_cancel(cancellation) == HSM_DONE)
#else
/* Is it one? The receiver counts it if not. take() has looked for room. */
static inline bool cancel_receive(const struct emp_cancellation *cancellation) {
    return between_pass(BETWEEN_CANCEL, cancellation->descriptor, 0);
}
#endif

/* What is no send is a receive or a peek, or has ended: Match finds out. */
static NIC_COLD void cancel(uint32_t request) {
    const uint32_t descriptor = request & ~(uint32_t)EMP_LEAVE_REQUEST;
    struct emp_cancellation cancellation = {.descriptor = (uint16_t)descriptor};
    (void)cancellation; /* where neither can be cancelled here */
    if (descriptor >= EMP_DESCRIPTOR_LIMIT ||
        (!cancel_send(&cancellation, (request & EMP_LEAVE_REQUEST) != 0) &&
         !cancel_receive(&cancellation)))
        GLUE_COUNT(postings_ignored);
}

/* Whatever is not the common case of take(). */
static NIC_COLD void take_carefully(uint32_t descriptor) {
    volatile uint32_t *words;
    uint32_t word;
    if (descriptor & EMP_CANCEL_REQUEST) {
        cancel(descriptor & ~EMP_CANCEL_REQUEST);
        return;
    }
    if (descriptor >= EMP_DESCRIPTOR_LIMIT) {
        GLUE_COUNT(postings_ignored);
        return;
    }
    words = glue_descriptor(descriptor);
    word = words[EMP_DESCRIPTOR_OWNER_WORD];
#if !NIC_RECEIVES
    if (glue_is_receive(word)) { /* it was a send, or not handed over, when take() looked */
        GLUE_COUNT(postings_ignored);
        return;
    }
#endif
    if (!glue_is_owned(word) || words[GLUE_TAKEN_WORD] != 0 || waiting_is(descriptor)) {
        GLUE_COUNT(postings_ignored);
        return;
    }
    words[GLUE_TAKEN_WORD] = word | GLUE_HAS_MEMORY;
    if (!sensible(descriptor, word))
        refuse(descriptor);
    else if (!glue_is_receive(word) && peer_of(descriptor) < EMP_NODE_LIMIT &&
             waiting_lists[peer_of(descriptor)].count != 0)
        hold(peer_of(descriptor), descriptor);
    else
        look_at(descriptor, false);
}

#if !NIC_RECEIVES
/* Receives, and cancels of what is no send, are the receiver's. True when it has this one now, or
 * there is no room to pass it on; then it stays in the ring. */
static inline bool pass_on(uint32_t descriptor) {
    uint32_t word;
    if (descriptor & EMP_CANCEL_REQUEST)
        return !between_has_room();
    if (descriptor >= EMP_DESCRIPTOR_LIMIT)
        return false;
    word = glue_descriptor(descriptor)[EMP_DESCRIPTOR_OWNER_WORD];
    if (!glue_is_receive(word) || !glue_is_owned(word))
        return false;
    if (between_pass(BETWEEN_POSTED, descriptor, word))
        taken = (taken + 1) & RING_MASK;
    return true;
}
#endif

/* Nothing of a descriptor is believed before it is checked. One piece, long enough, and nothing
 * held that it might overtake: then it is offered at once. So is one that holds the bytes: that it
 * does, and how many, the record of its message says from then on. A load more would be felt in the
 * latency: so a SHORT descriptor that the host enters twice is not noticed here. It would get two
 * messages in the host's own memory, or none; the board's own is safe (docs/security.md). */
static NIC_HOT void take(void) {
    uint32_t descriptor = *(volatile uint32_t *)&glue_posting_ring[taken];
#if !NIC_RECEIVES
    if (pass_on(descriptor))
        return;
#endif
    taken = (taken + 1) & RING_MASK;
    if (__builtin_expect(descriptor < EMP_DESCRIPTOR_LIMIT && waiting_count == 0, 1)) {
        volatile uint32_t *words = glue_descriptor(descriptor);
        uint32_t word = words[EMP_DESCRIPTOR_OWNER_WORD];
        uint32_t length;
        if (holds_bytes(word)) {
            offer(descriptor, word, false);
            return;
        }
        length = glue_length(words);
        if ((word & (OWNER(EMP_DESCRIPTOR_OWNER_MASK) | FORMAT(EMP_DESCRIPTOR_FORMAT_MASK))) ==
                (OWNER(EMP_OWNER_NIC) | FORMAT(EMP_FORMAT_SHORT)) &&
            length >= glue_total_length(word)) {
            offer(descriptor, word, false);
            return;
        }
    }
    take_carefully(descriptor);
}

/* The next peer of the list: its first send ends, or is offered again. */
static NIC_COLD void next_turn(void) {
    uint32_t peer, descriptor;
    if (waiting_turns_count == 0) {
        waiting_retry = false;
        return;
    }
    peer = waiting_turn();
    if (waiting_lists[peer].count == 0) { /* they have been cancelled */
        waiting_leave_turns();
        return;
    }
    descriptor = waiting_first(peer);
    if (waiting_lists[peer].to_end != 0) {
        waited_long_enough();
        emp_device_complete((uint16_t)descriptor, waiting_lists[peer].result, 0);
    } else if (glue_is_owned(glue_descriptor(descriptor)[GLUE_TAKEN_WORD])) {
        look_at(descriptor, true);
    } else { /* it was entered twice, and the other message has ended */
        waited_long_enough();
    }
}

NIC_HOT void nic_on_work(void) {
#if !NIC_RECEIVES && EMP_ENDS_IN_MEMORY
    if (__builtin_expect(between_keeps, 0))
        between_go_on();
#endif
    if (arriving != 0)
        return; /* page_is_there goes on */
    if (waiting_retry) {
        next_turn();
    } else if (taken != posted) {
        take();
    }
    if (taken != posted || waiting_retry)
        nic_defer_work();
}

NIC_HOT void nic_on_doorbell(unsigned box, uint32_t value) {
    if (box != EMP_POSTING_MAILBOX) {
#if EMP_ENDS_IN_MEMORY
        if (box == EMP_COMPLETION_MAILBOX)
            glue_completions_told();
#if !NIC_WRITES
        if (box == EMP_COMPLETION_MAILBOX)
            between_tell_completions();
#endif
#endif
        return;
    }
    posted = value & RING_MASK;
    nic_on_work();
}
#else
static void page_is_there(void);

/* A receive as the other processor found it in the ring, with its word then. */
static NIC_HOT void accept(uint32_t descriptor, uint32_t word) {
    volatile uint32_t *words = glue_descriptor(descriptor);
    if (__builtin_expect(glue_is_format(word, EMP_FORMAT_SHORT) &&
                             glue_length(words) >= glue_total_length(word),
                         1)) {
        offer(descriptor, word, false);
    } else if (words[GLUE_TAKEN_WORD] != 0) {
        GLUE_COUNT(postings_ignored);
    } else {
        words[GLUE_TAKEN_WORD] = word | GLUE_HAS_MEMORY;
        if (sensible(descriptor, word))
            look_at(descriptor, false);
        else
            refuse(descriptor);
    }
}

static NIC_COLD void cancel(uint32_t descriptor) {
    struct emp_cancellation cancellation = {.descriptor = (uint16_t)descriptor};
    if (emp_match_cancel(&cancellation) != HSM_DONE)
        GLUE_COUNT(postings_ignored);
}

NIC_HOT void nic_on_work(void) {
    struct between_message message;
    if (arriving != 0 || !between_take(&message))
        return; /* page_is_there goes on, or a signal */
    switch (message.kind) {
    case BETWEEN_POSTED:
        accept(message.descriptor, message.word);
        break;
#if EMP_ENDS_IN_MEMORY
    case BETWEEN_TOLD:
        glue_completions_told();
        break;
    case BETWEEN_ENDED:
        glue_tell_in_memory(message.descriptor);
        break;
#endif
    default:
        cancel(message.descriptor);
        break;
    }
    if (between_waits())
        nic_defer_work();
}

NIC_HOT void nic_on_signal(void) {
    nic_on_work();
}
#endif

/* Has the peer of a send that has waited been lost meanwhile? */
static inline bool ends_instead(bool was_held) {
#if GLUE_KEEPS_SENDS
    return was_held && waiting_lists[waiting_turn()].to_end != 0;
#else
    return was_held;
#endif
}

static NIC_COLD void page_is_there(void) {
    uint32_t descriptor = arriving - 1;
    arriving = 0;
    glue_page_arrived(descriptor);
    if (ends_instead(arriving_held)) {
        ;
    } else if (glue_memory_suffices(descriptor)) {
        offer(descriptor, glue_descriptor(descriptor)[GLUE_TAKEN_WORD], arriving_held);
    } else {
        refuse_in_turn(descriptor, arriving_held);
    }
    glue_page_settled();
    nic_defer_work();
}

NIC_COLD void nic_on_read(uint32_t token) {
    if (token == GLUE_READ_PAGE)
        page_is_there();
#if GLUE_KEEPS_SENDS && NIC_TRANSMITS
    else
        (void)emp_send_memory_read((uint8_t)token);
#endif
}

/* Ports serve received frames before work that was deferred. On a board that frames keep busy
 * postings would wait until they are all served: it would run out of posted receives, and spend its
 * time on refusals. A frame takes one receive at most, so one posting a frame is enough. */
#if NIC_RECEIVES
void glue_postings_among_frames(void) {
#if GLUE_KEEPS_SENDS
    if (__builtin_expect(taken != posted, 0))
#else
    if (__builtin_expect(between_waits(), 0))
#endif
        nic_on_work();
}
#endif
#endif
