// Writes of controllers into NodePools: hash, NodeClassReady, ValidationSucceeded, usage,
// NodeRegistrationHealthy (LIF-200 to LIF-225).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/cluster_view.h"

static uint32_t bad_machines; // that never register, still to come

static uint32_t boot_faults(void *context, const struct sim_instance *machine)
{
    (void)context;
    (void)machine;
    if (bad_machines == 0)
        return 0;
    bad_machines--;
    return MACHINE_NEVER_REGISTERS;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(26);
    bad_machines = 0;
    scenario->settings.registration_timeout = 2 * MINUTE;
    scenario->options.boot_faults = boot_faults;
    *state = scenario;
    return 0;
}

static const json_t *pool(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodePool", NULL, "default");
}

static void patch_pool(struct scenario *scenario, const char *patch)
{
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL, patch);
    scenario_run(scenario, 2);
}

static void patch_class(struct scenario *scenario, const char *subresource, const char *patch)
{
    hand_patch(scenario, "karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", NULL, "default",
               subresource, patch);
    scenario_run(scenario, 2);
}

// --- hash ----------------------------------------------------------------------------------------
#define HASH    "karpenter.sh/nodepool-hash"
#define VERSION "karpenter.sh/nodepool-hash-version"

static void hash_follows_the_template_only_LIF_200_201(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    char first[40];
    snprintf(first, sizeof first, "%s", view_annotation(pool(scenario), HASH));
    assert_int_equal(strspn(first, "0123456789"), strlen(first));
    assert_string_equal(view_annotation(pool(scenario), VERSION), "v3");
    static const char *const same[] = {
        "spec: {weight: 5}",
        "spec: {limits: {cpu: 100}}",
        "spec: {disruption: {consolidateAfter: 5m}}",
        "spec: {template: {spec: {requirements: [{key: kubernetes.io/arch, operator: In, values: "
        "[arm64]}]}}}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++) {
        patch_pool(scenario, same[i]);
        assert_string_equal(view_annotation(pool(scenario), HASH), first);
    }
    static const char *const others[] = {
        "spec: {template: {metadata: {labels: {team: a}}}}",
        "spec: {template: {metadata: {annotations: {note: x}}}}",
        "spec: {template: {spec: {taints: [{key: a, effect: NoSchedule}]}}}",
        "spec: {template: {spec: {startupTaints: [{key: a, effect: NoSchedule}]}}}",
        "spec: {template: {spec: {terminationGracePeriod: 1h}}}",
        "spec: {template: {spec: {expireAfter: 24h}}}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        char before[40];
        snprintf(before, sizeof before, "%s", view_annotation(pool(scenario), HASH));
        patch_pool(scenario, others[i]);
        assert_string_not_equal(view_annotation(pool(scenario), HASH), before);
    }
}

// Of an older version: the NodeClaims get the new version, and the hash unless they have drifted.
static void claims_of_an_older_version_are_brought_up_LIF_200(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 12);
    scenario_expect_running(scenario, 12);
    assert_true(view_count(scenario, KARPENTER, "NodeClaim") >= 2);
    char drifted[300], hash[40];
    snprintf(drifted, sizeof drifted, "%s", store_name(view_claim(scenario)));
    snprintf(hash, sizeof hash, "%s", view_annotation(pool(scenario), HASH));
    simulation_kill_controller(scenario->simulation);
    json_t *conditions = json_deep_copy(store_path(view_claim(scenario), "status.conditions"));
    json_array_append_new(conditions,
                          json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "Drifted", "status",
                                    "True", "reason", "NodePoolDrifted", "message", "",
                                    "lastTransitionTime", "2026-01-01T00:00:00Z"));
    json_t *patch = json_pack("{s:{s:o}}", "status", "conditions", conditions);
    char *text = json_dumps(patch, 0);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, drifted, "status", text);
    free(text);
    json_decref(patch);
