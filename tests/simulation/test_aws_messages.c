// Pitfalls of users on AWS, in a whole world with a simulated account: a condition and an event
// name what is missing and where (AWN-702, AWI-959, STO-25). And the printed policy (AWN-620) is
// enough for a cluster's life, and no statement of it is idle.
#include "simulation/aws_scene.h"

#include "base/duration.h"
#include "base/metrics.h"
#include "cloud/aws/aws_provider.h"
#include "cloud/aws/iam_policy.h"
#include "cloud/aws/watcher/fake_metadata.h"
#include "cloud/aws/watcher/node_watcher.h"
#include "sim/store/store_json.h"
#include "sim/store/store_patch.h"

static json_t *policy_of(const struct settings *settings)
{
    struct error error = {0};
    json_t *policy = iam_policy_create(
        &(struct iam_policy_options){.partition = "aws",
                                     .region = "us-west-2",
                                     .account = "111122223333",
                                     .cluster = settings->cluster_name,
                                     .node_roles = "nodes",
                                     .zonal_shift = settings->enable_zonal_shift,
                                     .interruption_queue = settings->interruption_queue},
        &error);
    assert_non_null(policy);
    return policy;
}

static json_t *statement_of(const json_t *policy, const char *sid)
{
    size_t i;
    json_t *statement;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        if (text_equal(json_string_value(json_object_get(statement, "Sid")), sid))
            return statement;
    fail_msg("no statement %s", sid);
    return NULL;
}

// --- the network ---------------------------------------------------------------------------------

static void no_subnet_matches_AWN_702(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, "[{tags: {team: nobody}}]", TAGGED, "role: nodes");
    run(scene, 20);
    expect_problem(scene, "SubnetsReady", "SubnetsNotFound", "no subnet in us-west-2",
                   "team=nobody");
    expect_condition(scene, "karpenter.k8s.aws/v1", "EC2NodeClass", "Ready", "UnhealthyDependents",
                     "", "SubnetsReady");
    scene_close(scene);
}

static void no_security_group_matches_AWN_702(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, "[{name: nowhere}]", "role: nodes");
    run(scene, 20);
    expect_problem(scene, "SecurityGroupsReady", "SecurityGroupsNotFound",
                   "no security group in us-west-2", "name nowhere");
    scene_close(scene);
}

static void no_image_matches(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply(scene,
          "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, "
          "spec: {role: nodes, amiFamily: AL2023, amiSelectorTerms: [{id: ami-0123456789}], "
          "subnetSelectorTerms: " TAGGED ", securityGroupSelectorTerms: " TAGGED "}}");
    run(scene, 20);
    expect_problem(scene, "AMIsReady", "AMINotFound", "spec.amiSelectorTerms", "ami-0123456789");
    scene_close(scene);
}

// The API server says it: the class does not come into being.
static void missing_ami_selector_terms(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    struct error error = {0};
    scene_begin(scene);
    assert_false(simulation_apply(
        scene->simulation,
        "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
        "{role: nodes, subnetSelectorTerms: " TAGGED ", securityGroupSelectorTerms: " TAGGED "}}",
        &error));
    assert_non_null(strstr(error.message, "amiSelectorTerms"));
    scene_close(scene);
}

// --- roles ---------------------------------------------------------------------------------------

static void put_missing(struct scene *scene, const char *list, const char *name)
{
    const json_t *environment = aws_account_environment(simulation_account(scene->simulation));
    json_array_append_new(json_object_get(environment, list), json_string(name));
}

static void a_missing_role_AWN_702(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    put_missing(scene, "missingRoles", "nodes");
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 20);
    expect_problem(scene, "InstanceProfileReady", "RoleNotFound", "the IAM role \"nodes\"",
                   "does not exist");
    scene_close(scene);
}

static void a_missing_instance_profile(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    put_missing(scene, "missingInstanceProfiles", "own-profile");
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "instanceProfile: own-profile");
    run(scene, 30);
    expect_problem(scene, "ValidationSucceeded", "InstanceProfileNotFound",
                   "EC2 knows no instance profile", "own-profile");
    scene_close(scene);
}

