/* SPDX-License-Identifier: MIT */
/*
 * How a virtual processor and a board in lock step keep the same time: QEMU counts instructions
 * (-icount), each of which takes the same virtual time, and the plugin pace_plugin.c stops the
 * processor each time it has executed as many as this page allows. It then sends a byte over its
 * socket and waits for one.
 *
 * Each word has one writer. The other side reads it while the writer waits for a message, so that
 * no order between accesses has to be kept.
 */
#ifndef SIM_SERVE_QEMU_PACE_H
#define SIM_SERVE_QEMU_PACE_H

#include <stdatomic.h>
#include <stdint.h>

struct pace_page {
    _Atomic uint64_t instructions; /* executed so far; the plugin writes it */
    _Atomic uint64_t stop_at;      /* instructions; the bridge writes it */
};

/* Of struct pace_page.stop_at: never. */
#define PACE_NEVER UINT64_MAX

#endif
