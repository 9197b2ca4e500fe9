/* SPDX-License-Identifier: MIT */
/*
 * In what images of this firmware may differ, as firmware of other origin does from it. The build
 * sets other values for the second image (../build.mk).
 */
#ifndef FIRMWARE_PARAMETERS_H
#define FIRMWARE_PARAMETERS_H

#include <stdbool.h>

/* The link over copper is used so long after its negotiation began, or later. */
#ifndef COPPER_PATIENCE_US
#define COPPER_PATIENCE_US 0u
#endif

/* COMMAND_REFRESH_STATISTICS reads the host's 1 kB of statistics, instead of writing them, and is
 * not answered. */
#ifndef REFRESH_READS
#define REFRESH_READS false
#endif

/* COMMAND_CLEAR_PROFILE is one of the commands that are known. */
#ifndef KNOWS_CLEAR_PROFILE
#define KNOWS_CLEAR_PROFILE true
#endif

/* Padding behind an IP packet is cut off in receive rings with checksums. */
#ifndef CUTS_PADDING
#define CUTS_PADDING false
#endif

/* The firmware interrupts the host after its work, if something ended meanwhile. */
#ifndef ALARM_AFTER_WORK
#define ALARM_AFTER_WORK true
#endif

/* RING_COALESCE_ALARM is one of the flags that are known. */
#ifndef KNOWS_COALESCE_ALARM
#define KNOWS_COALESCE_ALARM true
#endif

#endif
