// Static capacity (LIF-230 to LIF-234; gate StaticCapacity): NodePools with `replicas` nodes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(21);
    scenario->settings.gate_static_capacity = true;
    *state = scenario;
    return 0;
}

// The NodePool "fixed"; nodes 0: no limit. Another team is drift.
static void apply_team(struct scenario *scenario, const char *team, unsigned replicas,
                       unsigned nodes)
{
    char manifest[2000], limits[64] = "";
    if (nodes > 0)
        snprintf(limits, sizeof limits, "  limits: {nodes: '%u'}\n", nodes);
    snprintf(manifest, sizeof manifest,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: fixed}\n"
             "spec:\n  replicas: %u\n%s  template:\n    metadata: {labels: {team: %s}}\n    spec:\n"
             "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
             "      expireAfter: Never\n      requirements:\n"
             "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
             "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
             "      - {key: karpenter.kwok.sh/instance-cpu, operator: In, values: ['2']}\n"
             "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s}\n",
             replicas, limits, team);
    scenario_apply(scenario, manifest);
}

static void apply_fixed(struct scenario *scenario, unsigned replicas, unsigned nodes)
{
    apply_team(scenario, "fixed", replicas, nodes);
}

// --- readings ------------------------------------------------------------------------------------
struct tally {
    uint32_t alive, deleting, initialized;
    const char *label; // only Nodes and NodeClaims of this pool
};

static bool tally_claim(void *context, json_t *object)
{
    struct tally *tally = context;
    json_t *labels = store_path(object, "metadata.labels");
    if (!text_equal(json_string_value(json_object_get(labels, LABEL_NODE_POOL)), tally->label))
        return true;
    if (store_path(object, "metadata.deletionTimestamp") != NULL)
        tally->deleting++;
    else
        tally->alive++;
    tally->initialized += store_condition_is_true(object, CONDITION_INITIALIZED);
    return true;
}

static struct tally tally_of(struct scenario *scenario, const char *pool)
{
    struct tally tally = {.label = pool};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               tally_claim, &tally);
    return tally;
}

static bool has_expected_nodes(struct scenario *scenario)
{
    struct tally tally = tally_of(scenario, "fixed");
    return tally.alive == scenario->expected && tally.deleting == 0 &&
           tally.initialized == scenario->expected;
}

static double expect_nodes(struct scenario *scenario, double seconds, uint32_t nodes)
{
    scenario->expected = nodes;
    return scenario_until(scenario, seconds, "the expected static nodes", has_expected_nodes);
}

// Lets time pass; the NodeClaims, alive or altogether, never exceed the maxima.
static void run_within(struct scenario *scenario, double seconds, uint32_t alive, uint32_t all)
{
    for (double passed = 0; passed < seconds; passed += 0.1) {
        scenario_run(scenario, 0.1);
        struct tally tally = tally_of(scenario, "fixed");
        assert_true(tally.alive <= alive);
        assert_true(tally.alive + tally.deleting <= all);
    }
}

static bool add_name(void *context, json_t *object)
{
    text_join(context, " ", store_name(object));
    return true;
}

static char *names_of_claims(struct scenario *scenario)
{
    struct text names = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL, add_name,
               &names);
    return text_take(&names);
}

// --- provisioning --------------------------------------------------------------------------------
static bool check_body(void *context, json_t *claim)
{
    (void)context;
    assert_null(store_path(claim, "spec.resources"));
    size_t i;
    json_t *entry, *annotations = store_path(claim, "metadata.annotations");
    json_array_foreach (store_path(claim, "spec.requirements"), i, entry)
        assert_string_not_equal(json_string_value(json_object_get(entry, "key")),
                                LABEL_INSTANCE_TYPE);
    assert_non_null(json_object_get(annotations, ANNOTATION_NODE_POOL_HASH));
    assert_string_equal(
        json_string_value(json_object_get(store_path(claim, "metadata.labels"), "team")), "fixed");
    return true;
}

static void replicas_come_and_stay_LIF_230_232(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 5, 0);
    assert_true(expect_nodes(scenario, 60, 5) < 60);
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               check_body, NULL);
    char *before = names_of_claims(scenario);
    run_within(scenario, 180, 5, 5); // empty, and yet none is removed
    char *after = names_of_claims(scenario);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)), 5);
    const json_t *pool = store_get(
        store, store_resource_of_kind(store, "karpenter.sh/v1", "NodePool"), NULL, "fixed");
    assert_int_equal(json_integer_value(store_path(pool, "status.nodes")), 5);
}

static void without_the_gate_nothing_happens_LIF_381(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_static_capacity = false;
    scenario_begin(scenario);
    apply_fixed(scenario, 5, 0);
    run_within(scenario, 120, 0, 0);
}

