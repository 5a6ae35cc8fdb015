// The output of `adze validate` (API-314, 315).
#pragma once

#include "base/text.h"
#include "model/manifest/input.h"
#include "model/schema/karpenter.h"
#include "model/validate/validate_set.h"

struct validate_result { // of one document
    const struct document *document;
    const char *api_version, *kind, *name, *namespace; // of the document; NULL if absent
    const struct kind *known;                          // NULL: another group's kind
    json_t *stored;                                    // owned; NULL if `known` is NULL
    struct findings findings;
};

struct validate_file_errors { // messages that name file and line; owned
    char **items;
    uint32_t count, capacity;
};

// Sorts findings by line, then code, then in the order found.
void validate_result_sort(struct validate_result *result);
void validate_print_text(const struct validate_result *results, uint32_t count,
                         const struct validate_file_errors *file_errors);
// {"objects": [...]}, and "files": [{"message": ...}] if any file was unreadable. `ca_bundle` goes
// into the hash of an EC2NodeClass (FMT-17).
json_t *validate_encode(const struct validate_result *results, uint32_t count,
                        const struct validate_file_errors *file_errors, const char *ca_bundle);
