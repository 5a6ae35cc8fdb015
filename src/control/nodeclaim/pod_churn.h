// Nodes with endless pod churn (DIS-719): where pods come and go more often than consolidateAfter,
// as those of a CronJob do, the node would never be consolidatable, nor a place for other pods.
// After ten times consolidateAfter it counts as quiet as soon as every pod that would move is
// consolidateAfter old. A node without such pods is not affected; consolidateAfter of its NodePool
// applies.
//
// The start of the churn is kept in memory and, after twice consolidateAfter, in an annotation of
// the NodeClaim, so that it survives a restart. Off with CONSOLIDATION_QUIET=node.
#pragma once

#include "control/runtime/control.h"

#define ANNOTATION_RESTLESS_SINCE "adze.dev/restless-since"

struct pod_churn;
struct pod_churn *pod_churn_create(struct control *control);
void pod_churn_destroy(struct pod_churn *pod_churn); // NULL is fine

struct pod_churn_result {
    bool quiet;         // counts as quiet although consolidateAfter has not elapsed
    int64_t recheck_ns; // until the next check; INT64_MAX: at the next change
    json_t *patch;      // of the NodeClaim's annotation, to write; NULL: it is up to date
};
// `rested`: consolidateAfter has elapsed, or does not apply. `since`: the start of the present wait
// (DIS-85). The caller owns the patch.
struct pod_churn_result pod_churn_evaluate(struct pod_churn *pod_churn,
                                           const struct node_claim *claim,
                                           const struct node_pool *pool, bool rested,
                                           int64_t since);
