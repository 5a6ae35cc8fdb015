// The families of /metrics: names, types and labels of LIF-350 to LIF-358, omitted families and
// older names.
#include <stdio.h>
#include <string.h>

#include "base/metrics_text.h"
#include "model/reading/settings_read.h"
#include "simulation/cluster_view.h"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(25);
    scenario->settings.gate_capacity_buffer = true;
    *state = scenario;
    return 0;
}

struct family {
    const char *name, *signature;
};

static void expect_families(struct scenario *scenario, const char *prefix,
                            const struct family *families, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[200];
        struct text signature = {0};
        snprintf(name, sizeof name, "%s%s", prefix, families[i].name);
        const struct metric *metric = metrics_find(simulation_metrics(scenario->simulation), name);
        if (metric == NULL)
            fail_msg("there is no %s", name);
        metric_signature(metric, &signature);
        if (strcmp(signature.data, families[i].signature) != 0)
            fail_msg("%s is %s, not %s", name, signature.data, families[i].signature);
        text_free(&signature);
    }
}

#define DISRUPTED "counter{reason,nodepool,capacity_type,consolidation_policy,termination_mode}"
static const struct family karpenter[] = {
    {"nodeclaims_created_total", "counter{reason,nodepool,min_values_relaxed}"},
    {"nodeclaims_terminated_total", "counter{nodepool,capacity_type,zone}"},
    {"nodeclaims_disrupted_total", DISRUPTED},
    {"pods_disruption_initiated_total", DISRUPTED},
    {"nodeclaims_unhealthy_disrupted_total", "counter{condition,nodepool,capacity_type,image_id}"},
    {"nodeclaims_instance_termination_duration_seconds", "histogram{nodepool}"},
    {"nodeclaims_termination_duration_seconds", "histogram{nodepool}"},
    {"nodes_created_total", "counter{nodepool,zone}"},
    {"nodes_terminated_total", "counter{nodepool,zone}"},
    {"nodes_drained_total", "counter{nodepool}"},
    {"nodes_termination_duration_seconds", "summary{nodepool}"},
    {"nodes_lifetime_duration_seconds", "histogram{nodepool}"},
    {"cluster_utilization_percent", "gauge{resource_type}"},
    {"cluster_state_node_count", "gauge{}"},
    {"cluster_state_synced", "gauge{}"},
    {"cluster_state_unsynced_time_seconds", "gauge{}"},
    {"nodepools_limit", "gauge{resource_type,nodepool}"},
    {"nodepools_usage", "gauge{resource_type,nodepool}"},
    {"nodepools_cost_total", "gauge{nodepool}"},
    {"nodepools_cost_tracker_errors_total", "counter{nodepool}"},
    {"nodepools_allowed_disruptions", "gauge{nodepool,reason}"},
    {"nodepools_nodes_consuming_budgets", "gauge{nodepool,reason}"},
    {"pods_state", "gauge{name,namespace,owner,node,scheduled,nodepool,zone,arch,capacity_type,"
                   "instance_type,phase,ready,managed}"},
    {"pods_startup_duration_seconds", "summary{}"},
    {"pods_unstarted_time_seconds", "gauge{name,namespace}"},
    {"pods_bound_duration_seconds", "histogram{}"},
    {"pods_unbound_time_seconds", "gauge{name,namespace}"},
    {"pods_provisioning_startup_duration_seconds", "histogram{}"},
    {"pods_provisioning_bound_duration_seconds", "histogram{}"},
    {"pods_provisioning_unstarted_time_seconds", "gauge{name,namespace}"},
    {"pods_provisioning_unbound_time_seconds", "gauge{name,namespace}"},
    {"pods_provisioning_scheduling_undecided_time_seconds", "gauge{name,namespace}"},
    {"pods_scheduling_decision_duration_seconds", "histogram{}"},
    {"pods_eviction_requests_total", "counter{code}"},
    {"pods_drained_total", "counter{reason}"},
    {"cloudprovider_duration_seconds", "histogram{controller,method,provider}"},
    {"cloudprovider_errors_total", "counter{controller,method,provider,error}"},
    {"scheduler_scheduling_duration_seconds", "histogram{controller}"},
    {"scheduler_queue_depth", "gauge{controller,scheduling_id}"},
    {"scheduler_unfinished_work_seconds", "gauge{controller,scheduling_id}"},
    {"scheduler_ignored_pods_count", "gauge{}"},
    {"scheduler_unschedulable_pods_count", "gauge{controller}"},
    {"scheduler_pending_pods_by_effective_zone_count", "gauge{controller,zone}"},
    {"voluntary_disruption_decision_evaluation_duration_seconds",
     "histogram{reason,consolidation_type}"},
    {"voluntary_disruption_decisions_total", "counter{decision,reason,consolidation_type}"},
    {"voluntary_disruption_decisions_by_nodepool_total",
     "counter{nodepool,decision,reason,consolidation_type}"},
    {"voluntary_disruption_eligible_nodes", "gauge{reason}"},
    {"voluntary_disruption_consolidation_timeouts_total", "counter{consolidation_type}"},
    {"voluntary_disruption_failed_validations_total", "counter{consolidation_type}"},
    {"voluntary_disruption_queue_failures_total", "counter{decision,reason,consolidation_type}"},
};

