#include "engine/consolidation/consolidation_move.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

void move_free(struct consolidation_move *move)
{
    assert(move->kind != MOVE_REPLACE || move->claim != NULL);
    if (move->removal.pass != NULL)
        removal_free(&move->removal);
    *move = (struct consolidation_move){0};
}

int64_t move_price(struct disruption *disruption, const struct claim *claim, uint32_t priced)
{
    struct problem *problem = disruption->problem;
    if (disruption->strategy->asks_offering_prices) {
        int64_t lowest = claim_cheapest_price(problem, claim);
        return lowest != INT64_MAX ? lowest : 0;
    }
    struct type_table *table = claim->template->table;
    const struct row_filter *order = type_table_prices(problem, table, priced);
    const struct row_filter *prices = type_table_prices(problem, table, claim->set);
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t row = order->by_price[i];
        if (bitset_has(claim->rows, row))
            return prices->cheapest[row] != INT64_MAX ? prices->cheapest[row] : 0;
    }
    return 0;
}

void move_note_prices(struct disruption *disruption, struct consolidation_move *move)
{
    const struct type_table *table = move->claim->template->table;
    move->least = INT64_MAX;
    if (!disruption->explains)
        return;
    const int64_t *worst = type_table_worst_prices(disruption->problem,
                                                   move->claim->template->table, move->claim->set);
    bitset_for_each (r, move->claim->rows) {
        const struct instance_type *type = table->rows[r].type;
        bool before = move->least_type == NULL || strcmp(type->name, move->least_type->name) < 0;
        int64_t burst =
            row_burst_cost(move->claim->template, r, move->claim->requests[DIMENSION_CPU]);
        int64_t price = quantity_add(worst[r], burst);
        if (price > move->least || (price == move->least && !before))
            continue;
        move->least = price;
        move->least_type = type;
    }
}
