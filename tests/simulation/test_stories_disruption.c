// Stories of nodes that are replaced and removed: known failures of node autoscalers, reproduced in
// a simulated world, and the required behavior. tests/simulation/README.md has the list.
#include <stdio.h>
#include <string.h>

#include "simulation/story.h"

#define ANY_MACHINE "{key: kubernetes.io/os, operator: Exists}"

static int setup(void **state)
{
    *state = scenario_create(22);
    return 0;
}

// --- STO-1 ---------------------------------------------------------------------------------------
// Twins, one of which is a cent cheaper, but the move costs more.
static const struct story_type twins[] = {
    {"big", 16, 64, 0.80}, {"dear", 4, 16, 0.200}, {"cheap", 4, 16, 0.199}};

// A burst leaves two pods on a node of the more expensive twin.
static void leave_a_node_after_a_burst(struct scenario *scenario)
{
    story_catalog(scenario, twins, ARRAY_LENGTH(twins));
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 5 * MINUTE;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = ANY_MACHINE});
    sim_instances_stock(simulation_park(scenario->simulation), "cheap", NULL, NULL, 0);
    story_app(scenario, &(struct story_app){.name = "burst", .replicas = 9, .cpu = "1"});
    story_app(scenario, &(struct story_app){.name = "stays", .replicas = 2, .cpu = "1"});
    scenario_run(scenario, 400);
    scenario_expect_running(scenario, 11);
    story_app(scenario, &(struct story_app){.name = "burst", .replicas = 0, .cpu = "1"});
    scenario_run(scenario, 900);
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes(scenario), 1);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "dear"), 1);
    sim_instances_stock(simulation_park(scenario->simulation), "cheap", NULL, NULL, -1);
}

// The node was replaced by its twin for a cent, and the twin by the next, each time with an
// eviction.
static void node_is_not_replaced_by_its_twin_for_a_cent_STO_1(void **state)
{
    struct scenario *scenario = *state;
    leave_a_node_after_a_burst(scenario);
    uint64_t launches = story_launches(scenario);
    scenario_run(scenario, 2 * 3600);
    assert_int_equal(story_launches(scenario), launches);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "dear"), 1);
}

// Where any saving suffices, the move happens, but once for the pair.
static void node_is_replaced_by_its_twin_once_STO_1(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.consolidation_horizon = 0;
    leave_a_node_after_a_burst(scenario);
    uint64_t launches = story_launches(scenario);
    scenario_run(scenario, 2 * 3600);
    assert_int_equal(story_launches(scenario), launches + 1);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "cheap"), 1);
    scenario_expect_running(scenario, 2);
}

// Prices of the twins that swap each hour; returns the number of replacements of the node within
// twelve hours.
static uint64_t moves_of_half_a_day(struct scenario *scenario)
{
    static const struct story_type one[] = {{"dear", 4, 16, 0.20}, {"cheap", 4, 16, 0.10}};
    static const struct story_type other[] = {{"dear", 4, 16, 0.10}, {"cheap", 4, 16, 0.20}};
    story_catalog(scenario, one, ARRAY_LENGTH(one));
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = ANY_MACHINE});
    story_app(scenario, &(struct story_app){.name = "stays", .replicas = 2, .cpu = "1"});
    scenario_expect_running(scenario, 2);
    uint64_t launches = story_launches(scenario);
    for (int hour = 1; hour <= 12; hour++) {
        story_catalog(scenario, hour % 2 != 0 ? other : one, 2);
        sim_instances_set_catalog(simulation_park(scenario->simulation), scenario->options.catalog);
        scenario_run(scenario, 3600);
    }
    scenario_expect_running(scenario, 2);
    return story_launches(scenario) - launches;
}

// Each time the other was the cheaper one, all pods moved again.
static void the_loop_is_seen_and_told_STO_1(void **state)
{
    struct scenario *scenario = *state;
    assert_in_range(moves_of_half_a_day(scenario), 1, 2);
    assert_true(view_events(scenario, "NodePool", "ConsolidationLoop", NULL) >= 1);
}

static void upstream_goes_round_in_circles_STO_1(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    assert_in_range(moves_of_half_a_day(scenario), 10, 12);
}

