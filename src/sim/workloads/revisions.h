// ControllerRevisions: the templates that a StatefulSet or DaemonSet has had, for `kubectl rollout
// history` and `undo` (Kubernetes: Perform a Rollback on a DaemonSet). Only where the world has
// `comforts`.
#pragma once

#include "sim/workloads/workloads_internal.h"

// Keeps today's template, whose hash is `hash`, as the newest revision, and the last ten others
// (spec.revisionHistoryLimit).
void revisions_keep(struct workloads *workloads, const struct world_object *owner,
                    const char *hash);
