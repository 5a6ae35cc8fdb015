// Workload controllers, each behavior by the name of the Kubernetes concept.
#include "sim/world_helpers.h"

static struct scene open_with_nodes(int nodes)
{
    struct scene scene = scene_open(NULL);
    for (int i = 0; i < nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        scene_boot(&scene, name, "z", 8, 32);
    }
    scene_run(&scene, 15);
    return scene;
}

struct replica_sets {
    uint32_t count, empty;
};

static bool count_set(void *context, json_t *set)
{
    struct replica_sets *sets = context;
    sets->count++;
    sets->empty += json_integer_value(store_path(set, "spec.replicas")) == 0;
    return true;
}

static struct replica_sets count_sets(struct scene *scene)
{
    struct replica_sets sets = {0};
    store_each(scene->store, scene_resource(scene, KIND_REPLICA_SET), NULL, count_set, &sets);
    return sets;
}

static void new_template(struct scene *scene, enum kind_id id, const char *name, int version)
{
    scene_patch(scene, id, name,
                "{'spec': {'template': {'metadata': {'annotations': {'version': '%d'}}}}}",
                version);
}

static void deployment_keeps_revisions_and_rolls_back(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(2);
    scene_deployment(&scene, "web", 4, "100m", ", 'revisionHistoryLimit': 1");
    scene_run(&scene, 10);
    const char *path = "metadata.annotations";
    json_t *deployment = scene_get(&scene, KIND_DEPLOYMENT, "default", "web");
    assert_string_equal(json_string_value(json_object_get(store_path(deployment, path),
                                                          "deployment.kubernetes.io/revision")),
                        "1");
    json_t *pod = scene_any_pod(&scene);
    const char *hash =
        json_string_value(json_object_get(store_path(pod, "metadata.labels"), "pod-template-hash"));
    char set_name[80];
    snprintf(set_name, sizeof set_name, "web-%s", hash);
    assert_non_null(scene_get(&scene, KIND_REPLICA_SET, "default", set_name));
    new_template(&scene, KIND_DEPLOYMENT, "web", 2);
    scene_run(&scene, 60);
    assert_int_equal(count_sets(&scene).count, 2);
    assert_int_equal(scene_int(&scene, KIND_REPLICA_SET, set_name, "spec.replicas"), 0);
    // Back to the first template: its ReplicaSet serves again, under a later revision.
    scene_patch(&scene, KIND_DEPLOYMENT, "web",
                "{'spec': {'template': {'metadata': {'annotations': null}}}}");
    scene_run(&scene, 60);
    assert_int_equal(count_sets(&scene).count, 2);
    assert_int_equal(scene_int(&scene, KIND_REPLICA_SET, set_name, "spec.replicas"), 4);
    deployment = scene_get(&scene, KIND_DEPLOYMENT, "default", "web");
    assert_string_equal(json_string_value(json_object_get(store_path(deployment, path),
                                                          "deployment.kubernetes.io/revision")),
                        "3");
    // A third one: only one old ReplicaSet is kept.
    new_template(&scene, KIND_DEPLOYMENT, "web", 3);
    scene_run(&scene, 60);
    assert_int_equal(count_sets(&scene).count, 2);
    assert_int_equal(count_sets(&scene).empty, 1);
    scene_close(&scene);
}

static void recreate_empties_before_it_fills(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(2);
    scene_deployment(&scene, "web", 6, "100m", ", 'strategy': {'type': 'Recreate'}");
    scene_run(&scene, 10);
    assert_int_equal(scene_pods(&scene, "app", "web", NULL).ready, 6);
    new_template(&scene, KIND_DEPLOYMENT, "web", 2);
    bool emptied = false;
    for (int step = 0; step < 1000; step++) {
        loop_run_for(scene.loop, 20 * MILLISECOND);
        struct pod_count count = scene_pods(&scene, "app", "web", NULL);
        assert_true(count.total <= 6); // never old and new together
        emptied |= count.ready == 0;
    }
    assert_true(emptied);
    assert_int_equal(scene_pods(&scene, "app", "web", NULL).ready, 6);
    scene_close(&scene);
}

