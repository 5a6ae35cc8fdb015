// The start of moves: not in sequence, at the instant when a blocker ends, soon again after a
// failure; and the leftovers of a restart.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "sim/store/store_patch.h"
#include "simulation/moves.h"

#define EVALUATIONS "karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count"
#define AGES        "adze_disruption_examination_age_seconds"

static uint32_t wanted;

static bool replacements_started(struct scenario *scenario)
{
    return view_metric_sum(scenario, "karpenter_nodeclaims_created_total",
                           "reason=\"underutilized\"") >= wanted;
}

// Work that falls due while the worker thread is busy waits without blocking the loop: otherwise
// virtual time would stand still.
static void validation_waits_for_the_worker_thread_DIS_702(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 4);
    loop_set_offload_time(scenario->loop, 5 * SECOND);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "the first node to be chosen", moves_any_chosen);
    for (uint32_t i = 1; i < 4; i++) {
        moves_shrink(scenario, i);
        scenario_run(scenario, 1.5);
    }
    double before = view_metric_sum(scenario, EVALUATIONS, "");
    wanted = 4;
    scenario_until(scenario, 60, "4 replacements", replacements_started);
    assert_true(view_metric_sum(scenario, EVALUATIONS, "") - before < 200);
}

static void independent_replacements_start_side_by_side_DIS_702_10(void **state)
{
    struct scenario *scenario = *state;
    wanted = 20;
    moves_begin(scenario, wanted);
    for (uint32_t i = 0; i < wanted; i++)
        moves_shrink(scenario, i);
    double took = scenario_until(scenario, 20, "20 replacements", replacements_started);
    print_message("%u replacements started in %.1f s\n", wanted, took);
    scenario_run(scenario, 120);
    scenario_expect_running(scenario, wanted);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "small"), wanted);
}

// --- windows -------------------------------------------------------------------------------------
// Nothing may be disrupted until ten past each hour.
static const char closed[] =
    "[{nodes: '0', schedule: '0 * * * *', duration: 10m}, {nodes: '100%'}]";

static void wait_for_the_window(struct scenario *scenario)
{
    while (view_now(scenario) % 3600 < 10 * 60 - 1)
        scenario_run(scenario, 1);
    scenario_run(scenario, 0.9);
    while (view_now(scenario) % 3600 < 10 * 60) {
        assert_int_equal(moves_chosen(scenario), 0);
        assert_false(moves_any_deleting(scenario));
        scenario_run(scenario, 0.1);
    }
}

static void window_lets_a_replacement_begin_at_its_instant_DIS_705(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = closed});
    moves_shrink(scenario, 0);
    wait_for_the_window(scenario);
    scenario_until(scenario, 1, "the node to be chosen", moves_any_chosen);
}

static void window_lets_an_empty_node_go_at_its_instant_DIS_705(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 3.7); // evaluations every ten seconds would come too late
    moves_pool(scenario, 0, (struct story_pool){.budgets = closed});
    moves_scale(scenario, "keep-0", 0);
    moves_shrink(scenario, 0);
    wait_for_the_window(scenario);
    scenario_until(scenario, 1, "the node to be chosen", moves_any_chosen);
}

static void window_lets_a_drifted_node_begin_at_its_instant_DIS_705(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = closed, .labels = "generation: b"});
    wait_for_the_window(scenario);
    scenario_until(scenario, 1, "the node to be chosen", moves_any_chosen);
}

static uint32_t node_writes;
static bool count_node_writes(const struct kube_request *request, struct kube_response *response)
{
    (void)response;
    node_writes += request->verb == KUBE_PATCH && strstr(request->path, "/api/v1/nodes/") != NULL;
    return false;
}

static void nothing_is_written_while_nothing_changes_DIS_12_19(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    moves_shrink(scenario, 0);
    scenario_run(scenario, 60);
    node_writes = 0;
    moves_on_request = count_node_writes;
    scenario_run(scenario, 600);
    assert_int_equal(node_writes, 0);
}

static bool all_pods_are_gone(struct scenario *scenario)
{
    return view_count(scenario, "v1", "Pod") == 0;
}

static void nominations_end_when_no_pod_is_pending_LIF_313(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){0});
    story_app(scenario, &(struct story_app){.name = "wave", .replicas = 30, .cpu = "3"});
    scenario_expect_running(scenario, 30);
    assert_true(story_nodes(scenario) > 10);
    moves_scale(scenario, "wave", 0);
    scenario_until(scenario, 10, "the pods to be gone", all_pods_are_gone);
    scenario_run(scenario, 9);
    assert_int_equal(story_nodes(scenario), 0);
}

