// What emptiness asks of the cluster's present state (DIS-140 to DIS-146, DIS-262): whether a look
// is worth its while, and whether what was decided over a snapshot still holds. The decision is the
// engine's (engine/disruption/emptiness.h), on a worker thread (disruption_evaluation.h).
#pragma once

#include "control/command/disruption_command.h"
#include "control/disruption/disruption_parts.h"

// Whether a look might find an empty node that the last one has not looked at in vain: one that may
// be consolidated, is in no command and has no pod that needs another place. Much cheaper than a
// look.
bool emptiness_is_possible(const struct disruption_parts *parts);
// A look begins at the nodes as they are, and has ended. The nodes that it has not taken are kept
// by a budget, a nomination, a quiet time, ...; `put_off`: or by nothing.
void emptiness_note_seen(const struct disruption_parts *parts);
void emptiness_note_kept(const struct disruption_parts *parts, bool put_off);

// A pending pod that may run on a node of a waiting command calls the command off (DIS-725).
void emptiness_call_off_wanted(const struct disruption_parts *parts);
// The nodes are still empty and not nominated, and may begin to go: no pending pod may want them,
// none is in a command, and none is kept for a while (DIS-752).
bool emptiness_may_start(const struct disruption_parts *parts,
                         const struct plan_disruption *planned);
// The command's nodes are still empty and not nominated.
bool emptiness_still_holds(const struct disruption_parts *parts,
                           const struct disruption_command *command);