#define OLD "metadata: {annotations: {" HASH ": '1', " VERSION ": v2}}"
    struct store *store = simulation_store(scenario->simulation);
    const struct store_resource *claims = store_resource_of_kind(store, KARPENTER, "NodeClaim");
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL, OLD "\n");
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, drifted, NULL, OLD);
    char other[300] = "";
    for (uint32_t i = 0; i < 4 && *other == '\0'; i++) {
        const struct sim_instance *machine =
            sim_instances_at(simulation_park(scenario->simulation), i);
        if (machine != NULL && strcmp(machine->facts.node_claim_name, drifted) != 0)
            snprintf(other, sizeof other, "%s", machine->facts.node_claim_name);
    }
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, other, NULL, OLD);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 2);
    assert_string_equal(view_annotation(pool(scenario), HASH), hash);
    assert_string_equal(view_annotation(pool(scenario), VERSION), "v3");
    assert_string_equal(view_annotation(store_get(store, claims, NULL, other), VERSION), "v3");
    assert_string_equal(view_annotation(store_get(store, claims, NULL, other), HASH), hash);
    const json_t *claim = store_get(store, claims, NULL, drifted);
    assert_string_equal(view_annotation(claim, VERSION), "v3");
    assert_string_equal(view_annotation(claim, HASH), "1");
}

// --- node class and validation -------------------------------------------------------------------
static void node_class_ready_follows_the_class_LIF_202(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    assert_string_equal(view_condition(pool(scenario), "NodeClassReady"), "True/NodeClassReady");
#define CLASS_READY(status)                                                                    \
    "status: {conditions: [{type: Ready, status: '" status "', reason: Because, message: so, " \
    "lastTransitionTime: '2026-01-01T00:00:00Z'}]}"
    patch_class(scenario, "status", CLASS_READY("False"));
    assert_string_equal(view_condition(pool(scenario), "NodeClassReady"), "False/Because");
    assert_string_equal(view_condition_message(pool(scenario), "NodeClassReady"), "so");
    assert_string_equal(view_condition(pool(scenario), "Ready"), "False/UnhealthyDependents");
    patch_class(scenario, "status", CLASS_READY("Unknown"));
    assert_string_equal(view_condition(pool(scenario), "NodeClassReady"),
                        "False/NodeClassReadinessUnknown");
    assert_string_equal(view_condition_message(pool(scenario), "NodeClassReady"),
                        "Node Class Readiness Unknown");
    patch_class(scenario, "status", CLASS_READY("True"));
    assert_string_equal(view_condition(pool(scenario), "Ready"), "True/Ready");
    patch_class(scenario, NULL, "metadata: {finalizers: [example.com/hold]}");
    hand_delete(scenario, "karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", NULL, "default");
    scenario_run(scenario, 2);
    assert_string_equal(view_condition(pool(scenario), "NodeClassReady"),
                        "False/NodeClassTerminating");
    assert_string_equal(view_condition_message(pool(scenario), "NodeClassReady"),
                        "NodeClass is Terminating");
    patch_class(scenario, NULL, "metadata: {finalizers: null}");
    assert_string_equal(view_condition(pool(scenario), "NodeClassReady"),
                        "False/NodeClassNotFound");
    assert_string_equal(view_condition_message(pool(scenario), "NodeClassReady"),
                        "NodeClass not found on cluster");
}

static void pool_of_another_provider_is_left_alone_LIF_2_202(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario,
                   "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: other}\n"
                   "spec: {template: {spec: {requirements: [], nodeClassRef: {group: "
                   "example.com, kind: OtherClass, name: default}}}}\n");
    scenario_run(scenario, 10);
    const json_t *other = view_object(scenario, KARPENTER, "NodePool", NULL, "other");
    assert_null(store_path(other, "status.conditions"));
    assert_null(view_annotation(other, HASH));
}

static void pool_that_is_not_ready_launches_nothing_LIF_203_206(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    patch_pool(scenario, "spec: {template: {spec: {taints: [{key: a, effect: NoSchedule}, "
                         "{key: a, effect: NoSchedule, value: b}]}}}");
    assert_string_equal(view_condition(pool(scenario), "ValidationSucceeded"),
                        "False/NodePoolValidationFailed");
    assert_true(strlen(view_condition_message(pool(scenario), "ValidationSucceeded")) > 10);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 30);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 0);
    patch_pool(scenario, "spec: {template: {spec: {taints: null}}}");
    scenario_expect_running(scenario, 1);
}

