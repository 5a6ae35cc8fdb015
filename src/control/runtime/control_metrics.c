#include "control/runtime/control_metrics.h"

#include "base/memory.h"

#define MINUTES(n) ((n)*60.0)
#define HOURS(n)   ((n)*3600.0)
#define DAYS(n)    ((n)*86400.0)
static const double lifetime_buckets[] = {
    MINUTES(15), MINUTES(30), MINUTES(45), HOURS(1),  HOURS(2),  HOURS(4), HOURS(6),
    HOURS(8),    HOURS(10),   HOURS(12),   HOURS(16), HOURS(20), DAYS(1),  DAYS(2),
    DAYS(3),     DAYS(5),     DAYS(10),    DAYS(15),  DAYS(20),  DAYS(25), DAYS(30)};

struct family {
    struct metric **slot;
    enum metric_type type;
    const char *name, *help;
    const char *labels[8];
    bool detailed;
};

static void register_families(struct metrics *metrics, const struct family *families, size_t count,
                              const double *buckets, uint32_t buckets_count)
{
    for (size_t i = 0; i < count; i++) {
        struct metric_options options = {.name = families[i].name,
                                         .help = families[i].help,
                                         .type = families[i].type,
                                         .detailed = families[i].detailed,
                                         .buckets = buckets,
                                         .buckets_count = buckets_count};
        for (size_t j = 0; j < ARRAY_LENGTH(families[i].labels); j++)
            options.labels[j] = families[i].labels[j];
        *families[i].slot = metrics_register(metrics, &options);
    }
}

static void register_lifecycle(struct control_metrics *m, struct metrics *metrics)
{
    const struct family families[] = {
        {&m->node_claims_created,
         METRIC_COUNTER,
         "karpenter_nodeclaims_created_total",
         "NodeClaims created.",
         {"reason", "nodepool", "min_values_relaxed"}},
        {&m->node_claims_terminated,
         METRIC_COUNTER,
         "karpenter_nodeclaims_terminated_total",
         "NodeClaims that are gone.",
         {"nodepool", "capacity_type", "zone"}},
        {&m->node_claims_disrupted,
         METRIC_COUNTER,
         "karpenter_nodeclaims_disrupted_total",
         "NodeClaims deleted by a controller.",
         {"reason", "nodepool", "capacity_type", "consolidation_policy", "termination_mode"}},
        {&m->node_claims_unhealthy_disrupted,
         METRIC_COUNTER,
         "karpenter_nodeclaims_unhealthy_disrupted_total",
         "NodeClaims deleted because their node was unhealthy.",
         {"condition", "nodepool", "capacity_type", "image_id"}},
        {&m->pods_disruption_initiated,
         METRIC_COUNTER,
         "karpenter_pods_disruption_initiated_total",
         "Reschedulable pods on nodes whose disruption began.",
         {"reason", "nodepool", "capacity_type", "consolidation_policy", "termination_mode"}},
        {&m->nodes_created,
         METRIC_COUNTER,
         "karpenter_nodes_created_total",
         "Nodes registered.",
         {"nodepool", "zone"}},
        {&m->nodes_terminated,
         METRIC_COUNTER,
         "karpenter_nodes_terminated_total",
         "Nodes terminated.",
         {"nodepool", "zone"}},
        {&m->nodes_drained,
         METRIC_COUNTER,
         "karpenter_nodes_drained_total",
         "Nodes drained.",
         {"nodepool"}},
        {&m->node_termination_seconds,
         METRIC_SUMMARY,
         "karpenter_nodes_termination_duration_seconds",
         "Time from a Node's deletion to its removal.",
         {"nodepool"}},
        {&m->eviction_requests,
         METRIC_COUNTER,
         "karpenter_pods_eviction_requests_total",
         "Eviction requests by answer.",
         {"code"}},
        {&m->pods_drained,
         METRIC_COUNTER,
         "karpenter_pods_drained_total",
         "Pods evicted or deleted to empty a node.",
         {"reason"}},
        {&m->cluster_nodes,
         METRIC_GAUGE,
         "karpenter_cluster_state_node_count",
         "Nodes and NodeClaims in cluster state.",
         {0}},
        {&m->cluster_synced,
         METRIC_GAUGE,
         "karpenter_cluster_state_synced",
         "1 if cluster state is synced.",
         {0}},
        {&m->cluster_unsynced_seconds,
         METRIC_GAUGE,
         "karpenter_cluster_state_unsynced_time_seconds",
         "Time since cluster state was synced.",
         {0}},
        {&m->incompatible_crds,
         METRIC_GAUGE,
         "adze_incompatible_crds",
         "1: the CustomResourceDefinition does not fit this version of adze.",
         {"crd"}},
        {&m->expected_cpu_use,
         METRIC_GAUGE,
         "adze_expected_cpu_use_ratio",
         "Share of the requested cpu that prices of burstable types count with.",
         {0}},
        {&m->measured_cpu_use,
         METRIC_GAUGE,
         "adze_measured_cpu_use_ratio",
         "Share of the requested cpu that pods use by metrics.k8s.io, smoothed over a day.",
         {0}},
        {&m->pool_limit,
         METRIC_GAUGE,
         "karpenter_nodepools_limit",
         "Limits of a NodePool.",
         {"resource_type", "nodepool"}},
        {&m->pool_usage,
         METRIC_GAUGE,
         "karpenter_nodepools_usage",
         "Resources in use of a NodePool.",
         {"resource_type", "nodepool"}},
        {&m->cloud_errors,
         METRIC_COUNTER,
         "karpenter_cloudprovider_errors_total",
         "Failed calls of the cloud provider.",
         {"controller", "method", "provider", "error"}},
    };
    register_families(metrics, families, ARRAY_LENGTH(families), NULL, 0);
    const struct family lifetimes[] = {
        {&m->node_lifetime_seconds,
         METRIC_HISTOGRAM,
         "karpenter_nodes_lifetime_duration_seconds",
         "Lifetime of nodes.",
         {"nodepool"}},
    };
    register_families(metrics, lifetimes, 1, lifetime_buckets, ARRAY_LENGTH(lifetime_buckets));
    double doubling[12];
    metric_exponential_buckets(1, 12, doubling);
    const struct family instance[] = {
        {&m->instance_termination_seconds,
         METRIC_HISTOGRAM,
         "karpenter_nodeclaims_instance_termination_duration_seconds",
         "Time from an instance's termination to its end.",
         {"nodepool"}},
    };
    register_families(metrics, instance, 1, doubling, 11);
    const struct family claim[] = {
        {&m->node_claim_termination_seconds,
         METRIC_HISTOGRAM,
         "karpenter_nodeclaims_termination_duration_seconds",
         "Time from a NodeClaim's deletion to its removal.",
         {"nodepool"}},
    };
    register_families(metrics, claim, 1, doubling, 12);
    const struct family cloud[] = {
        {&m->cloud_seconds,
         METRIC_HISTOGRAM,
         "karpenter_cloudprovider_duration_seconds",
         "Calls of the cloud provider.",
         {"controller", "method", "provider"}},
    };
    register_families(metrics, cloud, 1, metric_plain_buckets, metric_plain_buckets_count);
}

