// What EC2NodeClasses leave in the account, and what is cleaned up: instance profiles and launch
// templates, on deletion and over time.
#include <string.h>

#include "base/hash.h"
#include "node_class_world.h"
#include "reconcile_support.h"

#define CLAIM(name)                                                                       \
    "{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': '" name  \
    "'}, 'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass'," \
    " 'name': 'web'}, 'requirements': []}, 'status': {'conditions': []}}"

static bool note_waiting(void *context, json_t *event)
{
    if (text_equal(text_at(event, "reason"), "WaitingOnNodeClaimTermination"))
        json_array_append(context, event);
    return true;
}

static void deletion_waits_for_claims_AWN_30_90(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    static const char *const claims[] = {CLAIM("c-1"), CLAIM("c-2"), CLAIM("c-3"), CLAIM("c-4"),
                                         CLAIM("c-5"), CLAIM("c-6"), CLAIM("c-7")};
    static const char *const names[] = {"c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-7"};
    for (size_t i = 0; i < ARRAY_LENGTH(claims); i++)
        add_claim(&run, claims[i]);
    loop_run_for(run.loop, 30 * SECOND);
    delete_object(&run, run.resource, "web");
    loop_run_for(run.loop, 15 * MINUTE);
    assert_non_null(node_class_now(&run, "web"));
    assert_int_equal(requests_of(&run, "DeleteInstanceProfile"), 0);
    json_t *events = json_array();
    store_each(run.store, store_resource_find(run.store, "", "v1", "events"), NULL, note_waiting,
               events);
    assert_true(json_array_size(events) >= 1);
    const json_t *event = json_array_get(events, 0);
    assert_string_equal(text_at(event, "type"), "Normal");
    assert_string_equal(text_at(event, "message"),
                        "Waiting on NodeClaim termination for c-1, c-2, c-3, c-4, c-5 and 2 more");
    json_decref(events);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        delete_object(&run, claims_of(&run), names[i]);
    loop_run_for(run.loop, 30 * SECOND); // the last one's end is seen at once
    assert_null(node_class_now(&run, "web"));
    close_run(&run);
}

static const char *profile_of(struct run *run, const char *name)
{
    return text_at(json_object_get(node_class_now(run, name), "status"), "instanceProfile");
}

static void deletion_removes_what_is_its_own_AWN_91_93_372_395_397_714(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    // The templates of the validations cannot be deleted at once (AWN-713).
    refuse(&run, "DeleteLaunchTemplate", 400, "OperationNotPermitted", 2);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    add_class(&run, "other", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_int_equal(aws_account_profiles(run.account), 2);
    assert_int_equal(aws_account_templates(run.account), 2);
    char *profile = memory_copy_string(profile_of(&run, "web"));
    char *uid = memory_copy_string(
        text_at(json_object_get(node_class_now(&run, "web"), "metadata"), "uid"));
    forget_requests(&run);
    refuse(&run, "DeleteInstanceProfile", 500, "ServiceFailure", 3); // a call with its repetitions
    refuse(&run, "DeleteLaunchTemplate", 400, "InvalidLaunchTemplateName.NotFoundException", 1);
    delete_object(&run, run.resource, "web");
    loop_run_for(run.loop, 10 * MILLISECOND);
    assert_non_null(node_class_now(&run, "web"));
    loop_run_for(run.loop, 2 * MINUTE);
    assert_null(node_class_now(&run, "web"));
    assert_int_equal(aws_account_profiles(run.account), 1);
    assert_non_null(profile_of(&run, "other"));
    struct text path = {0};
    text_format(&path, "/karpenter/us-west-2/test-cluster/%s/", uid);
    assert_string_equal(text_at(last_request(&run, "ListInstanceProfiles"), "PathPrefix"),
                        path.data);
    text_free(&path);
    assert_string_equal(
        text_at(last_request(&run, "RemoveRoleFromInstanceProfile"), "InstanceProfileName"),
        profile);
    // The profile of older releases is looked for by its name.
    struct text legacy = {0};
    text_format(&legacy, "test-cluster_%llu",
                (unsigned long long)hash_fnv1("us-west-2web", strlen("us-west-2web")));
    assert_string_equal(text_at(last_request(&run, "GetInstanceProfile"), "InstanceProfileName"),
                        legacy.data);
    text_free(&legacy);
    free(profile);
    free(uid);
    close_run(&run);
}

static void done(void *context, const struct aws_result *result)
{
    *(bool *)context = result->error.kind == ERROR_NONE;
}

static void make_profile(struct run *run, const char *name, const char *node_class)
{
    bool made = false;
    json_t *parameters =
        json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:s}]}", "InstanceProfileName", name, "Tags", "Key",
                  "kubernetes.io/cluster/test-cluster", "Value", "owned", "Key",
                  "karpenter.k8s.aws/ec2nodeclass", "Value", node_class);
    aws_client_start(run->client, &(struct aws_request){.action = IAM_CREATE_INSTANCE_PROFILE,
                                                        .parameters = parameters,
                                                        .done = done,
                                                        .context = &made});
    loop_run_for(run->loop, 5 * SECOND);
    assert_true(made);
}