static void a_rollout_that_cannot_proceed_stops_at_its_bounds(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    scene_deployment(&scene, "web", 8, "100m", "");
    scene_run(&scene, 10);
    scene_patch(&scene, KIND_DEPLOYMENT, "web",
                "{'spec': {'template': {'spec': {'nodeSelector': {'no': 'where'}}}}}");
    scene_run(&scene, 120);
    struct pod_count count = scene_pods(&scene, "app", "web", NULL);
    assert_int_equal(count.ready, 6);  // 8 less 25 %
    assert_int_equal(count.total, 10); // 8 and 25 %
    // Scaled meanwhile: both ReplicaSets grow in proportion.
    scene_patch(&scene, KIND_DEPLOYMENT, "web", "{'spec': {'replicas': 16}}");
    scene_run(&scene, 60);
    count = scene_pods(&scene, "app", "web", NULL);
    assert_int_equal(count.total, 20);
    assert_int_equal(count.ready, 12);
    scene_close(&scene);
}

static void replica_set_replaces_and_chooses_whom_to_drop(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    scene_add(&scene,
              "{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'metadata': {'name': 'rs'},"
              " 'spec': {'replicas': 3, 'selector': {'matchLabels': {'app': 'x'}}, 'template':"
              " {'metadata': {'labels': {'app': 'x'}}, 'spec': {'containers': [{'name': 'c',"
              " 'image': 'i', 'resources': {'requests': {'cpu': '3'}}}]}}}}");
    scene_run(&scene, 10);
    struct pod_count count = scene_pods(&scene, "app", "x", NULL);
    assert_int_equal(count.total, 3);
    assert_int_equal(count.ready, 2); // the third has no room
    scene_patch(&scene, KIND_REPLICA_SET, "rs", "{'spec': {'replicas': 2}}");
    scene_run(&scene, 1);
    count = scene_pods(&scene, "app", "x", NULL);
    assert_int_equal(count.total, 2); // the unassigned one goes first, at once
    assert_int_equal(count.ready, 2);
    json_t *dear = scene_any_pod(&scene);
    char name[80];
    snprintf(name, sizeof name, "%s", store_name(dear));
    scene_patch(
        &scene, KIND_POD, name,
        "{'metadata': {'annotations': {'controller.kubernetes.io/pod-deletion-cost': '-5'}}}");
    scene_patch(&scene, KIND_REPLICA_SET, "rs", "{'spec': {'replicas': 1}}");
    scene_run(&scene, 10);
    assert_null(scene_get(&scene, KIND_POD, "default", name)); // the cheapest goes
    snprintf(name, sizeof name, "%s", store_name(scene_any_pod(&scene)));
    scene_remove(&scene, KIND_POD, name, NULL);
    scene_run(&scene, 10);
    count = scene_pods(&scene, "app", "x", NULL);
    assert_int_equal(count.ready, 1); // recreated
    assert_null(scene_get(&scene, KIND_POD, "default", name));
    scene_close(&scene);
}

static void add_stateful_set(struct scene *scene, const char *name, const char *policy)
{
    scene_add(scene,
              "{'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'metadata': {'name': '%s'}, 'spec':"
              " {'replicas': 3, 'serviceName': 's', 'podManagementPolicy': '%s', 'selector':"
              " {'matchLabels': {'app': '%s'}}, 'template': {'metadata': {'labels': {'app': '%s'}},"
              " 'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}, 'volumeClaimTemplates':"
              " [{'metadata': {'name': 'data'}, 'spec': {'storageClassName': 'disk', 'accessModes':"
              " ['ReadWriteOnce'], 'resources': {'requests': {'storage': '1Gi'}}}}]}}",
              name, policy, name, name);
}

