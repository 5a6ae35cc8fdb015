// Machines of instances, with the types of their NodePools' NodeClasses (AWI-415, AWI-16).
#pragma once

#include "cloud/aws/instances/machines_state.h"

// The machine of an instance, with its type as its NodePool's NodeClass has it now. False with the
// error, counted: its type cannot be resolved, and the machine is without what only the type tells,
// such as capacity (AWI-900).
bool machine_of_facts(struct aws_machines *machines, struct arena *arena,
                      const struct aws_instance_facts *facts, struct machine *machine,
                      struct error *error);
// Whether traffic is shifted away from the instance's zone (AWI-650).
bool instance_is_shifted(const struct aws_machines *machines,
                         const struct aws_instance_facts *facts);
// Neither missing nor being deleted; else NULL.
const struct ec2_node_class *usable_node_class(const struct aws_machines *machines,
                                               const char *name);
// AWI-16: a reference, or NULL with the error; ERROR_NOT_FOUND: the NodeClass is missing or being
// deleted, which is told.
const struct instance_type_catalog *catalog_of_pool(struct aws_machines *machines,
                                                    const struct node_pool *pool,
                                                    struct error *error);
