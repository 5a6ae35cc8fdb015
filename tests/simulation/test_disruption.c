// Nodes that are replaced or removed while pods run on them: drift, consolidation, their failures,
// and a controller that dies in the middle.
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(11);
    return 0;
}

// A pool whose nodes are consolidated, of machines with `cpu` cpu at most.
static void apply_pool(struct scenario *scenario, const char *template_label, const char *more)
{
    char manifest[2000];
    snprintf(manifest, sizeof manifest,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
             "spec:\n"
             "  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 0s, "
             "budgets: [{nodes: \"100%%\"}]%s}\n"
             "  template:\n"
             "    metadata: {labels: {generation: \"%s\"}}\n"
             "    spec:\n"
             "      expireAfter: Never\n"
             "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
             "      requirements:\n"
             "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: [\"9\"]}\n",
             more, template_label);
    scenario_apply(scenario, manifest);
}

static uint32_t nodes(struct scenario *scenario)
{
    return simulation_count(scenario->simulation, "v1", "Node");
}

struct tally {
    const char *generation;
    uint32_t nodes;
};

static bool count_generation(void *context, json_t *node)
{
    struct tally *tally = context;
    const json_t *labels = json_object_get(json_object_get(node, "metadata"), "labels");
    tally->nodes +=
        text_equal(json_string_value(json_object_get(labels, "generation")), tally->generation);
    return true;
}

static uint32_t nodes_of_generation(struct scenario *scenario, const char *generation)
{
    struct tally tally = {.generation = generation};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, count_generation, &tally);
    return tally.nodes;
}

static void tell(struct scenario *scenario, const char *what)
{
    print_message("%s: %u nodes, %u pods running\n", what, nodes(scenario),
                  simulation_pods_running(scenario->simulation));
}

static void drifted_nodes_are_replaced_before_they_go_DIS_222(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 20);
    scenario_expect_running(scenario, 20);
    tell(scenario, "before");
    apply_pool(scenario, "b", "");
    scenario_run(scenario, 180);
    scenario_expect_running(scenario, 20);
    tell(scenario, "after");
    assert_int_equal(nodes_of_generation(scenario, "a"), 0);
}

// A template that is edited twice within seconds rolls the nodes once.
static void second_edit_comes_before_the_first_roll_DIS_222(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 20);
    scenario_expect_running(scenario, 20);
    scenario_run(scenario, 60);
    uint64_t launched = sim_instances_launches(simulation_park(scenario->simulation));
    uint32_t before = nodes(scenario);
    apply_pool(scenario, "b", "");
    scenario_run(scenario, 3);
    apply_pool(scenario, "c", "");
    scenario_run(scenario, 180);
    scenario_expect_running(scenario, 20);
    assert_int_equal(nodes_of_generation(scenario, "c"), nodes(scenario));
    assert_in_range(sim_instances_launches(simulation_park(scenario->simulation)) - launched, 1,
                    before);
}

static void half_empty_nodes_are_consolidated_DIS_162(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 28);
    scenario_expect_running(scenario, 28);
    tell(scenario, "before");
    uint32_t before = nodes(scenario);
    scenario_scale(scenario, 7);
    scenario_run(scenario, 180);
    scenario_expect_running(scenario, 7);
    tell(scenario, "after");
    assert_true(nodes(scenario) < before);
    assert_true(nodes(scenario) <= 2);
}

// Validation uses the packing policy of the decision: here it chose a NodePool second by weight,
// since it leaves a wider choice.
static void replacements_of_another_pool_are_confirmed_DIS_263_763(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: wide}\n"
        "spec:\n"
        "  template:\n"
        "    spec:\n"
        "      expireAfter: Never\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: "
        "default}\n"
        "      requirements:\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: [\"17\"]}\n");
    scenario_apply(scenario, "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: "
                             "default}\nspec: {weight: 10}\n");
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    apply_pool(scenario, "b", "");
    scenario_run(scenario, 120);
    scenario_expect_running(scenario, 1);
    assert_int_equal(nodes_of_generation(scenario, "a"), 0);
}

// --- failures ------------------------------------------------------------------------------------
static bool look_for_traces(void *context, json_t *node)
{
    bool *clean = context;
    char *text = json_dumps(node, JSON_COMPACT);
    *clean = *clean && strstr(text, "karpenter.sh/disrupted") == NULL &&
             strstr(text, "adze.dev/disruption-command") == NULL;
    free(text);
    return *clean;
}

static bool no_traces(struct scenario *scenario)
{
    bool clean = true;
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, look_for_traces, &clean);
    return clean;
}

static bool failing;
static uint32_t never_registers(void *context, const struct sim_instance *machine)
{
    (void)context;
    (void)machine;
    return failing ? MACHINE_NEVER_REGISTERS : 0;
}

