// Metrics of pods (LIF-353, LIF-354): their state, and the time until they are bound and ready.
// Large families, with a series a pod, are computed at the scrape (LIF-468).
#pragma once

#include "control/runtime/control.h"

struct pod_metrics *pod_metrics_create(struct control *control); // LIF-353; NULL if switched off
void pod_metrics_destroy(struct pod_metrics *metrics);
// LIF-320: a pass has placed the pod, or not. `metrics` may be NULL.
void pod_metrics_decided(struct pod_metrics *metrics, const struct pod *pod, bool placed);
