/* Facts of this world that Promela and C share. */
#ifndef WAITING_WORLD_H
#define WAITING_WORLD_H

#define NUMBERS                                                                                    \
    4 /* customers are numbered modulo this; at most three wait or are about to be called */

#endif
