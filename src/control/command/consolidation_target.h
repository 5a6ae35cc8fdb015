// The target of consolidation is the cheapest set of nodes for the present pods; it holds until the
// load changes. Until then, for a day at most,
//
// - a node that consolidation launched is no candidate;
// - no pod is evicted a third time: a node with a pod whose predecessors were evicted twice is no
//   candidate.
//
// Empty, drifted and expired nodes are not protected. The load has changed when the pods that came
// or went for other reasons (also by drift) since its last change request more than a twentieth of
// the requests of all pods; changes of prices, instance types, NodeOverlays and NodePools count as
// well. Kept in memory: a successor begins anew. There is no target under COMPATIBILITY=upstream.
#pragma once

#include "control/command/disruption_command.h"

struct consolidation_target;
struct consolidation_target *consolidation_target_create(struct control *control);
void consolidation_target_destroy(struct consolidation_target *target); // NULL is fine

// A command is about to be executed.
void consolidation_target_begin(struct consolidation_target *target,
                                const struct disruption_command *command);
// Prices or instance types have changed.
void consolidation_target_note_change(struct consolidation_target *target);
// Names of the Nodes that the target protects; in `arena`.
struct string_list consolidation_target_nodes(const struct consolidation_target *target,
                                              struct arena *arena);