// --- the pass ------------------------------------------------------------------------------------
static void change_after_a_look_is_looked_at_at_once_DIS_704(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 240); // evaluated, and found well used
    moves_shrink(scenario, 0);
    scenario_until(scenario, 5, "the node to be chosen", moves_any_chosen);
}

static void turns_are_measured_DIS_15_17_400_401(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    double empty =
        view_metric(scenario, EVALUATIONS, "reason=\"empty\",consolidation_type=\"empty\"");
    double single = view_metric(scenario, EVALUATIONS,
                                "reason=\"underutilized\",consolidation_type=\"single\"");
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    moves_shrink(scenario, 0);
    moves_scale(scenario, "keep-0", 0);
    scenario_run(scenario, 15);
    assert_true(view_metric(scenario, EVALUATIONS,
                            "reason=\"empty\",consolidation_type=\"empty\"") > empty);
    assert_true(view_metric(scenario, EVALUATIONS,
                            "reason=\"underutilized\",consolidation_type=\"single\"") > single);
    // Before budgets; and reset to nothing.
    const char *family = "karpenter_voluntary_disruption_eligible_nodes";
    assert_true(view_metric(scenario, family, "reason=\"empty\"") == 1);
    assert_true(view_metric(scenario, family, "reason=\"drifted\"") == 0);
    moves_scale(scenario, "keep-0", 1);
    scenario_run(scenario, 30);
    assert_true(view_metric(scenario, family, "reason=\"empty\"") == 0);
    moves_pool(scenario, 0,
               (struct story_pool){.budgets = "[{nodes: '0'}]", .labels = "generation: b"});
    scenario_run(scenario, 30);
    assert_true(view_metric(scenario, family, "reason=\"drifted\"") == 1);
}

// The only one is in a command, and then gone: nothing is left to evaluate.
static void nodes_that_went_are_no_longer_eligible_DIS_400(void **state)
{
    struct scenario *scenario = *state;
    const char *family = "karpenter_voluntary_disruption_eligible_nodes";
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.labels = "generation: b", .after = "Never"});
    scenario_until(scenario, 60, "a replacement", moves_replacement_there);
    scenario_run(scenario, 120);
    assert_true(view_metric(scenario, family, "reason=\"drifted\"") == 0);
    assert_true(view_metric(scenario, family, "reason=\"underutilized\"") == 0);
}

static void age_of_the_last_look_is_told_for_each_pool_DIS_709(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    double age = view_metric_sum(scenario, AGES, "nodepool=\"place-1\"");
    assert_true(age > 0);
    scenario_run(scenario, 60);
    double later = view_metric_sum(scenario, AGES, "nodepool=\"place-1\"");
    assert_true(later > age);
    scenario_run(scenario, 600);
    assert_true(view_metric_sum(scenario, AGES, "nodepool=\"place-1\"") < 2 * 310);
}

static double turns_of_emptiness(struct scenario *scenario)
{
    return view_metric(scenario,
                       "karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count",
                       "reason=\"empty\",consolidation_type=\"empty\"");
}

// Five minutes without a change count as one change, once.
static void nothing_is_looked_at_while_nothing_changes_LIF_314(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 900);
    double before = turns_of_emptiness(scenario);
    scenario_run(scenario, 3600);
    double turns = turns_of_emptiness(scenario) - before;
    print_message("%.0f turns in an hour\n", turns);
    assert_true(turns >= 10 && turns <= 14);
}

static void expect_a_look(struct scenario *scenario, double before, const char *why)
{
    scenario_run(scenario, 11);
    if (turns_of_emptiness(scenario) <= before)
        fail_msg("nobody looked after %s", why);
}

static void changes_are_looked_at_LIF_314(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 310);
    double before = turns_of_emptiness(scenario);
    hand_pod(scenario, "bound", "100m", "", "nodeSelector: {place: '0'}, ");
    expect_a_look(scenario, before, "a pod was bound");
    before = turns_of_emptiness(scenario);
    hand_delete(scenario, "v1", "Pod", "default", "bound");
    scenario_run(scenario, 30);
    expect_a_look(scenario, before, "a pod was deleted");
    before = turns_of_emptiness(scenario);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '7'}]"});
    expect_a_look(scenario, before, "a NodePool was changed");
    before = turns_of_emptiness(scenario);
    hand_patch(scenario, "v1", "Node", NULL, store_name(moves_node(scenario, 0)), NULL,
               "{metadata: {labels: {karpenter.sh/initialized: null}}}");
    expect_a_look(scenario, before, "a node was no longer initialized");
}

