// Reports of disruption about nodes that stay, about pods and budgets that block them, and about
// savings.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/moves.h"

#define BLOCKED(pod) "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/" pod

static void annotate_pod(struct scenario *scenario, const char *app, const char *value)
{
    char patch[300];
    snprintf(patch, sizeof patch, "{metadata: {annotations: {karpenter.sh/do-not-disrupt: %s}}}",
             value);
    hand_patch(scenario, "v1", "Pod", "default", store_name(moves_pod(scenario, app)), NULL, patch);
}

// --- causes (DIS-771, DIS-772) -------------------------------------------------------------------
static void cause_is_told_once_and_again_when_it_changes_DIS_771(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_protect(scenario, "keep-0");
    moves_shrink(scenario, 0);
    scenario_run(scenario, 1800);
    assert_int_equal(view_events(scenario, "Node", "DisruptionBlocked", BLOCKED("keep-0")), 1);
    assert_int_equal(view_events(scenario, "NodeClaim", "DisruptionBlocked", BLOCKED("keep-0")), 1);
    annotate_pod(scenario, "keep-0", "null");
    char name[300];
    snprintf(name, sizeof name, "%s", store_name(moves_node(scenario, 0)));
    hand_patch(scenario, "v1", "Node", NULL, name, NULL,
               "{metadata: {annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    scenario_run(scenario, 20);
    assert_int_equal(
        view_events(scenario, "Node", "DisruptionBlocked", "Disruption is blocked through the"), 1);
    hand_patch(scenario, "v1", "Node", NULL, name, NULL,
               "{metadata: {annotations: {karpenter.sh/do-not-disrupt: null}}}");
    moves_protect(scenario, "keep-0");
    scenario_run(scenario, 900);
    assert_int_equal(view_events(scenario, "Node", "DisruptionBlocked", BLOCKED("keep-0")), 2);
}

static void node_that_cannot_be_replaced_is_told_once_DIS_771(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 3 * 3600);
    assert_int_equal(view_events(scenario, "Node", "Unconsolidatable", NULL), 1);
}

static void cause_that_comes_and_goes_makes_no_storm_DIS_771(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    for (int i = 0; i < 80; i++) { // twenty minutes
        annotate_pod(scenario, "keep-0", i % 2 == 0 ? "'true'" : "null");
        scenario_run(scenario, 15);
    }
    assert_in_range(view_events(scenario, "Node", "DisruptionBlocked", BLOCKED("keep-0")), 2, 10);
}

static void drifted_node_that_a_pod_holds_is_told_of_DIS_772_32(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    uint32_t before = view_events(scenario, "Node", "Unconsolidatable", NULL);
    moves_protect(scenario, "keep-0");
    moves_pool(scenario, 0, (struct story_pool){.after = "Never", .labels = "generation: b"});
    scenario_run(scenario, 700);
    assert_int_equal(view_events(scenario, "Node", "DisruptionBlocked", BLOCKED("keep-0")), 1);
    assert_int_equal(view_events(scenario, "Node", "Unconsolidatable", NULL), before);
}

// --- proposals (DIS-773, DIS-775) ----------------------------------------------------------------
static void only_what_is_proposed_is_called_a_candidate_DIS_775(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 3);
    for (uint32_t i = 0; i < 3; i++)
        moves_pool(scenario, i, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    for (uint32_t i = 0; i < 3; i++)
        moves_shrink(scenario, i);
    moves_pool(scenario, 1, (struct story_pool){0});
    scenario_until(scenario, 60, "a replacement", moves_replacement_there);
    assert_int_equal(view_events(scenario, "Node", "ConsolidationCandidate", NULL), 1);
    assert_int_equal(view_events(scenario, "Node", "ConsolidationCandidate",
                                 store_name(moves_node(scenario, 1))),
                     1);
}

// Three nodes that should become one; their pods are protected meanwhile.
static void rejected_merger_is_told_on_each_of_its_nodes_DIS_773(void **state)
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
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "fill-%d", i);
        moves_scale(scenario, name, 0);
    }
    scenario_until(scenario, 30, "nodes to be chosen", moves_any_chosen);
    uint32_t chosen = moves_chosen(scenario);
    assert_true(chosen >= 2);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "part-%d", i);
        moves_protect(scenario, name);
    }
    scenario_run(scenario, 5);
    assert_int_equal(view_events(scenario, "Node", "ConsolidationRejected", "reason: churn"),
                     chosen);
    assert_int_equal(view_events(scenario, "NodeClaim", "ConsolidationRejected", "reason: churn"),
                     chosen);
}