// A role that the controller may not pass: the action, the role, the statement.
static void a_role_that_may_not_be_passed_AWN_437(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    json_t *policy = policy_of(&scene->settings);
    json_object_set_new(statement_of(policy, "AllowPassingInstanceRole"), "Resource",
                        json_string("arn:aws:iam::111122223333:role/others"));
    scene->account.policy = policy;
    scene_begin(scene);
    json_decref(policy);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 30);
    expect_problem(scene, "InstanceProfileReady", "Unauthorized",
                   "iam:PassRole on arn:aws:iam::111122223333:role/nodes",
                   "statement AllowPassingInstanceRole");
    scene_close(scene);
}

// --- refused calls -------------------------------------------------------------------------------

// EC2 hides the reason; the account decodes it (sts:DecodeAuthorizationMessage).
static void an_encoded_refusal_is_decoded_AWN_437(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    json_t *policy = policy_of(&scene->settings);
    json_object_set_new(statement_of(policy, "AllowScopedEC2InstanceAccessActions"), "Resource",
                        json_pack("[s,s]", "arn:aws:ec2:us-west-2::image/*",
                                  "arn:aws:ec2:us-west-2:*:security-group/*"));
    scene->account.policy = policy;
    scene_begin(scene);
    json_decref(policy);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 30);
    expect_problem(scene, "ValidationSucceeded", "CreateFleetAuthCheckFailed",
                   "ec2:CreateFleet on arn:aws:ec2:us-west-2:111122223333:subnet/",
                   "statement AllowScopedEC2InstanceAccessActions");
    scene_close(scene);
}

static void a_refusal_that_cannot_be_decoded(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    json_t *policy = policy_of(&scene->settings);
    json_object_set_new(statement_of(policy, "AllowScopedEC2InstanceAccessActions"), "Resource",
                        json_string("arn:aws:ec2:us-west-2::image/*"));
    json_object_set_new(statement_of(policy, "AllowDiagnosticReadActions"), "Action", json_array());
    scene->account.policy = policy;
    scene_begin(scene);
    json_decref(policy);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 30);
    expect_problem(scene, "ValidationSucceeded", "CreateFleetAuthCheckFailed",
                   "grant sts:DecodeAuthorizationMessage", "adze's role needs ec2:CreateFleet");
    scene_close(scene);
}

static void a_read_that_is_refused_AWN_702(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    json_t *policy = policy_of(&scene->settings);
    json_t *actions = json_object_get(statement_of(policy, "AllowRegionalReadActions"), "Action");
    for (size_t i = 0; i < json_array_size(actions); i++)
        if (strcmp(json_string_value(json_array_get(actions, i)), "ec2:DescribeSubnets") == 0)
            json_array_remove(actions, i);
    scene->account.policy = policy;
    scene_begin(scene);
    json_decref(policy);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    run(scene, 30);
    expect_problem(scene, "SubnetsReady", "Unauthorized", "needs ec2:DescribeSubnets",
                   "statement AllowRegionalReadActions");
    scene_close(scene);
}

// --- nodes and pools -----------------------------------------------------------------------------

// User data of another cluster: the instances run, and never join.
static void a_node_that_never_registers_STO_25(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene->settings.cluster_endpoint = "https://another.example";
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "");
    apply_pods(scene, 1);
    run(scene, 480);
    expect_condition(scene, "karpenter.sh/v1", "NodeClaim", "Registered", "NodeNotFound", "", "");
    expect_event(scene, "NodeClaim", "NodeNotRegistered", "has not joined the cluster",
                 "the last lines of its console: [    1.0] the kubelet cannot join the cluster");
    scene_close(scene);
}

static void no_instance_type_is_left_SCH_45(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "{key: karpenter.k8s.aws/instance-family, operator: In, values: [p5]}");
    apply_pods(scene, 1);
    run(scene, 60);
    expect_event(scene, "NodePool", "NoCompatibleInstanceTypes", "", "");
    expect_event(scene, "Pod", "FailedScheduling", "", "");
    scene_close(scene);
}

