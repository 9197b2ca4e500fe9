/* SPDX-License-Identifier: MIT */
/* The 32 counters of the MAC at SRAM 0x080 (tigon2.md 2.2, 6.3). */
#ifndef SIM_MAC_STATISTICS_H
#define SIM_MAC_STATISTICS_H

struct tigon_board;

/* Word numbers. Words 0 to 17 count collisions and deferrals, which a full-duplex link has not. */
enum tigon_statistic {
    TIGON_STATISTIC_CRC_ERRORS = 18,
    TIGON_STATISTIC_UNDERRUNS,
    TIGON_STATISTIC_CARRIER_ERRORS,
    TIGON_STATISTIC_DROPPED_UNICAST = 24,
    TIGON_STATISTIC_DROPPED_MULTICAST,
    TIGON_STATISTIC_DROPPED_PAUSE,
    TIGON_STATISTIC_DROPPED_SPACE,
    TIGON_STATISTIC_COLLISIONS,
    TIGON_STATISTIC_KEPT_BROADCAST,
    TIGON_STATISTIC_KEPT_MULTICAST,
    TIGON_STATISTIC_KEPT_UNICAST
};

/* Adds one, in SRAM itself: software that changes a counter while the MAC runs may lose a count. */
void tigon_statistic_count(struct tigon_board *board, enum tigon_statistic statistic);

#endif