static void register_decisions(struct control_metrics *m, struct metrics *metrics)
{
    const struct family families[] = {
        {&m->queue_depth,
         METRIC_GAUGE,
         "karpenter_scheduler_queue_depth",
         "Pods waiting in the current simulation.",
         {"controller", "scheduling_id"},
         .detailed = true},
        {&m->unfinished_seconds,
         METRIC_GAUGE,
         "karpenter_scheduler_unfinished_work_seconds",
         "Time since the current simulation began.",
         {"controller", "scheduling_id"},
         .detailed = true},
        {&m->queued_pods,
         METRIC_GAUGE,
         "adze_scheduler_queue_depth",
         "Pods waiting in the current simulation.",
         {"controller"}},
        {&m->planning_seconds,
         METRIC_GAUGE,
         "adze_scheduler_unfinished_work_seconds",
         "Time since the current simulation began; 0: none is under way.",
         {"controller"}},
        {&m->ignored_pods,
         METRIC_GAUGE,
         "karpenter_scheduler_ignored_pods_count",
         "Pods refused by validation.",
         {0}},
        {&m->unschedulable_pods,
         METRIC_GAUGE,
         "karpenter_scheduler_unschedulable_pods_count",
         "Pods without a place.",
         {"controller"}},
        {&m->pods_by_zone,
         METRIC_GAUGE,
         "karpenter_scheduler_pending_pods_by_effective_zone_count",
         "Pending pods by the zone that their requirements, volumes and rules leave them.",
         {"controller", "zone"}},
        {&m->planned_pods_bound,
         METRIC_COUNTER,
         "adze_plan_divergence_pods_total",
         "Pods bound after they were planned: on the planned node, or elsewhere.",
         {"nodepool", "landed"}},
        {&m->disruption_decisions,
         METRIC_COUNTER,
         "karpenter_voluntary_disruption_decisions_total",
         "Disruption commands started.",
         {"decision", "reason", "consolidation_type"}},
        {&m->disruption_decisions_by_pool,
         METRIC_COUNTER,
         "karpenter_voluntary_disruption_decisions_by_nodepool_total",
         "Disruption commands started, once for each NodePool concerned.",
         {"nodepool", "decision", "reason", "consolidation_type"}},
        {&m->disruption_eligible,
         METRIC_GAUGE,
         "karpenter_voluntary_disruption_eligible_nodes",
         "Nodes that may be disrupted for a reason.",
         {"reason"}},
        {&m->disruption_failed_validations,
         METRIC_COUNTER,
         "karpenter_voluntary_disruption_failed_validations_total",
         "Candidates that failed validation.",
         {"consolidation_type"}},
        {&m->disruption_timeouts,
         METRIC_COUNTER,
         "karpenter_voluntary_disruption_consolidation_timeouts_total",
         "Searches for a consolidation that ran out of time.",
         {"consolidation_type"}},
        {&m->disruption_queue_failures,
         METRIC_COUNTER,
         "karpenter_voluntary_disruption_queue_failures_total",
         "Disruption commands that failed.",
         {"decision", "reason", "consolidation_type"}},
        {&m->consolidation_moves,
         METRIC_COUNTER,
         "karpenter_consolidation_moves_total",
         "Consolidations that NodePools' policies were asked about.",
         {"decision", "nodepool", "policy"}},
        {&m->consolidation_loops,
         METRIC_COUNTER,
         "adze_consolidation_loops_total",
         "Replacements that undid one of the last day.",
         {"nodepool"}},
        {&m->consolidation_savings,
         METRIC_COUNTER,
         "adze_consolidation_savings_dollars_per_hour_total",
         "What consolidations save an hour: as predicted, and by the machines that came of it, or "
         "lost.",
         {"nodepool", "kind"}},
        {&m->consolidation_savings_by_day,
         METRIC_GAUGE,
         "adze_consolidation_savings_dollars_per_hour",
         "What the consolidations of a day save an hour: as predicted, and by the machines that "
         "came of it.",
         {"nodepool", "kind", "day"}},
        {&m->consolidation_outcomes,
         METRIC_COUNTER,
         "adze_consolidation_outcomes_total",
         "Consolidations 10 minutes after their end: as planned, pods elsewhere, or no saving.",
         {"nodepool", "outcome"}},
        {&m->nodes_by_rule,
         METRIC_GAUGE,
         "adze_nodes_not_disrupted",
         "Nodes that stay, by the rule that keeps them.",
         {"rule"}},
        {&m->examined_age,
         METRIC_GAUGE,
         "adze_disruption_examination_age_seconds",
         "Time since a method last looked at all nodes of a NodePool.",
         {"nodepool", "method"}},
        {&m->pool_allowed_disruptions,
         METRIC_GAUGE,
         "karpenter_nodepools_allowed_disruptions",
         "Disruptions that the budgets allow.",
         {"nodepool", "reason"}},
        {&m->pool_consuming_budgets,
         METRIC_GAUGE,
         "karpenter_nodepools_nodes_consuming_budgets",
         "Nodes that count against the budgets.",
         {"nodepool", "reason"}},
    };
    register_families(metrics, families, ARRAY_LENGTH(families), NULL, 0);
    const struct family timings[] = {
        {&m->scheduling_seconds,
         METRIC_HISTOGRAM,
         "karpenter_scheduler_scheduling_duration_seconds",
         "Time of a scheduling simulation.",
         {"controller"}},
        {&m->decision_seconds,
         METRIC_HISTOGRAM,
         "karpenter_pods_scheduling_decision_duration_seconds",
         "Time from first sight of a pod to the first decision about it.",
         {0}},
        {&m->disruption_evaluation_seconds,
         METRIC_HISTOGRAM,
         "karpenter_voluntary_disruption_decision_evaluation_duration_seconds",
         "Time of a disruption method's evaluation.",
         {"reason", "consolidation_type"}},
    };
    static const double score_buckets[] = {0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10};
    const struct family scores[] = {
        {&m->consolidation_score,
         METRIC_HISTOGRAM,
         "karpenter_consolidation_score",
         "Scores of consolidations in NodePools with policy Balanced.",
         {"decision", "nodepool", "policy"}},
    };
    register_families(metrics, scores, 1, score_buckets, ARRAY_LENGTH(score_buckets));
    register_families(metrics, timings, ARRAY_LENGTH(timings), metric_duration_buckets,
                      metric_duration_buckets_count);
}

