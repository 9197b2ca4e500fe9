/* SPDX-License-Identifier: GPL-2.0 */
/* Shares, the life of endpoints, and the end of their requests. */
#include "host/driver/endpoint.h"

#include <errno.h>
#include <string.h>

enum {
	POSTING_MAILBOX = BOARD_MAILBOXES + 4 + 8 * EMP_POSTING_MAILBOX,
	OBJECTS = BOARD_CONTROL_ADDRESS + EMP_OBJECTS_AT
};

/**
 * endpoint_table_initialise - divides a board
 * @table: to be initialised
 * @board: whose requests it keeps
 * @operations: of the surroundings
 * @context: for them
 * @limits: as struct endpoint_limits says
 *
 * Return: 0, or -EINVAL for limits out of range.
 */
int endpoint_table_initialise(struct endpoint_table *table, struct board *board,
			      const struct endpoint_operations *operations, void *context,
			      const struct endpoint_limits *limits)
{
	uint32_t pages;
	uint32_t port;
	if (limits->ports < 1 || limits->ports > EMP_IOCTL_PORTS)
		return -EINVAL;
	memset(table, 0, sizeof *table);
	table->board = board;
	table->operations = operations;
	table->context = context;
	table->limits = *limits;
	table->sends = EMP_SEND_LIMIT / limits->ports;
	pages = EMP_DESCRIPTOR_LIMIT / ENDPOINT_ENDS_PER_PAGE / limits->ports;
	for (port = 0; port < limits->ports; port++) {
		table->shares[port].count = pages * ENDPOINT_ENDS_PER_PAGE;
		table->shares[port].first = port * table->shares[port].count;
		table->shares[port].free = table->shares[port].count;
	}
	return 0;
}

/**
 * endpoint_table_set_ends - says where completion words are
 * @table: of the board
 * @ends: ENDPOINT_ENDS_BYTES that only the kernel and the board write, NULL: none any more
 * @bus_address: of them
 */
void endpoint_table_set_ends(struct endpoint_table *table, void *ends, uint64_t bus_address)
{
	table->ends = ends;
	table->ends_bus = bus_address;
}

volatile uint32_t *endpoint_end(struct endpoint_table *table, uint32_t descriptor)
{
	return table->ends + ((size_t)descriptor << (ENDPOINT_ENDS_STEP - 2));
}

/**
 * endpoint_table_adopt - learns where firmware that has just been started keeps what it shares
 * @table: of the board; no request is with it
 *
 * Return: 0, or -EPROTO if the addresses cannot be those of an EMP firmware.
 */
int endpoint_table_adopt(struct endpoint_table *table)
{
	struct board *board = table->board;
	table->posted = 0;
	table->node = board_control_word(board, BOARD_CONTROL_NODE_WORD);
	table->descriptors = board_get_word(board, OBJECTS + 4 * EMP_OBJECTS_DESCRIPTORS_WORD);
	table->posting_ring = board_get_word(board, OBJECTS + 4 * EMP_OBJECTS_POSTING_RING_WORD);
	table->peers = board_get_word(board, OBJECTS + 4 * EMP_OBJECTS_PEERS_WORD);
	if (table->node >= EMP_BOARD_LIMIT || !table->descriptors || !table->posting_ring ||
	    !table->peers)
		return -EPROTO;
	if (!board_has_memory(table->descriptors,
			      EMP_DESCRIPTOR_LIMIT * EMP_DESCRIPTOR_BYTES / 4) ||
	    !board_has_memory(table->posting_ring, EMP_POSTING_RING_ENTRIES) ||
	    !board_has_memory(table->peers, EMP_NODE_LIMIT * EMP_PEER_ADDRESS_BYTES / 4))
		return -EPROTO;
	board_set_word(board, OBJECTS + 4 * EMP_OBJECTS_COMPLETIONS_HIGH_WORD,
		       (uint32_t)(table->ends_bus >> 32));
	board_set_word(board, OBJECTS + 4 * EMP_OBJECTS_COMPLETIONS_LOW_WORD,
		       (uint32_t)table->ends_bus);
	board_set_word(board, OBJECTS + 4 * EMP_OBJECTS_COMPLETIONS_STEP_WORD, ENDPOINT_ENDS_STEP);
	board_set_word(board, BOARD_MAILBOXES + 4 + 8 * EMP_COMPLETION_MAILBOX, 1);
	table->running = true;
	return 0;
}

