#include "engine/placement/claim_price.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/type_table.h"

#define SENT_TYPES_MAX 60 // instance types in a launch request, the cheapest ones

enum capacity { CAPACITY_RESERVED, CAPACITY_SPOT, CAPACITY_ON_DEMAND, CAPACITIES };

struct sums { // of the offerings of one capacity type
    int64_t lowest;
    __int128 total;
    uint32_t count;
};

static enum capacity capacity_of(struct problem *problem, const struct row_offering *offering)
{
    static const char *const names[] = {CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT};
    const struct requirement *requirement =
        set_get(problem->sets, offering->set, problem->keys.capacity_type);
    for (uint32_t i = 0; requirement != NULL && i < ARRAY_LENGTH(names); i++) {
        uint32_t value = vocabulary_find_value(problem->vocabulary, names[i]);
        if (!requirement->complement && value != SYMBOL_NONE &&
            requirement_has(problem->vocabulary, requirement, value))
            return (enum capacity)i;
    }
    return CAPACITY_ON_DEMAND;
}

static void add_row(struct problem *problem, const struct claim *claim, uint32_t row,
                    struct sums sums[CAPACITIES])
{
    int64_t burst = row_burst_cost(claim->template, row, claim->requests[DIMENSION_CPU]);
    list_for_each (offering, &claim->template->table->rows[row].offerings) {
        if (!sets_compatible(problem->sets, claim->set, offering->set, true))
            continue;
        struct sums *sum = &sums[capacity_of(problem, offering)];
        int64_t price = quantity_add(offering->price, burst);
        if (sum->count == 0 || price < sum->lowest)
            sum->lowest = price;
        sum->total += price;
        sum->count++;
    }
}

int64_t claim_expected_price(struct problem *problem, const struct claim *claim)
{
    struct type_table *table = claim->template->table;
    const struct row_filter *prices = type_table_prices(problem, table, claim->set);
    struct sums sums[CAPACITIES] = {0};
    uint32_t types = 0, last = NONE;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t row = prices->by_price[i];
        if (!bitset_has(claim->rows, row) || prices->cheapest[row] == INT64_MAX)
            continue;
        assert(i == 0 || prices->cheapest[prices->by_price[i - 1]] <= prices->cheapest[row]);
        types += table->rows[row].type_index != last;
        last = table->rows[row].type_index;
        if (types > SENT_TYPES_MAX)
            break;
        add_row(problem, claim, row, sums);
    }
    if (sums[CAPACITY_RESERVED].count > 0)
        return sums[CAPACITY_RESERVED].lowest;
    if (sums[CAPACITY_SPOT].count > 0)
        return (int64_t)(sums[CAPACITY_SPOT].total / sums[CAPACITY_SPOT].count);
    return sums[CAPACITY_ON_DEMAND].count > 0 ? sums[CAPACITY_ON_DEMAND].lowest : INT64_MAX;
}

int64_t claim_row_price(const struct claim *claim, const struct row_filter *prices, uint32_t row)
{
    int64_t burst = row_burst_cost(claim->template, row, claim->requests[DIMENSION_CPU]);
    return burst == 0 ? prices->cheapest[row] : quantity_add(prices->cheapest[row], burst);
}

uint32_t claim_cheapest_row(struct problem *problem, const struct claim *claim)
{
    const struct row_filter *prices =
        type_table_prices(problem, claim->template->table, claim->set);
    uint32_t best = NONE;
    int64_t lowest = INT64_MAX;
    bitset_for_each (r, claim->rows) {
        int64_t price = claim_row_price(claim, prices, r);
        if (best != NONE && price >= lowest)
            continue;
        lowest = price;
        best = r;
    }
    return best;
}

int64_t claim_cheapest_price(struct problem *problem, const struct claim *claim)
{
    uint32_t row = claim_cheapest_row(problem, claim);
    return row == NONE
               ? INT64_MAX
               : claim_row_price(
                     claim, type_table_prices(problem, claim->template->table, claim->set), row);
}

int64_t claim_price_or_zero(struct problem *problem, const struct claim *claim)
{
    int64_t lowest = claim_cheapest_price(problem, claim);
    return lowest == INT64_MAX ? 0 : lowest;
}

int64_t claim_attempt_price(struct pass *pass, const struct claim *claim,
                            const struct claim_attempt *attempt)
{
    const struct node_template *template = claim->template;
    const struct row_filter *prices =
        type_table_prices(pass->problem, template->table, attempt->set);
    int64_t lowest = INT64_MAX;
    for (uint32_t i = 0; i < template->table->count; i++) {
        uint32_t row = prices->by_price[i];
        if (prices->cheapest[row] >= lowest)
            break;
        if (!bitset_has(attempt->rows, row))
            continue;
        int64_t price =
            quantity_add(prices->cheapest[row], row_burst_cost(template, row, attempt->cpu));
        lowest = price < lowest ? price : lowest;
    }
    return lowest;
}
