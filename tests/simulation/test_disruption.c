// Nodes that are replaced or removed while pods run on them: drift, consolidation, what happens when
// it fails, and when the controller dies in the middle of it.
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

static uint32_t nodes_of_generation(struct scenario *scenario, const char *generation)
{
    uint32_t count = 0;
    struct machine_park *park = simulation_park(scenario->simulation);
    const struct park_machine *machine;
    for (uint32_t i = 0; (machine = machine_park_at(park, i)) != NULL; i++)
        count += text_equal(string_map_get(&machine->facts.labels, "generation"), generation);
    return count;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(drifted_nodes_are_replaced_before_they_go_DIS_222, setup,
                                        scenario_teardown),
        cmocka_unit_test_setup_teardown(half_empty_nodes_are_consolidated_DIS_162, setup,
                                        scenario_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
