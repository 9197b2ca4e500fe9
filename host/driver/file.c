// SPDX-License-Identifier: GPL-2.0
/* Opening, mapping and closing /dev/empN: the life of one application.
 *
 * An application belongs to the program that has opened the file, known by its address space, and
 * ends with it. A process that the program has forked has the file, too, maybe for long after the
 * program's end, but may do nothing with it. */
#include "host/driver/device.h"

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define REAPER_MS 10

/* Gives back all that the application has of the card. May be called again. */
static void end_application(struct emp_file *own)
{
	struct emp_device *device = own->device;

	mutex_lock(&own->lock);
	if (own->trusted)
		emp_trusted_end(own);
	emp_card_lock(device);
	own->ended = true;
	if (own->endpoint) {
		device->bound--;
		endpoint_close(&own->endpoint->endpoint, ktime_get_ns());
		own->endpoint = NULL;
		if (endpoint_table_reap(&device->table, ktime_get_ns()))
			schedule_delayed_work(&device->reaper, msecs_to_jiffies(REAPER_MS));
	}
	emp_card_unlock(device);
	mutex_unlock(&own->lock);
}

/* Its address space ends: no thread of it is left, and its memory is still there. */
static void on_program_end(struct mmu_notifier *program, struct mm_struct *mm)
{
	end_application(container_of(program, struct emp_file, program));
}

static const struct mmu_notifier_ops program_operations = {
	.release = on_program_end,
};

/**
 * emp_file_is_foreign() - is the caller another program than the one that opened the file?
 * @own: file
 */
bool emp_file_is_foreign(const struct emp_file *own)
{
	return current->mm != own->program.mm;
}

/**
 * emp_file_leave() - ends the application while its file is open
 * @own: file of the caller
 *
 * Return: 0, or -EBUSY while a part of the file is mapped.
 */
int emp_file_leave(struct emp_file *own)
{
	bool mapped;

	mutex_lock(&own->device->lock);
	mapped = atomic_read(&own->mapped);
	own->ended = own->ended || !mapped; /* nothing is mapped from now on */
	mutex_unlock(&own->device->lock);
	if (mapped)
		return -EBUSY;
	end_application(own);
	return 0;
}

static void free_file(struct emp_file *own)
{
	kvfree(own->entries);
	kvfree(own->pieces);
	kfree(own);
}

static int file_open(struct inode *inode, struct file *file)
{
	struct emp_device *device = container_of(inode->i_cdev, struct emp_device, cdev);
	struct emp_file *own;
	int error;

	if (!current->mm)
		return -EACCES;
	own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	if (!own)
		return -ENOMEM;
	own->entries =
		kvmalloc_array(EMP_IOCTL_BATCH_LIMIT, sizeof(*own->entries), GFP_KERNEL_ACCOUNT);
	own->pieces = kvmalloc_array(ENDPOINT_PIECES, sizeof(*own->pieces), GFP_KERNEL_ACCOUNT);
	own->device = device;
	own->mapping = file->f_mapping;
	mutex_init(&own->lock);
	xa_init_flags(&own->pinned, XA_FLAGS_ALLOC);
	own->program.ops = &program_operations;
	error = own->entries && own->pieces ? mmu_notifier_register(&own->program, current->mm)
					    : -ENOMEM;
	if (error) {
		free_file(own);
		return error;
	}
	file->private_data = own;
	return nonseekable_open(inode, file);
}

/* No call is under way, and no mapping is left. Ends the application unless its program's end has
 * done so, and waits until that is done. */
static int file_release(struct inode *inode, struct file *file)
{
	struct emp_file *own = file->private_data;

	mmu_notifier_unregister(&own->program, own->program.mm);
	free_file(own);
	return 0;
}

/**
 * emp_area_open() - a part of a mapping has become one of its own
 * @area: the part
 */
void emp_area_open(struct vm_area_struct *area)
{
	struct emp_file *own = area->vm_file->private_data;

	atomic_inc(&own->mapped);
}

/**
 * emp_area_close() - a mapping, or a part of one, ends
 * @area: of the program
 */
void emp_area_close(struct vm_area_struct *area)
{
	struct emp_file *own = area->vm_file->private_data;

	atomic_dec(&own->mapped);
}

static const struct vm_operations_struct ends_operations = {
	.open = emp_area_open,
	.close = emp_area_close,
};

/* The pages have a count of their own, so that a mapping outlives the card. */
static int map_ends(struct emp_file *own, struct vm_area_struct *area)
{
	const struct emp_endpoint *endpoint = own->endpoint;
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
	area->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY;
	first = (uint8_t *)own->device->ends + ((size_t)share->first << ENDPOINT_ENDS_STEP);
	for (done = 0; done < bytes; done += PAGE_SIZE) {
		const int error =
			vm_insert_page(area, area->vm_start + done, virt_to_page(first + done));

		if (error)
			return error;
	}
	area->vm_ops = &ends_operations;
	return 0;
}

static int map_locked(struct emp_file *own, struct vm_area_struct *area)
{
	if (own->ended)
		return -EINVAL;
	switch ((uint64_t)area->vm_pgoff << PAGE_SHIFT) {
	case EMP_IOCTL_MAP_ENDS:
		return map_ends(own, area);
	case EMP_IOCTL_MAP_REGISTERS:
		return emp_trusted_map(own, area);
	default:
		return -EINVAL;
	}
}

/* Not the lock of the file: calls hold it while they access memory of the program. And not
 * emp_card_unlock(), which may need the lock of the memory map, which is held here. */
static int file_map(struct file *file, struct vm_area_struct *area)
{
	struct emp_file *own = file->private_data;
	int error;

	if (emp_file_is_foreign(own))
		return -EACCES;
	mutex_lock(&own->device->lock);
	error = map_locked(own, area);
	if (!error)
		atomic_inc(&own->mapped);
	mutex_unlock(&own->device->lock);
	return error;
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
