// The metric families that the controllers write (LIF-350, LIF-351), registered together so that
// each has its name, labels and help in one place.
#pragma once

#include "base/metrics.h"

struct control_metrics {
    struct metric *node_claims_created, *node_claims_terminated, *node_claims_disrupted;
    struct metric *node_claims_unhealthy_disrupted;
    struct metric *pods_disruption_initiated;
    struct metric *instance_termination_seconds, *node_claim_termination_seconds;
    struct metric *nodes_created, *nodes_terminated, *nodes_drained;
    struct metric *node_termination_seconds, *node_lifetime_seconds;
    struct metric *eviction_requests, *pods_drained;
    struct metric *cloud_seconds, *cloud_errors;
    struct metric *scheduling_seconds, *decision_seconds, *queue_depth, *unfinished_seconds;
    struct metric *queued_pods, *planning_seconds; // queue_depth, unfinished_seconds without an id
    struct metric *ignored_pods, *unschedulable_pods, *pods_by_zone, *planned_pods_bound;
    struct metric *cluster_nodes, *cluster_synced, *cluster_unsynced_seconds;
    struct metric *disruption_evaluation_seconds, *disruption_decisions,
        *disruption_decisions_by_pool, *disruption_eligible, *disruption_failed_validations,
        *disruption_timeouts, *disruption_queue_failures;
    struct metric *consolidation_moves, *consolidation_score, *consolidation_loops,
        *consolidation_outcomes;
    struct metric *consolidation_savings, *consolidation_savings_by_day, *nodes_by_rule,
        *examined_age;
    struct metric *pool_allowed_disruptions, *pool_consuming_budgets;
    struct metric *wave_passes, *wave_purchases, *wave_seconds; // wave_report.h
    struct metric *unplanned_node_claims, *consolidation_evicted_pods,
        *target_seconds;         // target_report.h
    struct metric *repack_price; // engine/consolidation/repack_target.h
    struct metric *pool_limit, *pool_usage;
    struct metric *incompatible_crds;                   // control/state/crd_check.h
    struct metric *expected_cpu_use, *measured_cpu_use; // control/learning/cpu_use.h
};
void control_metrics_register(struct control_metrics *control_metrics, struct metrics *metrics);
// The counters of a NodePool begin with 0, so that the first step counts in increase().
void control_metrics_begin_pool(const struct control_metrics *control_metrics, const char *pool);
