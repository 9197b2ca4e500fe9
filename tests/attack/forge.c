/* SPDX-License-Identifier: MIT */
#include "tests/attack/forge.h"

#include <string.h>

enum {
    HEADER_WORDS = EMP_FRAME_BYTES / 4,
    ADDRESS_BYTES = 6,
    TYPE_BYTES = 2,
    OTHER_CONTACT_BITS = 0x5A00
};

/* A secret is known only to nodes that have talked with the node, or listened. */
enum role { PLAIN, SENDER, SECRET };

struct field {
    const char *name;
    uint32_t (*get)(const uint32_t *words);
    void (*set)(uint32_t *words, uint32_t value);
    size_t at; /* word where its layout begins */
    uint32_t mask;
};
#define FIELD(name, layout, at, mask) {#name, layout##_get_##name, layout##_set_##name, at, mask},
static const struct field fields[] = {EMP_FRAME_FIELDS(FIELD)};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static enum role role_of(const struct field *field) {
    return strcmp(field->name, "sender") == 0    ? SENDER
           : strcmp(field->name, "contact") == 0 ? SECRET
                                                 : PLAIN;
}

static uint32_t below(struct forge *forge, uint64_t limit) {
    return (uint32_t)tigon_random_below(&forge->random, limit);
}

static uint32_t any_word(struct forge *forge) {
    return (uint32_t)tigon_random_next(&forge->random);
}

uint32_t forge_edge(struct tigon_random *random, uint32_t value, uint32_t mask) {
    const uint32_t edges[] = {0,
                              1,
                              2,
                              EMP_NODE_LIMIT,
                              EMP_FRAME_LIMIT,
                              value - 1,
                              value + 1,
                              mask,
                              mask - 1,
                              mask / 2,
                              mask / 2 + 1,
                              EMP_FRAME_PAYLOAD,
                              EMP_FIRST_FRAME_PAYLOAD,
                              EMP_MESSAGE_LIMIT,
                              EMP_MESSAGE_LIMIT + 1};
    return edges[tigon_random_below(random, sizeof edges / sizeof *edges)] & mask;
}

static void set_addresses(uint32_t *words, const uint8_t *destination, const uint8_t *source) {
    uint8_t bytes[2 * ADDRESS_BYTES];
    memcpy(bytes, destination, ADDRESS_BYTES);
    memcpy(bytes + ADDRESS_BYTES, source, ADDRESS_BYTES);
    emp_load_words(words, bytes, sizeof bytes);
}

static bool is_answer(const uint32_t *words) {
    return emp_frame_get_kind(words) == EMP_FRAME_KIND_ACK ||
           emp_frame_get_kind(words) == EMP_FRAME_KIND_NACK;
}

void forge_hear(struct forge *forge, unsigned node, const uint8_t *bytes, size_t length) {
    uint32_t words[FORGE_WORDS] = {0};
    if (length < sizeof words)
        return;
    emp_load_words(words, bytes, sizeof words);
    if (emp_frame_get_type(words) != EMP_FRAME_TYPE_VALUE)
        return;
    const bool answer = is_answer(words);
    memcpy(forge->heard[node][answer].words, words, sizeof words);
    forge->heard[node][answer].any = true;
}

/* ------------------------------------------------------------------------------------- Identity */

static bool is_secret_of(const struct forge *forge, const struct field *field, uint32_t value) {
    for (unsigned node = 0; node < 2; node++)
        for (unsigned answer = 0; answer < 2; answer++)
            if (forge->heard[node][answer].any &&
                field->get(forge->heard[node][answer].words) == value)
                return true;
    return false;
}

static void identify_known(const struct forge *forge, uint32_t *words) {
    const unsigned speaker = 1 - forge->victim;
    const bool answer = is_answer(words);
    emp_frame_set_sender(words, speaker);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (role_of(&fields[i]) == SECRET)
            fields[i].set(words, fields[i].get(forge->heard[speaker][answer].words));
}