static void limits_hold_also_while_nodes_go_LIF_232(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 5, 3);
    expect_nodes(scenario, 60, 3);
    struct error error = {0};
    char *names = names_of_claims(scenario);
    names[strcspn(names, " ")] = '\0';
    assert_true(simulation_delete(scenario->simulation, "karpenter.sh/v1", "NodeClaim", NULL, names,
                                  &error));
    free(names);
    run_within(scenario, 120, 3, 3);
    assert_true(has_expected_nodes(scenario));
    apply_fixed(scenario, 5, 10);
    expect_nodes(scenario, 90, 5);
}

static void raised_and_lowered_LIF_232_233(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 2, 0);
    expect_nodes(scenario, 60, 2);
    apply_fixed(scenario, 250, 0); // more than one round creates
    run_within(scenario, 2, 250, 250);
    expect_nodes(scenario, 120, 250);
    apply_fixed(scenario, 1, 0);
    expect_nodes(scenario, 120, 1);
    apply_fixed(scenario, 0, 0);
    expect_nodes(scenario, 120, 0);
    run_within(scenario, 120, 0, 0);
}

static void lowered_while_they_launch_LIF_233(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 20 * SECOND;
    scenario_begin(scenario);
    apply_fixed(scenario, 2, 0);
    expect_nodes(scenario, 120, 2);
    char *before = names_of_claims(scenario);
    apply_fixed(scenario, 6, 0);
    scenario_run(scenario, 3);
    apply_fixed(scenario, 2, 0); // the unlaunched ones go
    expect_nodes(scenario, 180, 2);
    char *after = names_of_claims(scenario);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void a_lost_machine_is_replaced_LIF_232(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 3, 0);
    expect_nodes(scenario, 60, 3);
    struct sim_instances *park = simulation_park(scenario->simulation);
    sim_instances_reclaim(park, sim_instances_at(park, 0)->facts.provider_id);
    scenario_run(scenario, 300); // until its absence is noticed
    expect_nodes(scenario, 120, 3);
    assert_int_equal(sim_instances_launches(park), 4);
}

static void out_of_stock_it_tries_ever_more_rarely_LIF_440(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    struct sim_instances *park = simulation_park(scenario->simulation);
    sim_instances_stock(park, NULL, NULL, NULL, 0);
    apply_fixed(scenario, 2, 0);
    run_within(scenario, 600, 2, 4);
    struct text metrics = {0};
    metrics_write(simulation_metrics(scenario->simulation), &metrics);
    const char *line =
        strstr(metrics.data, "karpenter_nodeclaims_created_total{reason=\"provisioned\","
                             "nodepool=\"fixed\",min_values_relaxed=\"false\"} ");
    assert_non_null(line);
    int created = atoi(strstr(line, "} ") + 2);
    assert_true(created >= 8 && created <= 40);
    text_free(&metrics);
    sim_instances_stock(park, NULL, NULL, NULL, -1);
    expect_nodes(scenario, 360, 2);
}

// --- deprovisioning ------------------------------------------------------------------------------
// One pod a node, of 2 cpu at most.
static void apply_pods(struct scenario *scenario, unsigned pods)
{
    char manifest[2000];
    snprintf(
        manifest, sizeof manifest,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: big, namespace: default}\n"
        "spec:\n  replicas: %u\n  selector: {matchLabels: {app: big}}\n  template:\n"
        "    metadata: {labels: {app: big}}\n    spec:\n      nodeSelector: {team: fixed}\n"
        "      affinity:\n        podAntiAffinity:\n"
        "          requiredDuringSchedulingIgnoredDuringExecution:\n"
        "          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: "
        "big}}}\n"
        "      containers:\n      - {name: c, image: pause, resources: {requests: {cpu: 100m}}}\n",
        pods);
    scenario_apply(scenario, manifest);
}

static bool two_pods_run(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 2;
}

static void empty_ones_go_first_LIF_233(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 6, 0);
    expect_nodes(scenario, 60, 6);
    apply_pods(scenario, 2);
    scenario_until(scenario, 60, "2 pods on static nodes", two_pods_run);
    assert_int_equal(tally_of(scenario, "default").alive, 0);
    apply_fixed(scenario, 2, 0);
    for (int i = 0; i < 600; i++) {
        scenario_run(scenario, 0.1);
        assert_int_equal(simulation_pods_running(scenario->simulation), 2);
    }
    scenario->expected = 2;
    assert_true(has_expected_nodes(scenario));
}

static bool six_pods_run(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 6;
}

static void pods_wait_for_static_nodes_that_launch_LIF_454(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 6, 0);
    scenario_scale(scenario, 6); // any pool would do
    scenario_until(scenario, 60, "6 pods on static nodes", six_pods_run);
    assert_int_equal(tally_of(scenario, "default").alive, 0);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)), 6);
}

static void pods_that_wait_get_no_static_node_LIF_230(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_fixed(scenario, 1, 0);
    expect_nodes(scenario, 60, 1);
    apply_pods(scenario, 3);
    run_within(scenario, 120, 1, 1);
    assert_int_equal(simulation_pods_running(scenario->simulation), 1);
}

