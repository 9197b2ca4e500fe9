/* SPDX-License-Identifier: GPL-2.0 */
/* What requests cost a card, and which application has had its part of it.
 *
 * A card has three resources: its processor, and each direction of its wire. Each port has an
 * account of each. A request moves an account ahead of the clock by the time that it takes of the
 * resource, times the number of ports that are active. So each of n active ports moves its accounts
 * by at most 1/n of what the card can do, whatever its requests are. What is refused here can be
 * asked for again when the clock has caught up with the account.
 *
 * All requests of a port that is active alone are accepted, so costs need not be exact then. */
#include "host/driver/endpoint.h"

enum {
	/* Fitted to what a simulated card does alone: 57 000 messages of one frame a second, 29 000
	 * of three, and 102 MB/s each way at once (docs/emp.md, make bench-emp). */
	PROCESSOR_REQUEST_NS = 10000,
	PROCESSOR_CANCEL_NS = 50000,
	PROCESSOR_FRAME_NS = 7000,

	/* Preamble, Ethernet header, checksum and gap: docs/reference/tigon2.md 12.3 */
	WIRE_FRAME_BYTES = 8 + 14 + 4 + 12 + EMP_FRAME_HEADER_BYTES,
	WIRE_BYTE_NS = 8,

	BURST_NS = 2000000,  /* an account may be ahead, so that the card has work meanwhile */
	DEBT_NS = 50000000,  /* of a port that was alone until another one came, at most */
	ACTIVE_NS = 20000000 /* after its last request is paid for, a port counts as active */
};

static bool is_active(const struct endpoint_share *share, uint64_t now_ns)
{
	uint32_t i;
	for (i = 0; i < ENDPOINT_RESOURCES; i++)
		if (share->paid_until_ns[i] && share->paid_until_ns[i] + ACTIVE_NS > now_ns)
			return true;
	return false;
}

/* Ports between which the card is divided now: this one, and those that are active. */
static uint32_t count_active(const struct endpoint_table *table, const struct endpoint_share *share,
			     uint64_t now_ns)
{
	uint32_t count = 0;
	uint32_t i;
	for (i = 0; i < table->limits.ports; i++)
		count += &table->shares[i] == share || is_active(&table->shares[i], now_ns);
	return count;
}

static void charge(struct endpoint_table *table, struct endpoint_share *share,
		   enum endpoint_resource resource, uint64_t cost_ns, uint64_t now_ns)
{
	const uint32_t active = count_active(table, share, now_ns);
	uint64_t *account = &share->paid_until_ns[resource];
	*account = (*account > now_ns ? *account : now_ns) + cost_ns * active;
	if (active == 1 && *account > now_ns + DEBT_NS)
		*account = now_ns + DEBT_NS;
}

/**
 * endpoint_charge_request - a port has the card do something: a post, a peek, a cancel
 * @table: of the card
 * @share: of the port
 * @cancel: it is a cancel, for which the card walks its lists
 * @now_ns: of a clock that does not go back
 */
void endpoint_charge_request(struct endpoint_table *table, struct endpoint_share *share,
			     bool cancel, uint64_t now_ns)
{
	charge(table, share, ENDPOINT_PROCESSOR,
	       cancel ? PROCESSOR_CANCEL_NS : PROCESSOR_REQUEST_NS, now_ns);
}

/**
 * endpoint_charge_message - a message of a port is going to be sent, or was received
 * @table: of the card
 * @share: of the port
 * @receive: it was received
 * @bytes: of it
 * @now_ns: of a clock that does not go back
 */
void endpoint_charge_message(struct endpoint_table *table, struct endpoint_share *share,
			     bool receive, uint32_t bytes, uint64_t now_ns)
{
	const uint32_t frames = bytes / EMP_FRAME_PAYLOAD + 1;
	const uint64_t on_wire = bytes + (uint64_t)frames * WIRE_FRAME_BYTES;
	charge(table, share, ENDPOINT_PROCESSOR, (uint64_t)frames * PROCESSOR_FRAME_NS, now_ns);
	charge(table, share, receive ? ENDPOINT_WIRE_IN : ENDPOINT_WIRE_OUT, on_wire * WIRE_BYTE_NS,
	       now_ns);
}

/**
 * endpoint_may_go_on - has a port paid for what it has had?
 * @table: of the card
 * @share: of the port
 * @kind: of what it wants, enum emp_ioctl_kind
 * @now_ns: of a clock that does not go back
 *
 * A receive that is not posted in time makes its message wait for a time-out of the sender, and
 * costs the processor more than one that is. So receives wait only for the wire.
 *
 * Return: false: not yet, and other ports are active.
 */
bool endpoint_may_go_on(const struct endpoint_table *table, const struct endpoint_share *share,
			uint32_t kind, uint64_t now_ns)
{
	const uint64_t limit_ns = now_ns + BURST_NS;
	if (!table->limits.divides_time || count_active(table, share, now_ns) == 1)
		return true;
	if (kind == EMP_IOCTL_RECEIVE)
		return share->paid_until_ns[ENDPOINT_WIRE_IN] <= limit_ns;
	return share->paid_until_ns[ENDPOINT_PROCESSOR] <= limit_ns &&
	       (kind != EMP_IOCTL_SEND || share->paid_until_ns[ENDPOINT_WIRE_OUT] <= limit_ns);
}