// The condition of the NodePool names the quota, its region and the remedy.
static void a_quota_is_used_up_AWI_928(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct scene *scene = scene_open();
        scene->settings.compatibility_upstream = upstream != 0;
        scene_begin(scene);
        json_t *pools = json_pack("[[s,s,s]]", "*", "*", "*");
        aws_account_add_fault(simulation_account(scene->simulation),
                              &(struct aws_account_fault){.action = (char *)"CreateFleet",
                                                          .code = (char *)"VcpuLimitExceeded",
                                                          .message = (char *)"limit of 5",
                                                          .times = -1,
                                                          .dry_run = 0,
                                                          .pools = pools});
        json_decref(pools);
        simulation_start_controller(scene->simulation);
        apply_class(scene, TAGGED, TAGGED, "role: nodes");
        apply_pool(scene, "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}");
        apply_pods(scene, 1);
        run(scene, 60);
        struct wanted wanted = {.kind = "NodePool",
                                .type = "LaunchBackOff",
                                .reason = "InsufficientCapacity",
                                .part = "instances\" in us-west-2 is used up (VcpuLimitExceeded)",
                                .remedy = "Service Quotas"};
        struct store *store = simulation_store(scene->simulation);
        store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodePool"), NULL,
                   look_at_conditions, &wanted);
        if (wanted.found == (upstream != 0))
            fail_msg("conditions (upstream %d):\n%s", upstream, text_or_empty(wanted.all.data));
        text_free(&wanted.all);
        scene_close(scene);
    }
}

static void a_pool_without_its_class_AWI_16(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_pool(scene, "");
    run(scene, 90);
    expect_event(scene, "NodePool", "NodeClassNotFound", "Failed resolving NodeClass", "");
    scene_close(scene);
    scene = scene_open(); // the same while it is being deleted
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "");
    apply_pods(scene, 1);
    run(scene, 200);
    expect_no_event(scene, "NodePool", "NodeClassNotFound");
    struct error error = {0};
    assert_true(simulation_delete(scene->simulation, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL,
                                  "default", &error));
    run(scene, 90);
    expect_event(scene, "NodePool", "NodeClassNotFound", "Failed resolving NodeClass", "");
    scene_close(scene);
}

// Keys of the provider's domain that it does not know.
static void unknown_keys_of_the_provider_AWI_81(void **state)
{
    (void)state;
    static const char pool[] =
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: "
        "{spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, "
        "requirements: [{key: %s, operator: In, values: [\"%s\"]}]}}}}";
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    struct error error = {0};
    struct text text = {0};
    text_format(&text, pool, "karpenter.k8s.aws/instance-colour", "red");
    assert_false(simulation_apply(scene->simulation, text.data, &error));
    assert_non_null(strstr(error.message, "karpenter.k8s.aws"));
    text_clear(&text);
    text_format(&text, pool, "topology.k8s.aws/zone-id", "usw2-az1");
    assert_true(simulation_apply(scene->simulation, text.data, &error));
    run(scene, 20);
    text_clear(&text);
    text_format(&text, pool, "karpenter.k8s.aws/instance-tenancy", "weird");
    assert_true(simulation_apply(scene->simulation, text.data, &error));
    run(scene, 20);
    expect_condition(scene, "karpenter.sh/v1", "NodePool", "ValidationSucceeded",
                     "NodePoolValidationFailed", "instance-tenancy", "");
    text_free(&text);
    scene_close(scene);
}

// --- calls and instances -------------------------------------------------------------------------

static void expect_counted(struct scene *scene, const char *name, const char *first,
                           const char *second, const char *third)
{
    struct metric *metric = metrics_find(simulation_metrics(scene->simulation), name);
    assert_non_null(metric);
    if (metric_read(metric, first, second, third) < 1)
        fail_msg("%s{%s,%s,%s} is not counted", name, first, second, third);
}

static void calls_are_counted_and_instances_collected_AWI_440_445_721_722(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "");
    apply_pods(scene, 1);
    run(scene, 200);
    struct aws_account *account = simulation_account(scene->simulation);
    assert_int_equal(aws_account_instances(account), 1);
    assert_string_equal(aws_provider.name, "aws"); // AWI-445
    assert_int_equal(aws_provider.node_class, KIND_EC2_NODE_CLASS);
    assert_int_equal(aws_provider.serves[0], KIND_EC2_NODE_CLASS); // and no other
    assert_int_equal(aws_provider.serves[1], KIND_COUNT);
    assert_true(provider_serves(&aws_provider, "karpenter.k8s.aws", "EC2NodeClass"));
    assert_false(provider_serves(&aws_provider, "karpenter.kwok.sh", "KWOKNodeClass"));
    expect_counted(scene, "karpenter_cloudprovider_duration_seconds", "nodeclaim.lifecycle",
                   "Create", "aws"); // AWI-721
    static const char *const families[] = {
        "aws_sdk_go_request_total", "aws_sdk_go_request_retry_count",
        "aws_sdk_go_request_duration_seconds", "aws_sdk_go_request_attempt_total",
        "aws_sdk_go_request_attempt_duration_seconds"}; // AWI-722
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++)
        expect_counted(scene, families[i], "EC2", "CreateFleet", "200");
    apply_pods(scene, 0);
    lose_claim(scene); // AWI-440: the instance goes, and its Node
    run(scene, 300);
    assert_int_equal(aws_account_instances(account), 0);
    assert_int_equal(simulation_count(scene->simulation, "v1", "Node"), 0);
    scene_close(scene);
}

