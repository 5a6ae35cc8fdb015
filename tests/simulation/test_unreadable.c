// Unreadable objects: each is fenced by itself, everything else continues, and the fence ends when
// the object is fixed or gone (API-318, API-603).
#include <string.h>

#include "simulation/moves.h"

#define TROUBLE "status: {startTime: once upon a time}"
#define MENDED  "status: {startTime: '2026-01-01T00:00:00Z'}"

static char pod_name[300], node_name[300], claim_name[300];

// The pod keep-0 becomes unreadable; its place is remembered.
static void spoil_pod(struct scenario *scenario)
{
    const json_t *pod = moves_pod(scenario, "keep-0");
    snprintf(pod_name, sizeof pod_name, "%s", store_name(pod));
    snprintf(node_name, sizeof node_name, "%s", store_name(moves_node(scenario, 0)));
    snprintf(claim_name, sizeof claim_name, "%s", store_name(moves_claim(scenario, 0)));
    hand_patch(scenario, "v1", "Pod", "default", pod_name, "status", TROUBLE);
}

static const json_t *claim(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
}

static bool claim_gone(struct scenario *scenario)
{
    return claim(scenario) == NULL;
}

static bool is_type(struct scenario *scenario, uint32_t place, const char *type)
{
    return strcmp(view_label(moves_node(scenario, place), LABEL_INSTANCE_TYPE), type) == 0;
}

// --- pods ----------------------------------------------------------------------------------------
static void unreadable_pod_blocks_consolidation_of_its_own_node_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    spoil_pod(scenario);
    for (uint32_t i = 0; i < 2; i++)
        moves_shrink(scenario, i);
    scenario_run(scenario, 180);
    assert_true(is_type(scenario, 0, "large"));
    assert_true(is_type(scenario, 1, "small"));
    char cause[400];
    snprintf(cause, sizeof cause, "Pod cannot be read (Pod=default/%s): status.startTime",
             pod_name);
    assert_true(view_events(scenario, "Node", "DisruptionBlocked", cause) > 0);
    assert_int_equal(view_events(scenario, "Pod", "Unreadable", "its node counts as occupied"), 1);
    hand_patch(scenario, "v1", "Pod", "default", pod_name, "status", MENDED);
    scenario_run(scenario, 180);
    assert_true(is_type(scenario, 0, "small"));
}

// If unseen, it would leave its node empty; unfenced, it would hold all empty nodes.
static void unreadable_pod_keeps_its_own_node_from_being_empty_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    spoil_pod(scenario);
    moves_shrink(scenario, 0);
    moves_shrink(scenario, 1);
    moves_scale(scenario, "keep-1", 0);
    scenario_run(scenario, 120);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    assert_non_null(view_object(scenario, "v1", "Node", NULL, node_name));
    moves_scale(scenario, "keep-0", 0); // deleted, as unreadable as it is
    scenario_run(scenario, 120);
    assert_int_equal(view_count(scenario, "v1", "Node"), 0);
}

// Its requests are unknown: it is neither evicted nor skipped.
static void drain_waits_for_an_unreadable_pod_until_the_deadline_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "place-0", NULL,
               "spec: {template: {spec: {terminationGracePeriod: 2m}}}");
    moves_shrink(scenario, 0);
    scenario_run(scenario, 180); // drifted: another machine, which has the grace period
    spoil_pod(scenario);
    assert_string_equal(view_text(claim(scenario), "spec.terminationGracePeriod"),
                        "2m0s"); // API-20
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 100);
    assert_non_null(claim(scenario));
    assert_non_null(view_object(scenario, "v1", "Pod", "default", pod_name));
    char cause[400];
    snprintf(cause, sizeof cause, "default/%s (cannot be read: status.startTime", pod_name);
    assert_non_null(strstr(view_condition_message(claim(scenario), "Drained"), cause));
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

static void drain_goes_on_when_the_pod_is_gone_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_run(scenario, 150);
    spoil_pod(scenario);
    scenario_run(scenario, 1); // it is seen
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 300);
    assert_non_null(claim(scenario));
    hand_delete(scenario, "v1", "Pod", "default", pod_name);
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