// --- failures ------------------------------------------------------------------------------------
static void unreliable_api_never_too_many_LIF_458(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.api_faults = (struct sim_faults){.internal_error = 0.1,
                                                       .conflict = 0.1,
                                                       .lost_answer = 0.1,
                                                       .reset = 0.1,
                                                       .watch_dropped = 0.02,
                                                       .watch_stalled = 0.01};
    scenario_begin(scenario);
    apply_fixed(scenario, 20, 20);
    run_within(scenario, 240, 20, 20);
    struct sim_faults none = {0};
    simulation_set_api_faults(scenario->simulation, &none);
    expect_nodes(scenario, 180, 20);
    apply_fixed(scenario, 5, 20);
    expect_nodes(scenario, 180, 5);
}

static bool concerns(const struct kube_request *request)
{
    return (request->verb == KUBE_CREATE || request->verb == KUBE_DELETE) &&
           strstr(request->path, "nodeclaims") != NULL;
}

static bool life(uint32_t kill_at, bool after_effect)
{
    void *state = NULL;
    setup(&state);
    struct scenario *scenario = state;
    struct assassin assassin = {
        .concerns = concerns, .kill_at = kill_at, .after_effect = after_effect};
    scenario_hire(scenario, &assassin);
    scenario_begin(scenario);
    assassin.armed = true;
    apply_fixed(scenario, 4, 0);
    run_within(scenario, 30, 4, 4);
    expect_nodes(scenario, 120, 4);
    apply_fixed(scenario, 1, 0);
    expect_nodes(scenario, 120, 1);
    run_within(scenario, 20, 1, 1);
    scenario_teardown(&state);
    return assassin.pulled;
}

static void killed_at_every_create_and_delete_STO_18(void **state)
{
    (void)state;
    assert_true(scenario_lives(life, false, 50) >= 6); // 4 created, 3 deleted
    assert_true(scenario_lives(life, true, 50) >= 6);
}

struct roll {
    uint32_t alive, deleting; // NodeClaims of the new template
};

static bool count_rolled(void *context, json_t *claim)
{
    struct roll *roll = context;
    json_t *labels = store_path(claim, "metadata.labels");
    if (!text_equal(json_string_value(json_object_get(labels, "team")), "next"))
        return true;
    if (store_path(claim, "metadata.deletionTimestamp") != NULL)
        roll->deleting++;
    else
        roll->alive += store_condition_is_true(claim, CONDITION_INITIALIZED);
    return true;
}

// Four drifted nodes are replaced; the successor takes the commands over before it counts.
static bool roll_life(uint32_t kill_at, bool after_effect)
{
    void *state = NULL;
    setup(&state);
    struct scenario *scenario = state;
    struct assassin assassin = {
        .concerns = concerns, .kill_at = kill_at, .after_effect = after_effect};
    scenario_hire(scenario, &assassin);
    scenario_begin(scenario);
    apply_fixed(scenario, 4, 0);
    expect_nodes(scenario, 120, 4);
    assassin.armed = true;
    apply_team(scenario, "next", 4, 0);
    struct roll roll = {0};
    struct store *store = simulation_store(scenario->simulation);
    for (double passed = 0; passed < 300 && roll.alive < 4; passed += 0.1) {
        scenario_run(scenario, 0.1);
        roll = (struct roll){0};
        store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
                   count_rolled, &roll);
        assert_int_equal(roll.deleting, 0);
    }
    assert_int_equal(roll.alive, 4);
    expect_nodes(scenario, 120, 4);
    scenario_teardown(&state);
    return assassin.pulled;
}

static void killed_while_drifted_ones_are_replaced_DIS_724_LIF_233(void **state)
{
    (void)state;
    assert_true(scenario_lives(roll_life, false, 20) >= 8); // 4 created, 4 deleted
    assert_true(scenario_lives(roll_life, true, 20) >= 8);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(replicas_come_and_stay_LIF_230_232),
        TEST(without_the_gate_nothing_happens_LIF_381),
        TEST(limits_hold_also_while_nodes_go_LIF_232),
        TEST(raised_and_lowered_LIF_232_233),
        TEST(lowered_while_they_launch_LIF_233),
        TEST(a_lost_machine_is_replaced_LIF_232),
        TEST(out_of_stock_it_tries_ever_more_rarely_LIF_440),
        TEST(empty_ones_go_first_LIF_233),
        TEST(pods_wait_for_static_nodes_that_launch_LIF_454),
        TEST(pods_that_wait_get_no_static_node_LIF_230),
        TEST(unreliable_api_never_too_many_LIF_458),
        cmocka_unit_test(killed_at_every_create_and_delete_STO_18),
        cmocka_unit_test(killed_while_drifted_ones_are_replaced_DIS_724_LIF_233),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
