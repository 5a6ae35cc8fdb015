#include "cloud/aws/doctor/doctor_account.h"

#include <curl/curl.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/doctor/doctor_report.h"

#define CLOCK_TOLERANCE MINUTE // AWS refuses signatures from five minutes on
#define DISCOVERY_TAG   "tag:karpenter.sh/discovery"

// --- credentials ---------------------------------------------------------------------------------

static const char *remedy_of(const struct aws_result *result)
{
    if (strncmp(result->code, "ExpiredToken", strlen("ExpiredToken")) == 0 ||
        strcmp(result->code, "RequestExpired") == 0)
        return "the session has ended: fetch new credentials (`aws sso login`, a new token of the "
               "Pod), and unset AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN if "
               "they are old";
    if (result->lacks_credentials)
        return "give the ServiceAccount a role (EKS Pod Identity or IRSA), or set AWS_PROFILE, or "
               "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (docs/aws.md tells where credentials "
               "are looked for, and in which order)";
    if (result->fault == AWS_FAULT_NO_ANSWER && result->error.kind != ERROR_UNAUTHORIZED)
        return "see that the endpoint of STS can be reached: network, HTTPS_PROXY, "
               "AWS_ENDPOINT_URL_STS";
    if (result->code[0] == '\0')
        return "give the ServiceAccount a role (EKS Pod Identity or IRSA), or set AWS_PROFILE";
    return "AWS does not know these keys: see which source of credentials comes first "
           "(docs/aws.md), and in which partition they are valid";
}

static void identity_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const char *arn = json_string_value(json_object_get(result->reply, "Arn"));
    struct text text = {0};
    doctor->account =
        memory_copy_string(json_string_value(json_object_get(result->reply, "Account")));
    doctor->has_identity = result->error.kind == ERROR_NONE;
    if (doctor->has_identity) {
        text_format(&text, "%s in region %s", arn != NULL ? arn : "accepted",
                    aws_client_region(doctor->options.client));
        doctor_report(doctor, DOCTOR_PASSED, NULL, text.data, NULL);
    } else {
        doctor_report(doctor, DOCTOR_FAILED, NULL, result->error.message, remedy_of(result));
    }
    text_free(&text);
    doctor_next_part(doctor);
}

bool doctor_check_credentials(struct doctor *doctor)
{
    return doctor->part == 0 && doctor_call(doctor, STS_GET_CALLER_IDENTITY, NULL, identity_told);
}

// --- the clock -----------------------------------------------------------------------------------

static void report_difference(struct doctor *doctor, int64_t ahead)
{
    struct text text = {0};
    bool fine = ahead < CLOCK_TOLERANCE && ahead > -CLOCK_TOLERANCE;
    long long seconds = (long long)((ahead < 0 ? -ahead : ahead) / SECOND);
    text_format(&text, "%lld s %s AWS's", seconds, ahead < 0 ? "behind" : "ahead of");
    doctor_report(doctor, fine ? DOCTOR_PASSED : DOCTOR_WARNING, NULL, text.data,
                  fine ? NULL
                       : "set the clock by NTP: AWS refuses signatures from five minutes on, and "
                         "adze has to correct its own");
    text_free(&text);
}

static void clock_told(void *context, const struct aws_http_response *response)
{
    struct doctor *doctor = context;
    const char *date = aws_http_header_of(response, "date");
    time_t theirs = date != NULL ? curl_getdate(date, NULL) : -1;
    if (response->error.kind != ERROR_NONE)
        doctor_report(doctor, DOCTOR_FAILED, NULL, response->error.message,
                      "see that the endpoint of STS can be reached: network, HTTPS_PROXY, "
                      "AWS_ENDPOINT_URL_STS");
    else if (theirs < 0)
        doctor_report(doctor, DOCTOR_SKIPPED, NULL, "the endpoint tells no time", NULL);
    else
        report_difference(doctor, ns_subtract(loop_now_ns(doctor->options.loop),
                                              ns_multiply((int64_t)theirs, SECOND)));
    doctor_next_part(doctor);
}

bool doctor_check_clock(struct doctor *doctor)
{
    struct aws_endpoint endpoint;
    struct error error = {0};
    if (doctor->part > 0)
        return false;
    if (!aws_endpoint_find(&doctor->options.environment, AWS_STS,
                           aws_client_region(doctor->options.client), &endpoint, &error)) {
        doctor_report(doctor, DOCTOR_FAILED, NULL, error.message, "correct the endpoint's URL");
        return false;
    }
    struct text url = {0};
    text_format(&url, "%s/", endpoint.url);
    struct aws_http_request request = {.method = "GET", .url = url.data, .timeout_ns = 10 * SECOND};
    doctor->http_call =
        doctor->options.http->operations->start(doctor->options.http, &request, clock_told, doctor);
    text_free(&url);
    return true;
}

// --- discovery tags ------------------------------------------------------------------------------

struct tagged {
    enum aws_action action;
    const char *list, *id, *noun;
};
static const struct tagged subnets = {EC2_DESCRIBE_SUBNETS, "Subnets", "SubnetId", "subnets"};
static const struct tagged groups = {EC2_DESCRIBE_SECURITY_GROUPS, "SecurityGroups", "GroupId",
                                     "security groups"};

static void report_tagged(struct doctor *doctor, const struct tagged *tagged, size_t found)
{
    struct text text = {0}, remedy = {0};
    text_format(&text, "%zu with tag karpenter.sh/discovery=%s in %s", found,
                doctor->options.settings->cluster_name, aws_client_region(doctor->options.client));
    text_format(&remedy,
                "tag the cluster's %s, unless your EC2NodeClasses select by something else",
                tagged->noun);
    doctor_report(doctor, found > 0 ? DOCTOR_PASSED : DOCTOR_WARNING, NULL, text.data,
                  found > 0 ? NULL : remedy.data);
    text_free(&text);
    text_free(&remedy);
}

static void tagged_told(struct doctor *doctor, const struct aws_result *result,
                        const struct tagged *tagged, char **first)
{
    const json_t *list = json_object_get(result->reply, tagged->list);
    if (result->error.kind != ERROR_NONE)
        doctor_report_failure(doctor, DOCTOR_FAILED, NULL, tagged->action, result, NULL);
    else
        report_tagged(doctor, tagged, json_array_size(list));
    *first =
        memory_copy_string(json_string_value(json_object_get(json_array_get(list, 0), tagged->id)));
    doctor_next_part(doctor);
}

static void subnets_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    tagged_told(doctor, result, &subnets, &doctor->subnet);
}

static void groups_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    tagged_told(doctor, result, &groups, &doctor->group);
}

static json_t *by_tag(const struct doctor *doctor)
{
    return json_pack("{s:[{s:s,s:[s]}]}", "Filters", "Name", DISCOVERY_TAG, "Values",
                     doctor->options.settings->cluster_name);
}

bool doctor_check_subnets(struct doctor *doctor)
{
    return doctor->part == 0 && doctor_call(doctor, subnets.action, by_tag(doctor), subnets_told);
}

bool doctor_check_security_groups(struct doctor *doctor)
{
    return doctor->part == 0 && doctor_call(doctor, groups.action, by_tag(doctor), groups_told);
}