static void stateful_sets_go_in_order(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(3);
    scene_add(&scene, "{'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {"
                      "'name': 'disk'}, 'provisioner': 'example.com/disk', 'volumeBindingMode':"
                      " 'WaitForFirstConsumer'}");
    add_stateful_set(&scene, "db", "OrderedReady");
    uint32_t ready_before = 0;
    for (int step = 0; step < 1500; step++) {
        loop_run_for(scene.loop, 20 * MILLISECOND);
        struct pod_count count = scene_pods(&scene, "app", "db", NULL);
        assert_true(count.total <= count.ready + 1); // the next one once those before are ready
        assert_true(count.ready >= ready_before);
        ready_before = count.ready;
    }
    assert_int_equal(ready_before, 3);
    assert_string_equal(
        scene_text(&scene, KIND_PERSISTENT_VOLUME_CLAIM, "data-db-2", "status.phase"), "Bound");
    json_t *pod = scene_get(&scene, KIND_POD, "default", "db-1");
    assert_string_equal(json_string_value(json_object_get(store_path(pod, "metadata.labels"),
                                                          "apps.kubernetes.io/pod-index")),
                        "1");
    new_template(&scene, KIND_STATEFUL_SET, "db", 2);
    for (int step = 0; step < 3000; step++) { // one at a time, from the last
        loop_run_for(scene.loop, 20 * MILLISECOND);
        assert_true(scene_pods(&scene, "app", "db", NULL).ready >= 2);
    }
    assert_int_equal(scene_int(&scene, KIND_STATEFUL_SET, "db", "status.updatedReplicas"), 3);
    assert_int_equal(scene_pods(&scene, "app", "db", NULL).ready, 3);
    scene_patch(&scene, KIND_STATEFUL_SET, "db", "{'spec': {'replicas': 1}}");
    scene_run(&scene, 20);
    assert_int_equal(scene_pods(&scene, "app", "db", NULL).total, 1);
    assert_non_null(scene_get(&scene, KIND_POD, "default", "db-0"));
    assert_non_null(scene_get(&scene, KIND_PERSISTENT_VOLUME_CLAIM, "default", "data-db-2"));
    scene_close(&scene);
}

static void parallel_stateful_sets_do_not_wait(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    add_stateful_set(&scene, "db", "Parallel");
    scene_run(&scene, 1); // their claims have no class: none is ready, all are there
    assert_int_equal(scene_pods(&scene, "app", "db", NULL).total, 3);
    scene_close(&scene);
}

static void add_daemon_set(struct scene *scene, const char *more)
{
    scene_add(scene,
              "{'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'log'}, 'spec':"
              " {'selector': {'matchLabels': {'app': 'log'}}, 'template': {'metadata': {'labels':"
              " {'app': 'log'}}, 'spec': {'containers': [{'name': 'c', 'image': 'i'}]%s}}}}",
              more);
}

static void daemon_sets_run_on_every_node_that_qualifies(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(3);
    add_daemon_set(&scene, ", 'nodeSelector': {'kubernetes.io/os': 'linux'}");
    scene_run(&scene, 10);
    assert_int_equal(scene_pods(&scene, "app", "log", NULL).ready, 3);
    scene_boot(&scene, "late", "z", 8, 32);
    scene_run(&scene, 20);
    assert_int_equal(scene_pods(&scene, "app", "log", "late").ready, 1);
    assert_int_equal(scene_int(&scene, KIND_DAEMON_SET, "log", "status.desiredNumberScheduled"), 4);
    assert_int_equal(scene_int(&scene, KIND_DAEMON_SET, "log", "status.numberReady"), 4);
    // A cordon does not affect it; a NoSchedule taint excludes new ones, NoExecute removes it.
    scene_patch(&scene, KIND_NODE, "n0", "{'spec': {'unschedulable': true}}");
    scene_patch(&scene, KIND_NODE, "n1",
                "{'spec': {'taints': [{'key': 'k', 'effect':"
                " 'NoSchedule'}]}}");
    scene_patch(&scene, KIND_NODE, "n2",
                "{'spec': {'taints': [{'key': 'k', 'effect':"
                " 'NoExecute'}]}}");
    scene_run(&scene, 10);
    assert_int_equal(scene_pods(&scene, "app", "log", "n0").ready, 1);
    assert_int_equal(scene_pods(&scene, "app", "log", "n1").ready, 1);
    assert_int_equal(scene_pods(&scene, "app", "log", "n2").total, 0);
    scene_patch(&scene, KIND_NODE, "late",
                "{'metadata': {'labels': {'kubernetes.io/os': 'other'}}}");
    scene_run(&scene, 10);
    assert_int_equal(scene_pods(&scene, "app", "log", "late").total, 0);
    scene_close(&scene);
}

