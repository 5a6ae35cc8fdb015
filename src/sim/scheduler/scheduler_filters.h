// kube-scheduler's filters as a library: may this pod be bound to that node?
//
// Written from the Kubernetes documentation (Assigning Pods to Nodes, Taints and Tolerations, Pod
// Topology Spread Constraints, Node-specific Volume Limits, Resource Management) and apart from the
// engine, so that a plan can be checked against it. A cluster is built from typed objects, in any
// order; pods take room where their spec.nodeName says, or where filter_cluster_assume() puts them.
// Pods that have ended do not count. One cluster serves one thread.
//
//   struct filter_state *state = filter_prepare(cluster, pod);
//   bool fits = filter_refusal(state) == NULL && filter_node(state, node, NULL);
//   filter_release(state);
#pragma once

#include "base/text.h"
#include "model/schema/core.h"

struct filter_cluster;
struct filter_state; // what holds for one pod on every node (PreFilter)

struct filter_cluster *filter_cluster_create(void);
void filter_cluster_destroy(struct filter_cluster *cluster); // NULL is fine
// Adds the object, or puts it in the place of its former version. Pods, Nodes, Namespaces, claims,
// volumes, storage classes and CSINodes count; others are ignored. Takes a reference.
void filter_cluster_put(struct filter_cluster *cluster, const struct object *object);
void filter_cluster_remove(struct filter_cluster *cluster, const struct object *object);
// The pod (of the cluster, or new) takes room on the node as if it were bound, until it is put
// again.
void filter_cluster_assume(struct filter_cluster *cluster, const struct pod *pod,
                           const char *node_name);

#define FILTER_NODE_NONE UINT32_MAX
// Nodes have indices below the limit; some are not in use.
uint32_t filter_nodes_limit(const struct filter_cluster *cluster);
uint32_t filter_nodes_count(const struct filter_cluster *cluster);
const struct node *filter_node_at(const struct filter_cluster *cluster, uint32_t node); // or NULL
uint32_t filter_node_find(const struct filter_cluster *cluster, const char *name);

enum filter_reason { // in the order of kube-scheduler's filters; the first that fails is told
    FILTER_NODE_UNSCHEDULABLE,
    FILTER_NODE_NAME,
    FILTER_TAINT,
    FILTER_NODE_AFFINITY,
    FILTER_PORTS,
    FILTER_TOO_MANY_PODS,
    FILTER_RESOURCES, // told per resource
    FILTER_CLAIM_IN_USE,
    FILTER_VOLUME_COUNT,
    FILTER_VOLUME_MISSING,
    FILTER_VOLUME_AFFINITY,
    FILTER_VOLUME_BINDING,
    FILTER_VOLUME_ZONE,
    FILTER_SPREAD_LABEL,
    FILTER_SPREAD,
    FILTER_POD_AFFINITY,
    FILTER_POD_ANTI_AFFINITY,
    FILTER_EXISTING_ANTI_AFFINITY,
    FILTER_REASONS,
};
struct filter_tally { // why nodes were refused; zero-initialised, freed with filter_tally_free()
    uint32_t reasons[FILTER_REASONS];
    uint32_t *resources; // by number of the cluster's resource
    uint32_t resources_count;
};
void filter_tally_free(struct filter_tally *tally);
// Why the pod cannot be placed: bits by enum filter_reason, FILTER_VOLUME_BINDING for a refusal by
// its volumes whatever the node; 0: there is no node.
uint32_t filter_tally_reasons(const struct filter_state *state, const struct filter_tally *tally);
// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."
void filter_tally_describe(const struct filter_state *state, const struct filter_tally *tally,
                           struct text *out);

// The pod and the cluster must stay as they are until the release.
struct filter_state *filter_prepare(struct filter_cluster *cluster, const struct pod *pod);
void filter_release(struct filter_state *state); // NULL is fine
// Why the pod can go nowhere, whatever the nodes (a missing claim, say); NULL: it depends on the
// node.
const char *filter_refusal(const struct filter_state *state);
// tally may be NULL.
bool filter_node(struct filter_state *state, uint32_t node, struct filter_tally *tally);

// All of the above for one pod and one node; *why (if given) gets the reason for a refusal.
bool filter_fits(struct filter_cluster *cluster, const struct pod *pod, const char *node_name,
                 struct text *why);
// Whether the node would have the room if no pod were on it. The pod is one of the cluster's.
bool filter_fits_empty(const struct filter_cluster *cluster, const struct pod *pod, uint32_t node);

// --- single rules, for DaemonSets and volumes ----------------------------------------------------
// spec.nodeSelector and required
// The first taint with effect NoExecute or (unless only_no_execute) NoSchedule that is not
// tolerated.
const struct taint *filter_untolerated_taint(const struct pod_spec *spec, const struct node *node,
                                             bool only_no_execute);
