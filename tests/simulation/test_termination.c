// The end of machines: emptiness, drains, PDBs, expiry, machines that vanish, garbage collection.
#include <stdio.h>
#include <string.h>

#include "model/schema/pack.h"
#include "model/tables/kinds.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(2);
    return 0;
}

static const char *some_node(struct scenario *scenario)
{
    static char name[300];
    const struct sim_instance *machine = sim_instances_at(simulation_park(scenario->simulation), 0);
    assert_non_null(machine);
    snprintf(name, sizeof name, "%s", machine->facts.node_name);
    return name;
}

static void delete (struct scenario *scenario, const char *api_version, const char *kind,
                    const char *namespace, const char *name)
{
    struct error error = {0};
    if (!simulation_delete(scenario->simulation, api_version, kind, namespace, name, &error))
        fail_msg("%s", error.message);
}

static void empty_nodes_go_soon_after_their_last_pod(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 30);
    scenario_expect_running(scenario, 30);
    scenario_scale(scenario, 0);
    double took = scenario_until(scenario, 60, "nothing to be left", scenario_empty);
    print_message("empty after %.1f simulated seconds\n", took);
}

static void deleted_node_is_drained_and_its_pods_move_LIF_86(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 4);
    scenario_expect_running(scenario, 4);
    char name[300];
    strcpy(name, some_node(scenario));
    delete (scenario, "v1", "Node", NULL, name);
    scenario_run(scenario, 30);
    scenario_expect_running(scenario, 4);
    assert_string_not_equal(some_node(scenario), name);
}

static void pdb_blocks_a_drain_until_it_allows_LIF_123(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 4);
    scenario_expect_running(scenario, 4);
    scenario_apply(scenario,
                   "apiVersion: policy/v1\nkind: PodDisruptionBudget\n"
                   "metadata: {name: pdb, namespace: default}\n"
                   "spec: {maxUnavailable: 0, selector: {matchLabels: {app: inflate}}}\n");
    scenario_run(scenario, 5);
    char name[300];
    strcpy(name, some_node(scenario));
    delete (scenario, "v1", "Node", NULL, name);
    scenario_run(scenario, 120);
    assert_int_equal(simulation_pods_running(scenario->simulation), 4);
    assert_string_equal(some_node(scenario), name);
    delete (scenario, "policy/v1", "PodDisruptionBudget", "default", "pdb");
    scenario_run(scenario, 40);
    scenario_expect_running(scenario, 4);
    assert_string_not_equal(some_node(scenario), name);
}

static void node_claim_without_machine_is_collected_LIF_160(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 3);
    scenario_expect_running(scenario, 3);
    const struct sim_instance *machine = sim_instances_at(simulation_park(scenario->simulation), 0);
    char provider_id[200];
    strcpy(provider_id, machine->facts.provider_id);
    world_machine_gone(simulation_world(scenario->simulation), provider_id);
    sim_instances_reclaim(simulation_park(scenario->simulation), provider_id);
    scenario_run(scenario, 6 * 60);
    scenario_expect_running(scenario, 3);
    assert_null(sim_instances_find(simulation_park(scenario->simulation), provider_id));
}

static void machine_without_node_claim_is_terminated_LIF_161(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    struct sim_instances *park = simulation_park(scenario->simulation);
    const struct instance_type *type = &sim_instances_catalog(park)->spec.instance_types.items[0];
    struct node_claim stranger = {.kind = kind_get(KIND_NODE_CLAIM)};
    stranger.meta.name = "lost";
    stranger.meta.uid = "lost-uid";
    struct object *claim = object_copy((struct object *)&stranger);
    sim_instances_launch(park, (struct node_claim *)claim, type, &type->offerings.items[0]);
    object_release(claim);
    for (int i = 0; i < 2000 && sim_instances_count(park) > 0; i++)
        loop_run_for(scenario->loop, 100 * MILLISECOND);
    assert_int_equal(sim_instances_count(park), 0);
}

static void expired_node_claim_is_replaced_LIF_150(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: 10m\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s}\n");
    scenario_scale(scenario, 2);
    scenario_expect_running(scenario, 2);
    char name[300];
    strcpy(name, some_node(scenario));
    scenario_run(scenario, 9 * 60);
    assert_string_equal(some_node(scenario), name);
    scenario_run(scenario, 2 * 60);
    scenario_expect_running(scenario, 2);
    assert_string_not_equal(some_node(scenario), name);
}

static void node_pool_deletion_takes_its_machines_along_LIF_86(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_expect_running(scenario, 5);
    delete (scenario, "karpenter.sh/v1", "NodePool", NULL, "default");
    scenario_run(scenario, 60);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 0);
    assert_int_equal(simulation_pods_running(scenario->simulation), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(empty_nodes_go_soon_after_their_last_pod),
        TEST(deleted_node_is_drained_and_its_pods_move_LIF_86),
        TEST(pdb_blocks_a_drain_until_it_allows_LIF_123),
        TEST(node_claim_without_machine_is_collected_LIF_160),
        TEST(machine_without_node_claim_is_terminated_LIF_161),
        TEST(expired_node_claim_is_replaced_LIF_150),
        TEST(node_pool_deletion_takes_its_machines_along_LIF_86),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
