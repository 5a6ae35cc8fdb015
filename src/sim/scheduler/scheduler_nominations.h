// Pods nominated to a node (status.nominatedNodeName): they hold no room there yet, but pods of no
// higher priority leave it to them (Kubernetes: Pod Priority and Preemption; KEP-5278).
#pragma once

#include "sim/scheduler/scheduler_internal.h"

void nominations_add(struct filter_cluster *cluster, struct filter_pod *pod);
void nominations_remove(struct filter_cluster *cluster, struct filter_pod *pod);
struct nominees { // of one node, which need not exist yet
    VECTOR(struct filter_pod *) pods;
};

const char *filter_nomination(const struct pod *pod); // NULL: no nomination
