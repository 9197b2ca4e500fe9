/* SPDX-License-Identifier: MIT */
/* Attacks by the host upon its own board: sense and nonsense in everything that it may write, also
 * while the board owns it. All memory named to the board lies in one region. A second, honest host
 * exchanges messages with the board under attack as well as it can.
 *
 * The board may stop itself and say so, and the host's own requests may come to anything. But it
 * must reach no other memory, never hang, leave the honest node alone, and be well after a start.
 */
#include "host/emp/internal.h"
#include "tests/attack/honest.h"
#include "tests/attack/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
    REGION = 8 << 20,
    NAMED = 2 << 20, /* where addresses point to: the longest message fits behind each */
    PAGES = 16,      /* of addresses, where no data comes */
    PAGES_AT = REGION / 2,
    REGION_GRANT = 700,
    ZERO_GRANT = 702,
    ZERO_BYTES = 65535, /* the longest piece */
    MAILBOXES = 0x100,
    MAILBOX_COUNT = 32,
    OFTEN = 96, /* descriptors written most, so that writes collide */
    CHAINED = 3,
    FORMATS = EMP_INLINE_LIMIT ? 4 : 3,
    RUN = 8,    /* a descriptor, its continuations, and those of one that begins among them */
    LIFE = 600, /* writes until the boards are loaded anew: earlier writes may have blocked them */
    LOOKS = 16, /* writes between two checks of the firmware's state */
    TAGS = 1,   /* or either side could wait for a message that the other cannot post */
    NAP_NS = 8000,
    ARRIVAL_NS = 1000, /* of what was written */
    ANSWER_NS = 20000000,
    BYSTANDER_AHEAD = 4,
    BYSTANDER_BYTES = 6000,
    BYSTANDER_GRANT = 100
};

struct host_run;
struct abuse {
    const char *name;
    void (*write)(struct host_run *run);
};

struct host_run {
    struct hostile_wire wire;
    struct honest honest;
    const struct abuse *abuse;
    struct tigon_random random;
    struct libemp_board *board;
    uint8_t *region;
    uint64_t region_bus;
    uint32_t posted; /* entries of the ring */
    uint64_t left;
    bool over; /* this life of the boards */
    struct honest_slot bystander[2][BYSTANDER_AHEAD];
    struct world_result *result;
};

static uint32_t below(struct host_run *run, uint64_t limit) {
    return (uint32_t)tigon_random_below(&run->random, limit);
}

static uint32_t any_word(struct host_run *run) {
    return (uint32_t)tigon_random_next(&run->random);
}

/* ------------------------------------------------------------------------------------ What to
 * write */

static uint64_t any_address(struct host_run *run) {
    return run->region_bus + below(run, NAMED - EMP_PAGE_BYTES);
}

static uint64_t any_page(struct host_run *run) {
    return run->region_bus + PAGES_AT + below(run, PAGES) * EMP_PAGE_BYTES;
}

static uint32_t any_length(struct host_run *run) {
    static const uint32_t lengths[] = {0, 1, 64, 1484, 1485, EMP_PAGE_BYTES, 65535};
    return below(run, 2) ? lengths[below(run, sizeof lengths / sizeof *lengths)]
                         : below(run, 65536);
}

static uint32_t any_descriptor(struct host_run *run) {
    return below(run, 16) ? below(run, OFTEN) : EMP_DESCRIPTOR_LIMIT - 1 - below(run, RUN);
}

static void fill_page(struct host_run *run, uint64_t page, uint32_t entries) {
    uint32_t *words = (uint32_t *)(void *)(run->region + (page - run->region_bus));
    for (uint32_t i = 0; i < entries && i < EMP_INDIRECT_ENTRIES; i++) {
        const uint64_t address = any_address(run);
        uint32_t *lengths = words + EMP_INDIRECT_ENTRIES * (EMP_INDIRECT_ADDRESS_BYTES / 4) +
                            i / 2 * (EMP_INDIRECT_LENGTHS_BYTES / 4);
        emp_indirect_address_set_high(words + 2 * i, (uint32_t)(address >> 32));
        emp_indirect_address_set_low(words + 2 * i, (uint32_t)address);
        if (i % 2)
            emp_indirect_lengths_set_second(lengths, any_length(run));
        else
            emp_indirect_lengths_set_first(lengths, any_length(run));
    }
}

