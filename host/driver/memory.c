// SPDX-License-Identifier: GPL-2.0
/* Memory of programs: pinned, counted for RLIMIT_MEMLOCK, translated page by page. */
#include "host/driver/device.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* 4 GB: more than a card can have in flight, and its list of pages is still small. */
#define PAGES_LIMIT (1UL << 20)

static struct emp_region *region_create(struct emp_device *device, uint64_t address, uint64_t bytes)
{
	struct emp_region *region;
	size_t pages;

	if (!bytes || address + bytes < address || address + bytes > TASK_SIZE_MAX)
		return ERR_PTR(-EFAULT);
	pages = (offset_in_page(address) + bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
	if (pages > PAGES_LIMIT)
		return ERR_PTR(-ENOMEM);
	region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	if (!region)
		return ERR_PTR(-ENOMEM);
	region->device = device;
	INIT_LIST_HEAD(&region->of_device);
	INIT_LIST_HEAD(&region->of_owner);
	region->region.bytes = bytes;
	region->region.in_page = offset_in_page(address);
	region->pages = kvmalloc_array(pages, sizeof(*region->pages), GFP_KERNEL_ACCOUNT);
	region->bus = kvmalloc_array(pages, sizeof(*region->bus), GFP_KERNEL_ACCOUNT);
	region->region.page = region->bus;
	if (!region->pages || !region->bus) {
		kvfree(region->pages);
		kvfree(region->bus);
		kfree(region);
		return ERR_PTR(-ENOMEM);
	}
	region->region.pages = pages;
	return region;
}

/* Long-term pins keep pages where they are, and in memory, whatever their program does with its
 * address space meanwhile. */
static int pin(struct emp_region *region, uint64_t address)
{
	const size_t count = region->region.pages;
	size_t pinned = 0;
	int now = 0;

	while (pinned < count) {
		now = pin_user_pages_fast((address & PAGE_MASK) + pinned * PAGE_SIZE,
					  (int)(count - pinned), FOLL_WRITE | FOLL_LONGTERM,
					  region->pages + pinned);
		if (now <= 0)
			break;
		pinned += now;
		cond_resched();
	}
	if (pinned == count)
		return 0;
	unpin_user_pages(region->pages, pinned);
	return now < 0 && now != -ENOMEM ? -EFAULT : -ENOMEM;
}

/**
 * emp_region_pin() - pins memory of the current program
 * @device: the card that will access it
 * @address: of the first byte
 * @bytes: length
 *
 * Context: may sleep; takes the lock of the program's memory map, so no lock of the card is held.
 * Return: the region, not yet mapped for the card, or ERR_PTR(): -EFAULT for memory that cannot be
 * read and written, -ENOMEM also beyond RLIMIT_MEMLOCK.
 */
struct emp_region *emp_region_pin(struct emp_device *device, uint64_t address, uint64_t bytes)
{
	struct emp_region *region = region_create(device, address, bytes);
	int error;

	if (IS_ERR(region))
		return region;
	error = account_locked_vm(current->mm, region->region.pages, true);
	if (error)
		goto fail;
	error = pin(region, address);
	if (error) {
		account_locked_vm(current->mm, region->region.pages, false);
		goto fail;
	}
	region->mm = current->mm;
	mmgrab(region->mm);
	return region;
fail:
	kvfree(region->pages);
	kvfree(region->bus);
	kfree(region);
	return ERR_PTR(error);
}

/**
 * emp_region_map() - makes a region reachable for its card
 * @region: pinned
 *
 * The caller holds the card's lock, and has found that the card is there.
 * Return: 0 or -EIO.
 */
int emp_region_map(struct emp_region *region)
{
	struct device *card = &region->device->pdev->dev;

	for (; region->mapped < region->region.pages; region->mapped++) {
		const dma_addr_t bus = dma_map_page(card, region->pages[region->mapped], 0,
						    PAGE_SIZE, DMA_BIDIRECTIONAL);

		if (dma_mapping_error(card, bus)) {
			emp_region_unmap(region);
			return -EIO;
		}
		region->bus[region->mapped] = bus;
	}
	list_add(&region->of_device, &region->device->regions);
	return 0;
}

/**
 * emp_region_unmap() - the opposite
 * @region: to which the card has no transfer
 *
 * The caller holds the card's lock. May be called again, and without emp_region_map().
 */
void emp_region_unmap(struct emp_region *region)
{
	while (region->mapped) {
		region->mapped--;
		dma_unmap_page(&region->device->pdev->dev, region->bus[region->mapped], PAGE_SIZE,
			       DMA_BIDIRECTIONAL);
	}
	list_del_init(&region->of_device);
}

/**
 * emp_region_release() - unpins a region and frees it
 * @region: unmapped, and in no list
 *
 * Context: may sleep; takes the lock of the memory map, so no lock of the card is held.
 */
void emp_region_release(struct emp_region *region)
{
	unpin_user_pages_dirty_lock(region->pages, region->region.pages, true);
	account_locked_vm(region->mm, region->region.pages, false);
	mmdrop(region->mm);
	kvfree(region->pages);
	kvfree(region->bus);
	kfree(region);
}
