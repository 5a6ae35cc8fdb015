// Metrics of pods (LIF-353, LIF-354): their state, and how long they take to be bound and ready.
// What is large, a series a pod, is computed when it is asked for (LIF-468).
#pragma once

#include "control/runtime/control.h"

struct pod_metrics *pod_metrics_create(struct control *control); // LIF-353; NULL if switched off
void pod_metrics_destroy(struct pod_metrics *metrics);
// LIF-320: a pass was planned and has a place for the pod, or not. `metrics` may be NULL.
void pod_metrics_decided(struct pod_metrics *metrics, const struct pod *pod, bool placed);