static void daemon_sets_roll_one_node_at_a_time(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(4);
    add_daemon_set(&scene, "");
    scene_run(&scene, 10);
    new_template(&scene, KIND_DAEMON_SET, "log", 2);
    for (int step = 0; step < 3000; step++) {
        loop_run_for(scene.loop, 20 * MILLISECOND);
        assert_true(scene_pods(&scene, "app", "log", NULL).ready >= 3);
    }
    assert_int_equal(scene_int(&scene, KIND_DAEMON_SET, "log", "status.updatedNumberScheduled"), 4);
    assert_int_equal(scene_pods(&scene, "app", "log", NULL).ready, 4);
    scene_close(&scene);
}

static void add_job(struct scene *scene, const char *name, const char *annotations,
                    const char *spec)
{
    scene_add(scene,
              "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': '%s'}, 'spec': {%s"
              " 'template': {'metadata': {'annotations': {%s}}, 'spec': {'restartPolicy': 'Never',"
              " 'containers': [{'name': 'c', 'image': 'i'}]}}}}",
              name, spec, annotations);
}

static void jobs_run_to_completion(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    add_job(&scene, "sums", "'adze.dev/sim-run-seconds': '10'",
            "'parallelism': 2, 'completions': 5, 'ttlSecondsAfterFinished': 60,");
    for (int step = 0; step < 60; step++) {
        scene_run(&scene, 1);
        assert_true(scene_pods(&scene, "job-name", "sums", NULL).ready <= 2);
    }
    assert_int_equal(scene_int(&scene, KIND_JOB, "sums", "status.succeeded"), 5);
    json_t *job = scene_get(&scene, KIND_JOB, "default", "sums");
    assert_string_equal(condition_status_of(job, "Complete"), "True");
    assert_int_equal(scene_pods(&scene, "job-name", "sums", NULL).ended, 5);
    scene_run(&scene, 60); // gone with its pods
    assert_null(scene_get(&scene, KIND_JOB, "default", "sums"));
    assert_int_equal(scene_pods(&scene, "job-name", "sums", NULL).total, 0);
    scene_close(&scene);
}

static void jobs_give_up_after_their_backoff_limit(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    add_job(&scene, "bad", "'adze.dev/sim-run-seconds': '1', 'adze.dev/sim-exit-code': '1'",
            "'backoffLimit': 2,");
    scene_run(&scene, 30);
    assert_true(scene_int(&scene, KIND_JOB, "bad", "status.failed") < 3); // it waits in between
    scene_run(&scene, 90);
    json_t *job = scene_get(&scene, KIND_JOB, "default", "bad");
    assert_string_equal(condition_status_of(job, "Failed"), "True");
    assert_int_equal(scene_int(&scene, KIND_JOB, "bad", "status.failed"), 3);
    scene_close(&scene);
}

static void a_job_pod_that_is_evicted_is_replaced(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    add_job(&scene, "long", "'adze.dev/sim-run-seconds': '100'", "'completions': 1,");
    scene_run(&scene, 10);
    char name[80];
    snprintf(name, sizeof name, "%s", store_name(scene_any_pod(&scene)));
    scene_remove(&scene, KIND_POD, name, NULL);
    scene_run(&scene, 5);
    assert_null(scene_get(&scene, KIND_POD, "default", name)); // the finalizer is gone too
    scene_run(&scene, 140);
    assert_int_equal(scene_int(&scene, KIND_JOB, "long", "status.failed"), 1);
    assert_int_equal(scene_int(&scene, KIND_JOB, "long", "status.succeeded"), 1);
    scene_close(&scene);
}

