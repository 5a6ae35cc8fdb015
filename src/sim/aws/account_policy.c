#include "sim/aws/account_policy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "cloud/aws/client/aws_actions.h"
#include "sim/aws/account_filters.h"
#include "sim/aws/iam_api.h"
#include "sim/aws/policy_language.h"

#define PRINCIPAL    "arn:aws:sts::%s:assumed-role/KarpenterController/adze"
#define DENIALS_MAX  1000
#define RESOURCE_MAX 512

// A call, looked at permission by permission.
struct review {
    struct account_call *call;
    bool is_allowed;
    char action[100], resource[RESOURCE_MAX]; // the first that is refused
};

void account_policy_set(struct aws_account *account, const json_t *policy)
{
    json_decref(account->policy);
    account->policy = policy != NULL ? json_deep_copy(policy) : NULL;
}

void account_policy_free(struct aws_account *account)
{
    json_decref(account->policy);
    json_decref(account->policy_uses);
    json_decref(account->denials);
}

// --- one permission ------------------------------------------------------------------------------

static void note_use(struct aws_account *account, const char *sid, const char *action)
{
    struct text key = {0};
    text_format(&key, "%s %s", sid, action);
    json_int_t count = json_integer_value(json_object_get(account->policy_uses, key.data));
    json_object_set_new(account->policy_uses, key.data, json_integer(count + 1));
    text_free(&key);
}

// `context` holds the condition keys; stolen.
static void need(struct review *review, const char *action, const char *resource, json_t *context)
{
    struct aws_account *account = review->call->account;
    json_object_set_new(context, "aws:RequestedRegion", json_string(account_region(account)));
    const char *sid = policy_statement_of(account->policy, action, resource, context);
    json_decref(context);
    if (sid != NULL) {
        note_use(account, sid, action);
    } else if (review->is_allowed) {
        review->is_allowed = false;
        snprintf(review->action, sizeof review->action, "%s", action);
        snprintf(review->resource, sizeof review->resource, "%s", resource);
        text_repair(review->resource); // it goes into JSON and XML
    }
}

static void add_tags(json_t *context, const char *prefix, const json_t *tags)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)tags, key, value) {
        struct text name = {0};
        text_format(&name, "%s/%s", prefix, key);
        json_object_set(context, name.data, value);
        text_free(&name);
    }
}

static json_t *requested(const json_t *tags)
{
    json_t *context = json_object(), *keys = json_array(), *value;
    const char *key;
    add_tags(context, "aws:RequestTag", tags);
    json_object_foreach ((json_t *)tags, key, value)
        json_array_append_new(keys, json_string(key));
    json_object_set_new(context, "aws:TagKeys", keys);
    return context;
}

// [{"key", "value"}] or [{"Key", "Value"}] as an object.
static json_t *tags_in(const json_t *list)
{
    json_t *tags = json_object(), *tag;
    size_t i;
    json_array_foreach (list, i, tag) {
        bool small = json_object_get(tag, "key") != NULL;
        json_object_set_new(tags, json_text(tag, small ? "key" : "Key"),
                            json_string(json_text(tag, small ? "value" : "Value")));
    }
    return tags;
}

// The context of a resource that exists.
static json_t *existing(const json_t *tag_list)
{
    json_t *context = json_object(), *tags = tags_in(tag_list);
    add_tags(context, "aws:ResourceTag", tags);
    json_decref(tags);
    return context;
}

// The ARN of a resource of the region: "instance/i-1"; of no account if `owner` is empty.
static const char *arn_of(struct review *review, char out[RESOURCE_MAX], const char *service,
                          const char *owner, const char *kind, const char *id)
{
    snprintf(out, RESOURCE_MAX, "arn:aws:%s:%s:%s:%s%s", service,
             account_region(review->call->account), owner, kind, id);
    return out;
}

static const char *ec2_arn(struct review *review, char out[RESOURCE_MAX], const char *kind,
                           const char *id)
{
    return arn_of(review, out, "ec2", account_number(review->call->account), kind, id);
}

// --- EC2 -----------------------------------------------------------------------------------------

