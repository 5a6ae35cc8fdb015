#include "model/snapshot/admission.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/condition_types.h"
#include "model/schema/object.h"
#include "model/schema/resources.h"

// --- resources -----------------------------------------------------------------------------------
// `map` with
// those entries of `defaults` that it lacks.
static struct resource_map with_defaults(struct arena *arena, const struct resource_map *map,
                                         const struct resource_map *defaults)
{
    return defaults->count == 0 ? *map : resource_map_override(arena, defaults, map);
}

// The API server completes LimitRange items when it stores them: default from max, defaultRequest
// from default, then from min.
static void apply_limit_range_item(struct arena *arena, const struct limit_range_item *item,
                                   struct container *container)
{
    struct resource_requirements *resources = &container->resources;
    struct resource_map limits = with_defaults(arena, &item->default_limit, &item->max);
    struct resource_map requests = with_defaults(arena, &item->default_request, &limits);
    requests = with_defaults(arena, &requests, &item->min);
    resources->limits = with_defaults(arena, &resources->limits, &limits);
    resources->requests = with_defaults(arena, &resources->requests, &requests);
}

static void apply_limit_ranges(struct arena *arena, const struct snapshot *snapshot,
                               const char *namespace, struct container *container)
{
    uint32_t total = snapshot->objects[KIND_LIMIT_RANGE].count, count = 0;
    const struct limit_range **ranges = memory_allocate_array(total + 1, sizeof *ranges);
    for (uint32_t i = 0; i < total; i++) {
        const struct limit_range *range =
            (const struct limit_range *)snapshot->objects[KIND_LIMIT_RANGE].items[i];
        const char *where = range->meta.namespace == NULL ? "default" : range->meta.namespace;
        if (range->meta.name != NULL && strcmp(where, namespace) == 0)
            ranges[count++] = range;
    }
    assert(count <= total);
    qsort(ranges, count, sizeof *ranges, object_compare_names);
    for (uint32_t i = 0; i < count; i++)
        list_for_each (item, &ranges[i]->spec.limits)
            if (text_equal(item->type, "Container"))
                apply_limit_range_item(arena, item, container);
    free(ranges);
}

void container_admit(struct arena *arena, const struct snapshot *snapshot, const char *namespace,
                     struct container *container)
{
    struct resource_requirements *resources = &container->resources;
    resources->requests = with_defaults(arena, &resources->requests, &resources->limits);
    if (snapshot->objects[KIND_LIMIT_RANGE].count > 0)
        apply_limit_ranges(arena, snapshot, namespace, container);
}

static struct container *admit_containers(struct snapshot *snapshot, const char *namespace,
                                          const struct container *containers, uint32_t count)
{
    struct container *admitted = arena_allocate_array(snapshot->arena, count + 1, sizeof *admitted);
    for (uint32_t i = 0; i < count; i++) {
        admitted[i] = containers[i];
        container_admit(snapshot->arena, snapshot, namespace, &admitted[i]);
    }
    return admitted;
}

static bool any_requests(const struct container *containers, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (resource_map_has(&containers[i].resources.requests, name))
            return true;
    return false;
}

// A pod-level limit becomes the pod-level request of a resource that no container requests.
static void admit_pod_level(struct arena *arena, struct pod_spec *spec)
{
    if (spec->resources == NULL || spec->resources->limits.count == 0)
        return;
    struct resource_requirements *resources = arena_allocate(arena, sizeof *resources);
    *resources = *spec->resources;
    list_for_each (limit, &spec->resources->limits)
        if (!resource_map_has(&resources->requests, limit->name) &&
            !any_requests(spec->containers.items, spec->containers.count, limit->name) &&
            !any_requests(spec->init_containers.items, spec->init_containers.count, limit->name))
            resources->requests =
                resource_map_with(arena, &resources->requests, limit->name, limit->value);
    spec->resources = resources;
}

// --- rules between pods --------------------------------------------------------------------------
static void add_expression(struct arena *arena, requirement_list *list, const char *key,
                           const char *operator, const char * value)
{
    struct selector_requirement *added = &list->items[list->count++];
    *added = (struct selector_requirement){.key = key, .operator= operator};
    added->values.items = arena_allocate_array(arena, 1, sizeof(char *));
    added->values.items[0] = value;
    added->values.count = 1;
}

static void add_expressions(struct arena *arena, requirement_list *list,
                            const struct string_list *keys, const char *operator,
                            const struct string_map * labels)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        const char *key = keys->items[i];
        const char *value = key != NULL ? string_map_get(labels, key) : NULL;
        if (value != NULL)
            add_expression(arena, list, key, operator, value);
    }
}