// --- usage ---------------------------------------------------------------------------------------
static void usage_is_that_of_the_pools_nodes_LIF_205(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_run(scenario, 6);
    const json_t *resources = store_path(pool(scenario), "status.resources");
    assert_string_equal(json_string_value(json_object_get(resources, "cpu")), "0");
    assert_string_equal(json_string_value(json_object_get(resources, "ephemeral-storage")), "0");
    assert_string_equal(json_string_value(json_object_get(resources, "nodes")), "0");
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 6);
    resources = store_path(pool(scenario), "status.resources");
    assert_string_equal(json_string_value(json_object_get(resources, "cpu")),
                        view_text(view_node(scenario), "status.capacity.cpu"));
    assert_string_equal(json_string_value(json_object_get(resources, "nodes")), "1");
    assert_int_equal(json_integer_value(store_path(pool(scenario), "status.nodes")), 1);
    assert_true(view_metric_sum(scenario, "karpenter_nodepools_usage", "resource_type=\"nodes\"") ==
                1);
}

static void limit_that_was_taken_away_has_no_series_LIF_351(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    patch_pool(scenario, "spec: {limits: {cpu: 100, memory: 1Ti}}");
    scenario_run(scenario, 6);
    assert_true(view_metric_sum(scenario, "karpenter_nodepools_limit", "resource_type=\"cpu\"") ==
                100);
    patch_pool(scenario, "spec: {limits: {cpu: null}}");
    scenario_run(scenario, 6);
    assert_true(view_metric_sum(scenario, "karpenter_nodepools_limit", "cpu") == 0);
    assert_true(view_metric_sum(scenario, "karpenter_nodepools_limit", "memory") > 0);
}

// --- registration health -------------------------------------------------------------------------
static const char *healthy(struct scenario *scenario)
{
    return view_condition(pool(scenario), "NodeRegistrationHealthy");
}

static void first_success_makes_it_healthy_and_a_new_template_unknown_LIF_221_224(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    assert_string_equal(healthy(scenario), "Unknown/AwaitingReconciliation");
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 2);
    assert_string_equal(healthy(scenario), "True/NodeRegistrationHealthy");
    patch_pool(scenario, "spec: {weight: 7}");
    assert_string_equal(healthy(scenario), "Unknown/AwaitingReconciliation");
    patch_class(scenario, NULL, "metadata: {labels: {a: b}}"); // no new generation
    scenario_run(scenario, 2);
    assert_int_equal(
        json_integer_value(store_path(pool(scenario), "status.nodeClassObservedGeneration")), 1);
}

static bool is_false(struct scenario *scenario)
{
    return strncmp(healthy(scenario), "False", 5) == 0;
}

static bool no_bad_machine_left(struct scenario *scenario)
{
    (void)scenario;
    return bad_machines == 0;
}

// One failure is not conclusive, the second is.
static void two_failures_make_it_unhealthy_LIF_220_222_225(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    bad_machines = 2;
    scenario_scale(scenario, 1);
    scenario_until(scenario, 300, "a second machine", no_bad_machine_left);
    assert_string_equal(healthy(scenario), "Unknown/AwaitingReconciliation");
    scenario_until(scenario, 300, "the condition", is_false);
    assert_string_equal(healthy(scenario), "False/RegistrationFailed");
    assert_string_equal(view_condition_message(pool(scenario), "NodeRegistrationHealthy"),
                        "Failed to register node");
    assert_string_equal(view_condition(pool(scenario), "Ready"), "True/Ready");
}

static bool all_run(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == scenario->expected;
}

static void grow(struct scenario *scenario, uint32_t pods)
{
    scenario_scale(scenario, pods);
    scenario->expected = pods;
    scenario_until(scenario, 900, "the pods to run", all_run);
    scenario_run(scenario, 2);
}

// Two failures are pushed out of the ring by the third success, in a new process too.
static void three_successes_outweigh_two_failures_LIF_221_224(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    bad_machines = 2;
    scenario_scale(scenario, 7);
    scenario_until(scenario, 600, "the condition", is_false);
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    grow(scenario, 7);
    uint32_t nodes = view_count(scenario, "v1", "Node");
    assert_int_equal(nodes, 1);
    assert_true(is_false(scenario));
    grow(scenario, 14);
    assert_int_equal(view_count(scenario, "v1", "Node"), 2);
    assert_true(is_false(scenario));
    grow(scenario, 21);
    assert_int_equal(view_count(scenario, "v1", "Node"), 3);
    assert_string_equal(healthy(scenario), "True/NodeRegistrationHealthy");
}

static bool no_claims(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") == 0;
}

