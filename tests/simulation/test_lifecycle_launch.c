// From a NodeClaim to its machine, and the end of one that does not become a Node in time (LIF-22
// to LIF-36, LIF-70 to LIF-75).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/cluster_view.h"

struct faulty { // injected faults, and their observed effects
    struct scenario *scenario;
    enum error_kind kind; // of create; ERROR_NONE: it works
    const char *message;
    uint32_t creates, failing, without_finalizer;
    int64_t create_at[40]; // seconds since the first
    int64_t first;
    bool refuse_deletes, lose_status;
    uint32_t refused, lost;
    uint32_t machine; // enum machine_faults
};

static struct faulty faulty;

static enum sim_cloud_fault on_call(void *context, enum sim_cloud_call call,
                                    const struct node_claim *claim, struct error *error)
{
    struct faulty *faults = context;
    if (call != SIM_CREATE)
        return SIM_FINE;
    faults->without_finalizer +=
        !object_has_finalizer((const struct object *)claim, FINALIZER_TERMINATION);
    int64_t now = loop_now_ns(faults->scenario->loop) / SECOND;
    if (faults->creates == 0)
        faults->first = now;
    if (faults->creates < ARRAY_LENGTH(faults->create_at))
        faults->create_at[faults->creates] = now - faults->first;
    faults->creates++;
    if (faults->kind == ERROR_NONE || faults->creates > faults->failing)
        return SIM_FINE;
    error_set(error, faults->kind, "%s", faults->message);
    return SIM_FAIL_BEFORE;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct faulty *faults = context;
    if (!faults->refuse_deletes || request->verb != KUBE_DELETE ||
        strstr(request->path, "/nodeclaims/") == NULL)
        return false;
    faults->refused++;
    response->status = 500;
    return true;
}

static bool loses_answer(void *context, const struct kube_request *request)
{
    struct faulty *faults = context;
    bool lost = faults->lose_status && request->verb == KUBE_PATCH &&
                strstr(request->path, "/nodeclaims/") != NULL &&
                strstr(request->path, "/status") != NULL;
    faults->lost += lost;
    faults->lose_status = faults->lose_status && !lost;
    return lost;
}

static uint32_t boot_faults(void *context, const struct sim_instance *machine)
{
    (void)machine;
    return ((struct faulty *)context)->machine;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(21);
    faulty = (struct faulty){.scenario = scenario, .failing = UINT32_MAX};
    scenario->options.cloud_fault = on_call;
    scenario->options.api_fault = on_request;
    scenario->options.api_lose_answer = loses_answer;
    scenario->options.boot_faults = boot_faults;
    scenario->options.fault_context = &faulty;
    *state = scenario;
    return 0;
}

// A NodeClaim without a NodePool (LIF-26).
static void apply_claim(struct scenario *scenario)
{
    scenario_apply(
        scenario, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\n"
                  "metadata: {name: one, labels: {team: a, topology.kubernetes.io/region: own}, "
                  "annotations: {note: x}}\n"
                  "spec:\n"
                  "  nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
                  "  expireAfter: Never\n"
                  "  resources: {requests: {cpu: '1'}}\n"
                  "  requirements:\n"
                  "  - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
                  "  - {key: kubernetes.io/os, operator: In, values: [linux]}\n");
}

static json_t *claim_one(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodeClaim", NULL, "one");
}

static bool no_claim(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") == 0;
}

static uint64_t launches(struct scenario *scenario)
{
    return sim_instances_launches(simulation_park(scenario->simulation));
}

// --- launch --------------------------------------------------------------------------------------
static void claim_made_by_hand_gets_finalizer_machine_and_facts_LIF_22_23_26_30(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 20);
    const json_t *claim = claim_one(scenario);
    assert_true(view_has_finalizer(claim, FINALIZER_TERMINATION));
    assert_int_equal(faulty.without_finalizer, 0); // no launch before it was there
    assert_int_equal(faulty.creates, 1);
    const struct sim_instance *machine = sim_instances_at(simulation_park(scenario->simulation), 0);
    assert_string_equal(view_text(claim, "status.providerID"), machine->facts.provider_id);
    assert_string_equal(view_label(claim, LABEL_INSTANCE_TYPE), machine->instance_type);
    assert_string_equal(view_label(claim, LABEL_ZONE), machine->zone);
    assert_string_equal(view_label(claim, LABEL_CAPACITY_TYPE), machine->capacity_type);
    assert_string_equal(view_label(claim, "team"), "a");
    assert_string_equal(view_label(claim, "topology.kubernetes.io/region"), "own"); // its own wins
    assert_string_equal(view_annotation(claim, "note"), "x");
    assert_non_null(view_text(claim, "status.capacity.memory"));
    assert_non_null(view_text(claim, "status.allocatable.memory"));
    assert_string_equal(view_condition(claim, "Launched"), "True/Launched");
    assert_string_equal(view_condition(claim, "Ready"), "True/Ready");
}

