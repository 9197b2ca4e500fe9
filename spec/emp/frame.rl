/*
 * The frames EMP accepts, as a language over 32-bit words: which kind, and is it whole?
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
            return EMP_PARSE_FOREIGN;
    }
    action kind {
        word = *p;
        frame->kind = (uint8_t)(word >> EMP_FRAME_KIND_SHIFT & EMP_FRAME_KIND_MASK);
        frame->position = (uint8_t)(word >> EMP_FRAME_POSITION_SHIFT & EMP_FRAME_POSITION_MASK);
        frame->sender = (uint8_t)(word >> EMP_FRAME_SENDER_SHIFT & EMP_FRAME_SENDER_MASK);
        ours = EMP_PARSE_MALFORMED;
        if (bytes < EMP_FRAME_BYTES || frame->sender >= EMP_NODE_LIMIT)
            return ours;
    }
    action contact {
        word = *p;
        frame->contact = (uint16_t)(word >> EMP_FRAME_CONTACT_SHIFT & EMP_FRAME_CONTACT_MASK);
        frame->length = (uint16_t)(word >> EMP_FRAME_LENGTH_SHIFT & EMP_FRAME_LENGTH_MASK);
    }
    action message {
        frame->message = *p;
    }
    action place {
        word = *p;
        frame->frame = (uint16_t)(word >> EMP_FRAME_FRAME_SHIFT & EMP_FRAME_FRAME_MASK);
        frame->collection =
            (uint16_t)(word >> EMP_FRAME_COLLECTION_SHIFT & EMP_FRAME_COLLECTION_MASK);
        frame->size = (uint8_t)(word >> EMP_FRAME_SIZE_SHIFT & EMP_FRAME_SIZE_MASK);
        if (frame->size == 0)
            return EMP_PARSE_MALFORMED;
    }
    action begin {
        frame->total_length = *p;
    }
    action tag {
        word = *p;
        frame->frames = (uint16_t)(word >> EMP_MESSAGE_HEADER_FRAMES_SHIFT &
                                   EMP_MESSAGE_HEADER_FRAMES_MASK);
        frame->tag = (uint16_t)(word >> EMP_MESSAGE_HEADER_TAG_SHIFT &
                                EMP_MESSAGE_HEADER_TAG_MASK);
    }
    action short_kind {
        if (frame->kind != EMP_FRAME_KIND_HEADER)
            return frame->kind != EMP_FRAME_KIND_DATA || frame->length <= bytes - EMP_FRAME_BYTES
                       ? EMP_PARSE_OK
                       : EMP_PARSE_MALFORMED;
        if (bytes < EMP_PARSE_BYTES)
            return EMP_PARSE_MALFORMED;
    }
    action header_kind {
        return frame->length <= bytes - EMP_PARSE_BYTES ? EMP_PARSE_OK : EMP_PARSE_MALFORMED;
    }

    address    = any @own any any;
    numbers    = any @contact any @message any @place;
    start      = any @begin any @tag;

    # One path for all kinds, parted by an action: three paths would be three copies of the code.
    # Only the data of HEADER and DATA frames must be there; what follows them is padding.
    main := address (header_word | data_word | answer_word) @kind
            numbers @short_kind start @header_kind;
}%%

%% write data noerror nofinal noentry;

EMP_PARSE_ATTRIBUTES enum emp_parse emp_frame_parse(const uint32_t *words, uint32_t bytes,
                                                    uint32_t own, struct emp_frame *frame) {
    const uint32_t *p = words;
    enum emp_parse ours = EMP_PARSE_FOREIGN;
    uint32_t word;
    int cs;
    frame->total_length = 0;
    frame->frames = 0;
    frame->tag = 0;

    %% write init;
    %% write exec noend;

    return ours;
}
