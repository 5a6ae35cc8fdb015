#include "model/tables/rule_conditions.h"

#include "model/tables/rules_json.h"

bool rule_empty_pair(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule, (void)old_value;
    const char *key;
    json_t *text;
    json_object_foreach ((json_t *)value, key, text)
        if (key[0] == '\0' || (json_is_string(text) && json_string_length(text) == 0))
            return true;
    return false;
}

static bool has_any(const json_t *object, const char *const *fields)
{
    for (; *fields != NULL; fields++)
        if (json_has(object, *fields))
            return true;
    return false;
}

bool rule_lacks_all(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)old_value;
    return json_is_object(value) && !has_any(value, rule->arguments);
}

bool rule_item_lacks_all(const struct rule *rule, const json_t *item)
{
    return rule_lacks_all(rule, item, NULL);
}

// The first field excludes the others.
bool rule_item_mixes(const struct rule *rule, const json_t *item)
{
    return json_has(item, rule->arguments[0]) && has_any(item, rule->arguments + 1);
}

// API-606: upstream refuses a list only if every term violates the rule, hence also an empty one.
bool rule_every_item_mixes(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)old_value;
    size_t index;
    json_t *item;
    json_array_foreach (value, index, item)
        if (!rule_item_mixes(rule, item))
            return false;
    return json_is_array(value);
}

bool rule_empty_list(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule, (void)old_value;
    return json_is_array(value) && json_array_size(value) == 0;
}

bool rule_none_or_both(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)old_value;
    return json_has(value, rule->arguments[0]) == json_has(value, rule->arguments[1]);
}

bool rule_both(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)old_value;
    return json_has(value, rule->arguments[0]) && json_has(value, rule->arguments[1]);
}

bool rule_is_argument(const struct rule *rule, const char *text)
{
    return strcmp(text, rule->arguments[0]) == 0;
}

// The message ends in a slash that the check lacks: kubernetes.io/cluster-x is refused too.
bool rule_begins_with_argument(const struct rule *rule, const char *text)
{
    return strncmp(text, rule->arguments[0], strlen(rule->arguments[0]) - 1) == 0;
}
