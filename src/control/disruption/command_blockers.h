// What bars the nodes of a disruption command from going at this moment (DIS-791): a pod that says
// do-not-disrupt, a PodDisruptionBudget that allows nothing, a workload that would have nothing
// ready any more (DIS-761). When the command was decided there was nothing of the kind, but its
// replacements take minutes to come.
#pragma once

#include "control/command/disruption_command.h"

struct ready_replicas;

enum command_blocker {
    BAR_NONE,
    BAR_REPLICAS, // may well be over soon
    BAR_BUDGET,   // the same
    BAR_POD,      // somebody wants the pod to stay
};
// `*pod` is one that bars, borrowed from the mirror. Drifted nodes with a grace period may go
// whatever their pods say (DIS-34).
enum command_blocker command_blocker(const struct control *control, struct ready_replicas *replicas,
                                     const struct disruption_command *command,
                                     const struct pod **pod);
