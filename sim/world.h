/* The world for the devices; what programs use of it is in sim/tigon.h. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdint.h>

#include "sim/tigon.h"

struct tigon_frame_pool;

struct tigon_frame_pool *tigon_world_frames(struct tigon_world *world);

void tigon_world_program_started(struct tigon_world *world);
void tigon_world_program_finished(struct tigon_world *world);

/* The hooks of programs; they do nothing when none is set. */
void tigon_world_signal(struct tigon_world *world, const struct tigon_board *board,
                        enum tigon_signal signal, uint32_t value, uint64_t ticks);
void tigon_world_log(struct tigon_world *world, const struct tigon_board *board,
                     const char *message);

#endif
