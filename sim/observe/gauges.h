/* SPDX-License-Identifier: MIT */
/* Fill levels of a board that no single register shows, for waveforms. */
#ifndef SIM_OBSERVE_GAUGES_H
#define SIM_OBSERVE_GAUGES_H

#include "sim/tigon.h"

enum tigon_gauge {
    TIGON_GAUGE_TRANSMIT_RING,  /* frames handed to the MAC and not sent */
    TIGON_GAUGE_RECEIVE_RING,   /* frames received and not given back by HW[0E8] */
    TIGON_GAUGE_RECEIVE_BUFFER, /* bytes not given back by HW[0C8] */
    TIGON_GAUGE_DMA_READ_QUEUE, /* descriptors of both rings not completed */
    TIGON_GAUGE_DMA_WRITE_QUEUE,
    TIGON_GAUGE_COUNT
};

const char *tigon_gauge_name(enum tigon_gauge gauge);
unsigned tigon_gauge_width(enum tigon_gauge gauge); /* bits */
uint32_t tigon_gauge_value(const struct tigon_board *board, enum tigon_gauge gauge);

#endif
