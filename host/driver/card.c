// SPDX-License-Identifier: GPL-2.0
/* The card's life: registers and memory for host/board, firmware, start, watch, end. */
#include "host/driver/device.h"

#include <linux/delay.h>
#include <linux/firmware.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#define WATCHDOG_MS    250
#define REAPER_MS      10
#define RESTARTS_LIMIT 3

/* ------------------------------------------------------------------------------------------------
 * What host/board needs of the kernel. */

static uint32_t card_read32(void *handle, uint32_t offset)
{
	const struct emp_device *device = handle;

	return readl(device->registers + offset);
}

static void card_write32(void *handle, uint32_t offset, uint32_t value)
{
	const struct emp_device *device = handle;

	writel(value, device->registers + offset);
}

static void card_write_block(void *handle, uint32_t offset, const uint32_t *words, size_t count)
{
	const struct emp_device *device = handle;

	__iowrite32_copy(device->registers + offset, words, count);
}

static uint64_t card_now_ns(void *handle)
{
	return ktime_get_ns();
}

static void card_sleep_ns(void *handle, uint64_t ns)
{
	if (ns < 10000)
		ndelay(ns);
	else
		usleep_range(ns / 1000, ns / 500);
}

/* host/board asks for one page in a card's life. */
static void *card_allocate(void *handle, size_t bytes)
{
	struct emp_device *device = handle;

	return bytes == PAGE_SIZE ? device->scratch : NULL;
}

static void card_release(void *handle, void *memory, size_t bytes)
{
}

static int card_pin(void *handle, const void *address, size_t bytes, uint32_t *pin)
{
	const struct emp_device *device = handle;

	*pin = 0;
	return address == device->scratch ? 0 : -EFAULT;
}

static int card_translate(void *handle, uint32_t pin, const void *address, size_t count,
			  uint64_t *pages)
{
	const struct emp_device *device = handle;

	pages[0] = device->scratch_bus;
	return count == 1 ? 0 : -EFAULT;
}

static int card_unpin(void *handle, uint32_t pin)
{
	return 0;
}

static int card_attach(void *environment, const char *name, void **handle)
{
	*handle = environment;
	return 0;
}

static void card_detach(void *handle)
{
}

static const struct board_backend card_backend = {
	.scheme = "card",
	.open = card_attach,
	.close = card_detach,
	.read32 = card_read32,
	.write32 = card_write32,
	.write_block = card_write_block,
	.now_ns = card_now_ns,
	.sleep_ns = card_sleep_ns,
	.allocate = card_allocate,
	.release = card_release,
	.pin = card_pin,
	.translate = card_translate,
	.unpin = card_unpin,
};

/* ------------------------------------------------------------------------------------------------
 * What the checks need of the kernel. */

static uint32_t *page_of(void *context, uint32_t descriptor, uint64_t *bus_address)
{
	struct emp_device *device = context;

	if (!device->pages[descriptor])
		device->pages[descriptor] = dma_alloc_coherent(
			&device->pdev->dev, PAGE_SIZE, &device->pages_bus[descriptor], GFP_KERNEL);
	*bus_address = device->pages_bus[descriptor];
	return device->pages[descriptor];
}

static void on_drained(void *context, struct endpoint *endpoint)
{
	struct emp_device *device = context;
	struct emp_endpoint *own = container_of(endpoint, struct emp_endpoint, endpoint);
	struct emp_region *region;

	list_for_each_entry(region, &own->regions, of_owner)
		emp_region_unmap(region);
	list_add(&own->of_drained, &device->drained);
}

static const struct endpoint_operations card_operations = {
	.page = page_of,
	.drained = on_drained,
};

/* ------------------------------------------------------------------------------------------------
 * Locks */

/**
 * emp_card_lock() - takes the card's lock
 * @device: the card
 */
void emp_card_lock(struct emp_device *device)
{
	mutex_lock(&device->lock);
}

/**
 * emp_card_unlock() - gives it back
 * @device: the card
 *
 * Releases the memory of endpoints that have drained meanwhile, which needs the locks of memory
 * maps, and so must not happen below the card's.
 */
void emp_card_unlock(struct emp_device *device)
{
	struct emp_endpoint *endpoint, *next;
	struct emp_region *region, *other;
	LIST_HEAD(drained);

	list_splice_init(&device->drained, &drained);
	mutex_unlock(&device->lock);
	list_for_each_entry_safe(endpoint, next, &drained, of_drained) {
		list_for_each_entry_safe(region, other, &endpoint->regions, of_owner) {
			list_del(&region->of_owner);
			emp_region_release(region);
		}
		kvfree(endpoint);
	}
}

