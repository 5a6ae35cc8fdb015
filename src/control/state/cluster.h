// Cluster state (LIF-300 to LIF-317): Nodes joined with their NodeClaims, pods by node,
// nominations, marks, and which pods a NodeClaim that is not launched yet was made for. Follows the
// mirror; nothing here is more than a cache.
#pragma once

#include "control/runtime/control.h"

struct cluster;

struct node_list {
    const struct node **items;
    uint32_t count, capacity;
};

// LIF-300: what has one provider ID (or, without one, one Node's name). Usually one Node and one
// NodeClaim; more than one of either is an invariant violated, which callers see by the counts.
struct state_node {
    const char *key;
    struct node_list nodes;
    VECTOR(const struct node_claim *) claims;
    int64_t nominated_until, held_until; // wall clock; 0: never. See cluster_nominated_until()
    int64_t initialized_ns; // monotonic: when that was first seen; 0: it is not initialized
    bool marked;            // by a disruption command (LIF-309)
    bool was_initialized, was_marked;
    bool kept_empty; // looked at by emptiness, and not taken (disruption_emptiness.h)
};

struct cluster *cluster_create(struct control *control); // registers its handlers first
void cluster_destroy(struct cluster *cluster);
// Calls the handler when a planned pod was bound, to the node that it was planned for or to
// another, or lost its place to others.
typedef void (*landing_handler)(void *context, bool as_planned);
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
struct pod_list {
    const struct pod **items;
    uint32_t count, capacity;
};
const struct pod_list *cluster_pods(const struct cluster *cluster, const char *node_name);
// SCH-21; and, but under COMPATIBILITY=upstream, pods that kube-scheduler has not examined yet, for
// it may take a minute to get round to the last of a wave, and those that we nominated
// (nominator.h).
const struct pod_list *cluster_provisionable(const struct cluster *cluster);
uint32_t cluster_unbound_pods(const struct cluster *cluster); // neither bound nor terminal
// The same pods; borrowed until the loop runs on.
const struct pod_list *cluster_unbound(const struct cluster *cluster);

// --- readings of a state node --------------------------------------------------------------------

// --- what decisions leave behind -----------------------------------------------------------------
// LIF-313: for pods that are pending. Over as soon as no pod is, unless COMPATIBILITY=upstream:
// then none can come.
void cluster_nominate(struct cluster *cluster, struct state_node *state);
// For pods that still run elsewhere: at least so long from now; 0: as long as a nomination.
void cluster_hold(struct cluster *cluster, struct state_node *state, int64_t window_ns);
// Wall clock, of both; 0: never.
int64_t cluster_nominated_until(const struct cluster *cluster, const struct state_node *state);
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
// Pods that came while they were still expected by the decision take their places.
void cluster_seat_pods(struct cluster *cluster);
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
// The name that the NodeClaim's Node has or will have; NULL: nobody knows yet.
const char *cluster_node_name(const struct cluster *cluster, const struct node_claim *claim);
// The provider has said what it will be.
void cluster_expect_node(struct cluster *cluster, const struct node_claim *claim,
                         const char *node_name);
// LIF-314: when something changed that consolidation should look at. After five minutes without any
// change it is as if there were one.
int64_t cluster_changed_at(struct cluster *cluster);

// Ready for decisions: every kind was listed, and at the start NodeClaims that a predecessor left
// unlaunched were given 30 s to launch (whose pods they were made for is not known any more). Once
// true it stays true: an unlaunched NodeClaim stops nobody (LIF-454).
bool cluster_synced(struct cluster *cluster);
