#include "model/snapshot/workload_overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/reading/pod.h"
#include "model/reading/pod_workload.h"
#include "model/schema/condition_types.h"
#include "model/schema/pack.h"
#include "model/snapshot/workloads.h"

typedef VECTOR(const struct pod *) pod_vector;

// --- the pods of a workload ----------------------------------------------------------------------

static bool owns(const struct object *workload, const struct pod *pod)
{
    struct pod_workload found;
    if (!text_equal(pod->meta.namespace, workload->meta.namespace))
        return false;
    if (workload->kind->id == KIND_DEPLOYMENT)
        return pod_workload_find(pod, &found) && strcmp(found.kind, "Deployment") == 0 &&
               strlen(workload->meta.name) == (size_t)found.name_length &&
               strncmp(found.name, workload->meta.name, (size_t)found.name_length) == 0;
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    return owner != NULL && text_equal(owner->kind, workload->kind->name) &&
           text_equal(owner->name, workload->meta.name);
}

static pod_vector pods_of(const struct snapshot *snapshot, const struct object *workload)
{
    pod_vector pods = {0};
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (owns(workload, pod) && !pod_is_terminal(pod) &&
            !object_is_deleting((const struct object *)pod))
            vector_push(&pods, pod);
    }
    return pods;
}

static void remove_objects(struct snapshot *snapshot, enum kind_id kind,
                           const struct object *const *gone, uint32_t count)
{
    struct map *names = map_create();
    char name[600];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        object_namespaced_name(gone[i], name);
        map_set(names, name, names);
        snapshot_keep(snapshot, gone[i]);
    }
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
        const struct object *object = snapshot->objects[kind].items[i];
        object_namespaced_name(object, name);
        if (map_get(names, name) != NULL)
            object_release(object);
        else
            snapshot->objects[kind].items[kept++] = object;
    }
    snapshot->objects[kind].count = kept;
    map_destroy(names, NULL);
}

static void remove_pods(struct snapshot *snapshot, const pod_vector *pods, uint32_t count)
{
    if (count > 0)
        remove_objects(snapshot, KIND_POD, (const struct object *const *)pods->items, count);
}

// --- the order of deletion (Kubernetes: ReplicaSet) ----------------------------------------------

struct deletion_rank {
    const struct pod *pod;
    int phase; // Pending, Unknown, Running
    bool bound, ready;
    int64_t cost, neighbours, restarts;
    int ready_age, age; // powers of two
};

