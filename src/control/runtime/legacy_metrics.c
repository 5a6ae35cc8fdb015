#include "control/runtime/legacy_metrics.h"

static const struct {
    const char *older, *name;
} names[] = {
    // of provisioners and machines
    {"karpenter_allocation_controller_scheduling_duration_seconds",
     "karpenter_scheduler_scheduling_duration_seconds"},
    {"karpenter_provisioner_scheduling_duration_seconds",
     "karpenter_scheduler_scheduling_duration_seconds"},
    {"karpenter_provisioner_scheduling_simulation_duration_seconds",
     "karpenter_scheduler_scheduling_duration_seconds"},
    {"karpenter_provisioner_scheduling_queue_depth", "karpenter_scheduler_queue_depth"},
    {"karpenter_provisioner_limit", "karpenter_nodepools_limit"},
    {"karpenter_provisioner_usage", "karpenter_nodepools_usage"},
    {"karpenter_machines_created", "karpenter_nodeclaims_created_total"},
    {"karpenter_machines_terminated", "karpenter_nodeclaims_terminated_total"},
    {"karpenter_machines_disrupted", "karpenter_nodeclaims_disrupted_total"},
    {"karpenter_machines_registered", "karpenter_nodes_created_total"},
    {"karpenter_deprovisioning_actions_performed",
     "karpenter_voluntary_disruption_decisions_total"},
    {"karpenter_deprovisioning_eligible_machines", "karpenter_voluntary_disruption_eligible_nodes"},
    {"karpenter_deprovisioning_evaluation_duration_seconds",
     "karpenter_voluntary_disruption_decision_evaluation_duration_seconds"},
    {"karpenter_deprovisioning_consolidation_timeouts",
     "karpenter_voluntary_disruption_consolidation_timeouts_total"},
    // of NodePools before v1
    {"karpenter_nodepool_limit", "karpenter_nodepools_limit"},
    {"karpenter_nodepool_usage", "karpenter_nodepools_usage"},
    {"karpenter_nodeclaims_created", "karpenter_nodeclaims_created_total"},
    {"karpenter_nodeclaims_terminated", "karpenter_nodeclaims_terminated_total"},
    {"karpenter_nodeclaims_disrupted", "karpenter_nodeclaims_disrupted_total"},
    {"karpenter_nodeclaims_registered", "karpenter_nodes_created_total"},
    {"karpenter_nodes_created", "karpenter_nodes_created_total"},
    {"karpenter_nodes_terminated", "karpenter_nodes_terminated_total"},
    {"karpenter_nodes_total", "karpenter_cluster_state_node_count"},
    {"karpenter_nodes_termination_time_seconds", "karpenter_nodes_termination_duration_seconds"},
    {"karpenter_nodes_eviction_requests_total", "karpenter_pods_eviction_requests_total"},
    {"karpenter_pods_startup_time_seconds", "karpenter_pods_startup_duration_seconds"},
    {"karpenter_disruption_actions_performed_total",
     "karpenter_voluntary_disruption_decisions_total"},
    {"karpenter_disruption_budgets_allowed_disruptions", "karpenter_nodepools_allowed_disruptions"},
    {"karpenter_disruption_eligible_nodes", "karpenter_voluntary_disruption_eligible_nodes"},
    {"karpenter_disruption_evaluation_duration_seconds",
     "karpenter_voluntary_disruption_decision_evaluation_duration_seconds"},
    {"karpenter_disruption_consolidation_timeouts_total",
     "karpenter_voluntary_disruption_consolidation_timeouts_total"},
    {"karpenter_disruption_replacement_nodeclaim_failures_total",
     "karpenter_voluntary_disruption_queue_failures_total"},
};

void legacy_metrics_serve(struct metrics *metrics)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        metrics_alias(metrics, names[i].older, names[i].name);
}
