/* SPDX-License-Identifier: MIT */
/* emp image, emp install: files, without a board. */
#include "host/tools/tool.h"

#include "emp/emp_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRMWARE_DIRECTORY "/lib/firmware/emp"
#define FIRMWARE_NAME      "emp.bin"

enum { REASON_BYTES = PATH_MAX + 300, WORDS = 2 };

struct arguments {
    bool json;
    const char *version;
    const char *directory;
    size_t word_count;
    char *words[WORDS];
};

static int open_image(struct board_image **image, const char *path) {
    char reason[REASON_BYTES];
    return board_image_open_explained(image, path, reason, sizeof reason) ? tool_say("%s", reason)
                                                                          : TOOL_DONE;
}

static bool read_version(const char *text, uint8_t version[3]) {
    unsigned parts[3];
    int end = 0;
    if (sscanf(text, "%3u.%3u.%3u%n", &parts[0], &parts[1], &parts[2], &end) != 3 || text[end])
        return false;
    for (unsigned i = 0; i < 3; i++) {
        if (parts[i] > UINT8_MAX)
            return false;
        version[i] = (uint8_t)parts[i];
    }
    return true;
}

/* A file of its own in the directory of `path`, which no other process has. */
static bool make_beside(const char *path, char new[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    const int directory = slash ? (int)(slash + 1 - path) : 0;
    const mode_t mask = umask(0);
    (void)umask(mask);
    if (snprintf(new, PATH_MAX, "%.*s.emp-XXXXXX", directory, path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    const int file = mkstemp(new);
    if (file < 0)
        return false;
    (void)fchmod(file, 0666 & ~mask); /* else readable for its maker alone */
    (void)close(file);
    return true;
}

/* Writes beside the file and renames, so that what others read is always whole. */
static int write_image(const struct board_image *image, const uint8_t version[3],
                       const char *path) {
    char new[PATH_MAX];
    char reason[REASON_BYTES];
    if (!make_beside(path, new))
        return tool_say("%s: %s", path, strerror(errno));
    if (board_image_write(image, version, new, reason, sizeof reason)) {
        (void)unlink(new);
        return tool_say("%s", reason);
    }
    if (rename(new, path) != 0) {
        (void)unlink(new);
        return tool_say("%s: %s", path, strerror(errno));
    }
    return TOOL_DONE;
}

/* ------------------------------------------------------------------------------------------------
 * image */

static const struct argp_option image_options[] = {
    {"json", 'j', NULL, 0, "Print results as JSON", 0},
    {"version-number", 'v', "A.B.C", 0, "Of the image that is written (default: emp's own)", 0},
    {0},
};

static error_t parse_image(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'v':
        arguments->version = text;
        return 0;
    case 'd':
        arguments->directory = text;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->word_count == WORDS)
            argp_error(state, "unexpected argument %s", text);
        arguments->words[arguments->word_count++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp image_parser = {
    .options = image_options,
    .parser = parse_image,
    .args_doc = "IMAGE [OUTPUT]",
    .doc =
        "Checks an image and shows what it is. With OUTPUT: writes it as a flashable image, from "
        "an ELF file or from another flashable one.",
};

static void inspect(const struct board_image *image, const char *path, bool json) {
    struct board_image_information information;
    struct tool_report report;
    board_image_information(image, &information);
    tool_report_begin(&report, json);
    tool_report_text(&report, "image", "%s", path);
    tool_report_text(&report, "form", information.flashable ? "flashable" : "ELF");
    if (information.flashable) {
        tool_report_text(&report, "version", "%u.%u.%u", information.version[0],
                         information.version[1], information.version[2]);
        tool_report_text(&report, "crc", "0x%08" PRIX32, information.crc);
    }
    tool_report_text(&report, "protocol", "%s", information.protocol);
    tool_report_text(&report, "profile", "%s", information.profile);
    tool_report_text(&report, "specification", "0x%08" PRIX32, information.protocol_hash);
    tool_report_text(&report, "start", "0x%08" PRIX32, information.start);
    tool_report_text(&report, "load", "0x%08" PRIX32, information.load);
    tool_report_number(&report, "load_bytes", information.load_bytes, "bytes");
    tool_report_text(&report, "memory_end", "0x%08" PRIX32, information.memory_end);
    tool_report_number(&report, "spec_files", (double)information.file_count, "");
    tool_report_number(&report, "transitions", (double)information.transition_count, "");
    tool_report_number(&report, "functions", (double)information.symbol_count, "");
    tool_report_end(&report);
}

int tool_image(int argc, char **argv) {
    struct arguments arguments = {.version = EMP_VERSION};
    struct board_image *image;
    uint8_t version[3];
    if (argp_parse(&image_parser, argc, argv, 0, NULL, &arguments))
        return TOOL_USAGE;
    if (arguments.word_count == 0 || !read_version(arguments.version, version)) {
        (void)tool_say(arguments.word_count ? "--version-number: expected three numbers such as "
                                              "1.2.3, each below 256"
                                            : "expected an image; `emp image --help` tells more");
        return TOOL_USAGE;
    }
    int status = open_image(&image, arguments.words[0]);
    if (status)
        return status;
    if (arguments.word_count > 1)
        status = write_image(image, version, arguments.words[1]);
    if (!status)
        inspect(image, arguments.words[0], arguments.json);
    board_image_close(image);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * install */

static const struct argp_option install_options[] = {
    {"directory", 'd', "DIRECTORY", 0, "Where to (default " FIRMWARE_DIRECTORY ")", 0},
    {0},
};

static const struct argp install_parser = {
    .options = install_options,
    .parser = parse_image,
    .args_doc = "IMAGE",
    .doc =
        "Checks a flashable image and puts it where the driver's request_firmware and `emp load` "
        "find it, as " FIRMWARE_NAME ".",
};

/* Makes the directories of a path. */
static int make_directory(const char *path) {
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return tool_say("%s: the path is too long", path);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return tool_say("%s: %s", part, strerror(errno));
        if (!slash)
            return TOOL_DONE;
        *slash = '/';
    }
}

int tool_install(int argc, char **argv) {
    struct arguments arguments = {.directory = FIRMWARE_DIRECTORY};
    struct board_image_information information;
    struct board_image *image;
    char path[PATH_MAX];
    if (argp_parse(&install_parser, argc, argv, 0, NULL, &arguments))
        return TOOL_USAGE;
    if (arguments.word_count != 1) {
        (void)tool_say("expected one image; `emp install --help` tells more");
        return TOOL_USAGE;
    }
    int status = open_image(&image, arguments.words[0]);
    if (status)
        return status;
    board_image_information(image, &information);
    if ((size_t)snprintf(path, sizeof path, "%s/" FIRMWARE_NAME, arguments.directory) >=
        sizeof path)
        status = tool_say("%s: the path is too long", arguments.directory);
    else if (!information.flashable)
        status =
            tool_say("%s: expected a flashable image, found an ELF file; `emp image %s OUTPUT` "
                     "makes one",
                     arguments.words[0], arguments.words[0]);
    else if (information.protocol_hash != EMP_PROTOCOL_HASH)
        status =
            tool_say("%s: an image of %s %s, specification 0x%08" PRIX32
                     "; expected one of specification 0x%08" PRIX32
                     ", as this emp and its drivers use. Install it with the emp of its profile",
                     arguments.words[0], information.protocol, information.profile,
                     information.protocol_hash, (uint32_t)EMP_PROTOCOL_HASH);
    if (!status)
        status = make_directory(arguments.directory);
    if (!status)
        status = write_image(image, information.version, path);
    if (!status)
        (void)printf("%s\n", path);
    board_image_close(image);
    return status;
}
