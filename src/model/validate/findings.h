// Findings of validation in an object: message, place, rule and remedy.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct kind;

enum finding_level {
    FINDING_REFUSED,  // an API server refuses the object
    FINDING_REJECTED, // admitted, but the controller sets a condition False
    FINDING_WARNING,  // works, but probably not as intended
};
struct finding { // texts live in the arena of the list
    enum finding_level level;
    const char *code; // of warnings, stable: "W-cron"; NULL otherwise
    const char *rule; // "API-44", or NULL
    const char *path; // API-316: spec.template.metadata.labels["team/x"]; "" is the object itself
    const char *message;
    const char *hint; // the remedy, or NULL
    bool is_form;     // the value's type is wrong: whatever else is wrong there follows from it
};
struct findings {
    struct finding *items;
    uint32_t count, capacity;
    struct arena *arena; // made on first use
};
void findings_free(struct findings *findings);
// Adds a finding with that message instead of its own; path, message and hint are copied.
void findings_add(struct findings *findings, const struct finding *finding, const char *format, ...)
    PRINTF_LIKE(3, 4);
bool findings_refuse(const struct findings *findings); // any FINDING_REFUSED
// Whether a finding follows from another one, so that people need not be told: from a variable that
// was not filled in (GUI-11), from a value of the wrong type, or, if the controller would reject
// it, from what an API server refuses there.
bool findings_follow(const struct findings *findings, uint32_t index);
// All refusals as one message in the form of an API server's Status ("NodePool.karpenter.sh
// "default" is invalid: spec.weight: ..."), for the embedded API server.
void findings_status_message(const struct findings *findings, const struct kind *kind,
                             const char *name, char *out, size_t size);
