/* SPDX-License-Identifier: MIT */
/*
 * What functions of the spec are for, at all sizes: `make prove` (models/proof/statements.h).
 * Here what holds in each profile; proofs_paper.c and proofs_modern.c have the rest.
 */

/* The records of a pool are alike: this one stands for all. */
#define MESSAGE         1u
#define SEND_MESSAGE    EMP_STATE(send_message)[MESSAGE - 1u]
#define RECEIVE_MESSAGE EMP_STATE(receive_message)[MESSAGE - 1u]

/* Has a message of this length so many frames? */
static bool has_frames(uint32_t length, uint32_t frames) {
    if (frames == 1)
        return length <= EMP_FIRST_FRAME_PAYLOAD;
    return frames >= 2 && frames <= EMP_FRAME_LIMIT &&
           length > EMP_FIRST_FRAME_PAYLOAD + (frames - 2) * EMP_FRAME_PAYLOAD &&
           length <= EMP_FIRST_FRAME_PAYLOAD + (frames - 1) * EMP_FRAME_PAYLOAD;
}

/* The frames of a collection lie in the message; only the last collection is short. */
void proof_collection_frames(uint8_t size, uint16_t frames, uint16_t first) {
    SUPPOSE(size >= 1 && size <= EMP_COLLECTION_LIMIT);
    SUPPOSE(frames <= EMP_FRAME_LIMIT && first < frames);
    SEND_MESSAGE.size = size;
    SEND_MESSAGE.frames = frames;
    uint32_t there = emp_collection_frames(MESSAGE, first);
    PROVE(there >= 1 && there <= size);
    PROVE(first + there <= frames);
    PROVE(there == size || first + there == frames);
}

/* Frames cover a message without gap and overlap, and each has something of it. */
void proof_offset_and_length(uint32_t total, uint16_t frames, uint16_t frame) {
    SUPPOSE(total >= 1 && total <= EMP_MESSAGE_LIMIT && has_frames(total, frames));
    SUPPOSE(frame < frames);
    uint32_t length = emp_length_of(frame, frames, total);
    PROVE(emp_offset_of(0) == 0);
    PROVE(length >= 1 && length <= EMP_FRAME_PAYLOAD);
    uint32_t end = emp_offset_of(frame) + length;
    PROVE(end == (frame + 1 == frames ? total : emp_offset_of((uint16_t)(frame + 1))));
}

/* A header that is believed gives as many frames as its length takes. */
void proof_plausible(uint32_t total_length, uint16_t frames, uint16_t frame, uint16_t collection,
                     uint8_t position, uint8_t size, uint16_t length) {
    struct emp_frame f;
    f.total_length = total_length;
    f.frames = frames;
    f.frame = frame;
    f.collection = collection;
    f.position = position;
    f.size = size;
    f.length = length;
    SUPPOSE(emp_plausible(&f));
    PROVE(total_length <= EMP_MESSAGE_LIMIT && has_frames(total_length, frames));
    PROVE(size <= frames);
    PROVE(length <= total_length && length <= EMP_FIRST_FRAME_PAYLOAD);
}

/* What is taken of a frame lies in the host's buffer; if not all has room, the buffer is full then.
 */
void proof_room(uint32_t capacity, uint16_t frame, uint16_t length) {
    SUPPOSE(frame < EMP_FRAME_LIMIT && length <= EMP_FRAME_PAYLOAD);
    RECEIVE_MESSAGE.capacity = capacity;
    struct emp_frame f;
    f.frame = frame;
    f.length = length;
    uint32_t place = emp_offset_of(frame);
    uint32_t taken = emp_room(MESSAGE, &f);
    PROVE(taken == 0 || (place <= capacity && taken <= capacity - place));
    PROVE(taken <= length);
    PROVE(taken == length || place >= capacity || taken == capacity - place);
}
