// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: emp, a driver for network cards with the Tigon2 chip that run EMP
 *
 * The card's own firmware does the protocol. The driver loads it, divides the card among
 * applications (endpoint.h), and pins their memory. Programs wait on words that the
 * card writes to their memory, or in poll(2), and only then the card interrupts (wait.c).
 */
#include "host/driver/device.h"

#include <linux/debugfs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>

#define DEVICES_LIMIT	16
#define REGISTERS_BAR	0
#define REGISTERS_BYTES 0x4000
#define FIRMWARE_NAME	"emp/tigon2.bin"

static char *image = FIRMWARE_NAME;
module_param(image, charp, 0444);
MODULE_PARM_DESC(image, "firmware file (" FIRMWARE_NAME ")");

static int nodes[DEVICES_LIMIT] = { [0 ... DEVICES_LIMIT - 1] = -1 };
module_param_array(nodes, int, NULL, 0444);
MODULE_PARM_DESC(nodes,
		 "node number of each card, by its device number; -1: started by a program (-1)");

static unsigned int ports = 4;
module_param(ports, uint, 0444);
MODULE_PARM_DESC(ports, "applications at once, 1 to 4, with equal shares of a card (4)");

static bool divides_time = true;
module_param(divides_time, bool, 0444);
MODULE_PARM_DESC(divides_time,
		 "active applications get equal parts of a card's processor and wire (yes)");

static unsigned int linger_ms = 1000;
module_param(linger_ms, uint, 0444);
MODULE_PARM_DESC(
	linger_ms,
	"milliseconds for which messages of a program that has ended may still be received (1000)");

static const struct pci_device_id card_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_ALTEON, 0x0001) },  /* AceNIC, fibre */
	{ PCI_DEVICE(PCI_VENDOR_ID_ALTEON, 0x0002) },  /* copper */
	{ PCI_DEVICE(PCI_VENDOR_ID_ALTEON, 0x00FA) },  /* Farallon PN9100T */
	{ PCI_DEVICE(PCI_VENDOR_ID_3COM, 0x0001) },    /* 3C985 */
	{ PCI_DEVICE(PCI_VENDOR_ID_NETGEAR, 0x620A) }, /* GA620 */
	{ PCI_DEVICE(PCI_VENDOR_ID_NETGEAR, 0x630A) }, /* GA620T */
	{ PCI_DEVICE(PCI_VENDOR_ID_SGI, 0x0009) },
	{ PCI_DEVICE(PCI_VENDOR_ID_DEC, 0x001A) }, /* Farallon PN9000SX */
	{}
};
MODULE_DEVICE_TABLE(pci, card_ids);

static dev_t first_number;
static struct class *emp_class;
static struct dentry *debug_directory;
static DEFINE_IDA(numbers);

static void free_device(struct device *base)
{
	struct emp_device *device = container_of(base, struct emp_device, device);

	if (device->ends)
		free_pages_exact(device->ends, ENDPOINT_ENDS_BYTES);
	ida_free(&numbers, MINOR(base->devt));
	kvfree(device);
}

static struct emp_device *create(struct pci_dev *pdev)
{
	struct emp_device *device = kvzalloc(sizeof(*device), GFP_KERNEL);
	const int number =
		device ? ida_alloc_max(&numbers, DEVICES_LIMIT - 1, GFP_KERNEL) : -ENOMEM;

	if (number < 0) {
		kvfree(device);
		return ERR_PTR(number);
	}
	device_initialize(&device->device);
	device->device.class = emp_class;
	device->device.parent = &pdev->dev;
	device->device.release = free_device;
	device->device.groups = emp_attribute_groups;
	device->device.devt = MKDEV(MAJOR(first_number), number);
	device->pdev = pdev;
	device->node = -1;
	device->table.limits.ports = ports;
	device->table.limits.divides_time = divides_time;
	device->table.limits.linger_ns = (uint64_t)linger_ms * NSEC_PER_MSEC;
	mutex_init(&device->lock);
	mutex_init(&device->map_lock);
	init_waitqueue_head(&device->waiting);
	INIT_LIST_HEAD(&device->regions);
	INIT_LIST_HEAD(&device->drained);
	if (dev_set_name(&device->device, "emp%d", number)) {
		put_device(&device->device);
		return ERR_PTR(-ENOMEM);
	}
	return device;
}

static int map_registers(struct emp_device *device)
{
	struct pci_dev *pdev = device->pdev;

	if (!(pci_resource_flags(pdev, REGISTERS_BAR) & IORESOURCE_MEM) ||
	    pci_resource_len(pdev, REGISTERS_BAR) < REGISTERS_BYTES) {
		dev_err(&pdev->dev, "expected 16 kB of registers, found %pR\n",
			&pdev->resource[REGISTERS_BAR]);
		return -ENODEV;
	}
	device->registers_bus = pci_resource_start(pdev, REGISTERS_BAR);
	device->registers = pci_iomap(pdev, REGISTERS_BAR, REGISTERS_BYTES);
	return device->registers ? 0 : -ENOMEM;
}

