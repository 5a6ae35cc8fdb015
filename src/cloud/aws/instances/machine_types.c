#include "cloud/aws/instances/machine_types.h"

#include "base/text.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "model/reading/catalog.h"

bool instance_is_shifted(const struct aws_machines *machines,
                         const struct aws_instance_facts *facts)
{
    const struct aws_machines_environment *environment = &machines->environment;
    return environment->zone_is_shifted != NULL && facts->zone_id[0] != '\0' &&
           environment->zone_is_shifted(environment->context, facts->zone_id);
}

const struct ec2_node_class *usable_node_class(const struct aws_machines *machines,
                                               const char *name)
{
    const struct object *found =
        name != NULL ? mirror_get(machines->environment.mirror, KIND_EC2_NODE_CLASS, NULL, name)
                     : NULL;
    return found != NULL && !object_is_deleting(found) ? (const struct ec2_node_class *)found
                                                       : NULL;
}

const struct instance_type_catalog *catalog_of_pool(struct aws_machines *machines,
                                                    const struct node_pool *pool,
                                                    struct error *error)
{
    const struct aws_machines_environment *environment = &machines->environment;
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    const char *name = reference != NULL ? text_or_empty(reference->name) : "";
    const struct ec2_node_class *node_class = usable_node_class(machines, name);
    if (node_class == NULL) {
        if (environment->failed_node_class != NULL)
            environment->failed_node_class(environment->context, (const struct object *)pool);
        error_set(error, ERROR_NOT_FOUND, "resolving nodeclass, EC2NodeClass %s not found", name);
        return NULL;
    }
    return ec2_types_for(environment->types, node_class, error);
}

static const struct instance_type_catalog *catalog_named(struct aws_machines *machines,
                                                         const char *name)
{
    const struct object *pool =
        name != NULL ? mirror_get(machines->environment.mirror, KIND_NODE_POOL, NULL, name) : NULL;
    // AWI-900: whatever the type, the instance exists.
    return pool != NULL ? catalog_of_pool(machines, (const struct node_pool *)pool, NULL) : NULL;
}

void machine_of_facts(struct aws_machines *machines, struct arena *arena,
                      const struct aws_instance_facts *facts, struct machine *machine)
{
    const struct instance_type_catalog *catalog =
        catalog_named(machines, string_map_get(&facts->tags, TAG_NODE_POOL));
    struct machine_sources sources = {
        .facts = facts,
        .type = catalog != NULL ? instance_type_catalog_find(catalog, facts->instance_type) : NULL,
        .node_class = usable_node_class(machines, string_map_get(&facts->tags, TAG_NODE_CLASS)),
        .partition = "",
    };
    if (sources.node_class != NULL &&
        placement_groups_of(machines->environment.groups, sources.node_class, &sources.group) !=
            PLACEMENT_GROUP_KNOWN)
        sources.group = NULL;
    machine_answer_build(arena, &sources, machine);
    object_release((const struct object *)catalog);
}
