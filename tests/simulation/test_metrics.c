// The metric families that dashboards ask for (LIF-350 to LIF-359).
#include <stdio.h>
#include <string.h>

#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(11);
    return 0;
}

static const char *const karpenter[] = { // LIF-351
    "nodeclaims_created_total", "nodeclaims_terminated_total", "nodeclaims_disrupted_total",
    "pods_disruption_initiated_total", "nodeclaims_unhealthy_disrupted_total",
    "nodeclaims_instance_termination_duration_seconds",
    "nodeclaims_termination_duration_seconds", "nodes_created_total", "nodes_terminated_total",
    "nodes_drained_total", "nodes_termination_duration_seconds", "nodes_lifetime_duration_seconds",
    "nodes_allocatable", "nodes_total_pod_requests", "nodes_total_pod_limits",
    "nodes_total_daemon_requests", "nodes_total_daemon_limits", "nodes_system_overhead",
    "nodes_current_lifetime_seconds", "cluster_utilization_percent", "cluster_state_node_count",
    "cluster_state_synced", "cluster_state_unsynced_time_seconds", "nodepools_limit",
    "nodepools_usage", "nodepools_cost_total", "nodepools_cost_tracker_errors_total",
    "nodepools_allowed_disruptions", "nodepools_nodes_consuming_budgets", "pods_state",
    "pods_startup_duration_seconds", "pods_unstarted_time_seconds", "pods_bound_duration_seconds",
    "pods_unbound_time_seconds", "pods_scheduling_decision_duration_seconds",
    "pods_eviction_requests_total", "pods_drained_total", "cloudprovider_duration_seconds",
    "cloudprovider_errors_total", "scheduler_scheduling_duration_seconds", "scheduler_queue_depth",
    "scheduler_unfinished_work_seconds", "scheduler_ignored_pods_count",
    "scheduler_unschedulable_pods_count",
    "voluntary_disruption_decision_evaluation_duration_seconds",
    "voluntary_disruption_decisions_total", "voluntary_disruption_decisions_by_nodepool_total",
    "voluntary_disruption_eligible_nodes", "voluntary_disruption_consolidation_timeouts_total",
    "voluntary_disruption_failed_validations_total",
    "voluntary_disruption_queue_failures_total",
};
static const char *const others[] = { // LIF-355, LIF-358
    "operator_nodeclaim_status_condition_count", "operator_nodepool_status_condition_count",
    "operator_node_status_condition_count", "operator_status_condition_transitions_total",
    "operator_termination_current_time_seconds", "controller_runtime_reconcile_total",
    "controller_runtime_reconcile_errors_total",
    "controller_runtime_terminal_reconcile_errors_total",
    "controller_runtime_reconcile_panics_total", "controller_runtime_reconcile_timeouts_total",
    "controller_runtime_reconcile_time_seconds", "controller_runtime_max_concurrent_reconciles",
    "controller_runtime_active_workers", "workqueue_depth", "workqueue_adds_total",
    "workqueue_retries_total", "workqueue_queue_duration_seconds",
    "workqueue_work_duration_seconds", "workqueue_unfinished_work_seconds",
    "workqueue_longest_running_processor_seconds", "client_go_request_total",
    "client_go_request_duration_seconds",
};

static void families_are_registered_LIF_351_355_358(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    const struct metrics *metrics = simulation_metrics(scenario->simulation);
    for (size_t i = 0; i < ARRAY_LENGTH(karpenter); i++) {
        char name[200];
        snprintf(name, sizeof name, "karpenter_%s", karpenter[i]);
        if (metrics_find(metrics, name) == NULL)
            fail_msg("there is no %s", name);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (metrics_find(metrics, others[i]) == NULL)
            fail_msg("there is no %s", others[i]);
}

static void assert_line(const struct text *text, const char *line)
{
    if (strstr(text->data, line) == NULL)
        fail_msg("there is no line %s", line);
}

static void some_are_there_from_the_start_DIS_403_LIF_358(void **state)
{
    struct scenario *scenario = *state;
    struct text text = {0};
    scenario_begin(scenario);
    metrics_write(simulation_metrics(scenario->simulation), &text);
    assert_line(&text, "karpenter_voluntary_disruption_consolidation_timeouts_total"
                       "{consolidation_type=\"multi\"} 0\n");
    assert_line(&text, "karpenter_voluntary_disruption_consolidation_timeouts_total"
                       "{consolidation_type=\"single\"} 0\n");
    assert_line(&text, "controller_runtime_reconcile_panics_total{controller=\"provisioner\"} 0\n");
    assert_line(&text, "workqueue_unfinished_work_seconds{name=\"provisioner\","
                       "controller=\"provisioner\"} 0\n");
    text_free(&text);
}

// The API server and the provider answer late: somebody is at work.
static void work_under_way_has_its_time_LIF_358(void **state)
{
    struct scenario *scenario = *state;
    struct text text = {0};
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 40 * SECOND;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 30);
    metrics_write(simulation_metrics(scenario->simulation), &text);
    const char *line = "workqueue_longest_running_processor_seconds{name=\"nodeclaim.lifecycle\","
                       "controller=\"nodeclaim.lifecycle\"} ";
    const char *at = strstr(text.data, line);
    double seconds = 0;
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(line), "%lf", &seconds), 1);
    assert_true(seconds > 20 && seconds < 30);
    text_free(&text);
}

static double cost(struct scenario *scenario)
{
    struct text text = {0};
    const char *line = "karpenter_nodepools_cost_total{nodepool=\"default\"} ";
    double value = -1;
    metrics_write(simulation_metrics(scenario->simulation), &text);
    const char *at = strstr(text.data, line);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(line), "%lf", &value), 1);
    text_free(&text);
    return value;
}

static void cost_of_a_pool_is_that_of_its_machines_LIF_321(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    assert_true(cost(scenario) == 0);
    scenario_scale(scenario, 30);
    scenario_expect_running(scenario, 30);
    double machines = (double)machine_park_price(simulation_park(scenario->simulation)) / 1e9;
    assert_true(machines > 0);
    assert_float_equal(cost(scenario), machines, 1e-6);
    assert_int_equal(
        metric_series_count(metrics_find(simulation_metrics(scenario->simulation),
                                         "karpenter_nodepools_cost_tracker_errors_total")),
        0);
}

static void families_of_observability_can_be_left_out_LIF_357(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.disable_cluster_state_observability = true;
    scenario_begin(scenario);
    static const char *const absent[] = {
        "karpenter_nodepools_cost_total", "karpenter_pods_state", "karpenter_nodes_allocatable",
        "operator_nodeclaim_status_condition_count"};
    for (size_t i = 0; i < ARRAY_LENGTH(absent); i++)
        assert_null(metrics_find(simulation_metrics(scenario->simulation), absent[i]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(families_are_registered_LIF_351_355_358),
        TEST(some_are_there_from_the_start_DIS_403_LIF_358),
        TEST(work_under_way_has_its_time_LIF_358),
        TEST(cost_of_a_pool_is_that_of_its_machines_LIF_321),
        TEST(families_of_observability_can_be_left_out_LIF_357),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
