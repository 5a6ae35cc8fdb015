#include "engine/disruption/removal_misfits.h"

#include <assert.h>

static uint32_t member_of(const struct removal_simulation *removal, const struct state_node *home)
{
    for (uint32_t i = 0; home != NULL && i < removal->candidates_count; i++)
        if (removal->candidates[i]->state == home)
            return i;
    return NONE;
}

uint32_t removal_misfit(const struct disruption *disruption,
                        const struct removal_simulation *removal)
{
    assert(removal->candidates_count > 0);
    if (removal_needs_no_node(removal))
        return NONE;
    const struct pass *pass = removal->pass;
    uint32_t count = removal->candidates_count, worst = NONE;
    uint32_t *misfits = arena_allocate_array(removal->arena, count + 1, sizeof *misfits);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind == ON_NODE)
            continue;
        uint32_t member = member_of(removal, disruption_node_of(disruption, pass_pod(pass, i)));
        if (member != NONE)
            misfits[member]++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (misfits[i] > 0 && (worst == NONE || misfits[i] >= misfits[worst]))
            worst = i;
    return worst != NONE ? worst : count - 1;
}
