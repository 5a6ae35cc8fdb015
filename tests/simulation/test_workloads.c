// Guarantees of voluntary disruption for workloads over time: one ready replica through a drain
// (DIS-761, STO-11), rest for nodes with constant pod churn (DIS-719), and replacements before
// nodes expire (DIS-762).
#include <stdio.h>
#include <string.h>

#include "sim/store/store_patch.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(11);
    return 0;
}

static const struct store_resource *claims(struct scenario *scenario)
{
    return store_resource_of_kind(simulation_store(scenario->simulation), "karpenter.sh/v1",
                                  "NodeClaim");
}

static bool take_name(void *context, json_t *object)
{
    snprintf(context, 300, "%s", store_name(object));
    return false;
}

// Of the only NodeClaim.
static const char *claim_name(struct scenario *scenario)
{
    static char name[300];
    name[0] = '\0';
    store_each(simulation_store(scenario->simulation), claims(scenario), NULL, take_name, name);
    return name;
}

static json_t *claim(struct scenario *scenario)
{
    return store_get(simulation_store(scenario->simulation), claims(scenario), NULL,
                     claim_name(scenario));
}

// --- DIS-761 -------------------------------------------------------------------------------------

// The effects of a disruption command on a node before its end.
static void disrupt_claim(struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    struct error error = {0};
    json_t *conditions = json_deep_copy(store_path(claim(scenario), "status.conditions"));
    json_array_append_new(conditions,
                          json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "DisruptionReason",
                                    "status", "True", "reason", "Drifted", "message", "Drifted",
                                    "lastTransitionTime", "2026-01-01T00:00:00Z"));
    json_t *patch = json_pack("{s:{s:o}}", "status", "conditions", conditions);
    assert_non_null(store_patch(
        store, &(struct store_target){claims(scenario), NULL, claim_name(scenario), "status"},
        "merge", patch, &error));
    json_decref(patch);
    assert_true(simulation_delete(scenario->simulation, "karpenter.sh/v1", "NodeClaim", NULL,
                                  claim_name(scenario), &error));
}

// The minimum of running pods while two replicas left their node.
static uint32_t least_running(struct scenario *scenario, bool voluntary)
{
    scenario_begin(scenario);
    scenario_scale(scenario, 2);
    scenario_expect_running(scenario, 2);
    char first[300];
    snprintf(first, sizeof first, "%s", claim_name(scenario));
    struct error error = {0};
    if (voluntary)
        disrupt_claim(scenario);
    else
        assert_true(simulation_delete(scenario->simulation, "karpenter.sh/v1", "NodeClaim", NULL,
                                      first, &error));
    uint32_t least = 2;
    for (int i = 0; i < 1200; i++) {
        scenario_run(scenario, 0.1);
        uint32_t running = simulation_pods_running(scenario->simulation);
        least = running < least ? running : least;
    }
    scenario_expect_running(scenario, 2);
    assert_string_not_equal(claim_name(scenario), first);
    return least;
}

static void a_drain_keeps_the_last_ready_replica_DIS_761(void **state)
{
    assert_int_equal(least_running(*state, true), 1);
}

static void a_forced_drain_keeps_nobody_DIS_761(void **state)
{
    assert_int_equal(least_running(*state, false), 0);
}

static void without_the_guard_both_go_at_once_DIS_761(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.workload_guard = false;
    assert_int_equal(least_running(scenario, true), 0);
}

static void apply_budget(struct scenario *scenario, const char *unavailable)
{
    char manifest[400];
    struct error error = {0};
    (void)!simulation_delete(scenario->simulation, "policy/v1", "PodDisruptionBudget", "default",
                             "guard", &error);
    snprintf(
        manifest, sizeof manifest,
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: guard, namespace: "
        "default}, spec: {selector: {matchLabels: {app: inflate}}, maxUnavailable: %s}}",
        unavailable);
    scenario_apply(scenario, manifest);
}

