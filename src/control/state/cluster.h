// Cluster state (LIF-300 to LIF-317): Nodes joined with their NodeClaims, pods by node,
// nominations, marks, and the pods that each unlaunched NodeClaim was created for. It follows the
// mirror and is only a cache.
#pragma once

#include "control/runtime/control.h"
#include "control/state/planned_pods.h"
#include "control/state/pod_index.h"
#include "control/state/state_node.h"

struct cluster;

struct cluster *cluster_create(struct control *control); // registers its handlers first
void cluster_destroy(struct cluster *cluster);
// The handler is called for every later landing.
void cluster_on_landing(struct cluster *cluster, landing_handler handler, void *context);
// Owned by the cluster state.
struct nominations *cluster_nominations(const struct cluster *cluster);

// The state node of a provider ID, or NULL (LIF-3: an empty ID matches nothing).
struct state_node *cluster_state(const struct cluster *cluster, const char *provider_id);
struct state_node *cluster_state_of_node(const struct cluster *cluster, const struct node *node);
// The same for the Node of that name, as pods name it; NULL: there is none.
struct state_node *cluster_state_named(const struct cluster *cluster, const char *node_name);
// In the order of first appearance. `position` starts as NULL.
struct state_node *cluster_next(const struct cluster *cluster, struct map_entry **position);
uint32_t cluster_count(const struct cluster *cluster);

// Nodes with the provider ID, untracked ones included: registration and deletion need all of them,
// decisions only the tracked ones. Borrowed until the loop runs on.
const struct node_list *cluster_nodes_with(const struct cluster *cluster, const char *provider_id);
// The Node that the NodeClaim was registered with, if several have its provider ID; else the first,
// or NULL.
const struct node *cluster_main_node(const struct cluster *cluster, const struct node_claim *claim);
// The only Node of a NodeClaim, the only NodeClaim of a Node; NULL if there is none or several.
// `count` (may be NULL) is their number.
const struct node *cluster_node_of(const struct cluster *cluster, const struct node_claim *claim,
                                   uint32_t *count);
const struct node_claim *cluster_claim_of(const struct cluster *cluster, const struct node *node,
                                          uint32_t *count);

// Pods bound to an existing Node, terminal ones included; borrowed until the loop runs on.
const struct pod_list *cluster_pods(const struct cluster *cluster, const char *node_name);
// Any of them needs another place if the node goes (DIS-48).
bool cluster_has_pods(const struct cluster *cluster, const char *node_name);
// SCH-21. Without COMPATIBILITY=upstream also pods that kube-scheduler has not examined yet, since
// the last pod of a wave may wait a minute, and pods that adze nominated (nominator.h).
const struct pod_list *cluster_provisionable(const struct cluster *cluster);
uint32_t cluster_unbound_pods(const struct cluster *cluster); // neither bound nor terminal
// The same pods; borrowed until the loop runs on.
const struct pod_list *cluster_unbound(const struct cluster *cluster);

// --- marks of decisions -----------------------------------------------------------------
// LIF-313: the node is nominated for pending pods. Without COMPATIBILITY=upstream the nomination
// ends as soon as no pod is pending.
void cluster_nominate(struct cluster *cluster, struct state_node *state);
// The node is reserved for pods that still run elsewhere, for at least `window_ns` from now; 0: as
// long as a nomination.
void cluster_hold(struct cluster *cluster, struct state_node *state, int64_t window_ns);
// The later end of nomination and reservation, wall clock; 0: neither.
int64_t cluster_nominated_until(const struct cluster *cluster, const struct state_node *state);
// New pods that match an expected place of the last decision take it.
void cluster_seat_pods(struct cluster *cluster);
// The pass under way has a place for the pod, on a NodeClaim that is yet to be created: the pod
// takes no expected place, which is for another one.
void cluster_note_in_pass(struct cluster *cluster, const struct pod *pod);
// The pass has made its places. Pods that have none take expected places.
void cluster_end_pass(struct cluster *cluster);
// LIF-314: the last change that is relevant to consolidation. Five minutes without a change count
// as one.
int64_t cluster_changed_at(struct cluster *cluster);
