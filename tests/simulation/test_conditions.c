// Reports of conditions: events (LIF-370) and the metrics without the kind in their name (LIF-356).
#include <string.h>

#include "base/metrics_text.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(9);
    return 0;
}

struct told {
    const char *kind, *reason, *message; // message NULL: any
    uint32_t count;                      // as in the API server: repetitions included
};

static bool tell(void *context, json_t *event)
{
    struct told *told = context;
    json_t *about = json_object_get(event, "involvedObject");
    const char *message = json_string_value(json_object_get(event, "message"));
    if (text_equal(json_string_value(json_object_get(about, "kind")), told->kind) &&
        text_equal(json_string_value(json_object_get(event, "reason")), told->reason) &&
        (told->message == NULL || text_equal(message, told->message))) {
        told->count += (uint32_t)json_integer_value(json_object_get(event, "count"));
        assert_string_equal(json_string_value(json_object_get(event, "type")), "Normal");
    }
    return true;
}

static uint32_t events(struct scenario *scenario, const char *kind, const char *reason,
                       const char *message)
{
    struct told told = {kind, reason, message, 0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, tell, &told);
    return told.count;
}

static uint32_t claims(struct scenario *scenario)
{
    return simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim");
}

#define TRANSITION(type, from, to) \
    "Status condition transitioned, Type: " type ", Status: " from " -> " to ", Reason: "
#define REGISTERED  TRANSITION("Registered", "Unknown", "True") "Registered"
#define INITIALIZED TRANSITION("Initialized", "Unknown", "True") "Initialized"

static void transitions_are_told_once_for_each_claim_LIF_370(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 30);
    scenario_expect_running(scenario, 30);
    uint32_t nodes = claims(scenario);
    assert_true(nodes > 2);
    assert_int_equal(events(scenario, "NodeClaim", "Registered", REGISTERED), nodes);
    assert_int_equal(events(scenario, "NodeClaim", "Initialized", INITIALIZED), nodes);
    assert_int_equal(
        events(scenario, "NodeClaim", "Ready", TRANSITION("Ready", "Unknown", "True") "Ready"),
        nodes);
    // The first sight is no transition: a Node comes with its conditions.
    assert_int_equal(events(scenario, "Node", "MemoryPressure", NULL), 0);
}

static void nothing_is_told_of_the_past_LIF_370(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_expect_running(scenario, 5);
    uint32_t before = events(scenario, "NodeClaim", "Registered", NULL);
    simulation_kill_controller(scenario->simulation);
    scenario_run(scenario, 5);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 150);
    assert_int_equal(events(scenario, "NodeClaim", "Registered", NULL), before);
}

static void a_node_pool_tells_why_it_is_not_ready_LIF_370(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    scenario_begin(scenario);
    assert_true(simulation_delete(scenario->simulation, "karpenter.kwok.sh/v1alpha1",
                                  "KWOKNodeClass", NULL, "default", &error));
    scenario_run(scenario, 5);
    assert_int_equal(
        events(scenario, "NodePool", "NodeClassReady",
               TRANSITION("NodeClassReady", "True",
                          "False") "NodeClassNotFound, Message: NodeClass not found on cluster"),
        1);
}

// Up and down every ten seconds for two minutes: each direction is reported once a window.
static void flapping_makes_no_storm_LIF_370_459(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 2);
    scenario_expect_running(scenario, 2);
    char id[200];
    strcpy(id, sim_instances_at(simulation_park(scenario->simulation), 0)->facts.provider_id);
    struct world *world = simulation_world(scenario->simulation);
    uint32_t before = events(scenario, "Node", "Ready", NULL);
    for (int i = 0; i < 5; i++) {
        world_machine_set_state(world, id, MACHINE_NOT_READY);
        scenario_run(scenario, 10);
        world_machine_set_state(world, id, MACHINE_HEALTHY);
        scenario_run(scenario, 10);
    }
    uint32_t told = events(scenario, "Node", "Ready", NULL) - before;
    assert_true(told >= 1 && told <= 2);
}

static void the_end_of_each_finalizer_is_told_LIF_370(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 10);
    scenario_expect_running(scenario, 10);
    uint32_t nodes = claims(scenario);
    scenario_scale(scenario, 0);
    scenario_until(scenario, 120, "nothing to be left", scenario_empty);
    scenario_run(scenario, 5);
    const char *message = "Finalized karpenter.sh/termination";
    assert_int_equal(events(scenario, "NodeClaim", "Finalized", message), nodes);
    assert_int_equal(events(scenario, "Node", "Finalized", message), nodes);
}

static void nothing_is_told_without_observability_LIF_357(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.disable_cluster_state_observability = true;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_expect_running(scenario, 5);
    assert_int_equal(events(scenario, "NodeClaim", "Registered", NULL), 0);
    assert_null(
        metrics_find(simulation_metrics(scenario->simulation), "operator_status_condition_count"));
}

// --- metrics -------------------------------------------------------------------------------------
static double read(struct scenario *scenario, const char *family, const char *const *labels,
                   size_t count)
{
    const struct metric *metric = metrics_find(simulation_metrics(scenario->simulation), family);
    assert_non_null(metric);
    return metric_read_values(metric, labels, count);
}

static void deprecated_families_name_group_and_kind_LIF_356(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 10);
    scenario_expect_running(scenario, 10);
    uint32_t nodes = claims(scenario);
    const char *const registered[] = {"Registered", "True", "Registered", "karpenter.sh",
                                      "NodeClaim"};
    assert_int_equal(read(scenario, "operator_status_condition_transitions_total", registered,
                          ARRAY_LENGTH(registered)),
                     nodes);
    const char *const node[] = {"Ready", "True", "KubeletReady", "", "Node"};
    assert_int_equal(
        read(scenario, "operator_status_condition_transitions_total", node, ARRAY_LENGTH(node)), 0);
    struct text text = {0};
    metrics_write(simulation_metrics(scenario->simulation), &text);
    assert_non_null(
        strstr(text.data,
               "\noperator_status_condition_count{namespace=\"\",name=\"default\",type=\"Ready\","
               "status=\"True\",reason=\"Ready\",group=\"karpenter.sh\",kind=\"NodePool\"} 1\n"));
    text_free(&text);
    scenario_scale(scenario, 0);
    scenario_until(scenario, 120, "nothing to be left", scenario_empty);
    scenario_run(scenario, 1); // until the controller has seen the last one disappear
    const char *const ended[] = {"karpenter.sh", "NodeClaim"};
    assert_int_equal(
        read(scenario, "operator_termination_duration_seconds", ended, ARRAY_LENGTH(ended)), nodes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(transitions_are_told_once_for_each_claim_LIF_370),
        TEST(nothing_is_told_of_the_past_LIF_370),
        TEST(a_node_pool_tells_why_it_is_not_ready_LIF_370),
        TEST(flapping_makes_no_storm_LIF_370_459),
        TEST(the_end_of_each_finalizer_is_told_LIF_370),
        TEST(nothing_is_told_without_observability_LIF_357),
        TEST(deprecated_families_name_group_and_kind_LIF_356),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