static const struct family own[] = {
    // docs/metrics.md
    {"nodes_not_disrupted", "gauge{rule}"},
    {"disruption_examination_age_seconds", "gauge{nodepool,method}"},
    {"consolidation_savings_dollars_per_hour", "gauge{nodepool,kind,day}"},
    {"consolidation_savings_dollars_per_hour_total", "counter{nodepool,kind}"},
    {"consolidation_loops_total", "counter{nodepool}"},
    {"plan_divergence_pods_total", "counter{nodepool,landed}"},
    {"consolidation_outcomes_total", "counter{nodepool,outcome}"},
    {"consolidation_evicted_pods_total", "counter{nodepool}"},
    {"unplanned_nodeclaims_total", "counter{nodepool}"},
    {"wave_passes", "histogram{}"},
    {"wave_purchases", "histogram{}"},
    {"wave_duration_seconds", "histogram{}"},
    {"target_duration_seconds", "histogram{}"},
    {"repack_price_dollars_per_hour", "gauge{kind}"},
    {"pods", "gauge{nodepool,phase,scheduled,ready}"},
    {"waiting_pods", "gauge{stage}"},
    {"waiting_pods_oldest_seconds", "gauge{stage}"},
    {"nodes", "gauge{nodepool,zone,capacity_type,arch,ready}"},
    {"nodes_by_instance_type", "gauge{instance_type,capacity_type}"},
    {"nodes_allocatable", "gauge{nodepool,resource_type}"},
    {"nodes_pod_requests", "gauge{nodepool,resource_type}"},
    {"nodes_daemon_requests", "gauge{nodepool,resource_type}"},
    {"nodeclaims", "gauge{nodepool,phase}"},
    {"nodeclaims_oldest_seconds", "gauge{nodepool,phase}"},
    {"conditions", "gauge{kind,type,status,reason}"},
    {"scheduler_queue_depth", "gauge{controller}"},
    {"scheduler_unfinished_work_seconds", "gauge{controller}"},
};

static const struct family framework[] = {
    // LIF-358
    {"controller_runtime_reconcile_total", "counter{controller,result}"},
    {"controller_runtime_reconcile_errors_total", "counter{controller}"},
    {"controller_runtime_terminal_reconcile_errors_total", "counter{controller}"},
    {"controller_runtime_reconcile_panics_total", "counter{controller}"},
    {"controller_runtime_reconcile_timeouts_total", "counter{controller}"},
    {"controller_runtime_reconcile_time_seconds", "histogram{controller}"},
    {"controller_runtime_max_concurrent_reconciles", "gauge{controller}"},
    {"controller_runtime_active_workers", "gauge{controller}"},
    {"workqueue_depth", "gauge{name,controller,priority}"},
    {"workqueue_adds_total", "counter{name,controller}"},
    {"workqueue_retries_total", "counter{name,controller}"},
    {"workqueue_queue_duration_seconds", "histogram{name,controller}"},
    {"workqueue_work_duration_seconds", "histogram{name,controller}"},
    {"workqueue_unfinished_work_seconds", "gauge{name,controller}"},
    {"workqueue_longest_running_processor_seconds", "gauge{name,controller}"},
    {"client_go_request_total", "counter{code,method}"},
    {"client_go_request_duration_seconds", "histogram{verb,group,version,kind,subresource}"},
};

