// The whole simulated cluster: from a manifest to running pods, through failures, twice the same.
#include "sim/world_helpers.h"

#include "base/hash.h"
#include "sim/store/store_watch.h"

static void boot_ten(struct scene *scene)
{
    for (int i = 0; i < 10; i++) {
        char name[20], zone[4];
        snprintf(name, sizeof name, "node-%d", i);
        snprintf(zone, sizeof zone, "z%d", i % 3);
        scene_boot(scene, name, zone, 16, 64);
    }
}

static void deployment_of_200_runs_and_empties(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    boot_ten(&scene);
    scene_deployment(&scene, "web", 200, "500m", "");
    scene_run(&scene, 60);
    struct world_counts counts = world_counts(scene.world);
    assert_int_equal(counts.nodes_ready, 10);
    assert_int_equal(counts.pods_running, 200);
    assert_int_equal(counts.pods_unassigned, 0);
    assert_int_equal(scene_int(&scene, KIND_DEPLOYMENT, "web", "status.availableReplicas"), 200);
    for (int i = 0; i < 10; i++) { // spread over nodes, and over zones of which one has a node more
        char name[20];
        snprintf(name, sizeof name, "node-%d", i);
        assert_in_range(scene_pods(&scene, NULL, NULL, name).total, 17, 23);
    }
    scene_patch(&scene, KIND_DEPLOYMENT, "web", "{'spec': {'replicas': 0}}");
    scene_run(&scene, 60);
    assert_int_equal(world_counts(scene.world).pods, 0);
    assert_int_equal(scene_int(&scene, KIND_DEPLOYMENT, "web", "status.replicas"), 0);
    scene_close(&scene);
}

// At every moment of a rolling update: at least the wanted ready pods less maxUnavailable, at most
// the wanted pods plus maxSurge (terminating pods aside), and the budget's numbers follow at once.
static void rolling_update_keeps_its_bounds(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    boot_ten(&scene);
    scene_deployment(&scene, "web", 40, "500m",
                     ", 'strategy': {'rollingUpdate': {'maxSurge': 5, 'maxUnavailable': '10%'}}");
    scene_add(&scene, "{'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata':"
                      " {'name': 'web'}, 'spec': {'maxUnavailable': '25%%',"
                      " 'selector': {'matchLabels': {'app': 'web'}}}}");
    scene_run(&scene, 60);
    assert_int_equal(scene_pods(&scene, "app", "web", NULL).ready, 40);
    scene_patch(&scene, KIND_DEPLOYMENT, "web",
                "{'spec': {'template': {'metadata': {'annotations': {'version': '2'}}}}}");
    for (int step = 0; step < 6000; step++) {
        loop_run_for(scene.loop, 20 * MILLISECOND);
        struct pod_count count = scene_pods(&scene, "app", "web", NULL);
        assert_in_range(count.ready, 36, 45);
        assert_true(count.total - count.deleting <= 45);
        assert_int_equal(
            scene_int(&scene, KIND_POD_DISRUPTION_BUDGET, "web", "status.currentHealthy"),
            count.ready);
        int64_t allowed = (int64_t)count.ready - 30;
        assert_int_equal(
            scene_int(&scene, KIND_POD_DISRUPTION_BUDGET, "web", "status.disruptionsAllowed"),
            allowed > 0 ? allowed : 0);
    }
    assert_int_equal(scene_int(&scene, KIND_DEPLOYMENT, "web", "status.updatedReplicas"), 40);
    struct pod_count count = scene_pods(&scene, "app", "web", NULL);
    assert_int_equal(count.total, 40);
    assert_int_equal(count.ready, 40);
    scene_close(&scene);
}