/**
 * endpoint_table_set_peer - tells the board the Ethernet address of a node
 * @table: of the board, whose firmware runs
 * @node: as programs count them, below EMP_BOARD_LIMIT
 * @mac_address: of it; all zero: not known
 */
void endpoint_table_set_peer(struct endpoint_table *table, uint32_t node,
			     const uint8_t mac_address[6])
{
	uint32_t words[EMP_PEER_ADDRESS_BYTES / 4];
	uint32_t i;
	board_pack_address(mac_address, &words[0], &words[1]);
	for (i = node; i < EMP_NODE_LIMIT; i += EMP_BOARD_LIMIT)
		board_set_words(table->board, table->peers + i * EMP_PEER_ADDRESS_BYTES, words, 2);
}

/**
 * endpoint_enter_ring - hands a descriptor, or a cancel, to the board
 * @table: of the board, whose firmware runs
 * @entry: as spec/emp/host.hsm describes
 *
 * The ring cannot overflow as long as each request is cancelled once at most: spec/emp/host.hsm.
 */
void endpoint_enter_ring(struct endpoint_table *table, uint32_t entry)
{
	const uint32_t place = table->posted % EMP_POSTING_RING_ENTRIES;
	board_set_word(table->board, table->posting_ring + 4 * place, entry);
	table->posted++;
	board_set_word(table->board, POSTING_MAILBOX, table->posted);
}

/**
 * endpoint_request_cancel - wants a request back, once
 * @table: of the board
 * @descriptor: the request's first
 *
 * Return: false: that had been done before, or the board does not run.
 */
bool endpoint_request_cancel(struct endpoint_table *table, uint32_t descriptor)
{
	struct endpoint_slot *slot = &table->slots[descriptor];
	if (slot->posted.cancelled || !table->running)
		return false;
	slot->posted.cancelled = true;
	table->shares[slot->endpoint->port].cancels++;
	endpoint_enter_ring(table, EMP_CANCEL_REQUEST | descriptor);
	return true;
}

static bool has_ended(struct endpoint_table *table, uint32_t descriptor)
{
	return libemp_is_completion(&table->slots[descriptor].posted,
				    *endpoint_end(table, descriptor));
}

/**
 * endpoint_has_ended - is there something to collect?
 * @endpoint: of an application
 */
bool endpoint_has_ended(const struct endpoint *endpoint)
{
	struct endpoint_table *table = endpoint->table;
	const struct endpoint_share *share = &table->shares[endpoint->port];
	uint32_t i;
	for (i = share->first; i < share->first + share->count; i++)
		if (table->slots[i].endpoint == endpoint && has_ended(table, i))
			return true;
	return false;
}

/**
 * endpoint_release_slot - takes back the descriptors of a request
 * @table: of the board
 * @descriptor: the request's first; the board does not access its memory any more
 */
void endpoint_release_slot(struct endpoint_table *table, uint32_t descriptor)
{
	struct endpoint_slot *slot = &table->slots[descriptor];
	struct endpoint *endpoint = slot->endpoint;
	struct endpoint_share *share = &table->shares[endpoint->port];
	uint32_t i;
	if (!slot->posted.receive)
		share->sends--;
	if (slot->region)
		slot->region->uses--;
	if (slot->several)
		endpoint->several--;
	for (i = 1; i < slot->run; i++)
		table->slots[descriptor + i].continues = false;
	share->free += slot->run;
	endpoint->outstanding--;
	slot->endpoint = NULL;
	slot->region = NULL;
	slot->several = false;
	slot->generation++;
}

/**
 * endpoint_table_end_all - ends every request, because the board has stopped
 * @table: of the board, which accesses no memory of the host any more
 * @gone: it will not be started again
 *
 * Programs see that their requests ended as if a node had restarted, or, when the board has gone,
 * words with all bits set.
 */
void endpoint_table_end_all(struct endpoint_table *table, bool gone)
{
	uint32_t i;
	table->running = false;
	for (i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
		struct endpoint_slot *slot = &table->slots[i];
		uint32_t words[DESCRIPTOR_WORDS] = { 0 };
		if (!slot->endpoint)
			continue;
		words[EMP_DESCRIPTOR_OWNER_WORD] = slot->posted.word;
		emp_descriptor_set_owner(words, EMP_OWNER_HOST);
		emp_descriptor_set_result(words, EMP_RESULT_PEER_RESTARTED);
		emp_descriptor_set_total_length(words, 0);
		if (gone) {
			*endpoint_end(table, i) = UINT32_MAX;
			endpoint_release_slot(table, i);
		} else if (!has_ended(table, i)) {
			*endpoint_end(table, i) = words[EMP_DESCRIPTOR_OWNER_WORD];
		}
	}
}

