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
	if (own->endpoint || own->trusted || own->ended)
		return -EINVAL;
	emp_card_lock(device);
	if (device->gone)
		error = -ENODEV;
	else if (device->trusted || device->bound || device->table.closed)
		error = -EBUSY;
	if (!error) {
		device->trusted = own;
		own->trusted = true;
		endpoint_table_end_all(&device->table, false);
		pci_set_master(device->pdev);
	}
	emp_card_unlock(device);
	return error;
}

/**
 * emp_trusted_add() - gives a registration a handle
 * @own: trusted file, its lock and the card's are held
 * @region: pinned, and mapped for the card
 * @handle: number, written
 *
 * Return: 0 or -ENOMEM.
 */
int emp_trusted_add(struct emp_file *own, struct emp_region *region, uint32_t *handle)
{
	const int error = xa_alloc(&own->pinned, handle, region, xa_limit_32b, GFP_KERNEL_ACCOUNT);

	return error ? -ENOMEM : 0;
}

/**
 * emp_trusted_remove() - ends a registration
 * @own: trusted file, its lock and the card's are held
 * @handle: of the registration
 *
 * The program says that the card has no transfer to it. It is trusted with that.
 * Return: the region, for the caller to unmap and release, or ERR_PTR(-EINVAL).
 */
struct emp_region *emp_trusted_remove(struct emp_file *own, uint32_t handle)
{
	struct emp_region *region = xa_erase(&own->pinned, handle);

	return region ? region : ERR_PTR(-EINVAL);
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
	.open = emp_area_open,
	.close = emp_area_close,
	.fault = registers_fault,
};

/**
 * emp_trusted_map() - maps the card's registers
 * @own: file of a card that is locked
 * @area: for them
 */
int emp_trusted_map(struct emp_file *own, struct vm_area_struct *area)
{
	if (!own->trusted)
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
 * @own: trusted file, its lock is held
 *
 * The board is stopped before any page is released. If the driver knows the card's node number, it
 * starts its own firmware again.
 */
void emp_trusted_end(struct emp_file *own)
{
	struct emp_device *device = own->device;
	struct emp_region *region;
	unsigned long handle;

	emp_card_lock(device);
	if (!device->gone)
		emp_card_quiesce(device, false);
	xa_for_each(&own->pinned, handle, region)
		emp_region_unmap(region);
	device->trusted = NULL;
	own->trusted = false;
	if (!device->gone)
		(void)emp_card_restart(device);
	emp_card_unlock(device);
	xa_for_each(&own->pinned, handle, region)
		emp_region_release(region);
	xa_destroy(&own->pinned);
}
