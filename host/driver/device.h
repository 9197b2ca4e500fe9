/* SPDX-License-Identifier: GPL-2.0 */
/* A card, the files that are open on it, and who may touch what under which lock. */
#ifndef HOST_DRIVER_DEVICE_H
#define HOST_DRIVER_DEVICE_H

#include "host/driver/endpoint.h"
#include "host/driver/flashable.h"

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

static_assert(PAGE_SIZE == EMP_PAGE_BYTES, "the board's pages are the kernel's");

/**
 * struct emp_device - a card
 * @device: the character device; its last reference frees all of this
 * @cdev: of it
 * @pdev: the card
 * @registers: its register block
 * @registers_bus: where that lies
 * @lock: of everything below, of the card's registers, and of each struct endpoint_table and
 *        struct emp_region of this card. Never held while memory of a program is accessed
 * @map_lock: of the mapping of registers into a trusted program; inside of the memory map's lock
 * @gone: the card has been removed, or the driver from it; written under both locks
 * @board: host/board's state of the card
 * @scratch: page whose first bytes the firmware uses
 * @scratch_bus: where the card sees it
 * @ends: completion words, mapped by programs
 * @ends_bus: where the card sees them
 * @pages: for addresses of long messages, by descriptor; NULL until used
 * @pages_bus: where the card sees them
 * @image: the firmware
 * @node: own node number, -1: not known yet
 * @epoch: incarnation that the firmware was started with, 0: the EEPROM's count
 * @mac_address: that it was started with, all zero: the EEPROM's
 * @peers: addresses of nodes, as programs have set them
 * @starts: of the firmware
 * @faults: firmware found to have stopped
 * @restarts_left: until somebody starts the firmware on purpose
 * @trusted: file that has the card for itself, or NULL
 * @bound: files that have a port
 * @table: shares, requests
 * @regions: all registered memory
 * @drained: endpoints whose memory may be released as soon as @lock is not held
 * @reaper: looks for the end of requests whose program has gone
 * @watchdog: looks whether the firmware runs
 * @debug: directory in debugfs
 * @waiting: programs in poll()
 * @has_interrupt: the card's interrupt is requested
 * @interrupt_lock: of the next, and of the register with the interrupt while it is true
 * @interrupt_allowed: the card may interrupt
 */
struct emp_device {
	struct device device;
	struct cdev cdev;
	struct pci_dev *pdev;
	void __iomem *registers;
	resource_size_t registers_bus;
	struct mutex lock;
	struct mutex map_lock;
	bool gone;
	struct board *board;
	uint32_t *scratch;
	dma_addr_t scratch_bus;
	void *ends;
	dma_addr_t ends_bus;
	uint32_t *pages[EMP_DESCRIPTOR_LIMIT];
	dma_addr_t pages_bus[EMP_DESCRIPTOR_LIMIT];
	struct flashable image;
	int node;
	uint16_t epoch;
	uint8_t mac_address[6];
	uint8_t peers[EMP_BOARD_LIMIT][6];
	uint32_t starts;
	uint32_t faults;
	uint32_t restarts_left;
	struct emp_file *trusted;
	uint32_t bound;
	struct endpoint_table table;
	struct list_head regions;
	struct list_head drained;
	struct delayed_work reaper;
	struct delayed_work watchdog;
	struct dentry *debug;
	wait_queue_head_t waiting;
	bool has_interrupt;
	spinlock_t interrupt_lock;
	bool interrupt_allowed;
};

/**
 * struct emp_region - pinned memory of a program
 * @region: as the checks see it
 * @of_device: in the card's list
 * @of_owner: in the list of its endpoint
 * @device: the card
 * @mm: whose locked memory it counts for
 * @pages: pinned
 * @bus: where the card sees them
 * @mapped: so many of them for the card
 */
struct emp_region {
	struct endpoint_region region;
	struct list_head of_device;
	struct list_head of_owner;
	struct emp_device *device;
	struct mm_struct *mm;
	struct page **pages;
	uint64_t *bus;
	size_t mapped;
};

/**
 * struct emp_endpoint - a program's endpoint with its memory
 * @endpoint: as the checks see it
 * @regions: its memory
 * @of_drained: in the card's list
 */
struct emp_endpoint {
	struct endpoint endpoint;
	struct list_head regions;
	struct list_head of_drained;
};

/**
 * struct emp_file - an open file
 * @device: the card
 * @program: tells of the end of the program that has opened the file; others may not use it
 * @lock: of all below; taken before that of the program's memory map, and before the card's
 * @endpoint: after EMP_BIND, until the application ends; written under both locks
 * @trusted: after EMP_TRUST; the same
 * @ended: the application has given everything back, and gets nothing any more; the card's lock
 * @mapped: mappings of parts of the file
 * @pinned: memory of a trusted program by handle, struct emp_region each
 * @mapping: of the file
 * @entries: a batch
 * @pieces: of one entry
 */
struct emp_file {
	struct emp_device *device;
	struct mmu_notifier program;
	struct mutex lock;
	struct emp_endpoint *endpoint;
	bool trusted;
	bool ended;
	atomic_t mapped;
	struct xarray pinned;
	struct address_space *mapping;
	struct emp_ioctl_entry *entries;
	struct emp_ioctl_piece *pieces;
};

/* card.c: the card's life. All but the last need emp_device.lock. */
int emp_card_open(struct emp_device *device);
int emp_card_start(struct emp_device *device, const struct emp_ioctl_start *start);
int emp_card_restart(struct emp_device *device);
void emp_card_quiesce(struct emp_device *device, bool gone);
bool emp_card_runs_as(const struct emp_device *device, const struct emp_ioctl_start *start);
int emp_card_load_image(struct emp_device *device, const char *name);
void emp_card_lock(struct emp_device *device);
void emp_card_unlock(struct emp_device *device);
void emp_card_free(struct emp_device *device);

/* memory.c */
struct emp_region *emp_region_pin(struct emp_device *device, uint64_t address, uint64_t bytes);
int emp_region_map(struct emp_region *region);
void emp_region_unmap(struct emp_region *region);
void emp_region_release(struct emp_region *region);

/* file.c, calls.c, trusted.c */
extern const struct file_operations emp_file_operations;
bool emp_file_is_foreign(const struct emp_file *file);
int emp_file_leave(struct emp_file *file);
void emp_area_open(struct vm_area_struct *area);
void emp_area_close(struct vm_area_struct *area);
long emp_file_call(struct file *file, unsigned int command, unsigned long argument);
int emp_trust(struct file *file);
int emp_trusted_add(struct emp_file *file, struct emp_region *region, uint32_t *handle);
struct emp_region *emp_trusted_remove(struct emp_file *file, uint32_t handle);
int emp_trusted_map(struct emp_file *file, struct vm_area_struct *area);
void emp_trusted_end(struct emp_file *file);

/* wait.c */
void emp_wait_open(struct emp_device *device);
void emp_wait_close(struct emp_device *device);
void emp_wait_stop(struct emp_device *device);
__poll_t emp_file_poll(struct file *file, struct poll_table_struct *table);

/* statistics.c */
extern const struct attribute_group **emp_attribute_groups;
void emp_statistics_open(struct emp_device *device, struct dentry *parent);
void emp_statistics_close(struct emp_device *device);

#endif
