/* SPDX-License-Identifier: MIT */
/* Words of a board's memory, unchecked: for libraries of protocols, and for this one. */
#ifndef HOST_BOARD_ACCESS_H
#define HOST_BOARD_ACCESS_H

#include "host/board/board.h"

#include "board/board_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BOARD_MAILBOXES = 0x100,  /* in the board's memory: 32 mailboxes of two words */
    BOARD_ALIAS_BYTES = 0x400 /* of memory that are reached without moving the window */
};

/* The register with the card's interrupt (tigon2.md 3.2). Each of the two values to write drops
 * what is pending, and has plain numbers pass between host and board. board_start masks the
 * interrupt.
 */
enum {
    BOARD_HOST_CONTROL = 0x040,
    BOARD_INTERRUPT_PENDING = 1 << 0,
    BOARD_INTERRUPT_ALLOWED = 0x22000022,
    BOARD_INTERRUPT_MASKED = 0x62000062
};

/* Can a board have so many words of memory at this address? Check an address that a board gives
 * before you use it: a board that has died answers each read with ones. */
bool board_has_memory(uint32_t address, size_t count);

/* The window is moved only when necessary. The words must be where board_has_memory allows some. */
uint32_t board_get_word(struct board *board, uint32_t address);
/* Words whose addresses are `step` bytes apart, a multiple of 4. */
void board_get_words(struct board *board, uint32_t address, uint32_t step, uint32_t *words,
                     size_t count);
void board_set_word(struct board *board, uint32_t address, uint32_t value);
void board_set_words(struct board *board, uint32_t address, const uint32_t *words, size_t count);
static inline uint32_t board_control_word(struct board *board, uint32_t word) {
    return board_get_word(board, BOARD_CONTROL_ADDRESS + 4 * word);
}

/* Reads a word until it differs from `unchanged`, at most `*turns` times or until `until_ns`, and
 * stores how often. Each read costs `spend_ns`: the first one only if `again`. */
uint32_t board_watch_word(struct board *board, uint32_t address, uint32_t unchanged, bool again,
                          uint64_t spend_ns, uint64_t until_ns, uint64_t *turns);

/* Looks at a word of allocated memory, which the board writes, until it differs from `unchanged` or
 * `until_ns`. Each look but the first costs `spend_ns`. */
uint32_t board_watch_memory(struct board *board, const volatile uint32_t *word, uint32_t unchanged,
                            uint64_t spend_ns, uint64_t until_ns);

/* Memory at this place of the board's own page, which is never released, or NULL: there is none.
 * The first 64 bytes are the firmware's. */
void *board_own_memory(struct board *board, size_t offset);

/* These two enclose code that uses nothing but accesses of words (host/board/ahead.h). */
void board_run_ahead(struct board *board);
void board_catch_up(struct board *board);

/* 0, or -EACCES with the reason in a child of the process that has opened the board. */
int board_check_process(struct board *board);

/* 0, or -EIO with the reason if something keeps the board from reaching host memory: four registers
 * at most are read. */
int board_check_transfers(struct board *board);

/* Does allocated memory outlive its program? Then do not free what the board may still reach: a
 * later program gives it back. */
bool board_keeps_memory(const struct board *board);
/* As in struct board_backend; only if memory is kept. */
void board_give_back(struct board *board, bool mine, bool left, const uint64_t kept[2]);

/* As in struct board_backend. */
int board_pin(struct board *board, const void *address, size_t bytes, uint32_t *pin);
int board_translate(struct board *board, uint32_t pin, const void *address, size_t count,
                    uint64_t *pages);
int board_unpin(struct board *board, uint32_t pin);
/* Pins allocated memory within one page until the board is closed, and stores the bus address of
 * `address`. -EFAULT or -ENOMEM. */
int board_pin_allocated(struct board *board, const void *address, uint64_t *bus_address);

/* Stores the sentence that board_message returns; the value is `error`. */
#define board_fail(board, error, ...) (board_set_message(board, __VA_ARGS__), (error))
void board_set_message(struct board *board, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For firmware that has stopped itself: returns -EIO and stores the reason as the message, with the
 * line of the spec if a check compiled into the image failed. The message begins with `when`. */
int board_fail_fault(struct board *board, const char *when, uint32_t fault);

/* The two words in which control blocks and peer tables have an Ethernet address. */
void board_pack_address(const uint8_t address[6], uint32_t *high, uint32_t *low);
void board_unpack_address(uint32_t high, uint32_t low, uint8_t address[6]);
/* Of many stations, or of all: the first bit on the wire. */
static inline bool board_is_group_address(const uint8_t address[6]) {
    return (address[0] & 1) != 0;
}

#ifdef __cplusplus
}
#endif

#endif
