#include "engine/consolidation/repack_target.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/placement/claim_price.h"

#define PODS_MAX 5000 // a larger plan takes too long for a benchmark

// By distance of the price from the target: the least saving of a move with launches, as a
// percentage of its nodes' price.
static const struct {
    int64_t gap_percent, saving_percent;
} steps[] = {{3, 51}, {12, 17}};

// Includes nodes that consolidation skips for now.
static candidate_list list_wanted(struct disruption *disruption,
                                  const struct candidate_table *table)
{
    candidate_list list = candidate_list_create(disruption, table);
    const char *message;
    list_for_each (candidate, &table->candidates)
        if (consolidation_is_eligible(disruption->arena, candidate, &message))
            list.items[list.count++] = candidate;
    return list;
}

static uint32_t pods_of(const candidate_list *wanted)
{
    uint32_t pods = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        pods += wanted->items[i]->reschedulable;
    return pods;
}

static int64_t least_saving(int64_t price, int64_t target)
{
    for (size_t i = 0; i < ARRAY_LENGTH(steps); i++)
        if (price - price / 100 * steps[i].gap_percent <= target)
            return steps[i].saving_percent;
    return 0;
}

static int64_t compare(struct disruption *disruption, const candidate_list *wanted)
{
    assert(wanted->count >= 2);
    int64_t price = candidates_price(wanted->items, wanted->count), target = 0;
    struct removal_simulation removal =
        removal_simulate(disruption, wanted->items, wanted->count, false);
    removal_pack(disruption, &removal);
    int64_t percent = 0;
    if (removal_is_possible(&removal)) {
        for (uint32_t i = 0; i < removal.claims_count; i++)
            target =
                quantity_add(target, claim_cheapest_price(disruption->problem, removal.claims[i]));
        percent = least_saving(price, target);
        disruption->plan->repack.price = price;
        disruption->plan->repack.target = target;
    }
    removal_free(&removal);
    return percent;
}

void repack_target_find(struct disruption *disruption, const struct candidate_table *table)
{
    if (disruption->target_known)
        return;
    candidate_list wanted = list_wanted(disruption, table);
    if (wanted.count < 2 || pods_of(&wanted) > PODS_MAX)
        return;
    disruption->target_known = true;
    disruption->least_saving_percent = compare(disruption, &wanted);
}

bool repack_target_takes(struct disruption *disruption, int64_t price, int64_t savings)
{
    int64_t target = disruption->plan->repack.target;
    if (target == 0) // not known
        return true;
    int64_t left = quantity_subtract(disruption->plan->repack.price, disruption->repack_saved);
    if (savings < price / 100 * least_saving(left, target))
        return false;
    disruption->repack_saved = quantity_add(disruption->repack_saved, savings);
    return true;
}
