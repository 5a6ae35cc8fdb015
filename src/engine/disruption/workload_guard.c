#include "engine/disruption/workload_guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/pods/pod_facts.h"
#include "engine/problem/problem.h"
#include "engine/problem/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/pod_workload.h"

struct guarded_workload {
    const char *name;  // as told
    uint32_t index;    // in the guards' counts
    uint32_t replicas; // pods that have not ended, whatever they are doing
    uint32_t ready;
    uint32_t leaving; // ready ones on nodes that are going anyway, wherever they are to come
};

// The workloads of one decision.
struct workload_table {
    struct map *workloads;             // by key
    struct guarded_workload **serving; // by running pod; NULL: it does not serve, or is of none
};

struct workload_guard {
    struct disruption *disruption;
    uint32_t *leaving; // by index of the workload
};

static struct guarded_workload *find_workload(struct disruption *disruption, const struct pod *pod)
{
    struct pod_workload found;
    if (!pod_workload_find(pod, &found))
        return NULL;
    struct map *workloads = disruption->workloads->workloads;
    struct guarded_workload *workload = map_get(workloads, found.key);
    if (workload == NULL) {
        workload = arena_allocate(disruption->arena, sizeof *workload);
        workload->index = (uint32_t)map_count(workloads);
        workload->name = arena_format(disruption->arena, "%s %s/%.*s", found.kind,
                                      pod->meta.namespace, found.name_length, found.name);
        map_set(workloads, found.key, workload);
    }
    return workload;
}

// Running pods of a workload mostly follow each other.
static void count_running(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    const struct state_nodes *nodes = &problem->nodes;
    struct guarded_workload *workload = NULL;
    for (uint32_t i = 0; i < nodes->running.count; i++) {
        const struct running_pod *running = &nodes->running.items[i];
        uint32_t flags = problem->pods.facts[i].flags;
        if ((flags & POD_AS_LAST) == 0)
            workload = find_workload(disruption, running->pod);
        if (workload == NULL)
            continue;
        workload->replicas++;
        if ((flags & POD_SERVING) == 0)
            continue;
        workload->ready++;
        workload->leaving += (flags & POD_LEAVING) != 0 ||
                             (running->node != NONE &&
                              disruption_is_going(disruption, &nodes->items[running->node]));
        disruption->workloads->serving[i] = workload;
    }
}

static void make_table(struct disruption *disruption)
{
    const struct state_nodes *nodes = &disruption->problem->nodes;
    struct workload_table *table = memory_allocate(sizeof *table);
    disruption->workloads = table;
    table->workloads = map_create();
    table->serving =
        arena_allocate_array(disruption->arena, nodes->running.count + 1, sizeof *table->serving);
    count_running(disruption);
    list_for_each (pod, &nodes->others) {
        struct guarded_workload *workload =
            pod_is_terminal(*pod) ? NULL : find_workload(disruption, *pod);
        if (workload == NULL)
            continue;
        bool serves = pod_is_serving(*pod);
        workload->replicas++;
        workload->ready += serves;
        workload->leaving += serves && pod_is_leaving(*pod);
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
    guard->leaving =
        arena_allocate_array(disruption->arena, map_count(workloads) + 1, sizeof *guard->leaving);
    uint32_t i = 0;
    for (struct map_entry *entry = map_first(workloads); entry != NULL; entry = map_next(entry))
        guard->leaving[i++] = ((const struct guarded_workload *)map_value(entry))->leaving;
    return guard;
}

// The workload that a pod of the candidate serves; NULL: none.
static const struct guarded_workload *served_by(const struct workload_guard *guard,
                                                const struct disruption_candidate *candidate,
                                                uint32_t pod)
{
    return guard->disruption->workloads->serving[candidate->state->running[pod]];
}

// Adds `sign` times the node's ready pods to what is leaving.
static void count(struct workload_guard *guard, const struct disruption_candidate *candidate,
                  int sign)
{
    for (uint32_t i = 0; i < candidate->state->pods.count; i++) {
        const struct guarded_workload *workload = served_by(guard, candidate, i);
        if (workload != NULL)
            guard->leaving[workload->index] += (uint32_t)sign;
    }
}

static uint32_t ready_there(struct workload_guard *guard,
                            const struct disruption_candidate *candidate,
                            const struct guarded_workload *workload)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < candidate->state->pods.count; i++)
        ready += served_by(guard, candidate, i) == workload;
    return ready;
}

// The first workload, in the order of the node's pods, that would have nothing ready on nodes that
// stay; `guard` counts the candidate already.
static const struct guarded_workload *find_without_ready_pod(
    struct workload_guard *guard, const struct disruption_candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->state->pods.count; i++) {
        const struct guarded_workload *workload = served_by(guard, candidate, i);
        if (workload == NULL || workload->replicas < 2 ||
            guard->leaving[workload->index] < workload->ready)
            continue;
        bool all_are_there =
            workload->ready > 1 && ready_there(guard, candidate, workload) == workload->ready;
        if (!all_are_there)
            return workload;
    }
    return NULL;
}

bool workload_guard_take(struct workload_guard *guard, const struct disruption_candidate *candidate)
{
    count(guard, candidate, 1);
    const struct guarded_workload *workload = find_without_ready_pod(guard, candidate);
    if (workload == NULL)
        return true;
    count(guard, candidate, -1);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    disruption_note_blocked(guard->disruption, candidate, "DIS-761",
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
