// Reports of delayed launches: the NodePool's condition LaunchBackOff, and events of pods.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct launch_backoff;

// Whether any launch is delayed; NULL is fine. If so, plans should give the reasons of
// unschedulable pods,
bool launch_backoff_any(const struct launch_backoff *backoff);
// to which this adds "; NodePool x waits: ..." in `out` for each NodePool that would take the pod.
void launch_backoff_explain(const struct launch_backoff *backoff,
                            const struct plan_unschedulable *entry, struct text *out);
void launch_backoff_begin_report(struct launch_backoff *backoff);