// --- budgets -------------------------------------------------------------------------------------
static void unreadable_budget_may_mean_every_pod_of_its_namespace_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_apply(scenario,
                   "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: broken, "
                   "namespace: default}, spec: {minAvailable: 0, unhealthyPodEvictionPolicy: 7, "
                   "selector: {matchLabels: {app: nobody}}}}");
    moves_shrink(scenario, 0);
    scenario_run(scenario, 150);
    assert_true(is_type(scenario, 0, "large"));
    assert_int_equal(moves_chosen(scenario), 0);
    assert_int_equal(view_events(scenario, "PodDisruptionBudget", "Unreadable",
                                 "no node with a pod of the namespace"),
                     1);
    assert_true(view_events(scenario, "Node", "DisruptionBlocked",
                            "cannot be read (PodDisruptionBudget=[default/broken])") > 0);
    hand_delete(scenario, "policy/v1", "PodDisruptionBudget", "default", "broken");
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
}

// --- Nodes, NodeClaims, NodePools ----------------------------------------------------------------
static void unreadable_node_is_left_alone_and_takes_no_pods_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    hand_patch(scenario, "v1", "Node", NULL, store_name(moves_node(scenario, 0)), NULL,
               "spec: {unschedulable: perhaps}");
    snprintf(claim_name, sizeof claim_name, "%s", store_name(moves_claim(scenario, 0)));
    moves_shrink(scenario, 0);
    moves_shrink(scenario, 1);
    scenario_run(scenario, 600);
    assert_non_null(claim(scenario));
    assert_true(is_type(scenario, 0, "large"));
    assert_true(is_type(scenario, 1, "small"));
    assert_int_equal(view_events(scenario, "Node", "Unreadable", "no pod is planned for it"), 1);
    hand_patch(scenario, "v1", "Node", NULL, store_name(moves_node(scenario, 0)), NULL,
               "spec: {unschedulable: null}");
    scenario_run(scenario, 180);
    assert_true(is_type(scenario, 0, "small"));
}

static void unreadable_claim_keeps_its_machine_and_others_go_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    snprintf(claim_name, sizeof claim_name, "%s", store_name(moves_claim(scenario, 0)));
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, "status",
               "status: {capacity: {cpu: 1e1.5}}");
    moves_shrink(scenario, 0);
    moves_shrink(scenario, 1);
    scenario_run(scenario, 900);
    assert_non_null(claim(scenario));
    assert_true(is_type(scenario, 0, "large"));
    assert_true(is_type(scenario, 1, "small"));
    assert_int_equal(view_events(scenario, "NodeClaim", "Unreadable", "left alone"), 1);
}

// Nearly as upstream's CRD allows: more hours than fit.
static void unreadable_pool_stops_itself_alone_API_603(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "place-0", NULL,
               "spec: {template: {spec: {expireAfter: 9999999h}}}");
    moves_shrink(scenario, 0);
    moves_shrink(scenario, 1);
    scenario_run(scenario, 180);
    assert_true(is_type(scenario, 0, "large"));
    assert_true(is_type(scenario, 1, "small"));
    assert_int_equal(view_events(scenario, "NodePool", "Unreadable", "nothing is launched for it"),
                     1);
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "place-0", NULL,
               "spec: {template: {spec: {expireAfter: 720h}}}");
    scenario_run(scenario, 180);
    assert_true(is_type(scenario, 0, "small"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(unreadable_pod_blocks_consolidation_of_its_own_node_API_603),
        TEST(unreadable_pod_keeps_its_own_node_from_being_empty_API_603),
        TEST(drain_waits_for_an_unreadable_pod_until_the_deadline_API_603),
        TEST(drain_goes_on_when_the_pod_is_gone_API_603),
        TEST(unreadable_budget_may_mean_every_pod_of_its_namespace_API_603),
        TEST(unreadable_node_is_left_alone_and_takes_no_pods_API_603),
        TEST(unreadable_claim_keeps_its_machine_and_others_go_API_603),
        TEST(unreadable_pool_stops_itself_alone_API_603),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