static void families_have_their_types_and_labels_LIF_350_351_358(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    expect_families(scenario, "karpenter_", karpenter, ARRAY_LENGTH(karpenter));
    expect_families(scenario, "adze_", own, ARRAY_LENGTH(own));
    expect_families(scenario, "", framework, ARRAY_LENGTH(framework));
}

// Otherwise increase() misses the first step.
static void counters_begin_with_0_where_their_labels_are_known(void **state)
{
    static const char *const series[] = {
        "adze_consolidation_loops_total{nodepool=\"default\"}",
        "adze_plan_divergence_pods_total{nodepool=\"default\",landed=\"elsewhere\"}",
        "client_go_request_total{code=\"403\",method=\"PATCH\"}",
        "karpenter_nodeclaims_created_total{reason=\"drifted\",nodepool=\"default\",min_values_"
        "relaxed=\"false\"}",
        "karpenter_nodeclaims_disrupted_total{reason=\"insufficient_capacity\",nodepool="
        "\"default\","
        "capacity_type=\"\",consolidation_policy=\"\",termination_mode=\"graceful\"}",
        "karpenter_nodeclaims_disrupted_total{reason=\"registration_timeout\",nodepool=\"default\","
        "capacity_type=\"spot\",consolidation_policy=\"\",termination_mode=\"graceful\"}",
        "karpenter_pods_eviction_requests_total{code=\"409\"}",
        "karpenter_voluntary_disruption_queue_failures_total{decision=\"replace\",reason="
        "\"drifted\","
        "consolidation_type=\"\"}",
    };
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    struct text text = {0};
    metrics_write(simulation_metrics(scenario->simulation), &text);
    for (size_t i = 0; i < ARRAY_LENGTH(series); i++) {
        char line[400];
        snprintf(line, sizeof line, "\n%s 0\n", series[i]);
        if (strstr(text.data, line) == NULL)
            fail_msg("%s does not begin with 0", series[i]);
    }
    text_free(&text);
}

static void expect_condition_families(struct scenario *scenario, const char *infix,
                                      const char *extra)
{
    static const struct {
        const char *name, *type, *labels;
    } families[] = {
        {"status_condition_count", "gauge", "namespace,name,type,status,reason"},
        {"status_condition_current_status_seconds", "gauge", "namespace,name,type,status,reason"},
        {"status_condition_transitions_total", "counter", "type,status,reason"},
        {"status_condition_transition_seconds", "histogram", "type,status"},
        {"termination_current_time_seconds", "gauge", "namespace,name"},
        {"termination_duration_seconds", "histogram", ""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++) {
        char name[200], signature[400];
        bool comma = *families[i].labels != '\0' && *extra != '\0';
        snprintf(name, sizeof name, "%s%s", infix, families[i].name);
        snprintf(signature, sizeof signature, "%s{%s%s%s}", families[i].type, families[i].labels,
                 comma ? "," : "", extra);
        const struct family family = {name, signature};
        expect_families(scenario, "operator_", &family, 1);
    }
}

static void conditions_have_families_of_each_kind_LIF_355_356(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    expect_condition_families(scenario, "nodeclaim_",
                              "karpenter_kwok_sh_kwoknodeclass,karpenter_sh_nodepool");
    expect_condition_families(scenario, "nodepool_", "");
    expect_condition_families(
        scenario, "node_",
        "karpenter_kwok_sh_kwoknodeclass,karpenter_sh_nodepool,karpenter_sh_initialized");
    expect_condition_families(scenario, "capacitybuffer_", "");
    expect_condition_families(scenario, "kwoknodeclass_", "");
    expect_condition_families(scenario, "", "group,kind");
}

static void nodes_are_described_by_well_known_labels_LIF_352(void **state)
{
    static const char *const families[] = {"nodes_allocatable",
                                           "nodes_total_pod_requests",
                                           "nodes_total_pod_limits",
                                           "nodes_total_daemon_requests",
                                           "nodes_total_daemon_limits",
                                           "nodes_system_overhead",
                                           "nodes_current_lifetime_seconds"};
    static const char *const labels[] = {"nodepool", "zone",   "region",        "instance_type",
                                         "arch",     "os",     "capacity_type", "node_name",
                                         "phase",    "managed"};
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++) {
        char name[200];
        struct text signature = {0};
        snprintf(name, sizeof name, "karpenter_%s", families[i]);
        metric_signature(metrics_find(simulation_metrics(scenario->simulation), name), &signature);
        for (char *at = signature.data; *at != '\0'; at++)
            if (*at == '{' || *at == '}')
                *at = ',';
        for (size_t j = 0; j < ARRAY_LENGTH(labels); j++) {
            char label[60];
            snprintf(label, sizeof label, ",%s,", labels[j]);
            if (strstr(signature.data, label) == NULL)
                fail_msg("%s has no label %s: %s", name, labels[j], signature.data);
        }
        bool has_type = strstr(signature.data, ",resource_type,") != NULL;
        assert_int_equal(has_type, strstr(name, "lifetime") == NULL);
        text_free(&signature);
    }
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 6);
    assert_true(view_metric_sum(scenario, "karpenter_nodes_allocatable",
                                "resource_type=\"ephemeral_storage\"") > 1e9);
    assert_true(view_metric_sum(scenario, "karpenter_nodes_total_pod_requests",
                                "resource_type=\"cpu\"") == 1); // cores
    hand_patch(scenario, "v1", "Node", NULL, store_name(view_node(scenario)), "status",
               "status: {allocatable: {example.com/Gpu-small: '3'}}");
    scenario_run(scenario, 6);
    assert_true(view_metric_sum(scenario, "karpenter_nodes_allocatable",
                                "resource_type=\"example.com/gpu_small\"") == 3);
}

