// Stories of launching: known failures of node autoscalers, reproduced in a simulated world, and
// the required behavior. tests/simulation/README.md has the list.
#include <stdio.h>
#include <string.h>

#include "simulation/story.h"

static int setup(void **state)
{
    *state = scenario_create(21);
    return 0;
}

// --- STO-5 ---------------------------------------------------------------------------------------
static const char with_neighbours[] =
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: wave}}}]}, "
    "podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
    "podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: "
    "other}}}}]}}, ";

static bool has_machine(struct scenario *scenario)
{
    return sim_instances_count(simulation_park(scenario->simulation)) > 0;
}

// Thousands of pods with affinity arrived at once, and nothing was launched for a quarter of an
// hour, without any sign of progress. Here a tenth of the 13,000 pods, and a tenth of the pods that
// one pass plans.
static void first_machines_of_a_large_wave_come_at_once_STO_5(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.pass_pods_max = 250;
    scenario_begin(scenario);
    story_pool(scenario,
               &(struct story_pool){.requirements = "{key: karpenter.kwok.sh/instance-cpu, "
                                                    "operator: Lt, values: ['65']}"});
    story_app(scenario,
              &(struct story_app){
                  .name = "wave", .replicas = 1300, .cpu = "500m", .spec = with_neighbours});
    double first = scenario_until(scenario, 20, "a first machine", has_machine);
    print_message("the first machine came after %.1f s\n", first);
    assert_true(first <= 5);
    // Progress: the number of waiting pods, and the decisions about the others.
    double waiting = view_metric_sum(scenario, "karpenter_scheduler_queue_depth", "");
    double created = view_metric_sum(scenario, "karpenter_nodeclaims_created_total", "");
    print_message("%.0f pods waited, %.0f NodeClaims were there\n", waiting, created);
    assert_true(created > 0);
    scenario_expect_running(scenario, 1300);
    assert_true(view_metric_sum(scenario, "karpenter_nodeclaims_created_total", "") ==
                (double)story_launches(scenario));
    assert_true(view_metric_sum(scenario, "karpenter_scheduler_queue_depth", "") == 0);
    // The passes, of 250 pods each, leave room on their last nodes; pods bound by the scheduler's
    // scores fill it before the last machines exist, which are empty then and are removed.
    assert_in_range(story_launches(scenario), story_nodes(scenario), story_nodes(scenario) + 4);
}

// --- STO-14 --------------------------------------------------------------------------------------
static const char agent[] =
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: default}\n"
    "spec:\n  selector: {matchLabels: {app: agent}}\n  template:\n"
    "    metadata: {labels: {app: agent}}\n    spec:\n      tolerations: [{operator: Exists}]\n"
    "      containers:\n      - {name: c, image: i, resources: {requests: {cpu: 200m}}}\n";

struct grown {
    char names[40][100];
    uint32_t count;
};

static bool collect_small(void *context, json_t *pod)
{
    struct grown *grown = context;
    const json_t *container = json_array_get(store_path(pod, "spec.containers"), 0);
    if (text_equal(view_label(pod, "app"), "agent") &&
        text_equal(view_text(container, "resources.requests.cpu"), "200m") && grown->count < 40)
        snprintf(grown->names[grown->count++], 100, "%s", store_name(pod));
    return true;
}

// A pod autoscaler gives each of the DaemonSet's pods more than its template requests.
static void grow_daemons(struct scenario *scenario)
{
    struct grown grown = {.count = 0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, collect_small, &grown);
    for (uint32_t i = 0; i < grown.count; i++)
        hand_patch(scenario, "v1", "Pod", "default", grown.names[i], NULL,
                   "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]}");
}

static void run_with_growing_daemons(struct scenario *scenario, int seconds)
{
    for (int i = 0; i < 10 * seconds; i++) {
        grow_daemons(scenario);
        scenario_run(scenario, 0.1);
    }
}

// A machine of 16 cpu seemed large enough for a pod of 15, but its DaemonSets left less: the pod
// stayed pending, the next machine was of the same size, and so on forever.
static void second_machine_is_larger_when_daemons_need_more_STO_14(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    story_pool(scenario,
               &(struct story_pool){.policy = "WhenEmpty",
                                    .after = "30s",
                                    .requirements = "{key: karpenter.kwok.sh/instance-cpu, "
                                                    "operator: Lt, values: ['33']}"});
    scenario_apply(scenario, agent);
    scenario_run(scenario, 2);
    story_app(scenario, &(struct story_app){.name = "large", .replicas = 1, .cpu = "15"});
    run_with_growing_daemons(scenario, 240);
    assert_int_equal(story_running_of(scenario, "large"), 1);
    assert_int_equal(story_launches(scenario), 2); // the second attempt was the last
    assert_int_equal(story_nodes(scenario), 1);    // and the first machine is gone
    assert_int_equal(story_nodes_labelled(scenario, "karpenter.kwok.sh/instance-cpu", "32"), 1);
    assert_true(view_events(scenario, "DaemonSet", "DaemonSetRequestsMismatch", "cpu") >= 1);
}

