#include "engine/placement/place_on_claims.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/placement/claim_bounds.h"
#include "engine/placement/place_claim.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_inverse_spread.h"

// Tries one claim: places the pod, or records a permanent refusal.
static bool try_claim(struct pass *pass, uint32_t index, uint32_t pod, uint32_t class)
{
    struct claim *claim = pass->claims.items[index];
    assert(claim->index == index);
    if (!claim_bounds_allow_share(pass, claim, pod))
        return false;
    if (!topology_inverse_allows(pass, class, claim))
        return false; // before the check, which is more expensive
    enum verdict verdict = claim_check(pass, claim, class, false, &pass->scratch.attempt);
    if (verdict == ACCEPTED && pass->current.mode != PLACE_PROBE)
        claim_accept(pass, claim, pod, class, &pass->scratch.attempt);
    else if (verdict == REFUSED_SHAPE)
        growing_bits_set(&pass_shape(pass, class_at(pass->problem, class)->shape)->refused_claims,
                         index);
    else if (verdict == REFUSED_CLASS)
        growing_bits_set(&pass_class(pass, class)->refused_claims, index);
    return verdict == ACCEPTED;
}

static int compare_claims(const void *a, const void *b, void *context)
{
    const struct pass *pass = context;
    const struct claim *x = pass->claims.items[*(const uint32_t *)a];
    const struct claim *y = pass->claims.items[*(const uint32_t *)b];
    if (x->pods.count != y->pods.count)
        return x->pods.count < y->pods.count ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// Uses a list of the claims that are not permanently refused; for classes that most claims refuse.
static bool place_on_listed_claims(struct pass *pass, uint32_t pod, uint32_t class)
{
    struct shape_state *shape = pass_shape(pass, class_at(pass->problem, class)->shape);
    struct class_state *state = pass_class(pass, class);
    for (; state->listed_claims < pass->claims.count; state->listed_claims++)
        vector_push(&state->open_claims, state->listed_claims);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->open_claims.count; i++) {
        uint32_t index = state->open_claims.items[i];
        if (!growing_bits_have(&shape->refused_claims, index) &&
            !growing_bits_have(&state->refused_claims, index))
            state->open_claims.items[kept++] = index;
    }
    state->open_claims.count = kept;
    qsort_r(state->open_claims.items, kept, sizeof *state->open_claims.items, compare_claims, pass);
    for (uint32_t i = 0; i < kept && !topology_inverse_tries_end(pass); i++)
        if (try_claim(pass, state->open_claims.items[i], pod, class))
            return true;
    return false;
}

#define REFUSED_CLAIMS_WALKED 64 // before the list is used

bool place_on_claims(struct pass *pass, uint32_t pod, uint32_t class)
{
    struct shape_state *shape = pass_shape(pass, class_at(pass->problem, class)->shape);
    struct class_state *state = pass_class(pass, class);
    uint32_t walked = 0;
    for (uint32_t count = 1; count < pass->claim_order.first_with.count; count++)
        for (uint32_t at = pass->claim_order.first_with.items[count]; at != 0;
             at = pass->claims.items[at - 1]->next) {
            if (topology_inverse_tries_end(pass))
                return false;
            if (growing_bits_have(&shape->refused_claims, at - 1) ||
                growing_bits_have(&state->refused_claims, at - 1)) {
                if (++walked == REFUSED_CLAIMS_WALKED)
                    return place_on_listed_claims(pass, pod, class);
                continue;
            }
            if (try_claim(pass, at - 1, pod, class))
                return true;
        }
    return false;
}