static void pods_of_a_dead_machine_are_made_anew(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    boot_ten(&scene);
    scene_deployment(&scene, "web", 50, "500m", "");
    scene_run(&scene, 60);
    uint32_t there = scene_pods(&scene, NULL, NULL, "node-3").total;
    assert_in_range(there, 4, 6);
    world_machine_gone(scene.world, "sim:///node-3");
    scene_run(&scene, 30);
    assert_int_equal(scene_pods(&scene, NULL, NULL, "node-3").total, there); // not noticed yet
    scene_run(&scene, 120);
    assert_null(scene_get(&scene, KIND_NODE, NULL, "node-3"));
    assert_null(scene_get(&scene, KIND_LEASE, "kube-node-lease", "node-3"));
    struct pod_count count = scene_pods(&scene, "app", "web", NULL);
    assert_int_equal(count.ready, 50);
    assert_int_equal(count.total, 50);
    scene_close(&scene);
}

static void log_change(void *context, const char *type, json_t *object)
{
    struct text *log = context;
    text_format(log, "%s %s %s/%s %s\n", type, json_string_value(json_object_get(object, "kind")),
                store_namespace(object), store_name(object),
                json_string_value(store_path(object, "metadata.resourceVersion")));
}

// A busy quarter of an hour: growth, an update, a dead node, a job. Returns the hash of all
// changes.
static uint64_t busy_run(void (*adjust)(struct world_options *options))
{
    struct scene scene = scene_open(adjust);
    struct text log = {0};
    struct store_watch *watches[64];
    uint32_t count, watched = 0;
    const struct store_resource *resources = store_resources(scene.store, &count);
    for (uint32_t i = 0; i < count && watched < ARRAY_LENGTH(watches); i++) {
        struct error error;
        watches[watched++] = store_watch_create(scene.store, &(struct store_target){&resources[i]},
                                                0, log_change, &log, &error);
    }
    boot_ten(&scene);
    scene_deployment(&scene, "web", 60, "1", "");
    scene_run(&scene, 60);
    scene_patch(&scene, KIND_DEPLOYMENT, "web",
                "{'spec': {'template': {'metadata': {'annotations': {'version': '2'}}}}}");
    scene_run(&scene, 20);
    world_machine_gone(scene.world, "sim:///node-1");
    scene_add(&scene,
              "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'sums'},"
              " 'spec': {'parallelism': 5, 'completions': 20, 'template': {'metadata':"
              " {'annotations': {'adze.dev/sim-run-seconds': '15'}}, 'spec':"
              " {'restartPolicy': 'Never', 'containers': [{'name': 'c', 'image': 'c'}]}}}}");
    scene_run(&scene, 800);
    assert_int_equal(scene_pods(&scene, "app", "web", NULL).ready, 60);
    assert_int_equal(scene_int(&scene, KIND_JOB, "sums", "status.succeeded"), 20);
    uint64_t hash = hash_fnv1a(log.data, log.length);
    text_free(&log);
    for (uint32_t i = 0; i < watched; i++)
        store_watch_destroy(watches[i]);
    scene_close(&scene);
    return hash;
}

static void seed_5(struct world_options *options)
{
    options->seed = 5;
    options->jitter = 0.5;
}

static void seed_6(struct world_options *options)
{
    options->seed = 6;
    options->jitter = 0.5;
}

static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    uint64_t first = busy_run(seed_5);
    assert_true(first == busy_run(seed_5));
    assert_true(first != busy_run(seed_6));
}

static void silent(struct world_options *options)
{
    options->heartbeats = HEARTBEATS_SILENT;
    options->events = false;
}

static void a_silent_world_notices_dead_machines_too(void **state)
{
    (void)state;
    struct scene scene = scene_open(silent);
    scene_boot(&scene, "a", "z", 4, 16);
    scene_boot(&scene, "b", "z", 4, 16);
    scene_deployment(&scene, "web", 4, "500m", "");
    scene_run(&scene, 60);
    assert_int_equal(store_count(scene.store, scene_resource(&scene, KIND_LEASE)), 0);
    world_machine_gone(scene.world, "sim:///b");
    scene_run(&scene, 120);
    assert_null(scene_get(&scene, KIND_NODE, NULL, "b"));
    assert_int_equal(scene_pods(&scene, NULL, NULL, "a").ready, 4);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deployment_of_200_runs_and_empties),
        cmocka_unit_test(rolling_update_keeps_its_bounds),
        cmocka_unit_test(pods_of_a_dead_machine_are_made_anew),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(a_silent_world_notices_dead_machines_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