static void lost_answer_of_the_write_launches_no_second_machine_LIF_31(void **state)
{
    struct scenario *scenario = *state;
    faulty.lose_status = true;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 60);
    assert_int_equal(faulty.lost, 1);
    assert_int_equal(launches(scenario), 1);
    assert_string_equal(view_condition(claim_one(scenario), "Ready"), "True/Ready");
}

static bool machine_is_there(struct scenario *scenario)
{
    return sim_instances_count(simulation_park(scenario->simulation)) > 0;
}

// The process ends after the launch and before its record.
static void next_process_finds_the_first_ones_machine_LIF_31_445(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 0;
    scenario->options.api_latency_min = scenario->options.api_latency_max = 400 * MILLISECOND;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_until(scenario, 10, "a machine", machine_is_there);
    simulation_kill_controller(scenario->simulation);
    assert_null(view_text(claim_one(scenario), "status.providerID"));
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 60);
    assert_int_equal(launches(scenario), 1);
    assert_string_equal(view_condition(claim_one(scenario), "Ready"), "True/Ready");
}

// --- failures ------------------------------------------------------------------------------------
#define DISRUPTED "karpenter_nodeclaims_disrupted_total"

static void without_capacity_the_claim_goes_LIF_33(void **state)
{
    struct scenario *scenario = *state;
    faulty.kind = ERROR_INSUFFICIENT_CAPACITY;
    faulty.message = "all out";
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_until(scenario, 10, "the claim to be gone", no_claim);
    scenario_run(scenario, 1);
    assert_int_equal(faulty.creates, 1); // no retry, no other type (LIF-36)
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"insufficient_capacity\"") == 1);
    assert_int_equal(view_events(scenario, "NodeClaim", "InsufficientCapacityError",
                                 "NodeClaim one event: insufficient capacity, "),
                     1);
}

static void without_ready_class_the_claim_goes_and_says_so_LIF_33_461(void **state)
{
    struct scenario *scenario = *state;
    faulty.kind = ERROR_NODE_CLASS_NOT_READY;
    faulty.message = "it is not ready";
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_until(scenario, 10, "the claim to be gone", no_claim);
    scenario_run(scenario, 1);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"nodeclass_not_ready\"") == 1);
    assert_int_equal(
        view_events(scenario, "NodeClaim", "NodeClassNotReady", "NodeClassRef not ready, "), 1);
}

static void only_a_deletion_that_succeeded_counts_LIF_34(void **state)
{
    struct scenario *scenario = *state;
    faulty.kind = ERROR_INSUFFICIENT_CAPACITY;
    faulty.message = "all out";
    faulty.refuse_deletes = true;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 10);
    assert_true(faulty.refused > 1);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"insufficient_capacity\"") == 0);
    faulty.refuse_deletes = false;
    scenario_until(scenario, 70, "the claim to be gone", no_claim);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"insufficient_capacity\"") == 1);
    assert_int_equal(faulty.creates, 1);
    assert_int_equal(view_events(scenario, "NodeClaim", "InsufficientCapacityError", NULL), 1);
}

static void unclassified_failure_is_tried_again_ever_slower_LIF_33_35_469(void **state)
{
    struct scenario *scenario = *state;
    faulty.kind = ERROR_INTERNAL;
    faulty.message = "the provider has a bad day";
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 2);
    assert_string_equal(view_condition(claim_one(scenario), "Launched"), "Unknown/LaunchFailed");
    assert_string_equal(view_condition_message(claim_one(scenario), "Registered"),
                        "Node not registered with cluster"); // the pass continued (LIF-24)
    scenario_run(scenario, 40);
    assert_non_null(
        strstr(view_condition_message(claim_one(scenario), "Launched"), faulty.message));
    assert_non_null(strstr(view_condition_message(claim_one(scenario), "Launched"), " (attempt "));
    scenario_run(scenario, 150);
    // 1 s doubling to 60 s, and the call's own time.
    static const int64_t least[] = {0, 1, 3, 7, 15, 31, 63, 123};
    assert_int_equal(faulty.creates, ARRAY_LENGTH(least) + 1);
    for (size_t i = 0; i < ARRAY_LENGTH(least); i++)
        assert_true(faulty.create_at[i] >= least[i] && faulty.create_at[i] <= least[i] + 4);
    faulty.kind = ERROR_NONE;
    scenario_run(scenario, 80);
    assert_string_equal(view_condition(claim_one(scenario), "Ready"), "True/Ready");
}

