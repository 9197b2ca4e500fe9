// SPDX-License-Identifier: GPL-2.0
/* The calls of emp_ioctl.h: copied in, looked at, copied out. What may be posted is decided in
 * endpoint_submit.c. */
#include "host/driver/device.h"

#include <linux/capability.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define CONTROL_WORDS	   (EMP_CONTROL_BYTES / 4)
#define OBJECTS_WORD	   (EMP_OBJECTS_AT / 4)
#define CONTROL_END	   (BOARD_CONTROL_ADDRESS + EMP_OBJECTS_AT + EMP_OBJECTS_BYTES)
#define BOARD_MEMORY_BYTES (2 << 20)

static bool is_privileged(void)
{
	return capable(CAP_NET_ADMIN);
}

/* Of the table of parameters, or of counters: words of 4 bytes each. */
static uint32_t control_word(struct emp_device *device, uint32_t word)
{
	return board_control_word(device->board, word);
}

static int call_information(struct emp_file *own, void __user *argument)
{
	struct emp_device *device = own->device;
	struct emp_ioctl_information information = {
		.version = EMP_IOCTL_VERSION,
		.protocol_hash = EMP_PROTOCOL_HASH,
		.ends_step = ENDPOINT_ENDS_STEP,
		.tag_bits = EMP_IOCTL_TAG_BITS,
	};

	emp_card_lock(device);
	information.node = device->node < 0 ? 0 : device->node;
	information.starts = device->starts;
	information.running = device->table.running && !device->gone;
	information.sends = device->table.sends;
	if (own->endpoint) {
		information.bound = 1;
		information.port = own->endpoint->endpoint.port;
		information.descriptors = device->table.shares[information.port].count;
	}
	emp_card_unlock(device);
	return copy_to_user(argument, &information, sizeof(information)) ? -EFAULT : 0;
}

static int call_bind(struct emp_file *own, unsigned long port)
{
	struct emp_device *device = own->device;
	struct emp_endpoint *endpoint;
	int error;

	if (own->endpoint || own->trusted || own->ended || port >= EMP_IOCTL_PORTS)
		return -EINVAL;
	endpoint = kvzalloc(sizeof(*endpoint), GFP_KERNEL_ACCOUNT);
	if (!endpoint)
		return -ENOMEM;
	INIT_LIST_HEAD(&endpoint->regions);
	emp_card_lock(device);
	if (device->gone)
		error = -ENODEV;
	else if (device->trusted)
		error = -EBUSY;
	else
		error = endpoint_open(&device->table, &endpoint->endpoint, port);
	if (!error) {
		device->bound++;
		own->endpoint = endpoint;
	}
	emp_card_unlock(device);
	if (error)
		kvfree(endpoint);
	return error;
}

/* The card is locked. */
static int add_region(struct emp_file *own, struct emp_region *region, uint32_t *handle)
{
	struct emp_endpoint *endpoint = own->endpoint;
	int error;

	if (own->trusted)
		return emp_trusted_add(own, region, handle);
	error = endpoint_add_region(&endpoint->endpoint, &region->region, handle);
	if (!error)
		list_add(&region->of_owner, &endpoint->regions);
	return error;
}

static int call_register(struct emp_file *own, struct emp_ioctl_memory __user *argument)
{
	struct emp_device *device = own->device;
	struct emp_ioctl_memory memory;
	struct emp_region *region;
	int error;

	if (copy_from_user(&memory, argument, sizeof(memory)))
		return -EFAULT;
	if ((!own->endpoint && !own->trusted) || memory.handle || memory.reserved || !memory.bytes)
		return -EINVAL;
	region = emp_region_pin(device, memory.address, memory.bytes);
	if (IS_ERR(region))
		return PTR_ERR(region);
	emp_card_lock(device);
	error = device->gone ? -ENODEV : emp_region_map(region);
	if (!error) {
		error = add_region(own, region, &memory.handle);
		if (error)
			emp_region_unmap(region);
	}
	emp_card_unlock(device);
	if (error) {
		emp_region_release(region);
		return error;
	}
	/* A program that cannot read the answer has lost the handle until it closes the file. */
	return copy_to_user(argument, &memory, sizeof(memory)) ? -EFAULT : 0;
}

/* The card is locked. */
static struct emp_region *remove_region(struct emp_file *own, uint32_t handle)
{
	struct endpoint_region *found;
	struct emp_region *region;
	int error;

	if (own->trusted)
		return emp_trusted_remove(own, handle);
	error = endpoint_remove_region(&own->endpoint->endpoint, handle, &found);
	if (error)
		return ERR_PTR(error);
	region = container_of(found, struct emp_region, region);
	list_del(&region->of_owner);
	return region;
}

