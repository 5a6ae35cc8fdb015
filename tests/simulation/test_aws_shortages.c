// Launches without capacity on a simulated AWS account: their pods are planned anew in the same
// moment, with the reason, and bounded (AWI-929, AWI-933).
#include "simulation/aws_scene.h"

#include <stdlib.h>

#include "base/metrics.h"
#include "sim/store/store_json.h"

#define CALLS_MAX 100

struct calls { // CreateFleet, not as dry runs
    struct scene *scene;
    uint32_t count;
    int64_t at[CALLS_MAX]; // monotonic
};

static void note_fleet(void *context, const struct aws_account_request *request)
{
    struct calls *calls = context;
    if (!text_equal(request->action, "CreateFleet") || request->dry_run)
        return;
    assert_true(calls->count < CALLS_MAX);
    calls->at[calls->count++] = loop_monotonic_ns(calls->scene->loop);
}

static void stock_out(struct scene *scene, const char *type)
{
    json_t *pools = json_pack("[[s,s,s]]", type, "*", "*");
    aws_account_add_fault(
        simulation_account(scene->simulation),
        &(struct aws_account_fault){.action = (char *)"CreateFleet",
                                    .code = (char *)"InsufficientInstanceCapacity",
                                    .message = (char *)"We have none.",
                                    .times = -1,
                                    .pools = pools});
    json_decref(pools);
}

// A pool on demand, of one type or of all for amd64 ("").
static void apply_pool_of(struct scene *scene, const char *name, int weight, const char *node_class,
                          const char *type)
{
    struct text requirement = {0};
    if (type[0] != '\0')
        text_format(&requirement,
                    ", {key: node.kubernetes.io/instance-type, operator: In, values: [%s]}", type);
    else
        text_add(&requirement, ", {key: kubernetes.io/arch, operator: In, values: [amd64]}");
    apply(scene,
          "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s}, spec: {weight: %d, "
          "disruption: {consolidateAfter: Never}, template: {spec: {nodeClassRef: {group: "
          "karpenter.k8s.aws, kind: EC2NodeClass, name: "
          "%s}, requirements: [{key: karpenter.sh/capacity-type, operator: In, values: "
          "[on-demand]}%s]}}}}",
          name, weight, node_class, text_or_empty(requirement.data));
    text_free(&requirement);
}

static struct scene *open_with(struct calls *calls, bool upstream)
{
    struct scene *scene = scene_open();
    calls->scene = scene;
    scene->account.catalogue = "(m5|m6g)\\.(large|xlarge)";
    scene->account.requested = note_fleet;
    scene->account.context = calls;
    scene->settings.compatibility_upstream = upstream;
    scene->settings.batch_idle_duration = 10 * SECOND; // unlike everything else
    scene->settings.batch_max_duration = 20 * SECOND;
    scene_begin(scene);
    return scene;
}

// The heavy pool's only type is out of stock: how long until the light pool's is asked for.
static int64_t time_to_the_next_try(bool upstream)
{
    struct calls calls = {0};
    struct scene *scene = open_with(&calls, upstream);
    stock_out(scene, "m5.large");
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 60);
    apply_pool_of(scene, "heavy", 50, "default", "m5.large");
    apply_pool_of(scene, "light", 1, "default", "m5.xlarge");
    run(scene, 20);
    apply_pods(scene, 1);
    run(scene, 100);
    assert_int_equal(calls.count, 2);
    assert_int_equal(simulation_pods_running(scene->simulation), 1);
    expect_event(scene, "NodeClaim", "InsufficientCapacityError",
                 "insufficient capacity, creating instance, with fleet error(s), ",
                 "InsufficientInstanceCapacity: We have none.");
    if (!upstream)
        expect_event(scene, "Pod", "Nominated", "Pod should schedule on: nodeclaim/light-",
                     ", instead of nodeclaim/heavy-");
    if (!upstream)
        expect_event(scene, "Pod", "Nominated", ": insufficient capacity, creating instance, ",
                     "InsufficientInstanceCapacity: We have none.");
    scene_close(scene);
    return calls.at[1] - calls.at[0];
}

