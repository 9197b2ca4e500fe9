/* SPDX-License-Identifier: MIT */
#include "tests/sim_devices/bench.h"

#include <stdlib.h>

#include "sim/chip/mac_buffer.h"

struct bench *bench_make(unsigned boards, const char *const *assignments) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    tigon_knobs_defaults(&bench->knobs);
    bench->knobs.host_memory_bytes = 1u << 20;
    for (; assignments && *assignments; assignments++)
        assert_int_equal(tigon_knobs_assign(&bench->knobs, *assignments), 0);
    bench->world = tigon_world_create(&bench->knobs, 1);
    assert_non_null(bench->world);
    bench->board = tigon_world_add_board(bench->world);
    assert_non_null(bench->board);
    if (boards > 1) {
        bench->peer = tigon_world_add_board(bench->world);
        assert_non_null(bench->peer);
        bench->wire = tigon_world_connect(bench->world, bench->board, bench->peer);
        assert_non_null(bench->wire);
    }
    return bench;
}

void bench_destroy(struct bench *bench) {
    tigon_world_destroy(bench->world);
    free(bench);
}

uint32_t reg(struct tigon_board *board, uint32_t offset) {
    return tigon_board_peek_register(board, offset);
}

void set_reg(struct tigon_board *board, uint32_t offset, uint32_t value) {
    board->now = tigon_world_now_ticks(board->world);
    tigon_register_write(board, offset, value);
}

void pass_ns(struct bench *bench, uint64_t ns) {
    const enum tigon_end end = tigon_world_run(bench->world, tigon_world_now_ns(bench->world) + ns);
    assert_int_equal(end, TIGON_END_TIME_LIMIT);
}

void bring_up(struct tigon_board *board) {
    set_reg(board, 0x0D0, T_BASE);
    set_reg(board, 0x0D4, T_BASE);
    set_reg(board, 0x0D8, T_BASE);
    set_reg(board, 0x0C0, R_BASE);
    set_reg(board, 0x0C4, R_BASE);
    set_reg(board, 0x0C8, R_BASE);
    for (uint32_t offset = 0x0E0; offset <= 0x0E8; offset += 4)
        set_reg(board, offset, T_BASE - 0x2000u);
    for (uint32_t offset = 0x0F0; offset <= 0x0F8; offset += 4)
        set_reg(board, offset, T_BASE - 0x2800u);
    for (uint32_t offset = 0x100; offset <= 0x138; offset += 4)
        if (offset != 0x11C)
            set_reg(board, offset, 0);
    uint8_t mac[6];
    tigon_board_mac_address(board, mac);
    set_reg(board, 0x208, (uint32_t)mac[0] << 8 | mac[1]);
    set_reg(board, 0x20C,
            (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
    set_reg(board, 0x11C, 1);
    set_reg(board, 0x200, 0x22);
    set_reg(board, 0x220, 0x802);
}

void link_up(struct bench *bench) {
    set_reg(bench->board, 0x238, SERDES_NORMAL);
    set_reg(bench->peer, 0x238, SERDES_NORMAL);
    pass_ns(bench, 2000);
    set_reg(bench->board, 0x220, 0x07000802);
    set_reg(bench->peer, 0x220, 0x07000802);
    assert_int_equal(reg(bench->board, 0x220), 0x00040802);
    assert_int_equal(reg(bench->peer, 0x220), 0x00040802);
}

void pattern(uint8_t *bytes, size_t length, unsigned seed) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(seed + i * 7u + (i >> 8));
}

void queue_dma(struct tigon_board *board, unsigned engine, uint64_t host, uint32_t local,
               uint32_t length, uint32_t state) {
    const uint32_t producer = engine == TIGON_DMA_READ ? 0x100 : 0x120;
    const uint32_t slot = reg(board, producer);
    const uint32_t words[8] = {
        (uint32_t)(host >> 32), (uint32_t)host, local, length, state, slot + 22u, 0, 0};
    for (unsigned i = 0; i < 8; i++)
        tigon_board_poke32(board, slot + 4u * i, words[i]);
    set_reg(board, producer, slot + 32u);
}

void send_from_host(struct tigon_board *board, uint64_t host, uint32_t *local, uint32_t length) {
    const uint32_t slot = reg(board, 0x0FC);
    assert_int_not_equal(slot, 0);
    tigon_board_poke32(board, slot, *local);
    tigon_board_poke32(board, slot + 4u, length);
    set_reg(board, 0x0F0, slot + 8u);
    queue_dma(board, TIGON_DMA_READ, host, *local, length, READ_LAST);
    *local = tigon_local_end(board, *local, (length + 7u) & ~7u);
}

void received(struct tigon_board *board, unsigned slot, uint32_t *address, uint32_t *status) {
    *address = tigon_board_peek32(board, T_BASE - 0x2000u + 8u * (slot % 512u));
    *status = tigon_board_peek32(board, T_BASE - 0x2000u + 8u * (slot % 512u) + 4u);
}

void make_frame(const struct tigon_board *to, uint8_t *bytes, size_t length, unsigned seed) {
    pattern(bytes, length, seed);
    tigon_board_mac_address(to, bytes);
    bytes[6] = 0x02;
    bytes[12] = 0x88;
    bytes[13] = 0xB5;
}
