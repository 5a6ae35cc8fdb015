// What the reconcilers of EC2NodeClasses do over time: conditions, refreshes, failures, verdicts.
#include <string.h>

#include "node_class_world.h"
#include "reconcile_support.h"

static void finalizer_and_conditions_AWN_31_34_35(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    const json_t *object = node_class_now(&run, "web");
    const json_t *finalizers = json_object_get(json_object_get(object, "metadata"), "finalizers");
    assert_string_equal(json_string_value(json_array_get(finalizers, 0)),
                        "karpenter.k8s.aws/termination");
    static const char *const types[] = {"AMIsReady",
                                        "SubnetsReady",
                                        "SecurityGroupsReady",
                                        "Ready",
                                        "ValidationSucceeded",
                                        "PlacementGroupReady",
                                        "CapacityReservationsReady",
                                        "InstanceProfileReady"};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        const json_t *condition = condition_of(object, types[i]);
        assert_string_equal(text_at(condition, "status"), "True");
        assert_string_equal(text_at(condition, "reason"), types[i]);
        assert_string_equal(text_at(condition, "message"), "");
        assert_int_equal(json_integer_value(json_object_get(condition, "observedGeneration")), 1);
    }
    const json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    size_t count = json_array_size(list);
    assert_int_equal(count, ARRAY_LENGTH(types));
    assert_string_equal(text_at(json_array_get(list, count - 1), "type"), "Ready");
    for (size_t i = 1; i + 1 < count; i++)
        assert_true(strcmp(text_at(json_array_get(list, i - 1), "lastTransitionTime"),
                           text_at(json_array_get(list, i), "lastTransitionTime")) <= 0);
    char *before =
        memory_copy_string(text_at(condition_of(object, "SubnetsReady"), "lastTransitionTime"));
    patch_class(&run, "web", "{'spec': {'detailedMonitoring': true}}");
    loop_run_for(run.loop, MINUTE);
    object = node_class_now(&run, "web");
    const json_t *subnets = condition_of(object, "SubnetsReady");
    assert_int_equal(json_integer_value(json_object_get(subnets, "observedGeneration")), 2);
    assert_string_equal(text_at(subnets, "lastTransitionTime"), before);
    free(before);
    patch_class(&run, "web", "{'spec': {'subnetSelectorTerms': [{'id': 'subnet-0'}]}}");
    loop_run_for(run.loop, MINUTE);
    const json_t *ready = condition_of(node_class_now(&run, "web"), "Ready");
    assert_string_equal(text_at(ready, "status"), "False");
    assert_string_equal(text_at(ready, "reason"), "UnhealthyDependents");
    assert_non_null(strstr(text_at(ready, "message"), "SubnetsReady=False"));
    close_run(&run);
}

static void failing_calls_leave_the_status_AWN_36_38_702(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    refuse(&run, "DescribeSubnets", 403, "UnauthorizedOperation", -1);
    loop_run_for(run.loop, 2 * MINUTE);
    forget_requests(&run);
    loop_run_for(run.loop, 10 * MINUTE);
    // Once a minute at last, and sooner at first.
    assert_in_range(requests_of(&run, "DescribeSubnets"), 8, 14);
    const json_t *object = node_class_now(&run, "web");
    assert_string_equal(text_at(condition_of(object, "SubnetsReady"), "status"), "True");
    assert_int_equal(json_array_size(json_object_get(json_object_get(object, "status"), "subnets")),
                     4);
    add_class(&run, "new", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, MINUTE);
    const json_t *subnets = condition_of(node_class_now(&run, "new"), "SubnetsReady");
    assert_string_equal(text_at(subnets, "status"), "Unknown");
    assert_string_equal(text_at(subnets, "reason"), "Unauthorized");
    assert_non_null(strstr(text_at(subnets, "message"), "ec2:DescribeSubnets"));
    run.settings.compatibility_upstream = true;
    add_class(&run, "old", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, MINUTE);
    subnets = condition_of(node_class_now(&run, "old"), "SubnetsReady");
    assert_string_equal(text_at(subnets, "reason"), "AwaitingReconciliation");
    aws_account_clear_faults(run.account);
    loop_run_for(run.loop, 2 * MINUTE);
    assert_string_equal(text_at(condition_of(node_class_now(&run, "old"), "Ready"), "status"),
                        "True");
    close_run(&run);
}

