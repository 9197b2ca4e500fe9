/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: endpoints, the part of the driver that decides
 *
 * One board, several applications that trust neither each other nor the driver. Each has a port,
 * and with it a fixed share: a run of descriptors, and some of the firmware's records for sends.
 * The card's time is divided between the ports that are active (endpoint_account.c). To EMP each
 * port of a board is a node of its own (own_number in spec/emp/wire.hsm), so messages of two ports
 * do not wait for each other. All that a program may ask of the board passes endpoint_submit():
 * numbers come in, and only addresses of pages that the program has registered go out.
 *
 * This part uses no kernel function, so that tests compile it for user space, with the sanitizers
 * (tests/driver). It reaches the board through host/board/access.h.
 *
 * Locks: none here. The caller has one lock for each table, and holds it in every call.
 */
#ifndef HOST_DRIVER_ENDPOINT_H
#define HOST_DRIVER_ENDPOINT_H

#include "host/board/access.h"
#include "host/driver/uapi/emp_ioctl.h"
#include "host/emp/descriptor.h"

enum {
	ENDPOINT_ENDS_STEP = 6, /* 64 bytes from one completion word to the next ... */
	ENDPOINT_ENDS_PER_PAGE = BOARD_PAGE_BYTES >> ENDPOINT_ENDS_STEP,
	ENDPOINT_ENDS_BYTES = EMP_DESCRIPTOR_LIMIT << ENDPOINT_ENDS_STEP,
	ENDPOINT_REGION_LIMIT = 4096,
	ENDPOINT_PIECES = EMP_INDIRECT_ENTRIES + 1 /* one more shows that there are too many */
};

/* Of a card; each has its time. */
enum endpoint_resource {
	ENDPOINT_PROCESSOR,
	ENDPOINT_WIRE_OUT,
	ENDPOINT_WIRE_IN,
	ENDPOINT_RESOURCES
};

/* ... so that shares of whole pages can be mapped. */
_Static_assert(EMP_DESCRIPTOR_LIMIT / ENDPOINT_ENDS_PER_PAGE >= EMP_IOCTL_PORTS, "a page each");
_Static_assert(EMP_SEND_LIMIT >= EMP_IOCTL_PORTS, "a record each");
_Static_assert(EMP_NODE_LIMIT == EMP_BOARD_LIMIT * EMP_IOCTL_PORTS, "a node each");
_Static_assert(EMP_TAG_BITS == 64, "ports take bits of the tag: profile modern");
_Static_assert(EMP_IOCTL_PORTS <= 1 << EMP_IOCTL_PORT_BITS, "a port fits its bits");

/**
 * struct endpoint_region - registered memory
 * @bytes: length
 * @in_page: offset of the first byte in its page
 * @pages: number of pages
 * @page: bus addresses of their beginnings
 * @uses: posted requests that name this memory alone; kept by endpoint_submit()
 */
struct endpoint_region {
	uint64_t bytes;
	uint32_t in_page;
	size_t pages;
	const uint64_t *page;
	uint32_t uses;
};

/**
 * struct endpoint - one application
 * @table: of its board
 * @port: its number, whose share it uses
 * @outstanding: requests whose descriptors have not come back
 * @several: of these, the ones with pieces of several regions
 * @closed: the application has gone; requests may not have
 * @closed_ns: when
 * @next: in the list of closed endpoints
 * @regions: by handle
 */
struct endpoint {
	struct endpoint_table *table;
	uint32_t port;
	uint32_t outstanding;
	uint32_t several;
	bool closed;
	uint64_t closed_ns;
	struct endpoint *next;
	struct endpoint_region *regions[ENDPOINT_REGION_LIMIT];
};

/**
 * struct endpoint_slot - what the driver remembers of a descriptor
 * @endpoint: whose request it is; NULL: free
 * @region: the only one that the request names, or NULL
 * @generation: counts requests
 * @run: descriptors of the request that begins here
 * @wildcards: the board names the message that the request has met
 * @several: the request names several regions
 * @continues: belongs to a run that begins before
 * @posted: as handed to the board
 */
struct endpoint_slot {
	struct endpoint *endpoint;
	struct endpoint_region *region;
	uint16_t generation;
	uint8_t run;
	bool wildcards;
	bool several;
	bool continues;
	struct libemp_posted posted;
};

/**
 * struct endpoint_share - what a port has of the board
 * @first: its first descriptor
 * @count: of descriptors
 * @free: of them
 * @open: an application has the port
 * @sends: that have not ended; each occupies a record of the firmware
 * @paid_until_ns: by resource: the time up to which the port has used its part, 0: nothing yet
 * @posts: since the driver was loaded; so are the next three
 * @cancels: asked for
 * @refused: requests, for want of descriptors, records or the card's time
 * @abandoned: requests whose application died or closed its file
 */
