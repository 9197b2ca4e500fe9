/* Facts of the alternating-bit world that Promela and C share. */
#ifndef MODELS_ABP_WORLD_H
#define MODELS_ABP_WORLD_H

#define SENDER     0
#define RECEIVER   1
#define ITEMS      WORLD_ITEMS
#define FIRST_ITEM 10

#ifndef IN_FLIGHT
#define IN_FLIGHT WORLD_IN_FLIGHT
#endif

/* A frame as a small number; an acknowledgement carries item 0, which stands for none. */
#define CODE_OF(bit, item) (1 + (bit) + 2 * (((item) != 0) * ((item)-FIRST_ITEM + 1)))
#define BIT_OF(code)       (((code)-1) % 2)
#define ITEM_OF(code)      (((code) > 2) * (((code)-1) / 2 + FIRST_ITEM - 1))

#endif
