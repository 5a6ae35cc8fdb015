// The controller's settings (LIF-380 to 383, KWK-4, FMT-18). settings_table.h describes each,
// settings_read.h reads them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "model/schema/object.h"

enum packing_policy { PACKING_LOWEST_PRICE, PACKING_GREEDY };

struct settings {
    // LIF-380
    int64_t metrics_port, health_probe_port, kube_client_qps, kube_client_burst;
    bool enable_profiling, disable_controller_warmup, disable_leader_election;
    bool disable_cluster_state_observability, ignore_dra_requests;
    const char *karpenter_service, *leader_election_name, *leader_election_namespace;
    int64_t memory_limit_bytes, cpu_requests_millicores;
    const char *log_level, *log_output_paths, *log_error_output_paths;
    int64_t batch_max_duration, batch_idle_duration; // nanoseconds
    bool preference_policy_ignore;                   // PREFERENCE_POLICY=Ignore
    bool min_values_best_effort;                     // MIN_VALUES_POLICY=BestEffort
    const char *feature_gates, *scheduler_config;
    // LIF-381
    bool gate_reserved_capacity, gate_spot_to_spot_consolidation, gate_node_repair;
    bool gate_node_overlay, gate_static_capacity, gate_capacity_buffer;
    // KWK-4
    const char *instance_types_file_path;
    // adze's own
    bool compatibility_upstream; // COMPATIBILITY=upstream (FMT-18)
    enum packing_policy packing_policy;
    double flexibility_margin;      // the price margin for a choice of instance types (SCH-503)
    double node_cost;               // cost of a node beside its price, USD an hour (SCH-507,
                                    // engine/templates/node_cost.h)
    double volume_cost;             // factor of the list price of volumes (SCH-507)
    double address_cost;            // of a public IPv4 address, USD an hour (SCH-507)
    double expected_cpu_use;        // share of the requests, for burstable machines (SCH-507)
    double interruption_cost;       // of a spot machine, USD (SCH-507, DIS-747)
    bool workload_guard;            // WORKLOAD_GUARD (DIS-761)
    bool quiet_by_node;             // CONSOLIDATION_QUIET=node (DIS-719)
    bool pod_nomination;            // POD_NOMINATION=Auto (SCH-516)
    bool drain_guidance;            // DRAIN_GUIDANCE=Auto (DIS-749)
    bool static_surge_required;     // STATIC_DRIFT_SURGE=required (DIS-728)
    int64_t consolidation_horizon;  // DIS-747; nanoseconds, 0: any saving is enough
    double launch_cost;             // DIS-747; USD a machine
    double disruption_cost_per_pod; // DIS-747; USD for an eviction of cost 1 (DIS-55)
    bool job_runtime_cost;          // DIS-757
    int64_t spot_min_types;         // DIS-751
    int64_t spot_price_window;      // DIS-750; nanoseconds, 0: only present prices count
    const char *log_format;         // json (default) or console
    bool legacy_metrics;            // GUI-42: metric names of older versions, too
    int64_t registration_timeout;   // LIF-72, LIF-440; nanoseconds
    int64_t initialization_timeout; // LIF-443; nanoseconds, 0: none
    const char *disabled_metrics;   // LIF-468
    bool metrics_full;              // METRICS_PROFILE=full (LIF-468, AWI-962)
    // AWS (LIF-380)
    const char *cluster_name, *cluster_ca_bundle, *cluster_endpoint, *interruption_queue;
    const char *service_cidr, *prices_file, *instance_type_figures;
    const char *aws_feature_gates;
    bool isolated_vpc, eks_control_plane, disable_dry_run, enable_zonal_shift;
    double vm_memory_overhead_percent;
    int64_t reserved_enis, ami_refresh_interval, subnet_refresh_interval;

    uint64_t set_explicitly[2]; // bit i: row i of the table was set explicitly (FMT-18: it wins)
    uint64_t learned[2];        // bit i: by the controller (settings_learn()), not by a user
    char *strings[32];          // owned copies; settings_free() releases them
    uint32_t strings_count;
};
