#include "engine/placement/place_by_price.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/claim_bounds.h"
#include "engine/placement/claim_price.h"
#include "engine/placement/new_claim.h"
#include "engine/placement/place_claim.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_inverse_spread.h"

#define CLAIMS_ASKED 256 // for one pod, the last ones

static bool is_refused(struct pass *pass, uint32_t class, uint32_t index)
{
    struct shape_state *shape = pass_shape(pass, class_at(pass->problem, class)->shape);
    return growing_bits_have(&shape->refused_claims, index) ||
           growing_bits_have(&pass_class(pass, class)->refused_claims, index);
}

// The price that the pod adds to the claim; INT64_MAX: the claim refuses it.
static int64_t added_price(struct pass *pass, uint32_t index, uint32_t pod, uint32_t class)
{
    const struct claim *claim = pass->claims.items[index];
    if (is_refused(pass, class, index) || !claim_bounds_allow_share(pass, claim, pod) ||
        !topology_inverse_allows(pass, class, claim))
        return INT64_MAX;
    enum verdict verdict = claim_check(pass, claim, class, false, &pass->scratch.attempt);
    if (verdict == REFUSED_SHAPE)
        growing_bits_set(&pass_shape(pass, class_at(pass->problem, class)->shape)->refused_claims,
                         index);
    else if (verdict == REFUSED_CLASS)
        growing_bits_set(&pass_class(pass, class)->refused_claims, index);
    if (verdict != ACCEPTED)
        return INT64_MAX;
    int64_t price = claim_attempt_price(pass, claim, &pass->scratch.attempt);
    return price == INT64_MAX ? price - 1 : price - claim_price_or_zero(pass->problem, claim);
}

static int64_t price_of_new(struct pass *pass, uint32_t pod, uint32_t class)
{
    enum placing mode = pass->current.mode;
    pass->current.mode = PLACE_PROBE;
    bool could = place_on_new_claim(pass, pod, class);
    pass->current.mode = mode;
    return could ? quantity_add(pass->current.probed_price, pass->problem->catalog.node_cost)
                 : INT64_MAX;
}

bool place_by_price(struct pass *pass, uint32_t pod, uint32_t class)
{
    uint32_t count = pass->claims.count, best = NONE;
    int64_t least = INT64_MAX;
    for (uint32_t i = count > CLAIMS_ASKED ? count - CLAIMS_ASKED : 0; i < count; i++) {
        int64_t added = added_price(pass, i, pod, class);
        if (added < least) {
            least = added;
            best = i;
        }
    }
    if (best == NONE || (least > 0 && price_of_new(pass, pod, class) < least))
        return place_on_new_claim(pass, pod, class);
    if (pass->current.mode == PLACE_PROBE)
        return true;
    assert(best < pass->claims.count);
    struct claim *claim = pass->claims.items[best];
    if (claim_check(pass, claim, class, false, &pass->scratch.attempt) != ACCEPTED)
        return false;
    claim_accept(pass, claim, pod, class, &pass->scratch.attempt);
    return true;
}
