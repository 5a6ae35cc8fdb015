#include "model/devices/device_facts.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define ENTRIES_MAX 128 // attributes and capacities of a device; the API allows 32 together

// --- the parts of a device -----------------------------------------------------------------------

static json_t *load(const char *json, struct error *error)
{
    json_error_t problem;
    json_t *value = json_loads(json, JSON_REJECT_DUPLICATES, &problem);
    if (value == NULL || !json_is_object(value) || json_object_size(value) > ENTRIES_MAX) {
        json_decref(value);
        error_set(error, ERROR_INVALID, "expected an object of at most %d entries", ENTRIES_MAX);
        return NULL;
    }
    return value;
}

// Splits "domain/name"; a name without domain gets the driver's.
static void split_name(struct arena *arena, const char *driver, const char *qualified,
                       const char **domain, const char **name)
{
    const char *slash = strchr(qualified, '/');
    *name = arena_copy_string(arena, slash != NULL ? slash + 1 : qualified);
    *domain =
        slash != NULL ? arena_copy_bytes(arena, qualified, (size_t)(slash - qualified)) : driver;
}

static bool read_attribute(struct arena *arena, const json_t *value,
                           struct device_attribute *attribute, struct error *error)
{
    const json_t *part;
    if ((part = json_object_get(value, "string")) != NULL && json_is_string(part)) {
        attribute->kind = ATTRIBUTE_STRING;
        attribute->text = arena_copy_string(arena, json_string_value(part));
    } else if ((part = json_object_get(value, "version")) != NULL && json_is_string(part)) {
        attribute->kind = ATTRIBUTE_VERSION;
        attribute->text = arena_copy_string(arena, json_string_value(part));
    } else if ((part = json_object_get(value, "int")) != NULL && json_is_integer(part)) {
        attribute->kind = ATTRIBUTE_INT;
        attribute->number = json_integer_value(part);
    } else if ((part = json_object_get(value, "bool")) != NULL && json_is_boolean(part)) {
        attribute->kind = ATTRIBUTE_BOOL;
        attribute->number = json_is_true(part);
    } else {
        return error_set(error, ERROR_INVALID,
                         "attribute %s is neither string, version, int nor bool", attribute->name);
    }
    return true;
}

