/* SPDX-License-Identifier: MIT */
/*
 * Published-cost mode: charges a core by a table instead of by the instructions it executes.
 * Functions of the firmware represent steps with a published cost, and the core stalls until each
 * step has taken its cost.
 *
 * The firmware executes with all its effects; only its time differs. The time of executed
 * instructions counts towards the charge, or the next one: the core stalls for the rest. So the
 * core is busy for the sum of the charges and no longer, as long as its own instructions take less.
 * No more than the largest charge of the table is carried over from one charge to the next; time
 * beyond that is spent as it is, and is counted (`late`). When the core becomes idle (`idle` is
 * executed), time that is not covered yet is dropped: it has delayed no work.
 *
 * A charge defines when the effects of its step occur, at its end or at its beginning. At the end
 * (TIGON_CHARGE_BEFORE): the core stalls before the function, for the charge less the time that the
 * function needed the last time; the difference is made up when it returns, or at the next charge
 * inside it.
 *
 * What a function itself executes can also be its cost (TIGON_CHARGE_EXECUTED): for work that the
 * published steps do not contain. Its time counts towards no charge, and neither does what it waits
 * for in a loop.
 *
 * A core that holds the chip's semaphore does not stall: the published steps know no lock, and the
 * firmware may hold it over what has several steps. The time passes when it has given the lock
 * back; its effects come before. Time that a core waits for the semaphore counts towards no charge.
 *
 * Built on an observer of the core, so a run with charges takes several times longer.
 */
#ifndef SIM_CHARGE_H
#define SIM_CHARGE_H

#include "sim/tigon.h"

enum tigon_charge_place {
    TIGON_CHARGE_BEFORE,  /* time passes, then the function has its effects */
    TIGON_CHARGE_AFTER,   /* the other way round */
    TIGON_CHARGE_EXECUTED /* what the function itself executes, up to the next function of the
                           * table in it; `cycles` is 0 */
};

struct tigon_charge {
    const char *step;  /* for people */
    uint32_t function; /* address; a function may be in several lines, which all apply */
    uint32_t cycles;
    enum tigon_charge_place place;
    unsigned
        argument;   /* only with this argument, counted from 1 by the o32 convention; 0: always */
    uint32_t value; /* of that argument */
    bool not_value; /* or only with another value */
    unsigned times; /* the cycles are for each of the units that this argument counts; 0: once. Only
                     * of TIGON_CHARGE_BEFORE */
    uint32_t less;  /* so many of which are charged elsewhere */
};

struct tigon_charge_counts {
    uint64_t charged;
    uint64_t cycles;    /* charged in all; of TIGON_CHARGE_EXECUTED what was executed */
    uint64_t own_most;  /* cycles of a function's own, up to the next charge in it */
    uint64_t late;      /* times the core had executed more than charges can make up for */
    uint64_t late_most; /* cycles */
};

struct tigon_charge_table {
    struct tigon_charge *charges;
    size_t count;
    uint32_t idle; /* address that is executed only when the core becomes idle; 0: none */
    /* True: code outside the functions of the table costs its executed time. False: charges cover
     * that code as well. */
    bool others_cost;
};

struct tigon_charging;

/* Charges core 0 (A) or 1 of a board from now on. The table is copied, the texts are not. Returns
 * 0, -ENOMEM, -EINVAL for a table with more than TIGON_CHARGES lines, a function that is not in
 * words or `times` of another place, or -EBUSY when the core has too many observers. */
#define TIGON_CHARGES 64u
int tigon_charging_start(struct tigon_charging **charging, struct tigon_board *board, unsigned core,
                         const struct tigon_charge_table *table);

/* The counts of a line of the table; false beyond the last, and where `charging` is NULL. */
bool tigon_charging_counts(const struct tigon_charging *charging, size_t line,
                           struct tigon_charge_counts *counts);

/* Before the world is destroyed. NULL is allowed. */
void tigon_charging_end(struct tigon_charging *charging);

#endif
