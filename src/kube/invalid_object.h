// An object of the API server that does not decode. The mirror keeps its version, so that it is
// reported once, and its readable part.
#pragma once

#include <stdint.h>

#include "model/schema/object.h"

struct invalid_object {
    uint32_t epoch;                // of the last list that contained it (kube/mirror.c)
    const struct object *salvaged; // NULL: nothing was readable, or nothing is kept
    char resource_version[];
};

// Takes over the reference to `salvaged` (may be NULL).
struct invalid_object *invalid_object_create(uint32_t epoch, const struct object *salvaged,
                                             const char *resource_version);
void invalid_object_destroy(void *invalid); // NULL is fine
// "namespace/name", the mirror's key; the namespace may be NULL. The caller frees it.
char *invalid_object_key(const char *namespace, const char *name);