// --- pods ----------------------------------------------------------------------------------------
static void pods_have_state_and_times_LIF_320_353_354(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: apps/v1\nkind: ReplicaSet\n"
                             "metadata: {name: own, namespace: default}\n"
                             "spec: {replicas: 1, selector: {matchLabels: {app: own}}, template: "
                             "{metadata: {labels: {app: own}}, spec: {containers: [{name: c, "
                             "image: i, resources: {requests: {cpu: '1'}}}]}}}\n");
    scenario_run(scenario, 3);
#define GAUGE(name) view_metric_sum(scenario, "karpenter_pods_" name, "namespace=\"default\"")
    assert_true(GAUGE("unstarted_time_seconds") > 0);
    assert_true(GAUGE("unbound_time_seconds") > 0);
    double placed = GAUGE("provisioning_unbound_time_seconds");
    assert_true(placed > 0 && placed < GAUGE("unbound_time_seconds"));
    assert_true(GAUGE("provisioning_unstarted_time_seconds") == placed);
    assert_true(GAUGE("provisioning_scheduling_undecided_time_seconds") == 0); // decided
    assert_true(view_metric_sum(scenario, "karpenter_pods_state",
                                "owner=\"/apis/apps/v1/namespaces/default/replicasets/own\"") == 1);
    assert_true(view_metric_sum(scenario, "karpenter_pods_state", "scheduled=\"false\"") == 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 1);
    assert_true(GAUGE("unstarted_time_seconds") + GAUGE("unbound_time_seconds") +
                    GAUGE("provisioning_unbound_time_seconds") +
                    GAUGE("provisioning_unstarted_time_seconds") ==
                0);
    static const char *const once[] = {
        "startup_duration_seconds_count", "bound_duration_seconds_count",
        "provisioning_startup_duration_seconds_count", "provisioning_bound_duration_seconds_count",
        "scheduling_decision_duration_seconds_count"};
    for (size_t i = 0; i < ARRAY_LENGTH(once); i++) {
        char name[200];
        snprintf(name, sizeof name, "karpenter_pods_%s", once[i]);
        if (view_metric(scenario, name, "") != 1)
            fail_msg("%s is not 1", name);
    }
    assert_true(view_metric_sum(scenario, "karpenter_pods_state", "scheduled=\"true\"") == 1);
    assert_true(view_metric_sum(scenario, "karpenter_pods_state",
                                "phase=\"Running\",ready=\"true\",managed=\"true\"") == 1);
    scenario_apply(scenario, "apiVersion: apps/v1\nkind: ReplicaSet\n"
                             "metadata: {name: own, namespace: default}\nspec: {replicas: 0}\n");
    scenario_run(scenario, 40);
    assert_true(view_metric_sum(scenario, "karpenter_pods_state", "") == 0);
}

