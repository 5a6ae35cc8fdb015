// Blockers of a disruption command's nodes at this moment (DIS-791): a pod with do-not-disrupt, a
// PodDisruptionBudget that allows nothing, a workload that would lose its last ready pod (DIS-761).
// There was none at the decision, but the replacements take minutes to launch.
#pragma once

#include "control/command/disruption_command.h"

struct ready_replicas;

enum command_blocker {
    BAR_NONE,
    BAR_REPLICAS, // likely to end soon
    BAR_BUDGET,   // the same
    BAR_POD,      // the pod's owner protects it
};
// `*pod` is a blocking pod, borrowed from the mirror. Drifted nodes with a grace period ignore
// do-not-disrupt (DIS-34).
enum command_blocker command_blocker(const struct control *control, struct ready_replicas *replicas,
                                     const struct disruption_command *command,
                                     const struct pod **pod);
