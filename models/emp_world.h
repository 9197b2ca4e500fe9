/* Facts of the EMP world that Promela and C share. No conditional expressions: the two spell them
 * differently.
 *
 * Node 0 sends messages 0 .. MESSAGES - 1 of FRAMES frames each to node 1, all with one tag, so
 * that only their order tells them apart. Message m leaves from descriptor DESCRIPTOR_OF(m):
 * numbered backwards, so that a mix-up of the two numbers shows. Receives are posted in this order,
 * too, time and again where nodes restart; where they are cancelled, in the first descriptor of
 * this order that is free.
 */
#ifndef MODELS_EMP_WORLD_H
#define MODELS_EMP_WORLD_H

#define SENDER   0
#define RECEIVER 1
#define MESSAGES WORLD_MESSAGES
#define FRAMES   WORLD_FRAMES
#define TAG      7

/* Messages at the end for which no receive is ever posted. */
#ifdef WORLD_UNRECEIVED
#define UNRECEIVED WORLD_UNRECEIVED
#else
#define UNRECEIVED 0
#endif

/* How often the receiving host takes back a receive that no message has met. */
#ifdef WORLD_CANCELS
#define CANCELS WORLD_CANCELS
#else
#define CANCELS 0
#endif
#if CANCELS > 0 && WORLD_MESSAGES > 3
#error "the queue of waiting receives has room for three"
#endif

/* Receives that wait for a message, in order of posting, as a number: two bits each, descriptor
 * + 1. One that leaves has so many bits before it. */
#define APPENDED(queue, length, descriptor) ((queue) | ((descriptor) + 1) << 2 * (length))
#define FIRST_WAITING(queue)                (((queue)&3) - 1)
#define BITS_BEFORE(queue, descriptor)                                                             \
    (2 * (((queue)&3) != (descriptor) + 1) * (1 + ((((queue) >> 2) & 3) != (descriptor) + 1)))
#define WITHOUT(queue, bits)                                                                       \
    (((queue) & ((1 << (bits)) - 1)) | (((queue) >> ((bits) + 2)) << (bits)))

/* How often a node may restart, both together. The world counts the incarnations of a node from 1.
 * Its host numbers them as badly as it may: each has a number of its own, but they may rise or
 * fall. */
#ifdef WORLD_RESTARTS
#define RESTARTS WORLD_RESTARTS
#else
#define RESTARTS 0
#endif
#define EPOCHS (RESTARTS + 1)
#if RESTARTS > 0
#define NUMBER(epoch) ((epoch) + FALLING * (EPOCHS + 1 - 2 * (epoch)))
#else
#define NUMBER(epoch) (epoch)
#endif

/* Contacts in the order in which the receiver makes them up, 0 for none: the incarnations of the
 * sender that one of the receiver can take up, and one that is offered to whoever comes then. */
#define CONTACTS_EACH        (EPOCHS + 1)
#define CONTACTS             (EPOCHS * CONTACTS_EACH)
#define FIRST_CONTACT(epoch) (((epoch)-1) * CONTACTS_EACH + 1)
#define MADE_BY(contact)     (((contact) + CONTACTS_EACH - 1) / CONTACTS_EACH)
#define CONTACT_FIELD(contact)                                                                     \
    (((contact) != 0) *                                                                            \
     (NUMBER(MADE_BY(contact)) * 256 + ((contact) + CONTACTS_EACH - 1) % CONTACTS_EACH))
#define CONTACT_OF(field) (((field) != 0) * (FIRST_CONTACT(NUMBER((field) / 256)) + (field) % 256))

/* Messages of an incarnation are numbered from here on. */
#define MESSAGE_FIELD(epoch, message) (NUMBER(epoch) * 65536 + (message))
#define MESSAGE_OF_FIELD(field)       ((field) % 65536)
#define EPOCH_OF_FIELD(field)         NUMBER((field) / 65536)

