/* Has an event changed anything but the wire? For either engine: what SPIN stores of a state is
 * compared, processes apart, which do not move within an event.
 */
#ifndef MODELS_EMP_UNCHANGED_H
#define MODELS_EMP_UNCHANGED_H

#include <stddef.h>
#include <string.h>

static struct {
    char world[offsetof(State, sv)];
#ifdef ENGINE_C
    struct emp_state nodes[sizeof(emp_nodes) / sizeof(emp_nodes[0])];
#endif
} before_event;

/* Before the event. */
static void remember(void) {
    memcpy(before_event.world, &now, sizeof(before_event.world));
#ifdef ENGINE_C
    memcpy(before_event.nodes, emp_nodes, sizeof(before_event.nodes));
#endif
}

/* After it: is all as it was? Answers may have been put on the wire. */
static int unchanged(void) {
    memcpy(before_event.world + offsetof(State, link), now.link, sizeof(now.link));
#ifdef ENGINE_C
    if (memcmp(before_event.nodes, emp_nodes, sizeof(before_event.nodes)) != 0)
        return 0;
#endif
    return memcmp(before_event.world, &now, sizeof(before_event.world)) == 0;
}
#endif
