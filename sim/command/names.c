/* SPDX-License-Identifier: MIT */
#include "sim/command/names.h"

#include "board/board_layout.h"
#include "fw-runtime/hsm_checks.h"
#include "sim/chip/board.h"
#include "sim/command/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    size_t count;
    const char **names;
};

struct names {
    struct list files;
    struct list transitions;
    char *text; /* of the section, with a zero behind each name */
};

static bool add_line(struct names *names, char *line) {
    static const char file[] = "file ";
    static const char transition[] = "transition ";
    struct list *list = &names->files;
    const char *name = line + strlen(file);
    if (strncmp(line, transition, strlen(transition)) == 0) {
        list = &names->transitions;
        name = line + strlen(transition);
    } else if (strncmp(line, file, strlen(file)) != 0) {
        return true; /* of a later kind */
    }
    const char **longer = realloc(list->names, (list->count + 1) * sizeof *longer);
    if (!longer)
        return false;
    list->names = longer;
    list->names[list->count++] = name;
    return true;
}

struct names *names_read(const char *file) {
    char *text = image_section(file, ".hsm_names");
    if (!text)
        return NULL;
    struct names *names = calloc(1, sizeof *names);
    bool good = names != NULL;
    char *rest = NULL;
    if (names)
        names->text = text;
    else
        free(text);
    for (char *line = good ? strtok_r(text, "\n", &rest) : NULL; line && good;
         line = strtok_r(NULL, "\n", &rest))
        good = add_line(names, line);
    if (good)
        return names;
    names_free(names);
    return NULL;
}

void names_free(struct names *names) {
    if (!names)
        return;
    free(names->files.names);
    free(names->transitions.names);
    free(names->text);
    free(names);
}

static const struct names *names_of(size_t board) {
    return setup_current ? setup_current->boards[board].names : NULL;
}

const char *names_transition(size_t board, uint32_t id) {
    const struct names *names = names_of(board);
    return names && id < names->transitions.count ? names->transitions.names[id] : NULL;
}

bool names_stop(struct tigon_board *board, char *text, size_t bytes) {
    const struct names *names = names_of(tigon_board_index(board));
    const uint32_t control = BOARD_CONTROL_ADDRESS;
    const uint32_t fault = tigon_board_peek32(board, control + 4 * BOARD_CONTROL_FAULT_WORD);
    char check[256];
    if (tigon_board_peek32(board, control + 4 * BOARD_CONTROL_MAGIC_WORD) != BOARD_CONTROL_MAGIC ||
        tigon_board_peek32(board, control + 4 * BOARD_CONTROL_STATE_WORD) !=
            BOARD_CONTROL_STATE_STOPPED)
        return false;
    const bool told =
        names && hsm_fault_text(fault, names->files.names, names->files.count, check, sizeof check);
    (void)snprintf(text, bytes, "fault 0x%08" PRIX32 "%s%s", fault, told ? ", " : "",
                   told ? check : "");
    return true;
}