/* Confirmations of placement the device may owe; frames for the receiver wait meanwhile. */
#ifdef WORLD_PLACEMENTS
#define PLACEMENT_LIMIT WORLD_PLACEMENTS
#else
#define PLACEMENT_LIMIT 1
#endif
/* When the sender has restarted, both messages it was sending are given up at once. */
#if RESTARTS > 0 && WORLD_MESSAGES > 1
#define PLACEMENT_SLOTS (PLACEMENT_LIMIT + 1)
#else
#define PLACEMENT_SLOTS PLACEMENT_LIMIT
#endif

/* Frames handed over whose data the wire may read late: at any time, or never within its event. */
#ifdef WORLD_READS
#if WORLD_READS != 1
#error "one frame at most waits to be read"
#endif
#define READS WORLD_READS
#else
#define READS 0
#endif

/* request_slot(): nothing asked, a slot asked for, or given and not used yet: within its event. */
#define SLOT_NONE   0
#define SLOT_WANTED 1
#define SLOT_GIVEN  2

#define NO_FRAME 255            /* confirms nothing but that all before it is done */
#define GIVEN_UP (MESSAGES + 1) /* held a message of an incarnation that is gone */

/* That of the host's senseless postings. */
#define SPARE_DESCRIPTOR MESSAGES

#define DESCRIPTOR_OF(message) (MESSAGES - 1 - (message))
#define MESSAGE_OF(descriptor) (MESSAGES - 1 - (descriptor))

/* --- one message cut into frames, and frames into collections --- */
/* There are two ways to cut where the size of collections changes while the node runs. */
#define SIZE EMP_INITIAL_COLLECTION_SIZE
#ifdef WORLD_OTHER_SIZE
#define WAYS         2
#define SIZE_IN(way) (SIZE + (way) * (WORLD_OTHER_SIZE - SIZE))
#define COLLECTIONS  ((FRAMES + WORLD_OTHER_SIZE - 1) / WORLD_OTHER_SIZE)
#if WORLD_OTHER_SIZE >= SIZE
#error "other_size must be the smaller one: it gives more collections"
#endif
#else
#define WAYS         1
#define SIZE_IN(way) SIZE
#define COLLECTIONS  ((FRAMES + SIZE - 1) / SIZE)
#endif
#define COLLECTION_OF(way, frame) ((frame) / SIZE_IN(way))
#define POSITION_OF(way, frame)   ((frame) % SIZE_IN(way))
#define SIZE_OF(way, collection)                                                                   \
    ((((collection) + 1) * SIZE_IN(way) <= FRAMES) * SIZE_IN(way) +                                \
     (((collection) + 1) * SIZE_IN(way) > FRAMES) * (FRAMES - (collection)*SIZE_IN(way)))
#define LAST_OF(way, collection) ((collection)*SIZE_IN(way) + SIZE_OF(way, collection) - 1)

#define OFFSET_OF(frame) (((frame) > 0) * ((frame)*EMP_FRAME_PAYLOAD - EMP_MESSAGE_HEADER_BYTES))
#define TOTAL            (OFFSET_OF(FRAMES - 1) + 100)
#define LENGTH_OF(frame)                                                                           \
    (((frame) + 1 == FRAMES) * (TOTAL - OFFSET_OF(frame)) +                                        \
     ((frame) + 1 < FRAMES) * (EMP_FRAME_PAYLOAD - ((frame) == 0) * EMP_MESSAGE_HEADER_BYTES))

/* What a posted receive can take: everything, or less, so that the end lies within a frame. */
#ifdef WORLD_CAPACITY
#define CAPACITY (OFFSET_OF(WORLD_CAPACITY - 1) + 50)
#else
#define CAPACITY TOTAL
#endif
#define ROOM_FOR(frame)                                                                            \
    ((OFFSET_OF(frame) < CAPACITY) *                                                               \
     ((OFFSET_OF(frame) + LENGTH_OF(frame) <= CAPACITY) * LENGTH_OF(frame) +                       \
      (OFFSET_OF(frame) + LENGTH_OF(frame) > CAPACITY) * (CAPACITY - OFFSET_OF(frame))))
