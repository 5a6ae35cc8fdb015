// Kubelets and node lifecycle: registration, heartbeats, starts and ends of pods, dead and
// unhealthy nodes.
#include "sim/world_helpers.h"

static bool has_taint(struct scene *scene, const char *node, const char *key, const char *effect)
{
    size_t index;
    json_t *taint;
    json_array_foreach (store_path(scene_get(scene, KIND_NODE, NULL, node), "spec.taints"), index,
                        taint) {
        if (text_equal(json_string_value(json_object_get(taint, "key")), key) &&
            text_equal(json_string_value(json_object_get(taint, "effect")), effect))
            return true;
    }
    return false;
}

static const char *ready_of(struct scene *scene, const char *node)
{
    return condition_status_of(scene_get(scene, KIND_NODE, NULL, node), "Ready");
}

static void a_machine_registers_and_becomes_ready(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    struct taint unregistered = {.key = "karpenter.sh/unregistered", .effect = "NoExecute"};
    struct machine_boot boot = scene_machine("a", "z1", 2, 8);
    boot.taints.items = &unregistered;
    boot.taints.count = 1;
    boot.boot_delay_ns = 10 * SECOND;
    boot.ready_delay_ns = 20 * SECOND;
    assert_true(world_machine_boots(scene.world, &boot));
    assert_false(world_machine_boots(scene.world, &boot)); // the id is known
    loop_run_for(scene.loop, 10 * SECOND - 1);
    assert_null(scene_get(&scene, KIND_NODE, NULL, "a"));
    scene_run(&scene, 1);
    assert_string_equal(scene_text(&scene, KIND_NODE, "a", "spec.providerID"), "sim:///a");
    assert_string_equal(scene_text(&scene, KIND_NODE, "a", "status.allocatable.memory"), "8Gi");
    assert_string_equal(ready_of(&scene, "a"), "False");
    assert_true(has_taint(&scene, "a", "karpenter.sh/unregistered", "NoExecute"));
    assert_true(has_taint(&scene, "a", "node.kubernetes.io/not-ready", "NoSchedule"));
    scene_run(&scene, 20);
    assert_string_equal(ready_of(&scene, "a"), "True");
    assert_false(has_taint(&scene, "a", "node.kubernetes.io/not-ready", "NoSchedule"));
    assert_false(has_taint(&scene, "a", "node.kubernetes.io/not-ready", "NoExecute"));
    assert_true(has_taint(&scene, "a", "karpenter.sh/unregistered", "NoExecute"));
    scene_close(&scene);
}

static void faults_of_machines(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    static const char *const names[] = {"never", "unready", "twice", "stillborn"};
    static const uint32_t faults[] = {MACHINE_NEVER_REGISTERS, MACHINE_NEVER_READY,
                                      MACHINE_REGISTERS_TWICE, 0};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct machine_boot boot = scene_machine(names[i], "z1", 2, 8);
        boot.faults = faults[i];
        assert_true(world_machine_boots(scene.world, &boot));
    }
    world_machine_gone(scene.world, "sim:///stillborn"); // before it could register
    scene_run(&scene, 300);
    assert_null(scene_get(&scene, KIND_NODE, NULL, "never"));
    assert_null(scene_get(&scene, KIND_NODE, NULL, "stillborn"));
    assert_string_equal(ready_of(&scene, "unready"), "False");
    assert_true(has_taint(&scene, "unready", "node.kubernetes.io/not-ready", "NoExecute"));
    assert_string_equal(ready_of(&scene, "twice"), "True");
    assert_string_equal(ready_of(&scene, "twice-again"), "True");
    assert_string_equal(scene_text(&scene, KIND_NODE, "twice-again", "spec.providerID"),
                        "sim:///twice");
    scene_close(&scene);
}

