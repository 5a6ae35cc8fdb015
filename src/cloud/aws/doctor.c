#include "cloud/aws/doctor.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/doctor_permissions.h"
#include "model/tables/kinds.h"

#define CLOCK_TOLERANCE MINUTE // AWS refuses signatures from five minutes on
#define DISCOVERY_TAG   "tag:karpenter.sh/discovery"
#define TEST_MESSAGE    "{\"version\":\"0\",\"source\":\"adze.doctor\",\"detail-type\":\"test\"}"

struct check;
struct doctor {
    struct doctor_options options;
    struct aws_call *call; // of the present check
    struct aws_http_call *http_call;
    struct timer *next;
    uint32_t index;    // of the present check
    uint32_t part;     // of a check of several calls
    char *queue_url;   // NULL: not found
    bool has_identity; // AWS has accepted the credentials
};

// One check, or several of a kind in a row. `start` begins the call of the present part and returns
// true, or returns false at the end.
struct check {
    const char *name;
    bool (*start)(struct doctor *doctor);
    bool needs_identity; // skipped if the credentials are not accepted
};
static bool check_credentials(struct doctor *doctor);
static bool check_clock(struct doctor *doctor);
static bool check_permissions(struct doctor *doctor);
static bool check_subnets(struct doctor *doctor);
static bool check_security_groups(struct doctor *doctor);
static bool check_queue(struct doctor *doctor);
static bool check_queue_message(struct doctor *doctor);
static bool check_cluster(struct doctor *doctor);
static bool check_api_server(struct doctor *doctor);
static bool check_crds(struct doctor *doctor);
static bool check_quotas(struct doctor *doctor);
static const struct check checks[] = {
    {"credentials", check_credentials, false},
    {"clock", check_clock, false},
    {"permission", check_permissions, true},
    {"subnets", check_subnets, true},
    {"security groups", check_security_groups, true},
    {"interruption queue", check_queue, true},
    {"interruption queue: test message", check_queue_message, true},
    {"EKS cluster", check_cluster, true},
    {"API server", check_api_server, false},
    {"CRD", check_crds, false},
    {"quota", check_quotas, true},
};

static void run_check(void *context);

struct doctor *doctor_start(const struct doctor_options *options)
{
    assert(options->line != NULL);
    assert(options->done != NULL);
    struct doctor *doctor = memory_allocate(sizeof *doctor);
    doctor->options = *options;
    doctor->next = timer_create_on(options->loop, run_check, doctor);
    timer_start(doctor->next, 0);
    return doctor;
}

void doctor_destroy(struct doctor *doctor)
{
    if (doctor == NULL)
        return;
    if (doctor->call != NULL)
        aws_call_cancel(doctor->call);
    if (doctor->http_call != NULL)
        doctor->options.http->operations->cancel(doctor->options.http, doctor->http_call);
    if (doctor->options.kube != NULL)
        kube_cancel(doctor->options.kube, doctor);
    timer_destroy(doctor->next);
    free(doctor->queue_url);
    free(doctor);
}

// --- the sequence --------------------------------------------------------------------------------

// `subject` follows the check's name; NULL: none.
static void report(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                   const char *text, const char *remedy)
{
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", checks[doctor->index].name, subject != NULL ? " " : "",
             subject != NULL ? subject : "");
    struct doctor_line line = {verdict, name, text, remedy};
    doctor->options.line(doctor->options.context, &line);
}

static void next_part(struct doctor *doctor)
{
    doctor->call = NULL;
    doctor->http_call = NULL;
    doctor->part++;
    timer_start(doctor->next, 0);
}

static void run_check(void *context)
{
    struct doctor *doctor = context;
    while (doctor->index < ARRAY_LENGTH(checks)) {
        const struct check *check = &checks[doctor->index];
        if (check->needs_identity && !doctor->has_identity)
            report(doctor, DOCTOR_SKIPPED, NULL, "there are no valid credentials", NULL);
        else if (check->start(doctor))
            return;
        doctor->index++;
        doctor->part = 0;
    }
    doctor->options.done(doctor->options.context);
}

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

static bool call(struct doctor *doctor, enum aws_action action, json_t *parameters, aws_done done)
{
    struct aws_request request = {
        .action = action, .parameters = parameters, .done = done, .context = doctor};
    doctor->call = aws_client_start(doctor->options.client, &request);
    return true;
}

// --- credentials and clock -----------------------------------------------------------------------

