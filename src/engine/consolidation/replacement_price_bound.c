#include "engine/consolidation/replacement_price_bound.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/templates/type_table.h"

static void add_row(const struct problem *problem, const struct row *row, int64_t price,
                    double *prices)
{
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        if (row->allocatable[d] <= 0)
            continue;
        double unit = (double)price / (double)row->allocatable[d];
        if (prices[d] < 0 || unit < prices[d])
            prices[d] = unit;
    }
}

static void add_template(struct problem *problem, const struct node_template *template,
                         uint32_t set, double *prices)
{
    uint32_t both = set_meet(problem->sets, template->set, set);
    const struct row_filter *filter = type_table_prices(problem, template->table, both);
    bitset_for_each (r, template->rows)
        if (bitset_has(filter->both, r) && filter->cheapest[r] != INT64_MAX)
            add_row(problem, &template->table->rows[r],
                    quantity_add(filter->cheapest[r], problem->catalog.node_cost), prices);
}

static const double *make_prices(struct price_bound *bound, uint32_t set, uint32_t tolerations)
{
    struct problem *problem = bound->disruption->problem;
    double *prices =
        arena_allocate_array(bound->arena, problem->dimensions.count + 1, sizeof *prices);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        prices[d] = -1;
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        const struct node_template *template = problem->templates.items[t];
        if (problem_tolerates_hard(problem, tolerations, template->taints) &&
            sets_compatible(problem->sets, template->set, set, true))
            add_template(problem, template, set, prices);
    }
    return prices;
}

// Unit prices for pods with the same requirements and tolerations as this one.
static const double *prices_for(struct price_bound *bound, const struct queued_pod *pod)
{
    const struct problem *problem = bound->disruption->problem;
    const struct pod_class *class = problem->interned.classes.items[pod->class];
    uint32_t tolerations = problem->interned.shapes.items[class->shape].tolerations;
    uint32_t index = memo_get(&bound->known, class->strict_set, tolerations);
    if (index != MEMO_NONE)
        return bound->prices.items[index];
    const double *prices = make_prices(bound, class->strict_set, tolerations);
    memo_set(&bound->known, class->strict_set, tolerations, bound->prices.count);
    vector_push(&bound->prices, prices);
    return prices;
}

struct price_bound price_bound_create(struct disruption *disruption, struct arena *arena)
{
    return (struct price_bound){.disruption = disruption, .arena = arena};
}

void price_bound_free(struct price_bound *bound)
{
    memo_free(&bound->known);
    vector_free(&bound->prices);
}

struct sum {
    double *by_dimension; // nano-USD an hour
    bool impossible;      // no machine has what some pod requests
};

static void add_pod(struct price_bound *bound, const struct queued_pod *pod, struct sum *sum)
{
    const struct problem *problem = bound->disruption->problem;
    assert(pod->class < problem->interned.classes.count);
    const struct pod_class *class = problem->interned.classes.items[pod->class];
    const int64_t *requests = problem->interned.shapes.items[class->shape].requests;
    const double *prices = prices_for(bound, pod);
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        if (requests[d] <= 0)
            continue;
        sum->impossible = sum->impossible || prices[d] < 0;
        sum->by_dimension[d] += (double)requests[d] * prices[d];
    }
}

// Each dimension alone must be paid for: the most expensive one counts.
static int64_t highest(const struct price_bound *bound, const struct sum *sum)
{
    double most = 0;
    for (uint32_t d = 0; d < bound->disruption->problem->dimensions.count; d++)
        most = sum->by_dimension[d] > most ? sum->by_dimension[d] : most;
    return sum->impossible ? INT64_MAX : (int64_t)most;
}

int64_t price_bound_of(struct price_bound *bound, const struct disruption_candidate *candidate)
{
    const struct problem *problem = bound->disruption->problem;
    const struct simulator *simulator = bound->disruption->simulator;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct sum sum = {arena_allocate_array(scratch, problem->dimensions.count + 1, sizeof(double)),
                      false};
    uint32_t place = (uint32_t)(candidate->state - problem->nodes.items);
    assert(place < problem->nodes.count);
    for (uint32_t i = simulator->movable_start[place]; i < simulator->movable_start[place + 1]; i++)
        add_pod(bound, &problem->pods.movable[simulator->movable[i]], &sum);
    return highest(bound, &sum);
}

int64_t price_bound_of_claims(struct price_bound *bound, const struct pass *pass,
                              struct claim *const *claims, uint32_t count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct sum sum = {
        arena_allocate_array(scratch, pass->problem->dimensions.count + 1, sizeof(double)), false};
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < claims[c]->pods.count; i++)
            add_pod(bound, pass_pod(pass, claims[c]->pods.items[i]), &sum);
    return highest(bound, &sum);
}
