/* SPDX-License-Identifier: MIT */
/*
 * See harness.h.
 */
#include "tests/firmware/harness.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_CONTROL  0x040u
#define LOCAL_CONTROL 0x044u
#define MISC_CONFIG   0x050u
#define PCI_STATE     0x05Cu
#define WINDOW_BASE   0x068u
#define CPU_A_STATE   0x140u
#define CPU_A_PC      0x144u
#define CPU_B_STATE   0x240u
#define MAILBOX(n)    (0x504u + 8u * (n))
#define CONTROL(word) (0x400u + EMP_CONTROL_ADDRESS + 4u * (word))
#define OWN(word)     (EMP_OBJECTS_AT / 4 + EMP_OBJECTS_##word##_WORD)
#define WINDOW        0x800u
#define WINDOW_BYTES  0x800u
#define NO_WINDOW     0xFFFFFFFFu
#define HALT          0x00010000u
#define POLL_NS       100u

void side_create(struct side *side, struct tigon_board *board, unsigned node) {
    memset(side, 0, sizeof *side);
    side->board = board;
    side->host = tigon_board_host(board);
    side->node = node;
    side->epoch = 1;
    side->window = NO_WINDOW;
}

static uint32_t window(struct side *side, uint32_t address) {
    uint32_t base = address & ~(WINDOW_BYTES - 1u);
    if (side->window != base) {
        tigon_host_write32(side->host, WINDOW_BASE, base);
        side->window = base;
    }
    return WINDOW + (address & (WINDOW_BYTES - 1u));
}

uint32_t side_read(struct side *side, uint32_t address) {
    return tigon_host_read32(side->host, window(side, address));
}

void side_write(struct side *side, uint32_t address, uint32_t value) {
    tigon_host_write32(side->host, window(side, address), value);
}

static void write_words(struct side *side, uint32_t address, const uint32_t *words, size_t count) {
    while (count != 0) {
        size_t room = (WINDOW_BYTES - (address & (WINDOW_BYTES - 1u))) / 4u;
        size_t run = count < room ? count : room;
        tigon_host_write_block(side->host, window(side, address), words, run);
        address += 4u * (uint32_t)run;
        words += run;
        count -= run;
    }
}

uint32_t side_control(struct side *side, unsigned word) {
    return tigon_host_read32(side->host, CONTROL(word));
}

/* ------------------------------------------------------------------------------------- Image */

static uint32_t big32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t big16(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    long length;
    if (!file) {
        perror(path);
        abort();
    }
    fseek(file, 0, SEEK_END);
    length = ftell(file);
    rewind(file);
    bytes = malloc((size_t)length);
    *size = fread(bytes, 1, (size_t)length, file);
    fclose(file);
    return bytes;
}

/* Copies the loadable segments of an ELF file to SRAM; returns the entry point. */
static uint32_t load_image(struct side *side, const char *path) {
    size_t size;
    uint8_t *file = read_file(path, &size);
    uint32_t entry = big32(file + 24);
    const uint8_t *header = file + big32(file + 28);
    for (uint32_t i = 0; i < big16(file + 44); i++, header += big16(file + 42)) {
        uint32_t offset = big32(header + 4);
        uint32_t address = big32(header + 12);
        uint32_t bytes = big32(header + 16);
        uint32_t count = (bytes + 3) / 4;
        uint32_t *words;
        if (big32(header) != 1 || bytes == 0)
            continue;
        assert(offset + bytes <= size && address % 4 == 0);
        words = calloc(count, 4);
        for (uint32_t w = 0; w < bytes; w++)
            words[w / 4] |= (uint32_t)file[offset + w] << (24 - 8 * (w % 4));
        write_words(side, address, words, count);
        free(words);
    }
    free(file);
    return entry;
}

