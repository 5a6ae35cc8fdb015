// Filters of DescribeInstances, and the instances of its replies (AWI-406, 410).
#pragma once

#include "base/vector.h"
#include "cloud/aws/instances/instance_facts.h"

struct instances {
    struct arena *arena;
    VECTOR(struct aws_instance_facts) items;
};
void instances_read(struct instances *instances, const json_t *reply, bool reserved_capacity);
void instances_free(struct instances *instances);

void ec2_filter_add(json_t *filters, const char *name, const char *const *values, size_t count);
// All states but terminated.
void ec2_filter_states(json_t *filters);
