// The ConfigMap of Cluster Autoscaler's priority expander (MIG-76).
#pragma once

#include "cli/autoscaler/group.h"

#define PRIORITIES_MAX 100

struct priority {
    int64_t number;
    const json_t *patterns; // regular expressions; owned by the value read
};
struct priorities {
    VECTOR(struct priority) list; // ascending
    json_t *value;                // owned
};
// Reads data.priorities, a YAML map of numbers to lists; false: it is none, or has too many.
bool priorities_read(struct priorities *priorities, struct source *source);
// The weight of a group's NodePool.
void priorities_apply(const struct priorities *priorities, struct group *group);
void priorities_free(struct priorities *priorities);
