// What holds up a drain, for messages (LIF-449): pods and PodDisruptionBudgets by name.
#pragma once

#include "control/state/cluster.h"

// Adds "NAMESPACE/NAME (WHY)" of the first five pods that have to go and do not, and how many
// others there are; nothing if none is held up. WHY: do-not-disrupt, the PodDisruptionBudgets that
// refused the eviction, or that the pod has outlived its grace period.
struct eviction_queue;
void drain_blockers(const struct control *control, const struct eviction_queue *evictions,
                    const struct pod_list *pods, int64_t now, struct text *out);
// The same for pods that are waited for no longer, since they do not end (LIF-110, LIF-450).
void drain_stuck(const struct pod_list *pods, int64_t now, struct text *out);