// Comparisons of plans with their results.
static void register_reports(struct control_metrics *m, struct metrics *metrics)
{
    const struct family families[] = {
        {&m->unplanned_node_claims,
         METRIC_COUNTER,
         "adze_unplanned_nodeclaims_total",
         "NodeClaims bought for evicted pods that no disruption command had planned.",
         {"nodepool"}},
        {&m->consolidation_evicted_pods,
         METRIC_COUNTER,
         "adze_consolidation_evicted_pods_total",
         "Pods of nodes that consolidation has removed.",
         {"nodepool"}},
        {&m->repack_price,
         METRIC_GAUGE,
         "adze_repack_price_dollars_per_hour",
         "Nodes that may be consolidated: what they cost, and what a new plan for their pods "
         "would.",
         {"kind"}},
    };
    register_families(metrics, families, ARRAY_LENGTH(families), NULL, 0);
    static const double count_buckets[] = {1, 2, 3, 5, 8, 13, 21, 50, 100};
    const struct family counts[] = {
        {&m->wave_passes,
         METRIC_HISTOGRAM,
         "adze_wave_passes",
         "Passes of a wave of pods that needed new nodes.",
         {0}},
        {&m->wave_purchases,
         METRIC_HISTOGRAM,
         "adze_wave_purchases",
         "Passes of a wave that created NodeClaims.",
         {0}},
    };
    register_families(metrics, counts, ARRAY_LENGTH(counts), count_buckets,
                      ARRAY_LENGTH(count_buckets));
    static const double span_buckets[] = {5,   10,  20,  30,  45,   60,   90,
                                          120, 180, 300, 600, 1200, 1800, 3600};
    const struct family spans[] = {
        {&m->wave_seconds,
         METRIC_HISTOGRAM,
         "adze_wave_duration_seconds",
         "Time from a wave's first pass until its last planned pod was bound.",
         {0}},
        {&m->target_seconds,
         METRIC_HISTOGRAM,
         "adze_target_duration_seconds",
         "Time from the first disruption command after a rest until nothing was left to do.",
         {0}},
    };
    register_families(metrics, spans, ARRAY_LENGTH(spans), span_buckets,
                      ARRAY_LENGTH(span_buckets));
}