static void draw_continuation(struct host_run *run, uint32_t *words) {
    const uint64_t first = any_address(run);
    const uint64_t second = any_address(run);
    emp_continuation_set_first_address_high(words, (uint32_t)(first >> 32));
    emp_continuation_set_first_address_low(words, (uint32_t)first);
    emp_continuation_set_first_length(words, any_length(run));
    emp_continuation_set_second_address_high(words, (uint32_t)(second >> 32));
    emp_continuation_set_second_address_low(words, (uint32_t)second);
    emp_continuation_set_second_length(words, any_length(run));
}

/* One that a host might post. The bytes that an INLINE one holds are an address in the region all
 * the same, because its format may be changed later. */
static void draw_descriptor(struct host_run *run, uint32_t *words) {
    const uint32_t format = below(run, FORMATS);
    const uint64_t address = format == EMP_FORMAT_INDIRECT ? any_page(run) : any_address(run);
    const uint32_t length =
        format == EMP_FORMAT_INDIRECT ? 1 + below(run, EMP_INDIRECT_ENTRIES) : any_length(run);
    memset(words, 0, EMP_DESCRIPTOR_BYTES);
    if (format == EMP_FORMAT_INDIRECT)
        fill_page(run, address, length);
    emp_descriptor_set_address_high(words, (uint32_t)(address >> 32));
    emp_descriptor_set_address_low(words, (uint32_t)address);
    emp_descriptor_set_length(words, length);
    emp_descriptor_set_peer(words, below(run, 256) ? 1 : below(run, EMP_NODE_LIMIT));
    emp_descriptor_set_tag(words, below(run, TAGS));
    emp_descriptor_set_total_length(words, format < 3 ? below(run, length + 1)
                                                      : below(run, EMP_INLINE_LIMIT + 2));
    emp_descriptor_set_continuations(words, 1 + below(run, 3));
    emp_descriptor_set_format(words, format);
    emp_descriptor_set_direction(words, below(run, 2));
    emp_descriptor_set_owner(words, EMP_OWNER_NIC);
}

static void write_descriptor(struct host_run *run, uint32_t descriptor, const uint32_t *words,
                             uint32_t from, uint32_t count) {
    board_set_words(libemp_hardware(run->board),
                    run->board->descriptors + descriptor * EMP_DESCRIPTOR_BYTES + 4 * from,
                    words + from, count);
}

static void ring(struct host_run *run, uint32_t entry) {
    board_set_word(libemp_hardware(run->board),
                   run->board->posting_ring + 4 * (run->posted % EMP_POSTING_RING_ENTRIES), entry);
    run->posted++;
    board_set_word(libemp_hardware(run->board), MAILBOXES + 8 * EMP_POSTING_MAILBOX + 4,
                   run->posted);
}

/* ---------------------------------------------------------------------------------------- Attacks
 */

static bool is_owned(const struct host_run *run, uint32_t descriptor) {
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    words[EMP_DESCRIPTOR_OWNER_WORD] =
        tigon_board_peek32(run->wire.pair.side[0].hardware, run->board->descriptors +
                                                                descriptor * EMP_DESCRIPTOR_BYTES +
                                                                4 * EMP_DESCRIPTOR_OWNER_WORD);
    return emp_descriptor_get_owner(words) == EMP_OWNER_NIC;
}

