// SPDX-License-Identifier: GPL-2.0
/* Opening, mapping and closing /dev/empN: the life of one application. */
#include "host/driver/device.h"

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define REAPER_MS 10

static int file_open(struct inode *inode, struct file *file)
{
	struct emp_device *device = container_of(inode->i_cdev, struct emp_device, cdev);
	struct emp_file *own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);

	if (!own)
		return -ENOMEM;
	own->entries =
		kvmalloc_array(EMP_IOCTL_BATCH_LIMIT, sizeof(*own->entries), GFP_KERNEL_ACCOUNT);
	own->pieces =
		kvmalloc_array(EMP_INDIRECT_ENTRIES, sizeof(*own->pieces), GFP_KERNEL_ACCOUNT);
	if (!own->entries || !own->pieces) {
		kvfree(own->entries);
		kvfree(own->pieces);
		kfree(own);
		return -ENOMEM;
	}
	own->device = device;
	own->mapping = file->f_mapping;
	mutex_init(&own->lock);
	xa_init(&own->pinned);
	file->private_data = own;
	return nonseekable_open(inode, file);
}

/* No call is under way, and no mapping is left. */
static int file_release(struct inode *inode, struct file *file)
{
	struct emp_file *own = file->private_data;
	struct emp_device *device = own->device;

	if (own->trusted)
		emp_trusted_end(own);
	if (own->endpoint) {
		emp_card_lock(device);
		device->bound--;
		endpoint_close(&own->endpoint->endpoint, ktime_get_ns());
		if (endpoint_table_reap(&device->table, ktime_get_ns()))
			schedule_delayed_work(&device->reaper, msecs_to_jiffies(REAPER_MS));
		emp_card_unlock(device);
	}
	kvfree(own->entries);
	kvfree(own->pieces);
	kfree(own);
	return 0;
}

/* The pages have a count of their own, so that a mapping outlives the card. */
static int map_ends(struct emp_file *own, struct vm_area_struct *area)
{
	/* No lock: calls hold theirs while they access memory of the program. */
	const struct emp_endpoint *endpoint = smp_load_acquire(&own->endpoint);
	const unsigned long bytes = area->vm_end - area->vm_start;
	const struct endpoint_share *share;
	unsigned long done;
	uint8_t *first;

	if (!endpoint || area->vm_flags & VM_WRITE)
		return endpoint ? -EACCES : -EINVAL;
	share = &own->device->table.shares[endpoint->endpoint.port];
	if (bytes > (unsigned long)share->count << ENDPOINT_ENDS_STEP)
		return -EINVAL;
	area->vm_flags &= ~VM_MAYWRITE;
	area->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
	first = (uint8_t *)own->device->ends + ((size_t)share->first << ENDPOINT_ENDS_STEP);
	for (done = 0; done < bytes; done += PAGE_SIZE) {
		const int error =
			vm_insert_page(area, area->vm_start + done, virt_to_page(first + done));

		if (error)
			return error;
	}
	return 0;
}

static int file_map(struct file *file, struct vm_area_struct *area)
{
	struct emp_file *own = file->private_data;

	switch ((uint64_t)area->vm_pgoff << PAGE_SHIFT) {
	case EMP_IOCTL_MAP_ENDS:
		return map_ends(own, area);
	case EMP_IOCTL_MAP_REGISTERS:
		return emp_trusted_map(own, area);
	default:
		return -EINVAL;
	}
}

const struct file_operations emp_file_operations = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.unlocked_ioctl = emp_file_call,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = emp_file_poll,
	.mmap = file_map,
	.llseek = no_llseek,
};
