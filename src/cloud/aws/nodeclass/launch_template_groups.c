#include "cloud/aws/nodeclass/launch_template_groups.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/ami_mapping.h"
#include "cloud/aws/types/instance_infos.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"

#define LABEL_PREFIX      "karpenter.k8s.aws/"
#define LABEL_RESERVATION LABEL_PREFIX "capacity-reservation-id"
#define RESOURCE_EFA      "vpc.amazonaws.com/efa"
#define PODS_DEFAULT      110
#define AMIS_IN_MESSAGE   10

struct splitting {
    struct launch_template_groups *groups;
    struct arena *arena;
    const struct launch_template_request *request;
    const struct launch_template_split *split;
    struct map *by_key; // key -> index + 1
    bool has_expressions, gate;
    struct kubelet_values values; // without expressions: the same for all types
};

static int64_t label_number(const struct instance_type *type, const char *key)
{
    int64_t number;
    const char *value = requirement_single_value(&type->requirements, key);
    return value != NULL && text_parse_int64(value, &number) ? number : 0;
}

struct kubelet_variables kubelet_variables_of(const struct ec2_node_class *node_class,
                                              const struct instance_info *info)
{
    struct kubelet_variables variables = {
        .vcpus = info->vcpus,
        .memory_mib = info->memory_mib,
        .ips_per_eni = info->ipv4_per_interface,
        .max_pods = PODS_DEFAULT,
        .instance_type = info->name,
    };
    if (info->default_card < info->cards_count)
        variables.default_enis = info->card_interfaces[info->default_card];
    if (ami_family_facts(ami_family_of(node_class))->eni_limited_pods && variables.default_enis > 0)
        variables.max_pods = variables.default_enis * (variables.ips_per_eni - 1) + 2;
    return variables;
}

static struct kubelet_variables variables_of(const struct splitting *splitting,
                                             const struct instance_type *type)
{
    const struct instance_info *info =
        splitting->split->infos != NULL ? instance_infos_find(splitting->split->infos, type->name)
                                        : NULL;
    if (info != NULL)
        return kubelet_variables_of(splitting->request->node_class, info);
    return (struct kubelet_variables){
        .vcpus = label_number(type, LABEL_PREFIX "instance-cpu"),
        .memory_mib = label_number(type, LABEL_PREFIX "instance-memory"),
        .max_pods = resource_map_get(&type->capacity, "pods"),
        .instance_type = type->name,
    };
}

static bool resolve(struct splitting *splitting, const struct instance_type *type,
                    struct kubelet_values *values, struct error *error)
{
    if (!splitting->has_expressions) {
        *values = splitting->values;
        return true;
    }
    struct kubelet_variables variables = variables_of(splitting, type);
    return kubelet_resolve(splitting->split->kubelet, &variables, splitting->gate, splitting->arena,
                           values, error);
}

static void add_map(struct text *key, const struct string_map *map)
{
    text_format(key, "|%u", map->count);
    list_for_each (pair, map)
        text_format(key, ",%s=%s", pair->key, text_or_empty(pair->value));
}

// Finds or makes the group that equals `like` in all but its types.
static void add_type(struct splitting *splitting, const struct launch_template_group *like,
                     int64_t pods, const struct instance_type *type)
{
    struct text key = {0};
    text_format(&key, "%s|%lld|%lld|%lld|%s|%s|%d", like->ami->id, (long long)pods,
                (long long)like->max_pods, (long long)like->efa_interfaces,
                text_or_empty(like->reservation_id), text_or_empty(like->reservation_type),
                like->interruptible);
    add_map(&key, &like->values.kube_reserved);
    add_map(&key, &like->values.system_reserved);
    uintptr_t index = (uintptr_t)map_get(splitting->by_key, key.data);
    if (index == 0) {
        vector_push(splitting->groups, *like);
        index = splitting->groups->count;
        map_set(splitting->by_key, key.data, (void *)index);
    }
    struct launch_template_group *group = &splitting->groups->items[index - 1];
    if (group->types.count == 0 || group->types.items[group->types.count - 1] != type)
        vector_push(&group->types, type);
    text_free(&key);
}

