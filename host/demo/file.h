/* SPDX-License-Identifier: MIT */
/* A file from one board of a pair to the other. */
#ifndef HOST_DEMO_FILE_H
#define HOST_DEMO_FILE_H

#include "host/demo/pair.h"
#include "host/programs/transfer.h"

/* Programs for the two sides of a pair; the argument is the struct transfer. */
int file_send(struct pair_side *side, void *argument);
int file_receive(struct pair_side *side, void *argument);

/* Frames that a message of that many bytes takes when none is lost. */
uint64_t file_frames(uint64_t bytes);

#endif
