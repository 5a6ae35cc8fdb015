// PodDisruptionBudget status: expected, desired and current healthy pods, and allowed disruptions.
#include "sim/store/store_patch.h"
#include "sim/world_helpers.h"

#define BUDGET(name, rule)                                                                         \
    "{'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': '" name "'}," \
    " 'spec': {" rule " 'selector': {'matchLabels': {'app': 'web'}}}}"

static void check(struct scene *scene, const char *name, int expected, int desired, int healthy,
                  int allowed)
{
    const enum kind_id id = KIND_POD_DISRUPTION_BUDGET;
    assert_int_equal(scene_int(scene, id, name, "status.expectedPods"), expected);
    assert_int_equal(scene_int(scene, id, name, "status.desiredHealthy"), desired);
    assert_int_equal(scene_int(scene, id, name, "status.currentHealthy"), healthy);
    assert_int_equal(scene_int(scene, id, name, "status.disruptionsAllowed"), allowed);
    json_t *budget = scene_get(scene, id, "default", name);
    assert_string_equal(condition_status_of(budget, "DisruptionAllowed"),
                        allowed > 0 ? "True" : "False");
}

static struct scene open_with_web(int replicas)
{
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z", 8, 32);
    scene_run(&scene, 15);
    scene_deployment(&scene, "web", replicas, "100m", "");
    scene_run(&scene, 10);
    return scene;
}

static void numbers_and_percentages_round_up(void **state)
{
    (void)state;
    struct scene scene = open_with_web(7);
    scene_add(&scene, BUDGET("min", "'minAvailable': 5,"));
    scene_add(&scene, BUDGET("min-share", "'minAvailable': '%s',"), "50%");
    scene_add(&scene, BUDGET("max", "'maxUnavailable': 1,"));
    scene_add(&scene, BUDGET("max-share", "'maxUnavailable': '%s',"), "30%");
    scene_add(&scene, BUDGET("none", ""));
    scene_run(&scene, 1);
    check(&scene, "min", 7, 5, 7, 2);
    check(&scene, "min-share", 7, 4, 7, 3);
    check(&scene, "max", 7, 6, 7, 1);
    check(&scene, "max-share", 7, 4, 7, 3);
    check(&scene, "none", 7, 0, 7, 7);
    scene_close(&scene);
}

// A terminating pod is not healthy; its successor is once it is ready.
static void every_step_of_a_replacement_counts(void **state)
{
    (void)state;
    struct scene scene = open_with_web(3);
    scene_add(&scene, BUDGET("max", "'maxUnavailable': 1,"));
    scene_run(&scene, 1);
    check(&scene, "max", 3, 2, 3, 1);
    char name[80];
    snprintf(name, sizeof name, "%s", store_name(scene_any_pod(&scene)));
    scene_remove(&scene, KIND_POD, name, NULL);
    loop_run_for(scene.loop, 1); // at once
    check(&scene, "max", 3, 2, 2, 0);
    scene_run(&scene, 10);
    check(&scene, "max", 3, 2, 3, 1);
    scene_close(&scene);
}

// The wanted replicas count, not the existing pods; a Deployment counts once.
static void expectations_come_from_the_controllers(void **state)
{
    (void)state;
    struct scene scene = open_with_web(4);
    scene_add(&scene, BUDGET("max-share", "'maxUnavailable': '%s',"), "50%");
    scene_patch(&scene, KIND_DEPLOYMENT, "web",
                "{'spec': {'template': {'spec': {'nodeSelector': {'no': 'where'}}}}}");
    scene_run(&scene, 60); // 3 old ones run, 2 new ones wait
    check(&scene, "max-share", 4, 2, 3, 1);
    scene_patch(&scene, KIND_DEPLOYMENT, "web", "{'spec': {'replicas': 8}}");
    scene_run(&scene, 30);
    assert_int_equal(
        scene_int(&scene, KIND_POD_DISRUPTION_BUDGET, "max-share", "status.expectedPods"), 8);
    scene_close(&scene);
}

static void pods_without_a_scale_allow_no_percentages(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z", 8, 32);
    scene_add(&scene, "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'j'}, 'spec':"
                      " {'parallelism': 2, 'completions': 2, 'template': {'metadata': {'labels':"
                      " {'app': 'web'}}, 'spec': {'restartPolicy': 'Never', 'containers': [{'name':"
                      " 'c', 'image': 'i'}]}}}}");
    scene_add(&scene, BUDGET("share", "'maxUnavailable': '%s',"), "50%");
    scene_add(&scene, BUDGET("min", "'minAvailable': 1,"));
    scene_run(&scene, 30);
    assert_int_equal(
        scene_int(&scene, KIND_POD_DISRUPTION_BUDGET, "share", "status.disruptionsAllowed"), 0);
    json_t *budget = scene_get(&scene, KIND_POD_DISRUPTION_BUDGET, "default", "share");
    assert_string_equal(
        json_string_value(json_object_get(condition_of(budget, "DisruptionAllowed"), "reason")),
        "SyncFailed");
    check(&scene, "min", 2, 1, 2, 1);
    scene_close(&scene);
}

// A granted eviction counts against the budget until the pod is gone, or for two minutes.
static void granted_evictions_count(void **state)
{
    (void)state;
    struct scene scene = open_with_web(3);
    scene_add(&scene, BUDGET("max", "'maxUnavailable': 1,"));
    scene_run(&scene, 1);
    json_t *patch = json_pack("{s:{s:{s:s}}}", "status", "disruptedPods",
                              store_name(scene_any_pod(&scene)), "2026-01-01T00:00:26Z");
    struct error error;
    assert_non_null(
        store_patch(scene.store,
                    &(struct store_target){scene_resource(&scene, KIND_POD_DISRUPTION_BUDGET),
                                           "default", "max", "status"},
                    "merge", patch, &error));
    json_decref(patch);
    scene_run(&scene, 1);
    check(&scene, "max", 3, 2, 2, 0);
    scene_run(&scene, 125);
    check(&scene, "max", 3, 2, 3, 1);
    json_t *budget = scene_get(&scene, KIND_POD_DISRUPTION_BUDGET, "default", "max");
    assert_null(store_path(budget, "status.disruptedPods"));
    scene_close(&scene);
}

static void a_new_selector_counts_anew(void **state)
{
    (void)state;
    struct scene scene = open_with_web(3);
    scene_deployment(&scene, "other", 2, "100m", "");
    scene_add(&scene, BUDGET("min", "'minAvailable': 1,"));
    scene_run(&scene, 10);
    check(&scene, "min", 3, 1, 3, 2);
    scene_patch(&scene, KIND_POD_DISRUPTION_BUDGET, "min",
                "{'spec': {'selector': {'matchLabels': {'app': 'other'}}}}");
    scene_run(&scene, 1);
    check(&scene, "min", 2, 1, 2, 1);
    scene_patch(&scene, KIND_POD_DISRUPTION_BUDGET, "min",
                "{'spec': {'selector': {'matchLabels': null}}}");
    scene_run(&scene, 1);
    check(&scene, "min", 5, 1, 5, 4); // policy/v1: an empty selector matches every pod
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_percentages_round_up),
        cmocka_unit_test(every_step_of_a_replacement_counts),
        cmocka_unit_test(expectations_come_from_the_controllers),
        cmocka_unit_test(pods_without_a_scale_allow_no_percentages),
        cmocka_unit_test(granted_evictions_count),
        cmocka_unit_test(a_new_selector_counts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
