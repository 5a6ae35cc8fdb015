// From a machine to a Node that is ready for pods (LIF-40 to LIF-67). The machine's own Node never
// comes: tests create Nodes by hand, without other writers.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/cluster_view.h"

static uint32_t conflicts; // of patches of Nodes, still to come

static uint32_t never_registers(void *context, const struct sim_instance *machine)
{
    (void)context;
    (void)machine;
    return MACHINE_NEVER_REGISTERS;
}

static bool refuse_patch(void *context, const struct kube_request *request,
                         struct kube_response *response)
{
    (void)context;
    if (conflicts == 0 || request->verb != KUBE_PATCH ||
        strstr(request->path, "/api/v1/nodes/") == NULL)
        return false;
    conflicts--;
    response->status = 409;
    return true;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(22);
    conflicts = 0;
    scenario->options.boot_faults = never_registers;
    scenario->options.api_fault = refuse_patch;
    scenario->options.world.node_lifecycle = false;
    *state = scenario;
    return 0;
}

static const json_t *claim(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodeClaim", NULL, "one");
}

static bool claim_gone(struct scenario *scenario)
{
    return claim(scenario) == NULL;
}

static json_t *node(struct scenario *scenario)
{
    return view_object(scenario, "v1", "Node", NULL, "n1");
}

static void launch(struct scenario *scenario)
{
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodeClaim\n"
        "metadata: {name: one, labels: {team: a, shared: claim}, annotations: {note: x}}\n"
        "spec:\n"
        "  nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "  expireAfter: Never\n"
        "  resources: {requests: {cpu: '1', memory: 1Gi}}\n"
        "  taints: [{key: own, value: v, effect: NoSchedule}]\n"
        "  startupTaints: [{key: start, value: s, effect: NoExecute}]\n"
        "  requirements:\n"
        "  - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "  - {key: kubernetes.io/os, operator: In, values: [linux]}\n");
    scenario_run(scenario, 5);
    assert_string_equal(view_condition(claim(scenario), "Launched"), "True/Launched");
}

#define UNREGISTERED "{key: karpenter.sh/unregistered, effect: NoExecute}"

static void add_node(struct scenario *scenario, const char *name, const char *labels,
                     const char *taints)
{
    struct text text = {0};
    text_format(&text,
                "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {%s}}\n"
                "spec: {providerID: '%s', taints: [%s]}\n"
                "status: {capacity: {cpu: '8', memory: 16Gi, pods: '110'}}\n",
                name, labels, view_text(claim(scenario), "status.providerID"), taints);
    scenario_apply(scenario, text.data);
    text_free(&text);
    scenario_run(scenario, 3);
}

static void set_taints(struct scenario *scenario, const char *taints)
{
    char patch[600];
    snprintf(patch, sizeof patch, "spec: {taints: [%s]}", taints);
    hand_patch(scenario, "v1", "Node", NULL, "n1", NULL, patch);
    scenario_run(scenario, 2);
}

static void set_status(struct scenario *scenario, const char *ready, const char *cpu)
{
    char patch[600];
    snprintf(patch, sizeof patch,
             "status: {allocatable: {cpu: %s, memory: 16Gi, pods: '110'}, "
             "conditions: [{type: Ready, status: '%s', reason: r, lastTransitionTime: "
             "'2026-01-01T00:00:00Z'}]}",
             cpu, ready);
    hand_patch(scenario, "v1", "Node", NULL, "n1", "status", patch);
    scenario_run(scenario, 2);
}

// --- registration --------------------------------------------------------------------------------
static void without_node_it_is_not_found_LIF_40(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "Unknown/NodeNotFound");
    assert_string_equal(view_condition_message(claim(scenario), "Registered"),
                        "Node not registered with cluster");
}

static void node_gets_what_the_claim_says_LIF_42_43_44_48(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "shared: node, mine: kept",
             UNREGISTERED ", {key: own, value: different, effect: NoSchedule}");
    const json_t *found = node(scenario);
    assert_true(view_has_finalizer(found, FINALIZER_TERMINATION));
    const json_t *owners = store_path(found, "metadata.ownerReferences");
    assert_int_equal(json_array_size(owners), 1);
    const json_t *owner = json_array_get(owners, 0);
    assert_string_equal(view_text(owner, "apiVersion"), "karpenter.sh/v1");
    assert_string_equal(view_text(owner, "kind"), "NodeClaim");
    assert_string_equal(view_text(owner, "uid"), store_uid(claim(scenario)));
    assert_true(json_is_true(json_object_get(owner, "blockOwnerDeletion")));
    assert_string_equal(view_label(found, "team"), "a");
    assert_string_equal(view_label(found, "shared"), "claim"); // the NodeClaim wins
    assert_string_equal(view_label(found, "mine"), "kept");
    assert_string_equal(view_annotation(found, "note"), "x");
    assert_string_equal(view_label(found, LABEL_REGISTERED), "true");
    assert_false(view_has_taint(found, TAINT_UNREGISTERED, "NoExecute"));
    assert_true(view_has_taint(found, "start", "NoExecute"));
    const json_t *taints = store_path(found, "spec.taints"); // the Node's own value stays
    assert_int_equal(json_array_size(taints), 2);
    assert_string_equal(view_text(json_array_get(taints, 0), "value"), "different");
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_string_equal(view_text(claim(scenario), "status.nodeName"), "n1");
    assert_true(view_metric_sum(scenario, "karpenter_nodes_created_total", "") == 1);
}

