/* SPDX-License-Identifier: MIT */
/* From a board in any state to running firmware of any protocol, in the order of tigon2.md 9; where
 * its life ends: stop.c. */
#include "host/board/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* HW[040] is written with its low byte repeated at the top, so that it lands whatever the byte
     * order of the moment is. */
    HOST_CONTROL_RESET = 0x08000008,
    /* Plain numbers from here on; interrupts are dropped and masked. */
    HOST_CONTROL_SWAP = BOARD_INTERRUPT_MASKED,
    CPU_STEP = 1 << 1,
    CPU_ROM_FAILED = 1 << 4,
    LOCAL_BANK_512K = 2 << 8,
    LOCAL_BANK_MASK = 3 << 8,
    CONFIGURATION_SYNCHRONOUS = 1 << 20,
    PCI_READ_MULTIPLE = 1 << 17,
    PCI_STATUS_MASK = 3 << 19, /* bus speed and width, to be kept */

    CLEAR_FROM = 0x2000,
    CLEAR_TO = 0x80000, /* never more: a 512 kB board wraps onto its own low memory */
    EEPROM_MAC_ADDRESS = 0x8E,
    MAILBOXES_BYTES = 0x100,
    CONTROL_WORDS = 32, /* of all protocols, and what one adds */

    RESET_TIMEOUT_MS = 500,
    READY_TIMEOUT_MS = 3000
};

#define MILLISECOND         UINT64_C(1000000)
#define POLL_INTERVAL_NS    UINT64_C(10000)
#define CPU_STOPPED_MASK    0xFFFF0000U
#define CPU_FAULT_MASK      0x01F80000U /* stopped by an error, not by HALT or by us */
#define PROGRESS_STEP_WORDS 512U

static void report(const struct board *board, const char *step, size_t done, size_t total) {
    if (board->options.progress)
        board->options.progress(board->options.progress_context, step, done, total);
}

static int reset(struct board *board) {
    report(board, "reset", 0, 1);
    board_set_register(board, REGISTER_HOST_CONTROL, HOST_CONTROL_RESET);
    board_set_register(board, REGISTER_HOST_CONTROL, HOST_CONTROL_SWAP);
    board->window_known = false;
    const uint64_t start = board_now_ns(board);
    for (;;) {
        const uint32_t state = board_get_register(board, REGISTER_CPU_A_STATE);
        if (state & CPU_ROM_FAILED)
            return board_fail(board, -EIO, "the boot ROM's self-test failed, HW[140] 0x%08X",
                              state);
        if (state & CPU_STOPPED_MASK)
            break;
        if (board_now_ns(board) - start > RESET_TIMEOUT_MS * MILLISECOND)
            return board_fail(board, -ETIMEDOUT, "the boot ROM does not finish, HW[140] 0x%08X",
                              state);
        board_sleep_ns(board, POLL_INTERVAL_NS);
    }
    report(board, "reset", 1, 1);
    return 0;
}

static void configure(struct board *board) {
    const uint32_t local = board_get_register(board, REGISTER_LOCAL_CONTROL);
    board_set_register(board, REGISTER_LOCAL_CONTROL,
                       (local & ~(uint32_t)LOCAL_BANK_MASK) | LOCAL_BANK_512K);
    board_set_register(board, REGISTER_CONFIGURATION,
                       board_get_register(board, REGISTER_CONFIGURATION) |
                           CONFIGURATION_SYNCHRONOUS);
    board_set_register(board, REGISTER_PCI_STATE,
                       (board_get_register(board, REGISTER_PCI_STATE) & PCI_STATUS_MASK) |
                           BOARD_PCI_COMMANDS | PCI_READ_MULTIPLE);
}

static void clear(struct board *board, uint32_t from, uint32_t to) {
    static const uint32_t zeros[PROGRESS_STEP_WORDS];
    while (from < to) {
        uint32_t words = (to - from) / 4;
        words = words < PROGRESS_STEP_WORDS ? words : PROGRESS_STEP_WORDS;
        board_set_words(board, from, zeros, words);
        from += words * 4;
    }
}

