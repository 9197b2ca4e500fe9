/* SPDX-License-Identifier: MIT */
/* What the host must know of a board that runs EMP: where things are, which descriptors are taken,
 * and the addresses of its peers. */
#include "host/emp/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* EMP's words of the control block. */
static uint32_t own_word(struct libemp_board *board, uint32_t word) {
    return board_get_word(board->hardware, BOARD_CONTROL_ADDRESS + EMP_OBJECTS_AT + 4 * word);
}

#if EMP_ENDS_IN_MEMORY
enum { COMPLETIONS_OFFSET = 64 }; /* in the board's own page */
_Static_assert(COMPLETIONS_OFFSET + 4 * EMP_DESCRIPTOR_LIMIT <= BOARD_PAGE_BYTES, "they fit");

static void set_own_word(struct libemp_board *board, uint32_t word, uint32_t value) {
    board_set_word(board->hardware, BOARD_CONTROL_ADDRESS + EMP_OBJECTS_AT + 4 * word, value);
}

/* The page is the board's own, for requests of another handle may end when this one has long been
 * closed. */
static int place_completions(struct libemp_board *board) {
    board->completions = NULL;
    board->completions_bus = 0;
    if (!board->ends_in_memory)
        return 0;
    void *memory = board_own_memory(board->hardware, COMPLETIONS_OFFSET);
    if (!memory || board_pin_allocated(board->hardware, memory, &board->completions_bus))
        return libemp_fail(board, -ENOMEM, "no page for completions");
    board->completions = memory;
    return 0;
}

/* The board serves this mailbox before that of postings. */
void libemp_take_ends(struct libemp_board *board) {
    if (board->ends_taken)
        return;
    board->ends_taken = true;
    set_own_word(board, EMP_OBJECTS_COMPLETIONS_HIGH_WORD,
                 (uint32_t)(board->completions_bus >> 32));
    set_own_word(board, EMP_OBJECTS_COMPLETIONS_LOW_WORD, (uint32_t)board->completions_bus);
    set_own_word(board, EMP_OBJECTS_COMPLETIONS_STEP_WORD, 2); /* one behind the other */
    board_set_word(board->hardware, BOARD_MAILBOXES + 4 + 8 * EMP_COMPLETION_MAILBOX, 1);
}
#else
static int place_completions(struct libemp_board *board) {
    board->completions = NULL;
    return 0;
}

void libemp_take_ends(struct libemp_board *board) {
    (void)board; /* the host looks at the descriptors */
}
#endif

/* Learns where the firmware keeps what it shares. */
static int adopt(struct libemp_board *board, bool just_started) {
    const int error = board->session ? session_adopt(board) : place_completions(board);
    if (error)
        return error;
    if (!board->session)
        board->node = board_control_word(board->hardware, BOARD_CONTROL_NODE_WORD);
    board->ends_taken = just_started && !board->completions; /* no handle has */
    board->descriptors = own_word(board, EMP_OBJECTS_DESCRIPTORS_WORD);
    board->posting_ring = own_word(board, EMP_OBJECTS_POSTING_RING_WORD);
    board->peers = own_word(board, EMP_OBJECTS_PEERS_WORD);
    board->parameters = board_control_word(board->hardware, BOARD_CONTROL_PARAMETERS_WORD);
    board->counters = board_control_word(board->hardware, BOARD_CONTROL_COUNTERS_WORD);
    const struct {
        const char *what;
        uint32_t address, words;
    } objects[] = {
        {"descriptors", board->descriptors, EMP_DESCRIPTOR_LIMIT * DESCRIPTOR_WORDS},
        {"posting ring", board->posting_ring, EMP_POSTING_RING_ENTRIES},
        {"peers' addresses", board->peers, EMP_NODE_LIMIT * EMP_PEER_ADDRESS_BYTES / 4},
        {"parameters", board->parameters, EMP_PARAMETER_COUNT},
        {"counters", board->counters, EMP_COUNTER_COUNT},
    };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (!board_has_memory(objects[i].address, objects[i].words))
            return libemp_fail(board, -EIO,
                               "the board says that its %s are at 0x%08" PRIX32
                               ", where it has no memory for them: it has died, or lost its memory",
                               objects[i].what, objects[i].address);
    board->running = true;
    board->asked_ns = board_now_ns(board->hardware); /* by start or attach */
    return 0;
}

int libemp_check_usable(struct libemp_board *board) {
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    return board->running ? 0 : libemp_fail(board, -ENODEV, "no firmware runs");
}

