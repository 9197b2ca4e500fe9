/* SPDX-License-Identifier: MIT */
#include "host/replay/letters.h"

#include "emp/emp_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { UNTOUCHED = 0xEE };

static uint8_t content(unsigned side, size_t message, uint32_t offset) {
    uint32_t value = offset * 128 + (uint32_t)message * 2 + side + 1;
    value = (value ^ value >> 16) * 0x7FEB352DU;
    value = (value ^ value >> 15) * 0x846CA68BU;
    return (uint8_t)(value ^ value >> 16);
}

static uint32_t offset_of(uint32_t frame) {
    return frame == 0 ? 0 : frame * EMP_FRAME_PAYLOAD - EMP_MESSAGE_HEADER_BYTES;
}

static uint32_t end_of(uint32_t frame, uint32_t bytes) {
    const uint32_t end = offset_of(frame + 1);
    return end < bytes ? end : bytes;
}

int letters_post(struct letters *letters, struct libemp_board *board, bool send, uint16_t peer,
                 uint16_t tag, uint32_t bytes) {
    const size_t number = send ? letters->sends : letters->receives;
    struct letter *letter = send ? &letters->send[number] : &letters->receive[number];
    if (number == LETTER_LIMIT || bytes > offset_of(LETTER_FRAMES))
        return -E2BIG;
    memset(letter, 0, sizeof *letter);
    letter->bytes = bytes;
    letter->area = libemp_allocate(board, bytes ? bytes : 1);
    if (!letter->area)
        return -ENOMEM;
    for (uint32_t i = 0; i < bytes; i++)
        letter->area[i] = send ? content(letters->side, number, i) : UNTOUCHED;
    int error = libemp_register(board, letter->area, bytes ? bytes : 1, &letter->memory);
    if (error)
        return error;
    const struct libemp_piece all = {letter->memory, 0, bytes};
    error = (send ? libemp_post_send : libemp_post_receive)(board, peer, tag, &all, 1,
                                                            &letter->request);
    if (error)
        return error;
    letter->posted = true;
    if (send)
        letters->sends++;
    else
        letters->receives++;
    return 0;
}

int letters_cancel(struct letters *letters, struct libemp_board *board, uint64_t number) {
    if (number >= letters->receives)
        return -ENOENT;
    return libemp_cancel(board, letters->receive[number].request);
}

static bool untouched(const struct letter *receive, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        if (receive->area[i] != UNTOUCHED)
            return false;
    return true;
}

static bool is_of(const struct letter *receive, unsigned side, size_t message, uint32_t from,
                  uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        if (receive->area[i] != content(side, message, i))
            return false;
    return true;
}

void letters_tell_memory(struct letters *letters, const struct letters *from, FILE *stream) {
    for (size_t r = 0; r < letters->receives; r++) {
        const struct letter *receive = &letters->receive[r];
        uint32_t explained = 0;
        uint32_t touched = 0;
        for (uint32_t n = 0; n < LETTER_FRAMES && offset_of(n) < receive->bytes; n++)
            if (!untouched(receive, offset_of(n), end_of(n, receive->bytes)))
                touched |= UINT32_C(1) << n;
        for (size_t m = 0; m < from->sends; m++) {
            const uint32_t bytes =
                from->send[m].bytes < receive->bytes ? from->send[m].bytes : receive->bytes;
            uint32_t held = 0;
            for (uint32_t n = 0; n < LETTER_FRAMES && offset_of(n) < bytes; n++)
                if ((touched & UINT32_C(1) << n) &&
                    is_of(receive, from->side, m, offset_of(n), end_of(n, bytes)))
                    held |= UINT32_C(1) << n;
            explained |= held;
            if (held != letters->held[r][m])
                (void)fprintf(stream, "memory %u %zu %zu 0x%" PRIx32 "\n", letters->side, r, m,
                              held);
            letters->held[r][m] = held;
        }
        const uint32_t torn = touched & ~explained;
        if (torn != letters->torn[r])
            (void)fprintf(stream, "torn %u %zu 0x%" PRIx32 "\n", letters->side, r, torn);
        letters->torn[r] = torn;
    }
}

static void look(struct letter *letter, struct libemp_board *board, const char *what, unsigned side,
                 size_t number, FILE *stream) {
    struct libemp_completion completion = {0};
    if (!letter->posted)
        return;
    const int error = libemp_test(board, letter->request, &completion);
    if (error == -EAGAIN)
        return;
    letter->posted = false;
    (void)fprintf(stream, "done %u %s %zu %d %" PRIu32 "\n", side, what, number, error,
                  completion.length);
}

void letters_tell_finished(struct letters *letters, struct libemp_board *board, FILE *stream) {
    for (size_t i = 0; i < letters->sends; i++)
        look(&letters->send[i], board, "send", letters->side, i, stream);
    for (size_t i = 0; i < letters->receives; i++)
        look(&letters->receive[i], board, "receive", letters->side, i, stream);
}

size_t letters_posted(const struct letters *letters) {
    size_t count = 0;
    for (size_t i = 0; i < letters->sends; i++)
        count += letters->send[i].posted;
    for (size_t i = 0; i < letters->receives; i++)
        count += letters->receive[i].posted;
    return count;
}

void letters_forget(struct letters *letters) {
    for (size_t i = 0; i < LETTER_LIMIT; i++) {
        letters->send[i].posted = false;
        letters->receive[i].posted = false;
    }
}