void side_load(struct side *side, const char *image) {
    struct tigon_host *host = side->host;
    uint64_t scratch;
    uint8_t mac[6];
    uint32_t entry;
    tigon_host_write32(host, HOST_CONTROL, 0x08000008);
    tigon_host_write32(host, HOST_CONTROL, 0x22000022);
    tigon_host_write32(host, CPU_A_STATE, HALT);
    tigon_host_write32(host, CPU_B_STATE, HALT);
    tigon_host_write32(host, LOCAL_CONTROL, 0x200);
    tigon_host_write32(host, MISC_CONFIG, 0x00100000);
    tigon_host_write32(host, PCI_STATE,
                       0x76020000 | (tigon_host_read32(host, PCI_STATE) & 0x00180000));
    side->window = NO_WINDOW;
    entry = load_image(side, image);
    for (unsigned word = 0; word < EMP_CONTROL_BYTES / 4; word++)
        tigon_host_write32(host, CONTROL(word), 0);
    tigon_board_mac_address(side->board, mac);
    (void)tigon_host_allocate(host, 64, &scratch);
    tigon_host_write32(host, CONTROL(EMP_CONTROL_NODE_WORD), side->node);
    tigon_host_write32(host, CONTROL(EMP_CONTROL_EPOCH_WORD), side->epoch);
    tigon_host_write32(host, CONTROL(EMP_CONTROL_MAC_HIGH_WORD), big16(mac));
    tigon_host_write32(host, CONTROL(EMP_CONTROL_MAC_LOW_WORD), big32(mac + 2));
    tigon_host_write32(host, CONTROL(EMP_CONTROL_SCRATCH_HIGH_WORD), (uint32_t)(scratch >> 32));
    tigon_host_write32(host, CONTROL(EMP_CONTROL_SCRATCH_LOW_WORD), (uint32_t)scratch);
    tigon_host_write32(host, CPU_A_PC, entry);
    side->posted = 0;
}

void side_release(struct side *side) {
    tigon_host_write32(side->host, CPU_A_STATE, 0);
}

void side_run(struct side *side) {
    side_release(side);
    while (side_control(side, EMP_CONTROL_STATE_WORD) != EMP_CONTROL_STATE_READY)
        tigon_host_sleep_ns(side->host, 10000);
    assert(side_control(side, EMP_CONTROL_MAGIC_WORD) == EMP_CONTROL_MAGIC);
    assert(side_control(side, EMP_CONTROL_PROTOCOL_HASH_WORD) == EMP_PROTOCOL_HASH);
    side->descriptors = side_control(side, OWN(DESCRIPTORS));
    side->posting_ring = side_control(side, OWN(POSTING_RING));
    side->peers = side_control(side, OWN(PEERS));
    side->parameters = side_control(side, EMP_CONTROL_PARAMETERS_WORD);
    side->counters = side_control(side, EMP_CONTROL_COUNTERS_WORD);
    side->runtime_counters = side_control(side, EMP_CONTROL_RUNTIME_COUNTERS_WORD);
}

void side_peers(struct side *side, unsigned nodes) {
    struct tigon_world *world = tigon_host_world(side->host);
    for (unsigned node = 0; node < nodes; node++) {
        uint8_t mac[6];
        tigon_board_mac_address(tigon_world_board(world, node), mac);
        side_write(side, side->peers + 8 * node, big16(mac));
        side_write(side, side->peers + 8 * node + 4, big32(mac + 2));
    }
}

void side_wait_link(struct side *side) {
    while (side_control(side, EMP_CONTROL_LINK_WORD) != 1)
        tigon_host_sleep_ns(side->host, 100000);
}

void side_start(struct side *side, const char *image, unsigned nodes) {
    side_load(side, image);
    side_run(side);
    side_peers(side, nodes);
    side_wait_link(side);
}

/* ------------------------------------------------------------------------------------ Memory */

void buffer_create(struct side *side, struct buffer *buffer, uint32_t bytes, uint32_t skew) {
    int failed;
    buffer->bytes = bytes;
    buffer->skew = skew;
    buffer->pages = (skew + bytes + PAGE - 1) / PAGE;
    if (buffer->pages == 0)
        buffer->pages = 1;
    buffer->page = calloc(buffer->pages, sizeof *buffer->page);
    failed = tigon_host_allocate_pages(side->host, (size_t)buffer->pages * PAGE, buffer->page);
    assert(!failed);
    (void)failed;
}

