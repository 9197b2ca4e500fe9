/* SPDX-License-Identifier: MIT */
/* Register table and dispatch: see registers.h. */
#include "sim/chip/registers.h"

#include <pthread.h>
#include <string.h>

#include "sim/base/abort.h"
#include "sim/chip/board.h"

static const struct tigon_device *const devices[] = {
#define DEVICE(name) &tigon_##name##_device,
    TIGON_DEVICES(DEVICE, DEVICE)
#undef DEVICE
};

#define DEVICE_COUNT (sizeof devices / sizeof devices[0])

/* The result of decoding an access to each word; a search per access would dominate the cost of
 * polling. */
struct word {
    const struct tigon_register_description *row; /* NULL: unknown */
    const struct tigon_device *device;
    uint32_t (*read)(struct tigon_board *board, uint32_t offset);              /* NULL: storage */
    void (*write)(struct tigon_board *board, uint32_t offset, uint32_t value); /* NULL: likewise */
    uint32_t writable; /* bits that are stored */
};

static struct word words[TIGON_REGISTER_BYTES / 4];
static const struct word unknown;

static void fill_row(const struct tigon_device *device,
                     const struct tigon_register_description *row) {
    for (unsigned i = 0; i < row->count; i++) {
        struct word *word = &words[row->offset / 4u + i];
        if (word->row)
            tigon_abort("HW[%03X] belongs to two devices, %s and %s", row->offset + 4 * i,
                        word->device->name, device->name);
        *word = (struct word){
            .row = row,
            .device = device,
            .read = row->access & TIGON_READS ? device->read : NULL,
            .write = row->access & (TIGON_WRITES | TIGON_STORED) ? device->write : NULL,
            .writable = row->access & TIGON_WRITES ? 0 : row->writable,
        };
    }
}

static void fill_words(void) {
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        for (size_t row = 0; row < devices[i]->register_count; row++)
            fill_row(devices[i], &devices[i]->registers[row]);
}

/* For all threads, each of which comes here when it makes a board. */
static void prepare_words(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_words);
}

static const struct word *word_at(uint32_t offset) {
    prepare_words();
    return offset < TIGON_REGISTER_BYTES ? &words[offset / 4] : &unknown;
}

const struct tigon_register_description *tigon_register_describe(uint32_t offset) {
    return word_at(offset)->row;
}

bool tigon_register_is_steady(uint32_t offset) {
    const struct word *word = word_at(offset);
    return word->row && (word->row->access == TIGON_PLAIN || word->device->steady);
}

bool tigon_register_shows_state(uint32_t offset) {
    const struct word *word = word_at(offset);
    return word->row && (!word->read || word->device->read_shows_state);
}

void tigon_register_view(const struct tigon_board *board, uint32_t offset,
                         struct tigon_register_view *view) {
    const struct word *word = word_at(offset);
    if (word->row && !word->read)
        view->word = &TIGON_WORD(board, offset);
    else if (word->row && word->device->view)
        word->device->view(board, offset, view);
}

const char *tigon_register_part(uint32_t offset) {
    static const char *const pointers[] = {"producer", "consumer", "reference", "next"};
    static const char *const halves[] = {"high", "low"};
    switch (offset & ~15u) {
    case 0x0E0:
    case 0x0F0:
        return offset % 16u < 12u ? pointers[offset % 16u / 4u] : "";
    case 0x100:
    case 0x120:
        return pointers[offset % 16u / 4u];
    case 0x110:
    case 0x130:
        return offset % 16u < 12u ? pointers[offset % 16u / 4u] : "";
    case 0x080:
    case 0x090:
        return offset % 16u < 8u ? halves[offset % 16u / 4u] : "";
    case 0x040:
        return offset == 0x048 ? "of A" : offset == 0x04C ? "of B" : "";
    default:
        return "";
    }
}

static void registers_reset(struct tigon_board *board) {
    for (uint32_t offset = 0; offset < TIGON_REGISTER_BYTES; offset += 4)
        TIGON_WORD(board, offset) = words[offset / 4].row ? words[offset / 4].row->reset : 0;
}

void tigon_devices_initialise(struct tigon_board *board) {
    prepare_words();
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        if (devices[i]->initialise)
            devices[i]->initialise(board);
}

void tigon_devices_reset(struct tigon_board *board) {
    registers_reset(board);
    tigon_board_window_changed(board);
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        if (devices[i]->reset)
            devices[i]->reset(board);
}

void tigon_devices_lose_power(struct tigon_board *board) {
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        if (devices[i]->lose_power)
            devices[i]->lose_power(board);
}

uint32_t tigon_register_read(struct tigon_board *board, uint32_t offset) {
    offset &= ~3u;
    const struct word *word = offset < TIGON_REGISTER_BYTES ? &words[offset / 4] : &unknown;
    if (word->read)
        return word->read(board, offset);
    if (!word->row) {
        tigon_board_unknown(board, offset, false);
        return 0;
    }
    return board->registers[offset / 4];
}

static inline void write(struct tigon_board *board, const struct word *word, uint32_t offset,
                         uint32_t value) {
    uint32_t *stored = &board->registers[offset / 4];
    if (word->writable)
        *stored = (*stored & ~word->writable) | (value & word->writable);
    if (word->write)
        word->write(board, offset, value);
}

static __attribute__((noinline)) void write_seen_by_loop(struct tigon_board *board,
                                                         const struct word *word, uint32_t offset,
                                                         uint32_t value) {
    tigon_board_before_change(board);
    write(board, word, offset, value);
}

void tigon_register_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    offset &= ~3u;
    const struct word *word = offset < TIGON_REGISTER_BYTES ? &words[offset / 4] : &unknown;
    if (__builtin_expect(!word->row, 0))
        tigon_board_unknown(board, offset, true);
    else if (__builtin_expect(tigon_board_loop_may_read(board), 0))
        write_seen_by_loop(board, word, offset, value);
    else
        write(board, word, offset, value);
}