static void failed_replacement_is_taken_back_and_tried_later_DIS_328_716_723(void **state)
{
    struct scenario *scenario = *state;
    failing = false;
    scenario->options.boot_faults = never_registers;
    scenario_begin(scenario);
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 6);
    scenario_expect_running(scenario, 6);
    uint32_t before = nodes(scenario);
    assert_int_equal(nodes_of_generation(scenario, "a"), before);
    failing = true;
    apply_pool(scenario, "b", "");
    scenario_run(scenario, 5 * 60);
    assert_int_equal(nodes(scenario), before); // no node is deleted before its replacement exists
    assert_false(no_traces(scenario));
    scenario_run(scenario, 6 * 60);
    assert_int_equal(nodes(scenario), before);
    assert_int_equal(simulation_pods_running(scenario->simulation), 6);
    failing = false;
    scenario_run(scenario, 15 * 60);
    scenario_expect_running(scenario, 6);
    assert_int_equal(nodes_of_generation(scenario, "a"), 0);
    assert_true(no_traces(scenario));
}

static uint32_t never_ready(void *context, const struct sim_instance *machine)
{
    (void)context;
    (void)machine;
    return failing ? MACHINE_NEVER_READY : 0;
}

static bool taken_back(struct scenario *scenario)
{
    return no_traces(scenario);
}

// A Node that has joined, but is not initialized, can be inspected for a while before its deletion.
static void replacement_that_joined_stays_for_a_while_DIS_330_723(void **state)
{
    struct scenario *scenario = *state;
    failing = false;
    scenario->options.boot_faults = never_ready;
    scenario_begin(scenario);
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 6);
    scenario_expect_running(scenario, 6);
    uint32_t before = nodes(scenario);
    failing = true;
    apply_pool(scenario, "b", "");
    scenario_run(scenario, 120);
    assert_false(no_traces(scenario));
    scenario_until(scenario, 10 * 60, "the command to be taken back", taken_back);
    assert_int_equal(nodes(scenario), before + 1);
    failing = false;
    scenario_run(scenario, 12 * 60);
    scenario_expect_running(scenario, 6);
    assert_int_equal(nodes_of_generation(scenario, "a"), 0);
    assert_int_equal(nodes(scenario), before);
}

// --- the controller dies -------------------------------------------------------------------------
static bool rolled(struct scenario *scenario)
{
    return simulation_is_settled(scenario->simulation) &&
           simulation_pods_running(scenario->simulation) == 12 &&
           nodes_of_generation(scenario, "a") == 0 && no_traces(scenario);
}

static bool concerns(const struct kube_request *request)
{
    bool writes =
        request->verb == KUBE_CREATE || request->verb == KUBE_DELETE || request->verb == KUBE_PATCH;
    return writes && (strstr(request->path, "nodeclaims") != NULL ||
                      strstr(request->path, "/nodes/") != NULL);
}

static bool life(uint32_t kill_at, bool after_effect)
{
    struct assassin assassin = {
        .concerns = concerns, .calls = true, .kill_at = kill_at, .after_effect = after_effect};
    struct scenario *scenario = scenario_create(after_effect ? 14 : 13);
    scenario_hire(scenario, &assassin);
    scenario_begin(scenario);
    apply_pool(scenario, "a", "");
    scenario_scale(scenario, 12);
    scenario_expect_running(scenario, 12);
    assassin.armed = true;
    apply_pool(scenario, "b", "");
    scenario_until(scenario, 400, "all nodes to be new, whatever dies", rolled);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)),
                     simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim"));
    bool pulled = assassin.pulled;
    scenario_destroy(scenario);
    return pulled;
}

static void killed_before_each_step_of_a_command_DIS_724(void **state)
{
    (void)state;
    uint32_t steps = scenario_lives(life, false, 200);
    print_message("killed before each of %u steps\n", steps);
    assert_true(steps >= 10);
}

static void killed_after_each_step_of_a_command_DIS_724(void **state)
{
    (void)state;
    uint32_t steps = scenario_lives(life, true, 200);
    print_message("killed after each of %u steps\n", steps);
    assert_true(steps >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(drifted_nodes_are_replaced_before_they_go_DIS_222, setup,
                                        scenario_teardown),
        cmocka_unit_test_setup_teardown(second_edit_comes_before_the_first_roll_DIS_222, setup,
                                        scenario_teardown),
        cmocka_unit_test_setup_teardown(half_empty_nodes_are_consolidated_DIS_162, setup,
                                        scenario_teardown),
        cmocka_unit_test_setup_teardown(replacements_of_another_pool_are_confirmed_DIS_263_763,
                                        setup, scenario_teardown),
        cmocka_unit_test_setup_teardown(
            failed_replacement_is_taken_back_and_tried_later_DIS_328_716_723, setup,
            scenario_teardown),
        cmocka_unit_test_setup_teardown(replacement_that_joined_stays_for_a_while_DIS_330_723,
                                        setup, scenario_teardown),
        cmocka_unit_test(killed_before_each_step_of_a_command_DIS_724),
        cmocka_unit_test(killed_after_each_step_of_a_command_DIS_724),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
