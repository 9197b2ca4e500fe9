/* SPDX-License-Identifier: MIT */
/* Operations on a board of the Linux driver. */
#include "host/board/device.h"

#include "host/board/internal.h"
#include "host/driver/uapi/emp_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { REGISTERS_BYTES = 0x4000, SHORT_NS = 50000 };

struct device {
    int file;
    volatile uint32_t *mine;      /* a page that reads as 0 in a child (MADV_WIPEONFORK) */
    volatile uint32_t *registers; /* of a trusted program, else NULL; not in a child */
    uint32_t window;              /* else, where the program has put it */
};

/* "0", "0.2" or "0.trusted". */
static bool parse(const char *name, unsigned long *number, unsigned long *port, bool *trusted) {
    char *end;
    errno = 0;
    *port = 0;
    *number = strtoul(name, &end, 10);
    if (errno || end == name || *name < '0' || *name > '9')
        return false;
    *trusted = strcmp(end, ".trusted") == 0;
    if (!*end || *trusted)
        return true;
    if (*end != '.' || end[1] < '0' || end[1] > '9')
        return false;
    *port = strtoul(end + 1, &end, 10);
    return !errno && !*end;
}

static int take(struct device *device, unsigned long port, bool trusted) {
    if (!trusted)
        return ioctl(device->file, EMP_BIND, port) ? -errno : 0;
    if (ioctl(device->file, EMP_TRUST))
        return -errno;
    void *registers = mmap(NULL, REGISTERS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, device->file,
                           EMP_IOCTL_MAP_REGISTERS);
    if (registers == MAP_FAILED)
        return -errno;
    device->registers = registers;
    return 0;
}

static int mark_process(struct device *device) {
    void *page =
        mmap(NULL, BOARD_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    device->mine = page;
    *device->mine = 1;
    return madvise(page, BOARD_PAGE_BYTES, MADV_WIPEONFORK) ? -errno : 0;
}

static bool device_is_foreign(void *handle) {
    const struct device *device = handle;
    return *device->mine == 0;
}

static void device_close(void *handle) {
    struct device *device = handle;
    if (device->mine && !device_is_foreign(device)) {
        if (device->registers)
            (void)munmap((void *)(uintptr_t)device->registers, REGISTERS_BYTES);
        (void)ioctl(device->file, EMP_LEAVE); /* a child may have the file for long */
    }
    if (device->file >= 0)
        (void)close(device->file);
    if (device->mine)
        (void)munmap((void *)(uintptr_t)device->mine, BOARD_PAGE_BYTES);
    free(device);
}

static int device_open(void *environment, const char *name, void **handle) {
    unsigned long number;
    unsigned long port;
    bool trusted;
    char path[64];
    (void)environment;
    if (!parse(name, &number, &port, &trusted))
        return -ENXIO;
    struct device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    (void)snprintf(path, sizeof path, "/dev/emp%lu", number);
    device->file = open(path, O_RDWR | O_CLOEXEC);
    int error = device->file < 0 ? -errno : mark_process(device);
    if (!error)
        error = take(device, port, trusted);
    if (!error) {
        *handle = device;
        return 0;
    }
    device_close(device);
    return error == -ENOENT || error == -ENODEV ? -ENXIO
           : error == -EACCES                   ? -EPERM /* of the file, not of a child */
                                                : error;
}

static int device_channel(void *handle) {
    const struct device *device = handle;
    return device->registers ? -1 : device->file;
}

/* What a driver that posts lets every program read. */
static uint32_t ask(const struct device *device, uint32_t offset) {
    uint32_t word = 0;
    struct emp_ioctl_words words = {.count = 1, .words = (uintptr_t)&word};
    if (offset >= WINDOW_OFFSET)
        words.address = device->window + (offset - WINDOW_OFFSET);
    else if (offset >= ALIAS_OFFSET)
        words.address = offset - ALIAS_OFFSET;
    else
        return 0;
    return ioctl(device->file, EMP_READ, &words) && errno == ENODEV ? UINT32_MAX : word;
}

static uint32_t device_read32(void *handle, uint32_t offset) {
    const struct device *device = handle;
    if (device_is_foreign(handle))
        return UINT32_MAX;
    return device->registers ? device->registers[offset / 4] : ask(device, offset);
}

static void device_write32(void *handle, uint32_t offset, uint32_t value) {
    struct device *device = handle;
    if (device_is_foreign(handle))
        return;
    if (device->registers)
        device->registers[offset / 4] = value;
    else if (offset == REGISTER_WINDOW_BASE)
        device->window = value;
}

static uint64_t device_now_ns(void *handle) {
    struct timespec now;
    (void)handle;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A sleep takes longer than it should, so short ones are waits. */
static void device_sleep_ns(void *handle, uint64_t ns) {
    const struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000),
                                   .tv_nsec = (long)(ns % 1000000000)};
    const uint64_t start = device_now_ns(handle);
    if (ns >= SHORT_NS)
        (void)nanosleep(&pause, NULL);
    else
        while (device_now_ns(handle) - start < ns)
            ;
}

static size_t whole_pages(size_t bytes) {
    return (bytes + BOARD_PAGE_BYTES - 1) / BOARD_PAGE_BYTES * BOARD_PAGE_BYTES;
}

static void *device_allocate(void *handle, size_t bytes) {
    (void)handle;
    if (bytes > SIZE_MAX - BOARD_PAGE_BYTES)
        return NULL;
    void *memory = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void device_release(void *handle, void *memory, size_t bytes) {
    (void)handle;
    (void)munmap(memory, whole_pages(bytes));
}

static int device_pin(void *handle, const void *address, size_t bytes, uint32_t *pin) {
    const struct device *device = handle;
    struct emp_ioctl_memory memory = {.address = (uintptr_t)address, .bytes = bytes};
    const int error = ioctl(device->file, EMP_REGISTER, &memory) ? -errno : 0;
    *pin = memory.handle;
    return error;
}

static int device_translate(void *handle, uint32_t pin, const void *address, size_t count,
                            uint64_t *pages) {
    const struct device *device = handle;
    struct emp_ioctl_translation translation = {
        .handle = pin, .count = count, .pages = (uintptr_t)pages};
    (void)address;
    return ioctl(device->file, EMP_TRANSLATE, &translation) ? -EFAULT : 0;
}

static int device_unpin(void *handle, uint32_t pin) {
    const struct device *device = handle;
    const struct emp_ioctl_memory memory = {.handle = pin};
    return ioctl(device->file, EMP_DEREGISTER, &memory) ? -errno : 0;
}

const struct board_backend board_device = {
    .scheme = "emp",
    .open = device_open,
    .close = device_close,
    .is_foreign = device_is_foreign,
    .channel = device_channel,
    .read32 = device_read32,
    .write32 = device_write32,
    .now_ns = device_now_ns,
    .sleep_ns = device_sleep_ns,
    .allocate = device_allocate,
    .release = device_release,
    .pin = device_pin,
    .translate = device_translate,
    .unpin = device_unpin,
};

int board_channel(const struct board *board) {
    return board->backend->channel ? board->backend->channel(board->handle) : -1;
}
