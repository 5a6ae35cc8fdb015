#include "engine/pass/scheduler_view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/symbols.h"

struct pod_position {
    const struct pod *pod;
    uint32_t index;
};

static int by_pod(const void *a, const void *b)
{
    const struct pod_position *x = a, *y = b;
    return x->pod < y->pod ? -1 : x->pod > y->pod; // to find equal ones; the order means nothing
}

static void match(const struct problem *problem, struct arena *arena, struct scheduler_view *view)
{
    uint32_t count = problem->pods.bound_count, movable = problem->pods.movable_count;
    CLEANUP_FREE struct pod_position *bound =
        memory_allocate_array((size_t)count + 1, sizeof *bound);
    view->bound_of = arena_allocate_array(arena, movable + 1, sizeof *view->bound_of);
    view->movable_of = arena_allocate_array(arena, count + 1, sizeof *view->movable_of);
    for (uint32_t i = 0; i < count; i++) {
        bound[i] = (struct pod_position){problem->pods.bound[i].pod, i};
        view->movable_of[i] = NONE;
    }
    if (count > 1)
        qsort(bound, count, sizeof *bound, by_pod);
    for (uint32_t i = 0; i < movable; i++) {
        struct pod_position key = {problem->pods.movable[i].pod, 0};
        const struct pod_position *found = bsearch(&key, bound, count, sizeof *bound, by_pod);
        view->bound_of[i] = found != NULL ? found->index : NONE;
        if (found != NULL)
            view->movable_of[found->index] = i;
    }
}

// kube-scheduler deduces spreads for these alone.
static bool is_spread_by_default(const struct owner_reference *owner)
{
    return owner != NULL && owner->uid != NULL &&
           (text_equal(owner->kind, "ReplicaSet") || text_equal(owner->kind, "StatefulSet") ||
            text_equal(owner->kind, "ReplicationController"));
}

// Pods are sorted by name: those of a controller mostly follow each other.
static uint32_t number_workloads(const struct problem *problem, struct arena *arena,
                                 struct scheduler_view *view)
{
    struct map *numbers = map_create();
    const char *last = NULL;
    uint32_t last_number = NONE, count = 0;
    view->workload_of =
        arena_allocate_array(arena, problem->pods.bound_count + 1, sizeof *view->workload_of);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++) {
        const struct owner_reference *owner =
            object_controller_owner((const struct object *)problem->pods.bound[i].pod);
        const char *uid = is_spread_by_default(owner) ? owner->uid : NULL;
        if (uid != NULL && (last == NULL || strcmp(uid, last) != 0)) {
            last = uid;
            uintptr_t known = (uintptr_t)map_get(numbers, uid);
            last_number = known != 0 ? (uint32_t)(known - 1) : count++;
            map_set(numbers, uid, (void *)(uintptr_t)(last_number + 1));
        }
        view->workload_of[i] = uid != NULL ? last_number : NONE;
    }
    map_destroy(numbers, NULL);
    return count;
}

static void list_members(const struct problem *problem, struct arena *arena,
                         struct scheduler_view *view, uint32_t workloads)
{
    uint32_t count = problem->pods.bound_count;
    uint32_t *start = arena_allocate_array(arena, workloads + 2, sizeof *start);
    view->members = arena_allocate_array(arena, count + 1, sizeof *view->members);
    for (uint32_t i = 0; i < count; i++)
        if (view->workload_of[i] != NONE)
            start[view->workload_of[i] + 2]++;
    for (uint32_t w = 2; w < workloads + 2; w++)
        start[w] += start[w - 1];
    for (uint32_t i = 0; i < count; i++)
        if (view->workload_of[i] != NONE)
            view->members[start[view->workload_of[i] + 1]++] = i;
    view->member_start = start;
    assert(start[workloads] <= count);
}

// Requirement sets have a zone only if some pod or NodePool asks for it.
static void find_zones(const struct problem *problem, struct arena *arena,
                       struct scheduler_view *view)
{
    struct symbols *zones = symbols_create();
    view->zone_of = arena_allocate_array(arena, problem->nodes.count + 1, sizeof *view->zone_of);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct string_map *labels = problem->nodes.items[i].labels;
        const char *zone = labels != NULL ? string_map_get(labels, LABEL_ZONE) : NULL;
        view->zone_of[i] = zone != NULL ? symbols_intern(zones, zone) : SYMBOL_NONE;
    }
    symbols_destroy(zones);
}

static void find_totals(const struct problem *problem, struct arena *arena,
                        struct scheduler_view *view)
{
    static_assert(DIMENSION_CPU < SCORED_DIMENSIONS && DIMENSION_MEMORY < SCORED_DIMENSIONS,
                  "cpu and memory are scored");
    view->total = arena_allocate_array(arena, problem->nodes.count + 1, sizeof *view->total);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct resource_map *allocatable = &problem->nodes.items[i].allocatable;
        view->total[i][DIMENSION_CPU] = resource_map_get(allocatable, "cpu");
        view->total[i][DIMENSION_MEMORY] = resource_map_get(allocatable, "memory");
    }
}

struct scheduler_view *scheduler_view_create(const struct problem *problem, struct arena *arena)
{
    struct scheduler_view *view = arena_allocate(arena, sizeof *view);
    match(problem, arena, view);
    list_members(problem, arena, view, number_workloads(problem, arena, view));
    find_zones(problem, arena, view);
    find_totals(problem, arena, view);
    return view;
}
