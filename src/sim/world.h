// The simulated rest of a Kubernetes cluster: scheduler, kubelets, workload controllers, disruption
// budgets, garbage collection, node lifecycle and volumes. It acts on the store in-process, on the
// loop, on virtual or real time. The store, the seed and the loop determine everything.
//
// Left out on purpose: preemption; adoption of orphans by workload controllers; revisions and
// roll-back of StatefulSets and DaemonSets; endpoints, networking, images, probes.
#pragma once

#include "base/loop.h"
#include "sim/store/store.h"
#include "sim/world/world_options.h"

struct world;

// options NULL: the defaults. The world must be destroyed before the store and the loop.
struct world *world_create(struct loop *loop, struct store *store,
                           const struct world_options *options);
void world_destroy(struct world *world); // NULL is fine

// --- machines ------------------------------------------------------------------------------------
// Starts a machine of the cloud; everything is copied. Returns false if the provider id is already
// known.
bool world_machine_boots(struct world *world, const struct machine_boot *boot);
// The machine is terminated: its kubelet falls silent at once, its pods' containers are gone. The
// Node object stays until it is deleted; node lifecycle deletes it (as a cloud controller manager
// would) when the node has become unreachable. An unknown id is ignored.
void world_machine_gone(struct world *world, const char *provider_id);

void world_machine_set_state(struct world *world, const char *provider_id,
                             enum machine_state state);

// --- counts, for progress displays and tests -----------------------------------------------------
struct world_counts {
    uint32_t nodes, nodes_ready;
    uint32_t pods, pods_unassigned, pods_starting, pods_running, pods_ended, pods_terminating;
};
struct world_counts world_counts(const struct world *world);