// --- STO-15 --------------------------------------------------------------------------------------
static const struct story_type estimated[] = {{"large", 8, 32, 0.40}, {"small", 4, 16, 0.20}};

struct truth { // true sizes of machines of the type "small"
    int64_t memory;
    struct resource_quantity capacity[8], allocatable[8];
};

static struct resource_map with_memory(const struct resource_map *map, int64_t memory,
                                       struct resource_quantity *items)
{
    struct resource_map out = {.items = items};
    for (uint32_t i = 0; i < map->count && i < 8; i++) {
        items[out.count] = map->items[i];
        if (text_equal(map->items[i].name, "memory"))
            items[out.count].value = memory;
        out.count++;
    }
    return out;
}

static void boot_in_truth(void *context, const struct sim_instance *machine,
                          struct machine_boot *boot)
{
    struct truth *truth = context;
    if (strcmp(machine->instance_type, "small") != 0)
        return;
    boot->capacity = with_memory(&boot->capacity, truth->memory, truth->capacity);
    boot->allocatable = with_memory(&boot->allocatable, truth->memory, truth->allocatable);
}

static void begin_with_truth(struct scenario *scenario, struct truth *truth)
{
    story_catalog(scenario, estimated, ARRAY_LENGTH(estimated));
    scenario->options.boot_shape = boot_in_truth;
    scenario->options.fault_context = truth;
    scenario_begin(scenario);
    story_pool(scenario,
               &(struct story_pool){.policy = "WhenEmpty",
                                    .after = "30s",
                                    .requirements = "{key: kubernetes.io/os, operator: Exists}"});
}

static void add_pod_of(struct scenario *scenario, const char *name, const char *memory)
{
    story_app(scenario,
              &(struct story_app){.name = name, .replicas = 1, .cpu = "3", .memory = memory});
}

// Machines had more memory than estimated by a flat share, and pods that would have fit got
// machines of twice the price, again after each restart.
static void true_memory_is_used_once_seen_STO_15(void **state)
{
    struct scenario *scenario = *state;
    struct truth truth = {.memory = INT64_C(18) << 30};
    begin_with_truth(scenario, &truth);
    add_pod_of(scenario, "first", "1Gi");
    scenario_expect_running(scenario, 1);
    add_pod_of(scenario, "second", "17Gi");
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "small"), 2);
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    add_pod_of(scenario, "third", "17Gi");
    scenario_expect_running(scenario, 3);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "small"), 3);
    assert_int_equal(story_launches(scenario), 3);
}

static void upstream_goes_on_estimating_STO_15(void **state)
{
    struct scenario *scenario = *state;
    struct truth truth = {.memory = INT64_C(18) << 30};
    scenario->settings.compatibility_upstream = true;
    begin_with_truth(scenario, &truth);
    add_pod_of(scenario, "first", "1Gi");
    scenario_expect_running(scenario, 1);
    add_pod_of(scenario, "second", "17Gi");
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "large"), 1);
}

// The reverse: machines with less than estimated were launched again and again for a pod that did
// not fit on them.
static void machines_that_are_too_small_are_not_launched_again_STO_14(void **state)
{
    struct scenario *scenario = *state;
    struct truth truth = {.memory = INT64_C(15) << 30};
    begin_with_truth(scenario, &truth);
    add_pod_of(scenario, "first", "15500Mi");
    scenario_run(scenario, 180);
    scenario_expect_running(scenario, 1);
    assert_int_equal(story_launches(scenario), 2);
    assert_int_equal(story_nodes(scenario), 1);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "large"), 1);
}

// --- STO-22 --------------------------------------------------------------------------------------
#define ATTACHABLE 2

struct fresh_nodes {
    char names[40][100];
    uint32_t count;
    struct scenario *scenario;
};

static bool collect_without_driver(void *context, json_t *node)
{
    struct fresh_nodes *fresh = context;
    if (view_object(fresh->scenario, "storage.k8s.io/v1", "CSINode", NULL, store_name(node)) ==
            NULL &&
        fresh->count < 40)
        snprintf(fresh->names[fresh->count++], 100, "%s", store_name(node));
    return true;
}

// The driver of the volumes reports its limit on each new node.
static void register_drivers(struct scenario *scenario)
{
    struct fresh_nodes fresh = {.scenario = scenario};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, collect_without_driver,
               &fresh);
    for (uint32_t i = 0; i < fresh.count; i++) {
        char manifest[500];
        snprintf(manifest, sizeof manifest,
                 "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: %s}\n"
                 "spec: {drivers: [{name: disks.example.com, nodeID: %s, topologyKeys: [], "
                 "allocatable: {count: %d}}]}\n",
                 fresh.names[i], fresh.names[i], ATTACHABLE);
        scenario_apply(scenario, manifest);
    }
}