struct endpoint_share {
	uint32_t first;
	uint32_t count;
	uint32_t free;
	bool open;
	uint32_t sends;
	uint64_t paid_until_ns[ENDPOINT_RESOURCES];
	uint64_t posts;
	uint64_t cancels;
	uint64_t refused;
	uint64_t abandoned;
};

/**
 * struct endpoint_operations - what a table needs of its surroundings
 * @page: a page for the addresses of a long message of this descriptor, the same at each call, and
 *        its bus address. NULL: out of memory
 * @drained: no request of this closed endpoint is with the board any more; its memory may go, and
 *           the table does not know it from here on
 */
struct endpoint_operations {
	uint32_t *(*page)(void *context, uint32_t descriptor, uint64_t *bus_address);
	void (*drained)(void *context, struct endpoint *endpoint);
};

/**
 * struct endpoint_limits - how a board is divided
 * @ports: applications at once, 1 to EMP_IOCTL_PORTS; the shares are equal
 * @divides_time: active ports get equal parts of the card's time
 * @linger_ns: for which messages of an application that has gone may still be received
 */
struct endpoint_limits {
	uint32_t ports;
	bool divides_time;
	uint64_t linger_ns;
};

/**
 * struct endpoint_table - one board
 * @board: it
 * @operations: of the surroundings
 * @context: for them
 * @limits: as given
 * @ends: completion words, which programs see and cannot write
 * @ends_bus: their bus address
 * @running: the firmware runs, and the addresses below are valid
 * @node: of the board, and of its port 0
 * @descriptors: in the board's memory; so are the next two
 * @posting_ring: entries
 * @peers: addresses of nodes
 * @posted: running count of entries
 * @sends: at once, of each share
 * @closed: endpoints that wait for the end of their requests
 * @shares: by port
 * @slots: by descriptor
 * @fragments: of the message that is being posted
 */
struct endpoint_table {
	struct board *board;
	const struct endpoint_operations *operations;
	void *context;
	struct endpoint_limits limits;
	volatile uint32_t *ends;
	uint64_t ends_bus;
	bool running;
	uint32_t node;
	uint32_t descriptors;
	uint32_t posting_ring;
	uint32_t peers;
	uint32_t posted;
	uint32_t sends;
	struct endpoint *closed;
	struct endpoint_share shares[EMP_IOCTL_PORTS];
	struct endpoint_slot slots[EMP_DESCRIPTOR_LIMIT];
	struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES];
};

/* endpoint.c */

int endpoint_table_initialise(struct endpoint_table *table, struct board *board,
			      const struct endpoint_operations *operations, void *context,
			      const struct endpoint_limits *limits);
void endpoint_table_set_ends(struct endpoint_table *table, void *ends, uint64_t bus_address);
int endpoint_table_adopt(struct endpoint_table *table);
void endpoint_table_set_peer(struct endpoint_table *table, uint32_t node,
			     const uint8_t mac_address[6]);
void endpoint_table_end_all(struct endpoint_table *table, bool gone);
bool endpoint_table_reap(struct endpoint_table *table, uint64_t now_ns);

int endpoint_open(struct endpoint_table *table, struct endpoint *endpoint, uint32_t port);
void endpoint_close(struct endpoint *endpoint, uint64_t now_ns);
int endpoint_add_region(struct endpoint *endpoint, struct endpoint_region *region,
			uint32_t *handle);
int endpoint_remove_region(struct endpoint *endpoint, uint32_t handle,
			   struct endpoint_region **region);

bool endpoint_has_ended(const struct endpoint *endpoint);
volatile uint32_t *endpoint_end(struct endpoint_table *table, uint32_t descriptor);
void endpoint_enter_ring(struct endpoint_table *table, uint32_t entry);
void endpoint_release_slot(struct endpoint_table *table, uint32_t descriptor);
bool endpoint_request_cancel(struct endpoint_table *table, uint32_t descriptor);

/* endpoint_account.c */

void endpoint_charge_request(struct endpoint_table *table, struct endpoint_share *share,
			     bool cancel, uint64_t now_ns);
void endpoint_charge_message(struct endpoint_table *table, struct endpoint_share *share,
			     bool receive, uint32_t bytes, uint64_t now_ns);
bool endpoint_may_go_on(const struct endpoint_table *table, const struct endpoint_share *share,
			uint32_t kind, uint64_t now_ns);

/* endpoint_submit.c */

int endpoint_copy_pieces(struct emp_ioctl_piece pieces[ENDPOINT_PIECES], uint64_t address,
			 uint32_t count);
int endpoint_submit(struct endpoint *endpoint, struct emp_ioctl_entry *entry,
		    const struct emp_ioctl_piece *pieces, uint64_t now_ns);

#endif
