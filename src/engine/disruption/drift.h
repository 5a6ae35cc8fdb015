// What the drift methods and expiry share: nodes that are to go for their own sake, whatever the
// price.
#pragma once

#include "engine/disruption/disruption.h"

// For qsort() of drifted candidates: the longest drifted first, then by name.
int compare_drift_times(const void *a, const void *b);

struct node_removal {
    enum disruption_reason reason; // Drifted or Expired
    bool eventual;                 // DIS-34
};
// Nothing on it needs another place: no pods, and no placeholders of CapacityBuffers, which get new
// room before the old goes.
bool needs_no_place(const struct disruption_candidate *candidate);
// DIS-717: as many of the list, in its order, as the budgets allow, their pods packed together;
// those that depart alone each by itself.
void remove_nodes(struct disruption *disruption, const struct node_removal *options,
                  const struct candidate_table *table, const candidate_list *list);
// The method: drifted nodes of dynamic pools (DIS-222 to DIS-227).
void drift_decide(struct disruption *disruption);
