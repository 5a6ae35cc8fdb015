// The pods that wait for a node, by UID: since when each does, and what passes have made of it
// (SCH-12, SCH-394).
//
// A backlog that is too large for one pass is planned in several, right after each other: a
// *round* has every pod once. A pod that found no place before the others had theirs is not
// reported, but tried again in the next round.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct acknowledged_pods;
struct acknowledged_pods *acknowledged_pods_create(const struct control *control);
void acknowledged_pods_destroy(struct acknowledged_pods *pods);

// The pod waits, from now on if it is new. Answers whether no pass has decided about it yet.
bool acknowledged_pods_add(struct acknowledged_pods *pods, const char *uid);
// It waits no longer: it is bound, or gone.
void acknowledged_pods_remove(struct acknowledged_pods *pods, const char *uid);

// Whether a pass of this round had the pod; `context`: struct acknowledged_pods (backlog_chunk.h).
bool acknowledged_pods_was_tried(void *context, const struct pod *pod);
// A pass begins that has the pods of the snapshot.
void acknowledged_pods_note_tried(const struct acknowledged_pods *pods,
                                  const struct snapshot *snapshot);
// The pass was planned; it did not have `left_out` pods. Failures that pods of later passes may
// mend are taken out of the plan, once a pod. Answers whether the next pass is to follow at once.
bool acknowledged_pods_note_planned(struct acknowledged_pods *pods, struct plan *plan,
                                    uint32_t left_out);
// Decision times of the plan's pods about which this is the first (SCH-394); monotonic.
void acknowledged_pods_note_decided(const struct acknowledged_pods *pods, const struct plan *plan,
                                    int64_t planned_ns);
