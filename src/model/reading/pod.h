// Readings of pods: requests (SCH-110, 111), classes (LIF-110), tolerations (SCH-355), protection
// from disruption (LIF-125).
#pragma once

#include "model/schema/core.h"

// SCH-110, SCH-111: requests including `pods` = 1, into arena memory, sorted by name.
struct resource_map pod_requests(struct arena *arena, const struct pod *pod);
// The same for limits, without `pods`; overhead is added to resources that have a limit.
struct resource_map pod_limits(struct arena *arena, const struct pod *pod);
// The same from a spec without status (templates).
struct resource_map pod_spec_requests(struct arena *arena, const struct pod_spec *spec);
bool pod_is_terminal(const struct pod *pod);
bool pod_is_active(const struct pod *pod);  // LIF-110
bool pod_is_unready(const struct pod *pod); // DIS-45: its conditions report it not ready
enum do_not_disrupt pod_protection(const struct pod *pod, int64_t now, int64_t *until);
bool pod_is_protected(const struct pod *pod, int64_t now);
bool pod_tolerates_disruption(const struct pod *pod); // the taint karpenter.sh/disrupted:NoSchedule
bool pod_is_evictable(const struct pod *pod, int64_t now); // LIF-110
// DIS-48: the pod needs a new place when its node goes.
bool pod_needs_place(const struct pod *pod);
// When the pod was bound to its node, from its own status; 0: unknown.
int64_t pod_bound_at(const struct pod *pod);
bool pod_owned_by_daemon_set(const struct pod *pod);
bool pod_owned_by_node(const struct pod *pod);
// UID of the controller (ReplicaSet, StatefulSet, Job, ...); NULL: the pod has none.
const char *pod_controller_uid(const struct pod *pod);
// The same of the controller whose next pod takes the pod's place at once when it is evicted; NULL
// for that of a StatefulSet's pod, which comes when the pod is gone, of a Job's, which may never
// come, and of a DaemonSet's, which does not come elsewhere.
const char *pod_successor_owner(const struct pod *pod);
bool pod_is_bound(const struct pod *pod);             // it has a node
bool pod_is_nominated(const struct pod *pod);         // status.nominatedNodeName is set
bool node_is_ready(const struct node *node);          // condition Ready is True; false for NULL
bool pod_is_of_kube_scheduler(const struct pod *pod); // by its default profile
// kube-scheduler has not examined the pod yet: unbound, without gates, not nominated, without the
// condition PodScheduled. False for pods of other schedulers.
bool pod_is_unexamined(const struct pod *pod);
bool pod_spec_has_resource_claims(const struct pod_spec *spec); // SCH-420
// What became of the entry of spec.resourceClaims; NULL: its claim is not made yet, or is named.
const struct pod_resource_claim_status *pod_claim_status(const struct pod *pod, const char *name);
bool container_is_sidecar(const struct container *container); // of an init container
// The host port that a container's port uses, 0: none. With hostNetwork it is the container's port,
// as the API server defaults it.
int64_t container_host_port(const struct pod_spec *spec, const struct container_port *port);
uint32_t pod_spec_host_ports(
    const struct pod_spec *spec); // number used by its containers and sidecars
bool toleration_tolerates(const struct toleration *toleration,
                          const struct taint *taint); // SCH-355
bool tolerations_tolerate(const toleration_list *tolerations, const struct taint *taint);
