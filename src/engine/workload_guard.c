#include "engine/workload_guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/problem.h"
#include "engine/state_node.h"
#include "model/pod_workload.h"

struct workload {
    const char *name;  // as told
    uint32_t index;    // in the guards' counts
    uint32_t replicas; // pods that have not ended, whatever they are doing
    uint32_t ready;
    uint32_t leaving; // ready ones on nodes that are going anyway, wherever they are to come
};

// The workloads of one decision.
struct workload_table {
    struct map *workloads; // by key
};

struct workload_guard {
    struct disruption *disruption;
    uint32_t *leaving; // by index of the workload
};

static struct workload *find_workload(struct disruption *disruption, const struct pod *pod,
                                      bool add)
{
    struct pod_workload found;
    if (!pod_workload_find(pod, &found))
        return NULL;
    struct map *workloads = disruption->workloads->workloads;
    struct workload *workload = map_get(workloads, found.key);
    if (workload == NULL && add) {
        workload = arena_allocate(disruption->arena, sizeof *workload);
        workload->index = (uint32_t)map_count(workloads);
        workload->name = arena_format(disruption->arena, "%s %s/%.*s", found.kind,
                                      pod->meta.namespace, found.name_length, found.name);
        map_set(workloads, found.key, workload);
    }
    return workload;
}

static void make_table(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    disruption->workloads = memory_allocate(sizeof *disruption->workloads);
    disruption->workloads->workloads = map_create();
    for (uint32_t i = 0; i < disruption->snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod =
            (const struct pod *)disruption->snapshot->objects[KIND_POD].items[i];
        struct workload *workload =
            pod_is_terminal(pod) ? NULL : find_workload(disruption, pod, true);
        if (workload == NULL)
            continue;
        bool serves = pod_is_serving(pod);
        workload->replicas++;
        workload->ready += serves;
        workload->leaving += serves && pod_is_leaving(pod);
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct state_node *state = &problem->nodes.items[i];
        if (!disruption_is_going(disruption, state))
            continue;
        list_for_each (pod, &state->pods) {
            bool counts = pod_is_serving(*pod) && !pod_is_leaving(*pod);
            struct workload *workload = counts ? find_workload(disruption, *pod, false) : NULL;
            if (workload != NULL)
                workload->leaving++;
        }
    }
}

void workload_table_destroy(struct workload_table *table)
{
    if (table == NULL)
        return;
    map_destroy(table->workloads, NULL);
    free(table);
}

struct workload_guard *workload_guard_create(struct disruption *disruption)
{
    if (disruption->workloads == NULL)
        make_table(disruption);
    const struct map *workloads = disruption->workloads->workloads;
    struct workload_guard *guard = arena_allocate(disruption->arena, sizeof *guard);
    guard->disruption = disruption;
    guard->leaving = arena_allocate_array(disruption->arena, map_count(workloads) + 1,
                                          sizeof *guard->leaving);
    uint32_t i = 0;
    for (struct map_entry *entry = map_first(workloads); entry != NULL; entry = map_next(entry))
        guard->leaving[i++] = ((const struct workload *)map_value(entry))->leaving;
    return guard;
}

// Adds `sign` times the node's ready pods to what is leaving.
static void count(struct workload_guard *guard, const struct disruption_candidate *candidate,
                  int sign)
{
    list_for_each (pod, &candidate->state->pods) {
        struct workload *workload =
            pod_is_serving(*pod) ? find_workload(guard->disruption, *pod, false) : NULL;
        if (workload != NULL)
            guard->leaving[workload->index] += (uint32_t)sign;
    }
}

static uint32_t ready_there(struct workload_guard *guard,
                            const struct disruption_candidate *candidate,
                            const struct workload *workload)
{
    uint32_t ready = 0;
    list_for_each (pod, &candidate->state->pods)
        ready += pod_is_serving(*pod) &&
                 find_workload(guard->disruption, *pod, false) == workload;
    return ready;
}

// The first workload, in the order of the node's pods, that would have nothing ready on nodes that
// stay; `guard` counts the candidate already.
static const struct workload *find_bereft(struct workload_guard *guard,
                                          const struct disruption_candidate *candidate)
{
    list_for_each (pod, &candidate->state->pods) {
        const struct workload *workload =
            pod_is_serving(*pod) ? find_workload(guard->disruption, *pod, false) : NULL;
        if (workload == NULL || workload->replicas < 2 ||
            guard->leaving[workload->index] < workload->ready)
            continue;
        bool all_are_there = workload->ready > 1 &&
                             ready_there(guard, candidate, workload) == workload->ready;
        if (!all_are_there)
            return workload;
    }
    return NULL;
}

bool workload_guard_take(struct workload_guard *guard, const struct disruption_candidate *candidate)
{
    count(guard, candidate, 1);
    const struct workload *workload = find_bereft(guard, candidate);
    if (workload == NULL)
        return true;
    count(guard, candidate, -1);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    disruption_verdict(guard->disruption, candidate, "DIS-761",
                       arena_format(scratch,
                                    "%s would have no ready pod on a node that stays: %" PRIu32
                                    " of its %" PRIu32 " pods are ready, %" PRIu32
                                    " of them on other nodes that go",
                                    workload->name, workload->ready, workload->replicas,
                                    guard->leaving[workload->index]));
    return false;
}

void workload_guard_give_back(struct workload_guard *guard,
                              const struct disruption_candidate *candidate)
{
    count(guard, candidate, -1);
}
