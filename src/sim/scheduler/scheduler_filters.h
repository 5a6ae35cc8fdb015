// kube-scheduler's filters as a library: may this pod be bound to that node?
//
// Written from the Kubernetes documentation (Assigning Pods to Nodes, Taints and Tolerations, Pod
// Topology Spread Constraints, Node-specific Volume Limits, Resource Management) and independent of
// the engine, so that a plan can be checked against it. A cluster is built from typed objects, in
// any order. Pods take room on their spec.nodeName or where filter_cluster_assume() puts them.
// Ended pods do not count. One cluster serves one thread.
//
//   struct filter_state *state = filter_prepare(cluster, pod);
//   bool fits = filter_refusal(state) == NULL && filter_node(state, node, NULL);
//   filter_release(state);
#pragma once

#include "base/text.h"
#include "model/schema/core.h"
#include "sim/scheduler/scheduler_cluster.h"
#include "sim/scheduler/scheduler_reasons.h"

struct filter_state; // a pod's precomputed facts for every node (PreFilter)

void filter_tally_free(struct filter_tally *tally);
// Why the pod cannot be placed: bits by enum filter_reason, FILTER_VOLUME_BINDING for a refusal by
// its volumes on any node; 0: there is no node.
uint32_t filter_tally_reasons(const struct filter_state *state, const struct filter_tally *tally);
// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."
void filter_tally_describe(const struct filter_state *state, const struct filter_tally *tally,
                           struct text *out);

// The pod and the cluster must not change until the release.
struct filter_state *filter_prepare(struct filter_cluster *cluster, const struct pod *pod);
void filter_release(struct filter_state *state); // NULL is fine
// Why the pod fits no node at all (a missing claim, say); NULL: it depends on the node.
const char *filter_refusal(const struct filter_state *state);
// tally may be NULL.
bool filter_node(struct filter_state *state, uint32_t node, struct filter_tally *tally);

// All of the above for one pod and one node; *why (may be NULL) gets the reason of a refusal.
bool filter_fits(struct filter_cluster *cluster, const struct pod *pod, const char *node_name,
                 struct text *why);
// Whether the node would have the room if it had no pods. The pod must be one of the cluster's.
bool filter_fits_empty(const struct filter_cluster *cluster, const struct pod *pod, uint32_t node);
