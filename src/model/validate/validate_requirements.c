#include "model/validate/validate_requirements.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"

struct item {
    const char *key; // after API-172
    const char *operator;
    const json_t *values; // list, or for labels the string
    int index;            // -1: a label
};
struct items {
    struct item *items;
    uint32_t count, capacity;
};

static void gather(struct items *items, const struct requirement_source *source);
static bool allows_something(const struct items *items, const char *key);

const char *requirements_contradiction(const struct requirement_source *sources, size_t count,
                                       int *index)
{
    struct items items = {0};
    for (size_t i = 0; i < count; i++)
        gather(&items, &sources[i]);
    const char *found = NULL;
    for (uint32_t i = 0; i < items.count && found == NULL; i++)
        if (!allows_something(&items, items.items[i].key))
            found = items.items[i].key;
    for (uint32_t i = 0; found != NULL && i < items.count; i++)
        if (strcmp(items.items[i].key, found) == 0)
            *index = items.items[i].index;
    vector_free(&items);
    return found;
}

static void gather(struct items *items, const struct requirement_source *source)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)source->labels, key, value)
        if (json_is_string(value))
            vector_push(items, (struct item){label_alias_target(key), "In", value, -1});
    size_t index;
    json_array_foreach (source->requirements, index, value) {
        const char *name = json_text(value, "key"), *operator= json_text(value, "operator");
        if (name != NULL && operator!= NULL)
            vector_push(items, (struct item){label_alias_target(name), operator,
                                             json_object_get(value, "values"), (int)index});
    }
}

// --- one key -------------------------------------------------------------------------------------
static bool is_key(const struct item *item, const char *key)
{
    return strcmp(item->key, key) == 0;
}

static bool has_value(const struct item *item, const char *value)
{
    if (json_is_string(item->values))
        return strcmp(json_string_value(item->values), value) == 0;
    size_t index;
    json_t *other;
    json_array_foreach (item->values, index, other)
        if (json_is_string(other) && strcmp(json_string_value(other), value) == 0)
            return true;
    return false;
}

// The least and the greatest whole number that the operator allows; false if it sets no bound.
static bool bounds_of(const struct item *item, int64_t *least, int64_t *greatest)
{
    const char *text = json_string_value(json_array_get(item->values, 0));
    int64_t number;
    if (text == NULL || !text_parse_int64(text, &number))
        return false;
    *least = INT64_MIN;
    *greatest = INT64_MAX;
    if (strcmp(item->operator, "Gt") == 0 && number < INT64_MAX)
        *least = number + 1;
    else if (strcmp(item->operator, "Gte") == 0)
        *least = number;
    else if (strcmp(item->operator, "Lt") == 0 && number > INT64_MIN)
        *greatest = number - 1;
    else if (strcmp(item->operator, "Lte") == 0)
        *greatest = number;
    else
        return false;
    return true;
}

static bool allows_value(const struct items *items, const char *key, const char *value)
{
    for (uint32_t i = 0; i < items->count; i++) {
        const struct item *item = &items->items[i];
        int64_t least, greatest, number;
        if (!is_key(item, key))
            continue;
        if (strcmp(item->operator, "In") == 0 && !has_value(item, value))
            return false;
        if (strcmp(item->operator, "NotIn") == 0 && has_value(item, value))
            return false;
        if (bounds_of(item, &least, &greatest) &&
            (!text_parse_int64(value, &number) || number < least || number > greatest))
            return false;
    }
    return true;
}

static bool any_of_list(const struct items *items, const struct item *list)
{
    if (json_is_string(list->values))
        return allows_value(items, list->key, json_string_value(list->values));
    size_t index;
    json_t *value;
    json_array_foreach (list->values, index, value)
        if (json_is_string(value) && allows_value(items, list->key, json_string_value(value)))
            return true;
    return json_array_size(list->values) == 0; // refused on its own
}

static bool allows_something(const struct items *items, const char *key)
{
    int64_t least = INT64_MIN, greatest = INT64_MAX, low, high;
    bool must_exist = false, must_not_exist = false;
    for (uint32_t i = 0; i < items->count; i++) {
        const struct item *item = &items->items[i];
        if (!is_key(item, key))
            continue;
        if (strcmp(item->operator, "In") == 0 && !any_of_list(items, item))
            return false;
        if (strcmp(item->operator, "DoesNotExist") == 0)
            must_not_exist = true;
        else if (strcmp(item->operator, "NotIn") != 0)
            must_exist = true;
        if (!bounds_of(item, &low, &high))
            continue;
        least = low > least ? low : least;
        greatest = high < greatest ? high : greatest;
    }
    return !(must_exist && must_not_exist) && least <= greatest;
}
