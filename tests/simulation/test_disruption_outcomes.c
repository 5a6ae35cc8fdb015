// What was planned for the pods of disrupted nodes, and what came of it (DIS-749, DIS-755).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/moves.h"

static bool one_node(struct scenario *scenario)
{
    return story_nodes(scenario) == 1 && scenario_settled(scenario);
}

// The pod costs nothing: its node is empty, and goes; the command says where the pod is to go.
static void places_of_cheap_pods_are_planned_DIS_755(void **state)
{
    struct scenario *scenario = *state;
    char wanted[300];
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    story_app(scenario,
              &(struct story_app){
                  .name = "cheap",
                  .replicas = 1,
                  .cpu = "3",
                  .spec = "nodeSelector: {place: '0'}, ",
                  .annotations = "controller.kubernetes.io/pod-deletion-cost: '-134217728'"});
    scenario_expect_running(scenario, 3);
    assert_int_equal(story_nodes(scenario), 2);
    moves_shrink(scenario, 0);
    scenario_run(scenario, 30);
    assert_int_equal(story_nodes(scenario), 2);
    char pod[100], node[100];
    snprintf(pod, sizeof pod, "%s", store_name(moves_pod(scenario, "cheap")));
    snprintf(node, sizeof node, "%s", moves_place_of(scenario, "keep-0"));
    moves_pool(scenario, 0, (struct story_pool){.policy = "WhenEmpty"});
    scenario_until(scenario, 120, "the empty node to go", one_node);
    snprintf(wanted, sizeof wanted, ", pods: default/%s to node %s\"", pod, node);
    assert_int_equal(moves_logged("disrupting node(s)", wanted), 1);
    assert_string_equal(moves_place_of(scenario, "cheap"), node);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(places_of_cheap_pods_are_planned_DIS_755),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