static void series_of_a_pool_go_with_it_DIS_405_709(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_run(scenario, 150);
    assert_true(view_metric_sum(scenario, "karpenter_nodepools_allowed_disruptions",
                                "nodepool=\"place-0\"") > 0);
    hand_delete(scenario, KARPENTER, "NodePool", NULL, "place-0");
    moves_scale(scenario, "keep-0", 0);
    scenario_run(scenario, 300);
    assert_null(view_object(scenario, KARPENTER, "NodePool", NULL, "place-0"));
    assert_true(view_metric_sum(scenario, "karpenter_nodepools_allowed_disruptions",
                                "nodepool=\"place-0\"") <= 0);
    assert_true(view_metric_sum(scenario, AGES, "nodepool=\"place-0\"") <= 0);
}

// --- errors affect only their own objects --------------------------------------------------------
static void unreadable_budget_stops_its_own_pool_alone_DIS_21_707(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    for (uint32_t i = 0; i < 2; i++)
        moves_shrink(scenario, i);
    moves_pool(
        scenario, 0,
        (struct story_pool){.budgets = "[{nodes: '1', schedule: '99 * * * *', duration: 1h}]"});
    scenario_run(scenario, 150);
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "large");
    assert_string_equal(view_label(moves_node(scenario, 1), LABEL_INSTANCE_TYPE), "small");
    assert_true(moves_logged("detected disruption budget errors", "place-0") > 0);
}

static void unreadable_selector_stops_its_own_namespace_alone_DIS_708(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_apply(scenario,
                   "{apiVersion: v1, kind: Namespace, metadata: {name: elsewhere}}\n---\n"
                   "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: broken, "
                   "namespace: elsewhere}, spec: {minAvailable: 1, selector: {matchExpressions: "
                   "[{key: a, operator: Perhaps, values: [b]}]}}}");
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
}

// --- leftovers -----------------------------------------------------------------------------------
static void add_reason(struct scenario *scenario)
{
    json_t *claim = moves_claim(scenario, 0);
    json_t *conditions = json_deep_copy(store_path(claim, "status.conditions"));
    struct error error = {0};
    json_array_append_new(conditions,
                          json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "DisruptionReason",
                                    "status", "True", "reason", "Drifted", "message", "Drifted",
                                    "lastTransitionTime", "2026-01-01T00:00:00Z"));
    json_t *patch = json_pack("{s:{s:o}}", "status", "conditions", conditions);
    struct store *store = simulation_store(scenario->simulation);
    assert_non_null(
        store_patch(store,
                    &(struct store_target){store_resource_of_kind(store, KARPENTER, "NodeClaim"),
                                           NULL, store_name(claim), "status"},
                    "merge", patch, &error));
    json_decref(patch);
}

static void left_over_mark_is_removed_by_a_new_leader_DIS_12_13_22_495(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    simulation_kill_controller(scenario->simulation);
    hand_patch(scenario, "v1", "Node", NULL, store_name(moves_node(scenario, 0)), NULL,
               "metadata: {annotations: {adze.dev/disruption-command: "
               "'6f0d2c1e-0000-4000-8000-000000000000,Drifted,,1,1'}}\n"
               "spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}");
    add_reason(scenario);
    assert_int_equal(moves_chosen(scenario), 1);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 5);
    const json_t *node = moves_node(scenario, 0);
    assert_false(view_has_taint(node, "karpenter.sh/disrupted", "NoSchedule"));
    assert_null(view_annotation(node, "adze.dev/disruption-command"));
    assert_string_equal(view_condition(moves_claim(scenario, 0), "DisruptionReason"), "none");
}

static bool marks_are_gone(struct scenario *scenario)
{
    for (uint32_t i = 0; i < 3; i++)
        if (view_annotation(moves_node(scenario, i), "adze.dev/disruption-command") != NULL ||
            view_has_taint(moves_node(scenario, i), "karpenter.sh/disrupted", "NoSchedule"))
            return false;
    return true;
}

// Like a predecessor's command without replacements so far.
static void mark(struct scenario *scenario, const char *node)
{
    hand_patch(scenario, "v1", "Node", NULL, node, NULL,
               "metadata: {annotations: {adze.dev/disruption-command: "
               "'6f0d2c1e-0000-4000-8000-000000000000,Drifted,,3,1'}}\n"
               "spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}");
}

static char unlucky[2][200]; // Nodes: the answer to the first write is lost; the write fails
static uint32_t failures_left;