static void indexed_jobs_complete_every_index(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    add_job(&scene, "parts", "'adze.dev/sim-run-seconds': '5'",
            "'completionMode': 'Indexed', 'parallelism': 2, 'completions': 4,");
    scene_run(&scene, 60);
    assert_int_equal(scene_int(&scene, KIND_JOB, "parts", "status.succeeded"), 4);
    for (int i = 0; i < 4; i++) {
        char number[8];
        snprintf(number, sizeof number, "%d", i);
        assert_int_equal(
            scene_pods(&scene, "batch.kubernetes.io/job-completion-index", number, NULL).total, 1);
    }
    scene_close(&scene);
}

// Two pods of the Deployment on one node: one of these is deleted, not the younger one that is
// alone.
static void crowded_nodes_lose_their_pods_first(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_run(&scene, 15);
    scene_deployment(&scene, "app", 2, "500m", "");
    scene_run(&scene, 60);
    scene_boot(&scene, "b", "z2", 2, 8);
    scene_run(&scene, 15);
    scene_patch(&scene, KIND_DEPLOYMENT, "app", "{'spec': {'replicas': 3}}");
    scene_run(&scene, 60);
    assert_int_equal(scene_pods(&scene, "app", "app", "b").total, 1);
    scene_patch(&scene, KIND_DEPLOYMENT, "app", "{'spec': {'replicas': 2}}");
    scene_run(&scene, 60);
    assert_int_equal(scene_pods(&scene, "app", "app", "a").total, 1);
    assert_int_equal(scene_pods(&scene, "app", "app", "b").total, 1);
    scene_close(&scene);
}

static void batches(struct world_options *options)
{
    options->controller_request_ns = 100 * MILLISECOND;
}

static void limited(struct world_options *options)
{
    options->controller_requests_per_second = 20;
    options->controller_requests_burst = 30;
}

static uint32_t pods_after(struct scene *scene, int64_t milliseconds)
{
    loop_run_for(scene->loop, milliseconds * MILLISECOND);
    return scene_pods(scene, NULL, NULL, NULL).total;
}

static void pods_are_created_in_growing_batches(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'metadata': {'name': 'w'}, 'spec':"
        " {'replicas': 20, 'selector': {'matchLabels': {'app': 'w'}}, 'template': {'metadata':"
        " {'labels': {'app': 'w'}}, 'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}}}",
        "{'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'metadata': {'name': 'w'}, 'spec':"
        " {'replicas': 20, 'podManagementPolicy': 'Parallel', 'serviceName': 'w', 'selector':"
        " {'matchLabels': {'app': 'w'}}, 'template': {'metadata': {'labels': {'app': 'w'}}, 'spec':"
        " {'containers': [{'name': 'c', 'image': 'i'}]}}}}",
        "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'w'}, 'spec':"
        " {'parallelism': 20, 'completions': 20, 'template': {'spec': {'restartPolicy': 'Never',"
        " 'containers': [{'name': 'c', 'image': 'i'}]}}}}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        struct scene scene = scene_open(batches);
        scene_add(&scene, "%s", kinds[i]);
        assert_int_equal(pods_after(&scene, 50), 1);
        assert_int_equal(pods_after(&scene, 100), 1 + 2);
        assert_int_equal(pods_after(&scene, 100), 1 + 2 + 4);
        assert_int_equal(pods_after(&scene, 100), 1 + 2 + 4 + 8);
        assert_int_equal(pods_after(&scene, 100), 20);
        assert_int_equal(pods_after(&scene, 1000), 20);
        scene_close(&scene);
    }
}

static void clients_of_controllers_are_limited(void **state)
{
    (void)state;
    struct scene scene = scene_open(limited);
    scene_deployment(&scene, "app", 100, "10m", "");
    assert_in_range(pods_after(&scene, 100), 28, 33);
    assert_in_range(pods_after(&scene, 1000), 48, 53);
    assert_in_range(pods_after(&scene, 1000), 68, 73);
    assert_int_equal(pods_after(&scene, 2000), 100);
    scene_run(&scene, 5);
    scene_patch(&scene, KIND_DEPLOYMENT, "app", "{'spec': {'replicas': 20}}");
    assert_in_range(pods_after(&scene, 100), 66, 73);
    assert_int_equal(pods_after(&scene, 4000), 20);
    scene_close(&scene);
}

