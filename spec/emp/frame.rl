/* SPDX-License-Identifier: MIT */
/*
 * The frames EMP accepts, as a language over 32-bit words: is it one of ours, and whole? What its
 * fields hold is emp_codec.h's to say.
 *
 * Words are big-endian words of the frame as host integers, beginning with the destination address.
 * The alphabet is words, not bytes, because the chip loads words (toolchain.md 5); the ranges come
 * from the layouts (frame_ranges.c). What a word alphabet cannot say, a field in the low bits of a
 * word, is an action. Whether a frame makes sense for its message is not decided here but in the
 * machines.
 *
 * Whether the words are there is asked twice, by actions, not before each word: hence noend.
 *
 * Ragel must run with -G2: -F0 and -F1 are silently wrong with this alphabet.
 */
#include "spec/emp/frame.h"

%%{
    machine emp_frame;
    alphtype unsigned int;
    include emp_frame_ranges "frame_ranges.rl";

    action own {
        if (*p != own)
            return EMP_ACCEPTANCE_FOREIGN;
    }
    action kind {
        kind = *p >> EMP_FRAME_KIND_SHIFT & EMP_FRAME_KIND_MASK;
        ours = EMP_ACCEPTANCE_MALFORMED;
        if (bytes < EMP_FRAME_BYTES ||
            (*p >> EMP_FRAME_SENDER_SHIFT & EMP_FRAME_SENDER_MASK) >= EMP_NODE_LIMIT)
            return ours;
    }
    action length {
        length = *p >> EMP_FRAME_LENGTH_SHIFT & EMP_FRAME_LENGTH_MASK;
    }
    action size {
        if ((*p >> EMP_FRAME_SIZE_SHIFT & EMP_FRAME_SIZE_MASK) == 0)
            return EMP_ACCEPTANCE_MALFORMED;
    }
    action short_kind {
        if (kind != EMP_FRAME_KIND_HEADER)
            return kind != EMP_FRAME_KIND_DATA || length <= bytes - EMP_FRAME_BYTES
                       ? EMP_ACCEPTANCE_OK
                       : EMP_ACCEPTANCE_MALFORMED;
    }
    action header_kind {
        return bytes >= EMP_FRAME_HEADER_LIMIT && length <= bytes - EMP_FRAME_HEADER_LIMIT
                   ? EMP_ACCEPTANCE_OK
                   : EMP_ACCEPTANCE_MALFORMED;
    }

    address    = any @own any any;
    numbers    = any @length any any @size @short_kind @header_kind;

    # One path for all kinds, parted by an action: three paths would be three copies of the code.
    # Only the data of HEADER and DATA frames must be there; what follows them is padding.
    main := address (header_word | data_word | answer_word) @kind numbers;
}%%

%% write data noerror nofinal noentry;

EMP_PARSE_ATTRIBUTES enum emp_acceptance emp_frame_parse(const uint32_t *words, uint32_t bytes,
                                                         uint32_t own) {
    const uint32_t *p = words;
    enum emp_acceptance ours = EMP_ACCEPTANCE_FOREIGN;
    uint32_t kind = 0;
    uint32_t length = 0;
    int cs;

    %% write init;
    %% write exec noend;

    return ours;
}
