// A provider over a machine park, for the controller of a simulated world. Answers come after a
// latency; a fault hook may fail calls, before or after their effect.
//
// It reports offerings without stock as unavailable for SIM_CLOUD_MEMORY (as AWI-180 to 182 do).
// That memory is all that its destruction loses.
#pragma once

#include "cloud/sim/sim_instances.h"

#define SIM_CLOUD_MEMORY (3 * MINUTE)

enum sim_cloud_call { SIM_CREATE, SIM_DELETE, SIM_GET, SIM_LIST };
enum sim_cloud_fault {
    SIM_FINE,
    SIM_FAIL_BEFORE, // the call fails and nothing happened
    SIM_FAIL_AFTER,  // it happened, but the answer is an error
};

struct sim_cloud_options {
    uint64_t seed;
    int64_t latency_min, latency_max; // nanoseconds
    // Called for every call; may be NULL. May fill *error (kind and message) for a fault.
    enum sim_cloud_fault (*fault)(void *context, enum sim_cloud_call call,
                                  const struct node_claim *claim, struct error *error);
    // The reason why a machine has drifted from its node class, or NULL; a NULL function: never.
    const char *(*drift_reason)(void *context, const struct node_claim *claim);
    void *fault_context;
    // The park's catalog is not the built-in one: programs that read the cluster need it published.
    bool catalog_is_own;
};

// The park must outlive it. cloud_destroy: cloud->operations->destroy(cloud).
struct cloud *sim_cloud_create(struct loop *loop, struct sim_instances *park,
                               const struct sim_cloud_options *options);
