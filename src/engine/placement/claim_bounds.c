#include "engine/placement/claim_bounds.h"

#include <assert.h>

#include "base/quantity.h"
#include "engine/pass/refusal.h"
#include "engine/pods/workload_replicas.h"
#include "model/reading/pool_annotations.h"

bool claim_bounds_allow(struct pass *pass, const struct claim *claim, const struct shape *shape)
{
    const struct node_template *template = claim->template;
    if (quantity_add(claim->requests[DIMENSION_PODS], shape->requests[DIMENSION_PODS]) <=
        template->most_pods)
        return true;
    if (refusal_begin(pass, REASON_INSUFFICIENT_RESOURCES) != NULL)
        text_format(pass->refusal.why,
                    "exceeds what annotation " ANNOTATION_MAX_PODS_PER_NODE
                    " allows one node (NodePool=%s)",
                    template->pool->meta.name);
    return false;
}

static struct claim_share *share_of(const struct claim *claim, uint32_t workload)
{
    vector_for_each (share, &claim->shares)
        if (share->workload == workload)
            return share;
    return NULL;
}

bool claim_bounds_allow_share(struct pass *pass, const struct claim *claim, uint32_t pod)
{
    if (claim->template->most_share >= 100)
        return true;
    uint32_t workload = workload_of_pod(pass->problem, pass_pod(pass, pod)->pod);
    const struct claim_share *share = workload == NONE ? NULL : share_of(claim, workload);
    return share == NULL ||
           share->count < workload_node_share(pass->problem, claim->template, workload);
}

void claim_bounds_take(struct pass *pass, struct claim *claim, uint32_t pod)
{
    if (claim->template->most_share >= 100)
        return;
    uint32_t workload = workload_of_pod(pass->problem, pass_pod(pass, pod)->pod);
    if (workload == NONE)
        return;
    struct claim_share *share = share_of(claim, workload);
    assert(share == NULL || share->count > 0);
    if (share != NULL)
        share->count++;
    else
        vector_push(&claim->shares, (struct claim_share){workload, 1});
}