static size_t image_words(const struct board_image *image) {
    struct board_segment segment;
    size_t words = 0;
    for (size_t i = 0; i < board_image_segment(image, i, &segment); i++)
        words += segment.words;
    return words;
}

static void copy(struct board *board, const struct board_image *image) {
    const size_t total = image_words(image);
    struct board_segment segment;
    size_t done = 0;
    for (size_t i = 0; i < board_image_segment(image, i, &segment); i++)
        for (uint32_t word = 0; word < segment.words;) {
            uint32_t count = segment.words - word;
            count = count < PROGRESS_STEP_WORDS ? count : PROGRESS_STEP_WORDS;
            board_set_words(board, segment.address + 4 * word, segment.content + word, count);
            word += count;
            done += count;
            report(board, "load", done, total);
        }
}

/* Words read at once: a function of a kernel has a frame of 2 kB at most. */
enum { ROW_WORDS = PROGRESS_STEP_WORDS / 2 };

static int verify(struct board *board, const struct board_image *image) {
    const size_t total = image_words(image);
    struct board_segment segment;
    size_t done = 0;
    for (size_t i = 0; i < board_image_segment(image, i, &segment); i++)
        for (uint32_t word = 0; word < segment.words;) {
            const uint32_t address = segment.address + 4 * word;
            uint32_t found[ROW_WORDS];
            uint32_t count = ROW_WORDS - done % ROW_WORDS;
            if (count > segment.words - word)
                count = segment.words - word;
            board_get_words(board, address, 4, found, count);
            for (uint32_t k = 0; k < count; k++)
                if (found[k] != segment.content[word + k])
                    return board_fail(board, -EIO,
                                      "verify: memory 0x%05X holds 0x%08X instead of 0x%08X",
                                      address + 4 * k, found[k], segment.content[word + k]);
            word += count;
            done += count;
            if (done % PROGRESS_STEP_WORDS == 0 || done == total)
                report(board, "verify", done, total);
        }
    return 0;
}

static int choose_address(struct board *board, const struct board_start_options *options,
                          uint8_t address[6]) {
    static const uint8_t none[6];
    memcpy(address, options->mac_address, 6);
    if (memcmp(address, none, 6) != 0)
        return 0;
    return board_eeprom_read(board, EEPROM_MAC_ADDRESS, address, 6);
}

void board_pack_address(const uint8_t address[6], uint32_t *high, uint32_t *low) {
    *high = (uint32_t)address[0] << 8 | address[1];
    *low = (uint32_t)address[2] << 24 | (uint32_t)address[3] << 16 | (uint32_t)address[4] << 8 |
           address[5];
}

void board_unpack_address(uint32_t high, uint32_t low, uint8_t address[6]) {
    for (unsigned i = 0; i < 6; i++)
        address[i] = (uint8_t)(i < 2 ? high >> (8 - 8 * i) : low >> (40 - 8 * i));
}

void *board_own_memory(struct board *board, size_t offset) {
    if (!board->scratch)
        board->scratch = board_allocate(board, BOARD_PAGE_BYTES);
    return board->scratch ? (uint8_t *)board->scratch + offset : NULL;
}

static int prepare_control(struct board *board, const struct board_start_options *options) {
    uint32_t control[CONTROL_WORDS] = {0};
    uint8_t address[6];
    uint16_t epoch = options->epoch;
    uint64_t scratch;
    uint32_t high;
    uint32_t low;
    int error = choose_address(board, options, address);
    if (!error && !epoch)
        error = board_next_epoch(board, &epoch);
    if (error)
        return error;
    if (!board_own_memory(board, 0) || board_pin_allocated(board, board->scratch, &scratch))
        return board_fail(board, -ENOMEM, "no page for the firmware");
    board_pack_address(address, &high, &low);
    board_control_set_node(control, options->node);
    board_control_set_epoch(control, epoch);
    board_control_set_mac_high(control, high);
    board_control_set_mac_low(control, low);
    board_control_set_scratch_high(control, (uint32_t)(scratch >> 32));
    board_control_set_scratch_low(control, (uint32_t)scratch);
    clear(board, BOARD_MAILBOXES,
          BOARD_MAILBOXES + MAILBOXES_BYTES); /* no posting of an earlier life */
    board_set_words(board, BOARD_CONTROL_ADDRESS, control, CONTROL_WORDS);
    return 0;
}

