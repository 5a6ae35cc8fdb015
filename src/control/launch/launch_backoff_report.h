// What people are told of launches that wait: the NodePool's condition LaunchBackOff, and pods.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct launch_backoff;

// Whether anything waits; NULL is fine. If so, plans should give the reasons of pods without place,
bool launch_backoff_any(const struct launch_backoff *backoff);
// of which this adds "; NodePool x waits: ..." to `out` for each NodePool that would take the pod.
void launch_backoff_explain(const struct launch_backoff *backoff,
                            const struct plan_unschedulable *entry, struct text *out);
void launch_backoff_begin_report(struct launch_backoff *backoff);
