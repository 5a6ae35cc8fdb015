#include "control/node/ready_replicas.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "model/reading/pod.h"
#include "model/reading/pod_workload.h"

#define SUCCESSOR_NS (10 * SECOND) // the time for a successor to appear

struct workload {  // kept while it has pods
    uint32_t pods; // not terminal
    uint32_t ready;
    uint32_t asked, leaving; // of the ready ones
    uint32_t here;           // scratch
    int64_t several_ns;      // monotonic: the last time with several pods; 0: never
};

struct ready_replicas {
    struct control *control;
    struct map *workloads;       // struct workload by key
    struct map *asked, *leaving; // by UID of the pod: the key of its workload, owned
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object);

struct ready_replicas *ready_replicas_create(struct control *control)
{
    struct ready_replicas *replicas = memory_allocate(sizeof *replicas);
    replicas->control = control;
    replicas->workloads = map_create();
    replicas->asked = map_create();
    replicas->leaving = map_create();
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, replicas);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, replicas);
    return replicas;
}

void ready_replicas_destroy(struct ready_replicas *replicas)
{
    if (replicas == NULL)
        return;
    map_destroy(replicas->workloads, free);
    map_destroy(replicas->asked, free);
    map_destroy(replicas->leaving, free);
    free(replicas);
}

// --- changes in the mirror -----------------------------------------------------------------------
static void count(struct ready_replicas *replicas, const struct pod *pod, bool comes)
{
    struct pod_workload found;
    if (pod_is_terminal(pod) || !pod_workload_find(pod, &found))
        return;
    struct workload *workload = map_get(replicas->workloads, found.key);
    if (workload == NULL) {
        assert(comes);
        workload = memory_allocate(sizeof *workload);
        map_set(replicas->workloads, found.key, workload);
    }
    if (workload->pods > 1)
        workload->several_ns = loop_monotonic_ns(replicas->control->manager.loop);
    workload->pods += comes ? 1 : -1;
    if (pod_is_serving(pod))
        workload->ready += comes ? 1 : -1;
    if (workload->pods == 0)
        free(map_remove(replicas->workloads, found.key));
}

// Adds the ready pod to its workload's count; NULL: it counts already, or has no workload.
static struct workload *remember(struct ready_replicas *replicas, struct map *pods,
                                 const struct pod *pod)
{
    struct pod_workload found;
    if (!pod_is_serving(pod) || pod->meta.uid == NULL || map_get(pods, pod->meta.uid) != NULL ||
        !pod_workload_find(pod, &found))
        return NULL;
    struct workload *workload = map_get(replicas->workloads, found.key);
    if (workload != NULL)
        map_set(pods, pod->meta.uid, memory_copy_string(found.key));
    return workload;
}

// Removes the pod from the count; its workload, or NULL.
static struct workload *forget(struct ready_replicas *replicas, struct map *pods,
                               const char *pod_uid)
{
    char *key = map_remove(pods, pod_uid);
    struct workload *workload = key != NULL ? map_get(replicas->workloads, key) : NULL;
    free(key);
    return workload;
}

static void stay(struct ready_replicas *replicas, const char *pod_uid)
{
    struct workload *workload =
        pod_uid != NULL ? forget(replicas, replicas->leaving, pod_uid) : NULL;
    if (workload != NULL && workload->leaving > 0)
        workload->leaving--;
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct ready_replicas *replicas = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (before != NULL && (pod == NULL || !pod_is_serving(pod)) && before->meta.uid != NULL) {
        ready_replicas_give_back(replicas, before->meta.uid); // it no longer counts as ready
        stay(replicas, before->meta.uid);
    }
    if (pod != NULL)
        count(replicas, pod, true); // first, so that the workload stays
    if (before != NULL)
        count(replicas, before, false);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct ready_replicas *replicas = context;
    const struct node_claim *claim = (const struct node_claim *)new_object;
    (void)change;
    (void)old_object;
    if (claim != NULL && object_is_deleting(new_object))
        ready_replicas_leave(replicas,
                             cluster_pods(replicas->control->cluster, claim->status.node_name));
}