int libemp_start(struct libemp_board *board, const struct board_image *image,
                 const struct board_start_options *options) {
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    if (!options || options->node >= libemp_board_node_limit(board))
        return libemp_fail(board, -EINVAL, "no options, or node out of range");
    if (board->outstanding)
        return libemp_fail(board, -EBUSY, "%" PRIu32 " requests are posted", board->outstanding);
    struct board_start_options start = *options;
    start.protocol_hash = EMP_PROTOCOL_HASH;
    int error =
        board->session ? session_start(board, &start) : board_start(board->hardware, image, &start);
    if (!error && board->session)
        error = board_attach(board->hardware, EMP_PROTOCOL_HASH);
    if (error != -EINVAL && error != -ENOEXEC) /* which leave the board as it is */
        board->running = false;
    if (error)
        return error;
    libemp_reset_requests(board);
    return adopt(board, true);
}

/* Descriptors the NIC owns belong to requests of another handle, maybe of one that died. What a
 * finished chain has left in its continuations may look like one, too, and even like a longer one:
 * so each is looked at, whatever seems to lie before it. */
static void reserve_foreign(struct libemp_board *board) {
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    uint32_t owners[EMP_DESCRIPTOR_LIMIT];
    board_get_words(board->hardware, board->descriptors + 4 * EMP_DESCRIPTOR_OWNER_WORD,
                    EMP_DESCRIPTOR_BYTES, owners, EMP_DESCRIPTOR_LIMIT);
    for (uint32_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
        words[EMP_DESCRIPTOR_OWNER_WORD] = owners[i];
        if (emp_descriptor_get_owner(words) != EMP_OWNER_NIC)
            continue;
        uint32_t run = 1;
        if (emp_descriptor_get_format(words) == EMP_FORMAT_CHAIN)
            run += emp_descriptor_get_continuations(words);
        for (uint32_t k = i; k < i + run && k < EMP_DESCRIPTOR_LIMIT; k++) {
            const uint64_t bit = UINT64_C(1) << (k % 64);
            board->free -= !(board->taken[k / 64] & bit);
            board->taken[k / 64] |= bit;
        }
    }
}

int libemp_attach(struct libemp_board *board) {
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    if (board->outstanding)
        return libemp_fail(board, -EBUSY, "%" PRIu32 " requests are posted", board->outstanding);
    board->running = false;
    int error = board_attach(board->hardware, EMP_PROTOCOL_HASH);
    if (!error)
        error = adopt(board, false);
    if (error)
        return error;
    libemp_reset_requests(board);
    if (board->session)
        return 0;
    board->posted = board_get_word(board->hardware, BOARD_MAILBOXES + 4 + 8 * EMP_POSTING_MAILBOX);
    reserve_foreign(board);
    libemp_give_back_left(board);
    return 0;
}

int libemp_set_peer(struct libemp_board *board, uint16_t node, const uint8_t mac_address[6]) {
    uint32_t words[EMP_PEER_ADDRESS_BYTES / 4];
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    if (node >= libemp_board_node_limit(board) || !mac_address)
        return libemp_fail(board, -EINVAL, "no node %u", node);
    if (board_is_group_address(mac_address))
        return libemp_fail(board, -EINVAL, "node %u: a group address, which no board has", node);
    if (board->session)
        return session_set_peer(board, node, mac_address);
    board_pack_address(mac_address, &words[0], &words[1]);
    board_set_words(board->hardware, board->peers + (uint32_t)node * EMP_PEER_ADDRESS_BYTES, words,
                    EMP_PEER_ADDRESS_BYTES / 4);
    return 0;
}

int libemp_peer(struct libemp_board *board, uint16_t node, uint8_t mac_address[6]) {
    static const uint8_t unknown[6];
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    if (node >= libemp_board_node_limit(board) || !mac_address)
        return libemp_fail(board, -EINVAL, "no node %u", node);
    if (board->session)
        return libemp_fail(board, -EOPNOTSUPP, "the driver does not show addresses");
    const uint32_t place = board->peers + (uint32_t)node * EMP_PEER_ADDRESS_BYTES;
    board_unpack_address(board_get_word(board->hardware, place),
                         board_get_word(board->hardware, place + 4), mac_address);
    return memcmp(mac_address, unknown, sizeof unknown) == 0
               ? libemp_fail(board, -ENOENT, "the address of node %u has not been set", node)
               : 0;
}