// increase() and rate() miss what a series begins with, so those whose labels are known beforehand,
// and few, begin with 0.
static void begin_counters(const struct control_metrics *m)
{
    static const struct {
        const char *decision, *reason, *consolidation;
    } commands[] = {{"delete", "empty", "empty"},
                    {"delete", "drifted", ""},
                    {"replace", "drifted", ""},
                    {"delete", "underutilized", "single"},
                    {"replace", "underutilized", "single"},
                    {"delete", "underutilized", "multi"},
                    {"replace", "underutilized", "multi"}};
    for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
        metric_add(m->disruption_decisions, 0, commands[i].decision, commands[i].reason,
                   commands[i].consolidation);
        metric_add(m->disruption_queue_failures, 0, commands[i].decision, commands[i].reason,
                   commands[i].consolidation);
        metric_add(m->disruption_failed_validations, 0, commands[i].consolidation);
    }
    static const char *const codes[] = {"200", "404", "409", "500"};
    for (size_t i = 0; i < ARRAY_LENGTH(codes); i++)
        metric_add(m->eviction_requests, 0, codes[i]);
    static const char *const reasons[] = {"Drifted", "Empty", "Underutilized",
                                          "Forceful Termination"};
    for (size_t i = 0; i < ARRAY_LENGTH(reasons); i++)
        metric_add(m->pods_drained, 0, reasons[i]);
    metric_add(m->disruption_timeouts, 0, "multi"); // DIS-403
    metric_add(m->disruption_timeouts, 0, "single");
}

void control_metrics_begin_pool(const struct control_metrics *m, const char *pool)
{
    metric_add(m->unplanned_node_claims, 0, pool);
    metric_add(m->consolidation_evicted_pods, 0, pool);
    metric_add(m->consolidation_loops, 0, pool);
    metric_add(m->planned_pods_bound, 0, pool, "planned");
    metric_add(m->planned_pods_bound, 0, pool, "elsewhere");
    static const char *const outcomes[] = {"as_planned", "elsewhere", "no_saving"};
    for (size_t i = 0; i < ARRAY_LENGTH(outcomes); i++)
        metric_add(m->consolidation_outcomes, 0, pool, outcomes[i]);
    static const char *const savings[] = {"predicted", "realised", "lost"};
    for (size_t i = 0; i < ARRAY_LENGTH(savings); i++)
        metric_add(m->consolidation_savings, 0, pool, savings[i]);
    static const char *const reasons[] = {"provisioned", "drifted", "underutilized"};
    for (size_t i = 0; i < ARRAY_LENGTH(reasons); i++)
        metric_add(m->node_claims_created, 0, reasons[i], pool, "false");
    metric_add(m->nodes_drained, 0, pool);
}

void control_metrics_register(struct control_metrics *control_metrics, struct metrics *metrics)
{
    register_lifecycle(control_metrics, metrics);
    register_decisions(control_metrics, metrics);
    register_reports(control_metrics, metrics);
    begin_counters(control_metrics);
}
