// An object of the API server that does not decode: the mirror remembers its version, so that it is
// reported once, and what could be read of it.
#pragma once

#include <stdint.h>

#include "model/schema/object.h"

struct invalid_object {
    uint32_t epoch;                // of the last list that had it (kube/mirror.c)
    const struct object *salvaged; // NULL: nothing could be read, or nothing is kept
    char resource_version[];
};

// Takes over the reference to `salvaged` (may be NULL).
struct invalid_object *invalid_object_create(uint32_t epoch, const struct object *salvaged,
                                             const char *resource_version);
void invalid_object_destroy(void *invalid); // NULL is fine
// "namespace/name", by which the mirror finds it; the namespace may be NULL. To be freed.
char *invalid_object_key(const char *namespace, const char *name);
