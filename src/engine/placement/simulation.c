#include "engine/placement/simulation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/pass/scheduler_view.h"
#include "engine/placement/limits.h"
#include "engine/placement/pass.h"
#include "engine/placement/pass_run.h"
#include "engine/placement/scheduler_choice.h"
#include "engine/placement/shared_refusals.h"
#include "engine/pods/pod_class.h"
#include "engine/problem/eviction_order.h"
#include "engine/topology/topology.h"

static uint32_t place_of_movable(const struct problem *problem, uint32_t index)
{
    return (uint32_t)(problem->pods.movable[index].on - problem->nodes.items);
}

static uint32_t place_of_bound(const struct problem *problem, uint32_t index)
{
    const struct bound_pod *bound = &problem->pods.bound[index];
    return bound->movable ? problem->node_objects.items[bound->node].state : NONE;
}

// Sorts the indexes 0 to count - 1 by node, without those that have none.
static void index_by_node(const struct problem *problem, struct arena *arena, uint32_t count,
                          uint32_t (*node_of)(const struct problem *, uint32_t), uint32_t **start,
                          uint32_t **items)
{
    uint32_t nodes = problem->nodes.count;
    *start = arena_allocate_array(arena, nodes + 2, sizeof **start);
    *items = arena_allocate_array(arena, count + 1, sizeof **items);
    for (uint32_t i = 0; i < count; i++)
        if (node_of(problem, i) != NONE)
            (*start)[node_of(problem, i) + 2]++;
    for (uint32_t p = 2; p < nodes + 2; p++)
        (*start)[p] += (*start)[p - 1];
    for (uint32_t i = 0; i < count; i++)
        if (node_of(problem, i) != NONE)
            (*items)[(*start)[node_of(problem, i) + 1]++] = i;
    assert((*start)[nodes] <= count);
}

static void make_shared(const struct problem *problem, struct arena *arena,
                        struct pass_shared *shared)
{
    shared->arena = arena;
    shared->nodes = shared_nodes_create(problem, arena);
    shared->remaining = limits_remaining(problem, arena);
}

struct simulator *simulator_create(struct problem *problem, struct arena *arena)
{
    assert(problem->with_movable);
    struct simulator *simulator = arena_allocate(arena, sizeof *simulator);
    simulator->problem = problem;
    index_by_node(problem, arena, problem->pods.movable_count, place_of_movable,
                  &simulator->movable_start, &simulator->movable);
    index_by_node(problem, arena, problem->pods.bound_count, place_of_bound,
                  &simulator->bound_start, &simulator->bound);
    make_shared(problem, arena, &simulator->shared);
    return simulator;
}

static int compare_indexes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The indexes in `items` of the removed nodes, ascending.
static const uint32_t *pods_of_removed(const struct simulation *simulation, struct arena *arena,
                                       const uint32_t *start, const uint32_t *items,
                                       uint32_t *count)
{
    *count = 0;
    if (simulation->gone_count == 1) { // the usual case; already sorted
        *count = start[simulation->gone[0] + 1] - start[simulation->gone[0]];
        return &items[start[simulation->gone[0]]];
    }
    for (uint32_t g = 0; g < simulation->gone_count; g++)
        *count += start[simulation->gone[g] + 1] - start[simulation->gone[g]];
    uint32_t *moving = arena_allocate_array(arena, *count + 1, sizeof *moving), at = 0;
    for (uint32_t g = 0; g < simulation->gone_count; g++)
        for (uint32_t i = start[simulation->gone[g]]; i < start[simulation->gone[g] + 1]; i++)
            moving[at++] = items[i];
    assert(at == *count);
    qsort(moving, at, sizeof *moving, compare_indexes);
    return moving;
}

// The position in which the `i`th of `count` pods evicted together comes back: reversed, from the
// middle on, or alternating.
static uint32_t return_position(uint32_t mixture, uint32_t i, uint32_t count)
{
    assert(i < count);
    switch (mixture) {
    case 1:
        return count - 1 - i;
    case 2:
        return (i + count / 2) % count;
    case 3:
        return i % 2 == 0 ? i / 2 : (count + 1) / 2 + i / 2;
    default:
        return i;
    }
}

struct leaving {
    int64_t size;
    uint32_t index, node;
};

