// Values of metrics for dashboards; their names, types and labels are in test_metric_families.c.
#include <stdio.h>
#include <string.h>

#include "base/metrics_text.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(11);
    return 0;
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

// The API server and the provider answer late: work is in progress.
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

static double of_pool(struct scenario *scenario, const char *line)
{
    struct text text = {0};
    double value = -1;
    metrics_write(simulation_metrics(scenario->simulation), &text);
    const char *at = strstr(text.data, line);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(line), "%lf", &value), 1);
    text_free(&text);
    return value;
}

static double cost(struct scenario *scenario)
{
    return of_pool(scenario, "karpenter_nodepools_cost_total{nodepool=\"default\"} ");
}

static double idle(struct scenario *scenario)
{
    return of_pool(scenario, "adze_nodepools_idle_dollars_per_hour{nodepool=\"default\"} ");
}

static void cost_of_a_pool_is_that_of_its_machines_LIF_321(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    assert_true(cost(scenario) == 0);
    scenario_scale(scenario, 30);
    scenario_expect_running(scenario, 30);
    double machines = (double)sim_instances_price(simulation_park(scenario->simulation)) / 1e9;
    assert_true(machines > 0);
    assert_float_equal(cost(scenario), machines, 1e-6);
    double full = idle(scenario);
    assert_true(full > 0 && full < machines / 2);
    scenario_scale(scenario, 25);
    scenario_expect_running(scenario, 25);
    assert_true(idle(scenario) > full);
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
    static const char *const absent[] = {"karpenter_nodepools_cost_total", "karpenter_pods_state",
                                         "karpenter_nodes_allocatable",
                                         "operator_nodeclaim_status_condition_count"};
    for (size_t i = 0; i < ARRAY_LENGTH(absent); i++)
        assert_null(metrics_find(simulation_metrics(scenario->simulation), absent[i]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(some_are_there_from_the_start_DIS_403_LIF_358),
        TEST(work_under_way_has_its_time_LIF_358),
        TEST(cost_of_a_pool_is_that_of_its_machines_LIF_321),
        TEST(families_of_observability_can_be_left_out_LIF_357),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
