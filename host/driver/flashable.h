/* SPDX-License-Identifier: GPL-2.0 */
/* Firmware files, as far as a driver looks into them: host/board/image_format.h. */
#ifndef HOST_DRIVER_FLASHABLE_H
#define HOST_DRIVER_FLASHABLE_H

#include "host/board/board.h"

/**
 * struct flashable - a firmware file
 * @information: what it says of itself
 * @segment: all that is loaded; its content belongs to the caller
 */
struct flashable {
	struct board_image_information information;
	struct board_segment segment;
};

int flashable_check(const uint8_t *bytes, size_t count, struct flashable *image,
		    const char **reason);
void flashable_copy(const uint8_t *bytes, const struct flashable *image, uint32_t *words);

#endif