static void taints_may_be_left_to_others_LIF_43(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "karpenter.sh/do-not-sync-taints: 'true'", UNREGISTERED);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_int_equal(json_array_size(store_path(node(scenario), "spec.taints")), 0);
}

static void missing_unregistered_taint_is_told_and_forgiven_LIF_41(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "", "");
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_true(view_has_taint(node(scenario), "own", "NoSchedule"));
    assert_int_equal(
        view_events(scenario, "NodeClaim", "UnregisteredTaintMissing", "karpenter.sh/unregistered"),
        1);
}

// Missing fields of the Node come from the NodeClaim: registration does not wait until decisions
// can track it.
static void a_node_without_instance_type_is_registered_LIF_40_300(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "karpenter.sh/nodepool: default", UNREGISTERED);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_true(view_has_finalizer(node(scenario), FINALIZER_TERMINATION));
}

// A label from the bootstrap is no registration of the Node.
static void a_label_alone_is_no_registration_LIF_42(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "karpenter.sh/registered: 'true'", "");
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_true(view_has_finalizer(node(scenario), FINALIZER_TERMINATION));
    assert_int_equal(json_array_size(store_path(node(scenario), "metadata.ownerReferences")), 1);
    assert_string_equal(view_label(node(scenario), "team"), "a");
    assert_true(view_has_taint(node(scenario), "own", "NoSchedule"));
    assert_int_equal(view_events(scenario, "NodeClaim", "UnregisteredTaintMissing", ""), 0);
}

static void nothing_is_synced_a_second_time_LIF_45(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "", UNREGISTERED);
    set_taints(scenario, "");
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, "one", NULL,
               "metadata: {labels: {late: 'yes'}}");
    scenario_run(scenario, 30);
    assert_int_equal(json_array_size(store_path(node(scenario), "spec.taints")), 0);
    assert_null(view_label(node(scenario), "late"));
}

static void conflict_is_tried_again_at_once_LIF_46(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    conflicts = 2;
    add_node(scenario, "n1", "", UNREGISTERED);
    assert_int_equal(conflicts, 0);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
}

static void add_two_nodes(struct scenario *scenario)
{
    struct text text = {0};
    const char *provider_id = view_text(claim(scenario), "status.providerID");
    for (int i = 1; i <= 2; i++)
        text_format(&text,
                    "---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d}\n"
                    "spec: {providerID: '%s', taints: [" UNREGISTERED "]}\n",
                    i, provider_id);
    scenario_apply(scenario, text.data);
    text_free(&text);
    scenario_run(scenario, 5);
}

static void one_of_two_nodes_vanishes_and_the_other_is_registered_LIF_442(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_two_nodes(scenario);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "False/MultipleNodesFound");
    assert_string_equal(view_condition_message(claim(scenario), "Registered"),
                        "Invariant violated, matched multiple nodes");
    assert_string_equal(view_condition(claim(scenario), "Ready"), "False/UnhealthyDependents");
    hand_delete(scenario, "v1", "Node", NULL, "n2");
    scenario_run(scenario, 5);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_string_equal(view_text(claim(scenario), "status.nodeName"), "n1");
}

// Their clock starts with the change to False; the Nodes, which are unregistered, stay (LIF-75,
// LIF-82).
static void two_nodes_that_stay_end_the_claim_LIF_73_75_82(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    scenario_run(scenario, 10 * 60);
    add_two_nodes(scenario);
    scenario_run(scenario, 14 * 60 + 50);
    assert_string_equal(view_condition(claim(scenario), "Registered"), "False/MultipleNodesFound");
    scenario_until(scenario, 30, "the claim to be gone", claim_gone);
    assert_non_null(node(scenario));
    assert_null(store_path(node(scenario), "metadata.deletionTimestamp"));
}

