// The simulated kubelets, one for each Node that is marked (ANNOTATION_SIM_KUBELET or kwok's), and
// the machines that they run on (world.h). A machine registers its Node; the kubelet renews the
// Lease, reports conditions, starts pods, ends them by their annotations, and stops them when they
// are deleted.
//
// As the real one, a kubelet whose Node object is deleted does not register again.
#pragma once

#include "sim/world/world_internal.h"

WORLD_PART(kubelets);
bool kubelets_machine_boots(struct kubelets *kubelets, const struct machine_boot *boot);
void kubelets_machine_gone(struct kubelets *kubelets, const char *provider_id);
void kubelets_machine_state(struct kubelets *kubelets, const char *provider_id,
                            enum machine_state state);
// HEARTBEATS_SILENT: when the node's kubelet was last alive (wall clock); 0: no kubelet of ours.
int64_t kubelets_last_heartbeat(const struct kubelets *kubelets, const char *node_name);
// Whether the node's machine is known to be gone (not merely silent).
bool kubelets_machine_is_gone(const struct kubelets *kubelets, const struct world_object *node);
