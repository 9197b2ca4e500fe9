/* SPDX-License-Identifier: MIT */
/* The runner: see acceptance.h. `sim_check [TEXT]` runs the tests whose section or title has TEXT.
 */
#include "tests/acceptance/acceptance.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/acceptance/golden/"

static const struct acceptance *const groups[] = {core_tests, dma_tests,        mac_tests,
                                                  host_tests, part_tests,       register_tests,
                                                  fuzz_tests, correction_tests, NULL};

void broken(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void note(struct test *test, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(test->log, format, arguments);
    va_end(arguments);
    fputc('\n', test->log);
    test->wrong += strncmp(format, "WRONG", 5) == 0;
}

void check(struct test *test, const char *what, uint64_t found, uint64_t wanted) {
    if (found != wanted)
        note(test, "WRONG %s: 0x%llX instead of 0x%llX", what, (unsigned long long)found,
             (unsigned long long)wanted);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t size = 0, used = 0;
    do {
        size = size * 2 + 4096;
        text = realloc(text, size + 1);
        if (!text)
            broken("out of memory");
        used += fread(text + used, 1, size - used, file);
    } while (used == size);
    text[used] = 0;
    fclose(file);
    return text;
}

/* The first line in which two texts differ, for people. */
static void show_difference(const char *expected, const char *found) {
    unsigned line = 1;
    while (*expected && *found) {
        const size_t a = strcspn(expected, "\n"), b = strcspn(found, "\n");
        if (a != b || strncmp(expected, found, a) != 0)
            break;
        expected += a + (expected[a] == '\n');
        found += b + (found[b] == '\n');
        line++;
    }
    printf("        line %u expected: %.*s\n", line, (int)strcspn(expected, "\n"), expected);
    printf("        line %u found:    %.*s\n", line, (int)strcspn(found, "\n"), found);
}

static bool run(const struct acceptance *row) {
    char path[256];
    char *text = NULL;
    size_t size = 0;
    struct test test = {.log = open_memstream(&text, &size)};
    if (!test.log)
        broken("out of memory");
    row->run(&test);
    world_end(&test);
    fclose(test.log);
    snprintf(path, sizeof path, GOLDEN "%s.txt", row->golden);
    if (getenv("HSMC_REFRESH") && !test.wrong) {
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(text, 1, size, file) != size || fclose(file))
            broken("cannot write %s", path);
    }
    char *expected = read_text(path);
    const bool same = expected && strcmp(expected, text) == 0;
    printf("%s  %s %s\n", same && !test.wrong ? "ok    " : "FAILED", row->section, row->title);
    if (!expected)
        printf("        there is no %s; HSMC_REFRESH=1 writes it\n", path);
    else if (!same)
        show_difference(expected, text);
    if (test.wrong)
        printf("%s", text);
    free(expected);
    free(text);
    fflush(stdout);
    return same && !test.wrong;
}

int main(int argc, char **argv) {
    unsigned passed = 0, failed = 0;
    for (const struct acceptance *const *group = groups; *group; group++)
        for (const struct acceptance *row = *group; row->title; row++) {
            if (argc > 1 && !strstr(row->title, argv[1]) && strcmp(row->section, argv[1]) != 0)
                continue;
            if (run(row))
                passed++;
            else
                failed++;
        }
    if (passed + failed == 0)
        broken("no test has '%s' in its title or as its section", argv[1]);
    printf("%u passed, %u failed\n", passed, failed);
    return failed ? 1 : 0;
}