static bool is_reserved_offering(const struct splitting *splitting, const struct offering *offering)
{
    const char *capacity_type =
        requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
    return text_equal(capacity_type, CAPACITY_TYPE_RESERVED) &&
           offering_compatible(offering, &splitting->request->claim->spec.requirements);
}

static bool split_type(struct splitting *splitting, const struct instance_type *type,
                       struct error *error)
{
    const struct launch_template_request *request = splitting->request;
    struct launch_template_group group = {.ami = ami_for_type(request->node_class, type)};
    if (group.ami == NULL)
        return true;
    if (!resolve(splitting, type, &group.values, error))
        return false;
    int64_t pods = resource_map_get(&type->capacity, "pods");
    group.max_pods = group.values.max_pods.present ? group.values.max_pods.value : pods;
    if (resource_map_get(&request->claim->spec.resources.requests, RESOURCE_EFA) > 0)
        group.efa_interfaces = resource_map_get(&type->capacity, RESOURCE_EFA);
    if (!text_equal(request->capacity_type, CAPACITY_TYPE_RESERVED)) {
        add_type(splitting, &group, pods, type);
        return true;
    }
    list_for_each (offering, &type->offerings) {
        if (!is_reserved_offering(splitting, offering))
            continue;
        const requirement_list *requirements = &offering->requirements;
        group.reservation_id = requirement_single_value(requirements, LABEL_RESERVATION);
        group.reservation_type =
            requirement_single_value(requirements, LABEL_PREFIX "capacity-reservation-type");
        group.interruptible =
            text_equal(requirement_single_value(requirements,
                                                LABEL_PREFIX "capacity-reservation-interruptible"),
                       "true");
        if (group.reservation_id != NULL)
            add_type(splitting, &group, pods, type);
    }
    return true;
}

static bool nothing_left(const struct ec2_node_class *node_class, struct error *error)
{
    struct text ids = {0};
    for (uint32_t i = 0; i < node_class->status.amis.count && i < AMIS_IN_MESSAGE; i++)
        text_join(&ids, ", ", node_class->status.amis.items[i].id);
    error_set(error, ERROR_INSUFFICIENT_CAPACITY,
              "no instance type of the launch can boot an AMI of EC2NodeClass/%s (%s)",
              node_class->meta.name, text_or_empty(ids.data));
    text_free(&ids);
    return false;
}

bool launch_template_groups_make(struct launch_template_groups *groups, struct arena *arena,
                                 const struct launch_template_request *request,
                                 const struct launch_template_split *split, struct error *error)
{
    assert(request->claim != NULL);
    assert(request->types_count == 0 || request->types != NULL);
    *groups = (struct launch_template_groups){0};
    struct splitting splitting = {.groups = groups,
                                  .arena = arena,
                                  .request = request,
                                  .split = split,
                                  .has_expressions = kubelet_has_expressions(split->kubelet),
                                  .gate = kubelet_expressions_enabled(split->settings)};
    struct kubelet_variables none = {.instance_type = ""};
    if (!splitting.has_expressions &&
        !kubelet_resolve(split->kubelet, &none, splitting.gate, arena, &splitting.values, error))
        return false;
    splitting.by_key = map_create();
    bool good = true;
    for (uint32_t i = 0; good && i < request->types_count; i++)
        good = split_type(&splitting, request->types[i], error);
    map_destroy(splitting.by_key, NULL);
    if (good && groups->count == 0)
        good = nothing_left(request->node_class, error);
    if (!good)
        launch_template_groups_free(groups);
    return good;
}

void launch_template_groups_free(struct launch_template_groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++)
        vector_free(&groups->items[i].types);
    vector_free(groups);
}
