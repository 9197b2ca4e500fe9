/* SPDX-License-Identifier: GPL-2.0 */
/* One request of a program: checked, and posted if all of it is within what the program has.
 *
 * Everything in an entry comes from a program that may be hostile. Speculation: indexes that a
 * program gives are clamped behind their check (array_index_nospec) where an entry of the array is
 * a pointer. */
#include "host/driver/endpoint.h"

#include "host/driver/surroundings.h"

#include <errno.h>
#include <string.h>

#define TAG_MASK ((UINT64_C(1) << EMP_IOCTL_TAG_BITS) - 1)

enum { GENERATION_SHIFT = 16 };

/**
 * endpoint_copy_pieces - copies the pieces of a message that have bytes
 * @pieces: written; the program cannot change them any more
 * @address: of the program's array
 * @count: of its elements; empty ones may be many, and name no memory
 *
 * Return: the number of pieces, -E2BIG for more than can touch a page each, or -EFAULT.
 */
int endpoint_copy_pieces(struct emp_ioctl_piece pieces[ENDPOINT_PIECES], uint64_t address,
			 uint32_t count)
{
	uint32_t used = 0;
	if (count > EMP_IOCTL_PIECE_LIMIT)
		return -E2BIG;
	while (count) {
		const uint32_t room = ENDPOINT_PIECES - used;
		const uint32_t here = count < room ? count : room;
		const uint32_t end = used + here;
		uint32_t i;
		if (copy_from_program(pieces + used, address, here * sizeof(*pieces)))
			return -EFAULT;
		for (i = used; i < end; i++)
			if (pieces[i].length)
				pieces[used++] = pieces[i];
		if (used == ENDPOINT_PIECES)
			return -E2BIG;
		address += here * sizeof(*pieces);
		count -= here;
	}
	return (int)used;
}

/* Divides a piece at the borders of pages, behind `used` fragments. Returns the number of fragments
 * then. */
static int cut_piece(struct endpoint_table *table, const struct endpoint_region *region,
		     const struct emp_ioctl_piece *piece, int used)
{
	uint64_t position = region->in_page + piece->offset;
	uint32_t rest = piece->length;
	while (rest) {
		const uint32_t in_page = (uint32_t)(position % EMP_PAGE_BYTES);
		const uint32_t here =
			rest < EMP_PAGE_BYTES - in_page ? rest : EMP_PAGE_BYTES - in_page;
		if (used == EMP_INDIRECT_ENTRIES)
			return -E2BIG;
		table->fragments[used].bus_address =
			region->page[position / EMP_PAGE_BYTES] + in_page;
		table->fragments[used].length = (uint16_t)here;
		used++;
		position += here;
		rest -= here;
	}
	return used;
}

/* Divides a message. Returns the number of fragments; `*region` is the only region that it names,
 * or NULL, `*several` whether there are more. */
static int cut(const struct endpoint *endpoint, const struct emp_ioctl_piece *pieces,
	       uint32_t count, uint32_t *length, struct endpoint_region **region, bool *several)
{
	uint32_t total = 0;
	int used = 0;
	uint32_t i;
	*region = NULL;
	*several = false;
	for (i = 0; i < count; i++) {
		const struct emp_ioctl_piece *piece = &pieces[i];
		struct endpoint_region *found;
		if (piece->handle >= ENDPOINT_REGION_LIMIT)
			return -EINVAL;
		found = endpoint->regions[array_index_nospec(piece->handle, ENDPOINT_REGION_LIMIT)];
		if (!found || piece->offset > found->bytes ||
		    piece->length > found->bytes - piece->offset)
			return -EINVAL;
		if (piece->length > EMP_MESSAGE_LIMIT - total)
			return -E2BIG;
		total += piece->length;
		if (*region && *region != found)
			*several = true;
		*region = found;
		used = cut_piece(endpoint->table, found, piece, used);
		if (used < 0)
			return used;
	}
	if (*several)
		*region = NULL;
	*length = total;
	return used;
}

/* The lowest run of free descriptors of a share, or its end. */
static uint32_t find_free(const struct endpoint_table *table, const struct endpoint_share *share,
			  uint32_t run)
{
	const uint32_t end = share->first + share->count;
	uint32_t length = 0;
	uint32_t i;
	if (share->free < run)
		return end;
	for (i = share->first; i < end; i++) {
		const struct endpoint_slot *slot = &table->slots[i];
		length = slot->endpoint || slot->continues ? 0 : length + 1;
		if (length == run)
			return i + 1 - run;
	}
	return end;
}

static int check(const struct endpoint *endpoint, const struct emp_ioctl_entry *entry)
{
	const bool any = entry->kind != EMP_IOCTL_SEND && entry->peer == EMP_IOCTL_ANY_SOURCE;
	if (!any && (entry->peer >= EMP_BOARD_LIMIT || entry->peer == endpoint->table->node))
		return -EINVAL;
	if (entry->tag & ~TAG_MASK || entry->ignored & ~TAG_MASK)
		return -EINVAL;
	if (entry->kind == EMP_IOCTL_SEND && entry->ignored)
		return -EINVAL;
	return entry->kind == EMP_IOCTL_PEEK && entry->piece_count ? -EINVAL : 0;
}

