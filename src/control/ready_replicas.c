#include "control/ready_replicas.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "model/pod_workload.h"

struct workload { // kept while it has pods
    uint32_t pods;  // that have not ended
    uint32_t ready;
    uint32_t asked; // of the ready ones
};

struct ready_replicas {
    struct map *workloads; // struct workload by key
    struct map *asked;     // by UID of the pod: the key of its workload, owned
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);

struct ready_replicas *ready_replicas_create(struct control *control)
{
    struct ready_replicas *replicas = memory_allocate(sizeof *replicas);
    replicas->workloads = map_create();
    replicas->asked = map_create();
    mirror_on_change(control->mirror, KIND_POD, on_pod, replicas);
    return replicas;
}

void ready_replicas_destroy(struct ready_replicas *replicas)
{
    if (replicas == NULL)
        return;
    map_destroy(replicas->workloads, free);
    map_destroy(replicas->asked, free);
    free(replicas);
}

// --- what the mirror tells -----------------------------------------------------------------------
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
    workload->pods += comes ? 1 : -1;
    if (pod_is_serving(pod))
        workload->ready += comes ? 1 : -1;
    if (workload->pods == 0)
        free(map_remove(replicas->workloads, found.key));
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct ready_replicas *replicas = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (before != NULL && (pod == NULL || !pod_is_serving(pod)) && before->meta.uid != NULL)
        ready_replicas_give_back(replicas, before->meta.uid); // it is no longer counted as ready
    if (pod != NULL)
        count(replicas, pod, true); // first, so that the workload stays
    if (before != NULL)
        count(replicas, before, false);
}

// --- evictions -----------------------------------------------------------------------------------
bool ready_replicas_is_last(const struct ready_replicas *replicas, const struct pod *pod)
{
    struct pod_workload found;
    if (!pod_is_serving(pod) || !pod_workload_find(pod, &found) ||
        (pod->meta.uid != NULL && map_get(replicas->asked, pod->meta.uid) != NULL))
        return false;
    const struct workload *workload = map_get(replicas->workloads, found.key);
    return workload != NULL && workload->pods > 1 && workload->ready <= workload->asked + 1;
}

void ready_replicas_take(struct ready_replicas *replicas, const struct pod *pod)
{
    struct pod_workload found;
    if (!pod_is_serving(pod) || pod->meta.uid == NULL || !pod_workload_find(pod, &found) ||
        map_get(replicas->asked, pod->meta.uid) != NULL)
        return;
    struct workload *workload = map_get(replicas->workloads, found.key);
    if (workload == NULL)
        return;
    workload->asked++;
    map_set(replicas->asked, pod->meta.uid, memory_copy_string(found.key));
}

void ready_replicas_give_back(struct ready_replicas *replicas, const char *pod_uid)
{
    char *key = map_remove(replicas->asked, pod_uid);
    if (key == NULL)
        return;
    struct workload *workload = map_get(replicas->workloads, key);
    if (workload != NULL && workload->asked > 0)
        workload->asked--;
    free(key);
}