static void identity_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const char *arn = json_string_value(json_object_get(result->reply, "Arn"));
    struct text text = {0};
    doctor->has_identity = result->error.kind == ERROR_NONE;
    if (doctor->has_identity) {
        text_format(&text, "%s in region %s", arn != NULL ? arn : "accepted",
                    aws_client_region(doctor->options.client));
        report(doctor, DOCTOR_PASSED, NULL, text.data, NULL);
    } else {
        report(doctor, DOCTOR_FAILED, NULL, result->error.message,
               "give the ServiceAccount a role (EKS Pod Identity or IRSA), or set AWS_PROFILE");
    }
    text_free(&text);
    next_part(doctor);
}

static bool check_credentials(struct doctor *doctor)
{
    return doctor->part == 0 && call(doctor, STS_GET_CALLER_IDENTITY, NULL, identity_told);
}

static void clock_told(void *context, const struct aws_http_response *response)
{
    struct doctor *doctor = context;
    const char *date = aws_http_header_of(response, "date");
    time_t theirs = date != NULL ? curl_getdate(date, NULL) : -1;
    char text[120];
    if (theirs < 0) {
        report(doctor, DOCTOR_SKIPPED, NULL,
               response->error.kind != ERROR_NONE ? response->error.message
                                                  : "the endpoint tells no time",
               NULL);
    } else {
        int64_t ahead =
            ns_subtract(loop_now_ns(doctor->options.loop), ns_multiply((int64_t)theirs, SECOND));
        bool fine = ahead < CLOCK_TOLERANCE && ahead > -CLOCK_TOLERANCE;
        snprintf(text, sizeof text, "%lld s ahead of AWS", (long long)(ahead / SECOND));
        report(doctor, fine ? DOCTOR_PASSED : DOCTOR_WARNING, NULL, text,
               fine ? NULL : "set the clock by NTP: signatures fail from five minutes on");
    }
    next_part(doctor);
}

static bool check_clock(struct doctor *doctor)
{
    if (doctor->part > 0)
        return false;
    char url[300];
    snprintf(url, sizeof url, "https://sts.%s.amazonaws.com/",
             aws_client_region(doctor->options.client));
    struct aws_http_request request = {.method = "GET", .url = url, .timeout_ns = 10 * SECOND};
    doctor->http_call =
        doctor->options.http->operations->start(doctor->options.http, &request, clock_told, doctor);
    return true;
}

// --- permissions (AWN-620) -----------------------------------------------------------------------

static void permission_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const struct doctor_permission *permission = &doctor_permissions[doctor->part];
    const char *name = aws_action_permission(permission->action);
    struct text remedy = {0};
    switch (result->fault) {
    case AWS_FAULT_UNAUTHORIZED:
        text_format(&remedy, "add %s to the controller's policy (adze iam prints it)", name);
        report(doctor, permission->optional ? DOCTOR_WARNING : DOCTOR_FAILED, name, result->message,
               remedy.data);
        break;
    case AWS_FAULT_NONE:
    case AWS_FAULT_DRY_RUN_PASSED:
    case AWS_FAULT_NOT_FOUND: // it may be called; the thing is not there
        report(doctor, DOCTOR_PASSED, name, "granted", NULL);
        break;
    case AWS_FAULT_ALREADY_EXISTS:
    case AWS_FAULT_THROTTLED:
    case AWS_FAULT_SERVER:
    case AWS_FAULT_NO_ANSWER:
    case AWS_FAULT_OTHER:
        report(doctor, DOCTOR_WARNING, name, result->error.message, NULL);
        break;
    }
    text_free(&remedy);
    next_part(doctor);
}

static bool check_permissions(struct doctor *doctor)
{
    if (doctor->part >= doctor_permissions_count)
        return false;
    const struct doctor_permission *permission = &doctor_permissions[doctor->part];
    return call(doctor, permission->action, permission->parameters(doctor->options.settings),
                permission_told);
}

// --- discovery tags ------------------------------------------------------------------------------

static void tagged_told(struct doctor *doctor, const struct aws_result *result, const char *list,
                        const char *noun)
{
    size_t found = json_array_size(json_object_get(result->reply, list));
    struct text text = {0};
    if (result->error.kind != ERROR_NONE) {
        report(doctor, DOCTOR_FAILED, NULL, result->error.message, NULL);
    } else {
        text_format(&text, "%zu with tag karpenter.sh/discovery=%s", found,
                    doctor->options.settings->cluster_name);
        struct text remedy = {0};
        text_format(&remedy,
                    "tag the cluster's %s, unless your EC2NodeClasses select by something else",
                    noun);
        report(doctor, found > 0 ? DOCTOR_PASSED : DOCTOR_WARNING, NULL, text.data,
               found > 0 ? NULL : remedy.data);
        text_free(&remedy);
    }
    text_free(&text);
    next_part(doctor);
}

