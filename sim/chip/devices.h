/* SPDX-License-Identifier: MIT */
/*
 * The devices of the chip. To add one: its header here, and a line in TIGON_DEVICES.
 *
 * The line of a device is DEVICE(NAME): the device is tigon_NAME_device, its state the member NAME
 * of struct tigon_board, of the type struct tigon_NAME. STATELESS(NAME) is one without such a
 * member. Devices are initialised and reset in this order.
 */
#ifndef SIM_DEVICES_H
#define SIM_DEVICES_H

#include "sim/chip/core_control.h"
#include "sim/chip/device.h"
#include "sim/chip/dma.h"
#include "sim/chip/events.h"
#include "sim/chip/host_bus.h"
#include "sim/chip/host_control.h"
#include "sim/chip/host_window.h"
#include "sim/chip/link.h"
#include "sim/chip/local_control.h"
#include "sim/chip/mac_receive.h"
#include "sim/chip/mac_transmit.h"
#include "sim/chip/pci_configuration.h"
#include "sim/chip/semaphore.h"
#include "sim/chip/timer.h"

#define TIGON_DEVICES(DEVICE, STATELESS)                                                           \
    DEVICE(pci)                                                                                    \
    DEVICE(host_control)                                                                           \
    STATELESS(host_window)                                                                         \
    DEVICE(local_control)                                                                          \
    DEVICE(semaphore)                                                                              \
    DEVICE(timer)                                                                                  \
    DEVICE(events)                                                                                 \
    DEVICE(dma)                                                                                    \
    DEVICE(transmit)                                                                               \
    DEVICE(receive)                                                                                \
    DEVICE(link)                                                                                   \
    DEVICE(core_control)

#define TIGON_DECLARE_DEVICE(name) extern const struct tigon_device tigon_##name##_device;
TIGON_DEVICES(TIGON_DECLARE_DEVICE, TIGON_DECLARE_DEVICE)
#undef TIGON_DECLARE_DEVICE

#endif