static bool loses_answer(void *context, const struct kube_request *request)
{
    (void)context;
    bool lost = request->verb == KUBE_PATCH && unlucky[0][0] != '\0' &&
                text_ends_with(request->path, unlucky[0]);
    if (lost)
        unlucky[0][0] = '\0';
    return lost;
}

static bool fails(const struct kube_request *request, struct kube_response *response)
{
    if (failures_left == 0 || request->verb != KUBE_PATCH ||
        !text_ends_with(request->path, unlucky[1]))
        return false;
    failures_left--;
    response->status = 500;
    return true;
}

// A request without an answer ends after half a minute: other failed writes must not wait for that.
static void nodes_are_given_back_each_by_itself_DIS_793_724(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.api_lose_answer = loses_answer;
    moves_begin(scenario, 3);
    simulation_kill_controller(scenario->simulation);
    for (uint32_t i = 0; i < 3; i++)
        mark(scenario, store_name(moves_node(scenario, i)));
    for (uint32_t i = 0; i < 2; i++)
        snprintf(unlucky[i], sizeof unlucky[i], "%s", store_name(moves_node(scenario, i)));
    failures_left = 2;
    moves_on_request = fails;
    simulation_start_controller(scenario->simulation);
    scenario_until(scenario, 5, "all nodes to be given back", marks_are_gone);
    assert_int_equal(failures_left, 0);
    assert_int_equal(unlucky[0][0], '\0');
}

// For any reason why the controller did not know of it before.
static void mark_that_turns_up_late_is_removed_at_once_DIS_12_13_793(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 3);
    scenario_run(scenario, 60);
    mark(scenario, store_name(moves_node(scenario, 0)));
    add_reason(scenario);
    scenario_until(scenario, 1, "the mark to be removed", marks_are_gone);
    scenario_run(scenario, 1);
    assert_string_equal(view_condition(moves_claim(scenario, 0), "DisruptionReason"), "none");
}

static void mark_on_one_of_two_Nodes_of_a_machine_is_removed_DIS_12_793(void **state)
{
    struct scenario *scenario = *state;
    char manifest[1000];
    moves_begin(scenario, 3);
    snprintf(manifest, sizeof manifest,
             "{apiVersion: v1, kind: Node, metadata: {name: again, labels: {place: none}}, spec: "
             "{providerID: '%s'}}",
             view_text(moves_node(scenario, 0), "spec.providerID"));
    scenario_apply(scenario, manifest);
    scenario_run(scenario, 1);
    mark(scenario, store_name(moves_node(scenario, 0)));
    scenario_until(scenario, 1, "the mark to be removed", marks_are_gone);
}

static void taint_of_a_user_stays_DIS_730(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    hand_patch(scenario, "v1", "Node", NULL, store_name(moves_node(scenario, 0)), NULL,
               "spec: {taints: [{key: karpenter.sh/disrupted, value: mine, effect: NoSchedule}]}");
    scenario_run(scenario, 60);
    assert_true(view_has_taint(moves_node(scenario, 0), "karpenter.sh/disrupted", "NoSchedule"));
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 60);
    assert_true(view_has_taint(moves_node(scenario, 0), "karpenter.sh/disrupted", "NoSchedule"));
}

// --- expiry and blocked drift --------------------------------------------------------------------
static void expiry_is_never_or_at_once_DIS_354(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 2 * 24 * 3600);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    assert_int_equal(moves_logged("deleted nodeclaim", NULL), 0);
    moves_scale(scenario, "keep-0", 0);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 60, "the world to be empty", scenario_empty);
    moves_pool(scenario, 0, (struct story_pool){.expire_after = "0s"});
    moves_scale(scenario, "keep-0", 1);
    scenario_until(scenario, 10, "a new NodeClaim to go at once", moves_any_deleting);
    assert_int_equal(view_count(scenario, "v1", "Node"), 0);
}

static void drifted_node_with_a_blocking_pod_is_left_alone_DIS_355(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_protect(scenario, "keep-0");
    moves_pool(scenario, 0, (struct story_pool){.labels = "generation: b"});
    for (int i = 0; i < 60; i++) {
        scenario_run(scenario, 60);
        assert_int_equal(moves_chosen(scenario), 0);
    }
    assert_string_equal(view_condition(moves_claim(scenario, 0), "Drifted"),
                        "True/NodePoolDrifted");
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
}

static const struct story_type before[] = {{"one", 8, 32, 0.40}, {"other", 8, 32, 0.80}};
static const struct story_type after[] = {{"one", 8, 32, 0.40}, {"other", 8, 32, 0.10}};