static int hardest_first(const void *a, const void *b)
{
    const struct leaving *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

// The order in which evicted pods come back: by eviction size (ties in queue order), mixed.
static const uint32_t *order_evicted(const struct problem *problem, struct arena *arena,
                                     uint32_t mixture, const uint32_t *moving, uint32_t count)
{
    assert(mixture <= MIXTURES);
    struct leaving *leaving = arena_allocate_array(arena, count + 1, sizeof *leaving);
    uint32_t *ordered = arena_allocate_array(arena, count + 1, sizeof *ordered);
    for (uint32_t i = 0; i < count; i++) {
        const struct queued_pod *pod = &problem->pods.movable[moving[i]];
        leaving[i] = (struct leaving){eviction_size(pod->cpu, pod->memory), moving[i], i};
    }
    qsort(leaving, count, sizeof *leaving, hardest_first);
    uint32_t most = evicted_together(count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i - i % most, left = count - first;
        uint32_t together = left < most ? left : most;
        ordered[first + return_position(mixture, i - first, together)] = leaving[i].index;
    }
    return ordered;
}

// Both lists are in queue order, except evicted pods.
static void merge_queues(const struct problem *problem, const uint32_t *moving, uint32_t count,
                         struct queued_pod *queue)
{
    for (uint32_t i = 0, j = 0, k = 0; i < problem->pods.queued_count || j < count; k++) {
        bool moves = i == problem->pods.queued_count ||
                     (j < count && queued_pods_compare(&problem->pods.movable[moving[j]],
                                                       &problem->pods.queued[i]) < 0);
        queue[k] = moves ? problem->pods.movable[moving[j++]] : problem->pods.queued[i++];
        queue[k].index = k;
    }
}

// Moves pods placed by kube-scheduler's choice to the front: they take their room first.
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
    assert(first + rest == count);
    for (uint32_t i = 0; i < rest; i++)
        queue[first + i] = others[i];
    for (uint32_t i = 0; i < count; i++)
        queue[i].index = i;
}

// Excludes removed and closed nodes, each once.
static void exclude(const struct problem *problem, struct arena *arena,
                    const struct simulation *simulation, struct pass_input *input)
{
    struct bitset closed = simulation->closed;
    uint32_t room = simulation->gone_count + (closed.bits > 0 ? bitset_count(closed) : 0);
    uint32_t *excluded = arena_allocate_array(arena, room + 1, sizeof *excluded);
    for (uint32_t g = 0; g < simulation->gone_count; g++)
        excluded[input->excluded_count++] = simulation->gone[g];
    for (uint32_t p = bitset_next(closed, 0); p < closed.bits; p = bitset_next(closed, p + 1)) {
        bool gone = false;
        for (uint32_t g = 0; g < simulation->gone_count && !gone; g++)
            gone = simulation->gone[g] == p;
        if (!gone)
            excluded[input->excluded_count++] = p;
    }
    assert(input->excluded_count <= problem->nodes.count);
    input->excluded = excluded;
}

struct pass *simulate(struct simulator *simulator, struct arena *arena,
                      const struct simulation *simulation)
{
    struct problem *problem = simulator->problem;
    bool as_scheduled = simulation->as_scheduled ||
                        (simulation->scheduled != NULL && simulation->scheduled->count > 0);
    if (as_scheduled && simulator->view == NULL)
        simulator->view = scheduler_view_create(problem, simulator->shared.arena);
    struct pass_input input = {.shared = &simulator->shared,
                               .quiet = simulation->quiet,
                               .followed = simulation->scheduled,
                               .as_scheduled = simulation->as_scheduled,
                               .guided = simulation->guided,
                               .fits_or_stops = simulation->fits_or_stops,
                               .lots = simulation->mixture,
                               .view = as_scheduled ? simulator->view : NULL};
    uint32_t count;
    const uint32_t *moving =
        pods_of_removed(simulation, arena, simulator->movable_start, simulator->movable, &count);
    if (simulation->as_scheduled)
        moving = order_evicted(problem, arena, simulation->mixture, moving, count);
    input.queue_count = problem->pods.queued_count + count;
    struct queued_pod *queue = arena_allocate_array(arena, input.queue_count + 1, sizeof *queue);
    merge_queues(problem, moving, count, queue);
    if (simulation->scheduled != NULL && simulation->scheduled->count > 0)
        put_scheduled_first(queue, input.queue_count, simulation->scheduled,
                            arena_allocate_array(arena, input.queue_count + 1, sizeof *queue));
    input.queue = queue;
    exclude(problem, arena, simulation, &input);
    input.moved = pods_of_removed(simulation, arena, simulator->bound_start, simulator->bound,
                                  &input.moved_count);
    assert(input.queue_count >= problem->pods.queued_count);
    struct pass *pass = pass_create(problem, &input);
    // DIS-234; moving pods to existing nodes needs no NodePool (DIS-712).
    if (problem->templates.pools_count > 0 || problem->strategy->places_without_pools)
        pass_run(pass);
    return pass;
}
