// An object under construction for the store, with the options of its write or removal.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct write_options {
    bool dry_run; // all but the write; the store owns the answer until the next call
    bool lenient; // unknown fields of custom kinds are dropped instead of refused
    const struct field_manager *manager; // whose changes are recorded (managed_fields.h); or NULL
    json_t *warnings; // array that gets texts for the Warning header; may be NULL
};

struct store_draft {   // an object under construction
    json_t *object;    // a private copy; validation may replace it by its stored form
    const json_t *old; // NULL: it is new
    const char *subresource;
    const struct write_options *options;
};

struct store_delete_options {
    const char *uid, *resource_version;
    int64_t grace_period_seconds; // < 0: the default of the kind (pods: their own)
    const char *propagation;      // NULL, "Background", "Foreground", "Orphan"
};
