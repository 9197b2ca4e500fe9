/* SPDX-License-Identifier: MIT */
/* Results of subcommands: lines for people, or one JSON object. */
#include "host/tools/tool.h"

#include <stdarg.h>
#include <stdlib.h>

enum { VALUE_BYTES = 1024 };

void tool_report_begin(struct tool_report *report, bool json) {
    report->object = json ? cJSON_CreateObject() : NULL;
    if (json && !report->object)
        abort();
}

void tool_report_text(struct tool_report *report, const char *name, const char *format, ...) {
    char value[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    if (report->object)
        (void)cJSON_AddStringToObject(report->object, name, value);
    else
        (void)printf("%-20s %s\n", name, value);
}

void tool_report_number(struct tool_report *report, const char *name, double value,
                        const char *unit) {
    if (report->object)
        (void)cJSON_AddNumberToObject(report->object, name, value);
    else
        (void)printf("%-20s %.10g%s%s\n", name, value, *unit ? " " : "", unit);
}

void tool_print_json(cJSON *object) {
    char *text = cJSON_PrintUnformatted(object);
    if (!text)
        abort();
    (void)puts(text);
    (void)fflush(stdout);
    free(text);
    cJSON_Delete(object);
}

void tool_report_end(struct tool_report *report) {
    if (report->object)
        tool_print_json(report->object);
    report->object = NULL;
}