static void post(struct host_run *run) {
    uint32_t words[DESCRIPTOR_WORDS];
    const uint32_t descriptor = any_descriptor(run) / RUN * RUN;
    if (is_owned(run, descriptor))
        return;
    draw_descriptor(run, words);
    write_descriptor(run, descriptor, words, 0, DESCRIPTOR_WORDS);
    for (uint32_t i = 1; i <= emp_descriptor_get_continuations(words); i++) {
        uint32_t more[DESCRIPTOR_WORDS] = {0};
        if (emp_descriptor_get_format(words) != EMP_FORMAT_CHAIN)
            break;
        draw_continuation(run, more);
        write_descriptor(run, descriptor + i, more, 0, DESCRIPTOR_WORDS);
    }
    ring(run, descriptor);
}

/* Any field of any descriptor but the addresses, which stay inside the region; also those of a
 * possible continuation. */
static void descriptors(struct host_run *run) {
    const uint32_t descriptor = any_descriptor(run);
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    if (descriptor % RUN != 0) {
        draw_continuation(run, words);
        write_descriptor(run, descriptor, words, 0, DESCRIPTOR_WORDS);
        return;
    }
    draw_descriptor(run, words);
    const uint32_t word = 2 + below(run, DESCRIPTOR_WORDS - 2);
    words[word] = below(run, 2) ? any_word(run) : forge_edge(&run->random, words[word], UINT32_MAX);
    if (below(run, 4) == 0)
        write_descriptor(run, descriptor, words, 0, 2);
    else
        write_descriptor(run, descriptor, words, word, 1);
}

static void ring_entries(struct host_run *run) {
    const uint32_t entry =
        below(run, 2) ? any_word(run) : forge_edge(&run->random, EMP_DESCRIPTOR_LIMIT, UINT32_MAX);
    if (entry < EMP_DESCRIPTOR_LIMIT && entry % RUN + CHAINED >= RUN)
        return; /* a chain from there would take another descriptor's length for an address */
    if (below(run, 2))
        ring(run, entry);
    else
        board_set_word(libemp_hardware(run->board),
                       run->board->posting_ring + 4 * below(run, EMP_POSTING_RING_ENTRIES), entry);
}

/* Not the first, which is a register of the chip (tigon2.md 4). */
static void mailboxes(struct host_run *run) {
    const uint32_t mailbox =
        below(run, 2) ? EMP_POSTING_MAILBOX : 1 + below(run, MAILBOX_COUNT - 1);
    const uint32_t value = below(run, 2) ? run->posted + below(run, 9) - 4 : any_word(run);
    board_set_word(libemp_hardware(run->board), MAILBOXES + 8 * mailbox + 4 * below(run, 2), value);
}

static void parameters(struct host_run *run) {
    const uint32_t parameter = below(run, EMP_PARAMETER_COUNT);
    const uint32_t value =
        below(run, 2) ? below(run, 64) : forge_edge(&run->random, 15, UINT32_MAX);
    board_set_word(libemp_hardware(run->board), run->board->parameters + 4 * parameter, value);
}

static void control_block(struct host_run *run) {
    const uint32_t word = below(run, EMP_CONTROL_BYTES / 4);
    /* Left alone: the oracles read state and addresses of the firmware from these words. */
    if (word == EMP_CONTROL_STATE_WORD || word == EMP_CONTROL_FAULT_WORD ||
        word == EMP_CONTROL_COUNTERS_WORD || word == EMP_CONTROL_RUNTIME_COUNTERS_WORD)
        return;
    board_set_word(libemp_hardware(run->board), EMP_CONTROL_ADDRESS + 4 * word, any_word(run));
}

static void peers(struct host_run *run) {
    board_set_word(libemp_hardware(run->board),
                   run->board->peers + 4 * below(run, EMP_NODE_LIMIT * EMP_PEER_ADDRESS_BYTES / 4),
                   any_word(run));
}

static void pages(struct host_run *run) {
    fill_page(run, any_page(run), 1 + below(run, EMP_INDIRECT_ENTRIES));
}