/* ------------------------------------------------------------------------------------------------
 * Firmware */

/* What board_start() asks of an image. */
struct board_image {
	const struct flashable *file;
};

size_t board_image_segment(const struct board_image *image, size_t index,
			   struct board_segment *segment)
{
	if (segment && index == 0)
		*segment = image->file->segment;
	return 1;
}

uint32_t board_image_entry(const struct board_image *image)
{
	return image->file->information.start;
}

void board_image_information(const struct board_image *image,
			     struct board_image_information *information)
{
	*information = image->file->information;
}

/**
 * emp_card_load_image() - reads the firmware file
 * @device: the card
 * @name: for request_firmware()
 *
 * Return: 0 or a negative errno value; the kernel log has the reason.
 */
int emp_card_load_image(struct emp_device *device, const char *name)
{
	const struct firmware *file;
	const char *reason;
	uint32_t *words;
	int error = request_firmware(&file, name, &device->pdev->dev);

	if (error)
		return error;
	error = flashable_check(file->data, file->size, &device->image, &reason);
	if (!error && device->image.information.protocol_hash &&
	    device->image.information.protocol_hash != EMP_PROTOCOL_HASH) {
		error = -EPROTO;
		reason = "it was made from another specification than this driver";
	}
	if (error)
		dev_err(&device->pdev->dev, "firmware %s: %s\n", name, reason);
	words = error ? NULL : kvmalloc_array(device->image.segment.words, 4, GFP_KERNEL);
	if (words) {
		flashable_copy(file->data, &device->image, words);
		device->image.segment.content = words;
		dev_info(&device->pdev->dev, "firmware %s: version %u.%u.%u, specification %08x\n",
			 name, device->image.information.version[0],
			 device->image.information.version[1], device->image.information.version[2],
			 device->image.information.protocol_hash);
	} else if (!error) {
		error = -ENOMEM;
	}
	release_firmware(file);
	return error;
}

/**
 * emp_card_quiesce() - stops the board, and ends all requests
 * @device: the card
 * @gone: the driver will not start it again
 *
 * Afterwards the card accesses no memory. A board that does not stop, or does not answer, loses
 * the right to access the bus.
 */
void emp_card_quiesce(struct emp_device *device, bool gone)
{
	emp_wait_stop(device);
	if (board_stop(device->board)) {
		dev_warn(&device->pdev->dev, "%s\n", board_message(device->board));
		pci_clear_master(device->pdev);
	}
	endpoint_table_end_all(&device->table, gone);
	(void)endpoint_table_reap(&device->table, ktime_get_ns());
}

static void restore_peers(struct emp_device *device)
{
	uint32_t node;

	for (node = 0; node < EMP_BOARD_LIMIT; node++)
		endpoint_table_set_peer(&device->table, node, device->peers[node]);
}

static int start(struct emp_device *device)
{
	const struct board_image image = { &device->image };
	struct board_start_options options = {
		.node = device->node,
		.epoch = device->epoch,
		.protocol_hash = EMP_PROTOCOL_HASH,
	};
	int error;

	memcpy(options.mac_address, device->mac_address, sizeof(options.mac_address));
	emp_card_quiesce(device, false);
	pci_set_master(device->pdev);
	error = board_start(device->board, &image, &options);
	if (!error)
		error = endpoint_table_adopt(&device->table);
	if (error) {
		dev_err(&device->pdev->dev, "start: %s\n", board_message(device->board));
		emp_card_quiesce(device, false);
		return error;
	}
	device->epoch = 0; /* no incarnation has two lives */
	device->starts++;
	restore_peers(device);
	mod_delayed_work(system_wq, &device->watchdog, msecs_to_jiffies(WATCHDOG_MS));
	return 0;
}

/**
 * emp_card_runs_as() - does the firmware run as wished already?
 * @device: the card
 * @start: the wish
 */
bool emp_card_runs_as(const struct emp_device *device, const struct emp_ioctl_start *start)
{
	static const uint8_t any[6];

	return device->table.running && device->node == start->node &&
	       (!memcmp(start->mac_address, any, sizeof(any)) ||
		!memcmp(start->mac_address, device->mac_address, sizeof(any)));
}

/**
 * emp_card_start() - starts the firmware, whatever it does now
 * @device: the card
 * @start_with: number, incarnation and address
 *
 * Return: 0, or a negative errno value of board_start(). All requests have ended in any case but
 * -EINVAL.
 */
