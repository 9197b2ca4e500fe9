/* SPDX-License-Identifier: MIT */
/* Prints a served board: PCI identification and every register that is not zero, by offset.
 *
 *     build/tigon_registers left.sock
 *
 * Nothing of this project is needed but sim/serve/client/tigon_client.h and its library. */
#include "sim/serve/client/tigon_client.h"

#include <inttypes.h>
#include <stdio.h>

enum { REGISTER_BYTES = 0x400 };

static int print(struct tigon_client *board) {
    const struct tigon_client_information *information = tigon_client_information(board);
    uint8_t address[6];
    uint32_t vendor = 0;
    uint32_t device = 0;
    uint64_t now_ns = 0;
    int error = tigon_client_configuration_read(board, 0, 2, &vendor);
    if (!error)
        error = tigon_client_configuration_read(board, 2, 2, &device);
    if (!error)
        error = tigon_client_board(board, information->board, address, NULL);
    if (!error)
        error = tigon_client_now_ns(board, &now_ns);
    if (error)
        return error;
    (void)printf("board %s, %04" PRIX32 ":%04" PRIX32
                 ", MAC address %02X:%02X:%02X:%02X:%02X:%02X\n",
                 information->name, vendor, device, address[0], address[1], address[2], address[3],
                 address[4], address[5]);
    (void)printf("%" PRIu64 " MB of host memory at bus address 0x%" PRIX64 ", at %" PRIu64 " ns\n",
                 information->memory_bytes >> 20, information->memory_base, now_ns);
    for (uint32_t offset = 0; offset < REGISTER_BYTES; offset += 4) {
        uint32_t value = 0;
        error = tigon_client_read32(board, offset, &value);
        if (error)
            return error;
        if (value)
            (void)printf("%03" PRIX32 "  %08" PRIX32 "\n", offset, value);
    }
    return 0;
}

int main(int argc, char **argv) {
    struct tigon_client *board;
    if (argc != 2) {
        (void)fputs("Usage: tigon_registers SOCKET\n", stderr);
        return 2;
    }
    if (tigon_client_open(&board, argv[1], 0) != 0) {
        (void)fprintf(stderr, "tigon_registers: %s\n", tigon_client_open_message());
        return 2;
    }
    const int error = print(board);
    if (error)
        (void)fprintf(stderr, "tigon_registers: %s\n", tigon_client_message(board));
    tigon_client_close(board);
    return error ? 1 : 0;
}
