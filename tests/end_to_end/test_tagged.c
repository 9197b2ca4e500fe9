/* SPDX-License-Identifier: MIT */
/* Messages over a wire on which every frame gets a VLAN tag, as behind a port of a switch that
 * tags. The profile paper does not take such frames. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"

#include "emp/emp_layout.h"

#include <string.h>

enum { ADDRESS_BYTES = 12, TAG_BYTES = 4, LONGEST = 1514 };

/* Each frame that a station sends is lost, and a copy with a tag goes in its place. */
static enum tigon_fate tag(void *context, const struct tigon_frame_view *frame) {
    static const uint8_t type_and_tag[TAG_BYTES] = {0x81, 0x00, 0x60, 0x00};
    uint8_t bytes[LONGEST + TAG_BYTES];
    (void)context;
    assert_true(frame->length <= LONGEST);
    memcpy(bytes, frame->bytes, ADDRESS_BYTES);
    memcpy(bytes + ADDRESS_BYTES, type_and_tag, TAG_BYTES);
    memcpy(bytes + ADDRESS_BYTES + TAG_BYTES, frame->bytes + ADDRESS_BYTES,
           frame->length - ADDRESS_BYTES);
    tigon_wire_inject((struct tigon_wire *)(uintptr_t)frame->wire, frame->from_side, bytes,
                      frame->length + TAG_BYTES, false);
    return TIGON_FATE_LOSE;
}

static void tag_all(struct pair *pair) {
    tigon_wire_set_filter(pair->wire, tag, NULL);
}

static void tagged__every_frame(void **state) {
    struct pair_options options;
    struct exchange exchange = {
        .plan = {{exchange_any_size, 54, 6, 9, 5, 0, 0}, {exchange_any_size, 54, 6, 9, 5, 0, 0}},
        .seed = 1,
        .opened = tag_all,
    };
    (void)state;
    exchange_options(&options, 1, 0, 0, 0);
#if EMP_TAKES_TAGGED
    exchange_run(&exchange, &options);
    assert_true(exchange.traffic.frames > 100);
#else
    (void)exchange;
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tagged__every_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
