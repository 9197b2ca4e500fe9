/* SPDX-License-Identifier: MIT */
/*
 * What the image of this test and the test know of each other. The host rings PROCESSORS_DOORBELL
 * with a number: A sends so many messages to B, and B answers each. Words are in the control block.
 */
#ifndef TESTS_PROCESSORS_INTERFACE_H
#define TESTS_PROCESSORS_INTERFACE_H

#define PROCESSORS_DOORBELL 1u
/* Rung with anything: A tells what lock and signal cost while B is idle, each done so often. */
#define PROCESSORS_COST_DOORBELL 2u
#define PROCESSORS_COST_TURNS    1000u

/* Words of the control block behind those that all protocols have. */
enum processors_word {
    PROCESSORS_ANSWERS = 20, /* that A has taken */
    PROCESSORS_WRONG_A,      /* answers that were not the next, or not whole */
    PROCESSORS_WRONG_B,      /* questions */
    PROCESSORS_SECTIONS,     /* of both processors under the lock, eight counts each */
    PROCESSORS_FULL_A,       /* the queue of questions was full */
    PROCESSORS_FULL_B,       /* the queue of answers */
    PROCESSORS_WAITS_A,      /* struct nic_processor_counters of each */
    PROCESSORS_WAKE_UPS_A,
    PROCESSORS_WAITS_B,
    PROCESSORS_WAKE_UPS_B,
    PROCESSORS_READY,      /* 1: the host may ring */
    PROCESSORS_TURNS_TIME, /* microseconds of the loop alone, ... */
    PROCESSORS_LOCK_TIME,  /* ... with nic_lock and nic_unlock in it, ... */
    PROCESSORS_SET_TIME, /* ... and with nic_defer_work, which sets an event bit as a signal does */
};

#endif
