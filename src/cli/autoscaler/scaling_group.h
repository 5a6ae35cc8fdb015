// Auto Scaling groups, as `aws autoscaling describe-auto-scaling-groups` prints them (MIG-80 to
// 86).
#pragma once

#include "cli/autoscaler/group.h"

struct launch_facts {             // what groups refer to; borrowed arrays
    const json_t *templates;      // versions of launch templates
    const json_t *configurations; // launch configurations
};
void scaling_group_convert(struct group *group, const json_t *description,
                           const struct launch_facts *facts, const struct flags *flags);
// Whether discovery flags, if there are any, choose the group.
bool scaling_group_is_chosen(const json_t *description, const struct flags *flags);
// MIG-78: groups that differ in zones, subnets, names and sizes only become one. A new array.
json_t *scaling_groups_merge(const json_t *groups, struct arena *arena);
