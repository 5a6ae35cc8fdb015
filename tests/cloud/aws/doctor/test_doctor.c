// `adze doctor` against a simulated account and an embedded API server: a healthy account passes,
// and each fault has its line, with a remedy (AWN-620, AWI-950).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/doctor/doctor.h"
#include "cloud/aws/iam_policy.h"
#include "kube/client.h"
#include "model/reading/settings_read.h"
#include "model/tables/crd.h"
#include "model/tables/kinds.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/aws/aws_account.h"
#include "sim/store/resources.h"
#include "sim/store/store.h"

#define START (INT64_C(1785000000) * SECOND)

struct clinic {
    struct loop *loop;
    struct aws_account *account;
    struct aws_http *http;
    struct aws_credentials_source *credentials;
    struct aws_client *client;
    struct store *store;
    struct api_server *api;
    struct kube_transport *transport;
    struct kube_client *kube;
    struct settings settings;
    struct text lines; // "verdict|check|text|remedy\n"
    uint32_t counts[4];
    bool done;
};

static const char *no_environment(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static void open_account(struct clinic *clinic, const char *secret)
{
    struct error error = {0};
    const struct aws_account_options options = {.loop = clinic->loop,
                                                .seed = 5,
                                                .catalogue = "m5\\.(large|xlarge)",
                                                .cluster = "shop",
                                                .queue = "shop-queue",
                                                .latency_min = MILLISECOND,
                                                .latency_max = 20 * MILLISECOND,
                                                .check_signatures = true};
    clinic->account = aws_account_create(&options, &error);
    assert_non_null(clinic->account);
    clinic->http = aws_account_http(clinic->account);
    clinic->credentials = aws_credentials_fixed(
        &(struct aws_credentials){AWS_ACCOUNT_ACCESS_KEY, (char *)secret, NULL, INT64_MAX});
    clinic->client =
        aws_client_create(&(struct aws_client_options){.loop = clinic->loop,
                                                       .http = clinic->http,
                                                       .credentials = clinic->credentials,
                                                       .region = "us-west-2",
                                                       .environment = no_environment,
                                                       .decodes_denials = true},
                          &error);
    assert_non_null(clinic->client);
}

static void install(struct clinic *clinic, enum kind_id id, json_t *definition)
{
    struct error error = {0};
    static const struct crd_options options = {0};
    json_t *object = definition != NULL ? definition : crd_encode(kind_get(id), &options);
    const struct store_resource *resource = store_resource_of_kind(
        clinic->store, "apiextensions.k8s.io/v1", "CustomResourceDefinition");
    assert_non_null(resource);
    if (store_add(clinic->store, resource, NULL, object, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(object);
}

static void open_cluster(struct clinic *clinic)
{
    static const struct sim_transport_options transport = {
        .seed = 1, .latency_min_ns = MILLISECOND, .latency_max_ns = 2 * MILLISECOND};
    clinic->store = store_create(clinic->loop, 1);
    resources_register(clinic->store);
    clinic->api = api_server_create(clinic->loop, clinic->store);
    clinic->transport = sim_transport_create(clinic->loop, clinic->api, &transport);
    clinic->kube = kube_client_create(clinic->loop, clinic->transport,
                                      &(struct kube_client_options){.qps = 100, .burst = 100});
}

static struct clinic *clinic_open_with(const char *secret)
{
    struct clinic *clinic = memory_allocate(sizeof *clinic);
    clinic->loop = loop_create_virtual(START);
    settings_defaults(&clinic->settings);
    clinic->settings.cluster_name = "shop";
    clinic->settings.interruption_queue = "shop-queue";
    open_account(clinic, secret);
    open_cluster(clinic);
    return clinic;
}

static struct clinic *clinic_open(void)
{
    static const enum kind_id kinds[] = {KIND_NODE_POOL, KIND_NODE_CLAIM, KIND_EC2_NODE_CLASS};
    struct clinic *clinic = clinic_open_with(AWS_ACCOUNT_SECRET_KEY);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        install(clinic, kinds[i], NULL);
    return clinic;
}

static void clinic_close(struct clinic *clinic)
{
    aws_client_destroy(clinic->client);
    clinic->credentials->operations->destroy(clinic->credentials);
    clinic->http->operations->destroy(clinic->http);
    aws_account_destroy(clinic->account);
    kube_client_destroy(clinic->kube);
    api_server_destroy(clinic->api);
    store_destroy(clinic->store);
    loop_destroy(clinic->loop);
    text_free(&clinic->lines);
    free(clinic);
}

static void note_line(void *context, const struct doctor_line *line)
{
    static const char *const names[] = {"ok", "warning", "FAILED", "skipped"};
    struct clinic *clinic = context;
    clinic->counts[line->verdict]++;
    text_format(&clinic->lines, "%s|%s|%s|%s\n", names[line->verdict], line->check, line->text,
                text_or_empty(line->remedy));
    if (line->verdict == DOCTOR_WARNING || line->verdict == DOCTOR_FAILED)
        if (text_is_empty(line->remedy))
            fail_msg("%s: %s: without a remedy", line->check, line->text);
}

static void note_end(void *context)
{
    struct clinic *clinic = context;
    clinic->done = true;
}

static void examine(struct clinic *clinic)
{
    struct doctor *doctor = doctor_start(&(struct doctor_options){.loop = clinic->loop,
                                                                  .client = clinic->client,
                                                                  .http = clinic->http,
                                                                  .kube = clinic->kube,
                                                                  .settings = &clinic->settings,
                                                                  .line = note_line,
                                                                  .done = note_end,
                                                                  .context = clinic});
    for (int second = 0; second < 900 && !clinic->done; second++)
        loop_run_for(clinic->loop, SECOND);
    assert_true(clinic->done);
    doctor_destroy(doctor);
}

// The line of a check begins with the verdict and has these parts.
static void expect(const struct clinic *clinic, const char *verdict, const char *check,
                   const char *part, const char *remedy)
{
    struct text start = {0};
    text_format(&start, "%s|%s|", verdict, check);
    const char *line = strstr(clinic->lines.data, start.data);
    size_t length = line != NULL ? strcspn(line, "\n") : 0;
    CLEANUP_FREE char *copy = line != NULL ? strndup(line, length) : NULL;
    if (copy == NULL || strstr(copy, part) == NULL || strstr(copy, remedy) == NULL)
        fail_msg("no line %s%s ... %s in\n%s", start.data, part, remedy, clinic->lines.data);
    text_free(&start);
}

static json_t *policy_of(const struct clinic *clinic)
{
    struct error error = {0};
    json_t *policy = iam_policy_create(
        &(struct iam_policy_options){.partition = "aws",
                                     .region = "us-west-2",
                                     .account = "111122223333",
                                     .cluster = "shop",
                                     .interruption_queue = clinic->settings.interruption_queue,
                                     .zonal_shift = clinic->settings.enable_zonal_shift,
                                     .doctor = true},
        &error);
    assert_non_null(policy);
    return policy;
}

// Takes an action out of the policy.
static void deny(struct clinic *clinic, const char *action)
{
    json_t *policy = policy_of(clinic), *statement, *item;
    size_t i, k, found = 0;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement) {
        json_t *actions = json_object_get(statement, "Action");
        for (k = 0; k < json_array_size(actions); k++) {
            item = json_array_get(actions, k);
            if (strcmp(json_string_value(item), action) != 0)
                continue;
            json_array_remove(actions, k--);
            found++;
        }
    }
    assert_true(found > 0);
    aws_account_set_policy(clinic->account, policy);
    json_decref(policy);
}

// --- a healthy account ---------------------------------------------------------------------------

static void a_healthy_account_passes_AWN_620(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    clinic->settings.enable_zonal_shift = true;
    json_t *policy = policy_of(clinic);
    aws_account_set_policy(clinic->account, policy); // the printed policy is enough
    json_decref(policy);
    examine(clinic);
    if (clinic->counts[DOCTOR_FAILED] + clinic->counts[DOCTOR_WARNING] > 0)
        fail_msg("%s", clinic->lines.data);
    expect(clinic, "ok", "credentials", "assumed-role", "");
    expect(clinic, "ok", "clock", "0 s", "");
    expect(clinic, "ok", "subnets", "4 with tag karpenter.sh/discovery=shop in us-west-2", "");
    expect(clinic, "ok", "security groups", "2 with tag", "");
    expect(clinic, "ok", "permission ec2:RunInstances", "granted", "");
    expect(clinic, "ok", "permission arc-zonal-shift:GetManagedResource", "granted", "");
    expect(clinic, "skipped", "permission ec2:TerminateInstances", "nothing here", "");
    expect(clinic, "ok", "interruption queue shop-queue", "sent, received and deleted", "");
    expect(clinic, "ok", "EKS cluster", "https://demo.example, Kubernetes 1.35", "");
    expect(clinic, "ok", "API server", "", "");
    expect(clinic, "ok", "CRD ec2nodeclasses", "karpenter.k8s.aws/v1", "");
    expect(clinic, "ok", "quota on-demand standard instances", "0 of 1920 vCPUs", "");
    clinic_close(clinic);
}

// --- credentials and clock -----------------------------------------------------------------------

static void wrong_credentials(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open_with("another-secret");
    examine(clinic);
    expect(clinic, "FAILED", "credentials", "SignatureDoesNotMatch",
           "AWS does not know these keys");
    expect(clinic, "skipped", "permission", "AWS has not accepted the credentials", "");
    assert_null(strstr(clinic->lines.data, "another-secret"));
    assert_null(strstr(clinic->lines.data, AWS_ACCOUNT_SECRET_KEY));
    clinic_close(clinic);
}

static void expired_credentials(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    aws_account_add_fault(clinic->account,
                          &(struct aws_account_fault){.action = (char *)"GetCallerIdentity",
                                                      .code = (char *)"ExpiredToken",
                                                      .message = (char *)"The token is expired",
                                                      .status = 403,
                                                      .times = -1,
                                                      .dry_run = -1});
    examine(clinic);
    expect(clinic, "FAILED", "credentials", "ExpiredToken", "the session has ended");
    clinic_close(clinic);
}

static void no_credentials(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    struct error error = {0};
    aws_client_destroy(clinic->client);
    clinic->client = aws_client_create(&(struct aws_client_options){.loop = clinic->loop,
                                                                    .http = clinic->http,
                                                                    .region = "us-west-2",
                                                                    .environment = no_environment},
                                       &error);
    examine(clinic);
    expect(clinic, "FAILED", "credentials", "there are no AWS credentials",
           "give the ServiceAccount a role");
    clinic_close(clinic);
}

static void a_skewed_clock(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    aws_account_skew_clock(clinic->account, 20 * MINUTE);
    examine(clinic);
    expect(clinic, "warning", "clock", "s behind AWS's", "NTP");
    expect(clinic, "ok", "credentials", "", ""); // the client corrects it
    clinic_close(clinic);
}

// --- permissions ---------------------------------------------------------------------------------

struct denial {
    const char *action, *verdict, *check, *remedy;
};
#define FAILS(action, statement)                                       \
    {                                                                  \
        action, "FAILED", "permission " action, "statement " statement \
    }
#define WARNS(action, statement)                                        \
    {                                                                   \
        action, "warning", "permission " action, "statement " statement \
    }

// Each denied permission, one after the other: its line fails, and names action and statement.
static void each_denied_permission_AWN_620(void **state)
{
    static const struct denial denials[] = {
        FAILS("ec2:DescribeImages", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeInstances", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeInstanceTypes", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeInstanceTypeOfferings", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeLaunchTemplates", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeSpotPriceHistory", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeCapacityReservations", "AllowRegionalReadActions"),
        FAILS("ec2:DescribePlacementGroups", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeSubnets", "AllowRegionalReadActions"),
        FAILS("ec2:DescribeSecurityGroups", "AllowRegionalReadActions"),
        FAILS("ec2:CreateLaunchTemplate", "AllowScopedEC2InstanceActionsWithTags"),
        FAILS("ec2:RunInstances", "AllowScopedEC2InstanceAccessActions"),
        FAILS("ssm:GetParameter", "AllowSSMReadActions"),
        FAILS("iam:GetInstanceProfile", "AllowInstanceProfileReadActions"),
        FAILS("iam:ListInstanceProfiles", "AllowUnscopedInstanceProfileListAction"),
        FAILS("arc-zonal-shift:GetManagedResource", "AllowZonalShiftStatusReadOnly"),
        WARNS("ec2:DescribeInstanceStatus", "AllowRegionalReadActions"),
        WARNS("pricing:GetProducts", "AllowPricingReadActions"),
        WARNS("ec2:GetConsoleOutput", "AllowDiagnosticReadActions"),
        WARNS("sts:DecodeAuthorizationMessage", "AllowDiagnosticReadActions"),
        {"ec2:CreateTags", "FAILED", "permission ec2:RunInstances",
         "ec2:CreateTags on arn:aws:ec2:us-west-2:111122223333:instance/* (statement "
         "AllowScopedResourceCreationTagging"},
        {"eks:DescribeCluster", "FAILED", "EKS cluster",
         "statement AllowAPIServerEndpointDiscovery"},
        {"sqs:GetQueueUrl", "FAILED", "interruption queue shop-queue",
         "statement AllowInterruptionQueueActions"},
        {"sqs:ReceiveMessage", "FAILED", "interruption queue shop-queue",
         "statement AllowInterruptionQueueActions"},
        {"sqs:DeleteMessage", "FAILED", "interruption queue shop-queue",
         "statement AllowInterruptionQueueActions"},
        {"sqs:SendMessage", "ok", "interruption queue shop-queue", ""},
        {"servicequotas:GetServiceQuota", "skipped", "quota spot standard instances",
         "statement AllowDoctorQuotaRead"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(denials); i++) {
        struct clinic *clinic = clinic_open();
        clinic->settings.enable_zonal_shift = true;
        deny(clinic, denials[i].action);
        examine(clinic);
        expect(clinic, denials[i].verdict, denials[i].check, "", denials[i].remedy);
        clinic_close(clinic);
    }
}

// --- tags and queue ------------------------------------------------------------------------------

static void no_discovery_tags(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    clinic->settings.cluster_name = "other";
    examine(clinic);
    expect(clinic, "warning", "subnets", "0 with tag karpenter.sh/discovery=other",
           "tag the cluster's subnets");
    expect(clinic, "warning", "security groups", "0 with tag", "tag the cluster's security groups");
    expect(clinic, "FAILED", "EKS cluster", "No cluster found", "correct --cluster-name");
    clinic_close(clinic);
}

static void queues(void **state)
{
    static const struct {
        const char *setting, *verdict, *check, *part, *remedy;
    } cases[] = {
        {"", "warning", "interruption queue", "INTERRUPTION_QUEUE is not set", "set it"},
        {"missing", "FAILED", "interruption queue missing", "QueueDoesNotExist",
         "create the queue"},
        {"https://sqs.us-west-2.amazonaws.com/111122223333/nowhere", "FAILED",
         "interruption queue nowhere", "QueueDoesNotExist", "create the queue"},
        {"no-queue!", "FAILED", "interruption queue", "neither a queue's name",
         "names, ARNs or URLs"},
        {"https://sqs.us-west-2.amazonaws.com/111122223333/shop-queue", "ok",
         "interruption queue shop-queue", "sent, received and deleted", ""},
        {"arn:aws:sqs:us-west-2:111122223333:shop-queue,missing", "ok",
         "interruption queue shop-queue", "sent, received and deleted", ""},
        {"shop-queue,missing", "FAILED", "interruption queue missing", "QueueDoesNotExist",
         "create the queue"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct clinic *clinic = clinic_open();
        clinic->settings.interruption_queue = cases[i].setting;
        examine(clinic);
        expect(clinic, cases[i].verdict, cases[i].check, cases[i].part, cases[i].remedy);
        clinic_close(clinic);
    }
}

static void keep_reply(void *context, const struct aws_result *result)
{
    *(json_t **)context = json_incref((json_t *)result->reply);
}

// Messages of others stay on the queue, and visible; the test message is gone (AWI-950).
static void messages_of_others_stay(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    json_t *reply = NULL;
    aws_account_send_message(clinic->account, "{\"detail-type\":\"other 1\"}");
    aws_account_send_message(clinic->account, "{\"detail-type\":\"other 2\"}");
    examine(clinic);
    expect(clinic, "ok", "interruption queue shop-queue", "sent, received and deleted", "");
    aws_client_start(
        clinic->client,
        &(struct aws_request){
            .action = SQS_RECEIVE_MESSAGE,
            .parameters = json_pack("{s:s,s:i}", "QueueUrl",
                                    "https://sqs.us-west-2.amazonaws.com/111122223333/shop-queue",
                                    "MaxNumberOfMessages", 10),
            .done = keep_reply,
            .context = &reply});
    loop_run_for(clinic->loop, SECOND);
    assert_int_equal(json_array_size(json_object_get(reply, "Messages")), 2);
    json_decref(reply);
    clinic_close(clinic);
}

// --- the cluster ---------------------------------------------------------------------------------

static void an_unreachable_api_server(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    sim_transport_cut(clinic->transport, true);
    examine(clinic);
    expect(clinic, "FAILED", "API server", "", "see that the endpoint of the kubeconfig");
    clinic_close(clinic);
}

static void an_endpoint_of_another_cluster(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    clinic->settings.cluster_endpoint = "https://elsewhere.example";
    examine(clinic);
    expect(clinic, "FAILED", "EKS cluster", "EKS says https://demo.example",
           "leave CLUSTER_ENDPOINT out");
    clinic_close(clinic);
}

static void no_crds(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open_with(AWS_ACCOUNT_SECRET_KEY);
    examine(clinic);
    expect(clinic, "FAILED", "CRD nodepools", "it is not installed",
           "adze crds nodepools | kubectl apply");
    expect(clinic, "FAILED", "CRD ec2nodeclasses", "it is not installed", "adze crds");
    clinic_close(clinic);
}

static json_t *version_in(json_t *definition)
{
    return json_array_get(json_object_get(json_object_get(definition, "spec"), "versions"), 0);
}

static json_t *older_class(void)
{
    static const struct crd_options options = {0};
    json_t *definition = crd_encode(kind_get(KIND_EC2_NODE_CLASS), &options);
    json_t *schema =
        json_object_get(json_object_get(version_in(definition), "schema"), "openAPIV3Schema");
    json_t *spec = json_object_get(json_object_get(json_object_get(schema, "properties"), "spec"),
                                   "properties");
    assert_int_equal(json_object_del(spec, "capacityReservationSelectorTerms"), 0);
    return definition;
}

static json_t *another_version(void)
{
    static const struct crd_options options = {0};
    json_t *definition = crd_encode(kind_get(KIND_NODE_POOL), &options);
    json_object_set_new(version_in(definition), "name", json_string("v1beta1"));
    return definition;
}

static void crds_of_another_version(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open_with(AWS_ACCOUNT_SECRET_KEY);
    install(clinic, KIND_EC2_NODE_CLASS, older_class());
    install(clinic, KIND_NODE_POOL, another_version());
    examine(clinic);
    expect(clinic, "FAILED", "CRD ec2nodeclasses", "it lacks spec.capacityReservationSelectorTerms",
           "adze crds ec2nodeclasses | kubectl apply");
    expect(clinic, "FAILED", "CRD nodepools", "it does not serve karpenter.sh/v1", "adze crds");
    clinic_close(clinic);
}

static void no_kubeconfig(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    kube_client_destroy(clinic->kube);
    clinic->kube = NULL;
    examine(clinic);
    expect(clinic, "skipped", "API server", "no kubeconfig was found", "--kubeconfig");
    clinic->kube = kube_client_create(
        clinic->loop,
        sim_transport_create(clinic->loop, clinic->api, &(struct sim_transport_options){0}),
        &(struct kube_client_options){0});
    clinic_close(clinic);
}

// --- quotas --------------------------------------------------------------------------------------

static void launch(struct clinic *clinic)
{
    static json_t *reply;
    reply = NULL;
    const json_t *environment = aws_account_environment(clinic->account);
    const char *subnet = json_string_value(
        json_object_get(json_array_get(json_object_get(environment, "subnets"), 0), "id"));
    const char *image = json_string_value(
        json_object_get(json_array_get(json_object_get(environment, "images"), 0), "id"));
    aws_client_start(
        clinic->client,
        &(struct aws_request){.action = EC2_RUN_INSTANCES,
                              .parameters = json_pack(
                                  "{s:s,s:s,s:s,s:i,s:i,s:[{s:s,s:[{s:s,s:s},{s:s,s:s}]}]}",
                                  "ImageId", image, "InstanceType", "m5.xlarge", "SubnetId", subnet,
                                  "MinCount", 1, "MaxCount", 1, "TagSpecifications", "ResourceType",
                                  "instance", "Tags", "Key", "kubernetes.io/cluster/shop", "Value",
                                  "owned", "Key", "karpenter.sh/nodepool", "Value", "default"),
                              .done = keep_reply,
                              .context = &reply});
    loop_run_for(clinic->loop, SECOND);
    assert_non_null(reply);
    json_decref(reply);
}

static void quotas_nearly_used_up(void **state)
{
    (void)state;
    struct clinic *clinic = clinic_open();
    launch(clinic);
    aws_account_set_quota(clinic->account, "L-1216C47A", 5);
    aws_account_set_quota(clinic->account, "L-34B43A08", 16);
    examine(clinic);
    expect(clinic, "warning", "quota on-demand standard instances", "4 of 5 vCPUs are in use",
           "launches fail at this limit");
    expect(clinic, "warning", "quota spot standard instances", "0 of 16 vCPUs are in use",
           "few nodes fit");
    // An instance of the cluster: ending and tagging can be tried, too.
    expect(clinic, "ok", "permission ec2:TerminateInstances", "granted", "");
    expect(clinic, "ok", "permission ec2:CreateTags", "granted", "");
    assert_int_equal(aws_account_instances(clinic->account), 1);
    clinic_close(clinic);
}

static void ending_and_tagging_denied(void **state)
{
    static const struct denial denials[] = {
        FAILS("ec2:TerminateInstances", "AllowScopedDeletion"),
        FAILS("ec2:CreateTags", "AllowScopedResourceCreationTagging"),
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(denials); i++) {
        struct clinic *clinic = clinic_open();
        launch(clinic);
        deny(clinic, denials[i].action);
        examine(clinic);
        expect(clinic, "FAILED", denials[i].check, "", denials[i].remedy);
        clinic_close(clinic);
    }
}

static void destroyed_at_any_moment(void **state)
{
    (void)state;
    for (int steps = 0; steps < 12; steps++) {
        struct clinic *clinic = clinic_open();
        struct doctor *doctor = doctor_start(&(struct doctor_options){.loop = clinic->loop,
                                                                      .client = clinic->client,
                                                                      .http = clinic->http,
                                                                      .kube = clinic->kube,
                                                                      .settings = &clinic->settings,
                                                                      .line = note_line,
                                                                      .done = note_end,
                                                                      .context = clinic});
        loop_run_for(clinic->loop, steps * 60 * MILLISECOND);
        doctor_destroy(doctor);
        loop_run_for(clinic->loop, SECOND);
        clinic_close(clinic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_account_passes_AWN_620),
        cmocka_unit_test(wrong_credentials),
        cmocka_unit_test(expired_credentials),
        cmocka_unit_test(no_credentials),
        cmocka_unit_test(a_skewed_clock),
        cmocka_unit_test(each_denied_permission_AWN_620),
        cmocka_unit_test(no_discovery_tags),
        cmocka_unit_test(queues),
        cmocka_unit_test(messages_of_others_stay),
        cmocka_unit_test(an_unreachable_api_server),
        cmocka_unit_test(an_endpoint_of_another_cluster),
        cmocka_unit_test(no_crds),
        cmocka_unit_test(crds_of_another_version),
        cmocka_unit_test(no_kubeconfig),
        cmocka_unit_test(quotas_nearly_used_up),
        cmocka_unit_test(ending_and_tagging_denied),
        cmocka_unit_test(destroyed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
