/*
 * tigon2.md 15.11: an image with the host interface of section 11, driven as the Linux driver
 * drives it: start-up of section 9, information block, rings in host memory, event 1, link event,
 * frames both ways. Two boards with the same image face each other.
 *
 * The image is a stand-in of our own (firmware/standin.c), or the file TIGON_IMAGE names: ELF,
 * tg2.bin, or a C header of the public drivers. The fields of the buffer descriptors are those of
 * the public Linux header (LNXH).
 */
#include "tests/acceptance/acceptance.h"

#include "sim/command/image.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES       4u
#define BUFFERS      64u
#define BUFFER_BYTES 2048u

/* Offsets in the information block. */
enum {
    EVENT_CONTROL = 0x400,
    COMMAND_CONTROL = 0x410,
    SEND_CONTROL = 0x420,
    STANDARD_CONTROL = 0x430,
    JUMBO_CONTROL = 0x440,
    MINI_CONTROL = 0x450,
    RETURN_CONTROL = 0x460,
    EVENT_PRODUCER = 0x470,
    RETURN_PRODUCER = 0x478,
    SEND_CONSUMER = 0x480,
    STATISTICS = 0x488,
    INFORMATION_BYTES = 0x490
};

#define FLAG_HOST_RING 0x40u  /* the send ring is in host memory */
#define FLAG_DISABLED  0x200u /* a ring that is not used */
#define FLAG_END       0x4u   /* last descriptor of a frame */

struct driver {
    struct test *test;
    struct tigon_host *host;
    const char *file;  /* the image */
    unsigned index;    /* of the board */
    bool one_dma;      /* operating-mode bit 6 */
    uint32_t limit_ms; /* of virtual time, for each step */
    uint8_t *information, *events, *sends, *standard, *returns, *indexes, *buffers, *frames;
    uint64_t information_bus, events_bus, sends_bus, standard_bus, returns_bus, indexes_bus,
        buffers_bus, frames_bus;
    uint32_t event, returned;
    bool up, link; /* what was reached */
    unsigned good; /* frames received as sent */
};

static uint32_t get(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void put(uint8_t *at, uint32_t word) {
    memcpy(at, &word, sizeof word);
}

static void put_address(uint8_t *at, uint64_t address) {
    put(at, (uint32_t)(address >> 32));
    put(at + 4, (uint32_t)address);
}

static uint8_t *take(struct tigon_host *host, size_t bytes, uint64_t *bus) {
    uint8_t *memory = tigon_host_allocate(host, bytes, bus);
    if (!memory)
        broken("no host memory");
    return memory;
}

static void control(struct driver *driver, uint32_t offset, uint64_t ring, uint32_t length,
                    uint32_t flags) {
    put_address(driver->information + offset, ring);
    put(driver->information + offset + 8, length << 16 | flags);
}

static void make_rings(struct driver *driver) {
    struct tigon_host *host = driver->host;
    driver->information = take(host, 4096, &driver->information_bus);
    driver->events = take(host, 256 * 8, &driver->events_bus);
    driver->sends = take(host, 256 * 16, &driver->sends_bus);
    driver->standard = take(host, 512 * 32, &driver->standard_bus);
    driver->returns = take(host, 2048 * 32, &driver->returns_bus);
    driver->indexes = take(host, 64, &driver->indexes_bus);
    driver->buffers = take(host, (size_t)BUFFERS * BUFFER_BYTES, &driver->buffers_bus);
    driver->frames = take(host, (size_t)FRAMES * BUFFER_BYTES, &driver->frames_bus);
    control(driver, EVENT_CONTROL, driver->events_bus, 0, 0);
    control(driver, COMMAND_CONTROL, 0x300, 0, 0);
    control(driver, SEND_CONTROL, driver->sends_bus, 256, FLAG_HOST_RING);
    control(driver, STANDARD_CONTROL, driver->standard_bus, 1518, 0);
    control(driver, JUMBO_CONTROL, 0, 0, FLAG_DISABLED);
    control(driver, MINI_CONTROL, 0, 0, FLAG_DISABLED);
    control(driver, RETURN_CONTROL, driver->returns_bus, 2048, 0);
    put_address(driver->information + EVENT_PRODUCER, driver->indexes_bus);
    put_address(driver->information + RETURN_PRODUCER, driver->indexes_bus + 8);
    put_address(driver->information + SEND_CONSUMER, driver->indexes_bus + 16);
    put_address(driver->information + STATISTICS, driver->information_bus);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        uint8_t *descriptor = driver->standard + 32u * i;
        put_address(descriptor, driver->buffers_bus + (uint64_t)i * BUFFER_BYTES);
        put(descriptor + 8, i << 16 | 1518u);
        put(descriptor + 28, i);
    }
}