int emp_card_start(struct emp_device *device, const struct emp_ioctl_start *start_with)
{
	if (start_with->node >= EMP_BOARD_LIMIT ||
	    (start_with->epoch && start_with->epoch % 256 == 0))
		return -EINVAL;
	device->node = start_with->node;
	device->epoch = start_with->epoch;
	memcpy(device->mac_address, start_with->mac_address, sizeof(device->mac_address));
	device->restarts_left = RESTARTS_LIMIT;
	return start(device);
}

/**
 * emp_card_restart() - starts it as it was started last
 * @device: the card
 *
 * Return: 0, -ENODEV if it never was, or as emp_card_start().
 */
int emp_card_restart(struct emp_device *device)
{
	return device->node < 0 ? -ENODEV : start(device);
}

static void watch(struct work_struct *work)
{
	struct emp_device *device =
		container_of(to_delayed_work(work), struct emp_device, watchdog);

	emp_card_lock(device);
	if (device->gone || device->trusted || !device->table.running)
		goto out;
	if (board_check_running(device->board)) {
		device->faults++;
		dev_err(&device->pdev->dev, "%s\n", board_message(device->board));
		if (device->restarts_left) {
			device->restarts_left--;
			(void)emp_card_restart(device);
		} else {
			dev_err(&device->pdev->dev, "stays stopped: write 1 to reset in sysfs\n");
			emp_card_quiesce(device, false);
		}
	} else {
		schedule_delayed_work(&device->watchdog, msecs_to_jiffies(WATCHDOG_MS));
	}
out:
	emp_card_unlock(device);
}

static void reap(struct work_struct *work)
{
	struct emp_device *device = container_of(to_delayed_work(work), struct emp_device, reaper);

	emp_card_lock(device);
	if (endpoint_table_reap(&device->table, ktime_get_ns()))
		schedule_delayed_work(&device->reaper, msecs_to_jiffies(REAPER_MS));
	emp_card_unlock(device);
}

/* ------------------------------------------------------------------------------------------------
 * Beginning and end */

static int allocate(struct emp_device *device)
{
	struct device *card = &device->pdev->dev;

	device->scratch = dma_alloc_coherent(card, PAGE_SIZE, &device->scratch_bus, GFP_KERNEL);
	if (!device->scratch)
		return -ENOMEM;
	/* Pages that stay mapped by programs when the card has gone, so not dma_alloc_coherent. */
	device->ends = alloc_pages_exact(ENDPOINT_ENDS_BYTES, GFP_KERNEL | __GFP_ZERO);
	if (!device->ends)
		return -ENOMEM;
	device->ends_bus =
		dma_map_single(card, device->ends, ENDPOINT_ENDS_BYTES, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(card, device->ends_bus)) {
		free_pages_exact(device->ends, ENDPOINT_ENDS_BYTES);
		device->ends = NULL;
		return -EIO;
	}
	return 0;
}

/**
 * emp_card_open() - prepares a card whose registers are mapped
 * @device: the card; @device->table is initialised but for its board
 *
 * Return: 0 or a negative errno value; emp_card_free() in any case.
 */
int emp_card_open(struct emp_device *device)
{
	const struct board_options options = {
		.backends = (const struct board_backend *const[]){ &card_backend, NULL },
		.environment = device,
	};
	const struct endpoint_limits limits = device->table.limits;
	int error;

	INIT_DELAYED_WORK(&device->watchdog, watch);
	INIT_DELAYED_WORK(&device->reaper, reap);
	error = allocate(device);
	if (!error)
		error = board_open(&device->board, "card:", &options);
	if (!error)
		error = endpoint_table_initialise(&device->table, device->board, &card_operations,
						  device, &limits);
	if (!error)
		endpoint_table_set_ends(&device->table, device->ends, device->ends_bus);
	return error;
}

/**
 * emp_card_free() - gives back what belongs to the card itself
 * @device: the card, stopped, without regions that are mapped
 *
 * What open files still look at stays until the last of them is closed.
 */
void emp_card_free(struct emp_device *device)
{
	struct device *card = &device->pdev->dev;
	uint32_t i;

	for (i = 0; i < EMP_DESCRIPTOR_LIMIT; i++)
		if (device->pages[i])
			dma_free_coherent(card, PAGE_SIZE, device->pages[i], device->pages_bus[i]);
	if (device->ends)
		dma_unmap_single(card, device->ends_bus, ENDPOINT_ENDS_BYTES, DMA_BIDIRECTIONAL);
	if (device->scratch)
		dma_free_coherent(card, PAGE_SIZE, device->scratch, device->scratch_bus);
	kvfree(device->image.segment.content);
	device->image.segment.content = NULL;
	if (device->board)
		board_close(device->board);
	device->board = NULL;
}
