// Filters and paging of EC2's Describe calls.
#pragma once

#include "sim/aws/account_internal.h"

// Where a filter looks: a path of members of the resource as shown; lists are gone through.
struct account_filter {
    const char *name, *path;
};
// Appends to call->reply, under `list_name`, those of `resources` (in the wire's form, tags in
// "tagSet") that pass params.Filter, in order, one page of them; nextToken after it. `filters` ends
// with a NULL name. Steals `resources`. False: refused.
bool account_filters_reply(struct account_call *call, const char *list_name, json_t *resources,
                           const struct account_filter *filters);
// Part of it: the page of `list` that params.NextToken and MaxResults ask for; sets `next` (free
// it) or NULL.
bool account_page(struct account_call *call, size_t count, size_t *first, size_t *end, char **next);
// Whether `value` matches the pattern: * any text, ? one character, backslash escapes.
bool account_pattern(const char *pattern, const char *value);
// The list parameter as a list of texts has this one; absent or empty lists have every one.
bool account_asked(const json_t *params, const char *name, const char *value);
json_t *account_tag_set(const json_t *tags); // {"k": "v"} -> [{"key", "value"}]
// TagSpecification of the resource type as {"k": "v"}; never NULL.
json_t *account_tags_of(const json_t *params, const char *resource_type);
