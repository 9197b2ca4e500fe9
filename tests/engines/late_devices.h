/* What the device operation does, in C. The same once more in Promela: late_devices.pml. */
#define MODEL_TRANSITIONS LATE_TRANSITION_COUNT
#include "models/spin_support.h"

static void late_device_given(const uint32_t h) {
    now.last = (int)h;
}
