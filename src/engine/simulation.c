#include "engine/simulation.h"

#include <assert.h>
#include <string.h>

static bool is_gone(const struct problem *problem, struct bitset gone,
                    const struct state_node *state)
{
    return state != NULL && bitset_has(gone, (uint32_t)(state - problem->nodes.items));
}

// Both lists are in queue order already.
static uint32_t merge_queues(const struct problem *problem, struct bitset gone,
                             struct queued_pod *queue)
{
    uint32_t i = 0, j = 0, count = 0;
    while (i < problem->queued_count || j < problem->movable_count) {
        if (j < problem->movable_count && !is_gone(problem, gone, problem->movable[j].on)) {
            j++;
            continue;
        }
        bool movable = i == problem->queued_count ||
                       (j < problem->movable_count &&
                        queued_pods_compare(&problem->movable[j], &problem->queued[i]) < 0);
        queue[count] = movable ? problem->movable[j++] : problem->queued[i++];
        queue[count].index = count;
        count++;
    }
    return count;
}

struct pass *simulate(struct problem *problem, struct arena *arena, struct bitset gone)
{
    assert(problem->with_movable);
    uint32_t room = problem->queued_count;
    for (uint32_t j = 0; j < problem->movable_count; j++)
        room += is_gone(problem, gone, problem->movable[j].on);
    struct queued_pod *queue = arena_allocate_array(arena, room + 1, sizeof *queue);
    struct pass_input input = {
        .queue = queue, .excluded = gone, .scheduled = bitset_create(arena, problem->bound_count)};
    input.queue_count = merge_queues(problem, gone, queue);
    for (uint32_t i = 0; i < problem->bound_count; i++) {
        const struct bound_pod *bound = &problem->bound[i];
        uint32_t place = problem->node_objects[bound->node].place;
        if (bound->scheduled || (place != NONE && bitset_has(gone, place) && bound->movable))
            bitset_set(input.scheduled, i);
    }
    struct pass *pass = pass_create(problem, &input);
    if (problem->pools_count > 0)
        pass_run(pass);
    return pass;
}