static bool take_names(void *context, json_t *pod)
{
    char(*names)[300] = context;
    uint32_t i = names[0][0] == '\0' ? 0 : names[1][0] == '\0' ? 1 : 2;
    snprintf(names[i], sizeof names[i], "%s", store_name(pod));
    return true;
}

static void delete_two_pods(struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    char names[3][300] = {0};
    struct error error = {0};
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, take_names, names);
    for (int i = 0; i < 2; i++)
        assert_true(
            simulation_delete(scenario->simulation, "v1", "Pod", "default", names[i], &error));
}

// An eviction that a budget has refused does not count as one.
static void the_last_ready_replica_stays_when_a_budget_gives_way_DIS_761(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 3);
    scenario_expect_running(scenario, 3);
    apply_budget(scenario, "0");
    scenario_run(scenario, 5);
    disrupt_claim(scenario);
    scenario_run(scenario, 30);
    assert_int_equal(simulation_pods_running(scenario->simulation), 3);
    delete_two_pods(scenario); // replacements come, but not at once
    apply_budget(scenario, "100%");
    for (int i = 0; i < 1200; i++) {
        scenario_run(scenario, 0.1);
        assert_in_range(simulation_pods_running(scenario->simulation), 1, 3);
    }
    scenario_expect_running(scenario, 3);
}

// --- DIS-719 -------------------------------------------------------------------------------------

static void add_pod_to_node(struct scenario *scenario, const char *name)
{
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default}\n"
             "spec:\n  nodeName: %s\n  terminationGracePeriodSeconds: 0\n"
             "  containers: [{name: c, image: i}]\n",
             name, json_string_value(store_path(claim(scenario), "status.nodeName")));
    scenario_apply(scenario, manifest);
}

// A pod comes to the node and leaves, for `minutes`; each stays for 20 seconds of a minute. True if
// the node was consolidatable in the last of them.
static bool is_consolidatable_after(struct scenario *scenario, int minutes)
{
    struct error error = {0};
    bool was = false;
    for (int i = 0; i < minutes; i++) {
        add_pod_to_node(scenario, "tick");
        scenario_run(scenario, 20);
        assert_true(
            simulation_delete(scenario->simulation, "v1", "Pod", "default", "tick", &error));
        scenario_run(scenario, 38);
        was = store_condition_is_true(claim(scenario), CONDITION_CONSOLIDATABLE);
        scenario_run(scenario, 2);
    }
    return was;
}

static void begin_restless(struct scenario *scenario)
{
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 2m}\n");
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
}

static void a_restless_node_is_quiet_when_its_pods_are_DIS_719(void **state)
{
    struct scenario *scenario = *state;
    begin_restless(scenario);
    assert_false(is_consolidatable_after(scenario, 19)); // less than ten times consolidateAfter
    assert_non_null(store_path(claim(scenario), "metadata.annotations"));
    assert_true(is_consolidatable_after(scenario, 3));
    add_pod_to_node(scenario, "late"); // and would move
    scenario_run(scenario, 30);
    assert_false(store_condition_is_true(claim(scenario), CONDITION_CONSOLIDATABLE));
    scenario_run(scenario, 150); // at rest
    assert_true(store_condition_is_true(claim(scenario), CONDITION_CONSOLIDATABLE));
    assert_null(json_object_get(store_path(claim(scenario), "metadata.annotations"),
                                "adze.dev/restless-since"));
    assert_false(is_consolidatable_after(scenario, 3)); // its wait restarts
}

static void a_restart_does_not_begin_anew_DIS_719(void **state)
{
    struct scenario *scenario = *state;
    begin_restless(scenario);
    assert_false(is_consolidatable_after(scenario, 12));
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    assert_true(is_consolidatable_after(scenario, 10));
}

static void the_setting_restores_the_rest_of_the_node_DIS_719(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.quiet_by_node = true;
    begin_restless(scenario);
    assert_false(is_consolidatable_after(scenario, 30));
}