static void subnets_told(void *context, const struct aws_result *result)
{
    tagged_told(context, result, "Subnets", "subnets");
}

static void groups_told(void *context, const struct aws_result *result)
{
    tagged_told(context, result, "SecurityGroups", "security groups");
}

static json_t *by_tag(const struct doctor *doctor)
{
    return json_pack("{s:[{s:s,s:[s]}]}", "Filters", "Name", DISCOVERY_TAG, "Values",
                     doctor->options.settings->cluster_name);
}

static bool check_subnets(struct doctor *doctor)
{
    return doctor->part == 0 && call(doctor, EC2_DESCRIBE_SUBNETS, by_tag(doctor), subnets_told);
}

static bool check_security_groups(struct doctor *doctor)
{
    return doctor->part == 0 &&
           call(doctor, EC2_DESCRIBE_SECURITY_GROUPS, by_tag(doctor), groups_told);
}

// --- the interruption queue ----------------------------------------------------------------------

static void queue_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const char *url = json_string_value(json_object_get(result->reply, "QueueUrl"));
    if (url != NULL)
        doctor->queue_url = memory_copy_string(url);
    if (result->error.kind != ERROR_NONE)
        report(doctor, DOCTOR_FAILED, NULL, result->error.message,
               "create the queue with its EventBridge rules, and grant sqs:GetQueueUrl, "
               "sqs:ReceiveMessage and sqs:DeleteMessage (docs/aws.md)");
    else
        report(doctor, DOCTOR_PASSED, NULL, url != NULL ? url : "found", NULL);
    next_part(doctor);
}

// The setting may be an ARN or a URL, too (AWI-950): its last part is the name.
static bool check_queue(struct doctor *doctor)
{
    const char *queue = doctor->options.settings->interruption_queue;
    if (doctor->part > 0)
        return false;
    if (!is_set(queue)) {
        report(doctor, DOCTOR_WARNING, NULL, "INTERRUPTION_QUEUE is not set",
               "set it: without a queue nodes learn of spot interruptions late or never");
        return false;
    }
    const char *slash = strrchr(queue, '/'), *colon = strrchr(queue, ':');
    const char *name = slash != NULL ? slash + 1 : colon != NULL ? colon + 1 : queue;
    return call(doctor, SQS_GET_QUEUE_URL, json_pack("{s:s}", "QueueName", name), queue_told);
}

static void message_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    if (result->fault == AWS_FAULT_UNAUTHORIZED)
        report(doctor, DOCTOR_SKIPPED, NULL,
               "these credentials may not send messages, which the controller never does", NULL);
    else if (result->error.kind != ERROR_NONE)
        report(doctor, DOCTOR_WARNING, NULL, result->error.message, NULL);
    else
        report(doctor, DOCTOR_PASSED, NULL, "sent; a running controller takes it off the queue",
               NULL);
    next_part(doctor);
}

static bool check_queue_message(struct doctor *doctor)
{
    return doctor->part == 0 && doctor->queue_url != NULL &&
           call(doctor, SQS_SEND_MESSAGE,
                json_pack("{s:s,s:s}", "QueueUrl", doctor->queue_url, "MessageBody", TEST_MESSAGE),
                message_told);
}

// --- the cluster ---------------------------------------------------------------------------------

static void cluster_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const struct settings *settings = doctor->options.settings;
    const json_t *cluster = json_object_get(result->reply, "cluster");
    const char *endpoint = json_string_value(json_object_get(cluster, "endpoint"));
    const char *version = json_string_value(json_object_get(cluster, "version"));
    struct text text = {0};
    if (result->error.kind != ERROR_NONE) {
        bool needed = !is_set(settings->cluster_endpoint);
        report(doctor, needed ? DOCTOR_FAILED : DOCTOR_WARNING, NULL, result->error.message,
               needed ? "grant eks:DescribeCluster, or set CLUSTER_ENDPOINT" : NULL);
    } else if (is_set(settings->cluster_endpoint) && endpoint != NULL &&
               !text_equal(settings->cluster_endpoint, endpoint)) {
        text_format(&text, "CLUSTER_ENDPOINT is %s, EKS says %s", settings->cluster_endpoint,
                    endpoint);
        report(doctor, DOCTOR_FAILED, NULL, text.data,
               "leave CLUSTER_ENDPOINT out: new nodes would join another cluster");
    } else {
        text_format(&text, "%s, Kubernetes %s", endpoint != NULL ? endpoint : "no endpoint",
                    version != NULL ? version : "of unknown version");
        report(doctor, DOCTOR_PASSED, NULL, text.data, NULL);
    }
    text_free(&text);
    next_part(doctor);
}