// A resource that the call creates, with its tags.
static void need_created(struct review *review, const char *action, const char *kind,
                         const json_t *tags)
{
    char name[100], arn[RESOURCE_MAX];
    snprintf(name, sizeof name, "ec2:%s", action);
    ec2_arn(review, arn, kind, "/*");
    need(review, name, arn, requested(tags));
    if (json_object_size(tags) == 0)
        return;
    json_t *context = requested(tags);
    json_object_set_new(context, "ec2:CreateAction", json_string(action));
    need(review, "ec2:CreateTags", arn, context);
}

static void need_template(struct review *review, const char *action,
                          const struct account_template *template)
{
    char arn[RESOURCE_MAX];
    ec2_arn(review, arn, "launch-template/", template->id);
    need(review, action, arn, existing(json_object_get(template->shown, "tagSet")));
}

static void need_to_pass(struct review *review, const char *role_arn)
{
    need(review, "iam:PassRole", role_arn,
         json_pack("{s:s}", "iam:PassedToService", "ec2.amazonaws.com"));
}

static void need_profile(struct review *review, const char *profile)
{
    const json_t *shown = account_profile_shown(review->call->account, profile);
    const json_t *role = json_array_get(json_object_get(shown, "Roles"), 0);
    if (role != NULL)
        need_to_pass(review, json_text(role, "Arn"));
}

// Of a kind, by the request or by the template.
static json_t *launch_tags(const struct review *review, const json_t *data, const char *kind)
{
    json_t *tags = account_tags_of(review->call->params, kind);
    json_t *others = account_tags_of(data, kind);
    json_object_update_missing(tags, others);
    json_decref(others);
    return tags;
}

// What a launch uses beside its template.
static void need_used(struct review *review, const char *action, const json_t *data)
{
    static const char *const used[] = {"security-group", "subnet", "capacity-reservation",
                                       "placement-group"};
    char arn[RESOURCE_MAX];
    arn_of(review, arn, "ec2", "", "image/", json_text(data, "ImageId"));
    need(review, action, arn, json_object());
    for (size_t i = 0; i < ARRAY_LENGTH(used); i++)
        need(review, action, ec2_arn(review, arn, used[i], "/*"), json_object());
}

// ec2:RunInstances with the parameters of the template, or with its own; `of`: the call, for the
// tags.
static void need_run(struct review *review, const char *of, const struct account_template *template)
{
    const json_t *data = template != NULL ? template->data : review->call->params;
    static const char *const created[] = {"instance", "volume", "network-interface",
                                          "spot-instances-request"};
    const json_t *target = json_object_get(review->call->params, "TargetCapacitySpecification");
    bool spot = strcmp(json_text(target, "DefaultTargetCapacityType"), "spot") == 0;
    char arn[RESOURCE_MAX];
    need_used(review, "ec2:RunInstances", data);
    if (template != NULL)
        need_template(review, "ec2:RunInstances", template);
    for (size_t i = 0; i < ARRAY_LENGTH(created) - (spot ? 0 : 1); i++) {
        json_t *tags = launch_tags(review, data, created[i]);
        ec2_arn(review, arn, created[i], "/*");
        need(review, "ec2:RunInstances", arn, requested(tags));
        json_t *context = requested(tags);
        json_object_set_new(context, "ec2:CreateAction", json_string(of));
        need(review, "ec2:CreateTags", arn, context);
        json_decref(tags);
    }
    need_profile(review, json_text(json_object_get(data, "IamInstanceProfile"), "Name"));
}

static const struct account_template *template_of(const struct review *review,
                                                  const json_t *specification)
{
    const struct aws_account *account = review->call->account;
    const char *name = json_text(specification, "LaunchTemplateName");
    const char *id = json_text(specification, "LaunchTemplateId");
    for (struct map_entry *e = map_first(account->templates); e != NULL; e = map_next(e)) {
        const struct account_template *template = map_value(e);
        if (strcmp(template->id, id) == 0 || strcmp(template->name, name) == 0)
            return template;
    }
    return NULL; // the call ends with its own error
}