int board_check_running(struct board *board) {
    const uint32_t cpu = board_get_register(board, REGISTER_CPU_A_STATE);
    const uint32_t state = board_control_word(board, BOARD_CONTROL_STATE_WORD);
    if (state == BOARD_CONTROL_STATE_STOPPED)
        return board_fail_fault(board, "the firmware stopped itself",
                                board_control_word(board, BOARD_CONTROL_FAULT_WORD));
    if (cpu & CPU_STOPPED_MASK)
        return board_fail(board, -EIO, "processor A stopped at 0x%08X, HW[140] 0x%08X%s",
                          board_get_register(board, REGISTER_CPU_A_COUNTER), cpu,
                          cpu & CPU_FAULT_MASK ? ": an instruction it could not carry out" : "");
    return 0;
}

static int wait_ready(struct board *board, uint64_t timeout_ns) {
    const uint64_t start = board_now_ns(board);
    for (;;) {
        if (board_control_word(board, BOARD_CONTROL_STATE_WORD) == BOARD_CONTROL_STATE_READY)
            return 0;
        const int error = board_check_running(board);
        if (error)
            return error;
        if (board_now_ns(board) - start > timeout_ns)
            return board_fail(board, -ETIMEDOUT, "the firmware does not get ready; it is at 0x%08X",
                              board_get_register(board, REGISTER_CPU_A_COUNTER));
        board_sleep_ns(board, POLL_INTERVAL_NS);
    }
}

/* The reset ends whatever the board did: processors, transfers and frames. */
static int load(struct board *board, const struct board_image *image,
                const struct board_start_options *options) {
    int error = reset(board);
    if (error)
        return error;
    error = board_check_mastering(board);
    if (error)
        return error;
    if (board_keeps_memory(board))
        board_give_back(board, false, true, (const uint64_t[]){0, 0});
    board_halt(board);
    configure(board);
    error = board_fit_width(board);
    if (error)
        return error;
    clear(board, CLEAR_FROM, CLEAR_TO);
    copy(board, image);
    error = verify(board, image);
    return error ? error : prepare_control(board, options);
}

static int run(struct board *board, const struct board_image *image,
               const struct board_start_options *options) {
    report(board, "start", 0, 1);
    board_set_register(board, REGISTER_CPU_A_COUNTER, board_image_entry(image));
    board_set_register(board, REGISTER_CPU_A_STATE,
                       board_get_register(board, REGISTER_CPU_A_STATE) &
                           ~(uint32_t)(CPU_STOPPED_MASK | CPU_STEP));
    return wait_ready(board, options->ready_timeout_ns ? options->ready_timeout_ns
                                                       : READY_TIMEOUT_MS * MILLISECOND);
}

static int check_mark(struct board *board) {
    if (board_control_word(board, BOARD_CONTROL_MAGIC_WORD) != BOARD_CONTROL_MAGIC)
        return board_fail(board, -ENODEV, "no firmware has left its mark");
    return 0;
}

static int check_protocol(struct board *board, uint32_t protocol_hash) {
    const int error = check_mark(board);
    if (error || !protocol_hash)
        return error;
    const uint32_t version = board_control_word(board, BOARD_CONTROL_VERSION_WORD);
    const uint32_t hash = board_control_word(board, BOARD_CONTROL_PROTOCOL_HASH_WORD);
    if (version != BOARD_CONTROL_VERSION || hash != protocol_hash)
        return board_fail(board, -EPROTO,
                          "firmware of version %" PRIu32 ", specification 0x%08" PRIX32
                          "; this library is of version %u, specification 0x%08" PRIX32,
                          version, hash, BOARD_CONTROL_VERSION, protocol_hash);
    return 0;
}

