// SPDX-License-Identifier: GPL-2.0
/* One privileged program with the whole card: registers mapped, addresses told. */
#include "host/driver/device.h"

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#define REGISTERS_BYTES 0x4000

static bool trusted;
module_param(trusted, bool, 0444);
MODULE_PARM_DESC(
	trusted,
	"let programs without CAP_SYS_RAWIO take cards for themselves, and so all memory (N)");

/**
 * emp_trust() - gives the card to one file
 * @file: of a privileged program; its lock is held
 *
 * The firmware goes on; the program may attach to it, or load another.
 * Return: 0, -EPERM, -EBUSY while another file has a port or the card.
 */
int emp_trust(struct file *file)
{
	struct emp_file *own = file->private_data;
	struct emp_device *device = own->device;
	int error = 0;

	if (!trusted && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (own->endpoint || own->trusted)
		return -EINVAL;
	emp_card_lock(device);
	if (device->gone)
		error = -ENODEV;
	else if (device->trusted || device->bound || device->table.closed)
		error = -EBUSY;
	if (!error) {
		device->trusted = own;
		endpoint_table_end_all(&device->table, false);
		pci_set_master(device->pdev);
	}
	emp_card_unlock(device);
	if (!error)
		smp_store_release(&own->trusted, true); /* for emp_trusted_map() */
	return error;
}

/**
 * emp_trusted_translate() - pins a page, and tells its bus address
 * @own: file, its lock is held
 * @translation: as in emp_ioctl.h
 *
 * A page that is pinned twice is released twice.
 */
int emp_trusted_translate(struct emp_file *own, struct emp_ioctl_translation *translation)
{
	const uint64_t page = translation->address >> PAGE_SHIFT;
	struct emp_device *device = own->device;
	struct emp_region *region;
	int error;

	if (!own->trusted || translation->bytes || translation->address >= TASK_SIZE_MAX)
		return -EINVAL;
	region = xa_load(&own->pinned, page);
	if (!region) {
		region = emp_region_pin(device, page << PAGE_SHIFT, PAGE_SIZE);
		if (IS_ERR(region))
			return PTR_ERR(region);
		emp_card_lock(device);
		error = device->gone ? -ENODEV : emp_region_map(region);
		emp_card_unlock(device);
		if (!error) {
			error = xa_err(xa_store(&own->pinned, page, region, GFP_KERNEL_ACCOUNT));
			if (error) {
				emp_card_lock(device);
				emp_region_unmap(region);
				emp_card_unlock(device);
			}
		}
		if (error) {
			emp_region_release(region);
			return error;
		}
	}
	region->region.uses++;
	translation->bus_address = region->bus[0] + offset_in_page(translation->address);
	return 0;
}

static void release_page(struct emp_file *own, struct emp_region *region)
{
	emp_card_lock(own->device);
	emp_region_unmap(region);
	emp_card_unlock(own->device);
	emp_region_release(region);
}

/**
 * emp_trusted_release() - releases the pages of a range
 * @own: file, its lock is held
 * @translation: as in emp_ioctl.h
 *
 * The program says that the card has no transfer to them. It is trusted with that.
 */
int emp_trusted_release(struct emp_file *own, const struct emp_ioctl_translation *translation)
{
	const uint64_t end = translation->address + translation->bytes;
	unsigned long page = translation->address >> PAGE_SHIFT;
	struct emp_region *region;

	if (!own->trusted || end <= translation->address)
		return -EINVAL;
	xa_for_each_range(&own->pinned, page, region, translation->address >> PAGE_SHIFT,
			  (end - 1) >> PAGE_SHIFT) {
		if (--region->region.uses)
			continue;
		xa_erase(&own->pinned, page);
		release_page(own, region);
	}
	return 0;
}

/* With a fault for each page, removal of the card can end a mapping for good. */
static vm_fault_t registers_fault(struct vm_fault *fault)
{
	struct emp_file *own = fault->vma->vm_file->private_data;
	struct emp_device *device = own->device;
	vm_fault_t result = VM_FAULT_SIGBUS;

	mutex_lock(&device->map_lock);
	if (!device->gone)
		result = vmf_insert_pfn(
			fault->vma, fault->address,
			(device->registers_bus >> PAGE_SHIFT) +
				((fault->address - fault->vma->vm_start) >> PAGE_SHIFT));
	mutex_unlock(&device->map_lock);
	return result;
}

static const struct vm_operations_struct registers_operations = {
	.fault = registers_fault,
};

/**
 * emp_trusted_map() - maps the card's registers
 * @own: file
 * @area: for them
 */
int emp_trusted_map(struct emp_file *own, struct vm_area_struct *area)
{
	if (!smp_load_acquire(&own->trusted))
		return -EPERM;
	if (area->vm_end - area->vm_start > REGISTERS_BYTES || !(area->vm_flags & VM_SHARED))
		return -EINVAL;
	area->vm_flags |= VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY;
	area->vm_page_prot = pgprot_noncached(area->vm_page_prot);
	area->vm_ops = &registers_operations;
	return 0;
}

/**
 * emp_trusted_end() - takes the card back
 * @own: file, no call of which is under way
 *
 * The board is stopped before any page is released. If the driver knows the card's node number, it
 * starts its own firmware again.
 */
void emp_trusted_end(struct emp_file *own)
{
	struct emp_device *device = own->device;
	struct emp_region *region;
	unsigned long page;

	emp_card_lock(device);
	if (!device->gone)
		emp_card_quiesce(device, false);
	xa_for_each(&own->pinned, page, region)
		emp_region_unmap(region);
	device->trusted = NULL;
	if (!device->gone)
		(void)emp_card_restart(device);
	emp_card_unlock(device);
	xa_for_each(&own->pinned, page, region)
		emp_region_release(region);
	xa_destroy(&own->pinned);
}