static int magnitude(int64_t since, int64_t now)
{
    int64_t age = ns_subtract(now, since);
    return age <= 0 ? -1 : 63 - __builtin_clzll((uint64_t)age);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_deletion(const void *first, const void *second)
{
    const struct deletion_rank *a = first, *b = second;
    const int orders[] = {compare_numbers(a->bound, b->bound),
                          compare_numbers(a->phase, b->phase),
                          compare_numbers(a->ready, b->ready),
                          compare_numbers(a->cost, b->cost),
                          compare_numbers(b->neighbours, a->neighbours),
                          compare_numbers(a->ready_age, b->ready_age),
                          compare_numbers(b->restarts, a->restarts),
                          compare_numbers(a->age, b->age),
                          text_compare(&a->pod->meta.uid, &b->pod->meta.uid)};
    for (size_t i = 0; i < ARRAY_LENGTH(orders); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

static struct deletion_rank rank_of(const struct snapshot *snapshot, const struct pod *pod,
                                    const struct map *per_node)
{
    const struct condition *ready = condition_find(&pod->status.conditions, CONDITION_READY);
    const char *cost =
        string_map_get(&pod->meta.annotations, "controller.kubernetes.io/pod-deletion-cost");
    struct deletion_rank rank = {.pod = pod,
                                 .bound = !text_is_empty(pod->spec.node_name),
                                 .phase = text_equal(pod->status.phase, "Running")   ? 2
                                          : text_equal(pod->status.phase, "Unknown") ? 1
                                                                                     : 0,
                                 .ready =
                                     condition_is_true(&pod->status.conditions, CONDITION_READY),
                                 .age = magnitude(pod->meta.creation_timestamp, snapshot->time)};
    if (cost != NULL && !text_parse_int64(cost, &rank.cost))
        rank.cost = 0;
    if (rank.ready)
        rank.ready_age = magnitude(ready->last_transition_time, snapshot->time);
    list_for_each (status, &pod->status.container_statuses)
        rank.restarts =
            status->restart_count > rank.restarts ? status->restart_count : rank.restarts;
    if (rank.bound)
        rank.neighbours = (int64_t)(uintptr_t)map_get(per_node, pod->spec.node_name);
    return rank;
}

static void sort_for_deletion(const struct snapshot *snapshot, pod_vector *pods)
{
    struct map *per_node = map_create();
    CLEANUP_FREE struct deletion_rank *ranks =
        memory_allocate_array((size_t)pods->count + 1, sizeof *ranks);
    vector_for_each (pod, pods)
        if (!text_is_empty((*pod)->spec.node_name))
            map_set(per_node, (*pod)->spec.node_name,
                    (void *)((uintptr_t)map_get(per_node, (*pod)->spec.node_name) + 1));
    for (uint32_t i = 0; i < pods->count; i++)
        ranks[i] = rank_of(snapshot, pods->items[i], per_node);
    qsort(ranks, pods->count, sizeof *ranks, by_deletion);
    for (uint32_t i = 0; i < pods->count; i++)
        pods->items[i] = ranks[i].pod;
    map_destroy(per_node, NULL);
}

// A StatefulSet removes its highest numbers first.
static int by_number(const void *first, const void *second)
{
    const char *a = (*(const struct pod *const *)first)->meta.name;
    const char *b = (*(const struct pod *const *)second)->meta.name;
    return strlen(a) != strlen(b) ? compare_numbers((int64_t)strlen(b), (int64_t)strlen(a))
                                  : strcmp(b, a);
}

// --- more pods -----------------------------------------------------------------------------------

// As the workload's controller would create it; only what is its own differs.
static void add_sibling(struct snapshot *snapshot, const struct pod *sibling, const char *name)
{
    struct pod pod = *sibling;
    pod.meta.name = name;
    pod.meta.uid = derived_uid(snapshot->arena, "Pod", pod.meta.namespace, name);
    pod.meta.creation_timestamp = 0;
    pod.spec.node_name = NULL;
    pod.status = (struct pod_status){.phase = "Pending"};
    struct object *copy = object_copy((const struct object *)&pod);
    snapshot_add(snapshot, copy);
    object_release(copy);
}

// A StatefulSet's pods have numbers and volumes of their own.
static bool add_pods(struct snapshot *snapshot, const struct object *workload,
                     const pod_vector *siblings, int64_t count, struct error *error)
{
    if (siblings->count == 0 || workload->kind->id == KIND_STATEFUL_SET)
        return workload_add_pods(snapshot, workload, count, error);
    if (count > WORKLOAD_PODS_MAX)
        return error_set(error, ERROR_INVALID, "%s %s: %lld pods more: at most %d are read",
                         workload->kind->name, workload->meta.name, (long long)count,
                         WORKLOAD_PODS_MAX);
    struct map *names = map_create();
    vector_for_each (pod, siblings)
        map_set(names, (*pod)->meta.name, names);
    for (int64_t i = 0; count > 0; i++) {
        const char *name =
            arena_format(snapshot->arena, "%s-%lld", workload->meta.name, (long long)i);
        if (map_get(names, name) != NULL)
            continue;
        add_sibling(snapshot, siblings->items[0], name);
        count--;
    }
    map_destroy(names, NULL);
    return true;
}

// --- one workload --------------------------------------------------------------------------------

static bool template_changed(const struct object_change *change)
{
    list_for_each (field, &change->fields)
        if (field_change_is_below(field, "spec.template"))
            return true;
    return false;
}

// The sets of an earlier template, or of a Deployment that is gone, want no pods any more.
static void remove_replica_sets(struct snapshot *snapshot, const struct object *deployment)
{
    VECTOR(const struct object *) sets = {0};
    for (uint32_t i = 0; i < snapshot->objects[KIND_REPLICA_SET].count; i++) {
        const struct object *set = snapshot->objects[KIND_REPLICA_SET].items[i];
        const struct owner_reference *owner = object_controller_owner(set);
        if (owner != NULL && text_equal(owner->kind, "Deployment") &&
            text_equal(owner->name, deployment->meta.name) &&
            text_equal(set->meta.namespace, deployment->meta.namespace))
            vector_push(&sets, set);
    }
    if (sets.count > 0)
        remove_objects(snapshot, KIND_REPLICA_SET, sets.items, sets.count);
    vector_free(&sets);
}

static bool change_scaled(struct snapshot *snapshot, const struct object_change *change,
                          struct error *error)
{
    const struct object *workload = change->after != NULL ? change->after : change->before;
    pod_vector pods = pods_of(snapshot, workload);
    int64_t wanted = change->after != NULL ? workload_pods_wanted(change->after) : 0;
    bool fine = true;
    if (change->after == NULL || template_changed(change)) {
        remove_pods(snapshot, &pods, pods.count);
        if (workload->kind->id == KIND_DEPLOYMENT)
            remove_replica_sets(snapshot, workload);
        fine = workload_add_pods(snapshot, workload, wanted, error);
    } else if (wanted < pods.count) {
        if (workload->kind->id == KIND_STATEFUL_SET)
            qsort(pods.items, pods.count, sizeof *pods.items, by_number);
        else
            sort_for_deletion(snapshot, &pods);
        remove_pods(snapshot, &pods, pods.count - (uint32_t)wanted);
    } else if (wanted > pods.count) {
        fine = add_pods(snapshot, workload, &pods, wanted - pods.count, error);
    }
    vector_free(&pods);
    return fine;
}

static void change_daemon_set(struct snapshot *snapshot, const struct object_change *change)
{
    const struct object *set = change->after != NULL ? change->after : change->before;
    pod_vector pods = pods_of(snapshot, set);
    if (change->after == NULL)
        remove_pods(snapshot, &pods, pods.count);
    for (uint32_t i = 0; change->after != NULL && i < pods.count; i++) {
        const struct pod_template *template = &((const struct daemon_set *)set)->spec.template;
        struct pod pod = *pods.items[i];
        snapshot_keep(snapshot, (const struct object *)pods.items[i]);
        pod.meta.labels = template->metadata.labels;
        pod.spec = template->spec;
        pod.spec.node_name = pods.items[i]->spec.node_name;
        pod.status.container_statuses.count = 0;
        snapshot_replace(snapshot, object_copy((const struct object *)&pod));
    }
    vector_free(&pods);
}

bool workload_overlay(struct snapshot *snapshot, const struct object_change_list *changes,
                      struct error *error)
{
    list_for_each (change, changes) {
        if (change->kind == CHANGE_NONE)
            continue;
        const struct object *object = change->after != NULL ? change->after : change->before;
        enum kind_id kind = object->kind->id;
        bool scaled = kind == KIND_DEPLOYMENT || kind == KIND_REPLICA_SET ||
                      kind == KIND_STATEFUL_SET || kind == KIND_JOB;
        if (scaled && !change_scaled(snapshot, change, error))
            return false;
        if (kind == KIND_DAEMON_SET)
            change_daemon_set(snapshot, change);
    }
    return true;
}