static void heartbeats_renew_the_lease(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 6);
    json_t *lease = scene_get(&scene, KIND_LEASE, "kube-node-lease", "a");
    assert_non_null(lease);
    CLEANUP_FREE char *first =
        memory_copy_string(json_string_value(store_path(lease, "spec.renewTime")));
    scene_run(&scene, 10);
    lease = scene_get(&scene, KIND_LEASE, "kube-node-lease", "a");
    assert_string_not_equal(json_string_value(store_path(lease, "spec.renewTime")), first);
    scene_remove(&scene, KIND_NODE, "a", NULL);
    scene_run(&scene, 30); // collected with its Node, which does not return
    assert_null(scene_get(&scene, KIND_LEASE, "kube-node-lease", "a"));
    assert_null(scene_get(&scene, KIND_NODE, NULL, "a"));
    scene_close(&scene);
}

static void add_pod_with(struct scene *scene, const char *name, const char *annotations,
                         const char *spec)
{
    scene_add(scene,
              "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': '%s', 'annotations': {%s}},"
              " 'spec': {'containers': [{'name': 'c', 'image': 'i'}]%s}}",
              name, annotations, spec);
}

static void pods_start_end_and_restart(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 15);
    add_pod_with(&scene, "slow", "'adze.dev/sim-start-seconds': '30'", "");
    add_pod_with(&scene, "once", "'adze.dev/sim-run-seconds': '20'", ", 'restartPolicy': 'Never'");
    add_pod_with(&scene, "fails", "'adze.dev/sim-run-seconds': '20', 'adze.dev/sim-exit-code': '3'",
                 ", 'restartPolicy': 'Never'");
    add_pod_with(&scene, "again", "'adze.dev/sim-run-seconds': '20'", "");
    scene_run(&scene, 5);
    assert_string_equal(scene_text(&scene, KIND_POD, "slow", "status.phase"), "Pending");
    assert_string_equal(scene_text(&scene, KIND_POD, "once", "status.phase"), "Running");
    json_t *pod = scene_get(&scene, KIND_POD, "default", "once");
    assert_string_equal(condition_status_of(pod, "Ready"), "True");
    assert_string_equal(condition_status_of(pod, "Initialized"), "True");
    scene_run(&scene, 30);
    assert_string_equal(scene_text(&scene, KIND_POD, "slow", "status.phase"), "Running");
    assert_string_equal(scene_text(&scene, KIND_POD, "once", "status.phase"), "Succeeded");
    assert_string_equal(scene_text(&scene, KIND_POD, "fails", "status.phase"), "Failed");
    assert_string_equal(scene_text(&scene, KIND_POD, "again", "status.phase"), "Running");
    pod = scene_get(&scene, KIND_POD, "default", "again");
    const json_t *status = json_array_get(store_path(pod, "status.containerStatuses"), 0);
    assert_int_equal(json_integer_value(json_object_get(status, "restartCount")), 1);
    scene_close(&scene);
}

// Termination of Pods: the containers take time, at most the grace period.
static void deleted_pods_end_within_their_grace(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 15);
    add_pod_with(&scene, "quick", "'adze.dev/sim-stop-seconds': '3'", "");
    add_pod_with(&scene, "stubborn", "'adze.dev/sim-stop-seconds': '500'",
                 ", 'terminationGracePeriodSeconds': 20");
    scene_run(&scene, 5);
    scene_remove(&scene, KIND_POD, "quick", NULL);
    scene_remove(&scene, KIND_POD, "stubborn", NULL);
    scene_run(&scene, 2);
    assert_non_null(scene_get(&scene, KIND_POD, "default", "quick"));
    scene_run(&scene, 2);
    assert_null(scene_get(&scene, KIND_POD, "default", "quick"));
    scene_run(&scene, 15);
    assert_non_null(scene_get(&scene, KIND_POD, "default", "stubborn"));
    scene_run(&scene, 2);
    assert_null(scene_get(&scene, KIND_POD, "default", "stubborn"));
    scene_close(&scene);
}

