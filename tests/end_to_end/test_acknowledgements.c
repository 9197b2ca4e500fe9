/* SPDX-License-Identifier: MIT */
/* An acknowledgement is the header of a frame that came: where each frame of its collection came
 * once, of the one that came last. A receiver may have refused or known already the first copy of a
 * repeated frame, so where one was repeated, it may be the header of any of the collection. Its
 * destination is the sender of that frame, and all else but kind, sender and length is as it came.
 */
#include "tests/host/check.h"

#include "emp/emp_codec.h"
#include "sim/observer.h"
#include "tests/end_to_end/exchange.h"

#include <string.h>

enum {
    MESSAGES = 300,
    LEAST = 500,
    REMEMBERED = 1 << 14,
    WORDS = EMP_FRAME_BYTES / 4,
    POSITIONS = 16
};

/* A collection that a board receives. */
struct collection {
    uint32_t message, collection;
    uint32_t came; /* a bit for each position */
    bool repeated; /* a frame of it came twice */
    uint32_t last_position;
    uint32_t header[POSITIONS][WORDS]; /* as they came last */
};

struct record {
    struct collection collection[2][REMEMBERED]; /* by receiving side */
    unsigned strictly, loosely; /* acknowledgements compared: without and with repeated frames */
    unsigned overtaken;         /* of the former, those of another frame than the last in order */
    unsigned wrong;
};

static struct record record;

static struct collection *find(unsigned receiver, const uint32_t *words) {
    const uint32_t message = emp_frame_get_message(words);
    const uint32_t collection = emp_frame_get_collection(words);
    struct collection *found =
        &record.collection[receiver][(message * 64 + collection) % REMEMBERED];
    if (found->message != message || found->collection != collection)
        *found = (struct collection){.message = message, .collection = collection};
    return found;
}

static bool is_header_of(const uint32_t *acknowledgement, const uint32_t *frame) {
    return emp_frame_get_destination_high(acknowledgement) ==
               (emp_frame_get_source_high(frame) << 16 | emp_frame_get_source_low(frame) >> 16) &&
           emp_frame_get_destination_low(acknowledgement) ==
               (emp_frame_get_source_low(frame) & 0xFFFF) &&
           emp_frame_get_position(acknowledgement) == emp_frame_get_position(frame) &&
           emp_frame_get_contact(acknowledgement) == emp_frame_get_contact(frame) &&
           emp_frame_get_frame(acknowledgement) == emp_frame_get_frame(frame) &&
           emp_frame_get_size(acknowledgement) == emp_frame_get_size(frame) &&
           emp_frame_get_length(acknowledgement) == 0;
}

static void take(struct collection *collection, const uint32_t *words) {
    const uint32_t position = emp_frame_get_position(words);
    memcpy(collection->header[position], words, sizeof collection->header[position]);
    collection->repeated |= (collection->came >> position & 1) != 0;
    collection->came |= UINT32_C(1) << position;
    collection->last_position = position;
}

static void compare(const struct collection *collection, const uint32_t *words) {
    const uint32_t size = emp_frame_get_size(words);
    const uint32_t position = emp_frame_get_position(words);
    bool right = collection->came == (UINT32_C(1) << size) - 1 &&
                 is_header_of(words, collection->header[position]);
    if (collection->repeated) {
        record.loosely++;
    } else {
        right = right && position == collection->last_position;
        record.strictly++;
        record.overtaken += position + 1 != size;
    }
    record.wrong += !right;
}

static void came(void *context, const struct tigon_arrival *arrival) {
    uint32_t words[WORDS];
    (void)context;
    if (arrival->fate != TIGON_ARRIVAL_KEPT || arrival->bad_crc)
        return;
    emp_load_words(words, arrival->bytes, sizeof words);
    const unsigned side = (unsigned)tigon_board_index(arrival->board);
    const uint32_t kind = emp_frame_get_kind(words);
    if (emp_frame_get_contact(words) != 0 &&
        (kind == EMP_FRAME_KIND_HEADER || kind == EMP_FRAME_KIND_DATA))
        take(find(side, words), words);
}

static void sent(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    uint32_t words[WORDS];
    (void)context;
    (void)fate;
    emp_load_words(words, frame->bytes, sizeof words);
    if (emp_frame_get_kind(words) == EMP_FRAME_KIND_ACK)
        compare(find(frame->from_side, words), words);
}

static void watch(struct pair *pair) {
    const struct tigon_observer observer = {.context = &record, .arrival = came, .frame = sent};
    assert_int_equal(tigon_world_attach(pair->world, &observer), 0);
}

static void run(double loss, double duplicate, double delay) {
    struct exchange exchange = {.plan = {{exchange_any_size, MESSAGES, 8, 10, 3, 0, 0},
                                         {exchange_any_size, MESSAGES, 8, 10, 3, 0, 0}},
                                .opened = watch,
                                .seed = 1};
    struct pair_options options;
    memset(&record, 0, sizeof record);
    exchange_options(&options, 1, loss, duplicate, delay);
    exchange_run(&exchange, &options);
    assert_int_equal(record.wrong, 0);
}

static void acknowledgements__on_a_clean_wire(void **state) {
    (void)state;
    run(0, 0, 0);
    assert_true(record.strictly > LEAST && record.overtaken == 0);
}

static void acknowledgements__on_a_bad_wire(void **state) {
    (void)state;
    run(0.05, 0.05, 0.2);
    assert_true(record.strictly > LEAST && record.overtaken > LEAST / 10);
    assert_true(record.loosely > LEAST / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledgements__on_a_clean_wire),
        cmocka_unit_test(acknowledgements__on_a_bad_wire),
    };
    return cmocka_run_group_tests_name("acknowledgements", tests, NULL, NULL);
}
