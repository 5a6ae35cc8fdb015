#include "engine/disruption/loop_guard.h"

#include <assert.h>
#include <string.h>

#include "engine/templates/templates.h"

static bool concerns(const struct guarded_move *move, const struct disruption_candidate *candidate)
{
    const struct string_map *labels = candidate->state->labels;
    return text_equal(move->pool, candidate->pool->pool->meta.name) &&
           text_equal(move->from_type, string_map_get(labels, LABEL_INSTANCE_TYPE));
}

static void drop_type(const struct claim *claim, const char *name)
{
    assert(claim->rows.bits == claim->template->table->count);
    const struct type_table *table = claim->template->table;
    bitset_for_each (r, claim->rows)
        if (strcmp(table->rows[r].type->name, name) == 0)
            bitset_clear(claim->rows, r);
}

void loop_guard_apply(const struct disruption *disruption,
                      struct disruption_candidate *const *candidates, uint32_t count,
                      struct claim *const *claims, uint32_t claims_count)
{
    const struct disruption_inputs *inputs = disruption->inputs;
    for (uint32_t i = 0; i < inputs->guarded_count; i++)
        for (uint32_t c = 0; c < count; c++) {
            if (!concerns(&inputs->guarded[i], candidates[c]))
                continue;
            for (uint32_t k = 0; k < claims_count; k++)
                drop_type(claims[k], inputs->guarded[i].to_type);
        }
}
