// Instances without NodeClaim on a simulated AWS account (AWI-440, LIF-161).
#include "simulation/aws_scene.h"

#include "sim/store/store_json.h"
#include "sim/store/store_patch.h"

static struct scene *open_scene(void)
{
    struct scene *scene = scene_open();
    scene_begin(scene);
    return scene;
}

static void refuse(struct scene *scene, const char *action)
{
    aws_account_add_fault(simulation_account(scene->simulation),
                          &(struct aws_account_fault){.action = (char *)action,
                                                      .code = (char *)"UnauthorizedOperation",
                                                      .message = (char *)"not you",
                                                      .status = 403,
                                                      .times = -1,
                                                      .dry_run = -1});
}

static uint32_t instances(struct scene *scene)
{
    return aws_account_instances(simulation_account(scene->simulation));
}

static uint32_t nodes(struct scene *scene)
{
    return simulation_count(scene->simulation, "v1", "Node");
}

static bool keep_node_name(void *context, json_t *node)
{
    text_format(context, "%s", json_string_value(store_path(node, "metadata.name")));
    return true;
}

// The cluster's own collector leaves the Node alone then.
static void disown_node(struct scene *scene)
{
    struct store *store = simulation_store(scene->simulation);
    const struct store_resource *resource = store_resource_of_kind(store, "v1", "Node");
    struct text name = {0};
    struct error error = {0};
    store_each(store, resource, NULL, keep_node_name, &name);
    json_t *patch = json_pack("{s:{s:[]}}", "metadata", "ownerReferences");
    struct store_target target = {resource, NULL, name.data, NULL};
    assert_non_null(store_patch(store, &target, "merge", patch, &error));
    json_decref(patch);
    text_free(&name);
}

static bool count_deleting(void *context, json_t *node)
{
    *(uint32_t *)context += store_path(node, "metadata.deletionTimestamp") != NULL;
    return true;
}

static uint32_t deleting_nodes(struct scene *scene)
{
    struct store *store = simulation_store(scene->simulation);
    uint32_t count = 0;
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, count_deleting, &count);
    return count;
}

static void count_terminations(void *context, const struct aws_account_request *request)
{
    *(uint32_t *)context += text_equal(request->action, "TerminateInstances");
}

static void apply_cluster(struct scene *scene)
{
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "");
    apply_pods(scene, 1);
}

// The Node stays as long as its instance cannot be ended, which is tried again with the default
// backoff; both go once it can.
static void the_node_goes_after_its_instance_AWI_440(void **state)
{
    (void)state;
    uint32_t terminations = 0;
    struct scene *scene = scene_open();
    scene->account.requested = count_terminations;
    scene->account.context = &terminations;
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_cluster(scene);
    run(scene, 100);
    assert_int_equal(instances(scene), 1);
    assert_int_equal(nodes(scene), 1);
    apply_pods(scene, 0);
    refuse(scene, "TerminateInstances");
    disown_node(scene);
    lose_claim(scene);
    run(scene, 12);
    print_message("%u attempts\n", terminations);
    assert_in_range(terminations, 8, 15); // not one each ten seconds
    run(scene, 78);
    assert_int_equal(instances(scene), 1);
    assert_int_equal(nodes(scene), 1);
    assert_int_equal(deleting_nodes(scene), 0);
    aws_account_clear_faults(simulation_account(scene->simulation));
    run(scene, 120); // a retry, with its backoff
    assert_int_equal(instances(scene), 0);
    assert_int_equal(nodes(scene), 0);
    scene_close(scene);
}

// Passes that fail are none of the first twenty, which come every ten seconds.
static void failed_passes_do_not_count_AWI_440(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    refuse(scene, "DescribeInstances");
    simulation_start_controller(scene->simulation);
    run(scene, 20);
    aws_account_clear_faults(simulation_account(scene->simulation));
    apply_cluster(scene);
    run(scene, 110);
    assert_int_equal(instances(scene), 1);
    apply_pods(scene, 0);
    lose_claim(scene);
    run(scene, 25);
    assert_int_equal(instances(scene), 0);
    scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_node_goes_after_its_instance_AWI_440),
        cmocka_unit_test(failed_passes_do_not_count_AWI_440),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