static void cancels(struct host_run *run) {
    ring(run, EMP_CANCEL_REQUEST | (below(run, 8) ? any_descriptor(run) : any_word(run)));
}

static void everything(struct host_run *run) {
    static void (*const all[])(struct host_run *) = {
        descriptors, ring_entries, mailboxes, control_block, peers, pages, cancels};
    all[below(run, sizeof all / sizeof *all)](run);
}

static const struct abuse abuses[] = {
    {"postings", post},        {"descriptors", descriptors},  {"ring entries", ring_entries},
    {"mailboxes", mailboxes},  {"parameters", parameters},    {"control block", control_block},
    {"peers", peers},          {"pages of addresses", pages}, {"cancels", cancels},
    {"everything", everything}};

/* -------------------------------------------------------------------------------------- Programs
 */

/* A frame of another incarnation is refused: the board must report it for any action of the
 * host. */
static bool answers(struct host_run *run, struct pair_side *side) {
    const uint64_t until = tigon_host_now_ns(side->host) + ANSWER_NS;
    const uint64_t sent = run->wire.oracle.sent[0];
    struct hostile_frame frame;
    run->wire.forge.victim = 0;
    while (run->wire.oracle.sent[0] == sent && tigon_host_now_ns(side->host) < until) {
        if (!forge_header_from(&run->wire.forge, 1, 1, &frame))
            return true; /* node 1 has not sent any */
        (void)wire_send(&run->wire, &frame);
        tigon_host_sleep_ns(side->host, 20 * NAP_NS);
    }
    return run->wire.oracle.sent[0] != sent;
}

/* Whatever is made a chain, or a longer page, finds addresses inside the region. */
static void prepare_addresses(struct host_run *run) {
    for (uint32_t i = 0; i < PAGES; i++)
        fill_page(run, run->region_bus + PAGES_AT + i * EMP_PAGE_BYTES, EMP_INDIRECT_ENTRIES);
    for (uint32_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
        uint32_t words[DESCRIPTOR_WORDS] = {0};
        if (i % RUN == 0)
            continue;
        draw_continuation(run, words);
        write_descriptor(run, i, words, 0, DESCRIPTOR_WORDS);
    }
}

/* Until enough is written, or the board has stopped itself. */
static int abuse(struct host_run *run, struct pair_side *side) {
    enum oracle_panic panic = ORACLE_READY;
    uint32_t fault;
    for (unsigned write = 0; write < 2; write++) {
        oracle_grant(&run->wire.oracle, 0, REGION_GRANT + write, write, run->region, REGION);
        /* A page of addresses may have been received over, with zeros, or not be one. */
        oracle_grant_bus(&run->wire.oracle, 0, ZERO_GRANT + write, write, 0, ZERO_BYTES);
    }
    prepare_addresses(run);
    run->posted =
        board_get_word(libemp_hardware(side->board), MAILBOXES + 8 * EMP_POSTING_MAILBOX + 4);
    for (unsigned i = 0; i < LIFE && run->left > 0 && panic == ORACLE_READY; i++) {
        if (below(run, 2))
            post(run);
        else
            run->abuse->write(run);
        run->result->figures.frames++;
        tigon_host_sleep_ns(side->host, ARRIVAL_NS + below(run, NAP_NS));
        if (--run->left % LOOKS == 0)
            panic = oracle_panic(&run->wire.oracle, 0, &fault);
    }
    panic = oracle_panic(&run->wire.oracle, 0, &fault);
    if (panic == ORACLE_HALTED)
        return pair_fail(side, -EIO, "the processor stopped and says nothing about it");
    run->result->figures.stopped += panic == ORACLE_STOPPED;
    if (panic == ORACLE_READY && !answers(run, side))
        return pair_fail(side, -EIO, "the board hangs: it answers nothing on the wire");
    run->over = true;
    return 0;
}

