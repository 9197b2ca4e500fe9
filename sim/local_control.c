/*
 * Local control (tigon2.md 3.3). The board has fibre and no PHY, so MII data in reads 0 (tigon2.md
 * 7). LEDs, general pins and bank bits are storage: they have no effect a program could see.
 */
#include "sim/board.h"

#define INTERRUPT_STATE (1u << 0)
#define INTERRUPT_CLEAR (1u << 1)
#define INTERRUPT_RAISE (1u << 2)
#define MII_DATA_IN     (1u << 19)
#define EEPROM_CLOCK    (1u << 20)
#define EEPROM_ENABLE   (1u << 21)
#define EEPROM_OUT      (1u << 22)
#define EEPROM_IN       (1u << 23)

void tigon_local_control_reset(struct tigon_board *board) {
    /* Reset releases both lines. The EEPROM has its own supply and keeps its state otherwise. */
    tigon_eeprom_lines(&board->local_control.eeprom, false, true);
}

uint32_t tigon_local_control_read(struct tigon_board *board, uint32_t offset) {
    uint32_t value = TIGON_WORD(board, offset);
    if (tigon_eeprom_data(&board->local_control.eeprom))
        value |= EEPROM_IN;
    if (board->host_control.interrupt)
        value |= INTERRUPT_STATE;
    return value;
}

void tigon_local_control_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    TIGON_WORD(board, offset) =
        value & ~(INTERRUPT_STATE | INTERRUPT_CLEAR | INTERRUPT_RAISE | MII_DATA_IN | EEPROM_IN);
    /* A line not driven is pulled high. */
    const bool data = !(value & EEPROM_ENABLE) || (value & EEPROM_OUT);
    tigon_eeprom_lines(&board->local_control.eeprom, (value & EEPROM_CLOCK) != 0, data);
    if (value & INTERRUPT_CLEAR)
        tigon_host_interrupt_set(board, false);
    if (value & INTERRUPT_RAISE)
        tigon_host_interrupt_set(board, true);
    tigon_board_changed(board);
}
