#include "control/provisioning/snapshot_planned.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/port/offering_choice.h"
#include "control/command/commands.h"
#include "control/provisioning/leaving_pods.h"
#include "control/provisioning/workload_bursts.h"
#include "control/provisioning/worst_case_capacity.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/expected_pod.h"
#include "control/state/state_node.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/reading/pod_workload.h"
#include "model/schema/object.h"
#include "model/tables/kinds.h"

// Derived objects live in the snapshot's arena and point into the object that they were made from,
// which the snapshot keeps. The reference of their own is never given back.
static void *derive(struct snapshot *snapshot, const struct object *from, size_t size)
{
    snapshot_keep(snapshot, from);
    struct object *copy = arena_allocate(snapshot->arena, size);
    memcpy(copy, from, size);
    copy->references = 1;
    return copy;
}

// --- NodeClaims ----------------------------------------------------------------------------------
static void add_label(struct string_map *labels, const char *key, const char *value);

// A NodeClaim without requests names no types (LIF-232), and pods of a replaced node may need the
// replacement before its launch. Until then it counts as the type that the provider tries first, so
// that pods are placed on it instead of on a new machine; pods that do not fit in the end are
// planned anew when the node is there (LIF-454).
static void expect_cheapest(struct snapshot *snapshot, struct control *control,
                            const struct node_pool *pool, struct node_claim *copy)
{
    struct error error = {0};
    struct arena *arena = snapshot->arena;
    const struct instance_type_catalog *catalog =
        control->cloud->operations->instance_types(control->cloud, pool, &error);
    if (catalog == NULL)
        return;
    snapshot_keep(snapshot, (const struct object *)catalog);
    struct offering_choices choices = offering_choices_for(arena, catalog, copy);
    object_release((const struct object *)catalog);
    if (choices.count == 0)
        return;
    const struct instance_type *type = choices.items[0].type;
    copy->status.capacity = type->capacity;
    copy->status.allocatable = instance_type_allocatable(arena, type, choices.items[0].offering);
    struct string_map labels = {0};
    labels.items = arena_allocate_array(
        arena, copy->meta.labels.count + type->requirements.count + 1, sizeof *labels.items);
    list_for_each (label, &copy->meta.labels)
        add_label(&labels, label->key, label->value);
    list_for_each (requirement, &type->requirements)
        if (strcmp(requirement->key, LABEL_ZONE) != 0 &&
            strcmp(requirement->key, LABEL_CAPACITY_TYPE) != 0)
            add_label(&labels, requirement->key,
                      requirement_single_value(&type->requirements, requirement->key));
    copy->meta.labels = labels;
}

static bool is_static(const struct node_pool *pool)
{
    return pool != NULL && pool->spec.replicas.present;
}

static void add_unlaunched(struct snapshot *snapshot, struct control *control,
                           const struct commands *commands, struct worst_case_capacity *largest,
                           const struct node_claim *claim)
{
    const struct node_pool *pool =
        find_pool(control, label_or_empty((const struct object *)claim, LABEL_NODE_POOL));
    struct node_claim *copy = derive(snapshot, (const struct object *)claim, sizeof *copy);
    copy->status.provider_id = arena_format(snapshot->arena, "planned:///%s", claim->meta.name);
    bool expected = is_static(pool) || replacement_is_needed(control, commands, claim);
    if (expected && pool != NULL)
        expect_cheapest(snapshot, control, pool, copy);
    if (!is_static(pool) && pool != NULL) // for the limits
        copy->status.capacity = worst_case_machine(largest, snapshot->arena, pool, claim);
    snapshot_add(snapshot, (const struct object *)copy);
}

void snapshot_add_node_claims(struct snapshot *snapshot, struct control *control,
                              const struct commands *commands)
{
    struct worst_case_capacity *largest = worst_case_capacity_create(control);
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (!managed_claim(control, claim)) // LIF-2: its Node counts as unmanaged
            continue;
        if (node_claim_is_launched(claim) || object_is_deleting(object) ||
            !control->strategy->keeps_plans)
            snapshot_add(snapshot, object);
        else
            add_unlaunched(snapshot, control, commands, largest, claim);
    }
    worst_case_capacity_destroy(largest);
    // It counts, and its node is left alone (API-603).
    iterator = (struct mirror_iterator){0};
    for (const struct object *object;
         (object = mirror_next_salvaged(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) !=
         NULL;)
        snapshot_add(snapshot, object);
}