static bool check_cluster(struct doctor *doctor)
{
    return doctor->part == 0 &&
           call(doctor, EKS_DESCRIBE_CLUSTER,
                json_pack("{s:s}", "name", doctor->options.settings->cluster_name), cluster_told);
}

static void api_told(void *context, const struct kube_result *result)
{
    struct doctor *doctor = context;
    const char *version = json_string_value(json_object_get(result->body, "gitVersion"));
    if (result->error.kind != ERROR_NONE)
        report(doctor, DOCTOR_FAILED, NULL, result->error.message, NULL);
    else
        report(doctor, DOCTOR_PASSED, NULL, version != NULL ? version : "answers", NULL);
    next_part(doctor);
}

static bool check_api_server(struct doctor *doctor)
{
    if (doctor->part > 0)
        return false;
    if (doctor->options.kube == NULL) {
        report(doctor, DOCTOR_SKIPPED, NULL, "no kubeconfig was found", NULL);
        return false;
    }
    kube_get_path(doctor->options.kube, "/version", api_told, doctor);
    return true;
}

static const struct kind *crd_of_part(const struct doctor *doctor)
{
    static const enum kind_id kinds[] = {KIND_NODE_POOL, KIND_NODE_CLAIM, KIND_EC2_NODE_CLASS};
    return doctor->part < ARRAY_LENGTH(kinds) ? kind_get(kinds[doctor->part]) : NULL;
}

static void crd_told(void *context, const struct kube_result *result)
{
    struct doctor *doctor = context;
    const struct kind *kind = crd_of_part(doctor);
    const json_t *versions = json_object_get(json_object_get(result->body, "spec"), "versions");
    bool served = false;
    size_t index;
    json_t *version;
    json_array_foreach (versions, index, version)
        served = served ||
                 (text_equal(json_string_value(json_object_get(version, "name")), kind->version) &&
                  json_is_true(json_object_get(version, "served")));
    if (result->error.kind == ERROR_NONE && served)
        report(doctor, DOCTOR_PASSED, kind->plural, kind->api_version, NULL);
    else
        report(doctor, DOCTOR_FAILED, kind->plural,
               result->error.kind != ERROR_NONE ? result->error.message
                                                : "it does not serve the version that adze reads",
               "adze crds | kubectl apply --server-side -f -");
    next_part(doctor);
}

static bool check_crds(struct doctor *doctor)
{
    const struct kind *kind = crd_of_part(doctor);
    char path[300];
    if (doctor->options.kube == NULL || kind == NULL)
        return false;
    snprintf(path, sizeof path, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/%s.%s",
             kind->plural, kind->group);
    kube_get_path(doctor->options.kube, path, crd_told, doctor);
    return true;
}

// --- quotas --------------------------------------------------------------------------------------

static const struct quota {
    const char *code, *name;
} quotas[] = {
    {"L-1216C47A", "on-demand standard instances"},
    {"L-34B43A08", "spot standard instances"},
};

static void quota_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const struct quota *quota = &quotas[doctor->part];
    const json_t *value = json_object_get(json_object_get(result->reply, "Quota"), "Value");
    char text[80];
    if (result->error.kind != ERROR_NONE) {
        report(doctor, DOCTOR_SKIPPED, quota->name, result->error.message, NULL);
    } else {
        double vcpus = json_number_value(value);
        snprintf(text, sizeof text, "%.0f vCPUs", vcpus);
        report(doctor, vcpus >= 32 ? DOCTOR_PASSED : DOCTOR_WARNING, quota->name, text,
               vcpus >= 32 ? NULL : "ask for more at Service Quotas: launches fail at this limit");
    }
    next_part(doctor);
}

static bool check_quotas(struct doctor *doctor)
{
    return doctor->part < ARRAY_LENGTH(quotas) &&
           call(
               doctor, SERVICE_QUOTAS_GET_SERVICE_QUOTA,
               json_pack("{s:s,s:s}", "ServiceCode", "ec2", "QuotaCode", quotas[doctor->part].code),
               quota_told);
}