int board_start(struct board *board, const struct board_image *image,
                const struct board_start_options *options) {
    const int foreign = board_check_process(board);
    if (foreign)
        return foreign;
    if (!image || !options)
        return board_fail(board, -EINVAL, "no image, or no options");
    if (options->epoch && options->epoch % 256 == 0)
        return board_fail(board, -EINVAL,
                          "epoch 0x%04X: the low byte, which frames carry, must not be 0",
                          options->epoch);
    if (board_is_group_address(options->mac_address))
        return board_fail(board, -EINVAL, "a group address, which no board has");
    struct board_image_information information;
    board_image_information(image, &information);
    if (options->protocol_hash && information.protocol_hash &&
        options->protocol_hash != information.protocol_hash)
        return board_fail(board, -ENOEXEC,
                          "an image of %s %s, specification 0x%08" PRIX32
                          "; this library is of specification 0x%08" PRIX32,
                          information.protocol, information.profile, information.protocol_hash,
                          options->protocol_hash);
    board->ready = false;
    int error = load(board, image, options);
    if (error)
        return error;
    error = run(board, image, options);
    if (!error)
        error = check_protocol(board, options->protocol_hash);
    if (!error)
        error = board_check_transfers(board);
    if (error) {
        (void)(board_stop(board) == 0); /* its firmware is in an unknown state */
        return error;
    }
    board->ready = true;
    report(board, "start", 1, 1);
    return 0;
}

int board_attach(struct board *board, uint32_t protocol_hash) {
    int error = board_check_process(board);
    if (!error)
        error = check_protocol(board, protocol_hash);
    if (!error)
        error = board_check_running(board);
    if (!error)
        error = board_check_transfers(board);
    board->ready = error == 0;
    return error;
}

int board_status(struct board *board, struct board_status *status) {
    if (!status)
        return board_fail(board, -EINVAL, "no place for the status");
    const int error = check_mark(board);
    if (error)
        return error;
    *status = (struct board_status){
        .running = board_check_running(board) == 0 &&
                   board_control_word(board, BOARD_CONTROL_STATE_WORD) == BOARD_CONTROL_STATE_READY,
        .link = board_control_word(board, BOARD_CONTROL_LINK_WORD) != 0,
        .node = (uint16_t)board_control_word(board, BOARD_CONTROL_NODE_WORD),
        .epoch = (uint16_t)board_control_word(board, BOARD_CONTROL_EPOCH_WORD),
        .protocol_hash = board_control_word(board, BOARD_CONTROL_PROTOCOL_HASH_WORD),
        .sram_bytes = board_control_word(board, BOARD_CONTROL_SRAM_BYTES_WORD),
        .free_bytes = board_control_word(board, BOARD_CONTROL_FREE_BYTES_WORD),
        .trace = board_control_word(board, BOARD_CONTROL_TRACE_WORD),
        .trace_entries = board_control_word(board, BOARD_CONTROL_TRACE_ENTRIES_WORD),
    };
    board_unpack_address(board_control_word(board, BOARD_CONTROL_MAC_HIGH_WORD),
                         board_control_word(board, BOARD_CONTROL_MAC_LOW_WORD),
                         status->mac_address);
    return 0;
}

int board_link(struct board *board) {
    if (!board->ready)
        return board_fail(board, -ENODEV, "no firmware runs");
    const uint32_t link = board_control_word(board, BOARD_CONTROL_LINK_WORD);
    if (link == UINT32_MAX)
        return board_fail(board, -EIO, "the board does not answer any more");
    return link != 0;
}

int board_wait_link(struct board *board, uint64_t timeout_ns) {
    const uint64_t start = board_now_ns(board);
    for (;;) {
        const int up = board_link(board);
        if (up)
            return up < 0 ? up : 0;
        const int error = board_check_running(board);
        if (error)
            return error;
        if (board_now_ns(board) - start >= timeout_ns)
            return board_fail(board, -ETIMEDOUT, "the link does not come up");
        board_sleep_ns(board, POLL_INTERVAL_NS);
    }
}
