/* Facts of the EMP world that Promela and C share. No conditional expressions: the two spell them
 * differently.
 *
 * Node 0 sends messages 0 .. MESSAGES - 1 of FRAMES frames each to node 1, all with one tag, so
 * that only their order tells them apart. Message m leaves from and arrives in descriptor
 * DESCRIPTOR_OF(m) of its node: numbered backwards, so that a mix-up of the two numbers shows.
 */
#ifndef MODELS_EMP_WORLD_H
#define MODELS_EMP_WORLD_H

#define SENDER   0
#define RECEIVER 1
#define MESSAGES WORLD_MESSAGES
#define FRAMES   WORLD_FRAMES
#define TAG      7
#define EPOCH    1

/* Confirmations of placement the device may owe; frames for the receiver wait meanwhile. */
#ifdef WORLD_PLACEMENTS
#define PLACEMENT_LIMIT WORLD_PLACEMENTS
#else
#define PLACEMENT_LIMIT 1
#endif

#define DESCRIPTOR_OF(message) (MESSAGES - 1 - (message))
#define MESSAGE_OF(descriptor) (MESSAGES - 1 - (descriptor))

/* --- one message cut into frames, and frames into collections --- */
#define SIZE                 EMP_VALUE_COLLECTION_SIZE
#define COLLECTIONS          ((FRAMES + SIZE - 1) / SIZE)
#define COLLECTION_OF(frame) ((frame) / SIZE)
#define POSITION_OF(frame)   ((frame) % SIZE)
#define SIZE_OF(collection)                                                                        \
    ((((collection) + 1) * SIZE <= FRAMES) * SIZE +                                                \
     (((collection) + 1) * SIZE > FRAMES) * (FRAMES - (collection)*SIZE))
#define LAST_OF(collection) ((collection)*SIZE + SIZE_OF(collection) - 1)

#define OFFSET_OF(frame) (((frame) > 0) * ((frame)*EMP_FRAME_PAYLOAD - EMP_MESSAGE_HEADER_BYTES))
#define TOTAL            (OFFSET_OF(FRAMES - 1) + 100)
#define LENGTH_OF(frame)                                                                           \
    (((frame) + 1 == FRAMES) * (TOTAL - OFFSET_OF(frame)) +                                        \
     ((frame) + 1 < FRAMES) * (EMP_FRAME_PAYLOAD - ((frame) == 0) * EMP_MESSAGE_HEADER_BYTES))

/* --- sets of frames: bits of `placed` and `memory` --- */
#define CODE_OF(message, frame) ((message)*FRAMES + (frame))
#define COLLECTION_BITS(message, collection)                                                       \
    (((1 << SIZE_OF(collection)) - 1) << CODE_OF(message, (collection)*SIZE))
#define MESSAGE_BITS(message) (((1 << FRAMES) - 1) << ((message)*FRAMES))

/* --- what is on the wire, as a number: frames of messages, acknowledgements, refusals --- */
#define ANSWER_CODES                  (MESSAGES * FRAMES)
#define NACK_CODES                    (ANSWER_CODES + MESSAGES * COLLECTIONS)
#define MESSAGE_IN(code)              ((code) / FRAMES)
#define FRAME_IN(code)                ((code) % FRAMES)
#define ACK_CODE(message, collection) (ANSWER_CODES + (message)*COLLECTIONS + (collection))
#define ACK_MESSAGE_IN(code)          (((code)-ANSWER_CODES) / COLLECTIONS)
#define ACK_COLLECTION_IN(code)       (((code)-ANSWER_CODES) % COLLECTIONS)
#define NACK_CODE(message)            (NACK_CODES + (message))
#define NACK_MESSAGE_IN(code)         ((code)-NACK_CODES)
#define LINK_CODE                     byte

/* `g` is a plain name, or parenthesised: Promela takes no brackets around a record.
 * Is this the header the world itself would write for the frame? It carries frames as numbers, so
 * it must be. */
#define FAITHFUL(g)                                                                                \
    (g.message < MESSAGES && g.frame < FRAMES &&                                                   \
     g.kind == (g.frame == 0) * EMP_FRAME_KIND_HEADER + (g.frame != 0) * EMP_FRAME_KIND_DATA &&    \
     g.position == POSITION_OF(g.frame) && g.epoch == EPOCH && g.sender == SENDER &&               \
     g.length == LENGTH_OF(g.frame) && g.collection == COLLECTION_OF(g.frame) &&                   \
     g.size == SIZE_OF(g.collection) && g.total_length == TOTAL && g.frames == FRAMES &&           \
     g.tag == TAG)

/* Does the answer name a collection of a message? */
#define FAITHFUL_ANSWER(g)                                                                         \
    (g.message < MESSAGES && g.collection < COLLECTIONS && g.epoch == EPOCH &&                     \
     g.sender == RECEIVER && (g.kind == EMP_FRAME_KIND_ACK || g.kind == EMP_FRAME_KIND_NACK))

#endif
