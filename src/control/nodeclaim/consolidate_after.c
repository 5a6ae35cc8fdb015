#include "control/nodeclaim/consolidate_after.h"

#include "base/duration.h"
#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"

static void remove_consolidatable(struct conditions *conditions, const struct node_claim *claim,
                                  const char *reason)
{
    if (conditions_clear(conditions, CONDITION_CONSOLIDATABLE))
        log_debug("removing consolidatable status condition", "s:controller",
                  "nodeclaim.disruption", "o:NodeClaim", claim->meta.name, "s:reason", reason);
}

int64_t claim_quiet_since(struct conditions *conditions, const struct node_claim *claim)
{
    return claim->status.last_pod_event_time != 0
               ? claim->status.last_pod_event_time
               : conditions_get(conditions, CONDITION_INITIALIZED)->last_transition_time;
}

bool pool_waits_for_quiet(const struct node_pool *pool)
{
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    return after->text != NULL && after->nanoseconds != DURATION_NEVER && after->nanoseconds > 0;
}

int64_t claim_consolidatable(struct conditions *conditions, const struct node_claim *claim,
                             const struct node_pool *pool, int64_t now, bool quiet)
{
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    const struct condition *initialized = conditions_get(conditions, CONDITION_INITIALIZED);
    if (after->text == NULL || after->nanoseconds == DURATION_NEVER) { // absent: DIS-96
        remove_consolidatable(conditions, claim, "consolidation is disabled");
        return INT64_MAX;
    }
    if (!text_equal(initialized->status, "True")) {
        remove_consolidatable(conditions, claim, "nodeclaim isn't initialized");
        return INT64_MAX;
    }
    int64_t left =
        ns_subtract(ns_add(claim_quiet_since(conditions, claim), after->nanoseconds), now);
    bool waits = left > 0 && after->nanoseconds > 0;
    if (waits && !quiet) {
        remove_consolidatable(conditions, claim, "consolidateAfter window not yet elapsed");
        return left;
    }
    if (!conditions_are(conditions, CONDITION_CONSOLIDATABLE, "True"))
        log_debug("marking consolidatable", "s:controller", "nodeclaim.disruption", "o:NodeClaim",
                  claim->meta.name);
    conditions_set_true(conditions, CONDITION_CONSOLIDATABLE);
    return waits ? left : INT64_MAX;
}
