/* SPDX-License-Identifier: MIT */
/*
 * Frames: header words out, parser in. The data path of both directions.
 */
#include "fw-runtime/vlan.h"
#include "spec/emp/firmware/glue.h"
#include "spec/emp/frame.h"

static_assert(EMP_FRAME_DESTINATION_LOW_WORD == 1 && EMP_FRAME_SOURCE_HIGH_WORD == 1 &&
                  EMP_FRAME_SOURCE_LOW_WORD == 2,
              "addresses are written word by word");

#if NIC_LEADS
uint32_t glue_peers[EMP_NODE_LIMIT][2];
#endif

static uint32_t own_first NIC_FAST; /* bytes 0-3 of the own address */
static uint32_t own_high NIC_FAST;  /* bytes 0-1 */
static uint32_t own_low NIC_FAST;   /* bytes 2-5 */

NIC_COLD void glue_wire_start(uint32_t mac_high, uint32_t mac_low) {
    own_high = mac_high & 0xFFFF;
    own_low = mac_low;
    own_first = own_high << 16 | own_low >> 16;
}

/* Out of line: what is rare must not take room in fast memory. */
#if NIC_RECEIVES
static NIC_COLD void count_unparsed(enum emp_acceptance parse) {
    if (parse == EMP_ACCEPTANCE_FOREIGN)
        GLUE_COUNT(parse_foreign);
    else
        GLUE_COUNT(parse_malformed);
}
#endif

#if NIC_TRANSMITS
static NIC_COLD void count_dropped(void) {
    GLUE_COUNT(control_dropped);
}

static NIC_COLD void count_unaddressed(void) {
    GLUE_COUNT(address_unknown);
}
#endif

#if EMP_CHECKS_FRAMES
uint32_t glue_payload_check NIC_FAST;

static_assert(EMP_FRAME_HEADER_CHECK_SHIFT == 16 && EMP_FRAME_PAYLOAD_CHECK_SHIFT == 0 &&
                  EMP_FRAME_HEADER_CHECK_WORD == EMP_FRAME_PAYLOAD_CHECK_WORD,
              "the checks share a word");
#define CHECK_WORD EMP_FRAME_HEADER_CHECK_WORD

static inline uint32_t sum_with(uint32_t sum, uint32_t word) {
    sum += word;
    return sum + (sum < word);
}

/* One's complement sum of a header but for the check of the data, of which the complement is added:
 * that may not be there yet when a frame is sent. */
static inline uint32_t header_sum(const volatile uint32_t *words, uint32_t bytes) {
    uint32_t sum = ~words[CHECK_WORD] & 0xFFFF;
    const volatile uint32_t *end = words + bytes / 4;
    static_assert(EMP_FRAME_BYTES % 16 == 0 && EMP_MESSAGE_HEADER_BYTES % 16 == 0, "by fours");
    for (; words != end; words += 4) {
        sum = sum_with(sum, words[0]);
        sum = sum_with(sum, words[1]);
        sum = sum_with(sum, words[2]);
        sum = sum_with(sum, words[3]);
    }
    sum = (sum >> 16) + (sum & 0xFFFF);
    return (sum >> 16) + (sum & 0xFFFF);
}

static NIC_COLD void count_damaged(void) {
    GLUE_COUNT(headers_damaged);
}
#endif

/* What a peer says of a message from here; a statement, because as a function it costs cycles. */
#if EMP_FINDS_GAPS
#define GAP_CAME(frame)                                                                            \
    if ((frame)->length == EMP_REFUSAL_GAP)                                                        \
        (void)emp_send_gap(frame);                                                                 \
    else
#else
#define GAP_CAME(frame)
#endif
#define ANSWER_CAME(frame)                                                                         \
    if ((frame)->kind == EMP_FRAME_KIND_ACK)                                                       \
        (void)emp_send_ack(frame);                                                                 \
    else                                                                                           \
        GAP_CAME(frame)                                                                            \
    (void)emp_send_nack(frame)