/* Messages to and fro with whatever the other makes of them. */
static int bystand(struct host_run *run, struct pair_side *side) {
    bool busy[2][BYSTANDER_AHEAD] = {{false}};
    uint32_t fault;
    for (unsigned i = 0; i < 2 * BYSTANDER_AHEAD; i++)
        oracle_grant(&run->wire.oracle, side->index, BYSTANDER_GRANT + i, i % 2,
                     run->bystander[i % 2][i / 2].area, BYSTANDER_BYTES);
    while (!run->over) {
        for (unsigned i = 0; i < 2 * BYSTANDER_AHEAD; i++) {
            struct honest_slot *slot = &run->bystander[i % 2][i / 2];
            const struct libemp_piece piece = {slot->memory, 0, BYSTANDER_BYTES};
            bool *posted = &busy[i % 2][i / 2];
            if (!*posted)
                *posted = (i % 2 ? libemp_post_receive : libemp_post_send)(side->board, side->peer,
                                                                           i / 2 % TAGS, &piece, 1,
                                                                           &slot->request) == 0;
            else if (libemp_test(side->board, slot->request, NULL) != -EAGAIN)
                *posted = false;
        }
        tigon_host_sleep_ns(side->host, 2 * NAP_NS);
    }
    if (oracle_panic(&run->wire.oracle, side->index, &fault) != ORACLE_READY)
        return pair_fail(side, -EIO, "the firmware of the honest node has stopped");
    return 0;
}

static int prepare(struct host_run *run, struct pair_side *side) {
    int error = honest_open(&run->honest, side);
    if (side->index == 0) {
        run->board = side->board;
        run->region = tigon_host_allocate(side->host, REGION, &run->region_bus);
        return error || run->region ? error : pair_fail(side, -ENOMEM, "no region");
    }
    for (unsigned i = 0; i < 2 * BYSTANDER_AHEAD && !error; i++) {
        struct honest_slot *slot = &run->bystander[i % 2][i / 2];
        slot->area = libemp_allocate(side->board, BYSTANDER_BYTES);
        error = slot->area
                    ? libemp_register(side->board, slot->area, BYSTANDER_BYTES, &slot->memory)
                    : -ENOMEM;
    }
    return error;
}

/* In each life of the boards messages that must arrive, then the abuse. */
static int program(struct pair_side *side, void *argument) {
    struct host_run *run = argument;
    struct honest *honest = &run->honest;
    int error = prepare(run, side);
    while (!error) {
        if (!honest_more(honest, side, 2))
            return pair_fail(side, -EBADMSG, honest->words);
        honest_meet(honest, side);
        if (run->left == 0)
            return 0;
        run->over = false;
        honest_meet(honest, side);
        error = side->index == 0 ? abuse(run, side) : bystand(run, side);
        if (!error)
            error = honest_restart(honest, side);
    }
    return error;
}

static void run_world(const struct attack *attack, uint64_t seed, uint64_t size,
                      struct world_result *result) {
    static struct host_run run;
    memset(&run, 0, sizeof run);
    run.abuse = attack->what;
    run.left = size;
    run.result = result;
    run.random = tigon_random_for(seed, 2, 0);
    if (wire_open(&run.wire, false, seed, NULL)) {
        world_fail(result, "the world cannot be made: %s", run.wire.pair.side[0].message);
        return;
    }
    run.honest.oracle = &run.wire.oracle;
    (void)wire_run(&run.wire, program, program, &run, result);
    if (run.wire.oracle.stray)
        world_fail(result, "%s (%" PRIu64 " stray transfers)", run.wire.oracle.words,
                   run.wire.oracle.stray);
    result->figures.transfers += run.wire.oracle.transfers;
    result->figures.late += run.wire.oracle.late;
    wire_close(&run.wire);
}

void host_attacks(struct attacks *list) {
    for (size_t i = 0; i < sizeof abuses / sizeof *abuses; i++)
        list->attack[list->count++] = (struct attack){
            .name = abuses[i].name, .kind = "host", .run = run_world, .what = &abuses[i]};
}
