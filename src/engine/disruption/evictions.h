// The limits of the commands of one moment, those that run already included: no more
// evictions than PodDisruptionBudgets allow together (DIS-760), and never all ready replicas of a
// workload (DIS-761; see workload_guard.h). Upstream looks at each pod by itself, and then drains
// for hours or leaves nothing ready. With COMPATIBILITY=upstream everything may be asked.
#pragma once

#include "engine/disruption/disruption.h"
#include "engine/disruption/workload_guard.h"

struct evictions {
    struct disruption *disruption;
    int64_t *asked;               // by index in problem->pods.budgets; NULL: nothing is counted
    struct workload_guard *guard; // NULL: the setting is off
};
// Starts with what the running commands and the other nodes marked for deletion still have to
// evict. Lives as long as the decision.
struct evictions evictions_create(struct disruption *disruption);
// Adds the candidate's pods, unless that would be too much: then nothing is added, and the blocked
// reason about the candidate says why. The first on a budget always goes, however many pods it has:
// it could not go later either. `eventual`: a method that may overrule budgets where the NodeClaim
// has a terminationGracePeriod (DIS-34).
bool evictions_take(struct evictions *evictions, const struct disruption_candidate *candidate,
                    bool eventual);
// Takes the candidate's pods out again.
void evictions_give_back(struct evictions *evictions, const struct disruption_candidate *candidate,
                         bool eventual);
// Whether the candidate may go beside what has been taken; takes nothing.
bool evictions_allow(struct evictions *evictions, const struct disruption_candidate *candidate,
                     bool eventual);
