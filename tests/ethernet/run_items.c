/* SPDX-License-Identifier: MIT */
/*
 * Runs the items (items.h) on our own Ethernet firmware, and on an image that somebody supplies.
 *
 *     ethernet_items [--all] [--own=FILE] [--image=FILE[:PREFIX]] [--prefix=PREFIX] [TEXT]
 *
 * --all takes every kind of board that an item is for, not some. TEXT: only items with it in their
 * name. The counts are the last thing printed. The exit status is 1 when an item did not hold; of
 * an image supplied, only those of the board count.
 */
#include "tests/ethernet/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const headings[SUBJECTS] = {
    [BOARD] = "Items that test the board:",
    [OWN_FIRMWARE] = "Items that test this project's firmware, which other firmware may not hold:"};

static const char own_image[] = "build/ethernet/ethernet.elf";

static const struct item *const groups[] = {
    start_items, frame_items, offload_items, interrupt_items, filter_items, link_items, NULL};

struct arguments {
    const char *own, *image, *prefix, *text;
    bool all;
};

struct score {
    unsigned held, failed;
};

static void run_item(const struct item *item, unsigned kind, const struct image *image, bool own,
                     struct odd *odd, struct score *score) {
    static struct trial trial;
    trial = (struct trial){.item = item, .image = image, .kind = kind, .own = own, .odd = odd};
    if (trial_run(&trial)) {
        score->held++;
        printf("held          %s, %s%s%s\n", item->name, trial_kind_name(kind),
               trial.figure[0] != '\0' ? ": " : "", trial.figure);
    } else {
        score->failed++;
        printf("DID NOT HOLD  %s, %s: expected: %s; found: %s\n", item->name, trial_kind_name(kind),
               item->expected, trial.reason);
    }
    (void)fflush(stdout);
}

static void tell_odd(const struct odd *odd) {
    if (odd->count == 0)
        return;
    printf(
        "The simulator found %u kinds of odd behaviour in this firmware, which no item judges:\n",
        odd->count + odd->beyond);
    for (unsigned i = 0; i < odd->count; i++)
        printf("  %s\n", odd->messages[i]);
    if (odd->beyond > 0)
        printf("  and %u more\n", odd->beyond);
}

static void run_subject(const struct arguments *arguments, enum subject subject,
                        const struct image *image, bool own, struct odd *odd, struct score *score) {
    bool any = false;
    for (const struct item *const *group = groups; *group != NULL; group++)
        for (const struct item *item = *group; item->name != NULL; item++) {
            if (item->subject != subject ||
                (arguments->text != NULL && strstr(item->name, arguments->text) == NULL))
                continue;
            if (!any)
                printf("%s\n", headings[subject]);
            any = true;
            const unsigned kinds = arguments->all ? item->kinds : item->quick_kinds;
            for (unsigned kind = 0; kind < BOARD_KINDS; kind++)
                if ((kinds >> kind & 1) != 0)
                    run_item(item, kind, image, own, odd, score);
        }
}

/* All items on one image, with a score for each subject. False when it cannot be read. */
static bool run_image(const struct arguments *arguments, const char *file, const char *prefix,
                      bool own, struct score scores[SUBJECTS]) {
    static struct odd odd;
    char problem[256];
    char name[512], prefix_copy[64];
    struct image image = {0};
    (void)snprintf(name, sizeof name, "%s", file);
    (void)snprintf(prefix_copy, sizeof prefix_copy, "%s", prefix != NULL ? prefix : "");
    const struct scenario_image scenario = {.file = name,
                                            .prefix = prefix != NULL ? prefix_copy : NULL};
    odd = (struct odd){.count = 0};
    if (image_read(&image, &scenario, problem, sizeof problem) != 0) {
        printf("%s\n", problem);
        image_free(&image);
        return false;
    }
    printf("%s: %s%s%s\n", own ? "Our own Ethernet firmware" : "The image supplied", file,
           image.version[0] != '\0' ? ", version " : "", image.version);
    for (unsigned subject = 0; subject < SUBJECTS; subject++)
        run_subject(arguments, subject, &image, own, &odd, &scores[subject]);
    image_free(&image);
    tell_odd(&odd);
    return true;
}

/* FILE or FILE:PREFIX. */
static bool run_supplied(const struct arguments *arguments, struct score scores[SUBJECTS]) {
    char file[512];
    const char *colon = strrchr(arguments->image, ':');
    const char *prefix = arguments->prefix;
    (void)snprintf(file, sizeof file, "%s", arguments->image);
    if (colon != NULL && access(arguments->image, F_OK) != 0) {
        file[(size_t)(colon - arguments->image) < sizeof file ? colon - arguments->image : 0] =
            '\0';
        prefix = colon + 1;
    }
    return run_image(arguments, file, prefix, false, scores);
}

static const char *value_of(const char *argument, const char *option) {
    const size_t length = strlen(option);
    return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

static bool read_arguments(int argc, char **argv, struct arguments *arguments) {
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (strcmp(argv[i], "--all") == 0)
            arguments->all = true;
        else if ((value = value_of(argv[i], "--own=")) != NULL)
            arguments->own = value;
        else if ((value = value_of(argv[i], "--image=")) != NULL)
            arguments->image = value;
        else if ((value = value_of(argv[i], "--prefix=")) != NULL)
            arguments->prefix = *value != '\0' ? value : NULL;
        else if (argv[i][0] == '-' || arguments->text != NULL)
            return false;
        else
            arguments->text = argv[i];
    }
    return true;
}

static unsigned count(const struct score scores[SUBJECTS]) {
    unsigned items = 0;
    for (unsigned subject = 0; subject < SUBJECTS; subject++)
        items += scores[subject].held + scores[subject].failed;
    return items;
}

static void tell(const char *whose, const struct score scores[SUBJECTS]) {
    printf("%s: %u held, %u did not hold", whose, scores[BOARD].held, scores[BOARD].failed);
    if (scores[OWN_FIRMWARE].held + scores[OWN_FIRMWARE].failed > 0)
        printf("; of the firmware's items %u held, %u did not", scores[OWN_FIRMWARE].held,
               scores[OWN_FIRMWARE].failed);
    printf("\n");
}

int main(int argc, char **argv) {
    struct arguments arguments = {.own = own_image};
    struct score own[SUBJECTS] = {{0}}, supplied[SUBJECTS] = {{0}};
    if (!read_arguments(argc, argv, &arguments)) {
        fprintf(stderr,
                "usage: %s [--all] [--own=FILE] [--image=FILE[:PREFIX]] [--prefix=PREFIX] "
                "[TEXT]\n",
                argv[0]);
        return 2;
    }
    const bool given = arguments.image != NULL && arguments.image[0] != '\0';
    const bool read_own =
        arguments.own[0] == '\0' || run_image(&arguments, arguments.own, NULL, true, own);
    const bool read_supplied = !given || run_supplied(&arguments, supplied);
    if (!read_own || !read_supplied)
        return 2;
    if (count(own) + count(supplied) == 0) {
        fprintf(stderr, "no item has '%s' in its name\n", arguments.text);
        return 2;
    }
    if (count(own) > 0)
        tell("our own firmware", own);
    if (given)
        tell(arguments.image, supplied);
    const unsigned failed = own[BOARD].failed + own[OWN_FIRMWARE].failed + supplied[BOARD].failed;
    return failed > 0 ? 1 : 0;
}