static void run_with_driver(struct scenario *scenario, int seconds)
{
    for (int i = 0; i < 10 * seconds; i++) {
        register_drivers(scenario);
        scenario_run(scenario, 0.1);
    }
}

static void apply_disks(struct scenario *scenario, const char *name, unsigned replicas)
{
    char manifest[1500];
    snprintf(manifest, sizeof manifest,
             "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: %s, namespace: default}\n"
             "spec:\n  replicas: %u\n  serviceName: %s\n  podManagementPolicy: Parallel\n"
             "  selector: {matchLabels: {app: %s}}\n"
             "  template:\n    metadata: {labels: {app: %s}}\n    spec:\n"
             "      terminationGracePeriodSeconds: 0\n      containers:\n"
             "      - {name: c, image: i, resources: {requests: {cpu: 100m}}}\n"
             "  volumeClaimTemplates:\n  - metadata: {name: data}\n"
             "    spec: {accessModes: [ReadWriteOnce], storageClassName: disks, "
             "resources: {requests: {storage: 1Gi}}}\n",
             name, replicas, name, name, name);
    scenario_apply(scenario, manifest);
}

// Nodes attach two volumes each. Pods on their way to a node did not count yet, so that five went
// to one, and all but two waited there until they failed.
static void volumes_of_pods_on_their_way_count_STO_22(void **state)
{
    static const struct story_type one_type = {"small", 4, 16, 0.20};
    struct scenario *scenario = *state;
    story_catalog(scenario, &one_type, 1);
    scenario_begin(scenario);
    story_pool(scenario,
               &(struct story_pool){.requirements = "{key: kubernetes.io/os, operator: Exists}"});
    scenario_apply(scenario,
                   "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: disks}\n"
                   "provisioner: disks.example.com\nvolumeBindingMode: WaitForFirstConsumer\n");
    apply_disks(scenario, "first", 1); // the node's limit is known from the first one
    run_with_driver(scenario, 30);
    assert_int_equal(simulation_pods_running(scenario->simulation), 1);
    apply_disks(scenario, "db", 5);
    run_with_driver(scenario, 16); // of which a boot takes five
    assert_int_equal(story_running_of(scenario, "db"), 5);
    assert_int_equal(story_nodes(scenario), 3); // six volumes
    assert_int_equal(story_launches(scenario), 3);
}

// --- STO-26 --------------------------------------------------------------------------------------
// Twelve replicas with preferred anti-affinity over `key`; returns the number of their nodes, which
// must not change any more.
static uint32_t nodes_of_shy_replicas(struct scenario *scenario, const char *key)
{
    char spec[400];
    snprintf(spec, sizeof spec,
             "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
             "[{weight: 100, podAffinityTerm: {topologyKey: %s, labelSelector: {matchLabels: {app: "
             "shy}}}}]}}, ",
             key);
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){0});
    story_app(scenario,
              &(struct story_app){.name = "shy", .replicas = 12, .cpu = "500m", .spec = spec});
    scenario_expect_running(scenario, 12);
    uint32_t nodes = story_nodes(scenario);
    uint64_t launches = story_launches(scenario);
    assert_int_equal(launches, nodes);
    scenario_run(scenario, 1200);
    assert_int_equal(story_launches(scenario), launches); // nor is any pod moved back and forth
    assert_int_equal(story_nodes(scenario), nodes);
    scenario_expect_running(scenario, 12);
    return nodes;
}

// Replicas prefer separate zones, with more replicas than zones: each without a free zone got a
// machine all the same, and consolidation moved them together, and apart again.
static void preference_that_cannot_hold_buys_nothing_STO_26(void **state)
{
    assert_in_range(nodes_of_shy_replicas(*state, LABEL_ZONE), 1, 4); // one a zone
}

// Where preferences must not cost anything, they don't.
static void preference_that_is_worth_nothing_buys_nothing_STO_26(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.preference_policy_ignore = true;
    assert_int_equal(nodes_of_shy_replicas(scenario, LABEL_HOSTNAME), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(first_machines_of_a_large_wave_come_at_once_STO_5),
        TEST(second_machine_is_larger_when_daemons_need_more_STO_14),
        TEST(machines_that_are_too_small_are_not_launched_again_STO_14),
        TEST(true_memory_is_used_once_seen_STO_15),
        TEST(upstream_goes_on_estimating_STO_15),
        TEST(volumes_of_pods_on_their_way_count_STO_22),
        TEST(preference_that_cannot_hold_buys_nothing_STO_26),
        TEST(preference_that_is_worth_nothing_buys_nothing_STO_26),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
