// Node repair (LIF-195 to LIF-199, LIF-452, LIF-460; gate NodeRepair): the unhealthy nodes that are
// deleted, the time, and the cases without deletion.
#include <stdio.h>
#include <string.h>

#include "simulation/scenario.h"

#define TOLERATION_MINUTES 10 // of the simulated provider's policies

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(8);
    scenario->settings.gate_node_repair = true;
    *state = scenario;
    return 0;
}

// `name`: a NodePool and a Deployment of one pod a node, which only force removes: an hour of
// grace, protected, and by a PDB that allows nothing.
static void apply_pool(struct scenario *scenario, const char *name, unsigned nodes)
{
    char manifest[4000];
    snprintf(
        manifest, sizeof manifest,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s}\n"
        "spec:\n  template:\n    metadata: {labels: {team: %s}}\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n      terminationGracePeriod: 2h\n      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['3']}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: Never}\n---\n"
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: default}\n"
        "spec:\n  replicas: %u\n  selector: {matchLabels: {app: %s}}\n  template:\n"
        "    metadata:\n      labels: {app: %s}\n"
        "      annotations: {karpenter.sh/do-not-disrupt: 'true'}\n"
        "    spec:\n      terminationGracePeriodSeconds: 3600\n      nodeSelector: {team: %s}\n"
        "      affinity:\n        podAntiAffinity:\n"
        "          requiredDuringSchedulingIgnoredDuringExecution:\n"
        "          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: "
        "%s}}}\n"
        "      tolerations: [{operator: Exists, effect: NoExecute}]\n"
        "      containers:\n"
        "      - {name: c, image: pause, resources: {requests: {cpu: 100m}}}\n---\n"
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\n"
        "metadata: {name: %s, namespace: default}\n"
        "spec: {maxUnavailable: 0, selector: {matchLabels: {app: %s}}}\n",
        name, name, name, nodes, name, name, name, name, name, name);
    scenario_apply(scenario, manifest);
}

static const char *machine(struct scenario *scenario, uint32_t index)
{
    const struct sim_instance *found =
        sim_instances_at(simulation_park(scenario->simulation), index);
    assert_non_null(found);
    return found->facts.provider_id;
}

static void set_state(struct scenario *scenario, const char *provider_id, enum machine_state state)
{
    world_machine_set_state(simulation_world(scenario->simulation), provider_id, state);
}

static bool runs(struct scenario *scenario, const char *provider_id)
{
    return sim_instances_find(simulation_park(scenario->simulation), provider_id) != NULL;
}

static void run_minutes(struct scenario *scenario, double minutes)
{
    scenario_run(scenario, minutes * 60);
}

struct told {
    const char *reason, *kind;
    uint32_t count;
};

static bool tell(void *context, json_t *event)
{
    struct told *told = context;
    const char *kind =
        json_string_value(json_object_get(json_object_get(event, "involvedObject"), "kind"));
    told->count += text_equal(json_string_value(json_object_get(event, "reason")), told->reason) &&
                   text_equal(kind, told->kind);
    return true;
}

static uint32_t blocked_events(struct scenario *scenario, const char *kind)
{
    struct told told = {"NodeRepairBlocked", kind, 0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, tell, &told);
    return told.count;
}

static double counted(struct scenario *scenario, const char *family, const char *const *labels,
                      size_t count)
{
    const struct metric *metric = metrics_find(simulation_metrics(scenario->simulation), family);
    assert_non_null(metric);
    return metric_read_values(metric, labels, count);
}

static double repairs(struct scenario *scenario, const char *pool, const char *capacity_type)
{
    const char *const labels[] = {"unhealthy", pool, capacity_type, "", "eventual"};
    return counted(scenario, "karpenter_nodeclaims_disrupted_total", labels, ARRAY_LENGTH(labels));
}

// --- one node ------------------------------------------------------------------------------------
static void unhealthy_node_goes_by_force_after_its_toleration_LIF_196_198(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    char bad[200], capacity_type[40], image[100];
    const struct sim_instance *first = sim_instances_at(simulation_park(scenario->simulation), 0);
    strcpy(bad, first->facts.provider_id);
    strcpy(capacity_type, first->capacity_type);
    snprintf(image, sizeof image, "%s", first->facts.image_id != NULL ? first->facts.image_id : "");
    set_state(scenario, bad, MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES - 0.5);
    assert_true(runs(scenario, bad));
    assert_true(repairs(scenario, "web", capacity_type) == 0);
    run_minutes(scenario, 3); // neither the hours of grace nor the PDB hold it
    assert_false(runs(scenario, bad));
    assert_true(repairs(scenario, "web", capacity_type) == 1);
    const char *const unhealthy[] = {"ready", "web", capacity_type, image};
    assert_true(counted(scenario, "karpenter_nodeclaims_unhealthy_disrupted_total", unhealthy,
                        ARRAY_LENGTH(unhealthy)) == 1);
    const char *const pods[] = {"unhealthy", "web", capacity_type, "", "eventual"};
    assert_true(counted(scenario, "karpenter_pods_disruption_initiated_total", pods,
                        ARRAY_LENGTH(pods)) == 1);
    scenario_expect_running(scenario, 3);
    assert_int_equal(blocked_events(scenario, "Node"), 0);
}

