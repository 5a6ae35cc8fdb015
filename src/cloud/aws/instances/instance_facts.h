// An EC2 instance as DescribeInstances tells it (AWI-400 to 402).
#pragma once

#include <jansson.h>

#include "model/schema/object.h"

struct aws_instance_facts {
    const char *id, *state, *image_id, *instance_type;
    const char *zone, *zone_id; // "" if unknown
    const char *subnet_id;
    const char *capacity_type; // "spot", "reserved", "on-demand"
    const char *tenancy;
    int64_t launched;                   // instant
    struct string_list security_groups; // ids, sorted
    struct string_map tags;             // sorted
    int64_t efa_count;                  // AWI-265
    const char *reservation_id;         // reserved only; else NULL
    const char *reservation_type;       // "default", "capacity-block"; NULL
    bool reservation_interruptible;     //
    int64_t partition;                  // 0: none
    const char *group_id;               // of its placement group, as told; "" if none
};
// One entry of Reservations[].Instances[]; false without id. Strings are copied to the arena.
bool instance_facts_read(struct arena *arena, const json_t *instance, bool reserved_capacity,
                         struct aws_instance_facts *facts);
// Deep copy.
void instance_facts_copy(struct arena *arena, const struct aws_instance_facts *from,
                         struct aws_instance_facts *to);
// shutting-down or terminated.
bool instance_is_ending(const struct aws_instance_facts *facts);