static void set_intervals(struct run *run)
{
    run->settings.subnet_refresh_interval = 5 * MINUTE;
    run->settings.ami_refresh_interval = 10 * MINUTE;
}

static void answers_are_kept_for_their_time_AWN_33_103_122_177_391_550_551(void **state)
{
    (void)state;
    struct run run;
    open_run_with(&run, NULL);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    forget_requests(&run);
    loop_run_for(run.loop, HOUR);
    assert_in_range(requests_of(&run, "DescribeSubnets"), 28, 62);
    assert_in_range(requests_of(&run, "DescribeSecurityGroups"), 28, 62);
    assert_in_range(requests_of(&run, "DescribeImages"), 28, 62);
    assert_int_equal(requests_of(&run, "GetParameter"), 0); // a day
    assert_in_range(requests_of(&run, "GetInstanceProfile"), 3, 5);
    forget_requests(&run);
    patch_class(&run, "web", "{'spec': {'detailedMonitoring': true}}");
    loop_run_for(run.loop, 5 * SECOND);
    assert_int_equal(requests_of(&run, "DescribeSubnets"), 1); // another generation
    assert_int_equal(requests_of(&run, "DescribeSecurityGroups"), 1);
    assert_int_equal(requests_of(&run, "DescribeImages"), 1);
    close_run(&run);
    open_run_with(&run, set_intervals);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    forget_requests(&run);
    loop_run_for(run.loop, HOUR);
    assert_in_range(requests_of(&run, "DescribeSubnets"), 9, 13);
    assert_in_range(requests_of(&run, "DescribeImages"), 5, 7);
    close_run(&run);
}