// --- STO-2 ---------------------------------------------------------------------------------------
static const struct story_type sizes[] = {{"small", 4, 16, 0.20}, {"large", 8, 32, 0.35}};
static const char agent[] =
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: default}\n"
    "spec:\n  selector: {matchLabels: {app: agent}}\n  template:\n"
    "    metadata: {labels: {app: agent}}\n    spec:\n      tolerations: [{operator: Exists}]\n"
    "      containers:\n      - {name: c, image: i, resources: {requests: {cpu: 200m}}}\n";

struct young {
    int64_t since;
    struct text names;
};

static bool collect_young(void *context, json_t *pod)
{
    struct young *young = context;
    const json_t *container = json_array_get(store_path(pod, "spec.containers"), 0);
    if (text_equal(view_label(pod, "app"), "agent") &&
        text_equal(view_text(container, "resources.requests.cpu"), "200m") &&
        view_instant(pod, "metadata.creationTimestamp") > young->since)
        text_join(&young->names, " ", store_name(pod));
    return true;
}

// A webhook multiplies the requests of the DaemonSet's pods created after `since` by ten.
static void grow_young_daemons(struct scenario *scenario, int64_t since)
{
    struct young young = {.since = since};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, collect_young, &young);
    char *rest = young.names.data;
    for (char *name; (name = strsep(&rest, " ")) != NULL;)
        hand_patch(scenario, "v1", "Pod", "default", name, NULL,
                   "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]}");
    text_free(&young.names);
}

// Two nodes became one, on which the DaemonSet needed more than planned: one pod found no room, got
// its own node again, and the cycle restarted.
static void misfit_after_a_consolidation_does_not_repeat_it_STO_2(void **state)
{
    struct scenario *scenario = *state;
    story_catalog(scenario, sizes, ARRAY_LENGTH(sizes));
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = ANY_MACHINE});
    sim_instances_stock(simulation_park(scenario->simulation), "large", NULL, NULL, 0);
    scenario_apply(scenario, agent);
    scenario_run(scenario, 2);
    story_app(scenario, &(struct story_app){.name = "web", .replicas = 1, .cpu = "3"});
    story_app(scenario, &(struct story_app){.name = "shop", .replicas = 1, .cpu = "3"});
    scenario_expect_running(scenario, 2 + 2); // with the DaemonSet's
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "small"), 2);
    int64_t since = view_now(scenario);
    sim_instances_stock(simulation_park(scenario->simulation), "large", NULL, NULL, -1);
    bool merged = false;
    uint64_t launches = 0;
    for (int i = 0; i < 10 * 7200; i++) {
        grow_young_daemons(scenario, since);
        scenario_run(scenario, 0.1);
        merged = merged || story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "small") == 0;
        if (i == 10 * 900)
            launches = story_launches(scenario);
    }
    assert_true(merged);
    assert_int_equal(story_running_of(scenario, "web"), 1);
    assert_int_equal(story_running_of(scenario, "shop"), 1);
    print_message("%u launches\n", (unsigned)launches);
    assert_in_range(launches, 3, 6);
    assert_int_equal(story_launches(scenario), launches); // nothing more for the rest of two hours
}

// --- STO-4 ---------------------------------------------------------------------------------------
#define POOLS         20
#define NODES_OF_POOL 2

// One node for each pod.
static void apply_fleet(struct scenario *scenario)
{
    for (unsigned i = 0; i < POOLS; i++) {
        char pool[20], app[20], label[40], spec[300];
        snprintf(pool, sizeof pool, "pool-%02u", i);
        snprintf(app, sizeof app, "app-%02u", i);
        snprintf(label, sizeof label, "fleet: '%02u'", i);
        snprintf(spec, sizeof spec,
                 "nodeSelector: {fleet: '%02u'}, affinity: {podAntiAffinity: "
                 "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                 "kubernetes.io/hostname, labelSelector: {matchLabels: {app: %s}}}]}}, ",
                 i, app);
        story_pool(scenario, &(struct story_pool){
                                 .name = pool, .labels = label, .requirements = ANY_MACHINE});
        story_app(scenario,
                  &(struct story_app){
                      .name = app, .replicas = NODES_OF_POOL, .cpu = "500m", .spec = spec});
    }
}

static const struct story_type two_sizes[] = {{"small", 1, 4, 0.05}, {"large", 8, 32, 0.40}};

