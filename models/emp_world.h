/* Facts of the EMP world that Promela and C share. No conditional expressions: the two spell them
 * differently.
 *
 * Node 0 sends messages 0 .. MESSAGES - 1 of FRAMES frames each to node 1, all with one tag, so
 * that only their order tells them apart. Message m leaves from descriptor DESCRIPTOR_OF(m):
 * numbered backwards, so that a mix-up of the two numbers shows. Receives are posted in this order,
 * too, time and again where nodes restart.
 */
#ifndef MODELS_EMP_WORLD_H
#define MODELS_EMP_WORLD_H

#define SENDER   0
#define RECEIVER 1
#define MESSAGES WORLD_MESSAGES
#define FRAMES   WORLD_FRAMES
#define TAG      7

/* How often a node may restart, both together; an incarnation is numbered from 1. */
#ifdef WORLD_RESTARTS
#define RESTARTS WORLD_RESTARTS
#else
#define RESTARTS 0
#endif
#define EPOCHS (RESTARTS + 1)

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
#define NO_FRAME 255            /* confirms nothing but that all before it is done */
#define GIVEN_UP (MESSAGES + 1) /* held a message of an incarnation that is gone */

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

/* --- what is on the wire, as a number --- */
/* Two incarnations, as a frame names them: its sending side's, and its receiving side's or 0. */
#define PAIRS                (EPOCHS * (EPOCHS + 1))
#define PAIR_OF(epoch, peer) (((epoch)-1) * (EPOCHS + 1) + (peer))
#define EPOCH_OF(pair)       ((pair) / (EPOCHS + 1) + 1)
#define PEER_OF(pair)        ((pair) % (EPOCHS + 1))

/* Frames of messages, acknowledgements, refusals of messages, refusals of an incarnation. */
#define ANSWER_CODES (PAIRS * MESSAGES * FRAMES)
#define NACK_CODES   (ANSWER_CODES + PAIRS * MESSAGES * COLLECTIONS)
#define EPOCH_CODES  (NACK_CODES + PAIRS * MESSAGES)
#define LINK_CODES   (EPOCH_CODES + PAIRS * EPOCHS * MESSAGES)

#define FRAME_CODE(epoch, peer, message, frame)                                                    \
    (PAIR_OF(epoch, peer) * MESSAGES * FRAMES + CODE_OF(message, frame))
#define PAIR_IN(code)    ((code) / (MESSAGES * FRAMES))
#define MESSAGE_IN(code) ((code) / FRAMES % MESSAGES)
#define FRAME_IN(code)   ((code) % FRAMES)

#define ACK_CODE(epoch, peer, message, collection)                                                 \
    (ANSWER_CODES + (PAIR_OF(epoch, peer) * MESSAGES + (message)) * COLLECTIONS + (collection))
#define ACK_PAIR_IN(code)       (((code)-ANSWER_CODES) / (MESSAGES * COLLECTIONS))
#define ACK_MESSAGE_IN(code)    (((code)-ANSWER_CODES) / COLLECTIONS % MESSAGES)
#define ACK_COLLECTION_IN(code) (((code)-ANSWER_CODES) % COLLECTIONS)

#define NACK_CODE(epoch, peer, message) (NACK_CODES + PAIR_OF(epoch, peer) * MESSAGES + (message))
#define NACK_PAIR_IN(code)              (((code)-NACK_CODES) / MESSAGES)
#define NACK_MESSAGE_IN(code)           (((code)-NACK_CODES) % MESSAGES)

#define EPOCH_CODE(epoch, peer, own, message)                                                      \
    (EPOCH_CODES + (PAIR_OF(epoch, peer) * EPOCHS + (own)-1) * MESSAGES + (message))
#define EPOCH_PAIR_IN(code)    (((code)-EPOCH_CODES) / (EPOCHS * MESSAGES))
#define EPOCH_OWN_IN(code)     (((code)-EPOCH_CODES) / MESSAGES % EPOCHS + 1)
#define EPOCH_MESSAGE_IN(code) (((code)-EPOCH_CODES) % MESSAGES)

/* `g` is a plain name, or parenthesised: Promela takes no brackets around a record.
 * Is this the header the world itself would write for the frame? It carries frames as numbers, so
 * it must be. */
#define FAITHFUL(g)                                                                                \
    (g.message < MESSAGES && g.frame < FRAMES &&                                                   \
     g.kind == (g.frame == 0) * EMP_FRAME_KIND_HEADER + (g.frame != 0) * EMP_FRAME_KIND_DATA &&    \
     g.position == POSITION_OF(g.frame) && g.sender == SENDER && g.peer_epoch <= EPOCHS &&         \
     g.length == LENGTH_OF(g.frame) && g.collection == COLLECTION_OF(g.frame) &&                   \
     g.size == SIZE_OF(g.collection) && g.total_length == TOTAL && g.frames == FRAMES &&           \
     g.tag == TAG)

/* Does the answer name a collection of a message? */
#define FAITHFUL_ANSWER(g)                                                                         \
    (g.message < MESSAGES && g.collection < COLLECTIONS && g.epoch >= 1 && g.epoch <= EPOCHS &&    \
     g.peer_epoch <= EPOCHS && g.sender == RECEIVER &&                                             \
     (g.kind == EMP_FRAME_KIND_ACK ||                                                              \
      (g.kind == EMP_FRAME_KIND_NACK &&                                                            \
       (g.length == EMP_REFUSAL_RECEIVER_NOT_READY || g.length == EMP_REFUSAL_PEER_EPOCH))))

#endif
