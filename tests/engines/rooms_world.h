/* Facts of this world that Promela and C share. */
#ifndef ROOMS_WORLD_H
#define ROOMS_WORLD_H

#define LARGEST_TOLD 9

#endif
