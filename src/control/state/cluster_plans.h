// Pods that decisions planned for NodeClaims, and how long each plan holds. Places are also kept
// for pods that a workload is about to create.
#pragma once

#include "control/state/cluster.h"

// Plans the pod for the NodeClaim until the NodeClaim is gone or kube-scheduler has had its chance
// to bind the pod there (SCH-528). A pass counts a planned pod on its NodeClaim and searches no
// other place for it. Under COMPATIBILITY=upstream a plan ends at the launch: every later pass
// plans the pod anew.
void cluster_plan_pod(struct cluster *cluster, const struct pod *pod, const char *claim);
// The same for a pod that exchanges its planned place: its plan is no younger than before, unless
// the node is open already: there plans do not hold for long.
void cluster_move_plan(struct cluster *cluster, const struct pod *pod, const char *claim);
// The planned pod of the NodeClaim with that number, which may be bound elsewhere, or its plan be
// over; NULL: there are no more.
const struct pod *cluster_planned_on(const struct cluster *cluster, const struct node_claim *claim,
                                     uint32_t number);
uint32_t cluster_planned_count(const struct cluster *cluster, const struct node_claim *claim);
// Of its planned pods those without a node. The others are yet to be evicted, or bound elsewhere.
uint32_t cluster_waiting_count(const struct cluster *cluster, const struct node_claim *claim);
// The next NodeClaim with planned pods or places. `position` starts as NULL.
const struct node_claim *cluster_next_planned(const struct cluster *cluster,
                                              struct map_entry **position);
// The pod is not nominated before its workload's other pods on the node are bound (spread_order.h).
void cluster_put_off(struct cluster *cluster, const struct pod *pod, bool is_put_off);
bool cluster_is_put_off(const struct cluster *cluster, const struct pod *pod);
// Pods by when kube-scheduler tries them (scheduler_turns.h).
int64_t cluster_pod_turn(const struct cluster *cluster, const struct pod *pod);
// When a pod was last tried in vain, or appeared (monotonic; scheduler_turns.h).
int64_t cluster_last_turn(const struct cluster *cluster);
// When a planned pod was last bound (monotonic; 0: none was).
int64_t cluster_last_landing(const struct cluster *cluster);
// How long kube-scheduler has pods to try in vain, since when (monotonic), and that it has tried
// them all (scheduler_turns.h).
int64_t cluster_attempts_ns(const struct cluster *cluster);
int64_t cluster_attempts_since(const struct cluster *cluster);
void cluster_settle_turns(struct cluster *cluster);
// The pod was nominated until kube-scheduler tried it in vain, at `since_ns` (monotonic) or later.
bool cluster_lost_nomination(const struct cluster *cluster, const struct pod *pod,
                             int64_t since_ns);
// Plans a place on the NodeClaim for one more pod that the workload is about to create
// (workload_bursts.h): its next new pod takes it.
void cluster_expect_pod(struct cluster *cluster, const char *workload_uid, const char *claim);
// Whether there is a place, planned or kept, for the workload's next pod but `number`, and its
// NodeClaim; NULL: it is gone.
bool cluster_next_place(const struct cluster *cluster, const char *workload_uid, uint32_t number,
                        const struct node_claim **claim);
// Places on the NodeClaim for successors of the workload's pods that disruption evicts
// (kept_replacements.h), and the number of those that no pod has taken yet.
void cluster_keep_place(struct cluster *cluster, const char *workload_uid, const char *claim);
uint32_t cluster_kept_places(const struct cluster *cluster, const char *claim);
// Pods that the workload's controller has yet to create take the first of its kept places, then the
// successors of those that commands have yet to evict, by workload (uint32_t).
void cluster_set_missing(struct cluster *cluster, const char *workload_uid, uint32_t count);
void cluster_set_leaving(struct cluster *cluster, const struct map *counts);
uint32_t cluster_missing_pods(const struct cluster *cluster); // yet to be created, of all workloads
uint32_t cluster_awaited_places(const struct cluster *cluster, const char *claim);
// No more pods are evicted for the NodeClaim; the places that missing and leaving pods will take
// stay (planned_pods_end_keeping()).
void cluster_end_keeping(struct cluster *cluster, const char *claim);
// The node of the NodeClaim opens: kube-scheduler's chance to bind its pods begins now.
void cluster_note_opening(struct cluster *cluster, const char *claim);
// Nodes with planned pods are closed: pods that are planned for open nodes may have to wait for
// others of their workload, which go there.
void cluster_note_closed(struct cluster *cluster);
// How long until the next plan or displacement expires; INT64_MAX: there is none. Displaced pods,
// and pods that kube-scheduler does not bind to their planned node, are not planned anew before it
// has bound the others: only then is the remaining room known.
int64_t cluster_unplanned_in(struct cluster *cluster);
void cluster_expect_no_more(struct cluster *cluster, const char *workload_uid);
// The pod lost its planned place, and is planned anew after the others are bound.
bool cluster_is_displaced(const struct cluster *cluster, const struct pod *pod);
// The pod has a planned place, or waits as a displaced pod.
bool cluster_is_planned(struct cluster *cluster, const struct pod *pod);
// The NodeClaim that the pod is planned for, or NULL.
const struct node_claim *cluster_planned_claim(struct cluster *cluster, const struct pod *pod);
// A pending pod is planned for the NodeClaim.
bool cluster_is_awaited(struct cluster *cluster, const struct node_claim *claim);
