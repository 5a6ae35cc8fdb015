#include "engine/disruption/workload_guard.h"

#include <assert.h>
#include <inttypes.h>

#include "base/text.h"
#include "engine/disruption/workload_table.h"
#include "engine/problem/problem.h"

struct workload_guard {
    struct disruption *disruption;
    uint32_t *leaving; // by index of the workload
};

struct workload_guard *workload_guard_create(struct disruption *disruption)
{
    if (disruption->workloads == NULL)
        disruption->workloads =
            workload_table_create(disruption->problem, disruption->going, disruption->arena);
    const struct map *workloads = disruption->workloads->workloads;
    struct workload_guard *guard = arena_allocate(disruption->arena, sizeof *guard);
    guard->disruption = disruption;
    guard->leaving =
        arena_allocate_array(disruption->arena, map_count(workloads) + 1, sizeof *guard->leaving);
    uint32_t i = 0;
    for (struct map_entry *entry = map_first(workloads); entry != NULL; entry = map_next(entry)) {
        const struct guarded_workload *workload = map_value(entry);
        assert(workload->index == i);
        guard->leaving[i++] = workload->leaving;
    }
    return guard;
}

// The workload that a pod of the candidate belongs to; NULL: none.
static const struct guarded_workload *served_by(const struct workload_guard *guard,
                                                const struct disruption_candidate *candidate,
                                                uint32_t pod)
{
    return guard->disruption->workloads->serving[candidate->state->running[pod]];
}

// Adds `sign` times the node's ready pods to the leaving ones.
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

// The first workload, in the order of the node's pods, that would have no ready pod on nodes that
// stay; `guard` already counts the candidate.
static const struct guarded_workload *find_without_ready_pod(
    struct workload_guard *guard, const struct disruption_candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->state->pods.count; i++) {
        const struct guarded_workload *workload = served_by(guard, candidate, i);
        assert(workload == NULL || workload->ready <= workload->replicas);
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
