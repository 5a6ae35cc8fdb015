// Candidates that a method may remove, before budgets: by NodePool, labels and conditions (DIS-98,
// DIS-140, DIS-150).
#pragma once

#include "engine/disruption/candidates.h"

// consolidateAfter is Never or unset: only drift removes nodes of the pool (DIS-98).
bool consolidation_is_disabled(const struct node_pool *pool);
// True if its NodeClaim has the condition Drifted (DIS-222).
bool candidate_is_drifted(const struct disruption_candidate *candidate);
// DIS-140. `*message` gets the text of the event Unconsolidatable, in `arena`, or NULL.
bool emptiness_is_eligible(struct arena *arena, const struct disruption_candidate *candidate,
                           const char **message);
// DIS-150. `*message` as above.
bool consolidation_is_eligible(struct arena *arena, const struct disruption_candidate *candidate,
                               const char **message);
