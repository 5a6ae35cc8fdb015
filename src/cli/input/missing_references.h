// Namespaces and PriorityClasses that pods of manifests name and that are not in the input.
#pragma once

#include "base/vector.h"
#include "model/snapshot/snapshot.h"

struct missing_lines { // texts that the caller frees
    char **items;
    uint32_t count, capacity;
};

// Objects that a cluster has admitted (they have a uid) say nothing: what they name is there,
// unless the input has others of the kind.
void missing_references_add(const struct snapshot *snapshot, struct missing_lines *lines);
