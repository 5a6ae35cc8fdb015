// A simulated world is made with these; its machines, as tests see them.
#pragma once

#include "base/loop.h"
#include "cloud/sim/sim_cloud.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/world.h"

struct aws_account_options;

struct simulation_options {
    struct loop *loop; // borrowed
    uint64_t seed;
    const struct instance_type_catalog *catalog; // a reference is taken
    // The machines are instances of this AWS account, and the provider is aws; loop, seed and the
    // observers of instances are filled in. NULL: the provider sim with `catalog`.
    const struct aws_account_options *aws;
    struct error *aws_error;         // the account cannot be made; simulation_create() returns NULL
    const struct settings *settings; // of the controller; NULL: the defaults
    uint32_t pass_pods_max;          // struct controller_options
    // The namespace in which the controller publishes its provider (cloud/port/provider_record.h),
    // with the catalog unless that is the built-in one; NULL: it does not publish.
    const char *record_namespace;
    bool catalog_is_built_in;
    bool compares_crds; // struct controller_options
    // The same. Off: the API server's metrics are made up (apiserver/api_metrics.h), and what was
    // learned of them would change what the cluster does.
    bool learns_cpu_use;
    bool furnished; // the store has what people expect in any cluster (store_furnish.h)
    struct world_options world;
    int64_t boot_delay_min, boot_delay_max; // from launch to the Node; nanoseconds
    int64_t ready_delay;                    // from there to Ready
    int64_t stop_delay_min, stop_delay_max; // from delete to gone
    int64_t cloud_latency_min, cloud_latency_max;
    int64_t api_latency_min, api_latency_max;
    // Called for every call of the provider and every request of the controller; may be NULL.
    enum sim_cloud_fault (*cloud_fault)(void *context, enum sim_cloud_call call,
                                        const struct node_claim *claim, struct error *error);
    bool (*api_fault)(void *context, const struct kube_request *request,
                      struct kube_response *response);
    bool (*api_lose_answer)(void *context, const struct kube_request *request);
    // Drift by the node class (struct sim_cloud_options); may be NULL.
    const char *(*drift_reason)(void *context, const struct node_claim *claim);
    struct sim_faults api_faults; // random ones
    // Faults of a booting machine (enum machine_faults).
    uint32_t (*boot_faults)(void *context, const struct sim_instance *machine);
    // Changes a machine from its type's facts before it boots; may be NULL.
    void (*boot_shape)(void *context, const struct sim_instance *machine,
                       struct machine_boot *boot);
    void *fault_context;
    // A started controller waits for the Lease kube-system/leader-election, and ends by itself when
    // it loses the Lease.
    bool leader_election;
};
void simulation_options_defaults(struct simulation_options *options);

// A running machine, whatever the provider; the texts are borrowed until the next event.
struct simulation_machine {
    const char *provider_id, *instance_type, *zone, *capacity_type;
    int64_t price; // nano-USD an hour
};
