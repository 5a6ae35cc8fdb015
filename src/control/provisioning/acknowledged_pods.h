// Pending pods by UID: the start of the wait, and the passes' decisions about each (SCH-12,
// SCH-394).
//
// A backlog that is too large for one pass is planned in several consecutive passes: a *round* has
// every pod once. A pod without a place is not reported before the other pods of the round have
// theirs; the next round plans it again.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct acknowledged_pods;
struct acknowledged_pods *acknowledged_pods_create(const struct control *control);
void acknowledged_pods_destroy(struct acknowledged_pods *pods);

// The pod is pending, from now on if it is new. True if no pass has decided about it yet.
bool acknowledged_pods_add(struct acknowledged_pods *pods, const char *uid);
// The pod is no longer pending: it is bound or gone.
void acknowledged_pods_remove(struct acknowledged_pods *pods, const char *uid);

// Whether a pass of this round had the pod; `context`: struct acknowledged_pods (backlog_chunk.h).
bool acknowledged_pods_was_tried(void *context, const struct pod *pod);
// A pass with the pods of the snapshot begins.
void acknowledged_pods_note_tried(const struct acknowledged_pods *pods,
                                  const struct snapshot *snapshot);
// The pass was planned without `left_out` pods. Removes failures that pods of later passes may
// resolve from the plan, once a pod. True if the next pass is to follow at once.
bool acknowledged_pods_note_planned(struct acknowledged_pods *pods, struct plan *plan,
                                    uint32_t left_out);
// Decision times of pods with a first decision in the plan (SCH-394); monotonic.
void acknowledged_pods_note_decided(const struct acknowledged_pods *pods, const struct plan *plan,
                                    int64_t planned_ns);