static int call_deregister(struct emp_file *own, const void __user *argument)
{
	struct emp_device *device = own->device;
	struct emp_ioctl_memory memory;
	struct emp_region *region;

	if (copy_from_user(&memory, argument, sizeof(memory)))
		return -EFAULT;
	if ((!own->endpoint && !own->trusted) || memory.reserved)
		return -EINVAL;
	emp_card_lock(device);
	region = remove_region(own, memory.handle);
	if (!IS_ERR(region))
		emp_region_unmap(region);
	emp_card_unlock(device);
	if (IS_ERR(region))
		return PTR_ERR(region);
	emp_region_release(region);
	return 0;
}

/* One entry of a batch. The pieces are copied first, so that the program cannot change them
 * between check and use. */
static int submit(struct emp_file *own, struct emp_ioctl_entry *entry)
{
	struct emp_device *device = own->device;
	const uint32_t count = entry->piece_count;
	const int used = endpoint_copy_pieces(own->pieces, entry->pieces, count);
	int error;

	if (used < 0)
		return used;
	entry->piece_count = used;
	emp_card_lock(device);
	error = device->gone ? -ENODEV
			     : endpoint_submit(&own->endpoint->endpoint, entry, own->pieces,
					       ktime_get_ns());
	emp_card_unlock(device);
	entry->piece_count = count;
	return error;
}

static int call_submit(struct emp_file *own, struct emp_ioctl_batch __user *argument)
{
	struct emp_ioctl_batch batch;
	void __user *entries;
	size_t bytes;
	uint32_t i;

	if (copy_from_user(&batch, argument, sizeof(batch)))
		return -EFAULT;
	if (!own->endpoint || batch.count > EMP_IOCTL_BATCH_LIMIT)
		return -EINVAL;
	entries = u64_to_user_ptr(batch.entries);
	bytes = batch.count * sizeof(*own->entries);
	if (copy_from_user(own->entries, entries, bytes))
		return -EFAULT;
	for (i = 0; i < batch.count;) {
		struct emp_ioctl_entry *entry = &own->entries[i++];

		entry->error = submit(own, entry);
		if (entry->error && entry->kind != EMP_IOCTL_CANCEL &&
		    entry->kind != EMP_IOCTL_COLLECT)
			break;
	}
	batch.done = i;
	if (copy_to_user(entries, own->entries, i * sizeof(*own->entries)) ||
	    copy_to_user(argument, &batch, sizeof(batch)))
		return -EFAULT;
	return 0;
}

static int call_start(struct emp_device *device, const void __user *argument)
{
	struct emp_ioctl_start start;
	int error;

	if (copy_from_user(&start, argument, sizeof(start)))
		return -EFAULT;
	if (start.reserved)
		return -EINVAL;
	emp_card_lock(device);
	if (device->gone)
		error = -ENODEV;
	else if (device->trusted)
		error = -EBUSY;
	else if (is_privileged())
		error = emp_card_start(device, &start);
	else
		error = emp_card_runs_as(device, &start) ? 0 : -EPERM;
	emp_card_unlock(device);
	return error;
}

static int call_set_peer(struct emp_device *device, const void __user *argument)
{
	struct emp_ioctl_peer peer;
	int error = 0;

	if (copy_from_user(&peer, argument, sizeof(peer)))
		return -EFAULT;
	if (peer.node >= EMP_BOARD_LIMIT)
		return -EINVAL;
	emp_card_lock(device);
	if (device->gone || device->trusted) {
		error = -ENODEV;
	} else if (is_privileged()) {
		memcpy(device->peers[peer.node], peer.mac_address, sizeof(peer.mac_address));
		if (device->table.running)
			endpoint_table_set_peer(&device->table, peer.node, peer.mac_address);
	} else if (memcmp(device->peers[peer.node], peer.mac_address, sizeof(peer.mac_address))) {
		error = -EPERM;
	}
	emp_card_unlock(device);
	return error;
}

static bool within(uint32_t address, uint32_t count, uint32_t from, uint32_t words)
{
	return address >= from && address <= from + 4 * words &&
	       count <= (from + 4 * words - address) / 4;
}

/* Bus addresses are nothing for programs. */
static void hide_addresses(uint32_t address, uint32_t count, uint32_t *words)
{
	static const uint32_t hidden[] = {
		EMP_CONTROL_SCRATCH_HIGH_WORD,
		EMP_CONTROL_SCRATCH_LOW_WORD,
		OBJECTS_WORD + EMP_OBJECTS_COMPLETIONS_HIGH_WORD,
		OBJECTS_WORD + EMP_OBJECTS_COMPLETIONS_LOW_WORD,
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(hidden); i++) {
		const uint32_t at = BOARD_CONTROL_ADDRESS + 4 * hidden[i];

		if (at >= address && (at - address) / 4 < count)
			words[(at - address) / 4] = 0;
	}
}

