#include "sim/scheduler/scheduler_affinity.h"

#include <string.h>

#include "sim/scheduler/scheduler_groups.h"
#include "sim/scheduler/scheduler_internal.h"

static void prepare_required_affinity(struct filter_state *state,
                                      const struct pod_affinity *affinity);
static void prepare_anti_affinity(struct filter_state *state, const struct pod_affinity *anti);
static void prepare_existing(struct filter_state *state);

void affinity_prepare(struct filter_state *state)
{
    const struct affinity *affinity = state->pod->spec.affinity;
    if (affinity != NULL) {
        if (affinity->pod_affinity != NULL)
            prepare_required_affinity(state, affinity->pod_affinity);
        if (affinity->pod_anti_affinity != NULL)
            prepare_anti_affinity(state, affinity->pod_anti_affinity);
    }
    prepare_existing(state);
}

// Adds a term's topology with space for its counts.
static struct affinity_state *state_add(struct filter_state *state, struct affinity_states *states,
                                        struct topology *topology)
{
    struct affinity_state *added = &states->items[states->count++];
    added->topology = topology;
    added->counts =
        arena_allocate_array(state->arena, symbols_count(topology->values), sizeof *added->counts);
    return added;
}

// Sums node counts by domain; the total over all nodes that have the label.
static int64_t count_domains(const struct filter_state *state, struct affinity_state *affinity,
                             const uint32_t *node_counts)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < state->cluster->slots.count; i++) {
        uint32_t domain = affinity->topology->domains[i];
        if (domain == SYMBOL_NONE || node_counts[i] == 0)
            continue;
        affinity->counts[domain] += node_counts[i];
        total += node_counts[i];
    }
    return total;
}

// An existing pod counts if it matches all terms together. The first pod of its kind may go
// anywhere, if it matches its own terms.
static void prepare_required_affinity(struct filter_state *state,
                                      const struct pod_affinity *affinity)
{
    uint32_t count = affinity->required.count;
    if (count == 0)
        return;
    struct pod_term *terms = arena_allocate_array(state->arena, count, sizeof *terms);
    bool matches_itself = true;
    for (uint32_t i = 0; i < count; i++) {
        terms[i] = pod_term_of_affinity(state->arena, state->pod, &affinity->required.items[i]);
        matches_itself &= pod_term_matches(state->cluster, &terms[i], state->pod);
    }
    const struct pod_group *group = group_of(state->cluster, state->pod, terms, count, false);
    state->affinity.items =
        arena_allocate_array(state->arena, count, sizeof *state->affinity.items);
    int64_t total = 0;
    list_for_each (term, &affinity->required) {
        struct topology *topology =
            topology_of(state->cluster, term->topology_key == NULL ? "" : term->topology_key);
        total += count_domains(state, state_add(state, &state->affinity, topology), group->counts);
    }
    state->affinity_bootstrap = total == 0 && matches_itself;
}

static void prepare_anti_affinity(struct filter_state *state, const struct pod_affinity *anti)
{
    state->anti_affinity.items = arena_allocate_array(state->arena, anti->required.count,
                                                      sizeof *state->anti_affinity.items);
    list_for_each (affinity, &anti->required) {
        if (affinity->topology_key == NULL)
            continue;
        struct pod_term term = pod_term_of_affinity(state->arena, state->pod, affinity);
        const struct pod_group *group = group_of(state->cluster, state->pod, &term, 1, false);
        struct topology *topology = topology_of(state->cluster, affinity->topology_key);
        count_domains(state, state_add(state, &state->anti_affinity, topology), group->counts);
    }
}

static struct affinity_state *blocked_of(struct filter_state *state, struct topology *topology)
{
    for (uint32_t i = 0; i < state->blocked.count; i++)
        if (state->blocked.items[i].topology == topology)
            return &state->blocked.items[i];
    return state_add(state, &state->blocked, topology);
}

// Anti-affinity works both ways: running pods repel others by their own terms.
static void prepare_existing(struct filter_state *state)
{
    size_t terms = map_count(state->cluster->carried);
    if (terms == 0)
        return;
    state->blocked.items = arena_allocate_array(state->arena, terms, sizeof *state->blocked.items);
    for (struct map_entry *e = map_first(state->cluster->carried); e != NULL; e = map_next(e)) {
        const struct carried_term *carried = map_value(e);
        if (pod_term_matches(state->cluster, &carried->term, state->pod))
            count_domains(state, blocked_of(state, carried->topology), carried->counts);
    }
}

// --- preferred terms -----------------------------------------------------------------------------

static void add_preferred(struct filter_state *state, struct affinity_states *draws,
                          const struct pod_affinity *affinity, int sign)
{
    if (affinity == NULL)
        return;
    list_for_each (weighted, &affinity->preferred) {
        if (weighted->pod_affinity_term.topology_key == NULL)
            continue;
        struct pod_term term =
            pod_term_of_affinity(state->arena, state->pod, &weighted->pod_affinity_term);
        const struct pod_group *group = group_of(state->cluster, state->pod, &term, 1, false);
        struct affinity_state *added = state_add(
            state, draws, topology_of(state->cluster, weighted->pod_affinity_term.topology_key));
        added->weight = sign * weighted->weight;
        count_domains(state, added, group->counts);
    }
}

struct affinity_states affinity_draws(struct filter_state *state)
{
    const struct affinity *own = state->pod->spec.affinity;
    const struct pod_affinity *affinity = own == NULL ? NULL : own->pod_affinity;
    const struct pod_affinity *anti = own == NULL ? NULL : own->pod_anti_affinity;
    size_t count = map_count(state->cluster->drawing) +
                   (affinity == NULL ? 0 : affinity->preferred.count) +
                   (anti == NULL ? 0 : anti->preferred.count);
    struct affinity_states draws = {0};
    if (count == 0)
        return draws;
    draws.items = arena_allocate_array(state->arena, count, sizeof *draws.items);
    add_preferred(state, &draws, affinity, +1);
    add_preferred(state, &draws, anti, -1);
    for (struct map_entry *e = map_first(state->cluster->drawing); e != NULL; e = map_next(e)) {
        const struct carried_term *carried = map_value(e);
        if (!pod_term_matches(state->cluster, &carried->term, state->pod))
            continue;
        struct affinity_state *added = state_add(state, &draws, carried->topology);
        added->weight = carried->weight;
        count_domains(state, added, carried->counts);
    }
    return draws;
}

// --- the filter ----------------------------------------------------------------------------------

static bool any_in_domain(const struct affinity_states *states, uint32_t node)
{
    for (uint32_t i = 0; i < states->count; i++) {
        uint32_t domain = states->items[i].topology->domains[node];
        if (domain != SYMBOL_NONE && states->items[i].counts[domain] > 0)
            return true;
    }
    return false;
}

bool affinity_filter(const struct filter_state *state, const struct filter_node *node,
                     struct filter_tally *tally)
{
    for (uint32_t i = 0; i < state->affinity.count; i++) {
        const struct affinity_state *term = &state->affinity.items[i];
        uint32_t domain = term->topology->domains[node->index];
        if (domain == SYMBOL_NONE || (term->counts[domain] == 0 && !state->affinity_bootstrap))
            return tally_add(tally, FILTER_POD_AFFINITY);
    }
    if (any_in_domain(&state->anti_affinity, node->index))
        return tally_add(tally, FILTER_POD_ANTI_AFFINITY);
    if (any_in_domain(&state->blocked, node->index))
        return tally_add(tally, FILTER_EXISTING_ANTI_AFFINITY);
    return true;
}
