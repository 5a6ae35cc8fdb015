// The target of consolidation is the cheapest set of nodes for the pods that are there; it stands
// until the load changes. Meanwhile, for a day,
//
// - a node that consolidation has launched for it is no candidate;
// - no pod is evicted a third time: a node with a pod whose predecessors were evicted twice is no
//   candidate.
//
// Empty nodes go all the same, and so do drifted and expired ones. The load has changed when the
// pods that came or went for other reasons (also by drift) since its last change ask for more than
// a twentieth of what all pods ask for; prices, instance types, NodeOverlays and NodePools count as
// well. Kept in memory: a successor begins anew. None of this under COMPATIBILITY=upstream.
#pragma once

#include "control/command/disruption_command.h"

struct consolidation_target;
struct consolidation_target *consolidation_target_create(struct control *control);
void consolidation_target_destroy(struct consolidation_target *target); // NULL is fine

// A command is about to be carried out.
void consolidation_target_begin(struct consolidation_target *target,
                                const struct disruption_command *command);
// What nodes cost, or which may be had, has changed.
void consolidation_target_note_change(struct consolidation_target *target);
// Names of the Nodes that are no candidates for its sake; in `arena`.
struct string_list consolidation_target_nodes(const struct consolidation_target *target,
                                              struct arena *arena);
