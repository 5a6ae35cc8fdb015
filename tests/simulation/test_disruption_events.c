// Reports of disruption: log lines, events and metrics, word for word.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/moves.h"

static json_t *started(void)
{
    json_t *line = json_loads(moves_last_line("\"message\":\"disrupting node(s)\""), 0, NULL);
    assert_non_null(line);
    return line;
}

static void replace_one(struct scenario *scenario)
{
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "a replacement", moves_replacement_there);
}

static void start_is_logged_with_its_values_DIS_300_380_381_384(void **state)
{
    struct scenario *scenario = *state;
    char wanted[400], claim[200];
    moves_begin(scenario, 1);
    snprintf(claim, sizeof claim, "%s", store_name(moves_claim(scenario, 0)));
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "a replacement", moves_replacement_there);
    json_t *line = started();
    const char *node = store_name(moves_node(scenario, 0));
    snprintf(wanted, sizeof wanted,
             "Underutilized/%s: replace: nodepools=[place-0]: [%s] -> [1 replacement] (savings: "
             "$0.30)",
             view_text(line, "command-id"), node);
    assert_string_equal(view_text(line, "command"), wanted);
    assert_string_equal(view_text(line, "level"), "INFO");
    assert_string_equal(view_text(line, "decision"), "replace");
    assert_int_equal(json_integer_value(store_path(line, "disrupted-node-count")), 1);
    assert_int_equal(json_integer_value(store_path(line, "replacement-node-count")), 1);
    assert_int_equal(json_integer_value(store_path(line, "pod-count")), 1);
    const json_t *disrupted = json_array_get(store_path(line, "disrupted-nodes"), 0);
    assert_string_equal(view_text(disrupted, "Node.name"), node);
    assert_string_equal(view_text(disrupted, "NodeClaim.name"), claim);
    assert_string_equal(view_text(disrupted, "instance-type"), "large");
    assert_string_equal(view_text(disrupted, "capacity-type"), "on-demand");
    const json_t *replacement = json_array_get(store_path(line, "replacement-nodes"), 0);
    assert_string_equal(view_text(replacement, "capacity-type"), "on-demand");
    assert_string_equal(view_text(replacement, "instance-types"), "small, medium");
    json_decref(line);
}

static void deletion_says_so_DIS_380(void **state)
{
    struct scenario *scenario = *state;
    char wanted[400], node[200];
    moves_begin(scenario, 1);
    snprintf(node, sizeof node, "%s", store_name(moves_node(scenario, 0)));
    moves_shrink(scenario, 0);
    moves_scale(scenario, "keep-0", 0);
    scenario_until(scenario, 60, "the world to be empty", scenario_empty);
    json_t *line = started();
    snprintf(wanted, sizeof wanted, "Empty/%s: delete: nodepools=[place-0]: [%s] (savings: $0.40)",
             view_text(line, "command-id"), node);
    assert_string_equal(view_text(line, "command"), wanted);
    assert_int_equal(json_array_size(store_path(line, "replacement-nodes")), 0);
    json_decref(line);
}

static void candidate_is_told_on_node_and_claim_DIS_382_384(void **state)
{
    struct scenario *scenario = *state;
    char wanted[400];
    replace_one(scenario);
    snprintf(wanted, sizeof wanted,
             "Consolidation candidate: replace: [%s] -> [1 replacement] (savings: $0.30)",
             store_name(moves_node(scenario, 0)));
    assert_int_equal(view_events(scenario, "Node", "ConsolidationCandidate", wanted), 1);
    assert_int_equal(view_events(scenario, "NodeClaim", "ConsolidationCandidate", wanted), 1);
}

static void rejection_is_told_with_its_kind_DIS_383_387(void **state)
{
    struct scenario *scenario = *state;
    char wanted[400];
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
    moves_protect(scenario, "keep-0");
    scenario_until(scenario, 10, "the node to be given back", moves_none_chosen);
    scenario_run(scenario, 1);
    snprintf(
        wanted, sizeof wanted,
        "Consolidation rejected: replace: [%s] -> [1 replacement], reason: churn (savings: $0.30)",
        store_name(moves_node(scenario, 0)));
    assert_int_equal(view_events(scenario, "Node", "ConsolidationRejected", wanted), 1);
    assert_int_equal(view_events(scenario, "NodeClaim", "ConsolidationRejected", wanted), 1);
}

static void replacement_and_candidate_tell_their_steps_DIS_323_324_389(void **state)
{
    struct scenario *scenario = *state;
    replace_one(scenario);
    scenario_run(scenario, 120);
    assert_true(view_events(scenario, "NodeClaim", "DisruptionLaunching",
                            "Launching NodeClaim: Underutilized") >= 1);
    assert_true(view_events(scenario, "NodeClaim", "DisruptionWaitingReadiness",
                            "Waiting on readiness to continue disruption") >= 1);
    assert_int_equal(
        view_events(scenario, "Node", "DisruptionTerminating", "Disrupting Node: Underutilized"),
        1);
    assert_int_equal(view_events(scenario, "NodeClaim", "DisruptionTerminating",
                                 "Disrupting NodeClaim: Underutilized"),
                     1);
}

static void balanced_move_tells_its_score_DIS_386_402(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.policy = "Balanced"});
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "a replacement", moves_replacement_there);
    assert_int_equal(view_events(scenario, "Node", "ConsolidationApproved",
                                 ">= threshold 0.50 (k: 2, "
                                 "savings 75.0%"),
                     1);
    assert_int_equal(view_events(scenario, "NodeClaim", "ConsolidationApproved", "score "), 1);
    assert_true(view_metric(scenario, "karpenter_consolidation_moves_total",
                            "decision=\"approved\",nodepool=\"place-0\",policy=\"Balanced\"") >= 1);
    assert_true(view_metric_sum(scenario, "karpenter_consolidation_score_count",
                                "nodepool=\"place-0\"") >= 1);
}