// --- pods ----------------------------------------------------------------------------------------
static void add_label(struct string_map *labels, const char *key, const char *value)
{
    if (value == NULL)
        return;
    for (uint32_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].key, key) == 0)
            return;
    labels->items[labels->count++] = (struct string_pair){key, value};
}

// The labels that the Node will have, as far as they are certain. The Node of a pool without an
// instance type would not be counted (LIF-300): it does not say its pool then.
static struct string_map labels_of(struct arena *arena, const struct node_claim *claim)
{
    struct string_map labels = {0};
    uint32_t most = claim->meta.labels.count + claim->spec.requirements.count + 1;
    labels.items = arena_allocate_array(arena, most, sizeof *labels.items);
    const char *type = string_map_get(&claim->meta.labels, LABEL_INSTANCE_TYPE);
    if (type == NULL)
        type = requirement_single_value(&claim->spec.requirements, LABEL_INSTANCE_TYPE);
    list_for_each (label, &claim->meta.labels)
        if (type != NULL || strcmp(label->key, LABEL_NODE_POOL) != 0)
            add_label(&labels, label->key, label->value);
    list_for_each (requirement, &claim->spec.requirements)
        if (type != NULL || strcmp(requirement->key, LABEL_NODE_POOL) != 0)
            add_label(&labels, requirement->key,
                      requirement_single_value(&claim->spec.requirements, requirement->key));
    add_label(&labels, LABEL_HOSTNAME, claim->meta.name);
    qsort(labels.items, labels.count, sizeof *labels.items, string_pair_compare);
    return labels;
}

static const char *add_node(struct snapshot *snapshot, const struct node_claim *claim)
{
    snapshot_keep(snapshot, (const struct object *)claim);
    struct node *node = arena_allocate(snapshot->arena, sizeof *node);
    node->kind = kind_get(KIND_NODE);
    node->references = 1;
    node->meta.name = claim->meta.name;
    node->meta.labels = labels_of(snapshot->arena, claim);
    node->spec.taints = claim->spec.taints;
    node->spec.provider_id = node_claim_is_launched(claim)
                                 ? claim->status.provider_id
                                 : arena_format(snapshot->arena, "planned:///%s", claim->meta.name);
    snapshot_add(snapshot, (const struct object *)node);
    return node->meta.name;
}

static const char *node_of(struct snapshot *snapshot, struct control *control, struct map *names,
                           const struct node_claim *claim)
{
    const char *name = map_get(names, claim->meta.name);
    if (name != NULL)
        return name;
    const struct state_node *state = cluster_state(control->cluster, claim->status.provider_id);
    const struct node *node = state != NULL ? state_main_node(state) : NULL;
    if (node == NULL)
        node = find_node(control, claim->meta.name);
    name = node != NULL ? arena_copy_string(snapshot->arena, node->meta.name)
                        : add_node(snapshot, claim);
    map_set(names, claim->meta.name, (void *)(uintptr_t)name);
    return name;
}

struct planning { // of one snapshot
    struct snapshot *snapshot;
    struct control *control;
    struct map *names; // of Nodes, by NodeClaim; borrowed
    const struct leaving_pods *leaving;
};

// The name of the node that the pod is spoken for, or NULL.
static const char *place_of(struct planning *planning, const struct pod *pod)
{
    const struct node_claim *claim = cluster_planned_claim(planning->control->cluster, pod);
    struct leaving_place place = {.claim = claim};
    if (claim == NULL && planning->leaving != NULL)
        place = leaving_pods_place(planning->leaving, pod);
    if (place.node != NULL)
        return place.node->meta.name;
    return place.claim != NULL
               ? node_of(planning->snapshot, planning->control, planning->names, place.claim)
               : NULL;
}

