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
        error = tigon_charging_start(&charges->side[i], pair->side[i].hardware, 0,
                                     tigon_charge_file_table(charges->file));
    if (error)
        (void)snprintf(message, bytes, "%.200s: %s", path, strerror(-error));
    return error;
}

cJSON *charges_describe(const struct charges *charges) {
    const struct tigon_charge_table *table = tigon_charge_file_table(charges->file);
    cJSON *lines = cJSON_CreateArray();
    for (size_t i = 0; i < table->count; i++) {
        struct tigon_charge_counts sum = {0};
        for (size_t side = 0; side < 2; side++) {
            struct tigon_charge_counts counts = {0};
            (void)tigon_charging_counts(charges->side[side], i, &counts);
            sum.charged += counts.charged;
            sum.late += counts.late;
            if (counts.own_most > sum.own_most)
                sum.own_most = counts.own_most;
            if (counts.late_most > sum.late_most)
                sum.late_most = counts.late_most;
        }
        cJSON *line = cJSON_CreateObject();
        cJSON_AddStringToObject(line, "step", table->charges[i].step);
        cJSON_AddNumberToObject(line, "cycles", table->charges[i].cycles);
        cJSON_AddNumberToObject(line, "charged", (double)sum.charged);
        cJSON_AddNumberToObject(line, "own_most", (double)sum.own_most);
        cJSON_AddNumberToObject(line, "late", (double)sum.late);
        cJSON_AddNumberToObject(line, "late_most", (double)sum.late_most);
        cJSON_AddItemToArray(lines, line);
    }
    return lines;
}

void charges_end(struct charges *charges) {
    for (size_t i = 0; i < 2; i++)
        tigon_charging_end(charges->side[i]);
    tigon_charge_file_free(charges->file);
    memset(charges, 0, sizeof *charges);
}
