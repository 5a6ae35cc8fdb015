#include "sim/scheduler/scheduler_spread_scores.h"

#include <math.h>

#include "sim/scheduler/scheduler_groups.h"
#include "sim/scheduler/scheduler_internal.h"
#include "sim/scheduler/scheduler_spread.h"

#define KEY_HOSTNAME "kubernetes.io/hostname"
#define VALUE_NONE   (-1) // of nodes that are not compared

struct wish {
    const struct topology_spread_constraint *constraint;
    const struct topology *topology;
    const struct pod_group *group;
    bool by_node;
    int64_t *counts; // by domain; NULL: by node
    bool *reached;   // domains of nodes that are compared
    double weight;
};
struct wishes {
    struct wish *items;
    uint32_t count;
    bool all_keys; // only nodes that have all of the keys are compared
};

static struct wishes gather(struct filter_state *state, const struct label_selector *workload);
static void weigh(struct filter_state *state, const struct wishes *wishes, struct wish *wish,
                  const uint32_t *nodes, uint32_t count);
static void count_pods(const struct filter_state *state, const struct wishes *wishes,
                       struct wish *wish);
static int64_t cost(const struct wishes *wishes, uint32_t node);
static void normalise(int64_t *values, uint32_t count);

void spread_score(struct filter_state *state, const struct label_selector *workload,
                  const uint32_t *nodes, int64_t *values, uint32_t count)
{
    struct wishes wishes = gather(state, workload);
    for (uint32_t i = 0; i < count; i++)
        values[i] = 0;
    if (wishes.count == 0)
        return;
    for (uint32_t i = 0; i < wishes.count; i++) {
        weigh(state, &wishes, &wishes.items[i], nodes, count);
        if (!wishes.items[i].by_node)
            count_pods(state, &wishes, &wishes.items[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = cost(&wishes, nodes[i]);
    normalise(values, count);
}

static void add(struct filter_state *state, struct wishes *wishes,
                const struct topology_spread_constraint *constraint)
{
    struct pod_term term = pod_term_of_spread(state->arena, state->pod, constraint);
    wishes->items[wishes->count++] = (struct wish){
        .constraint = constraint,
        .topology = topology_of(state->cluster, constraint->topology_key),
        .group = group_of(state->cluster, state->pod, &term, 1, true),
        .by_node = text_equal(constraint->topology_key, KEY_HOSTNAME),
    };
}

static struct wishes gather(struct filter_state *state, const struct label_selector *workload)
{
    static const struct topology_spread_constraint defaults[] = {
        {.topology_key = KEY_HOSTNAME, .max_skew = 3},
        {.topology_key = "topology.kubernetes.io/zone", .max_skew = 5},
    };
    const struct pod_spec *spec = &state->pod->spec;
    uint32_t own = spec->topology_spread_constraints.count;
    struct wishes wishes = {.all_keys = own > 0};
    if (own == 0 && workload == NULL)
        return wishes;
    wishes.items =
        arena_allocate_array(state->arena, own + ARRAY_LENGTH(defaults), sizeof *wishes.items);
    list_for_each (constraint, &spec->topology_spread_constraints) {
        if (constraint->topology_key != NULL &&
            text_equal(constraint->when_unsatisfiable, "ScheduleAnyway"))
            add(state, &wishes, constraint);
    }
    for (size_t i = 0; own == 0 && i < ARRAY_LENGTH(defaults); i++) {
        struct topology_spread_constraint *constraint =
            arena_allocate(state->arena, sizeof *constraint);
        *constraint = defaults[i];
        constraint->label_selector = (struct label_selector *)workload;
        add(state, &wishes, constraint);
    }
    return wishes;
}

static bool is_compared(const struct wishes *wishes, uint32_t node)
{
    for (uint32_t i = 0; wishes->all_keys && i < wishes->count; i++)
        if (wishes->items[i].topology->domains[node] == SYMBOL_NONE)
            return false;
    return true;
}

// The more domains there are, the more a pod in one of them weighs.
static void weigh(struct filter_state *state, const struct wishes *wishes, struct wish *wish,
                  const uint32_t *nodes, uint32_t count)
{
    uint32_t width = symbols_count(wish->topology->values), domains = 0;
    bool outside = false;
    wish->reached = arena_allocate_array(state->arena, width + 1, sizeof *wish->reached);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_compared(wishes, nodes[i]))
            continue;
        uint32_t domain = wish->topology->domains[nodes[i]];
        bool *known = domain == SYMBOL_NONE ? &outside : &wish->reached[domain];
        domains += wish->by_node || !*known;
        *known = true;
    }
    wish->weight = log((double)domains + 2);
}

static void count_pods(const struct filter_state *state, const struct wishes *wishes,
                       struct wish *wish)
{
    wish->counts = arena_allocate_array(state->arena, symbols_count(wish->topology->values) + 1,
                                        sizeof *wish->counts);
    vector_for_each (slot, &state->cluster->slots) {
        const struct filter_node *node = *slot;
        if (node == NULL || node->node == NULL || wish->group->counts[node->index] == 0)
            continue;
        uint32_t domain = wish->topology->domains[node->index];
        if (domain != SYMBOL_NONE && wish->reached[domain] && is_compared(wishes, node->index) &&
            spread_includes(&state->pod->spec, wish->constraint, node->node))
            wish->counts[domain] += wish->group->counts[node->index];
    }
}

static int64_t cost(const struct wishes *wishes, uint32_t node)
{
    if (!is_compared(wishes, node))
        return VALUE_NONE;
    double sum = 0;
    for (uint32_t i = 0; i < wishes->count; i++) {
        const struct wish *wish = &wishes->items[i];
        uint32_t domain = wish->topology->domains[node];
        if (domain == SYMBOL_NONE)
            continue;
        int64_t pods = wish->by_node ? wish->group->counts[node] : wish->counts[domain];
        sum += (double)pods * wish->weight + (double)(wish->constraint->max_skew - 1);
    }
    return llround(sum);
}

static void normalise(int64_t *values, uint32_t count)
{
    int64_t least = INT64_MAX, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == VALUE_NONE)
            continue;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == VALUE_NONE)
            values[i] = 0;
        else
            values[i] = most == 0 ? SCORE_MAX : SCORE_MAX * (most + least - values[i]) / most;
    }
}
