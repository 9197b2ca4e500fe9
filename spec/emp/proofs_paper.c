/* SPDX-License-Identifier: MIT */
/* What functions of the profile paper are for, at all sizes (proofs.c). */

void proof_frames_for(uint32_t length) {
    SUPPOSE(length <= EMP_MESSAGE_LIMIT);
    PROVE(has_frames(length, emp_frames_for(length)));
}

/* From the frame at which the oldest collection begins. */
void proof_frame_of(uint8_t size, uint16_t base, uint16_t collection) {
    SUPPOSE(size >= 1 && size <= EMP_COLLECTION_LIMIT);
    SUPPOSE(base <= collection && collection - base <= EMP_COLLECTION_WINDOW);
    SUPPOSE(collection * size <= EMP_FRAME_LIMIT);
    SEND_MESSAGE.size = size;
    SEND_MESSAGE.base = base;
    SEND_MESSAGE.base_frame = (uint16_t)(base * size);
    PROVE(emp_frame_of(MESSAGE, collection) == collection * size);
}

/* No two messages of the window share a place. */
void proof_slot(uint32_t message, uint32_t later) {
    SUPPOSE(later >= 1 && later < EMP_MESSAGE_WINDOW);
    PROVE(emp_slot(message) < EMP_MESSAGE_WINDOW);
    PROVE(emp_slot(message) != emp_slot(message + later));
}

/* The first collection behind the cursor that is not acknowledged, or the end. */
void proof_next_lost(uint32_t settled, uint16_t base, uint16_t next, uint16_t cursor,
                     uint16_t between) {
    SUPPOSE(base <= next && next - base <= EMP_COLLECTION_WINDOW);
    SUPPOSE(next <= EMP_FRAME_LIMIT);
    SEND_MESSAGE.settled = settled;
    SEND_MESSAGE.base = base;
    SEND_MESSAGE.next = next;
    SEND_MESSAGE.cursor = cursor;
    uint32_t lost = emp_next_lost(MESSAGE);
    PROVE(lost >= base && lost <= next);
    PROVE(lost == next || (lost > cursor && (settled >> (lost - base) & 1) == 0));
    SUPPOSE(between >= base && between < lost);
    PROVE(between <= cursor || (settled >> (between - base) & 1) == 1);
}
