/* SPDX-License-Identifier: MIT */
/* What functions of the profile modern are for, at all sizes (proofs.c). */

void proof_frames_of_long(uint32_t length) {
    SUPPOSE(length > EMP_FIRST_FRAME_PAYLOAD && length <= EMP_MESSAGE_LIMIT);
    PROVE(has_frames(length, emp_frames_of_long(length)));
}

void proof_frame_of(uint8_t size, uint16_t collection) {
    SUPPOSE(size >= 1 && size <= EMP_COLLECTION_LIMIT);
    SUPPOSE(collection * size <= UINT16_MAX);
    SEND_MESSAGE.size = size;
    PROVE(emp_frame_of(MESSAGE, collection) == collection * size);
}

/* As large as fits, as few as can be, and as equal as so few can be: one frame less in each would
 * take one collection more. */
void proof_large_size(uint16_t frames, uint8_t collection_size) {
    SUPPOSE(collection_size >= 1 && collection_size <= EMP_COLLECTION_LIMIT);
    SUPPOSE(frames > collection_size && frames <= EMP_FRAME_LIMIT);
    EMP_PARAMETER(collection_size) = collection_size;
    uint32_t size = emp_large_size(frames);
    uint32_t fewest = (frames + EMP_ENLARGED_SIZE - 1) / EMP_ENLARGED_SIZE;
    PROVE(size >= collection_size && size <= EMP_ENLARGED_SIZE);
    PROVE(fewest * size >= frames);
    PROVE(size == collection_size || fewest * (size - 1) < frames);
}

/* Frames at these positions are sent again: all of the collection that the report leaves out, and
 * none beyond its end, where the message may have ended. */
void proof_missing_by(uint8_t size, uint16_t frames, uint16_t collection, uint16_t report,
                      uint8_t position) {
    SUPPOSE(size >= 1 && size <= EMP_COLLECTION_LIMIT);
    SUPPOSE(frames <= EMP_FRAME_LIMIT && collection * size < frames);
    SUPPOSE(position < 16);
    SEND_MESSAGE.size = size;
    SEND_MESSAGE.frames = frames;
    struct emp_frame gap;
    gap.collection = collection;
    gap.frame = report;
    bool is_missing = emp_missing_by(MESSAGE, &gap) >> position & 1;
    bool is_reported = report >> position & 1;
    bool is_there = position < size && collection * size + position < frames;
    PROVE(is_missing == (is_there && !is_reported));
}

void proof_lowest(uint16_t positions) {
    SUPPOSE(positions != 0 && positions < 1 << EMP_COLLECTION_LIMIT);
    uint32_t lowest = emp_lowest(positions);
    PROVE(lowest < EMP_COLLECTION_LIMIT);
    PROVE((positions >> lowest & 1) == 1);
    PROVE((positions & ((1 << lowest) - 1)) == 0);
}

/* No two collections of the window share a place. */
void proof_in_window(uint16_t collection, uint16_t later) {
    SUPPOSE(later >= 1 && later < EMP_COLLECTION_WINDOW);
    SUPPOSE(collection + later <= UINT16_MAX);
    PROVE(emp_in_window(collection) == collection % EMP_COLLECTION_WINDOW);
    PROVE(emp_in_window(collection) != emp_in_window((uint16_t)(collection + later)));
}