// One type in four zones.
static void spot_of_few_pools_AWI_932(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene->account.catalogue = "m5\\.large";
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "{key: karpenter.sh/capacity-type, operator: In, values: [spot]}");
    apply_pods(scene, 1);
    run(scene, 60);
    expect_event(scene, "NodePool", "FewSpotPools", "has 4 pool(s) to choose from",
                 "allow more of them");
    scene_close(scene);
}

static void spot_without_a_queue_AWI_959_GUI_16(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    scene->settings.interruption_queue = NULL;
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}");
    run(scene, 400);
    expect_event(scene, "NodePool", "InterruptionQueueMissing", "INTERRUPTION_QUEUE is not set",
                 "create the queue");
    scene_close(scene);
}

// --- announcements of nodes ----------------------------------------------------------------------

static const char *instance_at(struct scene *scene, uint32_t index)
{
    struct simulation_machine machine;
    assert_true(simulation_machine_at(scene->simulation, index, &machine));
    return strrchr(machine.provider_id, '/') + 1;
}

static bool take_name(void *context, json_t *node)
{
    *(const char **)context = store_name(node);
    return false;
}

// The metadata service of the only node warns: its watcher tells the controller, which replaces the
// machine before EC2 takes it back. There is no queue, and EC2's requests show nothing.
static void a_node_tells_of_its_interruption_AWI_959(void **state)
{
    (void)state;
    struct scene *scene = scene_open();
    struct error error = {0};
    struct fake_metadata metadata;
    char name[300], warning[100], until[INSTANT_TEXT_MAX], *first;
    const char *node = NULL;
    scene->settings.interruption_queue = NULL;
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "{key: karpenter.sh/capacity-type, operator: In, values: [spot]}");
    apply_pods(scene, 1);
    run(scene, 200);
    first = memory_copy_string(instance_at(scene, 0));
    store_each(simulation_store(scene->simulation),
               store_resource_of_kind(simulation_store(scene->simulation), "v1", "Node"), NULL,
               take_name, &node);
    assert_non_null(node);
    snprintf(name, sizeof name, "%s", node);
    struct kube_client *kube =
        kube_client_create(scene->loop,
                           sim_transport_create(scene->loop, simulation_api(scene->simulation),
                                                &(struct sim_transport_options){.seed = 1}),
                           &(struct kube_client_options){0});
    fake_metadata_init(&metadata, scene->loop);
    struct node_watcher *watcher =
        node_watcher_create(&(struct node_watcher_options){.loop = scene->loop,
                                                           .http = &metadata.http,
                                                           .kube = kube,
                                                           .node_name = name,
                                                           .interval_ns = 5 * SECOND},
                            &error);
    assert_non_null(watcher);
    run(scene, 60);
    assert_string_equal(instance_at(scene, 0), first); // nothing was announced
    instant_format(ns_add(loop_now_ns(scene->loop), 2 * MINUTE), until);
    snprintf(warning, sizeof warning, "{\"action\": \"terminate\", \"time\": \"%s\"}", until);
    metadata.answers[NODE_SPOT_INTERRUPTION] = warning;
    run(scene, 110);
    expect_event(scene, "Node", "SpotInterrupted", "Spot interruption warning", "triggered");
    assert_int_equal(simulation_pods_running(scene->simulation), 1);
    assert_int_equal(aws_account_instances(simulation_account(scene->simulation)), 1);
    assert_string_not_equal(instance_at(scene, 0), first);
    node_watcher_destroy(watcher);
    kube_client_destroy(kube);
    free(first);
    scene_close(scene);
}

// --- the policy ----------------------------------------------------------------------------------

static void count_refusals(void *context, const struct aws_account_request *request)
{
    struct text *refusals = context;
    if (strstr(text_or_empty(request->error_message), "not authorized to") != NULL)
        text_format(refusals, "%s: %s\n", request->action, request->error_message);
}

