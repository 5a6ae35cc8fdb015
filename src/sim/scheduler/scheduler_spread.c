#include "sim/scheduler/scheduler_spread.h"

#include <string.h>

#include "sim/scheduler/scheduler_groups.h"
#include "sim/scheduler/scheduler_internal.h"
#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/scheduler/scheduler_taints.h"

static void spread_count(const struct filter_state *state, struct spread_state *spread);

void spread_prepare(struct filter_state *state)
{
    const struct pod_spec *spec = &state->pod->spec;
    uint32_t count = spec->topology_spread_constraints.count;
    if (count == 0)
        return;
    state->spreads = arena_allocate_array(state->arena, count, sizeof *state->spreads);
    list_for_each (constraint, &spec->topology_spread_constraints) {
        if (constraint->topology_key == NULL ||
            text_equal(constraint->when_unsatisfiable, "ScheduleAnyway"))
            continue;
        struct pod_term term = pod_term_of_spread(state->arena, state->pod, constraint);
        state->spreads[state->spreads_count++] = (struct spread_state){
            .constraint = constraint,
            .topology = topology_of(state->cluster, constraint->topology_key),
            .group = group_of(state->cluster, state->pod, &term, 1, true),
            .matches_itself = pod_term_matches(state->cluster, &term, state->pod),
        };
    }
    for (uint32_t i = 0; i < state->spreads_count; i++)
        spread_count(state, &state->spreads[i]);
}

// Only nodes that have all keys and pass the policies count.
static bool node_counts(const struct filter_state *state, const struct spread_state *spread,
                        const struct filter_node *node)
{
    for (uint32_t i = 0; i < state->spreads_count; i++)
        if (state->spreads[i].topology->domains[node->index] == SYMBOL_NONE)
            return false;
    return spread_includes(&state->pod->spec, spread->constraint, node->node);
}

bool spread_includes(const struct pod_spec *spec,
                     const struct topology_spread_constraint *constraint, const struct node *node)
{
    if (!text_equal(constraint->node_affinity_policy, "Ignore") &&
        !filter_node_affinity_matches(spec, node))
        return false;
    return !text_equal(constraint->node_taints_policy, "Honor") ||
           filter_untolerated_taint(spec, node, false) == NULL;
}

static void spread_count(const struct filter_state *state, struct spread_state *spread)
{
    spread->domains_count = symbols_count(spread->topology->values);
    spread->counts =
        arena_allocate_array(state->arena, spread->domains_count, sizeof *spread->counts);
    spread->eligible =
        arena_allocate_array(state->arena, spread->domains_count, sizeof *spread->eligible);
    vector_for_each (slot, &state->cluster->slots) {
        const struct filter_node *node = *slot;
        if (node == NULL || node->node == NULL || !node_counts(state, spread, node))
            continue;
        uint32_t domain = spread->topology->domains[node->index];
        spread->eligible[domain] = true;
        spread->counts[domain] += spread->group->counts[node->index];
    }
    int64_t eligible = 0, minimum = INT64_MAX;
    for (uint32_t domain = 0; domain < spread->domains_count; domain++) {
        if (!spread->eligible[domain])
            continue;
        eligible++;
        if (spread->counts[domain] < minimum)
            minimum = spread->counts[domain];
    }
    const struct optional_int *wanted = &spread->constraint->min_domains;
    bool too_few = wanted->present && eligible < wanted->value;
    spread->minimum = too_few || eligible == 0 ? 0 : minimum;
}

bool spread_filter(const struct filter_state *state, const struct filter_node *node,
                   struct filter_tally *tally)
{
    for (uint32_t i = 0; i < state->spreads_count; i++) {
        const struct spread_state *spread = &state->spreads[i];
        uint32_t domain = spread->topology->domains[node->index];
        if (domain == SYMBOL_NONE)
            return tally_add(tally, FILTER_SPREAD_LABEL);
        int64_t skew = spread->counts[domain] + spread->matches_itself - spread->minimum;
        if (skew > spread->constraint->max_skew)
            return tally_add(tally, FILTER_SPREAD);
    }
    return true;
}