// Savings in the last of twenty pools were never found: each sweep timed out before it, and
// restarted at the front. Here 40 nodes for 300; a sweep takes no virtual time, so the age of the
// examination is bounded instead.
static void savings_of_the_last_pool_are_taken_STO_4(void **state)
{
    struct scenario *scenario = *state;
    story_catalog(scenario, two_sizes, ARRAY_LENGTH(two_sizes));
    scenario_begin(scenario);
    apply_fleet(scenario);
    story_app(scenario, &(struct story_app){.name = "filler",
                                            .replicas = 1,
                                            .cpu = "7",
                                            .spec = "nodeSelector: {fleet: '19'}, "});
    scenario_run(scenario, 60);
    scenario_expect_running(scenario, POOLS * NODES_OF_POOL + 1);
    scenario_run(scenario, 120);
    uint32_t before = story_nodes_labelled(scenario, "fleet", "19");
    int64_t price = sim_instances_price(simulation_park(scenario->simulation));
    story_app(scenario, &(struct story_app){.name = "filler", .replicas = 0, .cpu = "7"});
    scenario_run(scenario, 300); // DIS-715: each node is evaluated again within five minutes
    print_message("%u nodes, then %u\n", before, story_nodes_labelled(scenario, "fleet", "19"));
    assert_true(sim_instances_price(simulation_park(scenario->simulation)) < price);
    assert_int_equal(simulation_pods_running(scenario->simulation), POOLS * NODES_OF_POOL);
    double age = view_metric_sum(scenario, "adze_disruption_examination_age_seconds",
                                 "nodepool=\"pool-19\"");
    assert_in_range(age, 0, 2 * 310); // of two methods, five minutes each
}

// --- STO-10 --------------------------------------------------------------------------------------
// --- STO-11 --------------------------------------------------------------------------------------
// No node is disrupted in the first twenty minutes of an hour.
static const char window[] =
    "[{nodes: '0', schedule: '0 * * * *', duration: 20m}, {nodes: '100%'}]";

// A new image appeared, and all nodes were replaced at once in the middle of the day; services of
// two replicas lost both.
static void new_image_waits_for_its_window_and_leaves_one_replica_STO_11(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario); // at midnight
    story_pool(scenario, &(struct story_pool){.policy = "WhenEmpty",
                                              .after = "Never",
                                              .labels = "image: old",
                                              .budgets = window});
    static const char apart[] =
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: pair}}}]}}, ";
    story_app(scenario,
              &(struct story_app){.name = "pair", .replicas = 2, .cpu = "500m", .spec = apart});
    scenario_expect_running(scenario, 2);
    scenario_run(scenario, 60);
    uint64_t launches = story_launches(scenario);
    story_pool(scenario, &(struct story_pool){.policy = "WhenEmpty",
                                              .after = "Never",
                                              .labels = "image: new",
                                              .budgets = window});
    scenario_run(scenario, 15 * 60);
    assert_int_equal(story_launches(scenario), launches);
    assert_int_equal(story_nodes_labelled(scenario, "image", "new"), 0);
    while (view_now(scenario) % 3600 < 20 * 60 - 1)
        scenario_run(scenario, 1);
    assert_int_equal(story_launches(scenario), launches);
    for (int i = 0; i < 300 * 10; i++) {
        scenario_run(scenario, 0.1);
        assert_true(story_running_of(scenario, "pair") >= 1);
    }
    assert_int_equal(story_nodes_labelled(scenario, "image", "old"), 0);
    assert_int_equal(story_running_of(scenario, "pair"), 2);
}

// --- STO-12 --------------------------------------------------------------------------------------
static bool age_claim(void *context, json_t *claim)
{
    struct text *names = context;
    text_join(names, " ", store_name(claim));
    return true;
}

