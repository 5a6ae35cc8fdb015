// A replica that does not lead, and what becomes of it (LIF-331).
#include <stdio.h>
#include <string.h>

#include "simulation/cluster_view.h"

static int setup(void **state)
{
    *state = scenario_create(57);
    return 0;
}

static uint32_t lines_of(struct scenario *scenario, const char *start)
{
    struct text text = {0};
    uint32_t lines = 0;
    metrics_write(simulation_metrics(scenario->simulation), &text);
    char *rest = text.data;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        lines += strncmp(line, start, strlen(start)) == 0;
    text_free(&text);
    return lines;
}

// What is large, counted or observed: a sum over all replicas must not have it twice.
static const char *const told_once[] = {
    "karpenter_pods_state{",
    "karpenter_nodes_allocatable{",
    "karpenter_nodes_current_lifetime_seconds{",
    "karpenter_cluster_utilization_percent{",
    "karpenter_nodepools_cost_total{",
    "operator_nodeclaim_status_condition_count{",
    "operator_nodeclaim_status_condition_transitions_total{",
    "operator_status_condition_count{",
};

static void expect_series(struct scenario *scenario, bool any)
{
    for (size_t i = 0; i < ARRAY_LENGTH(told_once); i++)
        if ((lines_of(scenario, told_once[i]) > 0) != any)
            fail_msg("%u series of %s", lines_of(scenario, told_once[i]), told_once[i]);
}

static void become_standby(struct scenario *scenario)
{
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_expect_running(scenario, 5);
    scenario_run(scenario, 30);
    simulation_start_standby(scenario->simulation);
    scenario_run(scenario, 5);
}

static void standby_begins_nothing_DIS_23_LIF_331(void **state)
{
    struct scenario *scenario = *state;
    become_standby(scenario);
    uint64_t launches = machine_park_launches(simulation_park(scenario->simulation));
    scenario_scale(scenario, 40);
    scenario_run(scenario, 120);
    assert_int_equal(machine_park_launches(simulation_park(scenario->simulation)), launches);
    scenario_scale(scenario, 0);
    scenario_run(scenario, 120);
    assert_true(view_count(scenario, "v1", "Node") > 0);
    simulation_lead(scenario->simulation);
    scenario_until(scenario, 120, "the world to be empty", scenario_empty);
}

static void standby_says_and_counts_nothing_LIF_331(void **state)
{
    struct scenario *scenario = *state;
    become_standby(scenario);
    expect_series(scenario, false);
    assert_int_equal(lines_of(scenario, "karpenter_pods_bound_duration_seconds_count"), 0);
    char name[200];
    snprintf(name, sizeof name, "%s", store_name(view_claim(scenario)));
    uint32_t before = view_events(scenario, "NodeClaim", "Consolidatable", NULL);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, name, "status",
               "{conditions: [{type: Registered, status: 'False', reason: Test, message: '', "
               "lastTransitionTime: '2026-01-01T00:00:00Z'}]}");
    scenario_run(scenario, 10);
    assert_int_equal(view_events(scenario, "NodeClaim", "Registered", "True -> False"), 0);
    assert_int_equal(view_events(scenario, "NodeClaim", "Consolidatable", NULL), before);
}

static void leader_counts_what_is_there_LIF_331_355(void **state)
{
    struct scenario *scenario = *state;
    become_standby(scenario);
    simulation_lead(scenario->simulation);
    scenario_run(scenario, 1);
    expect_series(scenario, true);
    assert_true(view_metric_sum(scenario, "operator_nodeclaim_status_condition_transitions_total",
                                "type=\"Registered\",status=\"True\"") ==
                view_count(scenario, KARPENTER, "NodeClaim"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(standby_begins_nothing_DIS_23_LIF_331),
        TEST(standby_says_and_counts_nothing_LIF_331),
        TEST(leader_counts_what_is_there_LIF_331_355),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