static int read_words(struct emp_device *device, const struct emp_ioctl_words *request,
		      uint32_t *words)
{
	const uint32_t address = request->address;
	const uint32_t count = request->count;

	if (device->gone || device->trusted || device->node < 0)
		return -ENODEV;
	if (within(address, count, BOARD_CONTROL_ADDRESS,
		   (CONTROL_END - BOARD_CONTROL_ADDRESS) / 4)) {
		const int error = board_read_memory(device->board, address, words, count);

		if (!error)
			hide_addresses(address, count, words);
		return error;
	}
	if (!is_privileged() &&
	    !(device->table.running &&
	      (within(address, count, control_word(device, EMP_CONTROL_COUNTERS_WORD),
		      EMP_COUNTER_COUNT) ||
	       within(address, count, control_word(device, EMP_CONTROL_PARAMETERS_WORD),
		      EMP_PARAMETER_COUNT))))
		return -EPERM;
	return board_read_memory(device->board, address, words, count);
}

static int call_read(struct emp_device *device, const void __user *argument)
{
	struct emp_ioctl_words request;
	uint32_t *words;
	int error;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.count > EMP_IOCTL_WORDS_LIMIT || request.address % 4 ||
	    request.address > BOARD_MEMORY_BYTES)
		return -EINVAL;
	words = kcalloc(EMP_IOCTL_WORDS_LIMIT, sizeof(*words), GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	emp_card_lock(device);
	error = read_words(device, &request, words);
	emp_card_unlock(device);
	if (!error && copy_to_user(u64_to_user_ptr(request.words), words, 4 * request.count))
		error = -EFAULT;
	kfree(words);
	return error;
}

#define PARAMETER_ROW(name, initial, lowest, highest, live, documentation)                         \
	{ lowest, highest, live },

static int call_set_parameter(struct emp_device *device, const void __user *argument)
{
	static const struct {
		uint32_t lowest;
		uint32_t highest;
		bool live;
	} parameters[] = { EMP_PARAMETERS(PARAMETER_ROW) };
	struct emp_ioctl_parameter request;
	int error = 0;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.index >= ARRAY_SIZE(parameters))
		return -EINVAL;
	if (!is_privileged() || !parameters[request.index].live)
		return -EPERM;
	if (request.value < parameters[request.index].lowest ||
	    request.value > parameters[request.index].highest)
		return -ERANGE;
	emp_card_lock(device);
	if (device->gone || device->trusted || !device->table.running)
		error = -ENODEV;
	else
		board_set_word(device->board,
			       control_word(device, EMP_CONTROL_PARAMETERS_WORD) +
				       4 * request.index,
			       request.value);
	emp_card_unlock(device);
	return error;
}

static int call_translate(struct emp_file *own, const void __user *argument)
{
	struct emp_ioctl_translation translation;
	const struct emp_region *region;

	if (copy_from_user(&translation, argument, sizeof(translation)))
		return -EFAULT;
	region = own->trusted ? xa_load(&own->pinned, translation.handle) : NULL;
	if (!region || translation.reserved || translation.count > region->region.pages)
		return -EINVAL;
	return copy_to_user(u64_to_user_ptr(translation.pages), region->bus,
			    translation.count * sizeof(*region->bus))
		       ? -EFAULT
		       : 0;
}

/**
 * emp_file_call() - the system call ioctl
 * @file: of the program
 * @command: of emp_ioctl.h
 * @argument: its argument
 */
long emp_file_call(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *pointer = (void __user *)argument;
	struct emp_file *own = file->private_data;
	long error;

	if (emp_file_is_foreign(own))
		return -EACCES;
	switch (command) {
	case EMP_LEAVE:
		return emp_file_leave(own);
	case EMP_START:
		return call_start(own->device, pointer);
	case EMP_SET_PEER:
		return call_set_peer(own->device, pointer);
	case EMP_READ:
		return call_read(own->device, pointer);
	case EMP_SET_PARAMETER:
		return call_set_parameter(own->device, pointer);
	default:
		break;
	}
	/* These look at what belongs to the file, or use its buffers. */
	if (mutex_lock_killable(&own->lock))
		return -EINTR;
	switch (command) {
	case EMP_REGISTER:
		error = call_register(own, pointer);
		break;
	case EMP_DEREGISTER:
		error = call_deregister(own, pointer);
		break;
	case EMP_INFORMATION:
		error = call_information(own, pointer);
		break;
	case EMP_BIND:
		error = call_bind(own, argument);
		break;
	case EMP_SUBMIT:
		error = call_submit(own, pointer);
		break;
	case EMP_TRUST:
		error = emp_trust(file);
		break;
	case EMP_TRANSLATE:
		error = call_translate(own, pointer);
		break;
	default:
		error = -ENOTTY;
		break;
	}
	mutex_unlock(&own->lock);
	return error;
}
