#include "cloud/aws/instances/machine_types.h"

#include "base/metrics.h"
#include "base/text.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/instances/pool_overlays.h"
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
    if (node_class == NULL &&
        mirror_is_invalid(environment->mirror, KIND_EC2_NODE_CLASS, NULL, name)) {
        error_set(error, ERROR_INVALID, "resolving nodeclass, EC2NodeClass %s cannot be read",
                  name);
        return NULL;
    }
    if (node_class == NULL) {
        if (environment->failed_node_class != NULL)
            environment->failed_node_class(environment->context, (const struct object *)pool);
        error_set(error, ERROR_NOT_FOUND, "resolving nodeclass, EC2NodeClass %s not found", name);
        return NULL;
    }
    return ec2_types_for(environment->types, node_class, error);
}

// A pool that is gone, or whose NodeClass is, gives no types and is no error.
static const struct instance_type_catalog *catalog_named(struct aws_machines *machines,
                                                         const char *name, struct error *error)
{
    const struct object *pool =
        name != NULL ? mirror_get(machines->environment.mirror, KIND_NODE_POOL, NULL, name) : NULL;
    const struct instance_type_catalog *catalog =
        pool != NULL ? catalog_of_pool(machines, (const struct node_pool *)pool, error) : NULL;
    if (catalog == NULL && error->kind == ERROR_NOT_FOUND)
        *error = (struct error){0};
    return catalog != NULL ? with_pool_overlays(&machines->environment, name, catalog) : NULL;
}

static void count_unresolved(struct aws_machines *machines, const struct aws_instance_facts *facts,
                             bool is_unknown)
{
    const char *pool = string_map_get(&facts->tags, TAG_NODE_POOL);
    if (machines->unresolved != NULL)
        metric_add(machines->unresolved, 1, pool,
                   is_unknown ? "instance_type_unknown" : "instance_types_missing");
}

bool machine_of_facts(struct aws_machines *machines, struct arena *arena,
                      const struct aws_instance_facts *facts, struct machine *machine,
                      struct error *error)
{
    *error = (struct error){0};
    const struct instance_type_catalog *catalog =
        catalog_named(machines, string_map_get(&facts->tags, TAG_NODE_POOL), error);
    const struct instance_type *type =
        catalog != NULL ? instance_type_catalog_find(catalog, facts->instance_type) : NULL;
    if (catalog != NULL && type == NULL)
        error_set(error, ERROR_INTERNAL, "instance type %s not found in cache",
                  facts->instance_type);
    if (error->kind != ERROR_NONE) {
        count_unresolved(machines, facts, catalog != NULL);
        error_prefix(error, "resolving instance type");
    }
    struct machine_sources sources = {
        .facts = facts,
        .type = type,
        .node_class = usable_node_class(machines, string_map_get(&facts->tags, TAG_NODE_CLASS)),
        .partition = "",
    };
    if (sources.node_class != NULL &&
        placement_groups_of(machines->environment.groups, sources.node_class, &sources.group) !=
            PLACEMENT_GROUP_KNOWN)
        sources.group = NULL;
    machine_answer_build(arena, &sources, machine);
    object_release((const struct object *)catalog);
    return error->kind == ERROR_NONE;
}