static void silent_node_is_unhealthy_too_LIF_195(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    char bad[200];
    strcpy(bad, machine(scenario, 0));
    set_state(scenario, bad, MACHINE_SILENT); // Ready Unknown
    run_minutes(scenario, TOLERATION_MINUTES - 0.5);
    assert_true(runs(scenario, bad));
    run_minutes(scenario, 5);
    assert_false(runs(scenario, bad));
    scenario_expect_running(scenario, 3);
}

static void node_that_recovers_in_time_stays_LIF_196_199(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    char bad[200];
    strcpy(bad, machine(scenario, 0));
    for (int i = 0; i < 3; i++) {
        set_state(scenario, bad, MACHINE_NOT_READY);
        run_minutes(scenario, TOLERATION_MINUTES - 1);
        set_state(scenario, bad, MACHINE_HEALTHY);
        run_minutes(scenario, 1);
    }
    assert_true(runs(scenario, bad));
    scenario_expect_running(scenario, 3);
}

static void nothing_is_repaired_without_the_gate_LIF_381(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_node_repair = false;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    char bad[200];
    strcpy(bad, machine(scenario, 0));
    set_state(scenario, bad, MACHINE_NOT_READY);
    run_minutes(scenario, 4 * TOLERATION_MINUTES);
    assert_true(runs(scenario, bad));
}

// A graceful drain in progress becomes forceful when the node proves unhealthy.
static void deadline_of_a_drain_under_way_is_brought_forward_LIF_198(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    const struct sim_instance *first = sim_instances_at(simulation_park(scenario->simulation), 0);
    char bad[200];
    strcpy(bad, first->facts.provider_id);
    assert_true(simulation_delete(scenario->simulation, "karpenter.sh/v1", "NodeClaim", NULL,
                                  first->facts.node_claim_name, &error));
    run_minutes(scenario, 2);
    set_state(scenario, bad, MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES - 0.5);
    assert_true(runs(scenario, bad)); // the two hours are not over
    run_minutes(scenario, 3);
    assert_false(runs(scenario, bad));
}

static void repair_goes_on_in_a_new_process_LIF_198(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    char bad[200];
    strcpy(bad, machine(scenario, 0));
    set_state(scenario, bad, MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES - 1);
    simulation_kill_controller(scenario->simulation);
    run_minutes(scenario, 2);
    assert_true(runs(scenario, bad));
    simulation_start_controller(scenario->simulation);
    run_minutes(scenario, 2.5);
    assert_false(runs(scenario, bad));
    scenario_expect_running(scenario, 3);
}

struct recovery {
    struct scenario *scenario;
    char provider_id[200];
    uint32_t refused;
};

// The node recovers while its drain is about to get a deadline, which takes several tries.
static bool recover_before_deadline(void *context, const struct kube_request *request,
                                    struct kube_response *response)
{
    struct recovery *recovery = context;
    json_t *annotations =
        json_object_get(json_object_get(request->body, "metadata"), "annotations");
    if (request->verb != KUBE_PATCH || strstr(request->path, "/nodeclaims/") == NULL ||
        json_object_get(annotations, "karpenter.sh/nodeclaim-termination-timestamp") == NULL)
        return false;
    set_state(recovery->scenario, recovery->provider_id, MACHINE_HEALTHY);
    if (++recovery->refused > 8)
        return false;
    error_set(&response->error, ERROR_UNAVAILABLE, "not now");
    return true;
}

// Once its NodeClaim is deleted the node is removed by force, even if it recovers a moment later.
static void node_that_recovers_too_late_goes_by_force_LIF_198(void **state)
{
    struct scenario *scenario = *state;
    struct recovery recovery = {.scenario = scenario};
    scenario->options.api_fault = recover_before_deadline;
    scenario->options.fault_context = &recovery;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    strcpy(recovery.provider_id, machine(scenario, 0));
    set_state(scenario, recovery.provider_id, MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES + 3); // neither the hours of grace nor the PDB hold it
    assert_true(recovery.refused > 8);
    assert_false(runs(scenario, recovery.provider_id));
    scenario_expect_running(scenario, 3);
}