static void other_moves_are_counted_and_not_scored_DIS_402(void **state)
{
    struct scenario *scenario = *state;
    replace_one(scenario);
    assert_true(view_metric(scenario, "karpenter_consolidation_moves_total",
                            "decision=\"approved\",nodepool=\"place-0\","
                            "policy=\"WhenEmptyOrUnderutilized\"") >= 1);
    assert_true(view_metric_sum(scenario, "karpenter_consolidation_score_count", "place-0") <= 0);
    assert_int_equal(view_events(scenario, "Node", "ConsolidationApproved", NULL), 0);
}

static void budgets_are_shown_by_pool_and_reason_DIS_405_128(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '3'}]"});
    moves_shrink(scenario, 0);
    scenario_run(scenario, 8);
    static const char *const reasons[] = {"Empty", "Underutilized"};
    for (size_t i = 0; i < ARRAY_LENGTH(reasons); i++) {
        char labels[100];
        snprintf(labels, sizeof labels, "nodepool=\"place-0\",reason=\"%s\"", reasons[i]);
        assert_true(view_metric(scenario, "karpenter_nodepools_allowed_disruptions", labels) >= 0);
        assert_true(view_metric(scenario, "karpenter_nodepools_nodes_consuming_budgets", labels) >=
                    0);
    }
}

// --- Drifted (DIS-72 to DIS-79) and Consolidatable (DIS-87, DIS-88) ------------------------------
static void drift_comes_and_goes_DIS_71_78_79(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0,
               (struct story_pool){.budgets = "[{nodes: '0'}]", .labels = "generation: b"});
    scenario_run(scenario, 10);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"),
                        "True/NodePoolDrifted");
    assert_string_equal(view_condition_message(moves_claim(scenario, 0), "Drifted"),
                        "NodePoolDrifted");
    assert_int_equal(moves_logged("\"message\":\"marking drifted\"", "NodePoolDrifted"), 1);
    moves_pool(scenario, 0,
               (struct story_pool){.budgets = "[{nodes: '0'}]", .labels = "generation: null"});
    scenario_run(scenario, 10);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"), "none"); // never False
    assert_int_equal(moves_logged("removing drifted status condition, not drifted", NULL), 1);
}

static void change_of_cause_keeps_the_instant_DIS_79(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    static const char other[] =
        "{key: node.kubernetes.io/instance-type, operator: In, values: [medium]}";
    struct story_pool pool = {.budgets = "[{nodes: '0'}]", .requirements = other};
    moves_pool(scenario, 0, pool);
    scenario_run(scenario, 10);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"),
                        "True/RequirementsDrifted");
    int64_t since = view_transition(moves_claim(scenario, 0), "Drifted");
    scenario_run(scenario, 60);
    pool.labels = "generation: b";
    moves_pool(scenario, 0, pool);
    scenario_run(scenario, 10);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"),
                        "True/NodePoolDrifted");
    assert_int_equal(view_transition(moves_claim(scenario, 0), "Drifted"), since);
}

static void full_node_is_consolidatable_under_any_policy_DIS_87(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.policy = "WhenEmpty"});
    scenario_run(scenario, 30);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Consolidatable"),
                        "True/Consolidatable");
    assert_int_equal(moves_chosen(scenario), 0);
}

static void claim_without_its_pool_keeps_its_conditions_DIS_70(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, store_name(moves_claim(scenario, 0)), NULL,
               "metadata: {labels: {karpenter.sh/nodepool: nobody}}");
    moves_pool(scenario, 0, (struct story_pool){.after = "Never", .labels = "generation: b"});
    scenario_run(scenario, 400);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Consolidatable"),
                        "True/Consolidatable");
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"), "none");
}

static void static_pool_has_nothing_consolidatable_DIS_88(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_static_capacity = true;
    moves_begin(scenario, 0);
    moves_pool(scenario, 0, (struct story_pool){.spec = "replicas: 1"});
    scenario_run(scenario, 90);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Initialized"),
                        "True/Initialized");
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Consolidatable"), "none");
}

static void drift_waits_for_the_launch_DIS_72(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 20 * SECOND;
    moves_begin(scenario, 0);
    moves_pool(scenario, 0, (struct story_pool){0});
    hand_pod(scenario, "one", "1", "", "nodeSelector: {place: '0'}, ");
    scenario_run(scenario, 5);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    moves_pool(scenario, 0, (struct story_pool){.labels = "generation: b"});
    scenario_run(scenario, 5);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"), "none");
    scenario_run(scenario, 25);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"),
                        "True/NodePoolDrifted");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(start_is_logged_with_its_values_DIS_300_380_381_384),
        TEST(deletion_says_so_DIS_380),
        TEST(candidate_is_told_on_node_and_claim_DIS_382_384),
        TEST(rejection_is_told_with_its_kind_DIS_383_387),
        TEST(replacement_and_candidate_tell_their_steps_DIS_323_324_389),
        TEST(balanced_move_tells_its_score_DIS_386_402),
        TEST(other_moves_are_counted_and_not_scored_DIS_402),
        TEST(budgets_are_shown_by_pool_and_reason_DIS_405_128),
        TEST(drift_comes_and_goes_DIS_71_78_79),
        TEST(change_of_cause_keeps_the_instant_DIS_79),
        TEST(full_node_is_consolidatable_under_any_policy_DIS_87),
        TEST(claim_without_its_pool_keeps_its_conditions_DIS_70),
        TEST(static_pool_has_nothing_consolidatable_DIS_88),
        TEST(drift_waits_for_the_launch_DIS_72),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
