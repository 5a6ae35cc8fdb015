#include "sim/scheduler/scheduler_scores.h"

#include <stdlib.h>
#include <string.h>

#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_affinity.h"
#include "sim/scheduler/scheduler_internal.h"
#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/scheduler/scheduler_spread_scores.h"

struct scoring {
    struct filter_state *state;
    const struct label_selector *workload;
    const uint32_t *nodes;
    uint32_t count;
};

static void least_allocated(const struct scoring *scoring, int64_t *values);
static void balanced_allocation(const struct scoring *scoring, int64_t *values);
static void topology_spread(const struct scoring *scoring, int64_t *values);
static void pod_affinity(const struct scoring *scoring, int64_t *values);
static void node_affinity(const struct scoring *scoring, int64_t *values);
static void taints(const struct scoring *scoring, int64_t *values);

void filter_score(struct filter_state *state, const struct label_selector *workload,
                  const uint32_t *nodes, int64_t *scores, uint32_t count)
{
    static const struct {
        void (*score)(const struct scoring *scoring, int64_t *values);
        int64_t weight;
    } plugins[] = {
        {least_allocated, 1}, {balanced_allocation, 1}, {topology_spread, 2},
        {pod_affinity, 2},    {node_affinity, 2},       {taints, 3},
    };
    const struct scoring scoring = {state, workload, nodes, count};
    int64_t *values = arena_allocate_array(state->arena, count, sizeof *values);
    memset(scores, 0, count * sizeof *scores);
    for (size_t plugin = 0; plugin < ARRAY_LENGTH(plugins); plugin++) {
        plugins[plugin].score(&scoring, values);
        for (uint32_t i = 0; i < count; i++)
            scores[i] += plugins[plugin].weight * values[i];
    }
}

static const struct filter_node *node_of(const struct scoring *scoring, uint32_t i)
{
    return scoring->state->cluster->slots.items[scoring->nodes[i]];
}

// --- resources -----------------------------------------------------------------------------------

static int64_t free_per_cent(int64_t used, int64_t total)
{
    return used > total ? 0 : (total - used) * SCORE_MAX / total;
}

// The mean of the free shares of cpu and memory.
static void least_allocated(const struct scoring *scoring, int64_t *values)
{
    const struct filter_pod *pod = scoring->state->self;
    for (uint32_t i = 0; i < scoring->count; i++) {
        const struct filter_node *node = node_of(scoring, i);
        int64_t sum = 0, resources = 0;
        for (uint32_t r = 0; r < SCORED_RESOURCES; r++) {
            if (node->allocatable[r] <= 0)
                continue;
            sum += free_per_cent(node->scored[r] + pod->scored[r], node->allocatable[r]);
            resources++;
        }
        values[i] = resources == 0 ? 0 : sum / resources;
    }
}

// 100 if cpu and memory are used alike, 50 if one is full and the other empty.
static int64_t balance(const struct filter_node *node, const int64_t added[SCORED_RESOURCES])
{
    double shares[SCORED_RESOURCES];
    uint32_t count = 0;
    for (uint32_t r = 0; r < SCORED_RESOURCES; r++) {
        if (node->allocatable[r] <= 0)
            continue;
        double share = (double)(node->requested[r] + added[r]) / (double)node->allocatable[r];
        shares[count++] = share > 1 ? 1 : share;
    }
    if (count < SCORED_RESOURCES)
        return SCORE_MAX;
    double difference = shares[RESOURCE_CPU] - shares[RESOURCE_MEMORY];
    double deviation = (difference < 0 ? -difference : difference) / 2;
    return (int64_t)((1 - deviation) * (double)SCORE_MAX);
}

// How much the pod improves or worsens the balance (since 1.36; before, the balance with it). Pods
// that request neither cpu nor memory get no score.
static void balanced_allocation(const struct scoring *scoring, int64_t *values)
{
    const struct filter_pod *pod = scoring->state->self;
    int64_t none[SCORED_RESOURCES] = {0}, added[SCORED_RESOURCES] = {0};
    for (uint32_t r = 0; r < pod->requests_count; r++)
        if (pod->requests[r].resource < SCORED_RESOURCES)
            added[pod->requests[r].resource] = pod->requests[r].value;
    bool asks = memcmp(none, added, sizeof none) != 0;
    for (uint32_t i = 0; i < scoring->count; i++) {
        const struct filter_node *node = node_of(scoring, i);
        values[i] = !asks ? 0
                          : SCORE_MAX / 2 +
                                (SCORE_MAX / 2 + balance(node, added) - balance(node, none)) / 2;
    }
}

// --- pods ----------------------------------------------------------------------------------------

static void topology_spread(const struct scoring *scoring, int64_t *values)
{
    spread_score(scoring->state, scoring->workload, scoring->nodes, values, scoring->count);
}

static int64_t draw(const struct affinity_states *draws, uint32_t node)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < draws->count; i++) {
        const struct affinity_state *term = &draws->items[i];
        uint32_t domain = term->topology->domains[node];
        if (domain != SYMBOL_NONE)
            sum += term->weight * term->counts[domain];
    }
    return sum;
}

static void pod_affinity(const struct scoring *scoring, int64_t *values)
{
    struct affinity_states draws = affinity_draws(scoring->state);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < scoring->count; i++) {
        values[i] = draw(&draws, scoring->nodes[i]);
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    for (uint32_t i = 0; i < scoring->count; i++)
        values[i] = most == least ? 0
                                  : (int64_t)((double)SCORE_MAX * ((double)(values[i] - least) /
                                                                   (double)(most - least)));
}

// --- nodes ---------------------------------------------------------------------------------------

static void share_of_most(int64_t *values, uint32_t count, bool less_is_better)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = values[i] > most ? values[i] : most;
    for (uint32_t i = 0; i < count; i++) {
        int64_t share = most == 0 ? 0 : SCORE_MAX * values[i] / most;
        values[i] = less_is_better ? SCORE_MAX - share : share;
    }
}

static void node_affinity(const struct scoring *scoring, int64_t *values)
{
    const struct affinity *affinity = scoring->state->pod->spec.affinity;
    memset(values, 0, scoring->count * sizeof *values);
    if (affinity == NULL || affinity->node_affinity == NULL)
        return;
    for (uint32_t i = 0; i < scoring->count; i++)
        list_for_each (preferred, &affinity->node_affinity->preferred) {
            node_selector_term_list terms = {&preferred->preference, 1};
            if (filter_node_terms_match(&terms, node_of(scoring, i)->node))
                values[i] += preferred->weight;
        }
    share_of_most(values, scoring->count, false);
}

static void taints(const struct scoring *scoring, int64_t *values)
{
    const struct pod_spec *spec = &scoring->state->pod->spec;
    for (uint32_t i = 0; i < scoring->count; i++) {
        values[i] = 0;
        list_for_each (taint, &node_of(scoring, i)->node->spec.taints)
            values[i] += text_equal(taint->effect, "PreferNoSchedule") &&
                         !tolerations_tolerate(&spec->tolerations, taint);
    }
    share_of_most(values, scoring->count, true);
}