// --- kinds around workloads ----------------------------------------------------------------------

static void jobs_of_the_demo_end(struct world_options *options)
{
    options->pod_run_ns = 5 * SECOND;
}

static void pods_that_are_not_restarted_end_if_the_world_says_so(void **state)
{
    (void)state;
    struct scene scene = scene_open(jobs_of_the_demo_end);
    scene_boot(&scene, "n0", "z", 8, 32);
    add_job(&scene, "once", "", "");
    add_job(&scene, "slow", "'adze.dev/sim-run-seconds': '100'", "");
    scene_run(&scene, 30);
    json_t *job = scene_get(&scene, KIND_JOB, "default", "once");
    assert_string_equal(condition_status_of(job, "Complete"), "True");
    job = scene_get(&scene, KIND_JOB, "default", "slow");
    assert_null(condition_status_of(job, "Complete"));
    scene_close(&scene);
}

static json_t *get_other(struct scene *scene, const char *api_version, const char *kind,
                         const char *name)
{
    return store_get(scene->store, store_resource_of_kind(scene->store, api_version, kind),
                     "default", name);
}

static void cron_jobs_create_jobs_and_keep_a_few(void **state)
{
    (void)state;
    struct scene scene = scene_open(jobs_of_the_demo_end);
    scene_boot(&scene, "n0", "z", 8, 32);
    scene_add(&scene, "{'apiVersion': 'batch/v1', 'kind': 'CronJob', 'metadata': {'name': 'tick'},"
                      " 'spec': {'schedule': '*/2 * * * *', 'successfulJobsHistoryLimit': 2,"
                      " 'jobTemplate': {'spec': {'template': {'spec': {'restartPolicy': 'Never',"
                      " 'containers': [{'name': 'c', 'image': 'i'}]}}}}}}");
    scene_run(&scene, 125);
    json_t *tick = get_other(&scene, "batch/v1", "CronJob", "tick");
    assert_int_equal(json_array_size(store_path(tick, "status.active")), 1);
    assert_string_equal(json_string_value(store_path(tick, "status.lastScheduleTime")),
                        "2026-01-01T00:02:00Z");
    assert_non_null(scene_get(&scene, KIND_JOB, "default", "tick-29453762"));
    scene_run(&scene, 620);
    tick = get_other(&scene, "batch/v1", "CronJob", "tick");
    assert_null(store_path(tick, "status.active"));
    assert_string_equal(json_string_value(store_path(tick, "status.lastScheduleTime")),
                        "2026-01-01T00:12:00Z");
    assert_int_equal(store_count(scene.store, scene_resource(&scene, KIND_JOB)), 2);
    assert_non_null(scene_get(&scene, KIND_JOB, "default", "tick-29453772"));
    scene_close(&scene);
}

static void autoscalers_say_that_there_is_no_usage(void **state)
{
    (void)state;
    struct scene scene = open_with_nodes(1);
    static const char *const targets[] = {"web", "absent"};
    scene_add(&scene,
              "{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'},"
              " 'spec': {'replicas': 2, 'selector': {'matchLabels': {'a': 'b'}}, 'template':"
              " {'metadata': {'labels': {'a': 'b'}}, 'spec': {'containers': [{'name': 'c',"
              " 'image': 'i'}]}}}}");
    for (size_t i = 0; i < ARRAY_LENGTH(targets); i++)
        scene_add(&scene,
                  "{'apiVersion': 'autoscaling/v2', 'kind': 'HorizontalPodAutoscaler', 'metadata':"
                  " {'name': '%s'}, 'spec': {'maxReplicas': 3, 'scaleTargetRef': {'kind':"
                  " 'Deployment', 'name': '%s'}}}",
                  targets[i], targets[i]);
    scene_run(&scene, 60);
    json_t *scaler = get_other(&scene, "autoscaling/v2", "HorizontalPodAutoscaler", "web");
    assert_int_equal(json_integer_value(store_path(scaler, "status.currentReplicas")), 2);
    assert_string_equal(condition_status_of(scaler, "AbleToScale"), "True");
    assert_string_equal(condition_status_of(scaler, "ScalingActive"), "False");
    scaler = get_other(&scene, "autoscaling/v2", "HorizontalPodAutoscaler", "absent");
    assert_string_equal(condition_status_of(scaler, "AbleToScale"), "False");
    scene_close(&scene);
}

