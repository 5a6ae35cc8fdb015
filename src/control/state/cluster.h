// Cluster state (LIF-300 to LIF-317): Nodes joined with their NodeClaims, pods by node,
// nominations, marks, and which pods a NodeClaim that is not launched yet was made for. Follows the
// mirror; nothing here is more than a cache.
#pragma once

#include "control/runtime/control.h"
#include "control/state/planned_pods.h"
#include "control/state/pod_index.h"
#include "control/state/state_node.h"

struct cluster;

struct cluster *cluster_create(struct control *control); // registers its handlers first
void cluster_destroy(struct cluster *cluster);
// The handler is called from then on.
void cluster_on_landing(struct cluster *cluster, landing_handler handler, void *context);
// Owned by the cluster state.
struct nominations *cluster_nominations(const struct cluster *cluster);

// The state node of a provider ID, or NULL (LIF-3: an empty one matches nothing).
struct state_node *cluster_state(const struct cluster *cluster, const char *provider_id);
struct state_node *cluster_state_of_node(const struct cluster *cluster, const struct node *node);
// In order of first sight. `position` starts as NULL.
struct state_node *cluster_next(const struct cluster *cluster, struct map_entry **position);
uint32_t cluster_count(const struct cluster *cluster);

// Nodes with the provider ID, also those that are not tracked (yet): registration and deletion are
// about these, decisions about what is tracked. Borrowed until the loop runs on.
const struct node_list *cluster_nodes_with(const struct cluster *cluster, const char *provider_id);
// The one that the NodeClaim was registered with, if several have its provider ID; else the first,
// or NULL.
const struct node *cluster_main_node(const struct cluster *cluster, const struct node_claim *claim);
// The one Node of a NodeClaim, the one NodeClaim of a Node; NULL if there is none or several.
// `count` (may be NULL) tells which.
const struct node *cluster_node_of(const struct cluster *cluster, const struct node_claim *claim,
                                   uint32_t *count);
const struct node_claim *cluster_claim_of(const struct cluster *cluster, const struct node *node,
                                          uint32_t *count);

// Pods bound to a node that the API has, terminal ones included; borrowed until the loop runs on.
const struct pod_list *cluster_pods(const struct cluster *cluster, const char *node_name);
// SCH-21; and, but under COMPATIBILITY=upstream, pods that kube-scheduler has not examined yet, for
// it may take a minute to get round to the last of a wave, and those that we nominated
// (nominator.h).
const struct pod_list *cluster_provisionable(const struct cluster *cluster);
uint32_t cluster_unbound_pods(const struct cluster *cluster); // neither bound nor terminal
// The same pods; borrowed until the loop runs on.
const struct pod_list *cluster_unbound(const struct cluster *cluster);

// --- what decisions leave behind -----------------------------------------------------------------
// LIF-313: for pods that are pending. Over as soon as no pod is, unless COMPATIBILITY=upstream:
// then none can come.
void cluster_nominate(struct cluster *cluster, struct state_node *state);
// For pods that still run elsewhere: at least so long from now; 0: as long as a nomination.
void cluster_hold(struct cluster *cluster, struct state_node *state, int64_t window_ns);
// Wall clock, of both; 0: never.
int64_t cluster_nominated_until(const struct cluster *cluster, const struct state_node *state);
// Pods that came while they were still expected by the decision take their places.
void cluster_seat_pods(struct cluster *cluster);
// LIF-314: when something changed that consolidation should look at. After five minutes without any
// change it is as if there were one.
int64_t cluster_changed_at(struct cluster *cluster);