#if NIC_RECEIVES
NIC_HOT void nic_on_frame(const uint32_t *words, uint32_t bytes, uint32_t name) {
    struct emp_frame frame;
    enum emp_acceptance parse;
#if EMP_POSTS_AMONG_FRAMES
    glue_postings_among_frames();
#endif
#if EMP_TAKES_TAGGED
parse_again:
#endif
    parse = emp_frame_parse(words, bytes, own_first);
    if (__builtin_expect(parse != EMP_ACCEPTANCE_OK, 0)) {
#if EMP_TAKES_TAGGED
        if (nic_untag(words, bytes, name)) {
            words = nic_untagged.words;
            bytes = nic_untagged.bytes;
            name = nic_untagged.frame;
            goto parse_again;
        }
#endif
        count_unparsed(parse);
        return;
    }
    emp_frame_unpack(words, &frame);
#if EMP_CHECKS_FRAMES
    if (__builtin_expect(header_sum(words, emp_frame_header_bytes(&frame)) != 0xFFFF, 0)) {
        count_damaged();
        return;
    }
    glue_payload_check = words[CHECK_WORD] & 0xFFFF;
#endif
    frame.buffer = name;
#if EMP_MEASURES_TIME
    frame.came = nic_clock();
#endif
#if NIC_HANDS_OVER
    between_frame_begins();
#endif
    if (frame.kind == EMP_FRAME_KIND_HEADER)
        (void)emp_match_header(&frame);
    else if (frame.kind == EMP_FRAME_KIND_DATA)
        (void)emp_match_data(&frame);
    else
#if GLUE_KEEPS_SENDS
        ANSWER_CAME(&frame);
#else
        between_pass_answer(words);
#endif
#if NIC_HANDS_OVER
    between_frame_ends();
#endif
}
#elif GLUE_KEEPS_SENDS
NIC_HOT void glue_answer_came(const uint32_t *words) {
    struct emp_frame frame;
    emp_frame_unpack(words, &frame);
    frame.buffer = 0; /* it carries no data */
#if EMP_MEASURES_TIME
    frame.came = nic_clock();
#endif
    ANSWER_CAME(&frame);
}
#endif

#if NIC_TRANSMITS
/* Of a node, 0 while the host has not told it. The NIC drops a frame to such a node instead of
 * sending it to no station; the sender's time-out sends it again. */
struct address {
    uint32_t high, low; /* of `high` the lower half */
};

static inline bool is_known(struct address address) {
    return (address.high << 16 | address.low) != 0;
}

/* A word in slow memory can cost as much as six instructions: each is read once for a frame. */
static inline struct address address_of(uint32_t peer) {
    const volatile uint32_t *words = glue_peers[peer];
    return (struct address){words[0], words[1]};
}

#if GLUE_QUICK
static struct {
    uint32_t peer;
    struct address address;
} sent_last NIC_FAST;

/* Read once for a collection. Nothing is remembered of a peer whose address is not known. */
static inline struct address address_for(uint32_t peer, uint32_t position) {
    if (position == 0 || peer != sent_last.peer || !is_known(sent_last.address)) {
        sent_last.peer = peer;
        sent_last.address = address_of(peer);
    }
    return sent_last.address;
}
#else
#define address_for(peer, position) address_of(peer)
#endif

static inline void write_addresses(volatile uint32_t *words, struct address peer) {
    words[0] = peer.high << 16 | peer.low >> 16;
    words[1] = peer.low << 16 | own_high;
    words[2] = own_low;
}

/* In place, so that a frame's fields go from registers to the wire without being a structure. */
static inline __attribute__((always_inline)) void
write_header(volatile uint32_t *words, struct address peer, const struct emp_frame *g) {
    write_addresses(words, peer);
#if EMP_CHECKS_FRAMES
    {
        uint32_t bytes = emp_frame_pack(words, g);
        words[CHECK_WORD] = ~header_sum(words, bytes) << 16;
    }
#else
    (void)emp_frame_pack(words, g);
#endif
}

/* The bytes of a short send are in its descriptor: nothing is fetched. */
#if EMP_INLINE_LIMIT
static_assert(!EMP_CHECKS_FRAMES,
              "copied data have no sums: set inline_limit to 0 where checks_frames is 1");
static_assert(EMP_INLINE_LIMIT <= EMP_INLINE_DATA_BYTES && EMP_INLINE_DATA_FIRST_WORD == 0 &&
                  EMP_INLINE_DATA_THIRD_WORD == 2 && EMP_DESCRIPTOR_LENGTH_WORD == 2 &&
                  EMP_DESCRIPTOR_PEER_WORD == 3,
              "they are in the words that hold an address and a length otherwise");
