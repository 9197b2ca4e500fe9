/* How the generated C of the alternating-bit protocol lives inside SPIN: one state per node,
 * selected by `abp_node`. Only macros: the device operations need the world's state, which is
 * declared later (abp_devices.h).
 */
#ifndef MODELS_ABP_PORT_H
#define MODELS_ABP_PORT_H

#define ABP_STATE(member)                            (abp_nodes[abp_node].member)
#define ABP_PARAMETER(name)                          abp_value_##name
#define ABP_TIMER_ARM(timer, instance, microseconds) abp_timer_arm(timer, instance, microseconds)
#define ABP_TIMER_CANCEL(timer, instance)            abp_timer_cancel(timer, instance)
#define ABP_COUNT(counter)                           ((void)0)
#define ABP_TRACE(transition, instance)              model_trace(transition, instance)
#define ABP_NEVER(process, state, event)             model_never(process, state, event)
#define ABP_PORT_DEVICES

#endif