static void follow_upstream(struct run *run)
{
    run->settings.compatibility_upstream = true;
}

// A profile with the name of older releases and the tags of something else is not deleted.
static void foreign_profiles_stay_AWN_717(void **state)
{
    (void)state;
    static const struct {
        const char *tag;
        bool upstream, stays;
    } cases[] = {{"web", false, false}, {"other", false, true}, {"other", true, false}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct run run;
        struct text legacy = {0};
        open_run_with(&run, cases[i].upstream ? follow_upstream : NULL);
        text_format(&legacy, "test-cluster_%llu",
                    (unsigned long long)hash_fnv1("us-west-2web", strlen("us-west-2web")));
        make_profile(&run, legacy.data, cases[i].tag);
        add_class(&run, "web", SPEC("'role': 'node-role'"));
        loop_run_for(run.loop, 30 * SECOND);
        assert_int_equal(aws_account_profiles(run.account), 2);
        delete_object(&run, run.resource, "web");
        loop_run_for(run.loop, 2 * MINUTE);
        assert_null(node_class_now(&run, "web"));
        assert_int_equal(aws_account_profiles(run.account), cases[i].stays);
        text_free(&legacy);
        close_run(&run);
    }
}

static void isolate(struct run *run)
{
    run->settings.isolated_vpc = true;
}

static void isolated_and_own_profiles_stay_AWN_92_390_508(void **state)
{
    (void)state;
    struct run run;
    open_run_with(&run, isolate);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 1); // the role needs IAM
    forget_requests(&run);
    delete_object(&run, run.resource, "web");
    loop_run_for(run.loop, 3 * HOUR);
    assert_null(node_class_now(&run, "web"));
    assert_int_equal(requests_of(&run, "ListInstanceProfiles"), 0);
    assert_int_equal(requests_of(&run, "GetInstanceProfile"), 0);
    assert_int_equal(requests_of(&run, "DeleteInstanceProfile"), 0);
    assert_int_equal(aws_account_profiles(run.account), 1);
    close_run(&run);
    open_run(&run);
    add_class(&run, "web", SPEC("'instanceProfile': 'own-profile'"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_string_equal(profile_of(&run, "web"), "own-profile");
    delete_object(&run, run.resource, "web");
    loop_run_for(run.loop, MINUTE);
    assert_null(node_class_now(&run, "web"));
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 0);
    assert_int_equal(requests_of(&run, "DeleteInstanceProfile"), 0);
    assert_int_equal(requests_of(&run, "RemoveRoleFromInstanceProfile"), 0);
    close_run(&run);
}

