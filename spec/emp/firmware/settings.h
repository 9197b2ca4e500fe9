/* SPDX-License-Identifier: MIT */
/*
 * What EMP asks of generated code and port, in each unit of an image; and in start-up code, so
 * there are macros only.
 */
#define EMP_PORT_HEADER      "emp_nic.h"
#define EMP_PARSE_ATTRIBUTES NIC_HOT
#define NIC_LONGEST_FRAME    (EMP_MTU + 14u) /* and the header of Ethernet */
#define NIC_SLOT_FIRST       EMP_SLOT_FIRST
#define NIC_OBEYS_PAUSE      (EMP_LINK_ABILITY >> 15 & 1)
#define NIC_ALARM_NOTIFIES   EMP_GIVES_UP_PEERS
#define NIC_ALARM_LOOKS      EMP_QUICK_DEVICES
#define NIC_SUMS_DATA        EMP_CHECKS_FRAMES
#define NIC_RECEIVER         EMP_PROCESSOR_MATCH
#define NIC_WRITER           EMP_PROCESSOR_RECEIVE
#define NIC_TRANSMITTER      EMP_PROCESSOR_TRANSMIT
#define NIC_MESSAGE_LIMIT    64u
