#include "cloud/aws/nodeclass/validation_types.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/nodeclass/ami_mapping.h"
#include "cloud/aws/types/type_fit.h"
#include "model/reading/requirement_match.h"

#define LABEL_TENANCY "karpenter.k8s.aws/instance-tenancy"

struct candidates {
    const struct instance_type **items;
    uint32_t count;
};

static const struct node_pool *next_pool(struct class_pass *pass, struct mirror_iterator *iterator)
{
    const struct object *object;
    while ((object = mirror_next(pass->controllers->manager->mirror, KIND_NODE_POOL, iterator)) !=
           NULL) {
        const struct node_pool *pool = (const struct node_pool *)object;
        const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
        if (reference != NULL && text_equal(reference->group, EC2_NODE_CLASS_GROUP) &&
            text_equal(reference->kind, "EC2NodeClass") &&
            text_equal(reference->name, pass->node_class->meta.name))
            return pool;
    }
    return NULL;
}

static bool pool_allows(const struct node_pool *pool, const struct instance_type *type)
{
    list_for_each (offered, &type->requirements) {
        if (!requirement_meets(offered, &pool->spec.template.spec.requirements))
            return false;
        const char *label = string_map_get(&pool->spec.template.metadata.labels, offered->key);
        if (label != NULL && !requirement_allows(offered, label))
            return false;
    }
    return true;
}

// AWN-41.
static bool fits(struct class_pass *pass, const struct ec2_node_class *draft,
                 const struct instance_type *type)
{
    const struct node_class_environment *environment = &pass->controllers->environment;
    const struct instance_infos *infos = ec2_types_infos(environment->types);
    const struct instance_info *info =
        infos != NULL ? instance_infos_find(infos, type->name) : NULL;
    const struct placement_group *group = NULL;
    placement_groups_of(environment->groups, draft, &group);
    return info == NULL || ec2_type_fits_class(info, draft, group);
}

static bool any_pool_allows(struct class_pass *pass, const struct instance_type *type)
{
    struct mirror_iterator iterator = {0};
    for (const struct node_pool *pool; (pool = next_pool(pass, &iterator)) != NULL;)
        if (pool_allows(pool, type))
            return true;
    return false;
}

// The usual types, without pods: nothing is launched with their user data.
static void add_usual(struct class_pass *pass, const struct ec2_node_class *draft,
                      const struct instance_type_catalog *catalog, struct candidates *out)
{
    list_for_each (type, &catalog->spec.instance_types) {
        if ((!text_equal(type->name, "m5.large") && !text_equal(type->name, "m6g.large")) ||
            !fits(pass, draft, type))
            continue;
        struct instance_type *copy = arena_allocate(pass->arena, sizeof *copy);
        *copy = *type;
        copy->capacity.items = arena_allocate_array(pass->arena, type->capacity.count + 1,
                                                    sizeof *copy->capacity.items);
        copy->capacity.count = 0;
        list_for_each (quantity, &type->capacity)
            if (strcmp(quantity->name, "pods") != 0)
                copy->capacity.items[copy->capacity.count++] = *quantity;
        out->items[out->count++] = copy;
    }
}

static bool needs_devices(const struct ec2_ami *ami)
{
    list_for_each (requirement, &ami->requirements)
        if (text_equal(requirement->operator, "Exists"))
            return true;
    return false;
}

static const struct instance_type *first_of(const struct ec2_node_class *draft,
                                            const struct candidates *candidates, bool plain)
{
    list_for_each (ami, &draft->status.amis) {
        if (plain && needs_devices(ami))
            continue;
        for (uint32_t i = 0; i < candidates->count; i++)
            if (ami_for_type(draft, candidates->items[i]) == ami)
                return candidates->items[i];
    }
    return NULL;
}

static size_t family_length(const char *type)
{
    return strcspn(type, ".");
}

// Further types of other families that boot an image, too.
static void add_families(const struct ec2_node_class *draft, const struct candidates *candidates,
                         struct validation_types *types)
{
    for (uint32_t i = 0; i < candidates->count && types->count < VALIDATION_TYPES_MAX; i++) {
        const char *name = candidates->items[i]->name;
        size_t length = family_length(name);
        bool is_new = ami_for_type(draft, candidates->items[i]) != NULL;
        for (uint32_t k = 0; k < types->count; k++)
            is_new = is_new && (family_length(types->items[k]->name) != length ||
                                strncmp(types->items[k]->name, name, length) != 0);
        if (is_new)
            types->items[types->count++] = candidates->items[i];
    }
}

struct validation_types validation_types(struct class_pass *pass,
                                         const struct ec2_node_class *draft,
                                         const struct instance_type_catalog *catalog)
{
    assert(catalog != NULL);
    uint32_t total = catalog->spec.instance_types.count;
    struct candidates candidates = {
        arena_allocate_array(pass->arena, total + 1, sizeof *candidates.items), 0};
    if (!ami_family_facts(ami_family_of(draft))->windows)
        list_for_each (type, &catalog->spec.instance_types)
            if (any_pool_allows(pass, type) && fits(pass, draft, type))
                candidates.items[candidates.count++] = type;
    bool of_pools = candidates.count > 0;
    if (candidates.count == 0)
        add_usual(pass, draft, catalog, &candidates);
    if (candidates.count == 0)
        list_for_each (type, &catalog->spec.instance_types)
            if (fits(pass, draft, type))
                candidates.items[candidates.count++] = type;
    const struct instance_type *type = first_of(draft, &candidates, true);
    if (type == NULL)
        type = first_of(draft, &candidates, false);
    struct validation_types types = {{type}, type != NULL};
    if (type != NULL && of_pools && !pass->settings->compatibility_upstream)
        add_families(draft, &candidates, &types);
    return types;
}

const char *validation_tenancy(struct class_pass *pass)
{
    struct mirror_iterator iterator = {0};
    for (const struct node_pool *pool; (pool = next_pool(pass, &iterator)) != NULL;) {
        const requirement_list *requirements = &pool->spec.template.spec.requirements;
        bool mentioned = false;
        list_for_each (requirement, requirements)
            mentioned = mentioned || strcmp(requirement->key, LABEL_TENANCY) == 0;
        if (mentioned && requirements_allow(requirements, LABEL_TENANCY, "dedicated"))
            return "dedicated";
    }
    return "default";
}

const char *validation_capacity_type(struct class_pass *pass)
{
    struct mirror_iterator iterator = {0};
    bool spot = false;
    if (pass->settings->compatibility_upstream)
        return CAPACITY_TYPE_ON_DEMAND;
    for (const struct node_pool *pool; (pool = next_pool(pass, &iterator)) != NULL;) {
        const requirement_list *requirements = &pool->spec.template.spec.requirements;
        if (requirements_allow(requirements, LABEL_CAPACITY_TYPE, CAPACITY_TYPE_ON_DEMAND))
            return CAPACITY_TYPE_ON_DEMAND;
        spot = spot || requirements_allow(requirements, LABEL_CAPACITY_TYPE, CAPACITY_TYPE_SPOT);
    }
    return spot ? CAPACITY_TYPE_SPOT : CAPACITY_TYPE_ON_DEMAND;
}

const char *validation_node_pool(struct class_pass *pass)
{
    struct mirror_iterator iterator = {0};
    const char *first = "";
    if (pass->settings->compatibility_upstream)
        return first;
    for (const struct node_pool *pool; (pool = next_pool(pass, &iterator)) != NULL;)
        if (first[0] == '\0' || strcmp(pool->meta.name, first) < 0)
            first = pool->meta.name;
    return first;
}