// --- several -------------------------------------------------------------------------------------
static void breaker_of_a_pool_stops_all_until_few_are_left_LIF_197_460(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3); // one may be unhealthy
    scenario_expect_running(scenario, 3);
    char first[200], second[200];
    strcpy(first, machine(scenario, 0));
    strcpy(second, machine(scenario, 1));
    set_state(scenario, first, MACHINE_NOT_READY);
    set_state(scenario, second, MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES + 12);
    assert_true(runs(scenario, first) && runs(scenario, second));
    // One for each object, however often it was evaluated (every five minutes).
    assert_int_equal(blocked_events(scenario, "Node"), 2);
    assert_int_equal(blocked_events(scenario, "NodeClaim"), 2);
    assert_int_equal(blocked_events(scenario, "NodePool"), 1);
    set_state(scenario, first, MACHINE_HEALTHY);
    run_minutes(scenario, 8);
    assert_true(runs(scenario, first));
    assert_false(runs(scenario, second));
    scenario_expect_running(scenario, 3);
}

static void two_of_ten_may_be_unhealthy_LIF_197(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario, "web", 10);
    scenario_expect_running(scenario, 10);
    char bad[2][200];
    for (uint32_t i = 0; i < 2; i++)
        strcpy(bad[i], machine(scenario, i));
    for (uint32_t i = 0; i < 2; i++)
        set_state(scenario, bad[i], MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES + 3);
    for (uint32_t i = 0; i < 2; i++)
        assert_false(runs(scenario, bad[i]));
    scenario_expect_running(scenario, 10);
}

// Two pools of one node each: the rounding of either would allow both.
static void two_small_pools_fail(struct scenario *scenario, char bad[2][200])
{
    scenario_begin(scenario);
    apply_pool(scenario, "left", 1);
    apply_pool(scenario, "right", 1);
    scenario_expect_running(scenario, 2);
    for (uint32_t i = 0; i < 2; i++)
        strcpy(bad[i], machine(scenario, i));
    for (uint32_t i = 0; i < 2; i++)
        set_state(scenario, bad[i], MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES + 3);
}

static void breaker_of_the_cluster_sees_many_small_pools_LIF_452(void **state)
{
    struct scenario *scenario = *state;
    char bad[2][200];
    two_small_pools_fail(scenario, bad);
    assert_true(runs(scenario, bad[0]) && runs(scenario, bad[1]));
    assert_int_equal(blocked_events(scenario, "NodePool"), 2);
}

static void upstream_looks_at_each_pool_alone_LIF_197(void **state)
{
    struct scenario *scenario = *state;
    char bad[2][200];
    scenario->settings.compatibility_upstream = true;
    two_small_pools_fail(scenario, bad);
    assert_true(!runs(scenario, bad[0]) && !runs(scenario, bad[1]));
}

static void second_node_fails_later(struct scenario *scenario, char bad[2][200])
{
    scenario_begin(scenario);
    apply_pool(scenario, "web", 3);
    scenario_expect_running(scenario, 3);
    for (uint32_t i = 0; i < 2; i++)
        strcpy(bad[i], machine(scenario, i));
    set_state(scenario, bad[0], MACHINE_NOT_READY);
    run_minutes(scenario, TOLERATION_MINUTES - 2);
    set_state(scenario, bad[1], MACHINE_NOT_READY);
    run_minutes(scenario, 5);
}

static void what_is_still_tolerated_does_not_count_LIF_452(void **state)
{
    struct scenario *scenario = *state;
    char bad[2][200];
    second_node_fails_later(scenario, bad);
    assert_false(runs(scenario, bad[0]));
    assert_true(runs(scenario, bad[1]));
}

static void upstream_counts_it_LIF_197(void **state)
{
    struct scenario *scenario = *state;
    char bad[2][200];
    scenario->settings.compatibility_upstream = true;
    second_node_fails_later(scenario, bad);
    assert_true(runs(scenario, bad[0]) && runs(scenario, bad[1]));
    assert_int_equal(blocked_events(scenario, "Node"), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(unhealthy_node_goes_by_force_after_its_toleration_LIF_196_198),
        TEST(silent_node_is_unhealthy_too_LIF_195),
        TEST(node_that_recovers_in_time_stays_LIF_196_199),
        TEST(nothing_is_repaired_without_the_gate_LIF_381),
        TEST(deadline_of_a_drain_under_way_is_brought_forward_LIF_198),
        TEST(repair_goes_on_in_a_new_process_LIF_198),
        TEST(node_that_recovers_too_late_goes_by_force_LIF_198),
        TEST(breaker_of_a_pool_stops_all_until_few_are_left_LIF_197_460),
        TEST(two_of_ten_may_be_unhealthy_LIF_197),
        TEST(breaker_of_the_cluster_sees_many_small_pools_LIF_452),
        TEST(upstream_looks_at_each_pool_alone_LIF_197),
        TEST(what_is_still_tolerated_does_not_count_LIF_452),
        TEST(upstream_counts_it_LIF_197),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
