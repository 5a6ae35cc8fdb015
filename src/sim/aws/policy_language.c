#include "sim/aws/policy_language.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "sim/aws/account_filters.h"

#define FOR_ALL   "ForAllValues:"
#define IF_EXISTS "IfExists"

typedef bool (*matcher)(const char *pattern, const char *value);

static bool equals(const char *pattern, const char *value)
{
    return strcmp(pattern, value) == 0;
}

// A member of the language that is one text or a list of them.
static bool any_matches(const json_t *patterns, const char *value, matcher matches)
{
    size_t i;
    json_t *pattern;
    if (json_is_string(patterns))
        return matches(json_string_value(patterns), value);
    json_array_foreach (patterns, i, pattern)
        if (json_is_string(pattern) && matches(json_string_value(pattern), value))
            return true;
    return false;
}

static bool all_match(const json_t *patterns, const json_t *values, matcher matches)
{
    size_t i;
    json_t *value;
    json_array_foreach (values, i, value)
        if (!any_matches(patterns, text_or_empty(json_string_value(value)), matches))
            return false;
    return true;
}

// One operator with its keys. An unknown operator holds for nothing.
static bool operator_holds(const char *operator, const json_t * keys, const json_t *context)
{
    bool for_all = text_starts_with(operator, FOR_ALL);
    const char *name = operator+(for_all ? strlen(FOR_ALL) : 0);
    size_t length = strcspn(name, ":");
    bool if_exists =
        length > strlen(IF_EXISTS) && strcmp(name + length - strlen(IF_EXISTS), IF_EXISTS) == 0;
    length -= if_exists ? strlen(IF_EXISTS) : 0;
    bool like = length == strlen("StringLike") && strncmp(name, "StringLike", length) == 0;
    if (!like && (length != strlen("StringEquals") || strncmp(name, "StringEquals", length) != 0))
        return false;
    matcher matches = like ? account_pattern : equals;
    const char *key;
    json_t *patterns;
    json_object_foreach ((json_t *)keys, key, patterns) {
        const json_t *value = json_object_get(context, key);
        bool holds = value == NULL ? for_all || if_exists
                     : json_is_array(value)
                         ? for_all && all_match(patterns, value, matches)
                         : any_matches(patterns, text_or_empty(json_string_value(value)), matches);
        if (!holds)
            return false;
    }
    return true;
}

static bool conditions_hold(const json_t *statement, const json_t *context)
{
    const char *operator;
    json_t *keys;
    json_object_foreach (json_object_get(statement, "Condition"), operator, keys)
        if (!operator_holds(operator, keys, context))
            return false;
    return true;
}

const char *policy_statement_of(const json_t *policy, const char *action, const char *resource,
                                const json_t *context)
{
    size_t i;
    json_t *statement;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        if (text_equal(json_string_value(json_object_get(statement, "Effect")), "Allow") &&
            any_matches(json_object_get(statement, "Action"), action, account_pattern) &&
            any_matches(json_object_get(statement, "Resource"), resource, account_pattern) &&
            conditions_hold(statement, context))
            return text_or_empty(json_string_value(json_object_get(statement, "Sid")));
    return NULL;
}
