#include "engine/placement/claim_price.h"

#include <assert.h>

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

static void add_row(struct problem *problem, const struct claim *claim, const struct row *row,
                    struct sums sums[CAPACITIES])
{
    list_for_each (offering, &row->offerings) {
        if (!sets_compatible(problem->sets, claim->set, offering->set, true))
            continue;
        struct sums *sum = &sums[capacity_of(problem, offering)];
        if (sum->count == 0 || offering->price < sum->lowest)
            sum->lowest = offering->price;
        sum->total += offering->price;
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
        add_row(problem, claim, &table->rows[row], sums);
    }
    if (sums[CAPACITY_RESERVED].count > 0)
        return sums[CAPACITY_RESERVED].lowest;
    if (sums[CAPACITY_SPOT].count > 0)
        return (int64_t)(sums[CAPACITY_SPOT].total / sums[CAPACITY_SPOT].count);
    return sums[CAPACITY_ON_DEMAND].count > 0 ? sums[CAPACITY_ON_DEMAND].lowest : INT64_MAX;
}

int64_t claim_cheapest_price(struct problem *problem, const struct claim *claim)
{
    const struct row_filter *prices =
        type_table_prices(problem, claim->template->table, claim->set);
    int64_t lowest = INT64_MAX;
    bitset_for_each (r, claim->rows)
        if (prices->cheapest[r] < lowest)
            lowest = prices->cheapest[r];
    return lowest;
}

int64_t claim_price_or_zero(struct problem *problem, const struct claim *claim)
{
    int64_t lowest = claim_cheapest_price(problem, claim);
    return lowest == INT64_MAX ? 0 : lowest;
}

int64_t claim_attempt_price(struct pass *pass, const struct claim *claim,
                            const struct claim_attempt *attempt)
{
    const struct row_filter *prices =
        type_table_prices(pass->problem, claim->template->table, attempt->set);
    for (uint32_t i = 0; i < claim->template->table->count; i++)
        if (bitset_has(attempt->rows, prices->by_price[i]))
            return prices->cheapest[prices->by_price[i]];
    return INT64_MAX;
}
