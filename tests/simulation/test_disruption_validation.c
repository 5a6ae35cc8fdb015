// A chosen node is evaluated again before its command runs: new blockers release it, and the rest
// continues.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/moves.h"

#define FAILED    "karpenter_voluntary_disruption_failed_validations_total"
#define DECISIONS "karpenter_voluntary_disruption_decisions_total"

static double failed(struct scenario *scenario)
{
    return view_metric_sum(scenario, FAILED, "");
}

static double decisions(struct scenario *scenario)
{
    return view_metric_sum(scenario, DECISIONS, "");
}

static void choose(struct scenario *scenario, uint32_t place)
{
    moves_shrink(scenario, place);
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
}

static void expect_given_back(struct scenario *scenario, uint32_t place)
{
    scenario_until(scenario, 10, "the node to be given back", moves_none_chosen);
    scenario_run(scenario, 1);
    assert_string_equal(view_condition(moves_claim(scenario, place), "DisruptionReason"), "none");
    assert_string_equal(view_label(moves_node(scenario, place), LABEL_INSTANCE_TYPE), "large");
}

// The taint comes first; no launch, decision or deletion precedes the second evaluation.
static void nothing_is_bought_before_the_second_look_DIS_260_264(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    choose(scenario, 0);
    scenario_run(scenario, 2);
    assert_int_equal(moves_chosen(scenario), 1);
    assert_false(moves_replacement_there(scenario));
    assert_true(decisions(scenario) <= 0);
    scenario_until(scenario, 3, "a replacement", moves_replacement_there);
    assert_true(decisions(scenario) == 1);
    assert_true(failed(scenario) <= 0);
}

static void protected_pod_gives_the_node_back_DIS_261_263_404(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    choose(scenario, 0);
    moves_protect(scenario, "keep-0");
    expect_given_back(scenario, 0);
    assert_true(failed(scenario) == 1);
    assert_true(decisions(scenario) <= 0);
    assert_false(moves_replacement_there(scenario));
    assert_int_equal(moves_logged("abandoning disruption attempt", NULL), 1);
}

static void closed_budget_gives_the_node_back_DIS_261_267(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    choose(scenario, 0);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    expect_given_back(scenario, 0);
    assert_true(failed(scenario) == 1);
    assert_true(view_events(scenario, "Node", "ConsolidationRejected", "reason: budget") == 1);
}

static void pods_without_another_place_give_the_node_back_DIS_263_264_267(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    choose(scenario, 0);
    // The same selector as before, and a pool with large types only.
    moves_pool(scenario, 0,
               (struct story_pool){.requirements = "{key: node.kubernetes.io/instance-type, "
                                                   "operator: In, values: [large]}"});
    scenario_run(scenario, 20);
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "large");
    assert_false(moves_replacement_there(scenario));
    assert_int_equal(moves_chosen(scenario), 0);
    assert_true(view_events(scenario, "Node", "ConsolidationRejected", "reason: scheduling") == 1);
    assert_true(failed(scenario) == 1); // counted, too (DIS-774)
}

// The decided command runs: the mark of the chosen node is that of its replacement.
static void command_that_was_chosen_is_carried_out_DIS_266(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    choose(scenario, 0);
    char mark[200];
    snprintf(mark, sizeof mark, "%s",
             view_annotation(moves_node(scenario, 0), "adze.dev/disruption-command"));
    scenario_until(scenario, 10, "a replacement", moves_replacement_there);
    const json_t *replacement =
        view_object(scenario, KARPENTER, "NodeClaim", NULL, moves_replacement(scenario));
    assert_string_equal(view_annotation(replacement, "adze.dev/disruption-command"), mark);
}

static void drift_does_not_wait_DIS_268(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.labels = "generation: b"});
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
    scenario_until(scenario, 1, "a replacement", moves_replacement_there);
}

static void failure_leaves_the_others_alone_and_waits_DIS_714(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    moves_shrink(scenario, 0);
    moves_shrink(scenario, 1);
    scenario_until(scenario, 30, "the nodes to be chosen", moves_any_chosen);
    moves_protect(scenario, "keep-0");
    scenario_until(scenario, 10, "a replacement", moves_replacement_there);
    scenario_run(scenario, 1);
    assert_int_equal(moves_chosen(scenario), 1); // the other
    hand_patch(scenario, "v1", "Pod", "default", store_name(moves_pod(scenario, "keep-0")), NULL,
               "metadata: {annotations: {karpenter.sh/do-not-disrupt: null}}");
    const char *name = store_name(moves_node(scenario, 0));
    char node[200];
    snprintf(node, sizeof node, "%s", name);
    for (int i = 0; i < 20; i++) {
        scenario_run(scenario, 1);
        assert_false(view_has_taint(view_object(scenario, "v1", "Node", NULL, node),
                                    "karpenter.sh/disrupted", "NoSchedule"));
    }
    scenario_run(scenario, 180);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "small"), 2);
}

