// A provider over a machine park: what a controller in a simulated world calls. Answers come after
// a latency; a fault hook may fail calls, before or after their effect.
//
// It remembers offerings that turned out to have no stock for SIM_CLOUD_MEMORY and reports them
// unavailable (as AWI-180 to 182 do). That memory is all that is lost when it is destroyed.
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
    // Consulted for every call; may be NULL. May fill *error (kind and message) for a fault.
    enum sim_cloud_fault (*fault)(void *context, enum sim_cloud_call call,
                                  const struct node_claim *claim, struct error *error);
    // Whether and why a machine is no longer what its node class asks for; may be NULL: never.
    const char *(*drift_reason)(void *context, const struct node_claim *claim);
    void *fault_context;
    // The machines' catalog is not the one built in: programs that read the cluster need it.
    bool catalog_is_own;
};

// The park must outlive it. cloud_destroy: cloud->operations->destroy(cloud).
struct cloud *sim_cloud_create(struct loop *loop, struct sim_instances *park,
                               const struct sim_cloud_options *options);
