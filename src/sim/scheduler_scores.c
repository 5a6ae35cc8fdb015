// Scores of the nodes that fit, each rule's from 0 to 100, with kube-scheduler's weights. Simpler
// than its own, but with the same drift: spread out, follow preferences.
#include <string.h>

#include "sim/scheduler_cluster.h"

#define SCORE_MAX 100

enum {
    WEIGHT_TAINTS = 3,
    WEIGHT_NODE_AFFINITY = 2,
    WEIGHT_SPREAD = 2,
    WEIGHT_POD_AFFINITY = 2,
    WEIGHT_RESOURCES = 1
};

static int64_t free_share(const struct filter_state *state, const struct filter_node *node);
static int64_t taint_cost(const struct filter_state *state, const struct filter_node *node);
static int64_t preferred_nodes(const struct filter_state *state, const struct filter_node *node);
static int64_t preferred_pods(const struct filter_state *state, const struct filter_node *node);
static int64_t soft_spread(const struct filter_state *state, const struct filter_node *node);
static void add_normalised(int64_t *scores, const int64_t *values, uint32_t count,
                           bool less_is_better, int64_t weight);

void filter_score(struct filter_state *state, const uint32_t *nodes, int64_t *scores,
                  uint32_t count)
{
    static const struct {
        int64_t (*value)(const struct filter_state *state, const struct filter_node *node);
        bool less_is_better;
        int64_t weight;
    } rules[] = {
        {taint_cost, true, WEIGHT_TAINTS},
        {preferred_nodes, false, WEIGHT_NODE_AFFINITY},
        {soft_spread, true, WEIGHT_SPREAD},
        {preferred_pods, false, WEIGHT_POD_AFFINITY},
    };
    int64_t *values = arena_allocate_array(state->arena, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        scores[i] = WEIGHT_RESOURCES * free_share(state, state->cluster->slots.items[nodes[i]]);
    for (size_t rule = 0; rule < ARRAY_LENGTH(rules); rule++) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = rules[rule].value(state, state->cluster->slots.items[nodes[i]]);
        add_normalised(scores, values, count, rules[rule].less_is_better, rules[rule].weight);
    }
}

static void add_normalised(int64_t *scores, const int64_t *values, uint32_t count,
                           bool less_is_better, int64_t weight)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    if (count == 0 || low == high)
        return;
    for (uint32_t i = 0; i < count; i++) {
        int64_t distance = less_is_better ? high - values[i] : values[i] - low;
        scores[i] +=
            weight * (int64_t)((double)SCORE_MAX * (double)distance / (double)(high - low));
    }
}

// Mean share of cpu and memory that is free once the pod is there.
static int64_t free_share(const struct filter_state *state, const struct filter_node *node)
{
    static const char *const names[] = {"cpu", "memory"};
    int64_t score = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        uint32_t resource = symbols_find(state->cluster->resources, names[i]);
        if (resource == SYMBOL_NONE || resource >= node->width || node->allocatable[resource] <= 0)
            continue;
        int64_t used = node->requested[resource];
        for (uint32_t r = 0; r < state->self->requests_count; r++)
            if (state->self->requests[r].resource == resource)
                used += state->self->requests[r].value;
        int64_t total = node->allocatable[resource];
        if (used < total)
            score += (int64_t)((double)SCORE_MAX * (double)(total - used) / (double)total);
    }
    return score / (int64_t)ARRAY_LENGTH(names);
}

static int64_t taint_cost(const struct filter_state *state, const struct filter_node *node)
{
    int64_t cost = 0;
    list_for_each (taint, &node->node->spec.taints)
        cost += text_equal(taint->effect, "PreferNoSchedule") &&
                !tolerations_tolerate(&state->pod->spec.tolerations, taint);
    return cost;
}

static int64_t preferred_nodes(const struct filter_state *state, const struct filter_node *node)
{
    const struct affinity *affinity = state->pod->spec.affinity;
    if (affinity == NULL || affinity->node_affinity == NULL)
        return 0;
    int64_t weight = 0;
    list_for_each (preferred, &affinity->node_affinity->preferred) {
        node_selector_term_list terms = {&preferred->preference, 1};
        if (filter_node_terms_match(&terms, node->node))
            weight += preferred->weight;
    }
    return weight;
}

static int64_t preferred_pods(const struct filter_state *state, const struct filter_node *node)
{
    int64_t weight = 0;
    for (uint32_t i = 0; i < state->preferred.count; i++) {
        const struct affinity_state *term = &state->preferred.items[i];
        uint32_t domain = term->topology->domains[node->index];
        if (domain != SYMBOL_NONE)
            weight += term->weight * term->counts[domain];
    }
    return weight;
}

static int64_t soft_spread(const struct filter_state *state, const struct filter_node *node)
{
    return spread_cost(state, node->index);
}
