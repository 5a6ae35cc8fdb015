// A placement group of EC2 (AWN-150 to 154), and the ones resolved for the NodeClasses. The
// resolver (nodeclass/) writes them; instance types, launches and drift read.
#pragma once

#include "model/schema/ec2_node_class.h"

struct placement_group {
    const char *id, *name, *strategy; // "cluster", "partition", "spread"
    const char *spread_level;         // NULL: none
    int64_t partitions;               // strategy partition
};
struct placement_groups;
struct placement_groups *placement_groups_create(void);
void placement_groups_destroy(struct placement_groups *groups);
// The key of a selector: "id/pg-1" or "name/x", or NULL without selector. In a buffer of 300.
const char *placement_group_key(const struct ec2_node_class *node_class, char out[300]);
// `group` NULL: the group does not exist. Copied.
void placement_groups_resolved(struct placement_groups *groups, const char *key,
                               const struct placement_group *group);
enum placement_group_state {
    PLACEMENT_GROUP_NONE,
    PLACEMENT_GROUP_UNKNOWN,
    PLACEMENT_GROUP_MISSING,
    PLACEMENT_GROUP_KNOWN
};
// NONE: the NodeClass has no selector. UNKNOWN: never resolved (AWI-944: launches fail, no drift).
enum placement_group_state placement_groups_of(const struct placement_groups *groups,
                                               const struct ec2_node_class *node_class,
                                               const struct placement_group **group);
uint64_t placement_groups_generation(const struct placement_groups *groups);