// The NodePool of that name is another one by then.
static void outcome_of_another_pools_claim_counts_for_nobody_LIF_223(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    bad_machines = 1;
    scenario_scale(scenario, 1);
    scenario_until(scenario, 60, "a machine", no_bad_machine_left);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, store_name(view_claim(scenario)), NULL,
               "metadata: {ownerReferences: null}");
    scenario_scale(scenario, 0);
    scenario_until(scenario, 300, "the claim to be gone", no_claims);
    scenario_run(scenario, 2);
    assert_string_equal(healthy(scenario), "Unknown/AwaitingReconciliation");
}

// --- unlikely budgets (DIS-777) ------------------------------------------------------------------
static const char *questionable(struct scenario *scenario)
{
    return view_condition(pool(scenario), "BudgetsQuestionable");
}

static bool says(struct scenario *scenario, const char *part)
{
    const char *message = view_condition_message(pool(scenario), "BudgetsQuestionable");
    return message != NULL && strstr(message, part) != NULL;
}

static void odd_budgets_are_named_with_what_they_do_DIS_777(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    assert_string_equal(questionable(scenario), "none");
    patch_pool(scenario,
               "{spec: {disruption: {budgets: [{nodes: '1'}, {nodes: '2', schedule: '0 0 31 2 *', "
               "duration: 1h}, {nodes: '3', schedule: '@daily', duration: 0h}, {nodes: '4', "
               "schedule: '1 2 3 4 5 6', duration: 1h}, {nodes: '5', reasons: []}]}}}");
    assert_string_equal(questionable(scenario), "True/HardlyMeant");
    assert_true(says(scenario,
                     "spec.disruption.budgets[1].schedule: \"0 0 31 2 *\" never comes: the "
                     "budget counts at all times"));
    assert_true(says(scenario, "spec.disruption.budgets[2].duration: \"0h\" is no time at all: the "
                               "budget never counts"));
    assert_true(says(scenario, "spec.disruption.budgets[3].schedule: "));
    assert_true(says(scenario, "it blocks every disruption of the pool"));
    assert_true(says(scenario, "spec.disruption.budgets[4].reasons: "));
    assert_false(says(scenario, "budgets[0]"));
    // No decision depends on it.
    assert_string_equal(view_condition(pool(scenario), "Ready"), "True/Ready");
    patch_pool(scenario, "{spec: {disruption: {budgets: [{nodes: '10%'}]}}}");
    assert_string_equal(questionable(scenario), "none");
}

static void next_windows_of_an_odd_budget_stay_right_DIS_777(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario); // 2026-01-01T00:00:03Z
    patch_pool(scenario,
               "{spec: {disruption: {budgets: [{nodes: '4294967297', schedule: '30 * * * *', "
               "duration: 10m}]}}}");
    assert_true(says(scenario, "(next: 2026-01-01T00:30:00Z to 2026-01-01T00:40:00Z, "
                               "2026-01-01T01:30:00Z to 2026-01-01T01:40:00Z)"));
    scenario_run(scenario, 35 * 60);
    assert_true(says(scenario, "(next: 2026-01-01T00:30:00Z"));
    scenario_run(scenario, 6 * 60);
    assert_true(says(scenario, "(next: 2026-01-01T01:30:00Z"));
    assert_false(says(scenario, "2026-01-01T00:30:00Z"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(hash_follows_the_template_only_LIF_200_201),
        TEST(claims_of_an_older_version_are_brought_up_LIF_200),
        TEST(node_class_ready_follows_the_class_LIF_202),
        TEST(pool_of_another_provider_is_left_alone_LIF_2_202),
        TEST(pool_that_is_not_ready_launches_nothing_LIF_203_206),
        TEST(usage_is_that_of_the_pools_nodes_LIF_205),
        TEST(limit_that_was_taken_away_has_no_series_LIF_351),
        TEST(first_success_makes_it_healthy_and_a_new_template_unknown_LIF_221_224),
        TEST(two_failures_make_it_unhealthy_LIF_220_222_225),
        TEST(three_successes_outweigh_two_failures_LIF_221_224),
        TEST(outcome_of_another_pools_claim_counts_for_nobody_LIF_223),
        TEST(odd_budgets_are_named_with_what_they_do_DIS_777),
        TEST(next_windows_of_an_odd_budget_stay_right_DIS_777),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