// A pod that fits only there gets the node, at once, and no machine.
static void waiting_pod_calls_the_command_off_DIS_725(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    uint64_t launches = story_launches(scenario);
    choose(scenario, 0);
    moves_scale(scenario, "pad-0", 1);
    scenario_until(scenario, 1, "the command to be called off", moves_none_chosen);
    scenario_run(scenario, 30);
    assert_non_null(moves_place_of(scenario, "pad-0"));
    assert_int_equal(story_launches(scenario), launches);
}

// Three nodes that should become one; one of them is blocked: the two others are disrupted all the
// same.
static void failed_merger_does_not_end_the_search_DIS_499(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 0);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "part-%d", i);
        story_app(scenario, &(struct story_app){.name = name, .replicas = 1, .cpu = "1"});
        snprintf(name, sizeof name, "fill-%d", i);
        story_app(scenario, &(struct story_app){.name = name, .replicas = 1, .cpu = "6"});
        scenario_run(scenario, 60);
    }
    scenario_expect_running(scenario, 6);
    assert_int_equal(view_count(scenario, "v1", "Node"), 3);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "fill-%d", i);
        moves_scale(scenario, name, 0);
    }
    scenario_until(scenario, 30, "nodes to be chosen", moves_any_chosen);
    uint32_t chosen = moves_chosen(scenario);
    moves_protect(scenario, "part-1");
    scenario_run(scenario, 180);
    print_message("%u nodes chosen, %u left\n", chosen, view_count(scenario, "v1", "Node"));
    assert_true(chosen >= 2);
    assert_true(failed(scenario) >= 1);
    assert_in_range(view_count(scenario, "v1", "Node"), 1, 2);
    assert_string_equal(
        view_label(view_object(scenario, "v1", "Node", NULL, moves_place_of(scenario, "part-1")),
                   LABEL_INSTANCE_TYPE),
        "large");
    scenario_expect_running(scenario, 3);
}

// The planned node of a waiting pod is no candidate until the pod is bound.
static void planned_node_is_no_candidate_DIS_431_430(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    moves_scale(scenario, "keep-0", 0);
    scenario_run(scenario, 0.2);
    moves_scale(scenario, "pad-0", 1);
    for (int i = 0; i < 300; i++) {
        scenario_run(scenario, 0.1);
        assert_false(moves_any_deleting(scenario));
    }
    scenario_expect_running(scenario, 1);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
}

static void empty_nodes_have_a_command_each_DIS_732(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 4);
    for (uint32_t i = 0; i < 4; i++) {
        char app[20];
        snprintf(app, sizeof app, "keep-%u", i);
        moves_shrink(scenario, i);
        moves_scale(scenario, app, 0);
    }
    scenario_until(scenario, 60, "the world to be empty", scenario_empty);
    assert_true(view_metric(scenario, DECISIONS,
                            "decision=\"delete\",reason=\"empty\",consolidation_type=\"empty\"") ==
                4);
    assert_int_equal(moves_logged("disrupting node(s)", "\"disrupted-node-count\":1"), 4);
}

static void filled_node_is_no_longer_empty_and_others_go_DIS_143_262_404(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    for (uint32_t i = 0; i < 2; i++)
        moves_shrink(scenario, i);
    moves_scale(scenario, "keep-0", 0);
    moves_scale(scenario, "keep-1", 0);
    scenario_until(scenario, 30, "the nodes to be chosen", moves_any_chosen);
    moves_scale(scenario, "keep-0", 1);
    scenario_run(scenario, 30);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    assert_true(view_metric(scenario, FAILED, "consolidation_type=\"empty\"") == 1);
    scenario_expect_running(scenario, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_bought_before_the_second_look_DIS_260_264),
        TEST(protected_pod_gives_the_node_back_DIS_261_263_404),
        TEST(closed_budget_gives_the_node_back_DIS_261_267),
        TEST(pods_without_another_place_give_the_node_back_DIS_263_264_267),
        TEST(command_that_was_chosen_is_carried_out_DIS_266),
        TEST(drift_does_not_wait_DIS_268),
        TEST(failure_leaves_the_others_alone_and_waits_DIS_714),
        TEST(waiting_pod_calls_the_command_off_DIS_725),
        TEST(failed_merger_does_not_end_the_search_DIS_499),
        TEST(planned_node_is_no_candidate_DIS_431_430),
        TEST(empty_nodes_have_a_command_each_DIS_732),
        TEST(filled_node_is_no_longer_empty_and_others_go_DIS_143_262_404),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
