// The lines of `adze preflight`: one a check, with its result and the remedy.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/vector.h"

enum verdict { VERDICT_OK, VERDICT_WARNING, VERDICT_FAILED, VERDICT_SKIPPED };
struct report_line {
    const char *check; // "crds-stored-v1"
    enum verdict verdict;
    const char *text, *remedy; // remedy NULL: none
};
struct preflight_report {
    VECTOR(struct report_line) lines;
    VECTOR(const char *) settings;         // "NAME=VALUE", of the running Karpenter
    VECTOR(const char *) no_equal;         // settings without an equal, with the reason
    VECTOR(const char *) way_in, way_back; // commands
    struct arena *arena;
};

void report_add(struct preflight_report *report, const char *check, enum verdict verdict,
                const char *remedy, const char *format, ...) PRINTF_LIKE(5, 6);
bool report_failed(const struct preflight_report *report);
void report_print_text(const struct preflight_report *report);
json_t *report_encode(const struct preflight_report *report); // the caller releases it
void report_free(struct preflight_report *report);