static void upstream_does_not_count_attempts_LIF_469(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    faulty.kind = ERROR_INTERNAL;
    faulty.message = "the provider has a bad day";
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 30);
    assert_null(strstr(view_condition_message(claim_one(scenario), "Launched"), "attempt"));
}

// Two bytes a character: 300 bytes would end within the 134th.
static void long_text_is_cut_between_characters_LIF_469(void **state)
{
    struct scenario *scenario = *state;
    char message[500];
    size_t length = 0;
    message[length++] = 'x';
    while (length < 480) {
        message[length++] = (char)0xc3;
        message[length++] = (char)0xa4;
    }
    message[length] = '\0';
    faulty.kind = ERROR_INTERNAL;
    faulty.message = message;
    faulty.failing = 1;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 1);
    const char *told = view_condition_message(claim_one(scenario), "Launched");
    assert_string_equal(view_condition(claim_one(scenario), "Launched"), "Unknown/LaunchFailed");
    assert_true(strlen(told) <= 303);
    assert_string_equal(told + strlen(told) - 5, "\xc3\xa4...");
}

// --- liveness ------------------------------------------------------------------------------------
static void launch_that_never_succeeds_ends_after_five_minutes_LIF_25_71_441(void **state)
{
    struct scenario *scenario = *state;
    faulty.kind = ERROR_INTERNAL;
    faulty.message = "no";
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 4 * 60 + 50);
    assert_non_null(claim_one(scenario));
    scenario_until(scenario, 20, "the claim to be gone", no_claim);
    scenario_run(scenario, 1);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"launch_timeout\"") == 1);
    assert_true(view_metric_sum(scenario, DISRUPTED, "") == 1); // one outcome
}

static void machine_that_never_registers_goes_fifteen_minutes_after_creation_LIF_72_73(void **state)
{
    struct scenario *scenario = *state;
    faulty.kind = ERROR_INTERNAL;
    faulty.message = "no";
    faulty.failing = 6; // more than half a minute
    faulty.machine = MACHINE_NEVER_REGISTERS;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 14 * 60 + 50);
    assert_string_equal(view_condition(claim_one(scenario), "Launched"), "True/Launched");
    assert_string_equal(view_condition(claim_one(scenario), "Registered"), "Unknown/NodeNotFound");
    assert_int_equal(view_transition(claim_one(scenario), "Registered"),
                     view_instant(claim_one(scenario), "metadata.creationTimestamp")); // LIF-11
    scenario_until(scenario, 30, "the claim to be gone", no_claim);
    scenario_run(scenario, 5);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"registration_timeout\"") == 1);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 0);
}

static void registered_claim_has_no_timeout_LIF_70(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_claim(scenario);
    scenario_run(scenario, 60 * 60);
    assert_string_equal(view_condition(claim_one(scenario), "Registered"), "True/Registered");
    assert_true(view_metric_sum(scenario, DISRUPTED, "") == 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(claim_made_by_hand_gets_finalizer_machine_and_facts_LIF_22_23_26_30),
        TEST(lost_answer_of_the_write_launches_no_second_machine_LIF_31),
        TEST(next_process_finds_the_first_ones_machine_LIF_31_445),
        TEST(without_capacity_the_claim_goes_LIF_33),
        TEST(without_ready_class_the_claim_goes_and_says_so_LIF_33_461),
        TEST(only_a_deletion_that_succeeded_counts_LIF_34),
        TEST(unclassified_failure_is_tried_again_ever_slower_LIF_33_35_469),
        TEST(upstream_does_not_count_attempts_LIF_469),
        TEST(long_text_is_cut_between_characters_LIF_469),
        TEST(launch_that_never_succeeds_ends_after_five_minutes_LIF_25_71_441),
        TEST(machine_that_never_registers_goes_fifteen_minutes_after_creation_LIF_72_73),
        TEST(registered_claim_has_no_timeout_LIF_70),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