static void review_fleet(struct review *review)
{
    const json_t *params = review->call->params;
    size_t i;
    json_t *config, *tags = account_tags_of(params, "fleet");
    need_created(review, "CreateFleet", "fleet", tags);
    json_decref(tags);
    json_array_foreach (json_object_get(params, "LaunchTemplateConfigs"), i, config) {
        const struct account_template *template =
            template_of(review, json_object_get(config, "LaunchTemplateSpecification"));
        if (template == NULL)
            continue;
        need_template(review, "ec2:CreateFleet", template);
        need_used(review, "ec2:CreateFleet", template->data);
        need_run(review, "CreateFleet", template);
    }
}

static void review_instances(struct review *review, const char *permission, const json_t *ids,
                             const json_t *tags)
{
    size_t i;
    json_t *id;
    char arn[RESOURCE_MAX];
    json_array_foreach (ids, i, id) {
        const char *text = text_or_empty(json_string_value(id));
        const struct aws_instance *instance = map_get(review->call->account->instances, text);
        if (instance == NULL)
            continue;
        json_t *context = existing(json_object_get(instance->shown, "tagSet"));
        json_t *more = requested(tags);
        json_object_update(context, more);
        json_decref(more);
        need(review, permission, ec2_arn(review, arn, "instance/", text), context);
    }
}

static void review_ec2(struct review *review)
{
    const json_t *params = review->call->params;
    const char *action = review->call->action;
    const struct account_template *template = template_of(review, params);
    char name[100];
    snprintf(name, sizeof name, "ec2:%s", action);
    if (strcmp(action, "CreateFleet") == 0) {
        review_fleet(review);
    } else if (strcmp(action, "RunInstances") == 0) {
        template = template_of(review, json_object_get(params, "LaunchTemplate"));
        need_run(review, "RunInstances", template);
    } else if (strcmp(action, "CreateLaunchTemplate") == 0) {
        json_t *tags = account_tags_of(params, "launch-template");
        need_created(review, action, "launch-template", tags);
        json_decref(tags);
    } else if (strcmp(action, "DeleteLaunchTemplate") == 0) {
        if (template != NULL)
            need_template(review, name, template);
    } else if (strcmp(action, "CreateTags") == 0) {
        json_t *tags = tags_in(json_object_get(params, "Tag"));
        review_instances(review, name, json_object_get(params, "ResourceId"), tags);
        json_decref(tags);
    } else if (strcmp(action, "TerminateInstances") == 0) {
        review_instances(review, name, json_object_get(params, "InstanceId"), NULL);
    } else {
        need(review, name, "*", json_object());
    }
}

// --- IAM and the others --------------------------------------------------------------------------

static void review_iam(struct review *review)
{
    const json_t *params = review->call->params;
    const char *action = review->call->action, *number = account_number(review->call->account);
    const char *profile = json_text(params, "InstanceProfileName");
    const json_t *shown = account_profile_shown(review->call->account, profile);
    const char *path = shown != NULL ? json_text(shown, "Path") : json_text(params, "Path");
    char name[100], arn[RESOURCE_MAX];
    snprintf(name, sizeof name, "iam:%s", action);
    snprintf(arn, sizeof arn, "arn:aws:iam::%s:instance-profile%s%s", number,
             path[0] != '\0' ? path : "/", profile);
    if (strcmp(action, "ListInstanceProfiles") == 0) {
        need(review, name, "*", json_object());
        return;
    }
    if (strcmp(action, "CreateInstanceProfile") == 0) {
        json_t *tags = tags_in(json_object_get(params, "Tags"));
        need(review, name, arn, requested(tags));
        json_t *context = requested(tags);
        add_tags(context, "aws:ResourceTag", tags);
        need(review, "iam:TagInstanceProfile", arn, context);
        json_decref(tags);
        return;
    }
    if (shown == NULL && strcmp(action, "GetInstanceProfile") != 0)
        return;
    need(review, name, arn, existing(json_object_get(shown, "Tags")));
    if (strcmp(action, "AddRoleToInstanceProfile") == 0) {
        snprintf(arn, sizeof arn, "arn:aws:iam::%s:role/%s", number, json_text(params, "RoleName"));
        need_to_pass(review, arn);
    }
}