// A new version counted more fields into the hash of a NodePool: every node had drifted, and all
// were replaced on the day of the upgrade.
static void upgrade_of_the_controller_replaces_nothing_STO_12(void **state)
{
    static const char older[] = "metadata: {annotations: {karpenter.sh/nodepool-hash: '1234567', "
                                "karpenter.sh/nodepool-hash-version: v2}}";
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.labels = "image: old"});
    scenario_scale(scenario, 10);
    scenario_expect_running(scenario, 10);
    scenario_run(scenario, 120);
    simulation_kill_controller(scenario->simulation);
    struct text names = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, KARPENTER, "NodeClaim"), NULL, age_claim,
               &names);
    char *rest = names.data;
    for (char *name; (name = strsep(&rest, " ")) != NULL;)
        hand_patch(scenario, KARPENTER, "NodeClaim", NULL, name, NULL, older);
    text_free(&names);
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL, older);
    uint64_t launches = story_launches(scenario);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 600);
    assert_int_equal(story_launches(scenario), launches);
    const char *version = view_annotation(view_claim(scenario), ANNOTATION_NODE_POOL_HASH_VERSION);
    assert_string_equal(version, NODE_POOL_HASH_VERSION);
    assert_string_equal(
        view_annotation(view_claim(scenario), ANNOTATION_NODE_POOL_HASH),
        view_annotation(view_object(scenario, KARPENTER, "NodePool", NULL, "default"),
                        ANNOTATION_NODE_POOL_HASH));
    // Later changes are drift, as usual.
    story_pool(scenario, &(struct story_pool){.labels = "image: new"});
    scenario_run(scenario, 240);
    scenario_expect_running(scenario, 10);
    assert_int_equal(story_nodes_labelled(scenario, "image", "old"), 0);
}

// --- STO-19 --------------------------------------------------------------------------------------
static const struct story_type one_size[] = {{"large", 8, 32, 0.40}};

static void begin_with_one_size(struct scenario *scenario)
{
    story_catalog(scenario, one_size, 1);
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = ANY_MACHINE});
}

static void scale(struct scenario *scenario, const char *name, int64_t replicas)
{
    struct error error = {0};
    if (!simulation_scale(scenario->simulation, name, replicas, &error))
        fail_msg("%s", error.message);
}

struct place_sought {
    const char *app, *node, *pod;
};

static bool find_place(void *context, json_t *pod)
{
    struct place_sought *sought = context;
    if (text_equal(view_label(pod, "app"), sought->app)) {
        sought->node = view_text(pod, "spec.nodeName");
        sought->pod = store_name(pod);
    }
    return true;
}

static struct place_sought place_of(struct scenario *scenario, const char *app)
{
    struct place_sought sought = {app, NULL, NULL};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, find_place, &sought);
    return sought;
}

static char leaving[200];

static bool is_chosen(struct scenario *scenario)
{
    return view_has_taint(view_object(scenario, "v1", "Node", NULL, leaving),
                          "karpenter.sh/disrupted", "NoSchedule");
}

static bool is_kept(struct scenario *scenario)
{
    return !is_chosen(scenario);
}

// A pod was bound to a node that had just been chosen for removal, and was evicted a moment later.
static void chosen_nodes_get_no_pods_and_stay_for_those_that_need_them_STO_19(void **state)
{
    struct scenario *scenario = *state;
    begin_with_one_size(scenario);
    story_app(scenario, &(struct story_app){.name = "left", .replicas = 1, .cpu = "6"});
    story_app(scenario, &(struct story_app){.name = "right",
                                            .replicas = 1,
                                            .cpu = "5",
                                            .annotations = "karpenter.sh/do-not-disrupt: 'true'"});
    story_app(scenario, &(struct story_app){.name = "pad", .replicas = 1, .cpu = "2"});
    scenario_expect_running(scenario, 3);
    story_app(scenario, &(struct story_app){.name = "moves", .replicas = 1, .cpu = "1"});
    scenario_expect_running(scenario, 4);
    assert_int_equal(story_nodes(scenario), 2);
    snprintf(leaving, sizeof leaving, "%s", place_of(scenario, "moves").node);
    scale(scenario, "left", 0);
    scale(scenario, "pad", 0);
    scenario_until(scenario, 30, "the node to be chosen", is_chosen);
    uint64_t launches = story_launches(scenario);
    story_app(scenario, &(struct story_app){.name = "late", .replicas = 1, .cpu = "3"});
    scenario_run(scenario, 0.3);
    assert_false(is_chosen(scenario) && place_of(scenario, "late").node != NULL);
    scenario_until(scenario, 2, "the node to be kept", is_kept); // DIS-725
    scenario_run(scenario, 60);
    scenario_expect_running(scenario, 3);
    assert_string_equal(place_of(scenario, "late").node, leaving);
    assert_int_equal(story_launches(scenario), launches); // no machine was launched for it
}

static const char job[] =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: long, namespace: default}\n"
    "spec:\n  template:\n    metadata: {labels: {app: long}}\n    spec:\n"
    "      restartPolicy: Never\n      terminationGracePeriodSeconds: 0\n"
    "      containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]\n";

