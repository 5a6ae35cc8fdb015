// Messages about a blocked drain (LIF-449): pods and PodDisruptionBudgets by name.
#pragma once

#include "control/state/cluster.h"

// Adds "NAMESPACE/NAME (WHY)" of the first five blocked pods, and the number of others; nothing if
// none is blocked. WHY: do-not-disrupt, the PodDisruptionBudgets that rejected the eviction, or
// that the pod has outlived its grace period.
struct eviction_queue;
void drain_blockers(const struct control *control, const struct eviction_queue *evictions,
                    const struct pod_list *pods, int64_t now, struct text *out);
// The same for pods that the drain skips, since they do not terminate (LIF-110, LIF-450).
void drain_stuck(const struct pod_list *pods, int64_t now, struct text *out);