static void add_planned_pod(struct planning *planning, const struct pod *pod)
{
    struct snapshot *snapshot = planning->snapshot;
    const char *place = place_of(planning, pod);
    if (place == NULL)
        return;
    struct pod *copy = derive(snapshot, (const struct object *)pod, sizeof *copy);
    if (pod->spec.node_name != NULL) {
        struct string_map *annotations = &copy->meta.annotations;
        annotations->items = arena_allocate_array(snapshot->arena, pod->meta.annotations.count + 1,
                                                  sizeof *annotations->items);
        if (annotations->count > 0)
            memcpy(annotations->items, pod->meta.annotations.items,
                   annotations->count * sizeof *annotations->items);
        add_label(annotations, ANNOTATION_LEAVES_NODE, pod->spec.node_name);
        qsort(annotations->items, annotations->count, sizeof *annotations->items,
              string_pair_compare);
    }
    copy->spec.node_name = place;
    snapshot_add(snapshot, (const struct object *)copy);
}

void snapshot_add_planned_pods(struct snapshot *snapshot, struct control *control,
                               const struct leaving_pods *leaving)
{
    struct planning planning = {snapshot, control, map_create(), leaving};
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    struct map_entry *position = NULL;
    bool wanted = control->strategy->keeps_plans;
    for (uint32_t i = 0; wanted && i < pods->count; i++)
        add_planned_pod(&planning, pods->items[i]);
    for (const struct state_node *state;
         wanted && (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (!state_marked(state))
            continue;
        vector_for_each (node, &state->nodes) {
            const struct pod_list *pods_there = cluster_pods(control->cluster, (*node)->meta.name);
            for (uint32_t i = 0; i < pods_there->count; i++)
                if (pod_needs_place(pods_there->items[i])) // else its successor will
                    add_planned_pod(&planning, pods_there->items[i]);
        }
    }
    map_destroy(planning.names, NULL);
}

void snapshot_add_waiting(struct snapshot *snapshot, const struct pod *pod)
{
    if (pod->status.nominated_node_name == NULL || *pod->status.nominated_node_name == '\0') {
        snapshot_add(snapshot, (const struct object *)pod);
        return;
    }
    struct pod *copy = derive(snapshot, (const struct object *)pod, sizeof *copy);
    copy->status.nominated_node_name = NULL;
    snapshot_add(snapshot, (const struct object *)copy);
}

// --- future pods ---------------------------------------------------------------------------------
// Like the sample, as it was when it was created. The numbers have the same width, so that the
// order by name is theirs.
static struct pod *expect(struct snapshot *snapshot, const struct expected_pods *expected,
                          uint32_t number)
{
    struct arena *arena = snapshot->arena;
    struct pod *copy = derive(snapshot, (const struct object *)expected->sample, sizeof *copy);
    copy->meta.name = arena_format(arena, "%s-expected-%06u", expected->sample->meta.name, number);
    copy->meta.uid = arena_format(arena, EXPECTED_POD_UID "%s/%06u", expected->workload, number);
    copy->spec.node_name = NULL;
    memset(&copy->status, 0, sizeof copy->status);
    return copy;
}

void snapshot_add_expected_pods(struct snapshot *snapshot, struct control *control,
                                struct workload_bursts *bursts)
{
    struct planning planning = {snapshot, control, map_create(), NULL};
    struct expected_pods expected;
    const char *after = NULL;
    while (workload_bursts_next_expected(bursts, after, &expected)) {
        after = expected.workload;
        for (uint32_t i = 0; i < expected.count; i++) {
            const struct node_claim *claim;
            if (!cluster_next_place(control->cluster, expected.workload, i, &claim) &&
                !expected.certain)
                break;
            struct pod *pod = expect(snapshot, &expected, i);
            if (claim != NULL && !object_is_deleting((const struct object *)claim))
                pod->spec.node_name = node_of(snapshot, control, planning.names, claim);
            snapshot_add(snapshot, (const struct object *)pod);
        }
    }
    map_destroy(planning.names, NULL);
}