/* The number of an honest node with a wrong incarnation, or the number of no node. */
static void identify_stranger(struct forge *forge, uint32_t *words) {
    const uint32_t numbers[] = {1 - forge->victim, 1 - forge->victim, forge->victim,
                                EMP_NODE_LIMIT - 1 - below(forge, 3),
                                EMP_NODE_LIMIT + below(forge, 240)};
    emp_frame_set_sender(words, numbers[below(forge, sizeof numbers / sizeof *numbers)]);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        uint32_t value = any_word(forge) & fields[i].mask;
        if (role_of(&fields[i]) != SECRET)
            continue;
        while (is_secret_of(forge, &fields[i], value))
            value = any_word(forge) & fields[i].mask;
        fields[i].set(words, value);
    }
}

static void identify(struct forge *forge, uint32_t *words) {
    const bool known = forge->identity == FORGE_KNOWN;
    const bool honest_source = known && (!forge->at_a_switch || below(forge, 256) == 0);
    set_addresses(words, forge->honest[forge->victim],
                  honest_source ? forge->honest[1 - forge->victim] : forge->own);
    if (known)
        identify_known(forge, words);
    else
        identify_stranger(forge, words);
}

/* ---------------------------------------------------------------------------------------- Frames
 */

/* A consistent frame, apart from `kind`, with numbers near those in use now. */
static void draw_kind(struct forge *forge, uint32_t *words, uint32_t kind) {
    const bool answer = kind == EMP_FRAME_KIND_ACK || kind == EMP_FRAME_KIND_NACK;
    const unsigned speaker = 1 - forge->victim;
    memset(words, 0, FORGE_WORDS * sizeof *words);
    if (forge->heard[speaker][answer].any && below(forge, 4) != 0)
        memcpy(words, forge->heard[speaker][answer].words, FORGE_WORDS * sizeof *words);
    else
        emp_frame_set_size(words, 1 + below(forge, 3));
    emp_frame_set_type(words, EMP_FRAME_TYPE_VALUE);
    emp_frame_set_kind(words, kind);
    emp_frame_set_message(words, emp_frame_get_message(words) + below(forge, 5) - 2);
    if (kind == EMP_FRAME_KIND_NACK) {
        emp_frame_set_length(words, below(forge, 4));
        emp_frame_set_frame(words, below(forge, 300));
    }
    if (kind == EMP_FRAME_KIND_HEADER && below(forge, 2) == 0) {
        const uint32_t bytes = below(forge, 24);
        emp_frame_set_position(words, 0);
        emp_frame_set_frame(words, 0);
        emp_frame_set_collection(words, 0);
        emp_frame_set_size(words, 1);
        emp_frame_set_length(words, bytes);
        emp_message_header_set_total_length(words + HEADER_WORDS, bytes);
        emp_message_header_set_frames(words + HEADER_WORDS, 1);
        emp_message_header_set_tag(words + HEADER_WORDS, below(forge, 3));
    }
    if (kind == EMP_FRAME_KIND_DATA && below(forge, 2) == 0) {
        emp_frame_set_frame(words, 1 + below(forge, 8));
        emp_frame_set_length(words, below(forge, 2) ? EMP_FRAME_PAYLOAD : below(forge, 24));
    }
    identify(forge, words);
}

static void draw(struct forge *forge, uint32_t *words) {
    draw_kind(forge, words, EMP_FRAME_KIND_HEADER + below(forge, EMP_FRAME_KIND_NACK));
}

/* Whole bytes behind the header are noise. */
static void write(struct forge *forge, struct hostile_frame *frame, const uint32_t *words,
                  size_t length) {
    frame->bad_crc = false;
    frame->length = length < sizeof frame->bytes ? length : sizeof frame->bytes;
    for (size_t i = FORGE_WORDS * 4; i < frame->length; i++)
        frame->bytes[i] = (uint8_t)(0x5A + i);
    emp_store_words(frame->bytes, words, 4 * FORGE_WORDS);
    if (frame->length > FORGE_WORDS * 4)
        frame->bytes[FORGE_WORDS * 4] = (uint8_t)any_word(forge);
}

/* As long as the header states, if a frame can be, and padded. */
static void finish(struct forge *forge, struct hostile_frame *frame, const uint32_t *words) {
    const uint32_t kind = emp_frame_get_kind(words);
    size_t length = EMP_FRAME_BYTES;
    if (kind == EMP_FRAME_KIND_HEADER)
        length += EMP_MESSAGE_HEADER_BYTES;
    if (!is_answer(words) && emp_frame_get_length(words) <= EMP_FRAME_PAYLOAD)
        length += emp_frame_get_length(words);
    write(forge, frame, words, length < FORGE_SHORTEST ? FORGE_SHORTEST : length);
}

