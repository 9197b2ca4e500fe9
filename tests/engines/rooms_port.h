/* How the generated C lives inside SPIN: as models/abp_port.h. */
#ifndef ROOMS_PORT_H
#define ROOMS_PORT_H

#define ROOMS_STATE(member)                            (rooms_nodes[rooms_node].member)
#define ROOMS_PARAMETER(name)                          rooms_value_##name
#define ROOMS_TIMER_ARM(timer, instance, microseconds) rooms_timer_arm(timer, instance)
#define ROOMS_TIMER_CANCEL(timer, instance)            rooms_timer_cancel(timer, instance)
#define ROOMS_COUNT(counter)                           ((void)0)
#define ROOMS_TRACE(transition, instance)              model_trace(transition, instance)
#define ROOMS_NEVER(process, state, event)             model_never(process, state, event)
#define ROOMS_PORT_DEVICES

#endif
