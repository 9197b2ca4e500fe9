/* SPDX-License-Identifier: MIT */
/*
 * Local control (tigon2.md 3.3). Bank bits are only stored: all of the fitted SRAM is available
 * from the start. No public source states the number of LEDs on the shift register; eight bits are
 * kept.
 */
#include "sim/chip/board.h"

#define INTERRUPT_STATE (1u << 0)
#define INTERRUPT_CLEAR (1u << 1)
#define INTERRUPT_RAISE (1u << 2)
#define FLASH_WRITE     (1u << 4)
#define LED_CLOCK       (1u << 5)
#define LED_DATA        (1u << 6)
#define PHY_RUN         (1u << 7) /* a rising edge ends the PHY's reset */
#define BANK_SIZE       (3u << 8)
#define PINS            (3u << 14) /* bits 13:12 enable their outputs (tigon2.md 16.7) */
#define MII_CLOCK       (1u << 16)
#define MII_ENABLE      (1u << 17)
#define MII_OUT         (1u << 18)
#define MII_DATA_IN     (1u << 19)
#define EEPROM_CLOCK    (1u << 20)
#define EEPROM_ENABLE   (1u << 21)
#define EEPROM_OUT      (1u << 22)
#define EEPROM_IN       (1u << 23)

#define SYNCHRONOUS_SRAM (1u << 20) /* HW[050] */

static void reset(struct tigon_board *board) {
    struct tigon_local_control *control = &board->local_control;
    /* Reset releases all lines. The EEPROM has its own supply and keeps its state otherwise. */
    tigon_eeprom_lines(&control->eeprom, false, true);
    tigon_phy_reset(&control->phy);
    tigon_phy_lines(&control->phy, false, false, false);
    control->leds = 0;
    control->configuration = 0;
    board->memory.flash_writable = false;
    tigon_board_signal(board, TIGON_SIGNAL_LEDS, 0);
}

enum tigon_pins tigon_local_control_pins(const struct tigon_board *board) {
    const uint32_t pins = TIGON_WORD(board, TIGON_LOCAL_CONTROL) & PINS;
    return pins == 2u << 14   ? TIGON_PINS_NORMAL
           : pins == 3u << 14 ? TIGON_PINS_LOOPBACK
                              : TIGON_PINS_OTHER;
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    uint32_t value = TIGON_WORD(board, offset);
    if (tigon_eeprom_data(&board->local_control.eeprom))
        value |= EEPROM_IN;
    if (tigon_phy_data(&board->local_control.phy))
        value |= MII_DATA_IN;
    if (board->host_control.interrupt)
        value |= INTERRUPT_STATE;
    return value;
}

/* Knob quirk_bank_write: "can corrupt the operating mode and neighbours" (tigon2.md 13 item 1). */
static void corrupt_operating_mode(struct tigon_board *board) {
    static const uint32_t words[] = {0x218, 0x21C, 0x220};
    if (!board->knobs.quirk_bank_write)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        tigon_memory_write32(&board->memory, words[i],
                             tigon_memory_read32(&board->memory, words[i]) * 2u + 1u);
    tigon_board_log(board, "SRAM bank size or timing changed: the operating mode is corrupted");
}

static void write_timing(struct tigon_board *board, uint32_t value) {
    struct tigon_local_control *control = &board->local_control;
    if ((value ^ control->configuration) & SYNCHRONOUS_SRAM)
        corrupt_operating_mode(board);
    control->configuration = value;
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    struct tigon_local_control *control = &board->local_control;
    if (offset == TIGON_MISC_CONFIGURATION) {
        write_timing(board, value);
        return;
    }
    const uint32_t before = TIGON_WORD(board, offset);
    TIGON_WORD(board, offset) =
        value & ~(INTERRUPT_STATE | INTERRUPT_CLEAR | INTERRUPT_RAISE | MII_DATA_IN | EEPROM_IN);
    const uint32_t rising = value & ~before;
    board->memory.flash_writable = (value & FLASH_WRITE) != 0;
    if (rising & LED_CLOCK) {
        control->leds = (uint8_t)(control->leds << 1 | ((value & LED_DATA) != 0));
        tigon_board_signal(board, TIGON_SIGNAL_LEDS, control->leds);
    }
    if (rising & PHY_RUN)
        tigon_phy_reset(&control->phy);
    tigon_phy_lines(&control->phy, (value & MII_CLOCK) != 0, (value & MII_ENABLE) != 0,
                    (value & MII_OUT) != 0);
    /* A line not driven is pulled high. */
    const bool data = !(value & EEPROM_ENABLE) || (value & EEPROM_OUT);
    tigon_eeprom_lines(&control->eeprom, (value & EEPROM_CLOCK) != 0, data);
    if ((before ^ value) & BANK_SIZE)
        corrupt_operating_mode(board);
    tigon_link_look(board); /* the PHY, or an external SERDES, may do something else now */
    if (value & INTERRUPT_CLEAR)
        tigon_host_interrupt_set(board, false);
    if (value & INTERRUPT_RAISE)
        tigon_host_interrupt_set(board, true);
    tigon_board_changed(board);
}

static void initialise(struct tigon_board *board) {
    tigon_eeprom_initialise(&board->local_control.eeprom, board->mac_address);
}

static const struct tigon_register_description registers[] = {
    {0x044, 1, "misc local control", TIGON_READS_WRITES, 0, 0},    /* 3.3 */
    {0x050, 1, "misc configuration", TIGON_STORED, 0, 0xFFFFFFFF}, /* 3.5 */
    {0x07C, 1, "serial", TIGON_PLAIN, 0, 0xFFFFFFFF},              /* 3.1 */
};

const struct tigon_device tigon_local_control_device = {
    .name = "local control",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .initialise = initialise,
    .reset = reset,
    .read = read_register,
    .write = write_register,
};
