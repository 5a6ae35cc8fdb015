// NodeClaims that never come to rest (DIS-719): where pods come and go more often than
// consolidateAfter, as those of a CronJob do, the node would never be consolidatable, and never a
// place for the pods of others. After ten times consolidateAfter without rest it counts as quiet
// whenever the pods that would move are: each has been there for consolidateAfter. A node that
// nothing would move from is not meant; its rest is that of its NodePool.
//
// Since when a NodeClaim is without rest is kept in memory and, once it has lasted twice
// consolidateAfter, in an annotation of the NodeClaim, so that a restart does not begin anew. Off
// with CONSOLIDATION_QUIET=node.
#pragma once

#include "control/runtime/control.h"

#define ANNOTATION_RESTLESS_SINCE "adze.dev/restless-since"

struct pod_churn;
struct pod_churn *pod_churn_create(struct control *control);
void pod_churn_destroy(struct pod_churn *pod_churn); // NULL is fine

struct pod_churn_look {
    bool quiet;    // counts as quiet although consolidateAfter has not elapsed
    int64_t again; // in how long to look again; INT64_MAX: when something changes
    json_t *patch; // of the NodeClaim's annotation, to be written; NULL: it is right
};
// `rested`: consolidateAfter has elapsed, or nobody waits for it. `since`: the beginning of the
// present wait (DIS-85). The patch is the caller's.
struct pod_churn_look pod_churn_look(struct pod_churn *pod_churn, const struct node_claim *claim,
                                     const struct node_pool *pool, bool rested, int64_t since);
