/* SPDX-License-Identifier: MIT */
#include "host/demo/charges.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int charges_start(struct charges *charges, struct pair *pair, const char *path,
                  const char *effects) {
    char *message = pair->side[0].message;
    const size_t bytes = sizeof pair->side[0].message;
    memset(charges, 0, sizeof *charges);
    int error = tigon_charge_file_read(&charges->file, path, pair->options.image, message, bytes);
    if (error)
        return error;
    if (effects)
        tigon_charge_file_place_all(charges->file, strcmp(effects, "after") == 0
                                                       ? TIGON_CHARGE_BEFORE
                                                       : TIGON_CHARGE_AFTER);
    for (size_t i = 0; i < 2 && !error; i++)
        error = tigon_charge_file_start(charges->file, pair->side[i].hardware, charges->side[i]);
    if (error)
        (void)snprintf(message, bytes, "%.200s: %s", path, strerror(-error));
    return error;
}

static void add_counts(struct tigon_charge_counts *sum, const struct tigon_charge_counts *counts) {
    sum->charged += counts->charged;
    sum->cycles += counts->cycles;
    sum->late += counts->late;
    if (counts->own_most > sum->own_most)
        sum->own_most = counts->own_most;
    if (counts->late_most > sum->late_most)
        sum->late_most = counts->late_most;
}

static cJSON *describe_line(const struct charges *charges, unsigned core, size_t line) {
    const struct tigon_charge *charge =
        &tigon_charge_file_table(charges->file, core)->charges[line];
    struct tigon_charge_counts sum = {0};
    for (size_t side = 0; side < 2; side++) {
        struct tigon_charge_counts counts = {0};
        (void)tigon_charging_counts(charges->side[side][core], line, &counts);
        add_counts(&sum, &counts);
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "processor", core == 0 ? "A" : "B");
    cJSON_AddStringToObject(object, "step", charge->step);
    cJSON_AddNumberToObject(object, "cycles", charge->cycles);
    cJSON_AddNumberToObject(object, "charged", (double)sum.charged);
    cJSON_AddNumberToObject(object, "cycles_in_all", (double)sum.cycles);
    cJSON_AddNumberToObject(object, "own_most", (double)sum.own_most);
    cJSON_AddNumberToObject(object, "late", (double)sum.late);
    cJSON_AddNumberToObject(object, "late_most", (double)sum.late_most);
    return object;
}

cJSON *charges_describe(const struct charges *charges) {
    cJSON *lines = cJSON_CreateArray();
    for (unsigned core = 0; core < 2; core++)
        for (size_t i = 0; i < tigon_charge_file_table(charges->file, core)->count; i++)
            cJSON_AddItemToArray(lines, describe_line(charges, core, i));
    return lines;
}

static cJSON *describe_core(const struct pair *pair, unsigned core) {
    struct tigon_core_statistics sum = {0};
    for (size_t side = 0; side < 2; side++) {
        struct tigon_statistics statistics;
        tigon_board_statistics(pair->side[side].hardware, &statistics);
        const struct tigon_core_statistics *one = &statistics.core[core];
        sum.cycles += one->cycles - one->parked_cycles;
        sum.sram_wait_cycles += one->sram_wait_cycles;
        sum.locks_taken += one->locks_taken;
        sum.lock_waits += one->lock_waits;
        sum.lock_wait_cycles += one->lock_wait_cycles;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "processor", core == 0 ? "A" : "B");
    cJSON_AddNumberToObject(object, "busy_cycles", (double)sum.cycles);
    cJSON_AddNumberToObject(object, "sram_wait_cycles", (double)sum.sram_wait_cycles);
    cJSON_AddNumberToObject(object, "locks_taken", (double)sum.locks_taken);
    cJSON_AddNumberToObject(object, "lock_waits", (double)sum.lock_waits);
    cJSON_AddNumberToObject(object, "lock_wait_cycles", (double)sum.lock_wait_cycles);
    return object;
}

cJSON *charges_describe_waits(const struct pair *pair) {
    cJSON *cores = cJSON_CreateArray();
    for (unsigned core = 0; core < 2; core++)
        cJSON_AddItemToArray(cores, describe_core(pair, core));
    return cores;
}

void charges_end(struct charges *charges) {
    for (size_t side = 0; side < 2; side++)
        for (unsigned core = 0; core < 2; core++)
            tigon_charging_end(charges->side[side][core]);
    tigon_charge_file_free(charges->file);
    memset(charges, 0, sizeof *charges);
}