// An own parameter is read every five minutes; while it cannot be read, the last value counts.
static void parameters_AWN_170_177_700(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    put(&run, "ssmParameters", "{'/own/image': 'ami-02a3b5935858f9ba3'}");
    add_class(&run, "web",
              SPEC_AMI("[{'ssmParameter': '/own/image'}]", "'amiFamily': 'AL2023', 'role': 'r'"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_string_equal(first_image(&run, "web"), "ami-02a3b5935858f9ba3");
    forget_requests(&run);
    loop_run_for(run.loop, HOUR);
    assert_in_range(requests_of(&run, "GetParameter"), 9, 13);
    refuse(&run, "GetParameter", 400, "AccessDeniedException", -1);
    loop_run_for(run.loop, 20 * MINUTE);
    assert_string_equal(first_image(&run, "web"), "ami-02a3b5935858f9ba3");
    aws_account_clear_faults(run.account);
    refuse(&run, "GetParameter", 400, "ParameterNotFound", -1);
    loop_run_for(run.loop, 10 * MINUTE);
    assert_null(first_image(&run, "web"));
    close_run(&run);
}

// AWN-178: `latest` is asked for again when its image is deprecated, a pinned version is not.
static void deprecated_latest_images_AWN_178(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "latest", SPEC_AMI("[{'alias': 'al2023@latest'}]", "'role': 'node-role'"));
    add_class(&run, "pinned", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 2 * MINUTE);
    const char *image = first_image(&run, "latest");
    assert_non_null(image);
    json_t *images = json_object_get(run.environment, "images"), *found = NULL;
    size_t index;
    json_t *entry;
    json_array_foreach (images, index, entry)
        if (text_equal(text_at(entry, "id"), image))
            found = json_deep_copy(entry);
    assert_non_null(found);
    json_object_set_new(found, "deprecation", json_string("2026-01-01T00:00:00.000Z"));
    struct error error = {0};
    assert_true(aws_account_put(run.account, "images", found, &error));
    json_decref(found);
    forget_requests(&run);
    loop_run_for(run.loop, 25 * MINUTE);
    assert_int_equal(requests_of(&run, "GetParameter"), 0);
    loop_run_for(run.loop, 10 * MINUTE);
    size_t again = requests_of(&run, "GetParameter");
    assert_in_range(again, 1, 2); // the parameter of that image alone
    assert_non_null(strstr(text_at(last_request(&run, "GetParameter"), "Name"), "recommended"));
    close_run(&run);
}

static void set_old_version(struct run *run)
{
    run->cluster.version = "1.32";
}

// A NodeClass that is wrong for this version of the cluster recovers after an upgrade.
static void refused_aliases_recover_AWN_37_701(void **state)
{
    (void)state;
    struct run run;
    open_run_with(&run, set_old_version);
    add_class(&run, "win", SPEC_AMI("[{'alias': 'windows2025@latest'}]", "'role': 'node-role'"));
    loop_run_for(run.loop, MINUTE);
    const json_t *amis = condition_of(node_class_now(&run, "win"), "AMIsReady");
    assert_string_equal(text_at(amis, "reason"), "UnsupportedAlias");
    run.cluster.version = "1.35";
    loop_run_for(run.loop, 12 * MINUTE);
    amis = condition_of(node_class_now(&run, "win"), "AMIsReady");
    assert_string_equal(text_at(amis, "status"), "True");
    close_run(&run);
}

static void placement_groups_AWN_150_151_706(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web",
              SPEC("'role': 'r', 'placementGroupSelector': {'name': 'cluster-group'}"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_string_equal(
        text_at(condition_of(node_class_now(&run, "web"), "PlacementGroupReady"), "status"),
        "True");
    forget_requests(&run);
    loop_run_for(run.loop, HOUR);
    assert_in_range(requests_of(&run, "DescribePlacementGroups"), 28, 62);
    refuse(&run, "DescribePlacementGroups", 403, "UnauthorizedOperation", -1);
    loop_run_for(run.loop, 5 * MINUTE);
    const json_t *condition = condition_of(node_class_now(&run, "web"), "PlacementGroupReady");
    assert_string_equal(text_at(condition, "reason"), "PlacementGroupResolutionFailed");
    const struct ec2_node_class *node_class =
        (const struct ec2_node_class *)mirror_get(run.mirror, KIND_EC2_NODE_CLASS, NULL, "web");
    const struct placement_group *group = NULL;
    assert_int_equal(placement_groups_of(run.groups, node_class, &group), PLACEMENT_GROUP_KNOWN);
    assert_string_equal(group->strategy, "cluster");
    aws_account_clear_faults(run.account);
    refuse(&run, "DescribePlacementGroups", 400, "InvalidPlacementGroup.Unknown", -1);
    loop_run_for(run.loop, 5 * MINUTE);
    condition = condition_of(node_class_now(&run, "web"), "PlacementGroupReady");
    assert_string_equal(text_at(condition, "reason"), "PlacementGroupNotFound");
    assert_non_null(strstr(text_at(condition, "message"), "\"cluster-group\""));
    close_run(&run);
}

static void verdicts_are_kept_AWN_422(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_int_equal(requests_of(&run, "RunInstances"), 1);
    loop_run_for(run.loop, 25 * MINUTE);
    assert_int_equal(requests_of(&run, "RunInstances"), 1);
    loop_run_for(run.loop, 15 * MINUTE);
    assert_int_equal(requests_of(&run, "RunInstances"), 2);
    patch_class(&run, "web", "{'metadata': {'annotations': {'look': 'again'}}}");
    loop_run_for(run.loop, 10 * SECOND);
    assert_int_equal(requests_of(&run, "RunInstances"), 3);
    close_run(&run);
}

#define CLAIM(name, version, hash, conditions)                                                   \
    "{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': '" name         \
    "', 'annotations': {'karpenter.k8s.aws/ec2nodeclass-hash': '" hash                           \
    "', 'karpenter.k8s.aws/ec2nodeclass-hash-version': '" version                                \
    "'}}, 'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': "                      \
    "'EC2NodeClass', 'name': 'web'}, 'requirements': []}, 'status': {'conditions': [" conditions \
    "]}}"

static const char *claim_annotation(struct run *run, const char *name, const char *key)
{
    const json_t *claim = store_get(run->store, claims_of(run), NULL, name);
    const json_t *metadata = json_object_get(claim, "metadata");
    return text_at(json_object_get(metadata, "annotations"), key);
}

static void claims_get_the_new_hash_AWN_71_73(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_claim(&run, CLAIM("plain", "v5", "1", ""));
    add_claim(&run, CLAIM("drifted", "v5", "2",
                          "{'type': 'Drifted', 'status': 'True', 'reason': 'AMIDrift', 'message': "
                          "'', 'lastTransitionTime': '2026-01-01T00:00:00Z'}"));
    add_claim(&run, CLAIM("current", "v6", "3", ""));
    add_class(&run, "web", SPEC("'role': 'node-role', 'kubelet': {'maxPods': 12}"));
    loop_run_for(run.loop, 30 * SECOND);
    const json_t *annotations =
        json_object_get(json_object_get(node_class_now(&run, "web"), "metadata"), "annotations");
    const char *hash = text_at(annotations, "karpenter.k8s.aws/ec2nodeclass-hash");
    assert_string_equal(text_at(annotations, "karpenter.k8s.aws/ec2nodeclass-hash-version"), "v6");
    static const char *const names[] = {"plain", "drifted", "current"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        assert_string_equal(
            claim_annotation(&run, names[i], "karpenter.k8s.aws/ec2nodeclass-hash-version"), "v6");
    assert_string_equal(claim_annotation(&run, "plain", "karpenter.k8s.aws/ec2nodeclass-hash"),
                        hash);
    assert_string_equal(claim_annotation(&run, "drifted", "karpenter.k8s.aws/ec2nodeclass-hash"),
                        "2");
    assert_string_equal(claim_annotation(&run, "current", "karpenter.k8s.aws/ec2nodeclass-hash"),
                        "3");
    char *former = memory_copy_string(hash);
    patch_class(&run, "web", "{'spec': {'kubelet': {'maxPods': 21}}}");
    loop_run_for(run.loop, 10 * SECOND);
    annotations =
        json_object_get(json_object_get(node_class_now(&run, "web"), "metadata"), "annotations");
    assert_string_not_equal(text_at(annotations, "karpenter.k8s.aws/ec2nodeclass-hash"), former);
    free(former);
    close_run(&run);
}

static size_t groups_found(struct run *run, const char *terms)
{
    struct text body = {0};
    text_format(&body, "{'spec': {'securityGroupSelectorTerms': %s}}", terms);
    patch_class(run, "web", body.data);
    text_free(&body);
    loop_run_for(run->loop, 20 * SECOND);
    const json_t *status = json_object_get(node_class_now(run, "web"), "status");
    const json_t *list = json_object_get(status, "securityGroups");
    for (size_t i = 1; i < json_array_size(list); i++)
        assert_true(strcmp(text_at(json_array_get(list, i - 1), "id"),
                           text_at(json_array_get(list, i), "id")) < 0);
    return json_array_size(list);
}

// Ids in one query, names in one (they are names of groups, with wildcards), and each set of tags.
static void security_groups_AWN_120_121_122(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    forget_requests(&run);
    assert_int_equal(groups_found(&run, "[{'id': 'sg-1cb0f5a9e3a8e4ddd'}, {'id': "
                                        "'sg-c8dee78f8c7b466c8'}, {'id': 'sg-0'}]"),
                     2);
    assert_int_equal(requests_of(&run, "DescribeSecurityGroups"), 1);
    const json_t *request = last_request(&run, "DescribeSecurityGroups");
    assert_string_equal(text_at(request, "MaxResults"), "500");
    const json_t *filter = json_array_get(json_object_get(request, "Filter"), 0);
    assert_string_equal(text_at(filter, "Name"), "group-id");
    assert_int_equal(json_array_size(json_object_get(filter, "Value")), 3);
    forget_requests(&run);
    assert_int_equal(
        groups_found(&run, "[{'name': 'extra*'}, {'name': 'nodes-group'}, {'name': 'lonely'}]"), 3);
    assert_int_equal(requests_of(&run, "DescribeSecurityGroups"), 1);
    filter =
        json_array_get(json_object_get(last_request(&run, "DescribeSecurityGroups"), "Filter"), 0);
    assert_string_equal(text_at(filter, "Name"), "group-name");
    assert_int_equal(groups_found(&run, "[{'tags': {'role': '*'}}]"), 3);
    assert_int_equal(groups_found(&run, "[{'tags': {'role': 'extra', 'Name': 'extra'}}]"), 1);
    forget_requests(&run);
    assert_int_equal(groups_found(&run,
                                  "[{'id': 'sg-1cb0f5a9e3a8e4ddd'}, {'name': 'extra-group'}, "
                                  "{'tags': {'role': 'nodes'}}, {'tags': {'role': 'extra'}}]"),
                     4);
    assert_int_equal(requests_of(&run, "DescribeSecurityGroups"), 4);
    close_run(&run);
}

// The tenancy that a NodePool of the NodeClass allows is tried.
static void validation_with_the_tenancy_of_a_pool_AWN_433(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"'dedicated'", "dedicated"},
                                          {"'default', 'dedicated'", "dedicated"},
                                          {"'default'", "default"}};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        struct run run;
        open_run(&run);
        struct text pool = {0};
        text_format(&pool,
                    "{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': "
                    "'p'}, 'spec': {'template': {'spec': {'nodeClassRef': {'group': "
                    "'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'web'}, 'requirements': "
                    "[{'key': 'karpenter.k8s.aws/instance-tenancy', 'operator': 'In', 'values': "
                    "[%s]}]}}}}",
                    rows[i][0]);
        add_object(&run, store_resource_find(run.store, "karpenter.sh", "v1", "nodepools"),
                   json_of(pool.data));
        text_free(&pool);
        add_class(&run, "web", SPEC("'role': 'node-role'"));
        loop_run_for(run.loop, 30 * SECOND);
        const json_t *template = last_request(&run, "CreateLaunchTemplate");
        const json_t *data = json_object_get(template, "LaunchTemplateData");
        assert_string_equal(text_at(json_object_get(data, "Placement"), "Tenancy"), rows[i][1]);
        const json_t *tags = json_object_get(template, "TagSpecification");
        assert_non_null(tags);
        close_run(&run);
    }
}

