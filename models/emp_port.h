/* How the generated C of EMP lives inside SPIN: one state per node, selected by `emp_node`. Only
 * macros: the device operations need the world's state, which is declared later (emp_devices.h).
 */
#ifndef MODELS_EMP_PORT_H
#define MODELS_EMP_PORT_H

#define EMP_STATE(member)                            (emp_nodes[emp_node].member)
#define EMP_PARAMETER(name)                          emp_value_##name
#define EMP_TIMER_ARM(timer, instance, microseconds) emp_timer_arm(timer, instance, microseconds)
#define EMP_TIMER_CANCEL(timer, instance)            emp_timer_cancel(timer, instance)
#define EMP_COUNT(counter)                           ((void)0)
#define EMP_TRACE(transition, instance)              model_trace(transition, instance)
#define EMP_NEVER(process, state, event)             model_never(process, state, event)
#define EMP_PORT_DEVICES

#endif