// Long after the cluster has settled, when only a price is new.
static void a_new_price_is_seen_at_once_DIS_704_DIS_750(void **state)
{
    struct scenario *scenario = *state;
    story_catalog(scenario, before, ARRAY_LENGTH(before));
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = "{key: kubernetes.io/os, operator: "
                                                              "In, values: [linux]}"});
    story_app(scenario, &(struct story_app){.name = "app", .replicas = 1, .cpu = "6"});
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 1000);
    assert_false(moves_any_chosen(scenario));
    story_catalog(scenario, after, ARRAY_LENGTH(after));
    sim_instances_set_catalog(simulation_park(scenario->simulation), scenario->options.catalog);
    assert_true(scenario_until(scenario, 10, "the node to be chosen", moves_any_chosen) < 3);
}

static void a_new_overlay_is_seen_at_once_DIS_704_DIS_435(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_node_overlay = true;
    story_catalog(scenario, before, ARRAY_LENGTH(before));
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = "{key: kubernetes.io/os, operator: "
                                                              "In, values: [linux]}"});
    story_app(scenario, &(struct story_app){.name = "app", .replicas = 1, .cpu = "6"});
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 1000);
    scenario_apply(scenario,
                   "apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: "
                   "discount}\nspec: {requirements: [{key: node.kubernetes.io/instance-type, "
                   "operator: In, values: [other]}], price: '0.1'}\n");
    assert_true(scenario_until(scenario, 10, "the node to be chosen", moves_any_chosen) < 5);
}

// Each is set aside for a moment when a pending pod may need it, instead of being chosen, tainted
// and released every two seconds.
static void drifted_nodes_that_a_pod_may_want_are_not_chosen_ever_again_DIS_714_765(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_run(scenario, 60);
    scenario_apply(
        scenario, "apiVersion: v1\nkind: Pod\nmetadata: {name: lonely, namespace: default}\nspec:\n"
                  "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution:\n"
                  "    [{topologyKey: kubernetes.io/hostname,\n"
                  "      labelSelector: {matchLabels: {app: nobody}}}]}}\n"
                  "  containers: [{name: c, image: i, resources: {requests: {cpu: 1m}}}]\n");
    scenario_run(scenario, 5);
    // Its condition is from the future now.
    loop_skew_wall_clock(scenario->loop, -20 * SECOND);
    moves_pool(scenario, 0, (struct story_pool){.labels = "generation: b"});
    scenario_run(scenario, 120);
    assert_in_range(moves_logged("abandoning disruption attempt", "a pending pod may run"), 0, 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_new_price_is_seen_at_once_DIS_704_DIS_750),
        TEST(a_new_overlay_is_seen_at_once_DIS_704_DIS_435),
        TEST(nominations_end_when_no_pod_is_pending_LIF_313),
        TEST(independent_replacements_start_side_by_side_DIS_702_10),
        TEST(validation_waits_for_the_worker_thread_DIS_702),
        TEST(window_lets_a_replacement_begin_at_its_instant_DIS_705),
        TEST(window_lets_an_empty_node_go_at_its_instant_DIS_705),
        TEST(window_lets_a_drifted_node_begin_at_its_instant_DIS_705),
        TEST(nodes_that_went_are_no_longer_eligible_DIS_400),
        TEST(nothing_is_written_while_nothing_changes_DIS_12_19),
        TEST(change_after_a_look_is_looked_at_at_once_DIS_704),
        TEST(turns_are_measured_DIS_15_17_400_401),
        TEST(age_of_the_last_look_is_told_for_each_pool_DIS_709),
        TEST(nothing_is_looked_at_while_nothing_changes_LIF_314),
        TEST(changes_are_looked_at_LIF_314),
        TEST(series_of_a_pool_go_with_it_DIS_405_709),
        TEST(unreadable_budget_stops_its_own_pool_alone_DIS_21_707),
        TEST(unreadable_selector_stops_its_own_namespace_alone_DIS_708),
        TEST(left_over_mark_is_removed_by_a_new_leader_DIS_12_13_22_495),
        TEST(nodes_are_given_back_each_by_itself_DIS_793_724),
        TEST(mark_that_turns_up_late_is_removed_at_once_DIS_12_13_793),
        TEST(mark_on_one_of_two_Nodes_of_a_machine_is_removed_DIS_12_793),
        TEST(taint_of_a_user_stays_DIS_730),
        TEST(expiry_is_never_or_at_once_DIS_354),
        TEST(drifted_node_with_a_blocking_pod_is_left_alone_DIS_355),
        TEST(drifted_nodes_that_a_pod_may_want_are_not_chosen_ever_again_DIS_714_765),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
