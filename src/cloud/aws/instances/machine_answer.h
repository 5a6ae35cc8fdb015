// The port's answer about an instance (AWI-260 to 265): labels, capacity, provider ID.
#pragma once

#include "cloud/aws/instances/instance_facts.h"
#include "cloud/aws/types/placement_group.h"
#include "cloud/port/cloud.h"

struct machine_sources { // borrowed
    const struct aws_instance_facts *facts;
    const struct instance_type *type;        // NULL: unknown
    const struct ec2_node_class *node_class; // NULL: gone
    const struct placement_group *group;     // NULL: none
    const char *partition;                   // of a partition group: chosen, or "" (AWI-262g)
};
// All of it in arena memory.
void machine_answer_build(struct arena *arena, const struct machine_sources *sources,
                          struct machine *machine);
// AWN-40: the annotations of a launch.
void machine_answer_annotate(struct arena *arena, const struct ec2_node_class *node_class,
                             const char *ca_bundle, struct machine *machine);
// Deep copy.
void machine_copy(struct arena *arena, const struct machine *from, struct machine *to);

// The id of a provider ID "aws:///zone/i-1" (AWI-418); NULL: another form.
const char *instance_id_of(const char *provider_id);
