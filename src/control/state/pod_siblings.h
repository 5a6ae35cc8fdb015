// Pods that can take each other's planned place (SCH-516), and what keeps a pod from that.
#pragma once

#include "control/runtime/control.h"

// The pod has volumes, or claims devices: a place that suits it need not suit another pod of its
// workload, nor the other way round. Claims of volumes that are not bound yet suit any place.
bool pod_is_tied(const struct control *control, const struct pod *pod);
// Both are made from one template by the same controller, and have the same requests: either can
// have the other's place, unless it is tied. Requests of one workload differ where a
// VerticalPodAutoscaler or a LimitRange has set them at different times, templates where a
// StatefulSet is being rolled out. Controllers that are not Kubernetes' own may make any pods.
bool pods_are_siblings(const struct pod *one, const struct pod *other);
// The required spread over domains larger than a node: it makes the order of binding matter. NULL:
// the pod has none.
const struct topology_spread_constraint *pod_wide_spread(const struct pod *pod);
const char *pod_spread_key(const struct pod *pod); // its topology key, or NULL
