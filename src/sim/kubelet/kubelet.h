// The simulated kubelets, one for each marked Node (ANNOTATION_SIM_KUBELET or kwok's), and their
// machines (world.h). A machine registers its Node; the kubelet renews the Lease, reports
// conditions, starts pods, ends them by their annotations, and stops them when they are deleted.
//
// Like the real one, a kubelet whose Node object is deleted does not register again.
#pragma once

#include "sim/world/world_internal.h"

struct kubelets *kubelets_create(struct world *world);
void kubelets_destroy(struct kubelets *kubelets);
// Handlers of the world's cache (world_change).
void kubelets_leave(void *kubelets, struct world_object *object);
void kubelets_enter(void *kubelets, struct world_object *object);
