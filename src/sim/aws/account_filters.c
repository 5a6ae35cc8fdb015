#include "sim/aws/account_filters.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PAGE_MAX 100000

bool account_pattern(const char *pattern, const char *value)
{
    const char *star = NULL, *retry = NULL;
    while (*value != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = value;
        } else if (*pattern == '?') {
            pattern++;
            value++;
        } else if (*pattern == '\\' && pattern[1] != '\0' && pattern[1] == *value) {
            pattern += 2;
            value++;
        } else if (*pattern == *value && *pattern != '\\') {
            pattern++;
            value++;
        } else if (star != NULL) {
            pattern = star + 1;
            value = ++retry;
        } else
            return false;
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool values_match(const json_t *values, const char *text)
{
    size_t i;
    json_t *value;
    json_array_foreach (values, i, value)
        if (json_is_string(value) && account_pattern(json_string_value(value), text))
            return true;
    return false;
}

static bool scalar_matches(const json_t *values, const json_t *scalar)
{
    char number[40];
    if (json_is_string(scalar))
        return values_match(values, json_string_value(scalar));
    if (json_is_boolean(scalar))
        return values_match(values, json_is_true(scalar) ? "true" : "false");
    if (!json_is_integer(scalar))
        return false;
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(scalar));
    return values_match(values, number);
}

static bool path_matches(const json_t *values, const json_t *place, const char *path)
{
    size_t i;
    json_t *item;
    if (json_is_array(place)) {
        json_array_foreach (place, i, item)
            if (path_matches(values, item, path))
                return true;
        return false;
    }
    if (path[0] == '\0')
        return scalar_matches(values, place);
    char key[64];
    size_t length = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    const json_t *inner = json_object_get(place, key);
    return inner != NULL && path_matches(values, inner, path + length + (path[length] == '.'));
}

static bool tag_matches(const json_t *values, const json_t *resource, const char *key)
{
    size_t i;
    json_t *tag;
    json_array_foreach (json_object_get(resource, "tagSet"), i, tag)
        if (strcmp(json_text(tag, "key"), key) == 0)
            return values_match(values, json_text(tag, "value"));
    return false;
}

static bool filter_passes(struct account_call *call, const json_t *filter, const json_t *resource,
                          const struct account_filter *filters)
{
    const char *name = json_text(filter, "Name");
    const json_t *values = json_object_get(filter, "Value");
    if (text_starts_with(name, "tag:"))
        return tag_matches(values, resource, name + 4);
    if (strcmp(name, "tag-key") == 0)
        return path_matches(values, resource, "tagSet.key");
    for (; filters->name != NULL; filters++)
        if (strcmp(filters->name, name) == 0)
            return path_matches(values, resource, filters->path);
    if (call->code == NULL)
        account_refuse(call, 400, "InvalidParameterValue", "The filter '%s' is invalid", name);
    return false;
}

// Whether one resource passes; refuses the call at a filter that does not exist.
static bool filters_pass(struct account_call *call, const json_t *resource,
                         const struct account_filter *filters)
{
    size_t i;
    json_t *filter;
    json_array_foreach (json_object_get(call->params, "Filter"), i, filter)
        if (!filter_passes(call, filter, resource, filters))
            return false;
    return true;
}

bool account_page(struct account_call *call, size_t count, size_t *first, size_t *end, char **next)
{
    const char *token = json_text(call->params, "NextToken");
    const char *limit_text = json_text(call->params, "MaxResults");
    int64_t begin = 0, limit = PAGE_MAX;
    *next = NULL;
    if (token[0] != '\0' &&
        (!text_starts_with(token, "page-") || !text_parse_int64(token + 5, &begin) || begin < 0))
        return account_refuse(call, 400, "InvalidNextToken", "The specified token is not valid");
    if (limit_text[0] != '\0' &&
        (!text_parse_int64(limit_text, &limit) || limit < 1 || limit > PAGE_MAX))
        return account_refuse(call, 400, "InvalidParameterValue",
                              "Value ( %s ) for parameter maxResults is invalid.", limit_text);
    *first = (size_t)begin < count ? (size_t)begin : count;
    *end = count - *first > (size_t)limit ? *first + (size_t)limit : count;
    if (*end < count) {
        struct text text = {0};
        text_format(&text, "page-%zu", *end);
        *next = text_take(&text);
    }
    assert(*first <= *end);
    return true;
}

bool account_filters_reply(struct account_call *call, const char *list_name, json_t *resources,
                           const struct account_filter *filters)
{
    json_t *passed = json_array(), *page = json_array(), *resource;
    size_t i, first, end;
    char *next = NULL;
    // A filter that does not exist is refused even where there is nothing to filter.
    json_t *nothing = json_object();
    filters_pass(call, nothing, filters);
    json_decref(nothing);
    json_array_foreach (resources, i, resource)
        if (filters_pass(call, resource, filters))
            json_array_append(passed, resource);
    bool good =
        call->code == NULL && account_page(call, json_array_size(passed), &first, &end, &next);
    if (good) {
        for (i = first; i < end; i++)
            json_array_append(page, json_array_get(passed, i));
        call->count = json_pack("{s:I}", list_name, (json_int_t)json_array_size(page));
        if (call->reply == NULL)
            call->reply = json_object();
        json_object_set(call->reply, list_name, page);
        if (next != NULL)
            json_object_set_new(call->reply, "nextToken", json_string(next));
    }
    free(next);
    json_decref(page);
    json_decref(passed);
    json_decref(resources);
    return good;
}

bool account_asked(const json_t *params, const char *name, const char *value)
{
    const json_t *list = json_object_get(params, name);
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item)
        if (text_equal(json_string_value(item), value))
            return true;
    return json_array_size(list) == 0;
}

json_t *account_tag_set(const json_t *tags)
{
    json_t *list = json_array(), *value;
    const char *key;
    json_object_foreach ((json_t *)tags, key, value)
        json_array_append_new(list, json_pack("{s:s,s:O}", "key", key, "value", value));
    return list;
}

json_t *account_tags_of(const json_t *params, const char *resource_type)
{
    json_t *tags = json_object(), *specification, *tag;
    size_t i, j;
    json_array_foreach (json_object_get(params, "TagSpecification"), i, specification) {
        if (strcmp(json_text(specification, "ResourceType"), resource_type) != 0)
            continue;
        json_array_foreach (json_object_get(specification, "Tag"), j, tag)
            json_object_set_new(tags, json_text(tag, "Key"), json_string(json_text(tag, "Value")));
    }
    return tags;
}