// Adds the keys to match, or not, to the term's selector with the pod's values (SCH-276).
static void admit_term(struct arena *arena, const struct string_map *labels,
                       struct pod_affinity_term *term)
{
    uint32_t more = term->match_label_keys.count + term->mismatch_label_keys.count;
    if (more == 0 || term->label_selector == NULL)
        return;
    struct label_selector *selector = arena_allocate(arena, sizeof *selector);
    *selector = *term->label_selector;
    uint32_t count = selector->match_expressions.count;
    struct selector_requirement *items =
        arena_allocate_array(arena, (size_t)count + more, sizeof *items);
    if (count > 0)
        memcpy(items, selector->match_expressions.items, count * sizeof *items);
    selector->match_expressions.items = items;
    add_expressions(arena, &selector->match_expressions, &term->match_label_keys, "In", labels);
    add_expressions(arena, &selector->match_expressions, &term->mismatch_label_keys, "NotIn",
                    labels);
    assert(selector->match_expressions.count <= count + more);
    term->label_selector = selector;
}

static struct pod_affinity *admit_pod_affinity(struct arena *arena, const struct string_map *labels,
                                               const struct pod_affinity *given)
{
    if (given == NULL)
        return NULL;
    struct pod_affinity *own = arena_allocate(arena, sizeof *own);
    *own = *given;
    own->required.items =
        arena_allocate_array(arena, given->required.count + 1, sizeof *own->required.items);
    for (uint32_t i = 0; i < given->required.count; i++) {
        own->required.items[i] = given->required.items[i];
        admit_term(arena, labels, &own->required.items[i]);
    }
    own->preferred.items =
        arena_allocate_array(arena, given->preferred.count + 1, sizeof *own->preferred.items);
    for (uint32_t i = 0; i < given->preferred.count; i++) {
        own->preferred.items[i] = given->preferred.items[i];
        admit_term(arena, labels, &own->preferred.items[i].pod_affinity_term);
    }
    return own;
}

static void admit_affinity(struct arena *arena, const struct string_map *labels,
                           struct pod_spec *spec)
{
    if (spec->affinity == NULL ||
        (spec->affinity->pod_affinity == NULL && spec->affinity->pod_anti_affinity == NULL))
        return;
    struct affinity *own = arena_allocate(arena, sizeof *own);
    *own = *spec->affinity;
    own->pod_affinity = admit_pod_affinity(arena, labels, own->pod_affinity);
    own->pod_anti_affinity = admit_pod_affinity(arena, labels, own->pod_anti_affinity);
    spec->affinity = own;
}

// --- priority ------------------------------------------------------------------------------------
// The class
// of that name; for NULL the global default (of several the least), if there is one.
static const struct priority_class *find_priority_class(const struct snapshot *snapshot,
                                                        const char *name)
{
    const struct priority_class *found = NULL;
    for (uint32_t i = 0; i < snapshot->objects[KIND_PRIORITY_CLASS].count; i++) {
        const struct priority_class *class =
            (const struct priority_class *)snapshot->objects[KIND_PRIORITY_CLASS].items[i];
        if (name != NULL ? text_equal(class->meta.name, name)
                         : class->global_default && (found == NULL || class->value < found->value))
            found = class;
    }
    return found;
}

static void admit_priority(const struct snapshot *snapshot, struct pod_spec *spec)
{
    const char *name = spec->priority_class_name;
    if (name != NULL && name[0] == '\0')
        name = NULL;
    const struct priority_class *class = find_priority_class(snapshot, name);
    if (spec->preemption_policy == NULL && class != NULL)
        spec->preemption_policy = class->preemption_policy;
    if (spec->priority.present)
        return;
    spec->priority.present = true;
    if (class != NULL)
        spec->priority.value = class->value;
    else if (text_equal(name, "system-cluster-critical"))
        spec->priority.value = 2000000000;
    else if (text_equal(name, "system-node-critical"))
        spec->priority.value = 2000001000;
}

// A pod that no API server has seen counts as rejected: kube-scheduler never examined it.
static void pass_for_rejected(struct arena *arena, struct pod *pod)
{
    if (pod->status.conditions.count > 0 || pod->spec.node_name != NULL)
        return;
    struct condition *condition = arena_allocate(arena, sizeof *condition);
    *condition = (struct condition){.type = condition_name(CONDITION_POD_SCHEDULED),
                                    .status = "False",
                                    .reason = "Unschedulable"};
    pod->status.conditions.items = condition;
    pod->status.conditions.count = 1;
}

void pod_admit(struct snapshot *snapshot, struct pod *pod)
{
    assert(snapshot->arena != NULL);
    const char *namespace = pod->meta.namespace == NULL ? "default" : pod->meta.namespace;
    struct pod_spec *spec = &pod->spec;
    spec->containers.items =
        admit_containers(snapshot, namespace, spec->containers.items, spec->containers.count);
    if (spec->init_containers.count > 0)
        spec->init_containers.items = admit_containers(
            snapshot, namespace, spec->init_containers.items, spec->init_containers.count);
    admit_pod_level(snapshot->arena, spec);
    admit_priority(snapshot, spec);
    admit_affinity(snapshot->arena, &pod->meta.labels, spec);
    if (pod->status.phase == NULL)
        pod->status.phase = "Pending";
    if (snapshot->require_unschedulable_condition)
        pass_for_rejected(snapshot->arena, pod);
}
