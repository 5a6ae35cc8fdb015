#include "engine/repack_target.h"

#include "base/quantity.h"
#include "engine/expected_price.h"
#include "engine/trial.h"

#define PODS_MAX     5000 // a larger plan takes too long to be only a yardstick
#define NEAR_PERCENT 3

static uint32_t pods_of(const candidate_list *wanted)
{
    uint32_t pods = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        pods += wanted->items[i]->reschedulable;
    return pods;
}

static bool is_near(struct disruption *disruption, const candidate_list *wanted)
{
    int64_t price = candidates_price(wanted->items, wanted->count), target = 0;
    struct trial trial = trial_run(disruption, wanted->items, wanted->count, false);
    trial_pack(disruption, &trial);
    bool near = false;
    if (trial_possible(&trial)) {
        for (uint32_t i = 0; i < trial.claims_count; i++)
            target = quantity_add(target,
                                  claim_cheapest_price(disruption->problem, trial.claims[i]));
        near = price - price / 100 * NEAR_PERCENT <= target;
        disruption->plan->repack.price = price;
        disruption->plan->repack.target = target;
    }
    trial_free(&trial);
    return near;
}

void repack_target_look(struct disruption *disruption, const candidate_list *wanted)
{
    if (disruption->target_known || wanted->count < 2 || pods_of(wanted) > PODS_MAX)
        return;
    disruption->target_known = true;
    disruption->near_target = is_near(disruption, wanted);
}