static uint8_t *byte_at(struct side *side, const struct buffer *buffer, uint32_t i) {
    uint32_t at = buffer->skew + i;
    return (uint8_t *)tigon_host_pointer(side->host, buffer->page[at / PAGE]) + at % PAGE;
}

static uint8_t pattern(uint32_t seed, uint32_t i) {
    uint32_t x = seed * 2654435761u + i * 40503u;
    return (uint8_t)((x >> 13 ^ x >> 21) | 1u); /* never 0, which is "untouched" */
}

void buffer_fill(struct side *side, const struct buffer *buffer, uint32_t seed) {
    for (uint32_t i = 0; i < buffer->bytes; i++)
        *byte_at(side, buffer, i) = pattern(seed, i);
}

bool buffer_holds(struct side *side, const struct buffer *buffer, uint32_t seed, uint32_t count) {
    uint32_t end = buffer->pages * PAGE - buffer->skew;
    for (uint32_t i = 0; i < end; i++)
        if (*byte_at(side, buffer, i) != (i < count ? pattern(seed, i) : 0)) {
            fprintf(stderr, "byte %u of %u is %02x\n", i, count, *byte_at(side, buffer, i));
            return false;
        }
    return true;
}

/* ----------------------------------------------------------------------------------- Posting */

static uint64_t piece_address(const struct buffer *buffer, uint32_t i) {
    return buffer->page[i] + (i == 0 ? buffer->skew : 0);
}

static uint32_t piece_bytes(const struct buffer *buffer, uint32_t i) {
    if (buffer->pages == 1)
        return buffer->bytes;
    uint32_t before = i == 0 ? 0 : i * PAGE - buffer->skew;
    uint32_t room = i == 0 ? PAGE - buffer->skew : PAGE;
    uint32_t left = buffer->bytes - before;
    return left < room ? left : room;
}

static uint32_t high(uint64_t address) {
    return (uint32_t)(address >> 32);
}

static void encode_indirect(struct side *side, uint32_t index, const struct buffer *buffer) {
    uint32_t *page;
    if (!side->indirect[index])
        side->indirect[index] = tigon_host_allocate(side->host, PAGE, &side->indirect_bus[index]);
    page = side->indirect[index];
    for (uint32_t i = 0; i < buffer->pages; i++) {
        uint32_t *lengths = page + 2 * EMP_INDIRECT_ENTRIES + i / 2;
        emp_indirect_address_set_high(page + 2 * i, high(piece_address(buffer, i)));
        emp_indirect_address_set_low(page + 2 * i, (uint32_t)piece_address(buffer, i));
        if (i % 2 == 0)
            emp_indirect_lengths_set_first(lengths, piece_bytes(buffer, i));
        else
            emp_indirect_lengths_set_second(lengths, piece_bytes(buffer, i));
    }
}

static uint32_t encode(struct side *side, uint32_t index, enum emp_direction direction,
                       unsigned peer, unsigned tag, const struct buffer *buffer, uint32_t *words) {
    uint32_t continuations = 0;
    uint64_t address = piece_address(buffer, 0);
    uint32_t length = piece_bytes(buffer, 0);
    enum emp_format format = EMP_FORMAT_SHORT;
    memset(words, 0, 4 * EMP_DESCRIPTOR_BYTES);
    if (buffer->pages > 7) {
        format = EMP_FORMAT_INDIRECT;
        encode_indirect(side, index, buffer);
        address = side->indirect_bus[index];
        length = buffer->pages;
    } else if (buffer->pages > 1) {
        format = EMP_FORMAT_CHAIN;
        continuations = buffer->pages / 2;
        for (uint32_t i = 1; i < buffer->pages; i++) {
            uint32_t *more = words + (i + 1) / 2 * (EMP_DESCRIPTOR_BYTES / 4);
            if (i % 2 == 1) {
                emp_continuation_set_first_address_high(more, high(piece_address(buffer, i)));
                emp_continuation_set_first_address_low(more, (uint32_t)piece_address(buffer, i));
                emp_continuation_set_first_length(more, piece_bytes(buffer, i));
            } else {
                emp_continuation_set_second_address_high(more, high(piece_address(buffer, i)));
                emp_continuation_set_second_address_low(more, (uint32_t)piece_address(buffer, i));
                emp_continuation_set_second_length(more, piece_bytes(buffer, i));
            }
        }
    }
    emp_descriptor_set_address_high(words, high(address));
    emp_descriptor_set_address_low(words, (uint32_t)address);
    emp_descriptor_set_total_length(words, buffer->bytes);
    emp_descriptor_set_direction(words, direction);
    emp_descriptor_set_format(words, format);
    emp_descriptor_set_continuations(words, continuations);
    emp_descriptor_set_length(words, length);
    emp_descriptor_set_peer(words, peer);
    emp_descriptor_set_tag(words, tag);
    emp_descriptor_set_owner(words, EMP_OWNER_NIC);
    return (continuations + 1) * (EMP_DESCRIPTOR_BYTES / 4);
}

