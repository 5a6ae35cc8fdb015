// Removal of nodes at any price: drifted nodes and those about to expire.
#pragma once

#include "engine/disruption/removal_simulation.h"

struct node_removal {
    enum disruption_reason reason; // Drifted or Expired
    bool eventual;                 // DIS-34
};
// Nothing on the node needs another place: no pods, and no placeholders of CapacityBuffers, which
// get new room before the old node goes.
bool needs_no_place(const struct disruption_candidate *candidate);
// DIS-717: removes as many of the list as the budgets allow, in order, with their pods packed
// together; nodes that need no place get a command each.
void remove_nodes(struct disruption *disruption, const struct node_removal *options,
                  const struct candidate_table *table, const candidate_list *list);
// Adds the command with the simulation's replacements.
void remove_command(struct disruption *disruption, enum disruption_reason reason,
                    const struct removal_simulation *removal,
                    struct disruption_candidate *const *candidates, uint32_t count);
// Records why the candidate cannot go (DIS-223).
void remove_refuse(struct disruption *disruption, const struct disruption_candidate *candidate,
                   const struct removal_simulation *removal);