static void live(struct scene *scene)
{
    apply(scene, "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: spare}, "
                 "spec: {role: nodes, amiSelectorTerms: [{alias: al2023@latest}], "
                 "subnetSelectorTerms: " TAGGED ", securityGroupSelectorTerms: " TAGGED
                 ", capacityReservationSelectorTerms: [{tags: {team: shop}}], "
                 "placementGroupSelector: {name: shop-group}}}");
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "{key: karpenter.sh/capacity-type, operator: In, values: [spot]}");
    apply_pods(scene, 3);
    run(scene, 200);
    assert_int_equal(simulation_pods_running(scene->simulation), 3);
    struct aws_account *account = simulation_account(scene->simulation);
    const char *id = aws_instance_id(aws_account_instance_at(account, 0));
    if (scene->settings.interruption_queue != NULL)
        assert_true(aws_account_interrupt(account, id));
    run(scene, 300);
    apply_pods(scene, 0);
    run(scene, 600);
    assert_int_equal(aws_account_instances(account), 0);
    struct error error = {0};
    assert_true(simulation_delete(scene->simulation, "karpenter.sh/v1", "NodePool", NULL, "default",
                                  &error));
    assert_true(simulation_delete(scene->simulation, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL,
                                  "default", &error));
    assert_true(simulation_delete(scene->simulation, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL,
                                  "spare", &error));
    run(scene, 600);
    assert_int_equal(simulation_count(scene->simulation, "karpenter.k8s.aws/v1", "EC2NodeClass"),
                     0);
}

// Statements that only what goes wrong needs, tested above and with the doctor.
static bool is_for_trouble(const char *action)
{
    return strcmp(action, "ec2:GetConsoleOutput") == 0 ||
           strcmp(action, "sts:DecodeAuthorizationMessage") == 0;
}

static void expect_uses(const struct scene *scene, const json_t *policy)
{
    const json_t *uses = aws_account_policy_uses(simulation_account(scene->simulation));
    size_t i, k;
    json_t *statement, *action;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        json_array_foreach (json_object_get(statement, "Action"), k, action) {
            struct text key = {0};
            text_format(&key, "%s %s", json_string_value(json_object_get(statement, "Sid")),
                        json_string_value(action));
            if (json_object_get(uses, key.data) == NULL &&
                !is_for_trouble(json_string_value(action)))
                fail_msg("%s is granted and never used", key.data);
            text_free(&key);
        }
}

static void a_life_under_the_policy(bool queue)
{
    struct scene *scene = scene_open();
    struct text refusals = {0};
    scene->settings.enable_zonal_shift = true;
    if (!queue)
        scene->settings.interruption_queue = NULL;
    json_t *policy = policy_of(&scene->settings);
    scene->account.policy = policy;
    scene->account.requested = count_refusals;
    scene->account.context = &refusals;
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    live(scene);
    if (refusals.length > 0)
        fail_msg("%s", refusals.data);
    expect_uses(scene, policy);
    scene_close(scene);
    json_decref(policy);
    text_free(&refusals);
}

static void the_policy_is_enough_and_used_AWN_620(void **state)
{
    (void)state;
    a_life_under_the_policy(true);
    a_life_under_the_policy(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_subnet_matches_AWN_702),
        cmocka_unit_test(no_security_group_matches_AWN_702),
        cmocka_unit_test(no_image_matches),
        cmocka_unit_test(missing_ami_selector_terms),
        cmocka_unit_test(a_missing_role_AWN_702),
        cmocka_unit_test(a_missing_instance_profile),
        cmocka_unit_test(a_role_that_may_not_be_passed_AWN_437),
        cmocka_unit_test(an_encoded_refusal_is_decoded_AWN_437),
        cmocka_unit_test(a_refusal_that_cannot_be_decoded),
        cmocka_unit_test(a_read_that_is_refused_AWN_702),
        cmocka_unit_test(a_node_that_never_registers_STO_25),
        cmocka_unit_test(no_instance_type_is_left_SCH_45),
        cmocka_unit_test(a_quota_is_used_up_AWI_928),
        cmocka_unit_test(a_pool_without_its_class_AWI_16),
        cmocka_unit_test(unknown_keys_of_the_provider_AWI_81),
        cmocka_unit_test(calls_are_counted_and_instances_collected_AWI_440_445_721_722),
        cmocka_unit_test(spot_of_few_pools_AWI_932),
        cmocka_unit_test(spot_without_a_queue_AWI_959_GUI_16),
        cmocka_unit_test(a_node_tells_of_its_interruption_AWI_959),
        cmocka_unit_test(the_policy_is_enough_and_used_AWN_620),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
