#include "engine/simulation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/place.h"
#include "engine/scheduler_choice.h"

static uint32_t place_of_movable(const struct problem *problem, uint32_t index)
{
    return (uint32_t)(problem->movable[index].on - problem->nodes.items);
}

static uint32_t place_of_bound(const struct problem *problem, uint32_t index)
{
    const struct bound_pod *bound = &problem->bound[index];
    return bound->movable ? problem->node_objects[bound->node].place : NONE;
}

// Sorts the indexes 0 to count - 1 by place; those without one are left out.
static void index_places(const struct problem *problem, struct arena *arena, uint32_t count,
                         uint32_t (*place_of)(const struct problem *, uint32_t), uint32_t **start,
                         uint32_t **items)
{
    uint32_t places = problem->nodes.count;
    *start = arena_allocate_array(arena, places + 2, sizeof **start);
    *items = arena_allocate_array(arena, count + 1, sizeof **items);
    for (uint32_t i = 0; i < count; i++)
        if (place_of(problem, i) != NONE)
            (*start)[place_of(problem, i) + 2]++;
    for (uint32_t p = 2; p < places + 2; p++)
        (*start)[p] += (*start)[p - 1];
    for (uint32_t i = 0; i < count; i++)
        if (place_of(problem, i) != NONE)
            (*items)[(*start)[place_of(problem, i) + 1]++] = i;
}

static void make_shared(const struct problem *problem, struct arena *arena,
                        struct pass_shared *shared)
{
    shared->arena = arena;
    shared->places = shared_places_create(problem, arena);
    shared->remaining = limits_remaining(problem, arena, (struct bitset){0});
}

struct simulator *simulator_create(struct problem *problem, struct arena *arena)
{
    assert(problem->with_movable);
    struct simulator *simulator = arena_allocate(arena, sizeof *simulator);
    simulator->problem = problem;
    index_places(problem, arena, problem->movable_count, place_of_movable,
                 &simulator->movable_start, &simulator->movable);
    index_places(problem, arena, problem->bound_count, place_of_bound, &simulator->bound_start,
                 &simulator->bound);
    make_shared(problem, arena, &simulator->shared);
    return simulator;
}

static int compare_indexes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The indexes in problem->movable, in queue order.
static uint32_t *pods_that_move(const struct simulator *simulator, struct arena *arena,
                                const struct simulation *simulation, uint32_t *count)
{
    *count = 0;
    for (uint32_t g = 0; g < simulation->gone_count; g++)
        *count += simulator->movable_start[simulation->gone[g] + 1] -
                  simulator->movable_start[simulation->gone[g]];
    uint32_t *moving = arena_allocate_array(arena, *count + 1, sizeof *moving), at = 0;
    for (uint32_t g = 0; g < simulation->gone_count; g++) {
        uint32_t place = simulation->gone[g];
        for (uint32_t i = simulator->movable_start[place]; i < simulator->movable_start[place + 1];
             i++)
            moving[at++] = simulator->movable[i];
    }
    qsort(moving, at, sizeof *moving, compare_indexes);
    return moving;
}

// Both lists are in queue order already.
static void merge_queues(const struct problem *problem, const uint32_t *moving, uint32_t count,
                         struct queued_pod *queue)
{
    for (uint32_t i = 0, j = 0, k = 0; i < problem->queued_count || j < count; k++) {
        bool moves = i == problem->queued_count ||
                     (j < count && queued_pods_compare(&problem->movable[moving[j]],
                                                       &problem->queued[i]) < 0);
        queue[k] = moves ? problem->movable[moving[j++]] : problem->queued[i++];
        queue[k].index = k;
    }
}

// Pods that kube-scheduler puts where it likes take what they want before all others.
static void put_scheduled_first(struct queued_pod *queue, uint32_t count,
                                const struct scheduled_list *list, struct queued_pod *others)
{
    uint32_t first = 0, rest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (queue[i].pod != NULL && scheduled_find(list, queue[i].pod) != NULL)
            queue[first++] = queue[i];
        else
            others[rest++] = queue[i];
    }
    for (uint32_t i = 0; i < rest; i++)
        queue[first + i] = others[i];
    for (uint32_t i = 0; i < count; i++)
        queue[i].index = i;
}

struct pass *simulate(struct simulator *simulator, struct arena *arena,
                      const struct simulation *simulation)
{
    struct problem *problem = simulator->problem;
    uint32_t count;
    const uint32_t *moving = pods_that_move(simulator, arena, simulation, &count);
    struct queued_pod *queue =
        arena_allocate_array(arena, problem->queued_count + count + 1, sizeof *queue);
    merge_queues(problem, moving, count, queue);
    if (simulation->scheduled != NULL && simulation->scheduled->count > 0)
        put_scheduled_first(
            queue, problem->queued_count + count, simulation->scheduled,
            arena_allocate_array(arena, problem->queued_count + count + 1, sizeof *queue));
    struct pass_input input = {.shared = &simulator->shared,
                               .queue = queue,
                               .queue_count = problem->queued_count + count,
                               .excluded = bitset_create(arena, problem->nodes.count),
                               .scheduled = bitset_create(arena, problem->bound_count),
                               .quiet = simulation->quiet,
                               .followed = simulation->scheduled};
    bitset_copy(input.scheduled, problem->scheduled);
    if (simulation->closed.bits > 0)
        bitset_copy(input.excluded, simulation->closed);
    for (uint32_t g = 0; g < simulation->gone_count; g++) {
        uint32_t place = simulation->gone[g];
        bitset_set(input.excluded, place);
        for (uint32_t i = simulator->bound_start[place]; i < simulator->bound_start[place + 1]; i++)
            bitset_set(input.scheduled, simulator->bound[i]);
    }
    struct pass *pass = pass_create(problem, &input);
    // Without any pool upstream asks nothing (DIS-234); to move to nodes needs none (DIS-712).
    if (problem->pools_count > 0 || !problem->settings->compatibility_upstream)
        pass_run(pass);
    return pass;
}
