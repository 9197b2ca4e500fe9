/* SPDX-License-Identifier: GPL-2.0 */
/* A firmware file is used only if every byte of it is as it was written. */
#include "host/driver/flashable.h"

#include "host/board/image_format.h"
#include "host/driver/surroundings.h"

#include <errno.h>

static uint32_t word_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static bool in_memory(uint64_t address)
{
	return address >= BOARD_IMAGE_FIRST_ADDRESS && address < BOARD_IMAGE_END_ADDRESS &&
	       address % 4 == 0;
}

/**
 * flashable_check - checks a file, and says what is in it
 * @bytes: of the file
 * @count: of them
 * @image: written; @image->segment.content is left to the caller
 * @reason: after a failure what was expected
 *
 * Return: 0, -ENOEXEC for a file of another kind, -EBADMSG for a damaged one, -EFBIG for one that
 * does not fit into every board's memory.
 */
int flashable_check(const uint8_t *bytes, size_t count, struct flashable *image,
		    const char **reason)
{
	const uint8_t *tail;
	uint64_t payload;
	uint64_t names;
	uint64_t memory;
	uint64_t load;
	uint64_t start;
	*reason = "expected a firmware file with a trailer; install it with `emp install`";
	if (count < BOARD_IMAGE_HEADER_BYTES + BOARD_IMAGE_TAIL_BYTES ||
	    count > BOARD_IMAGE_END_ADDRESS || bytes[3])
		return -ENOEXEC;
	tail = bytes + count - BOARD_IMAGE_TAIL_BYTES;
	if (word_at(tail + 4 * BOARD_IMAGE_TAIL_MAGIC) != BOARD_IMAGE_MAGIC)
		return -ENOEXEC;
	*reason = "the file is damaged: its CRC does not hold; install it anew";
	if (crc_of(bytes, count - 4) != word_at(tail + 4 * BOARD_IMAGE_TAIL_CRC))
		return -EBADMSG;
	*reason = "the file is of another format than this driver's";
	if (word_at(tail + 4 * BOARD_IMAGE_TAIL_FORMAT) != BOARD_IMAGE_FORMAT)
		return -ENOEXEC;
	*reason = "the sizes in the trailer do not make up the file";
	payload = word_at(tail + 4 * BOARD_IMAGE_TAIL_PAYLOAD);
	names = word_at(tail + 4 * BOARD_IMAGE_TAIL_NAMES);
	if (!payload || payload % 4 ||
	    BOARD_IMAGE_HEADER_BYTES + payload + (names + 3) / 4 * 4 + BOARD_IMAGE_TAIL_BYTES !=
		    count)
		return -ENOEXEC;
	*reason = "start or load address are outside the memory for firmware";
	start = word_at(bytes + BOARD_IMAGE_START_OFFSET);
	load = word_at(bytes + BOARD_IMAGE_LOAD_OFFSET);
	if (!in_memory(start) || !in_memory(load) || start < load || start - load >= payload)
		return -ENOEXEC;
	*reason = "the image needs more memory than every board has";
	memory = word_at(tail + 4 * BOARD_IMAGE_TAIL_MEMORY);
	if (load + payload > BOARD_IMAGE_END_ADDRESS || memory > BOARD_IMAGE_END_ADDRESS)
		return -EFBIG;
	*reason = "";
	image->information = (struct board_image_information){
		.flashable = true,
		.version = { bytes[0], bytes[1], bytes[2] },
		.crc = word_at(tail + 4 * BOARD_IMAGE_TAIL_CRC),
		.start = (uint32_t)start,
		.load = (uint32_t)load,
		.load_bytes = (uint32_t)payload,
		.memory_end = (uint32_t)memory,
		.protocol_hash = word_at(tail + 4 * BOARD_IMAGE_TAIL_HASH),
		.protocol = "emp",
		.profile = "",
	};
	image->segment.address = (uint32_t)load;
	image->segment.words = (uint32_t)payload / 4;
	image->segment.content = NULL;
	return 0;
}

/**
 * flashable_copy - takes what is to be loaded out of a file
 * @bytes: of the file
 * @image: as flashable_check() has written it
 * @words: room for @image->segment.words
 */
void flashable_copy(const uint8_t *bytes, const struct flashable *image, uint32_t *words)
{
	uint32_t i;
	for (i = 0; i < image->segment.words; i++)
		words[i] = word_at(bytes + BOARD_IMAGE_HEADER_BYTES + 4 * i);
}