static bool read_quantity(const json_t *value, int64_t *amount, struct error *error)
{
    if (json_is_integer(value)) {
        *amount = quantity_multiply(json_integer_value(value), 1000);
        return true;
    }
    if (!json_is_string(value))
        return error_set(error, ERROR_INVALID, "expected a quantity");
    return quantity_parse_scaled(json_string_value(value), DEVICE_QUANTITY_EXPONENT, amount, error);
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool read_policy(struct arena *arena, const json_t *policy, struct device_capacity *capacity,
                        struct error *error)
{
    const json_t *part, *range = json_object_get(policy, "validRange");
    const struct {
        const json_t *value;
        int64_t *to;
    } amounts[] = {{json_object_get(policy, "default"), &capacity->request_default},
                   {json_object_get(range, "min"), &capacity->request_least},
                   {json_object_get(range, "max"), &capacity->request_most},
                   {json_object_get(range, "step"), &capacity->request_step}};
    for (size_t i = 0; i < ARRAY_LENGTH(amounts); i++)
        if (amounts[i].value != NULL && !read_quantity(amounts[i].value, amounts[i].to, error))
            return false;
    const json_t *values = json_object_get(policy, "validValues");
    size_t index;
    if (!json_is_array(values) || json_array_size(values) > ENTRIES_MAX)
        return true;
    capacity->request_values.items = arena_allocate_array(arena, json_array_size(values) + 1,
                                                          sizeof *capacity->request_values.items);
    json_array_foreach (values, index, part) {
        if (!read_quantity(part, &capacity->request_values.items[index], error))
            return false;
        capacity->request_values.count++;
    }
    qsort(capacity->request_values.items, capacity->request_values.count, sizeof(int64_t),
          compare_numbers);
    return true;
}

static int compare_attributes(const void *a, const void *b)
{
    const struct device_attribute *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static int compare_capacities(const void *a, const void *b)
{
    const struct device_capacity *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static bool read_attributes(struct arena *arena, const char *json, struct device_facts *facts,
                            struct error *error)
{
    json_t *all = load(json, error), *value;
    if (all == NULL)
        return false;
    const char *name;
    bool fine = true;
    facts->attributes.items =
        arena_allocate_array(arena, json_object_size(all) + 1, sizeof *facts->attributes.items);
    json_object_foreach (all, name, value) {
        struct device_attribute *to = &facts->attributes.items[facts->attributes.count++];
        split_name(arena, facts->driver, name, &to->domain, &to->name);
        fine = fine && read_attribute(arena, value, to, error);
    }
    json_decref(all);
    qsort(facts->attributes.items, facts->attributes.count, sizeof *facts->attributes.items,
          compare_attributes);
    return fine;
}

static bool read_capacities(struct arena *arena, const char *json, struct device_facts *facts,
                            struct error *error)
{
    json_t *all = load(json, error), *value;
    if (all == NULL)
        return false;
    const char *name;
    bool fine = true;
    facts->capacity.items =
        arena_allocate_array(arena, json_object_size(all) + 1, sizeof *facts->capacity.items);
    json_object_foreach (all, name, value) {
        struct device_capacity *to = &facts->capacity.items[facts->capacity.count++];
        split_name(arena, facts->driver, name, &to->domain, &to->name);
        fine = fine && read_quantity(json_object_get(value, "value"), &to->amount, error) &&
               read_policy(arena, json_object_get(value, "requestPolicy"), to, error);
    }
    json_decref(all);
    qsort(facts->capacity.items, facts->capacity.count, sizeof *facts->capacity.items,
          compare_capacities);
    return fine;
}

bool device_facts_read(struct arena *arena, const char *driver, const struct device *device,
                       struct device_facts *facts, struct error *error)
{
    assert(driver != NULL);
    *facts =
        (struct device_facts){.driver = driver,
                              .name = device->name,
                              .allow_multiple_allocations = device->allow_multiple_allocations};
    bool fine =
        (device->attributes == NULL || read_attributes(arena, device->attributes, facts, error)) &&
        (device->capacity == NULL || read_capacities(arena, device->capacity, facts, error));
    return fine || error_prefix(error, "device %s", text_or_empty(device->name));
}

// --- amounts by name -----------------------------------------------------------------------------

static int compare_amounts(const void *a, const void *b)
{
    return strcmp(((const struct named_amount *)a)->name, ((const struct named_amount *)b)->name);
}

bool named_amounts_read(struct arena *arena, const char *json, named_amount_list *list,
                        struct error *error)
{
    list->count = 0;
    if (json == NULL)
        return true;
    json_t *all = load(json, error), *value;
    if (all == NULL)
        return false;
    const char *name;
    bool fine = true;
    list->items = arena_allocate_array(arena, json_object_size(all) + 1, sizeof *list->items);
    json_object_foreach (all, name, value) {
        struct named_amount *to = &list->items[list->count++];
        to->name = arena_copy_string(arena, name);
        const json_t *amount = json_is_object(value) ? json_object_get(value, "value") : value;
        fine = fine && read_quantity(amount, &to->amount, error);
    }
    json_decref(all);
    qsort(list->items, list->count, sizeof *list->items, compare_amounts);
    return fine;
}

// --- look-ups ------------------------------------------------------------------------------------

static bool is_named(const struct device_facts *facts, const char *qualified_name,
                     const char *domain, const char *name)
{
    const char *slash = strchr(qualified_name, '/');
    if (slash == NULL)
        return strcmp(domain, facts->driver) == 0 && strcmp(name, qualified_name) == 0;
    size_t length = (size_t)(slash - qualified_name);
    return strncmp(domain, qualified_name, length) == 0 && domain[length] == '\0' &&
           strcmp(name, slash + 1) == 0;
}

const struct device_attribute *device_attribute_find(const struct device_facts *facts,
                                                     const char *qualified_name)
{
    list_for_each (attribute, &facts->attributes)
        if (is_named(facts, qualified_name, attribute->domain, attribute->name))
            return attribute;
    return NULL;
}

const struct device_capacity *device_capacity_find(const struct device_facts *facts,
                                                   const char *qualified_name)
{
    list_for_each (capacity, &facts->capacity)
        if (is_named(facts, qualified_name, capacity->domain, capacity->name))
            return capacity;
    return NULL;
}

bool device_attributes_equal(const struct device_attribute *a, const struct device_attribute *b)
{
    assert(a != NULL);
    assert(b != NULL);
    return a->kind == b->kind && a->number == b->number && text_equal(a->text, b->text);
}