/* Sections 9 steps 1 to 8: everything up to the image in SRAM. */
static uint32_t load_file(struct driver *driver) {
    struct tigon_host *host = driver->host;
    char problem[256];
    struct image image = {0};
    struct scenario_image scenario = {.file = (char *)(uintptr_t)driver->file};
    if (image_read(&image, &scenario, problem, sizeof problem))
        broken("%s", problem);
    for (size_t i = 0; i < image.count; i++) {
        const struct image_segment *segment = &image.segments[i];
        for (uint32_t at = 0; at < segment->length; at += 4) {
            uint32_t word = 0;
            for (uint32_t k = 0; k < 4; k++)
                word = word << 8 | (at + k < segment->length ? segment->bytes[at + k] : 0u);
            if (at == 0 || ((segment->address + at) & 0x7FFu) == 0)
                tigon_host_write32(host, 0x068, (segment->address + at) & ~0x7FFu);
            tigon_host_write32(host, 0x800 + ((segment->address + at) & 0x7FFu), word);
        }
    }
    const uint32_t start_address = image.start;
    image_free(&image);
    return start_address;
}

static void start_up(struct driver *driver) {
    struct tigon_host *host = driver->host;
    uint8_t mac[6];
    tigon_host_write32(host, 0x040, 0x08000008);
    tigon_host_write32(host, 0x040, 0x22000022);
    while ((tigon_host_read32(host, 0x140) & (1u << 18 | 1u << 4)) != 1u << 18)
        tigon_host_sleep_ns(host, 100000);
    tigon_host_write32(host, 0x140, tigon_host_read32(host, 0x140) | 1u << 16);
    tigon_host_write32(host, 0x504, 0);
    if (tigon_host_read32(host, 0x040) >> 28 != 6)
        note(driver->test, "WRONG chip revision");
    tigon_host_write32(host, 0x240, tigon_host_read32(host, 0x240) | 1u << 16);
    tigon_host_write32(host, 0x044, 0x200);
    tigon_host_write32(host, 0x050, 0x00100000);
    tigon_host_write32(host, 0x05C, 0x76020000 | (tigon_host_read32(host, 0x05C) & 0x00180000));
    for (uint32_t base = 0x2000; base < 0x80000; base += 0x800) {
        static const uint32_t zeros[0x800 / 4];
        tigon_host_write32(host, 0x068, base);
        tigon_host_write_block(host, 0x800, zeros, 0x800 / 4);
    }
    const uint32_t start_address = load_file(driver);
    tigon_host_write32(host, 0x618, 0x4000021Cu | (driver->one_dma ? 0x40u : 0));
    tigon_board_mac_address(tigon_host_board(host), mac);
    tigon_host_write32(host, 0x600, (uint32_t)mac[0] << 8 | mac[1]);
    tigon_host_write32(host, 0x604,
                       (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 |
                           mac[5]);
    tigon_host_write32(host, 0x608, (uint32_t)(driver->information_bus >> 32));
    tigon_host_write32(host, 0x60C, (uint32_t)driver->information_bus);
    tigon_host_write32(host, 0x61C, 0x80);
    tigon_host_write32(host, 0x620, 0x80);
    tigon_host_write32(host, 0x624, 21); /* 64ths of the buffer space for transmit */
    tigon_host_write32(host, 0x628, 0);
    tigon_host_write32(host, 0x62C, 0);
    tigon_host_write32(host, 0x630, 30);
    tigon_host_write32(host, 0x634, 30);
    tigon_host_write32(host, 0x638, 1000000);
    tigon_host_write32(host, 0x63C, 1);
    tigon_host_write32(host, 0x640, 1);
    tigon_host_write32(host, 0x648, 0x708C0000); /* gigabit, full duplex, negotiate, enabled */
    tigon_host_write32(host, 0x64C, 0x701B0000);
    tigon_host_write32(host, 0x65C, 1);
    tigon_host_write32(host, 0x660, 1514);
    tigon_host_write32(host, 0x664, 0);
    tigon_host_write32(host, 0x680, 0);
    for (uint32_t i = 0; i < 64; i++)
        tigon_host_write32(host, 0x700 + 4u * i, 0);
    tigon_host_write32(host, 0x11C, 1);
    tigon_host_write32(host, 0x144, start_address);
    tigon_host_write32(host, 0x140, tigon_host_read32(host, 0x140) & ~(1u << 16 | 2u));
}

/* Until event `wanted` (with `code`, unless that is 0) comes; events before it are taken, too. */
static bool await_event(struct driver *driver, uint32_t wanted, uint32_t code) {
    const uint64_t limit = tigon_host_now_ns(driver->host) + driver->limit_ms * UINT64_C(1000000);
    while (tigon_host_now_ns(driver->host) < limit) {
        if (driver->event == get(driver->indexes)) {
            tigon_host_sleep_ns(driver->host, 20000);
            continue;
        }
        const uint32_t word = get(driver->events + 8u * driver->event);
        driver->event = (driver->event + 1u) % 256u;
        tigon_host_write32(driver->host, 0x628, driver->event);
        if (word >> 24 == wanted && (!code || (word >> 12 & 0xFFFu) == code))
            return true;
    }
    note(driver->test, "WRONG board %u: no event %u in %u ms", driver->index, wanted,
         driver->limit_ms);
    return false;
}

/* Frame `number` of a board: to the other, with a pattern and a length that tell it. */
static uint32_t make_frame(const struct driver *driver, unsigned from, unsigned number,
                           uint8_t *frame) {
    const uint32_t length = 60u + 400u * number;
    for (uint32_t i = 0; i < length; i++)
        frame[i] = (uint8_t)(i * 5u + number * 16u + from);
    tigon_board_mac_address(board_of(driver->test, 1 - from), frame);
    tigon_board_mac_address(board_of(driver->test, from), frame + 6);
    frame[12] = 0x88;
    frame[13] = 0xB5;
    return length;
}

/* Odd frames lie in two pieces. */
static void send_frames(struct driver *driver) {
    uint32_t producer = 0;
    for (unsigned number = 0; number < FRAMES; number++) {
        uint8_t *frame = driver->frames + number * BUFFER_BYTES;
        const uint64_t bus = driver->frames_bus + number * BUFFER_BYTES;
        const uint32_t length = make_frame(driver, driver->index, number, frame);
        const uint32_t first = number % 2 ? 42 : length;
        for (uint32_t at = 0; at < length; at += first) {
            const uint32_t piece = at ? length - at : first;
            uint8_t *descriptor = driver->sends + 16u * producer++;
            put_address(descriptor, bus + at);
            put(descriptor + 8, piece << 16 | (at + piece == length ? FLAG_END : 0));
            put(descriptor + 12, 0);
            if (at)
                break;
        }
    }
    tigon_host_write32(driver->host, 0x514, producer);
    const uint64_t limit = tigon_host_now_ns(driver->host) + driver->limit_ms * UINT64_C(1000000);
    while (get(driver->indexes + 16) != producer && tigon_host_now_ns(driver->host) < limit)
        tigon_host_sleep_ns(driver->host, 20000);
    check(driver->test, "send consumer", get(driver->indexes + 16), producer);
}

static void receive_frames(struct driver *driver) {
    const uint64_t limit = tigon_host_now_ns(driver->host) + driver->limit_ms * UINT64_C(1000000);
    unsigned good = 0;
    while (good < FRAMES && tigon_host_now_ns(driver->host) < limit) {
        uint8_t wanted[BUFFER_BYTES];
        if (driver->returned == get(driver->indexes + 8)) {
            tigon_host_sleep_ns(driver->host, 20000);
            continue;
        }
        const uint8_t *descriptor = driver->returns + 32u * driver->returned;
        const uint32_t length = get(descriptor + 8) & 0xFFFFu, index = get(descriptor + 8) >> 16;
        const uint32_t expected = make_frame(driver, 1 - driver->index, good, wanted);
        check(driver->test, "length of a received frame", length, expected);
        if (index >= BUFFERS || length != expected ||
            memcmp(driver->buffers + index * BUFFER_BYTES, wanted, expected) != 0)
            note(driver->test, "WRONG board %u: frame %u is not as it was sent", driver->index,
                 good);
        good++;
        driver->returned = (driver->returned + 1u) % 2048u;
        tigon_host_write32(driver->host, 0x680, driver->returned);
    }
    driver->good = good;
}

static int host_of_driver(struct tigon_host *host, void *context) {
    struct driver *driver = context;
    driver->host = host;
    make_rings(driver);
    start_up(driver);
    if (!await_event(driver, 1, 0))
        return 1;
    driver->up = true;
    tigon_host_write32(host, 0x51C, BUFFERS - 1u);
    tigon_host_write32(host, 0x700, 0x01001000); /* host state: up */
    tigon_host_write32(host, 0x50C, 1);
    if (!await_event(driver, 6, 1))
        return 1;
    driver->link = true;
    tigon_host_sleep_ns(host, 50000000); /* the other side, too */
    send_frames(driver);
    receive_frames(driver);
    return 0;
}

static void run_file(struct test *test, const char *file, uint32_t limit_ms) {
    static const char *const sizes[] = {"sram_bytes=512K", "sram_bytes=1024K"};
    for (unsigned variant = 0; variant < 4; variant++) {
        struct driver drivers[2];
        note(test, "%s, one DMA at a time %s", sizes[variant / 2], variant % 2 ? "on" : "off");
        world_make(test, 2, (const char *const[]){sizes[variant / 2], NULL});
        for (unsigned i = 0; i < 2; i++) {
            drivers[i] = (struct driver){.test = test,
                                         .file = file,
                                         .index = i,
                                         .one_dma = variant % 2 != 0,
                                         .limit_ms = limit_ms};
            (void)tigon_host_start(host_of(test, i), "driver", host_of_driver, &drivers[i]);
        }
        world_run(test, UINT64_C(4) * limit_ms);
        for (unsigned i = 0; i < 2; i++) {
            note(test, "board %u: event 1, the firmware is up: %s", i,
                 drivers[i].up ? "yes" : "no");
            note(test, "board %u: event 6 code 1, gigabit link: %s", i,
                 drivers[i].link ? "yes" : "no");
            note(test, "board %u: %u of %u frames received as sent", i, drivers[i].good, FRAMES);
        }
    }
}

static void test_standin(struct test *test) {
    run_file(test, "build/acceptance/standin.elf", 200);
}

static void test_genuine(struct test *test) {
    const char *file = getenv("TIGON_IMAGE");
    if (!file || !*file)
        test->skipped = "no image was given (TIGON_IMAGE=FILE)";
    else
        run_file(test, file, 5000);
}

const struct acceptance image_tests[] = {
    {"15.11", "an image with the Alteon host interface: the stand-in", "image", test_standin},
    {"15.11", "an image with the Alteon host interface: the one supplied", "image", test_genuine},
    {NULL, NULL, NULL, NULL},
};