static void put(struct side *side, uint32_t index, enum emp_direction direction, unsigned peer,
                unsigned tag, const struct buffer *buffer) {
    uint32_t words[EMP_DESCRIPTOR_BYTES];
    uint32_t count = encode(side, index, direction, peer, tag, buffer, words);
    write_words(side, side->descriptors + EMP_DESCRIPTOR_BYTES * index, words, count);
    side_write(side, side->posting_ring + 4 * (side->posted % EMP_POSTING_RING_ENTRIES), index);
    side->posted++;
}

void side_post(struct side *side, uint32_t index, enum emp_direction direction, unsigned peer,
               unsigned tag, const struct buffer *buffer) {
    put(side, index, direction, peer, tag, buffer);
    tigon_host_write32(side->host, MAILBOX(EMP_POSTING_MAILBOX), side->posted);
}

void side_post_wildcards(struct side *side, uint32_t index, unsigned peer, unsigned tag,
                         unsigned ignored, const struct buffer *buffer) {
#if EMP_TAG_BITS == 64
    uint32_t at = side->descriptors + EMP_DESCRIPTOR_BYTES * index;
    uint32_t words[EMP_DESCRIPTOR_BYTES];
    uint32_t count = encode(side, index, EMP_DIRECTION_RECEIVE, peer, tag, buffer, words);
    emp_descriptor_set_wildcards(words, EMP_WILDCARD_TAG);
    emp_descriptor_set_ignored(words, ignored);
    write_words(side, at, words, count);
    side_write(side, side->posting_ring + 4 * (side->posted % EMP_POSTING_RING_ENTRIES), index);
    side->posted++;
    tigon_host_write32(side->host, MAILBOX(EMP_POSTING_MAILBOX), side->posted);
#else
    (void)ignored;
    side_post(side, index, EMP_DIRECTION_RECEIVE, peer, tag, buffer);
#endif
}

void side_post_many(struct side *side, uint32_t first, unsigned count, uint32_t step,
                    enum emp_direction direction, unsigned peer, unsigned tag,
                    const struct buffer *buffers) {
    for (unsigned i = 0; i < count; i++)
        put(side, first + i * step, direction, peer, tag, &buffers[i]);
    tigon_host_write32(side->host, MAILBOX(EMP_POSTING_MAILBOX), side->posted);
}

enum emp_result side_wait(struct side *side, uint32_t index, uint32_t *length) {
    uint32_t words[EMP_DESCRIPTOR_BYTES / 4];
    uint32_t at = side->descriptors + EMP_DESCRIPTOR_BYTES * index;
    for (;;) {
        words[EMP_DESCRIPTOR_OWNER_WORD] = side_read(side, at + 4 * EMP_DESCRIPTOR_OWNER_WORD);
        if (emp_descriptor_get_owner(words) == EMP_OWNER_HOST)
            break;
        tigon_host_spend_ns(side->host, POLL_NS);
    }
    if (length)
        *length = emp_descriptor_get_total_length(words);
    return (enum emp_result)emp_descriptor_get_result(words);
}
