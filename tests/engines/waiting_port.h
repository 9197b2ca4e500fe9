/* How the generated C lives inside SPIN: as models/abp_port.h. */
#ifndef WAITING_PORT_H
#define WAITING_PORT_H

#define WAITING_STATE(member)                            (waiting_nodes[waiting_node].member)
#define WAITING_PARAMETER(name)                          waiting_value_##name
#define WAITING_TIMER_ARM(timer, instance, microseconds) waiting_timer_arm(timer, instance)
#define WAITING_TIMER_CANCEL(timer, instance)            waiting_timer_cancel(timer, instance)
#define WAITING_COUNT(counter)                           ((void)0)
#define WAITING_TRACE(transition, instance)              model_trace(transition, instance)
#define WAITING_NEVER(process, state, event)             model_never(process, state, event)
#define WAITING_PORT_DEVICES

#endif