#define IS_INLINE(g) ((g)->buffer != 0)

static inline bool copy_inline(uint32_t descriptor, uint32_t length) {
    nic_transmit_copy(glue_descriptor(descriptor), length);
    return true;
}
#else
#define IS_INLINE(g)                    false
#define copy_inline(descriptor, length) false
#endif

/* Of a message of one frame the compiler knows where it begins. Its data are fetched while the
 * header is written: the MAC begins when nic_transmit_end gives it the frame's descriptor. */
#define FETCHES_FIRST(offset) (GLUE_QUICK && !EMP_CHECKS_FRAMES && __builtin_constant_p(offset))

GLUE_HOT void emp_device_send_frame(const uint16_t peer, const struct emp_frame *const g,
                                    const uint16_t descriptor, const uint32_t offset) {
    uint32_t bytes = emp_frame_header_bytes(g);
    struct address address = address_for(peer, g->position);
    volatile uint32_t *words;
    bool ready = false; /* the data are there, or being fetched */
#if GLUE_APART
    if (offset == 0)
        glue_send_begins(descriptor);
#endif
    if (__builtin_expect(!is_known(address), 0)) {
        count_unaddressed();
        return;
    }
    words = nic_transmit_begin(bytes / 4);
    if (FETCHES_FIRST(offset) && g->length != 0)
        ready = IS_INLINE(g) ? copy_inline(descriptor, g->length)
                             : glue_send_single(descriptor, g->length);
    write_header(words, address, g);
    if (ready || g->length == 0) {
        ;
    } else if (FETCHES_FIRST(offset) || IS_INLINE(g)) {
        glue_send_short(descriptor, g->length, IS_INLINE(g));
    } else {
#if EMP_CHECKS_FRAMES
        nic_transmit_sum(CHECK_WORD);
#endif
        glue_send_data(descriptor, offset, g->length);
    }
    nic_transmit_end(bytes + g->length);
}

/* Counts a control frame that cannot be sent: the ring has no room, or the peer no address. */
static inline __attribute__((always_inline)) bool may_send_control(struct address peer) {
    if (__builtin_expect(!nic_transmit_room(EMP_FRAME_BYTES), 0)) {
        count_dropped();
        return false;
    }
    if (__builtin_expect(!is_known(peer), 0)) {
        count_unaddressed();
        return false;
    }
    return true;
}

GLUE_HOT void emp_device_send_control(const uint16_t peer, const struct emp_frame *const g) {
    struct address address = address_of(peer);
    if (!may_send_control(address))
        return;
    write_header(nic_transmit_begin(EMP_FRAME_BYTES / 4), address, g);
    nic_transmit_end(EMP_FRAME_BYTES);
}

#if !NIC_RECEIVES && !GLUE_APART
/* B has packed it. */
NIC_HOT void glue_send_answer(uint32_t peer, const uint32_t *header) {
    struct address address = address_of(peer);
    uint32_t *words;
    if (!may_send_control(address))
        return;
    words = nic_transmit_begin(EMP_FRAME_BYTES / 4);
    write_addresses(words, address);
    for (uint32_t word = EMP_FRAME_KIND_WORD; word < EMP_FRAME_BYTES / 4; word++)
        words[word] = header[word];
#if EMP_CHECKS_FRAMES
    words[CHECK_WORD] = ~header_sum(words, EMP_FRAME_BYTES) << 16;
#endif
    nic_transmit_end(EMP_FRAME_BYTES);
}
#endif

NIC_HOT void emp_device_request_slot(void) {
    nic_request_slot();
}

#if GLUE_KEEPS_SENDS
NIC_COLD void emp_device_notify_read(const uint8_t m) {
    (void)nic_notify_read(m); /* room for each record: glue.h */
}
#endif

NIC_HOT void nic_on_transmit_slot(void) {
#if EMP_MEASURES_TIME
    (void)emp_transmit_slot(nic_clock());
#else
    (void)emp_transmit_slot();
#endif
}
#elif GLUE_APART
NIC_COLD void emp_device_notify_read(const uint8_t m) {
    sending_notify_read(m);
}
#else
NIC_HOT void emp_device_send_control(const uint16_t peer, const struct emp_frame *const g) {
    between_send_answer(peer, g);
}
#endif