static void registered_is_never_revoked_LIF_49(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "", UNREGISTERED);
    hand_patch(scenario, "v1", "Node", NULL, "n1", NULL, "metadata: {finalizers: null}");
    hand_delete(scenario, "v1", "Node", NULL, "n1");
    scenario_run(scenario, 10);
    assert_null(node(scenario));
    assert_string_equal(view_condition(claim(scenario), "Registered"), "True/Registered");
    assert_string_equal(view_condition(claim(scenario), "Initialized"), "Unknown/NodeNotFound");
}

// --- initialization ------------------------------------------------------------------------------
static void expect_waiting(struct scenario *scenario, const char *condition, const char *message)
{
    assert_string_equal(view_condition(claim(scenario), "Initialized"), condition);
    assert_string_equal(view_condition_message(claim(scenario), "Initialized"), message);
    assert_null(view_label(node(scenario), LABEL_INITIALIZED));
}

#define OWN   "{key: own, value: v, effect: NoSchedule}"
#define START "{key: start, value: s, effect: NoExecute}"

static void the_first_check_that_fails_says_why_LIF_60_61_62_63_66(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "", UNREGISTERED);
    expect_waiting(scenario, "Unknown/NodeNotReady", "Node status is NotReady");
    set_status(scenario, "True", "null");
    expect_waiting(scenario, "Unknown/StartupTaintsExist",
                   "StartupTaint \"start=s:NoExecute\" still exists");
    set_taints(scenario, OWN ", {key: node.kubernetes.io/unreachable, effect: NoSchedule}");
    expect_waiting(
        scenario, "Unknown/KnownEphemeralTaintsExist",
        "KnownEphemeralTaint \"node.kubernetes.io/unreachable:NoSchedule\" still exists");
    set_taints(scenario, OWN ", {key: readiness.k8s.io/gpu, value: x, effect: PreferNoSchedule}");
    expect_waiting(scenario, "Unknown/KnownEphemeralTaintsExist",
                   "KnownEphemeralTaint \"readiness.k8s.io/gpu=x:PreferNoSchedule\" still exists");
    set_taints(scenario, OWN);
    expect_waiting(scenario, "Unknown/ResourceNotRegistered",
                   "Resource \"cpu\" was requested but not registered");
    assert_string_equal(view_condition(claim(scenario), "Ready"), "Unknown/ReconcilingDependents");
    set_status(scenario, "True", "'8'");
    assert_string_equal(view_condition(claim(scenario), "Initialized"), "True/Initialized");
    assert_string_equal(view_condition(claim(scenario), "Ready"), "True/Ready");
    assert_string_equal(view_label(node(scenario), LABEL_INITIALIZED), "true");
}

static void initialize(struct scenario *scenario)
{
    launch(scenario);
    add_node(scenario, "n1", "", UNREGISTERED);
    set_taints(scenario, OWN);
    set_status(scenario, "True", "'8'");
    assert_string_equal(view_condition(claim(scenario), "Initialized"), "True/Initialized");
}

static void what_happens_after_initialization_changes_nothing_LIF_65(void **state)
{
    struct scenario *scenario = *state;
    initialize(scenario);
    set_status(scenario, "False", "'8'");
    set_taints(scenario, OWN ", " START);
    scenario_run(scenario, 20);
    assert_string_equal(view_condition(claim(scenario), "Initialized"), "True/Initialized");
    assert_string_equal(view_condition(claim(scenario), "Ready"), "True/Ready");
}

static void waiting_for_a_taint_has_no_end_but_is_told_LIF_67_443(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    add_node(scenario, "n1", "", UNREGISTERED);
    set_status(scenario, "True", "'8'");
    scenario_run(scenario, 4 * 60);
    assert_int_equal(view_events(scenario, "NodeClaim", "InitializationBlocked", NULL), 0);
    scenario_run(scenario, 60 * 60);
    assert_string_equal(view_condition(claim(scenario), "Initialized"),
                        "Unknown/StartupTaintsExist");
    uint32_t told = view_events(scenario, "NodeClaim", "InitializationBlocked",
                                "StartupTaint \"start=s:NoExecute\" still exists");
    assert_true(told >= 3 && told <= 5); // after five minutes, and every fifteen
    assert_int_equal(view_events(scenario, "NodeClaim", "InitializationBlocked",
                                 "is not initialized for 5 minutes"),
                     1);
}

static void deadline_of_initialization_can_be_set_LIF_443(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.initialization_timeout = 10 * MINUTE;
    launch(scenario);
    add_node(scenario, "n1", "", UNREGISTERED);
    set_status(scenario, "True", "'8'");
    scenario_run(scenario, 9 * 60 + 45);
    assert_null(store_path(claim(scenario), "metadata.deletionTimestamp"));
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
    assert_true(view_metric_sum(scenario, "karpenter_nodeclaims_disrupted_total",
                                "reason=\"initialization_timeout\"") == 1);
    assert_null(node(scenario));
}

