#include "cloud/aws/iam_policy.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/interruption/queue_address.h"
#include "cloud/aws/nodeclass/iam_statements.h"

static bool is_wanted(const struct iam_statement *statement,
                      const struct iam_policy_options *options)
{
    bool queue = !text_is_empty(options->interruption_queue);
    switch (statement->feature) {
    case IAM_QUEUE:
        return queue;
    case IAM_NO_QUEUE:
        return !queue && !options->upstream;
    case IAM_ZONAL_SHIFT:
        return options->zonal_shift;
    case IAM_PROFILES:
        return !options->own_instance_profiles;
    case IAM_PRICES:
        return !options->isolated_vpc;
    case IAM_OWN:
        return !options->upstream;
    case IAM_DOCTOR:
        return options->doctor;
    case IAM_DOCTOR_QUEUE:
        return options->doctor && queue;
    case IAM_ALWAYS:
        break;
    }
    return true;
}

static json_t *filled(const char *pattern, const struct iam_policy_options *options)
{
    struct text out = {0};
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '%') {
            text_add_char(&out, *at);
            continue;
        }
        at++;
        assert(strchr("PRAC", *at) != NULL);
        text_add(&out, *at == 'P'   ? options->partition
                       : *at == 'R' ? options->region
                       : *at == 'A' ? options->account
                                    : options->cluster);
    }
    json_t *text = json_string(text_or_empty(out.data));
    text_free(&out);
    return text;
}

// --- resources that the options name -------------------------------------------------------------

// Calls `add` with each part of a list with commas.
static void each_part(const char *list, json_t *out, const struct iam_policy_options *options,
                      json_t *(*arn_of)(const char *part, const struct iam_policy_options *options))
{
    CLEANUP_FREE char *copy = memory_copy_string(text_or_empty(list));
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        part += strspn(part, " ");
        part[strcspn(part, " ")] = '\0';
        if (*part != '\0')
            json_array_append_new(out, arn_of(part, options));
    }
}

static json_t *role_arn(const char *role, const struct iam_policy_options *options)
{
    if (text_starts_with(role, "arn:"))
        return json_string(role);
    return json_sprintf("arn:%s:iam::%s:role/%s", options->partition, options->account,
                        role + (role[0] == '/'));
}

static json_t *parameter_arn(const char *parameter, const struct iam_policy_options *options)
{
    if (text_starts_with(parameter, "arn:"))
        return json_string(parameter);
    return json_sprintf("arn:%s:ssm:%s:%s:parameter/%s", options->partition, options->region,
                        options->account, parameter + (parameter[0] == '/'));
}

static bool add_queues(json_t *out, const struct iam_policy_options *options, struct error *error)
{
    struct queue_address queues[QUEUES_MAX];
    unsigned count;
    if (!queue_addresses_parse(options->interruption_queue, options->upstream, queues, &count,
                               error))
        return false;
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(
            out, json_sprintf("arn:%s:sqs:%s:%s:%s", options->partition,
                              queues[i].region[0] != '\0' ? queues[i].region : options->region,
                              queues[i].account[0] != '\0' ? queues[i].account : options->account,
                              queues[i].name));
    return true;
}

static bool add_resource(json_t *out, const char *pattern, const struct iam_policy_options *options,
                         struct error *error)
{
    if (strcmp(pattern, "%Q") == 0)
        return add_queues(out, options, error);
    if (strcmp(pattern, "%S") == 0)
        each_part(options->ssm_parameters, out, options, parameter_arn);
    else if (strcmp(pattern, "%N") == 0 && !text_is_empty(options->node_roles))
        each_part(options->node_roles, out, options, role_arn);
    else if (strcmp(pattern, "%N") == 0)
        json_array_append_new(out,
                              json_sprintf("arn:%s:iam::%s:role/KarpenterNodeRole-%s",
                                           options->partition, options->account, options->cluster));
    else
        json_array_append_new(out, filled(pattern, options));
    return true;
}

static void add_condition(json_t *out, const struct iam_condition *condition,
                          const struct iam_policy_options *options)
{
    json_t *operator= json_object_get(out, condition->operator);
    if (operator== NULL) {
        operator= json_object();
        json_object_set_new(out, condition->operator, operator);
    }
    json_t *values = json_array(), *key = filled(condition->key, options);
    for (size_t i = 0; i < ARRAY_LENGTH(condition->values) && condition->values[i] != NULL; i++)
        json_array_append_new(values, filled(condition->values[i], options));
    json_object_set(operator, json_string_value(key),
                    json_array_size(values) == 1 ? json_array_get(values, 0) : values);
    json_decref(values);
    json_decref(key);
}

static bool add_statement(json_t *list, const struct iam_statement *statement,
                          const struct iam_policy_options *options, struct error *error)
{
    bool good = true;
    json_t *actions = json_array(), *resources = json_array(), *conditions = json_object();
    const char *permission;
    for (size_t i = 0; (permission = iam_statement_permission(statement, i)) != NULL; i++)
        json_array_append_new(actions, json_string(permission));
    for (size_t i = 0; i < IAM_RESOURCES_MAX && statement->resources[i] != NULL; i++)
        good = good && add_resource(resources, statement->resources[i], options, error);
    for (size_t i = 0; i < IAM_CONDITIONS_MAX && statement->conditions[i].operator!= NULL; i++)
        add_condition(conditions, &statement->conditions[i], options);
    json_t *out = json_pack("{s:s, s:s, s:o, s:o}", "Sid", statement->sid, "Effect", "Allow",
                            "Action", actions, "Resource", resources);
    if (json_object_size(conditions) > 0)
        json_object_set(out, "Condition", conditions);
    json_decref(conditions);
    json_array_append_new(list, out);
    return good;
}

json_t *iam_policy_create(const struct iam_policy_options *options, struct error *error)
{
    assert(options->partition != NULL && options->region != NULL);
    assert(options->account != NULL && options->cluster != NULL);
    json_t *list = json_array();
    bool good = true;
    size_t count;
    const struct iam_statement *statements = iam_statements(&count);
    for (size_t i = 0; i < count && good; i++)
        if (is_wanted(&statements[i], options))
            good = add_statement(list, &statements[i], options, error);
    json_t *policy =
        good ? json_pack("{s:s, s:O}", "Version", "2012-10-17", "Statement", list) : NULL;
    json_decref(list);
    return policy;
}

bool iam_policy_allows(const json_t *policy, const char *permission)
{
    const json_t *statement, *action;
    size_t i, j;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        json_array_foreach (json_object_get(statement, "Action"), j, action)
            if (text_equal(json_string_value(action), permission))
                return true;
    return false;
}
