/* SPDX-License-Identifier: MIT */
/* Counters and parameters by the names of the specification. */
#include "host/emp/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define COUNTER_NAME(name, documentation) #name,
static const char *const counter_names[] = {EMP_COUNTERS(COUNTER_NAME)};

#define PARAMETER_ROW(name, initial, lowest, highest, live, documentation)                         \
    {#name, initial, lowest, highest, live},
static const struct libemp_parameter_information parameters_table[] = {
    EMP_PARAMETERS(PARAMETER_ROW)};

#define COUNTER_COUNT   (sizeof counter_names / sizeof *counter_names)
#define PARAMETER_COUNT (sizeof parameters_table / sizeof *parameters_table)

size_t libemp_counter_count(void) {
    return COUNTER_COUNT;
}

const char *libemp_counter_name(size_t index) {
    return index < COUNTER_COUNT ? counter_names[index] : NULL;
}

int libemp_counter(struct libemp_board *board, size_t index, uint32_t *value) {
    if (index >= COUNTER_COUNT || !value)
        return libemp_fail(board, -EINVAL, "no counter %zu", index);
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    *value = board_get_word(board->hardware, board->counters + 4 * (uint32_t)index);
    return 0;
}

bool libemp_parameter_information(size_t index, struct libemp_parameter_information *information) {
    if (index >= PARAMETER_COUNT)
        return false;
    *information = parameters_table[index];
    return true;
}

int libemp_parameter(struct libemp_board *board, size_t index, uint32_t *value) {
    if (index >= PARAMETER_COUNT || !value)
        return libemp_fail(board, -EINVAL, "no parameter %zu", index);
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    *value = board_get_word(board->hardware, board->parameters + 4 * (uint32_t)index);
    return 0;
}

int libemp_set_parameter(struct libemp_board *board, size_t index, uint32_t value) {
    if (index >= PARAMETER_COUNT)
        return libemp_fail(board, -EINVAL, "no parameter %zu", index);
    const struct libemp_parameter_information *parameter = &parameters_table[index];
    if (!parameter->live)
        return libemp_fail(board, -EROFS, "%s cannot change while firmware runs", parameter->name);
    if (value < parameter->minimum || value > parameter->maximum)
        return libemp_fail(board, -ERANGE, "%s is %" PRIu32 " to %" PRIu32, parameter->name,
                           parameter->minimum, parameter->maximum);
    const int unusable = libemp_check_usable(board);
    if (unusable)
        return unusable;
    if (board->session)
        return session_set_parameter(board, index, value);
    board_set_word(board->hardware, board->parameters + 4 * (uint32_t)index, value);
    return 0;
}

int libemp_find_counter(const char *name) {
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (strcmp(counter_names[i], name) == 0)
            return (int)i;
    return -ENOENT;
}

int libemp_find_parameter(const char *name) {
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (strcmp(parameters_table[i].name, name) == 0)
            return (int)i;
    return -ENOENT;
}