/**
 * endpoint_table_reap - takes back what ended requests of closed endpoints held
 * @table: of the board
 * @now_ns: of the clock of endpoint_close()
 *
 * Messages that an application has sent before it went may still arrive for a while. Then the board
 * gives up the node that does not take them; only the port's own messages to it end.
 * Return: true while requests of closed endpoints are with the board.
 */
bool endpoint_table_reap(struct endpoint_table *table, uint64_t now_ns)
{
	struct endpoint **link;
	uint32_t i;
	if (!table->closed)
		return false;
	for (i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
		const struct endpoint_slot *slot = &table->slots[i];
		if (!slot->endpoint || !slot->endpoint->closed)
			continue;
		if (has_ended(table, i))
			endpoint_release_slot(table, i);
		else if (table->running && !slot->posted.receive &&
			 now_ns - slot->endpoint->closed_ns > table->limits.linger_ns)
			endpoint_enter_ring(table, EMP_CANCEL_REQUEST | EMP_LEAVE_REQUEST | i);
	}
	for (link = &table->closed; *link;) {
		struct endpoint *endpoint = *link;
		if (endpoint->outstanding) {
			link = &endpoint->next;
			continue;
		}
		*link = endpoint->next;
		table->operations->drained(table->context, endpoint);
	}
	return table->closed != NULL;
}

/**
 * endpoint_open - gives an application a port
 * @table: of the board
 * @endpoint: to be initialised
 * @port: number
 *
 * Return: 0, -EINVAL for no such port, -EBUSY if another application has it. Requests of a former
 * one may still occupy a part of the share.
 */
int endpoint_open(struct endpoint_table *table, struct endpoint *endpoint, uint32_t port)
{
	if (port >= table->limits.ports)
		return -EINVAL;
	if (table->shares[port].open)
		return -EBUSY;
	memset(endpoint, 0, sizeof *endpoint);
	endpoint->table = table;
	endpoint->port = port;
	table->shares[port].open = true;
	return 0;
}

/**
 * endpoint_close - ends an application
 * @endpoint: of the application
 * @now_ns: of a clock that does not go back
 *
 * All its requests are cancelled. Those that the board cannot give back at once keep their
 * descriptors, and with them all memory of the endpoint, until they end. endpoint_table_reap()
 * notices that, and calls `drained` then.
 */
void endpoint_close(struct endpoint *endpoint, uint64_t now_ns)
{
	struct endpoint_table *table = endpoint->table;
	struct endpoint_share *share = &table->shares[endpoint->port];
	uint32_t i;
	for (i = share->first; i < share->first + share->count; i++)
		if (table->slots[i].endpoint == endpoint && !has_ended(table, i)) {
			share->abandoned++;
			if (endpoint_request_cancel(table, i)) /* by the next owner of the port */
				endpoint_charge_request(table, share, true, now_ns);
		}
	share->open = false;
	endpoint->closed = true;
	endpoint->closed_ns = now_ns;
	endpoint->next = table->closed;
	table->closed = endpoint;
}

/**
 * endpoint_add_region - lets requests of an endpoint name memory
 * @endpoint: of the application
 * @region: its memory; it must stay until endpoint_remove_region() or `drained`
 * @handle: number for requests, written
 *
 * Return: 0, or -ENOSPC for one too many.
 */
int endpoint_add_region(struct endpoint *endpoint, struct endpoint_region *region, uint32_t *handle)
{
	uint32_t i;
	for (i = 0; i < ENDPOINT_REGION_LIMIT; i++)
		if (!endpoint->regions[i]) {
			region->uses = 0;
			endpoint->regions[i] = region;
			*handle = i;
			return 0;
		}
	return -ENOSPC;
}

/**
 * endpoint_remove_region - ends a registration
 * @endpoint: of the application
 * @handle: of the registration
 * @region: its memory, written; the caller may release it
 *
 * Return: 0, -EINVAL for no such registration, -EBUSY while a request may use it.
 */
int endpoint_remove_region(struct endpoint *endpoint, uint32_t handle,
			   struct endpoint_region **region)
{
	if (handle >= ENDPOINT_REGION_LIMIT || !endpoint->regions[handle])
		return -EINVAL;
	if (endpoint->regions[handle]->uses || endpoint->several)
		return -EBUSY;
	*region = endpoint->regions[handle];
	endpoint->regions[handle] = NULL;
	return 0;
}