// Its image takes long: it has its node, though it does not run.
static void bound_pod_that_does_not_run_waits_for_no_node_LIF_354(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pod(scenario, "slow", "1", "annotations: {adze.dev/sim-start-seconds: '600'}, ", "");
    scenario_run(scenario, 120);
    assert_true(view_metric_sum(scenario, "karpenter_pods_state", "scheduled=\"true\"") == 1);
    assert_string_equal(
        view_text(view_object(scenario, "v1", "Pod", "default", "slow"), "status.phase"),
        "Pending");
    assert_true(GAUGE("unstarted_time_seconds") > 100);
    assert_true(GAUGE("unbound_time_seconds") == 0);
    assert_true(GAUGE("provisioning_unbound_time_seconds") == 0);
    assert_true(view_metric_sum(scenario, "karpenter_pods_bound_duration_seconds_count", "") <= 0);
}

// No place, hence no first success; decided all the same.
static void pod_without_place_has_no_provisioning_times_LIF_354(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pod(scenario, "huge", "5000", "", "");
    scenario_run(scenario, 20);
    assert_true(GAUGE("unbound_time_seconds") > 15);
    assert_true(GAUGE("provisioning_unbound_time_seconds") == 0);
    assert_true(GAUGE("provisioning_scheduling_undecided_time_seconds") == 0);
    hand_delete(scenario, "v1", "Pod", "default", "huge");
    scenario_run(scenario, 5);
    assert_true(GAUGE("unbound_time_seconds") == 0);
}

// --- served families -----------------------------------------------------------------------------
static uint32_t served(struct scenario *scenario, const char *start)
{
    struct text text = {0}, head = {0};
    metrics_write(simulation_metrics(scenario->simulation), &text);
    text_format(&head, "# TYPE %s", start);
    uint32_t count = 0;
    for (const char *at = text.data; (at = strstr(at, head.data)) != NULL; at++)
        count++;
    text_free(&text);
    text_free(&head);
    return count;
}

static void families_can_be_left_out_by_name_LIF_468(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    assert_true(settings_set(&scenario->settings, "DISABLED_METRICS",
                             "karpenter_nodes_*, karpenter_pods_state", &error));
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 6);
    assert_int_equal(served(scenario, "karpenter_nodes_"), 0);
    assert_int_equal(served(scenario, "karpenter_pods_state"), 0);
    assert_true(served(scenario, "karpenter_pods_") > 0);
    assert_true(served(scenario, "karpenter_nodepools_") > 0);
}

// METRICS_PROFILE=compact: totals stand for series of single objects.
static void totals_stand_for_single_objects_by_default_LIF_468(void **state)
{
    static const char *const single[] = {"karpenter_nodes_allocatable",
                                         "karpenter_nodes_current_lifetime_seconds",
                                         "karpenter_nodes_system_overhead",
                                         "karpenter_nodes_total_pod_requests",
                                         "karpenter_pods_state",
                                         "karpenter_pods_unbound_time_seconds",
                                         "karpenter_pods_unstarted_time_seconds",
                                         "karpenter_scheduler_queue_depth",
                                         "operator_node_status_condition_count",
                                         "operator_nodeclaim_status_condition_count"};
    struct scenario *scenario = *state;
    struct settings defaults;
    settings_defaults(&defaults);
    scenario->settings.metrics_full = defaults.metrics_full;
    scenario_begin(scenario);
    scenario_scale(scenario, 2);
    scenario_expect_running(scenario, 2);
    hand_pod(scenario, "huge", "5000", "", "");
    scenario_run(scenario, 12);
    for (size_t i = 0; i < ARRAY_LENGTH(single); i++)
        if (served(scenario, single[i]) != 0)
            fail_msg("%s is served", single[i]);
    assert_int_equal(served(scenario, "operator_nodepool_status_condition_count"), 1);
#define SUM(family, labels) view_metric_sum(scenario, family, labels)
    assert_true(SUM("operator_status_condition_count", "kind=\"NodePool\"") > 0);
    assert_true(SUM("operator_status_condition_count", "kind=\"NodeClaim\"") == 0);
    double nodes = simulation_count(scenario->simulation, "v1", "Node");
    assert_true(nodes > 0);
    assert_true(SUM("adze_nodes", "nodepool=\"default\"") == nodes);
    assert_true(SUM("adze_nodes", "ready=\"true\"") == nodes);
    assert_true(SUM("adze_nodes_by_instance_type", "") == nodes);
    assert_true(SUM("adze_nodes_pod_requests",
                    "{nodepool=\"default\",resource_type=\"cpu\"}") == 2); // cores
    assert_true(SUM("adze_nodes_allocatable", "resource_type=\"memory\"") > 1e9);
    assert_true(SUM("adze_nodeclaims", "phase=\"initialized\"") == nodes);
    assert_true(SUM("adze_nodeclaims_oldest_seconds", "phase=\"initialized\"") > 0);
    assert_true(SUM("adze_conditions", "kind=\"NodeClaim\",type=\"Ready\",status=\"True\"") ==
                nodes);
    assert_true(SUM("adze_conditions", "kind=\"Node\",type=\"Ready\",status=\"True\"") == nodes);
    assert_true(SUM("adze_pods", "nodepool=\"default\",phase=\"Running\"") == 2);
    assert_true(SUM("adze_pods", "phase=\"Pending\",scheduled=\"false\"") == 1);
    assert_true(SUM("adze_waiting_pods", "") == 1);
    assert_true(SUM("adze_waiting_pods", "stage=\"no_place\"") == 1);
    assert_true(SUM("adze_waiting_pods_oldest_seconds", "stage=\"no_place\"") > 5);
    assert_true(SUM("karpenter_cluster_utilization_percent", "resource_type=\"cpu\"") > 0);
}

