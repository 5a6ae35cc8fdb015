#include "cloud/aws/instances/launch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/instances/pool_overlays.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "cloud/aws/nodeclass/partition_choice.h"
#include "model/reading/catalog.h"
#include "model/reading/pool_annotations.h"
#include "model/reading/requirement_match.h"
#include "model/schema/condition_types.h"

#define ON_DEMAND_TYPES_MIN 5 // AWI-294

bool launch_refuse(struct launch_error *error, const char *reason, const char *format, ...)
{
    char message[sizeof error->error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_repair(message);
    error->reason = reason;
    return error_set(&error->error, ERROR_INTERNAL, "%s", message);
}

// --- the NodeClass (steps 1 to 3) ----------------------------------------------------------------

static bool find_node_class(struct launch_plan *plan, struct launch_error *error)
{
    const struct aws_machines_environment *environment = plan->environment;
    const struct node_class_reference *reference = plan->claim->spec.node_class_ref;
    const char *name = reference != NULL ? text_or_empty(reference->name) : "";
    const struct object *found = mirror_get(environment->mirror, KIND_EC2_NODE_CLASS, NULL, name);
    if (found == NULL && mirror_is_invalid(environment->mirror, KIND_EC2_NODE_CLASS, NULL, name))
        return error_set(&error->error, ERROR_INTERNAL,
                         "resolving nodeclass, EC2NodeClass %s cannot be read", name);
    if (found == NULL || object_is_deleting(found)) {
        if (environment->failed_node_class != NULL)
            environment->failed_node_class(environment->context,
                                           (const struct object *)plan->claim);
        return error_set(&error->error, ERROR_INSUFFICIENT_CAPACITY,
                         "resolving nodeclass, EC2NodeClass %s %s", name,
                         found == NULL ? "not found" : "is being deleted");
    }
    plan->node_class = (const struct ec2_node_class *)object_acquire(found);
    return true;
}

static bool check_ready(const struct ec2_node_class *node_class, struct launch_error *error)
{
    const struct condition *ready = condition_find(&node_class->status.conditions, CONDITION_READY);
    if (ready != NULL && text_equal(ready->status, "False"))
        return error_set(&error->error, ERROR_NODE_CLASS_NOT_READY, "%s",
                         text_is_empty(ready->message) ? "not ready" : ready->message);
    if (ready == NULL || !text_equal(ready->status, "True"))
        return launch_refuse(error, "NodeClassReadinessUnknown", "NodeClass is in Ready=Unknown");
    if (ready->observed_generation != node_class->meta.generation)
        return error_set(&error->error, ERROR_NODE_CLASS_NOT_READY,
                         "nodeclass status has not been reconciled against the latest spec");
    return true;
}

static bool check_tags(struct launch_plan *plan, struct launch_error *error)
{
    if (!node_class_tags_check(plan->node_class, &error->error)) {
        error->error.kind = ERROR_NODE_CLASS_NOT_READY;
        return false;
    }
    const char *pool = object_label((const struct object *)plan->claim, LABEL_NODE_POOL);
    plan->tags =
        node_class_launch_tags(plan->node_class, plan->environment->cluster, text_or_empty(pool));
    return true;
}

static bool find_group(struct launch_plan *plan, struct launch_error *error)
{
    const struct placement_group *group = NULL;
    enum placement_group_state state =
        placement_groups_of(plan->environment->groups, plan->node_class, &group);
    if (state == PLACEMENT_GROUP_KNOWN) {
        struct placement_group *copy = arena_allocate(plan->arena, sizeof *copy);
        *copy = (struct placement_group){
            .id = arena_copy_string(plan->arena, group->id),
            .name = arena_copy_string(plan->arena, group->name),
            .strategy = arena_copy_string(plan->arena, group->strategy),
            .spread_level = arena_copy_string(plan->arena, group->spread_level),
            .partitions = group->partitions};
        plan->group = copy;
        return true;
    }
    if (state == PLACEMENT_GROUP_NONE || plan->environment->settings->compatibility_upstream)
        return true;
    return launch_refuse(error, "PlacementGroupResolutionFailed", // AWI-944
                         "the placement group of EC2NodeClass %s %s", plan->node_class->meta.name,
                         state == PLACEMENT_GROUP_MISSING ? "does not exist"
                                                          : "could not be looked up yet");
}

// --- types (steps 4 to 7) ------------------------------------------------------------------------

static void check_fallback(const struct launch_plan *plan)
{
    if (!text_equal(plan->capacity_type, CAPACITY_TYPE_ON_DEMAND) ||
        !requirements_allow(&plan->claim->spec.requirements, LABEL_CAPACITY_TYPE,
                            CAPACITY_TYPE_SPOT) ||
        plan->candidates.count >= ON_DEMAND_TYPES_MIN)
        return;
    struct text text = {0};
    text_format(&text,
                "at least %d instance types are recommended when flexible to spot but requesting "
                "on-demand, the current provisioning request only has %u instance type options",
                ON_DEMAND_TYPES_MIN, plan->candidates.count);
    log_error("failed while checking on-demand fallback", "o:NodeClaim", plan->claim->meta.name,
              "s:error", text.data);
    text_free(&text);
}

static bool choose_types(struct launch_plan *plan, struct launch_error *error)
{
    const struct aws_machines_environment *environment = plan->environment;
    struct error problem = {0};
    plan->catalog = ec2_types_for(environment->types, plan->node_class, &problem);
    if (plan->catalog == NULL)
        return launch_refuse(error, "InstanceTypeResolutionFailed",
                             "Error resolving instance types: %s", problem.message);
    if (!find_group(plan, error))
        return false;
    plan->partition =
        partition_choice(plan->claim, plan->group, environment->settings->compatibility_upstream);
    plan->catalog = with_pool_overlays(
        environment, object_label((const struct object *)plan->claim, LABEL_NODE_POOL),
        plan->catalog);
    if (!launch_filters_apply(plan->arena, plan->catalog, plan->claim, environment->settings,
                              &plan->candidates, &error->error))
        return error_prefix(&error->error, "creating instance");
    plan->capacity_type = launch_capacity_type(&plan->candidates, plan->claim);
    plan->tenancy = launch_tenancy(plan->claim);
    check_fallback(plan);
    assert(plan->candidates.count > 0);
    return true;
}

bool launch_plan_make(struct launch_plan *plan, const struct aws_machines_environment *environment,
                      const struct node_claim *claim, struct launch_error *error)
{
    *plan = (struct launch_plan){
        .arena = arena_create(8192),
        .environment = environment,
        .claim = (const struct node_claim *)object_acquire((const struct object *)claim),
    };
    return find_node_class(plan, error) && check_ready(plan->node_class, error) &&
           check_tags(plan, error) && choose_types(plan, error);
}

void launch_plan_free(struct launch_plan *plan)
{
    json_decref(plan->tags);
    object_release((const struct object *)plan->claim);
    object_release((const struct object *)plan->node_class);
    object_release((const struct object *)plan->catalog);
    arena_destroy(plan->arena);
    *plan = (struct launch_plan){0};
}

// --- subnets (AWI-290, 310) ----------------------------------------------------------------------

bool launch_plan_choose_subnets(struct launch_plan *plan, struct launch_error *error)
{
    assert(plan->subnets_count == 0);
    plan->subnets = arena_allocate_array(plan->arena, plan->node_class->status.subnets.count + 1,
                                         sizeof *plan->subnets);
    plan->subnets_count = subnet_addresses_choose(plan->environment->addresses, plan->node_class,
                                                  plan->candidates.items, plan->candidates.count,
                                                  plan->capacity_type, plan->subnets);
    return plan->subnets_count > 0 ||
           launch_refuse(error, "SubnetResolutionFailed",
                         "Error getting subnets: EC2NodeClass %s has none in its status",
                         plan->node_class->meta.name);
}

void launch_plan_settle(struct launch_plan *plan, const char *used_subnet)
{
    if (plan->subnets_count > 0)
        subnet_addresses_settle(plan->environment->addresses, plan->subnets, plan->subnets_count,
                                &used_subnet, used_subnet != NULL);
    plan->subnets_count = 0;
}

bool launch_plan_fall_back(struct launch_plan *plan)
{
    const struct aws_machines_environment *environment = plan->environment;
    const char *name = object_label((const struct object *)plan->claim, LABEL_NODE_POOL);
    if (environment->settings->compatibility_upstream || name == NULL ||
        !text_equal(plan->capacity_type, CAPACITY_TYPE_SPOT) ||
        !launch_is_offered(&plan->candidates, plan->claim, CAPACITY_TYPE_ON_DEMAND) ||
        !pool_annotation_is_true(
            (const struct node_pool *)mirror_get(environment->mirror, KIND_NODE_POOL, NULL, name),
            ANNOTATION_ON_DEMAND_FALLBACK))
        return false;
    assert(plan->subnets_count == 0);
    plan->capacity_type = CAPACITY_TYPE_ON_DEMAND;
    return true;
}

struct fleet_launch launch_plan_for_fleet(const struct launch_plan *plan)
{
    return (struct fleet_launch){.node_class = plan->node_class,
                                 .claim = plan->claim,
                                 .capacity_type = plan->capacity_type,
                                 .group = plan->group,
                                 .partition = plan->partition,
                                 .candidates = &plan->candidates};
}

// --- the answer (AWI-260 to 265) -----------------------------------------------------------------

static const struct instance_type *type_named(const struct launch_plan *plan, const char *name)
{
    for (uint32_t i = 0; i < plan->candidates.count; i++)
        if (text_equal(plan->candidates.items[i]->name, name))
            return plan->candidates.items[i];
    return NULL;
}

static int64_t efa_count(const struct launch_plan *plan, const struct instance_type *type)
{
    bool wanted = resource_map_has(&plan->claim->spec.resources.requests, RESOURCE_EFA) ||
                  plan->node_class->spec.network_interfaces.items != NULL;
    return type != NULL && wanted ? resource_map_get(&type->capacity, RESOURCE_EFA) : 0;
}

static struct string_map tags_of(struct arena *arena, const json_t *tags)
{
    struct string_map map = {
        arena_allocate_array(arena, json_object_size(tags) + 1, sizeof *map.items), 0};
    const char *key;
    const json_t *value;
    json_object_foreach ((json_t *)tags, key, value)
        map.items[map.count++] = (struct string_pair){key, json_string_value(value)};
    qsort(map.items, map.count, sizeof *map.items, string_pair_compare);
    return map;
}

static void set_reservation(const struct launch_plan *plan, struct aws_instance_facts *facts)
{
    const struct offering *offering =
        fleet_reserved_offering(&plan->candidates, facts->instance_type, facts->zone);
    if (offering == NULL)
        return;
    const requirement_list *requirements = &offering->requirements;
    facts->reservation_id = requirement_single_value(requirements, LABEL_RESERVATION_ID);
    facts->reservation_type = requirement_single_value(requirements, LABEL_RESERVATION_TYPE);
    facts->reservation_interruptible =
        text_equal(requirement_single_value(requirements, LABEL_RESERVATION_INTERRUPTIBLE), "true");
}

void launch_plan_answer(const struct launch_plan *plan, struct arena *arena,
                        const struct fleet_instance *instance, struct machine *machine)
{
    const struct aws_machines_environment *environment = plan->environment;
    const struct instance_type *type = type_named(plan, instance->override.instance_type);
    struct aws_instance_facts facts = {
        .id = instance->id,
        .state = "pending",
        .image_id = instance->override.image_id,
        .instance_type = instance->override.instance_type,
        .zone = instance->override.zone,
        .zone_id = "",
        .group_id = "",
        .subnet_id = instance->override.subnet_id,
        .capacity_type = plan->capacity_type,
        .tenancy = plan->tenancy,
        .launched = loop_now_ns(environment->loop),
        .tags = tags_of(arena, plan->tags),
        .efa_count = efa_count(plan, type),
    };
    if (text_equal(plan->capacity_type, CAPACITY_TYPE_RESERVED))
        set_reservation(plan, &facts);
    struct machine_sources sources = {.facts = &facts,
                                      .type = type,
                                      .node_class = plan->node_class,
                                      .group = plan->group,
                                      .partition = plan->partition};
    machine_answer_build(arena, &sources, machine);
    machine_answer_annotate(arena, plan->node_class, environment->cluster->ca_bundle, machine);
    machine->node_claim_name = arena_copy_string(arena, plan->claim->meta.name);
    machine->node_claim_uid = arena_copy_string(arena, plan->claim->meta.uid);
}