// A job that had run for hours was evicted, since its node was the older of two, and its work was
// lost, where a web server could have moved as well.
static void work_of_a_job_counts_STO_19(void **state)
{
    struct scenario *scenario = *state;
    begin_with_one_size(scenario);
    story_app(scenario, &(struct story_app){.name = "left", .replicas = 1, .cpu = "6500m"});
    scenario_apply(scenario, job);
    scenario_expect_running(scenario, 2);
    scenario_run(scenario, 60);
    story_app(scenario, &(struct story_app){.name = "right", .replicas = 1, .cpu = "6500m"});
    story_app(scenario, &(struct story_app){.name = "web", .replicas = 1, .cpu = "1"});
    scenario_expect_running(scenario, 4);
    assert_string_not_equal(place_of(scenario, "long").node, place_of(scenario, "web").node);
    scenario_run(scenario, 3 * 3600);
    char pod[200];
    snprintf(pod, sizeof pod, "%s", place_of(scenario, "long").pod);
    scale(scenario, "left", 0);
    scale(scenario, "right", 0);
    scenario_run(scenario, 120);
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes(scenario), 1);
    assert_string_equal(place_of(scenario, "long").pod, pod); // it runs on
}

// --- STO-21 --------------------------------------------------------------------------------------
struct zones {
    const char *names[8];
    uint32_t pods[8], count;
    struct scenario *scenario;
};

static bool count_zone(void *context, json_t *pod)
{
    struct zones *zones = context;
    const char *node = view_text(pod, "spec.nodeName");
    if (!text_equal(view_label(pod, "app"), "even") || node == NULL)
        return true;
    const json_t *object = view_object(zones->scenario, "v1", "Node", NULL, node);
    const char *zone = object != NULL ? view_label(object, LABEL_ZONE) : NULL;
    if (zone == NULL)
        return true;
    uint32_t i = 0;
    while (i < zones->count && strcmp(zones->names[i], zone) != 0)
        i++;
    if (i == zones->count && i < 8)
        zones->names[zones->count++] = zone;
    zones->pods[i]++;
    return true;
}

static uint32_t skew_of_even(struct scenario *scenario, uint32_t zones_wanted)
{
    struct zones zones = {.scenario = scenario};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, count_zone, &zones);
    uint32_t least = zones.count < zones_wanted ? 0 : UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < zones.count; i++) {
        least = zones.pods[i] < least ? zones.pods[i] : least;
        most = zones.pods[i] > most ? zones.pods[i] : most;
    }
    return most - least;
}

// Consolidation moved pods into the zone with the cheapest machines, until all replicas ran in one.
static void consolidation_keeps_the_spread_that_pods_ask_for_STO_21(void **state)
{
    static const char spread[] =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
        "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: even}}}], ";
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){0});
    story_app(scenario,
              &(struct story_app){.name = "even", .replicas = 8, .cpu = "1", .spec = spread});
    story_app(scenario, &(struct story_app){.name = "burst", .replicas = 40, .cpu = "1"});
    scenario_expect_running(scenario, 48);
    uint32_t before = story_nodes(scenario);
    assert_in_range(skew_of_even(scenario, 4), 0, 1);
    story_app(scenario, &(struct story_app){.name = "burst", .replicas = 0, .cpu = "1"});
    scenario_run(scenario, 600);
    scenario_expect_running(scenario, 8);
    print_message("%u nodes, then %u\n", before, story_nodes(scenario));
    assert_true(story_nodes(scenario) < before);
    assert_in_range(skew_of_even(scenario, 4), 0, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(node_is_not_replaced_by_its_twin_for_a_cent_STO_1),
        TEST(node_is_replaced_by_its_twin_once_STO_1),
        TEST(the_loop_is_seen_and_told_STO_1),
        TEST(upstream_goes_round_in_circles_STO_1),
        TEST(misfit_after_a_consolidation_does_not_repeat_it_STO_2),
        TEST(savings_of_the_last_pool_are_taken_STO_4),
        TEST(new_image_waits_for_its_window_and_leaves_one_replica_STO_11),
        TEST(upgrade_of_the_controller_replaces_nothing_STO_12),
        TEST(chosen_nodes_get_no_pods_and_stay_for_those_that_need_them_STO_19),
        TEST(work_of_a_job_counts_STO_19),
        TEST(consolidation_keeps_the_spread_that_pods_ask_for_STO_21),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
