#include "engine/consolidation/spare_capacity.h"

#include "base/quantity.h"
#include "engine/pods/pod_class.h"
#include "engine/problem/problem.h"

#define MILLION 1000000

static int64_t room_of(const struct problem *problem, uint32_t place, uint32_t dimension)
{
    int64_t room = problem->schedulable_nodes[place].free[dimension];
    return room > 0 ? room : 0;
}

static bool takes_pods(const struct disruption *disruption, uint32_t place)
{
    const struct state_node *state = &disruption->problem->nodes.items[place];
    return state->initialized && !state->marked_for_deletion &&
           !bitset_has(disruption->going, place) && !bitset_has(disruption->quiet, place);
}

static uint32_t place_of(const struct holes *holes, const struct disruption_candidate *candidate)
{
    return (uint32_t)(candidate->state - holes->disruption->problem->nodes.items);
}

struct holes holes_find(const struct disruption *disruption, struct arena *arena)
{
    const struct problem *problem = disruption->problem;
    struct holes holes = {.disruption = disruption, .arena = arena};
    holes.room = arena_allocate_array(arena, problem->dimensions.count + 1, sizeof *holes.room);
    for (uint32_t p = 0; p < problem->nodes.count; p++)
        for (uint32_t d = 0; takes_pods(disruption, p) && d < problem->dimensions.count; d++)
            holes.room[d] = quantity_add(holes.room[d], room_of(problem, p, d));
    return holes;
}

struct wish holes_wish(const struct holes *holes, struct disruption_candidate *candidate)
{
    const struct problem *problem = holes->disruption->problem;
    const struct simulator *simulator = holes->disruption->simulator;
    int64_t *needs =
        arena_allocate_array(holes->arena, problem->dimensions.count + 1, sizeof *needs);
    struct wish wish = {.candidate = candidate,
                        .needs = needs,
                        .cost = candidates_cost(holes->disruption, &candidate, 1)};
    uint32_t place = place_of(holes, candidate);
    for (uint32_t i = simulator->movable_start[place]; i < simulator->movable_start[place + 1];
         i++) {
        const struct queued_pod *pod = &problem->pods.movable[simulator->movable[i]];
        const int64_t *requests = shape_of(problem, class_at(problem, pod->class))->requests;
        for (uint32_t d = 0; d < problem->dimensions.count; d++)
            needs[d] = quantity_add(needs[d], requests[d]);
    }
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        int64_t room = holes->room[d];
        if (takes_pods(holes->disruption, place))
            room -= room_of(problem, place, d);
        int64_t share = needs[d] <= 0     ? 0
                        : needs[d] > room ? MILLION + 1
                                          : (int64_t)((__int128)needs[d] * MILLION / room);
        wish.share = share > wish.share ? share : wish.share;
    }
    return wish;
}

bool wish_may_fit(const struct wish *wish)
{
    return wish->share <= MILLION;
}

int wishes_compare(const struct wish *a, const struct wish *b)
{
    __int128 x = (__int128)a->cost * (b->share + 1);
    __int128 y = (__int128)b->cost * (a->share + 1);
    return x > y ? -1 : x < y;
}

bool holes_take(struct holes *holes, const struct wish *wish)
{
    const struct problem *problem = holes->disruption->problem;
    uint32_t place = place_of(holes, wish->candidate);
    bool own = takes_pods(holes->disruption, place);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (wish->needs[d] > holes->room[d] - (own ? room_of(problem, place, d) : 0))
            return false;
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        holes->room[d] -= wish->needs[d] + (own ? room_of(problem, place, d) : 0);
    return true;
}