#define RECEIVED ((TOTAL <= CAPACITY) * EMP_RESULT_OK + (TOTAL > CAPACITY) * EMP_RESULT_TRUNCATED)

/* --- sets of frames: bits of `placed` and `memory` --- */
#define CODE_OF(message, frame) ((message)*FRAMES + (frame))
#define COLLECTION_BITS(way, message, collection)                                                  \
    (((1 << SIZE_OF(way, collection)) - 1) << CODE_OF(message, (collection)*SIZE_IN(way)))
#define MESSAGE_BITS(message) (((1 << FRAMES) - 1) << ((message)*FRAMES))

/* What must be settled before a message, or a collection of one, may be sent. */
#define MESSAGES_BEFORE(message)                                                                   \
    ((1 << (((message) + 1 > EMP_MESSAGE_WINDOW) * ((message) + 1 - EMP_MESSAGE_WINDOW))) - 1)
#define COLLECTIONS_BEFORE(way, message, collection)                                               \
    (((1 << (((collection) + 1 > EMP_COLLECTION_WINDOW) *                                          \
             ((collection) + 1 - EMP_COLLECTION_WINDOW) * SIZE_IN(way))) -                         \
      1)                                                                                           \
     << CODE_OF(message, 0))

/* A confirmation owed: of a frame of a message that was cut in this way. */
#define PLACED_CODE(way, message, frame) ((way)*MESSAGES * FRAMES + CODE_OF(message, frame))
#define PLACED_WAY(code)                 ((code) / (MESSAGES * FRAMES))
#define PLACED_MESSAGE(code)             ((code) / FRAMES % MESSAGES)
#define PLACED_FRAME(code)               ((code) % FRAMES)
#define PLACED_BITS(code)                                                                          \
    COLLECTION_BITS(PLACED_WAY(code), PLACED_MESSAGE(code),                                        \
                    COLLECTION_OF(PLACED_WAY(code), PLACED_FRAME(code)))

/* --- what is on the wire, as a number --- */
/* The sender's incarnation and the contact, as a frame names them. */
#define PAIRS                   (EPOCHS * (CONTACTS + 1))
#define PAIR_OF(epoch, contact) (((epoch)-1) * (CONTACTS + 1) + (contact))
#define EPOCH_OF(pair)          ((pair) / (CONTACTS + 1) + 1)
#define CONTACT_IN(pair)        ((pair) % (CONTACTS + 1))
#define PAIR_IN_FRAME(g)        PAIR_OF(EPOCH_OF_FIELD(g.message), CONTACT_OF(g.contact))

/* Frames of messages, acknowledgements, refusals of messages for one reason or the other, refusals
 * of a contact. */
#define ANSWER_CODES (PAIRS * WAYS * MESSAGES * FRAMES)
#define NACK_CODES   (ANSWER_CODES + PAIRS * WAYS * MESSAGES * COLLECTIONS)
#define OTHER_CODES  (NACK_CODES + PAIRS * MESSAGES * 2)
#define LINK_CODES   (OTHER_CODES + PAIRS * CONTACTS * MESSAGES)

#define FRAME_CODE(pair, way, message, frame)                                                      \
    (((pair)*WAYS + (way)) * MESSAGES * FRAMES + CODE_OF(message, frame))
#define PAIR_IN(code)    ((code) / (WAYS * MESSAGES * FRAMES))
#define WAY_IN(code)     ((code) / (MESSAGES * FRAMES) % WAYS)
#define MESSAGE_IN(code) ((code) / FRAMES % MESSAGES)
#define FRAME_IN(code)   ((code) % FRAMES)

#define ACK_CODE(pair, way, message, collection)                                                   \
    (ANSWER_CODES + (((pair)*WAYS + (way)) * MESSAGES + (message)) * COLLECTIONS + (collection))
