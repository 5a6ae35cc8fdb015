#include "cloud/aws/types/own_prices.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"

#define ENTRIES_MAX    20000
#define NAME_MAX_BYTES 100
#define PRICE_MAX_USD  100000
#define FACTOR_MAX     1000

struct multiplier {
    char *pattern;
    double factor;
};
struct own_prices {
    struct map *prices; // type -> int64_t
    VECTOR(struct multiplier) multipliers;
};

static bool refuse(struct error *error, const char *part, const char *name, const char *problem)
{
    return error_set(error, ERROR_INVALID, "%s.%.*s %s", part, NAME_MAX_BYTES, name, problem);
}

static bool read_price(struct own_prices *own, const char *name, const json_t *value,
                       struct error *error)
{
    double price = json_number_value(value);
    if (!json_is_number(value) || !(price > 0 && price <= PRICE_MAX_USD))
        return refuse(error, "onDemand", name, "must be a price in USD an hour, above 0");
    int64_t *known = map_ensure(own->prices, name, sizeof *known);
    *known = price_from_double(price);
    return true;
}

static bool read_multiplier(struct own_prices *own, const char *name, const json_t *value,
                            struct error *error)
{
    double factor = json_number_value(value);
    if (!json_is_number(value) || !(factor > 0 && factor <= FACTOR_MAX))
        return refuse(error, "multipliers", name, "must be a factor above 0, such as 0.9");
    vector_push(&own->multipliers, (struct multiplier){memory_copy_string(name), factor});
    return true;
}

typedef bool (*entry_reader)(struct own_prices *own, const char *name, const json_t *value,
                             struct error *error);

static bool read_part(struct own_prices *own, const json_t *value, const char *part,
                      entry_reader read, struct error *error)
{
    const json_t *entries = json_object_get(value, part);
    const char *name;
    json_t *entry;
    if (entries == NULL)
        return true;
    if (!json_is_object(entries) || json_object_size(entries) > ENTRIES_MAX)
        return error_set(error, ERROR_INVALID, "%s must be an object of at most %d entries", part,
                         ENTRIES_MAX);
    json_object_foreach ((json_t *)entries, name, entry)
        if (strlen(name) > NAME_MAX_BYTES)
            return refuse(error, part, name, "is no instance type");
        else if (!read(own, name, entry, error))
            return false;
    return true;
}

static bool knows_its_parts(const json_t *value, struct error *error)
{
    const char *name;
    json_t *part;
    if (!json_is_object(value))
        return error_set(error, ERROR_INVALID, "prices must be a JSON object");
    json_object_foreach ((json_t *)value, name, part)
        if (!text_equal(name, "onDemand") && !text_equal(name, "multipliers"))
            return error_set(error, ERROR_INVALID,
                             "%.*s is not known: prices have onDemand and multipliers",
                             NAME_MAX_BYTES, name);
    return true;
}

struct own_prices *own_prices_create(const json_t *value, struct error *error)
{
    struct own_prices *own = memory_allocate(sizeof *own);
    own->prices = map_create();
    if (knows_its_parts(value, error) && read_part(own, value, "onDemand", read_price, error) &&
        read_part(own, value, "multipliers", read_multiplier, error))
        return own;
    own_prices_destroy(own);
    return NULL;
}

struct own_prices *own_prices_load(const char *path, struct error *error)
{
    json_error_t problem;
    assert(path != NULL);
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (value == NULL) {
        error_set(error, ERROR_INVALID, "%s, line %d: %s", path, problem.line, problem.text);
        return NULL;
    }
    struct own_prices *own = own_prices_create(value, error);
    json_decref(value);
    if (own == NULL)
        error_prefix(error, "%s", path);
    return own;
}

void own_prices_destroy(struct own_prices *own)
{
    if (own == NULL)
        return;
    map_destroy(own->prices, free);
    vector_for_each (multiplier, &own->multipliers)
        free(multiplier->pattern);
    vector_free(&own->multipliers);
    free(own);
}

int64_t own_price_of(const struct own_prices *own, const char *instance_type, int64_t list_price)
{
    if (own == NULL)
        return list_price;
    const int64_t *price = map_get(own->prices, instance_type);
    if (price != NULL)
        return *price;
    size_t longest = 0;
    double factor = 1;
    vector_for_each (multiplier, &own->multipliers)
        if (strlen(multiplier->pattern) > longest &&
            fnmatch(multiplier->pattern, instance_type, 0) == 0) {
            longest = strlen(multiplier->pattern);
            factor = multiplier->factor;
        }
    return longest == 0 ? list_price : price_from_double(price_to_double(list_price) * factor);
}