static void pods_wait_at_one_stage_each_LIF_354(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pod(scenario, "slow", "1", "annotations: {adze.dev/sim-start-seconds: '600'}, ", "");
    bool seen[2] = {0};
    static const char *const stages[] = {"stage=\"node\"", "stage=\"start\""};
    for (int second = 0; second < 120; second++) {
        scenario_run(scenario, 1);
        assert_true(SUM("adze_waiting_pods", "") <= 1);
        for (size_t i = 0; i < ARRAY_LENGTH(stages); i++)
            seen[i] = seen[i] || SUM("adze_waiting_pods", stages[i]) == 1;
    }
    assert_true(seen[0] && seen[1]);
    assert_true(SUM("adze_waiting_pods_oldest_seconds", "stage=\"start\"") > 60);
    hand_delete(scenario, "v1", "Pod", "default", "slow");
    scenario_run(scenario, 5);
    assert_true(SUM("adze_waiting_pods", "") == 0);
}

static void upstream_s_profile_is_full_LIF_468(void **state)
{
    (void)state;
    struct error error = {0};
    struct settings settings;
    settings_defaults(&settings);
    assert_false(settings.metrics_full);
    assert_true(settings_set(&settings, "COMPATIBILITY", "upstream", &error));
    assert_true(settings_finish(&settings, &error));
    assert_true(settings.metrics_full);
    assert_false(settings_set(&settings, "METRICS_PROFILE", "small", &error));
    settings_free(&settings);
}

static void older_names_are_served_on_demand_GUI_42(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.legacy_metrics = true;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 6);
    assert_true(view_metric_sum(scenario, "karpenter_nodes_total", "") == 1);
    assert_true(view_metric_sum(scenario, "karpenter_nodeclaims_created", "") == 1);
    assert_int_equal(served(scenario, "karpenter_provisioner_scheduling_duration_seconds"), 1);
    struct text text = {0};
    metrics_write(simulation_metrics(scenario->simulation), &text);
    assert_non_null(strstr(text.data, "# HELP karpenter_nodes_total Deprecated, see "
                                      "karpenter_cluster_state_node_count. "));
    text_free(&text);
    scenario->settings.legacy_metrics = false;
}

static void older_names_are_not_served_by_default_GUI_42(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    assert_int_equal(served(scenario, "karpenter_nodes_total"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(families_have_their_types_and_labels_LIF_350_351_358),
        TEST(counters_begin_with_0_where_their_labels_are_known),
        TEST(conditions_have_families_of_each_kind_LIF_355_356),
        TEST(nodes_are_described_by_well_known_labels_LIF_352),
        TEST(pods_have_state_and_times_LIF_320_353_354),
        TEST(bound_pod_that_does_not_run_waits_for_no_node_LIF_354),
        TEST(pod_without_place_has_no_provisioning_times_LIF_354),
        TEST(families_can_be_left_out_by_name_LIF_468),
        TEST(totals_stand_for_single_objects_by_default_LIF_468),
        TEST(pods_wait_at_one_stage_each_LIF_354),
        cmocka_unit_test(upstream_s_profile_is_full_LIF_468),
        TEST(older_names_are_served_on_demand_GUI_42),
        TEST(older_names_are_not_served_by_default_GUI_42),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
