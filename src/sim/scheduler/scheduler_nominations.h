// Pods that are expected on a node (status.nominatedNodeName): they have no room there yet, but
// pods of no higher priority leave it to them (Kubernetes: Pod Priority and Preemption; KEP-5278).
#pragma once

#include "sim/scheduler/scheduler_cluster.h"
#include "sim/scheduler/scheduler_filters.h"

void nominations_add(struct filter_cluster *cluster, struct filter_pod *pod);
void nominations_remove(struct filter_cluster *cluster, struct filter_pod *pod);
// As kube-scheduler asks: the pod must fit as things are, and also once the pods that are expected
// on the node (status.nominatedNodeName) and have no lower priority are there. Pods that are
// expected on a node that does not exist yet count as soon as it does.
bool filter_node_with_nominees(struct filter_state *state, uint32_t node,
                               struct filter_tally *tally);
const char *filter_nomination(const struct pod *pod); // NULL: the pod is expected nowhere
