/* How the generated C lives inside SPIN: as models/abp_port.h. */
#ifndef LATE_PORT_H
#define LATE_PORT_H

#define LATE_STATE(member)                            (late_nodes[late_node].member)
#define LATE_PARAMETER(name)                          late_value_##name
#define LATE_TIMER_ARM(timer, instance, microseconds) late_timer_arm(timer, instance)
#define LATE_TIMER_CANCEL(timer, instance)            late_timer_cancel(timer, instance)
#define LATE_COUNT(counter)                           ((void)0)
#define LATE_TRACE(transition, instance)              model_trace(transition, instance)
#define LATE_NEVER(process, state, event)             model_never(process, state, event)
#define LATE_PORT_DEVICES

#endif
