#include "engine/explain/claim_types.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/type_table.h"

// --- types that mislead --------------------------------------------------------------------------

static uint32_t best_row(const struct claim *claim, const struct row_filter *prices)
{
    uint32_t best = NONE;
    bitset_for_each (r, claim->rows)
        if (prices->list[r] != INT64_MAX &&
            (best == NONE ||
             claim_row_price(claim, prices, r) < claim_row_price(claim, prices, best)))
            best = r;
    return best;
}

// The row with the best effective price; NONE: the list may say everything, in its order.
static uint32_t honest_row(const struct claim *claim, const struct row_filter *prices)
{
    const struct node_template *template = claim->template;
    bool differs = template->table->has_surcharges || template->bursts != NULL;
    return differs && !template->has_min_values ? best_row(claim, prices) : NONE;
}

static bool misleads(const struct claim *claim, const struct row_filter *prices, uint32_t row,
                     uint32_t best)
{
    return best != NONE && prices->list[row] <= prices->list[best] &&
           claim_row_price(claim, prices, row) > claim_row_price(claim, prices, best);
}

// --- the parts of the price ----------------------------------------------------------------------

// With the DaemonSets on the row's machine.
static int64_t cpu_on(const struct claim *claim, uint32_t row)
{
    const struct node_template *template = claim->template;
    for (uint32_t g = 0; g < template->groups_count; g++)
        if (bitset_has(template->groups[g].rows, row))
            return quantity_add(claim->requests[DIMENSION_CPU],
                                template->groups[g].overhead[DIMENSION_CPU]);
    return claim->requests[DIMENSION_CPU];
}

// Of the row's cheapest offering by the list; of equal ones the one that costs less.
static struct plan_costs costs_of(struct problem *problem, const struct claim *claim, uint32_t set,
                                  uint32_t row)
{
    const struct row *own = &claim->template->table->rows[row];
    const struct row_offering *cheapest = NULL;
    list_for_each (offering, &own->offerings)
        if ((cheapest == NULL || offering->list < cheapest->list ||
             (offering->list == cheapest->list && offering->price < cheapest->price)) &&
            sets_compatible(problem->sets, set, offering->set, true))
            cheapest = offering;
    assert(cheapest != NULL);
    return price_parts(&problem->catalog.prices, own->type, cheapest->source, cheapest->list,
                       cpu_on(claim, row));
}

// --- lists ---------------------------------------------------------------------------------------

uint32_t claim_types_list(struct problem *problem, const struct claim *claim, uint32_t set,
                          struct plan_type *types, struct plan_costs *costs)
{
    struct type_table *table = claim->template->table;
    const struct row_filter *prices = type_table_list_prices(problem, table, set);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset seen = bitset_create(scratch, table->types_count);
    uint32_t count = 0, best = honest_row(claim, prices);
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t row = prices->by_list[i];
        if (!bitset_has(claim->rows, row) || prices->list[row] == INT64_MAX ||
            bitset_has(seen, table->rows[row].type_index) || misleads(claim, prices, row, best))
            continue;
        bitset_set(seen, table->rows[row].type_index);
        if (count == 0)
            *costs = costs_of(problem, claim, set, row);
        types[count++] = (struct plan_type){table->rows[row].type, prices->list[row]};
    }
    return count;
}

void claim_types_price(struct problem *problem, const struct claim *claim, uint32_t set,
                       struct plan_costs *costs)
{
    struct type_table *table = claim->template->table;
    const struct row_filter *listed = type_table_list_prices(problem, table, set);
    const struct row_filter *own = type_table_list_prices(problem, table, claim->set);
    uint32_t best = honest_row(claim, listed), first = NONE;
    bitset_for_each (r, claim->rows)
        if (own->list[r] != INT64_MAX && !misleads(claim, listed, r, best) &&
            (first == NONE || own->list[r] < own->list[first]))
            first = r;
    if (first != NONE)
        *costs = costs_of(problem, claim, claim->set, first);
}