// --- budgets and pods ----------------------------------------------------------------------------
static void budget_of_none_is_told_on_the_pool_by_reason_DIS_129(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0,
               (struct story_pool){.budgets = "[{nodes: '0', reasons: [Underutilized]}]"});
    moves_shrink(scenario, 0);
    scenario_run(scenario, 30);
    static const char said[] =
        "No allowed disruptions for disruption reason Underutilized due to blocking budget";
    assert_int_equal(view_events(scenario, "NodePool", "DisruptionBlocked", said), 1);
    assert_int_equal(view_events(scenario, "NodePool", "DisruptionBlocked", "reason Empty"), 0);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    moves_scale(scenario, "keep-0", 0);
    scenario_run(scenario, 30);
    assert_int_equal(view_events(scenario, "NodePool", "DisruptionBlocked", "reason Empty"), 1);
}

static void used_up_budget_is_not_told_DIS_129(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '1'}]"});
    moves_shrink(scenario, 0);
    scenario_until(scenario, 60, "a replacement", moves_replacement_there);
    scenario_run(scenario, 10);
    assert_int_equal(view_events(scenario, "NodePool", "DisruptionBlocked", NULL), 0);
}

static void timed_protection_is_told_with_its_end_DIS_41(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    annotate_pod(scenario, "keep-0", "10m");
    scenario_run(scenario, 60);
    char said[200], until[INSTANT_TEXT_MAX];
    instant_format((view_instant(moves_pod(scenario, "keep-0"), "status.startTime") + 600) * SECOND,
                   until);
    snprintf(said, sizeof said, "The karpenter.sh/do-not-disrupt grace period will elapse at %s",
             until);
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptUntil", said), 1);
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptGracePeriodElapsed", NULL), 0);
    scenario_run(scenario, 900);
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptUntil", NULL), 1);
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptGracePeriodElapsed",
                                 "The karpenter.sh/do-not-disrupt grace period has elapsed, pod is "
                                 "now disruptable"),
                     1);
}

static void protection_that_says_nothing_is_told_with_why_DIS_41(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    annotate_pod(scenario, "keep-0", "'yes'");
    scenario_run(scenario, 400);
    static const char begins[] = "Invalid karpenter.sh/do-not-disrupt annotation: failed to parse "
                                 "\"yes\" as a duration: ";
    assert_int_equal(view_events(scenario, "Pod", "InvalidDoNotDisruptAnnotation", begins), 1);
    annotate_pod(scenario, "keep-0", "'-5m'");
    scenario_run(scenario, 400);
    assert_int_equal(view_events(scenario, "Pod", "InvalidDoNotDisruptAnnotation",
                                 "Invalid karpenter.sh/do-not-disrupt annotation: duration \"-5m\" "
                                 "must be positive, ignoring annotation"),
                     1);
}

static void apply_broken_budget(struct scenario *scenario, const char *namespace)
{
    char manifest[500];
    snprintf(manifest, sizeof manifest,
             "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: broken, "
             "namespace: %s}, spec: {maxUnavailable: 1, selector: {matchExpressions: "
             "[{key: a, operator: Perhaps, values: [b]}]}}}",
             namespace);
    scenario_apply(scenario, manifest);
}

// Upstream aborts the whole pass.
static void unreadable_selector_may_mean_every_pod_of_its_namespace_DIS_31_708(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    apply_broken_budget(scenario, "default");
    moves_shrink(scenario, 0);
    scenario_run(scenario, 120);
    assert_int_equal(moves_chosen(scenario), 0);
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "large");
    assert_int_equal(view_events(scenario, "Node", "DisruptionBlocked",
                                 "(PodDisruptionBudget=[default/broken])"),
                     1);
    assert_int_equal(view_events(scenario, "PodDisruptionBudget", "UnreadableSelector", NULL), 1);
    hand_patch(scenario, "policy/v1", "PodDisruptionBudget", "default", "broken", NULL,
               "{spec: {selector: {matchExpressions: null, matchLabels: {app: nobody}}}}");
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
}

// --- savings (DIS-778) ---------------------------------------------------------------------------
#define SAVED "adze_consolidation_savings_dollars_per_hour"