// Taint-based eviction: a pod leaves an unreachable node after its toleration's time, and its
// object goes with the Node.
static void unreachable_nodes_lose_their_pods_in_time(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 15);
    const char *toleration =
        ", 'tolerations': [{'key': 'node.kubernetes.io/unreachable', 'operator':"
        " 'Exists', 'effect': 'NoExecute', 'tolerationSeconds': 100},"
        " {'key': 'node.kubernetes.io/not-ready', 'operator': 'Exists',"
        " 'effect': 'NoExecute'}]";
    add_pod_with(&scene, "p", "", toleration);
    add_pod_with(&scene, "stays", "", ", 'tolerations': [{'operator': 'Exists'}]");
    scene_run(&scene, 5);
    world_machine_set_state(scene.world, "sim:///a", MACHINE_SILENT);
    scene_run(&scene, 70);
    assert_string_equal(ready_of(&scene, "a"), "Unknown");
    assert_true(has_taint(&scene, "a", "node.kubernetes.io/unreachable", "NoExecute"));
    json_t *pod = scene_get(&scene, KIND_POD, "default", "p");
    assert_string_equal(condition_status_of(pod, "Ready"), "False");
    assert_null(store_path(pod, "metadata.deletionTimestamp"));
    scene_run(&scene, 100);
    pod = scene_get(&scene, KIND_POD, "default", "p");
    assert_non_null(store_path(pod, "metadata.deletionTimestamp")); // but no kubelet stops it
    scene_run(&scene, 60);
    assert_non_null(scene_get(&scene, KIND_POD, "default", "p"));
    world_machine_set_state(scene.world, "sim:///a", MACHINE_HEALTHY);
    scene_run(&scene, 10);
    assert_string_equal(ready_of(&scene, "a"), "True");
    assert_null(scene_get(&scene, KIND_POD, "default", "p"));
    pod = scene_get(&scene, KIND_POD, "default", "stays");
    assert_string_equal(condition_status_of(pod, "Ready"), "True"); // reported again
    assert_false(has_taint(&scene, "a", "node.kubernetes.io/unreachable", "NoExecute"));
    scene_remove(&scene, KIND_NODE, "a", NULL); // pod garbage collection
    scene_run(&scene, 30);
    assert_null(scene_get(&scene, KIND_POD, "default", "stays"));
    scene_close(&scene);
}

static void cordon_becomes_a_taint(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 15);
    scene_patch(&scene, KIND_NODE, "a", "{'spec': {'unschedulable': true}}");
    scene_run(&scene, 1);
    assert_true(has_taint(&scene, "a", "node.kubernetes.io/unschedulable", "NoSchedule"));
    scene_patch(&scene, KIND_NODE, "a", "{'spec': {'unschedulable': null}}");
    scene_run(&scene, 1);
    assert_false(has_taint(&scene, "a", "node.kubernetes.io/unschedulable", "NoSchedule"));
    scene_close(&scene);
}

// An unhealthy node that reports it: not ready at once, pods without a toleration leave at once.
static void a_node_that_is_not_ready_is_tainted(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 15);
    world_machine_set_state(scene.world, "sim:///a", MACHINE_NOT_READY);
    scene_run(&scene, 1);
    assert_string_equal(ready_of(&scene, "a"), "False");
    assert_true(has_taint(&scene, "a", "node.kubernetes.io/not-ready", "NoExecute"));
    scene_close(&scene);
}

static void kwok_nodes_get_a_kubelet_too(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_add(&scene,
              "{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'k', 'annotations':"
              " {'kwok.x-k8s.io/node': 'fake'}}, 'status': {'allocatable': {'cpu': '8',"
              " 'memory': '8Gi', 'pods': '9'}}}");
    scene_run(&scene, 10);
    assert_string_equal(ready_of(&scene, "k"), "True");
    add_pod_with(&scene, "p", "", "");
    scene_run(&scene, 5);
    assert_string_equal(scene_text(&scene, KIND_POD, "p", "status.phase"), "Running");
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_registers_and_becomes_ready),
        cmocka_unit_test(faults_of_machines),
        cmocka_unit_test(heartbeats_renew_the_lease),
        cmocka_unit_test(pods_start_end_and_restart),
        cmocka_unit_test(deleted_pods_end_within_their_grace),
        cmocka_unit_test(unreachable_nodes_lose_their_pods_in_time),
        cmocka_unit_test(cordon_becomes_a_taint),
        cmocka_unit_test(a_node_that_is_not_ready_is_tainted),
        cmocka_unit_test(kwok_nodes_get_a_kubelet_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