static void with_comforts(struct world_options *options)
{
    options->comforts = true;
}

struct told {
    const char *kind;
    char text[600]; // "REASON: MESSAGE; " of its events, in the order of their names
};

static bool add_told(void *context, json_t *event)
{
    struct told *told = context;
    size_t length = strlen(told->text);
    if (strcmp(json_string_value(store_path(event, "involvedObject.kind")), told->kind) == 0)
        snprintf(told->text + length, sizeof told->text - length, "%s: %s; ",
                 json_string_value(store_path(event, "reason")),
                 json_string_value(store_path(event, "message")));
    return true;
}

static struct told told_of(struct scene *scene, const char *kind)
{
    struct told told = {kind, ""};
    store_each(scene->store, scene_resource(scene, KIND_EVENT), NULL, add_told, &told);
    return told;
}

// As `kubectl describe` shows it of a real cluster.
static void events_and_endpoints_are_there_for_people(void **state)
{
    (void)state;
    struct scene scene = scene_open(with_comforts);
    scene_boot(&scene, "n0", "z", 8, 32);
    scene_run(&scene, 15);
    scene_add(&scene, "{'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': 'db'}, 'spec':"
                      " {'selector': {'app': 'db'}, 'ports': [{'port': 80, 'targetPort': 'pg'}]}}");
    scene_add(&scene, "{'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'metadata': {'name': 'db'},"
                      " 'spec': {'replicas': 1, 'selector': {'matchLabels': {'app': 'db'}},"
                      " 'template': {'metadata': {'labels': {'app': 'db'}}, 'spec': {'containers':"
                      " [{'name': 'c', 'image': 'i:1', 'ports': [{'name': 'pg', 'containerPort':"
                      " 5432}]}]}}}}");
    scene_run(&scene, 10);
    assert_string_equal(told_of(&scene, "Pod").text,
                        "Scheduled: Successfully assigned default/db-0 to n0; Pulled: Container "
                        "image \"i:1\" already present on machine; Created: Created container: c; "
                        "Started: Started container c; ");
    assert_string_equal(told_of(&scene, "StatefulSet").text,
                        "SuccessfulCreate: create Pod db-0 in StatefulSet db successful; ");
    const json_t *subset =
        json_array_get(store_path(get_other(&scene, "v1", "Endpoints", "db"), "subsets"), 0);
    assert_int_equal(json_array_size(json_object_get(subset, "addresses")), 1);
    const json_t *port = json_array_get(json_object_get(subset, "ports"), 0);
    assert_int_equal(json_integer_value(json_object_get(port, "port")), 5432);
    const struct store_resource *slices =
        store_resource_of_kind(scene.store, "discovery.k8s.io/v1", "EndpointSlice");
    assert_int_equal(store_count(scene.store, slices), 1);
    scene_patch(&scene, KIND_STATEFUL_SET, "db", "{'spec': {'replicas': 0}}");
    scene_run(&scene, 10);
    assert_non_null(strstr(told_of(&scene, "StatefulSet").text,
                           "SuccessfulDelete: delete Pod db-0 in StatefulSet db successful; "));
    assert_non_null(strstr(told_of(&scene, "Pod").text, "Killing: Stopping container c; "));
    assert_int_equal(
        json_array_size(store_path(get_other(&scene, "v1", "Endpoints", "db"), "subsets")), 0);
    scene_deployment(&scene, "web", 2, "100m", "");
    scene_run(&scene, 5);
    assert_non_null(strstr(told_of(&scene, "Deployment").text,
                           "ScalingReplicaSet: Scaled up replica set web-"));
    scene_remove(&scene, KIND_SERVICE, "db", NULL);
    scene_run(&scene, 5);
    assert_int_equal(store_count(scene.store, slices), 0); // with its owner
    scene_close(&scene);
}