static double saved(struct scenario *scenario, const char *pool, const char *kind, const char *day)
{
    char labels[200];
    snprintf(labels, sizeof labels, "nodepool=\"%s\",kind=\"%s\",day=\"%s\"", pool, kind, day);
    return view_metric(scenario, SAVED, labels);
}

static void savings_are_summed_by_pool_and_day_DIS_778(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    moves_shrink(scenario, 0); // from 0.40 to 0.10
    moves_shrink(scenario, 1);
    scenario_run(scenario, 180);
    moves_scale(scenario, "keep-1", 0); // and from 0.10 to nothing
    scenario_run(scenario, 60);
    assert_float_equal(saved(scenario, "place-0", "predicted", "today"), 0.30, 1e-9);
    assert_float_equal(saved(scenario, "place-0", "realised", "today"), 0.30, 1e-9);
    assert_float_equal(saved(scenario, "place-1", "realised", "today"), 0.40, 1e-9);
    assert_float_equal(saved(scenario, "place-1", "realised", "yesterday"), 0, 1e-9);
    scenario_run(scenario, 24 * 3600);
    assert_float_equal(saved(scenario, "place-0", "realised", "today"), 0, 1e-9);
    assert_float_equal(saved(scenario, "place-0", "realised", "yesterday"), 0.30, 1e-9);
    assert_float_equal(saved(scenario, "place-1", "predicted", "yesterday"), 0.40, 1e-9);
    assert_float_equal(view_metric(scenario, "adze_consolidation_savings_dollars_per_hour_total",
                                   "nodepool=\"place-1\",kind=\"realised\""),
                       0.40, 1e-9);
}

// --- warnings about workloads (SCH-33) -----------------------------------------------------------
#define AFFINITY "pod(s) have a preferred Anti-Affinity which can prevent consolidation"
#define SPREAD   "pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation"

static void apply_preferences(struct scenario *scenario)
{
    static const char wishes[] =
        "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
        "1, "
        "podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: "
        "{app: wisher}}}}]}}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
        "topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: "
        "{matchLabels: {app: wisher}}}], ";
    // Nothing is large enough, so the pod waits, and is planned again and again.
    story_app(scenario,
              &(struct story_app){.name = "wisher", .replicas = 1, .cpu = "500", .spec = wishes});
}

static void each_preference_is_warned_of_once_a_day_SCH_33_LIF_462(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 0);
    apply_preferences(scenario);
    scenario_run(scenario, 3600);
    assert_int_equal(moves_logged(AFFINITY, "default/wisher-"), 1);
    assert_int_equal(moves_logged(SPREAD, "default/wisher-"), 1);
    scenario_run(scenario, 24 * 3600);
    assert_int_equal(moves_logged(AFFINITY, NULL), 2);
    assert_int_equal(moves_logged(SPREAD, NULL), 2);
}

static void ignored_preferences_are_not_warned_of_SCH_33(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.preference_policy_ignore = true;
    moves_begin(scenario, 0);
    apply_preferences(scenario);
    scenario_run(scenario, 60);
    assert_int_equal(moves_logged(AFFINITY, NULL) + moves_logged(SPREAD, NULL), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(cause_is_told_once_and_again_when_it_changes_DIS_771),
        TEST(node_that_cannot_be_replaced_is_told_once_DIS_771),
        TEST(cause_that_comes_and_goes_makes_no_storm_DIS_771),
        TEST(drifted_node_that_a_pod_holds_is_told_of_DIS_772_32),
        TEST(only_what_is_proposed_is_called_a_candidate_DIS_775),
        TEST(rejected_merger_is_told_on_each_of_its_nodes_DIS_773),
        TEST(budget_of_none_is_told_on_the_pool_by_reason_DIS_129),
        TEST(used_up_budget_is_not_told_DIS_129),
        TEST(timed_protection_is_told_with_its_end_DIS_41),
        TEST(protection_that_says_nothing_is_told_with_why_DIS_41),
        TEST(unreadable_selector_may_mean_every_pod_of_its_namespace_DIS_31_708),
        TEST(savings_are_summed_by_pool_and_day_DIS_778),
        TEST(each_preference_is_warned_of_once_a_day_SCH_33_LIF_462),
        TEST(ignored_preferences_are_not_warned_of_SCH_33),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