// --- evictions -----------------------------------------------------------------------------------
// A StatefulSet creates a pod anew only when the old one is gone.
static bool has_several(const struct ready_replicas *replicas, const struct workload *workload)
{
    return workload->pods > 1 || (workload->several_ns != 0 &&
                                  ns_subtract(loop_monotonic_ns(replicas->control->manager.loop),
                                              workload->several_ns) < SUCCESSOR_NS);
}

bool ready_replicas_is_last(const struct ready_replicas *replicas, const struct pod *pod)
{
    struct pod_workload found;
    if (!pod_is_serving(pod) || !pod_workload_find(pod, &found))
        return false;
    const struct workload *workload = map_get(replicas->workloads, found.key);
    bool itself = pod->meta.uid != NULL && map_get(replicas->asked, pod->meta.uid) != NULL;
    return workload != NULL && has_several(replicas, workload) &&
           workload->ready <= workload->asked - itself + 1;
}

void ready_replicas_take(struct ready_replicas *replicas, const struct pod *pod)
{
    struct workload *workload = remember(replicas, replicas->asked, pod);
    if (workload != NULL)
        workload->asked++;
}

void ready_replicas_give_back(struct ready_replicas *replicas, const char *pod_uid)
{
    struct workload *workload = forget(replicas, replicas->asked, pod_uid);
    if (workload != NULL && workload->asked > 0)
        workload->asked--;
}

// --- nodes ---------------------------------------------------------------------------------------
void ready_replicas_leave(struct ready_replicas *replicas, const struct pod_list *pods)
{
    for (uint32_t i = 0; i < pods->count; i++) {
        struct workload *workload = remember(replicas, replicas->leaving, pods->items[i]);
        if (workload != NULL)
            workload->leaving++;
    }
}

void ready_replicas_stay(struct ready_replicas *replicas, const struct pod_list *pods)
{
    for (uint32_t i = 0; i < pods->count; i++)
        stay(replicas, pods->items[i]->meta.uid);
}

static struct workload *workload_of(const struct ready_replicas *replicas, const struct pod *pod)
{
    struct pod_workload found;
    return pod_is_serving(pod) && pod_workload_find(pod, &found)
               ? map_get(replicas->workloads, found.key)
               : NULL;
}

// Counts the pods whose nodes are not leaving anyway; or resets the counts.
static void count_here(struct ready_replicas *replicas, const struct pod_list *pods, bool counts)
{
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        struct workload *workload = workload_of(replicas, pod);
        if (workload == NULL)
            continue;
        bool leaves = pod->meta.uid != NULL && map_get(replicas->leaving, pod->meta.uid) != NULL;
        workload->here = counts ? workload->here + !leaves : 0;
    }
}

static bool all_are_on(const struct ready_replicas *replicas, const struct pod_list *pods,
                       const struct workload *workload)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < pods->count; i++)
        there += workload_of(replicas, pods->items[i]) == workload;
    return workload->ready > 1 && there == workload->ready;
}

static const struct pod *find_last_ready(const struct ready_replicas *replicas,
                                         const struct pod_list *pods)
{
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct workload *workload = workload_of(replicas, pods->items[i]);
        if (workload != NULL && workload->pods > 1 &&
            workload->leaving + workload->here >= workload->ready &&
            !all_are_on(replicas, pods, workload))
            return pods->items[i];
    }
    return NULL;
}

const struct pod *ready_replicas_last_ready(struct ready_replicas *replicas,
                                            const struct pod_list *const *nodes, uint32_t count)
{
    const struct pod *last_ready = NULL;
    for (uint32_t i = 0; i < count; i++)
        count_here(replicas, nodes[i], true);
    for (uint32_t i = 0; i < count && last_ready == NULL; i++)
        last_ready = find_last_ready(replicas, nodes[i]);
    for (uint32_t i = 0; i < count; i++)
        count_here(replicas, nodes[i], false);
    return last_ready;
}
