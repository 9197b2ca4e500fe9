// SPDX-License-Identifier: GPL-2.0
/* Programs that wait in poll(2) until a request has ended.
 *
 * The card raises its interrupt with every word that it writes for an ended request, and keeps the
 * interrupt to itself as long as it is masked. It is unmasked by a program that begins to wait, and
 * masked by the interrupt. So programs that look at their words cause none.
 */
#include "host/driver/device.h"

#include <linux/interrupt.h>

static irqreturn_t on_interrupt(int irq, void *context)
{
	struct emp_device *device = context;
	bool ours;

	spin_lock(&device->interrupt_lock);
	ours = device->interrupt_allowed &&
	       readl(device->registers + BOARD_HOST_CONTROL) & BOARD_INTERRUPT_PENDING;
	if (ours) {
		device->interrupt_allowed = false;
		writel(BOARD_INTERRUPT_MASKED, device->registers + BOARD_HOST_CONTROL);
		(void)readl(device->registers + BOARD_HOST_CONTROL); /* the line is down by now */
	}
	spin_unlock(&device->interrupt_lock);
	if (ours)
		wake_up_interruptible(&device->waiting);
	return ours ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * emp_wait_open() - prepares the interrupt of a card whose registers are mapped
 * @device: the card
 *
 * A card without an interrupt works; programs do not wait then, but look again and again.
 */
void emp_wait_open(struct emp_device *device)
{
	spin_lock_init(&device->interrupt_lock);
	device->has_interrupt =
		device->pdev->irq && !request_irq(device->pdev->irq, on_interrupt, IRQF_SHARED,
						  dev_name(&device->device), device);
	if (!device->has_interrupt)
		dev_warn(&device->pdev->dev, "no interrupt: poll() returns at once\n");
}

/**
 * emp_wait_close() - the opposite; the card is stopped, and its registers are still mapped
 * @device: the card
 */
void emp_wait_close(struct emp_device *device)
{
	if (device->has_interrupt)
		free_irq(device->pdev->irq, device);
	device->has_interrupt = false;
}

/**
 * emp_wait_stop() - wakes all that wait, and masks the interrupt
 * @device: the card, locked; it is going to be stopped, or has gone
 */
void emp_wait_stop(struct emp_device *device)
{
	unsigned long flags;

	spin_lock_irqsave(&device->interrupt_lock, flags);
	if (device->interrupt_allowed)
		writel(BOARD_INTERRUPT_MASKED, device->registers + BOARD_HOST_CONTROL);
	device->interrupt_allowed = false;
	spin_unlock_irqrestore(&device->interrupt_lock, flags);
	wake_up_interruptible(&device->waiting);
}

/* What ends from here on interrupts. The read waits until the card has the write. So an end that
 * came before it, without an interrupt, is in memory then. */
static void allow(struct emp_device *device)
{
	unsigned long flags;

	spin_lock_irqsave(&device->interrupt_lock, flags);
	device->interrupt_allowed = true;
	writel(BOARD_INTERRUPT_ALLOWED, device->registers + BOARD_HOST_CONTROL);
	(void)readl(device->registers + BOARD_HOST_CONTROL);
	spin_unlock_irqrestore(&device->interrupt_lock, flags);
}

/**
 * emp_file_poll() - the system calls poll, select and epoll_wait
 * @file: of the program
 * @table: of the call
 *
 * Return: EPOLLIN when a request has ended that was not collected; EPOLLERR when no firmware runs,
 * the file has no port, or it is another program's.
 */
__poll_t emp_file_poll(struct file *file, struct poll_table_struct *table)
{
	struct emp_file *own = file->private_data;
	struct emp_device *device = own->device;
	const struct emp_endpoint *endpoint;
	__poll_t events = 0;

	if (emp_file_is_foreign(own))
		return EPOLLERR;
	poll_wait(file, &device->waiting, table);
	/* No lock of the file: a call may hold it and wait for memory of the program. */
	emp_card_lock(device);
	endpoint = own->endpoint;
	if (!endpoint) {
		emp_card_unlock(device);
		return EPOLLERR;
	}
	if (endpoint_has_ended(&endpoint->endpoint))
		events |= EPOLLIN | EPOLLRDNORM;
	if (device->gone || !device->table.running) {
		events |= EPOLLERR;
	} else if (!device->has_interrupt) {
		events |= EPOLLIN | EPOLLRDNORM;
	} else if (!events) {
		allow(device);
		if (endpoint_has_ended(&endpoint->endpoint))
			events |= EPOLLIN | EPOLLRDNORM;
	}
	emp_card_unlock(device);
	return events;
}