static bool heard_header(const struct forge *forge, unsigned node, unsigned sender,
                         uint32_t *words) {
    memcpy(words, forge->heard[node][0].words, FORGE_WORDS * sizeof *words);
    emp_frame_set_sender(words, sender);
    return forge->heard[node][0].any && emp_frame_get_kind(words) == EMP_FRAME_KIND_HEADER;
}

bool forge_header_from(const struct forge *forge, unsigned node, unsigned sender,
                       struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    struct forge unused = *forge;
    if (!heard_header(forge, node, sender, words))
        return false;
    finish(&unused, frame, words);
    return true;
}

bool forge_data_from(const struct forge *forge, unsigned node, unsigned sender,
                     struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    struct forge unused = *forge;
    if (!heard_header(forge, node, sender, words))
        return false;
    emp_frame_set_kind(words, EMP_FRAME_KIND_DATA);
    emp_frame_set_contact(words, emp_frame_get_contact(words) ^ OTHER_CONTACT_BITS);
    emp_frame_set_frame(words, 1);
    emp_frame_set_position(words, 1);
    emp_frame_set_size(words, 3);
    finish(&unused, frame, words);
    return true;
}

/* --------------------------------------------------------------------------------------- Attacks
 */

static void plausible(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    draw(forge, words);
    finish(forge, frame, words);
}

static void edges(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    draw(forge, words);
    for (uint32_t left = 1 + below(forge, 3); left > 0;) {
        const struct field *field = &fields[below(forge, FIELD_COUNT)];
        if (role_of(field) != PLAIN)
            continue;
        uint32_t *at = words + field->at;
        field->set(at, forge_edge(&forge->random, field->get(at), field->mask));
        left--;
    }
    finish(forge, frame, words);
}

static void random_fields(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    draw(forge, words);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (role_of(&fields[i]) == PLAIN && below(forge, 2))
            fields[i].set(words + fields[i].at, any_word(forge));
    identify(forge, words); /* by the kind it has now */
    finish(forge, frame, words);
}

static void answers(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    draw_kind(forge, words, EMP_FRAME_KIND_ACK + below(forge, 2));
    emp_frame_set_collection(words, emp_frame_get_collection(words) + below(forge, 5) - 2);
    finish(forge, frame, words);
}

static void headers(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    draw_kind(forge, words, EMP_FRAME_KIND_HEADER);
    finish(forge, frame, words);
}

static void cut_short(struct forge *forge, struct hostile_frame *frame) {
    plausible(forge, frame);
    frame->length = below(forge, frame->length);
}

static void runts(struct forge *forge, struct hostile_frame *frame) {
    plausible(forge, frame);
    frame->length = below(forge, FORGE_SHORTEST);
}

static void overlong(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    const uint32_t length = EMP_MTU + below(forge, FORGE_BYTES_LIMIT - EMP_MTU);
    draw(forge, words);
    if (!is_answer(words) && below(forge, 2))
        emp_frame_set_length(words, length - EMP_FRAME_BYTES - below(forge, 16));
    write(forge, frame, words, length);
}

/* The tag is between the addresses and the type. */
static void tagged(struct forge *forge, struct hostile_frame *frame) {
    const uint8_t tag[] = {0x81, 0x00, (uint8_t)any_word(forge), (uint8_t)any_word(forge)};
    const size_t at = 2 * ADDRESS_BYTES;
    plausible(forge, frame);
    memmove(frame->bytes + at + sizeof tag, frame->bytes + at, frame->length - at);
    memcpy(frame->bytes + at, tag, sizeof tag);
    frame->length += sizeof tag;
}

static void bad_checksum(struct forge *forge, struct hostile_frame *frame) {
    plausible(forge, frame);
    frame->bad_crc = true;
}

static void groups(struct forge *forge, struct hostile_frame *frame) {
    plausible(forge, frame);
    if (below(forge, 2)) {
        memset(frame->bytes, 0xFF, ADDRESS_BYTES);
        return;
    }
    for (size_t i = 0; i < ADDRESS_BYTES; i++)
        frame->bytes[i] = (uint8_t)any_word(forge);
    frame->bytes[0] |= 1;
}

