#include "engine/placement/scheduler_spread.h"

#include <assert.h>
#include <math.h>

#include "engine/pass/scheduler_view.h"

#define MAX_SKEW_NODES 3 // kube-scheduler's defaults
#define MAX_SKEW_ZONES 5

struct zone_count {
    uint32_t zone, pods;
    bool is_reached; // some node that is compared lies there
};
struct spread_counts {
    struct pass *pass;
    uint32_t *on_node; // by node; zero between two uses
    struct {
        uint32_t *items, count;
    } nodes; // those with pods
    VECTOR(struct zone_count) zones;
};

static struct zone_count *zone_of(struct spread_counts *counts, uint32_t zone)
{
    vector_for_each (entry, &counts->zones)
        if (entry->zone == zone)
            return entry;
    vector_push(&counts->zones, (struct zone_count){zone, 0, false});
    return &counts->zones.items[counts->zones.count - 1];
}

// The node where the running pod is at this moment of the pass; NONE: on none.
static uint32_t node_now(const struct pass *pass, uint32_t bound)
{
    const struct problem *problem = pass->problem;
    const struct bound_pod *pod = &problem->pods.bound[bound];
    uint32_t movable = pass->input.view->movable_of[bound];
    uint32_t position = movable != NONE ? pass->positions[movable] : NONE;
    if (position != NONE && pass->placements[position].kind != NOT_PLACED)
        return pass->placements[position].kind == ON_NODE ? pass->placements[position].index : NONE;
    bool has_left = !pod->counted || pod->scheduled || pod->node == NONE ||
                    (position != NONE && bitset_has(pass->left, movable));
    return has_left ? NONE : problem->node_objects.items[pod->node].state;
}

static void count(struct spread_counts *counts, uint32_t node)
{
    uint32_t zone = counts->pass->input.view->zone_of[node];
    if (counts->on_node[node]++ == 0)
        counts->nodes.items[counts->nodes.count++] = node;
    if (zone != SYMBOL_NONE)
        zone_of(counts, zone)->pods++;
}

static struct spread_counts *counts_of(struct pass *pass)
{
    if (pass->spread == NULL) {
        uint32_t nodes = pass->problem->nodes.count;
        pass->spread = arena_allocate(pass->arena, sizeof *pass->spread);
        pass->spread->pass = pass;
        pass->spread->on_node =
            arena_allocate_array(pass->arena, nodes + 1, sizeof *pass->spread->on_node);
        pass->spread->nodes.items =
            arena_allocate_array(pass->arena, nodes + 1, sizeof *pass->spread->nodes.items);
    }
    return pass->spread;
}

struct spread_counts *spread_counts_begin(struct pass *pass, uint32_t pod)
{
    const struct queued_pod *queued = pass_pod(pass, pod);
    const struct scheduler_view *view = pass->input.view;
    uint32_t bound = view != NULL && queued->running ? view->bound_of[queued->origin] : NONE;
    uint32_t workload = bound != NONE ? view->workload_of[bound] : NONE;
    if (workload == NONE || queued->pod->spec.topology_spread_constraints.count > 0)
        return NULL;
    struct spread_counts *counts = counts_of(pass);
    assert(counts->nodes.count == 0);
    for (uint32_t i = view->member_start[workload]; i < view->member_start[workload + 1]; i++) {
        uint32_t node = view->members[i] != bound ? node_now(pass, view->members[i]) : NONE;
        if (node != NONE)
            count(counts, node);
    }
    return counts;
}

void spread_counts_end(struct spread_counts *counts)
{
    if (counts == NULL)
        return;
    for (uint32_t i = 0; i < counts->nodes.count; i++)
        counts->on_node[counts->nodes.items[i]] = 0;
    counts->nodes.count = 0;
    vector_free(&counts->zones);
}

// The more domains there are, the more a pod in one of them weighs.
static double weight_of(uint32_t domains)
{
    return log((double)domains + 2);
}

struct weights {
    double of_node, of_zone;
};

static int64_t cost_of(struct spread_counts *counts, uint32_t node, struct weights weights)
{
    uint32_t zone = counts->pass->input.view->zone_of[node];
    double cost = counts->on_node[node] * weights.of_node + MAX_SKEW_NODES - 1;
    if (zone != SYMBOL_NONE)
        cost += zone_of(counts, zone)->pods * weights.of_zone + MAX_SKEW_ZONES - 1;
    return llround(cost);
}

void spread_counts_score(struct spread_counts *counts, const uint32_t *nodes, uint32_t count,
                         int64_t most, int64_t *scores)
{
    uint32_t zones = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t zone = counts->pass->input.view->zone_of[nodes[i]];
        struct zone_count *entry = zone != SYMBOL_NONE ? zone_of(counts, zone) : NULL;
        if (entry == NULL || entry->is_reached)
            continue;
        entry->is_reached = true;
        zones++;
    }
    const struct weights weights = {weight_of(count), weight_of(zones)};
    int64_t least_cost = INT64_MAX, most_cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        scores[i] = cost_of(counts, nodes[i], weights);
        least_cost = scores[i] < least_cost ? scores[i] : least_cost;
        most_cost = scores[i] > most_cost ? scores[i] : most_cost;
    }
    for (uint32_t i = 0; i < count; i++)
        scores[i] = most_cost == 0 ? most : most * (most_cost + least_cost - scores[i]) / most_cost;
}