#define ACK_PAIR_IN(code)       (((code)-ANSWER_CODES) / (WAYS * MESSAGES * COLLECTIONS))
#define ACK_WAY_IN(code)        (((code)-ANSWER_CODES) / (MESSAGES * COLLECTIONS) % WAYS)
#define ACK_MESSAGE_IN(code)    (((code)-ANSWER_CODES) / COLLECTIONS % MESSAGES)
#define ACK_COLLECTION_IN(code) (((code)-ANSWER_CODES) % COLLECTIONS)

/* `not_yet`: 1 for NOT_YET, 0 for RECEIVER_NOT_READY. */
#define NACK_CODE(pair, message, not_yet)                                                          \
    (NACK_CODES + ((pair)*MESSAGES + (message)) * 2 + (not_yet))
#define NACK_PAIR_IN(code)    (((code)-NACK_CODES) / (MESSAGES * 2))
#define NACK_MESSAGE_IN(code) (((code)-NACK_CODES) / 2 % MESSAGES)
#define NACK_NOT_YET_IN(code) (((code)-NACK_CODES) % 2)
#define NACK_REASON_IN(code)                                                                       \
    (NACK_NOT_YET_IN(code) * EMP_REFUSAL_NOT_YET +                                                 \
     (1 - NACK_NOT_YET_IN(code)) * EMP_REFUSAL_RECEIVER_NOT_READY)

#define OTHER_CODE(pair, offered, message)                                                         \
    (OTHER_CODES + ((pair)*CONTACTS + (offered)-1) * MESSAGES + (message))
#define OTHER_PAIR_IN(code)    (((code)-OTHER_CODES) / (CONTACTS * MESSAGES))
#define OTHER_OFFERED_IN(code) (((code)-OTHER_CODES) / MESSAGES % CONTACTS + 1)
#define OTHER_MESSAGE_IN(code) (((code)-OTHER_CODES) % MESSAGES)

/* `g` is a plain name, or parenthesised: Promela takes no brackets around a record.
 * In which of the ways are the frame's message and its collections cut? The world carries frames as
 * numbers, so a frame must be the one the world itself would write for its number. */
#define CUT_IN(g, way)                                                                             \
    (g.collection == COLLECTION_OF(way, g.frame) && g.position == POSITION_OF(way, g.frame) &&     \
     g.size == SIZE_OF(way, g.collection))
#define WAY_OF(g) (!CUT_IN(g, 0) * (WAYS - 1))
#define FAITHFUL_NUMBERS(g)                                                                        \
    (MESSAGE_OF_FIELD(g.message) < MESSAGES && EPOCH_OF_FIELD(g.message) >= 1 &&                   \
     EPOCH_OF_FIELD(g.message) <= EPOCHS && CONTACT_OF(g.contact) <= CONTACTS &&                   \
     CONTACT_FIELD(CONTACT_OF(g.contact)) == g.contact)
#define FAITHFUL(g)                                                                                \
    (FAITHFUL_NUMBERS(g) && g.frame < FRAMES &&                                                    \
     g.kind == (g.frame == 0) * EMP_FRAME_KIND_HEADER + (g.frame != 0) * EMP_FRAME_KIND_DATA &&    \
     (CUT_IN(g, 0) || CUT_IN(g, WAYS - 1)) && g.sender == SENDER &&                                \
     g.length == LENGTH_OF(g.frame) && g.total_length == TOTAL && g.frames == FRAMES &&            \
     g.tag == TAG)

/* Does the answer name a collection of a message? */
#define FAITHFUL_ANSWER(g)                                                                         \
    (FAITHFUL_NUMBERS(g) && g.collection < COLLECTIONS && g.sender == RECEIVER &&                  \
     (g.kind == EMP_FRAME_KIND_ACK ||                                                              \
      (g.kind == EMP_FRAME_KIND_NACK &&                                                            \
       (g.length == EMP_REFUSAL_RECEIVER_NOT_READY || g.length == EMP_REFUSAL_NOT_YET ||           \
        g.length == EMP_REFUSAL_OTHER_CONTACT))))

#endif