static bool add_revision(void *context, json_t *revision)
{
    struct text *text = context;
    text_format(text, "%lld %s %s; ",
                (long long)json_integer_value(store_path(revision, "revision")),
                json_string_value(store_path(revision, "metadata.labels.app")),
                json_string_value(store_path(revision, "data.spec.template.$patch")));
    return true;
}

// `kubectl rollout history` and `undo` of StatefulSets and DaemonSets read these.
static void revisions_of_stateful_and_daemon_sets_are_kept(void **state)
{
    (void)state;
    struct scene scene = scene_open(with_comforts);
    static const struct {
        enum kind_id kind;
        const char *name, *spec;
    } sets[] = {{KIND_STATEFUL_SET, "StatefulSet", "'replicas': 1,"},
                {KIND_DAEMON_SET, "DaemonSet", ""}};
    const struct store_resource *revisions =
        store_resource_of_kind(scene.store, "apps/v1", "ControllerRevision");
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
        struct text text = {0};
        scene_add(&scene,
                  "{'apiVersion': 'apps/v1', 'kind': '%s', 'metadata': {'name': 'x'}, 'spec': {%s"
                  " 'revisionHistoryLimit': 1, 'selector': {'matchLabels': {'app': 'x'}},"
                  " 'template': {'metadata': {'labels': {'app': 'x'}}, 'spec': {'containers':"
                  " [{'name': 'c', 'image': 'i:1'}]}}}}",
                  sets[i].name, sets[i].spec);
        scene_run(&scene, 5);
        static const char *const images[] = {"i:2", "i:1", "i:3"};
        for (size_t j = 0; j < ARRAY_LENGTH(images); j++) {
            char patch[160];
            snprintf(
                patch, sizeof patch,
                "{'spec': {'template': {'spec': {'containers': [{'name': 'c', 'image': '%s'}]}}}}",
                images[j]);
            scene_patch(&scene, sets[i].kind, "x", "%s", patch);
            scene_run(&scene, 5);
        }
        store_each(scene.store, revisions, NULL, add_revision, &text);
        // 1 came back as 3; 2 is beyond the limit.
        assert_true(strcmp(text.data, "3 x replace; 4 x replace; ") == 0 ||
                    strcmp(text.data, "4 x replace; 3 x replace; ") == 0);
        text_free(&text);
        scene_remove(&scene, sets[i].kind, "x", NULL);
        scene_run(&scene, 5);
        assert_int_equal(store_count(scene.store, revisions), 0);
    }
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revisions_of_stateful_and_daemon_sets_are_kept),
        cmocka_unit_test(events_and_endpoints_are_there_for_people),
        cmocka_unit_test(deployment_keeps_revisions_and_rolls_back),
        cmocka_unit_test(recreate_empties_before_it_fills),
        cmocka_unit_test(a_rollout_that_cannot_proceed_stops_at_its_bounds),
        cmocka_unit_test(replica_set_replaces_and_chooses_whom_to_drop),
        cmocka_unit_test(stateful_sets_go_in_order),
        cmocka_unit_test(parallel_stateful_sets_do_not_wait),
        cmocka_unit_test(daemon_sets_run_on_every_node_that_qualifies),
        cmocka_unit_test(daemon_sets_roll_one_node_at_a_time),
        cmocka_unit_test(jobs_run_to_completion),
        cmocka_unit_test(jobs_give_up_after_their_backoff_limit),
        cmocka_unit_test(a_job_pod_that_is_evicted_is_replaced),
        cmocka_unit_test(indexed_jobs_complete_every_index),
        cmocka_unit_test(pods_that_are_not_restarted_end_if_the_world_says_so),
        cmocka_unit_test(cron_jobs_create_jobs_and_keep_a_few),
        cmocka_unit_test(autoscalers_say_that_there_is_no_usage),
        cmocka_unit_test(crowded_nodes_lose_their_pods_first),
        cmocka_unit_test(pods_are_created_in_growing_batches),
        cmocka_unit_test(clients_of_controllers_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