// Roles by name, a path before it, and back: each change is a new profile, each pass none.
static void a_role_has_its_profile_AWN_391_392_393_705(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'team/path/node-role'"));
    loop_run_for(run.loop, 2 * HOUR);
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 1);
    assert_string_equal(text_at(last_request(&run, "AddRoleToInstanceProfile"), "RoleName"),
                        "node-role");
    const json_t *creation = last_request(&run, "CreateInstanceProfile");
    assert_true(text_starts_with(text_at(creation, "Path"), "/karpenter/us-west-2/test-cluster/"));
    char *first = memory_copy_string(profile_of(&run, "web"));
    assert_true(text_starts_with(first, "test-cluster_"));
    patch_class(&run, "web", "{'spec': {'role': 'second'}}");
    loop_run_for(run.loop, 10 * MINUTE);
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 2);
    assert_string_not_equal(profile_of(&run, "web"), first);
    patch_class(&run, "web", "{'spec': {'role': 'team/path/node-role'}}");
    loop_run_for(run.loop, 10 * MINUTE);
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 3);
    assert_string_not_equal(profile_of(&run, "web"), first);
    // A step fails: the new profile is deleted again, and nothing else is left.
    uint32_t profiles = aws_account_profiles(run.account);
    refuse(&run, "AddRoleToInstanceProfile", 403, "AccessDenied", 1);
    forget_requests(&run);
    patch_class(&run, "web", "{'spec': {'role': 'third'}}");
    loop_run_for(run.loop, 2 * MINUTE);
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 2);
    assert_int_equal(requests_of(&run, "DeleteInstanceProfile"), 1);
    assert_int_equal(aws_account_profiles(run.account), profiles + 1);
    free(first);
    close_run(&run);
}

// A role that is missing is tried once a minute at most, and told.
static void missing_roles_are_remembered_AWN_394_702_705(void **state)
{
    (void)state;
    static const char *const specs[] = {SPEC("'role': 'missing-role'"),
                                        SPEC("'role': 'path/missing-role'")};
    for (size_t i = 0; i < ARRAY_LENGTH(specs); i++) {
        struct run run;
        open_run(&run);
        add_class(&run, "web", specs[i]);
        loop_run_for(run.loop, 10 * MINUTE);
        assert_in_range(requests_of(&run, "CreateInstanceProfile"), 5, 11);
        assert_int_equal(aws_account_profiles(run.account), 0);
        const json_t *condition = condition_of(node_class_now(&run, "web"), "InstanceProfileReady");
        assert_string_equal(text_at(condition, "status"), "False");
        assert_string_equal(text_at(condition, "reason"), "RoleNotFound");
        assert_non_null(strstr(text_at(condition, "message"), "missing-role"));
        close_run(&run);
    }
}

// A status patch that is lost does not cost a second profile, and another role has its own.
static void a_lost_status_finds_its_profile_AWN_396(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    char *first = memory_copy_string(profile_of(&run, "web"));
    patch(&run,
          &(struct store_target){.resource = run.resource, .name = "web", .subresource = "status"},
          "{'status': {'instanceProfile': null}}");
    assert_null(profile_of(&run, "web"));
    loop_run_for(run.loop, 10 * SECOND);
    assert_string_equal(profile_of(&run, "web"), first);
    assert_int_equal(requests_of(&run, "CreateInstanceProfile"), 1);
    patch_class(&run, "web", "{'spec': {'role': 'second'}}");
    loop_run_for(run.loop, 10 * SECOND);
    assert_string_not_equal(profile_of(&run, "web"), first);
    free(first);
    close_run(&run);
}

// The profile of a former role goes an hour after it was replaced, not sooner, and not while a
// NodeClaim was launched with it.
static void profiles_are_collected_AWN_398_724(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    struct text claim = {0};
    text_format(&claim,
                "{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': "
                "'user', 'annotations': {'karpenter.k8s.aws/instance-profile-name': '%s'}}, "
                "'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', "
                "'name': 'web'}, 'requirements': []}, 'status': {'conditions': []}}",
                profile_of(&run, "web"));
    add_claim(&run, claim.data);
    text_free(&claim);
    patch_class(&run, "web", "{'spec': {'role': 'second'}}");
    loop_run_for(run.loop, 4 * HOUR);
    assert_int_equal(aws_account_profiles(run.account), 2);
    delete_object(&run, claims_of(&run), "user");
    loop_run_for(run.loop, 25 * MINUTE);
    assert_int_equal(aws_account_profiles(run.account), 2);
    loop_run_for(run.loop, 3 * HOUR);
    assert_int_equal(aws_account_profiles(run.account), 1);
    assert_non_null(profile_of(&run, "web"));
    assert_string_equal(text_at(last_request(&run, "ListInstanceProfiles"), "PathPrefix"),
                        "/karpenter/us-west-2/test-cluster/");
    close_run(&run);
}

