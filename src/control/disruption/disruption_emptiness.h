// Emptiness and the cluster's present state (DIS-140 to DIS-146, DIS-262): whether an evaluation is
// worthwhile, and whether a decision over a snapshot still holds. The engine decides
// (engine/disruption/emptiness.h), on a worker thread (disruption_evaluation.h).
#pragma once

#include "control/command/disruption_command.h"
#include "control/disruption/disruption_parts.h"

// Whether an evaluation may find an empty node that the last one has not rejected: a consolidatable
// node without a command and without a pod that needs another place. Much cheaper than an
// evaluation.
bool emptiness_is_possible(const struct disruption_parts *parts);
// A look begins at the nodes as they are, and has ended. The nodes that it has not taken are kept
// by a budget, a nomination, a quiet time, ...; `put_off`: or by nothing.
void emptiness_note_seen(const struct disruption_parts *parts);
void emptiness_note_kept(const struct disruption_parts *parts, bool put_off);

// The nodes are still empty, neither nominated nor annotated, and may be disrupted: no pending pod
// may need them, none has a command, and none is delayed (DIS-752).
bool emptiness_may_start(const struct disruption_parts *parts,
                         const struct plan_disruption *planned);
// The command's nodes are still empty, and neither nominated nor annotated.
bool emptiness_still_holds(const struct disruption_parts *parts,
                           const struct disruption_command *command);
