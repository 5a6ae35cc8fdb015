// Nodes that are to go for their own sake, whatever the price: drifted ones, and those that are
// about to expire.
#pragma once

#include "engine/disruption/removal_simulation.h"

struct node_removal {
    enum disruption_reason reason; // Drifted or Expired
    bool eventual;                 // DIS-34
};
// Nothing on it needs another place: no pods, and no placeholders of CapacityBuffers, which get new
// room before the old goes.
bool needs_no_place(const struct disruption_candidate *candidate);
// DIS-717: as many of the list, in its order, as the budgets allow, their pods packed together;
// those that need no place each by itself.
void remove_nodes(struct disruption *disruption, const struct node_removal *options,
                  const struct candidate_table *table, const candidate_list *list);
// Adds the command with the replacements that the simulation found.
void remove_command(struct disruption *disruption, enum disruption_reason reason,
                    const struct removal_simulation *removal,
                    struct disruption_candidate *const *candidates, uint32_t count);
// Notes why the candidate cannot go (DIS-223).
void remove_refuse(struct disruption *disruption, const struct disruption_candidate *candidate,
                   const struct removal_simulation *removal);
