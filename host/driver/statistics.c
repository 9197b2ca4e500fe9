// SPDX-License-Identifier: GPL-2.0
/* What people see of a card: attributes in sysfs, tables in debugfs. */
#include "host/driver/device.h"

#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>

static struct emp_device *device_of(struct device *device)
{
	return container_of(device, struct emp_device, device);
}

static const char *state_of(const struct emp_device *device)
{
	if (device->trusted)
		return "trusted";
	return device->table.running ? "running" : "stopped";
}

/* Of firmware that runs; 0 else. */
static uint32_t firmware_word(struct emp_device *device, uint32_t word)
{
	return device->table.running ? board_control_word(device->board, word) : 0;
}

#define SHOW(name, format, ...)                                                                    \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attribute,         \
				   char *text)                                                     \
	{                                                                                          \
		struct emp_device *device = device_of(dev);                                        \
		ssize_t length;                                                                    \
                                                                                                   \
		emp_card_lock(device);                                                             \
		length = device->gone ? -ENODEV : sysfs_emit(text, format "\n", __VA_ARGS__);      \
		emp_card_unlock(device);                                                           \
		return length;                                                                     \
	}                                                                                          \
	static DEVICE_ATTR_RO(name)

SHOW(node, "%d", device->node);
SHOW(state, "%s", state_of(device));
SHOW(link, "%u", firmware_word(device, EMP_CONTROL_LINK_WORD));
SHOW(starts, "%u", device->starts);
SHOW(faults, "%u", device->faults);
SHOW(applications, "%u", device->bound);
SHOW(protocol_hash, "0x%08x", device->image.information.protocol_hash);
SHOW(firmware_version, "%u.%u.%u", device->image.information.version[0],
     device->image.information.version[1], device->image.information.version[2]);

static ssize_t reset_store(struct device *dev, struct device_attribute *attribute, const char *text,
			   size_t length)
{
	struct emp_device *device = device_of(dev);
	bool wanted;
	int error = kstrtobool(text, &wanted);

	if (error || !wanted)
		return error ? error : -EINVAL;
	emp_card_lock(device);
	if (device->gone)
		error = -ENODEV;
	else if (device->trusted)
		error = -EBUSY;
	else
		error = emp_card_restart(device);
	emp_card_unlock(device);
	return error ? error : length;
}
static DEVICE_ATTR_WO(reset);

static struct attribute *card_attrs[] = {
	&dev_attr_node.attr,	      &dev_attr_state.attr,
	&dev_attr_link.attr,	      &dev_attr_starts.attr,
	&dev_attr_faults.attr,	      &dev_attr_applications.attr,
	&dev_attr_protocol_hash.attr, &dev_attr_firmware_version.attr,
	&dev_attr_reset.attr,	      NULL,
};
ATTRIBUTE_GROUPS(card);

const struct attribute_group **emp_attribute_groups = card_groups;

static int ports_show(struct seq_file *file, void *unused)
{
	struct emp_device *device = file->private;
	uint32_t port;

	seq_puts(file, "port open descriptors free sends posts cancels refused abandoned\n");
	emp_card_lock(device);
	for (port = 0; port < device->table.limits.ports; port++) {
		const struct endpoint_share *share = &device->table.shares[port];

		seq_printf(file, "%u %u %u %u %u %llu %llu %llu %llu\n", port, share->open,
			   share->count, share->free, share->sends, share->posts, share->cancels,
			   share->refused, share->abandoned);
	}
	emp_card_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ports);

#define COUNTER_NAME(name, documentation) #name,

static int counters_show(struct seq_file *file, void *unused)
{
	static const char *const names[] = { EMP_COUNTERS(COUNTER_NAME) };
	struct emp_device *device = file->private;
	uint32_t counters, i;

	emp_card_lock(device);
	counters = firmware_word(device, EMP_CONTROL_COUNTERS_WORD);
	for (i = 0; i < ARRAY_SIZE(names) && counters; i++)
		seq_printf(file, "%s %u\n", names[i],
			   board_get_word(device->board, counters + 4 * i));
	emp_card_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static int memory_show(struct seq_file *file, void *unused)
{
	struct emp_device *device = file->private;
	const struct emp_region *region;
	uint64_t regions = 0, pages = 0;

	emp_card_lock(device);
	list_for_each_entry(region, &device->regions, of_device) {
		regions++;
		pages += region->region.pages;
	}
	emp_card_unlock(device);
	seq_printf(file, "regions %llu\npages %llu\n", regions, pages);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(memory);

/**
 * emp_statistics_open() - shows a card's tables
 * @device: the card
 * @parent: the driver's directory in debugfs
 */
void emp_statistics_open(struct emp_device *device, struct dentry *parent)
{
	device->debug = debugfs_create_dir(dev_name(&device->device), parent);
	debugfs_create_file("ports", 0400, device->debug, device, &ports_fops);
	debugfs_create_file("counters", 0400, device->debug, device, &counters_fops);
	debugfs_create_file("memory", 0400, device->debug, device, &memory_fops);
}

/**
 * emp_statistics_close() - takes them away; afterwards no reader is in them
 * @device: the card
 */
void emp_statistics_close(struct emp_device *device)
{
	debugfs_remove_recursive(device->debug);
}