static struct libemp_header header_of(const struct endpoint *endpoint,
				      const struct emp_ioctl_entry *entry)
{
	return (struct libemp_header){
		.direction =
			entry->kind == EMP_IOCTL_SEND ? EMP_DIRECTION_SEND : EMP_DIRECTION_RECEIVE,
		.peer = entry->peer == EMP_IOCTL_ANY_SOURCE
				? DESCRIPTOR_ANY_SOURCE
				: (uint16_t)(entry->peer + endpoint->port * EMP_BOARD_LIMIT),
		.tag = entry->tag | (uint64_t)endpoint->port << EMP_IOCTL_TAG_BITS,
		.ignored = entry->ignored,
		.peek = entry->kind == EMP_IOCTL_PEEK,
	};
}

static void remember(struct endpoint *endpoint, uint32_t descriptor, uint32_t run,
		     const struct libemp_header *header, uint32_t word)
{
	struct endpoint_table *table = endpoint->table;
	struct endpoint_share *share = &table->shares[endpoint->port];
	struct endpoint_slot *slot = &table->slots[descriptor];
	uint32_t i;
	slot->endpoint = endpoint;
	slot->run = (uint8_t)run;
	slot->wildcards = libemp_has_wildcards(header);
	slot->posted = (struct libemp_posted){
		.receive = header->direction == EMP_DIRECTION_RECEIVE,
		.peek = header->peek,
		.peer = header->peer,
		.tag = header->tag,
		.ignored = header->ignored,
		.length = header->length,
		.word = word,
	};
	for (i = 1; i < run; i++)
		table->slots[descriptor + i].continues = true;
	if (!slot->posted.receive)
		share->sends++;
	share->free -= run;
	share->posts++;
	endpoint->outstanding++;
}

static int post(struct endpoint *endpoint, struct emp_ioctl_entry *entry,
		const struct emp_ioctl_piece *pieces, uint64_t now_ns)
{
	struct endpoint_table *table = endpoint->table;
	struct endpoint_share *share = &table->shares[endpoint->port];
	struct libemp_header header = header_of(endpoint, entry);
	uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS];
	struct endpoint_region *region;
	uint32_t *indirect = NULL;
	uint64_t indirect_bus = 0;
	uint32_t descriptor;
	uint32_t run;
	bool several;
	const int fragments =
		cut(endpoint, pieces, entry->piece_count, &header.length, &region, &several);
	if (fragments < 0)
		return fragments;
	run = (uint32_t)libemp_run_length((size_t)fragments);
	descriptor = find_free(table, share, run);
	if (descriptor == share->first + share->count ||
	    (entry->kind == EMP_IOCTL_SEND && share->sends == table->sends) ||
	    !endpoint_may_go_on(table, share, entry->kind, now_ns)) {
		share->refused++;
		return -EAGAIN;
	}
	if (fragments > CHAIN_FRAGMENTS) {
		indirect = table->operations->page(table->context, descriptor, &indirect_bus);
		if (!indirect)
			return -ENOMEM;
	}
	libemp_encode(&header, table->fragments, (size_t)fragments, indirect, indirect_bus, words);
	remember(endpoint, descriptor, run, &header, words[EMP_DESCRIPTOR_OWNER_WORD]);
	table->slots[descriptor].region = region;
	table->slots[descriptor].several = several;
	if (region)
		region->uses++;
	if (several)
		endpoint->several++;
	endpoint_charge_request(table, share, false, now_ns);
	if (entry->kind == EMP_IOCTL_SEND)
		endpoint_charge_message(table, share, false, header.length, now_ns);
	/* The board may end the request as soon as the ring names it. */
	*endpoint_end(table, descriptor) = words[EMP_DESCRIPTOR_OWNER_WORD];
	board_set_words(table->board, table->descriptors + descriptor * EMP_DESCRIPTOR_BYTES, words,
			libemp_run_words(&header, run));
	write_before_ring();
	endpoint_enter_ring(table, descriptor);
	entry->request = (uint32_t)table->slots[descriptor].generation << GENERATION_SHIFT |
			 (descriptor - share->first);
	entry->descriptors = run;
	entry->word = words[EMP_DESCRIPTOR_OWNER_WORD];
	return 0;
}

/* The descriptor of a request of this endpoint; EMP_DESCRIPTOR_LIMIT: there is no such request. */
static uint32_t find(const struct endpoint *endpoint, uint32_t request)
{
	const struct endpoint_table *table = endpoint->table;
	const struct endpoint_share *share = &table->shares[endpoint->port];
	const uint32_t index = request & ((1U << GENERATION_SHIFT) - 1);
	uint32_t descriptor;
	if (index >= share->count)
		return EMP_DESCRIPTOR_LIMIT;
	descriptor = share->first + array_index_nospec(index, share->count);
	if (table->slots[descriptor].endpoint != endpoint ||
	    table->slots[descriptor].generation != request >> GENERATION_SHIFT)
		return EMP_DESCRIPTOR_LIMIT;
	return descriptor;
}

