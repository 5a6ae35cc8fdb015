#include "engine/disruption/workload_table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/pods/pod_facts.h"
#include "engine/problem/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/pod_workload.h"

static struct guarded_workload *find_workload(struct workload_table *table, const struct pod *pod)
{
    struct pod_workload found;
    if (!pod_workload_find(pod, &found))
        return NULL;
    struct map *workloads = table->workloads;
    struct guarded_workload *workload = map_get(workloads, found.key);
    if (workload == NULL) {
        workload = arena_allocate(table->arena, sizeof *workload);
        workload->index = (uint32_t)map_count(workloads);
        workload->name = arena_format(table->arena, "%s %s/%.*s", found.kind, pod->meta.namespace,
                                      found.name_length, found.name);
        map_set(workloads, found.key, workload);
    }
    return workload;
}

// Consecutive running pods mostly have the same workload.
static void count_running(struct workload_table *table, const struct problem *problem,
                          struct bitset going)
{
    const struct state_nodes *nodes = &problem->nodes;
    struct guarded_workload *workload = NULL;
    for (uint32_t i = 0; i < nodes->running.count; i++) {
        const struct running_pod *running = &nodes->running.items[i];
        uint32_t flags = problem->pods.facts[i].flags;
        if ((flags & POD_AS_LAST) == 0)
            workload = find_workload(table, running->pod);
        if (workload == NULL)
            continue;
        workload->replicas++;
        if ((flags & POD_SERVING) == 0)
            continue;
        workload->ready++;
        workload->leaving += (flags & POD_LEAVING) != 0 ||
                             (running->node != NONE && bitset_has(going, running->node));
        table->serving[i] = workload;
        assert(workload->leaving <= workload->ready);
    }
}

struct workload_table *workload_table_create(const struct problem *problem, struct bitset going,
                                             struct arena *arena)
{
    assert(problem->pods.facts != NULL || problem->nodes.running.count == 0);
    assert(going.bits == problem->nodes.count);
    const struct state_nodes *nodes = &problem->nodes;
    struct workload_table *table = memory_allocate(sizeof *table);
    table->arena = arena;
    table->workloads = map_create();
    table->serving =
        arena_allocate_array(table->arena, nodes->running.count + 1, sizeof *table->serving);
    count_running(table, problem, going);
    list_for_each (pod, &nodes->others) {
        struct guarded_workload *workload =
            pod_is_terminal(*pod) ? NULL : find_workload(table, *pod);
        if (workload == NULL)
            continue;
        bool serves = pod_is_serving(*pod);
        workload->replicas++;
        workload->ready += serves;
        workload->leaving += serves && pod_is_leaving(*pod);
    }
    return table;
}

void workload_table_destroy(struct workload_table *table)
{
    if (table == NULL)
        return;
    map_destroy(table->workloads, NULL);
    free(table);
}