static void pods_of_a_shortage_wait_for_no_batch_AWI_929(void **state)
{
    (void)state;
    int64_t own = time_to_the_next_try(false), upstream = time_to_the_next_try(true);
    print_message("next try after %.2f s, upstream %.2f s\n", (double)own / SECOND,
                  (double)upstream / SECOND);
    assert_true(own < SECOND); // calls of both APIs, and the batch of CreateFleet
    assert_true(upstream >= 10 * SECOND);
}

// Claims that fail together are planned together.
static void a_wave_is_planned_again_as_one_AWI_929(void **state)
{
    (void)state;
    struct calls calls = {0};
    struct scene *scene = open_with(&calls, false);
    stock_out(scene, "m5.large");
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 60);
    apply_pool_of(scene, "heavy", 50, "default", "m5.large");
    apply_pool_of(scene, "light", 1, "default", "m5.xlarge");
    run(scene, 20);
    apply_pods(scene, 30); // one on an m5.large, three on an m5.xlarge
    run(scene, 100);
    assert_int_equal(simulation_pods_running(scene->simulation), 30);
    assert_int_equal(calls.count, 2);
    assert_int_equal(aws_account_instances(simulation_account(scene->simulation)), 10);
    scene_close(scene);
}

// Nothing is left of the region: the pods wait, and say why; what failed is not asked for again.
static void a_region_without_capacity_is_no_storm_AWI_929(void **state)
{
    (void)state;
    struct calls calls = {0};
    struct scene *scene = open_with(&calls, false);
    stock_out(scene, "*");
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 60);
    apply_pool_of(scene, "heavy", 50, "default", "m5.large");
    apply_pool_of(scene, "light", 1, "default", "");
    run(scene, 20);
    apply_pods(scene, 30);
    run(scene, 100);
    print_message("%u fleets in 100 s\n", calls.count);
    assert_in_range(calls.count, 2, 8);
    struct metric *created =
        metrics_find(simulation_metrics(scene->simulation), "karpenter_nodeclaims_created_total");
    assert_non_null(created);
    assert_int_equal(simulation_count(scene->simulation, "karpenter.sh/v1", "NodeClaim"), 0);
    expect_event(scene, "Pod", "FailedScheduling", "; nodeclaim/light-",
                 ": insufficient capacity, creating instance, with fleet error(s), ");
    scene_close(scene);
}

// Types that no AMI of the NodeClass boots: other pools at once, instead of five minutes of
// attempts.
static void types_without_an_image_are_a_shortage_AWI_933(void **state)
{
    (void)state;
    struct calls calls = {0};
    struct scene *scene = open_with(&calls, false);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply(scene,
          "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: arm}, spec: "
          "{role: nodes, amiFamily: AL2023, amiSelectorTerms: [{name: '*al2023-arm64-standard*'}], "
          "subnetSelectorTerms: " TAGGED ", securityGroupSelectorTerms: " TAGGED "}}");
    run(scene, 60);
    apply_pool_of(scene, "heavy", 50, "arm", "m5.large");
    apply_pool_of(scene, "light", 1, "default", "m5.xlarge");
    run(scene, 20);
    apply_pods(scene, 1);
    run(scene, 60);
    assert_int_equal(simulation_pods_running(scene->simulation), 1);
    expect_event(scene, "NodeClaim", "InsufficientCapacityError",
                 "no instance type of the launch can boot an AMI of EC2NodeClass/arm", "");
    assert_int_equal(calls.count, 1);
    scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_of_a_shortage_wait_for_no_batch_AWI_929),
        cmocka_unit_test(a_wave_is_planned_again_as_one_AWI_929),
        cmocka_unit_test(a_region_without_capacity_is_no_storm_AWI_929),
        cmocka_unit_test(types_without_an_image_are_a_shortage_AWI_933),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
