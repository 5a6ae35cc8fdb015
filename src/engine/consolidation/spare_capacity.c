#include "engine/consolidation/spare_capacity.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/pods/classes.h"
#include "engine/problem/problem.h"

#define MILLION 1000000

static int64_t room_of(const struct problem *problem, uint32_t place, uint32_t dimension)
{
    assert(place < problem->nodes.count);
    int64_t room = problem->schedulable_nodes[place].free[dimension];
    return room > 0 ? room : 0;
}

static bool takes_pods(const struct disruption *disruption, uint32_t place)
{
    const struct state_node *state = &disruption->problem->nodes.items[place];
    return state->initialized && !state->marked_for_deletion &&
           !bitset_has(disruption->going, place) && !bitset_has(disruption->quiet, place);
}

static uint32_t place_of(const struct spare_capacity *spare,
                         const struct disruption_candidate *candidate)
{
    return (uint32_t)(candidate->state - spare->disruption->problem->nodes.items);
}

struct spare_capacity spare_capacity_find(const struct disruption *disruption, struct arena *arena)
{
    const struct problem *problem = disruption->problem;
    struct spare_capacity spare = {.disruption = disruption, .arena = arena};
    spare.room = arena_allocate_array(arena, problem->dimensions.count + 1, sizeof *spare.room);
    for (uint32_t p = 0; p < problem->nodes.count; p++)
        for (uint32_t d = 0; takes_pods(disruption, p) && d < problem->dimensions.count; d++)
            spare.room[d] = quantity_add(spare.room[d], room_of(problem, p, d));
    return spare;
}

struct capacity_need spare_capacity_need(const struct spare_capacity *spare,
                                         struct disruption_candidate *candidate)
{
    const struct problem *problem = spare->disruption->problem;
    const struct simulator *simulator = spare->disruption->simulator;
    int64_t *sum = arena_allocate_array(spare->arena, problem->dimensions.count + 1, sizeof *sum);
    struct capacity_need need = {.candidate = candidate,
                                 .requests = sum,
                                 .cost = candidates_cost(spare->disruption, &candidate, 1)};
    uint32_t place = place_of(spare, candidate);
    for (uint32_t i = simulator->movable_start[place]; i < simulator->movable_start[place + 1];
         i++) {
        const struct queued_pod *pod = &problem->pods.movable[simulator->movable[i]];
        const int64_t *requests = shape_of(problem, class_at(problem, pod->class))->requests;
        for (uint32_t d = 0; d < problem->dimensions.count; d++)
            sum[d] = quantity_add(sum[d], requests[d]);
    }
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        int64_t room = spare->room[d];
        if (takes_pods(spare->disruption, place))
            room -= room_of(problem, place, d);
        int64_t share = sum[d] <= 0     ? 0
                        : sum[d] > room ? MILLION + 1
                                        : (int64_t)((__int128)sum[d] * MILLION / room);
        need.share = share > need.share ? share : need.share;
    }
    assert(need.share >= 0);
    return need;
}

bool capacity_need_fits(const struct capacity_need *need)
{
    return need->share <= MILLION;
}

int capacity_needs_compare(const struct capacity_need *a, const struct capacity_need *b)
{
    __int128 x = (__int128)a->cost * (b->share + 1);
    __int128 y = (__int128)b->cost * (a->share + 1);
    return x > y ? -1 : x < y;
}

bool spare_capacity_take(struct spare_capacity *spare, const struct capacity_need *need)
{
    assert(capacity_need_fits(need));
    const struct problem *problem = spare->disruption->problem;
    uint32_t place = place_of(spare, need->candidate);
    bool own = takes_pods(spare->disruption, place);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (need->requests[d] > spare->room[d] - (own ? room_of(problem, place, d) : 0))
            return false;
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        spare->room[d] -= need->requests[d] + (own ? room_of(problem, place, d) : 0);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        assert(spare->room[d] >= 0);
    return true;
}
