/* SPDX-License-Identifier: MIT */
/*
 * A plugin for QEMU's translator: `-plugin PATH,page=DESCRIPTOR,socket=DESCRIPTOR` (pace.h). It
 * counts the guest's instructions by blocks, which end at jumps; a block that a fault leaves early
 * counts in full. Made for one virtual processor.
 *
 * Debian has no package with QEMU's header for plugins, so the part of its interface that is used
 * is declared here (version 1, QEMU 4.2 to 8; documented in QEMU's manual, "QEMU TCG Plugins").
 */
#include "sim/serve/qemu/pace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;
struct qemu_info_t; /* of the machine; not looked at */

enum { QEMU_PLUGIN_NO_REGISTERS };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*translated)(qemu_plugin_id_t id,
                                                              struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*executed)(unsigned processor, void *context),
                                          int registers, void *context);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
                                 char **argv);

int qemu_plugin_version = 1;

static struct pace_page *page;
static int pace_socket;

static void wait_for_bridge(void) {
    char byte = 0;
    ssize_t count;
    do
        count = write(pace_socket, &byte, 1);
    while (count < 0 && errno == EINTR);
    do
        count = read(pace_socket, &byte, 1);
    while (count < 0 && errno == EINTR);
    if (count != 1) /* the bridge has ended, and QEMU is about to */
        atomic_store_explicit(&page->stop_at, PACE_NEVER, memory_order_relaxed);
}

/* Before a block of `context` instructions is executed. */
static void block_executed(unsigned processor, void *context) {
    (void)processor;
    const uint64_t instructions =
        atomic_load_explicit(&page->instructions, memory_order_relaxed) + (uintptr_t)context;
    atomic_store_explicit(&page->instructions, instructions, memory_order_relaxed);
    if (instructions >= atomic_load_explicit(&page->stop_at, memory_order_relaxed))
        wait_for_bridge();
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    /* A number in the place of a pointer. */
    void *instructions = (void *)(uintptr_t)qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, block_executed, QEMU_PLUGIN_NO_REGISTERS,
                                         instructions);
}

/* The value of argument `name=NUMBER`, or -1. */
static int descriptor_argument(int argc, char **argv, const char *name) {
    const size_t length = strlen(name);
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return (int)strtol(argv[i] + length + 1, NULL, 10);
    return -1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
                        char **argv) {
    (void)info;
    pace_socket = descriptor_argument(argc, argv, "socket");
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED,
                descriptor_argument(argc, argv, "page"), 0);
    if (pace_socket < 0 || page == MAP_FAILED)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    return 0;
}