// --- consistency ---------------------------------------------------------------------------------
static void claim_is_consistent_until_there_is_something_to_compare_LIF_180(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    assert_string_equal(view_condition(claim(scenario), "ConsistentStateFound"), "none");
    add_node(scenario, "n1", "", UNREGISTERED);
    assert_string_equal(view_condition(claim(scenario), "ConsistentStateFound"),
                        "True/ConsistentStateFound");
}

static void smaller_node_than_promised_is_told_every_ten_minutes_LIF_180(void **state)
{
    struct scenario *scenario = *state;
    launch(scenario);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, "one", "status",
               "status: {capacity: {cpu: '10', memory: 64Gi}}");
    add_node(scenario, "n1", "", UNREGISTERED); // of 8 cpu and 16Gi
    set_taints(scenario, OWN);
    set_status(scenario, "True", "'8'");
    scenario_run(scenario, 5);
    assert_string_equal(view_condition(claim(scenario), "ConsistentStateFound"),
                        "False/ConsistencyCheckFailed");
    assert_string_equal(view_condition_message(claim(scenario), "ConsistentStateFound"),
                        "Consistency Check Failed");
    assert_int_equal(view_events(scenario, "NodeClaim", "FailedConsistencyCheck",
                                 "expected 10 of resource cpu, but found 8 (80.0% of expected)"),
                     1);
    assert_int_equal(
        view_events(scenario, "NodeClaim", "FailedConsistencyCheck",
                    "expected 64Gi of resource memory, but found 16Gi (25.0% of expected)"),
        1); // each by itself
    assert_int_equal(view_events(scenario, "NodeClaim", "FailedConsistencyCheck", NULL), 2);
    hand_patch(scenario, "v1", "Node", NULL, "n1", "status",
               "status: {capacity: {cpu: '9', memory: 60Gi}}");
    scenario_run(scenario, 9 * 60);
    assert_string_equal(view_condition(claim(scenario), "ConsistentStateFound"),
                        "False/ConsistencyCheckFailed");
    scenario_run(scenario, 2 * 60);
    assert_string_equal(view_condition(claim(scenario), "ConsistentStateFound"),
                        "True/ConsistentStateFound"); // 90 % is enough
}

// --- hydration -----------------------------------------------------------------------------------
#define CLASS_LABEL "karpenter.kwok.sh/kwoknodeclass"

static void label_of_the_node_class_comes_back_LIF_190(void **state)
{
    struct scenario *scenario = *state;
    initialize(scenario);
    assert_string_equal(view_label(claim(scenario), CLASS_LABEL), "default");
    assert_string_equal(view_label(node(scenario), CLASS_LABEL), "default");
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, "one", NULL,
               "metadata: {labels: {" CLASS_LABEL ": wrong}}");
    hand_patch(scenario, "v1", "Node", NULL, "n1", NULL,
               "metadata: {labels: {" CLASS_LABEL ": null}}");
    scenario_run(scenario, 5);
    assert_string_equal(view_label(claim(scenario), CLASS_LABEL), "default");
    assert_string_equal(view_label(node(scenario), CLASS_LABEL), "default");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(without_node_it_is_not_found_LIF_40),
        TEST(node_gets_what_the_claim_says_LIF_42_43_44_48),
        TEST(taints_may_be_left_to_others_LIF_43),
        TEST(missing_unregistered_taint_is_told_and_forgiven_LIF_41),
        TEST(a_node_without_instance_type_is_registered_LIF_40_300),
        TEST(a_label_alone_is_no_registration_LIF_42),
        TEST(nothing_is_synced_a_second_time_LIF_45),
        TEST(conflict_is_tried_again_at_once_LIF_46),
        TEST(one_of_two_nodes_vanishes_and_the_other_is_registered_LIF_442),
        TEST(two_nodes_that_stay_end_the_claim_LIF_73_75_82),
        TEST(registered_is_never_revoked_LIF_49),
        TEST(the_first_check_that_fails_says_why_LIF_60_61_62_63_66),
        TEST(what_happens_after_initialization_changes_nothing_LIF_65),
        TEST(waiting_for_a_taint_has_no_end_but_is_told_LIF_67_443),
        TEST(deadline_of_initialization_can_be_set_LIF_443),
        TEST(claim_is_consistent_until_there_is_something_to_compare_LIF_180),
        TEST(smaller_node_than_promised_is_told_every_ten_minutes_LIF_180),
        TEST(label_of_the_node_class_comes_back_LIF_190),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
