#include "sim/world/world_options.h"

#include "base/nanoseconds.h"
#include "base/random.h"

void world_options_defaults(struct world_options *options)
{
    *options = (struct world_options){
        .seed = 1,
        .scheduler = true,
        .kubelets = true,
        .workloads = true,
        .budgets = true,
        .collector = true,
        .node_lifecycle = true,
        .volumes = true,
        .drivers = true,
        .events = true,
        .heartbeats = HEARTBEATS_LEASES,
        .controller_delay_ns = 20 * MILLISECOND,
        .scheduler_pod_ns = 1 * MILLISECOND,
        .scheduler_rejection_ns = 1 * MILLISECOND,
        .scheduler_backoff_ns = 1 * SECOND,
        .scheduler_backoff_max_ns = 10 * SECOND,
        .scheduler_retry_ns = 5 * MINUTE,
        .nominations = true,
        .pod_start_ns = 2 * SECOND,
        .pod_stop_ns = 1 * SECOND,
        .jitter = 0.5,
        .node_boot_ns = 20 * SECOND,
        .node_ready_ns = 10 * SECOND,
        .heartbeat_ns = 10 * SECOND,
        .node_monitor_ns = 5 * SECOND,
        .node_monitor_grace_ns = 50 * SECOND,
        .pod_collection_ns = 20 * SECOND,
        .volume_provision_ns = 2 * SECOND,
        .volume_attach_ns = 2 * SECOND,
        .volume_detach_ns = 2 * SECOND,
        .driver_start_ns = 3 * SECOND,
        .event_ttl_ns = 1 * HOUR,
    };
}

static int64_t per_second(struct random *random, uint64_t least, uint64_t most)
{
    return SECOND / (int64_t)(least + random_below(random, most - least + 1));
}

void world_options_live_pace(struct world_options *options, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed ^ UINT64_C(0x5c4ed));
    options->scheduler_pod_ns = per_second(&random, 50, 300);
    options->scheduler_rejection_ns = per_second(&random, 10, 50);
    options->scheduler_bind_ns = per_second(&random, 20, 200);
    options->controller_request_ns = per_second(&random, 50, 300);
    options->controller_requests_per_second = random_chance(&random, 0.5) ? 20 : 200;
    options->controller_requests_burst = options->controller_requests_per_second * 3 / 2;
}
