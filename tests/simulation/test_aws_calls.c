// Calls of AWS at rest: in an hour with nodes and nothing to do, each action is asked for at most
// as often as by upstream's intervals (AWN-33, AWN-103, AWN-398, AWI-502, AWI-580, AWI-750,
// AWI-761).
#include "simulation/aws_scene.h"

struct action_count {
    const char *action;
    int upstream; // in an hour: one EC2NodeClass, a term of each kind, the queue
    int more;     // adze's own, on purpose
    int seen;
};

struct count {
    struct action_count actions[16];
    struct text others;
    bool counting;
};

static void count_request(void *context, const struct aws_account_request *request)
{
    struct count *count = context;
    if (!count->counting)
        return;
    for (uint32_t i = 0; count->actions[i].action != NULL; i++) {
        if (text_equal(count->actions[i].action, request->action)) {
            count->actions[i].seen++;
            return;
        }
    }
    text_format(&count->others, " %s", request->action);
}

static const char manifests[] =
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
    "{role: nodes, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{tags: "
    "{karpenter.sh/discovery: shop}}], securityGroupSelectorTerms: [{tags: "
    "{karpenter.sh/discovery: shop}}]}}\n---\n"
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {disruption: "
    "{consolidateAfter: Never}, template: {spec: {expireAfter: Never, nodeClassRef: {group: "
    "karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}}}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: "
    "{replicas: 40, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: "
    "web}}, spec: {containers: [{name: main, image: pause, resources: {requests: {cpu: 1}}}]}}}}";

static void compare(struct count *count)
{
    int all = 0, upstream = 0;
    for (struct action_count *each = count->actions; each->action != NULL; each++) {
        print_message("%-28s %3d an hour, upstream %3d\n", each->action, each->seen,
                      each->upstream);
        if (each->seen > each->upstream + each->more)
            fail_msg("%s: %d calls an hour at rest", each->action, each->seen);
        all += each->seen;
        upstream += each->upstream;
    }
    print_message("%.1f calls a minute, upstream %.1f\n", all / 60.0, upstream / 60.0);
    assert_true(all <= upstream);
    if (count->others.length != 0)
        fail_msg("at rest also:%s", count->others.data);
    text_free(&count->others);
}

static void rest(bool compatible)
{
    struct count count = {.actions = {{.action = "DescribeInstances", .upstream = 120},
                                      {.action = "DescribeInstanceStatus", .upstream = 180},
                                      {.action = "ReceiveMessage", .upstream = 180},
                                      {.action = "DescribeSubnets", .upstream = 60},
                                      {.action = "DescribeSecurityGroups", .upstream = 60},
                                      {.action = "DescribeImages", .upstream = 62},
                                      {.action = "GetInstanceProfile", .upstream = 4},
                                      {.action = "ListInstanceProfiles", .upstream = 2},
                                      {.action = "CreateLaunchTemplate", .upstream = 2},
                                      {.action = "DeleteLaunchTemplate", .upstream = 2},
                                      {.action = "CreateFleet", .upstream = 2},
                                      {.action = "RunInstances", .upstream = 2},
                                      {.action = "DescribeLaunchTemplates", .upstream = 2},
                                      {.action = "DescribeCluster", .upstream = 12},
                                      // AWI-915: prices of each ten minutes, not of twelve hours.
                                      {.action = "DescribeSpotPriceHistory", .more = 6}}};
    struct scene *scene = scene_open();
    scene->settings.compatibility_upstream = compatible;
    scene->account.catalogue = "m5\\.(large|xlarge|metal)";
    scene->account.requested = count_request;
    scene->account.context = &count;
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply(scene, "%s", manifests);
    loop_run_for(scene->loop, 40 * MINUTE);
    count.counting = true;
    loop_run_for(scene->loop, HOUR);
    count.counting = false;
    scene_close(scene);
    compare(&count);
}

static void at_rest_no_more_than_upstream_AWI_750_761(void **state)
{
    (void)state;
    rest(false);
}

static void at_rest_in_upstreams_mode_AWI_750_761(void **state)
{
    (void)state;
    rest(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_no_more_than_upstream_AWI_750_761),
        cmocka_unit_test(at_rest_in_upstreams_mode_AWI_750_761),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