// --- DIS-762, STO-10 -----------------------------------------------------------------------------

struct fleet {
    char oldest[32];
    uint32_t count, of_first; // NodeClaims, and those of the first scale-up
};

static bool count_claim(void *context, json_t *object)
{
    struct fleet *fleet = context;
    const char *created = json_string_value(store_path(object, "metadata.creationTimestamp"));
    fleet->count++;
    fleet->of_first += strcmp(created, fleet->oldest) <= 0;
    return true;
}

static bool take_youngest(void *context, json_t *object)
{
    struct fleet *fleet = context;
    const char *created = json_string_value(store_path(object, "metadata.creationTimestamp"));
    if (strcmp(created, fleet->oldest) > 0)
        snprintf(fleet->oldest, sizeof fleet->oldest, "%s", created);
    return true;
}

static void look_at_fleet(struct scenario *scenario, struct fleet *fleet)
{
    fleet->count = fleet->of_first = 0;
    store_each(simulation_store(scenario->simulation), claims(scenario), NULL, count_claim, fleet);
}

// Six nodes of two pods, all created within seconds, under a budget of two. Returns the minimum of
// running pods in the last quarter of their lives; *left gets the nodes that reached the deadline.
static uint32_t live_to_the_end(struct scenario *scenario, uint32_t *left)
{
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: 200m\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['5']}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: Never, "
        "budgets: [{nodes: '2'}]}\n");
    scenario_scale(scenario, 18);
    scenario_expect_running(scenario, 18);
    struct fleet fleet = {0};
    store_each(simulation_store(scenario->simulation), claims(scenario), NULL, take_youngest,
               &fleet);
    look_at_fleet(scenario, &fleet);
    assert_true(fleet.of_first >= 6);
    scenario_run(scenario, 175 * 60);
    look_at_fleet(scenario, &fleet);
    assert_true(fleet.of_first == fleet.count && fleet.count >= 6); // none is deleted too early
    uint32_t least = 18;
    for (int i = 0; i < (25 * 60 - 15) * 2; i++) {
        scenario_run(scenario, 0.5);
        uint32_t running = simulation_pods_running(scenario->simulation);
        least = running < least ? running : least;
    }
    look_at_fleet(scenario, &fleet);
    *left = fleet.of_first;
    for (int i = 0; i < 4 * 60 * 2; i++) {
        scenario_run(scenario, 0.5);
        uint32_t running = simulation_pods_running(scenario->simulation);
        least = running < least ? running : least;
    }
    look_at_fleet(scenario, &fleet);
    assert_int_equal(fleet.of_first, 0); // the deadline holds
    scenario_expect_running(scenario, 18);
    return least;
}

static void nodes_of_one_scale_up_are_replaced_before_they_expire_DIS_762_LIF_451_STO_10(
    void **state)
{
    uint32_t left, least = live_to_the_end(*state, &left);
    print_message("at least %u of 18 pods ran\n", least);
    assert_int_equal(left, 0);
    assert_true(least >= 9);
}

static void upstream_lets_them_expire_together_DIS_762(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    scenario->settings.workload_guard = false;
    uint32_t left, least = live_to_the_end(scenario, &left);
    assert_true(left >= 6);
    assert_int_equal(least, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_drain_keeps_the_last_ready_replica_DIS_761),
        TEST(the_last_ready_replica_stays_when_a_budget_gives_way_DIS_761),
        TEST(a_forced_drain_keeps_nobody_DIS_761),
        TEST(without_the_guard_both_go_at_once_DIS_761),
        TEST(a_restless_node_is_quiet_when_its_pods_are_DIS_719),
        TEST(a_restart_does_not_begin_anew_DIS_719),
        TEST(nodes_of_one_scale_up_are_replaced_before_they_expire_DIS_762_LIF_451_STO_10),
        TEST(upstream_lets_them_expire_together_DIS_762),
        TEST(the_setting_restores_the_rest_of_the_node_DIS_719),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
