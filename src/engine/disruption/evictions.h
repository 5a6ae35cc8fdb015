// Limits on all commands at one time, including running ones: no more evictions than
// PodDisruptionBudgets allow together (DIS-760), and never all ready replicas of a workload
// (DIS-761; see workload_guard.h). Upstream checks each pod alone; it then drains for hours or
// leaves no ready replica. Unlimited under COMPATIBILITY=upstream.
#pragma once

#include "engine/disruption/disruption.h"
#include "engine/disruption/workload_guard.h"

struct evictions {
    struct disruption *disruption;
    int64_t *asked;               // by index in problem->pods.budgets; NULL: not counted
    struct workload_guard *guard; // NULL: the setting is off
};
// Starts with the remaining evictions of running commands and of other nodes marked for deletion.
// Lives as long as the decision.
struct evictions evictions_create(struct disruption *disruption);
// Adds the candidate's pods. If that exceeds a limit, adds nothing and records the blocked reason.
// The first node on a budget always goes, however many of its pods the budget covers: waiting would
// not help it. `eventual`: the method may override budgets if the NodeClaim has a
// terminationGracePeriod (DIS-34).
bool evictions_take(struct evictions *evictions, const struct disruption_candidate *candidate,
                    bool eventual);
// Removes the candidate's pods again.
void evictions_give_back(struct evictions *evictions, const struct disruption_candidate *candidate,
                         bool eventual);
// True if the candidate may go with those already taken; adds nothing.
bool evictions_allow(struct evictions *evictions, const struct disruption_candidate *candidate,
                     bool eventual);
// Sorts the candidates of a method that takes as many as may go at once, so that all have gone
// after few rounds. Those without pods to move come first, then those whose scarcest budget needs
// most rounds until the pods of all candidates have gone. Of these come first the ones that use
// most of such a round; of these the ones that use least of other budgets. Equals stay in their
// order. A budget that lets all of them go at once counts for nothing.
void evictions_order(struct disruption *disruption, candidate_list *list, bool eventual);
