// Emptiness (DIS-140 to DIS-146): nodes without pods that would need another place, as far as the
// budgets go. Pure; commands and their validation are the controller's.
#pragma once

#include "engine/disruption/candidates.h"

struct disruption;
struct emptiness {
    struct candidate_table table;
    LIST(const struct disruption_candidate *) eligible; // by the predicate, before budgets
    LIST(const struct disruption_candidate *) taken;    // within the budgets, in order of merit
    LIST(struct disruption_block) unconsolidatable;     // events Unconsolidatable (DIS-140)
    bool refused; // some eligible candidate found its pool's or its pods' budgets used up
};
// `busy`: names of Nodes in running commands; may be NULL. `first`: names of Nodes that take from
// the budgets before all others (they were chosen before and are looked at again); may be NULL.
// The choice is that of `adze plan --disrupt` (emptiness_decide()). Lives in `arena`; candidates
// have no `state`.
struct emptiness emptiness_find(struct arena *arena, const struct snapshot *snapshot,
                                const struct string_list *busy, const struct string_list *first);
// The method: one command for all that may go.
void emptiness_decide(struct disruption *disruption);