static int cancel(struct endpoint *endpoint, uint32_t request, uint64_t now_ns)
{
	struct endpoint_table *table = endpoint->table;
	struct endpoint_share *share = &table->shares[endpoint->port];
	const uint32_t descriptor = find(endpoint, request);
	if (descriptor == EMP_DESCRIPTOR_LIMIT)
		return -EINVAL;
	if (table->slots[descriptor].posted.cancelled)
		return 0;
	if (!endpoint_may_go_on(table, share, EMP_IOCTL_CANCEL, now_ns)) {
		share->refused++;
		return -EAGAIN;
	}
	endpoint_charge_request(table, share, true, now_ns);
	(void)endpoint_request_cancel(table, descriptor);
	return 0;
}

/* Source and tag of the message that a receive with wildcards, or a peek, has met. */
static bool read_source(struct endpoint_table *table, uint32_t descriptor,
			struct emp_ioctl_entry *entry)
{
	const uint32_t address = table->descriptors + descriptor * EMP_DESCRIPTOR_BYTES;
	uint32_t words[DESCRIPTOR_WORDS] = { 0 };
	uint32_t i;
	for (i = EMP_DESCRIPTOR_PEER_WORD; i <= EMP_DESCRIPTOR_TAG_WORD; i++)
		words[i] = board_get_word(table->board, address + 4 * i);
	entry->peer = emp_descriptor_get_peer(words);
	entry->tag = libemp_decode_tag(words);
	return libemp_accepts(&table->slots[descriptor].posted, entry->peer, entry->tag);
}

static int collect(struct endpoint *endpoint, struct emp_ioctl_entry *entry, uint64_t now_ns)
{
	struct endpoint_table *table = endpoint->table;
	const uint32_t descriptor = find(endpoint, entry->request);
	uint32_t words[DESCRIPTOR_WORDS] = { 0 };
	const struct endpoint_slot *slot;
	uint32_t word;
	int error;
	if (descriptor == EMP_DESCRIPTOR_LIMIT)
		return -EINVAL;
	slot = &table->slots[descriptor];
	word = *endpoint_end(table, descriptor);
	if (word == slot->posted.word)
		return -EAGAIN;
	if (!libemp_is_completion(&slot->posted, word)) /* the descriptor stays with the board */
		return -EIO;
	words[EMP_DESCRIPTOR_OWNER_WORD] = word;
	error = libemp_result_error((enum emp_result)emp_descriptor_get_result(words));
	entry->peer = slot->posted.peer;
	entry->tag = slot->posted.tag;
	entry->length =
		slot->posted.receive ? emp_descriptor_get_total_length(words) : slot->posted.length;
	if (slot->wildcards && (error == 0 || error == -EMSGSIZE) &&
	    !read_source(table, descriptor, entry)) {
		entry->peer = slot->posted.peer; /* reset meanwhile: the request did end */
		entry->tag = slot->posted.tag;
		error = -ECONNRESET;
	}
	entry->tag &= TAG_MASK;
	if (entry->peer != DESCRIPTOR_ANY_SOURCE)
		entry->peer %= EMP_BOARD_LIMIT;
	/* What came, whether the receive had room for it or not; how much is known only now. */
	if (slot->posted.receive && !slot->posted.peek && (error == 0 || error == -EMSGSIZE))
		endpoint_charge_message(table, &table->shares[endpoint->port], true, entry->length,
					now_ns);
	endpoint_release_slot(table, descriptor);
	return error;
}

/**
 * endpoint_submit - carries out one entry of a batch
 * @endpoint: of the program
 * @entry: as struct emp_ioctl_entry describes; what is `written` is stored
 * @pieces: of the message, @entry->piece_count of them, in memory that the program cannot change
 * @now_ns: of a clock that does not go back
 *
 * Return: 0, or the negative errno value that belongs into @entry->error. -ENODEV: no firmware
 * runs; requests that have ended can be collected even then.
 */
int endpoint_submit(struct endpoint *endpoint, struct emp_ioctl_entry *entry,
		    const struct emp_ioctl_piece *pieces, uint64_t now_ns)
{
	int error;
	switch (entry->kind) {
	case EMP_IOCTL_COLLECT:
		return collect(endpoint, entry, now_ns);
	case EMP_IOCTL_CANCEL:
		return endpoint->table->running ? cancel(endpoint, entry->request, now_ns)
						: -ENODEV;
	case EMP_IOCTL_SEND:
	case EMP_IOCTL_RECEIVE:
	case EMP_IOCTL_PEEK:
		if (!endpoint->table->running)
			return -ENODEV;
		error = check(endpoint, entry);
		return error ? error : post(endpoint, entry, pieces, now_ns);
	default:
		return -EINVAL;
	}
}