static void foreign_types(struct forge *forge, struct hostile_frame *frame) {
    static const uint16_t types[] = {0x0800, 0x0806, 0x86DD, 0x8808, 0x88B6, 0x88B4, 46, 1500, 0};
    uint32_t type = types[below(forge, sizeof types / sizeof *types)];
    if (below(forge, 4) == 0)
        type = any_word(forge) & EMP_FRAME_TYPE_MASK;
    if (type == EMP_FRAME_TYPE_VALUE)
        type++;
    plausible(forge, frame);
    frame->bytes[2 * ADDRESS_BYTES] = (uint8_t)(type >> 8);
    frame->bytes[2 * ADDRESS_BYTES + 1] = (uint8_t)type;
}

static void pause_frames(struct forge *forge, struct hostile_frame *frame) {
    static const uint8_t head[] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
    static const uint8_t tail[] = {0x88, 0x08, 0x00, 0x01};
    memset(frame->bytes, 0, FORGE_SHORTEST);
    memcpy(frame->bytes, head, sizeof head);
    memcpy(frame->bytes + ADDRESS_BYTES, forge->own, ADDRESS_BYTES);
    memcpy(frame->bytes + 2 * ADDRESS_BYTES, tail, sizeof tail);
    frame->bytes[2 * ADDRESS_BYTES + 4] = (uint8_t)any_word(forge);
    frame->bytes[2 * ADDRESS_BYTES + 5] = (uint8_t)any_word(forge);
    frame->length = FORGE_SHORTEST;
    frame->bad_crc = false;
}

/* Right address and type, the rest is noise. A stranger's noise must not be right by chance. */
static void noise(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    for (size_t i = 0; i < FORGE_WORDS; i++)
        words[i] = any_word(forge);
    emp_frame_set_type(words, EMP_FRAME_TYPE_VALUE);
    if (below(forge, 2))
        emp_frame_set_kind(words, 1 + below(forge, EMP_FRAME_KIND_NACK));
    identify(forge, words);
    write(forge, frame, words, FORGE_SHORTEST + below(forge, EMP_MTU - FORGE_SHORTEST));
}

static void storm(struct forge *forge, struct hostile_frame *frame) {
    plausible(forge, frame);
    if (frame->length > FORGE_SHORTEST)
        frame->length = FORGE_SHORTEST;
}

static void replay(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    memcpy(words, forge->heard[1 - forge->victim][below(forge, 2)].words, sizeof words);
    identify(forge, words);
    finish(forge, frame, words);
}

/* Numbers that no node has, with the incarnations of those that are there. */
static void absent_senders(struct forge *forge, struct hostile_frame *frame) {
    uint32_t words[FORGE_WORDS];
    draw(forge, words);
    identify_known(forge, words);
    emp_frame_set_sender(words,
                         below(forge, 4) ? EMP_NODE_LIMIT - 1 - below(forge, 8) : forge->victim);
    if (below(forge, 2))
        emp_frame_set_message(words, 0);
    finish(forge, frame, words);
}

enum { BOTH = FORGE_STRANGER | FORGE_KNOWN };
const struct forgery forgeries[] = {
    {"plausible frames", BOTH, false, false, plausible},
    {"edges of fields", BOTH, false, false, edges},
    {"random fields", BOTH, false, false, random_fields},
    {"headers", BOTH, false, false, headers},
    {"answers", BOTH, false, false, answers},
    {"cut short", BOTH, false, false, cut_short},
    {"runts", BOTH, false, false, runts},
    {"overlong", BOTH, false, false, overlong},
    {"noise", BOTH, false, false, noise},
    {"storm", BOTH, true, false, storm},
    {"replays", FORGE_KNOWN, false, false, replay},
    {"bad checksums", FORGE_KNOWN, false, true, bad_checksum},
    {"VLAN tags", FORGE_KNOWN, false, !EMP_TAKES_TAGGED, tagged},
    {"groups", FORGE_KNOWN, false, true, groups},
    {"foreign types", FORGE_KNOWN, false, true, foreign_types},
    {"PAUSE", FORGE_STRANGER, false, false, pause_frames},
    {"absent senders", FORGE_STRANGER, false, false, absent_senders},
};

size_t forgery_count(void) {
    return sizeof forgeries / sizeof *forgeries;
}