static void be_upstream(struct run *run)
{
    run->settings.compatibility_upstream = true;
}

// The template of a validation is deleted by its id when it has not been used for its time.
static void unused_templates_go_AWN_360_361_434(void **state)
{
    (void)state;
    struct run run;
    open_run_with(&run, be_upstream);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    assert_int_equal(requests_of(&run, "DescribeLaunchTemplates"), 1);
    assert_int_equal(aws_account_templates(run.account), 1);
    loop_run_for(run.loop, 2 * MINUTE);
    assert_int_equal(aws_account_templates(run.account), 0);
    assert_non_null(text_at(last_request(&run, "DeleteLaunchTemplate"), "LaunchTemplateId"));
    close_run(&run);
}

// What an earlier run has left behind is adopted on becoming leader, and goes if nothing uses it
// for a quarter of an hour.
static void leftovers_are_adopted_AWN_362_714(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    refuse(&run, "DeleteLaunchTemplate", 400, "OperationNotPermitted", 1); // AWN-713
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 30 * SECOND);
    // Another controller takes over: the first one's memory of its templates plays no part.
    struct launch_templates *later =
        launch_templates_create(&(struct launch_templates_options){.loop = run.loop,
                                                                   .client = run.client,
                                                                   .settings = &run.settings,
                                                                   .cluster = &run.cluster});
    loop_run_for(run.loop, 5 * MINUTE);
    forget_requests(&run);
    launch_templates_hydrate(later);
    loop_run_for(run.loop, SECOND);
    const json_t *listing = last_request(&run, "DescribeLaunchTemplates");
    assert_string_equal(text_at(listing, "MaxResults"), "200");
    const json_t *filter = json_array_get(json_object_get(listing, "Filter"), 0);
    assert_string_equal(text_at(filter, "Name"), "tag:eks:eks-cluster-name");
    loop_run_for(run.loop, 13 * MINUTE);
    assert_int_equal(requests_of(&run, "DeleteLaunchTemplate"), 0);
    loop_run_for(run.loop, 4 * MINUTE);
    assert_int_equal(requests_of(&run, "DeleteLaunchTemplate"), 1);
    assert_int_equal(aws_account_templates(run.account), 0);
    launch_templates_destroy(later);
    close_run(&run);
}

// The gauge of a NodeClass's user data goes with it (AWN-270).
static void user_data_is_measured_AWN_270(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_class(&run, "web", SPEC("'role': 'node-role', 'userData': 'echo hi'"));
    loop_run_for(run.loop, 30 * SECOND);
    const struct metric *metric =
        metrics_find(run.metrics, "karpenter_ec2nodeclasses_userdata_bytes");
    assert_non_null(metric);
    double bytes = metric_read(metric, "web");
    const char *data =
        text_at(json_object_get(last_request(&run, "CreateLaunchTemplate"), "LaunchTemplateData"),
                "UserData");
    assert_int_equal((int)bytes, (int)strlen(data)); // the account has decoded it
    delete_object(&run, run.resource, "web");
    loop_run_for(run.loop, MINUTE);
    assert_null(node_class_now(&run, "web"));
    assert_true(metric_read(metric, "web") == 0);
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deletion_waits_for_claims_AWN_30_90),
        cmocka_unit_test(deletion_removes_what_is_its_own_AWN_91_93_372_395_397_714),
        cmocka_unit_test(foreign_profiles_stay_AWN_717),
        cmocka_unit_test(isolated_and_own_profiles_stay_AWN_92_390_508),
        cmocka_unit_test(a_role_has_its_profile_AWN_391_392_393_705),
        cmocka_unit_test(missing_roles_are_remembered_AWN_394_702_705),
        cmocka_unit_test(a_lost_status_finds_its_profile_AWN_396),
        cmocka_unit_test(profiles_are_collected_AWN_398_724),
        cmocka_unit_test(unused_templates_go_AWN_360_361_434),
        cmocka_unit_test(leftovers_are_adopted_AWN_362_714),
        cmocka_unit_test(user_data_is_measured_AWN_270),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