static void allow_expressions(struct run *run)
{
    struct error error = {0};
    assert_true(settings_set(&run->settings, "AWS_FEATURE_GATES", "NodeClassCEL=true", &error));
}

// An expression that fails on types which nothing needs to use does not stop the NodeClass.
static void expressions_of_unused_types_AWN_718(void **state)
{
    (void)state;
    struct run run;
    open_run_with(&run, allow_expressions);
    add_class(&run, "some", SPEC("'role': 'node-role', 'kubelet': {'maxPods': 'vcpus - 4'}"));
    add_class(&run, "none", SPEC("'role': 'node-role', 'kubelet': {'maxPods': '0 - vcpus'}"));
    loop_run_for(run.loop, 30 * SECOND);
    const json_t *condition = condition_of(node_class_now(&run, "some"), "ValidationSucceeded");
    assert_string_equal(text_at(condition, "status"), "True");
    condition = condition_of(node_class_now(&run, "none"), "ValidationSucceeded");
    assert_string_equal(text_at(condition, "reason"), "KubeletExpressionEvaluationFailed");
    run.settings.compatibility_upstream = true;
    add_class(&run, "old", SPEC("'role': 'node-role', 'kubelet': {'maxPods': 'vcpus - 4'}"));
    loop_run_for(run.loop, 30 * SECOND);
    condition = condition_of(node_class_now(&run, "old"), "ValidationSucceeded");
    assert_string_equal(text_at(condition, "reason"), "KubeletExpressionEvaluationFailed");
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finalizer_and_conditions_AWN_31_34_35),
        cmocka_unit_test(failing_calls_leave_the_status_AWN_36_38_702),
        cmocka_unit_test(answers_are_kept_for_their_time_AWN_33_103_122_177_391_550_551),
        cmocka_unit_test(parameters_AWN_170_177_700),
        cmocka_unit_test(deprecated_latest_images_AWN_178),
        cmocka_unit_test(refused_aliases_recover_AWN_37_701),
        cmocka_unit_test(placement_groups_AWN_150_151_706),
        cmocka_unit_test(verdicts_are_kept_AWN_422),
        cmocka_unit_test(claims_get_the_new_hash_AWN_71_73),
        cmocka_unit_test(security_groups_AWN_120_121_122),
        cmocka_unit_test(validation_with_the_tenancy_of_a_pool_AWN_433),
        cmocka_unit_test(expressions_of_unused_types_AWN_718),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
