// Garbage collection by owner references: background, foreground, orphan.
#include "sim/world_helpers.h"

static struct scene open_with_web(void)
{
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z", 8, 32);
    scene_run(&scene, 15);
    scene_deployment(&scene, "web", 3, "100m", "");
    scene_run(&scene, 10);
    assert_int_equal(scene_pods(&scene, "app", "web", NULL).ready, 3);
    return scene;
}

static uint32_t sets(struct scene *scene)
{
    return store_count(scene->store, scene_resource(scene, KIND_REPLICA_SET));
}

static void background_takes_the_owner_first(void **state)
{
    (void)state;
    struct scene scene = open_with_web();
    scene_remove(&scene, KIND_DEPLOYMENT, "web", "Background");
    assert_null(scene_get(&scene, KIND_DEPLOYMENT, "default", "web"));
    assert_int_equal(sets(&scene), 1);
    scene_run(&scene, 10);
    assert_int_equal(sets(&scene), 0);
    assert_int_equal(scene_pods(&scene, NULL, NULL, NULL).total, 0);
    scene_close(&scene);
}

static void foreground_takes_the_owner_last(void **state)
{
    (void)state;
    struct scene scene = open_with_web();
    scene_remove(&scene, KIND_DEPLOYMENT, "web", "Foreground");
    bool gone = false;
    for (int step = 0; step < 500; step++) {
        loop_run_for(scene.loop, 20 * MILLISECOND);
        uint32_t pods = scene_pods(&scene, NULL, NULL, NULL).total;
        assert_true(pods <= 3); // nothing is recreated
        gone = scene_get(&scene, KIND_DEPLOYMENT, "default", "web") == NULL;
        if (gone)
            assert_int_equal(sets(&scene), 0);
        if (sets(&scene) == 0)
            assert_int_equal(pods, 0);
    }
    assert_true(gone);
    scene_close(&scene);
}

static void orphans_keep_running(void **state)
{
    (void)state;
    struct scene scene = open_with_web();
    scene_remove(&scene, KIND_DEPLOYMENT, "web", "Orphan");
    scene_run(&scene, 30);
    assert_null(scene_get(&scene, KIND_DEPLOYMENT, "default", "web"));
    assert_int_equal(sets(&scene), 1);
    assert_int_equal(scene_pods(&scene, NULL, NULL, NULL).ready, 3);
    scene_close(&scene);
}

static void add_map(struct scene *scene, const char *name, const char *owners)
{
    scene_add(scene,
              "{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': '%s',"
              " 'ownerReferences': [%s]}}",
              name, owners);
}

static bool has_map(struct scene *scene, const char *name)
{
    return store_get(scene->store, store_resource_find(scene->store, "", "v1", "configmaps"),
                     "default", name) != NULL;
}

// An object with several owners stays with the last of them; a nonexistent owner does not count.
static void the_last_owner_counts(void **state)
{
    (void)state;
    struct scene scene = open_with_web();
    char owner[300], missing[300], both[700];
    snprintf(owner, sizeof owner,
             "{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web', 'uid': '%s'}",
             store_uid(scene_get(&scene, KIND_DEPLOYMENT, "default", "web")));
    snprintf(missing, sizeof missing,
             "{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web', 'uid': 'other'}");
    snprintf(both, sizeof both, "%s, %s", owner, missing);
    add_map(&scene, "owned", owner);
    add_map(&scene, "stray", missing);
    add_map(&scene, "shared", both);
    add_map(&scene, "unknown",
            "{'apiVersion': 'example.com/v1', 'kind': 'Thing', 'name': 'x', 'uid': 'y'}");
    scene_run(&scene, 5);
    assert_true(has_map(&scene, "owned"));
    assert_true(has_map(&scene, "shared"));
    assert_true(has_map(&scene, "unknown")); // of an unserved kind: left alone
    assert_false(has_map(&scene, "stray"));
    scene_remove(&scene, KIND_DEPLOYMENT, "web", NULL);
    scene_run(&scene, 5);
    assert_false(has_map(&scene, "owned"));
    assert_false(has_map(&scene, "shared"));
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(background_takes_the_owner_first),
        cmocka_unit_test(foreground_takes_the_owner_last),
        cmocka_unit_test(orphans_keep_running),
        cmocka_unit_test(the_last_owner_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
