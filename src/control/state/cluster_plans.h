// Pods that decisions have planned for NodeClaims, and how long each plan holds. Places are kept
// for pods that a workload is about to create, too.
#pragma once

#include "control/state/cluster.h"

// Pods that a plan put on a NodeClaim: spoken for until that is gone, or kube-scheduler has had its
// chance to bind them there (SCH-528). A pass counts them as being there instead of looking for a
// place again; it waits for no launch.
// Under COMPATIBILITY=upstream until it is launched: every pass plans them anew from then on.
void cluster_plan_pod(struct cluster *cluster, const struct pod *pod, const char *claim);
// The pod with that number of those that were planned for the NodeClaim and are not bound; NULL:
// there are no more.
const struct pod *cluster_planned_on(const struct cluster *cluster, const struct node_claim *claim,
                                     uint32_t number);
uint32_t cluster_planned_count(const struct cluster *cluster, const struct node_claim *claim);
// The next NodeClaim that pods or places are planned for. `position` starts as NULL.
const struct node_claim *cluster_next_planned(const struct cluster *cluster,
                                              struct map_entry **position);
// Not to be nominated before the others of its workload on the node are bound (spread_order.h).
void cluster_put_off(struct cluster *cluster, const struct pod *pod, bool is_put_off);
bool cluster_is_put_off(const struct cluster *cluster, const struct pod *pod);
// Pods in the order in which they were first seen.
uint64_t cluster_pod_serial(const struct cluster *cluster, const struct pod *pod);
// The same for one more pod that the workload is about to create (workload_bursts.h): its next new
// pod is spoken for.
void cluster_expect_pod(struct cluster *cluster, const char *workload_uid, const char *claim);
// Places that are kept for pods of the workload, and the NodeClaim of each; NULL: it is gone.
uint32_t cluster_expected(const struct cluster *cluster, const char *workload_uid);
const struct node_claim *cluster_expected_on(const struct cluster *cluster,
                                             const char *workload_uid, uint32_t number);
// Places on the NodeClaim for successors of the workload's pods that disruption evicts
// (kept_replacements.h), and how many of them no pod has taken yet.
void cluster_keep_place(struct cluster *cluster, const char *workload_uid, const char *claim);
uint32_t cluster_kept_places(const struct cluster *cluster, const char *claim);
void cluster_keep_no_more(struct cluster *cluster, const char *claim);
// kube-scheduler's chance to bind the pods of the NodeClaim begins now.
void cluster_note_opening(struct cluster *cluster, const char *claim);
// Pods whose planned room others took, and pods that kube-scheduler does not bind where they were
// planned, are spoken for until it has bound what it can: then it is known what room is left. How
// long until the next of them is not spoken for any more; INT64_MAX: there is none.
int64_t cluster_unplanned_in(struct cluster *cluster);
void cluster_expect_no_more(struct cluster *cluster, const char *workload_uid);
// The pod lost its place, and will be planned anew when the others are bound.
bool cluster_is_displaced(const struct cluster *cluster, const struct pod *pod);
// A place is planned for the pod, or will be soon.
bool cluster_is_spoken_for(struct cluster *cluster, const struct pod *pod);
// The NodeClaim that the pod is spoken for by, or NULL.
const struct node_claim *cluster_planned_claim(struct cluster *cluster, const struct pod *pod);
// A pending pod is to come to the NodeClaim.
bool cluster_is_awaited(struct cluster *cluster, const struct node_claim *claim);