static void review_others(struct review *review)
{
    const struct account_call *call = review->call;
    const char *number = account_number(call->account);
    const char *parameter = json_text(call->params, "Name");
    const char *queue = strrchr(json_text(call->params, "QueueUrl"), '/');
    char name[100], arn[RESOURCE_MAX] = "*";
    json_t *context = json_object();
    snprintf(name, sizeof name, "%s:%s", aws_service_name(call->service), call->action);
    if (call->service == AWS_SSM) // AWS's own parameters belong to no account
        arn_of(review, arn, "ssm", text_starts_with(parameter, "/aws/service/") ? "" : number,
               parameter[0] == '/' ? "parameter" : "parameter/", parameter);
    if (call->service == AWS_EKS)
        arn_of(review, arn, "eks", number, "cluster/", json_text(call->params, "name"));
    if (call->service == AWS_SQS) {
        arn_of(review, arn, "sqs", number, "",
               queue != NULL ? queue + 1 : json_text(call->params, "QueueName"));
        if (strcmp(call->action, "DeleteMessageBatch") == 0)
            snprintf(name, sizeof name, "sqs:DeleteMessage");
    }
    if (call->service == AWS_ARC_ZONAL_SHIFT)
        json_object_set_new(context, "arc-zonal-shift:ResourceIdentifier",
                            json_string(json_text(call->params, "resourceIdentifier")));
    need(review, name, arn, context);
}

// --- the verdict ---------------------------------------------------------------------------------

// An encoded message; its plain text is kept.
static const char *encode(struct review *review, char out[65])
{
    struct aws_account *account = review->call->account;
    json_t *plain =
        json_pack("{s:b,s:b,s:{s:[]},s:{s:{s:o},s:s,s:s,s:{s:[]}}}", "allowed", 0, "explicitDeny",
                  0, "matchedStatements", "items", "context", "principal", "arn",
                  json_sprintf(PRINCIPAL, account_number(account)), "action", review->action,
                  "resource", review->resource, "conditions", "items");
    CLEANUP_FREE char *text = json_dumps(plain, JSON_COMPACT);
    hash_sha256_hex(text, strlen(text), out);
    if (json_object_size(account->denials) >= DENIALS_MAX)
        json_object_clear(account->denials);
    json_object_set_new(account->denials, out, plain);
    return out;
}

const json_t *account_policy_decode(const struct aws_account *account, const char *encoded)
{
    return json_object_get(account->denials, encoded);
}

static bool is_read(const char *action)
{
    return text_starts_with(action, "Describe") || text_starts_with(action, "Get");
}

static bool refuse(struct review *review)
{
    struct account_call *call = review->call;
    const char *number = account_number(call->account);
    char encoded[65];
    if (call->service == AWS_EC2 && !is_read(call->action))
        return account_refuse(call, 403, "UnauthorizedOperation",
                              "You are not authorized to perform this operation. Encoded "
                              "authorization failure message: %s",
                              encode(review, encoded));
    bool xml = call->service == AWS_IAM || call->service == AWS_STS;
    const char *code = call->service == AWS_EC2 ? "UnauthorizedOperation"
                       : xml                    ? "AccessDenied"
                                                : "AccessDeniedException";
    return account_refuse(call, xml || call->service == AWS_EC2 ? 403 : 400, code,
                          "User: " PRINCIPAL " is not authorized to perform: %s on resource: %s "
                          "because no identity-based policy allows the %s action",
                          number, review->action, review->resource, review->action);
}

// Permissions that everybody has, or that trust policies give.
static bool needs_none(const struct account_call *call)
{
    return call->service == AWS_STS && strcmp(call->action, "DecodeAuthorizationMessage") != 0;
}

bool account_policy_check(struct account_call *call)
{
    struct review review = {.call = call, .is_allowed = true};
    if (call->account->policy == NULL || needs_none(call))
        return true;
    assert(call->code == NULL);
    if (call->service == AWS_EC2)
        review_ec2(&review);
    else if (call->service == AWS_IAM)
        review_iam(&review);
    else
        review_others(&review);
    return review.is_allowed || refuse(&review);
}