static int begin(struct emp_device *device)
{
	const int node = nodes[MINOR(device->device.devt)];
	int error = emp_card_open(device);

	emp_wait_open(device);
	if (!error)
		error = emp_card_load_image(device, image);
	if (error || node < 0)
		return error;
	emp_card_lock(device);
	error = emp_card_start(device, &(struct emp_ioctl_start){ .node = node });
	emp_card_unlock(device);
	return error;
}

/* The board is quiet afterwards, and all of its memory that programs do not look at is given back.
 */
static void end(struct emp_device *device)
{
	struct emp_region *region, *next;

	mutex_lock(&device->map_lock);
	emp_card_lock(device);
	device->gone = true;
	if (device->board)
		emp_card_quiesce(device, true);
	list_for_each_entry_safe(region, next, &device->regions, of_device)
		emp_region_unmap(region);
	if (device->trusted)
		unmap_mapping_range(device->trusted->mapping, EMP_IOCTL_MAP_REGISTERS,
				    REGISTERS_BYTES, 1);
	emp_card_unlock(device);
	mutex_unlock(&device->map_lock);
	emp_wait_close(device);
	cancel_delayed_work_sync(&device->watchdog);
	cancel_delayed_work_sync(&device->reaper);
	emp_card_free(device);
	pci_iounmap(device->pdev, device->registers);
	pci_clear_master(device->pdev);
}

static int card_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct emp_device *device = create(pdev);
	int error;

	if (IS_ERR(device))
		return PTR_ERR(device);
	error = pci_enable_device_mem(pdev);
	if (error)
		goto put;
	error = pci_request_regions(pdev, KBUILD_MODNAME);
	if (error)
		goto disable;
	error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (error)
		error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32));
	if (!error)
		error = map_registers(device);
	if (error)
		goto release;
	pci_set_drvdata(pdev, device);
	error = begin(device);
	if (error)
		goto end;
	cdev_init(&device->cdev, &emp_file_operations);
	device->cdev.owner = THIS_MODULE;
	error = cdev_device_add(&device->cdev, &device->device);
	if (error)
		goto end;
	emp_statistics_open(device, debug_directory);
	return 0;
end:
	end(device);
release:
	pci_release_regions(pdev);
disable:
	pci_disable_device(pdev);
put:
	put_device(&device->device);
	return error;
}

static void card_remove(struct pci_dev *pdev)
{
	struct emp_device *device = pci_get_drvdata(pdev);

	emp_statistics_close(device);
	cdev_device_del(&device->cdev, &device->device);
	end(device);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
	put_device(&device->device);
}

/* Before another kernel starts: the card must not write to its memory. */
static void card_shutdown(struct pci_dev *pdev)
{
	struct emp_device *device = pci_get_drvdata(pdev);

	emp_card_lock(device);
	emp_card_quiesce(device, false);
	emp_card_unlock(device);
	pci_clear_master(pdev);
}

static struct pci_driver card_driver = {
	.name = KBUILD_MODNAME,
	.id_table = card_ids,
	.probe = card_probe,
	.remove = card_remove,
	.shutdown = card_shutdown,
};

/* In protected mode the file gives no more than a socket does. */
static char *device_node(struct device *device, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return NULL;
}

static int __init emp_initialise(void)
{
	int error;

	if (ports < 1 || ports > EMP_IOCTL_PORTS) {
		pr_err("emp: ports=%u, expected 1 to %u\n", ports, EMP_IOCTL_PORTS);
		return -EINVAL;
	}
	error = alloc_chrdev_region(&first_number, 0, DEVICES_LIMIT, "emp");
	if (error)
		return error;
	emp_class = class_create(THIS_MODULE, "emp");
	if (IS_ERR(emp_class)) {
		unregister_chrdev_region(first_number, DEVICES_LIMIT);
		return PTR_ERR(emp_class);
	}
	emp_class->devnode = device_node;
	debug_directory = debugfs_create_dir("emp", NULL);
	error = pci_register_driver(&card_driver);
	if (error) {
		debugfs_remove_recursive(debug_directory);
		class_destroy(emp_class);
		unregister_chrdev_region(first_number, DEVICES_LIMIT);
	}
	return error;
}

static void __exit emp_end(void)
{
	pci_unregister_driver(&card_driver);
	debugfs_remove_recursive(debug_directory);
	class_destroy(emp_class);
	unregister_chrdev_region(first_number, DEVICES_LIMIT);
	ida_destroy(&numbers);
}

module_init(emp_initialise);
module_exit(emp_end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Messages over cards with the Tigon2 chip that run EMP");
MODULE_FIRMWARE(FIRMWARE_NAME);
