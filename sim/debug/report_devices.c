/* SPDX-License-Identifier: MIT */
/* Event words, DMA engines, MAC and link of a board, for reports. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/chip/board.h"
#include "sim/debug/report_private.h"

static void add_hex(cJSON *object, const char *name, uint32_t value) {
    char text[16];
    (void)snprintf(text, sizeof text, "0x%08" PRIX32, value);
    (void)cJSON_AddStringToObject(object, name, text);
}

static void add_event_word(cJSON *events, const char *name, uint32_t word) {
    static const char *const names[32] = {[6] = "receive",
                                          [12] = "DMA write low",
                                          [13] = "DMA read low",
                                          [14] = "DMA write high",
                                          [15] = "DMA read high",
                                          [19] = "DMA write attention",
                                          [20] = "DMA read attention",
                                          [22] = "mailbox",
                                          [25] = "receive attention",
                                          [26] = "transmit attention",
                                          [28] = "timer"};
    cJSON *object = cJSON_AddObjectToObject(events, name);
    add_hex(object, "word", word);
    cJSON *list = cJSON_AddArrayToObject(object, "pending");
    for (unsigned bit = 32; bit-- > 0;) {
        char number[16];
        if ((word >> bit & 1u) == 0)
            continue;
        (void)snprintf(number, sizeof number, "bit %u", bit);
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(names[bit] ? names[bit] : number));
    }
}

static void add_ring(cJSON *object, const char *name, uint32_t producer, uint32_t consumer,
                     uint32_t reference) {
    cJSON *ring = cJSON_AddObjectToObject(object, name);
    (void)cJSON_AddNumberToObject(ring, "producer", producer);
    (void)cJSON_AddNumberToObject(ring, "consumer", consumer);
    (void)cJSON_AddNumberToObject(ring, "reference", reference);
}

static void add_engine(cJSON *dma, const char *name, const struct tigon_board *board, int number) {
    static const char *const phases[] = {
        "idle", "fetching a descriptor", "waiting for the bus", "data", "finishing", "stuck"};
    const struct tigon_dma_engine *engine = &board->dma.engine[number];
    cJSON *object = cJSON_AddObjectToObject(dma, name);
    (void)cJSON_AddStringToObject(
        object, "phase",
        (size_t)engine->phase < sizeof phases / sizeof *phases ? phases[engine->phase] : "?");
    add_hex(
        object, "state",
        TIGON_WORD(board, number == TIGON_DMA_READ ? TIGON_DMA_READ_STATE : TIGON_DMA_WRITE_STATE));
    if (engine->phase != TIGON_DMA_IDLE) {
        char address[24];
        (void)snprintf(address, sizeof address, "0x%016" PRIX64, engine->host_address);
        (void)cJSON_AddStringToObject(object, "host_address", address);
        add_hex(object, "local_address", engine->local_address);
        (void)cJSON_AddNumberToObject(object, "length", engine->length);
    }
    for (int i = 0; i < 2; i++)
        add_ring(object, i == TIGON_DMA_HIGH ? "high" : "low", engine->rings[i].producer,
                 engine->rings[i].consumer, engine->rings[i].reference);
}

void report_add_devices(cJSON *object, struct tigon_board *board) {
    cJSON *events = cJSON_AddObjectToObject(object, "events");
    add_event_word(events, "a", board->events.level[0]);
    add_event_word(events, "b", board->events.level[1]);
    cJSON *dma = cJSON_AddObjectToObject(object, "dma");
    add_engine(dma, "read", board, TIGON_DMA_READ);
    add_engine(dma, "write", board, TIGON_DMA_WRITE);
    cJSON *transmit = cJSON_AddObjectToObject(object, "transmit");
    add_hex(transmit, "state", TIGON_WORD(board, TIGON_TRANSMIT_STATE));
    (void)cJSON_AddBoolToObject(transmit, "sending", board->transmit.busy);
    add_ring(transmit, "ring", board->transmit.producer, board->transmit.consumer,
             board->transmit.reference);
    cJSON *receive = cJSON_AddObjectToObject(object, "receive");
    add_hex(receive, "state", TIGON_WORD(board, TIGON_RECEIVE_STATE) | tigon_link_status(board));
    add_ring(receive, "ring", board->receive.producer, board->receive.consumer,
             board->receive.reference);
}
